//! Finds selectors that narrow nothing, because of their path or of other entries in the list. Input: a resolved list.
//! Output: the same list with these selectors marked. Whether the file holds the unit is not checked here.

use super::governed::{Found, Governed};
use super::links::{LinkEnd, trace};
use super::selector::SelectorFault;
use crate::error::Result;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::HashMap;

/// Marks the selectors of a resolved list that narrow nothing.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn mark_faults(tree: &dyn Tree, list: &mut [Governed]) -> Result<()> {
    if list.iter().all(|entry| entry.selector.is_none()) {
        return Ok(());
    }
    // counted once, because a list of a spec file has no limit
    let mut counts: HashMap<Meant<'_>, usize> = HashMap::new();
    list.iter().filter_map(meant).for_each(|meant| *counts.entry(meant).or_default() += 1);
    let faults = list.iter().map(|entry| fault(tree, entry, &counts)).collect::<Result<Vec<_>>>()?;
    for (entry, fault) in list.iter_mut().zip(faults) {
        entry.selector.iter_mut().for_each(|selector| selector.fault = fault);
    }
    Ok(())
}

/// A file, and the symbol that an entry means in it.
type Meant<'m> = (&'m RepoPath, Option<&'m str>);

fn meant(entry: &Governed) -> Option<Meant<'_>> {
    Some((entry.path.as_ref().ok()?, entry.selector.as_ref().map(|selector| selector.symbol.as_str())))
}

fn fault(tree: &dyn Tree, entry: &Governed, counts: &HashMap<Meant<'_>, usize>) -> Result<Option<SelectorFault>> {
    let Some((path, Some(symbol))) = meant(entry) else { return Ok(None) };
    let holder = match entry.found {
        Found::Glob | Found::GlobLimit => Some(SelectorFault::OfGlob),
        Found::Path | Found::Untracked => of_many(tree, path)?,
        _ => None,
    };
    Ok(match holder {
        Some(holder) => Some(holder),
        None if counts.contains_key(&(path, None)) => Some(SelectorFault::BesideFile),
        _ => (counts.get(&(path, Some(symbol))) > Some(&1)).then_some(SelectorFault::Repeated),
    })
}

/// Why the path can have no units: it holds files and is no file itself.
fn of_many(tree: &dyn Tree, path: &RepoPath) -> Result<Option<SelectorFault>> {
    let LinkEnd::At(_, entry) = trace(tree, path)?.end else { return Ok(None) };
    Ok(match entry.kind {
        Kind::Dir => Some(SelectorFault::OfDirectory),
        Kind::Submodule => Some(SelectorFault::OfSubmodule),
        Kind::File | Kind::Exec | Kind::Link => None,
    })
}
