//! Files the judged readings: the evidence first, then the lines, ledger by ledger, under one lock.

use super::judge::{JudgedAll, JudgedReading, source};
use super::{BulkOutcome, MAX_NAMED, ReportFiling};
use crate::app::record::eval::{absent, dirty_advice, marker_advice, unstamped_test};
use crate::app::record::transaction::Transaction;
use crate::app::site::spending;
use crate::error::Result;
use crate::features::claims::OthersClaims;
use crate::features::imports::model::answer::{ImportStep, ImportedReading};
use crate::model::ledger::{Event, Ledger, Line, Reading, ReadingVerdict, Status, encode_reading};
use crate::report::view::receipt::FilingOutcome;
use crate::store::kind::Expect;
use crate::text::plural;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Says what would be filed.
pub(super) fn planned(given: &ReportFiling<'_>, mut all: JudgedAll<'_>) -> Result<BulkOutcome> {
    for judged in &mut all.readings {
        judged.settle(&judged.filing.node.ledgers)?;
    }
    outcome(given, all, ImportStep::Planned)
}

pub(super) fn filed(given: &ReportFiling<'_>, mut all: JudgedAll<'_>) -> Result<BulkOutcome> {
    let store = &given.work.store;
    // held until the lines stand, so that no garbage collection deletes the evidence before
    let right = store.share_evidence()?;
    let cache = store.evidence();
    for judged in &all.readings {
        let called = &judged.filing.node.id;
        cache.put(&right, source(&given.transcript(&judged.cases), called), Expect::Result)?;
    }
    let transaction = Transaction::begin(given.site, store)?;
    given.begun.iter().try_for_each(|begun| begun.check_again(given.site))?;
    let claims = OthersClaims::under(store, transaction.lock())?;
    let mut by_home: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
    for (index, judged) in all.readings.iter().enumerate() {
        by_home.entry(judged.filing.node.dir.clone()).or_default().push(index);
    }
    let (mut writes, mut held) = (Vec::new(), BTreeSet::new());
    let files = &given.work.files;
    for indexes in by_home.values() {
        let mut lines = Vec::new();
        let node = all.readings[indexes[0]].filing.node;
        let path = transaction.path_for(files, node)?;
        let mut ledgers = transaction.ledgers(node, &transaction.open(&path)?)?;
        for index in indexes {
            let judged = &mut all.readings[*index];
            judged.filing.ledger.clone_from(&path);
            judged.settle(&ledgers)?;
            if judged.outcome != FilingOutcome::WouldFile {
                continue;
            }
            if let Some(why) = claims.forbid(&judged.filing)? {
                all.passed.push(given.passed(judged.target, why, &judged.cases));
                held.insert(*index);
                continue;
            }
            let line = encode_reading(&judged.reading);
            follow(&mut ledgers, &path, &judged.reading, &line);
            lines.push(line);
        }
        writes.push((path, lines));
    }
    let mut index = 0..;
    all.readings.retain(|_| index.next().is_none_or(|index| !held.contains(&index)));
    // before the first line is written, because an error here must leave nothing behind
    let done = outcome(given, all, ImportStep::Filed)?;
    let mut before = 0;
    for (path, lines) in writes.iter().filter(|(_, lines)| !lines.is_empty()) {
        let written = transaction.open_new(files, path).and_then(|open| open.append_all(lines));
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
        let event = Event::Reading(Rc::new(reading.clone()));
        own.lines.push(Line { number, bytes: line.as_bytes().into(), event });
    }
}

