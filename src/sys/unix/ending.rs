//! INT, TERM and HUP. A thread waits for the signals, because a signal handler may call almost no function.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has `end` called when this process is asked to end. `end` gets the function that ends the process by the same signal,
/// so that a shell sees the usual status (128 + number). A signal that the parent made this process ignore (`nohup`, a
/// background job) stays ignored.
pub(crate) fn at_end(end: fn(&dyn Fn())) -> io::Result<()> {
    let ignored = ignored_signals();
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(wanted)?;
    let listen = move || {
        if let Some(signal) = signals.forever().next() {
            end(&|| drop(signal_hook::low_level::emulate_default_handler(signal)));
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// Installs a handler for SIGXFSZ that only sets an unused flag. A write beyond the file-size limit then fails like any
/// other write and does not kill the process. Child programs do not inherit the handler.
pub(crate) fn outlive_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// The mask of ignored signals, from Linux's `/proc/self/status`; 0 on other systems.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}
