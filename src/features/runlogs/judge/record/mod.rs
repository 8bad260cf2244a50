//! The `runlog` commands. Every decision is made under the repository's lock, by the log as it is then. The log and its
//! new lines are judged together before a byte is written. Prints nothing.

mod desk;
mod offer;
mod page;
pub(crate) mod resume;
pub(crate) mod start;
pub(crate) mod target;

use crate::app::site::{self, Site};
use crate::error::{Error, Result};
use crate::features::runlogs::judge::engine::page::render;
use crate::features::runlogs::judge::engine::plan::{PlanTarget, counts_of, end_lacks, ends_with_status};
use crate::features::runlogs::judge::engine::story::{ERROR, PRODUCED};
use crate::features::runlogs::judge::find_runlog;
use crate::features::runlogs::model::profile::{
    COUNTS, INDEX, LogPosition, PHASE, PHASE_END, PHASE_START, PhaseSpec, Profile,
};
use crate::features::runlogs::model::receipts::{LogOutcome, LogReceipt, PageOutcome, PageReceipt};
use crate::features::runlogs::model::write::{NewEvent, NewField};
use crate::model::ledger::Timestamp;
use crate::store::Store;
use crate::store::ledger::look;
use crate::text::escape::echo;
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;
use desk::OpenedLog;
use page::{OpenPage, page_path, refuse_other};
use target::{DiskTarget, JudgedOnce};

/// Which log is appended to, and when.
pub(crate) struct LogRequest {
    /// The log; `None` means the log of the only open run.
    pub log: Option<RepoPath>,
    pub now: Timestamp,
}

spelled! {
    /// How a run ends.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum RunStatus {
        Success = "success",
        /// The run was broken off.
        Aborted = "aborted",
        /// The run missed its aim.
        Failed = "failed",
    }
}

/// `runlog add`.
///
/// # Errors
/// Usage for an event with its own command, and for an invalid field; refused if the log has errors or forbids the event.
pub(crate) fn add(
    site: &dyn Site,
    store: &Store,
    request: &LogRequest,
    event: &str,
    fields: Vec<NewField>,
) -> Result<LogReceipt> {
    let lock = store.lock_ledger()?;
    let log = OpenedLog::open(site, &lock, &find_runlog::needed(site, request.log.as_ref())?)?;
    refuse_markers(&log, event)?;
    append(log, request.now, "add", None, &[NewEvent { name: event.to_owned(), fields }])
}

fn refuse_markers(log: &OpenedLog<'_>, event: &str) -> Result<()> {
    let profile = &*log.profile;
    let is_phase = !profile.phases.is_empty() && [PHASE_START, PHASE_END].contains(&event);
    let is_at = |position| profile.at(position).is_some_and(|spec| spec.name == event);
    let verb = match event {
        INDEX => "start",
        _ if is_at(LogPosition::Second) && !log.story.lacks_only_its_start() => "start",
        PHASE_START if is_phase => "phase start N",
        PHASE_END if is_phase => "phase end N",
        _ if is_at(LogPosition::Last) && ends_with_status(profile) => "end success|aborted|failed",
        _ => return Ok(()),
    };
    Err(Error::usage(format!("{event} has a verb of its own")).hint(format!("yatsu-hook runlog {verb}")))
}

/// Parses a typed phase number.
///
/// # Errors
/// Usage for anything else, with the phases of the meant log, if there is one.
pub(crate) fn phase_number(site: &dyn Site, request: &LogRequest, typed: &str) -> Result<u32> {
    typed.parse().map_err(|_| {
        let error = Error::usage(format!("a phase is named by its number, and `{}` is none", echo(typed)));
        // without a log there is no hint
        let path = find_runlog::meant(site, request.log.as_ref()).ok().flatten();
        let story = path.and_then(|path| find_runlog::story_of(site, &path).ok().flatten());
        story.iter().fold(error, |error, (profile, _)| error.hint(phases_of(profile)))
    })
}

/// The phases of a profile, as `1 Explore, 2 Generate`.
fn phases_of(profile: &Profile) -> String {
    let named: Vec<String> = profile.phases.iter().map(|phase| format!("{} {}", phase.n, phase.name)).collect();
    if named.is_empty() { format!("runs of {} have no phases", profile.name) } else { named.join(", ") }
}

