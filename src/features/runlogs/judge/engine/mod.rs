//! Judges run logs; pure. [`judge`] reads a whole log line by line: a profile and a source in; every violation and every
//! event to a [`Watch`], and the state of the run ([`Run`]) out. Its memory use does not grow with the log. [`artifacts`]
//! judges the files that phases must leave.

pub mod appended;
pub(crate) mod artifacts;
pub(crate) mod facts;
mod fields;
mod machine;
pub mod moves;
pub mod page;
mod phases;
pub(crate) mod plan;
pub mod story;
#[cfg(test)]
mod tests;

pub use phases::PhaseRun;

use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::{LogEvent, TakenApart, of_line, take_apart};
use crate::features::runlogs::model::line::{LogLine, LogLines};
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::{INDEX, Profile};
use machine::Machine;
use std::io::{BufRead, Result};

/// A receiver of the content of a log, in its order.
pub trait Watch {
    /// A physical line, before its violations and events.
    fn line(&mut self, _line: &LogLine<'_>) {}

    /// An event, after its violations.
    fn event(&mut self, _event: &LogEvent<'_>) {}

    /// A violation and its line; a violation of the log as a whole has no meaningful line.
    fn violation(&mut self, violation: Violation, line: Option<&LogLine<'_>>);
}

/// The state of a run, from its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The number of physical lines.
    pub lines: u32,
    /// Whether its format is newer than the profile: then only its first line was judged.
    pub newer: bool,
    /// Whether the last line has its line end.
    pub whole: bool,
    /// The number of violations at the level of an error.
    pub errors: u64,
    pub(crate) first: Option<Moment>,
    /// The time of the last event with a time.
    pub last: Option<Moment>,
    /// The profile's phases, in their order.
    pub phases: Vec<PhaseRun>,
    /// The end of the run, if it ended.
    pub ended: Option<RunEnd>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    pub(crate) line: u32,
    /// `success`, `aborted` or `failed`, if the end has a status.
    pub status: Option<String>,
}

/// Judges a log from its first line to its last.
///
/// # Errors
/// The source cannot be read.
pub fn judge(source: impl BufRead, profile: &Profile, watch: &mut dyn Watch) -> Result<Run> {
    let mut lines = LogLines::new(source);
    let mut machine = Machine::new(profile);
    let (mut place, mut number, mut whole) = (0_u64, 0, true);
    while let Some(line) = lines.next_line()? {
        (number, whole) = (line.number, line.ended);
        watch.line(&line);
        if line.is_blank() {
            machine.told(watch, Some(&line), of_line(LogCode::BlankLine, line.number, "the line is blank"));
            continue;
        }
        let TakenApart { events, violations, places } = take_apart(&line, place);
        if place == 0 && events.first().and_then(LogEvent::name) != Some(INDEX) {
            let message = format!("the first line is not `{INDEX}`");
            machine.told(watch, Some(&line), of_line(LogCode::IndexNotFirst, line.number, message));
        }
        violations.into_iter().for_each(|violation| machine.told(watch, Some(&line), violation));
        for event in &events {
            let mut found = Vec::new();
            machine.event(event, &mut found);
            found.into_iter().for_each(|violation| machine.told(watch, Some(&line), violation));
            watch.event(event);
            if machine.run.newer {
                return Ok(Run { lines: number, whole, ..machine.run });
            }
        }
        place += places;
    }
    let mut found = Vec::new();
    match place {
        0 => found.push(of_line(LogCode::Empty, 1, "the log holds no event")),
        _ => machine.end(number, &mut found),
    }
    found.into_iter().for_each(|violation| machine.told(watch, None, violation));
    Ok(Run { lines: number, whole, ..machine.run })
}
