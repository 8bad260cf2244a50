//! The kinds of events, and how a line's kind is recognised. A new kind needs its own file, a variant of [`Event`] and a
//! row of [`KINDS`]. Reading, writing, the keys in the documents and the message for a line without a kind all follow from
//! the row. A signature has no row: it is told by its `kind`, as the lines of other programs are, so that programs that do not
//! know signatures keep it.

use super::Timestamp;
use super::decision::{self, Decision, encode_decision};
use super::fields::{BadField, Field, wrong_type};
use super::reading::{self, Reading, encode_reading};
use super::redacted::Redacted;
use super::redaction::{self, Redaction, encode_redaction};
use super::retraction::{self, Retraction, encode_retraction};
use super::signature::{self, Signature, encode_signature};
use crate::text::json::{self, Json};
use std::rc::Rc;

/// A kind of event.
#[derive(Debug)]
pub struct EventKind {
    /// Its name in messages and documents, with its article.
    pub name: &'static str,
    /// A line is of the first kind in [`KINDS`] with a string under one of these keys.
    pub told_by: &'static [&'static str],
    read: fn(&Json<'_>) -> Field<Event>,
}

/// Every kind, in the order of matching. A line may have the keys of several kinds. With another order, older and newer
/// programs would read different events from the same bytes.
pub static KINDS: [EventKind; 4] = [
    EventKind {
        name: "a retraction",
        told_by: &["retracts"],
        read: |object| retraction::read(object).map(|retraction| Event::Retraction(Box::new(retraction))),
    },
    EventKind {
        name: "a reading",
        told_by: &["codeSha", "evaluator"],
        read: |object| reading::read(object).map(|reading| Event::Reading(Rc::new(reading))),
    },
    EventKind {
        name: "a redaction",
        told_by: &["redacts"],
        read: |object| redaction::read(object).map(|redaction| Event::Redaction(Box::new(redaction))),
    },
    EventKind {
        name: "a decision",
        told_by: &["decision"],
        // a `kind` of other programs goes first, because they match it without knowing decisions
        read: |object| match foreign(object) {
            Some(event) => Ok(event),
            None => decision::read(object).map(|decision| Event::Decision(Box::new(decision))),
        },
    },
];

/// Kinds of lines that other readers of this format write; this program only keeps them.
const FOREIGN_KINDS: [&str; 1] = ["human-ok"];

/// One event of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A measurement of a scenario.
    Reading(Rc<Reading>),
    /// The withdrawal of a reading of the same ledger.
    Retraction(Box<Retraction>),
    /// The replacement of a line with words that had to go.
    Redaction(Box<Redaction>),
    /// A conclusion about a goal, a patch or a budget.
    Decision(Box<Decision>),
    /// The signature of a key over other lines.
    Signature(Box<Signature>),
    /// A known kind of other tools: kept and ignored.
    Other,
    /// An unknown kind, by its name: kept and ignored, because an older program must not block a newer repository.
    Unknown(String),
}

impl Event {
    /// The reading that it is; `None` for every other kind.
    pub(crate) fn reading(&self) -> Option<&Reading> {
        if let Self::Reading(reading) = self { Some(reading) } else { None }
    }

    /// The reading that it is, or the attempt at one: what names evidence.
    pub(crate) fn naming(&self) -> Option<&Reading> {
        match self {
            Self::Decision(decision) => decision.attempt().map(|(attempt, _)| attempt),
            event => event.reading(),
        }
    }

    /// Its scenario; `None` for kinds that are only kept.
    pub(crate) fn scenario(&self) -> Option<&str> {
        match self {
            Self::Reading(reading) => Some(&reading.scenario),
            Self::Retraction(retraction) => Some(&retraction.scenario),
            Self::Redaction(redaction) => Some(&redaction.scenario),
            Self::Decision(decision) => decision.scenario.as_deref(),
            Self::Signature(_) | Self::Other | Self::Unknown(_) => None,
        }
    }

