//! A signature: a key's owner vouches for lines of the same ledger (formats.md, "A signature"). A line with a fault counts
//! for nothing, and is reported if a change adds it. Programs from before signatures keep the line and ignore it.

use super::fields::{Field, bad, compact, hash_value, plain_path, required, string, text, time, wrong_type};
use super::{LineHash, Timestamp};
use crate::text::base64;
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::path::RepoPath;
use serde::Serialize;

/// The value of `kind`.
pub(super) const KIND: &str = "signature";
/// The keys in the order in which they are written.
const KEYS: [&str; 6] = ["kind", "project", "home", "lines", "ts", "sig"];
/// Most lines that one signature covers.
pub const MAX_SIGNED_LINES: usize = 512;
/// Longest accepted `sig`, in bytes of its base64.
pub const MAX_SIGNATURE: usize = 16 << 10;
/// The text between the signed bytes and the base64 of the signature. No base64 has a quotation mark.
const SIG: &[u8] = b",\"sig\":\"";
/// The end of the line after the base64.
const END: &[u8] = b"\"}";

/// One signature with the readable parts of its line. The faults are in `wrong`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// `yatsu.trust.project` of the repository that it was made in.
    pub project: Option<String>,
    /// The directory of the ledger that it was made for.
    pub home: Option<RepoPath>,
    /// The hashes of the signed lines, sorted.
    pub lines: Vec<LineHash>,
    /// When it was made; `None` if the line has no valid time.
    pub ts: Option<Timestamp>,
    /// The base64 of the signature in OpenSSH's format.
    pub sig: String,
    /// Its faults, one sentence each. A signature with a fault never holds.
    pub wrong: Vec<String>,
}

impl Signature {
    /// The line without `sig`. A key signs these bytes and one LF.
    pub(crate) fn unsigned(&self) -> String {
        #[derive(Serialize)]
        struct Unsigned<'s> {
            kind: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            project: Option<&'s str>,
            home: String,
            lines: Vec<String>,
            ts: String,
        }
        compact(&Unsigned {
            kind: KIND,
            project: self.project.as_deref(),
            home: self.home.as_ref().map(home_text).unwrap_or_default(),
            lines: self.lines.iter().map(ToString::to_string).collect(),
            ts: self.ts.map(|ts| ts.to_string()).unwrap_or_default(),
        })
    }
}

/// The signature as a line, without its line end.
pub fn encode_signature(signature: &Signature) -> String {
    let unsigned = signature.unsigned();
    format!("{},\"sig\":\"{}\"}}", unsigned.strip_suffix('}').unwrap_or(&unsigned), signature.sig)
}

/// The bytes that the signature in `line` signs: the line without `,"sig":"…"`, then one LF. `None` if `sig` is not the
/// last member, or not plainly spelled.
pub(crate) fn signed_bytes(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    let body = line.strip_suffix(END)?;
    let (before, sig) = body.split_at(body.iter().rposition(|byte| *byte == b'"')? + 1);
    let unsigned = before.strip_suffix(SIG).filter(|_| base64::is_base64(sig))?;
    Some([unsigned, b"}\n"].concat())
}

/// The directory as `home` spells it: `.` for the top of the repository.
fn home_text(dir: &RepoPath) -> String {
    if dir.is_root() { ".".to_owned() } else { dir.to_string() }
}

/// The signature in `object`, a line of this kind with these bytes.
pub(super) fn read(object: &Json<'_>) -> Signature {
    let mut found = Signature::default();
    let mut wrong = Vec::new();
    fn part<T: Default>(wrong: &mut Vec<String>, read: Field<T>) -> T {
        read.unwrap_or_else(|bad| {
            wrong.push(bad.message);
            T::default()
        })
    }
    found.project = part(&mut wrong, text(object, "project"));
    found.home = part(&mut wrong, required(object, "home").and_then(|value| home(value)).map(Some));
    found.lines = part(&mut wrong, required(object, "lines").and_then(|value| signed_lines(value)));
    found.ts = part(&mut wrong, time(object, "ts").map(Some));
    found.sig = part(&mut wrong, required(object, "sig").and_then(|value| sig(value)));
    wrong.extend(wrong_keys(object));
    Signature { wrong, ..found }
}

fn home(value: &Json<'_>) -> Field<RepoPath> {
    if value.as_str() == Some(".") {
        return Ok(RepoPath::root());
    }
    let text = string("home", value)?;
    plain_path(text)
        .ok_or_else(|| bad("home", value, format!("\"home\" is no directory of a ledger: \"{}\"", echo(text))))
}

fn signed_lines(value: &Json<'_>) -> Field<Vec<LineHash>> {
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type("lines", "a list of hashes", value)) };
    let hashes: Vec<LineHash> =
        items.iter().map(|item| hash_value("lines", item).map(|hash| LineHash(hash.0))).collect::<Result<_, _>>()?;
    if hashes.is_empty() || hashes.len() > MAX_SIGNED_LINES {
        return Err(bad(
            "lines",
            value,
            format!("\"lines\" must have 1 to {MAX_SIGNED_LINES} hashes, not {}", hashes.len()),
        ));
    }
    if !hashes.is_sorted_by(|one, next| one < next) {
        return Err(bad("lines", value, "\"lines\" must be sorted, each hash once"));
    }
    Ok(hashes)
}

fn sig(value: &Json<'_>) -> Field<String> {
    let text = string("sig", value)?;
    if text.len() > MAX_SIGNATURE {
        return Err(bad("sig", value, format!("\"sig\" is {} bytes long; the limit is {MAX_SIGNATURE}", text.len())));
    }
    if !base64::is_base64(text.as_bytes()) {
        return Err(bad("sig", value, "\"sig\" must be the base64 of a signature by `ssh-keygen -Y sign`"));
    }
    Ok(text.to_owned())
}

/// The faults of the set of keys and of the place of `sig`.
fn wrong_keys(object: &Json<'_>) -> Vec<String> {
    let JsonValue::Object(members) = &object.value else { return Vec::new() };
    let unknown = members.iter().filter(|(key, _)| !KEYS.contains(&&**key));
    let mut wrong: Vec<String> =
        unknown.map(|(key, _)| format!("a signature has no \"{}\": {}", echo(key), KEYS.join(", "))).collect();
    if members.last().is_some_and(|(key, _)| key != "sig") {
        wrong.push("\"sig\" must be the last member of a signature".to_owned());
    }
    wrong
}
