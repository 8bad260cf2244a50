//! The consequences of both gates: the matrix end to end, attempts and blocks.

use super::*;
use GoalDecisionKind::{Block, Pivot, Rework, Unblock};

/// One reading at second 5, before every decision of [`GoalFacts::decided`].
fn measured(value: f64) -> GoalFacts {
    one(reading(5).metric("accuracy", value))
}

/// One reading at second 50, after all of those decisions.
fn measured_again(value: f64) -> GoalFacts {
    one(reading(50).metric("accuracy", value))
}

/// The same facts with a failing trust gate.
fn untrusted(facts: GoalFacts) -> GoalFacts {
    let mut facts = facts;
    facts.scenarios.push(MeasuredScenario { name: "t".into(), reading: None });
    facts
}

#[test]
fn every_row_of_the_matrix_is_reached() {
    let goal = accurate();
    let blocked = |facts: GoalFacts| facts.decided(&goal, &[Block]);
    assert_eq!(said(&goal, &measured(0.95)), "SUCCESS ACCEPT");
    assert_eq!(said(&goal, &measured(0.85)), "PARTIAL PIVOT");
    assert_eq!(said(&goal, &blocked(measured(0.95))), "BLOCKED ESCALATE");
    assert_eq!(said(&goal, &untrusted(measured(0.95))), "PARTIAL REWORK");
    assert_eq!(said(&goal, &untrusted(measured(0.85))), "PARTIAL REWORK");
    assert_eq!(said(&goal, &untrusted(blocked(measured(0.95)))), "BLOCKED ESCALATE");
}

#[test]
fn without_a_contract_there_is_nothing_to_reach() {
    let evaluation = evaluate(&Goal::Unset, &measured(0.95), TERMS);
    assert_eq!((evaluation.status.as_str(), evaluation.status.is_fine()), ("NO_CONTRACT", true));
}

#[test]
fn a_contract_that_cannot_be_read_is_invalid_and_fails() {
    let versionless = |text: &str| {
        let text =
            format!("---\ngoal_contract:\n{text}  goal_text: g\n  acceptance_criteria:\n    - {{{ACCURACY}}}\n---\n");
        scenario::parse(&RepoPath::from_git("yatsu.md"), text.as_bytes(), &[]).goal
    };
    let wrong = [
        versionless(""),
        versionless("  version: 2\n"),
        goal(&[], ""),
        goal(&[ACCURACY, ACCURACY], ""),
        goal(&["id: A, kind: statistical_significance"], ""),
        goal(&["id: A, kind: metric_threshold, metric: a, op: '>=', target: nan"], ""),
        goal(&["id: A, kind: artifact_exists, artifactPattern: '../*.pkl'"], ""),
        goal(&["id: A, kind: finding_count, minCount: -1"], ""),
        goal(&["id: A, kind: finding_count, minCount: 1.5"], ""),
    ];
    for goal in wrong {
        let evaluation = evaluate(&goal, &measured(0.95), TERMS);
        assert_eq!((evaluation.status.as_str(), evaluation.status.is_fine()), ("INVALID", false), "{goal:?}");
        assert!(evaluation.gates.is_none() && !evaluation.blockers.is_empty());
    }
}

#[test]
fn what_is_sound_and_not_met_is_for_another_approach() {
    let gates = gates(&accurate(), &measured(0.85));
    assert_eq!((gates.attempt, gates.max_attempts), (1, 3));
    assert_eq!(said(&accurate(), &measured(0.85)), "PARTIAL PIVOT");
}

#[test]
fn the_last_attempt_that_was_made_and_does_not_meet_is_blocked() {
    let goal = accurate();
    let third = |facts: GoalFacts| facts.decided(&goal, &[Pivot, Pivot]);
    assert_eq!(said(&goal, &third(measured_again(0.85))), "BLOCKED ESCALATE");
    assert_eq!(said(&goal, &third(measured(0.85))), "PARTIAL PIVOT", "nothing was measured since it began");
    assert_eq!(said(&goal, &third(measured_again(0.95))), "SUCCESS ACCEPT");
    assert_eq!(said(&goal, &measured_again(0.85).decided(&goal, &[Pivot])), "PARTIAL PIVOT", "one is left");
    let unblocked = measured_again(0.85).decided(&goal, &[Pivot, Pivot, Unblock]);
    assert_eq!(said(&goal, &unblocked), "PARTIAL PIVOT");
    let once = super::goal(&[ACCURACY], "  max_goal_attempts: 1\n");
    assert_eq!(said(&once, &measured(0.85)), "BLOCKED ESCALATE", "the first one, which nobody began");
    let unblocked = |facts: GoalFacts| facts.decided(&once, &[Unblock]);
    assert_eq!(said(&once, &unblocked(measured(0.85))), "PARTIAL PIVOT");
    assert_eq!(said(&once, &unblocked(measured_again(0.85))), "BLOCKED ESCALATE");
}

#[test]
fn a_rework_leaves_the_attempt_as_it_is() {
    let goal = accurate();
    let facts = untrusted(measured(0.95)).decided(&goal, &[Rework; 5]);
    assert_eq!(said(&goal, &facts), "PARTIAL REWORK");
    assert_eq!(gates(&goal, &facts).attempt, 1);
    let last = untrusted(measured_again(0.85)).decided(&goal, &[Pivot, Pivot]);
    assert_eq!(said(&goal, &last), "PARTIAL REWORK", "the last attempt may still be reworked");
}

#[test]
fn a_block_and_evidence_that_is_not_sound_are_blocked() {
    let goal = accurate();
    assert_eq!(said(&goal, &untrusted(measured(0.95)).decided(&goal, &[Block])), "BLOCKED ESCALATE");
    let ended = measured(0.95).decided(&goal, &[Block, Unblock]);
    assert_eq!(said(&goal, &ended), "SUCCESS ACCEPT");
    assert_eq!(evaluate(&goal, &measured(0.95).decided(&goal, &[Block]), TERMS).blockers, ["blocked by who: why"]);
}

#[test]
fn an_eased_contract_begins_its_attempts_anew_and_says_so_and_a_reworded_one_goes_on() {
    let goal = accurate();
    let facts = measured(0.85).decided(&goal, &[Pivot, Pivot]);
    let eased = super::goal(&["id: AC1, kind: metric_threshold, metric: accuracy, op: '>=', target: 0.8"], "");
    let (before, after) = (gates(&goal, &facts), gates(&eased, &facts));
    assert_eq!((before.attempt, before.restarted), (3, false));
    assert_eq!((after.attempt, after.restarted), (1, true));
    let reworded = super::goal(&[&format!("{ACCURACY}, description: in other words")], "");
    assert_eq!((gates(&reworded, &facts).attempt, gates(&reworded, &facts).restarted), (3, false));
}

#[test]
fn nothing_is_reached_where_nothing_that_was_measured_speaks() {
    let any = super::goal(&["id: A, kind: artifact_exists, artifactPattern: '*.pkl'"], "");
    let mut facts = node(vec![]);
    facts.files.insert("A".into(), "m.pkl".into());
    assert_eq!(said(&any, &facts), "PARTIAL PIVOT");
    let terms = TrustTerms { threshold: 1, ..TERMS };
    let stale = GoalFacts { files: facts.files.clone(), ..one(reading(1).stale()) };
    assert_eq!(evaluate(&any, &stale, terms).status.as_str(), "PARTIAL");
}
