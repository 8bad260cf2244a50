//! The lines between this program and `yatsu-hook-cloud`. They are ASCII, with one answer per question, in the order of the
//! questions. `piece` lines come before the answer to `list`, and `busy` lines before any answer. Both programs use this
//! file to read and write them. Bytes of evidence go through files, with paths in hex. Pure.

use super::url::BucketUrl;
use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The first line of both programs: the protocol and its version.
pub const GREETING: &str = "yatsu-cloud 2";
/// The longest line in bytes: a path of 4096 bytes in hex, and the text around it.
pub const LONGEST_LINE: usize = 9000;
/// The longest text that is sent, in characters.
const LONGEST_TEXT: usize = 600;

/// A question to `yatsu-hook-cloud`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloudQuestion {
    /// `probe URL`: whether the bucket can be used. The first question; it sets the bucket for all others.
    Probe(BucketUrl),
    /// `has HASH`.
    Has(EvidenceHash),
    /// `get HASH CAP FILE`: into an existing, empty file.
    Get {
        /// The piece.
        hash: EvidenceHash,
        /// The most bytes to write.
        cap: u64,
        /// The file to fill.
        file: PathBuf,
    },
    /// `put HASH SIZE FILE`.
    Put {
        /// The expected content.
        piece: Piece,
        /// The file to send.
        file: PathBuf,
    },
    /// `delete HASH [TIME]`: with a time, only if the last put was at that time.
    Delete {
        /// The piece to delete.
        hash: EvidenceHash,
        /// The known time of the put, in seconds since 1970.
        put: Option<i64>,
    },
    /// `list`.
    List,
}

/// An answer. Every answer but the first two ends its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloudAnswer {
    /// `busy N`: work on the question goes on, and this many bytes were moved.
    Busy(u64),
    /// `piece HASH SIZE TIME`: an entry of a list, with the time of its put in seconds since 1970.
    Listed(Piece, i64),
    /// `ok`.
    Done,
    /// `ok SIZE`: the size of a piece that is there or was written; for a list, the number of its entries.
    Count(u64),
    /// `ok SIZE VERSION`: the size and the version of a piece.
    Stored(u64, StoredVersion),
    /// `ok sent`, or `ok sent VERSION`: the bucket acknowledged a put.
    Sent(Option<StoredVersion>),
    /// `ok there`: the piece was there before the put.
    There,
    /// `no TEXT`: refused for a reason that concerns only this piece.
    No(String),
    /// `absent`: the bucket has no such object.
    Absent,
    /// `retry TEXT`: the store cannot be reached, or failed several times.
    Retry(String),
    /// `fail KIND TEXT`.
    Fail(CloudTrouble, String),
}

/// Identifies one put of an object: if other content is put under the same name, the version differs. Made from the store's
/// own version and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredVersion([u8; 16]);

impl StoredVersion {
    /// The version from the store's tag and version; `None` if it has neither.
    #[must_use]
    pub fn of(tag: Option<&str>, version: Option<&str>) -> Option<Self> {
        let (tag, version) = (tag.unwrap_or_default().trim_matches('"'), version.unwrap_or_default());
        let digest: [u8; 32] = Sha256::digest(format!("{version}\n{tag}")).into();
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        (!tag.is_empty() || !version.is_empty()).then_some(Self(first))
    }

    /// Parses its only spelling: 32 lower-case hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 16] = unhex(text)?.try_into().ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Display for StoredVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why a question cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudTrouble {
    /// Credentials are missing or give no right.
    Denied,
    /// There is no such bucket, or the environment is wrong.
    Config,
    /// A local file cannot be read or written, or has other content than expected.
    Local,
    /// The store's answer makes no sense.
    Store,
    /// The question makes no sense: the two programs have different versions.
    Protocol,
}

