//! The parsers of values that the verbs and flags of claims take.

use crate::features::claims::model::ClaimToken;
use crate::features::claims::model::duration;
use crate::features::claims::model::key::ClaimKey;
use crate::model::session::SessionHash;

/// The key of a claim.
pub(super) fn claim_key(text: &str) -> Result<ClaimKey, String> {
    ClaimKey::parse(text).ok_or_else(|| format!("a key is {}", ClaimKey::FORM))
}

/// The hash of a session's id.
pub(super) fn session(id: &str) -> Result<SessionHash, &'static str> {
    if id.is_empty() { Err("a session has an id") } else { Ok(SessionHash::of(id.as_bytes())) }
}

/// A duration in milliseconds.
pub(super) fn lasting(text: &str) -> Result<i64, String> {
    duration::parse(text).ok_or_else(|| format!("write {}", duration::FORM))
}

/// The token of a claim.
pub(super) fn token(text: &str) -> Result<ClaimToken, &'static str> {
    ClaimToken::from_hex(text).ok_or("a token is 32 lower-case hex digits, as `claim take` prints them")
}
