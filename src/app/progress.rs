//! Progress of long work. A use case reports these plain values; the command line decides when and where it shows them.

/// One progress report of long work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressStep {
    /// Work of unknown length.
    Work(&'static str),
    /// `done` of `of` items, e.g. 3 of 12 branches.
    Count {
        /// What is done with each item, e.g. `looking at branches`.
        what: &'static str,
        /// Number of the current item, from 1.
        done: usize,
        /// Number of all items.
        of: usize,
    },
    /// `done` of `of` bytes.
    Bytes {
        /// What is done with the bytes.
        what: &'static str,
        /// Bytes that are done.
        done: u64,
        /// Number of all bytes, if it is known.
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

/// A callback that receives each progress report.
pub(crate) type Tell<'a> = &'a dyn Fn(ProgressStep);
