//! Explains a file: its scenarios, their last readings, the failures in these, hypotheses about the failures, and
//! decisions. A graph and scenarios in, a tree of ids out, the newest first at every level.

use super::apply::Graph;
use super::lineage::{Neighbours, WalkStep, Way};
use crate::features::graph::model::shape;
use foldhash::HashSet;
use std::cmp::Reverse;

/// The number of readings of each scenario, and of resolved failures, that are shown; open failures are all shown.
const LAST: usize = 3;

pub fn why<'g>(graph: &'g Graph, scenarios: &[String]) -> Vec<WalkStep<'g>> {
    let teller =
        Teller { graph, down: Neighbours::of(graph, Way::Down, false), up: Neighbours::of(graph, Way::Up, false) };
    let mut steps = Vec::new();
    for id in scenarios {
        teller.scenario(id, &mut steps);
    }
    steps
}

pub fn governors<'g>(graph: &'g Graph, file: &str) -> Vec<&'g str> {
    Neighbours::of(graph, Way::Up, false).by(file, shape::GOVERNS)
}

struct Teller<'g> {
    graph: &'g Graph,
    down: Neighbours<'g>,
    up: Neighbours<'g>,
}

impl<'g> Teller<'g> {
    fn scenario(&self, id: &str, steps: &mut Vec<WalkStep<'g>>) {
        let Some(number) = self.graph.ids.find(id) else { return };
        let id = self.graph.ids.name(number);
        steps.push(WalkStep { depth: 0, rel: None, id });
        let readings = self.newest(self.up.by(id, shape::OBSERVES));
        for reading in readings.iter().take(LAST) {
            steps.push(WalkStep { depth: 1, rel: Some(shape::OBSERVES), id: reading });
        }
        let seen = readings.iter().flat_map(|reading| self.down.by(reading, shape::OBSERVES));
        let failures = self.newest(seen.filter(|seen| self.is(seen, shape::FAILURE)).collect());
        let told = failures.iter().enumerate().filter(|(at, failure)| *at < LAST || self.is_open(failure));
        for (_, failure) in told {
            self.failure(failure, steps);
        }
        let decisions = self.decisions(id, &failures);
        steps.extend(decisions.into_iter().map(|(rel, id)| WalkStep { depth: 1, rel: Some(rel), id }));
    }

    fn failure(&self, id: &'g str, steps: &mut Vec<WalkStep<'g>>) {
        steps.push(WalkStep { depth: 1, rel: Some(shape::OBSERVES), id });
        for rel in [shape::EXPLAINS, shape::ADDRESSES] {
            let found = self.newest(self.up.by(id, rel));
            steps.extend(found.into_iter().map(|id| WalkStep { depth: 2, rel: Some(rel), id }));
        }
    }

    /// The decisions about the goal that a scenario serves, about the scenario, and about patches that address its
    /// failures.
    fn decisions(&self, scenario: &str, failures: &[&'g str]) -> Vec<(&'g str, &'g str)> {
        let goals = self.down.by(scenario, shape::SERVES);
        let patches = failures.iter().flat_map(|failure| self.up.by(failure, shape::ADDRESSES));
        let subjects: Vec<&str> = goals.iter().copied().chain(patches).collect();
        let verdicts = [shape::APPROVED_BY, shape::REJECTED_BY, shape::VALIDATED_BY];
        let of =
            |subject: &&'g str| self.down.next(subject).filter(|(rel, _)| verdicts.contains(rel)).collect::<Vec<_>>();
        let mut found: Vec<(&str, &str)> = subjects.iter().flat_map(of).collect();
        let references = |id: &str| self.up.next(id).filter(|(rel, _)| *rel == shape::REFERENCES).collect::<Vec<_>>();
        found.extend(goals.iter().flat_map(|goal| references(goal)).chain(references(scenario)));
        found.retain(|(_, id)| self.is(id, shape::DECISION));
        let mut once = HashSet::default();
        found.retain(|(_, id)| once.insert(*id));
        found.sort_by_key(|(_, id)| Reverse(self.age(id)));
        found
    }

    fn is(&self, id: &str, kind: &str) -> bool {
        self.graph.node(id).is_some_and(|node| *node.kind == *kind)
    }

    fn is_open(&self, id: &str) -> bool {
        self.graph.node(id).is_some_and(|node| node.props.text("resolved_by").is_none())
    }

    /// The sort key: time, then id, which gives the same order on every machine.
    fn age(&self, id: &'g str) -> (&'g str, &'g str) {
        let ts = self.graph.node(id).and_then(|node| node.props.text("ts"));
        (ts.unwrap_or_default(), id)
    }

    fn newest(&self, mut ids: Vec<&'g str>) -> Vec<&'g str> {
        ids.sort_by_key(|id| Reverse(self.age(id)));
        ids.dedup();
        ids
    }
}
