//! Which state follows of the facts of a branch: what holds first of the row in [`ORDER`]. Every sentence that says why is
//! written here.

use super::lifecycle::PatchState;
use super::{PatchDecision, PatchDecisionKind, PatchFacts, Promotion, Proof, Touch};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// How many paths or scenarios a sentence names.
const NAMED: usize = 3;

/// A question to the facts: why a state holds, where it does.
type Holds = fn(&PatchFacts) -> Option<String>;

/// What holds first is the state. What is settled comes first; what would make a decision worthless comes before the decision.
const ORDER: [(PatchState, Holds); 7] = [
    (PatchState::Promoted, promoted),
    (PatchState::Rejected, rejected),
    (PatchState::Conflicted, conflicted),
    (PatchState::Stale, stale),
    (PatchState::Approved, approved),
    (PatchState::Evaluated, evaluated),
    (PatchState::AppliedInFork, applied),
];

/// The state of a branch, and why.
pub(super) fn derive(facts: &PatchFacts) -> (PatchState, String) {
    let first = ORDER.iter().find_map(|(state, holds)| Some((*state, holds(facts)?)));
    first.unwrap_or_else(|| (PatchState::Proposed, proposed(facts)))
}

/// What speaks for promoting it.
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

/// What may come next: what the table allows, without what cannot be. What touches nothing is never measured and so never
/// stale, and nothing is promoted for which nothing speaks.
pub(super) fn next(facts: &PatchFacts, state: PatchState, proof: Option<Proof>) -> Vec<PatchState> {
    let touches = !facts.touches.is_empty();
    let can_be = |to: &PatchState| match to {
        PatchState::Promoted => proof.is_some(),
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

/// A rejection counts whoever wrote it: what is refused wrongly is asked again, what is let in wrongly is not.
fn rejected(facts: &PatchFacts) -> Option<String> {
    if facts.touches.is_empty() {
        return None;
    }
    let is_current = |one: &&PatchDecision| one.kind == PatchDecisionKind::Reject && one.is_current;
    facts.decisions.iter().rfind(is_current).map(|one| said("rejected", one))
}

fn conflicted(facts: &PatchFacts) -> Option<String> {
    let paths = facts.conflicts.iter().map(shown);
    let conflicts = !facts.conflicts.is_empty();
    conflicts.then(|| format!("merging it with {} conflicts in {}", echo(&facts.main), named(paths)))
}

fn stale(facts: &PatchFacts) -> Option<String> {
    let moved: BTreeSet<_> = facts.touches.iter().flat_map(|touch| &touch.moved).collect();
    if !moved.is_empty() {
        let paths = named(moved.into_iter().map(shown));
        return Some(format!("{paths} changed in {} since it left", echo(&facts.main)));
    }
    // measured again is evaluated again: then it waits for a decision about what it holds now
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

/// An approval counts while what was evaluated stands, and in every node that is touched: what came to be touched since was
/// not looked at.
fn approved(facts: &PatchFacts) -> Option<String> {
    if !facts.is_evaluated() {
        return None;
    }
    let counts =
        |one: &&PatchDecision| one.kind == PatchDecisionKind::Approve && one.is_current && facts.may_decide(&one.by);
    let of = |touch: &Touch| {
        let mut here = facts.decisions.iter().filter(|one| *one.node.as_bstr() == touch.node.dir);
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
            false => format!("{all}; failing: {}", named(failing.into_iter())),
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
    named(names_of(facts, which).into_iter())
}

fn names_of(facts: &PatchFacts, which: impl Fn(&Touch) -> bool) -> Vec<String> {
    let touches = facts.touches.iter().filter(|touch| which(touch));
    touches.map(|touch| format!("{}/{}", echo(&touch.node.id), echo(&touch.scenario))).collect()
}

fn shown(path: &RepoPath) -> String {
    echo(&path.to_string()).into_owned()
}

/// The first few of some names, and how many more there are.
fn named(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
