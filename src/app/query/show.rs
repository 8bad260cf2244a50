//! `show`: the timeline of one node.

use super::repeated::{answered, standing, state};
use super::terms::shown_verdict;
use super::view::{ScoreView, node_ref, row};
use crate::app::judge::rows::RowSteps;
use crate::engine::effective::{Effective, FiledEvent};
use crate::engine::freshness::{CountingReading, Judge};
use crate::error::{Error, Result};
use crate::finding::NodeRef;
use crate::model::ids::composed;
use crate::model::ledger::{Event, Redaction, Retraction, Timestamp};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::receipt::LatestReceipt;
use crate::report::view::score::{ReadingRow, RedactedRow, RetractedRow, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

/// Every scenario of one node, or the one that NODE/SCENARIO names, with all its effective readings, newest first. `here`
/// is the user's current directory.
///
/// # Errors
/// Usage, with the candidates, when it is not clear which node is meant.
pub(crate) fn show(
    repo: &Repo,
    reference: Option<&str>,
    here: &RepoPath,
    withdrawn: Withdrawn,
) -> Result<(NodeRef, Vec<ScenarioRow>)> {
    let (score, named) = ScoreView::about(repo, &[reference], here)?;
    let named = named.first().and_then(|(dir, only)| Some((score.workspace.node(dir)?, only.as_deref())));
    let (node, only) = named.ok_or_else(|| Error::fault("the named node was not loaded"))?;
    let judge = score.judge();
    let effective = Effective::of(node);
    let steps = RowSteps::of(score.state());
    let mut rows = Vec::new();
    for scenario in node.scenarios() {
        rows.push(listed(&score, &judge, &steps, Declared { node, scenario }, &effective, usize::MAX)?);
    }
    score.count(&effective, &mut rows)?;
    if withdrawn == Withdrawn::Listed {
        for (scenario, row) in node.scenarios().iter().zip(&mut rows) {
            row.readings.extend(withdrawn_rows(&score, node, scenario, &effective)?);
            // a stable sort: at equal times the later line stays first
            row.readings.sort_by_key(|reading| std::cmp::Reverse(reading.filed));
        }
    }
    rows.retain(|row| only.is_none_or(|only| row.scenario == only));
    Ok((node_ref(node), rows))
}

/// The row of a scenario with its `most` newest readings, newest first, and always the counting one, marked.
///
/// # Errors
/// If existing content cannot be read.
pub(crate) fn listed(
    score: &ScoreView<'_>,
    judge: &Judge<'_>,
    steps: &RowSteps<'_>,
    asked: Declared<'_>,
    effective: &Effective<'_>,
    most: usize,
) -> Result<ScenarioRow> {
    let Declared { node, scenario } = asked;
    let mut row = row(node, scenario, score.timeline(judge, asked, effective, most)?, Vec::new());
    row.blocked = score.blocked(judge, asked, effective)?;
    if scenario.is_repeated() {
        row = answered(row, &score.score(judge, asked, effective));
    }
    steps.add(judge, asked, effective, &mut row)?;
    Ok(ScenarioRow { redacted: redacted(node, scenario), ..row })
}

/// How withdrawn readings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Withdrawn {
    /// Not at all, because they do not count any more.
    Hidden,
    /// In their place by time, marked.
    Listed,
}

/// The withdrawn readings of a scenario.
fn withdrawn_rows(
    score: &ScoreView<'_>,
    node: &Node,
    scenario: &Scenario,
    effective: &Effective<'_>,
) -> Result<Vec<ReadingRow>> {
    let judge = score.judge();
    let own =
        effective.withdrawn.iter().filter(|(filed, _)| composed(&filed.event.scenario) == composed(&scenario.name));
    let row = |(filed, by): &(_, FiledEvent<'_, Retraction>)| {
        let reading = score.reading(&judge, node, scenario, filed)?;
        let retracted = Some(RetractedRow { ts: by.event.ts.to_string(), note: by.event.note.clone() });
        Ok(ReadingRow { retracted, ..reading })
    };
    own.map(row).collect()
}

/// The reading that counts for `scenario` of the node with this ledger; `None` without one.
///
/// # Errors
/// If existing content cannot be read.
pub(crate) fn counting(repo: &Repo, ledger: &RepoPath, scenario: &str) -> Result<Option<LatestReceipt>> {
    let now = |verdict, ts: Timestamp, state| LatestReceipt { verdict, ts: ts.to_string(), state };
    let dir = ledger.parent().unwrap_or_default();
    let score = ScoreView::at(repo, &dir)?;
    let holds = |node: &&Node| node.ledgers.iter().any(|one| one.path == *ledger);
    let Some(node) = score.workspace.node(&dir).filter(holds) else { return Ok(None) };
    let (judge, effective) = (score.judge(), Effective::of(node));
    let Some(scenario) = node.scenario(scenario) else {
        // an undeclared scenario has no known content, so its latest reading is returned without a state
        let latest = effective.latest(scenario);
        return Ok(latest.map(|reading| now(shown_verdict(&reading.verdict), reading.ts, None)));
    };
    if scenario.is_repeated() {
        let found = score.score(&judge, Declared { node, scenario }, &effective);
        let verdict = found.verdict().as_ref().map(shown_verdict);
        let counting = verdict.zip(found.reading.as_ref());
        return Ok(counting.map(|(verdict, reading)| now(verdict, reading.ts, Some(standing(&found)))));
    }
    let Some(CountingReading { filed, freshness, .. }) = judge.counting(node, scenario, &effective) else {
        return Ok(None);
    };
    let state = state(freshness.as_ref());
    let verdict = if score.counts_as_fail(&filed) { ShownVerdict::Fail } else { shown_verdict(&filed.event.verdict) };
    Ok(Some(now(verdict, filed.event.ts, Some(state))))
}

/// The redacted lines of `scenario`, newest first.
fn redacted(node: &Node, scenario: &Scenario) -> Vec<RedactedRow> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let mut found: Vec<&Redaction> = lines
        .filter_map(|line| if let Event::Redaction(of) = &line.event { Some(&**of) } else { None })
        .filter(|of| composed(&of.scenario) == composed(&scenario.name))
        .collect();
    // copies of a line in several files leave as many copies of its redaction, which are one
    let mut seen = HashSet::new();
    found.retain(|of| seen.insert(of.redacted.line));
    found.sort_by_key(|of| std::cmp::Reverse(of.ts));
    let row = |of: &Redaction| RedactedRow {
        ts: of.ts.to_string(),
        reason: of.redacted.reason.clone(),
        by: of.by.clone(),
        line: of.redacted.line.to_string(),
    };
    found.into_iter().map(row).collect()
}
