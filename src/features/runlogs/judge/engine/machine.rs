//! The judge of a log as a state machine, fed one event after the other. Its state has the size of the profile and of the
//! vocabulary, which is limited; it does not grow with the log.

use super::phases::{self, PhaseRun};
use super::{Run, RunEnd, Watch, fields};
use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::{LogEvent, of_line};
use crate::features::runlogs::model::line::LogLine;
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::{
    EventSpec, FieldSpec, FieldType, INDEX, LogPosition, PHASE_END, PHASE_REOPENED, PHASE_START, Profile, TYPES_ADDED,
    major,
};
use crate::finding::Level;
use crate::text::escape::echo;
use crate::text::json::Json;
use std::collections::HashSet;

/// The maximum number of bytes of all names that a log may declare.
const MAX_VOCABULARY: usize = 4 << 20;

pub(super) struct Machine<'p> {
    profile: &'p Profile,
    /// The state of the run so far.
    pub(super) run: Run,
    /// Whether `_index` was seen.
    indexed: bool,
    /// The declared names; `None` without a readable declaration.
    vocabulary: Option<Vocabulary>,
    /// Whether the start of the run was seen.
    started: bool,
    /// The time of the last event with a time, and its spelling.
    last: Option<(Moment, String)>,
    /// The events seen that may occur once, or once in a phase: their index in the profile, and the index of the phase.
    seen: HashSet<(usize, Option<usize>)>,
    /// The exclusions seen: the index of the excluding event in the profile, and which of its two sides was seen.
    exclusive: HashSet<(usize, bool)>,
}

/// The names that a log declares.
#[derive(Default)]
struct Vocabulary {
    names: HashSet<String>,
    bytes: usize,
}

