//! What one commit did to the states of scenarios: the states at its first parent and its own in, one change a scenario out.

use super::states::{CommitStates, JudgedPart};
use crate::app::query::stands::{stand, state_of};
use crate::app::query::view::node_ref;
use crate::engine::effective::Effective;
use crate::engine::facts::{Facts, Score};
use crate::engine::redaction::Redactions;
use crate::engine::successors::{Successors, is_unreadable};
use crate::features::log::model::{OldPlace, StateChange, StateWord, Why};
use crate::model::ids::composed;
use crate::model::ledger::Reading;
use crate::model::node::{Declared, Node};
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A scenario in a state, with its score.
#[derive(Clone, Copy)]
struct ScoredScenario<'s> {
    declared: Declared<'s>,
    score: &'s Score,
}

/// Its directory, and its name as names are compared.
type ScenarioPlace<'s> = (&'s RepoPath, Cow<'s, str>);

/// The same, owned: a place in joined copies of the states.
type OwnedPlace = (RepoPath, String);

impl ScoredScenario<'_> {
    fn word(&self) -> StateWord {
        let (state, verdict) = state_of(self.score);
        StateWord::of(&state, verdict)
    }
}

/// The changes from `was` to `is`, by path and name.
pub(super) fn changes(was: &CommitStates, is: &CommitStates) -> Vec<StateChange> {
    let before: Vec<&Rc<JudgedPart>> = was.parts_unlike(is).collect();
    let after: Vec<&Rc<JudgedPart>> = is.parts_unlike(was).collect();
    let (old, mut new) = (scored(&before), scored(&after));
    let mut found = Vec::new();
    let (kept, gone): (Vec<_>, Vec<_>) = old.into_iter().partition(|(place, _)| new.contains_key(place));
    for (place, was) in kept {
        found.extend(new.remove(&place).and_then(|is| moved(was, is)));
    }
    let moves = if gone.is_empty() || new.is_empty() { BTreeMap::new() } else { renamed(&before, &after) };
    for ((dir, name), was) in gone {
        let to = moves.get(&(dir.clone(), name.into_owned()));
        match to.and_then(|(dir, name)| new.remove(&(dir, Cow::Borrowed(name)))) {
            Some(is) => found.push(rename(was, is)),
            None => {
                found.push(one_sided(was, true, if is_hidden(&after, was) { Why::Unreadable } else { Why::Dropped }))
            }
        }
    }
    for is in new.into_values() {
        found.push(one_sided(is, false, if is_hidden(&before, is) { Why::Unreadable } else { Why::New }));
    }
    found.sort_by(|one, other| (&one.node.dir, &one.scenario).cmp(&(&other.node.dir, &other.scenario)));
    found
}

/// Whether the other state has the scenario's file with a part that cannot be read, which may declare it.
fn is_hidden(other: &[&Rc<JudgedPart>], scenario: ScoredScenario<'_>) -> bool {
    other.iter().any(|part| is_unreadable(&part.facts, scenario.declared.node))
}

fn scored<'s>(parts: &[&'s Rc<JudgedPart>]) -> BTreeMap<ScenarioPlace<'s>, ScoredScenario<'s>> {
    let all = parts.iter().flat_map(|part| part.facts.scenarios());
    let with_place = |(node, scenario, score)| {
        let declared = Declared { node, scenario };
        (place(declared), ScoredScenario { declared, score })
    };
    all.map(with_place).collect()
}

