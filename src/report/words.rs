//! The words of machine formats. A type with a public spelling is serialised by `as_str`, so that programs read the same
//! words as people read in messages.

use super::view::config::ValueSource;
use super::view::score::ReadingState;
use super::view::verdict::ShownVerdict;
use super::view::{Health, InstallVerb, ScopeMode};
use crate::finding::{Axis, Level, Origin, RuleId, Verdict};
use serde::{Serialize, Serializer};

macro_rules! written_by_their_word {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    )*};
}

written_by_their_word!(RuleId, Level, Origin, Axis, Verdict);
written_by_their_word!(ScopeMode, Health, InstallVerb, ReadingState, ShownVerdict, ValueSource);
