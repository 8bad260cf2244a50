//! The facts of a view as events. The order of nodes, ledgers and logs in the input does not matter.

use super::occurrence::{
    EventClass, EventOrder, FilesMeant, GraphEvent, GraphFact, GraphFacts, LinePlace, ReadingFact, ScenarioFact,
    subject,
};
use super::replay::{Missed, PartialNote};
use super::run_log::{self, RunLogText};
use crate::engine::effective::{Effective, FiledEvent};
use crate::engine::facts::{Facts, Score, Standing};
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::patches::Patch;
use crate::finding::Axis;
use crate::model::contract::Goal;
use crate::model::governed::{Found, Governed};
use crate::model::ledger::{
    Decision, Event, GoalDecisionKind, PatchDecisionKind, Reading, ReadingVerdict, Retraction, Status,
};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use foldhash::{HashMap, HashSet};

/// A list entry with more files than this becomes one file of the graph: the entry itself.
const MOST_FILES: usize = 256;

pub struct GraphSources<'f> {
    /// Nodes, readings and their freshness.
    pub facts: &'f Facts,
    pub view: &'f dyn Tree,
    pub logs: Vec<RunLogText<'f>>,
    /// The branches other than the main one; empty if they are not wanted.
    pub patches: &'f [Patch],
    /// The name of the work tree, if the view is one.
    pub frame: Option<&'f str>,
}

/// Collects the events of a view.
///
/// # Errors
/// The view cannot be read.
pub fn collect<'f>(sources: &GraphSources<'f>) -> Result<GraphFacts<'f>> {
    let mut found = GraphFacts { frame: sources.frame, ..GraphFacts::default() };
    let nodes = &sources.facts.workspace.nodes;
    for (node, scores) in nodes.iter().zip(&sources.facts.scores) {
        declared(sources.view, node, &mut found)?;
        measured(sources.facts, node, scores, &mut found);
        decided(node, &mut found);
        unread(node, &mut found.missed);
    }
    let failures = if sources.logs.is_empty() { HashMap::default() } else { failures(&found.events) };
    for log in &sources.logs {
        run_log::collect(log, nodes, &failures, &mut found);
    }
    for patch in sources.patches {
        let path = patch.facts.branch.as_bytes().as_bstr();
        let order = EventOrder { class: EventClass::Branch, ts: 0, path, line: 0, late: false };
        found.events.push(GraphEvent { order, fact: GraphFact::Patch(patch) });
    }
    found.events.sort_by(|one, other| one.order.cmp(&other.order));
    found.missed.notes.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    Ok(found)
}

/// The places of the failing readings of each scenario, in their order.
fn failures<'f>(events: &[GraphEvent<'f>]) -> HashMap<String, Vec<EventOrder<'f>>> {
    let mut found: HashMap<String, Vec<EventOrder<'f>>> = HashMap::default();
    for event in events {
        if let GraphFact::Reading(fact) = &event.fact
            && fact.verdict == ReadingVerdict::Measured(Status::Fail)
        {
            found.entry(subject(fact)).or_default().push(event.order);
        }
    }
    found.values_mut().for_each(|places| places.sort_unstable());
    found
}

/// The goal and the scenarios of a node.
fn declared<'f>(view: &dyn Tree, node: &'f Node, found: &mut GraphFacts<'f>) -> Result<()> {
    let Some(file) = &node.file else { return Ok(()) };
    let at = |line| EventOrder { class: EventClass::Declared, ts: 0, path: file.path.as_bstr(), line, late: false };
    let contract = file.goal.contract();
    if let Some(contract) = contract {
        found.events.push(GraphEvent { order: at(0), fact: GraphFact::Goal(&node.dir, contract) });
    }
    for (line, scenario) in (1..).zip(&file.scenarios) {
        let fact = ScenarioFact {
            dir: &node.dir,
            scenario,
            has_goal: contract.is_some(),
            governs: meant(view, governed(node, scenario))?,
            references: meant(view, &scenario.related)?,
        };
        found.events.push(GraphEvent { order: at(line), fact: GraphFact::Scenario(fact) });
    }
    Ok(())
}

fn meant(view: &dyn Tree, list: &[Governed]) -> Result<FilesMeant> {
    let mut files = FilesMeant::default();
    for entry in list {
        let Ok(path) = &entry.path else { continue };
        let held = matches(view, entry)?;
        match held.len() {
            0 if entry.optional || matches!(entry.found, Found::Path | Found::Glob) => {}
            0 => drop(files.absent.insert(path.clone())),
            1..=MOST_FILES => files.here.extend(held.into_iter().map(|(path, _)| path)),
            _ => drop(files.here.insert(path.clone())),
        }
    }
    Ok(files)
}