impl<'p> Machine<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        Self {
            profile,
            run: Run { phases: PhaseRun::all(profile), ..Run::default() },
            indexed: false,
            vocabulary: None,
            started: false,
            last: None,
            seen: HashSet::new(),
            exclusive: HashSet::new(),
        }
    }

    pub(super) fn told(&mut self, watch: &mut dyn Watch, line: Option<&LogLine<'_>>, violation: Violation) {
        self.run.errors += u64::from(violation.code.at_most().is_none_or(|level| level == Level::Error));
        watch.violation(violation, line);
    }

    pub(super) fn event(&mut self, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        let now = self.time(event, found);
        let Some(name) = event.name() else {
            let value = event.get("event");
            let message = if value.is_some() { "\"event\" must be a string" } else { "the line has no \"event\"" };
            found.push(event.wrong(LogCode::MissingEvent, value.map(|value| value.offset), message));
            return;
        };
        if name == INDEX {
            return self.index(event, found);
        }
        self.declared(name, event, found);
        self.run_start(name, event, found);
        self.after_end(name, event, found);
        let profile = self.profile;
        if let Some((at, spec)) = profile.events.iter().enumerate().find(|(_, spec)| spec.name == name) {
            fields::of_event(spec, event, profile, found);
            self.only_once(at, spec, event, found);
        }
        self.exclusions(name, event, found);
        if name == TYPES_ADDED {
            self.widen(event, found);
        }
        self.marker(name, now, event, found);
        self.run_end(name, event, found);
    }

    /// Judges the conditions that only the end of the log can show.
    pub(super) fn end(&mut self, lines: u32, found: &mut Vec<Violation>) {
        if let (false, Some(start)) = (self.started, self.profile.at(LogPosition::Second)) {
            let message = format!("the run has no `{}`", start.name);
            found.push(of_line(LogCode::RunStartMissing, lines.min(2), message));
        }
    }

    fn time(&mut self, event: &LogEvent<'_>, found: &mut Vec<Violation>) -> Option<Moment> {
        let Some(value) = event.get("ts") else {
            found.push(event.wrong(LogCode::MissingTs, None, "the line has no \"ts\""));
            return None;
        };
        let text = value.as_str().unwrap_or_default();
        let Some(now) = Moment::parse(text) else {
            let message = match value.as_str() {
                None => format!("\"ts\" must be a string, not {}", value.type_name()),
                Some(text) => format!("\"ts\" must be a time in UTC as 2026-05-15T14:32:01Z, not \"{}\"", echo(text)),
            };
            found.push(event.wrong(LogCode::BadTs, Some(value.offset), message));
            return None;
        };
        if let Some((_, before)) = self.last.as_ref().filter(|(last, _)| now < *last) {
            let message = format!("the time runs back, from {before} to {text}");
            found.push(event.wrong(LogCode::TsRegression, Some(value.offset), message));
        }
        self.run.first = self.run.first.or(Some(now));
        self.run.last = Some(now);
        self.last = Some((now, text.to_owned()));
        Some(now)
    }

    fn index(&mut self, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        if std::mem::replace(&mut self.indexed, true) {
            found.push(event.wrong(LogCode::IndexDuplicate, None, format!("a second `{INDEX}`")));
            return self.after_end(INDEX, event, found);
        }
        let version = event.text_of(fields::VERSION);
        if version.and_then(major) > self.profile.major() {
            self.run.newer = true;
            let ours = &self.profile.schema_version;
            let message = format!("its format is {}; this program knows {ours}", echo(version.unwrap_or_default()));
            found.push(event.wrong(LogCode::SchemaNewer, None, message));
            return;
        }
        if let Some(spec) = self.profile.event(INDEX) {
            fields::of_index(spec, event, found);
        }
        if let Some(words) = event.get(fields::TYPES).and_then(fields::words) {
            let mut vocabulary = Vocabulary::default();
            vocabulary.add(&words);
            self.vocabulary = Some(vocabulary);
        }
        self.after_end(INDEX, event, found);
    }

    fn declared(&self, name: &str, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        let Some(vocabulary) = &self.vocabulary else { return };
        if name != TYPES_ADDED && !vocabulary.names.contains(name) {
            let message = format!("`{}` is not in event_types", echo(name));
            let offset = event.get("event").map(|value| value.offset);
            found.push(event.wrong(LogCode::UndeclaredEvent, offset, message));
        }
    }

    fn widen(&mut self, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        let types = event.get("types");
        let words = types.and_then(fields::words);
        let fits = words.as_ref().is_some_and(|words| match &mut self.vocabulary {
            Some(vocabulary) => vocabulary.add(words),
            None => true,
        });
        if !fits {
            let message = match words {
                None => "types must be a list of names, at least one and none of them empty".to_owned(),
                Some(_) => format!("types: a log may declare no more than {MAX_VOCABULARY} bytes of names"),
            };
            let violation = event.wrong(LogCode::BadField, types.map(|types| types.offset), message);
            found.push(Violation { detail: "types".into(), ..violation });
        }
    }

    fn run_start(&mut self, name: &str, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        if self.profile.at(LogPosition::Second).is_none_or(|start| start.name != name) {
            return;
        }
        if std::mem::replace(&mut self.started, true) {
            found.push(event.wrong(LogCode::RunStartDuplicate, None, format!("a second `{name}`")));
        } else if event.place != 1 {
            found.push(event.wrong(LogCode::RunStartPosition, None, format!("`{name}` must be the second line")));
        }
    }

    fn after_end(&self, name: &str, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        let is_end = || self.profile.at(LogPosition::Last).is_some_and(|end| end.name == name);
        if let Some(end) = self.run.ended.as_ref().filter(|_| !is_end()) {
            let message = format!("`{}` after the run ended in line {}", echo(name), end.line);
            found.push(event.wrong(LogCode::AfterRunEnd, None, message));
        }
    }

    /// Events that may occur once, except start, end and phase markers, which have codes of their own.
    fn only_once(&mut self, at: usize, spec: &EventSpec, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        let is_marker = [PHASE_START, PHASE_END].contains(&spec.name.as_str()) && !self.profile.phases.is_empty();
        if spec.position.is_some() || is_marker {
            return;
        }
        let phase = match spec.per_phase {
            true => phases::marked(&self.run.phases, event, found),
            false => None,
        };
        if (spec.once || phase.is_some()) && !self.seen.insert((at, phase)) {
            let again = if phase.is_some() { " in this phase" } else { "" };
            found.push(event.wrong(LogCode::DuplicateEvent, None, format!("a second `{}`{again}", spec.name)));
        }
    }

    fn exclusions(&mut self, name: &str, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        for (at, spec) in self.profile.events.iter().enumerate() {
            let Some(excluded) = &spec.excludes else { continue };
            let is_excluded = excluded.event == name && event.text_of(&excluded.field) == Some(&excluded.value);
            let is_excluding = spec.name == name;
            if !is_excluded && !is_excluding {
                continue;
            }
            self.exclusive.insert((at, is_excluded));
            if self.exclusive.contains(&(at, !is_excluded)) {
                let message =
                    format!("`{}` and `{}` {} exclude each other", spec.name, excluded.event, echo(&excluded.value));
                found.push(event.wrong(LogCode::ExcludedEvent, None, message));
            }
        }
    }

    fn marker(&mut self, name: &str, now: Option<Moment>, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        if self.profile.phases.is_empty() || ![PHASE_START, PHASE_END, PHASE_REOPENED].contains(&name) {
            return;
        }
        if name == PHASE_REOPENED {
            let reason = FieldSpec { required: true, ..FieldSpec::plain("reason", FieldType::Text) };
            if let Some(fault) = reason.fault(event.get("reason")) {
                let violation = event.wrong(LogCode::BadField, fault.offset, format!("`reason` {}", fault.message));
                found.push(Violation { detail: "reason".into(), ..violation });
            }
        }
        let phases = &mut self.run.phases;
        let Some(at) = phases::marked(phases, event, found) else { return };
        match name {
            PHASE_START => {
                phases::start(phases, at, event, found);
                phases[at].started = now.or(phases[at].started);
            }
            PHASE_END => {
                phases::end(&mut phases[at], event, found);
                phases[at].ended = now.or(phases[at].ended);
            }
            _ => phases::reopen(&mut phases[at], event, found),
        }
    }

    fn run_end(&mut self, name: &str, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
        if self.profile.at(LogPosition::Last).is_none_or(|end| end.name != name) {
            return;
        }
        if self.run.ended.is_some() {
            found.push(event.wrong(LogCode::RunEndDuplicate, None, format!("a second `{name}`")));
            return;
        }
        let status = event.get("status").and_then(Json::as_str);
        let lacking = self.run.phases.iter().filter(|phase| !phase.is_closed()).map(|phase| phase.n.to_string());
        let lacking: Vec<String> = lacking.collect();
        if status == Some("success") && !lacking.is_empty() {
            let message = format!("the run ends with success, and these phases have not ended: {}", lacking.join(", "));
            found.push(event.wrong(LogCode::RunEndIncomplete, None, message));
        }
        self.run.ended = Some(RunEnd { line: event.line, status: status.map(str::to_owned) });
    }
}

impl Vocabulary {
    /// Adds these names; false if they would exceed the limit.
    fn add(&mut self, words: &[&str]) -> bool {
        let bytes: usize = words.iter().map(|word| word.len()).sum();
        if self.bytes.saturating_add(bytes) > MAX_VOCABULARY {
            return false;
        }
        self.bytes += bytes;
        self.names.extend(words.iter().map(|word| (*word).to_owned()));
        true
    }
}
