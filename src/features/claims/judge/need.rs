//! A scenario as `next` sees it: how its counting reading stands, and what moved since. Built by `query::need`.

use crate::engine::freshness::MovedContent;
use crate::model::config::Config;
use crate::model::node::Node;
use crate::report::view::score::{ReadingState, RunsRow};
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
    /// What each environment needs; empty without the keys `runs` and `env`.
    pub environments: Vec<EnvironmentNeed>,
    /// Why it could not be measured, in which environment, as long as nothing changed since.
    pub blocked: Vec<BlockedNeed>,
}

/// What one environment of a scenario needs.
#[derive(Clone, Debug)]
pub(crate) struct EnvironmentNeed {
    pub env: Option<String>,
    pub state: ReadingState,
    pub verdict: Option<ShownVerdict>,
    /// When the reading that stands for it was filed.
    pub ts: Option<String>,
    pub moved: Vec<MovedContent>,
    pub since: Option<String>,
    pub runs: Option<RunsRow>,
}

/// Why a scenario could not be measured.
#[derive(Clone, Debug)]
pub(crate) struct BlockedNeed {
    pub env: Option<String>,
    pub reason: String,
}

impl EnvironmentNeed {
    /// Whether it is to be measured; with `failing` fresh fails are, too.
    pub(crate) fn is_needed(&self, failing: bool) -> bool {
        match self.state {
            ReadingState::Unmeasured | ReadingState::Stale(_) => true,
            ReadingState::Fresh => failing && self.is_fresh_fail(),
            ReadingState::NotJudged(_) => false,
        }
    }

    fn is_fresh_fail(&self) -> bool {
        self.state == ReadingState::Fresh && self.verdict == Some(ShownVerdict::Fail)
    }
}

impl NeedRow {
    /// Whether the reading that counts is a fresh fail.
    pub(crate) fn is_fresh_fail(&self) -> bool {
        self.environments.iter().any(EnvironmentNeed::is_fresh_fail)
            || self.state == ReadingState::Fresh && self.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail)
    }

    /// Whether a person has to mend something before it can be measured, in this environment.
    pub(crate) fn is_blocked_in(&self, env: Option<&str>) -> bool {
        self.blocked.iter().any(|one| one.env.as_deref() == env)
    }

    /// Why nothing that it needs can be measured.
    pub(crate) fn is_blocked(&self, failing: bool) -> Option<&str> {
        let open = self.environments.iter().filter(|one| one.is_needed(failing));
        let mut left = open.filter(|one| !self.is_blocked_in(one.env.as_deref()));
        let is_open = left.next().is_some() || self.environments.is_empty() && !self.is_blocked_in(None);
        self.blocked.first().filter(|_| !is_open).map(|one| one.reason.as_str())
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
