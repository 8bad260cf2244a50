//! The score: every rule over all nodes, or over the ones that the branch touched.

use super::check::{self, Options};
use super::outcome;
use super::snapshot::{self, Snapshot};
use crate::engine::freshness::governed;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::glob;
use crate::model::governed::Governed;
use crate::model::ids::resolve_reference;
use crate::model::node::Node;
use crate::model::workspace::{self, Workspace};
use crate::repo::Repo;
use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use crate::report::view::Report;
use std::collections::BTreeSet;

/// Which content is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// The working tree; HEAD in a bare repository.
    WorkTree,
    /// The index.
    Staged,
    /// One commit.
    Rev(String),
}

/// Compared with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing: all nodes.
    Ever,
    /// Where the branch left the main branch.
    Main,
    /// Where the branch left this revision.
    Rev(String),
}

/// What to score.
pub struct Request {
    /// Which content.
    pub of: Of,
    /// Compared with what.
    pub since: Since,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// Only these nodes; empty means all.
    pub nodes: Vec<String>,
}

/// Scores.
pub fn scan(repo: &Repo, request: &Request, options: Options) -> Result<Report> {
    let snapshot = take(repo, request)?;
    let Some(judged) = check::judge(repo, &snapshot, options)? else {
        return Ok(check::nothing(repo, &snapshot, options));
    };
    let nodes = chosen(&judged.workspace, request, &snapshot)?;
    let mut judged = judged;
    judged.findings.retain(|finding| concerns(finding, nodes.as_ref(), &request.tags));
    Ok(outcome::report(judged.scope, judged.findings, &judged.not_judged, options.reader))
}

fn take(repo: &Repo, request: &Request) -> Result<Snapshot> {
    let since = match &request.since {
        Since::Ever => None,
        Since::Main => Some(main_branch(repo)?),
        Since::Rev(rev) => Some(repo.resolve(rev)?),
    };
    match (&request.of, since) {
        (Of::WorkTree, None) => snapshot::all(repo),
        (Of::WorkTree, Some(base)) => snapshot::since(repo, fork(repo, base)?),
        // the score is of all that the index holds, whether or not anything in it is new
        (Of::Staged, _) => snapshot::staged_or_index(repo),
        (Of::Rev(rev), None) => snapshot::commit(repo, "rev", repo.resolve(rev)?, &[]),
        (Of::Rev(rev), Some(base)) => {
            let tip = repo.resolve(rev)?;
            let fork = repo.merge_base(&base, &tip)?.ok_or_else(|| unrelated(&base))?;
            snapshot::commit(repo, "rev", tip, &[Some(fork)])
        }
    }
}

pub(super) fn fork(repo: &Repo, base: Oid) -> Result<Oid> {
    let head = repo.head()?.ok_or_else(|| Error::usage("there is no commit yet").hint("scan without --changed"))?;
    repo.merge_base(&base, &head)?.ok_or_else(|| unrelated(&base))
}

fn unrelated(base: &Oid) -> Error {
    Error::unchecked(format!("HEAD and {base} have no common ancestor here"))
        .hint("git fetch --unshallow   (in CI: fetch-depth: 0)")
        .hint("or name another one: --base REF")
}

/// The tip of `mainBranch`, else of what origin calls its HEAD, else of main or master.
pub(super) fn main_branch(repo: &Repo) -> Result<Oid> {
    let view = if repo.work_dir.is_some() { snapshot::all(repo)?.view } else { Repo::empty_view() };
    let configured = workspace::read_config(&*view)?.main_branch;
    let named =
        configured.iter().flat_map(|name| [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]);
    let known = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/remotes/origin/main", "refs/heads/master"];
    for name in named.chain(known.map(str::to_owned)) {
        if let Some(id) = repo.find_ref(name.as_bytes())? {
            return Ok(id);
        }
    }
    Err(Error::usage("there is no main branch to compare with")
        .hint("name it: --base REF, or `mainBranch` in spexcode.json"))
}

/// The directories that the request is about; `None` for all.
fn chosen(workspace: &Workspace, request: &Request, snapshot: &Snapshot) -> Result<Option<BTreeSet<RepoPath>>> {
    let named =
        request.nodes.iter().map(|text| Ok(workspace.nodes[resolve_reference(&workspace.nodes, text)?].dir.clone()));
    let named = named.collect::<Result<BTreeSet<_>>>()?;
    if !named.is_empty() {
        return Ok(Some(named));
    }
    if request.since == Since::Ever {
        return Ok(None);
    }
    let changed = snapshot.changed_paths();
    let touched = workspace.nodes.iter().filter(|node| is_touched(node, &changed));
    Ok(Some(touched.map(|node| node.dir.clone()).collect()))
}

/// Touched by a file of its own directory, not of a directory below, or by a governed file.
pub(super) fn is_touched(node: &Node, changed: &BTreeSet<RepoPath>) -> bool {
    let own = |path: &RepoPath| path.parent().as_ref() == Some(&node.dir);
    changed.iter().any(|path| own(path) || governs(node, path))
}

/// Whether a scenario of `node`, or the node itself where it has none, governs `path`.
fn governs(node: &Node, path: &RepoPath) -> bool {
    let scenarios = node.file.iter().flat_map(|file| &file.scenarios);
    let of_scenarios = scenarios.flat_map(|scenario| governed(node, scenario));
    let of_node = node.spec.iter().filter(|_| node.file.is_none()).flat_map(|spec| &spec.code);
    of_scenarios.chain(of_node).any(|governed| covers(governed, path))
}

/// Whether a governed entry means `path`: it is the file, a directory above it, or a glob that matches.
pub(super) fn covers(governed: &Governed, path: &RepoPath) -> bool {
    let Ok(literal) = &governed.path else { return false };
    path.is_within(literal) || glob::has_glob_characters(governed.text.as_bytes()) && matches(literal, path)
}

fn matches(pattern: &RepoPath, path: &RepoPath) -> bool {
    let compiled = std::str::from_utf8(pattern.as_bstr()).ok().and_then(|text| glob::compile(text).ok());
    compiled.is_some_and(|glob| glob::is_match(&glob, path))
}

fn concerns(finding: &Finding, nodes: Option<&BTreeSet<RepoPath>>, tags: &[String]) -> bool {
    let in_nodes = match (nodes, &finding.node) {
        (None, _) => true,
        (Some(nodes), Some(node)) => nodes.contains(&RepoPath::from_git(node.dir.clone())),
        (Some(_), None) => false,
    };
    in_nodes && (tags.is_empty() || finding.tags.iter().any(|tag| tags.contains(tag)))
}
