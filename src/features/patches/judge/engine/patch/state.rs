//! Computes the state of a branch from its facts: the first entry of [`ORDER`] that holds. All sentences with reasons are
//! here.

use super::lifecycle::PatchState;
use super::{PatchDecision, PatchDecisionKind, PatchFacts, Promotion, Proof, Touch};
use crate::text::escape::echo;
use crate::text::first_of;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The number of paths or scenarios that a sentence names.
const NAMED: usize = 3;

/// A test for a state: the reason if the state holds.
type Holds = fn(&PatchFacts) -> Option<String>;

/// The first state that holds wins. Settled states come first; conditions that make a decision worthless precede it.
const ORDER: [(PatchState, Holds); 7] = [
    (PatchState::Promoted, promoted),
    (PatchState::Rejected, rejected),
    (PatchState::Conflicted, conflicted),
    (PatchState::Stale, stale),
    (PatchState::Approved, approved),
    (PatchState::Evaluated, evaluated),
    (PatchState::AppliedInFork, applied),
];

/// The state of a branch, and its reason.
pub(super) fn derive(facts: &PatchFacts) -> (PatchState, String) {
    let first = ORDER.iter().find_map(|(state, holds)| Some((*state, holds(facts)?)));
    first.unwrap_or_else(|| (PatchState::Proposed, proposed(facts)))
}

pub(super) fn proof(facts: &PatchFacts) -> Option<Proof> {
    if facts.touches.is_empty() {
        return Some(Proof::NothingTouched);
    }
    let passes = |touch: &Touch| touch.eval.as_ref().is_some_and(|eval| eval.is_fresh && eval.is_pass);
    if !facts.reached.is_empty() {
        Some(Proof::GoalReached)
    } else if facts.touches.iter().all(passes) {
        Some(Proof::AllPass)
    } else {
        approved(facts).map(|_| Proof::Approval)
    }
}

/// The possible next states: the allowed ones without impossible ones. A branch that touches nothing is never measured and
/// never stale, a branch that touches something is measured before it is decided about, and a branch without proof should not be promoted.
pub(super) fn next(facts: &PatchFacts, state: PatchState, proof: Option<Proof>) -> Vec<PatchState> {
    let touches = !facts.touches.is_empty();
    let can_be = |to: &PatchState| match to {
        PatchState::Promoted => proof.is_some(),
        PatchState::Approved | PatchState::Rejected if state == PatchState::Proposed => !touches,
        PatchState::AppliedInFork | PatchState::Evaluated | PatchState::Stale => touches,
        _ => true,
    };
    state.next().iter().copied().filter(can_be).collect()
}

fn promoted(facts: &PatchFacts) -> Option<String> {
    let main = echo(&facts.main);
    facts.promotion.map(|promotion| match promotion {
        Promotion::Merged => format!("its commits are in {main}"),
        Promotion::Squashed => format!("its changes are in {main}: merging it would change nothing"),
    })
}

/// A rejection by any author counts, until its giver takes it back: a wrongly rejected patch is proposed again, a wrongly
/// promoted one is not reviewed again.
fn rejected(facts: &PatchFacts) -> Option<String> {
    facts.rejection().map(|one| said("rejected", one))
}

fn conflicted(facts: &PatchFacts) -> Option<String> {
    let paths = facts.conflicts.iter().map(shown);
    let conflicts = !facts.conflicts.is_empty();
    conflicts.then(|| format!("merging it with {} conflicts in {}", echo(&facts.main), first_of(paths, NAMED)))
}

fn stale(facts: &PatchFacts) -> Option<String> {
    let moved: BTreeSet<_> = facts.touches.iter().flat_map(|touch| &touch.moved).collect();
    if !moved.is_empty() {
        let paths = first_of(moved.into_iter().map(shown), NAMED);
        return Some(format!("{paths} changed in {} since it left", echo(&facts.main)));
    }
    // a branch that was measured again is evaluated again and waits for a new decision
    if facts.touches.is_empty() || facts.is_evaluated() {
        return None;
    }
    let lapsed = facts.decisions.iter().rfind(|one| one.kind == PatchDecisionKind::Approve);
    let missing = || unmeasured(facts, |touch| !touch.is_fresh());
    if let Some(approval) = lapsed {
        return Some(format!("no longer what {} approved: no fresh reading of {}", echo(&approval.by), missing()));
    }
    let was_evaluated = facts.touches.iter().all(Touch::is_measured_here);
    was_evaluated.then(|| format!("no longer what was evaluated: no fresh reading of {}", missing()))
}

/// An approval counts while the evaluation holds, and must stand in every touched node or name all content: a node touched
/// later was not reviewed. A branch that touches no scenario needs no evaluation.
fn approved(facts: &PatchFacts) -> Option<String> {
    let counts = |one: &&PatchDecision| {
        let is_about = one.is_current || one.covers;
        one.kind == PatchDecisionKind::Approve && is_about && facts.may_decide(&one.by)
    };
    if facts.touches.is_empty() {
        return facts.decisions.iter().filter(|one| one.covers).rfind(counts).map(|one| said("approved", one));
    }
    if !facts.is_evaluated() {
        return None;
    }
    let of = |touch: &Touch| {
        let mut here = facts.decisions.iter().filter(|one| one.covers || *one.node.as_bstr() == touch.node.dir);
        here.rfind(counts)
    };
    let all: Option<Vec<&PatchDecision>> = facts.touches.iter().map(of).collect();
    all?.into_iter().max_by_key(|one| &one.at).map(|one| said("approved", one))
}

fn evaluated(facts: &PatchFacts) -> Option<String> {
    facts.is_evaluated().then(|| {
        let failing = names_of(facts, |touch| !touch.eval.as_ref().is_some_and(|eval| eval.is_pass));
        let all = format!("{} it touches {} a fresh reading", scenarios(facts), have(facts.touches.len()));
        match failing.is_empty() {
            true => all,
            false => format!("{all}; failing: {}", first_of(failing, NAMED)),
        }
    })
}

fn applied(facts: &PatchFacts) -> Option<String> {
    let some = facts.touches.iter().any(Touch::is_measured_here);
    some.then(|| format!("no fresh reading of {}", unmeasured(facts, |touch| !touch.is_fresh())))
}

fn proposed(facts: &PatchFacts) -> String {
    match facts.touches.len() {
        0 => "it touches no scenario".to_owned(),
        _ => format!("not measured on this branch: {}", unmeasured(facts, |_| true)),
    }
}

fn said(what: &str, decision: &PatchDecision) -> String {
    format!("{what} by {} at {} ({})", echo(&decision.by), decision.at.ts, echo(&decision.reason))
}

fn scenarios(facts: &PatchFacts) -> String {
    match facts.touches.len() {
        1 => "the scenario".to_owned(),
        many => format!("all {many} scenarios"),
    }
}

fn have(number: usize) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

fn unmeasured(facts: &PatchFacts, which: impl Fn(&Touch) -> bool) -> String {
    first_of(names_of(facts, which), NAMED)
}

fn names_of(facts: &PatchFacts, which: impl Fn(&Touch) -> bool) -> Vec<String> {
    let touches = facts.touches.iter().filter(|touch| which(touch));
    touches.map(|touch| format!("{}/{}", echo(&touch.node.id), echo(&touch.scenario))).collect()
}

fn shown(path: &RepoPath) -> String {
    echo(&path.to_string()).into_owned()
}
