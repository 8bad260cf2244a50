//! Files the judged readings: the evidence first, then the lines, ledger by ledger, under one lock.

use super::judge::{JudgedAll, JudgedReading, source};
use super::{PassedScenario, ReportFiling};
use crate::app::claim::OpenJournal;
use crate::app::record::eval::{dirty_advice, marker_advice};
use crate::app::record::transaction::Transaction;
use crate::app::site::spending;
use crate::error::Result;
use crate::model::ledger::{Event, Ledger, Line, Reading, ReadingVerdict, Status, encode_reading};
use crate::report::view::import::{ImportStep, ImportedReading};
use crate::report::view::receipt::FilingOutcome;
use crate::store::kind::Expect;
use crate::text::plural;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The result of filing all readings.
pub(super) struct FiledAll {
    pub(super) readings: Vec<ImportedReading>,
    /// Scenarios that another owner has claimed.
    pub(super) held: Vec<PassedScenario>,
    pub(super) masked: usize,
    pub(super) warnings: Vec<Vec<String>>,
    /// The ledgers with a new line, except ledgers that git ignores.
    pub(super) ledgers: Vec<RepoPath>,
}

/// The result for one reading under the lock.
struct SettledReading {
    outcome: FilingOutcome,
    reading: Reading,
}

/// Says what would be filed.
pub(super) fn planned(all: JudgedAll<'_>) -> Result<FiledAll> {
    let settle = |judged: &JudgedReading<'_>| {
        let filing = &judged.prepared.filing;
        let (outcome, reading) = filing.settle(judged.reading.clone(), &filing.node.ledgers)?;
        Ok(Some(SettledReading { outcome, reading }))
    };
    let settled = all.readings.iter().map(settle).collect::<Result<Vec<_>>>()?;
    answer(all, settled, ImportStep::Planned)
}

/// Files all readings.
pub(super) fn filed(given: &ReportFiling<'_>, mut all: JudgedAll<'_>) -> Result<FiledAll> {
    let store = &given.around.store;
    // held until the lines stand, so that no garbage collection deletes the evidence before
    let right = store.share_evidence()?;
    let cache = store.evidence();
    for judged in &all.readings {
        let called = &judged.prepared.filing.node.id;
        cache.put(&right, source(&given.transcript(&judged.cases), called), Expect::Result)?;
    }
    let transaction = Transaction::begin(given.site, store)?;
    let claims = OpenJournal::open(store, transaction.lock())?.claims;
    let mut by_ledger: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
    for (index, judged) in all.readings.iter().enumerate() {
        by_ledger.entry(judged.prepared.filing.ledger.clone()).or_default().push(index);
    }
    let mut settled: Vec<Option<SettledReading>> = all.readings.iter().map(|_| None).collect();
    let mut writes = Vec::new();
    for (path, indexes) in &by_ledger {
        let mut lines = Vec::new();
        let mut ledgers = {
            let open = transaction.open(path)?;
            transaction.ledgers(all.readings[indexes[0]].prepared.filing.node, &open)?
        };
        for index in indexes {
            let judged = &all.readings[*index];
            let (outcome, reading) = judged.prepared.filing.settle(judged.reading.clone(), &ledgers)?;
            if outcome == FilingOutcome::WouldFile {
                if let Some(why) = judged.prepared.filing.under.held(given.site, &claims)? {
                    all.held.push(given.passed(judged.target, why, &judged.cases));
                    continue;
                }
                let line = encode_reading(&reading);
                follow(&mut ledgers, path, &reading, &line);
                lines.push(line);
            }
            settled[*index] = Some(SettledReading { outcome, reading });
        }
        writes.push((path.clone(), lines));
    }
    // before the first line is written, because an error here must leave nothing behind
    let done = answer(all, settled, ImportStep::Filed)?;
    let mut before = 0;
    for (path, lines) in writes.iter().filter(|(_, lines)| !lines.is_empty()) {
        let written = transaction.open(path).and_then(|open| open.append_all(lines));
        written.map_err(|error| match before {
            0 => error,
            count => error.half_done(format!("{} are filed", plural(count, "reading"))),
        })?;
        before += lines.len();
    }
    Ok(done)
}

