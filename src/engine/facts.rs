//! Everything the rules ask about one view: the workspace, the score of every scenario, the owners of files.
//!
//! Collected once a view; the rules only read it.

use crate::engine::anchors::Anchors;
use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::{Effective, FiledEvent, Repeated, ReplacedLine};
use crate::engine::freshness::{Judge, OldTrees};
use crate::engine::selectors::SelectorFacts;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::ids::same_name;
use crate::model::ledger::{Reading, ReadingVerdict, Retraction, Status, Timestamp};
use crate::model::node::{Declared, Node};
use crate::model::parts::Parts;
use crate::model::resolve::matches;
use crate::model::scenario::{Scenario, Unread};
use crate::model::workspace::{Hidden, Workspace};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) use crate::engine::score::at_gate;
pub use crate::engine::score::{Score, Standing};

/// Files with the (node, scenario) of each of their owners.
pub(crate) type Owners = Vec<(RepoPath, Vec<(usize, usize)>)>;

/// Facts from all ledgers of a node, beside the score.
#[derive(Debug, Default)]
pub struct Filings {
    /// Retractions without a reading: the scenario and the time that they name.
    pub unmatched: Vec<(String, Timestamp)>,
    /// The scenario and time of different readings with the same time.
    pub collisions: Vec<(String, Timestamp)>,
    /// Undeclared scenarios, with the number of their effective readings.
    pub orphans: Vec<(String, usize)>,
    /// Lines that the ledgers hold more than once.
    pub repeated: Vec<Repeated>,
    /// Lines that stand beside their redaction.
    pub returned: Vec<ReplacedLine>,
    /// Scenarios with a new name and an unchanged text.
    pub renamed: Vec<Renamed>,
    /// Readings under a key that another reading used for something else.
    pub conflicts: Vec<KeyConflict>,
}

/// A renamed scenario: its text is the one that a reading under the old name measured, and no other scenario has this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    pub from: String,
    pub to: String,
}

/// A reading that differs from another one under the same key.
#[derive(Clone, Debug)]
pub struct KeyConflict {
    pub scenario: String,
    pub key: String,
    pub ledger: RepoPath,
    /// Its physical line, from 1.
    pub line: u32,
    /// The times of both readings, the earlier first.
    pub times: [Timestamp; 2],
}

#[derive(Debug, Default)]
pub struct Facts {
    /// Nodes, scenarios, readings, configuration.
    pub workspace: Workspace,
    /// One score per node and scenario, in their order; empty for a node without a scenario file.
    pub scores: Vec<Vec<Score>>,
    /// The facts from the ledgers of each node.
    pub filings: Vec<Filings>,
    /// The breaches and the totals of runs, under the budgets of the workspace's configuration. If only some nodes were
    /// loaded, it covers only their spending.
    pub budgets: BudgetOverlay,
    /// For each node without a scenario file, a source file that it governs.
    pub source_files: Vec<Option<RepoPath>>,
    /// Whether a feature judges a file of the state that belongs to no node.
    pub(crate) has_other_files: bool,
    /// The roots and files of yatsu-hook that git ignores; collected for the whole working tree only.
    pub hidden: Vec<Hidden>,
    /// Every file that a scenario's own `code:` governs as a whole, with the (node, scenario) of each owner. `None` if
    /// owners were not collected.
    pub owners: Option<Owners>,
    /// The results for the selectors in its lists, if they were collected. For a base, only the selectors that name no unit
    /// in the judged state.
    pub(crate) selectors: SelectorFacts,
    /// The clock of the door, by which a line may be dated ahead. `None` where no gate asks.
    pub(crate) now: Option<Timestamp>,
    /// What features found in the state.
    pub(crate) parts: Parts,
}

impl Facts {
    /// The facts of a state with nothing to judge.
    pub(crate) fn of_nothing(config: Config) -> Self {
        let workspace = Workspace { config, nodes: Vec::new() };
        Self { workspace, owners: Some(Owners::new()), ..Self::default() }
    }

    /// Whether there is nothing to judge: neither a node nor another file of ours.
    pub(crate) fn is_empty(&self) -> bool {
        self.workspace.nodes.is_empty() && !self.has_other_files
    }

    /// Whether a scenario counts as failed: by the effective verdict of the reading that counts, or by a standing breach of
    /// a budget although its readings were withdrawn.
    pub(crate) fn is_failed(&self, node: &Node, scenario: &Scenario, score: &Score) -> bool {
        score.verdict() == Some(ReadingVerdict::Measured(Status::Fail))
            || self.budgets.breach_of(&node.dir, &scenario.name).is_some()
    }

    /// The node in this directory with its scores.
    pub(crate) fn scored(&self, dir: &RepoPath) -> Option<(&Node, &[Score])> {
        let found = self.workspace.nodes.binary_search_by(|node| node.dir.cmp(dir)).ok()?;
        Some((&self.workspace.nodes[found], &self.scores[found]))
    }

