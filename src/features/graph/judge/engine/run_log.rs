//! Reads a run log into events for the graph: the begin and end of the run, and the events that users query. Phases, notes
//! and sizes are left out on purpose and stay in the log.

use super::occurrence::{
    EventClass, EventOrder, FailureMeant, GraphEvent, GraphFact, GraphFacts, LoggedFact, RunEndFact, RunFact,
};
use super::replay::PartialNote;
use super::typed;
use crate::features::graph::model::value::{PropValue, Props};
use crate::features::graph::model::{node, shape};
use crate::features::runlogs::{INDEX, LogEvent, LogLines, LogPosition, Moment, Profile, log_id, take_apart};
use crate::finding::Level;
use crate::model::node::Node;
use crate::names::RUNS_DIR;
use crate::text::escape::clip;
use crate::tree::path::RepoPath;
use foldhash::HashMap;

/// The number of characters kept of a text; the log holds the whole.
const MOST_TEXT: usize = 1000;

/// The log events that become nodes, with their kinds.
const TOLD: [(&str, &str); 6] = [
    ("hypothesis", shape::HYPOTHESIS),
    ("observation", shape::OBSERVATION),
    ("finding_logged", shape::OBSERVATION),
    ("model_call", shape::MODEL_CALL),
    ("tool_call", shape::TOOL_CALL),
    ("artifact_written", shape::ARTIFACT),
];

pub struct RunLogText<'f> {
    pub path: &'f RepoPath,
    pub bytes: &'f [u8],
    pub profile: &'f Profile,
}

/// Reads a log into `found`. `failures` has the places of the failing readings of each scenario, in their order.
pub(super) fn collect<'f>(
    log: &RunLogText<'f>,
    nodes: &[Node],
    failures: &HashMap<String, Vec<EventOrder<'f>>>,
    found: &mut GraphFacts<'f>,
) {
    let name = name(log.path);
    let mut read = Reader { log, nodes, failures, run: node::run(&name), name, ts: i64::MIN, began: false };
    let mut lines = LogLines::new(log.bytes);
    let mut place = 0;
    // reading from memory cannot fail
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() {
            continue;
        }
        let apart = take_apart(&line, place);
        place += apart.places;
        let errors =
            apart.violations.iter().filter(|wrong| wrong.code.at_most().is_none_or(|most| most == Level::Error));
        for wrong in errors {
            let message = wrong.message.clone();
            found.missed.push(PartialNote { path: log.path.to_string(), line: line.number, message });
        }
        apart.events.iter().for_each(|event| read.event(event, found));
    }
}

/// The name of a run: the name of its log in the runs directory of yatsu-hook, otherwise the path of the log.
fn name(log: &RepoPath) -> String {
    let is_ours = log.parent().is_some_and(|dir| *dir.as_bstr() == RUNS_DIR);
    let id = if is_ours { node::run(&log_id(log)) } else { node::file(log) };
    id.split_once(':').map(|(_, name)| name.to_owned()).unwrap_or(id)
}

struct Reader<'l, 'f> {
    log: &'l RunLogText<'f>,
    nodes: &'l [Node],
    failures: &'l HashMap<String, Vec<EventOrder<'f>>>,
    run: String,
    name: String,
    /// The time of the last event that has one.
    ts: i64,
    began: bool,
}

impl<'f> Reader<'_, 'f> {
    fn event(&mut self, event: &LogEvent<'_>, found: &mut GraphFacts<'f>) {
        let said = event.text_of("ts").and_then(|text| Some((text, Moment::parse(text)?)));
        if let Some((_, at)) = &said {
            // events stay in the order of the log even if the clock ran back
            self.ts = self.ts.max(at.seconds.saturating_mul(1000).saturating_add(i64::from(at.nanos / 1_000_000)));
        }
        let ts = said.map(|(text, _)| text.to_owned());
        if !self.began {
            self.began = true;
            let declared = (event.name() == Some(INDEX)).then(|| event.text_of("run")).flatten();
            for name in declared.into_iter().chain([&*self.name]) {
                found.runs.entry(name.to_owned()).or_insert_with(|| self.run.clone());
            }
            let profile = &self.log.profile.name;
            let run = RunFact { id: self.run.clone(), log: self.log.path, profile, began: ts.clone() };
            self.push(event.line, false, GraphFact::Run(run), found);
        }
        let Some(name) = event.name() else { return };
        if let Some((_, kind)) = TOLD.iter().find(|(told, _)| *told == name) {
            let failure = event.text_of("failure").map(|text| self.failure(text));
            let order = self.order(event.line, true);
            let order = failure.as_ref().and_then(|failure| self.behind(order, failure, event)).unwrap_or(order);
            let fact = LoggedFact {
                id: node::logged(kind, &self.name, event.line),
                kind,
                run: self.run.clone(),
                props: props(event),
                failure,
            };
            found.events.push(GraphEvent { order, fact: GraphFact::Logged(fact) });
        } else if self.log.profile.at(LogPosition::Last).is_some_and(|last| last.name == name) {
            let status = event.text_of("status").unwrap_or("ended").to_owned();
            let end = RunEndFact { run: self.run.clone(), status, ended: ts };
            self.push(event.line, true, GraphFact::RunEnd(end), found);
        }
    }

    fn push(&self, line: u32, late: bool, fact: GraphFact<'f>, found: &mut GraphFacts<'f>) {
        found.events.push(GraphEvent { order: self.order(line, late), fact });
    }

    fn order(&self, line: u32, late: bool) -> EventOrder<'f> {
        EventOrder { class: EventClass::Timed, ts: self.ts, path: self.log.path.as_bstr(), line, late }
    }

    /// The place right behind the last failure that an event can mean, if that failure comes after the event. Most logs
    /// give times in whole seconds, and a failure must exist before an event names it.
    fn behind(&self, own: EventOrder<'f>, meant: &FailureMeant, event: &LogEvent<'_>) -> Option<EventOrder<'f>> {
        let FailureMeant::LastOf(of) = meant else { return None };
        let is_whole = event.text_of("ts").is_some_and(|ts| !ts.contains('.'));
        let until = own.ts.saturating_add(if is_whole { 999 } else { 0 });
        let last = self.failures.get(of)?.iter().rev().find(|place| place.ts <= until)?;
        (*last > own).then_some(EventOrder { late: true, ..*last })
    }

    fn failure(&self, text: &str) -> FailureMeant {
        match typed::moment_of(self.nodes, text) {
            Some((subject, Some(moment))) => FailureMeant::Exact(format!("failure:{subject}{moment}")),
            Some((subject, None)) => FailureMeant::LastOf(subject),
            None => FailureMeant::Exact(format!("failure:{}", text.strip_prefix("failure:").unwrap_or(text))),
        }
    }
}

/// The properties of an event, without its name.
fn props(event: &LogEvent<'_>) -> Props {
    let mut props = Props::new();
    for (key, value) in Props::of(&event.json).unwrap_or_default().iter() {
        if key != "event" {
            props.set(key.to_owned().into(), clipped(value));
        }
    }
    props
}

fn clipped(value: &PropValue) -> PropValue {
    match value {
        PropValue::Text(text) => clip(text, MOST_TEXT).into_owned().into(),
        PropValue::List(items) => PropValue::List(items.iter().map(clipped).collect()),
        PropValue::Object(members) => {
            let mut props = Props::new();
            members.iter().for_each(|(key, value)| props.set(key.to_owned().into(), clipped(value)));
            PropValue::Object(props)
        }
        other => other.clone(),
    }
}
