//! Evidence that comes from another clone or goes there, under the hash that a reading names. Arriving bytes get that name
//! only if their hash matches, because the sender is not trusted (write protocol of [`super::super`], steps 1 to 6).

use super::super::atomic::Temp;
use super::super::folder::failed;
use super::super::lock::GcShared;
use super::source::BUFFER;
use super::{Cache, Hashing, corrupt, hash_of, name_it};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// The error of a transfer that stopped early. A new attempt starts at the first byte.
fn ended_early(hash: &EvidenceHash, error: &io::Error) -> Error {
    Error::unchecked(format!("the transfer of {hash} ended early: {error}")).hint("run the same command again")
}

impl Cache {
    /// Stores the bytes of `hash`, at most `cap` of them. Returns `true` once they are durable under that name. If the bytes
    /// have another hash, or are more than `cap`, it returns `false`, stores nothing and keeps an existing file.
    ///
    /// # Errors
    /// When `bytes` cannot be read to their end, or cannot be stored.
    pub fn arrive(&self, _right: &GcShared, hash: &EvidenceHash, bytes: &mut dyn Read, cap: u64) -> Result<bool> {
        let folder = self.to_write()?;
        let mut temp = Temp::create(&folder, 0o444)?;
        let mut tee = Hashing { inner: &mut temp, hasher: Sha256::new() };
        let (mut size, mut buffer) = (0, vec![0; BUFFER]);
        loop {
            let count = match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ended_early(hash, &error)),
            };
            size += count as u64;
            if size > cap {
                return Ok(false);
            }
            tee.write_all(&buffer[..count]).map_err(|error| failed("write in", folder.path(), error))?;
        }
        if EvidenceHash(tee.hasher.finalize().into()) != *hash {
            return Ok(false);
        }
        temp.sync(size)?;
        name_it(&folder, temp, hash)?;
        Ok(true)
    }

    /// The path and the size of the evidence `hash`, after its content was read and verified; `None` if the cache has no
    /// such file. A caller that copies the file must hash its copy, because the file can change in between.
    ///
    /// # Errors
    /// When the file is corrupt, or cannot be read.
    pub fn verified(&self, hash: &EvidenceHash) -> Result<Option<(PathBuf, u64)>> {
        let Some((mut file, path)) = self.open(hash)? else { return Ok(None) };
        let (actual, size) = hash_of(&mut file).map_err(|error| failed("read", &path, error))?;
        if actual == *hash { Ok(Some((path, size))) } else { Err(corrupt(&path, &actual)) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NEWER, OLDER, PARENT};
    use super::*;
    use crate::store::Store;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn named(bytes: &[u8]) -> EvidenceHash {
        EvidenceHash(Sha256::digest(bytes).into())
    }

    fn arrive(at: &tempfile::TempDir, hash: &EvidenceHash, mut bytes: impl Read, cap: u64) -> Result<bool> {
        let store = Store::new(at.path());
        store.evidence().arrive(&store.share_evidence().unwrap(), hash, &mut bytes, cap)
    }

    fn files(at: &tempfile::TempDir) -> Vec<PathBuf> {
        let dir = at.path().join(PARENT).join(OLDER);
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_has_the_name_that_was_asked_for_is_kept_read_only_up_to_the_very_cap() {
        for bytes in [vec![], vec![7], vec![7; 3 * BUFFER + 1]] {
            let (at, hash) = (tempfile::tempdir().unwrap(), named(&bytes));
            assert!(arrive(&at, &hash, &*bytes, bytes.len() as u64).unwrap());
            let (path, size) = Store::new(at.path()).evidence().verified(&hash).unwrap().unwrap();
            assert_eq!((fs::read(&path).unwrap(), size), (bytes.clone(), bytes.len() as u64));
            // a umask may keep others from reading
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o333, 0);
            assert_eq!(files(&at), [path]);
        }
    }

    #[test]
    fn what_has_another_name_or_is_longer_than_allowed_leaves_nothing() {
        let (at, hash) = (tempfile::tempdir().unwrap(), named(b"measured"));
        for lie in [&b""[..], b"measure", b"measurec", b"measured "] {
            assert!(!arrive(&at, &hash, lie, 1000).unwrap(), "{lie:?}");
        }
        assert!(!arrive(&at, &hash, &b"measured"[..], 7).unwrap());
        assert!(!arrive(&at, &hash, io::repeat(0), 3 * BUFFER as u64).unwrap(), "without an end");
        assert_eq!(files(&at), Vec::<PathBuf>::new());
        assert_eq!(Store::new(at.path()).evidence().verified(&hash).unwrap(), None);
    }

    #[test]
    fn bytes_that_end_in_an_error_leave_nothing_and_those_that_are_interrupted_go_on() {
        struct Then(Option<io::ErrorKind>);
        impl Read for Then {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                let kind = self.0;
                self.0 = kind.filter(|kind| *kind != io::ErrorKind::Interrupted);
                kind.map_or(Ok(0), |kind| Err(kind.into()))
            }
        }
        let (at, hash) = (tempfile::tempdir().unwrap(), named(b"measured"));
        let dies = (&b"measured"[..]).chain(Then(Some(io::ErrorKind::ConnectionReset)));
        assert!(arrive(&at, &hash, dies, 1000).unwrap_err().message.contains("ended early"));
        assert_eq!(files(&at), Vec::<PathBuf>::new());
        let interrupted = (&b"measu"[..]).chain(Then(Some(io::ErrorKind::Interrupted))).chain(&b"red"[..]);
        assert!(arrive(&at, &hash, interrupted, 1000).unwrap());
    }

    #[test]
    fn a_lie_leaves_what_was_here_and_the_truth_heals_what_is_corrupt() {
        let (at, hash) = (tempfile::tempdir().unwrap(), named(b"measured"));
        assert!(arrive(&at, &hash, &b"measured"[..], 8).unwrap());
        assert!(!arrive(&at, &hash, &b"measurec"[..], 8).unwrap());
        let cache = Store::new(at.path()).evidence();
        let path = cache.verified(&hash).unwrap().unwrap().0;
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"measurec").unwrap();
        assert!(cache.verified(&hash).unwrap_err().message.contains("corrupt"));
        assert!(!arrive(&at, &hash, &b"nothing"[..], 8).unwrap());
        assert!(arrive(&at, &hash, &b"measured"[..], 8).unwrap());
        assert_eq!(cache.verified(&hash).unwrap(), Some((path, 8)));
    }

    #[test]
    fn the_newer_directory_is_looked_into_and_written_where_it_is_the_one() {
        let (at, hash) = (tempfile::tempdir().unwrap(), named(b"measured"));
        let newer = at.path().join(PARENT).join(NEWER);
        fs::create_dir_all(&newer).unwrap();
        assert!(arrive(&at, &hash, &b"measured"[..], 8).unwrap());
        let found = Store::new(at.path()).evidence().verified(&hash).unwrap();
        assert_eq!(found, Some((newer.join(hash.to_string()), 8)));
    }
}