/// `runlog phase start`.
///
/// # Errors
/// As [`add`].
pub(crate) fn phase_start(site: &dyn Site, store: &Store, request: &LogRequest, n: u32) -> Result<LogReceipt> {
    let lock = store.lock_ledger()?;
    let log = OpenedLog::open(site, &lock, &find_runlog::needed(site, request.log.as_ref())?)?;
    spec(&log, n)?;
    append(log, request.now, "phase-start", Some(n), &[started(n)])
}

fn started(n: u32) -> NewEvent {
    NewEvent::new(PHASE_START).with(NewField::number(PHASE, n.into()))
}

/// `runlog phase end`. If artifacts are missing, the receipt lists them, and the log gets an error event instead.
///
/// # Errors
/// As [`add`].
pub(crate) fn phase_end(
    site: &dyn Site,
    store: &Store,
    request: &LogRequest,
    n: u32,
    mut counts: Vec<NewField>,
    artifacts: &[String],
) -> Result<LogReceipt> {
    let lock = store.lock_ledger()?;
    let log = OpenedLog::open(site, &lock, &find_runlog::needed(site, request.log.as_ref())?)?;
    let requires = spec(&log, n)?.requires.clone();
    let judged = JudgedOnce::new();
    let target = DiskTarget::of(site, &judged, &log.path, &log.story)?;
    for (name, count) in counts_of(&log.profile, n, &target)? {
        if !counts.iter().any(|typed| typed.name == name) {
            counts.push(NewField::number(&name, count));
        }
    }
    let event = ended(&log, n, &counts, artifacts);
    let at = log.moment(request.now);
    // checked first, so that an error event is about artifacts, not about a phase that is not open
    log.check(std::slice::from_ref(&event), at)?;
    let missing = target.lacking(&requires)?;
    if missing.is_empty() {
        return append(log, request.now, "phase-end", Some(n), &[event]);
    }
    let mut receipt = blank(&log, "phase-end", LogOutcome::Incomplete, Some(n));
    if log.story.declares_error {
        let error = recoverable(n, &missing);
        receipt.events = vec![error.name.clone()];
        receipt.page = log.append(&[error], at)?.map(|page| page.to_string());
    }
    Ok(LogReceipt { missing, ..receipt })
}

fn spec<'l>(log: &'l OpenedLog<'_>, n: u32) -> Result<&'l PhaseSpec> {
    log.profile.phase(n).ok_or_else(|| match log.profile.phases.is_empty() {
        true => Error::usage(phases_of(&log.profile))
            .hint("record its events with `yatsu-hook runlog add EVENT FIELD=VALUE…`"),
        false => Error::usage(format!("there is no phase {n}")).hint(phases_of(&log.profile)),
    })
}

fn ended(log: &OpenedLog<'_>, n: u32, counts: &[NewField], artifacts: &[String]) -> NewEvent {
    let mut produced: Vec<&str> = Vec::new();
    for path in artifacts.iter().chain(&log.story.since_start) {
        if !produced.contains(&path.as_str()) {
            produced.push(path);
        }
    }
    NewEvent::new(PHASE_END)
        .with(NewField::number(PHASE, n.into()))
        .with(NewField::object(COUNTS, counts))
        .with(NewField::texts(PRODUCED, produced))
}

/// The event that says what a phase lacks.
fn recoverable(n: u32, missing: &[String]) -> NewEvent {
    /// Longest message in a log, in characters.
    const LONGEST: usize = 2000;
    let message = format!("phase {n} lacks: {}", missing.join("; "));
    NewEvent::new(ERROR)
        .with(NewField::number(PHASE, n.into()))
        .with(NewField::text("message", &crate::text::escape::clip(&message, LONGEST)))
        .with(NewField::boolean("recoverable", true))
}

