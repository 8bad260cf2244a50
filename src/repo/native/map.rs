//! The bytes of a file without copying them. Purpose: the one module with `unsafe`, so that it can be audited alone: a
//! path in, bytes out. Maps nothing but files that git replaces by renaming.
#![allow(unsafe_code)]

use crate::error::{Error, Result, remedy};
use rustix::fs::{Mode, OFlags};
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::ops::Deref;
use std::path::Path;

/// Files of fewer bytes are read: that costs less than a map and its page faults.
const SMALL: u64 = 32 << 10;

/// The bytes of a file, mapped where that pays.
pub struct Map(Bytes);

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Map {
    /// The bytes of the file at `path` and what the system says of it; `None` when there is no such file. A small file,
    /// and one on a file system without maps, is read instead.
    pub(crate) fn open(path: &Path) -> Result<Option<(Self, Metadata)>> {
        let failed = |error: std::io::Error| Error::unread(path.display(), &error);
        // a pipe must not keep us waiting for somebody to write
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(std::io::Error::from) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // of the open file, not of the path: between two looks at a path git may rename a new index into place
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(Error::unchecked(format!("{} is no regular file", path.display())).hint(remedy::NO_FILE));
        }
        let bytes = match map(&file, about.len()) {
            Some(mapped) => Bytes::Mapped(mapped),
            None => Bytes::Owned(read(file, about.len()).map_err(failed)?),
        };
        Ok(Some((Self(bytes), about)))
    }

    /// Lets go of the memory that holds this part of a mapped file; whoever looks at it again has it read again. For who
    /// passes over a file once that is larger than what is to be kept of it.
    pub(crate) fn let_go(&self, part: std::ops::Range<usize>) {
        if let Bytes::Mapped(map) = &self.0 {
            // SAFETY: the map is private and nothing was ever written to it, so that what is dropped is what the file holds,
            // and comes from there again. That the file stays what it is was promised where it was mapped.
            let done =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, part.start, part.len()) };
            // advice: where the system does not take it, more memory is used
            let _ = done;
        }
    }

    /// Bytes that are in memory already.
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self(Bytes::Owned(bytes))
    }
}

fn map(file: &File, len: u64) -> Option<memmap2::Mmap> {
    // an empty file cannot be mapped, and a small one is copied sooner
    if len < SMALL {
        return None;
    }
    // SAFETY: `&[u8]` over a mapped file is sound only while nobody changes or shortens the file. We map what git
    // writes to a lock file and renames into place (the index, packed-refs): it is never written again under its name,
    // and the mapping keeps the old file alive when a new one replaces it. Somebody who edits it in place on purpose
    // can make this process read changing bytes or die of SIGBUS; such a person owns the repository and every reader
    // of the bytes checks each bound at each access, so that changing bytes lead to a wrong value, not to a wrong
    // address. The map is private and read-only.
    unsafe { memmap2::MmapOptions::new().map_copy_read_only(file) }.ok()
}

fn read(mut file: File, len: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    // to the end, not to the size of a moment ago: half a file would be taken for a damaged one
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_empty_missing_and_odd_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        assert!(Map::open(&file).unwrap().is_none());
        std::fs::write(&file, "").unwrap();
        assert!(Map::open(&file).unwrap().unwrap().0.is_empty());
        std::fs::write(&file, "bytes").unwrap();
        assert_eq!(&*Map::open(&file).unwrap().unwrap().0, b"bytes");
        let large: Vec<u8> = (0..100_000u32).map(|number| number as u8).collect();
        std::fs::write(&file, &large).unwrap();
        let mapped = Map::open(&file).unwrap().unwrap().0;
        assert!(matches!(mapped.0, Bytes::Mapped(_)) && mapped[..] == large);
        mapped.let_go(5000..90_000);
        assert!(mapped[..] == large, "what was let go is read again");
        assert!(Map::open(dir.path()).is_err());
    }
}
