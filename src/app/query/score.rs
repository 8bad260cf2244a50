//! `ls`, `show` and `impact`: the scenarios of the working tree (of HEAD in a bare repository) with how their readings
//! stand, as rows.

use super::drift;
use super::settings::refuse_unknown_tags;
use crate::app::judge::branch::touched;
use crate::app::judge::named;
use crate::app::judge::snapshot;
use crate::app::judge::unseen;
use crate::app::record::site::pick_node;
use crate::engine::anchors::Anchors;
use crate::engine::effective::Effective;
use crate::engine::freshness::{Judge, governed};
use crate::error::{Error, Result};
use crate::finding::{DriftPath, NodeRef};
use crate::model::ids::composed;
use crate::model::ledger::{Event, Reading, ReadingVerdict, Redaction, Status};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::repo::Repo;
use crate::report::view::score::{EvidenceRow, ReadingRow, ReadingState, RedactedRow, ScenarioRow};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::rc::Rc;

/// Which scenarios are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFilter {
    /// All of them.
    Any,
    /// Those without an effective reading.
    Unmeasured,
    /// Those whose latest reading is stale.
    Stale,
    /// Those whose latest reading failed.
    Failing,
}

/// The scenarios with their latest reading, in the order of their nodes and files; `tags` narrows to those with one of
/// them, where there are any.
pub fn ls(repo: &Repo, wanted: ListFilter, tags: &[String]) -> Result<Vec<ScenarioRow>> {
    let board = Board::load(repo)?;
    refuse_unknown_tags(&board.workspace.config, tags)?;
    let mut rows = board.latest(|_, scenario| {
        Ok((tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag))).then(Vec::new))
    })?;
    rows.retain(|row| is_wanted(row, wanted));
    Ok(rows)
}

fn is_wanted(row: &ScenarioRow, wanted: ListFilter) -> bool {
    match wanted {
        ListFilter::Any => true,
        ListFilter::Unmeasured => row.state == ReadingState::Unmeasured,
        ListFilter::Stale => matches!(row.state, ReadingState::Stale(_)),
        ListFilter::Failing => row.readings.first().is_some_and(|reading| reading.verdict == "fail"),
    }
}

/// The scenarios that govern something at or below one of `paths`, whether or not anything is there yet.
///
/// # Errors
/// Usage for a path that is not there and that nothing would match: a misspelt one would look like one that nobody governs.
pub fn impact(repo: &Repo, paths: &[RepoPath]) -> Result<Vec<ScenarioRow>> {
    let board = Board::load(repo)?;
    let rows = board.latest(|node, scenario| {
        let because = touches(&*board.view, node, scenario, paths)?;
        Ok((!because.is_empty()).then_some(because))
    })?;
    let answered = |path: &&RepoPath| rows.iter().any(|row| row.because.iter().any(|because| *because == shown(path)));
    for path in paths.iter().filter(|path| !answered(path)) {
        board.refuse_unknown(path)?;
    }
    Ok(rows)
}

/// A path as people read it: the top of the repository has no name of its own.
fn shown(path: &RepoPath) -> BString {
    if path.is_root() { ".".into() } else { path.to_bstring() }
}

/// Those of `paths` whose edit changes content that the scenario governs: the files that its list expands to, links
/// followed, and what would match when it appears.
fn touches(view: &dyn Tree, node: &Node, scenario: &Scenario, paths: &[RepoPath]) -> Result<Vec<RepoPath>> {
    let mut found = Vec::new();
    for entry in governed(node, scenario) {
        let files = matches(view, entry)?;
        let hit = |path: &RepoPath| entry.covers(path) || files.iter().any(|(file, _)| file.is_within(path));
        found.extend(paths.iter().filter(|path| hit(path)).cloned());
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Every scenario of one node with all its effective readings, newest first. `here` is the directory in which the user
/// stands.
///
/// # Errors
/// Usage, with the candidates, when it is not clear which node is meant.
pub fn show(repo: &Repo, reference: Option<&str>, here: &RepoPath) -> Result<(NodeRef, Vec<ScenarioRow>)> {
    let board = Board::load(repo)?;
    let node = pick_node(&board.workspace.nodes, reference, here, || touched(repo, &board.workspace.nodes))
        .map_err(|error| unseen::hinted(error, &*board.view, &board.workspace.config))?;
    let judge = board.judge();
    let effective = Effective::of(node);
    let mut rows = Vec::new();
    for scenario in declared(node) {
        let timeline = effective.timeline(&scenario.name);
        let readings = timeline.iter().map(|filed| board.reading(&judge, (node, scenario), filed.event));
        let row = row(node, scenario, readings.collect::<Result<_>>()?, Vec::new());
        rows.push(ScenarioRow { redacted: redacted(node, scenario), ..row });
    }
    board.count(&effective, &mut rows)?;
    Ok((node_ref(node), rows))
}

/// The lines of `scenario` that were taken out, newest first.
fn redacted(node: &Node, scenario: &Scenario) -> Vec<RedactedRow> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let mut found: Vec<&Redaction> = lines
        .filter_map(|line| if let Event::Redaction(of) = &line.event { Some(of) } else { None })
        .filter(|of| composed(&of.scenario) == composed(&scenario.name))
        .collect();
    found.sort_by_key(|of| std::cmp::Reverse(of.ts));
    let row = |of: &Redaction| RedactedRow {
        ts: of.ts.to_string(),
        reason: of.redacted.reason.clone(),
        by: of.by.clone(),
        line: of.redacted.line.to_string(),
    };
    found.into_iter().map(row).collect()
}

/// What every row is made from.
struct Board<'r> {
    repo: &'r Repo,
    view: Rc<dyn Tree>,
    anchors: Anchors,
    workspace: Workspace,
    cache: Cache,
}

