//! The entries for content. Each door chooses the state to judge and its bases, and calls [`super::judge`].

pub(crate) mod check;
pub mod commit;
pub mod fast_commit;
pub mod push;
pub mod scan;
pub(crate) mod validate;

use super::judge::snapshot::MadeBy;

/// The settings for judging a commit, beside the [`Options`](super::judge::Options) of every check.
#[derive(Clone, Copy)]
pub struct Commit<'a> {
    /// The author of the content.
    pub made_by: MadeBy,
    /// Whether the report shows only introduced findings, so that judging the concerned nodes is enough.
    pub briefly: bool,
    /// Called before anything that may take long.
    pub busy: &'a dyn Fn(),
}
