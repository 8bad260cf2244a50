//! What `config` prints, as plain data.

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// `spexcode.json` says it.
    File,
    /// Nobody says it; what it was derived from, where it was not simply built in.
    Default(Option<String>),
}

impl ValueSource {
    /// The public spelling.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Default(_) => "default",
        }
    }
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingValue {
    /// Nothing is set, and nothing stands in for it.
    Unset,
    /// One text, as the file has it.
    Text(String),
    /// A count.
    Number(u64),
    /// On or off.
    Switch(bool),
    /// A list, in order.
    List(Vec<String>),
}

/// One setting that is judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its key, dots between the levels.
    pub key: String,
    /// What holds now, a default where the file says nothing.
    pub value: SettingValue,
    /// Where it comes from.
    pub origin: ValueSource,
}

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Whether there is a `spexcode.json`.
    pub has_file: bool,
    /// Every setting, in the order of the documentation.
    pub settings: Vec<Setting>,
    /// What is probably not meant as it stands, one sentence each.
    pub warnings: Vec<String>,
}
