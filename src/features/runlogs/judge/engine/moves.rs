//! The fate of a run log between two states: it only grows, but it may move, and the log of an ended run may be deleted.

use super::appended::{BrokenAt, broken};
use super::facts::id_of;
use crate::error::Result;
use crate::features::runlogs::model::event::take_apart;
use crate::features::runlogs::model::line::LogLines;
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::{INDEX, Profile};

/// Whether a condition holds for the content of any log of a set. The logs are read one after the other, so that only one
/// is in memory. Fails if a log cannot be read.
pub type AnyLog<'l> = dyn Fn(&dyn Fn(&[u8]) -> bool) -> Result<bool> + 'l;

/// The fate of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFate {
    /// It only grew, at its path or at another; or its run had ended, and it was deleted or replaced by a later run.
    Kept,
    /// It is there and does not begin with its old content.
    Broken(BrokenAt),
    /// It is gone, and no other log begins with its old content.
    Gone,
}

/// The fate of `before`. `now` is the file at its path, `new` are the logs that the old state did not have. `profile` must
/// be the profile of the old state, so that a change cannot decide by itself which runs have ended.
///
/// # Errors
/// A new log cannot be read.
pub fn fate(before: &[u8], now: Option<&[u8]>, new: &AnyLog<'_>, profile: &Profile) -> Result<LogFate> {
    if goes_on(before, now, new)? || may_go(before, now, profile) {
        return Ok(LogFate::Kept);
    }
    Ok(now.and_then(|now| broken(before, now)).map_or(LogFate::Gone, LogFate::Broken))
}

/// Whether all of `before` is still there: at its path or, if that holds nothing or another run, in one of the `new` logs.
///
/// # Errors
/// A new log cannot be read.
pub fn goes_on(before: &[u8], now: Option<&[u8]>, new: &AnyLog<'_>) -> Result<bool> {
    let begins = |log: &[u8]| broken(before, log).is_none();
    match now {
        Some(now) if begins(now) => Ok(true),
        // a copy elsewhere does not count: otherwise the log that stays could be edited
        Some(now) if id_of(now) == id_of(before) => Ok(false),
        Some(_) | None => new(&|log| !log.is_empty() && begins(log)),
    }
}

/// Whether a log may be deleted or replaced by `now`: its run ended, and its replacement begins later than that.
pub(crate) fn may_go(before: &[u8], now: Option<&[u8]>, profile: &Profile) -> bool {
    let Ok(run) = super::judge(before, profile, &mut Silent) else { return false };
    if run.ended.is_none() {
        return false;
    }
    let Some(now) = now else { return true };
    matches!((begins(now), run.last), (Some(begins), Some(last)) if begins > last)
}

/// The begin of a log: the time of the `_index` in its first line.
pub(crate) fn begins(log: &[u8]) -> Option<Moment> {
    let mut lines = LogLines::new(log);
    let line = lines.next_line().ok()??;
    let apart = take_apart(&line, 0);
    let first = apart.events.first().filter(|event| event.name() == Some(INDEX))?;
    Moment::parse(first.text_of("ts")?)
}

struct Silent;

impl super::Watch for Silent {
    fn violation(
        &mut self,
        _: crate::features::runlogs::model::code::Violation,
        _: Option<&crate::features::runlogs::model::line::LogLine<'_>>,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::runlogs::model::builtin::{MEASURE, find};

    fn run(hour: u32, ended: bool) -> String {
        let line = |event: &str, minute: u32| {
            format!(
                "{{\"event\":\"{event}\",\"ts\":\"2026-05-15T{hour:02}:{minute:02}:00Z\",\"status\":\"success\"}}\n"
            )
        };
        let mut text = line("_index", 0) + &line("run_start", 0) + &line("error", 5);
        if ended {
            text += &line("run_end", 9);
        }
        text
    }

    fn told(before: &str, now: Option<&str>, new: &[&str]) -> LogFate {
        let any = |holds: &dyn Fn(&[u8]) -> bool| Ok(new.iter().any(|text| holds(text.as_bytes())));
        fate(before.as_bytes(), now.map(str::as_bytes), &any, find(MEASURE).unwrap()).unwrap()
    }

    #[test]
    fn a_log_grows_or_moves() {
        let (log, longer) = (run(1, false), run(1, true));
        assert_eq!(told(&log, Some(&longer), &[]), LogFate::Kept);
        assert_eq!(told(&log, None, &[&longer]), LogFate::Kept, "moved, and grown");
        let edited = log.replace("05:00Z", "06:00Z");
        assert!(matches!(told(&log, Some(&edited), &[&log]), LogFate::Broken(_)), "copied, and edited where it was");
        assert_eq!(told(&log, Some(&run(2, false)), &[&log]), LogFate::Kept, "moved, and another run in its place");
        assert_eq!(told(&log, None, &[&run(2, true), ""]), LogFate::Gone);
        assert_eq!(told(&log, None, &[]), LogFate::Gone);
        assert!(matches!(told(&log, Some(&edited), &[]), LogFate::Broken(at) if at.line == 3));
    }

    #[test]
    fn a_log_that_ended_may_go_or_give_way_to_a_later_run() {
        let ended = run(1, true);
        assert_eq!(told(&ended, None, &[]), LogFate::Kept);
        assert_eq!(told(&ended, Some(&run(2, false)), &[]), LogFate::Kept);
        assert!(matches!(told(&ended, Some(&run(0, false)), &[]), LogFate::Broken(_)), "an earlier one");
        let same = run(1, true).replace("05:00Z", "06:00Z");
        assert!(matches!(told(&ended, Some(&same), &[]), LogFate::Broken(_)), "the same one, edited");
        assert!(matches!(told(&run(1, false), Some(&run(2, false)), &[]), LogFate::Broken(_)), "one that goes on");
    }
}