/// `runlog end`. If a success lacks something, the receipt lists it, and nothing is appended.
///
/// # Errors
/// As [`add`].
pub(crate) fn end(site: &dyn Site, store: &Store, request: &LogRequest, status: RunStatus) -> Result<LogReceipt> {
    let lock = store.lock_ledger()?;
    let log = OpenedLog::open(site, &lock, &find_runlog::needed(site, request.log.as_ref())?)?;
    let last = log.profile.at(LogPosition::Last).map(|end| end.name.clone());
    let Some(name) = last.filter(|_| ends_with_status(&log.profile)) else {
        let message = format!("a run of {} ends with an event of its own", log.profile.name);
        let end = log.profile.at(LogPosition::Last).map_or("EVENT", |end| &end.name);
        return Err(Error::usage(message).hint(format!("yatsu-hook runlog add {end} FIELD=VALUE…")));
    };
    let event = NewEvent::new(&name).with(NewField::text("status", status.as_str()));
    let at = log.moment(request.now);
    let missing = if status == RunStatus::Success { success_lacks(site, &log)? } else { Vec::new() };
    if !missing.is_empty() {
        return Ok(LogReceipt { missing, ..blank(&log, "end", LogOutcome::Incomplete, None) });
    }
    log.check(std::slice::from_ref(&event), at)?;
    append(log, request.now, "end", None, &[event])
}

/// Everything that keeps a run from ending with success.
fn success_lacks(site: &dyn Site, log: &OpenedLog<'_>) -> Result<Vec<String>> {
    if !log.story.is_open() {
        return Ok(Vec::new());
    }
    let judged = JudgedOnce::new();
    let target = DiskTarget::of(site, &judged, &log.path, &log.story)?;
    let mut missing = Vec::new();
    for (run, spec) in log.story.run.phases.iter().zip(&log.profile.phases) {
        let named = |what: String| format!("phase {}, {}: {what}", spec.n, spec.name);
        match run.is_closed() {
            true => missing.extend(target.lacking(&spec.requires)?.into_iter().map(named)),
            false => missing.push(named("it has not ended".to_owned())),
        }
    }
    // before every phase has ended the log has no counts, and the open phases are listed already
    if log.story.run.phases.iter().all(|phase| phase.is_closed()) {
        missing.extend(end_lacks(&log.profile, &log.story.counted, &target)?);
    } else {
        missing.extend(target.refusals()?);
    }
    Ok(missing)
}

/// `runlog progress`: writes the page, or with `check` compares it with the log.
///
/// # Errors
/// Usage if the profile has no page; otherwise as [`add`].
pub(crate) fn progress(site: &dyn Site, store: &Store, log: Option<&RepoPath>, check: bool) -> Result<PageReceipt> {
    let path = find_runlog::needed(site, log)?;
    let missing = || Error::usage(format!("there is no run log {path}")).hint("all runs: yatsu-hook runlog ls");
    let lock = if check { None } else { Some(store.lock_ledger()?) };
    let (profile, story) = find_runlog::story_of(site, &path)?.ok_or_else(missing)?;
    let Some(page_path) = page_path(&path, &profile) else {
        let word = find_runlog::word_of(site, &path);
        return Err(Error::usage(format!("runs of {} have no page", profile.name))
            .hint(format!("where the run stands: yatsu-hook runlog resume {word}")));
    };
    let outcome = match &lock {
        None => {
            let before = look(site::work_dir(site)?, &page_path)?;
            refuse_other(site, &path, &page_path, before.as_deref().unwrap_or_default())?;
            let is_same = before.as_ref().is_some_and(|before| render(&story, &profile, Some(before)) == *before);
            if is_same { PageOutcome::Same } else { PageOutcome::Differs }
        }
        Some(lock) => {
            let page = OpenPage::open(site, lock, &path, &profile)?;
            page.map(|page| page.write(&profile, &story)).transpose()?;
            PageOutcome::Written
        }
    };
    let command = format!("yatsu-hook runlog progress {}", find_runlog::word_of(site, &path));
    Ok(PageReceipt { outcome, file: path.to_string(), page: page_path.to_string(), command })
}

fn append(
    log: OpenedLog<'_>,
    now: Timestamp,
    verb: &'static str,
    phase: Option<u32>,
    events: &[NewEvent],
) -> Result<LogReceipt> {
    let mut receipt = blank(&log, verb, LogOutcome::Appended, phase);
    let at = log.moment(now);
    receipt.events = events.iter().map(|event| event.name.clone()).collect();
    receipt.page = log.append(events, at)?.map(|page| page.to_string());
    Ok(receipt)
}

fn blank(log: &OpenedLog<'_>, verb: &'static str, outcome: LogOutcome, phase: Option<u32>) -> LogReceipt {
    LogReceipt {
        verb,
        outcome,
        file: log.path.to_string(),
        profile: log.profile.name.clone(),
        events: Vec::new(),
        phase,
        missing: Vec::new(),
        page: None,
    }
}
