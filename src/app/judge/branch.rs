//! Finds the base of a branch and the nodes that the branch touched. `.` and `--changed` give the same answer everywhere.

use super::snapshot::{self, Snapshot};
use crate::engine::effective::latest_measured;
use crate::engine::watched::watched;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::{glob, workspace};
use crate::names::CONFIG_FILE;
use crate::repo::{FETCH_ALL, Repo};
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The state that a branch is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchBase {
    /// The name in messages: a branch, or `HEAD`.
    pub name: String,
    /// The commit; `None` before the first one.
    pub commit: Option<Oid>,
    /// Whether there is no main branch. Then only uncommitted content counts as changed.
    pub only_head: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The directory of each node, in the order of the nodes.
    pub dirs: Vec<RepoPath>,
    /// The name of the base, for messages.
    pub since: String,
}

/// The base of the current branch: `mainBranch` of the configuration, else origin's HEAD, else main or master. A
/// repository without any of them uses HEAD, but only if a branch is checked out. A CI job with a detached HEAD gets an
/// error instead, because the commit compared with itself shows no change.
///
/// # Errors
/// Usage when the configured main branch does not exist, or when there is no base.
pub(crate) fn base(repo: &Repo) -> Result<BranchBase> {
    let view = if repo.work_dir.is_some() { snapshot::all(repo)?.view } else { repo.tree_view(None) };
    let config = workspace::read_config(&*view)?;
    if let Some((full, commit)) = main_of(repo, &config)? {
        return Ok(BranchBase { name: short_name(&full), commit: Some(commit), only_head: false });
    }
    match repo.head()? {
        None => Ok(BranchBase { name: "HEAD".into(), commit: None, only_head: true }),
        Some(head) if repo.head_branch()?.is_some() => {
            Ok(BranchBase { name: "HEAD".into(), commit: Some(head), only_head: true })
        }
        Some(_) => Err(Error::usage("there is no main branch to compare with")
            .hint("name it: --base REF, or `mainBranch` in spexcode.json")),
    }
}

/// The full name of the main branch, and its tip. `None` if none is configured and no branch has a usual name.
///
/// # Errors
/// Usage when the configured main branch does not exist.
pub(crate) fn main_of(repo: &Repo, config: &Config) -> Result<Option<(String, Oid)>> {
    let found = find_main(repo, config)?;
    match &config.main_branch {
        Some(name) if !found.as_ref().is_some_and(|(full, _)| is_called(full, name)) => Err(absent(name)),
        _ => Ok(found),
    }
}

fn absent(name: &str) -> Error {
    Error::usage(format!(
        "{CONFIG_FILE} names the main branch `{0}`, and neither it nor origin/{0} is here",
        echo(name)
    ))
    .hint(format!("git fetch origin {name}:refs/remotes/origin/{name}"))
    .hint("or name another one: --base REF, or `mainBranch` in spexcode.json")
}

fn is_called(full: &str, name: &str) -> bool {
    full == format!("refs/heads/{name}") || full == format!("refs/remotes/origin/{name}")
}

fn short_name(full: &str) -> String {
    full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/remotes/")).unwrap_or(full).to_owned()
}

/// Looks for the main branch: `mainBranch`, else origin's HEAD, else main or master. Returns its full name and its tip.
pub(crate) fn find_main(repo: &Repo, config: &Config) -> Result<Option<(String, Oid)>> {
    let configured = config.main_branch.iter();
    let named = configured.flat_map(|name| [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]);
    let known = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/remotes/origin/main", "refs/heads/master"];
    for name in named.chain(known.map(str::to_owned)) {
        if let Some(id) = repo.find_ref(name.as_bytes())? {
            return Ok(Some((name, id)));
        }
    }
    Ok(None)
}

/// The commit where HEAD left `base`.
///
/// # Errors
/// Unchecked when this clone has no common ancestor; usage before the first commit.
pub(crate) fn fork(repo: &Repo, base: Oid) -> Result<Oid> {
    let head = repo.head()?.ok_or_else(no_commit)?;
    repo.merge_base(&base, &head)?.ok_or_else(|| unrelated(repo, "HEAD", &base))
}

/// The commit where `tip` left `base`.
///
/// # Errors
/// Unchecked when this clone has no common ancestor.
pub(crate) fn fork_of(repo: &Repo, base: &Oid, tip: &Oid) -> Result<Oid> {
    repo.merge_base(base, tip)?.ok_or_else(|| unrelated(repo, "the commit", base))
}

/// The error before the first commit.
pub(crate) fn no_commit() -> Error {
    Error::usage("there is no commit yet").hint("scan without --changed")
}

