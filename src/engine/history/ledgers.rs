//! Ledgers as logs: a node's directory is the home, its ledgers are the files, its declared scenarios are the subjects, and
//! its goal contract is the subject of decisions without a scenario.

use super::logs::{LineReader, Log, LogFile, Logs, Subject};
use crate::model::contract::Goal;
use crate::model::ids::composed;
use crate::model::ledger::{self, Event, GoalDecisionKind, Ledger, LineHash};
use crate::model::node::Node;
use crate::model::scenario::ScenarioFile;
use crate::model::workspace::Workspace;
use crate::text::json::{self, Json};

pub(super) fn logs(workspace: &Workspace) -> Logs<'_> {
    Logs::new(workspace.nodes.iter().map(log).collect(), LineReader { subject: scenario_of, is_of_goal, signed })
}

fn log(node: &Node) -> Log<'_> {
    let cut_short = node.file.as_ref().is_some_and(|file| file.cut_short);
    Log {
        home: &node.dir,
        files: node.ledgers.iter().map(file).collect(),
        subjects: node.file.as_ref().map(subjects),
        goal: node.file.as_ref().map_or(&Goal::Unset, |file| &file.goal),
        // If a broken file declared nothing, breaking it would let every line of the node leave.
        may_declare_more: cut_short || node.second_file.is_some(),
    }
}

fn file(ledger: &Ledger) -> LogFile<'_> {
    LogFile { path: &ledger.path, lines: &ledger.raw, events: &ledger.lines }
}

fn subjects(file: &ScenarioFile) -> Vec<Subject<'_>> {
    let subject = |name, text| Subject { name: composed(name), text };
    file.scenarios.iter().map(|scenario| subject(&scenario.name, scenario.text_hash)).collect()
}

/// The scenario of a line. Reads the raw bytes, so that a line with a schema error elsewhere still has its scenario.
fn scenario_of(line: &[u8]) -> Option<String> {
    let json = json::parse(std::str::from_utf8(line).ok()?).ok()?;
    json.get("scenario").and_then(Json::as_str).map(str::to_owned)
}

/// Whether a line is a decision about its node's goal.
fn is_of_goal(line: &[u8]) -> bool {
    let json = std::str::from_utf8(line).ok().and_then(|text| json::parse(text).ok());
    let kind = json.as_ref().filter(|json| json.get("scenario").is_none()).and_then(|json| json.get("decision"));
    kind.and_then(Json::as_str).is_some_and(|kind| GoalDecisionKind::parse(kind).is_some())
}

/// The hashes of the lines that a line signs; empty if it is no signature.
fn signed(line: &[u8]) -> Vec<LineHash> {
    match ledger::event(line) {
        Some(Event::Signature(signature)) => signature.lines,
        _ => Vec::new(),
    }
}
