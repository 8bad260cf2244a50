//! How far long work is: what a use case tells whoever waits for it. Plain values; when and where they are shown is for
//! the command line.

/// A step of long work, and how far that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressStep {
    /// Something of unknown length.
    Work(&'static str),
    /// So many of so many.
    Count {
        /// What is done with each of them, in a few words.
        what: &'static str,
        /// The one at hand, from 1.
        done: usize,
        /// All of them.
        of: usize,
    },
    /// So many bytes of as many as are known.
    Bytes {
        /// What is done with them.
        what: &'static str,
        /// So many are done.
        done: u64,
        /// All of them, where that is known.
        of: Option<u64>,
    },
}

impl ProgressStep {
    /// What is being done.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Self::Work(what) | Self::Count { what, .. } | Self::Bytes { what, .. } => what,
        }
    }
}

/// Takes note of a step.
pub(crate) type Tell<'a> = &'a dyn Fn(ProgressStep);
