//! Finds the scenarios that a change touches, by comparing the judged state with the states before it.

use super::branch::TouchedPaths;
use super::states::{EarlierState, States};
use crate::engine::content::Contents;
use crate::engine::touched::{Declared, PatchSide, touched};
use crate::error::Result;
use crate::tree::path::RepoPath;

/// The scenarios of the judged state, with these contents, that differ from each of the earlier states `taken`.
///
/// # Errors
/// When content that must be compared cannot be read.
pub(crate) fn touched_since_all<'q>(
    states: &'q States,
    contents: &Contents<'q>,
    taken: &[EarlierState<'_>],
) -> Result<Vec<Declared<'q>>> {
    let mut found: Option<Vec<Declared<'q>>> = None;
    for from in taken {
        let here = touched_since(states, contents, *from)?;
        let is_here = |one: &Declared<'_>| here.iter().any(|other| std::ptr::eq(one.scenario, other.scenario));
        match &mut found {
            Some(found) => found.retain(is_here),
            None => found = Some(here),
        }
    }
    Ok(found.unwrap_or_default())
}

fn touched_since<'q>(
    states: &'q States,
    contents: &Contents<'q>,
    EarlierState { base, workspace }: EarlierState<'_>,
) -> Result<Vec<Declared<'q>>> {
    let paths = TouchedPaths::of(&base.changed);
    let then = |dir: &RepoPath| workspace.node(dir);
    let side = PatchSide { tree: &*base.tree, nodes: &workspace.nodes };
    let mut found = Vec::new();
    for node in &states.view.workspace.nodes {
        // an older reading may speak for the earlier state: then a file that left the list since touches the scenario
        let is_concerned =
            paths.touch(node) || paths.measured(node) || then(&node.dir).is_some_and(|then| paths.touch(then));
        if is_concerned {
            found.extend(touched(contents, std::slice::from_ref(node), side)?);
        }
    }
    Ok(found)
}
