//! The parsers of values that several verbs take.

use crate::app::judge::verdict::Older;
use crate::app::setup::install::HookEvent;
use crate::model::claim::ClaimToken;
use crate::model::duration;
use crate::model::labels::{ClaimKey, RunId};
use crate::model::session::SessionHash;
use crate::report::Format;

// without help texts, because clap would print each value on its own line in the help of the verb
macro_rules! typed_by_spelling {
    ($($kind:ty),*) => {$(
        impl clap::ValueEnum for $kind {
            fn value_variants<'a>() -> &'a [Self] {
                &Self::ALL
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                Some(clap::builder::PossibleValue::new(self.as_str()))
            }
        }
    )*};
}

pub(crate) use typed_by_spelling;

typed_by_spelling!(Format, HookEvent, Older);

/// The id of a run.
pub(super) fn run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| format!("a run is named with {}", RunId::FORM))
}

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
pub(crate) fn token(text: &str) -> Result<ClaimToken, &'static str> {
    ClaimToken::from_hex(text).ok_or("a token is 32 lower-case hex digits, as `claim take` prints them")
}
