//! The bytes of a file, read: git cannot replace a file that is mapped.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;

/// The bytes of a file.
pub(crate) enum Whole {
    Owned(Vec<u8>),
}

impl Whole {
    /// The bytes of an open file of this length.
    pub(crate) fn of(mut file: &File, len: u64) -> io::Result<Self> {
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        file.read_to_end(&mut bytes).map(|_| Self::Owned(bytes))
    }

    /// Nothing: the bytes stay in memory until they are dropped.
    pub(crate) fn let_go(&self, _part: std::ops::Range<usize>) {}
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let Self::Owned(bytes) = self;
        bytes
    }
}
