//! `impact`: which scenarios an edit would make stale.

use super::ls;
use crate::app::query::impact as asking;
use crate::cli::Exit;
use crate::cli::args::view::ImpactArgs;
use crate::cli::call::Call;
use crate::error::Result;

/// `impact`.
pub(super) fn impact(call: Call<'_>, args: &ImpactArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let paths = call.all_in_repository(&repo, &args.paths)?;
    ls::print(call, &call.patiently(|| asking::impact(&repo, &paths))?)
}
