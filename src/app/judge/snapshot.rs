//! The judged state and the states that it is compared with, as trees and differences.

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

/// The author of the content that a commit concludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MadeBy {
    /// A person, who can still take advice.
    #[default]
    Person,
    /// Git, in a merge without conflicts: advice would come too late.
    CleanMerge,
}

/// The content to score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScoredContent {
    /// The working tree; HEAD in a bare repository.
    #[default]
    WorkTree,
    /// The content of the next commit.
    Staged,
    /// The tree of this revision, as git spells revisions.
    Rev(String),
}

/// One state to judge, with its bases.
pub(crate) struct Snapshot {
    /// The name of the scope in the report.
    pub mode: ScopeMode,
    /// The judged state.
    pub view: Rc<dyn Tree>,
    /// The judged commit, if it is a commit.
    pub tip: Option<Oid>,
    /// The compared states: none for a whole state, else HEAD, every parent of a merge, or the start of a range.
    pub bases: Vec<Base>,
    /// The author of the judged content.
    pub made_by: MadeBy,
    /// The configuration to judge by; `None` for the one in the view. A server sets it, so that a push cannot choose its
    /// judge.
    pub config: Option<Config>,
    /// The door, as far as rules depend on it.
    pub door: Door,
    /// The branch that a push updates; `None` outside a push.
    pub target: Option<PushTarget>,
    /// The states before the branch took the new commits; empty if they are `bases`.
    pub earlier: Vec<EarlierBase>,
    /// The commits that a push or a range brings together with `tip`.
    pub new_commits: Vec<Oid>,
    /// The state that says which keys may sign. It is never the judged change, which could admit its own key.
    pub trust: TrustFrom,
}

/// The state with the keys, the revocations and the policy that a change is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustFrom {
    /// The tip of the main branch.
    Main,
    /// HEAD, before a commit.
    Head,
    /// This commit; without one no key is known.
    Commit(Option<Oid>),
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
    /// The tip of the main branch, if lines that main released since the fork need not be kept from this base.
    pub main: Option<Oid>,
    /// Whether an unprotected branch was rewritten from this state. Then lost ledger lines are advice.
    pub rewritten: bool,
}

/// A state of the branch before it took the change.
pub(crate) enum EarlierBase {
    /// One of the bases, by its index.
    Base(usize),
    /// A state that is no base.
    Other(Base),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedBlob {
    pub path: RepoPath,
    pub id: Oid,
}

/// The index compared with one commit, before any content is read.
pub struct IndexDiff {
    /// The commit; `None` before the first one.
    pub commit: Option<Oid>,
    /// The tree of `commit`; `None` before the first commit.
    pub tree: Option<Oid>,
    /// The staged changes.
    pub staged: Staged,
}

impl AddedBlob {
    pub(crate) fn of(changes: &[PathChange]) -> Vec<Self> {
        let blob = |change: &PathChange| {
            let (mode, id) = change.new?;
            mode.is_blob().then(|| Self { path: change.path.clone(), id })
        };
        changes.iter().filter_map(blob).collect()
    }
}

impl Base {
    /// The base `tree` of this commit, which differs from the judged state by `changes`.
    pub(crate) fn of(tree: Rc<dyn Tree>, commit: Option<Oid>, changes: &[PathChange]) -> Self {
        let added = AddedBlob::of(changes);
        let changed = changes.iter().map(|change| change.path.clone()).collect();
        Self { tree, commit, changed, added, main: None, rewritten: false }
    }
}

impl Snapshot {
    /// Whether the snapshot is a commit without any change. Rows of commits and whole states are judged anyway.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.door == Door::Commit && self.bases.iter().all(|base| base.changed.is_empty())
    }

    /// The paths that differ from every base: the change's own work.
    pub(crate) fn changed_paths(&self) -> BTreeSet<RepoPath> {
        changed_in_all(&self.bases.iter().collect::<Vec<_>>())
    }

