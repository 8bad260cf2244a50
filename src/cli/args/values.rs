//! The parsers of values that several verbs take.

use crate::model::claim::ClaimToken;
use crate::model::duration;
use crate::model::labels::RunId;

/// The id of a run.
pub(super) fn run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| format!("a run is named with {}", RunId::FORM))
}

/// A duration in milliseconds.
pub(super) fn lasting(text: &str) -> Result<i64, String> {
    duration::parse(text).ok_or_else(|| format!("write {}", duration::FORM))
}

/// The token of a claim.
pub(crate) fn token(text: &str) -> Result<ClaimToken, &'static str> {
    ClaimToken::from_hex(text).ok_or("a token is 32 lower-case hex digits, as `claim take` prints them")
}
