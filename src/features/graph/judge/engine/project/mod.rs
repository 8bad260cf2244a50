//! Turns events into state ops, and ops into a graph. One event is one batch: if the graph refuses an op, the whole event
//! is left out and reported. The place and name of a node determine its id, and every relation is in the shape table.

mod patches;

use super::apply::{Graph, OpSink, Shapes};
use super::digest::LOCAL;
use super::occurrence::{
    EventOrder, FailureMeant, FilesMeant, GraphEvent, GraphFact, GraphFacts, LinePlace, LoggedFact, ReadingFact,
    RunEndFact, RunFact, ScenarioFact, subject,
};
use super::replay::{Missed, PartialNote};
use crate::features::graph::model::op::StateOp;
use crate::features::graph::model::value::Props;
use crate::features::graph::model::{node, shape};
use crate::finding::Axis;
use crate::model::contract::Contract;
use crate::model::ledger::{Decision, GoalDecisionKind, Reading, ReadingVerdict, Retraction, Status};
use crate::tree::path::RepoPath;
use foldhash::{HashMap, HashSet};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Projected {
    pub graph: Graph,
    /// The places that are not in the graph.
    pub missed: Missed,
}

pub fn project(facts: GraphFacts<'_>, mut each_op: Option<OpSink<'_>>) -> Projected {
    let GraphFacts { events, runs, frame, mut missed } = facts;
    let mut state = Projector {
        graph: Graph::with_capacity(events.len() * 2),
        runs,
        frame,
        twins: HashMap::default(),
        open: HashMap::default(),
        resolved: HashMap::default(),
        last_failure: HashMap::default(),
        named: HashMap::default(),
        goals: HashSet::default(),
        ops: Vec::new(),
    };
    for event in &events {
        state.event(event);
        let ops = std::mem::take(&mut state.ops);
        if let Err(wrong) = state.graph.apply_told(ops, Shapes::Derived, &mut each_op) {
            missed.push(refused(&event.order, &wrong));
        }
    }
    Projected { graph: state.graph, missed }
}

fn refused(order: &EventOrder<'_>, wrong: &str) -> PartialNote {
    PartialNote { path: order.path.to_string(), line: order.line.max(1), message: format!("its event {wrong}") }
}

struct Projector<'f> {
    graph: Graph,
    /// The ids of the runs that have a log, by name.
    runs: BTreeMap<String, String>,
    frame: Option<&'f str>,
    /// The number of readings and decisions with the same moment.
    twins: HashMap<String, u32>,
    /// The unresolved failures of each scenario.
    open: HashMap<String, Vec<String>>,
    resolved: HashMap<String, Vec<String>>,
    last_failure: HashMap<String, String>,
    named: HashMap<LinePlace<'f>, NamedReading>,
    goals: HashSet<&'f RepoPath>,
    /// The batch under construction.
    ops: Vec<StateOp>,
}

struct NamedReading {
    id: String,
    of: String,
}

impl<'f> Projector<'f> {
    fn event(&mut self, event: &GraphEvent<'f>) {
        match &event.fact {
            GraphFact::Goal(dir, contract) => self.goal(dir, contract),
            GraphFact::Scenario(fact) => self.scenario(fact),
            GraphFact::Reading(fact) => self.reading(fact),
            GraphFact::Withdrawal(retraction, readings) => self.withdrawal(retraction, readings),
            GraphFact::Decision(dir, decision) => self.decision(dir, decision),
            GraphFact::Run(run) => self.run(run),
            GraphFact::Logged(fact) => self.logged(fact),
            GraphFact::RunEnd(end) => self.run_end(end),
            GraphFact::Drift(at, axes) => self.drift(at, axes),
            GraphFact::Patch(patch) => self.patch(patch),
        }
    }

