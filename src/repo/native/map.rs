//! The bytes of a file without a copy: a path in, bytes out. Only for files that git or the store replaces by renaming.

use crate::error::{Error, Result, remedy};
use crate::sys::{self, Whole};
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file.
pub struct Map(Whole);

impl Map {
    /// The bytes of the file at `path`; `None` if it does not exist. A small file, or one on a file system
    /// without maps, is read.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let failed = |error: std::io::Error| Error::unread(path.display(), &error);
        let file = match sys::open_to_read(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // of the open file, not of the path: git may rename a new index to the path in between
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(Error::unchecked(format!("{} is no regular file", path.display())).hint(remedy::NO_FILE));
        }
        Whole::of(&file, about.len()).map(|bytes| Some(Self(bytes))).map_err(failed)
    }

    /// Releases the memory of this part; later access reads the file again. For a single pass over a file that should not
    /// stay in memory.
    pub(crate) fn let_go(&self, part: std::ops::Range<usize>) {
        self.0.let_go(part);
    }

    /// Bytes that are in memory already.
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self(Whole::Owned(bytes))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
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
        assert!(matches!(mapped.0, Whole::Mapped(_)) && mapped[..] == large);
        mapped.let_go(5000..90_000);
        assert!(mapped[..] == large, "what was let go is read again");
        assert!(Map::open(dir.path()).is_err());
    }
}
