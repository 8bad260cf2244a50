//! The score behind `ls`, `show` and `impact`: the scenarios of the working tree (of HEAD in a bare repository) and the
//! states of their readings. The engine judges; this file makes rows of its results.

use super::drift;
use super::measures::measures_row;
use super::repeated::{self, state};
use super::terms::{budget_row, shown_verdict, terms_row};
use crate::app::judge::branch::touched;
use crate::app::judge::rows::{self, RowSteps, ScoredState};
use crate::app::judge::snapshot::{self, Snapshot};
use crate::app::judge::{remember, unseen};
use crate::app::memo::parsed::ParsedMemo;
use crate::app::memo::shared_pieces::KnownThere;
use crate::app::site::{NamedPlace, Selection, pick_alone, pick_named};
use crate::engine::anchors::Anchors;
use crate::engine::blocked::{self, Blocked};
use crate::engine::budget::{BudgetOverlay, FiledAt};
use crate::engine::effective::{Effective, FiledEvent};
use crate::engine::freshness::{CountingReading, Freshness, Judge, MovedContent};
use crate::engine::score::Score;
use crate::error::Result;
use crate::finding::{DriftPath, NodeRef};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Reading, ReadingVerdict, Status};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, Outline, ParsedBefore, Select, WholeLedgers, Workspace};
use crate::repo::Repo;
use crate::report::view::ScopeMode;
use crate::report::view::score::{
    AwayPiece, BlockedRow, EvidenceRow, GovernedPart, ReadingRow, ReadingState, ScenarioRow,
};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// The judged state, with everything needed to judge a reading in it.
pub(crate) struct ScoreView<'r> {
    /// The repository, to look up typed names and to count commits.
    pub(crate) repo: &'r Repo,
    /// The judged content.
    pub(crate) view: Rc<dyn Tree>,
    /// The judged commit; HEAD for the working tree.
    tip: Option<Oid>,
    anchors: Anchors,
    /// The nodes of `view`: all of them, or the ones that a question needs.
    pub(crate) workspace: Workspace,
    budgets: BudgetOverlay,
    cache: Cache,
    /// What is known here of shared evidence; loaded for the first piece that this clone lacks.
    shared: OnceCell<Option<KnownThere>>,
}

impl<'r> ScoreView<'r> {
    /// The working tree, or HEAD in a bare repository. Ledgers of the last scan may hold only their latest readings, if no
    /// other reading matters.
    pub(crate) fn latest_alone(repo: &'r Repo) -> Result<Self> {
        let snapshot = snapshot::all(repo)?;
        let before = remember::parsed(repo, &snapshot, None);
        Self::knowing(repo, snapshot, &before)
    }

    /// The working tree, or HEAD in a bare repository, for questions about the nodes that `words` name, and where they lie.
    /// Of the other nodes it has what these nodes need, mostly nothing. `here` is the user's current directory.
    ///
    /// # Errors
    /// Usage, with the candidates, when it is not clear which node a word means.
    pub(crate) fn about(repo: &'r Repo, words: &[Option<&str>], here: &RepoPath) -> Result<(Self, Selection)> {
        let snapshot = snapshot::all(repo)?;
        let memo = remember::parsed(repo, &snapshot, None);
        let outline = Outline::of(&*snapshot.view, workspace::read_config(&*snapshot.view)?)?;
        let pick = |word: &Option<&str>| pick_alone(&outline, &*snapshot.view, *word, here);
        if let Some(picked) = words.iter().map(pick).collect::<Option<Vec<_>>>() {
            let named = Selection::at(picked);
            return Ok((Self::of_some(repo, snapshot, &outline, named.dirs(), memo)?, named));
        }
        let score = Self::knowing(repo, snapshot, &WholeLedgers::of_all(memo))?;
        let named = score.picked(words, here)?;
        Ok((score, named))
    }

    /// The same about the node in this directory.
    pub(crate) fn at(repo: &'r Repo, dir: &RepoPath) -> Result<Self> {
        let snapshot = snapshot::all(repo)?;
        let memo = remember::parsed(repo, &snapshot, None);
        let outline = Outline::of(&*snapshot.view, workspace::read_config(&*snapshot.view)?)?;
        Self::of_some(repo, snapshot, &outline, BTreeSet::from([dir.clone()]), memo)
    }

