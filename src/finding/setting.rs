//! The value of a setting, as the configuration has it and as `config show` prints it.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum SettingValue {
    /// Not set, and without a default.
    Unset,
    /// One text, as the file has it.
    Text(String),
    Number(u64),
    /// On or off.
    Switch(bool),
    List(Vec<String>),
}

impl SettingValue {
    /// A path, `.` for the top directory.
    pub(crate) fn path(path: &str) -> Self {
        Self::Text(if path.is_empty() { ".".to_owned() } else { path.to_owned() })
    }

    /// The value in words, one for each item of a list; none if it is not set.
    pub(crate) fn words(&self) -> Vec<String> {
        match self {
            Self::Unset => Vec::new(),
            Self::Text(text) => vec![text.clone()],
            Self::Number(number) => vec![number.to_string()],
            Self::Switch(on) => vec![on.to_string()],
            Self::List(items) => items.clone(),
        }
    }
}
