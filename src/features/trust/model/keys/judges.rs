//! The file of judges, in git's allowed-signers format (ssh-keygen(1), "ALLOWED SIGNERS"), and the file of revoked keys. A
//! line of the judges that cannot be read admits no key, so only the readable lines go to `ssh-keygen`. A line of the revoked
//! keys that cannot be read revokes every key, as for `ssh-keygen`: whom it was meant to stop is not known.

use super::ssh::{PublicKey, SshSignature};
use crate::features::trust::model::wildcard;
use crate::text::escape::{echo, is_bidi, is_invisible};
use foldhash::HashMap;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The principal in the questions about a key: what it may do does not depend on a name.
const ANYBODY: &str = "anybody";
/// Most principals of a line, and most bytes of one: `ssh-keygen` compares no longer ones.
const MAX_PRINCIPALS: usize = 1000;
const MAX_PRINCIPAL: usize = 1000;
/// The first bytes of a key revocation list.
const KRL: &[u8] = b"SSHKRL\n\0";

/// A line that cannot be read as a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// The reason, as a sentence about the line.
    pub why: String,
}

/// The keys that may sign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judges {
    pub(super) lines: Vec<JudgeLine>,
    /// The places of the lines that name each key.
    by_key: HashMap<PublicKey, Vec<usize>>,
}

/// The lines of the judges that admit a key under the same options: one question for `ssh-keygen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admission {
    /// The file of judges to ask about: one line with the key, the options and one principal.
    pub(crate) file: String,
    /// The principal to ask for. Whether the key is admitted is the same for all principals.
    pub(crate) asked: String,
    /// Everybody for whom the lines admit the key.
    pub(crate) principals: BTreeSet<String>,
}

/// One line of the file of judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JudgeLine {
    /// The names and patterns; one with `!` excludes.
    pub(super) principals: Vec<String>,
    /// Whether the key signs certificates, and no lines itself.
    pub(super) is_authority: bool,
    pub(super) key: PublicKey,
    /// Its options as `ssh-keygen` reads them; empty without options.
    options: String,
    /// The line as `ssh-keygen` reads it, without comment.
    text: String,
}

impl JudgeLine {
    /// Whether the line admits its key for `name`, a name or a pattern. A pattern with `!` excludes what it matches.
    fn admits(&self, name: &str) -> bool {
        let matching = |pattern: &String| match pattern.strip_prefix('!') {
            Some(pattern) => wildcard::matches_bytes(pattern, name).then_some(false),
            None => wildcard::matches_bytes(pattern, name).then_some(true),
        };
        let found: Vec<bool> = self.principals.iter().filter_map(matching).collect();
        !found.is_empty() && !found.contains(&false)
    }
}

impl Judges {
    /// The judges in `bytes`, and the lines that admit no key.
    pub fn parse(bytes: &[u8]) -> (Self, Vec<BadLine>) {
        let (lines, bad) = each_line(bytes, judge);
        let mut by_key: HashMap<PublicKey, Vec<usize>> = HashMap::default();
        for (at, line) in lines.iter().enumerate() {
            by_key.entry(line.key.clone()).or_default().push(at);
        }
        (Self { lines, by_key }, bad)
    }

    /// The lines that name this key, as one that signs lines or as one that signs certificates.
    fn naming(&self, key: &PublicKey, is_authority: bool) -> impl Iterator<Item = &JudgeLine> {
        let places = self.by_key.get(key).into_iter().flatten();
        places.map(|at| &self.lines[*at]).filter(move |line| line.is_authority == is_authority)
    }

    /// Whether a line names this key itself. A line of an authority names the key that signs certificates.
    pub(crate) fn has(&self, key: &PublicKey) -> bool {
        self.naming(key, false).next().is_some()
    }

    /// Who may sign with the key of `signature`, by the options of the lines that name it: of several lines that name a key
    /// `ssh-keygen` would tell the principals of the first one alone.
    pub(crate) fn admissions(&self, signature: &SshSignature) -> Vec<Admission> {
        let mut by_options: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let (key, certified) = match &signature.certified {
            Some(certified) => (&certified.authority, Some(certified)),
            None => (&signature.key, None),
        };
        for line in self.naming(key, certified.is_some()) {
            let names = certified.map_or(&line.principals, |certified| &certified.principals);
            let admitted = names.iter().filter(|name| is_name(name) && line.admits(name));
            by_options.entry(&line.options).or_default().extend(admitted.cloned());
        }
        let admission = |(options, principals): (&str, BTreeSet<String>)| {
            // a certificate is good for its own names alone
            let first = principals.first()?.clone();
            let (names, asked) = certified.map_or((ANYBODY, ANYBODY.to_owned()), |_| ("*", first));
            let words = [names, options].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
            Some(Admission { file: format!("{} {}\n", words.join(" "), key.text()), asked, principals })
        };
        by_options.into_iter().filter_map(admission).collect()
    }

