//! How an event says which line it replaces: by that line's hash alone, so that it proves which one it was and tells
//! nothing of it.

use super::fields::{Field, bad, hash_value, required, string};
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
