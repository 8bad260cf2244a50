//! What happened, as data: the events of a view before they become ops, and the one order in which they count. Declarations
//! come first, by path; then everything that has a time, by (time, file, line), a retraction never before what it withdraws;
//! then what is true of the view now, then branches by name.

use super::replay::Missed;
use crate::engine::patch::Patch;
use crate::finding::Axis;
use crate::model::contract::Contract;
use crate::model::graph::node;
use crate::model::graph::value::Props;
use crate::model::ledger::{Decision, Reading, ReadingVerdict, Retraction};
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use bstr::BStr;
use std::collections::{BTreeMap, BTreeSet};

/// The events of a view.
#[derive(Default)]
pub struct GraphFacts<'f> {
    /// In the order in which they count.
    pub(super) events: Vec<GraphEvent<'f>>,
    /// The names by which readings call runs that have a log, with the ids of those.
    pub(super) runs: BTreeMap<String, String>,
    /// The work tree that the view is, where it is one.
    pub(super) frame: Option<&'f str>,
    /// What says nothing.
    pub(super) missed: Missed,
}

/// One event.
#[derive(Clone)]
pub(super) struct GraphEvent<'f> {
    /// Its place among all.
    pub(super) order: EventOrder<'f>,
    /// What happened.
    pub(super) fact: GraphFact<'f>,
}

/// The classes of events, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventClass {
    /// What is declared.
    Declared,
    /// What happened at a time.
    Timed,
    /// What is true of the view now.
    Present,
    /// Branches.
    Branch,
}

/// What decides about the order of events; the fields in the order in which they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventOrder<'f> {
    pub(super) class: EventClass,
    /// Milliseconds; 0 where there is no time.
    pub(super) ts: i64,
    /// The file that says so.
    pub(super) path: &'f BStr,
    /// Its line, or the place in it.
    pub(super) line: u32,
    /// Whether it has this place because it may not come before what has it too.
    pub(super) late: bool,
}

/// The line that an event stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LinePlace<'f> {
    pub(super) path: &'f RepoPath,
    pub(super) line: u32,
}

/// What happened.
#[derive(Clone)]
pub(super) enum GraphFact<'f> {
    /// A node has a goal contract.
    Goal(&'f RepoPath, &'f Contract),
    /// A node declares a scenario.
    Scenario(ScenarioFact<'f>),
    /// Somebody measured.
    Reading(ReadingFact<'f>),
    /// Somebody withdrew readings.
    Withdrawal(&'f Retraction, Vec<LinePlace<'f>>),
    /// Somebody settled something.
    Decision(&'f RepoPath, &'f Decision),
    /// A run began.
    Run(RunFact<'f>),
    /// A run log tells something.
    Logged(LoggedFact),
    /// A run ended.
    RunEnd(RunEndFact),
    /// The latest reading of a scenario does not speak for the view any more.
    Drift(LinePlace<'f>, Vec<Axis>),
    /// A branch that somebody means for the main one.
    Patch(&'f Patch),
}

/// A declared scenario.
#[derive(Clone)]
pub(super) struct ScenarioFact<'f> {
    pub(super) dir: &'f RepoPath,
    pub(super) scenario: &'f Scenario,
    pub(super) has_goal: bool,
    pub(super) governs: FilesMeant,
    pub(super) references: FilesMeant,
}

/// The files that a list means.
#[derive(Clone, Default)]
pub(super) struct FilesMeant {
    pub(super) here: BTreeSet<RepoPath>,
    /// What is named and is not there.
    pub(super) absent: BTreeSet<RepoPath>,
}

/// A reading that counts, or that was withdrawn.
#[derive(Clone)]
pub(super) struct ReadingFact<'f> {
    pub(super) dir: &'f RepoPath,
    pub(super) reading: &'f Reading,
    pub(super) at: LinePlace<'f>,
    /// The verdict that counts.
    pub(super) verdict: ReadingVerdict,
    /// Whether nobody withdrew it.
    pub(super) counts: bool,
    /// Whether somebody speaks of it later.
    pub(super) is_named: bool,
}

/// A run that has a log.
#[derive(Clone)]
pub(super) struct RunFact<'f> {
    pub(super) id: String,
    pub(super) log: &'f RepoPath,
    pub(super) profile: &'f str,
    /// When it began, as it says.
    pub(super) began: Option<String>,
}

/// What a line of a run log tells.
#[derive(Clone)]
pub(super) struct LoggedFact {
    pub(super) id: String,
    pub(super) kind: &'static str,
    /// The id of the run.
    pub(super) run: String,
    pub(super) props: Props,
    /// The failure that it names.
    pub(super) failure: Option<FailureMeant>,
}

/// A failure as somebody names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FailureMeant {
    /// This one.
    Exact(String),
    /// The last one of this scenario.
    LastOf(String),
}

/// The end of a run.
#[derive(Clone)]
pub(super) struct RunEndFact {
    pub(super) run: String,
    pub(super) status: String,
    pub(super) ended: Option<String>,
}

/// What a reading is of, without its time: what failures are kept by.
pub(super) fn subject(fact: &ReadingFact<'_>) -> String {
    node::subject(fact.dir, &fact.reading.scenario)
}
