//! Where evidence is shared, as git's configuration of the repository says: `yatsu.share`. Nothing in a tree is asked, so
//! that no repository chooses where its readers send anything. Text in, a place out; a place holds no credentials.

use crate::error::{Error, Result};
use crate::repo::program::GitConfig;
use crate::text::escape::echo;
use bstr::ByteSlice;
use std::fmt;
use std::path::{Path, PathBuf};

/// The key of git's configuration that says where evidence is shared.
pub(crate) const KEY: &str = "yatsu.share";

/// A place where evidence is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SharePlace {
    /// A directory that several machines see, absolute.
    Directory(PathBuf),
}

impl SharePlace {
    /// The place that `text` names, a relative directory below `here`.
    ///
    /// # Errors
    /// Usage for what is none. No message repeats what may be a credential.
    pub(crate) fn parse(text: &str, here: &Path) -> Result<Self> {
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(unknown(text));
        };
        if scheme != "file" {
            return Err(if rest.contains('@') { credentials() } else { unknown(text) });
        }
        let is_plain = |path: &str| !path.is_empty() && !path.chars().any(char::is_control);
        // `file:///srv/x` is how URLs spell it
        let path = rest.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(rest);
        match is_plain(path) {
            true => Ok(Self::Directory(here.join(path))),
            false => Err(Error::usage("file: names no directory").hint("write file:DIR, as in file:/mnt/evidence")),
        }
    }

    /// What the configuration says; `None` where sharing is off.
    ///
    /// # Errors
    /// Configuration where it says what is no place.
    pub(crate) fn configured(config: &GitConfig) -> Result<Option<Self>> {
        let Some(value) = config.get(KEY).filter(|value| !value.is_empty()) else { return Ok(None) };
        let wrong = |what: &str| {
            Error::config(format!("{KEY} in git's configuration: {what}"))
                .hint("set it anew: yatsu-hook share on PLACE; or turn sharing off: yatsu-hook share off")
        };
        let text = value.to_str().map_err(|_| wrong("it is no text"))?;
        let place = Self::parse(text, Path::new("/")).map_err(|error| wrong(&error.message))?;
        // a relative directory would be another one from wherever somebody stands
        match text.starts_with("file:") && !text.trim_start_matches("file:").starts_with('/') {
            true => Err(wrong("the directory is not absolute")),
            false => Ok(Some(place)),
        }
    }

    /// Who can read what is put there, in a sentence.
    pub(crate) fn readers(&self) -> &'static str {
        match self {
            Self::Directory(_) => "whoever may read that directory can read the evidence",
        }
    }
}

impl fmt::Display for SharePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "file:{}", path.display()),
        }
    }
}

fn unknown(text: &str) -> Error {
    Error::usage(format!("`{}` is no place to share evidence through", echo(text)))
        .hint("a directory that several machines see: file:DIR")
}

fn credentials() -> Error {
    Error::usage("a place to share through holds no user, password or token")
        .hint("leave them to the usual environment, credential helper or key of its protocol")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match SharePlace::parse(text, Path::new("/here")) {
            Ok(place) => place.to_string(),
            Err(error) => error.message,
        }
    }

    #[test]
    fn a_directory_is_taken_from_where_one_stands() {
        assert_eq!(parsed("file:/mnt/x"), "file:/mnt/x");
        assert_eq!(parsed("file:x/y"), "file:/here/x/y");
        assert_eq!(parsed("file:///mnt/x"), "file:/mnt/x");
        for wrong in ["file:", "file:a\nb", "file:\u{1b}[2J"] {
            assert!(parsed(wrong).contains("no directory"), "{wrong:?}");
        }
    }

    #[test]
    fn no_message_repeats_a_credential() {
        for text in ["https://me:hunter2@host/x", "s3://AKIA:hunter2@bucket/x", "ftp://x:hunter2@y", "nfs:me:hunter2@y"]
        {
            let said = parsed(text);
            assert!(!said.contains("hunter2") && said.contains("no user, password or token"), "{said}");
        }
    }

    #[test]
    fn what_is_configured_wrong_is_said_and_never_off() {
        let of = |value: &str| SharePlace::configured(&GitConfig::parse(format!("yatsu.share\n{value}\0").as_bytes()));
        assert_eq!(of("").unwrap(), None);
        assert_eq!(of("file:/x").unwrap().unwrap().to_string(), "file:/x");
        for wrong in ["file:x", "ftp://x", "https://a:b@c"] {
            let error = of(wrong).unwrap_err();
            assert_eq!(error.kind.exit_code(), 2, "{wrong}");
            assert!(error.hints[0].contains("share on"), "{error:?}");
        }
    }
}