/// The readings of a node, their withdrawals, and the latest readings that are stale.
fn measured<'f>(facts: &'f Facts, node: &'f Node, scores: &'f [Score], found: &mut GraphFacts<'f>) {
    let effective = Effective::of(node);
    let stale = drifted(&effective, scores);
    let named: HashSet<LinePlace<'f>> = stale.iter().map(|(at, _)| *at).collect();
    for filed in effective.filed_readings() {
        let judged = facts.budgets.judged(filed);
        let verdict =
            judged.map_or_else(|| filed.event.verdict.clone(), |judged| judged.effective(&filed.event.verdict));
        let (at, is_named) = (place(filed), named.contains(&place(filed)));
        let fact = ReadingFact { dir: &node.dir, reading: filed.event, at, verdict, counts: true, is_named };
        found.events.push(reading(filed, fact));
    }
    withdrawn(&effective, node, found);
    for (line, (at, axes)) in (0..).zip(stale) {
        let path = at.path.as_bstr();
        let order = EventOrder { class: EventClass::Present, ts: 0, path, line, late: false };
        found.events.push(GraphEvent { order, fact: GraphFact::Drift(at, axes.to_vec()) });
    }
}

fn drifted<'f>(effective: &Effective<'f>, scores: &'f [Score]) -> Vec<(LinePlace<'f>, &'f [Axis])> {
    let stale = |score: &'f Score| match &score.standing {
        Standing::Judged(freshness) if !freshness.axes.is_empty() => {
            Some((place(&score.filed(effective)?), freshness.axes.as_slice()))
        }
        _ => None,
    };
    scores.iter().filter_map(stale).collect()
}

fn reading<'f>(filed: &FiledEvent<'f, Reading>, fact: ReadingFact<'f>) -> GraphEvent<'f> {
    GraphEvent { order: timed(filed, filed.event.ts.millis), fact: GraphFact::Reading(fact) }
}

/// Readings that were withdrawn, and their retractions. A retraction with an earlier time than its reading is moved right
/// behind the reading, because an absent reading cannot be withdrawn.
fn withdrawn<'f>(effective: &Effective<'f>, node: &'f Node, found: &mut GraphFacts<'f>) {
    let mut retractions: Vec<(EventOrder<'f>, &'f Retraction, Vec<LinePlace<'f>>)> = Vec::new();
    for (filed, retraction) in &effective.withdrawn {
        let verdict = filed.event.verdict.clone();
        let fact = ReadingFact {
            dir: &node.dir,
            reading: filed.event,
            at: place(filed),
            verdict,
            counts: false,
            is_named: true,
        };
        let fact = reading(filed, fact);
        let own = timed(retraction, retraction.event.ts.millis);
        let order = if own < fact.order { EventOrder { late: true, ..fact.order } } else { own };
        found.events.push(fact);
        match retractions.iter_mut().find(|(_, known, _)| std::ptr::eq(*known, retraction.event)) {
            Some((known, _, readings)) => {
                *known = order.max(*known);
                readings.push(place(filed));
            }
            None => retractions.push((order, retraction.event, vec![place(filed)])),
        }
    }
    let withdrawal =
        |(order, retraction, readings)| GraphEvent { order, fact: GraphFact::Withdrawal(retraction, readings) };
    found.events.extend(retractions.into_iter().map(withdrawal));
}

/// The decisions of a node that count, repeated lines once.
fn decided<'f>(node: &'f Node, found: &mut GraphFacts<'f>) {
    let mut seen = HashSet::default();
    for (path, line) in node.ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)))
    {
        let Event::Decision(decision) = &line.event else { continue };
        let Some(ts) = decision.ts.filter(|_| counts(decision)) else { continue };
        if seen.insert(&*line.bytes) {
            let order = EventOrder {
                class: EventClass::Timed,
                ts: ts.millis,
                path: path.as_bstr(),
                line: line.number,
                late: false,
            };
            found.events.push(GraphEvent { order, fact: GraphFact::Decision(&node.dir, decision) });
        }
    }
}

/// Whether a decision is of a known kind and complete.
fn counts(decision: &Decision) -> bool {
    let is_known = GoalDecisionKind::parse(&decision.kind).is_some()
        || decision.waiver().is_some()
        || PatchDecisionKind::parse(&decision.kind).is_some();
    is_known && decision.wrong.is_empty()
}

/// The unreadable places in a node's files.
fn unread(node: &Node, missed: &mut Missed) {
    let mut say = |path: &RepoPath, line: u32, message: &str| {
        missed.push(PartialNote { path: path.to_string(), line, message: message.to_owned() });
    };
    for ledger in &node.ledgers {
        ledger.problems.iter().filter(|problem| !problem.advice).for_each(|problem| {
            say(&ledger.path, problem.at.line, &problem.message);
        });
    }
    let Some(file) = &node.file else { return };
    if file.cut_short {
        file.problems.iter().for_each(|problem| say(&file.path, problem.at.line, &problem.message));
    } else if let Goal::Invalid(faults) = &file.goal {
        faults.iter().for_each(|fault| say(&file.path, fault.at.line, &fault.message));
    }
}

fn place<'f, E>(filed: &FiledEvent<'f, E>) -> LinePlace<'f> {
    LinePlace { path: filed.ledger, line: filed.line }
}

fn timed<'f, E>(filed: &FiledEvent<'f, E>, ts: i64) -> EventOrder<'f> {
    EventOrder { class: EventClass::Timed, ts, path: filed.ledger.as_bstr(), line: filed.line, late: false }
}
