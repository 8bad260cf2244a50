//! A scenario as `next` sees it: how its counting reading stands, and what moved since. Built by `query::need`.

use crate::engine::freshness::MovedContent;
use crate::report::view::score::ReadingState;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;

/// A scenario with what decides whether it needs measuring.
#[derive(Clone, Debug)]
pub(crate) struct NeedRow {
    /// The directory of its node.
    pub dir: RepoPath,
    /// Its name.
    pub scenario: String,
    /// How the reading that counts stands.
    pub state: ReadingState,
    /// When that was filed, as the ledger spells it, and whether it counts as a fail; nothing before the first one.
    pub counting: Option<(String, bool)>,
    /// When the latest reading was filed, which counts only for its own content; nothing before the first one.
    pub latest: Option<String>,
    /// The verdict as that reading recorded it.
    pub recorded: Option<ShownVerdict>,
    /// The governed content that moved since.
    pub moved: Vec<MovedContent>,
    /// The commit that it was measured at, full hex.
    pub since: Option<String>,
}

impl NeedRow {
    /// Whether it failed, and nothing has changed since.
    pub(crate) fn is_fresh_fail(&self) -> bool {
        self.state == ReadingState::Fresh && self.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail)
    }
}