    fn goal(&mut self, dir: &'f RepoPath, contract: &Contract) {
        self.goals.insert(dir);
        let criteria: Vec<String> = contract.criteria.iter().map(|criterion| criterion.id.clone()).collect();
        let props = Props::new()
            .with("node", node::directory(dir))
            .with("text", &*contract.goal_text)
            .with("type", contract.goal_type.as_str())
            .with("attempts", contract.max_goal_attempts)
            .with("criteria", criteria)
            .with("contract", contract.content_hash().to_string());
        self.ops.push(StateOp::create(node::goal(dir), shape::GOAL, props));
    }

    fn scenario(&mut self, fact: &ScenarioFact<'f>) {
        let ScenarioFact { dir, scenario, has_goal, governs, references } = fact;
        let id = node::scenario(dir, &scenario.name);
        let props = Props::new()
            .with("node", node::directory(dir))
            .with("name", &*scenario.name)
            .with("expected", &*scenario.expected)
            .with("tags", scenario.tags.clone());
        self.ops.push(StateOp::create(&*id, shape::TASK, props));
        if *has_goal {
            self.ops.push(StateOp::relate(&*id, shape::SERVES, node::goal(dir)));
        }
        self.files(&id, shape::GOVERNS, governs);
        self.files(&id, shape::REFERENCES, references);
    }

    /// Relates files to a node, missing ones too: the dangling relation shows the defect.
    fn files(&mut self, id: &str, rel: &str, files: &FilesMeant) {
        for path in &files.here {
            let file = node::file(path);
            self.once(&file, shape::FILE, || Props::new().with("path", path.to_string()));
            self.ops.push(StateOp::relate(id, rel, file));
        }
        for path in &files.absent {
            self.ops.push(StateOp::relate(id, rel, node::file(path)));
        }
    }

    fn reading(&mut self, fact: &ReadingFact<'f>) {
        let reading = fact.reading;
        let (of, id) = (subject(fact), self.twin(|twin| node::reading(fact.dir, &reading.scenario, reading.ts, twin)));
        self.ops.push(StateOp::create(&*id, shape::OBSERVATION, reading_props(fact)));
        let scenario = format!("scenario:{of}");
        if let Some(run) = &reading.terms.run {
            self.produced_in(run.as_str(), &id, &scenario);
        }
        self.ops.push(StateOp::relate(&*id, shape::OBSERVES, &*scenario));
        self.artifacts(&id, reading);
        if let Some(commit) = reading.code_sha {
            let commit = node::commit(&commit);
            self.once(&commit, shape::COMMIT, Props::new);
            self.ops.push(StateOp::relate(&*id, shape::PRODUCED_BY, commit));
        }
        self.by(&id, reading.by.as_deref());
        match fact.verdict {
            ReadingVerdict::Measured(Status::Fail) => self.failed(fact, &of, &id),
            ReadingVerdict::Measured(Status::Pass) if fact.counts => self.passed(&of, &id),
            ReadingVerdict::Measured(Status::Pass) | ReadingVerdict::Legacy => {}
        }
        if fact.is_named {
            self.named.insert(fact.at, NamedReading { id, of });
        }
    }

    fn produced_in(&mut self, run: &str, reading: &str, scenario: &str) {
        let logged = self.runs.get(run);
        let id = logged.cloned().unwrap_or_else(|| node::run(run));
        if logged.is_none() {
            self.once(&id, shape::RUN, Props::new);
        }
        self.ops.push(StateOp::relate(&*id, shape::PRODUCES, reading));
        if !self.graph.has_relation(&id, shape::PRODUCED_BY, scenario) {
            self.ops.push(StateOp::relate(id, shape::PRODUCED_BY, scenario));
        }
    }

    fn artifacts(&mut self, id: &str, reading: &Reading) {
        let pieces = reading.evidence.iter().map(|piece| (piece.hash, piece.kind.as_str()));
        let timeline = reading.timeline.map(|hash| (hash, "timeline"));
        let written = reading.measures.artifacts.values().map(|hash| (*hash, "artifact"));
        let mut seen = Vec::new();
        for (hash, kind) in pieces.chain(timeline).chain(written) {
            if seen.contains(&hash) {
                continue;
            }
            seen.push(hash);
            let artifact = node::artifact(&hash.to_string());
            self.once(&artifact, shape::ARTIFACT, || Props::new().with("kind", kind));
            self.ops.push(StateOp::relate(id, shape::REFERENCES, artifact));
        }
    }

