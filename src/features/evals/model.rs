//! A scenario that could not be measured here, as a command recorded it.

use crate::model::ledger::{Decision, Reading};
use crate::report::view::receipt::FilingOutcome;
use crate::tree::path::RepoPath;

/// What was recorded, for a receipt.
pub(crate) struct NewlyBlocked {
    pub(crate) outcome: FilingOutcome,
    pub(crate) node: String,
    pub(crate) dir: RepoPath,
    /// The file that the line went to.
    pub(crate) ledger: RepoPath,
    pub(crate) decision: Decision,
    pub(crate) attempt: Reading,
}
