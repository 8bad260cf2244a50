//! The ledger lines that a state lost of one that it is compared with: what the rule says of both workspaces, and what only
//! the whole trees can say. A line that seems to have left for good, and lies where none of our files is looked for, could
//! be edited there and brought back.

use crate::engine::history;
use crate::engine::history::Lost;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::model::workspace;
use crate::model::workspace::Workspace;
use crate::rules::Absence;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::HashSet;
use std::rc::Rc;

/// A state: all of its content, and what is ours of it.
#[derive(Clone, Copy)]
pub(crate) struct SeenState<'a> {
    /// Everything in it, ledgers that are out of sight among it.
    pub tree: &'a dyn Tree,
    /// The nodes that are looked for in it, with their ledgers.
    pub workspace: &'a Workspace,
}

/// A lost line.
pub(crate) struct Loss {
    /// The line, and where it was.
    pub line: Lost,
    /// What became of it.
    pub how: Absence,
}

/// The lines of `base` that `new` lost, in the order of `base`; those out of sight come last.
///
/// # Errors
/// When a tree cannot be read.
pub(crate) fn of(new: SeenState<'_>, base: SeenState<'_>) -> Result<Vec<Loss>> {
    let history::Missing { lost, left } = history::missing(new.workspace, base.workspace);
    let mut losses: Vec<Loss> = lost.into_iter().map(|line| Loss { line, how: Absence::Gone }).collect();
    if !left.is_empty() {
        losses.extend(out_of_sight(new, base.tree, left)?);
    }
    Ok(losses)
}

/// Those of the lines that left which a ledger holds that is none of the state's and did not hold them before.
fn out_of_sight(new: SeenState<'_>, before: &dyn Tree, mut left: Vec<Lost>) -> Result<Vec<Loss>> {
    let everywhere =
        Config { roots: vec![RepoPath::root()], exclude: Globs::default(), ..new.workspace.config.clone() };
    let mut found = Vec::new();
    for files in workspace::catalog(new.tree, &everywhere)? {
        let seen = new.workspace.node(&files.dir).map_or(&[][..], |node| &node.ledgers);
        for file in files.ledgers.iter().filter(|(path, _)| seen.iter().all(|ledger| ledger.path != *path)) {
            let path = &file.0;
            let now: HashSet<Rc<[u8]>> = workspace::ledger(new.tree, file)?.raw.into_iter().collect();
            let then: HashSet<Rc<[u8]>> = match before.entry(path)? {
                Some(entry) => workspace::ledger(before, &(path.clone(), entry))?.raw.into_iter().collect(),
                None => HashSet::new(),
            };
            let is_here = |lost: &mut Lost| now.contains(&*lost.line) && !then.contains(&*lost.line);
            found
                .extend(left.extract_if(.., is_here).map(|line| Loss { line, how: Absence::OutOfSight(path.clone()) }));
        }
    }
    Ok(found)
}
