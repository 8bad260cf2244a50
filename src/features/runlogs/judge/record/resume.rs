//! `runlog resume`: how a run goes on. The engine makes the plan ([`crate::features::runlogs::judge::engine::plan`]). This file returns it,
//! and on request appends exactly its events, in one write.

use super::desk::OpenedLog;
use super::target::{DiskTarget, JudgedOnce};
use super::{ended, offer, recoverable};
use crate::app::site::{self, Site};
use crate::error::{Error, Result};
use crate::features::runlogs::judge::engine::plan::{PlanAction, PlanAppend, PlanStep, plan};
use crate::features::runlogs::judge::engine::story::ERROR;
use crate::features::runlogs::judge::find_runlog;
use crate::features::runlogs::model::profile::{LogPosition, PHASE, PHASE_END, PHASE_REOPENED, Profile};
use crate::features::runlogs::model::receipts::{PlanRow, ResumeReceipt};
use crate::features::runlogs::model::write::{NewEvent, NewField};
use crate::model::ledger::Timestamp;
use crate::store::Store;
use crate::text::escape::clip;
use crate::tree::path::RepoPath;

/// Longest reason in a log, in characters.
const LONGEST_REASON: usize = 2000;

/// Plans how a run goes on, and with `apply` appends the events of the plan.
///
/// # Errors
/// Refused if the log has errors; unchecked if its artifacts cannot be looked at.
pub(crate) fn resume(
    site: &dyn Site,
    store: &Store,
    log: Option<&RepoPath>,
    now: Timestamp,
    apply: bool,
) -> Result<ResumeReceipt> {
    let meant = find_runlog::meant(site, log)?;
    let is_there = match (&meant, site.work_dir()) {
        (Some(path), Some(work_dir)) => site::is_there(work_dir, path)? && !find_runlog::is_blank(work_dir, path),
        _ => false,
    };
    let Some(path) = meant.as_ref().filter(|_| is_there) else {
        return fresh(site, meant.as_ref());
    };
    // locked even without `apply`, because the plan must be of one moment
    let lock = store.lock_ledger()?;
    let log = OpenedLog::open(site, &lock, path)?;
    let judged = JudgedOnce::new();
    let target = DiskTarget::of(site, &judged, path, &log.story)?;
    let steps = plan(&log.story, &log.profile, &target)?;
    let word = find_runlog::word_of(site, path);
    let rows: Vec<PlanRow> = steps.iter().map(|step| row(step, &log.profile, &word)).collect();
    let events: Vec<NewEvent> = steps.iter().filter_map(|step| event(step, &log)).collect();
    let mut receipt = ResumeReceipt { file: path.to_string(), plan: rows, applied: apply, events: Vec::new() };
    if apply && !events.is_empty() {
        let at = log.moment(now);
        log.append(&events, at)?;
        receipt.events = events.into_iter().map(|event| event.name).collect();
    }
    Ok(receipt)
}

/// The answer without a log, or with an empty one: the command that starts a run.
fn fresh(site: &dyn Site, path: Option<&RepoPath>) -> Result<ResumeReceipt> {
    if site.work_dir().is_none() {
        return Err(Error::refused("a bare repository has no work tree, and runs lie in one")
            .hint("ask in a clone that has one"));
    }
    let command = offer::line_to_type(site, path)?;
    let row = PlanRow { action: "fresh", phase: None, missing: Vec::new(), appends: None, command: Some(command) };
    let file = path.map_or_else(|| crate::names::RUNS_DIR.to_owned(), ToString::to_string);
    Ok(ResumeReceipt { file, plan: vec![row], applied: false, events: Vec::new() })
}

fn row(step: &PlanStep, profile: &Profile, word: &str) -> PlanRow {
    let start = profile.at(LogPosition::Second);
    let appends = step.append.as_ref().and_then(|append| match append {
        PlanAppend::RunStart => start.map(|start| start.name.clone()),
        PlanAppend::PhaseEnd { .. } => Some(PHASE_END.to_owned()),
        PlanAppend::Reopened => Some(PHASE_REOPENED.to_owned()),
        PlanAppend::Error => Some(ERROR.to_owned()),
        PlanAppend::RunEnd => profile.at(LogPosition::Last).map(|end| end.name.clone()),
    });
    let command = match (step.action, step.phase) {
        (PlanAction::Start, _) if step.append.is_none() => start.map(|start| offer::line_of_start(start, word)),
        (PlanAction::Next, Some(n)) => Some(format!("yatsu-hook runlog phase start {n} --log {word}")),
        (PlanAction::ReRun, Some(n)) => Some(format!("yatsu-hook runlog phase end {n} --log {word}")),
        (PlanAction::Finish, _) if step.append.is_none() => Some(format!("yatsu-hook runlog end failed --log {word}")),
        _ => None,
    };
    PlanRow { action: step.action.as_str(), phase: step.phase, missing: step.missing.clone(), appends, command }
}

fn event(step: &PlanStep, log: &OpenedLog<'_>) -> Option<NewEvent> {
    let n = step.phase.unwrap_or_default();
    Some(match step.append.as_ref()? {
        PlanAppend::RunStart => NewEvent::new(&log.profile.at(LogPosition::Second)?.name),
        PlanAppend::PhaseEnd { counts } => {
            let counts: Vec<NewField> = counts.iter().map(|(name, count)| NewField::number(name, *count)).collect();
            ended(log, n, &counts, &[])
        }
        PlanAppend::Reopened => NewEvent::new(PHASE_REOPENED)
            .with(NewField::number(PHASE, n.into()))
            .with(NewField::text("reason", &clip(&step.missing.join("; "), LONGEST_REASON))),
        PlanAppend::Error => recoverable(n, &step.missing),
        PlanAppend::RunEnd => {
            let end = log.profile.at(LogPosition::Last)?;
            NewEvent::new(&end.name).with(NewField::text("status", "success"))
        }
    })
}
