//! The session of a coding agent, as files of this program name it.

use super::ledger::EvidenceHash;
use sha2::{Digest, Sha256};
use std::fmt;

/// The first 32 hex digits of the SHA-256 of a session's id. The id itself is written nowhere: it may open the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionHash(Box<str>);

const DIGITS: usize = 32;

impl SessionHash {
    /// The hash of a session's id as its harness spells it.
    pub(crate) fn of(id: &[u8]) -> Self {
        let mut hex = EvidenceHash(Sha256::digest(id).into()).to_string();
        hex.truncate(DIGITS);
        Self(hex.into())
    }

    /// The hash of 32 lower-case hex digits; `None` for anything else.
    pub(crate) fn from_hex(hex: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hex.len() == DIGITS && hex.bytes().all(is_digit)).then(|| Self(hex.into()))
    }

    /// Its spelling: in the journal of claims, and as the name of a file.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_half_of_its_hash() {
        let session = SessionHash::of(b"abc");
        assert_eq!(session.as_str(), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(SessionHash::from_hex(session.as_str()), Some(session));
        for text in ["", "abc", "BA7816BF8F01CFEA414140DE5DAE2223", "ba7816bf8f01cfea414140de5dae22230"] {
            assert_eq!(SessionHash::from_hex(text), None, "{text}");
        }
    }
}