    /// Whether no key is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The file for `ssh-keygen`: only readable lines, without comments.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", line.text)).collect()
    }

    /// Names the judges: equal judges have the same id.
    pub(crate) fn id(&self) -> [u8; 32] {
        Sha256::digest(self.text()).into()
    }

    /// The lines that `other` lacks.
    pub(crate) fn missing_from<'j>(&'j self, other: &'j Self) -> impl Iterator<Item = &'j str> {
        let known: HashSet<&str> = other.lines.iter().map(|line| &*line.text).collect();
        self.lines.iter().map(|line| &*line.text).filter(move |text| !known.contains(text))
    }
}

/// The revoked keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Revoked {
    /// None.
    #[default]
    None,
    /// These public keys.
    Keys(Vec<PublicKey>),
    /// A key revocation list, which only `ssh-keygen` reads.
    List(Vec<u8>),
    /// Every key, because a line cannot be read; these are the keys of the other lines.
    All(Vec<PublicKey>),
}

impl Revoked {
    /// The revoked keys in `bytes`, and the lines that cannot be read.
    pub fn parse(bytes: &[u8]) -> (Self, Vec<BadLine>) {
        if bytes.starts_with(KRL) {
            return (Self::List(bytes.to_vec()), Vec::new());
        }
        let (keys, bad) = each_line(bytes, |line| {
            let (kind, rest) = word(line);
            key(kind, rest)
        });
        (if bad.is_empty() { Self::Keys(keys) } else { Self::All(keys) }, bad)
    }

    /// The file for `ssh-keygen`; `None` without a revoked key.
    pub fn content(&self) -> Option<Vec<u8>> {
        match self {
            Self::None => None,
            Self::Keys(keys) if keys.is_empty() => None,
            Self::Keys(keys) => Some(keys.iter().flat_map(|key| (key.text() + "\n").into_bytes()).collect()),
            Self::List(bytes) => Some(bytes.clone()),
            // ssh-keygen confirms no signature with a line that it cannot read, either
            Self::All(keys) => {
                Some([Self::Keys(keys.clone()).content().unwrap_or_default(), b"unread\n".into()].concat())
            }
        }
    }

    /// Whether no key counts, because a line cannot be read.
    pub(crate) fn has_all(&self) -> bool {
        matches!(self, Self::All(_))
    }

    /// Names the revoked keys: equal ones have the same id.
    pub(crate) fn id(&self) -> [u8; 32] {
        Sha256::digest(self.content().unwrap_or_default()).into()
    }

    /// What is revoked here and may not be in `now`, each as the end of "yatsu.trust.revoked loses".
    pub(crate) fn missing_from(&self, now: &Self) -> Vec<String> {
        match (self, now) {
            (Self::None, _) => Vec::new(),
            (Self::Keys(was) | Self::All(was), Self::Keys(is) | Self::All(is)) => {
                let is: HashSet<&PublicKey> = is.iter().collect();
                was.iter().filter(|key| !is.contains(key)).map(|key| format!("the key {}", key.fingerprint())).collect()
            }
            // the content of a list is unknown here, so a changed one may have lost any key
            (was, is) if was == is => Vec::new(),
            (Self::Keys(was) | Self::All(was), Self::None) => {
                was.iter().map(|key| format!("the key {}", key.fingerprint())).collect()
            }
            _ => vec!["keys, or may: it is no longer the same list; compare both with ssh-keygen -Q -l -f".to_owned()],
        }
    }
}

/// Reads every line that is neither blank nor a comment.
fn each_line<T>(bytes: &[u8], read: impl Fn(&str) -> Result<T, String>) -> (Vec<T>, Vec<BadLine>) {
    let (mut found, mut bad) = (Vec::new(), Vec::new());
    // an editor's mark of UTF-8 is part of no name
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let read = match std::str::from_utf8(line).map(|line| line.trim_matches([' ', '\t', '\r'])) {
            Ok(line) if line.is_empty() || line.starts_with('#') => continue,
            // a control character could make two lines of one when the line is written again
            Ok(line) if line.chars().any(|c| c.is_control() && c != '\t') => {
                Err("it has control characters".to_owned())
            }
            Ok(line) => read(line),
            Err(_) => Err("it is not UTF-8".to_owned()),
        };
        match read {
            Ok(one) => found.push(one),
            Err(why) => bad.push(BadLine { number: at + 1, why }),
        }
    }
    (found, bad)
}

