//! The fields of one event: a JSON object in, an [`Event`] or the first wrong field out.

use super::{
    Event, Evidence, EvidenceHash, EvidenceKind, LineHash, Reading, ReadingVerdict, Redacted, Redaction, Retraction,
    Stamped, Status, Timestamp,
};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// Kinds of lines that other readers of this format write and this one only keeps.
const FOREIGN_KINDS: [&str; 1] = ["human-ok"];

/// A field that is not what the format says.
#[derive(Debug)]
pub(super) struct BadField {
    /// The violation's stable name.
    pub(super) kind: &'static str,
    /// Byte offset in the line.
    pub(super) offset: usize,
    /// What is wrong.
    pub(super) message: String,
}

type Field<T> = Result<T, BadField>;

/// The event that `object` is. Kinds are told apart positively, in the order of formats.md.
pub(super) fn event(object: &Json<'_>) -> Field<Event> {
    let is_string = |key| object.get(key).is_some_and(|value| value.as_str().is_some());
    if is_string("retracts") {
        return retraction(object).map(Event::Retraction);
    }
    if is_string("codeSha") || is_string("evaluator") {
        return reading(object).map(|reading| Event::Reading(Box::new(reading)));
    }
    if is_string("redacts") {
        return redaction(object).map(Event::Redaction);
    }
    match object.get("kind").and_then(Json::as_str) {
        Some(kind) if FOREIGN_KINDS.contains(&kind) => return Ok(Event::Other),
        Some(kind) => return Ok(Event::Unknown(kind.to_owned())),
        None => {}
    }
    for key in ["retracts", "codeSha", "evaluator", "redacts", "kind"] {
        if let Some(value) = object.get(key) {
            return Err(wrong_type(key, "a string", value));
        }
    }
    let message = "this object is no event: a reading has \"codeSha\" or \"evaluator\", a retraction has \"retracts\", \
                   a redaction has \"redacts\", anything else has \"kind\"";
    Err(BadField { kind: "no-event", offset: object.offset, message: message.into() })
}

fn retraction(object: &Json<'_>) -> Field<Retraction> {
    Ok(Retraction {
        scenario: scenario(object)?,
        retracts: time(object, "retracts")?,
        note: text(object, "note")?,
        by: text(object, "by")?,
        ts: time(object, "ts")?,
        redacted: present(object, "redacts").map(|line| redacted(object, line)).transpose()?,
    })
}

fn redaction(object: &Json<'_>) -> Field<Redaction> {
    Ok(Redaction {
        redacted: redacted(object, required(object, "redacts")?)?,
        scenario: scenario(object)?,
        ts: time(object, "ts")?,
        by: text(object, "by")?,
    })
}

/// The line that is replaced, and why.
fn redacted(object: &Json<'_>, line: &Json<'_>) -> Field<Redacted> {
    let reason = required(object, "reason")?;
    let text = string("reason", reason)?;
    if text.trim().is_empty() {
        return Err(bad("blank", reason, "\"reason\" is blank; it must say why the line had to go"));
    }
    Ok(Redacted { line: LineHash(hash_value("redacts", line)?.0), reason: text.to_owned() })
}

fn reading(object: &Json<'_>) -> Field<Reading> {
    let (verdict, note) = verdict(object)?;
    Ok(Reading {
        scenario: scenario(object)?,
        code_sha: code_sha(object)?,
        scenario_hash: hash(object, "scenarioHash")?,
        evidence: evidence(object)?,
        timeline: hash(object, "timelineBlob")?,
        evaluator: evaluator(object)?,
        governed: governed(object)?,
        dirty: dirty(object)?,
        by: text(object, "by")?,
        verdict,
        note,
        ts: time(object, "ts")?,
    })
}

fn scenario(object: &Json<'_>) -> Field<String> {
    let value = required(object, "scenario")?;
    let name = string("scenario", value)?;
    if name.trim().is_empty() {
        return Err(bad("blank", value, "\"scenario\" is blank; it must name a scenario"));
    }
    Ok(name.to_owned())
}

fn time(object: &Json<'_>, key: &'static str) -> Field<Timestamp> {
    let value = required(object, key)?;
    let text = string(key, value)?;
    Timestamp::parse(text).ok_or_else(|| {
        let what = format!("\"{key}\" must be a time of the form 2026-01-31T09:30:00.000Z, not \"{}\"", echo(text));
        bad("time", value, what)
    })
}

fn code_sha(object: &Json<'_>) -> Field<Option<Oid>> {
    let Some(value) = object.get("codeSha") else { return Ok(None) };
    let text = string("codeSha", value)?;
    let id = Oid::from_hex(text.as_bytes()).ok_or_else(|| {
        let what =
            format!("\"codeSha\" must be a full commit id, 40 or 64 lower-case hex digits, not \"{}\"", echo(text));
        bad("commit-id", value, what)
    })?;
    Ok(Some(id))
}

fn hash(object: &Json<'_>, key: &'static str) -> Field<Option<EvidenceHash>> {
    present(object, key).map(|value| hash_value(key, value)).transpose()
}

/// Checked here, before any path is built of it.
fn hash_value(key: &str, value: &Json<'_>) -> Field<EvidenceHash> {
    let text = string(key, value)?;
    EvidenceHash::from_hex(text.as_bytes()).ok_or_else(|| {
        let what =
            format!("\"{key}\" must be a sha256, 64 lower-case hex digits and nothing else, not \"{}\"", echo(text));
        bad("hash", value, what)
    })
}

