//! How an event says which line it replaces: by that line's hash alone, so that it proves which one it was and tells
//! nothing of it.

use super::fields::{Field, bad, hash_value, required, string};
use super::terms::FilingTerms;
use crate::text::json::Json;
use sha2::{Digest, Sha256};
use std::fmt;

/// The sha256 of a ledger line's bytes, its end left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineHash(pub [u8; 32]);

impl LineHash {
    /// The hash of this line.
    pub(crate) fn of(line: &[u8]) -> Self {
        Self(Sha256::digest(line).into())
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// That a key was used, at this attempt or at none: the sha256 of `ATTEMPT:KEY`, since the key itself may be what had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsedKey(pub [u8; 32]);

impl UsedKey {
    /// Of this use; nothing where no key was used.
    pub(crate) fn of(terms: &FilingTerms) -> Option<Self> {
        let attempt = terms.attempt.map(|attempt| attempt.to_string()).unwrap_or_default();
        let key = terms.key.as_ref()?;
        Some(Self(Sha256::digest(format!("{attempt}:{key}")).into()))
    }
}

impl fmt::Display for UsedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LineHash(self.0).fmt(f)
    }
}

/// That a line was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The line that stood there.
    pub line: LineHash,
    /// Why it had to go.
    pub reason: String,
}

/// The line that is replaced, and why.
pub(super) fn read(object: &Json<'_>, line: &Json<'_>) -> Field<Redacted> {
    let reason = required(object, "reason")?;
    let text = string("reason", reason)?;
    if text.trim().is_empty() {
        return Err(bad("blank", reason, "\"reason\" is blank; it must say why the line had to go"));
    }
    Ok(Redacted { line: LineHash(hash_value("redacts", line)?.0), reason: text.to_owned() })
}
