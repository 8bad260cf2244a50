//! The names and kinds of evidence. The bytes are in the cache, never in a ledger.

use crate::text::spelled::spelled;
use crate::tree::oid::Oid;
use std::fmt;

/// The name of evidence bytes: their sha256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceHash(pub [u8; 32]);

impl EvidenceHash {
    /// The hash of 64 lower-case hex digits; `None` for anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let id = Oid::from_hex(hex)?;
        id.as_bytes().try_into().ok().map(Self)
    }
}

impl fmt::Display for EvidenceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EvidenceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

spelled! {
    /// The kind of evidence.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EvidenceKind {
        /// A picture: PNG, JPEG, GIF or WebP, recognised by its first bytes.
        Image = "image",
        /// Anything else, mostly text.
        Transcript = "transcript",
        /// A recording: WebM, Matroska or MP4, recognised by its first bytes.
        Video = "video",
        /// A JSON object or array of at most 4,000,000 bytes.
        Data = "data",
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The sha256 of the bytes: their name in the cache.
    pub hash: EvidenceHash,
    /// Its kind as the writer states it; the bytes were checked when they were filed.
    pub kind: EvidenceKind,
}