    /// The reading that counts for the scenario of this name; `None` if it has none or is not declared.
    pub(crate) fn counting(&self, dir: &RepoPath, name: &str) -> Option<&Reading> {
        let (node, scores) = self.scored(dir)?;
        node.scenarios()
            .iter()
            .zip(scores)
            .filter(|(scenario, _)| same_name(&scenario.name, name))
            .find_map(|(_, score)| score.reading.as_ref())
    }

    /// Every declared scenario with its node and score.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = (&Node, &Scenario, &Score)> {
        self.workspace.nodes.iter().zip(&self.scores).flat_map(|(node, scores)| {
            node.scenarios().iter().zip(scores).map(move |(scenario, score)| (node, scenario, score))
        })
    }
}

/// Collects the facts of `workspace`, which was loaded from `tree`, and the owners of files. If git cannot compute a
/// freshness, for example in a partial clone, the result is a [`Standing::NotJudged`]. Every other read failure is an
/// error.
pub(crate) fn collect(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let owners = Some(owners(tree, &workspace.nodes)?);
    Ok(Facts { owners, ..collect_unowned(tree, anchors, workspace)? })
}

/// The same without owners. Only judging the whole repository needs them, and finding them lists every governed directory.
pub(crate) fn collect_unowned(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let judge = Judge::new(tree, anchors, &workspace.config.evaluators);
    let judged = judged(&judge, &workspace);
    of_judged(tree, workspace, judged)
}

/// The same, where several trees are judged one after the other: `old` is what was read of old trees.
pub(crate) fn collect_of_many(
    tree: &dyn Tree,
    anchors: &Anchors,
    old: &Rc<OldTrees>,
    workspace: Workspace,
) -> Result<Facts> {
    let judge = Judge::new(tree, anchors, &workspace.config.evaluators).sharing(Rc::clone(old));
    let judged = judged(&judge, &workspace);
    of_judged(tree, workspace, judged)
}

/// The same by whole files: selectors are ignored, so nothing is parsed. It suffices to ask whether something appeared.
pub(crate) fn collect_by_files(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let judge = Judge::new(tree, anchors, &workspace.config.evaluators).of_whole_files();
    let judged = judged(&judge, &workspace);
    of_judged(tree, workspace, judged)
}

/// The facts of the nodes of a workspace that follow from their readings.
struct JudgedScores {
    scores: Vec<Vec<Score>>,
    filings: Vec<Filings>,
    budgets: BudgetOverlay,
}

fn judged(judge: &Judge<'_>, workspace: &Workspace) -> JudgedScores {
    let budgets = BudgetOverlay::of_nodes(&workspace.nodes, &workspace.config.budgets);
    let mut found: Vec<(Vec<Score>, Filings)> = Vec::new();
    judge.units().in_rounds(|| {
        if found.is_empty() {
            found = workspace.nodes.iter().map(|node| of_node(judge, &budgets, node)).collect();
        } else {
            let judged = workspace.nodes.iter().zip(&mut found);
            judged.for_each(|(node, (scores, _))| judge_unparsed(judge, &budgets, node, scores));
        }
    });
    let (scores, filings) = found.into_iter().unzip();
    JudgedScores { scores, filings, budgets }
}

/// Judges the scores again that were not judged because a source file was not parsed yet.
fn judge_unparsed(judge: &Judge<'_>, budgets: &BudgetOverlay, node: &Node, scores: &mut [Score]) {
    if !scores.iter().any(Score::is_unparsed) {
        return;
    }
    let effective = Effective::of(node);
    for (scenario, score) in node.scenarios().iter().zip(scores).filter(|(_, score)| score.is_unparsed()) {
        *score = Score::judged(judge, budgets, Declared { node, scenario }, &effective);
    }
}

fn of_judged(tree: &dyn Tree, workspace: Workspace, judged: JudgedScores) -> Result<Facts> {
    let extensions = workspace.config.source_extensions();
    let source_files =
        workspace.nodes.iter().map(|node| source_file(tree, node, &extensions)).collect::<Result<_>>()?;
    let JudgedScores { scores, filings, budgets } = judged;
    // every field is named: a configuration by default, made only to be dropped, costs as much as a small node
    Ok(Facts {
        workspace,
        scores,
        filings,
        budgets,
        source_files,
        has_other_files: false,
        hidden: Vec::new(),
        owners: None,
        selectors: SelectorFacts::default(),
        now: None,
        parts: Parts::default(),
    })
}