    /// The states of `earlier` that are no bases.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Base> {
        self.earlier.iter().filter_map(|from| match from {
            EarlierBase::Base(_) => None,
            EarlierBase::Other(base) => Some(base),
        })
    }

    /// Sets `earlier` to `commits`.
    pub(crate) fn set_earlier(&mut self, repo: &Repo, commits: &[Option<Oid>]) -> Result<()> {
        let Some(tip) = self.tip else { return Ok(()) };
        let tree = known_tree(repo, &tip)?;
        for commit in commits {
            self.earlier.push(match self.bases.iter().position(|base| base.commit == *commit) {
                Some(at) => EarlierBase::Base(at),
                None => EarlierBase::Other(base(repo, *commit, tree, &self.view)?),
            });
        }
        Ok(())
    }

    /// The blobs that the change itself adds.
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

/// The index, compared with HEAD and with the other parents of a merge in progress.
pub(crate) fn staged(repo: &Repo) -> Result<Snapshot> {
    of_staged(repo, &compare(repo)?)
}

/// The staged changes against HEAD first, then against the other parents of a merge in progress.
/// A parent that another one contains is no base, as at a push: `git merge --no-ff main` behind main compares main alone.
///
/// # Errors
/// When the index cannot be compared, or a path is not merged yet.
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

/// The index with the compared commits as its bases.
pub(crate) fn of_staged(repo: &Repo, compared: &[IndexDiff]) -> Result<Snapshot> {
    let view = repo.index_view()?;
    let base = |compared: &IndexDiff| {
        let own = repo.tree_view(compared.tree);
        let changes = &compared.staged.changes;
        Base::of(Rc::new(BaseView::new(own, Rc::clone(&view), changes).by_after()), compared.commit, changes)
    };
    let bases = compared.iter().map(base).collect();
    Ok(Snapshot { mode: ScopeMode::Staged, door: Door::Commit, trust: TrustFrom::Head, bases, ..whole(view) })
}

/// The changes from `bases` to `view`, for views that already hold all necessary content.
pub(crate) fn steps(view: Rc<dyn Tree>, bases: Vec<Base>) -> Snapshot {
    Snapshot { mode: ScopeMode::Staged, door: Door::Commit, trust: TrustFrom::Head, bases, ..whole(view) }
}

/// The index, compared with the commit `fork`, where the branch began.
pub(crate) fn staged_since(repo: &Repo, fork: Oid) -> Result<Snapshot> {
    Ok(Snapshot { trust: TrustFrom::Main, ..of_staged(repo, &[compare_with(repo, Some(fork))?])? })
}

/// The tree of a commit that this clone must have.
pub(crate) fn known_tree(repo: &Repo, commit: &Oid) -> Result<Oid> {
    repo.tree_of(commit)?.ok_or_else(|| repo.absent(commit))
}

/// The commit `tip` against `bases`; without a base, as a whole state.
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
    let own = repo.tree_view(old);
    Ok(Base::of(Rc::new(BaseView::new(own, Rc::clone(view), &changes)), commit, &changes))
}

/// The working tree as a whole state; HEAD in a bare repository.
pub(crate) fn all(repo: &Repo) -> Result<Snapshot> {
    if repo.work_dir.is_none() {
        return match repo.head()? {
            Some(head) => commit(repo, ScopeMode::All, head, &[]),
            None => Ok(whole(repo.tree_view(None))),
        };
    }
    Ok(whole(repo.worktree_view()?))
}

/// The staged changes if there are any, else the whole index. A framework that runs a hook by hand has nothing staged,
/// and an empty check would pass.
pub(crate) fn staged_or_index(repo: &Repo) -> Result<Snapshot> {
    let staged = staged(repo)?;
    if staged.bases.iter().all(|base| base.changed.is_empty()) { index(repo) } else { Ok(staged) }
}

/// The whole index without a base.
fn index(repo: &Repo) -> Result<Snapshot> {
    Ok(whole(repo.index_view()?))
}

/// The working tree against the commit `fork`, where the branch began; against the empty tree without one.
pub(crate) fn since(repo: &Repo, fork: Option<Oid>) -> Result<Snapshot> {
    let tree = fork.map(|commit| known_tree(repo, &commit)).transpose()?;
    let view = repo.worktree_view()?;
    let own = repo.tree_view(tree);
    let mut base = Base::of(own, fork, &repo.staged(tree)?.changes);
    base.changed.extend(view.dirty()?);
    Ok(Snapshot { door: Door::Commit, bases: vec![base], ..whole(view) })
}

/// A view without a base.
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
        earlier: Vec::new(),
        new_commits: Vec::new(),
        trust: TrustFrom::Main,
    }
}
