//! The names and kinds of evidence. The bytes are in the cache, never in a ledger.

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

/// The kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// A picture: PNG, JPEG, GIF or WebP, recognised by its first bytes.
    Image,
    /// Anything else, mostly text.
    Transcript,
    /// A recording: WebM, Matroska or MP4, recognised by its first bytes.
    Video,
    /// A JSON object or array of at most 4,000,000 bytes.
    Data,
}

impl EvidenceKind {
    /// Every kind, in the order in which messages list them.
    pub(crate) const ALL: [Self; 4] = [Self::Image, Self::Transcript, Self::Video, Self::Data];

    /// The spelling in ledgers and configuration.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Transcript => "transcript",
            Self::Video => "video",
            Self::Data => "data",
        }
    }

    /// The kind with that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
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