    fn failed(&mut self, fact: &ReadingFact<'f>, of: &str, reading: &str) {
        let id = node::failure_of(reading);
        let by_budget = fact.reading.verdict != fact.verdict;
        let props = Props::new()
            .with("node", node::directory(fact.dir))
            .with("scenario", &*fact.reading.scenario)
            .with("ts", fact.reading.ts.to_string())
            .with_some("cause", by_budget.then_some("budget"))
            .with_some("note", fact.reading.note.as_deref());
        self.ops.push(StateOp::create(&*id, shape::FAILURE, props));
        self.ops.push(StateOp::relate(reading, shape::OBSERVES, &*id));
        if self.goals.contains(fact.dir) {
            self.ops.push(StateOp::relate(&*id, shape::BLOCKS, node::goal(fact.dir)));
        }
        self.last_failure.insert(of.to_owned(), id.clone());
        self.open.entry(of.to_owned()).or_default().push(id);
    }

    fn passed(&mut self, of: &str, reading: &str) {
        for failure in self.open.remove(of).into_iter().flatten() {
            let props = Props::new().with("resolved_by", reading);
            self.ops.push(StateOp::UpdateNode { id: failure.clone(), props });
            self.ops.push(StateOp::relate(reading, shape::ADDRESSES, &*failure));
            self.resolved.entry(reading.to_owned()).or_default().push(failure);
        }
    }

