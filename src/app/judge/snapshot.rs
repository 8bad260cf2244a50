//! What is judged and what it is compared with, as trees and differences.

use super::protection::PushTarget;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::repo::Repo;
use crate::repo::base_view::BaseView;
use crate::repo::change::PathChange;
use crate::repo::native::staged::Staged;
use crate::report::view::ScopeMode;
use crate::rules::Door;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Who made the content that a commit concludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MadeBy {
    /// Somebody, who can still take advice.
    #[default]
    Person,
    /// git, in a merge without conflicts: advice would come too late.
    CleanMerge,
}

/// One state to judge, with its bases.
pub(crate) struct Snapshot {
    /// How the report calls it.
    pub mode: ScopeMode,
    /// The judged state.
    pub view: Rc<dyn Tree>,
    /// The commit judged, where it is one.
    pub tip: Option<Oid>,
    /// What it is compared with: none for a whole state, HEAD, every parent of a merge, or the start of a range.
    pub bases: Vec<Base>,
    /// Who made what is judged.
    pub made_by: MadeBy,
    /// What it is judged by; `None` for the configuration in the view. A server does not let a push choose its judge.
    pub config: Option<Config>,
    /// Where it is judged, as far as a rule has a word in it.
    pub door: Door,
    /// The branch that it is pushed to, where it is.
    pub target: Option<PushTarget>,
    /// What it is compared with where it is asked what the branch takes; none where that is `bases`.
    pub takes_from: Vec<TakesBase>,
    /// The commits that a push or a range brings with `tip`.
    pub new_commits: Vec<Oid>,
}

/// One state that the judged one is compared with.
pub(crate) struct Base {
    /// The whole tree of the commit.
    pub tree: Rc<dyn Tree>,
    /// Its commit; `None` for the empty tree before the first commit.
    pub commit: Option<Oid>,
    /// The paths that differ between it and the judged state.
    pub changed: BTreeSet<RepoPath>,
    /// The blobs that the judged state holds at those paths.
    pub added: Vec<AddedBlob>,
    /// The tip of the main branch, where what main let go since it parted from this state is not asked of this state.
    pub main: Option<Oid>,
    /// Whether a branch that nobody protects was rewritten from this state: what its ledgers lost is advice.
    pub rewritten: bool,
}

/// A state that what a branch takes is compared with.
pub(crate) enum TakesBase {
    /// One of the bases, by its position.
    Base(usize),
    /// Another one.
    Other(Base),
}

/// A blob that a change brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedBlob {
    /// Where it lies.
    pub path: RepoPath,
    /// Its object id.
    pub id: Oid,
}

/// The index against one commit, before anything of it is read.
pub struct IndexDiff {
    /// The commit; `None` before the first one.
    pub commit: Option<Oid>,
    /// The tree of `commit`; `None` where nothing was committed yet.
    pub tree: Option<Oid>,
    /// What is staged.
    pub staged: Staged,
}

impl AddedBlob {
    /// The blobs that these changes bring.
    pub(crate) fn of(changes: &[PathChange]) -> Vec<Self> {
        let blob = |change: &PathChange| {
            let (mode, id) = change.new?;
            mode.is_blob().then(|| Self { path: change.path.clone(), id })
        };
        changes.iter().filter_map(blob).collect()
    }
}

impl Base {
    /// The base `tree`, of this commit, that differs from the judged state by these changes.
    pub(crate) fn of(tree: Rc<dyn Tree>, commit: Option<Oid>, changes: &[PathChange]) -> Self {
        let added = AddedBlob::of(changes);
        let changed = changes.iter().map(|change| change.path.clone()).collect();
        Self { tree, commit, changed, added, main: None, rewritten: false }
    }
}

