//! The content of a log for status, page and plan: the runner, the state of the phases, the written files and the last
//! events. Collected in one pass by the judge ([`super::judge`]), so that its violations are always known. Pure; texts are
//! not escaped.

use super::{Run, Watch};
use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::LogEvent;
use crate::features::runlogs::model::line::LogLine;
use crate::features::runlogs::model::profile::{
    ArtifactRule, COUNTS, INDEX, LogPosition, PHASE, PHASE_END, PHASE_REOPENED, PHASE_START, Profile, TYPES_ADDED,
};
use crate::finding::Level;
use crate::model::labels::RunId;
use crate::text::escape::clip;
use crate::text::json::{Json, JsonValue};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{BufRead, Result};

/// The event with which a run records an error; the built-in profiles know it.
pub const ERROR: &str = "error";
/// The event that names a written file.
const ARTIFACT: &str = "artifact_written";
/// The field of `phase_end` that lists the produced files.
pub const PRODUCED: &str = "artifacts_produced";
/// The number of last events that are kept.
const RECENT: usize = 10;
/// The number of artifacts that are kept, because the names in a log must not fill the memory.
const MAX_ARTIFACTS: usize = 1000;
/// The number of errors that are kept.
const MAX_FAULTS: usize = 5;
/// The number of characters of one value.
const MAX_VALUE: usize = 60;
/// The number of items of a list.
const MAX_ITEMS: usize = 5;
/// The number of fields of an event.
const MAX_FIELDS: usize = 12;

/// The content of a log.
#[derive(Debug, Default)]
pub struct Story {
    pub(crate) run: Run,
    /// The time of the first event, as spelled in the log.
    pub began: Option<String>,
    /// The texts and numbers of `_index`, without the fields about the format.
    pub index: Vec<(String, String)>,
    /// The texts and numbers of the event that starts the run.
    pub start: Vec<(String, String)>,
    /// The counts and the number of artifacts at the last end of each phase, in the order of the profile.
    pub ends: Vec<PhaseTold>,
    /// The last events, the newest last.
    pub recent: VecDeque<ToldEvent>,
    /// The written files, each once.
    pub artifacts: Vec<WrittenFile>,
    /// Whether there are more written files than are kept.
    pub artifacts_cut: bool,
    /// The files written since the last start of a phase.
    pub since_start: Vec<String>,
    /// Whether the run goes on without documentation.
    pub code_only: bool,
    /// The reason of an abort because of missing documentation.
    pub aborted: Option<String>,
    /// Phases with a recoverable error in the last lines of the log.
    pub told_errors: BTreeSet<u32>,
    /// The last values of the counts that the end of the run compares with files, in the order of the profile.
    pub counted: Vec<Option<u64>>,
    pub(crate) declares_error: bool,
    pub(crate) declares_reopened: bool,
    pub(crate) faults: Vec<Violation>,
    /// The violations in the lines after the first `known` ones.
    pub beyond: Vec<Violation>,
    /// The index of each artifact in the list.
    places: HashMap<String, usize>,
}

/// The content of a phase's end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseTold {
    pub(crate) counts: Vec<(String, String)>,
    /// The number of artifacts that it lists.
    pub produced: usize,
    /// The time of its last start, as spelled.
    pub started: Option<String>,
}

/// One event, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldEvent {
    pub(crate) ts: String,
    pub(crate) name: String,
    /// Its fields, `name=value`.
    pub fields: Vec<(String, String)>,
}

/// A written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    pub(crate) path: String,
    /// Its last known size, if the log has one.
    pub size: Option<u64>,
}

impl Story {
    /// Reads a log to its end.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn read(source: impl BufRead, profile: &Profile) -> Result<Self> {
        Self::read_beyond(source, profile, u32::MAX)
    }

    /// The same. Also keeps all violations in the lines after the first `known`, including advice.
    ///
    /// # Errors
    /// As [`Story::read`].
    pub fn read_beyond(source: impl BufRead, profile: &Profile, known: u32) -> Result<Self> {
        let ends = vec![PhaseTold::default(); profile.phases.len()];
        let counted = vec![None; profile.end.iter().filter(|rule| is_count(rule)).count()];
        let mut teller = Teller { profile, known, story: Self { ends, counted, ..Self::default() } };
        let run = super::judge(source, profile, &mut teller)?;
        Ok(Self { run, ..teller.story })
    }

    /// The name of the run in `_index`.
    pub fn run_id(&self) -> Option<RunId> {
        self.index.iter().find(|(name, _)| name == "run").and_then(|(_, text)| RunId::parse(text))
    }

    /// Whether the run has not ended.
    pub fn is_open(&self) -> bool {
        self.run.ended.is_none()
    }

    /// Whether the log broke off after its `_index`, so that the missing start of the run is its only error.
    pub fn lacks_only_its_start(&self) -> bool {
        let is_missing = |fault: &Violation| fault.code == LogCode::RunStartMissing;
        self.run.errors == 1 && self.faults.iter().all(is_missing) && self.recent.len() == 1
    }

    /// The open phase; if there are several, the one that started last.
    pub fn open_phase(&self) -> Option<u32> {
        let open = self.run.phases.iter().filter(|phase| phase.is_open());
        open.max_by_key(|phase| (phase.started, phase.n)).map(|phase| phase.n)
    }
}

