//! Everything the rules ask about one view: the workspace, the score of every scenario, who governs what.
//!
//! Collected once per view; the rules only read it.

use crate::engine::anchors::Anchors;
use crate::engine::budget::{BudgetOverlay, FiledAt, Judged};
use crate::engine::effective::{Effective, FiledEvent, Repeated, ReplacedLine};
use crate::engine::freshness::{CountingReading, Freshness, Judge};
use crate::engine::goal::NodeGoal;
use crate::engine::runlog::facts::LogFacts;
use crate::engine::selectors::SelectorFacts;
use crate::error::{Error, ErrorKind, Result};
use crate::model::config::Config;
use crate::model::ids::same_name;
use crate::model::ledger::{Reading, ReadingVerdict, Retraction, Status, Timestamp};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::{Scenario, Unread};
use crate::model::workspace::{Hidden, Workspace};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Files with the (node, scenario) of each of their owners.
pub(crate) type Owners = Vec<(RepoPath, Vec<(usize, usize)>)>;

/// How the reading of a scenario that counts stands.
#[derive(Clone, Debug)]
pub enum Standing {
    /// Nobody has measured it.
    Missing,
    /// It was measured, and this is whether the reading still speaks.
    Judged(Freshness),
    /// It was measured, and git cannot say whether the reading still speaks: the reason.
    NotJudged(Error),
}

/// The score of one declared scenario.
#[derive(Clone, Debug)]
pub struct Score {
    /// The reading that counts in the view.
    pub reading: Option<Reading>,
    /// When and where that was filed.
    pub at: Option<FiledAt>,
    /// Whether a later reading was measured on other content.
    pub is_earlier: bool,
    /// How it stands.
    pub standing: Standing,
    /// What the budgets of the view say of that reading; nothing where they limit nothing.
    pub budget: Option<Judged>,
}

impl Score {
    fn of(budgets: &BudgetOverlay, counting: Option<CountingReading<'_>>) -> Self {
        let Some(CountingReading { filed, is_earlier, freshness }) = counting else {
            return Self { reading: None, at: None, is_earlier: false, standing: Standing::Missing, budget: None };
        };
        Self {
            reading: Some(filed.event.clone()),
            at: Some(FiledAt::of(&filed)),
            is_earlier,
            standing: freshness.map_or_else(Standing::NotJudged, Standing::Judged),
            budget: budgets.judged(&filed).cloned(),
        }
    }

    /// What a message calls its reading.
    pub(crate) fn called(&self) -> &'static str {
        if self.is_earlier { "the reading that counts" } else { "the latest reading" }
    }

    /// The reading that counts, with its line, among the effective ones of its node.
    pub(crate) fn filed<'n>(&self, effective: &Effective<'n>) -> Option<FiledEvent<'n, Reading>> {
        let at = self.at.as_ref()?;
        effective.newest_first(&self.reading.as_ref()?.scenario).find(|filed| FiledAt::of(filed) == *at).copied()
    }

    /// The verdict that counts: what the reading recorded, or a fail where a breach of a budget
    /// stands against the scenario (claims.md, "Budgets"). Every question about a verdict is asked here; what was recorded
    /// stays in [`Self::reading`].
    pub fn verdict(&self) -> Option<ReadingVerdict> {
        let recorded = &self.reading.as_ref()?.verdict;
        Some(self.budget.as_ref().map_or_else(|| recorded.clone(), |judged| judged.effective(recorded)))
    }
}

/// What the ledgers of a node say together, beside the score.
#[derive(Debug, Default)]
pub struct Filings {
    /// Retractions of readings that are nowhere: the scenario and the time they name.
    pub unmatched: Vec<(String, Timestamp)>,
    /// Scenario and time of readings that differ otherwise.
    pub collisions: Vec<(String, Timestamp)>,
    /// Scenarios that nobody declares, with the number of their effective readings.
    pub orphans: Vec<(String, usize)>,
    /// Lines that stand there more than once.
    pub repeated: Vec<Repeated>,
    /// Lines that stand beside their redaction.
    pub returned: Vec<ReplacedLine>,
    /// Scenarios that were renamed and nothing else.
    pub renamed: Vec<Renamed>,
    /// Readings that use a key which another one used for something else.
    pub conflicts: Vec<KeyConflict>,
}

/// A scenario that has another name now: what it says is what a reading under the old name measured, and nobody else says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The name that its readings carry.
    pub from: String,
    /// The name that is declared.
    pub to: String,
}

