//! The address of a bucket: `s3://BUCKET/PREFIX`, `gs://…`, `az://…`. It never has a host or credentials: both come
//! from the user's environment.

use crate::error::{Error, Result};
use std::fmt;

/// The longest URL in bytes. It leaves room for a key in every store.
const LONGEST: usize = 512;

/// The provider of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudKind {
    /// S3, and servers with its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage. The environment names the account.
    Azure,
}

impl CloudKind {
    const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }
}

/// A place in object storage. It never holds credentials: a URL with credentials is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketUrl {
    pub(super) kind: CloudKind,
    /// The bucket, or the container of Azure.
    pub(super) bucket: String,
    /// The parts of the prefix before `<2 hex>/<64 hex>` in every key; may be empty.
    pub(super) prefix: Vec<String>,
}

impl BucketUrl {
    /// Whether `text` is meant as a bucket: it begins with one of the schemes.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| CloudKind::ALL.iter().any(|kind| kind.scheme() == scheme))
    }

    /// Parses `text`.
    ///
    /// # Errors
    /// Usage for anything else, in particular for credentials. The message does not repeat them.
    pub fn parse(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let kind = CloudKind::ALL.into_iter().find(|kind| kind.scheme() == scheme);
        let kind = kind.ok_or_else(|| wrong("it begins with none of `s3://`, `gs://`, `az://`"))?;
        if rest.contains(['@', '?', '#', '%']) {
            // a user name, a password or a signature: no message may show the text
            return Err(wrong("it has a part that credentials stand in")
                .hint("take out everything but bucket and prefix; credentials come from the environment"));
        }
        if text.len() > LONGEST {
            return Err(wrong(&format!("it is longer than {LONGEST} bytes")));
        }
        let mut parts = rest.trim_end_matches('/').split('/');
        let bucket = parts.next().filter(|name| is_bucket(name));
        let bucket = bucket.ok_or_else(|| wrong("the name of the bucket is missing, or is none"))?.to_owned();
        let prefix: Vec<_> = parts.map(str::to_owned).collect();
        if let Some(part) = prefix.iter().find(|part| !is_part(part)) {
            return Err(wrong(&format!("`{}` in it cannot be part of a key", part.escape_default())));
        }
        Ok(Self { kind, bucket, prefix })
    }
}

impl fmt::Display for BucketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.kind.scheme(), self.bucket)?;
        self.prefix.iter().try_for_each(|part| write!(f, "/{part}"))
    }
}

fn wrong(why: &str) -> Error {
    Error::usage(format!("this is no place in object storage: {why}"))
        .hint("write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX")
}

fn is_bucket(name: &str) -> bool {
    let is_middle = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (3..=255).contains(&name.len())
        && name.bytes().all(is_middle)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("..")
}

fn is_part(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+=,!()".contains(&byte);
    !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_has_a_bucket_and_perhaps_a_prefix() {
        for (text, shown) in [
            ("s3://evidence", "s3://evidence"),
            ("s3://evidence/", "s3://evidence"),
            ("gs://evidence/team/a.b", "gs://evidence/team/a.b"),
            ("az://evidence/x/", "az://evidence/x"),
        ] {
            assert!(BucketUrl::is_meant(text));
            assert_eq!(BucketUrl::parse(text).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_has_credentials_is_refused_and_not_repeated() {
        for text in
            ["s3://key:hunter2@evidence", "s3://hunter2@evidence/a", "az://evidence?sig=hunter2", "s3://e%40hunter2"]
        {
            let error = BucketUrl::parse(text).unwrap_err();
            assert_eq!(error.kind.exit_code(), 2);
            let told = format!("{} {}", error.message, error.hints.join(" "));
            assert!(told.contains("credentials") && !told.contains("hunter2"), "{told}");
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let long = format!("s3://evidence/{}", "a/".repeat(300));
        for text in [
            "",
            "s3",
            "s3:",
            "s3://",
            "s3:///a",
            "s3://ab",
            "http://evidence",
            "S3://evidence",
            "s3://evidence:9000/a",
            "s3://evi dence",
            "s3://evidence//a",
            "s3://evidence/../a",
            "s3://evidence/./a",
            "s3://evidence/a\nb",
            "s3://evidence/ä",
            "s3://.evidence",
            "s3://evi..dence",
            "file:/evidence",
            &long,
        ] {
            assert!(BucketUrl::parse(text).is_err(), "{text}");
        }
        assert!(!BucketUrl::is_meant("https://evidence") && !BucketUrl::is_meant("origin"));
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_shown_as_it_was_taken(text in "(s3|gs|az)://[a-z@?./%: -]{0,20}") {
            if let Ok(url) = BucketUrl::parse(&text) {
                prop_assert_eq!(BucketUrl::parse(&url.to_string()).unwrap(), url.clone());
                prop_assert_eq!(url.to_string(), text.trim_end_matches('/'));
            }
        }
    }
}