impl Snapshot {
    /// Whether it changes nothing, and so introduces nothing; a row of commits may, and a state alone is judged as it is.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.door == Door::Commit && self.bases.iter().all(|base| base.changed.is_empty())
    }

    /// The paths that differ from every base: what this change itself did.
    pub(crate) fn changed_paths(&self) -> BTreeSet<RepoPath> {
        changed_in_all(&self.bases.iter().collect::<Vec<_>>())
    }

    /// Where it is asked what the branch takes, the states beside the bases.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Base> {
        self.takes_from.iter().filter_map(|from| match from {
            TakesBase::Base(_) => None,
            TakesBase::Other(base) => Some(base),
        })
    }

    /// Has it compared with `commits` where it is asked what the branch takes.
    pub(crate) fn take_from(&mut self, repo: &Repo, commits: &[Option<Oid>]) -> Result<()> {
        let Some(tip) = self.tip else { return Ok(()) };
        let tree = known_tree(repo, &tip)?;
        for commit in commits {
            self.takes_from.push(match self.bases.iter().position(|base| base.commit == *commit) {
                Some(at) => TakesBase::Base(at),
                None => TakesBase::Other(base(repo, *commit, tree, &self.view)?),
            });
        }
        Ok(())
    }

    /// The blobs that this change itself brings.
    pub(crate) fn added(&self) -> Vec<AddedBlob> {
        let changed = self.changed_paths();
        let first = self.bases.first().into_iter().flat_map(|base| &base.added);
        first.filter(|added| changed.contains(&added.path)).cloned().collect()
    }
}

/// The paths that differ from each of `bases`.
pub(crate) fn changed_in_all(bases: &[&Base]) -> BTreeSet<RepoPath> {
    let Some((first, others)) = bases.split_first() else { return BTreeSet::new() };
    let differs = |path: &&RepoPath| others.iter().all(|base| base.changed.contains(*path));
    first.changed.iter().filter(differs).cloned().collect()
}

/// The index against HEAD, and against the other parents of a merge in progress.
pub(crate) fn staged(repo: &Repo) -> Result<Snapshot> {
    of_staged(repo, &compare(repo)?)
}

/// What is staged, against HEAD first, then against the other parents of a merge in progress. A parent that another one
/// contains is no base, as at a push: with `git merge --no-ff main` on a branch behind main, main alone is compared.
///
/// # Errors
/// When it cannot be told, or a path is not merged yet.
pub fn compare(repo: &Repo) -> Result<Vec<IndexDiff>> {
    let head = repo.head()?;
    let others: Vec<Oid> = repo.merge_heads()?.into_iter().filter(|other| Some(*other) != head).collect();
    let mut parents: Vec<Oid> = head.into_iter().chain(others.iter().copied()).collect();
    if head.is_some() && !others.is_empty() {
        let newest = repo.independent(&parents)?;
        parents.retain(|parent| newest.contains(parent));
    }
    if parents.is_empty() {
        return Ok(vec![compare_with(repo, None)?]);
    }
    parents.into_iter().map(|commit| compare_with(repo, Some(commit))).collect()
}

fn compare_with(repo: &Repo, commit: Option<Oid>) -> Result<IndexDiff> {
    let tree = commit.map(|commit| known_tree(repo, &commit)).transpose()?;
    let staged = repo.staged(tree)?;
    if let Some(unmerged) = staged.changes.iter().find(|change| change.unmerged) {
        return Err(Error::unchecked(format!("{} is not merged yet", unmerged.path))
            .hint("resolve the conflict and git add the result"));
    }
    Ok(IndexDiff { commit, tree, staged })
}

/// The index with what was compared as its bases.
pub(crate) fn of_staged(repo: &Repo, compared: &[IndexDiff]) -> Result<Snapshot> {
    let view = repo.index_view()?;
    let base = |compared: &IndexDiff| {
        let own = compared.tree.map_or_else(Repo::empty_view, |tree| repo.tree_view(tree));
        let changes = &compared.staged.changes;
        Base::of(Rc::new(BaseView::new(own, Rc::clone(&view), changes).by_after()), compared.commit, changes)
    };
    let bases = compared.iter().map(base).collect();
    Ok(Snapshot { mode: ScopeMode::Staged, door: Door::Commit, bases, ..whole(view) })
}

