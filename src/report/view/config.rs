//! The data that `config` prints.

use crate::finding::SettingValue;
use serde::{Serialize, Serializer};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// `spexcode.json` says it.
    File,
    /// A default. The text names the source that it was derived from, if it is not built in.
    Default(Option<String>),
}

impl Serialize for ValueSource {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::File => "file",
            Self::Default(_) => "default",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Setting {
    /// Its key, dots between the levels.
    pub key: String,
    /// The effective value: the file's, or the default.
    pub value: SettingValue,
    /// Where it comes from.
    pub origin: ValueSource,
}

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/config/v1")]
pub(crate) struct Settings {
    /// The name of the file, if there is one.
    pub file: Option<&'static str>,
    /// Every setting, in the order of the documentation.
    pub settings: Vec<Setting>,
    /// Settings that are probably mistakes, one sentence each.
    pub warnings: Vec<String>,
}
