//! Reads and writes single fields, for every kind of event. Input: a field of a JSON object. Output: its value, or the
//! fault.

use super::{EvidenceHash, Timestamp};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::path::RepoPath;
use serde::Serialize;

#[derive(Debug)]
pub(super) struct BadField {
    /// The violation's stable name.
    pub(super) kind: &'static str,
    /// Byte offset in the line.
    pub(super) offset: usize,
    pub(super) message: String,
}

pub(super) type Field<T> = Result<T, BadField>;

pub(super) fn scenario(object: &Json<'_>) -> Field<String> {
    let value = required(object, "scenario")?;
    let name = string("scenario", value)?;
    if name.trim().is_empty() {
        return Err(bad("blank", value, "\"scenario\" is blank; it must name a scenario"));
    }
    Ok(name.to_owned())
}

pub(super) fn time(object: &Json<'_>, key: &'static str) -> Field<Timestamp> {
    let value = required(object, key)?;
    let text = string(key, value)?;
    Timestamp::parse(text).ok_or_else(|| {
        let what = format!("\"{key}\" must be a time of the form 2026-01-31T09:30:00.000Z, not \"{}\"", echo(text));
        bad("time", value, what)
    })
}

pub(super) fn hash(object: &Json<'_>, key: &'static str) -> Field<Option<EvidenceHash>> {
    present(object, key).map(|value| hash_value(key, value)).transpose()
}

/// Validated here, before any path is built from it.
pub(super) fn hash_value(key: &str, value: &Json<'_>) -> Field<EvidenceHash> {
    let text = string(key, value)?;
    EvidenceHash::from_hex(text.as_bytes()).ok_or_else(|| {
        let what =
            format!("\"{key}\" must be a sha256, 64 lower-case hex digits and nothing else, not \"{}\"", echo(text));
        bad("hash", value, what)
    })
}

pub(super) fn text(object: &Json<'_>, key: &'static str) -> Field<Option<String>> {
    present(object, key).map(|value| string(key, value).map(str::to_owned)).transpose()
}

pub(super) fn string<'j>(key: &str, value: &'j Json<'_>) -> Field<&'j str> {
    value.as_str().ok_or_else(|| wrong_type(key, "a string", value))
}

/// The value of an optional field. `null` counts as absent, because existing ledgers use it so.
pub(super) fn present<'j, 't>(object: &'j Json<'t>, key: &str) -> Option<&'j Json<'t>> {
    object.get(key).filter(|value| value.value != JsonValue::Null)
}

/// The path that `text` spells plainly: not `./a`, not `a//b`.
pub(super) fn plain_path(text: &str) -> Option<RepoPath> {
    RepoPath::parse(text.as_bytes()).ok().filter(|path| *path.as_bstr() == *text && !path.is_root())
}

pub(super) fn required<'j, 't>(object: &'j Json<'t>, key: &'static str) -> Field<&'j Json<'t>> {
    object.get(key).ok_or_else(|| missing(key, object))
}

pub(super) fn missing(key: &str, object: &Json<'_>) -> BadField {
    bad("missing-field", object, format!("\"{key}\" is missing"))
}

pub(super) fn wrong_type(key: &str, expected: &str, value: &Json<'_>) -> BadField {
    bad("type", value, format!("\"{key}\" must be {expected}, not {}", value.found()))
}

pub(super) fn bad(kind: &'static str, at: &Json<'_>, message: impl Into<String>) -> BadField {
    BadField { kind, offset: at.offset, message: message.into() }
}

/// Structs of strings always serialise.
pub(super) fn compact(line: &impl Serialize) -> String {
    serde_json::to_string(line).unwrap_or_default()
}

/// The path as text of a line; `None` if a line cannot spell it.
pub(super) fn spelling(path: &RepoPath) -> Option<&str> {
    let text = std::str::from_utf8(path.as_bstr()).ok()?;
    RepoPath::parse(text.as_bytes()).is_ok_and(|read| read == *path).then_some(text)
}