/// A reading that says something else than another one under the same key.
#[derive(Clone, Debug)]
pub struct KeyConflict {
    /// The scenario that the readings measured.
    pub scenario: String,
    /// The idempotency key that they share.
    pub key: String,
    /// The ledger in which they stand.
    pub ledger: RepoPath,
    /// Its physical line, from 1.
    pub line: u32,
    /// The times of both, the earlier first.
    pub times: [Timestamp; 2],
}

/// The facts of one view.
#[derive(Debug)]
pub struct Facts {
    /// Nodes, scenarios, readings, configuration.
    pub workspace: Workspace,
    /// One score per node and scenario, in their order; empty for a node without a scenario file.
    pub scores: Vec<Vec<Score>>,
    /// What the ledgers of each node say together.
    pub filings: Vec<Filings>,
    /// What the budgets of the workspace's configuration say of its readings: breaches, and what each run has come to. Of
    /// some nodes alone it knows only what those spent.
    pub budgets: BudgetOverlay,
    /// Per node, a source file that it governs; only looked for where there is no scenario file.
    pub source_files: Vec<Option<RepoPath>>,
    /// What both gates say of the nodes that have a goal, where a score asks.
    pub(crate) goals: Vec<NodeGoal>,
    /// The run logs that are judged: of a state that is compared, those that the change touches.
    pub runlogs: Vec<LogFacts>,
    /// What of ours git ignores; only asked of the whole working tree.
    pub hidden: Vec<Hidden>,
    /// Every file that a scenario's own `code:` governs as a whole, with (node, scenario) of each of its owners; `None` where nobody
    /// asked, which says nothing about any file.
    pub owners: Option<Owners>,
    /// What is known of the selectors of its lists, where somebody asked; of a state that is compared, of those alone that
    /// name no unit in the judged one.
    pub(crate) selectors: SelectorFacts,
}

impl Facts {
    /// The facts of a state in which nothing is ours.
    pub(crate) fn of_nothing(config: Config) -> Self {
        Self {
            workspace: Workspace { config, nodes: Vec::new() },
            scores: Vec::new(),
            filings: Vec::new(),
            budgets: BudgetOverlay::default(),
            source_files: Vec::new(),
            goals: Vec::new(),
            runlogs: Vec::new(),
            hidden: Vec::new(),
            owners: Some(Owners::new()),
            selectors: SelectorFacts::default(),
        }
    }

    /// Whether a scenario counts as failed: by the effective verdict of the reading that counts, or by a breach of a budget
    /// that stands although its readings were withdrawn.
    pub(crate) fn is_failed(&self, node: &Node, scenario: &Scenario, score: &Score) -> bool {
        score.verdict() == Some(ReadingVerdict::Measured(Status::Fail))
            || self.budgets.breach_of(&node.dir, &scenario.name).is_some()
    }

    /// The node in this directory with its scores.
    pub(crate) fn scored(&self, dir: &RepoPath) -> Option<(&Node, &[Score])> {
        let found = self.workspace.nodes.binary_search_by(|node| node.dir.cmp(dir)).ok()?;
        Some((&self.workspace.nodes[found], &self.scores[found]))
    }

    /// The reading that counts of the scenario of that name; `None` where there is none, or it is not declared.
    pub(crate) fn counting(&self, dir: &RepoPath, name: &str) -> Option<&Reading> {
        let (node, scores) = self.scored(dir)?;
        let declared = node.file.iter().flat_map(|file| &file.scenarios).zip(scores);
        declared.filter(|(scenario, _)| same_name(&scenario.name, name)).find_map(|(_, score)| score.reading.as_ref())
    }

    /// Every declared scenario with its node and score.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = (&Node, &Scenario, &Score)> {
        self.workspace.nodes.iter().zip(&self.scores).flat_map(|(node, scores)| {
            let declared = node.file.iter().flat_map(|file| &file.scenarios);
            declared.zip(scores).map(move |(scenario, score)| (node, scenario, score))
        })
    }
}

/// Collects the facts of `workspace`, which was loaded from `tree`, and the owners of files. Freshness that git cannot tell
/// (a partial clone, say) is a [`Standing::NotJudged`]; everything else that cannot be read is an error.
pub(crate) fn collect(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let owners = Some(owners(tree, &workspace.nodes)?);
    Ok(Facts { owners, ..collect_unowned(tree, anchors, workspace)? })
}

/// The same without asking for owners: only a question to the whole repository needs them, and to find them lists every
/// governed directory.
pub(crate) fn collect_unowned(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let judge = Judge::new(tree, anchors, &workspace.config.evaluators);
    let judged = judged(&judge, &workspace);
    of_judged(tree, workspace, judged)
}

