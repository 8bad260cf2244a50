//! Tests the state of a branch case by case, and against a slow second implementation on random facts.

mod oracle;

use super::*;
use crate::model::ledger::Timestamp;
use crate::model::reference::BY_HAND;

fn oid(digit: char) -> Oid {
    Oid::from_hex(digit.to_string().repeat(40).as_bytes()).expect("an id")
}

fn at(second: u32) -> FiledAt {
    let ts = Timestamp::parse(&format!("2026-01-01T00:00:{second:02}.000Z")).expect("a time");
    FiledAt { ts, ledger: RepoPath::from_git(".spec/n/yatsu.evals.ndjson"), line: second }
}

/// A branch that touches nothing.
fn nothing() -> PatchFacts {
    PatchFacts {
        branch: "feature".into(),
        tip: oid('1'),
        base: Some(oid('2')),
        main: "main".into(),
        files: vec![],
        touches: vec![],
        decisions: vec![],
        promotion: None,
        gaps: Vec::new(),
        conflicts: vec![],
        reached: vec![],
        require_other: false,
    }
}

fn touch(scenario: &str, eval: Option<PatchEval>) -> Touch {
    let node = NodeRef { dir: ".spec/n".into(), id: "n".into() };
    Touch { node, scenario: scenario.into(), filing: BY_HAND, eval, readings: EvidenceHash([0; 32]), moved: vec![] }
}

/// A fresh pass by Ann, filed on the branch.
fn pass() -> PatchEval {
    PatchEval { at: at(1), by: Some("Ann".into()), bytes: Vec::new(), is_fresh: true, is_own: true, is_pass: true }
}

fn stale() -> PatchEval {
    PatchEval { is_fresh: false, ..pass() }
}

/// A branch that touches these scenarios of one node.
fn touching(evals: &[Option<PatchEval>]) -> PatchFacts {
    let touches = evals.iter().enumerate().map(|(number, eval)| touch(&format!("s{number}"), eval.clone()));
    PatchFacts { touches: touches.collect(), ..nothing() }
}

fn decided(kind: PatchDecisionKind, by: &str) -> PatchDecision {
    PatchDecision {
        kind,
        node: RepoPath::from_git(".spec/n"),
        at: at(2),
        by: by.into(),
        reason: "looked at it".into(),
        commit: Some(oid('1')),
        is_current: true,
        names_content: false,
        covers: false,
    }
}

fn with(facts: PatchFacts, decisions: &[PatchDecision]) -> PatchFacts {
    PatchFacts { decisions: decisions.to_vec(), ..facts }
}

fn state(facts: PatchFacts) -> PatchState {
    Patch::of(facts).state
}

use PatchDecisionKind::{Approve, Reject};
use PatchState::{AppliedInFork, Approved, Conflicted, Evaluated, Promoted, Proposed, Rejected, Stale};

#[test]
fn without_a_reading_it_is_proposed() {
    let patch = Patch::of(touching(&[None]));
    assert_eq!(patch.state, Proposed);
    assert_eq!(patch.reason, "not measured on this branch: n/s0");
    assert_eq!(patch.next, [AppliedInFork, Stale, Conflicted], "nothing speaks for promoting it");
    let older = PatchEval { is_own: false, is_fresh: false, ..pass() };
    assert_eq!(state(touching(&[Some(older)])), Proposed, "what the base measured says nothing of it");
}

#[test]
fn a_branch_that_touches_no_scenario_stays_proposed_and_needs_no_proof() {
    let patch = Patch::of(nothing());
    assert_eq!((patch.state, patch.proof), (Proposed, Some(Proof::NothingTouched)));
    assert_eq!(patch.next, [Approved, Rejected, Promoted, Conflicted]);
    let old = with(nothing(), &[decided(Reject, "Bob"), decided(Approve, "Bob")]);
    assert_eq!(state(old), Proposed, "without content a decision is about scenarios");
    let about_content = |kind| PatchDecision { covers: true, ..decided(kind, "Bob") };
    assert_eq!(state(with(nothing(), &[about_content(Approve)])), Approved);
    assert_eq!(state(with(nothing(), &[about_content(Approve), about_content(Reject)])), Rejected);
}

#[test]
fn with_some_of_its_readings_it_is_applied_in_a_fork() {
    let patch = Patch::of(touching(&[Some(pass()), None]));
    assert_eq!(patch.state, AppliedInFork);
    assert_eq!(patch.reason, "no fresh reading of n/s1");
    assert_eq!(patch.next, [Evaluated, Stale, Conflicted]);
}

#[test]
fn with_a_fresh_reading_of_all_that_it_touches_it_is_evaluated() {
    let patch = Patch::of(touching(&[Some(pass()), Some(pass())]));
    assert_eq!((patch.state, patch.proof), (Evaluated, Some(Proof::AllPass)));
    assert_eq!(patch.reason, "all 2 scenarios it touches have a fresh reading");
    assert_eq!(patch.next, [Approved, Rejected, Promoted, Stale, Conflicted]);
    let failing = Patch::of(touching(&[Some(PatchEval { is_pass: false, ..pass() })]));
    assert_eq!((failing.state, failing.proof), (Evaluated, None), "a fail is an evaluation and no proof");
    assert_eq!(failing.reason, "the scenario it touches has a fresh reading; failing: n/s0");
}

