//! Walks over the new commits. If one commit adds evidence and a later one deletes it, the evidence still stays in the
//! history. Each commit is compared with its parents, so the cost follows the changes; each blob is read once.

use super::commits::Graph;
use crate::app::judge::snapshot::{AddedBlob, known_tree};
use crate::app::judge::stray::{self, KnownEvidence};
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

/// The trees of this number of commits stay in memory, because the next commit shares most of its trees.
const TREES_OF: usize = 128;

/// From this number of commits on, names are checked first: that reads every tree once, and most histories have no
/// evidence.
const MANY: usize = 256;

/// The walk over all tips of a push.
pub(crate) struct Walk<'r> {
    repo: &'r Repo,
    seen_commits: HashSet<usize>,
    seen_blobs: HashSet<(Oid, Option<RepoPath>)>,
    /// The configurations that judged the commits seen so far.
    judges: Vec<Config>,
    /// The trees of the visited commits, because the next commit mostly has one of them as its parent.
    trees: HashMap<Oid, Oid>,
    progress: Tell<'r>,
}

impl<'r> Walk<'r> {
    /// A walk that reports its position to `progress`.
    pub(crate) fn new(repo: &'r Repo, progress: Tell<'r>) -> Self {
        let (seen_commits, seen_blobs) = (HashSet::new(), HashSet::new());
        Self { repo, seen_commits, seen_blobs, judges: Vec::new(), trees: HashMap::new(), progress }
    }

    /// Forgets the visited commits, unless they were visited with the same `judges`: evidence that one tip allows may be
    /// forbidden in another.
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

    /// Visits the commits in `commits` that no earlier tip needed.
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

    /// Whether no evidence is known, and no name in the trees of these commits and their parents is typical of evidence.
    /// Then no difference between them has such a name.
    fn are_plain(&self, graph: &Graph, commits: &[usize], known: &KnownEvidence<'_>) -> bool {
        if known.any || commits.len() < MANY {
            return false;
        }
        let mut names = self.repo.names(stray::may_tell);
        let mut is_plain = |tree: Result<Oid>| tree.is_ok_and(|tree| names.are_plain(&tree));
        // newest first: lasting content is found at once, and packs store older trees as deltas of newer ones
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
        // without known evidence, the first push of a long history is checked by names only
        let asked = |path: &RepoPath| known.any || stray::is_telling(path);
        // a blob allowed at this path may be forbidden elsewhere
        let brought = brought(&sides, &asked).into_iter().filter(|blob| !(known.allowed)(&blob.path));
        let added: Vec<AddedBlob> = brought.filter(|blob| self.is_unseen(blob)).collect();
        for stray in stray::strays(self.repo, &added, known)? {
            found.strays.push(Stray { brings: BroughtBy::Commit(self.name(commit)?), ..stray });
        }
        Ok(())
    }

    /// The differences from each parent; from the empty tree without a parent.
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

    /// Whether the blob is new to the walk. A blob counts once, and once more under each path typical of evidence.
    fn is_unseen(&mut self, blob: &AddedBlob) -> bool {
        let telling = stray::is_telling(&blob.path);
        self.seen_blobs.insert((blob.id, telling.then(|| blob.path.clone())))
    }

    fn name(&self, commit: &NewCommit) -> Result<String> {
        let subject = self.repo.subject(&commit.id)?;
        Ok(if subject.is_empty() { commit.id.short() } else { format!("{} \"{}\"", commit.id.short(), echo(&subject)) })
    }
}

/// The blobs at the paths that `asked` accepts which no parent has.
fn brought(sides: &[Vec<PathChange>], asked: &dyn Fn(&RepoPath) -> bool) -> Vec<AddedBlob> {
    let mut seen: BTreeMap<&RepoPath, (usize, Oid)> = BTreeMap::new();
    for change in sides.iter().flatten().filter(|change| asked(&change.path)) {
        if let Some((_, id)) = change.new.filter(|(mode, _)| mode.is_blob()) {
            seen.entry(&change.path).or_insert((0, id)).0 += 1;
        }
    }
    // absent in every parent: a blob of one parent was checked when it was added there
    let everywhere = seen.into_iter().filter(|(_, (times, _))| *times == sides.len());
    everywhere.map(|(path, (_, id))| AddedBlob { path: path.clone(), id }).collect()
}