fn of_node(judge: &Judge<'_>, budgets: &BudgetOverlay, node: &Node) -> (Vec<Score>, Filings) {
    let effective = Effective::of(node);
    let scores = node
        .scenarios()
        .iter()
        .map(|scenario| Score::judged(judge, budgets, Declared { node, scenario }, &effective))
        .collect();
    (scores, filings(&effective, node))
}

fn filings(effective: &Effective<'_>, node: &Node) -> Filings {
    let of_retraction = |filed: &FiledEvent<'_, Retraction>| (filed.event.scenario.clone(), filed.event.retracts);
    let of_readings = |filed: &Vec<FiledEvent<'_, Reading>>| {
        let first = filed.first()?;
        Some((first.event.scenario.clone(), first.event.ts))
    };
    let count = |name: &str| (name.to_owned(), effective.timeline(name).len());
    Filings {
        unmatched: effective.unmatched.iter().map(of_retraction).collect(),
        collisions: effective.collisions.iter().filter_map(of_readings).collect(),
        renamed: renamed(effective, node),
        orphans: effective.orphans(node).into_iter().map(count).collect(),
        repeated: effective.repeated.clone(),
        returned: effective.returned.clone(),
        conflicts: effective.conflicts.iter().map(conflict).collect(),
    }
}

/// The unmeasured scenarios of `node` with a text that readings of exactly one undeclared name measured. If two scenarios
/// have the same text, or an entry is unreadable, a rename cannot be recognised.
fn renamed(effective: &Effective<'_>, node: &Node) -> Vec<Renamed> {
    let Some(file) = node.file.as_ref().filter(|file| !file.cut_short) else { return Vec::new() };
    let gone = effective.orphans(node).into_iter();
    let gone: Vec<_> = gone.filter_map(|name| Some((name, effective.latest(name)?.scenario_hash?))).collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let is_new = |new: &&Scenario| effective.latest(&new.name).is_none() && new.unread == Unread::default();
    let says = |one: &Scenario| file.scenarios.iter().filter(|other| other.text_hash == one.text_hash).count();
    let pair = |to: &Scenario| {
        let mut from = gone.iter().filter(|(_, hash)| *hash == to.text_hash);
        let (name, _) = from.next()?;
        let is_only = from.next().is_none() && says(to) == 1;
        is_only.then(|| Renamed { from: (*name).to_owned(), to: to.name.clone() })
    };
    file.scenarios.iter().filter(is_new).filter_map(pair).collect()
}

fn conflict([before, filed]: &[FiledEvent<'_, Reading>; 2]) -> KeyConflict {
    KeyConflict {
        scenario: filed.event.scenario.clone(),
        key: filed.event.terms.key.as_ref().map(ToString::to_string).unwrap_or_default(),
        ledger: filed.ledger.clone(),
        line: filed.line,
        times: [before.event.ts, filed.event.ts],
    }
}

/// A source file that a node without a scenario file governs.
fn source_file(tree: &dyn Tree, node: &Node, extensions: &[&str]) -> Result<Option<RepoPath>> {
    let (None, Some(spec)) = (&node.file, &node.spec) else { return Ok(None) };
    for governed in &spec.code {
        let files = matches(tree, governed)?;
        let source = files.into_iter().map(|(path, _)| path).find(|path| is_source(path, extensions));
        if source.is_some() {
            return Ok(source);
        }
    }
    Ok(None)
}

/// Whether a node governs a source file of `tree`, by its own list or by one of its scenarios.
///
/// # Errors
/// The tree cannot be read.
pub(crate) fn governs_source(tree: &dyn Tree, node: &Node, config: &Config) -> Result<bool> {
    let extensions = config.source_extensions();
    let scenarios = node.scenarios().iter().flat_map(|scenario| &scenario.code);
    for governed in node.spec.iter().flat_map(|spec| &spec.code).chain(scenarios) {
        if matches(tree, governed)?.iter().any(|(path, _)| is_source(path, &extensions)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_source(path: &RepoPath, extensions: &[&str]) -> bool {
    let name = path.name();
    name.rfind_byte(b'.').is_some_and(|dot| extensions.iter().any(|extension| name[dot + 1..] == *extension.as_bytes()))
}

/// Every file under a scenario's own `code:`, with its owners. A scenario that governs one unit of a file does not own the
/// file: edits elsewhere in the file make none of its readings stale.
fn owners(tree: &dyn Tree, nodes: &[Node]) -> Result<Owners> {
    let mut owners: BTreeMap<RepoPath, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for (number, scenario) in node.scenarios().iter().enumerate() {
            let mut files = BTreeSet::new();
            for governed in scenario.code.iter().filter(|entry| entry.symbol().is_none()) {
                files.extend(matches(tree, governed)?.into_iter().map(|(path, _)| path));
            }
            for file in files {
                owners.entry(file).or_default().push((index, number));
            }
        }
    }
    Ok(owners.into_iter().collect())
}