/// One line: principals, options if any, type and key, and a comment.
fn judge(line: &str) -> Result<JudgeLine, String> {
    let (names, rest) = word(line);
    let principals = principals(names)?;
    let (first, after) = option_word(rest)?;
    let is_option = |text: &str| {
        let name = text.split(['=', ',']).next().unwrap_or_default().to_ascii_lowercase();
        ["cert-authority", "namespaces", "valid-after", "valid-before"].contains(&&*name)
    };
    let (options, kind, rest) = if is_option(first) {
        let (kind, rest) = word(after);
        (options(first)?, kind, rest)
    } else {
        (KeyOptions::default(), first, after)
    };
    let key = key(kind, rest)?;
    let written: Vec<&str> = [names].into_iter().chain(options.text.as_deref()).collect();
    let text = format!("{} {}", written.join(" "), key.text());
    let (is_authority, options) = (options.is_authority, options.text.unwrap_or_default());
    Ok(JudgeLine { principals, is_authority, key, options, text })
}

/// Whether a principal names a person or a pattern of persons: a name with `!` keeps others out, and one with a comma would
/// be read as several.
fn is_name(principal: &str) -> bool {
    !principal.is_empty() && !principal.starts_with('!') && !principal.contains(|c: char| c == ',' || c.is_control())
}

fn principals(names: &str) -> Result<Vec<String>, String> {
    if names.contains('"') {
        return Err("its principals are quoted: write them without quotes and spaces".to_owned());
    }
    // a reader takes such a name for another one
    if names.chars().any(|c| is_invisible(c) || is_bidi(c)) {
        return Err("a principal of it has characters that nobody sees".to_owned());
    }
    let principals: Vec<String> = names.split(',').map(str::to_owned).collect();
    if principals.iter().any(|name| name.trim_start_matches('!').is_empty()) {
        return Err("it has an empty principal".to_owned());
    }
    if principals.len() > MAX_PRINCIPALS || principals.iter().any(|name| name.len() > MAX_PRINCIPAL) {
        return Err(format!("it has more than {MAX_PRINCIPALS} principals, or one of more than {MAX_PRINCIPAL} bytes"));
    }
    Ok(principals)
}

#[derive(Default)]
struct KeyOptions {
    is_authority: bool,
    /// As written for `ssh-keygen`.
    text: Option<String>,
}

/// The options of a line, for example `cert-authority,valid-before="20270101"`.
fn options(text: &str) -> Result<KeyOptions, String> {
    let mut seen: Vec<String> = Vec::new();
    let mut written = Vec::new();
    for option in split_options(text) {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let name = name.to_ascii_lowercase();
        let quoted = value.map(|value| value.strip_prefix('"').and_then(|value| value.strip_suffix('"')));
        let refused = || format!("its option {} is not one that ssh-keygen reads", echo(option));
        written.push(match (&*name, quoted) {
            ("cert-authority", None) => name.clone(),
            ("namespaces", Some(Some(value))) if !value.is_empty() && !value.contains(['"', '\\']) => {
                format!("{name}=\"{value}\"")
            }
            ("valid-after" | "valid-before", Some(Some(value))) => {
                format!("{name}=\"{}\"", moment(value).ok_or_else(refused)?)
            }
            _ => return Err(refused()),
        });
        if seen.contains(&name) {
            return Err(format!("it has the option {name} twice"));
        }
        seen.push(name);
    }
    Ok(KeyOptions { is_authority: seen.iter().any(|name| name == "cert-authority"), text: Some(written.join(",")) })
}

/// A time of an option without its `Z`: every run of `ssh-keygen` has UTC, and versions before 9.1 do not know the letter.
fn moment(text: &str) -> Option<&str> {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    ([8, 12, 14].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// The options between commas that stand outside of quotes.
fn split_options(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut is_quoted) = (Vec::new(), 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

fn key(kind: &str, rest: &str) -> Result<PublicKey, String> {
    let (key, _comment) = word(rest);
    PublicKey::parse(kind, key).ok_or_else(|| {
        "it has no key of OpenSSH that may sign, for example `ann@example.org ssh-ed25519 AAAAC3Nz…`".to_owned()
    })
}

/// The first word, and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches([' ', '\t']);
    text.split_once([' ', '\t']).unwrap_or((text, ""))
}

/// The first word, in which quotes may hold spaces.
fn option_word(text: &str) -> Result<(&str, &str), String> {
    let text = text.trim_start_matches([' ', '\t']);
    let mut is_quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ' ' | '\t' if !is_quoted => return Ok((&text[..at], &text[at..])),
            _ => {}
        }
    }
    if is_quoted { Err("a quote in it is not closed".to_owned()) } else { Ok((text, "")) }
}
