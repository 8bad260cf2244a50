//! Contracts and measurements written as data, and the results of the gates. The second implementation is in `oracle`.

mod attempts;
mod criteria;
mod oracle;
mod trust;

use super::decisions::{DecidedOn, GoalDecision, GoalDecisions};
use super::facts::{GoalBytes, GoalFacts, GoalFreshness, GoalOutcome, GoalReading, MeasuredScenario};
use super::trust::TrustTerms;
use super::{Evaluation, Gates, evaluate};
use crate::engine::budget::FiledAt;
use crate::model::contract::Goal;
use crate::model::ledger::{EvidenceHash, GoalDecisionKind, Measures, Timestamp};
use crate::model::scenario;
use crate::text::markers::{FindingCounts, Marked, MarkerName, Shown};
use crate::text::number::Finite;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The terms of the gates in the default configuration.
const TERMS: TrustTerms = TrustTerms { threshold: 80, require_review: false };

/// The contract with these criteria, in YAML's flow style, and these other keys.
fn goal(criteria: &[&str], keys: &str) -> Goal {
    let criteria: String = criteria.iter().map(|criterion| format!("    - {{{criterion}}}\n")).collect();
    let text = format!(
        "---\ngoal_contract:\n  version: 1\n  goal_text: g\n{keys}  acceptance_criteria:\n{criteria}scenarios:\n  \
         - name: s\n    description: d\n    expected: e\n    tags: [cli]\n  \
         - name: t\n    description: d\n    expected: e\n    tags: [cli]\n---\n"
    );
    let file = scenario::parse(&RepoPath::from_git(".spec/n/yatsu.md"), text.as_bytes(), &[]);
    file.goal
}

/// `accuracy` of at least 0.9.
const ACCURACY: &str = "id: AC1, kind: metric_threshold, metric: accuracy, op: '>=', target: 0.9";

/// A contract with the criterion [`ACCURACY`].
fn accurate() -> Goal {
    goal(&[ACCURACY], "")
}

fn at(second: u32) -> FiledAt {
    let ts = Timestamp::parse(&format!("2026-01-01T00:00:{second:02}.000Z")).expect("a time");
    FiledAt { ts, ledger: RepoPath::from_git("l"), line: second }
}

fn number(value: f64) -> Finite {
    Finite::new(value).expect("a finite number")
}

/// A fresh pass of this second. Its text is here and agrees with its line; both are empty.
fn reading(second: u32) -> GoalReading {
    GoalReading {
        at: at(second),
        by: Some("filer".into()),
        freshness: GoalFreshness::Fresh,
        outcome: GoalOutcome::Pass,
        has_evidence: true,
        records: Measures::default(),
        bytes: GoalBytes::Say(Shown::default()),
        absent: BTreeSet::new(),
        is_unheld: false,
    }
}

impl GoalReading {
    /// The same with a metric in its line and its text.
    fn metric(mut self, name: &str, value: f64) -> Self {
        self.both(|marked| {
            marked.metrics.insert(name.into(), number(value));
            marked.markers.insert(MarkerName::parse(&format!("METRIC:{name}")).expect("a marker"));
        });
        self
    }

    fn unit(mut self, name: &str, unit: &str) -> Self {
        self.both(|marked| {
            marked.units.insert(name.into(), unit.into());
        });
        self
    }

    fn marker(mut self, name: &str) -> Self {
        self.both(|marked| {
            marked.markers.insert(MarkerName::parse(name).expect("a marker"));
        });
        self
    }

    fn findings(mut self, counts: FindingCounts) -> Self {
        self.both(|marked| marked.findings = counts);
        self
    }

    fn both(&mut self, change: impl Fn(&mut Marked)) {
        change(&mut self.records.marked);
        if let GoalBytes::Say(shown) = &mut self.bytes {
            change(&mut shown.marked);
        }
    }

    fn of(self, outcome: GoalOutcome) -> Self {
        Self { outcome, ..self }
    }

    fn stale(self) -> Self {
        Self { freshness: GoalFreshness::Stale("code: src/a.rs".into()), ..self }
    }

    fn unknown(self) -> Self {
        Self { freshness: GoalFreshness::Unknown("a shallow clone".into()), ..self }
    }
}

/// `total` findings with `verified` verified ones; the others lack an interval and an effect size.
fn findings(total: u64, verified: u64) -> FindingCounts {
    let bare = total - verified;
    FindingCounts { total, verified, shared: 0, without_ci: bare, without_effect: bare }
}

/// A node with the scenarios `s`, `t` and `u`, and these readings of them.
fn node(readings: Vec<Option<GoalReading>>) -> GoalFacts {
    let names = ["s", "t", "u"];
    let scenario = |(name, reading): (&&str, Option<GoalReading>)| MeasuredScenario { name: (*name).into(), reading };
    GoalFacts {
        node: "n".into(),
        scenarios: names.iter().zip(readings).map(scenario).collect(),
        files: BTreeMap::new(),
        near: BTreeMap::new(),
        reports: RepoPath::from_git("reports/n"),
        shown: BTreeSet::new(),
        unsound: Vec::new(),
        decisions: GoalDecisions::default(),
        readings: EvidenceHash([9; 32]),
    }
}

/// A node with one reading.
fn one(reading: GoalReading) -> GoalFacts {
    node(vec![Some(reading)])
}

impl GoalFacts {
    /// The same with these decisions about the contract, in this order, a second apart from second 10 on.
    fn decided(mut self, goal: &Goal, kinds: &[GoalDecisionKind]) -> Self {
        let contract = goal.contract().expect("a contract").content_hash();
        // each about other readings, because something was measured in between
        let on = |second: u32| DecidedOn { contract, readings: EvidenceHash([u8::try_from(second).expect("few"); 32]) };
        let decision = |(kind, second): (&GoalDecisionKind, u32)| GoalDecision {
            kind: *kind,
            at: at(second),
            on: on(second),
            by: "who".into(),
            reason: Some("why".into()),
            score: None,
        };
        self.decisions = GoalDecisions::new(kinds.iter().zip(10..).map(decision).collect());
        self
    }
}

fn gates(goal: &Goal, facts: &GoalFacts) -> Gates {
    evaluate(goal, facts, TERMS).gates.expect("a contract")
}

/// The result of both gates as `STATUS ACTION`.
fn said(goal: &Goal, facts: &GoalFacts) -> String {
    let Evaluation { status, gates, .. } = evaluate(goal, facts, TERMS);
    format!("{} {}", status.as_str(), gates.expect("a contract").action.as_str())
}
