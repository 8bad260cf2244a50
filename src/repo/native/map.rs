//! The bytes of a file without a copy: a path in, bytes out. This is the one module with `unsafe`, so that it can be audited
//! alone. It maps only files that git replaces by renaming.
#![allow(unsafe_code)]

use crate::error::{Error, Result, remedy};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Deref;
use std::path::Path;

/// Smaller files are read, because that costs less than a map and its page faults.
const SMALL: u64 = 32 << 10;

/// The bytes of a file, mapped if the file is large.
pub struct Map(Bytes);

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Map {
    /// The bytes of the file at `path`; `None` if it does not exist. A small file, or one on a file system
    /// without maps, is read.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let failed = |error: std::io::Error| Error::unread(path.display(), &error);
        // opening a pipe must not block until a writer comes
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(std::io::Error::from) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // of the open file, not of the path: git may rename a new index to the path in between
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(Error::unchecked(format!("{} is no regular file", path.display())).hint(remedy::NO_FILE));
        }
        let bytes = match map(&file, about.len()) {
            Some(mapped) => Bytes::Mapped(mapped),
            None => Bytes::Owned(read(file, about.len()).map_err(failed)?),
        };
        Ok(Some(Self(bytes)))
    }

    /// Releases the memory of this part of a mapped file; later access reads the file again. For a single pass over a file
    /// that should not stay in memory.
    pub(crate) fn let_go(&self, part: std::ops::Range<usize>) {
        if let Bytes::Mapped(map) = &self.0 {
            // SAFETY: the map is private and was never written to, so the dropped pages equal the file and are read from it
            // again. That the file does not change was argued where it was mapped.
            let done =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, part.start, part.len()) };
            // only advice: if the system ignores it, more memory is used
            let _ = done;
        }
    }

    /// Bytes that are in memory already.
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self(Bytes::Owned(bytes))
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

fn read(mut file: File, len: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    // to the end, not to the size of a moment ago: half a file would count as damaged
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
        assert!(Map::open(&file).unwrap().unwrap().is_empty());
        std::fs::write(&file, "bytes").unwrap();
        assert_eq!(&*Map::open(&file).unwrap().unwrap(), b"bytes");
        let large: Vec<u8> = (0..100_000u32).map(|number| number as u8).collect();
        std::fs::write(&file, &large).unwrap();
        let mapped = Map::open(&file).unwrap().unwrap();
        assert!(matches!(mapped.0, Bytes::Mapped(_)) && mapped[..] == large);
        mapped.let_go(5000..90_000);
        assert!(mapped[..] == large, "what was let go is read again");
        assert!(Map::open(dir.path()).is_err());
    }
}