/// Receives events and violations from the judge.
struct Teller<'p> {
    profile: &'p Profile,
    known: u32,
    story: Story,
}

impl Watch for Teller<'_> {
    fn event(&mut self, event: &LogEvent<'_>) {
        let name = event.name().unwrap_or_default();
        let ts = event.text_of("ts").unwrap_or_default();
        if self.story.began.is_none() && !ts.is_empty() {
            self.story.began = Some(clip(ts, MAX_VALUE).into_owned());
        }
        self.declare(name, event);
        if self.profile.at(LogPosition::Second).is_some_and(|start| start.name == name) {
            self.story.start = scalars(event, &["ts", "event"]);
        }
        self.phase(name, ts, event);
        self.count(name, event);
        self.written(name, event);
        self.documentation(name, event);
        self.error(name, event);
        self.story.recent.push_back(told(event, name, ts));
        if self.story.recent.len() > RECENT {
            self.story.recent.pop_front();
        }
    }

    fn violation(&mut self, violation: Violation, _line: Option<&LogLine<'_>>) {
        let is_error = violation.code.at_most().is_none_or(|level| level == Level::Error);
        if is_error && self.story.faults.len() < MAX_FAULTS {
            self.story.faults.push(violation.clone());
        }
        if violation.line > self.known && self.story.beyond.len() < MAX_FAULTS {
            self.story.beyond.push(violation);
        }
    }
}

impl Teller<'_> {
    fn declare(&mut self, name: &str, event: &LogEvent<'_>) {
        let list = match name {
            INDEX => {
                self.story.index = scalars(event, &["ts", "event", "schema_version", "event_types", "started_at"]);
                event.get("event_types")
            }
            TYPES_ADDED => event.get("types"),
            _ => None,
        };
        let Some(JsonValue::Array(items)) = list.map(|list| &list.value) else { return };
        for name in items.iter().filter_map(Json::as_str) {
            self.story.declares_error |= name == ERROR;
            self.story.declares_reopened |= name == PHASE_REOPENED;
        }
    }

    fn phase(&mut self, name: &str, ts: &str, event: &LogEvent<'_>) {
        let Some(n) = event.get(PHASE).and_then(number) else { return };
        let Some(at) = self.profile.phases.iter().position(|phase| u64::from(phase.n) == n) else { return };
        let end = &mut self.story.ends[at];
        match name {
            PHASE_START => {
                end.started = Some(clip(ts, MAX_VALUE).into_owned());
                self.story.since_start.clear();
            }
            PHASE_END => {
                end.counts = event.get(COUNTS).map(|counts| members(counts, &[])).unwrap_or_default();
                let produced = texts(event.get(PRODUCED));
                end.produced = produced.len();
                produced.into_iter().for_each(|path| self.artifact(path, None));
            }
            _ => {}
        }
    }

    fn count(&mut self, name: &str, event: &LogEvent<'_>) {
        let counts = self.profile.end.iter().filter(|rule| is_count(rule));
        for (at, rule) in counts.enumerate() {
            let ArtifactRule::Count { event: of, field, .. } = rule else { continue };
            let parts = field.split('.').filter(|_| of == name);
            let value = parts.fold((of == name).then_some(&event.json), |json, part| json?.get(part));
            if let Some(number) = value.and_then(number) {
                self.story.counted[at] = Some(number);
            }
        }
    }

    fn written(&mut self, name: &str, event: &LogEvent<'_>) {
        let Some(path) = event.text_of("relative_path").filter(|_| name == ARTIFACT) else { return };
        self.artifact(path, event.get("byte_size").and_then(number));
        let since = &mut self.story.since_start;
        if since.len() < MAX_ARTIFACTS && !since.iter().any(|known| known == path) {
            since.push(path.to_owned());
        }
    }

    fn artifact(&mut self, path: &str, size: Option<u64>) {
        let story = &mut self.story;
        if let Some(at) = story.places.get(path) {
            // the last known size: a list that names the file again without a size does not erase it
            story.artifacts[*at].size = size.or(story.artifacts[*at].size);
        } else if story.artifacts.len() == MAX_ARTIFACTS {
            story.artifacts_cut = true;
        } else {
            story.places.insert(path.to_owned(), story.artifacts.len());
            story.artifacts.push(WrittenFile { path: path.to_owned(), size });
        }
    }

    fn documentation(&mut self, name: &str, event: &LogEvent<'_>) {
        match name {
            "documentation_state" => self.story.code_only |= event.text_of("state") == Some("code_only"),
            "aborted_missing_docs" => {
                self.story.aborted = Some(clip(event.text_of("reason").unwrap_or_default(), 200).into_owned());
            }
            _ => {}
        }
    }

    fn error(&mut self, name: &str, event: &LogEvent<'_>) {
        let recoverable = event.get("recoverable").is_some_and(|value| value.value == JsonValue::Bool(true));
        let phase = event.get(PHASE).and_then(number).and_then(|n| u32::try_from(n).ok());
        match phase.filter(|_| name == ERROR && recoverable) {
            Some(phase) => {
                self.story.told_errors.insert(phase);
            }
            None => self.story.told_errors.clear(),
        }
    }
}

