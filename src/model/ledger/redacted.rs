//! The reference of an event to the line that it replaces: only the hash of the line, which identifies the line without
//! revealing its content.

use super::fields::{Field, bad, hash_value, required, string};
use super::terms::FilingTerms;
use crate::text::json::Json;
use sha2::{Digest, Sha256};
use std::fmt;

/// The sha256 of a ledger line's bytes without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineHash(pub [u8; 32]);

impl LineHash {
    pub(crate) fn of(line: &[u8]) -> Self {
        Self(Sha256::digest(line).into())
    }

    /// The hash that a signature names: of the object alone, from its `{` to its `}`.
    pub(crate) fn of_object(line: &[u8]) -> Self {
        Self::of(line.trim_ascii())
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A mark that a key was used, with its attempt if any: the sha256 of `ATTEMPT:KEY`, because the key itself may be what had
/// to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsedKey(pub [u8; 32]);

impl UsedKey {
    /// The mark for these terms; `None` if they have no key.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub line: LineHash,
    pub reason: String,
}

pub(super) fn read(object: &Json<'_>, line: &Json<'_>) -> Field<Redacted> {
    let reason = required(object, "reason")?;
    let text = string("reason", reason)?;
    if text.trim().is_empty() {
        return Err(bad("blank", reason, "\"reason\" is blank; it must say why the line had to go"));
    }
    Ok(Redacted { line: LineHash(hash_value("redacts", line)?.0), reason: text.to_owned() })
}
