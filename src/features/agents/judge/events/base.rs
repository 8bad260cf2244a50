//! The base of a session: what its work tree held at the first event.

use super::Scored;
use super::memory::{Base, BaseScenario, JudgedBase};
use super::short_hash::ShortHash;
use crate::engine::watched::watched;
use crate::error::Result;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::resolve::matches;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// HEAD, for a session that was not seen from its start: its first edit was already made.
pub(super) fn of_head(repo: &Repo) -> Result<Base> {
    Ok(Base { head: repo.head()?.map(|id| id.to_string()), judged: None })
}

/// The judged work tree; HEAD, if it is too large to be remembered.
pub(super) fn of_worktree(repo: &Repo, scored: &Scored) -> Result<Base> {
    let base = of_head(repo)?;
    let judged = match dirty(repo, scored, &base)? {
        Some(dirty) => JudgedBase::of(scenarios(scored), &dirty),
        None => None,
    };
    Ok(Base { judged, ..base })
}

fn scenarios(scored: &Scored) -> Vec<BaseScenario> {
    let all = scored.facts.scenarios();
    all.map(|(node, scenario, score)| {
        let name = ShortHash::of_scenario(&node.dir, &scenario.name);
        BaseScenario::of(name, &scenario.text_hash.0, score.is_fresh())
    })
    .collect()
}

/// The governed and measured paths, and the scenario files, with other content than HEAD's. `None` if the content of one is
/// unknown.
fn dirty(repo: &Repo, scored: &Scored, base: &Base) -> Result<Option<BTreeMap<ShortHash, Option<Oid>>>> {
    let head = tree_of(repo, base.head())?;
    let view = &*scored.snapshot.view;
    let mut paths = GovernedPaths::default();
    let mut found = BTreeMap::new();
    for node in &scored.facts.workspace.nodes {
        let mut all: BTreeSet<RepoPath> = node.file.iter().map(|file| file.path.clone()).collect();
        for scenario in node.scenarios() {
            all.extend(paths.of(watched(node, scenario), &[view, &*head])?);
        }
        // a file that leaves the list later, and the test, are compared, too
        all.extend(node.readings().flat_map(Reading::stamped_paths));
        for path in all {
            let (now, then) = (view.entry(&path)?, head.entry(&path)?);
            let Some(now) = known(now) else { return Ok(None) };
            if Some(now) != known(then) {
                found.insert(ShortHash::of_path(&path), now);
            }
        }
    }
    Ok(Some(found))
}

/// The directories of the nodes with a spec or scenario file that differs from HEAD's.
pub(super) fn dirty_nodes(repo: &Repo, scored: &Scored) -> Result<Vec<RepoPath>> {
    let head = tree_of(repo, repo.head()?)?;
    let mut dirty = Vec::new();
    for node in &scored.facts.workspace.nodes {
        let files = node.file.iter().map(|file| &file.path).chain(node.spec.iter().map(|spec| &spec.path));
        for path in files {
            if scored.snapshot.view.entry(path)? != head.entry(path)? {
                dirty.push(node.dir.clone());
            }
        }
    }
    Ok(dirty)
}

/// The tree of a commit; the empty one without a commit.
pub(super) fn tree_of(repo: &Repo, commit: Option<Oid>) -> Result<Rc<dyn Tree>> {
    commit.map_or_else(|| Ok(repo.tree_view(None)), |commit| repo.commit_view(&commit))
}

/// The id of the content; `None` if only an external filter could say it.
pub(super) fn known(entry: Option<Entry>) -> Option<Option<Oid>> {
    entry.map_or(Some(None), |entry| entry.id.map(Some))
}

/// An entry as written, and the path that it means: the path of a test may be written from its node.
type EntryKey = (String, Option<RepoPath>);

/// The files that governed entries name, found once for each entry.
#[derive(Default)]
pub(super) struct GovernedPaths {
    found: BTreeMap<EntryKey, Vec<RepoPath>>,
}

impl GovernedPaths {
    /// The files that `list` names in any of `trees`, which are the same at each call.
    pub(super) fn of<'g>(
        &mut self,
        list: impl Iterator<Item = &'g Governed>,
        trees: &[&dyn Tree],
    ) -> Result<BTreeSet<RepoPath>> {
        let mut all = BTreeSet::new();
        for entry in list {
            let key = (entry.text.clone(), entry.path.as_ref().ok().cloned());
            if let Some(known) = self.found.get(&key) {
                all.extend(known.iter().cloned());
                continue;
            }
            let mut paths = Vec::new();
            for tree in trees {
                paths.extend(matches(*tree, entry)?.into_iter().map(|(path, _)| path));
            }
            self.found.insert(key, paths.clone());
            all.extend(paths);
        }
        Ok(all)
    }
}
