//! The events of a view as data, before they become ops, and their one order. Declarations come first, by path. Then come
//! timed events, by (time, file, line), a retraction never before its reading. Then the present state of the view, then
//! branches by name.

use super::replay::Missed;
use crate::features::graph::model::node;
use crate::features::graph::model::value::Props;
use crate::features::patches::Patch;
use crate::finding::Axis;
use crate::model::contract::Contract;
use crate::model::ledger::{Decision, Reading, ReadingVerdict, Retraction};
use crate::model::scenario::Scenario;
use crate::names::cmp_ledgers;
use crate::tree::path::RepoPath;
use bstr::BStr;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct GraphFacts<'f> {
    pub(super) events: Vec<GraphEvent<'f>>,
    /// The ids of the runs that have a log, by the names in readings.
    pub(super) runs: BTreeMap<String, String>,
    /// The name of the work tree, if the view is one.
    pub(super) frame: Option<&'f str>,
    /// The places that could not be read.
    pub(super) missed: Missed,
}

#[derive(Clone)]
pub(super) struct GraphEvent<'f> {
    pub(super) order: EventOrder<'f>,
    pub(super) fact: GraphFact<'f>,
}

/// The classes of events, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventClass {
    Declared,
    Timed,
    /// The present state of the view.
    Present,
    Branch,
}

/// The sort key of events; fields in the order of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventOrder<'f> {
    pub(super) class: EventClass,
    /// Milliseconds; 0 without a time.
    pub(super) ts: i64,
    pub(super) path: &'f BStr,
    /// Its line, or its place in the file.
    pub(super) line: u32,
    /// Whether it was moved behind the event with the same place, because it must not come before that event.
    pub(super) late: bool,
}

impl Ord for EventOrder<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_file = || cmp_ledgers(self.path, other.path);
        let by_time = (self.class, self.ts).cmp(&(other.class, other.ts));
        by_time.then_with(by_file).then_with(|| (self.line, self.late).cmp(&(other.line, other.late)))
    }
}

impl PartialOrd for EventOrder<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LinePlace<'f> {
    pub(super) path: &'f RepoPath,
    pub(super) line: u32,
}

#[derive(Clone)]
pub(super) enum GraphFact<'f> {
    Goal(&'f RepoPath, &'f Contract),
    Scenario(ScenarioFact<'f>),
    Reading(ReadingFact<'f>),
    Withdrawal(&'f Retraction, Vec<LinePlace<'f>>),
    Decision(&'f RepoPath, &'f Decision),
    Run(RunFact<'f>),
    /// A run log records something.
    Logged(LoggedFact),
    RunEnd(RunEndFact),
    /// The latest reading of a scenario is stale.
    Drift(LinePlace<'f>, Vec<Axis>),
    /// A branch meant for the main one.
    Patch(&'f Patch),
}

#[derive(Clone)]
pub(super) struct ScenarioFact<'f> {
    pub(super) dir: &'f RepoPath,
    pub(super) scenario: &'f Scenario,
    pub(super) has_goal: bool,
    pub(super) governs: FilesMeant,
    pub(super) references: FilesMeant,
}

#[derive(Clone, Default)]
pub(super) struct FilesMeant {
    pub(super) here: BTreeSet<RepoPath>,
    /// Named files that do not exist.
    pub(super) absent: BTreeSet<RepoPath>,
}

/// A reading that counts, or one that was withdrawn.
#[derive(Clone)]
pub(super) struct ReadingFact<'f> {
    pub(super) dir: &'f RepoPath,
    pub(super) reading: &'f Reading,
    pub(super) at: LinePlace<'f>,
    pub(super) verdict: ReadingVerdict,
    /// Whether it was not withdrawn.
    pub(super) counts: bool,
    pub(super) is_named: bool,
}

#[derive(Clone)]
pub(super) struct RunFact<'f> {
    pub(super) id: String,
    pub(super) log: &'f RepoPath,
    pub(super) profile: &'f str,
    /// The begin time in its log.
    pub(super) began: Option<String>,
}

/// A line of a run log that becomes a node.
#[derive(Clone)]
pub(super) struct LoggedFact {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) run: String,
    pub(super) props: Props,
    pub(super) failure: Option<FailureMeant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FailureMeant {
    Exact(String),
    LastOf(String),
}

#[derive(Clone)]
pub(super) struct RunEndFact {
    pub(super) run: String,
    pub(super) status: String,
    pub(super) ended: Option<String>,
}

/// The scenario of a reading as ids spell it, without the time; failures are kept by this key.
pub(super) fn subject(fact: &ReadingFact<'_>) -> String {
    node::subject(fact.dir, &fact.reading.scenario)
}
