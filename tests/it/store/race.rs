//! G12: a collector that never stops, against writers that file and commit.

use super::clean::{Fixture, Keep, LEDGER, reading};
use std::sync::atomic::{AtomicBool, Ordering};
use yatsu_hook::store::Store;
use yatsu_hook::store::evidence::{Cache, Source};
use yatsu_hook::store::kind::Expect;
use yatsu_hook::store::ledger::OpenLedger;
use yatsu_hook::tree::path::RepoPath;

/// Files a reading like `eval`: the lock for adding evidence is held until the line is written.
fn file(fixture: &Fixture, number: u32) -> yatsu_hook::model::ledger::EvidenceHash {
    let store = Store::new(&fixture.git_dir);
    let right = store.share_evidence().expect("the right");
    let source = Source::stream("content", Box::new(std::io::Cursor::new(format!("result {number}").into_bytes())));
    let (hash, _) = Cache::new(&fixture.git_dir).put(&right, source, Expect::Any).expect("stored");
    let lock = store.lock_ledger().expect("the lock");
    let path = RepoPath::parse(LEDGER.as_bytes()).expect("a path");
    let open = OpenLedger::open(&lock, &fixture.scratch.root, &path).expect("a ledger");
    open.append(reading(&hash, number % 60).trim_end()).expect("appended");
    hash
}

#[test]
fn g12_a_looping_collector_takes_nothing_from_writers() {
    let number = std::env::var("YATSU_RACE").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let fixture = Fixture::new();
    let collector = fixture.reader();
    let done = AtomicBool::new(false);
    let (hashes, runs) = std::thread::scope(|scope| {
        let looping = scope.spawn(|| {
            let mut runs = 0;
            while !done.load(Ordering::Relaxed) {
                // A ref or an index that is just being replaced cannot be read safely, and then nothing is deleted.
                runs += u32::from(collector.attempt(Keep::Named, Some(0)).is_ok());
            }
            runs
        });
        let write = |number| {
            let hash = file(&fixture, number);
            fixture.scratch.git(&["commit", "-qam", "reading"]);
            hash
        };
        let hashes: Vec<_> = (0..number).map(write).collect();
        done.store(true, Ordering::Relaxed);
        (hashes, looping.join().expect("the collector"))
    });
    assert!(runs > 0, "the collector never ran");
    assert!(hashes.iter().all(|hash| fixture.has(hash)), "evidence was lost after {runs} runs");
}
