//! What became of a run log between two states: it only grows, but it may move, and one that ended may go.

use super::facts::id_of;
use crate::engine::history::{BrokenAt, broken};
use crate::error::Result;
use crate::model::runlog::event::take_apart;
use crate::model::runlog::line::LogLines;
use crate::model::runlog::moment::Moment;
use crate::model::runlog::profile::{INDEX, Profile};

/// Run logs that are asked one after the other, so that no two of them need be in memory at once.
pub trait ManyLogs {
    /// Whether `holds` is true of the content of one of them; the others are not looked at.
    ///
    /// # Errors
    /// When one of them cannot be read.
    fn any(&self, holds: &dyn Fn(&[u8]) -> bool) -> Result<bool>;
}

/// No log at all.
pub struct NoLogs;

impl ManyLogs for NoLogs {
    fn any(&self, _holds: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        Ok(false)
    }
}

/// What became of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFate {
    /// It only grew, where it was or elsewhere; or its run had ended, and it went or gave way to a later one.
    Kept,
    /// It is there, and does not begin with what it was.
    Broken(BrokenAt),
    /// It is gone, and no other log begins with what it was.
    Gone,
}

/// What became of `before`: `now` is what lies at its path, `new` are the logs that the old state did not have. `profile` is
/// the one that the old state was judged by: no change says by itself which runs have ended.
///
/// # Errors
/// When one of the new logs cannot be read.
pub fn fate(before: &[u8], now: Option<&[u8]>, new: &dyn ManyLogs, profile: &Profile) -> Result<LogFate> {
    if goes_on(before, now, new)? || may_go(before, now, profile) {
        return Ok(LogFate::Kept);
    }
    Ok(now.and_then(|now| broken(before, now)).map_or(LogFate::Gone, LogFate::Broken))
}

/// Whether all of `before` is still there: where it was, or, where nothing or another run lies now, in one of the `new` logs,
/// which the old state did not have.
///
/// # Errors
/// When one of the new logs cannot be read.
pub fn goes_on(before: &[u8], now: Option<&[u8]>, new: &dyn ManyLogs) -> Result<bool> {
    let begins = |log: &[u8]| broken(before, log).is_none();
    match now {
        Some(now) if begins(now) => Ok(true),
        // a copy elsewhere does not count: it would let the log that stays be edited
        Some(now) if id_of(now) == id_of(before) => Ok(false),
        Some(_) | None => new.any(&|log| !log.is_empty() && begins(log)),
    }
}

/// Whether a log may be deleted, or give way to `now`: its run ended, and what takes its place begins later than it ended.
pub(crate) fn may_go(before: &[u8], now: Option<&[u8]>, profile: &Profile) -> bool {
    let Ok(run) = super::judge(before, profile, &mut Silent) else { return false };
    if run.ended.is_none() {
        return false;
    }
    let Some(now) = now else { return true };
    matches!((begins(now), run.last), (Some(begins), Some(last)) if begins > last)
}

/// When a log begins: the time of the `_index` in its first line.
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
        _: crate::model::runlog::code::Violation,
        _: Option<&crate::model::runlog::line::LogLine<'_>>,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::runlog::builtin::{MEASURE, find};

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

    struct Texts<'t>(&'t [&'t str]);

    impl ManyLogs for Texts<'_> {
        fn any(&self, holds: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
            Ok(self.0.iter().any(|text| holds(text.as_bytes())))
        }
    }

    fn told(before: &str, now: Option<&str>, new: &[&str]) -> LogFate {
        fate(before.as_bytes(), now.map(str::as_bytes), &Texts(new), find(MEASURE).unwrap()).unwrap()
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
