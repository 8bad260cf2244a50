//! A scenario as `next` sees it: how its counting reading stands, and what moved since. Built by `query::need`.

use crate::engine::freshness::MovedContent;
use crate::model::config::Config;
use crate::model::node::Node;
use crate::report::view::score::ReadingState;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;

/// A scenario with what decides whether it needs measuring.
#[derive(Clone, Debug)]
pub(crate) struct NeedRow {
    pub dir: RepoPath,
    pub scenario: String,
    pub state: ReadingState,
    /// The time of the reading that counts, as the ledger spells it, and whether it counts as a fail; `None` without one.
    pub counting: Option<(String, bool)>,
    /// The time of the latest reading, which may be of other content; `None` without one.
    pub latest: Option<String>,
    /// The verdict that the counting reading recorded.
    pub recorded: Option<ShownVerdict>,
    /// The measured content that changed since that reading, and the test.
    pub moved: Vec<MovedContent>,
    /// The anchor of that reading, full hex.
    pub since: Option<String>,
}

impl NeedRow {
    /// Whether the reading that counts is a fresh fail.
    pub(crate) fn is_fresh_fail(&self) -> bool {
        self.state == ReadingState::Fresh && self.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail)
    }
}

/// The requested scenarios of a repository.
pub(crate) struct Needs {
    /// In the order of their nodes and files.
    pub rows: Vec<NeedRow>,
    /// Whether fresh fails are to be measured, too.
    pub failing: bool,
    /// The nodes of the rows, and mostly all others. Readings that a later reading of their scenario replaced may be missing.
    pub nodes: Vec<Node>,
    pub config: Config,
}
