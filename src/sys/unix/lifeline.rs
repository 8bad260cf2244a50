//! Ends children with network access if this process ends before them: killed, by a signal, or after its time limit. A shell
//! waits at a pipe that only this process holds open. When the pipe breaks, the shell ends each registered child, the
//! child's descendants, and its process group, which includes orphans.
//!
//! git gets SIGTERM first and a moment to end, together with the processes it talks to: over `file://` the server is local,
//! and would leave its locks or a half-finished update behind. The rest is then killed.

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shell's script. It ignores the signals that are meant for this process.
const SCRIPT: &str = r#"trap "" HUP INT TERM
own=
while read -r sign pid; do
  left=
  for one in $own; do [ "$one" = "$pid" ] || left="$left $one"; done
  [ "$sign" = + ] && left="$left $pid"
  own=$left
done
below() { for one in $(cat "/proc/$1"/task/*/children 2>/dev/null); do echo "$one"; below "$one"; done; }
all=
for one in $own; do all="$all -$one $(below "$one")"; done
tell() { for one in $all; do kill -s "$1" -- "$one" 2>/dev/null && told=yes; done; }
for one in $own; do kill -s TERM -- "$one" 2>/dev/null; done
for moment in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  told=; tell 0; [ "$told" ] || exit 0
  sleep 0.1 2>/dev/null || sleep 1
done
tell KILL
for one in $own; do kill -s KILL -- "$one" 2>/dev/null; done
"#;

/// How long a child and its descendants may take to end by themselves.
const MOMENT: Duration = Duration::from_secs(1);

/// The running children, and the pipe to the shell once it is started.
static WATCHED: Mutex<Watched> = Mutex::new(Watched { children: Vec::new(), pipe: None });

struct Watched {
    children: Vec<Pid>,
    pipe: Option<ChildStdin>,
}

impl Watched {
    /// Registers (`+`) or unregisters a child. Without a shell, children end when their pipes close.
    fn tell(&mut self, sign: char, pid: Pid) {
        if self.pipe.is_none() {
            self.pipe = shell();
        }
        let line = format!("{sign} {}\n", pid.as_raw_nonzero());
        if self.pipe.as_mut().is_some_and(|pipe| pipe.write_all(line.as_bytes()).is_err()) {
            self.pipe = None;
        }
    }
}

/// Starts the shell in its own process group, so that a signal to the group of this process does not end it.
fn shell() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT]).env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()?.stdin
}

/// A guard: while it lives, the child ends with this process.
#[derive(Debug)]
pub(super) struct Lifeline(Pid);

impl Lifeline {
    /// The guard for the child `pid`, which was just started.
    pub(super) fn of(pid: Pid) -> Self {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        watched.children.push(pid);
        watched.tell('+', pid);
        Self(pid)
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        watched.children.retain(|child| *child != self.0);
        watched.tell('-', self.0);
    }
}

/// Ends every child that was started to end with this process, and its descendants.
pub(crate) fn end_all() {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    end(&watched.children, &mut || {});
}

/// Ends these children and their descendants; `reap` collects the ended ones. An error only means that a process is gone.
pub(super) fn end(children: &[Pid], reap: &mut dyn FnMut()) {
    let below: Vec<Pid> = children.iter().flat_map(|child| descendants(*child)).collect();
    for child in children {
        kill_process(*child, Signal::TERM).unwrap_or_default();
    }
    let until = Instant::now() + MOMENT;
    let is_left = || {
        below.iter().any(|pid| test_kill_process(*pid).is_ok())
            || children.iter().any(|pid| test_kill_process_group(*pid).is_ok())
    };
    while is_left() && Instant::now() < until {
        reap();
        std::thread::sleep(Duration::from_millis(5));
    }
    for pid in below.iter().chain(children) {
        kill_process(*pid, Signal::KILL).unwrap_or_default();
    }
    for child in children {
        kill_process_group(*child, Signal::KILL).unwrap_or_default();
    }
}

/// The descendants of `parent` that `/proc` lists. Without `/proc` none are found, and they end when their pipes close.
pub(super) fn descendants(parent: Pid) -> Vec<Pid> {
    let mut below: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        let about = number.and_then(|_| fs::read_to_string(entry.path().join("stat")).ok());
        if let Some((child, parent)) = number.zip(about.as_deref().and_then(parent_of)) {
            below.entry(parent).or_default().push(child);
        }
    }
    let (mut found, mut open) = (Vec::new(), vec![parent.as_raw_nonzero().get()]);
    while let Some(next) = open.pop() {
        let children = below.remove(&next).unwrap_or_default();
        found.extend(children.iter().copied().filter_map(Pid::from_raw));
        open.extend(children);
    }
    found
}

/// The fourth field of `stat`. The second is a name in brackets with arbitrary content.
fn parent_of(stat: &str) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        assert_eq!(parent_of("12 (a) b (c)) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("12"), None);
    }
}
