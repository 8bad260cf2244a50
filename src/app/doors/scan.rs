//! The score: every rule over all nodes, or over the ones that the branch touched.

use super::check;
use crate::app::judge::branch::{self, TouchedPaths};
use crate::app::judge::snapshot::{self, ScoredContent, Snapshot};
use crate::app::judge::{Options, unseen, verdict};
use crate::app::query::{drift, settings, stands, unstaged};
use crate::app::site::{Selection, pick_named, refuse_unknown_tags};
use crate::engine::facts::Score;
use crate::error::Result;
use crate::finding::Finding;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::report::view::{Report, ScopeMode};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// Shown when the branch is compared only with its own last commit.
const ONLY_HEAD: &str = "compared with HEAD: there is no main branch here (mainBranch in spexcode.json, origin/HEAD, main or \
                         master); what the commits of this branch changed is not in this score: --base REF";

/// Shown when evidence exists, because a score examines scenarios and not the content of every file.
const NAMES_ONLY: &str = "evidence among tracked files was looked for by name only; by content: yatsu-hook check --all";

/// The base of a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// No base: all nodes.
    #[default]
    Ever,
    /// The commit where the branch left the main branch.
    Main,
    /// The commit where the branch left this revision.
    Rev(String),
}

/// The request for a score; by default of the whole working tree.
#[derive(Clone, Debug, Default)]
pub struct ScanRequest {
    /// The content to score.
    pub of: ScoredContent,
    /// The base.
    pub since: Since,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// Only these nodes, by reference; empty means all.
    pub nodes: Vec<String>,
    /// The user's current directory, for `.` among the nodes.
    pub here: RepoPath,
    /// Whether to count the commits that touched each drifted path.
    pub counts: bool,
    /// Whether to compare tracked files with the evidence by content, as a gate must; otherwise by name only.
    pub by_content: bool,
}

