//! Progress of what takes longer than half a second, for somebody who sits at a terminal; nothing anywhere else.

use super::global::{Global, Stream, Verbosity};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What goes faster needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears by itself and is gone when dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped first: that ends the thread.
    end: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar for `size` bytes, or for an unknown number of them; `None` where nobody would see it.
    pub(super) fn start(global: &Global, label: &str, size: Option<u64>) -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !std::io::stderr().is_terminal() || is_dumb || global.verbosity == Verbosity::Quiet {
            return None;
        }
        let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::hidden());
        let colors = global.style(Stream::Err).color;
        bar.set_style(style(size.is_some(), colors)?);
        bar.set_message(label.to_owned());
        let (end, ended) = channel();
        let shown = bar.clone();
        let show = move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(PATIENCE / 5);
                let _ = ended.recv();
            }
        };
        // Without the thread there is no bar, and nothing else is missing.
        let shower = std::thread::Builder::new().name("progress".into()).spawn(show).ok()?;
        Some(Self { bar, end: Some(end), shower: Some(shower) })
    }

    /// So many bytes are done.
    pub(super) fn reached(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end = None;
        if let Some(shower) = self.shower.take() {
            let _ = shower.join();
        }
        self.bar.finish_and_clear();
    }
}

fn style(sized: bool, colors: bool) -> Option<ProgressStyle> {
    let template = match (sized, colors) {
        (true, true) => "{msg} [{bar:30.cyan}] {bytes}/{total_bytes}",
        (true, false) => "{msg} [{bar:30}] {bytes}/{total_bytes}",
        (false, _) => "{msg} {elapsed}",
    };
    Some(ProgressStyle::with_template(template).ok()?.progress_chars("=> "))
}
