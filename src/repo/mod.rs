//! A git repository in, plain owned data out: views of content, the staged difference, objects by id. This is the only code
//! that knows git. The git program answers questions that libgit2 would answer wrongly. If neither can answer, the result is
//! an error, never an empty answer. Writes nothing.

mod alternates;
pub(crate) mod ancestry;
pub(crate) mod base_view;
pub mod change;
pub(crate) mod collect;
pub(crate) mod commit;
mod configured;
#[cfg(test)]
mod memory;
pub mod merge;
pub mod mode;
pub mod native;
mod new_commits;
pub(crate) mod non_code_refs;
pub mod open;
pub mod program;
pub(crate) mod reach;
pub(crate) mod roots;
mod submodule;
pub mod views;
pub(crate) mod work_trees;
pub mod worktree;

pub use crate::finding::Backend;

use crate::error::{Error, Result, remedy};
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use crate::tree::shared::SharedMode;
use bstr::{BString, ByteSlice};
use change::PathChange;
use commit::{Author, Commit, CommitLookup, Peeled};
use configured::ConfigReads;
use foldhash::HashMap;
use native::index::{Defect, Index};
use native::listing::Listing;
use native::map::Map;
use native::names::Names;
use native::objects::ObjectStore;
use native::refs::{CommitStep, Refs, Revision};
use native::staged::{NoAnswer, Staged, Way, staged, staged_nothing};
use native::trees::Trees;
use open::env::Env;
use program::{Git, Limits, NewCommit, NewCommits};
use std::cell::{Cell, OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use views::CommitHistory;

/// How to fetch the history that a shallow clone left out.
pub(crate) const FETCH_ALL: &str = "git fetch --unshallow   (in CI: fetch-depth: 0)";

/// The time limit for git to walk a whole history, its slowest question.
const WALK: Duration = Duration::from_secs(300);

/// Most commits that are kept after the first look: a push asks about its few tips and bases again and again, and a walk about
/// each commit a few times in a row.
const MOST_COMMITS: usize = 64;

/// An opened repository.
pub struct Repo {
    /// This work tree's git directory.
    pub git_dir: PathBuf,
    /// The directory all work trees share.
    pub common_dir: PathBuf,
    /// The top of the work tree; `None` in a bare repository.
    pub work_dir: Option<PathBuf>,
    /// The judged index file.
    pub(crate) index_path: PathBuf,
    /// The hash of object ids.
    pub hash: HashKind,
    /// The object database.
    pub objects: Rc<dyn ObjectStore>,
    /// The source of the answers: the native readers, or the git program for a format that they do not support.
    pub backend: Backend,
    /// Whether history was cut by a shallow clone.
    pub shallow: bool,
    /// The mode of new files in a repository that several people share; `None` if each user's umask decides.
    pub shared: Option<SharedMode>,
    shallow_file: PathBuf,
    refs: Refs,
    trees: Rc<Trees>,
    history: Rc<CommitHistory>,
    /// Commits that were read.
    commits: RefCell<HashMap<Oid, Commit>>,
    program: OnceCell<Rc<Git>>,
    configured: ConfigReads,
    listing: OnceCell<Rc<Listing>>,
    /// Whether git was asked about an index that the native reader does not support.
    asked: Cell<bool>,
    env: Env,
    cwd: PathBuf,
}

impl Repo {
    /// Opens the repository that git would use with this environment in `cwd`, an absolute path.
    pub fn open(env: &Env, cwd: &Path) -> Result<Self> {
        open::open(env, cwd)
    }

    /// Whether pushed objects wait in quarantine: the push may still be refused.
    pub(crate) fn is_quarantined(&self) -> bool {
        self.env.quarantine
    }

    /// The commit of HEAD; `None` on a branch without a commit.
    pub fn head(&self) -> Result<Option<Oid>> {
        self.find_ref(b"HEAD")
    }

    /// The full name of the branch HEAD is on; `None` when it is detached.
    pub fn head_branch(&self) -> Result<Option<BString>> {
        self.symbolic_ref(b"HEAD")
    }

    /// The full name of the ref that the symbolic ref `name` points to; `None` if `name` is missing or not symbolic.
    pub(crate) fn symbolic_ref(&self, name: &[u8]) -> Result<Option<BString>> {
        match self.backend {
            Backend::Native => self.refs.target(name),
            Backend::Program => self.program("")?.symbolic_ref(name),
        }
    }

    /// The names of the symbolic refs. The native reader includes refs with a missing target.
    pub(crate) fn symbolic_refs(&self) -> Result<Vec<BString>> {
        match self.backend {
            Backend::Native => self.refs.symbolic(),
            Backend::Program => self.program("")?.symbolic_refs(),
        }
    }

    /// The commit of HEAD, unless HEAD points to a ref that holds no code.
    pub(crate) fn judged_head(&self) -> Result<Option<Oid>> {
        let stands_aside = self.head_branch()?.is_some_and(|name| non_code_refs::is_unjudged(&name));
        if stands_aside { Ok(None) } else { self.head() }
    }

    /// The refs with content that was judged as code, by [`aside::is_unjudged`]. Only for the native backend.
    fn judged_refs(&self, prefix: &[u8]) -> Result<Vec<(BString, Oid)>> {
        self.refs.list_without(prefix, &non_code_refs::is_unjudged)
    }

    /// The id of the ref of this full name, not peeled.
    pub(crate) fn find_ref(&self, name: &[u8]) -> Result<Option<Oid>> {
        match self.backend {
            Backend::Native => self.refs.find(name),
            Backend::Program => self.program("")?.find_ref(name),
        }
    }

    /// All refs with a full name that begins with `prefix`, sorted by name, not peeled.
    pub fn refs(&self, prefix: &[u8]) -> Result<Vec<(BString, Oid)>> {
        match self.backend {
            Backend::Native => self.refs.list(prefix),
            Backend::Program => self.program("")?.list_refs(prefix),
        }
    }

    /// The commit of the revision `rev`, tags peeled. A usage error if `rev` is not a revision of this repository, unchecked
    /// if its commit is missing.
    pub fn resolve(&self, rev: &str) -> Result<Oid> {
        let parsed = Revision::parse(rev)?;
        let Some(revision) = parsed.filter(|_| self.backend == Backend::Native) else {
            let program = self.program("the revision is of a form that only git reads")?;
            return match program.commit_of(rev)? {
                Some(id) => self.commit(&id)?.map(|_| id).ok_or_else(|| self.absent(&id)),
                None => {
                    Err(program.rev_parse(rev)?.map_or(Ok(None), |id| self.gone(id))?.unwrap_or_else(|| no_commit(rev)))
                }
            };
        };
        self.follow(&revision)?.ok_or_else(|| no_commit(rev))
    }

    /// The commit at an end of a range; `end` is `base` or `tip`. An unknown one is unchecked and no usage error: both ends often
    /// come from a machine that knows more of the history than this clone.
    pub(crate) fn resolve_end(&self, end: &str, rev: &str) -> Result<Oid> {
        self.resolve(rev).map_err(|error| {
            let hint = "fetch the branch that has it, name a commit that is here, or see what `git fsck` says";
            let hint = if self.shallow { FETCH_ALL } else { hint };
            let message = format!("the {end} of the range cannot be read in this clone: {}", error.message);
            Error::unchecked(message).hint(hint)
        })
    }

    /// The objects that were here before a push in quarantine; `None` without quarantine.
    fn kept_objects(&self) -> Result<Option<Rc<dyn ObjectStore>>> {
        open::kept_objects(&self.env, &self.cwd, &self.git_dir)
    }

    /// The error for an id that leads to a missing object; `None` if it leads to an object that is not a commit.
    fn gone(&self, id: Oid) -> Result<Option<Error>> {
        Ok((commit::peel(&*self.objects, id)? == Peeled::Unknown).then(|| self.absent(&id)))
    }

    /// The error for a named commit that is missing here, with a hint how to fetch it.
    pub(crate) fn absent(&self, commit: &Oid) -> Error {
        let error = Error::unchecked(format!("commit {commit} is not in this clone"));
        let damage = "fetch the branch that has it, or see what `git fsck` says";
        error.hint(if self.shallow { FETCH_ALL } else { damage })
    }

    fn follow(&self, revision: &Revision<'_>) -> Result<Option<Oid>> {
        let Some(id) = self.named(revision.base)? else { return Ok(None) };
        let mut id = match commit::peel(&*self.objects, id)? {
            Peeled::Commit(id) => id,
            Peeled::Blob(_) | Peeled::Tree(_) => return Ok(None),
            Peeled::Unknown => return Err(self.absent(&id)),
        };
        for step in &revision.steps {
            let (times, parent) = match *step {
                CommitStep::Back(times) => (times, 1),
                CommitStep::Parent(0) => (0, 1),
                CommitStep::Parent(parent) => (1, parent),
            };
            for _ in 0..times {
                let Some(next) = self.parents(&id)?.get(parent - 1).copied() else { return Ok(None) };
                id = next;
            }
        }
        Ok(Some(id))
    }

    /// The object of a full id, a ref, or the beginning of an id, in git's order.
    fn named(&self, name: &str) -> Result<Option<Oid>> {
        let hex = name.to_ascii_lowercase();
        if let Some(id) = Oid::from_hex(hex.as_bytes()) {
            return Ok(Some(id));
        }
        if let Some(id) = self.refs.find_short(name.as_bytes())? {
            return Ok(Some(id));
        }
        let is_prefix = (4..40).contains(&hex.len()) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let found = if is_prefix { self.objects.starting_with(&hex)? } else { Vec::new() };
        // Several objects: the short id is ambiguous and names none.
        Ok(<[Oid; 1]>::try_from(found).ok().map(|[id]| id))
    }

    /// The tree of a commit; `None` when the commit is not in the object database.
    pub fn tree_of(&self, commit: &Oid) -> Result<Option<Oid>> {
        Ok(self.commit(commit)?.map(|commit| commit.tree))
    }

    /// The parents of a commit in order; empty at the boundary of a shallow clone, an error if the commit is missing.
    pub fn parents(&self, commit: &Oid) -> Result<Vec<Oid>> {
        if self.is_cut_off(commit)? {
            return Ok(Vec::new());
        }
        Ok(self.present(commit)?.parents)
    }

    /// Whether a shallow clone cut history off at this commit: it has parents, and they are not here.
    pub(crate) fn is_cut_off(&self, commit: &Oid) -> Result<bool> {
        Ok(self.shallow && self.ids_in(&self.shallow_file)?.contains(commit))
    }

    fn commit(&self, id: &Oid) -> Result<Option<Commit>> {
        if let Some(known) = self.commits.borrow().get(id) {
            return Ok(Some(known.clone()));
        }
        match commit::look_up(&*self.objects, id)? {
            CommitLookup::Commit(commit) => {
                let mut commits = self.commits.borrow_mut();
                if commits.len() == MOST_COMMITS {
                    commits.clear();
                }
                commits.insert(*id, commit.clone());
                Ok(Some(commit))
            }
            CommitLookup::Missing => Ok(None),
            CommitLookup::Other => Err(Error::unchecked(format!("object {id} is no commit")).hint(remedy::FSCK)),
        }
    }

    fn present(&self, id: &Oid) -> Result<Commit> {
        self.commit(id)?.ok_or_else(|| self.absent(id))
    }

    /// The best common ancestor of two commits that `git merge-base` names, or `None` when they have none.
    pub fn merge_base(&self, one: &Oid, other: &Oid) -> Result<Option<Oid>> {
        Ok(self.merge_bases(one, other)?.first().copied())
    }

    /// All best common ancestors of two commits.
    pub(crate) fn merge_bases(&self, one: &Oid, other: &Oid) -> Result<Vec<Oid>> {
        if one == other {
            return Ok(vec![*one]);
        }
        self.program("the history of its commits")?.merge_bases(one, other)
    }

    /// Whether `from` is `to` or an ancestor of `to`.
    pub(crate) fn leads_to(&self, to: &Oid, from: &Oid) -> Result<bool> {
        if let Some(found) = new_commits::independent(self, &[*from, *to])? {
            return Ok(!found.contains(from) || from == to);
        }
        Ok(self.merge_base(from, to)? == Some(*from))
    }

    /// The newest commit in the history of `tip` that was made at `date` or before; `None` without one in this clone.
    pub(crate) fn newest_until(&self, tip: &Oid, date: i64) -> Result<Option<Oid>> {
        let program = Git::clone(self.program("the history of its commits")?);
        program.with_limits(Limits { time: WALK, ..Limits::default() }).newest_until(tip, date)
    }

    /// Every merge in the history of `tip`, the newest first.
    pub(crate) fn merges(&self, tip: &Oid) -> Result<Vec<NewCommit>> {
        let program = Git::clone(self.program("the history of its commits")?);
        program.with_limits(Limits { time: WALK, ..Limits::default() }).merges(tip)
    }

    /// The commits of a push that the other side does not have yet, parents before children.
    pub fn new_commits(&self, wanted: &NewCommits) -> Result<Vec<NewCommit>> {
        if wanted.tips.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(found) = new_commits::new_commits(self, wanted)? {
            return Ok(found);
        }
        let program = Git::clone(self.program("the history of its commits")?);
        program.with_limits(Limits { time: WALK, ..Limits::default() }).rev_list(wanted)
    }

    /// The ones of `commits` that no other one descends from; at most 1,000 commits.
    pub fn independent(&self, commits: &[Oid]) -> Result<Vec<Oid>> {
        if commits.len() < 2 {
            return Ok(commits.to_vec());
        }
        if let Some(found) = new_commits::independent(self, commits)? {
            return Ok(found);
        }
        self.program("the history of its commits")?.independent(commits)
    }

    /// The object `id`; for a tag, the object that it points to.
    pub(crate) fn peel(&self, id: Oid) -> Result<Peeled> {
        // most are commits, and a push then asks for these
        let is_read = self.commits.borrow().len() < MOST_COMMITS && matches!(self.commit(&id), Ok(Some(_)));
        if is_read { Ok(Peeled::Commit(id)) } else { commit::peel(&*self.objects, id) }
    }

    /// When a commit was made, in seconds since 1970; `None` if the commit is missing.
    pub(crate) fn date(&self, commit: &Oid) -> Result<Option<i64>> {
        Ok(self.commit(commit)?.map(|commit| commit.date))
    }

    /// The author of a commit and its co-authors.
    pub(crate) fn authors(&self, commit: &Oid) -> Result<Vec<Author>> {
        commit::authors(&*self.objects, commit)
    }

    /// The first line of a commit's message, for display.
    pub(crate) fn subject(&self, commit: &Oid) -> Result<String> {
        commit::subject(&*self.objects, commit)
    }

    /// The other sides of the merge in progress: `MERGE_HEAD`, or the `GITHEAD_<id>` variables that `git merge` sets for the
    /// hook of a clean merge. Empty if no merge is in progress.
    pub fn merge_heads(&self) -> Result<Vec<Oid>> {
        let heads = self.ids_in(&self.git_dir.join("MERGE_HEAD"))?;
        if !heads.is_empty() || self.env.git_heads.is_empty() {
            return Ok(heads);
        }
        let own = self.head()?;
        let told = self.env.git_heads.iter().copied().filter(|id| Some(*id) != own);
        told.map(|id| Ok(self.objects.header(&id)?.map(|_| id))).filter_map(Result::transpose).collect()
    }

    /// The ids in a file with one id per line; empty if the file does not exist.
    fn ids_in(&self, file: &Path) -> Result<Vec<Oid>> {
        let text = match fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::unread(file.display(), &error)),
        };
        let bad =
            || Error::unchecked(format!("{} holds a line that is no commit id", file.display())).hint(remedy::FSCK);
        text.lines().filter(|line| !line.is_empty()).map(|line| Oid::from_hex(line).ok_or_else(bad)).collect()
    }

    /// The entries of the judged index, read once.
    pub fn listing(&self) -> Result<Rc<Listing>> {
        if let Some(listing) = self.listing.get() {
            return Ok(Rc::clone(listing));
        }
        let listing = self.listing_now()?;
        Ok(Rc::clone(self.listing.get_or_init(|| Rc::new(listing))))
    }

    /// The same, read again at this moment.
    pub(crate) fn listing_now(&self) -> Result<Listing> {
        match self.read_index()?.and_then(Listing::new) {
            Ok(listing) => Ok(listing),
            Err(defect) => self.listing_by_program(defect),
        }
    }

    /// The judged index file, or an empty index if it does not exist.
    fn read_index(&self) -> Result<Result<Index, Defect>> {
        match self.index_file()? {
            Some(index) => Ok(index),
            None => Ok(Index::new(Map::owned(native::index::encode([], self.hash)), self.hash)),
        }
    }

    fn listing_by_program(&self, defect: Defect) -> Result<Listing> {
        let mut lines = self.program(&format!("the index {}", defect.as_str()))?.index_entries()?;
        self.asked.set(true);
        lines.retain(|line| !line.entry.intent_to_add);
        let entries =
            lines.iter().map(|line| (line.path.as_bstr().as_bytes(), line.entry.mode, line.entry.id, line.entry.stage));
        let index = Index::new(Map::owned(native::index::encode(entries, self.hash)), self.hash);
        index.and_then(Listing::new).map_err(|defect| {
            Error::unchecked(format!("git lists an index that {}", defect.as_str()))
                .hint("rebuild it with `git read-tree HEAD`")
        })
    }

    /// The source of the answers so far: git, once it was asked about the index.
    pub(crate) fn answered_by(&self) -> Backend {
        if self.asked.get() { Backend::Program } else { self.backend }
    }

    /// The judged index file; `None` if nothing was ever staged. A bare repository has no index unless the environment names
    /// one; without this error everything in it would seem staged for deletion.
    fn index_file(&self) -> Result<Option<Result<Index, Defect>>> {
        let index = Index::open(&self.index_path, self.hash)?;
        if index.is_none() && self.work_dir.is_none() && self.env.index_file.is_none() {
            return Err(Error::unchecked("a bare repository has no index to judge")
                .hint("judge a commit: yatsu-hook check --rev HEAD"));
        }
        Ok(index)
    }

    /// The difference of the judged index and the tree `base` (`None`: the empty tree).
    pub fn staged(&self, base: Option<Oid>) -> Result<Staged> {
        let index = self.index_file()?;
        if self.backend == Backend::Program {
            return self.staged_by_program("", base);
        }
        let answer = match index {
            None => staged_nothing(base, &self.trees),
            Some(Ok(index)) => staged(&index, base, &self.trees, &|checksum| self.shared_entries(checksum)),
            Some(Err(defect)) => Err(defect.into()),
        };
        match answer {
            Ok(staged) => Ok(staged),
            Err(NoAnswer::AskProgram(reason)) => self.staged_by_program(&reason, base),
            Err(NoAnswer::Failed(error)) => Err(error),
        }
    }

    /// The number of entries of the shared index with this checksum; `None` if it is missing or has another checksum.
    fn shared_entries(&self, checksum: &Oid) -> Option<u32> {
        let file = self.git_dir.join(format!("sharedindex.{checksum}"));
        let index = Index::open(&file, self.hash).ok()??.ok()?;
        index.bytes().ends_with(checksum.as_bytes()).then(|| index.count())
    }

    fn staged_by_program(&self, reason: &str, base: Option<Oid>) -> Result<Staged> {
        let changes = self.program(reason)?.staged(base.as_ref())?;
        self.asked.set(true);
        Ok(Staged { changes, way: Way::Program, root: None })
    }

    /// The difference of two trees (`None` is the empty one), sorted by path. Only trees that differ are read.
    pub fn tree_diff(&self, old: Option<Oid>, new: Option<Oid>) -> Result<Vec<PathChange>> {
        Ok(self.trees.diff(old, new)?)
    }

    /// For each commit in `from..to` that changed files at or below `paths`, the files that it changed there. `None` if
    /// there are more than `most` such commits, or if a shallow clone lacks the history.
    pub(crate) fn touching(
        &self,
        range: (&Oid, &Oid),
        paths: &[RepoPath],
        most: usize,
    ) -> Result<Option<Vec<Vec<RepoPath>>>> {
        if self.shallow {
            return Ok(None);
        }
        self.program_at_top()?.touching(range, paths, most)
    }

    /// The commits behind `tip` and not behind `excluded` that changed `paths`, newest first; `None` if there are more than
    /// `most`.
    pub(crate) fn log(&self, tip: &Oid, excluded: &[Oid], paths: &[RepoPath], most: usize) -> Result<Option<Vec<Oid>>> {
        self.program_at_top()?.log(tip, excluded, paths, most)
    }

    /// All commits behind `tip` that changed a file of the ledger in `home`, newest first, also in merged branches that took a
    /// file away again; `None` if there are more than `most`.
    pub(crate) fn ledger_log(&self, tip: &Oid, home: &RepoPath, most: usize) -> Result<Option<Vec<Oid>>> {
        self.program_at_top()?.ledger_log(tip, home, most)
    }

    /// The git program, started at the top of the work tree, where paths of the repository are valid as they are.
    fn program_at_top(&self) -> Result<Git> {
        let top = self.work_dir.as_ref().unwrap_or(&self.git_dir);
        Ok(Git::locate(&self.env.all, top)?.with_git_dir(&self.git_dir))
    }

    /// A walk over trees for names that satisfy the given test.
    pub(crate) fn names(&self, tells: fn(&[u8]) -> bool) -> Names<'_> {
        Names::new(&self.trees, self.hash, tells)
    }

    /// Drops the trees that were cached so far.
    pub fn forget_trees(&self) {
        self.trees.forget();
    }

    fn program(&self, reason: &str) -> Result<&Rc<Git>> {
        if let Some(program) = self.program.get() {
            return Ok(program);
        }
        let found = open::needed(Git::of(self), reason)?;
        let program = open::named(found, &self.env, self.work_dir.as_deref(), &self.git_dir);
        Ok(self.program.get_or_init(|| program))
    }
}

fn no_commit(rev: &str) -> Error {
    Error::usage(format!("{rev:?} names no commit of this repository")).hint("`git log` shows its commits")
}
