//! The page for reviewers, gathered from one view of the repository. [`fill`] adds evidence when the size of the rest is
//! known.

mod evidence;
mod governed_files;
mod history;
mod last_pass;
mod links;
mod masked;
mod order;
mod pieces;
mod pretty;
mod runs;
mod source;

pub(super) use evidence::Looked;
pub(crate) use evidence::fill;

use crate::app::judge::branch::touched;
use crate::app::judge::rows::RowSteps;
use crate::app::judge::snapshot::ScoredContent;
use crate::app::judge::unseen;
use crate::app::query::show::listed;
use crate::app::query::stands;
use crate::app::query::view::{ScoreView, snapshot_of};
use crate::app::site::{Selection, pick_named, refuse_unknown_tags};
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::features::goals::{GoalRow, are_required, check, goal_of};
use crate::features::page::model::links::ForgeLinks;
use crate::features::page::model::page::{PageContent, PageNode, PageScenario};
use crate::model::contract::Goal;
use crate::model::node::{Declared, Node};
use crate::model::reference::eval_line;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use masked::Masker;
use sha2::{Digest, Sha256};

/// Most readings of a scenario that are listed; the counting one is always listed.
const TIMELINE: usize = 20;

#[derive(Clone, Debug, Default)]
pub(crate) struct PageRequest {
    /// Only these nodes, by reference; empty means all.
    pub(crate) nodes: Vec<String>,
    /// Only scenarios with one of these tags; empty means all.
    pub(crate) tags: Vec<String>,
    /// The commit; `None` means the working tree, or HEAD in a bare repository.
    pub(crate) rev: Option<String>,
    /// The user's current directory, for `.` among the nodes.
    pub(crate) here: RepoPath,
    /// Whether the page is to be published: then it has no bytes of evidence, no notes and no names of people.
    pub(crate) publishes: bool,
    /// How many commits of the score over time are asked for.
    pub(crate) history: usize,
    /// The repository in the web that links lead to.
    pub(crate) links: Option<ForgeLinks>,
}

impl PageRequest {
    fn is_whole(&self) -> bool {
        self.nodes.is_empty() && self.tags.is_empty()
    }

    fn has(&self, scenario: &Scenario) -> bool {
        self.tags.is_empty() || scenario.tags.iter().any(|tag| self.tags.contains(tag))
    }
}

/// The content of the page of `request`. It lists the evidence; [`fill`] adds the shown bytes.
///
/// # Errors
/// Usage if a typed node, tag or revision does not exist; unchecked if the content cannot be read.
pub(crate) fn page(repo: &Repo, request: &PageRequest) -> Result<PageContent> {
    let snapshot = snapshot_of(repo, request.rev.as_deref())?;
    let tip = snapshot.tip;
    let score = ScoreView::of(repo, snapshot)?;
    refuse_unknown_tags(&score.workspace.config, &request.tags)?;
    let wanted = wanted(&score, request)?;
    let mut masker = Masker { publishes: request.publishes, count: 0 };
    let nodes = nodes(&score, request, &wanted, &mut masker)?;
    let mut content = PageContent { nodes, ..PageContent::default() };
    content.score = content.scenarios().map(|scenario| &scenario.row).collect();
    if request.is_whole() {
        content.score.governed = stands::governed(&*score.view, &score.workspace)?;
    }
    content.source = source::source(repo, request, tip)?;
    history::add(repo, request, &mut content, &mut masker)?;
    // the governed files are found from the scenarios in the order of their files
    governed_files::fill(&score, request, &wanted, &mut content)?;
    order::worst_first(&mut content.nodes);
    order::unfold(&mut content);
    content.goals = goals(&score, request, &wanted, &mut masker)?;
    if request.is_whole() {
        content.runs = runs::runs(&score, &mut masker)?;
    }
    if !request.publishes {
        pieces::pair_up(&mut content);
    }
    content.pieces = pieces::listed(repo, &content)?;
    content.links = request.links.clone().map(|forge| links::links(repo, forge, &content)).transpose()?;
    content.source.masked = masker.count;
    Ok(content)
}

/// The nodes and scenarios that the request names.
fn wanted(score: &ScoreView<'_>, request: &PageRequest) -> Result<Selection> {
    let nodes = &score.workspace.nodes;
    Selection::of(&request.nodes, |text| {
        pick_named(nodes, Some(text), &request.here, || touched(score.repo, nodes))
            .map_err(|error| unseen::hinted(error, &*score.view, &score.workspace.config))
    })
}

