//! `validate`: judges only the named files.

use crate::app::doors::validate as door;
use crate::app::judge::verdict::Reader;
use crate::cli::Exit;
use crate::cli::args::check::ValidateArgs;
use crate::cli::call::Call;
use crate::error::Result;

pub(super) fn validate(call: Call<'_>, args: &ValidateArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let paths = call.all_in_repository(&repo, &args.paths)?;
    let options = call.options(args.strict, Reader::Person);
    let report = call.patiently(|| door::validate(&repo, &paths, options))?;
    Ok(call.emit(report))
}
