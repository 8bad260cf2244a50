//! A commit does not wait for ever: what takes too long is given up (hostile.md, limits). A push may be long, and whoever
//! waits for it sees why.

use super::call::Call;
use super::emit;
use crate::error::Error;
use std::cell::OnceCell;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long a hook before a commit may take in all.
const LIMIT: Duration = Duration::from_secs(30);
/// Bytes of stack for the thread that only waits, and says so when it waited in vain.
const STACK: usize = 256 << 10;

/// The time of one hook. Most end at once, sooner than a thread starts: only one that has something to do is watched.
pub(super) struct Deadline {
    started: Instant,
    watch: OnceCell<Sender<()>>,
}

impl Deadline {
    /// Counts from now.
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), watch: OnceCell::new() }
    }

    /// From here on it may take long: the process ends when the time is over.
    pub(super) fn watch(&self, call: Call<'_>) {
        self.watch.get_or_init(|| {
            let (kind, global) = (call.kind, call.global.clone());
            #[allow(clippy::exit)] // the work that does not end is not asked
            let give_up = move || std::process::exit(emit::fail(&late(), kind, &global).0.into());
            watch(LIMIT.saturating_sub(self.started.elapsed()), give_up)
        });
    }

    /// The process ends now: nobody need wake the other thread for that.
    pub(super) fn met(self) {
        std::mem::forget(self.watch);
    }
}

/// Calls `late` unless what is returned is dropped before `limit` is over. The thread that waits does no work: the one that
/// does has the stack of the process, and is not kept waiting for another to start.
pub(super) fn watch(limit: Duration, late: impl FnOnce() + Send + 'static) -> Sender<()> {
    let (watch, ended) = mpsc::channel();
    let wait = move || {
        if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            late();
        }
    };
    // where no thread can be had, the check waits for as long as it takes
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(wait);
    watch
}

fn late() -> Error {
    Error::unchecked(format!("the check took more than {} s", LIMIT.as_secs()))
        .hint("see what takes so long: yatsu-hook check --staged -v, which waits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_given_up() {
        let (give_up, given_up) = mpsc::channel();
        let watch_for = |limit, give_up: Sender<()>| watch(limit, move || give_up.send(()).unwrap());
        let watch = watch_for(Duration::from_millis(1), give_up.clone());
        assert_eq!(given_up.recv(), Ok(()));
        drop(watch);
        drop(watch_for(Duration::from_secs(600), give_up));
        assert!(given_up.recv().is_err(), "what ended in time is not given up");
    }
}
