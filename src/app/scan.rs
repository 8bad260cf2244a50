//! The score: every rule over all nodes, or over the ones that the branch touched.

use super::check::{self, Options};
use super::drift;
use super::outcome;
use super::settings;
use super::site::pick_node;
use super::snapshot::{self, Snapshot};
use crate::engine::freshness::governed;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::glob;
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::workspace::{self, Workspace};
use crate::repo::Repo;
use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use crate::report::view::Report;
use std::collections::BTreeSet;

/// Which content is scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// The working tree; HEAD in a bare repository.
    #[default]
    WorkTree,
    /// The index.
    Staged,
    /// One commit.
    Rev(String),
}

/// Compared with what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// Nothing: all nodes.
    #[default]
    Ever,
    /// Where the branch left the main branch.
    Main,
    /// Where the branch left this revision.
    Rev(String),
}

/// What to score; by default all of the working tree.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Which content.
    pub of: Of,
    /// Compared with what.
    pub since: Since,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// Only these nodes, by reference; empty means all.
    pub nodes: Vec<String>,
    /// Where the user stands: what `.` among the nodes may mean.
    pub here: RepoPath,
    /// Whether to count how many commits touched each path that moved.
    pub counts: bool,
}

/// Scores.
pub fn scan(repo: &Repo, request: &Request, options: Options) -> Result<Report> {
    let snapshot = take(repo, request)?;
    let Some(mut judged) = check::judge(repo, &snapshot, options)? else {
        return Ok(check::nothing(repo, &snapshot, options));
    };
    settings::refuse_unknown_tags(&judged.workspace.config, &request.tags)?;
    let nodes = chosen(repo, &judged.workspace, request, &snapshot)?;
    let is_asked = |node: Option<&RepoPath>, tags: &[String]| is_asked((node, tags), nodes.as_ref(), request);
    judged.findings.retain(|finding| {
        let dir = finding.node.as_ref().map(|node| RepoPath::from_git(node.dir.clone()));
        is_asked(dir.as_ref(), &finding.tags)
    });
    judged.not_judged.retain(|scenario| is_asked(Some(&scenario.node), &scenario.tags));
    if request.counts {
        count_commits(repo, &snapshot, &mut judged.findings)?;
    }
    let advice = settings::unmatched_sources(&*snapshot.view, &judged.workspace.config)?;
    let mut report = outcome::report(judged.scope, judged.findings, &judged.not_judged, options.reader);
    report.notes.extend(advice.map(|advice| format!("spexcode.json: {advice}")));
    Ok(report)
}

fn count_commits(repo: &Repo, snapshot: &Snapshot, findings: &mut [Finding]) -> Result<()> {
    let tip = match snapshot.tip {
        Some(tip) => Some(tip),
        None => repo.head()?,
    };
    let since = |text: &Option<String>| Oid::from_hex(text.as_ref()?.as_bytes());
    let drifts = findings.iter_mut().filter_map(|finding| Some((since(&finding.since)?, &mut finding.drift)));
    drift::count(repo, tip, drifts.collect());
    Ok(())
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
        (Of::Staged, None) => snapshot::staged_or_index(repo),
        (Of::Staged, Some(base)) => snapshot::staged_since(repo, fork(repo, base)?),
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

/// The tip of the main branch, which must exist.
pub(super) fn main_branch(repo: &Repo) -> Result<Oid> {
    let view = if repo.work_dir.is_some() { snapshot::all(repo)?.view } else { Repo::empty_view() };
    let (_, tip) = find_main(repo, &workspace::read_config(&*view)?)?.ok_or_else(|| {
        Error::usage("there is no main branch to compare with")
            .hint("name it: --base REF, or `mainBranch` in spexcode.json")
    })?;
    Ok(tip)
}

/// The main branch by its full name, and its tip: `mainBranch`, else what origin calls its HEAD, else main or master.
pub(super) fn find_main(repo: &Repo, config: &Config) -> Result<Option<(String, Oid)>> {
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

/// The directories of the nodes that the branch touched, uncommitted work included. None before the first commit, and
/// none where there is no main branch to compare with.
pub fn touched(repo: &Repo, workspace: &Workspace) -> Result<Vec<RepoPath>> {
    let (Some((_, main)), Some(head)) = (find_main(repo, &workspace.config)?, repo.head()?) else {
        return Ok(Vec::new());
    };
    let Some(fork) = repo.merge_base(&main, &head)? else { return Ok(Vec::new()) };
    let changed = snapshot::since(repo, fork)?.changed_paths();
    let touched = workspace.nodes.iter().filter(|node| is_touched(node, &changed));
    Ok(touched.map(|node| node.dir.clone()).collect())
}

/// The directories that the request is about; `None` for all.
fn chosen(
    repo: &Repo,
    workspace: &Workspace,
    request: &Request,
    snapshot: &Snapshot,
) -> Result<Option<BTreeSet<RepoPath>>> {
    let pick = |text: &String| {
        let node = pick_node(&workspace.nodes, Some(text), &request.here, || touched(repo, workspace))?;
        Ok(node.dir.clone())
    };
    let named = request.nodes.iter().map(pick).collect::<Result<BTreeSet<_>>>()?;
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

/// Whether what is about `node` and has `tags` belongs to what was asked for, of which `nodes` are left. What is about no
/// node belongs to the change, and is left out only where nodes or tags were asked for by name.
fn is_asked(about: (Option<&RepoPath>, &[String]), nodes: Option<&BTreeSet<RepoPath>>, request: &Request) -> bool {
    let (node, tags) = about;
    let in_nodes = match (nodes, node) {
        (None, _) => true,
        (Some(nodes), Some(node)) => nodes.contains(node),
        (Some(_), None) => request.nodes.is_empty(),
    };
    in_nodes && (request.tags.is_empty() || tags.iter().any(|tag| request.tags.contains(tag)))
}