impl CloudTrouble {
    const WORDS: [(&'static str, Self); 5] = [
        ("denied", Self::Denied),
        ("config", Self::Config),
        ("local", Self::Local),
        ("store", Self::Store),
        ("protocol", Self::Protocol),
    ];
}

impl CloudQuestion {
    /// Parses one line without its end.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        Some(match words[..] {
            ["probe", url] => Self::Probe(BucketUrl::parse(url).ok()?),
            ["has", name] => Self::Has(hash(name)?),
            ["get", name, cap, path] => Self::Get { hash: hash(name)?, cap: number(cap)?, file: file(path)? },
            ["put", name, size, path] => {
                Self::Put { piece: Piece { hash: hash(name)?, size: number(size)? }, file: file(path)? }
            }
            ["delete", name] => Self::Delete { hash: hash(name)?, put: None },
            ["delete", name, time] => Self::Delete { hash: hash(name)?, put: Some(moment(time)?) },
            ["list"] => Self::List,
            _ => return None,
        })
    }
}

impl fmt::Display for CloudQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probe(url) => write!(f, "probe {url}"),
            Self::Has(hash) => write!(f, "has {hash}"),
            Self::Get { hash, cap, file } => write!(f, "get {hash} {cap} {}", Hex(file)),
            Self::Put { piece, file } => write!(f, "put {} {} {}", piece.hash, piece.size, Hex(file)),
            Self::Delete { hash, put: None } => write!(f, "delete {hash}"),
            Self::Delete { hash, put: Some(time) } => write!(f, "delete {hash} {time}"),
            Self::List => f.write_str("list"),
        }
    }
}

impl CloudAnswer {
    /// Parses one line without its end.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').map_or((line, None), |(word, rest)| (word, Some(rest)));
        Some(match (word, rest) {
            ("busy", Some(count)) => Self::Busy(number(count)?),
            ("piece", Some(rest)) => match rest.split(' ').collect::<Vec<_>>()[..] {
                [name, size, time] => Self::Listed(Piece { hash: hash(name)?, size: number(size)? }, moment(time)?),
                _ => return None,
            },
            ("ok", None) => Self::Done,
            ("ok", Some("sent")) => Self::Sent(None),
            ("ok", Some("there")) => Self::There,
            ("ok", Some(rest)) => match rest.split_once(' ') {
                None => Self::Count(number(rest)?),
                Some(("sent", version)) => Self::Sent(Some(StoredVersion::parse(version)?)),
                Some((count, version)) => Self::Stored(number(count)?, StoredVersion::parse(version)?),
            },
            ("no", Some(text)) => Self::No(text.to_owned()),
            ("absent", None) => Self::Absent,
            ("retry", Some(text)) => Self::Retry(text.to_owned()),
            ("fail", Some(rest)) => {
                let (kind, text) = rest.split_once(' ')?;
                let (_, kind) = CloudTrouble::WORDS.into_iter().find(|(word, _)| *word == kind)?;
                Self::Fail(kind, text.to_owned())
            }
            _ => return None,
        })
    }
}

impl fmt::Display for CloudAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(count) => write!(f, "busy {count}"),
            Self::Listed(piece, time) => write!(f, "piece {} {} {time}", piece.hash, piece.size),
            Self::Done => f.write_str("ok"),
            Self::Count(count) => write!(f, "ok {count}"),
            Self::Stored(count, version) => write!(f, "ok {count} {version}"),
            Self::Sent(None) => f.write_str("ok sent"),
            Self::Sent(Some(version)) => write!(f, "ok sent {version}"),
            Self::There => f.write_str("ok there"),
            Self::No(text) => write!(f, "no {}", plain(text)),
            Self::Absent => f.write_str("absent"),
            Self::Retry(text) => write!(f, "retry {}", plain(text)),
            Self::Fail(kind, text) => {
                let word = CloudTrouble::WORDS.iter().find(|(_, known)| known == kind).map_or("", |(word, _)| word);
                write!(f, "fail {word} {}", plain(text))
            }
        }
    }
}

/// A text as one line of ASCII, because a store may answer any text.
fn plain(text: &str) -> String {
    let shown = |c: char| if matches!(c, ' '..='~') { c } else { ' ' };
    let words: String = text.chars().take(LONGEST_TEXT).map(shown).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hash(text: &str) -> Option<EvidenceHash> {
    EvidenceHash::from_hex(text.as_bytes())
}

/// A number in its only spelling.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

fn moment(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// A path as hex, so that it is one word whatever bytes it has.
struct Hex<'a>(&'a PathBuf);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_os_str().as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The bytes of a lower-case hex text.
fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    let pair = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
    hex.as_bytes().chunks(2).map(pair).collect()
}