/// Adds the line to the parsed ledgers, so that the next reading is filed after it.
fn follow(ledgers: &mut [Ledger], path: &RepoPath, reading: &Reading, line: &str) {
    if let Some(own) = ledgers.iter_mut().find(|ledger| ledger.path == *path) {
        let number = own.lines.last().map_or(1, |last| last.number.saturating_add(1));
        let event = Event::Reading(Box::new(reading.clone()));
        own.lines.push(Line { number, bytes: line.as_bytes().into(), event });
    }
}

/// The answer. `written` is the outcome of readings that were not there before.
fn answer(all: JudgedAll<'_>, settled: Vec<Option<SettledReading>>, written: ImportStep) -> Result<FiledAll> {
    let done: Vec<_> =
        all.readings.into_iter().zip(settled).filter_map(|(judged, done)| Some((judged, done?))).collect();
    let warnings = warnings(&done)?;
    let masked = done.iter().map(|(judged, _)| judged.masked).sum();
    let new = done.iter().filter(|(_, done)| written == ImportStep::Filed && done.outcome == FilingOutcome::WouldFile);
    let kept = new.filter(|(judged, _)| judged.prepared.hidden.is_none());
    let ledgers: BTreeSet<RepoPath> = kept.map(|(judged, _)| judged.prepared.filing.ledger.clone()).collect();
    let row = |(judged, done): (JudgedReading<'_>, SettledReading)| ImportedReading {
        node: judged.prepared.filing.node.id.clone(),
        scenario: done.reading.scenario.clone(),
        outcome: if done.outcome == FilingOutcome::AlreadyFiled { ImportStep::AlreadyFiled } else { written },
        status: if done.reading.verdict == ReadingVerdict::Measured(Status::Pass) { "pass" } else { "fail" },
        cases: judged.rows,
        evidence: done.reading.evidence.iter().map(|piece| piece.hash.to_string()).collect(),
        ts: done.reading.ts.to_string(),
        commit: done.reading.code_sha.map(|id| id.to_string()).unwrap_or_default(),
    };
    let (readings, ledgers) = (done.into_iter().map(row).collect(), ledgers.into_iter().collect());
    Ok(FiledAll { readings, held: all.held, masked, warnings, ledgers })
}

/// Warnings, each once for all readings.
fn warnings(done: &[(JudgedReading<'_>, SettledReading)]) -> Result<Vec<Vec<String>>> {
    let new = || done.iter().filter(|(_, done)| done.outcome != FilingOutcome::AlreadyFiled);
    let differing: BTreeSet<&String> = new().flat_map(|(judged, _)| &judged.prepared.differing).collect();
    let mut all = vec![dirty_advice(&differing.into_iter().cloned().collect::<Vec<_>>())];
    let mut lacks: BTreeMap<String, usize> = BTreeMap::new();
    for (judged, done) in new() {
        let prepared = &judged.prepared;
        let said = prepared.filing.wanted.advice(&done.reading.evidence).into_iter().chain(prepared.hidden.clone());
        said.for_each(|lack| *lacks.entry(lack).or_default() += 1);
        all.push(judged.shown.as_ref().map(marker_advice).unwrap_or_default());
    }
    all.extend(lacks.into_iter().map(|(lack, count)| match count {
        1 => vec![lack],
        count => vec![format!("{}: {lack}", plural(count, "reading"))],
    }));
    all.extend(over(done)?);
    all.retain(|lines| !lines.is_empty());
    Ok(all)
}

/// The warnings of the budgets.
fn over(done: &[(JudgedReading<'_>, SettledReading)]) -> Result<Vec<Vec<String>>> {
    let Some((first, _)) = done.first() else { return Ok(Vec::new()) };
    let first = &first.prepared.filing;
    let placed = |(judged, done)| -> (&RepoPath, &RepoPath, &Reading) {
        let (judged, done): (&JudgedReading<'_>, &SettledReading) = (judged, done);
        (&judged.prepared.filing.node.dir, &judged.prepared.filing.ledger, &done.reading)
    };
    let filed: Vec<_> = done.iter().map(|(judged, done)| placed((judged, done))).collect();
    let budgets = spending::of_readings(first.site, &first.config.budgets, &filed)?;
    let advice = done.iter().zip(budgets).filter_map(|((judged, done), budget)| {
        Some(spending::advice(&budget?, &done.reading, judged.prepared.filing.node))
    });
    Ok(advice.collect())
}
