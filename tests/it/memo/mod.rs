//! Memos never change an answer: of a hook, which may be quiet because of a memo; of a scan, which knows earlier anchors
//! from a memo; and in random histories. Scans and hooks write them. The tests also show who may write them, and where.

mod hook;
mod left;
mod merges;
mod pushes;
mod random;
mod said;
mod scan;
mod versions;

use crate::support::{Scratch, hook_options, reading_line, scenarios, sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use yatsu_hook::app::memo;

/// Evidence of a reading: staged, it is a stray blob.
const EVIDENCE: &str = "these bytes were once the evidence of something that somebody measured";

/// Gives everything below `top` that changed since the last call a new, old time. Changes within one tick of the clock
/// keep the same time, and these tests do not wait for the clock as real users do.
fn settle(top: &Path, moment: u64) {
    let (known, now) = (UNIX_EPOCH + Duration::from_secs(1_700_000_000), UNIX_EPOCH + Duration::from_secs(moment));
    let mut waiting = vec![top.to_owned()];
    while let Some(path) = waiting.pop() {
        let about = fs::symlink_metadata(&path).expect("it is there");
        if about.is_dir() {
            let entries = fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path());
            waiting.extend(entries.filter(|path| !path.ends_with(".git")));
        }
        if !about.is_symlink() && about.modified().expect("a time") > known {
            fs::File::open(&path).and_then(|file| file.set_modified(now)).expect("a time");
        }
    }
}

/// The memo for the hooks.
fn memo(scratch: &Scratch) -> PathBuf {
    memo::paths_file(&scratch.root.join(".git"))
}

/// The memo of anchors.
fn anchors(scratch: &Scratch) -> PathBuf {
    memo::anchors_file(&scratch.root.join(".git"))
}

/// A repository with a memo of its first state: two nodes, the first with code that was renamed since its reading.
fn renamed() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("old/a.rs", "fn a() {}\n");
    scratch.write("b.txt", "b\n");
    scratch.write(".spec/one/yatsu.md", scenarios(&[("works", "old/a.rs")]));
    scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "b.txt")]));
    let measured = scratch.commit("first");
    let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"image\"", sha256(EVIDENCE));
    let line = reading_line(&measured, "works", "pass", 1).replace("\"blob\":null", &evidence);
    scratch.write(".spec/one/yatsu.evals.ndjson", line);
    scratch.write(".spec/two/yatsu.evals.ndjson", reading_line(&measured, "holds", "pass", 1));
    scratch.write(".spec/one/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.git(&["rm", "-q", "old/a.rs"]);
    scratch.commit("measured and renamed");
    let said = scratch.yatsu(&["scan"]).expect(0);
    assert!(said.out.contains(" 0 stale,"), "{}", said.out);
    scratch
}