#[test]
fn rejected_is_terminal_for_what_it_holds() {
    let rejected = with(touching(&[Some(pass())]), &[decided(Approve, "Bob"), decided(Reject, "Cid")]);
    let patch = Patch::of(rejected.clone());
    assert_eq!((patch.state, patch.next.len()), (Rejected, 0), "an approval beside it changes nothing");
    assert_eq!(patch.reason, "rejected by Cid at 2026-01-01T00:00:02.000Z (looked at it)");
    let mut other = rejected;
    other.decisions.iter_mut().for_each(|one| one.is_current = false);
    assert_eq!(state(other), Evaluated, "other content was not rejected");
}

#[test]
fn what_changed_since_it_was_approved_is_stale_until_it_is_measured_again() {
    let approved = with(touching(&[Some(pass())]), &[decided(Approve, "Bob")]);
    assert_eq!(state(approved.clone()), Approved);
    let mut changed = approved.clone();
    changed.touches[0].eval = Some(stale());
    changed.decisions[0].is_current = false;
    let patch = Patch::of(changed.clone());
    assert_eq!(patch.state, Stale);
    assert_eq!(patch.reason, "no longer what Bob approved: no fresh reading of n/s0");
    changed.touches[0].eval = Some(pass());
    assert_eq!(state(changed), Evaluated, "measured again it waits for a decision");
    let mut withdrawn = approved;
    withdrawn.touches[0].eval = None;
    assert_eq!(state(withdrawn), Stale, "an approval stands on what was evaluated");
}

#[test]
fn what_changed_since_it_was_evaluated_is_stale() {
    assert_eq!(state(touching(&[Some(pass()), Some(stale())])), Stale);
    assert_eq!(state(touching(&[Some(stale()), None])), AppliedInFork, "it never was evaluated");
}

#[test]
fn what_came_to_be_touched_since_was_not_approved() {
    let mut facts = with(touching(&[Some(pass())]), &[decided(Approve, "Bob")]);
    let elsewhere = NodeRef { dir: ".spec/m".into(), id: "m".into() };
    facts.touches.push(Touch { node: elsewhere, ..touch("other", Some(pass())) });
    assert_eq!(state(facts), Evaluated);
}

#[test]
fn what_moved_on_the_main_branch_makes_it_stale() {
    let mut facts = with(touching(&[Some(pass())]), &[decided(Approve, "Bob")]);
    facts.touches[0].moved = vec![RepoPath::from_git("src/a.rs")];
    let patch = Patch::of(facts);
    assert_eq!((patch.state, &*patch.reason), (Stale, "src/a.rs changed in main since it left"));
}

#[test]
fn what_holds_first_is_the_state() {
    let mut facts = with(touching(&[Some(pass())]), &[decided(Approve, "Bob")]);
    assert_eq!(state(facts.clone()), Approved);
    facts.touches[0].moved = vec![RepoPath::from_git("src/a.rs")];
    assert_eq!(state(facts.clone()), Stale);
    facts.conflicts = ["a", "b", "c", "d"].map(RepoPath::from_git).to_vec();
    let patch = Patch::of(facts.clone());
    assert_eq!((patch.state, &*patch.reason), (Conflicted, "merging it with main conflicts in a, b, c and 1 more"));
    facts.decisions.push(decided(Reject, "Cid"));
    assert_eq!(state(facts.clone()), Rejected);
    facts.promotion = Some(Promotion::Squashed);
    assert_eq!(state(facts), Promoted);
}

#[test]
fn what_is_promoted_without_proof_is_unproven() {
    let promoted = |facts| Patch::of(PatchFacts { promotion: Some(Promotion::Merged), ..facts });
    let fail = || Some(PatchEval { is_pass: false, ..pass() });
    assert!(promoted(touching(&[fail()])).is_unproven());
    assert!(promoted(touching(&[Some(pass()), None])).is_unproven());
    assert!(!promoted(touching(&[Some(pass())])).is_unproven());
    assert!(!promoted(nothing()).is_unproven());
    let approved = with(touching(&[fail()]), &[decided(Approve, "Bob")]);
    assert_eq!(promoted(approved).proof, Some(Proof::Approval));
    let mut reached = touching(&[None]);
    reached.reached = vec![reached.touches[0].node.clone()];
    assert_eq!(promoted(reached).proof, Some(Proof::GoalReached));
}

#[test]
fn where_another_must_decide_the_approval_of_who_measured_does_not_count() {
    let approved = |by: &str, measured_by: Option<&str>| {
        let eval = PatchEval { by: measured_by.map(str::to_owned), ..pass() };
        let facts = with(touching(&[Some(eval)]), &[decided(Approve, by)]);
        state(PatchFacts { require_other: true, ..facts })
    };
    assert_eq!(approved("Bob", Some("Ann")), Approved);
    assert_eq!(approved("ann ", Some("Ann")), Evaluated);
    assert_eq!(approved("Bob", None), Evaluated, "a reading that names nobody may be anybody's");
    assert_eq!(state(with(touching(&[Some(pass())]), &[decided(Approve, "Ann")])), Approved, "nobody asks for another");
    let own = with(touching(&[Some(pass())]), &[decided(Reject, "Ann")]);
    assert_eq!(state(PatchFacts { require_other: true, ..own }), Rejected, "a rejection is never too many");
}
