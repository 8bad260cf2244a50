//! Files of ours that were parsed before and lie on disk as they did then: what whoever remembers them is asked and told.

use crate::model::ledger::Ledger;
use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::tree::FileStamp;
use crate::tree::path::RepoPath;

/// Who remembers what files said. An answer is what parsing the file would say, every position and the paths unresolved;
/// of a ledger its latest readings alone.
pub(crate) trait ParsedBefore {
    /// What the `spec.md` at `path` says, if it has this stamp.
    fn spec(&self, path: &RepoPath, stamp: FileStamp) -> Option<Spec>;

    /// What the scenario file at `path` says by the tags of this `library`, if it has this stamp.
    fn scenarios(&self, path: &RepoPath, stamp: FileStamp, library: &[String]) -> Option<ScenarioFile>;

    /// The latest readings in the ledger at `path`, if it has this stamp.
    fn latest(&self, path: &RepoPath, stamp: FileStamp) -> Option<Ledger>;

    /// Hears what the `spec.md` with this stamp says.
    fn learn_spec(&self, stamp: FileStamp, spec: &Spec);

    /// Hears what the scenario file with this stamp says by the tags of this `library`.
    fn learn_scenarios(&self, stamp: FileStamp, file: &ScenarioFile, library: &[String]);

    /// Hears what the ledger with this stamp says.
    fn learn_ledger(&self, stamp: FileStamp, ledger: &Ledger);
}

/// The same for who asks for more of ledgers than their latest readings.
pub(crate) struct WholeLedgers<B>(pub(crate) B);

impl<B: ParsedBefore> ParsedBefore for WholeLedgers<B> {
    fn spec(&self, path: &RepoPath, stamp: FileStamp) -> Option<Spec> {
        self.0.spec(path, stamp)
    }

    fn scenarios(&self, path: &RepoPath, stamp: FileStamp, library: &[String]) -> Option<ScenarioFile> {
        self.0.scenarios(path, stamp, library)
    }

    fn latest(&self, _: &RepoPath, _: FileStamp) -> Option<Ledger> {
        None
    }

    fn learn_spec(&self, stamp: FileStamp, spec: &Spec) {
        self.0.learn_spec(stamp, spec);
    }

    fn learn_scenarios(&self, stamp: FileStamp, file: &ScenarioFile, library: &[String]) {
        self.0.learn_scenarios(stamp, file, library);
    }

    fn learn_ledger(&self, _: FileStamp, _: &Ledger) {}
}

/// Nobody remembers anything.
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
