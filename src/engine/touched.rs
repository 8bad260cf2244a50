//! Finds the scenarios that a branch touches, whether a state still has the decided content, and the paths that moved on
//! the main branch. States in, scenarios and paths out. Reads content only if ids differ.

use crate::engine::content::{Compared, Contents};
use crate::engine::effective::Effective;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::model::governed::Governed;
use crate::model::ids::same_name;
use crate::model::ledger::{MOST_SEARCHED, Reading, Stamped};
pub(crate) use crate::model::node::Declared;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::stamp::stamp_contradicts;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// A state with its relevant nodes, sorted by directory.
#[derive(Clone, Copy)]
pub(crate) struct PatchSide<'s> {
    pub(crate) tree: &'s dyn Tree,
    pub(crate) nodes: &'s [Node],
}

impl<'s> PatchSide<'s> {
    pub(crate) fn scenarios(self) -> impl Iterator<Item = Declared<'s>> {
        self.nodes.iter().flat_map(declared)
    }

    /// The same scenario in this state: in the same directory, or else unchanged in a directory of the same name.
    pub(crate) fn counterpart(self, of: Declared<'_>) -> Option<Declared<'s>> {
        let same = |one: &Declared<'s>| same_name(&one.scenario.name, &of.scenario.name);
        let at = self.nodes.binary_search_by(|node| node.dir.cmp(&of.node.dir)).ok();
        if let Some(at) = at {
            return declared(&self.nodes[at]).find(same);
        }
        let moved = |node: &&Node| node.dir.name() == of.node.dir.name();
        let as_it_was = |one: &Declared<'s>| same(one) && one.scenario.text_hash == of.scenario.text_hash;
        self.nodes.iter().filter(moved).flat_map(declared).find(as_it_was)
    }

    /// The scenarios of this state that `of` may have replaced: its counterpart or, for one that is new at its place, those
    /// that `nodes`, its own state, declare no more and that have its text or govern one of its files. So no scenario gets
    /// rid of its policy under another name.
    pub(crate) fn predecessors(self, of: Declared<'_>, nodes: &[Node]) -> Vec<Declared<'s>> {
        if let Some(same) = self.counterpart(of) {
            return vec![same];
        }
        let has = |nodes: &[Node], one: Declared<'_>| {
            let at = nodes.binary_search_by(|node| node.dir.cmp(&one.node.dir));
            at.is_ok_and(|at| nodes[at].scenario(&one.scenario.name).is_some())
        };
        let is_gone = |then: &Declared<'_>| !has(nodes, *then);
        let replaces = |then: &Declared<'_>| {
            let shares = |(entry, path): (&Governed, &RepoPath)| {
                usable(of).any(|(other, at)| entry.covers(at) || other.covers(path))
            };
            then.scenario.text_hash == of.scenario.text_hash || usable(*then).any(shares)
        };
        self.scenarios().filter(is_gone).filter(replaces).collect()
    }
}

pub(crate) fn declared(node: &Node) -> impl Iterator<Item = Declared<'_>> {
    node.scenarios().iter().map(move |scenario| Declared { node, scenario })
}

/// The scenarios of `nodes`, in the state behind `tip`, that differ from `base`: in their text, in the content they govern, in
/// the content that their list in `base` governs, or in content that a reading measured. So a shortened list hides nothing,
/// whichever change shortened it.
///
/// # Errors
/// Content that differs cannot be read.
pub(crate) fn touched<'m>(tip: &Contents<'_>, nodes: &'m [Node], base: PatchSide<'_>) -> Result<Vec<Declared<'m>>> {
    let mut found = Vec::new();
    for node in nodes {
        let effective = Effective::of(node);
        for one in declared(node) {
            if !is_same(tip, one, base)? || has_outdated(tip, &effective, one.scenario, base.tree)? {
                found.push(one);
            }
        }
    }
    Ok(found)
}

