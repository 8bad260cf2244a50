//! Files of ours that were parsed before and lie on disk as they did then: what whoever remembers them is asked and told.

use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::tree::FileStamp;
use crate::tree::path::RepoPath;

/// Who remembers what files said. An answer is what parsing the file would say, every position and the paths unresolved.
pub(crate) trait ParsedBefore {
    /// What the `spec.md` at `path` says, if it has this stamp.
    fn spec(&self, path: &RepoPath, stamp: FileStamp) -> Option<Spec>;

    /// What the scenario file at `path` says by the tags of this `library`, if it has this stamp.
    fn scenarios(&self, path: &RepoPath, stamp: FileStamp, library: &[String]) -> Option<ScenarioFile>;

    /// Hears what the `spec.md` with this stamp says.
    fn learn_spec(&self, stamp: FileStamp, spec: &Spec);

    /// Hears what the scenario file with this stamp says by the tags of this `library`.
    fn learn_scenarios(&self, stamp: FileStamp, file: &ScenarioFile, library: &[String]);
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

    fn learn_spec(&self, _: FileStamp, _: &Spec) {}

    fn learn_scenarios(&self, _: FileStamp, _: &ScenarioFile, _: &[String]) {}
}
