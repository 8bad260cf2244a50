//! Names of blobs, computed as git does: the hash of `blob <size>` NUL and the content (gitformat-pack, "object").

use crate::error::{Error, Result};
use crate::tree::oid::{HashKind, Oid};
use sha1::Digest;

/// Hashes one blob piece by piece; its size must be known before.
pub(super) struct BlobHasher {
    state: HashState,
    promised: u64,
    seen: u64,
}

enum HashState {
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl BlobHasher {
    pub(super) fn new(kind: HashKind, size: u64) -> Self {
        let state = match kind {
            HashKind::Sha1 => HashState::Sha1(sha1::Sha1::new()),
            HashKind::Sha256 => HashState::Sha256(sha2::Sha256::new()),
        };
        let mut hasher = Self { state, promised: size, seen: 0 };
        hasher.feed(format!("blob {size}\0").as_bytes());
        hasher
    }

    fn feed(&mut self, bytes: &[u8]) {
        match &mut self.state {
            HashState::Sha1(hash) => hash.update(bytes),
            HashState::Sha256(hash) => hash.update(bytes),
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        self.feed(bytes);
    }

    /// The id; an error when the content was not as long as promised, which means that it changed while it was read.
    pub(super) fn finish(self) -> Result<Oid> {
        if self.seen != self.promised {
            return Err(Error::unchecked("it changed while it was read").hint("run the command again"));
        }
        let raw = match self.state {
            HashState::Sha1(hash) => hash.finalize().to_vec(),
            HashState::Sha256(hash) => hash.finalize().to_vec(),
        };
        Oid::from_bytes(&raw).ok_or_else(|| Error::unchecked("a hash of unknown length"))
    }
}

/// The id of a blob with this content.
pub fn blob_id(kind: HashKind, content: &[u8]) -> Result<Oid> {
    let mut hasher = BlobHasher::new(kind, content.len() as u64);
    hasher.update(content);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_blob_has_the_ids_that_git_gives_it() {
        let id = |kind| blob_id(kind, b"").unwrap().to_string();
        assert_eq!(id(HashKind::Sha1), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(id(HashKind::Sha256), "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
    }

    #[test]
    fn a_content_of_another_length_has_no_id() {
        let mut hasher = BlobHasher::new(HashKind::Sha1, 3);
        hasher.update(b"ab");
        assert!(hasher.finish().is_err());
    }
}