fn is_count(rule: &ArtifactRule) -> bool {
    matches!(rule, ArtifactRule::Count { .. })
}

fn told(event: &LogEvent<'_>, name: &str, ts: &str) -> ToldEvent {
    let mut fields = match &event.json.value {
        JsonValue::Object(_) if name == INDEX => scalars(event, &["ts", "event", "started_at"]),
        _ => members(&event.json, &["ts", "event"]),
    };
    fields.truncate(MAX_FIELDS);
    ToldEvent { ts: clip(ts, MAX_VALUE).into_owned(), name: clip(name, MAX_VALUE).into_owned(), fields }
}

/// The texts and numbers of an event, except the fields in `without`.
fn scalars(event: &LogEvent<'_>, without: &[&str]) -> Vec<(String, String)> {
    let JsonValue::Object(members) = &event.json.value else { return Vec::new() };
    let wanted = members.iter().filter(|(name, _)| !without.contains(&&**name));
    let scalar = wanted.filter_map(|(name, value)| match &value.value {
        JsonValue::String(_) | JsonValue::Number(_) => Some((name.to_string(), shown(value)?)),
        _ => None,
    });
    scalar.take(MAX_FIELDS).collect()
}

/// The members of an object, except the ones in `without`. Nested objects are replaced by their members.
fn members(json: &Json<'_>, without: &[&str]) -> Vec<(String, String)> {
    let JsonValue::Object(all) = &json.value else { return Vec::new() };
    let wanted = all.iter().filter(|(name, _)| !without.contains(&&**name));
    let mut found = Vec::new();
    for (name, value) in wanted {
        match &value.value {
            JsonValue::Object(inner) => {
                let inner = inner.iter().filter_map(|(name, value)| Some((name.to_string(), shown(value)?)));
                found.extend(inner.take(MAX_FIELDS));
            }
            _ => found.extend(shown(value).map(|value| (name.to_string(), value))),
        }
        if found.len() >= MAX_FIELDS {
            break;
        }
    }
    found.into_iter().map(|(name, value)| (clip(&name, MAX_VALUE).into_owned(), value)).collect()
}

/// A value for people; `None` for an object, because its members are shown instead.
fn shown(value: &Json<'_>) -> Option<String> {
    let text = match &value.value {
        JsonValue::String(text) => clip(text, MAX_VALUE).into_owned(),
        JsonValue::Number(text) => clip(text, MAX_VALUE).into_owned(),
        JsonValue::Bool(value) => value.to_string(),
        JsonValue::Null => "null".to_owned(),
        JsonValue::Array(items) => {
            let more = if items.len() > MAX_ITEMS { ",…" } else { "" };
            let items: Vec<String> = items.iter().take(MAX_ITEMS).filter_map(shown).collect();
            format!("[{}{more}]", items.join(","))
        }
        JsonValue::Object(_) => return None,
    };
    Some(text)
}

fn texts<'j>(value: Option<&'j Json<'_>>) -> Vec<&'j str> {
    let Some(JsonValue::Array(items)) = value.map(|value| &value.value) else { return Vec::new() };
    items.iter().filter_map(Json::as_str).collect()
}

fn number(value: &Json<'_>) -> Option<u64> {
    let JsonValue::Number(text) = value.value else { return None };
    text.parse().ok()
}
