//! Finds the losses of a new state against a base: ledger lines that are not where they must be, and ledgers that the new
//! configuration no longer looks at. A hidden ledger could be edited unseen and shown again.

use super::gates;
use crate::engine::history::{self, Lost};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::model::ledger::Ledger;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// A state: all of its content, and the part that its own configuration shows.
#[derive(Clone, Copy)]
pub(crate) struct SeenState<'a> {
    /// The whole content, with ledgers that are out of sight.
    pub tree: &'a dyn Tree,
    /// The nodes in sight, with their ledgers.
    pub workspace: &'a Workspace,
}

/// Lost lines and hidden ledgers.
#[derive(Default)]
pub(crate) struct Losses {
    /// The lines that are not where they must be.
    pub(crate) lost: Vec<Lost>,
    /// The ledgers of the base that lie out of sight, each with its new path, which may be the old one.
    pub(crate) hidden: BTreeMap<RepoPath, RepoPath>,
}

/// The losses of `new` against `base`. A line of a hidden ledger is not lost, because it still exists.
///
/// # Errors
/// When a tree cannot be read.
pub(crate) fn of(new: SeenState<'_>, base: SeenState<'_>) -> Result<Losses> {
    let history::Missing { mut lost, mut left } = history::missing(new.workspace, base.workspace);
    let mut hidden = hidden_in_place(new, base.workspace)?;
    lost.retain(|line| !hidden.contains_key(&line.ledger));
    left.retain(|line| !hidden.contains_key(&line.ledger));
    if !lost.is_empty() || !left.is_empty() {
        left.extend(lost.iter().cloned());
        for (ledger, path) in moved_out_of_sight(new, base.tree, &left)? {
            lost.retain(|line| line.ledger != ledger);
            hidden.insert(ledger, path);
        }
    }
    Ok(Losses { lost, hidden })
}

/// The ledgers of `base` that kept their path, which the configuration of `new` no longer covers.
fn hidden_in_place(new: SeenState<'_>, base: &Workspace) -> Result<BTreeMap<RepoPath, RepoPath>> {
    let now = &new.workspace.config;
    let mut hidden = BTreeMap::new();
    if gates::same_sight(now, &base.config) {
        return Ok(hidden);
    }
    for ledger in base.nodes.iter().flat_map(|node| &node.ledgers) {
        let is_hidden = !ledger.raw.is_empty() && !workspace::is_ours(&ledger.path, now);
        if is_hidden && matches!(new.tree.kind(&ledger.path)?, Some(Kind::File | Kind::Exec)) {
            hidden.insert(ledger.path.clone(), ledger.path.clone());
        }
    }
    Ok(hidden)
}

/// The ledgers that held `gone` lines. Each is mapped to an out-of-sight file with such a line, new since `before`.
fn moved_out_of_sight(new: SeenState<'_>, before: &dyn Tree, gone: &[Lost]) -> Result<BTreeMap<RepoPath, RepoPath>> {
    let everywhere =
        Config { roots: vec![RepoPath::root()], exclude: Globs::default(), ..new.workspace.config.clone() };
    let mut found = BTreeMap::new();
    for file in workspace::catalog(new.tree, &everywhere)?.into_iter().flat_map(|files| files.ledgers) {
        let path = &file.0;
        if workspace::is_ours(path, &new.workspace.config) {
            continue;
        }
        let now = lines(workspace::ledger(new.tree, &file)?);
        let then = match before.entry(path)? {
            Some(entry) => lines(workspace::ledger(before, &(path.clone(), entry))?),
            None => HashSet::new(),
        };
        let is_here = |lost: &&Lost| now.contains(&*lost.line) && !then.contains(&*lost.line);
        found.extend(gone.iter().filter(is_here).map(|lost| (lost.ledger.clone(), path.clone())));
    }
    Ok(found)
}

fn lines(ledger: Ledger) -> HashSet<Rc<[u8]>> {
    ledger.raw.into_iter().collect()
}

/// The lines that the main branch released since `commit` left it; `main` is its tip. For example, main retires a node and
/// a branch merges main: the branch did not lose those lines.
///
/// # Errors
/// When a state cannot be read.
pub(crate) fn released(repo: &Repo, commit: &Oid, main: &Oid) -> Result<HashSet<Vec<u8>>> {
    let Some(fork) = repo.merge_base(commit, main)?.filter(|fork| fork != main) else { return Ok(HashSet::new()) };
    let (mut held, kept) = (filed(repo, &fork)?, filed(repo, main)?);
    held.retain(|line| !kept.contains(line));
    Ok(held)
}

/// Every ledger line of a commit that the commit's own configuration shows.
fn filed(repo: &Repo, commit: &Oid) -> Result<HashSet<Vec<u8>>> {
    let view = repo.commit_view(commit)?;
    let config = workspace::read_config(&*view).unwrap_or_default();
    let nodes = workspace::load(&*view, config, &Select::All)?.nodes;
    let lines = nodes.into_iter().flat_map(|node| node.ledgers).flat_map(|ledger| ledger.raw);
    Ok(lines.map(|line| line.to_vec()).collect())
}
