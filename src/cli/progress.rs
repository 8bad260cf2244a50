//! Progress of work that takes longer than a second, on standard error. A terminal gets a line that updates and is
//! removed at the end; a log gets a plain line now and then. `YATSU_PROGRESS` is the number of seconds before the first
//! line, or `off`.

use super::global::{Global, Verbosity};
use super::stdio;
use crate::app::progress::ProgressStep;
use crate::text::plural;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that is faster prints no progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line of a terminal is rewritten.
const TICK: Duration = Duration::from_millis(200);
/// How often a log gets a line about the same step.
const NOW_AND_THEN: Duration = Duration::from_secs(10);

/// Progress that starts by itself and ends when dropped. Later output starts on a clean line.
pub(crate) struct Progress {
    shown: Arc<Mutex<Shown>>,
    begin: Instant,
    /// Dropped first, which ends the thread.
    end: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Progress {
    /// Progress that starts at `step`; `None` if it is switched off or output is quiet.
    pub(crate) fn start(global: &Global, step: ProgressStep) -> Option<Self> {
        let patience = patience(std::env::var_os("YATSU_PROGRESS").as_deref())?;
        if global.verbosity == Verbosity::Quiet {
            return None;
        }
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let screen = if std::io::stderr().is_terminal() && !is_dumb { Screen::Terminal } else { Screen::Log };
        let shown = Arc::new(Mutex::new(Shown { step, screen, due: Due::new(patience, screen) }));
        let (end, ended) = channel();
        let (begin, watched) = (Instant::now(), Arc::clone(&shown));
        say(&shown, begin, None);
        let show = move || {
            let mut wait = patience;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                say(&watched, begin, None);
                wait = TICK;
            }
        };
        // without the thread only a long single step shows no progress
        let shower = std::thread::Builder::new().name("progress".into()).spawn(show).ok();
        Some(Self { shown, begin, end: Some(end), shower })
    }

    /// The work is now at `step`.
    pub(crate) fn step(&self, step: ProgressStep) {
        say(&self.shown, self.begin, Some(step));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end = None;
        if let Some(shower) = self.shower.take() {
            let _ = shower.join();
        }
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.screen == Screen::Terminal && shown.due.last.is_some() {
            stdio::tell(b"\r\x1b[K");
        }
    }
}

/// Prints the progress if it is due. `step` is the new step, if there is one.
fn say(shown: &Mutex<Shown>, begin: Instant, step: Option<ProgressStep>) {
    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(step) = step {
        shown.step = step;
    }
    let (elapsed, step) = (begin.elapsed(), shown.step);
    if shown.due.is_now(elapsed, &step) {
        stdio::tell(line(&step, elapsed, shown.screen).as_bytes());
    }
}

/// How long to wait for the first line; `None` for ever.
fn patience(asked: Option<&OsStr>) -> Option<Duration> {
    match asked.and_then(OsStr::to_str) {
        Some("off") => None,
        asked => Some(asked.and_then(|text| text.parse().ok()).map_or(PATIENCE, Duration::from_secs)),
    }
}

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Screen {
    /// One line that is rewritten.
    Terminal,
    /// Lines that stay: a pipe, a file, a terminal without escapes.
    Log,
}

struct Shown {
    step: ProgressStep,
    screen: Screen,
    due: Due,
}

/// When a line is due: first when patience ends, then at once for a new step, and periodically for the same step.
struct Due {
    patience: Duration,
    every: Duration,
    last: Option<(Duration, &'static str)>,
}

impl Due {
    fn new(patience: Duration, screen: Screen) -> Self {
        let every = if screen == Screen::Terminal { TICK } else { NOW_AND_THEN };
        Self { patience, every, last: None }
    }

    /// Whether a line is due after `elapsed`. If so, its time is remembered.
    fn is_now(&mut self, elapsed: Duration, step: &ProgressStep) -> bool {
        let due = match self.last {
            None => elapsed >= self.patience,
            Some((at, said)) => said != step.what() || elapsed >= at + self.every,
        };
        if due {
            self.last = Some((elapsed, step.what()));
        }
        due
    }
}

fn line(step: &ProgressStep, elapsed: Duration, screen: Screen) -> String {
    let how_far = match *step {
        ProgressStep::Work(_) => String::new(),
        ProgressStep::Count { done, of, .. } => format!(" {done} of {of}"),
        ProgressStep::Bytes { done, of: None, .. } => format!(" {}", mebibytes(done)),
        ProgressStep::Bytes { done, of: Some(of), .. } => format!(" {} of {}", mebibytes(done), mebibytes(of)),
    };
    let text = format!("yatsu-hook: {}{how_far}, {}", step.what(), plural(elapsed.as_secs() as usize, "second"));
    match screen {
        Screen::Terminal => format!("\r{text}\x1b[K"),
        Screen::Log => format!("{text}\n"),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_log_gets_a_line_after_a_second_then_about_every_step_and_now_and_then() {
        let mut due = Due::new(PATIENCE, Screen::Log);
        let (list, walk) = (ProgressStep::Work("list"), |done| ProgressStep::Count { what: "walk", done, of: 9 });
        let mut said = Vec::new();
        for (at, step) in [(0, list), (1, list), (2, list), (3, walk(1)), (4, walk(2)), (13, walk(3)), (14, walk(4))] {
            if due.is_now(SECOND * at, &step) {
                said.push(at);
            }
        }
        assert_eq!(said, [1, 3, 13]);
    }

    #[test]
    fn a_terminal_line_is_written_over() {
        let mut due = Due::new(PATIENCE, Screen::Terminal);
        let step = ProgressStep::Work("list");
        let times = [999, 1000, 1100, 1200, 1300, 1400].map(Duration::from_millis);
        let said: Vec<_> = times.into_iter().filter(|at| due.is_now(*at, &step)).collect();
        assert_eq!(said, [1000, 1200, 1400].map(Duration::from_millis));
        assert_eq!(line(&step, SECOND, Screen::Terminal), "\ryatsu-hook: list, 1 second\x1b[K");
    }

    #[test]
    fn a_log_has_no_escapes() {
        let said = |step| line(&step, 2 * SECOND, Screen::Log);
        assert_eq!(said(ProgressStep::Work("list")), "yatsu-hook: list, 2 seconds\n");
        assert_eq!(
            said(ProgressStep::Count { what: "commit", done: 3, of: 7 }),
            "yatsu-hook: commit 3 of 7, 2 seconds\n"
        );
        let half = ProgressStep::Bytes { what: "storing", done: 3 << 19, of: Some(3 << 20) };
        assert_eq!(said(half), "yatsu-hook: storing 1.5 MiB of 3.0 MiB, 2 seconds\n");
    }

    #[test]
    fn the_environment_says_how_patient_to_be() {
        let patient = |text: Option<&str>| patience(text.map(OsStr::new));
        assert_eq!(
            (patient(None), patient(Some("")), patient(Some("soon"))),
            (Some(PATIENCE), Some(PATIENCE), Some(PATIENCE))
        );
        assert_eq!(
            (patient(Some("0")), patient(Some("60")), patient(Some("off"))),
            (Some(Duration::ZERO), Some(60 * SECOND), None)
        );
    }
}