/// The outcome, but for the lines of the map. `written` is what became of readings that were not there before.
fn outcome(given: &ReportFiling<'_>, all: JudgedAll<'_>, written: ImportStep) -> Result<BulkOutcome> {
    let (done, has_passed) = (all.readings, !all.passed.is_empty());
    let mut answer = given.answer(all.matched, written);
    answer.skipped.extend(all.passed);
    answer.fresh = given.request.only_stale.then_some(all.fresh);
    let (warnings, details) = (given.warnings(&done)?, given.details(&done));
    answer.masked = done.iter().map(|judged| judged.masked).sum();
    let new = done.iter().filter(|one| written == ImportStep::Filed && one.outcome == FilingOutcome::WouldFile);
    let kept = new.filter(|judged| judged.filing.hidden.is_none());
    let ledgers: BTreeSet<RepoPath> = kept.map(|judged| judged.filing.ledger.clone()).collect();
    let row = |judged: JudgedReading<'_>| ImportedReading {
        node: judged.filing.node.id.clone(),
        outcome: if judged.outcome == FilingOutcome::AlreadyFiled { ImportStep::AlreadyFiled } else { written },
        env: judged.reading.terms.env.as_ref().map(ToString::to_string),
        runs: judged.reading.terms.runs.map(|runs| [runs.pass, runs.of]),
        status: if judged.reading.verdict == ReadingVerdict::Measured(Status::Pass) { "pass" } else { "fail" },
        cases: judged.rows,
        evidence: judged.reading.evidence.iter().map(|piece| piece.hash.to_string()).collect(),
        ts: judged.reading.ts.to_string(),
        commit: judged.reading.code_sha.map(|id| id.to_string()).unwrap_or_default(),
        scenario: judged.reading.scenario,
    };
    answer.readings = done.into_iter().map(row).collect();
    let ledgers = ledgers.into_iter().collect();
    Ok(BulkOutcome { answer, warnings, details, ledgers, has_passed, idle: Vec::new(), near: Vec::new() })
}

impl ReportFiling<'_> {
    /// Warnings, each once for all readings.
    fn warnings(&self, done: &[JudgedReading<'_>]) -> Result<Vec<Vec<String>>> {
        let new = || done.iter().filter(|judged| judged.outcome != FilingOutcome::AlreadyFiled);
        let differing: BTreeSet<&String> = new().flat_map(|judged| &judged.filing.differing).collect();
        let mut all = vec![dirty_advice(&differing.into_iter().cloned().collect::<Vec<_>>())];
        let mut lacks: BTreeMap<String, usize> = BTreeMap::new();
        for judged in new() {
            let filing = &judged.filing;
            let said = filing.evidence_advice(&judged.reading.evidence).into_iter();
            let said = said
                .chain(absent(filing.node, filing.scenario))
                .chain(unstamped_test(&judged.reading)?)
                .chain(filing.hidden.clone())
                .chain(filing.doubts.iter().cloned());
            said.for_each(|lack| *lacks.entry(lack).or_default() += 1);
            all.push(judged.shown.as_ref().map(marker_advice).unwrap_or_default());
        }
        all.extend(lacks.into_iter().map(|(lack, count)| match count {
            1 => vec![lack],
            count => vec![format!("{}: {lack}", plural(count, "reading"))],
        }));
        all.extend(self.steps.iter().flat_map(|(_, begun)| begun.warnings()).map(|one| vec![one.clone()]));
        if self.asked.elsewhere > 0 {
            let env = self.request.env.as_ref().map(ToString::to_string).unwrap_or_default();
            let count = plural(self.asked.elsewhere, "scenario");
            all.push(vec![format!("skipped {count} that do not list the environment {env}")]);
        }
        all.push(self.step_advice(new())?);
        all.extend(over(done)?);
        all.retain(|lines| !lines.is_empty());
        Ok(all)
    }

    /// What features warn of, a line for each scenario; after the first ones their number.
    fn step_advice<'j>(&self, done: impl Iterator<Item = &'j JudgedReading<'j>>) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for judged in done {
            let advice = judged.filing.step_advice(judged.outcome, &judged.reading)?;
            lines.extend(advice.iter().map(|advice| format!("{}: {advice}", self.called(judged.target))));
        }
        let more = lines.len().saturating_sub(MAX_NAMED);
        lines.truncate(MAX_NAMED);
        lines
            .extend((more > 0).then(|| format!("and {} more: `yatsu-hook scan` lists them", plural(more, "scenario"))));
        Ok(lines)
    }

    fn details(&self, done: &[JudgedReading<'_>]) -> Vec<String> {
        let of_one = |judged: &JudgedReading<'_>| {
            let called = self.called(judged.target);
            judged.filing.details().into_iter().map(move |detail| format!("{called}: {detail}"))
        };
        done.iter().flat_map(of_one).collect()
    }
}

fn over(done: &[JudgedReading<'_>]) -> Result<Vec<Vec<String>>> {
    let Some(first) = done.first().map(|judged| &judged.filing) else { return Ok(Vec::new()) };
    let filed: Vec<_> =
        done.iter().map(|judged| (&judged.filing.node.dir, &judged.filing.ledger, &judged.reading)).collect();
    let budgets = spending::of_readings(first.site, &first.work.config.budgets, &filed)?;
    let advice = done.iter().zip(budgets);
    Ok(advice.filter_map(|(one, budget)| Some(spending::advice(&budget?, &one.reading, one.filing.node))).collect())
}