/// The same by whole files: no selector counts, so that nothing is parsed. For whoever asks whether something appeared.
pub(crate) fn collect_by_files(tree: &dyn Tree, anchors: &Anchors, workspace: Workspace) -> Result<Facts> {
    let judge = Judge::new(tree, anchors, &workspace.config.evaluators).of_whole_files();
    let judged = judged(&judge, &workspace);
    of_judged(tree, workspace, judged)
}

/// The nodes of a workspace, judged.
struct JudgedNodes {
    scores: Vec<Vec<Score>>,
    filings: Vec<Filings>,
    budgets: BudgetOverlay,
}

fn judged(judge: &Judge<'_>, workspace: &Workspace) -> JudgedNodes {
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
    JudgedNodes { scores, filings, budgets }
}

/// Judges again what was not judged for want of parsing.
fn judge_unparsed(judge: &Judge<'_>, budgets: &BudgetOverlay, node: &Node, scores: &mut [Score]) {
    let is_unparsed =
        |score: &Score| matches!(&score.standing, Standing::NotJudged(why) if why.kind == ErrorKind::Unparsed);
    if !scores.iter().any(is_unparsed) {
        return;
    }
    let effective = Effective::of(node);
    let declared = node.file.iter().flat_map(|file| &file.scenarios).zip(scores);
    for (scenario, score) in declared.filter(|(_, score)| is_unparsed(score)) {
        *score = Score::of(budgets, judge.counting(node, scenario, &effective));
    }
}

fn of_judged(tree: &dyn Tree, workspace: Workspace, judged: JudgedNodes) -> Result<Facts> {
    let JudgedNodes { scores, filings, budgets } = judged;
    let extensions: HashSet<&[u8]> = workspace.config.source_extensions.iter().map(|e| e.as_bytes()).collect();
    let source_files =
        workspace.nodes.iter().map(|node| source_file(tree, node, &extensions)).collect::<Result<_>>()?;
    Ok(Facts {
        workspace,
        scores,
        filings,
        budgets,
        source_files,
        goals: Vec::new(),
        runlogs: Vec::new(),
        hidden: Vec::new(),
        owners: None,
        selectors: SelectorFacts::default(),
    })
}

fn of_node(judge: &Judge<'_>, budgets: &BudgetOverlay, node: &Node) -> (Vec<Score>, Filings) {
    let effective = Effective::of(node);
    let declared = node.file.iter().flat_map(|file| &file.scenarios);
    let scores = declared.map(|scenario| Score::of(budgets, judge.counting(node, scenario, &effective))).collect();
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
        unmatched: effective.unmatched().iter().map(of_retraction).collect(),
        collisions: effective.collisions().iter().filter_map(of_readings).collect(),
        renamed: renamed(effective, node),
        orphans: effective.orphans(node).into_iter().map(count).collect(),
        repeated: effective.repeated().to_vec(),
        returned: effective.returned().to_vec(),
        conflicts: effective.conflicts().iter().map(conflict).collect(),
    }
}

/// The scenarios of `node` that nobody measured whose text one undeclared name was measured with. Where two say the same, or
/// an entry cannot be read, nobody can tell which it is.
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
fn source_file(tree: &dyn Tree, node: &Node, extensions: &HashSet<&[u8]>) -> Result<Option<RepoPath>> {
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

/// Whether a node governs a source file of `tree`, by itself or by one of its scenarios.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn governs_source(tree: &dyn Tree, node: &Node, config: &Config) -> Result<bool> {
    let extensions: HashSet<&[u8]> = config.source_extensions.iter().map(|e| e.as_bytes()).collect();
    let scenarios = node.file.iter().flat_map(|file| &file.scenarios).flat_map(|scenario| &scenario.code);
    for governed in node.spec.iter().flat_map(|spec| &spec.code).chain(scenarios) {
        if matches(tree, governed)?.iter().any(|(path, _)| is_source(path, &extensions)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_source(path: &RepoPath, extensions: &HashSet<&[u8]>) -> bool {
    let name = path.name();
    name.rfind_byte(b'.').is_some_and(|dot| extensions.contains(name[dot + 1..].as_bytes()))
}

/// Every file under a scenario's own `code:`, with its owners. Who governs one unit of a file does not own it: an edit
/// elsewhere in it makes nobody's reading stale.
fn owners(tree: &dyn Tree, nodes: &[Node]) -> Result<Owners> {
    let mut owners: BTreeMap<RepoPath, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for (number, scenario) in node.file.iter().flat_map(|file| &file.scenarios).enumerate() {
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
