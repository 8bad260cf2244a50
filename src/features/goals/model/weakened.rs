//! Finds how a change of a contract weakens it. Every change counts that is not certainly stricter.

use crate::model::contract::{Contract, Criterion, CriterionKind, Op};
use crate::text::escape::echo;

/// The changes from `old` to `new` that are not certainly stricter, one sentence each.
pub(crate) fn weakened(old: &Contract, new: &Contract) -> Vec<String> {
    if old.content_hash() == new.content_hash() {
        return Vec::new();
    }
    let mut found = Vec::new();
    if old.goal_type != new.goal_type {
        found.push(format!("goal_type is {} and was {}", new.goal_type.as_str(), old.goal_type.as_str()));
    }
    if new.max_goal_attempts > old.max_goal_attempts {
        let (before, now) = (old.max_goal_attempts, new.max_goal_attempts);
        found.push(format!("max_goal_attempts is raised from {before} to {now}"));
    }
    for criterion in &old.criteria {
        let id = echo(&criterion.id);
        match new.criteria.iter().find(|other| other.id == criterion.id) {
            None => found.push(format!("criterion {id} is gone")),
            Some(other) if !asks_as_much(criterion, other) => {
                found.push(format!("criterion {id} asks for something else"))
            }
            Some(_) => {}
        }
    }
    found
}

/// Whether a result that meets `new` always meets `old`, as far as the two criteria alone show.
fn asks_as_much(old: &Criterion, new: &Criterion) -> bool {
    use CriterionKind::{FindingCount, MetricThreshold};
    if old.scenario != new.scenario {
        return false;
    }
    match (&old.kind, &new.kind) {
        (
            MetricThreshold { metric, op, target, unit },
            MetricThreshold { metric: new_metric, op: new_op, target: now, unit: new_unit },
        ) => {
            let kept = metric == new_metric && op == new_op && unit == new_unit;
            let is_stricter = match op {
                Op::AtLeast | Op::Above => now >= target,
                Op::AtMost | Op::Below => now <= target,
                Op::Equal | Op::NotEqual => now == target,
            };
            kept && is_stricter
        }
        (FindingCount { min_count }, FindingCount { min_count: now }) => now >= min_count,
        (before, now) => before == now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::contract::Goal;
    use crate::model::scenario;
    use crate::tree::path::RepoPath;
    use std::rc::Rc;

    const AT_LEAST: &str = "id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.9";

    fn contract(keys: &str, criteria: &[&str]) -> Rc<Contract> {
        let criteria: String = criteria.iter().map(|criterion| format!("    - {{{criterion}}}\n")).collect();
        let text = format!(
            "---\ngoal_contract:\n  version: 1\n  goal_text: g\n{keys}  acceptance_criteria:\n{criteria}scenarios:\n  \
             - name: s\n    description: d\n    expected: e\n    tags: [cli]\n---\n"
        );
        let file = scenario::parse(&RepoPath::from_git("yatsu.md"), text.as_bytes(), &[]);
        let Goal::Set(contract) = file.goal else { panic!("a contract: {:?}", file.problems) };
        contract
    }

    fn said(old: &[&str], new: &[&str]) -> Vec<String> {
        weakened(&contract("", old), &contract("", new))
    }

    #[test]
    fn what_can_only_be_stricter_is_not_weaker() {
        for (old, new) in [
            (AT_LEAST, "id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.95"),
            (
                "id: A, kind: metric_threshold, metric: m, op: '>', target: 1",
                "id: A, kind: metric_threshold, metric: m, op: '>', target: 2",
            ),
            (
                "id: A, kind: metric_threshold, metric: m, op: '<=', target: 2",
                "id: A, kind: metric_threshold, metric: m, op: '<=', target: 1",
            ),
            (
                "id: A, kind: metric_threshold, metric: m, op: '<', target: 2",
                "id: A, kind: metric_threshold, metric: m, op: '<', target: 1",
            ),
            ("id: A, kind: finding_count, minCount: 1", "id: A, kind: finding_count, minCount: 2"),
            (AT_LEAST, "description: in other words, id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.9"),
        ] {
            assert_eq!(said(&[old], &[new]), [""; 0], "{old} -> {new}");
        }
        assert_eq!(said(&[AT_LEAST], &[AT_LEAST, "id: B, kind: finding_count, minCount: 1"]), [""; 0]);
        assert_eq!(weakened(&contract("", &[AT_LEAST]), &contract("  max_goal_attempts: 1\n", &[AT_LEAST])), [""; 0]);
    }

    #[test]
    fn every_other_change_is() {
        for (old, new) in [
            (AT_LEAST, "id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.8"),
            (AT_LEAST, "id: A, kind: metric_threshold, metric: m, op: '>', target: 0.9"),
            (AT_LEAST, "id: A, kind: metric_threshold, metric: n, op: '>=', target: 0.9"),
            (AT_LEAST, "id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.9, unit: ms"),
            (AT_LEAST, "id: A, kind: metric_threshold, metric: m, op: '>=', target: 0.9, scenario: s"),
            (AT_LEAST, "id: A, kind: finding_count, minCount: 1"),
            (
                "id: A, kind: metric_threshold, metric: m, op: '<', target: 1",
                "id: A, kind: metric_threshold, metric: m, op: '<', target: 2",
            ),
            (
                "id: A, kind: metric_threshold, metric: m, op: '==', target: 1",
                "id: A, kind: metric_threshold, metric: m, op: '==', target: 2",
            ),
            ("id: A, kind: finding_count, minCount: 2", "id: A, kind: finding_count, minCount: 1"),
            ("id: A, kind: marker_required, marker: X", "id: A, kind: marker_required, marker: Y"),
            ("id: A, kind: artifact_exists, artifactPattern: a", "id: A, kind: artifact_exists, artifactPattern: '*'"),
        ] {
            assert_eq!(said(&[old], &[new]), ["criterion A asks for something else"], "{old} -> {new}");
        }
        assert_eq!(said(&[AT_LEAST, "id: B, kind: finding_count, minCount: 1"], &[AT_LEAST]), ["criterion B is gone"]);
        let plain = contract("", &[AT_LEAST]);
        let more = contract("  max_goal_attempts: 4\n", &[AT_LEAST]);
        assert_eq!(weakened(&plain, &more), ["max_goal_attempts is raised from 3 to 4"]);
        let typed = contract("  goal_type: eda\n", &[AT_LEAST]);
        assert_eq!(weakened(&typed, &plain), ["goal_type is custom and was eda"]);
    }
}