/// Judges the requested scenarios and reports the state of their latest readings. Writes nothing but memos.
///
/// # Errors
/// Usage when a given revision, node or base does not exist; unchecked when the content cannot be read.
pub fn scan(repo: &Repo, request: &ScanRequest, options: Options) -> Result<Report> {
    let options = Options { reads_files: request.by_content, scores_goals: true, ..options };
    let (since, said) = since(repo, request)?;
    let snapshot = take(repo, request, since)?;
    let Some(mut judged) = check::everything(repo, &snapshot, options)? else {
        let report = verdict::of(repo, &snapshot, None, options.reader);
        return Ok(Report { notes: said.into_iter().collect(), ..report });
    };
    refuse_unknown_tags(&judged.states.view.workspace.config, &request.tags)?;
    let chosen = chosen(repo, &judged.states.view.workspace, request, &snapshot)?;
    let is_asked = |node: Option<&RepoPath>, scenario: Option<&str>, tags: &[String]| {
        chosen.holds(node, scenario) && (request.tags.is_empty() || tags.iter().any(|tag| request.tags.contains(tag)))
    };
    judged.findings.retain(|finding| {
        let dir = finding.node.as_ref().map(|node| RepoPath::from_git(node.dir.clone()));
        is_asked(dir.as_ref(), finding.scenario.as_deref(), &finding.tags)
    });
    judged.not_judged.retain(|of| is_asked(Some(&of.node), Some(&of.scenario), &of.tags));
    if request.counts {
        count_commits(repo, &snapshot, &mut judged.findings)?;
    }
    let unread = judged.unread;
    let advice = settings::unmatched_sources(&*snapshot.view, &judged.states.view.workspace.config)?;
    let in_score =
        |node: &Node, scenario: &Scenario, _: &Score| is_asked(Some(&node.dir), Some(&scenario.name), &scenario.tags);
    let stands = stands::chosen(&judged.states.view, in_score);
    let is_whole = request.tags.is_empty() && chosen.is_everything();
    let governed = if is_whole { stands::governed(&*snapshot.view, &judged.states.view.workspace)? } else { None };
    let new = match request.of {
        ScoredContent::WorkTree => unstaged::in_new_segments(repo, &judged.states.view.workspace.nodes)?.note(),
        _ => None,
    };
    let mut report = stands::scored(verdict::of(repo, &snapshot, Some(judged), options.reader), stands, governed);
    report.notes.extend(new);
    report.notes.extend(unread.then(|| NAMES_ONLY.to_owned()));
    report.notes.extend(said);
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

/// The base commit, and a note about it for the reader.
fn since(repo: &Repo, request: &ScanRequest) -> Result<(Option<Oid>, Option<String>)> {
    match &request.since {
        Since::Ever => Ok((None, None)),
        Since::Rev(rev) => Ok((Some(repo.resolve(rev)?), None)),
        Since::Main => {
            let base = branch::base(repo)?;
            let commit = base.commit.ok_or_else(branch::no_commit)?;
            Ok((Some(commit), base.only_head.then(|| ONLY_HEAD.to_owned())))
        }
    }
}

fn take(repo: &Repo, request: &ScanRequest, since: Option<Oid>) -> Result<Snapshot> {
    match (&request.of, since) {
        (ScoredContent::WorkTree, None) => snapshot::all(repo),
        (ScoredContent::WorkTree, Some(base)) => snapshot::since(repo, Some(branch::fork(repo, base)?)),
        // the score covers the whole index, even if nothing in it is new
        (ScoredContent::Staged, None) => snapshot::staged_or_index(repo),
        (ScoredContent::Staged, Some(base)) => snapshot::staged_since(repo, branch::fork(repo, base)?),
        (ScoredContent::Rev(rev), None) => snapshot::commit(repo, ScopeMode::Rev, repo.resolve(rev)?, &[]),
        (ScoredContent::Rev(rev), Some(base)) => {
            let tip = repo.resolve(rev)?;
            snapshot::commit(repo, ScopeMode::Rev, tip, &[Some(branch::fork_of(repo, &base, &tip)?)])
        }
    }
}

/// The selected part of a score.
enum Chosen {
    Everything,
    /// These nodes and scenarios, by name.
    Named(Selection),
    /// The nodes that the change touches.
    Touched(BTreeSet<RepoPath>),
}

fn chosen(repo: &Repo, workspace: &Workspace, request: &ScanRequest, snapshot: &Snapshot) -> Result<Chosen> {
    let nodes = &workspace.nodes;
    let named = Selection::of(&request.nodes, |text| {
        pick_named(nodes, Some(text), &request.here, || branch::touched(repo, nodes))
            .map_err(|error| unseen::hinted(error, &*snapshot.view, &workspace.config))
    })?;
    if !named.is_everything() {
        return Ok(Chosen::Named(named));
    }
    if request.since == Since::Ever {
        return Ok(Chosen::Everything);
    }
    let changed = snapshot.changed_paths();
    let paths = TouchedPaths::of(&changed);
    let touched = nodes.iter().filter(|node| paths.touch(node));
    Ok(Chosen::Touched(touched.map(|node| node.dir.clone()).collect()))
}

impl Chosen {
    fn is_everything(&self) -> bool {
        matches!(self, Self::Everything)
    }

    /// Whether the subject of a finding was requested. A finding without a node belongs to the change, and is left out only
    /// if nodes were requested by name. A finding about a whole node belongs to each of its scenarios.
    fn holds(&self, node: Option<&RepoPath>, scenario: Option<&str>) -> bool {
        match (self, node) {
            (Self::Everything, _) | (Self::Touched(_), None) => true,
            (Self::Touched(dirs), Some(dir)) => dirs.contains(dir),
            (Self::Named(_), None) => false,
            (Self::Named(named), Some(dir)) => {
                scenario.map_or_else(|| named.has_node(dir), |scenario| named.has(dir, scenario))
            }
        }
    }
}
