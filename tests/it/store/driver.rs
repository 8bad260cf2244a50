//! A writing process: this test binary, run again with an action in `YATSU_DRIVER`. Ignored as a test.
//!
//! Directories: `$YATSU_BASE/git` is the common directory, `$YATSU_BASE/work` the work tree.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use yatsu_hook::error::Result;
use yatsu_hook::store::evidence::{Cache, Source};
use yatsu_hook::store::kind::Expect;
use yatsu_hook::store::ledger::OpenLedger;
use yatsu_hook::store::{Store, signals};
use yatsu_hook::tree::path::RepoPath;

pub(super) const LEDGER: &str = "node/yatsu.evals.ndjson";

/// Makes the directories of a driver.
pub(super) fn prepare(base: &Path) {
    std::fs::create_dir_all(base.join("git")).expect("a git directory");
    std::fs::create_dir_all(base.join("work/node")).expect("a node");
}

/// The command that runs the driver with `action` (and its arguments after spaces) in `base`.
pub(super) fn command(base: &Path, action: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command
        .args(["--exact", "store::driver::a_process_that_fails_says_so", "--nocapture", "--test-threads=1", "-q"])
        .env("YATSU_DRIVER", action)
        .env("YATSU_BASE", base)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Other tests start this one as a process with an action in `YATSU_DRIVER`. On its own it shows that a failure of such
/// a process is visible, because waiting tests rely on that.
#[test]
fn a_process_that_fails_says_so() {
    if let Ok(action) = std::env::var("YATSU_DRIVER") {
        return run(&action);
    }
    let scratch = tempfile::tempdir().expect("a directory");
    for (action, said) in [("nonsense", "unknown action nonsense"), ("put nowhere", "FAILED: ")] {
        let output = command(scratch.path(), action).output().expect("a process");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && err.contains(said), "{action}: {err}");
    }
}

fn run(action: &str) {
    let base = PathBuf::from(std::env::var_os("YATSU_BASE").expect("YATSU_BASE"));
    signals::install().expect("signals");
    let words: Vec<_> = action.split(' ').collect();
    let done = match words[..] {
        ["file", content] => file(&base, content),
        ["lines", who, count, size] => lines(&base, who, count.parse().expect("count"), size.parse().expect("size")),
        ["put", file] => put(&base, file),
        ["hold"] => hold(&base),
        ["stage"] => stage(&base),
        ["wait", millis] => Store::new(base.join("git"))
            .with_wait(Duration::from_millis(millis.parse().expect("millis")))
            .lock_ledger()
            .map(drop),
        _ => panic!("unknown action {action}"),
    };
    if let Err(error) = done {
        // As in the command line: a failed write of the message must not hide the failure.
        let _ = writeln!(std::io::stderr(), "FAILED: {error}; {}", error.hints.join("; "));
        panic!("failed");
    }
}

/// The writes of `eval` after validation: evidence, then one line that names it.
fn file(base: &Path, content: &str) -> Result<()> {
    let store = Store::new(base.join("git"));
    let right = store.share_evidence()?;
    let source = Source::stream("content", Box::new(Cursor::new(content.to_owned().into_bytes())));
    let (hash, _) = Cache::new(store.common_dir()).put(&right, source, Expect::Result)?;
    let lock = store.lock_ledger()?;
    let open = open(&lock, base)?;
    let line = format!("{{\"scenario\":\"{content}\",\"blob\":\"{hash}\"}}");
    if open.read()?.split(|byte| *byte == b'\n').any(|old| old == line.as_bytes()) {
        return Ok(());
    }
    open.append(&line)
}

fn open<'l>(lock: &'l yatsu_hook::store::lock::LedgerLock, base: &Path) -> Result<OpenLedger<'l>> {
    OpenLedger::open(lock, &base.join("work"), &RepoPath::parse(LEDGER.as_bytes()).expect("a path"))
}

fn lines(base: &Path, who: &str, count: usize, size: usize) -> Result<()> {
    let store = Store::new(base.join("git")).with_wait(Duration::from_secs(600));
    for number in 0..count {
        let lock = store.lock_ledger()?;
        let fill = "x".repeat(size.saturating_sub(24));
        open(&lock, base)?.append(&format!("{{\"id\":\"{who}-{number}\",\"fill\":\"{fill}\"}}"))?;
    }
    Ok(())
}

/// Stores a file and prints the peak of its memory.
fn put(base: &Path, file: &str) -> Result<()> {
    let store = Store::new(base.join("git"));
    let right = store.share_evidence()?;
    let (hash, _) = Cache::new(store.common_dir()).put(&right, Source::file(Path::new(file))?, Expect::Result)?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    say(&format!("put {hash} {peak}"));
    Ok(())
}

/// Holds the lock until standard input ends.
fn hold(base: &Path) -> Result<()> {
    let _lock = Store::new(base.join("git")).lock_ledger()?;
    say("held");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}

/// Starts a temporary evidence file and never finishes it.
fn stage(base: &Path) -> Result<()> {
    let store = Store::new(base.join("git"));
    let right = store.share_evidence()?;
    let _lock = store.lock_ledger()?;
    let begin = Cursor::new(b"begin".to_vec());
    let source = Source::stream("standard input", Box::new(begin.chain(std::io::stdin())));
    let source = source.with_progress(Box::new(|_| say("staged")));
    Cache::new(store.common_dir()).stage(&right, source, Expect::Any).map(drop)
}

fn say(word: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "\n{word}").and_then(|()| out.flush());
}