    /// When it was filed; `None` for kinds that are only kept.
    pub fn ts(&self) -> Option<Timestamp> {
        match self {
            Self::Reading(reading) => Some(reading.ts),
            Self::Retraction(retraction) => Some(retraction.ts),
            Self::Redaction(redaction) => Some(redaction.ts),
            Self::Decision(decision) => decision.ts,
            Self::Signature(signature) => signature.ts,
            Self::Other | Self::Unknown(_) => None,
        }
    }

    /// The line that it replaces, if any.
    pub(crate) fn redacted(&self) -> Option<&Redacted> {
        match self {
            Self::Redaction(redaction) => Some(&redaction.redacted),
            Self::Retraction(retraction) => retraction.redacted.as_ref(),
            Self::Reading(_) | Self::Decision(_) | Self::Signature(_) | Self::Other | Self::Unknown(_) => None,
        }
    }

    /// Its line without the line end; `None` for kinds that are only kept, because this program never writes them.
    pub(crate) fn encode(&self) -> Option<String> {
        match self {
            Self::Reading(reading) => Some(encode_reading(reading)),
            Self::Retraction(retraction) => Some(encode_retraction(retraction)),
            Self::Redaction(redaction) => Some(encode_redaction(redaction)),
            Self::Decision(decision) => Some(encode_decision(decision)),
            Self::Signature(signature) => Some(encode_signature(signature)),
            Self::Other | Self::Unknown(_) => None,
        }
    }
}

/// The event in `object`, or its first invalid field.
pub(super) fn event(object: &Json<'_>) -> Field<Event> {
    let is_string = |key: &&str| object.get(key).is_some_and(|value| value.as_str().is_some());
    if let Some(kind) = KINDS.iter().find(|kind| kind.told_by.iter().any(is_string)) {
        return (kind.read)(object);
    }
    foreign(object).ok_or_else(|| no_event(object))
}

/// A kind of other programs, or of later versions.
fn foreign(object: &Json<'_>) -> Option<Event> {
    let kind = object.get("kind").and_then(Json::as_str)?;
    if kind == signature::KIND {
        return Some(Event::Signature(Box::new(signature::read(object))));
    }
    Some(if FOREIGN_KINDS.contains(&kind) { Event::Other } else { Event::Unknown(kind.to_owned()) })
}

/// Whether the line of another kind also has the key of a decision. Programs that know different kinds would read it
/// differently.
pub fn is_also_decision(event: &Event, line: &[u8]) -> bool {
    let is_string = |object: &Json<'_>| object.get("decision").is_some_and(|value| value.as_str().is_some());
    !matches!(event, Event::Decision(_)) && is_also(line, "\"decision\"", is_string)
}

/// Whether the line of another kind is also a signature.
pub fn is_also_signature(event: &Event, line: &[u8]) -> bool {
    let is_kind = |object: &Json<'_>| object.get("kind").and_then(Json::as_str) == Some(signature::KIND);
    !matches!(event, Event::Signature(_)) && is_also(line, "\"kind\"", is_kind)
}

/// Whether the object in `line` is one of these; `mark` stands in each of them, so that most lines are not parsed again.
fn is_also(line: &[u8], mark: &str, is_one: impl Fn(&Json<'_>) -> bool) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default();
    text.contains(mark) && json::parse(text).is_ok_and(|object| is_one(&object))
}

/// The fault of an object without a known kind: one of the keys of a kind is not a string, or there is no such key.
fn no_event(object: &Json<'_>) -> BadField {
    let telling = KINDS.iter().flat_map(|kind| kind.told_by).copied().chain(["kind"]);
    let found = telling.filter_map(|key| Some((key, object.get(key)?))).next();
    if let Some((key, value)) = found {
        return wrong_type(key, "a string", value);
    }
    let has = |kind: &EventKind| {
        let keys: Vec<String> = kind.told_by.iter().map(|key| format!("\"{key}\"")).collect();
        format!("{} has {}", kind.name, keys.join(" or "))
    };
    let kinds = KINDS.iter().map(has).collect::<Vec<_>>().join(", ");
    let message = format!("this object is no event: {kinds}, anything else has \"kind\"");
    BadField { kind: "no-event", offset: object.offset, message }
}
