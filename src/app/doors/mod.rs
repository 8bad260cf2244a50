//! Where content comes in or is asked about: each door says what is judged and what it is compared with, and hands that to
//! [`super::judge`].

pub(crate) mod check;
pub mod commit;
pub mod fast_commit;
pub mod push;
pub(crate) mod runlog;
pub mod scan;
mod unstaged_readings;
pub(crate) mod validate;

use super::judge::snapshot::MadeBy;

/// How a commit is judged, beside the [`Options`](super::judge::Options) of every check.
#[derive(Clone, Copy)]
pub struct Commit<'a> {
    /// Who made what it concludes.
    pub made_by: MadeBy,
    /// Whether whoever asks sees no more than what the change introduces, so that the concerned nodes can tell.
    pub briefly: bool,
    /// Called before anything that may take long.
    pub busy: &'a dyn Fn(),
}
