//! Where content comes in or is asked about: each door says what is judged and what it is compared with, and hands that to
//! [`super::judge`].

pub(crate) mod check;
pub mod commit;
pub mod concerned;
pub mod memo;
pub mod push;
pub(crate) mod remember;
pub mod scan;
pub(crate) mod validate;

/// How a commit is judged, beside the [`Options`](super::judge::Options) of every check.
#[derive(Clone, Copy)]
pub struct Commit<'a> {
    /// Whether git itself made a merge that this commit concludes: advice would come too late.
    pub clean_merge: bool,
    /// Whether whoever asks sees no more than what the change introduces, so that the concerned nodes can tell.
    pub briefly: bool,
    /// Called before anything that may take long.
    pub busy: &'a dyn Fn(),
}