/// The absolute path of a hex text.
fn file(hex: &str) -> Option<PathBuf> {
    let path = PathBuf::from(OsString::from_vec(unhex(hex).filter(|bytes| !bytes.contains(&0))?));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAME: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn every_question_has_one_spelling() {
        let lines = [
            "probe s3://evidence/a".to_owned(),
            format!("has {NAME}"),
            format!("get {NAME} 10485760 2f612062ff"),
            format!("put {NAME} 0 2f61"),
            format!("delete {NAME}"),
            format!("delete {NAME} -5"),
            "list".to_owned(),
        ];
        for line in lines {
            assert_eq!(CloudQuestion::parse(&line).unwrap().to_string(), line);
            for other in [format!("{line} "), format!(" {line}"), format!("{line} 1 1"), line.replace(' ', "  ") + "\0"]
            {
                assert_eq!(CloudQuestion::parse(&other), None, "{other}");
            }
        }
        for line in [
            "".to_owned(),
            "probe http://evidence".to_owned(),
            "has 0011".to_owned(),
            format!("has {}", NAME.to_uppercase()),
            format!("get {NAME} 010 2f61"),
            format!("get {NAME} 1 61"),
            format!("get {NAME} 1 2f6"),
            format!("get {NAME} 1 2F61"),
            format!("get {NAME} 1 2f00"),
            format!("put {NAME} +1 2f61"),
            format!("put {NAME} 18446744073709551616 2f61"),
        ] {
            assert_eq!(CloudQuestion::parse(&line), None, "{line}");
        }
    }

    #[test]
    fn every_answer_has_one_spelling() {
        let lines = [
            "busy 17".to_owned(),
            format!("piece {NAME} 8 1700000000"),
            "ok".to_owned(),
            "ok 8".to_owned(),
            "ok 8 00112233445566778899aabbccddeeff".to_owned(),
            "ok sent".to_owned(),
            "ok sent 00112233445566778899aabbccddeeff".to_owned(),
            "ok there".to_owned(),
            "no it has 9 bytes".to_owned(),
            "absent".to_owned(),
            "retry 503".to_owned(),
            "fail denied no right".to_owned(),
            "fail protocol what".to_owned(),
        ];
        for line in lines {
            assert_eq!(CloudAnswer::parse(&line).unwrap().to_string(), line);
        }
        let odd =
            ["", "busy", "busy x", "ok ", "ok -1", "ok Sent", "absent 1", "no", "fail denied", "fail odd x", "OK"];
        let versions = ["ok 8 ", "ok 8 0011", "ok sent 00112233445566778899AABBCCDDEEFF", "ok there 00", "ok  8"];
        for line in odd.into_iter().chain(versions) {
            assert_eq!(CloudAnswer::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_version_tells_what_was_put_from_what_is_put_later() {
        let of = |tag: &str, version: &str| StoredVersion::of(Some(tag), Some(version)).unwrap();
        assert_eq!(of("\"abc\"", "1"), of("abc", "1"), "some answers quote the tag and some do not");
        assert_ne!(of("abc", "1"), of("abc", "2"));
        assert_ne!(of("abc", ""), of("", "abc"));
        assert_eq!(StoredVersion::of(None, None), None);
        assert_eq!(StoredVersion::of(Some("\"\""), None), None);
        let version = of("abc", "1");
        assert_eq!(StoredVersion::parse(&version.to_string()), Some(version));
    }

    #[test]
    fn a_text_is_one_line_of_ascii_and_not_long() {
        let text = CloudAnswer::Fail(CloudTrouble::Store, format!("a\nb\u{1b}[31m ü {}", "x".repeat(5000))).to_string();
        assert!(text.starts_with("fail store a b [31m x") && text.len() < 700, "{text}");
        assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(line in ".{0,200}") {
            let _ = (CloudQuestion::parse(&line), CloudAnswer::parse(&line));
        }

        #[test]
        fn every_path_comes_back(bytes in proptest::collection::vec(1u8.., 0..50)) {
            let path = PathBuf::from(OsString::from_vec([b"/".to_vec(), bytes].concat()));
            prop_assert_eq!(file(&Hex(&path).to_string()), Some(path));
        }
    }
}