/// Whether a reading measured the content of `base` and not the content behind `tip`: a file that left the list differs, or
/// the test. A test without a stamp differs where the two states do.
fn has_outdated(tip: &Contents<'_>, effective: &Effective<'_>, scenario: &Scenario, base: &dyn Tree) -> Result<bool> {
    let holds = |tree: &dyn Tree, stamp: Option<&BTreeMap<RepoPath, Stamped>>| -> Result<bool> {
        Ok(stamp.map_or(Ok(Vec::new()), |stamp| stamp_contradicts(tree, stamp))?.is_empty())
    };
    for filed in effective.newest_first(&scenario.name).take(MOST_SEARCHED) {
        let stamps = [filed.event.governed.as_ref(), filed.event.test.as_ref().map(|test| &test.files)];
        let (mut was, mut is) = (true, true);
        for stamp in stamps {
            was = was && holds(base, stamp)?;
            is = is && was && holds(tip.view, stamp)?;
        }
        if was && !is || is_unstamped(filed.event) && has_other_test(tip, scenario, base)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_unstamped(reading: &Reading) -> bool {
    reading.test.as_ref().is_some_and(|test| test.files.is_empty())
}

fn has_other_test(tip: &Contents<'_>, scenario: &Scenario, base: &dyn Tree) -> Result<bool> {
    match scenario.test.as_ref().and_then(|entry| Some((entry, entry.path.as_ref().ok()?))) {
        Some((entry, path)) => Ok(tip.compare(base, entry, path)? != Compared::Same),
        None => Ok(true),
    }
}

/// Whether a scenario is the same in the state behind `tip` and in `other`.
///
/// # Errors
/// As [`touched`].
pub(crate) fn is_same(tip: &Contents<'_>, one: Declared<'_>, other: PatchSide<'_>) -> Result<bool> {
    let Some(there) = other.counterpart(one) else { return Ok(false) };
    if there.scenario.text_hash != one.scenario.text_hash {
        return Ok(false);
    }
    Ok(governs_same(tip, one, other.tree)? && governs_same(tip, there, other.tree)?)
}

/// Whether the content that `one` governs is the same in the state behind `tip` and in `other`. Needs no nodes of `other`,
/// so it can be asked before they are loaded.
///
/// # Errors
/// As [`touched`].
pub(crate) fn governs_same(tip: &Contents<'_>, one: Declared<'_>, other: &dyn Tree) -> Result<bool> {
    for (entry, path) in usable(one) {
        if tip.compare(other, entry, path)? != Compared::Same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The paths of a scenario that the main branch changed since `base` to other content than the content of `tip`. After a
/// merge the reading of the tip would be stale for these paths.
///
/// # Errors
/// As [`touched`].
pub(crate) fn moved(
    main: &Contents<'_>,
    of: Declared<'_>,
    [main_side, base, tip]: [PatchSide<'_>; 3],
) -> Result<Vec<RepoPath>> {
    let mut found = BTreeSet::new();
    for (entry, path) in usable(of) {
        let since = named(main.compare(base.tree, entry, path)?, path);
        let apart = named(main.compare(tip.tree, entry, path)?, path);
        found.extend(since.intersection(&apart).cloned());
    }
    let before = base.counterpart(of);
    let now = main_side.counterpart(before.unwrap_or(of));
    let text = |one: Option<Declared<'_>>| one.map(|one| one.scenario.text_hash);
    // a text that only the branch changed has not moved on main
    if text(now) != text(before) && text(now) != text(Some(of)) {
        let file = of.node.file.as_ref();
        found.extend(file.map(|file| file.path.clone()));
    }
    Ok(found.into_iter().collect())
}

/// The governed list of a scenario, with usable paths only.
fn usable(one: Declared<'_>) -> impl Iterator<Item = (&Governed, &RepoPath)> {
    governed(one.node, one.scenario).iter().filter_map(|entry| Some((entry, entry.path.as_ref().ok()?)))
}

fn named(compared: Compared, path: &RepoPath) -> BTreeSet<RepoPath> {
    match compared {
        Compared::Same => BTreeSet::new(),
        Compared::Appeared => BTreeSet::from([path.clone()]),
        Compared::Moved(paths) => paths.into_iter().collect(),
    }
}
