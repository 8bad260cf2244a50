//! What a row of commits must do about goals.

use crate::features::goals::model::settings::GoalGateMode;
use crate::finding::NodeRef;
use crate::rules::AddedLine;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The requirements on the goals of a row of commits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GoalDemands {
    /// The places where goals are checked.
    pub(crate) gate: GoalGateMode,
    /// The lines that claim a reached goal and come into the branch.
    pub(crate) claims: Vec<AddedLine>,
    /// The directories of the nodes that the branch accepts only with reached goals.
    pub(crate) must_hold: BTreeSet<RepoPath>,
    /// Nodes that are gone, together with a contract that the branch required.
    pub(crate) gone: Vec<NodeRef>,
    /// The directories of the nodes that need a contract and have none.
    pub(crate) without: BTreeSet<RepoPath>,
}

impl Default for GoalDemands {
    fn default() -> Self {
        let (claims, gone) = (Vec::new(), Vec::new());
        Self { gate: GoalGateMode::Off, claims, must_hold: BTreeSet::new(), gone, without: BTreeSet::new() }
    }
}
