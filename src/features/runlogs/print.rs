//! Run logs for people and programs. Machine form: `yatsu-hook/runlog/v1` (schema/runlog.v1.schema.json), one JSON object
//! for each verb.

use crate::features::runlogs::model::receipts::{
    LogOutcome, LogReceipt, PageOutcome, PageReceipt, PlanRow, ResumeReceipt, RunRow,
};
use crate::report::shown;
use crate::text::escape::terminal;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/runlog/v1";

#[derive(Serialize)]
#[serde(tag = "verb", rename = "ls")]
struct RunsJson<'a> {
    runs: &'a [RunRow],
}

/// The result of appending to a log.
pub(crate) fn write_receipt(receipt: &LogReceipt, is_machine: bool, out: &mut dyn Write) -> io::Result<()> {
    if is_machine {
        return crate::report::write_document(SCHEMA, receipt, out);
    }
    let file = shown(&receipt.file);
    for missing in &receipt.missing {
        match receipt.phase {
            Some(phase) => writeln!(out, "phase {phase} lacks: {}", shown(missing))?,
            None => writeln!(out, "the run lacks: {}", shown(missing))?,
        }
    }
    let events = receipt.events.iter().map(|event| shown(event)).collect::<Vec<_>>().join(", ");
    match (receipt.outcome, receipt.events.is_empty()) {
        (LogOutcome::Appended, _) => writeln!(out, "{file}: appended {events}"),
        (LogOutcome::Incomplete, false) => writeln!(out, "{file}: not ended; appended {events}"),
        (LogOutcome::Incomplete, true) => writeln!(out, "{file}: not ended; nothing was appended"),
    }
}

/// The plan by which a run resumes.
pub(crate) fn write_plan(resumed: &ResumeReceipt, is_machine: bool, out: &mut dyn Write) -> io::Result<()> {
    if is_machine {
        return crate::report::write_document(SCHEMA, resumed, out);
    }
    let file = shown(&resumed.file);
    for row in &resumed.plan {
        writeln!(out, "{file}: {}", words(row))?;
        for missing in &row.missing {
            writeln!(out, "  lacks: {}", shown(missing))?;
        }
        if let Some(command) = &row.command {
            writeln!(out, "  {}", terminal(command))?;
        }
    }
    let appends = resumed.plan.iter().filter(|row| row.appends.is_some()).count();
    match (resumed.applied, appends) {
        (true, 0) => writeln!(out, "nothing to append"),
        (true, _) => writeln!(out, "appended {}", resumed.events.join(", ")),
        (false, 0) => Ok(()),
        (false, _) => writeln!(out, "nothing was written; --apply appends what stands here"),
    }
}

fn words(row: &PlanRow) -> String {
    let phase = row.phase.map(|phase| format!(" phase {phase}")).unwrap_or_default();
    let what = match row.action {
        "fresh" => "there is no such run yet",
        "start" => "the log broke off behind its _index, the start of the run is missing",
        "catch-up" => "everything is there, its end is not in the log",
        "re-run" => "open and incomplete, do it again",
        "reopen" => "it ended, and the files that it left behind are gone",
        "next" if row.phase.is_some() => "it is to be started",
        "next" => "the run goes on",
        "finish" if row.missing.is_empty() => "every phase ended",
        "finish" => "every phase ended, and the run can't end with success",
        _ => "the run is over",
    };
    let appends = row.appends.as_ref().map(|event| format!("; appends {event}")).unwrap_or_default();
    format!("{}{phase}: {what}{appends}", row.action)
}

/// The state of a progress page.
pub(crate) fn write_page(page: &PageReceipt, is_machine: bool, out: &mut dyn Write) -> io::Result<()> {
    if is_machine {
        return crate::report::write_document(SCHEMA, page, out);
    }
    let (path, file) = (shown(&page.page), shown(&page.file));
    match page.outcome {
        PageOutcome::Written => writeln!(out, "wrote {path}"),
        PageOutcome::Same => Ok(()),
        PageOutcome::Differs => {
            writeln!(out, "{path} is not what {file} renders to; to write it: {}", terminal(&page.command))
        }
    }
}

/// The runs, one per line. An empty list prints nothing.
pub(crate) fn write_runs(runs: &[RunRow], is_machine: bool, out: &mut dyn Write) -> io::Result<()> {
    if is_machine {
        return crate::report::write_document(SCHEMA, &RunsJson { runs }, out);
    }
    for run in runs {
        let state = run.status.as_ref().map_or_else(|| run.state.to_owned(), |status| shown(status));
        let phase = run.phase.map(|phase| {
            format!(", phase {phase} {}", run.phase_name.as_ref().map(|name| shown(name)).unwrap_or_default())
        });
        let last = run.last_event.as_ref().map(|event| format!(", {}", shown(event))).unwrap_or_default();
        let age = run.age_seconds.map(|age| format!(" {} ago", ago(age))).unwrap_or_default();
        let errors = if run.errors > 0 { format!(", errors: {}", run.errors) } else { String::new() };
        let (file, profile) = (shown(&run.file), shown(&run.profile));
        writeln!(out, "{state:<8} {file} ({profile}){}{last}{age}{errors}", phase.unwrap_or_default())?;
    }
    Ok(())
}

/// A time span in its largest unit, for example `3h`.
fn ago(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "m")];
    let fits = units.into_iter().find(|(size, _)| seconds >= *size);
    fits.map_or(format!("{seconds}s"), |(size, unit)| format!("{}{unit}", seconds / size))
}
