//! Object ids: 20 bytes in SHA-1 repositories, 32 in SHA-256 ones.

use std::fmt;
use std::hash::{Hash, Hasher};

/// The hash function that names a repository's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashKind {
    /// 20 bytes, 40 hex digits.
    Sha1,
    /// 32 bytes, 64 hex digits.
    Sha256,
}

impl HashKind {
    /// Bytes of an id.
    #[allow(clippy::len_without_is_empty)] // a length in bytes, not a collection's
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Oid {
    bytes: [u8; 32],
    len: u8,
}

/// An id is a hash already: its first eight bytes distinguish ids well enough.
impl Hash for Oid {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.bytes.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    }
}

impl Oid {
    /// The id of these 20 or 32 raw bytes; `None` for any other length.
    pub(crate) fn from_bytes(raw: &[u8]) -> Option<Self> {
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self { bytes, len: raw.len() as u8 })
    }

    /// The id of 40 or 64 lower-case hex digits; `None` for anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        if hex.len() != 40 && hex.len() != 64 {
            return None;
        }
        let (mut bytes, mut wrong) = ([0; 32], 0);
        // one branch for all digits: every hash of every ledger line comes through here
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let [high, low] = [pair[0], pair[1]].map(|digit| DIGIT_VALUES[usize::from(digit)]);
            wrong |= (high | low) & NO_DIGIT;
            *byte = high << 4 | low & 15;
        }
        (wrong == 0).then_some(Self { bytes, len: (hex.len() / 2) as u8 })
    }

    /// The id of no object: all zeros.
    pub(crate) fn zero(kind: HashKind) -> Self {
        Self { bytes: [0; 32], len: kind.len() as u8 }
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether this is git's id for "no object".
    pub(crate) fn is_zero(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// The hash function that made this id.
    pub(crate) fn kind(&self) -> HashKind {
        if self.len == 20 { HashKind::Sha1 } else { HashKind::Sha256 }
    }

    /// The first twelve hex digits, for people.
    pub(crate) fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

/// The bit of [`DIGIT_VALUES`] that says that a byte is no digit.
const NO_DIGIT: u8 = 0x80;

/// The value of each byte as a lower-case hex digit.
const DIGIT_VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        // in one write: ids are written very often, and every partial write costs
        let mut hex = [0; 64];
        for (pair, byte) in hex.as_chunks_mut::<2>().0.iter_mut().zip(self.as_bytes()) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        f.write_str(std::str::from_utf8(&hex[..2 * usize::from(self.len)]).unwrap_or_default())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_only_strict_forms_parse() {
        let hex = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(Oid::from_hex(hex.as_bytes()).unwrap().to_string(), hex);
        assert_eq!(Oid::from_hex(hex.to_uppercase().as_bytes()), None);
        assert_eq!(Oid::from_hex(&hex.as_bytes()[1..]), None);
        assert!(Oid::zero(HashKind::Sha256).is_zero());
    }
}
