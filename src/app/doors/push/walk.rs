//! The new commits one after the other. Purpose: evidence that one of them adds, although a later one deletes it again,
//! is in the history for good. Each commit is compared with its parents, so the cost is that of what they changed; each
//! blob is looked at once.

use super::commits::Graph;
use crate::app::judge::snapshot::{AddedBlob, known_tree};
use crate::app::judge::stray;
use crate::app::judge::stray::KnownEvidence;
use crate::app::progress::{ProgressStep, Tell};
use crate::error::Result;
use crate::model::config::Config;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::program::NewCommit;
use crate::rules::{Between, BroughtBy, Stray};
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The trees of so many commits are kept: the next commit shares most of its own with the one before.
const TREES_OF: usize = 128;

/// From so many commits on they are first looked at for names alone: that reads every tree there is once, and most histories
/// have nothing of ours.
const MANY: usize = 256;

/// The walk over all tips of a push.
pub(crate) struct Walk<'r> {
    repo: &'r Repo,
    seen_commits: HashSet<usize>,
    seen_blobs: HashSet<(Oid, Option<RepoPath>)>,
    /// What the commits seen so far were judged by.
    judges: Vec<Config>,
    /// The trees of the commits that were looked at: the next one mostly has one of them as its parent.
    trees: HashMap<Oid, Oid>,
    progress: Tell<'r>,
}

impl<'r> Walk<'r> {
    /// A walk that tells `progress` which of how many commits it is at.
    pub(crate) fn new(repo: &'r Repo, progress: Tell<'r>) -> Self {
        let (seen_commits, seen_blobs) = (HashSet::new(), HashSet::new());
        Self { repo, seen_commits, seen_blobs, judges: Vec::new(), trees: HashMap::new(), progress }
    }

    /// Forgets which commits were looked at, unless that was by the same `judges`: what one tip allows says nothing about
    /// another one.
    pub(crate) fn judged_by(&mut self, judges: Vec<Config>) {
        if self.judges != judges {
            self.seen_commits.clear();
            self.seen_blobs.clear();
            self.judges = judges;
        }
    }

    fn tell(&self, what: &'static str, done: usize, graph: &Graph) {
        (self.progress)(ProgressStep::Count { what, done, of: graph.len() });
    }

    /// Looks at those of `commits` that no tip before this one needed.
    pub(crate) fn over(&mut self, graph: &Graph, commits: &[usize], known: &KnownEvidence<'_>) -> Result<Between> {
        let mut found = Between::default();
        if self.are_plain(graph, commits, known) {
            self.seen_commits.extend(commits);
        }
        for at in commits {
            if self.seen_commits.insert(*at) {
                self.tell("looking at new commit", self.seen_commits.len(), graph);
                self.commit(graph, *at, known, &mut found)?;
                if self.seen_commits.len().is_multiple_of(TREES_OF) {
                    self.repo.forget_trees();
                }
            }
        }
        Ok(found)
    }

    /// Whether no evidence is known, and the trees of these commits and of their parents have no name that tells of evidence:
    /// then no difference of any two of them has one.
    fn are_plain(&self, graph: &Graph, commits: &[usize], known: &KnownEvidence<'_>) -> bool {
        if known.any || commits.len() < MANY {
            return false;
        }
        let mut names = self.repo.names(stray::may_tell);
        let mut is_plain = |tree: Result<Oid>| tree.is_ok_and(|tree| names.are_plain(&tree));
        // the newest first: what came to stay is met at once, and packs hold older trees by what differs from newer ones
        commits.iter().rev().enumerate().all(|(done, at)| {
            if done.is_multiple_of(TREES_OF) {
                self.tell("looking at new commit", done + 1, graph);
            }
            let NewCommit { id, parents, tree } = graph.get(*at);
            let tree = tree.map_or_else(|| known_tree(self.repo, id), Ok);
            let mut old = parents.iter().filter(|parent| !graph.has(parent));
            is_plain(tree) && old.all(|parent| is_plain(known_tree(self.repo, parent)))
        })
    }

    fn commit(&mut self, graph: &Graph, at: usize, known: &KnownEvidence<'_>, found: &mut Between) -> Result<()> {
        let commit = graph.get(at);
        let sides = self.sides(commit)?;
        // where nothing is known of evidence, a first push of a long history is looked at by names alone
        let asked = |path: &RepoPath| known.any || stray::is_telling(path);
        // what may lie where it lies says nothing about the same bytes elsewhere
        let brought = brought(&sides, &asked).into_iter().filter(|blob| !(known.allowed)(&blob.path));
        let added: Vec<AddedBlob> = brought.filter(|blob| self.is_unseen(blob)).collect();
        for stray in stray::strays(self.repo, &added, known)? {
            found.strays.push(Stray { brings: BroughtBy::Commit(self.name(commit)?), ..stray });
        }
        Ok(())
    }

    /// What differs from each parent; from nothing where there is none.
    fn sides(&mut self, commit: &NewCommit) -> Result<Vec<Vec<PathChange>>> {
        if let Some(tree) = commit.tree {
            self.trees.insert(commit.id, tree);
        }
        let new = Some(self.tree(&commit.id)?);
        if commit.parents.is_empty() {
            return Ok(vec![self.repo.tree_diff(None, new)?]);
        }
        let mut sides = Vec::with_capacity(commit.parents.len());
        for parent in &commit.parents {
            let old = self.tree(parent)?;
            sides.push(self.repo.tree_diff(Some(old), new)?);
        }
        Ok(sides)
    }

    fn tree(&mut self, commit: &Oid) -> Result<Oid> {
        if let Some(known) = self.trees.get(commit) {
            return Ok(*known);
        }
        let tree = known_tree(self.repo, commit)?;
        self.trees.insert(*commit, tree);
        Ok(tree)
    }

    /// A blob counts once, but under a name that says something it counts under that name, too.
    fn is_unseen(&mut self, blob: &AddedBlob) -> bool {
        let telling = stray::is_telling(&blob.path);
        self.seen_blobs.insert((blob.id, telling.then(|| blob.path.clone())))
    }

    fn name(&self, commit: &NewCommit) -> Result<String> {
        let subject = self.repo.subject(&commit.id)?;
        Ok(if subject.is_empty() { commit.id.short() } else { format!("{} \"{}\"", commit.id.short(), echo(&subject)) })
    }
}

/// The blobs at those paths that are `asked` for, and are there in no parent.
fn brought(sides: &[Vec<PathChange>], asked: &dyn Fn(&RepoPath) -> bool) -> Vec<AddedBlob> {
    let mut seen: BTreeMap<&RepoPath, (usize, Oid)> = BTreeMap::new();
    for change in sides.iter().flatten().filter(|change| asked(&change.path)) {
        if let Some((_, id)) = change.new.filter(|(mode, _)| mode.is_blob()) {
            seen.entry(&change.path).or_insert((0, id)).0 += 1;
        }
    }
    // against every parent: what one of them has was looked at when it came there
    let everywhere = seen.into_iter().filter(|(_, (times, _))| *times == sides.len());
    everywhere.map(|(path, (_, id))| AddedBlob { path: path.clone(), id }).collect()
}