/// A non-empty `evidence` list wins over the scalar `blob`; what does not count must be well-formed all the same.
fn evidence(object: &Json<'_>) -> Field<Vec<Evidence>> {
    let kind = kind(object, "blobKind")?.unwrap_or(EvidenceKind::Image);
    let blob = hash(object, "blob")?.map(|hash| Evidence { hash, kind });
    let Some(list) = present(object, "evidence") else { return Ok(blob.into_iter().collect()) };
    let JsonValue::Array(items) = &list.value else { return Err(wrong_type("evidence", "a list", list)) };
    if items.is_empty() {
        return Ok(blob.into_iter().collect());
    }
    items.iter().map(evidence_item).collect()
}

fn evidence_item(item: &Json<'_>) -> Field<Evidence> {
    if !matches!(item.value, JsonValue::Object(_)) {
        return Err(wrong_type("evidence", "a list of objects with \"hash\" and \"kind\"", item));
    }
    let hash = hash_value("hash", required(item, "hash")?)?;
    let kind = kind(item, "kind")?.ok_or_else(|| missing("kind", item))?;
    Ok(Evidence { hash, kind })
}

fn kind(object: &Json<'_>, key: &'static str) -> Field<Option<EvidenceKind>> {
    let Some(value) = present(object, key) else { return Ok(None) };
    let text = string(key, value)?;
    let kind = EvidenceKind::parse(text).ok_or_else(|| {
        let what = format!("\"{key}\" must be image, transcript, video or data, not \"{}\"", echo(text));
        bad("evidence-kind", value, what)
    })?;
    Ok(Some(kind))
}

fn evaluator(object: &Json<'_>) -> Field<Option<String>> {
    let Some(value) = present(object, "evaluator") else { return Ok(None) };
    let text = string("evaluator", value)?;
    let well_formed = text
        .split_once('@')
        .is_some_and(|(name, version)| !name.trim().is_empty() && !version.trim().is_empty() && !version.contains('@'));
    if !well_formed {
        let what = format!("\"evaluator\" must be name@version, not \"{}\"", echo(text));
        return Err(bad("evaluator", value, what));
    }
    Ok(Some(text.to_owned()))
}

fn governed(object: &Json<'_>) -> Field<Option<BTreeMap<RepoPath, Stamped>>> {
    let Some(value) = present(object, "governed") else { return Ok(None) };
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type("governed", "an object", value)) };
    let stamp = members.iter().map(|(path, id)| Ok((stamped_path(path, id)?, stamped(id)?)));
    stamp.collect::<Field<_>>().map(Some)
}

fn stamped_path(text: &str, value: &Json<'_>) -> Field<RepoPath> {
    let path = RepoPath::parse(text.as_bytes()).ok().filter(|path| *path.as_bstr() == *text);
    path.ok_or_else(|| {
        let what = format!("\"{}\" in \"governed\" is not a plain path of this repository", echo(text));
        bad("stamp-path", value, what)
    })
}

fn stamped(value: &Json<'_>) -> Field<Stamped> {
    let text = string("governed", value)?;
    Stamped::parse(text).ok_or_else(|| {
        let what = format!(
            "a \"governed\" id must be a full object id, with x:, l: or m: before it, or -; not \"{}\"",
            echo(text)
        );
        bad("stamp-id", value, what)
    })
}

fn dirty(object: &Json<'_>) -> Field<bool> {
    match present(object, "dirty") {
        None => Ok(false),
        Some(Json { value: JsonValue::Bool(dirty), .. }) => Ok(*dirty),
        Some(value) => Err(wrong_type("dirty", "true or false", value)),
    }
}

/// No verdict at all is a generation of its own; a verdict that is there must say one of the known words.
fn verdict(object: &Json<'_>) -> Field<(ReadingVerdict, Option<String>)> {
    let Some(verdict) = object.get("verdict") else { return Ok((ReadingVerdict::Legacy, None)) };
    if !matches!(verdict.value, JsonValue::Object(_)) {
        return Err(wrong_type("verdict", "an object with \"status\"", verdict));
    }
    let status = required(verdict, "status")?;
    let word = string("status", status)?;
    let value = match word {
        "pass" => ReadingVerdict::Measured(Status::Pass),
        "fail" => ReadingVerdict::Measured(Status::Fail),
        "note" => ReadingVerdict::Legacy,
        _ => return Err(bad("status", status, format!("\"status\" must be pass or fail, not \"{}\"", echo(word)))),
    };
    Ok((value, text(verdict, "note")?))
}

fn text(object: &Json<'_>, key: &'static str) -> Field<Option<String>> {
    present(object, key).map(|value| string(key, value).map(str::to_owned)).transpose()
}

fn string<'j>(key: &str, value: &'j Json<'_>) -> Field<&'j str> {
    value.as_str().ok_or_else(|| wrong_type(key, "a string", value))
}

/// An optional field that is there; `null` is the spelling of absence that exists in the wild.
fn present<'j, 't>(object: &'j Json<'t>, key: &str) -> Option<&'j Json<'t>> {
    object.get(key).filter(|value| value.value != JsonValue::Null)
}

fn required<'j, 't>(object: &'j Json<'t>, key: &'static str) -> Field<&'j Json<'t>> {
    object.get(key).ok_or_else(|| missing(key, object))
}

fn missing(key: &str, object: &Json<'_>) -> BadField {
    bad("missing-field", object, format!("\"{key}\" is missing"))
}

fn wrong_type(key: &str, expected: &str, value: &Json<'_>) -> BadField {
    bad("type", value, format!("\"{key}\" must be {expected}, not {}", value.type_name()))
}

fn bad(kind: &'static str, at: &Json<'_>, message: impl Into<String>) -> BadField {
    BadField { kind, offset: at.offset, message: message.into() }
}
