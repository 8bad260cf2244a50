//! Ids of blobs, computed as git does: the hash of `blob <size>` NUL and the content (gitformat-pack, "object"). Like git,
//! it refuses content crafted for a SHA-1 collision.

use crate::error::{Error, Result, remedy};
use crate::tree::oid::{HashKind, Oid};
use sha1_checked::Digest;

/// Hashes one blob chunk by chunk; its size must be known before.
pub(super) struct BlobHasher {
    state: HashState,
    promised: u64,
    seen: u64,
}

enum HashState {
    /// Boxed, because collision detection needs a kilobyte.
    Sha1(Box<sha1_checked::Sha1>),
    Sha256(sha2::Sha256),
}

impl HashState {
    fn new(kind: HashKind) -> Self {
        match kind {
            HashKind::Sha1 => Self::Sha1(Box::default()),
            HashKind::Sha256 => Self::Sha256(sha2::Sha256::new()),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
        }
    }

    fn finish(self) -> Result<Oid> {
        let raw = match self {
            Self::Sha1(hash) => {
                let made = hash.try_finalize();
                // The library would return another id, which git does not use. And with the attacked id, a measurement of
                // this content would count for the other content as well.
                if made.has_collision() {
                    return Err(Error::unchecked("it is part of an attack on SHA-1: another content has the same id")
                        .hint("find out where it comes from; git refuses to add it, too"));
                }
                made.hash().to_vec()
            }
            Self::Sha256(hash) => hash.finalize().to_vec(),
        };
        Oid::from_bytes(&raw).ok_or_else(|| Error::fault("a hash of unknown length"))
    }
}

impl BlobHasher {
    /// Begins a blob of `size` bytes after any conversion.
    pub(super) fn new(kind: HashKind, size: u64) -> Self {
        let mut state = HashState::new(kind);
        state.feed(format!("blob {size}\0").as_bytes());
        Self { state, promised: size, seen: 0 }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        self.state.feed(bytes);
    }

    /// The id. An error if the content did not have the promised size, because it changed during the read, or if it was
    /// crafted to collide.
    pub(super) fn finish(self) -> Result<Oid> {
        if self.seen != self.promised {
            return Err(Error::unchecked("it changed while it was read").hint(remedy::CHANGING));
        }
        self.state.finish()
    }
}

/// The id of a blob with this content; fails as [`BlobHasher::finish`] does.
pub(crate) fn blob_id(kind: HashKind, content: &[u8]) -> Result<Oid> {
    let mut hasher = BlobHasher::new(kind, content.len() as u64);
    hasher.update(content);
    hasher.finish()
}

#[cfg(test)]
mod tests;