/// The nodes with scenarios to show, with the nodes above them, in the order of the tree.
fn nodes(
    score: &ScoreView<'_>,
    request: &PageRequest,
    wanted: &Selection,
    masker: &mut Masker,
) -> Result<Vec<PageNode>> {
    let steps = RowSteps::of(score.state());
    let mut order: Vec<&Node> = score.workspace.nodes.iter().collect();
    // by path components, because as bytes `a-b` lies between `a` and `a/c`
    order.sort_by(|one, other| parts(&one.dir).cmp(parts(&other.dir)));
    let mut found: Vec<PageNode> = Vec::new();
    let mut above: Vec<&RepoPath> = Vec::new();
    for node in order {
        while above.last().is_some_and(|dir| !node.dir.is_within(dir)) {
            above.pop();
        }
        let is_wanted = |scenario: &Scenario| request.has(scenario) && wanted.has(&node.dir, &scenario.name);
        let scenarios = of_node(score, &steps, node, &is_wanted, masker)?;
        found.push(PageNode {
            dir: crate::app::query::view::shown(&node.dir),
            id: node.id.clone(),
            title: node.spec.as_ref().and_then(|spec| spec.title.as_deref()).map(|title| masker.text(title)),
            depth: above.len(),
            scenarios,
            shows_passes: false,
        });
        above.push(&node.dir);
    }
    Ok(pruned(found))
}

fn parts(dir: &RepoPath) -> impl Iterator<Item = &[u8]> {
    dir.as_bstr().split_str("/")
}

/// Drops nodes that have no scenario to show, neither their own nor below them.
fn pruned(nodes: Vec<PageNode>) -> Vec<PageNode> {
    let mut kept: Vec<PageNode> = Vec::new();
    // from the end: a kept node needs its parent, the next node that is one level less deep
    let mut needed = None;
    for node in nodes.into_iter().rev() {
        if !node.scenarios.is_empty() || needed == Some(node.depth) {
            needed = node.depth.checked_sub(1);
            kept.push(node);
        }
    }
    kept.reverse();
    kept
}

fn of_node(
    score: &ScoreView<'_>,
    steps: &RowSteps<'_>,
    node: &Node,
    is_wanted: &dyn Fn(&Scenario) -> bool,
    masker: &mut Masker,
) -> Result<Vec<PageScenario>> {
    let (judge, effective) = (score.judge(), Effective::of(node));
    let mut found = Vec::new();
    for scenario in node.scenarios().iter().filter(|scenario| is_wanted(scenario)) {
        let mut row = listed(score, &judge, steps, Declared { node, scenario }, &effective, TIMELINE)?;
        let older = effective.newest_first(&scenario.name).count() - row.readings.len();
        row.blocked.iter_mut().for_each(|one| masker.blocked(one));
        row.readings.iter_mut().for_each(|reading| masker.reading(reading));
        row.expected = masker.text(&row.expected);
        row.redacted.iter_mut().for_each(|gone| masker.redaction(gone));
        found.push(PageScenario {
            anchor: anchor(node, scenario),
            row,
            description: masker.text(&scenario.description),
            command: command(node, scenario),
            pair: None,
            older,
            is_open: false,
            test: test(scenario, masker),
            last_pass: last_pass::of(scenario, &effective),
        });
    }
    Ok(found)
}

/// The command that files another reading, without a verdict. For a scenario with a test it names the report of the run.
fn command(node: &Node, scenario: &Scenario) -> String {
    let line = eval_line(&node.dir, Some(&scenario.name));
    if scenario.test.is_some() { format!("{line} --from-junit FILE") } else { line }
}

/// The declared test, and the name of a case in it.
fn test(scenario: &Scenario, masker: &mut Masker) -> Option<String> {
    let test = scenario.test.as_ref()?;
    let name = scenario.test_name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    Some(masker.text(&format!("{}{name}", test.text)))
}

/// The link target of a scenario. It depends only on directory and name, so links stay valid when other scenarios change.
pub(super) fn anchor(node: &Node, scenario: &Scenario) -> String {
    let name = [node.dir.as_bstr().as_bytes(), b"\0", scenario.name.as_bytes()].concat();
    let hex = Sha256::digest(name).iter().take(6).map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("s-{hex}")
}

/// The goals of the shown nodes.
fn goals(
    score: &ScoreView<'_>,
    request: &PageRequest,
    wanted: &Selection,
    masker: &mut Masker,
) -> Result<Vec<GoalRow>> {
    let workspace = &score.workspace;
    if !are_required(&workspace.config) && workspace.nodes.iter().all(|node| *goal_of(node) == Goal::Unset) {
        return Ok(Vec::new());
    }
    let of = request.rev.clone().map_or(ScoredContent::WorkTree, ScoredContent::Rev);
    let mut rows = check(score.repo, &of, &[], &request.here)?;
    rows.retain(|row| wanted.has_node(&RepoPath::from_git(row.node.dir.clone())));
    rows.iter_mut().for_each(|row| masker.goal(row));
    Ok(rows)
}
