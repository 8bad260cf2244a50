//! The facts of one run log for the rules, collected in one pass.

use super::story::ERROR;
use super::{Run, Watch, judge};
use crate::engine::facts::Facts;
use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::{LogEvent, of_line, take_apart};
use crate::features::runlogs::model::line::{LogLine, LogLines};
use crate::features::runlogs::model::place::LOOKED_AT;
use crate::features::runlogs::model::profile::{
    ArtifactRule, INDEX, LogPosition, PHASE, PHASE_END, PHASE_START, Profile, integer,
};
use crate::text::json::{Json, JsonValue};
use crate::text::shell;
use crate::tree::path::RepoPath;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, Result};

/// The number of violations that are kept for one log; further ones are only counted. More are of no use, and a log with an
/// error in every line would fill the memory.
const MOST_VIOLATIONS: usize = 1000;

/// The judged run logs of a state. If the state is compared, only the logs that the change touches.
#[derive(PartialEq)]
struct AllLogs(Vec<LogFacts>);

/// The judged run logs of a state.
pub(crate) fn logs_of(facts: &Facts) -> &[LogFacts] {
    facts.parts.get::<AllLogs>().map_or(&[], |all| &all.0)
}

/// Adds run logs to the facts of their state.
pub(crate) fn add_logs(facts: &mut Facts, logs: Vec<LogFacts>) {
    if !logs.is_empty() {
        let all = logs_of(facts).iter().cloned().chain(logs).collect();
        facts.parts.put(AllLogs(all));
        facts.has_other_files = true;
    }
}

/// One run log of a state, judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogFacts {
    pub path: RepoPath,
    /// The id that survives a move: the hash of its first line.
    pub id: String,
    pub run: Run,
    /// The violations, in the order of its lines.
    pub violations: Vec<FoundViolation>,
    /// The number of further violations.
    pub unlisted: u64,
    /// The ends of its phases and its run.
    pub ends: LogEnds,
    /// The defect of the file itself; the file was then not read.
    pub refused: Option<String>,
    /// Its page, if the log renders to another one.
    pub stale_page: Option<RepoPath>,
    /// The expected path of its page.
    pub page: Option<RepoPath>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundViolation {
    pub violation: Violation,
    /// The hash of the line; empty for a violation of the log as a whole.
    pub line: String,
}

/// The ends in a log, and the numbers that its rules compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogEnds {
    /// The physical line of each phase's last end; a reopened phase has none.
    pub phases: BTreeMap<u32, u32>,
    /// The physical line of the run's end, if the run ended with success.
    pub success: Option<u32>,
    /// The number for each counting rule, by event and field; the last one counts.
    pub counts: BTreeMap<(String, String), i64>,
    /// The name of the run in the log, if it has one.
    pub run: Option<String>,
}

impl LogEnds {
    /// The last number in this field of this event.
    pub fn count(&self, event: &str, field: &str) -> Option<i64> {
        self.counts.iter().find(|((name, at), _)| name == event && at == field).map(|(_, count)| *count)
    }
}

impl LogFacts {
    /// The facts of a file at a log path of `profile` that has events of it and no `_index`; `None` for any other file.
    /// Such a file is no log: nothing else in it is judged, and its program may change it at will.
    pub fn without_index(path: &RepoPath, bytes: &[u8], profile: &Profile) -> Option<Self> {
        if !holds_events_of(profile, bytes) {
            return None;
        }
        let message = format!("it holds events of {} and no _index, so it is not judged", profile.name);
        let word = shell::place(path);
        let violation = Violation {
            help: format!(
                "give it another name with git mv, and start the next run with yatsu-hook runlog start {word}; \
                 to have this one judged, put an _index before its first line"
            ),
            ..of_line(LogCode::IndexMissing, 1, message)
        };
        let violations = vec![FoundViolation { violation, line: String::new() }];
        Some(Self { path: path.clone(), id: path.to_string(), violations, ..Self::default() })
    }
}

/// Whether one of the first lines is an event of `profile` with a time. Searches as many lines as for an `_index`. `error`
/// events do not count, because other programs have them too.
fn holds_events_of(profile: &Profile, bytes: &[u8]) -> bool {
    let is_own = |event: &LogEvent<'_>| {
        let known = event.name().filter(|name| *name != ERROR).and_then(|name| profile.event(name));
        known.is_some() && event.get("ts").is_some()
    };
    let mut lines = LogLines::new(bytes);
    let mut looked_at = 0;
    // reading from memory cannot fail
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() {
            continue;
        }
        if looked_at == LOOKED_AT {
            break;
        }
        looked_at += 1;
        if take_apart(&line, 0).events.iter().any(is_own) {
            return true;
        }
    }
    false
}

/// Judges a log from its first line to its last and keeps the facts for the rules.
///
/// # Errors
/// The source cannot be read.
pub fn collect(path: &RepoPath, source: impl BufRead, profile: &Profile) -> Result<LogFacts> {
    let mut watched = Collected { counted: counted(profile), profile, facts: LogFacts::default() };
    let run = judge(source, profile, &mut watched)?;
    Ok(LogFacts { path: path.clone(), run, ..watched.facts })
}