    /// The nodes in these directories, and what they need of the others.
    fn of_some(
        repo: &'r Repo,
        snapshot: Snapshot,
        outline: &Outline,
        dirs: BTreeSet<RepoPath>,
        memo: ParsedMemo,
    ) -> Result<Self> {
        let before = WholeLedgers::of(memo, dirs.clone());
        if needs_others(repo, outline.config())? {
            return Self::knowing(repo, snapshot, &before);
        }
        let workspace = outline.load_some(&*snapshot.view, &dirs, &before)?;
        Self::with(repo, snapshot, workspace)
    }

    /// What `words` name among all nodes.
    fn picked(&self, words: &[Option<&str>], here: &RepoPath) -> Result<Selection> {
        let nodes = &self.workspace.nodes;
        let pick = |word: &Option<&str>| -> Result<NamedPlace> {
            let (node, only) = pick_named(nodes, *word, here, || touched(self.repo, nodes))
                .map_err(|error| unseen::hinted(error, &*self.view, &self.workspace.config))?;
            Ok((node.dir.clone(), only.map(|only| only.name.clone())))
        };
        words.iter().map(pick).collect::<Result<_>>().map(Selection::at)
    }

    /// The content of a snapshot; its bases do not matter.
    pub(crate) fn of(repo: &'r Repo, snapshot: Snapshot) -> Result<Self> {
        let before = WholeLedgers::of_all(remember::parsed(repo, &snapshot, None));
        Self::knowing(repo, snapshot, &before)
    }

    fn knowing(repo: &'r Repo, snapshot: Snapshot, before: &dyn ParsedBefore) -> Result<Self> {
        let config = workspace::read_config(&*snapshot.view)?;
        let workspace = workspace::load_knowing(&*snapshot.view, config, &Select::All, before)?;
        Self::with(repo, snapshot, workspace)
    }

    /// The view of a snapshot with these of its nodes.
    fn with(repo: &'r Repo, snapshot: Snapshot, workspace: Workspace) -> Result<Self> {
        let (anchors, view) = (remember::anchors(repo), snapshot.view);
        let tip = snapshot.tip.map_or_else(|| repo.head(), |tip| Ok(Some(tip)))?;
        let budgets = BudgetOverlay::of_nodes(&workspace.nodes, &workspace.config.budgets);
        let cache = Cache::new(&repo.common_dir);
        Ok(Self { repo, view, tip, anchors, workspace, budgets, cache, shared: OnceCell::new() })
    }

