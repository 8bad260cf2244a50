//! The bytes of a file without a copy: an open file in, bytes out. The only `unsafe` of this system, so that it can be
//! audited alone. It maps only files that are replaced by renaming.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;

/// Smaller files are read, because that costs less than a map and its page faults.
const SMALL: u64 = 32 << 10;

/// The bytes of a file, mapped if the file is large.
pub(crate) enum Whole {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Whole {
    /// The bytes of an open file of this length. A small file, or one on a file system without maps, is read.
    pub(crate) fn of(file: &File, len: u64) -> io::Result<Self> {
        match map(file, len) {
            Some(mapped) => Ok(Self::Mapped(mapped)),
            None => read(file, len).map(Self::Owned),
        }
    }

    /// Releases the memory of this part of a mapped file; later access reads the file again. For a single pass over a file
    /// that should not stay in memory.
    pub(crate) fn let_go(&self, part: std::ops::Range<usize>) {
        if let Self::Mapped(map) = self {
            // SAFETY: the map is private and was never written to, so the dropped pages equal the file and are read from it
            // again. That the file does not change was argued where it was mapped.
            let done =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, part.start, part.len()) };
            // only advice: if the system ignores it, more memory is used
            let _ = done;
        }
    }
}

fn map(file: &File, len: u64) -> Option<memmap2::Mmap> {
    // an empty file cannot be mapped, and a small one is faster to copy
    if len < SMALL {
        return None;
    }
    // SAFETY: `&[u8]` over a mapped file is sound only while the file is not changed or shortened. We map files that git
    // writes to a lock file and renames into place (the index, packed-refs): such a file is never written again under its
    // name, and the mapping keeps the old file alive when a new one replaces it. A person who edits it in place on purpose
    // can make this process read changing bytes or die of SIGBUS; that person owns the repository. Every reader of the bytes
    // checks each bound at each access, so changing bytes lead to a wrong value, not to a wrong address. The map is private
    // and read-only.
    unsafe { memmap2::MmapOptions::new().map_copy_read_only(file) }.ok()
}

fn read(mut file: &File, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    // to the end, not to the size of a moment ago: half a file would count as damaged
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}
