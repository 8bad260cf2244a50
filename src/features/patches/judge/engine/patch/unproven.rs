//! The scenarios that a change brings into the main branch without proof, as a part of the change.

use crate::tree::path::RepoPath;

/// All such scenarios of a change.
#[derive(PartialEq, Eq)]
pub(crate) struct Unproven(pub(crate) Vec<UnprovenScenario>);

/// A scenario that comes into the main branch without proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnprovenScenario {
    pub(crate) dir: RepoPath,
    pub(crate) name: String,
    /// The missing proof, in a word or two.
    pub(crate) why: &'static str,
}
