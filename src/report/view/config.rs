//! The data that `config` prints.

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// `spexcode.json` says it.
    File,
    /// A default. The text names the source that it was derived from, if it is not built in.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingValue {
    /// Not set, and without a default.
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

/// One effective setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its key, dots between the levels.
    pub key: String,
    /// The effective value: the file's, or the default.
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
    /// Settings that are probably mistakes, one sentence each.
    pub warnings: Vec<String>,
}
