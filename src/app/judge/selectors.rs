//! Asks which units the selectors name in the judged state and in each base.
//!
//! A hook asks only about selectors touched by the change, in the file or in the list. In a base it asks only about
//! selectors without a unit in the judged state. So a hook parses no other file. Other readers ask about every selector.

use super::Question;
use super::states::States;
use super::verdict::Reader;
use crate::engine::selectors::{self, ListedSelector, SelectorFacts, UnaskedSelector, UnmetSelector};
use crate::error::Error;
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

/// The identity of a selector across states: the node's directory, the scenario with the list, and the entry as written.
type SelectorName = (RepoPath, Option<String>, String);

/// Fills the selector facts of every state.
pub(super) fn look(question: &Question<'_>, states: &mut States) {
    let (snapshot, book) = (question.snapshot, question.anchors.units());
    let asks_all = snapshot.bases.is_empty() || question.options.reader != Reader::Hook;
    let nodes = &states.view.workspace.nodes;
    let is_touched = |selector: &ListedSelector<'_>, file: &RepoPath| {
        let list = list_of(&nodes[selector.node], selector.scenario);
        let named = selector.entry.path.as_ref().ok();
        let places = || [Some(file), named, list].into_iter().flatten();
        asks_all || snapshot.bases.iter().any(|base| places().any(|path| base.changed.contains(path)))
    };
    let mut found = selectors::ask(&*snapshot.view, book, nodes, &is_touched);
    let asked: HashSet<SelectorName> =
        found.unmet.iter().map(|unmet| name(nodes, unmet.node, unmet.scenario, &unmet.entry)).collect();
    for (base, facts) in snapshot.bases.iter().zip(&mut states.bases) {
        facts.selectors = SelectorFacts::default();
        if asked.is_empty() && !asks_all {
            continue;
        }
        let before = &facts.workspace.nodes;
        let is_asked = |selector: &ListedSelector<'_>, _: &RepoPath| {
            asks_all || asked.contains(&name(before, selector.node, selector.scenario, selector.entry))
        };
        facts.selectors = selectors::ask(&*base.tree, book, before, &is_asked);
        // a selector that is unknown in the base may be no fault of the change
        for unasked in &facts.selectors.unasked {
            give_up(&mut found, nodes, name(before, unasked.node, unasked.scenario, &unasked.entry), &unasked.reason);
        }
    }
    states.view.selectors = found;
}

/// Moves a selector from unmet to unasked, because it is unknown whether the change introduced the problem.
fn give_up(found: &mut SelectorFacts, nodes: &[Node], unknown: SelectorName, reason: &Error) {
    let (known, given_up) = std::mem::take(&mut found.unmet)
        .into_iter()
        .partition(|unmet| name(nodes, unmet.node, unmet.scenario, &unmet.entry) != unknown);
    found.unmet = known;
    found.unasked.extend(given_up.into_iter().map(|unmet: UnmetSelector| UnaskedSelector {
        node: unmet.node,
        scenario: unmet.scenario,
        entry: unmet.entry,
        reason: reason.clone(),
    }));
}

/// The file with the `code:` list of a scenario, or of its node.
fn list_of(node: &Node, scenario: Option<usize>) -> Option<&RepoPath> {
    match scenario {
        Some(_) => node.file.as_ref().map(|file| &file.path),
        None => node.spec.as_ref().map(|spec| &spec.path),
    }
}

fn name(nodes: &[Node], node: usize, scenario: Option<usize>, entry: &Governed) -> SelectorName {
    let node = &nodes[node];
    let scenario = scenario.and_then(|number| Some(node.file.as_ref()?.scenarios.get(number)?.name.clone()));
    (node.dir.clone(), scenario, entry.shown())
}
