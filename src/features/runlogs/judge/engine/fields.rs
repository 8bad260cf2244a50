//! Checks the fields of one event against its profile.

use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::LogEvent;
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::{
    COUNTS, EventSpec, FieldSpec, PHASE, PHASE_END, PHASE_START, Profile, major,
};
use crate::text::json::{Json, JsonValue};

/// The version field of `_index`, which every profile requires.
pub(super) const VERSION: &str = "schema_version";
/// The field of `_index` with the vocabulary.
pub(super) const TYPES: &str = "event_types";
/// The field of `_index` that repeats its time, in some profiles.
const STARTED_AT: &str = "started_at";

/// Checks the fields of an event other than `_index`.
pub(super) fn of_event(spec: &EventSpec, event: &LogEvent<'_>, profile: &Profile, found: &mut Vec<Violation>) {
    let is_marker = !profile.phases.is_empty() && [PHASE_START, PHASE_END].contains(&spec.name.as_str());
    // a wrong phase in a marker is a violation of its own
    for field in spec.fields.iter().filter(|field| !(is_marker && field.name == PHASE)) {
        found.extend(wrong(&field.name, field, event.get(&field.name), event));
    }
    if spec.name == PHASE_END {
        counts(event, profile, found);
    }
}

/// Checks the counts at the end of a phase, if it has any; they may be absent.
fn counts(event: &LogEvent<'_>, profile: &Profile, found: &mut Vec<Violation>) {
    let Some(counts) = event.get(COUNTS) else { return };
    let number = event.get(PHASE).and_then(Json::number);
    let phase = number.and_then(|number| profile.phase(number));
    for field in phase.map_or(&[][..], |phase| &phase.counts) {
        found.extend(wrong(&format!("{COUNTS}.{}", field.name), field, counts.get(&field.name), event));
    }
}

/// Checks the fields of `_index`.
pub(super) fn of_index(spec: &EventSpec, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
    for field in spec.fields.iter().filter(|field| field.name != VERSION && field.name != TYPES) {
        let violation = wrong(&field.name, field, event.get(&field.name), event);
        found.extend(violation.map(|violation| Violation { code: LogCode::IndexField, ..violation }));
    }
    let mut wrong = |field: &str, message: &str| {
        let offset = event.get(field).map(|value| value.offset);
        let violation = event.wrong(LogCode::IndexField, offset, format!("`{field}` {message}"));
        found.push(Violation { detail: field.to_owned(), ..violation });
    };
    match event.get(VERSION).map(Json::as_str) {
        None => wrong(VERSION, "is missing"),
        Some(None) => wrong(VERSION, "must be a string"),
        Some(Some(text)) if major(text).is_none() => wrong(VERSION, "must begin with a number, as 1.2.0 does"),
        Some(Some(_)) => {}
    }
    match event.get(TYPES).map(words) {
        None => wrong(TYPES, "is missing"),
        Some(None) => wrong(TYPES, "must be a list of names, at least one and none of them empty"),
        Some(Some(_)) => {}
    }
    let is_asked = spec.fields.iter().any(|field| field.name == STARTED_AT);
    if is_asked && event.get(STARTED_AT).is_some() && !is_same_time(event) {
        wrong(STARTED_AT, "must be the ts of the same line");
    }
}

fn is_same_time(event: &LogEvent<'_>) -> bool {
    let [started, ts] = [STARTED_AT, "ts"].map(|field| event.text_of(field));
    let moment = |text: Option<&str>| text.and_then(Moment::parse);
    started == ts || moment(started).is_some() && moment(started) == moment(ts)
}

/// The names in a list; `None` if it is empty, is no list, or holds an empty name.
pub(super) fn words<'j>(value: &'j Json<'_>) -> Option<Vec<&'j str>> {
    let JsonValue::Array(items) = &value.value else { return None };
    items.iter().map(Json::as_str).collect::<Option<Vec<_>>>().filter(|words| !words.is_empty() && !words.contains(&""))
}

/// The violation of a field with this value; `named` is its name in the message.
fn wrong(named: &str, field: &FieldSpec, value: Option<&Json<'_>>, event: &LogEvent<'_>) -> Option<Violation> {
    let fault = field.fault(value)?;
    let violation = event.wrong(LogCode::BadField, fault.offset, format!("`{named}` {}", fault.message));
    Some(Violation { detail: named.to_owned(), ..violation })
}
