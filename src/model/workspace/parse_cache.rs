//! A memory of parsed files that have not changed on disk since.

use crate::model::ledger::Ledger;
use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::tree::FileStamp;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A memory of parsed files. An answer equals the result of parsing the file, with every position and with unresolved
/// paths. For a ledger it holds only the latest readings.
pub(crate) trait ParsedBefore {
    /// The `spec.md` at `path`, if it has this stamp.
    fn spec(&self, path: &RepoPath, stamp: FileStamp) -> Option<Spec>;

    /// The scenario file at `path`, parsed with the tags of this `library`, if it has this stamp.
    fn scenarios(&self, path: &RepoPath, stamp: FileStamp, library: &[String]) -> Option<ScenarioFile>;

    /// The latest readings in the ledger at `path`, if it has this stamp.
    fn latest(&self, path: &RepoPath, stamp: FileStamp) -> Option<Ledger>;

    /// Remembers the `spec.md` with this stamp.
    fn learn_spec(&self, stamp: FileStamp, spec: &Spec);

    /// Remembers the scenario file with this stamp, parsed with the tags of this `library`.
    fn learn_scenarios(&self, stamp: FileStamp, file: &ScenarioFile, library: &[String]);

    fn learn_ledger(&self, stamp: FileStamp, ledger: &Ledger);
}

/// The same, for callers that need whole ledgers: about these it never answers with only the latest readings.
pub(crate) struct WholeLedgers<B> {
    before: B,
    /// The directories of the ledgers; `None` for all ledgers.
    dirs: Option<BTreeSet<RepoPath>>,
}

impl<B> WholeLedgers<B> {
    /// Every ledger is needed whole.
    pub(crate) fn of_all(before: B) -> Self {
        Self { before, dirs: None }
    }

    /// Only the ledgers in these directories are needed whole.
    pub(crate) fn of(before: B, dirs: BTreeSet<RepoPath>) -> Self {
        Self { before, dirs: Some(dirs) }
    }
}

impl<B: ParsedBefore> ParsedBefore for WholeLedgers<B> {
    fn spec(&self, path: &RepoPath, stamp: FileStamp) -> Option<Spec> {
        self.before.spec(path, stamp)
    }

    fn scenarios(&self, path: &RepoPath, stamp: FileStamp, library: &[String]) -> Option<ScenarioFile> {
        self.before.scenarios(path, stamp, library)
    }

    fn latest(&self, path: &RepoPath, stamp: FileStamp) -> Option<Ledger> {
        let is_whole = |dirs: &BTreeSet<RepoPath>| dirs.contains(&path.parent().unwrap_or_default());
        if self.dirs.as_ref().is_none_or(is_whole) { None } else { self.before.latest(path, stamp) }
    }

    fn learn_spec(&self, stamp: FileStamp, spec: &Spec) {
        self.before.learn_spec(stamp, spec);
    }

    fn learn_scenarios(&self, stamp: FileStamp, file: &ScenarioFile, library: &[String]) {
        self.before.learn_scenarios(stamp, file, library);
    }

    fn learn_ledger(&self, _: FileStamp, _: &Ledger) {}
}

pub(crate) struct NothingBefore;

impl ParsedBefore for NothingBefore {
    fn spec(&self, _: &RepoPath, _: FileStamp) -> Option<Spec> {
        None
    }

    fn scenarios(&self, _: &RepoPath, _: FileStamp, _: &[String]) -> Option<ScenarioFile> {
        None
    }

    fn latest(&self, _: &RepoPath, _: FileStamp) -> Option<Ledger> {
        None
    }

    fn learn_spec(&self, _: FileStamp, _: &Spec) {}

    fn learn_scenarios(&self, _: FileStamp, _: &ScenarioFile, _: &[String]) {}

    fn learn_ledger(&self, _: FileStamp, _: &Ledger) {}
}
