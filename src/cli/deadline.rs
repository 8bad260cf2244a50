//! The time limit of a commit hook (hostile.md, limits). A push has none, because it may take long and shows its progress.

use super::call::Call;
use super::emit;
use crate::error::Error;
use crate::sys;
use std::cell::OnceCell;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long a hook before a commit may take in all.
const LIMIT: Duration = Duration::from_secs(30);
/// The stack in bytes of the thread that waits and reports the timeout.
const STACK: usize = 256 << 10;

/// The time of one hook. Most hooks end sooner than a thread starts, so only a hook with work to do gets a waiting thread.
pub(super) struct Deadline {
    started: Instant,
    watch: OnceCell<Sender<()>>,
}

impl Deadline {
    /// Starts to count.
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), watch: OnceCell::new() }
    }

    /// Call before work that may take long: the process ends when the time is over.
    pub(super) fn watch(&self, call: Call<'_>) {
        self.watch.get_or_init(|| {
            let (kind, global) = (call.kind, call.global.clone());
            #[allow(clippy::exit)] // stuck work cannot be asked to stop
            let give_up = move || std::process::exit(emit::fail(&late(), kind, &global).0.into());
            watch(sys::time_limit(LIMIT).saturating_sub(self.started.elapsed()), give_up)
        });
    }

    /// The process ends now, so the waiting thread need not be woken.
    pub(super) fn met(self) {
        std::mem::forget(self.watch);
    }
}

/// Calls `late` after `limit`, unless the returned sender is dropped before. Only the waiting happens in the new thread:
/// the work keeps the large stack of the main thread, and starts without waiting for a thread.
pub(crate) fn watch(limit: Duration, late: impl FnOnce() + Send + 'static) -> Sender<()> {
    let (watch, ended) = mpsc::channel();
    let wait = move || {
        if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            late();
        }
    };
    // without a thread the check has no time limit
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(wait);
    watch
}

fn late() -> Error {
    Error::unchecked(format!("the check took more than {} s", sys::time_limit(LIMIT).as_secs()))
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