/// The steps from these bases to `view`, all known as far as they will be asked for.
pub(crate) fn steps(view: Rc<dyn Tree>, bases: Vec<Base>) -> Snapshot {
    Snapshot { mode: ScopeMode::Staged, door: Door::Commit, bases, ..whole(view) }
}

/// The index against the commit where the branch left another one.
pub(crate) fn staged_since(repo: &Repo, fork: Oid) -> Result<Snapshot> {
    of_staged(repo, &[compare_with(repo, Some(fork))?])
}

/// The tree of a commit that must be here.
pub(crate) fn known_tree(repo: &Repo, commit: &Oid) -> Result<Oid> {
    repo.tree_of(commit)?.ok_or_else(|| repo.absent(commit))
}

/// The commit `tip` against `bases`; without a base, on its own.
pub(crate) fn commit(repo: &Repo, mode: ScopeMode, tip: Oid, bases: &[Option<Oid>]) -> Result<Snapshot> {
    let tree = known_tree(repo, &tip)?;
    let view = repo.tree_view(tree);
    let compared: Vec<Base> = bases.iter().map(|commit| base(repo, *commit, tree, &view)).collect::<Result<_>>()?;
    let door = if compared.is_empty() { Door::State } else { Door::Commit };
    Ok(Snapshot { mode, door, tip: Some(tip), bases: compared, ..whole(view) })
}

/// The base `commit` of the judged `tree`, which `view` shows.
fn base(repo: &Repo, commit: Option<Oid>, tree: Oid, view: &Rc<dyn Tree>) -> Result<Base> {
    let old = commit.map(|commit| known_tree(repo, &commit)).transpose()?;
    let changes = repo.tree_diff(old, Some(tree))?;
    let own = old.map_or_else(Repo::empty_view, |tree| repo.tree_view(tree));
    Ok(Base::of(Rc::new(BaseView::new(own, Rc::clone(view), &changes)), commit, &changes))
}

/// The working tree on its own; HEAD in a bare repository.
pub(crate) fn all(repo: &Repo) -> Result<Snapshot> {
    if repo.work_dir.is_none() {
        return match repo.head()? {
            Some(head) => commit(repo, ScopeMode::All, head, &[]),
            None => Ok(whole(Repo::empty_view())),
        };
    }
    Ok(whole(repo.worktree_view()?))
}

/// What is staged, where something is; else the whole index, for frameworks that run a hook by hand: a check that
/// looks at nothing would pass.
pub(crate) fn staged_or_index(repo: &Repo) -> Result<Snapshot> {
    let staged = staged(repo)?;
    if staged.bases.iter().all(|base| base.changed.is_empty()) { index(repo) } else { Ok(staged) }
}

/// The whole index on its own.
fn index(repo: &Repo) -> Result<Snapshot> {
    Ok(whole(repo.index_view()?))
}

/// The working tree against the commit where the branch left another one; against nothing before the first one.
pub(crate) fn since(repo: &Repo, fork: Option<Oid>) -> Result<Snapshot> {
    let tree = fork.map(|commit| known_tree(repo, &commit)).transpose()?;
    let view = repo.worktree_view()?;
    let own = tree.map_or_else(Repo::empty_view, |tree| repo.tree_view(tree));
    let mut base = Base::of(own, fork, &repo.staged(tree)?.changes);
    base.changed.extend(view.dirty()?);
    Ok(Snapshot { door: Door::Commit, bases: vec![base], ..whole(view) })
}

/// A view on its own.
pub(crate) fn whole(view: Rc<dyn Tree>) -> Snapshot {
    Snapshot {
        mode: ScopeMode::All,
        view,
        tip: None,
        bases: Vec::new(),
        made_by: MadeBy::Person,
        config: None,
        door: Door::State,
        target: None,
        takes_from: Vec::new(),
        new_commits: Vec::new(),
    }
}
