//! `merge-ledger`: the merge driver.

use crate::app::upkeep::merge_driver;
use crate::app::upkeep::merge_driver::MergeRequest;
use crate::cli::Exit;
use crate::cli::args::record::MergeArgs;
use crate::cli::call::Call;
use crate::error::Result;
use crate::store::signals;

/// `merge-ledger`: prints nothing if it merged. A refusal is exit 1, which git reports as a conflict; the file then has
/// conflict markers.
pub(super) fn merge_ledger(call: Call<'_>, args: &MergeArgs) -> Result<Exit> {
    signals::install()?;
    let here = call.here()?;
    let request = MergeRequest {
        base: here.join(&args.base),
        ours: here.join(&args.ours),
        theirs: here.join(&args.theirs),
        ledger: args.path.display().to_string(),
    };
    merge_driver::merge(&request).map(|()| Exit::CLEAN)
}