    /// The judge of its readings. It caches comparisons, so use one judge for all readings.
    pub(crate) fn judge(&self) -> Judge<'_> {
        Judge::new(&*self.view, &self.anchors, &self.workspace.config.evaluators).of_all_runs()
    }

    /// The state, for what features add to its rows.
    pub(crate) fn state(&self) -> ScoredState<'_> {
        let Self { repo, view, tip, workspace, budgets, .. } = self;
        ScoredState { repo, view: &**view, workspace, budgets, tip: *tip }
    }

    /// A row with the reading that counts, for every scenario that `choose` accepts with a reason.
    pub(crate) fn counting(
        &self,
        choose: impl Fn(&Node, &Scenario) -> Result<Option<Vec<GovernedPart>>>,
    ) -> Result<Vec<ScenarioRow>> {
        let judge = self.judge();
        let steps = RowSteps::of(self.state());
        let mut rows = Vec::new();
        for node in &self.workspace.nodes {
            let effective = Effective::of(node);
            for scenario in node.scenarios() {
                let Some(because) = choose(node, scenario)? else { continue };
                let asked = Declared { node, scenario };
                let mut row = match scenario.is_repeated() {
                    false => {
                        let counting = judge.counting(node, scenario, &effective);
                        let reading = counting.map(|counting| self.counting_row(counting)).transpose()?;
                        row(node, scenario, reading.into_iter().collect(), because)
                    }
                    true => self.repeated_row(&judge, asked, &effective, because)?,
                };
                row.blocked = self.blocked(&judge, asked, &effective)?;
                steps.add(&judge, Declared { node, scenario }, &effective, &mut row)?;
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// The score of a declared scenario.
    pub(crate) fn score(&self, judge: &Judge<'_>, asked: Declared<'_>, effective: &Effective<'_>) -> Score {
        Score::judged(judge, &self.budgets, asked, effective)
    }

    /// The row of a scenario with runs or environments: its readings are the ones that its environments are about.
    fn repeated_row(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        because: Vec<GovernedPart>,
    ) -> Result<ScenarioRow> {
        let score = self.score(judge, asked, effective);
        let mut readings = Vec::new();
        for (_, one) in score.parts() {
            if let Some(filed) = one.filed(effective) {
                readings.push(ReadingRow { counts: true, ..self.reading(judge, asked.node, asked.scenario, &filed)? });
            }
        }
        readings.sort_by_key(|reading| std::cmp::Reverse(reading.filed));
        Ok(repeated::answered(row(asked.node, asked.scenario, readings, because), &score))
    }

    /// What blocks a scenario, for every environment.
    pub(crate) fn blocked(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
    ) -> Result<Vec<BlockedRow>> {
        let row = |one: &Blocked<'_>| {
            Ok(BlockedRow {
                env: one.attempt.terms.env.as_ref().map(ToString::to_string),
                reason: one.reason.to_owned(),
                by: one.by.map(str::to_owned),
                ts: one.attempt.ts.to_string(),
                evidence: self.evidence(one.attempt)?,
            })
        };
        blocked::now(judge, asked, effective).iter().map(row).collect()
    }

    pub(crate) fn counts_as_fail(&self, filed: &FiledEvent<'_, Reading>) -> bool {
        let recorded = &filed.event.verdict;
        let counts = self.budgets.judged(filed).map_or(recorded.clone(), |judged| judged.effective(recorded));
        counts == ReadingVerdict::Measured(Status::Fail)
    }

    /// The row of one reading. If git cannot judge it, the row says so, because the other rows are still worth printing.
    pub(crate) fn reading(
        &self,
        judge: &Judge<'_>,
        node: &Node,
        scenario: &Scenario,
        filed: &FiledEvent<'_, Reading>,
    ) -> Result<ReadingRow> {
        self.reading_row(filed, judge.freshness(node, scenario, filed.event))
    }

    /// The `most` newest readings of a scenario, newest first, and always the counting one, marked.
    pub(super) fn timeline(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        most: usize,
    ) -> Result<Vec<ReadingRow>> {
        let Declared { node, scenario } = asked;
        if scenario.is_repeated() {
            return self.counted_timeline(judge, asked, effective, most);
        }
        let Some(counting) = judge.counting(node, scenario, effective) else { return Ok(Vec::new()) };
        let (counting_at, counting) = (FiledAt::of(&counting.filed), self.counting_row(counting)?);
        let mut rows = Vec::new();
        for (age, filed) in effective.newest_first(&scenario.name).enumerate() {
            if FiledAt::of(filed) == counting_at {
                rows.push(counting.clone());
            } else if age < most {
                rows.push(self.reading(judge, node, scenario, filed)?);
            }
        }
        Ok(rows)
    }

    /// The same for a scenario with runs or environments, where every reading that is counted is marked.
    fn counted_timeline(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        most: usize,
    ) -> Result<Vec<ReadingRow>> {
        let score = self.score(judge, asked, effective);
        let counted: HashSet<(&RepoPath, u32)> = score.counted().map(|at| (&at.ledger, at.line)).collect();
        let mut rows = Vec::new();
        for (age, filed) in effective.newest_first(&asked.scenario.name).enumerate() {
            let counts = counted.contains(&(filed.ledger, filed.line));
            if counts || age < most {
                rows.push(ReadingRow { counts, ..self.reading(judge, asked.node, asked.scenario, filed)? });
            }
        }
        Ok(rows)
    }

    fn counting_row(&self, CountingReading { filed, freshness, .. }: CountingReading<'_>) -> Result<ReadingRow> {
        Ok(ReadingRow { counts: true, ..self.reading_row(&filed, freshness)? })
    }

    fn reading_row(&self, filed: &FiledEvent<'_, Reading>, freshness: Result<Freshness>) -> Result<ReadingRow> {
        let state = state(freshness.as_ref());
        let reading = filed.event;
        Ok(ReadingRow {
            verdict: shown_verdict(&reading.verdict),
            note: reading.note.clone(),
            state,
            drift: freshness.iter().flat_map(Freshness::drift).map(drift_path).collect(),
            evaluator: reading.evaluator.clone(),
            by: reading.by.clone(),
            commit: reading.code_sha.map(|id| id.to_string()),
            dirty: reading.dirty,
            ts: reading.ts.to_string(),
            filed: reading.ts.millis,
            counts: false,
            retracted: None,
            evidence: self.evidence(reading)?,
            terms: terms_row(&reading.terms),
            signers: Vec::new(),
            measures: measures_row(&reading.measures),
            budget: self.budgets.judged(filed).map(|judged| budget_row(judged, &reading.verdict)),
        })
    }

    fn evidence(&self, reading: &Reading) -> Result<Vec<EvidenceRow>> {
        let row = |(kind, hash)| {
            let size = self.cache.size(&hash)?;
            let absent = if size.is_some() { None } else { self.absent(&hash) };
            Ok(EvidenceRow { kind, hash: hash.to_string(), size, absent })
        };
        pieces(reading).map(row).collect()
    }

    /// What to print for a piece that this clone lacks; `None` unless evidence is shared.
    fn absent(&self, hash: &EvidenceHash) -> Option<AwayPiece> {
        let known = self.shared.get_or_init(|| KnownThere::recall(&self.repo.common_dir)).as_ref()?;
        Some(AwayPiece { place: known.place_of(hash).map(str::to_owned), said: known.of_missing(hash) })
    }

    /// Counts the commits that touched changed paths, for the readings of `rows`. The rows must come from `effective`.
    pub(crate) fn count(&self, effective: &Effective<'_>, rows: &mut [ScenarioRow]) -> Result<()> {
        let mut drifts = Vec::new();
        for row in rows {
            let timeline = effective.timeline(&row.scenario);
            let anchors = timeline.iter().map(|filed| filed.event.code_sha);
            drifts.extend(anchors.zip(&mut row.readings).filter_map(|(id, row)| Some((id?, &mut row.drift))));
        }
        drift::count(self.repo, self.repo.head()?, drifts);
        Ok(())
    }
}

/// Whether questions about one node depend on others: all nodes spend the budgets, where a copy of a line counts once.
fn needs_others(repo: &Repo, config: &Config) -> Result<bool> {
    Ok(!config.budgets.is_unlimited() || rows::needs_others(repo, config)?)
}

/// The kind and the hash of everything that a reading names.
pub(crate) fn pieces(reading: &Reading) -> impl Iterator<Item = (&'static str, EvidenceHash)> {
    let pieces = reading.evidence.iter().map(|piece| (piece.kind.as_str(), piece.hash));
    let pieces = pieces.chain(reading.timeline.map(|hash| ("timeline", hash)));
    pieces.chain(reading.measures.artifacts.values().map(|hash| ("artifact", *hash)))
}

/// A named commit, else the working tree, or HEAD in a bare repository.
pub(crate) fn snapshot_of(repo: &Repo, rev: Option<&str>) -> Result<Snapshot> {
    match rev {
        Some(rev) => snapshot::commit(repo, ScopeMode::Rev, repo.resolve(rev)?, &[]),
        None => snapshot::all(repo),
    }
}

fn drift_path(moved: &MovedContent) -> DriftPath {
    let MovedContent { path, symbol, why } = moved;
    DriftPath { path: path.to_bstring(), symbol: symbol.clone(), why: why.clone(), commits: None }
}

/// The row of a scenario with these readings, newest first.
pub(crate) fn row(
    node: &Node,
    scenario: &Scenario,
    readings: Vec<ReadingRow>,
    because: Vec<GovernedPart>,
) -> ScenarioRow {
    let counting = readings.iter().find(|reading| reading.counts);
    ScenarioRow {
        node: node_ref(node),
        scenario: scenario.name.clone(),
        tags: scenario.tags.clone(),
        description: scenario.description.clone(),
        expected: scenario.expected.clone(),
        state: counting.map_or(ReadingState::Unmeasured, |reading| reading.state.clone()),
        decided: None,
        environments: Vec::new(),
        blocked: Vec::new(),
        trust: None,
        readings,
        redacted: Vec::new(),
        because,
    }
}

/// A node as rows name it.
pub(crate) fn node_ref(node: &Node) -> NodeRef {
    NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() }
}

/// A path as people read it: the top of the repository is `.`.
pub(crate) fn shown(path: &RepoPath) -> BString {
    if path.is_root() { ".".into() } else { path.to_bstring() }
}
