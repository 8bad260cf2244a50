//! The merge driver, carried out.

use super::Exit;
use super::judge::Call;
use super::request::MergeCall;
use crate::app::upkeep::merge_driver;
use crate::app::upkeep::merge_driver::MergeRequest;
use crate::error::Result;
use crate::store::signals;

/// `merge-ledger`: silent when it merged. A refusal is exit 1, which git reports as a conflict; the conflict markers are
/// in the file by then.
pub(super) fn merge_ledger(call: Call<'_>, asked: &MergeCall) -> Result<Exit> {
    signals::install()?;
    let here = call.here()?;
    let request = MergeRequest {
        base: here.join(&asked.base),
        ours: here.join(&asked.ours),
        theirs: here.join(&asked.theirs),
        ledger: asked.path.display().to_string(),
    };
    merge_driver::merge(&request).map(|()| Exit::CLEAN)
}