fn place(of: Declared<'_>) -> ScenarioPlace<'_> {
    (&of.node.dir, composed(&of.scenario.name))
}

/// The new place of each scenario that has one: under another name in its node, or in another directory.
fn renamed(before: &[&Rc<JudgedPart>], after: &[&Rc<JudgedPart>]) -> BTreeMap<OwnedPlace, OwnedPlace> {
    let (earlier, later) = (joined(before), joined(after));
    let moved = Successors::of(&earlier, &later);
    let owned = |(dir, name): ScenarioPlace<'_>| (dir.clone(), name.into_owned());
    let mut places = BTreeMap::new();
    for (node, scenario, _) in earlier.scenarios() {
        let was = Declared { node, scenario };
        places.extend(moved.find(was).map(|now| (owned(place(was)), owned(place(now)))));
    }
    for part in after {
        for (node, filings) in part.facts.workspace.nodes.iter().zip(&part.facts.filings) {
            let at = |name: &str| owned((&node.dir, composed(name)));
            places.extend(filings.renamed.iter().map(|named| (at(&named.from), at(&named.to))));
        }
    }
    places
}

/// The nodes of all parts, as one state.
fn joined(parts: &[&Rc<JudgedPart>]) -> Facts {
    let all = parts.iter().flat_map(|part| part.facts.workspace.nodes.iter().zip(&part.facts.scores));
    let mut all: Vec<(&Node, &Vec<Score>)> = all.collect();
    all.sort_by(|(one, _), (other, _)| one.dir.cmp(&other.dir));
    let (nodes, scores) = all.into_iter().map(|(node, scores)| (node.clone(), scores.clone())).unzip();
    Facts { workspace: Workspace { nodes, ..Workspace::default() }, scores, ..Facts::default() }
}

/// The change of a scenario that both states have; `None` if its state is the same.
fn moved(was: ScoredScenario<'_>, is: ScoredScenario<'_>) -> Option<StateChange> {
    let (before, after) = (was.word(), is.word());
    (before != after).then(|| StateChange { was: Some(before), why: why(was, is, after), ..change(is) })
}

fn rename(was: ScoredScenario<'_>, is: ScoredScenario<'_>) -> StateChange {
    let Declared { node, scenario } = was.declared;
    let from = OldPlace { dir: node.dir.clone(), name: scenario.name.clone() };
    StateChange { was: Some(was.word()), why: Why::Renamed, from: Some(from), ..change(is) }
}

fn one_sided(of: ScoredScenario<'_>, is_gone: bool, why: Why) -> StateChange {
    let change = StateChange { why, ..change(of) };
    if is_gone {
        StateChange { was: change.is, is: None, axes: Vec::new(), moved: Vec::new(), ..change }
    } else {
        change
    }
}

/// A change to this state, from nothing.
fn change(is: ScoredScenario<'_>) -> StateChange {
    let Declared { node, scenario } = is.declared;
    let stand = stand(node, scenario, is.score);
    StateChange {
        node: node_ref(node),
        scenario: scenario.name.clone(),
        tags: scenario.tags.clone(),
        was: None,
        is: Some(is.word()),
        why: Why::Other,
        axes: stand.state.axes().to_vec(),
        moved: stand.moved.into_iter().chain(stand.test).collect(),
        from: None,
    }
}

fn why(was: ScoredScenario<'_>, is: ScoredScenario<'_>, after: StateWord) -> Why {
    let counted = |of: ScoredScenario<'_>| of.score.reading.clone();
    match (after, counted(was), counted(is)) {
        (StateWord::Unjudged, ..) => Why::Other,
        (_, _, Some(reading)) if !holds(was.declared.node, &reading) && after != StateWord::Stale => Why::Measured,
        (_, Some(reading), _) if is_taken_back(was.declared.node, is.declared, &reading) => Why::Withdrawn,
        // without its line, as a revert of the measuring commit leaves it
        (StateWord::Stale, Some(reading), _) if !holds(is.declared.node, &reading) => Why::Other,
        (StateWord::Stale, ..) => Why::Stale,
        (StateWord::Pass | StateWord::Fail | StateWord::Legacy, _, Some(_)) => Why::Returned,
        _ => Why::Other,
    }
}

/// Whether a ledger of the node has this reading.
fn holds(node: &Node, reading: &Reading) -> bool {
    node.readings().any(|line| line == reading)
}

/// Whether this reading of the scenario was retracted, or its line, which `was` has, redacted.
fn is_taken_back(was: &Node, is: Declared<'_>, reading: &Reading) -> bool {
    if holds(is.node, reading) {
        return !Effective::of(is.node).newest_first(&is.scenario.name).any(|filed| filed.event == reading);
    }
    let redactions = Redactions::of(&is.node.ledgers);
    let lines = was.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter(|line| line.event.reading() == Some(reading)).any(|line| redactions.cover(&line.bytes))
}
