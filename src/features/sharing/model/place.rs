//! The place of shared evidence, from the repository's git configuration: `yatsu.share`. Files in a tree are not read, so
//! that no repository can choose where its readers send data. Text in, a place out; a place holds no credentials.

use crate::error::{Error, Result};
use crate::remote::BucketUrl;
use crate::repo::program::{GitConfig, is_remote_name};
use crate::sys;
use crate::text::escape::echo;
use bstr::ByteSlice;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The key of git's configuration with the place.
pub(crate) const KEY: &str = "yatsu.share";
/// The key for keeping evidence in branches, for a git server that accepts no other refs.
pub(crate) const BRANCHES: &str = "yatsu.share.branches";
/// The key for sending evidence along with each push.
pub(crate) const ON_PUSH: &str = "yatsu.share.onpush";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SharePlace {
    /// A git remote of this repository, by its name.
    Remote(String),
    /// A bucket of object storage.
    Bucket(BucketUrl),
    /// A directory that several machines can access; absolute.
    Directory(PathBuf),
}

impl SharePlace {
    /// Parses a place; a relative directory is below `here`.
    ///
    /// # Errors
    /// Usage for an invalid place. No message repeats a possible credential.
    pub(crate) fn parse(text: &str, here: &Path) -> Result<Self> {
        if BucketUrl::is_meant(text) {
            return BucketUrl::parse(text).map(Self::Bucket);
        }
        if let Some(rest) = text.strip_prefix("file:") {
            return directory(rest, here);
        }
        // `user@host:path` holds no password, but looks the same as `user:password@host`
        if text.contains('@') {
            return Err(Error::usage("a place to share through holds no user, password or token")
                .hint("a git remote is called by its name, and a bucket's credentials come from the environment"));
        }
        let is_odd = |c: char| c.is_control() || c == ' ';
        match is_remote_name(text) && !text.starts_with('-') && !text.contains(is_odd) {
            true => Ok(Self::Remote(text.to_owned())),
            false => Err(Error::usage(format!("`{}` is no place to share evidence through", echo(text)))
                .hint("name a git remote, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX, or file:DIR")),
        }
    }

    /// The place in its stored form: a directory without `.` or `..`, so that it is the same from every current directory.
    /// A `..` after a link is resolved as by the system. Other links keep their names, because targets may change.
    pub(crate) fn settled(self) -> Self {
        let Self::Directory(path) = self else { return self };
        let mut plain = PathBuf::new();
        for part in path.components() {
            if part != Component::ParentDir {
                plain.push(part);
                continue;
            }
            if plain.is_symlink()
                && let Ok(real) = sys::canonical(&plain)
            {
                plain = real;
            }
            plain.pop();
        }
        Self::Directory(sys::spelled(plain))
    }

    /// The configured place; `None` if sharing is off.
    ///
    /// # Errors
    /// Configuration for an invalid place.
    pub(crate) fn configured(config: &GitConfig) -> Result<Option<Self>> {
        let Some(value) = config.get(KEY).filter(|value| !value.is_empty()) else { return Ok(None) };
        let wrong = |what: &str| {
            Error::config(format!("{KEY} in git's configuration: {what}"))
                .hint("set it anew: yatsu-hook share on PLACE; or turn sharing off: yatsu-hook share off")
        };
        let text = value.to_str().map_err(|_| wrong("it is no text"))?;
        let place = Self::parse(text, Path::new("/")).map_err(|error| wrong(&error.message))?;
        // a relative directory would depend on the current directory
        match text.strip_prefix("file:").is_some_and(|dir| !Path::new(dir).is_absolute()) {
            true => Err(wrong("the directory is not absolute")),
            false => Ok(Some(place)),
        }
    }

    /// The configured place, which must exist.
    ///
    /// # Errors
    /// Configuration when sharing is off, too.
    pub(crate) fn required(config: &GitConfig) -> Result<Self> {
        Self::configured(config)?
            .ok_or_else(|| Error::config("sharing is off in this repository").hint("turn it on: yatsu-hook share on"))
    }