/// The fields that the rules of a profile count.
fn counted(profile: &Profile) -> Vec<(String, String)> {
    let mut open: Vec<&ArtifactRule> = profile.phases.iter().flat_map(|phase| &phase.requires).collect();
    open.extend(&profile.end);
    let mut found = Vec::new();
    while let Some(rule) = open.pop() {
        match rule {
            ArtifactRule::Count { event, field, .. } => found.push((event.clone(), field.clone())),
            ArtifactRule::AnyOf(rules) | ArtifactRule::AllOf(rules) => open.extend(rules),
            ArtifactRule::WhenHeading { then, .. } => open.extend(then),
            _ => {}
        }
    }
    found
}

struct Collected<'p> {
    profile: &'p Profile,
    counted: Vec<(String, String)>,
    facts: LogFacts,
}

impl Watch for Collected<'_> {
    fn line(&mut self, line: &LogLine<'_>) {
        if self.facts.id.is_empty() {
            self.facts.id = hash(line.bytes);
        }
    }

    fn event(&mut self, event: &LogEvent<'_>) {
        let ends = &mut self.facts.ends;
        let Some(name) = event.name() else { return };
        if name == INDEX && ends.run.is_none() {
            ends.run = event.text_of("run").map(str::to_owned);
        }
        let phase = event.get(PHASE).and_then(whole).and_then(|phase| u32::try_from(phase).ok());
        match (name, phase) {
            (PHASE_END, Some(phase)) => drop(ends.phases.insert(phase, event.line)),
            (PHASE_START, Some(phase)) => drop(ends.phases.remove(&phase)),
            _ => {}
        }
        let is_end = self.profile.at(LogPosition::Last).is_some_and(|end| end.name == name);
        if is_end && event.text_of("status") == Some("success") {
            ends.success = Some(event.line);
        }
        for (counting, field) in self.counted.iter().filter(|(counting, _)| counting == name) {
            if let Some(count) = within(&event.json, field).and_then(whole) {
                ends.counts.insert((counting.clone(), field.clone()), count);
            }
        }
    }

    fn violation(&mut self, violation: Violation, line: Option<&LogLine<'_>>) {
        if self.facts.violations.len() >= MOST_VIOLATIONS {
            self.facts.unlisted += 1;
            return;
        }
        let line = line.map(|line| hash(line.bytes)).unwrap_or_default();
        self.facts.violations.push(FoundViolation { violation, line });
    }
}

/// The id of the log with this content; it survives a move.
pub fn id_of(bytes: &[u8]) -> String {
    let mut lines = LogLines::new(bytes);
    lines.next_line().ok().flatten().map(|line| hash(line.bytes)).unwrap_or_default()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn whole(value: &Json<'_>) -> Option<i64> {
    match value.value {
        JsonValue::Number(text) => integer(text),
        _ => None,
    }
}

/// The value of a field; dots separate the levels.
fn within<'j, 't>(value: &'j Json<'t>, field: &str) -> Option<&'j Json<'t>> {
    field.split('.').try_fold(value, |value, part| value.get(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::runlogs::model::builtin::{QUALITY_PLAYBOOK, find};

    fn of(text: &str) -> LogFacts {
        collect(&RepoPath::from_git("quality/run_state.jsonl"), text.as_bytes(), find(QUALITY_PLAYBOOK).unwrap())
            .unwrap()
    }

    #[test]
    fn what_ended_is_kept_by_its_line() {
        let facts = of("{\"event\":\"phase_end\",\"phase\":6,\"key_counts\":{\"bugs_md_count\":3}}\n\
             {\"event\":\"phase_end\",\"phase\":2}\n{\"event\":\"phase_start\",\"phase\":2}\n\
             {\"event\":\"run_end\",\"status\":\"success\"}\n");
        assert_eq!(facts.ends.phases, BTreeMap::from([(6, 1)]), "phase 2 is open again");
        assert_eq!((facts.ends.success, facts.ends.count("phase_end", "key_counts.bugs_md_count")), (Some(4), Some(3)));
        assert_eq!(facts.ends.count("phase_end", "other"), None);
    }

    #[test]
    fn a_log_of_which_every_line_is_wrong_is_kept_in_part() {
        let facts = of(&"garbage\n".repeat(5000));
        assert_eq!((facts.violations.len(), facts.unlisted), (MOST_VIOLATIONS, 4002));
    }

    #[test]
    fn events_of_a_profile_are_told_from_those_of_other_programs() {
        let profile = find(QUALITY_PLAYBOOK).unwrap();
        let is_said = |text: &str| LogFacts::without_index(&RepoPath::root(), text.as_bytes(), profile).is_some();
        let line = |event: &str| format!("{{\"event\":\"{event}\",\"ts\":\"2026-05-15T14:00:00Z\"}}\n");
        assert!(is_said(&line("run_start")) && is_said(&format!("\n{}{}", line("other").repeat(9), line("phase_end"))));
        assert!(!is_said(&(line("other").repeat(10) + &line("phase_end"))));
        for other in ["", "not JSON\n", "{\"event\":\"phase_end\"}\n", &line("error"), &line("START")] {
            assert!(!is_said(other), "{other}");
        }
    }

    #[test]
    fn a_log_is_known_by_its_first_line() {
        assert_eq!(of("a\nb\n").id, of("a\nc\n").id);
        assert_ne!(of("a\n").id, of("b\n").id);
    }
}