fn unrelated(repo: &Repo, what: &str, base: &Oid) -> Error {
    let error = Error::unchecked(format!("{what} and {base} have no common ancestor here"));
    let error = if repo.shallow { error.hint(FETCH_ALL) } else { error };
    error.hint("name another one: --base REF")
}

/// The working tree, compared with the commit where the branch left its base.
fn changes(repo: &Repo, base: &BranchBase) -> Result<Snapshot> {
    match base.commit {
        Some(commit) => snapshot::since(repo, Some(fork(repo, commit)?)),
        None => snapshot::since(repo, None),
    }
}

/// The nodes among `nodes` that the branch touched, uncommitted work included.
///
/// # Errors
/// As [`base`], and when the differences cannot be read. Usage in a bare repository, which has no checked-out branch.
pub(crate) fn touched(repo: &Repo, nodes: &[Node]) -> Result<Touched> {
    if repo.work_dir.is_none() {
        return Err(Error::usage("no node is named, and a bare repository has no work in progress")
            .hint("name the node, by its directory or its id: `yatsu-hook ls` lists them"));
    }
    let base = base(repo)?;
    let changed = changes(repo, &base)?.changed_paths();
    let paths = TouchedPaths::of(&changed);
    let touched = nodes.iter().filter(|node| paths.touch(node));
    Ok(Touched { dirs: touched.map(|node| node.dir.clone()).collect(), since: base.name })
}

/// The paths of a change, indexed so that a query for one node does not scan all paths.
pub(crate) struct TouchedPaths<'a> {
    all: &'a BTreeSet<RepoPath>,
    dirs: BTreeSet<RepoPath>,
    dirs_of_ours: BTreeSet<RepoPath>,
}

impl<'a> TouchedPaths<'a> {
    pub(crate) fn of(all: &'a BTreeSet<RepoPath>) -> Self {
        let parent = |path: &RepoPath| path.parent().unwrap_or_default();
        let ours = all.iter().filter(|path| workspace::has_our_name(path));
        Self { all, dirs: all.iter().map(parent).collect(), dirs_of_ours: ours.map(parent).collect() }
    }

    /// Whether `node` is touched: by a file directly in its directory, or by a governed file.
    pub(crate) fn touch(&self, node: &Node) -> bool {
        self.dirs.contains(&node.dir) || self.governed(node)
    }

    /// Whether a spec, scenario or ledger file in the directory of `node` is among the paths.
    pub(crate) fn own_file(&self, node: &Node) -> bool {
        self.dirs_of_ours.contains(&node.dir)
    }

    /// Whether one of the paths is governed by a scenario of `node`, or by the node itself if it has no scenario file, or was
    /// measured by the latest reading of a scenario: as a file of its stamp, or of a test without a stamp.
    pub(crate) fn governed(&self, node: &Node) -> bool {
        let scenarios = node.scenarios().iter();
        let of_scenarios = scenarios.flat_map(|scenario| watched(node, scenario));
        let of_node = node.spec.iter().filter(|_| node.file.is_none()).flat_map(|spec| &spec.code);
        of_scenarios.chain(of_node).any(|governed| self.covered(governed))
            || latest_measured(node, &|path| self.all.contains(path))
    }

    /// Whether any reading of `node` measured one of the paths. Of a test without a stamp, the declared one is asked.
    pub(crate) fn measured(&self, node: &Node) -> bool {
        let mut tests = node.scenarios().iter().filter_map(|scenario| scenario.test.as_ref());
        node.readings().any(|reading| reading.stamped_files().any(|(path, _)| self.all.contains(path)))
            || node.readings().any(Reading::has_unstamped_test) && tests.any(|test| self.covered(test))
    }

    /// Whether the paths concern a scenario of the node at `dir` that governs `governed`. The reading that counts measured
    /// `measured`.
    pub(crate) fn concern(&self, dir: &RepoPath, governed: &[Governed], measured: &[RepoPath]) -> bool {
        self.dirs_of_ours.contains(dir) || self.any_of(governed) || measured.iter().any(|path| self.all.contains(path))
    }

    /// Whether one of the paths is governed by `list`.
    pub(crate) fn any_of(&self, list: &[Governed]) -> bool {
        list.iter().any(|governed| self.covered(governed))
    }

    /// Whether `governed` covers one of the paths. Covered paths begin with the entry's path, or with the fixed part of
    /// its glob.
    fn covered(&self, governed: &Governed) -> bool {
        let Ok(path) = &governed.path else { return false };
        let is_glob = glob::has_glob_characters(governed.text.as_bytes());
        let top = if is_glob { glob::literal_base(path) } else { path.clone() };
        let mut below = self.all.range(&top..).take_while(|path| path.as_bstr().starts_with(top.as_bstr()));
        below.any(|path| governed.covers(path))
    }
}
