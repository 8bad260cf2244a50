//! A memory of parsed files: it answers as long as a file has the same content.

use crate::model::ledger::Ledger;
use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::tree::ContentKey;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A memory of parsed files. An answer equals the result of parsing the file, with every position and with unresolved
/// paths. For a ledger it may hold only the latest readings.
pub(crate) trait ParsedBefore {
    /// The `spec.md` at `path`, if it has this key.
    fn spec(&self, path: &RepoPath, key: ContentKey) -> Option<Spec>;

    /// The scenario file at `path`, parsed with the tags of this `library`, if it has this key.
    fn scenarios(&self, path: &RepoPath, key: ContentKey, library: &[String]) -> Option<ScenarioFile>;

    /// The latest readings in the ledger at `path`, if it has this key.
    fn latest(&self, path: &RepoPath, key: ContentKey) -> Option<Ledger>;

    /// Remembers the `spec.md` with this key.
    fn learn_spec(&self, key: ContentKey, spec: &Spec);

    /// Remembers the scenario file with this key, parsed with the tags of this `library`.
    fn learn_scenarios(&self, key: ContentKey, file: &ScenarioFile, library: &[String]);

    fn learn_ledger(&self, key: ContentKey, ledger: &Ledger);

    /// The ledger at `path` with every line, if it has this key and the memory holds whole ledgers.
    fn whole(&self, _path: &RepoPath, _key: ContentKey) -> Option<Ledger> {
        None
    }

    /// Remembers a ledger with every line, if the memory holds whole ledgers.
    fn learn_whole(&self, _key: ContentKey, _ledger: &Ledger) {}
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
    fn spec(&self, path: &RepoPath, key: ContentKey) -> Option<Spec> {
        self.before.spec(path, key)
    }

    fn scenarios(&self, path: &RepoPath, key: ContentKey, library: &[String]) -> Option<ScenarioFile> {
        self.before.scenarios(path, key, library)
    }

    fn latest(&self, path: &RepoPath, key: ContentKey) -> Option<Ledger> {
        let is_whole = |dirs: &BTreeSet<RepoPath>| dirs.contains(&path.parent().unwrap_or_default());
        if self.dirs.as_ref().is_none_or(is_whole) { None } else { self.before.latest(path, key) }
    }

    fn learn_spec(&self, key: ContentKey, spec: &Spec) {
        self.before.learn_spec(key, spec);
    }

    fn learn_scenarios(&self, key: ContentKey, file: &ScenarioFile, library: &[String]) {
        self.before.learn_scenarios(key, file, library);
    }

    fn learn_ledger(&self, _: ContentKey, _: &Ledger) {}
}

pub(crate) struct NothingBefore;

impl ParsedBefore for NothingBefore {
    fn spec(&self, _: &RepoPath, _: ContentKey) -> Option<Spec> {
        None
    }

    fn scenarios(&self, _: &RepoPath, _: ContentKey, _: &[String]) -> Option<ScenarioFile> {
        None
    }

    fn latest(&self, _: &RepoPath, _: ContentKey) -> Option<Ledger> {
        None
    }

    fn learn_spec(&self, _: ContentKey, _: &Spec) {}

    fn learn_scenarios(&self, _: ContentKey, _: &ScenarioFile, _: &[String]) {}

    fn learn_ledger(&self, _: ContentKey, _: &Ledger) {}
}