impl<'r> Board<'r> {
    fn load(repo: &'r Repo) -> Result<Self> {
        let view = snapshot::all(repo)?.view;
        let config = workspace::read_config(&*view)?;
        let workspace = workspace::load(&*view, config, &Select::All)?;
        Ok(Self { repo, view, anchors: Anchors::new(repo.history()), workspace, cache: Cache::new(&repo.common_dir) })
    }

    /// Refuses a path that neither the judged state nor HEAD knows.
    fn refuse_unknown(&self, path: &RepoPath) -> Result<()> {
        if path.is_root() || self.view.entry(path)?.is_some() {
            return Ok(());
        }
        if let Some(head) = self.repo.head()?
            && self.repo.commit_view(&head)?.entry(path)?.is_some()
        {
            return Ok(());
        }
        let error = Error::usage(format!("{path} is not here, and nothing governs such a path"));
        Err(match named::nearest_path(&*self.view, path)? {
            Some(meant) => error.hint(format!("did you mean {meant}?")),
            None => error.hint("paths are relative to the directory you stand in"),
        })
    }

    fn judge(&self) -> Judge<'_> {
        Judge::new(&*self.view, &self.anchors, &self.workspace.config.evaluators)
    }

    /// A row with the latest reading for every scenario for which `choose` says why it is there.
    fn latest(&self, choose: impl Fn(&Node, &Scenario) -> Result<Option<Vec<RepoPath>>>) -> Result<Vec<ScenarioRow>> {
        let judge = self.judge();
        let mut rows = Vec::new();
        for node in &self.workspace.nodes {
            let effective = Effective::of(node);
            for scenario in declared(node) {
                let Some(because) = choose(node, scenario)? else { continue };
                let latest = effective.latest(&scenario.name);
                let reading = latest.map(|reading| self.reading(&judge, (node, scenario), reading)).transpose()?;
                rows.push(row(node, scenario, reading.into_iter().collect(), because));
            }
        }
        Ok(rows)
    }

    fn reading(
        &self,
        judge: &Judge<'_>,
        (node, scenario): (&Node, &Scenario),
        reading: &Reading,
    ) -> Result<ReadingRow> {
        let (state, moved) = match judge.freshness(node, scenario, reading) {
            Ok(freshness) if freshness.is_fresh() => (ReadingState::Fresh, Vec::new()),
            Ok(freshness) => (ReadingState::Stale(freshness.axes), freshness.moved),
            Err(error) => (ReadingState::NotJudged(error.message), Vec::new()),
        };
        Ok(ReadingRow {
            verdict: verdict(&reading.verdict),
            note: reading.note.clone(),
            state,
            drift: moved.into_iter().map(|path| DriftPath { path: path.to_bstring(), commits: None }).collect(),
            evaluator: reading.evaluator.clone(),
            by: reading.by.clone(),
            commit: reading.code_sha.map(|id| id.to_string()),
            dirty: reading.dirty,
            ts: reading.ts.to_string(),
            evidence: self.evidence(reading)?,
        })
    }

    fn evidence(&self, reading: &Reading) -> Result<Vec<EvidenceRow>> {
        let pieces = reading.evidence.iter().map(|piece| (piece.kind.as_str(), piece.hash));
        let pieces = pieces.chain(reading.timeline.map(|hash| ("timeline", hash)));
        pieces
            .map(|(kind, hash)| Ok(EvidenceRow { kind, hash: hash.to_string(), held: self.cache.has(&hash)? }))
            .collect()
    }

    /// Counts the commits that touched what moved, for the readings of `rows`, which come from `effective`.
    fn count(&self, effective: &Effective<'_>, rows: &mut [ScenarioRow]) -> Result<()> {
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

fn declared(node: &Node) -> &[Scenario] {
    node.file.as_ref().map_or(&[], |file| &file.scenarios)
}

fn row(node: &Node, scenario: &Scenario, readings: Vec<ReadingRow>, because: Vec<RepoPath>) -> ScenarioRow {
    ScenarioRow {
        node: node_ref(node),
        scenario: scenario.name.clone(),
        tags: scenario.tags.clone(),
        expected: scenario.expected.clone(),
        state: readings.first().map_or(ReadingState::Unmeasured, |latest| latest.state.clone()),
        readings,
        redacted: Vec::new(),
        because: because.iter().map(shown).collect(),
    }
}

fn node_ref(node: &Node) -> NodeRef {
    NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() }
}

fn verdict(verdict: &ReadingVerdict) -> &'static str {
    match verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy => "legacy",
    }
}
