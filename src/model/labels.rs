//! Labels that the caller chooses: the idempotency key of a reading, the run that several readings share, and an
//! environment. Input: text. Output: a valid value.

use std::fmt;

/// An idempotency key: 1 to 128 printable ASCII characters without space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadingKey(String);

/// Longest key in characters.
pub(crate) const MAX_KEY: usize = 128;

impl ReadingKey {
    pub(crate) const FORM: &'static str = "1 to 128 printable ASCII characters without space";

    /// The key with that spelling; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fits = (1..=MAX_KEY).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The spelling in a ledger and on a command line.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a run: its readings share a budget.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

/// Longest name of a run in characters.
pub(crate) const MAX_RUN: usize = 64;

impl RunId {
    pub(crate) const FORM: &'static str = "1 to 64 letters, digits, dots, underscores and hyphens";

    /// The run with that spelling; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        ((1..=MAX_RUN).contains(&text.len()) && text.bytes().all(plain)).then(|| Self(text.to_owned()))
    }

    /// The spelling in a ledger and on a command line.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// One of the environments in which a scenario is measured, for example `firefox`, or the name of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnvName(String);

/// Longest name of an environment in characters.
pub(crate) const MAX_ENV: usize = 64;

impl EnvName {
    pub(crate) const FORM: &'static str = "1 to 64 letters, digits and . _ : @ / -";

    /// The environment with that spelling; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@/-".contains(&byte);
        ((1..=MAX_ENV).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// The spelling in files and on a command line.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The flag that names an environment, as one types it: `--env firefox`, and `--env=-Os`, which would be a flag of its own.
pub(crate) fn env_flag(name: &str) -> String {
    format!("--env{}{name}", if name.starts_with('-') { '=' } else { ' ' })
}

impl fmt::Display for EnvName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ReadingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_printable_ascii_without_space() {
        for text in ["k", "!", "~", "a/b:1", &"x".repeat(128)] {
            assert_eq!(ReadingKey::parse(text).unwrap().as_str(), text);
        }
        for text in ["", " ", "a b", "a\n", "\u{7f}", "caf\u{e9}", &"x".repeat(129)] {
            assert_eq!(ReadingKey::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_environment_is_a_name_of_a_browser_a_device_or_a_model() {
        for text in ["firefox", "vendor/model-4.1@2026", "linux:arm64", "-", &"x".repeat(64)] {
            assert_eq!(EnvName::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "a b", "a,b", "a#b", "\u{e9}", &"x".repeat(65)] {
            assert_eq!(EnvName::parse(text), None, "{text:?}");
        }
        assert_eq!([env_flag("firefox"), env_flag("-Os")], ["--env firefox", "--env=-Os"]);
    }

    #[test]
    fn a_run_is_a_plain_word() {
        for text in ["r", "2026-01-31.a_b", ".", "-", &"x".repeat(64)] {
            assert_eq!(RunId::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "a b", "a/b", "a:b", "\u{e9}", &"x".repeat(65)] {
            assert_eq!(RunId::parse(text), None, "{text:?}");
        }
    }
}