    /// The default remote: `origin`, else the only one.
    ///
    /// # Errors
    /// Usage when there is none, or several.
    pub(crate) fn usual(config: &GitConfig) -> Result<Self> {
        let remotes = config.subsections("remote", &["url"]);
        let only = remotes.first().filter(|_| remotes.len() == 1);
        match remotes.iter().find(|name| **name == "origin").or(only) {
            Some(name) => Self::parse(&name.to_str_lossy(), Path::new("/")),
            None if remotes.is_empty() => {
                Err(Error::usage("this repository has no git remote to share evidence through")
                    .hint("name another place: yatsu-hook share on PLACE"))
            }
            None => Err(Error::usage("this repository has several git remotes, and none is called origin")
                .hint("name one of them: yatsu-hook share on PLACE; `git remote` lists them")),
        }
    }

    /// The readers of the place, in a sentence.
    pub(crate) fn readers(&self) -> String {
        match self {
            Self::Remote(name) => format!("everyone who can fetch from {name} can read the evidence"),
            Self::Bucket(url) => format!("everyone who may read {url} can read the evidence"),
            Self::Directory(_) => "everyone who may read that directory can read the evidence".to_owned(),
        }
    }
}

impl fmt::Display for SharePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(name) => f.write_str(name),
            Self::Bucket(url) => url.fmt(f),
            Self::Directory(path) => write!(f, "file:{}", path.display()),
        }
    }
}

fn directory(text: &str, here: &Path) -> Result<SharePlace> {
    // the form of URLs, for example `file:///srv/x`
    let path = text.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(text);
    match !path.is_empty() && !path.chars().any(char::is_control) {
        true => Ok(SharePlace::Directory(sys::spelled(here.join(path)))),
        false => Err(Error::usage("file: names no directory").hint("write file:DIR, as in file:/mnt/evidence")),
    }
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
    fn a_place_is_a_remote_a_bucket_or_a_directory_from_where_one_stands() {
        for (text, place) in [
            ("origin", "origin"),
            ("s3://bucket/a/b", "s3://bucket/a/b"),
            ("file:/mnt/x", "file:/mnt/x"),
            ("file:x/y", "file:/here/x/y"),
            ("file:///mnt/x", "file:/mnt/x"),
        ] {
            assert_eq!(parsed(text), place);
        }
        for wrong in ["", "-x", "a b", "ftp://x/y", "ssh://host/x", "*"] {
            assert!(parsed(wrong).contains("is no place"), "{wrong:?}");
        }
        for wrong in ["file:", "file:a\nb", "file:\u{1b}[2J"] {
            assert!(parsed(wrong).contains("no directory"), "{wrong:?}");
        }
    }

    #[test]
    fn a_directory_is_written_down_as_it_is_called_from_everywhere() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let settled = |text: &str| SharePlace::parse(text, &top).unwrap().settled().to_string();
        std::fs::create_dir_all(top.join("real/below")).unwrap();
        std::os::unix::fs::symlink("real/below", top.join("link")).unwrap();
        let at = |name: &str| format!("file:{}", top.join(name).display());
        for (text, name) in [
            ("file:x/./y", "x/y"),
            ("file:x/../y/", "y"),
            ("file:./x//y", "x/y"),
            ("file:link", "link"),
            ("file:link/x", "link/x"),
            ("file:link/x/..", "link"),
            ("file:link/../x", "real/x"),
        ] {
            assert_eq!(settled(text), at(name), "{text}");
        }
        assert_eq!(
            settled(&format!("file:{}/../x", top.display())),
            format!("file:{}", top.with_file_name("x").display())
        );
        assert_eq!(
            (settled("file:/../.."), settled("origin"), settled("s3://bucket/a")),
            ("file:/".into(), "origin".into(), "s3://bucket/a".into())
        );
    }

    #[test]
    fn no_message_repeats_a_credential() {
        let texts = ["https://me:hunter2@host/x", "s3://AKIA:hunter2@bucket/x", "me:hunter2@y", "s3://b/x?sig=hunter2"];
        for text in texts {
            let said = parsed(text);
            assert!(!said.contains("hunter2") && !said.contains("s3://b"), "{said}");
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

    #[test]
    fn the_usual_place_is_origin_or_the_only_remote() {
        let of = |names: &[&str]| {
            let text: String = names.iter().map(|name| format!("remote.{name}.url\nu\0")).collect();
            SharePlace::usual(&GitConfig::parse(text.as_bytes())).map(|place| place.to_string())
        };
        assert_eq!(of(&["a", "origin"]).unwrap(), "origin");
        assert_eq!(of(&["a"]).unwrap(), "a");
        assert!(of(&["a", "b"]).unwrap_err().message.contains("several"));
        assert!(of(&[]).unwrap_err().message.contains("no git remote"));
    }
}
