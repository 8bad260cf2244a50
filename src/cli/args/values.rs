//! The parsers of values that several verbs take.

use crate::app::judge::verdict::Older;
use crate::app::setup::install::HookEvent;
use crate::model::labels::{EnvName, RunId};
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
pub(crate) fn run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| format!("a run is named with {}", RunId::FORM))
}

/// The name of an environment.
pub(crate) fn env(text: &str) -> Result<EnvName, String> {
    EnvName::parse(text).ok_or_else(|| format!("an environment is named with {}", EnvName::FORM))
}