    /// Marks withdrawn readings with the reason, and their failures too.
    fn withdrawal(&mut self, retraction: &Retraction, readings: &[LinePlace<'f>]) {
        let why = || {
            let said = Props::new()
                .with("ts", retraction.ts.to_string())
                .with_some("note", retraction.note.as_deref())
                .with_some("by", retraction.by.as_deref());
            Props::new().with("retracted", said)
        };
        for NamedReading { id, of } in readings.iter().filter_map(|at| self.named.remove(at)) {
            let failure = node::failure_of(&id);
            let failed = self.graph.node(&failure).is_some();
            for id in std::iter::once(id).chain(failed.then(|| failure.clone())) {
                self.ops.push(StateOp::UpdateNode { id: id.clone(), props: why() });
                self.ops.push(StateOp::TombstoneNode { id });
            }
            self.open.entry(of.clone()).and_modify(|open| open.retain(|open| *open != failure));
            if self.last_failure.get(&of) == Some(&failure) {
                self.last_failure.remove(&of);
            }
        }
    }

    fn decision(&mut self, dir: &'f RepoPath, decision: &Decision) {
        let Some(ts) = decision.ts else { return };
        let id = self.twin(|twin| node::decision(dir, ts, twin));
        let props = Props::new()
            .with("node", node::directory(dir))
            .with("decision", &*decision.kind)
            .with("ts", ts.to_string())
            .with_some("scenario", decision.scenario.as_deref())
            .with_some("contract", decision.contract.map(|hash| hash.to_string()))
            .with_some("readings", decision.readings.map(|hash| hash.to_string()))
            .with_some("score", decision.score.map(u32::from))
            .with_some("reason", decision.reason.as_deref());
        self.ops.push(StateOp::create(&*id, shape::DECISION, props));
        let goal = || node::goal(dir);
        let relation = match (GoalDecisionKind::parse(&decision.kind), &decision.scenario) {
            (Some(GoalDecisionKind::Complete), _) => Some(StateOp::relate(goal(), shape::APPROVED_BY, &*id)),
            (Some(GoalDecisionKind::Review), _) => Some(StateOp::relate(goal(), shape::VALIDATED_BY, &*id)),
            (Some(GoalDecisionKind::Unblock), _) => Some(StateOp::relate(&*id, shape::REFERENCES, goal())),
            (Some(_), _) => Some(StateOp::relate(goal(), shape::REJECTED_BY, &*id)),
            (None, Some(name)) => Some(StateOp::relate(&*id, shape::REFERENCES, node::scenario(dir, name))),
            (None, None) => None,
        };
        self.ops.extend(relation);
        self.by(&id, decision.by.as_deref());
    }

    fn run(&mut self, run: &RunFact<'f>) {
        let props = Props::new()
            .with("log", run.log.to_string())
            .with("profile", run.profile)
            .with("status", "open")
            .with_some("began", run.began.as_deref());
        self.ops.push(StateOp::create(&*run.id, shape::RUN, props));
        self.framed(&run.id);
    }

    fn run_end(&mut self, end: &RunEndFact) {
        let props = Props::new().with("status", &*end.status).with_some("ended", end.ended.as_deref());
        self.ops.push(StateOp::UpdateNode { id: end.run.clone(), props });
    }

    fn logged(&mut self, fact: &LoggedFact) {
        self.ops.push(StateOp::create(&*fact.id, fact.kind, fact.props.clone()));
        self.ops.push(StateOp::relate(&*fact.id, shape::PRODUCED_BY, &*fact.run));
        self.framed(&fact.id);
        let failure = fact.failure.as_ref().map(|failure| match failure {
            FailureMeant::Exact(id) => id.clone(),
            FailureMeant::LastOf(of) => self.last_failure.get(of).cloned().unwrap_or_else(|| format!("failure:{of}")),
        });
        self.ops.extend(failure.map(|failure| StateOp::relate(&*fact.id, shape::EXPLAINS, failure)));
    }

    fn framed(&mut self, id: &str) {
        let Some(name) = self.frame else { return };
        let frame = node::frame(name);
        self.once(&frame, shape::FRAME, || Props::new().with(LOCAL, true));
        self.ops.push(StateOp::relate(id, shape::CONTAINED_IN_FRAME, frame));
    }

    fn drift(&mut self, at: &LinePlace<'f>, axes: &[Axis]) {
        let Some(reading) = self.named.get(at) else { return };
        let stale = |axis: &Axis| StateOp::MarkStale { id: reading.id.clone(), reason: axis.as_str().to_owned() };
        self.ops.extend(axes.iter().map(stale));
    }

    /// Relates a node to its author.
    fn by(&mut self, id: &str, name: Option<&str>) {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return };
        let actor = node::actor(name);
        self.once(&actor, shape::ACTOR, || Props::new().with("name", name));
        self.ops.push(StateOp::relate(id, shape::PRODUCED_BY, actor));
    }

    /// Creates a node that many events name, at the first of them.
    fn once(&mut self, id: &str, kind: &str, props: impl FnOnce() -> Props) {
        let is_new = |op: &StateOp| matches!(op, StateOp::CreateNode { id: known, .. } if known == id);
        if self.graph.node(id).is_none() && !self.ops.iter().any(is_new) {
            self.ops.push(StateOp::create(id, kind, props()));
        }
    }

    /// The id of the next reading or decision with the same moment.
    fn twin(&mut self, id: impl Fn(u32) -> String) -> String {
        let first = id(1);
        if self.graph.node(&first).is_none() {
            return first;
        }
        let twin = self.twins.entry(first).or_insert(1);
        *twin += 1;
        id(*twin)
    }
}

fn reading_props(fact: &ReadingFact<'_>) -> Props {
    let reading = fact.reading;
    let spelled = |verdict: &ReadingVerdict| match verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy => "legacy",
    };
    let differs = reading.verdict != fact.verdict;
    Props::new()
        .with("node", node::directory(fact.dir))
        .with("scenario", &*reading.scenario)
        .with("ts", reading.ts.to_string())
        .with("verdict", spelled(&reading.verdict))
        .with_some("effective", differs.then(|| spelled(&fact.verdict)))
        .with_some("evaluator", reading.evaluator.as_deref())
        .with_some("attempt", reading.terms.attempt)
        .with_some("note", reading.note.as_deref())
}
