use super::super::Store;
use super::*;
use crate::model::ledger::{Event, Line, Retraction};
use std::os::unix::fs::{PermissionsExt, symlink};

struct Fixture {
    scratch: tempfile::TempDir,
    store: Store,
}

const PATH: &str = "node/yatsu.evals.ndjson";

fn fixture() -> Fixture {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::create_dir(scratch.path().join("node")).unwrap();
    std::fs::create_dir(scratch.path().join("git")).unwrap();
    let store = Store::new(scratch.path().join("git"));
    Fixture { scratch, store }
}

impl Fixture {
    fn file(&self) -> PathBuf {
        self.scratch.path().join(PATH)
    }

    fn write(&self, bytes: &[u8]) {
        std::fs::write(self.file(), bytes).unwrap();
    }

    fn read(&self) -> Vec<u8> {
        std::fs::read(self.file()).unwrap()
    }

    fn append(&self, line: &str) -> Result<()> {
        let lock = self.store.lock_ledger().unwrap();
        let path = RepoPath::parse(PATH.as_bytes()).unwrap();
        OpenLedger::open(&lock, self.scratch.path(), &path)?.append(line)
    }
}

#[test]
fn lines_go_to_the_end_of_a_new_and_an_old_file() {
    let fixture = fixture();
    fixture.append(r#"{"a":1}"#).unwrap();
    fixture.append(r#"{"a":2}"#).unwrap();
    assert_eq!(fixture.read(), b"{\"a\":1}\n{\"a\":2}\n");
}

#[test]
fn every_truncation_of_the_last_line_is_whole_or_named() {
    let lines = "{\"a\":1}\n{\"s\":\"x{}\u{e9}\"}\n";
    for cut in 0..=lines.len() {
        let fixture = fixture();
        let kept = &lines.as_bytes()[..cut];
        fixture.write(kept);
        match fixture.append("{\"b\":2}") {
            Ok(()) => {
                let after = fixture.read();
                assert!(after.starts_with(kept) && after.ends_with(b"{\"b\":2}\n"), "cut at {cut}");
                for line in after.lines() {
                    assert!(serde_json::from_slice::<serde_json::Value>(line).is_ok(), "cut at {cut}");
                }
            }
            Err(error) => {
                assert!(error.message.contains("torn") && error.hints[0].contains("repair"), "cut at {cut}: {error}");
                assert_eq!(fixture.read(), kept, "cut at {cut}");
            }
        }
    }
}

#[test]
fn the_kinds_of_tails() {
    assert_eq!(tail(b""), Tail::Whole);
    assert_eq!(tail(b"{}\n"), Tail::Whole);
    assert_eq!(tail(b"{}\r\n{}"), Tail::NoNewline);
    assert_eq!(tail(b"{}\n{\"a\":"), Tail::Torn { line: 2 });
    assert_eq!(tail(b"{}{}"), Tail::Torn { line: 1 });
    assert_eq!(tail(b"{}\n[1]"), Tail::Torn { line: 2 });
    assert_eq!(tail(b"{\"a\":\"\xff\"}"), Tail::Torn { line: 1 });
    assert_eq!(tail(b"{}\n   "), Tail::Torn { line: 2 });
}

#[test]
fn links_on_the_way_are_refused() {
    let fixture = fixture();
    let elsewhere = fixture.scratch.path().join("elsewhere");
    std::fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, fixture.file()).unwrap();
    assert!(fixture.append("{}").unwrap_err().message.contains("symbolic link"));
    std::fs::remove_dir_all(fixture.scratch.path().join("node")).unwrap();
    symlink(fixture.scratch.path().join("git"), fixture.scratch.path().join("node")).unwrap();
    assert!(fixture.append("{}").unwrap_err().message.contains("symbolic link"));
    assert_eq!(std::fs::read(&elsewhere).unwrap(), b"");
}

#[test]
fn more_than_one_line_or_too_long_a_line_is_refused() {
    let fixture = fixture();
    assert!(fixture.append("{}\n{}").is_err());
    assert!(fixture.append(&"x".repeat(MAX_LINE)).is_err());
    assert!(!fixture.file().exists());
}

#[test]
fn a_replaced_ledger_keeps_its_mode() {
    let fixture = fixture();
    for mode in [0o640, 0o666] {
        fixture.write(b"{}\n{\"a");
        std::fs::set_permissions(fixture.file(), std::fs::Permissions::from_mode(mode)).unwrap();
        let lock = fixture.store.lock_ledger().unwrap();
        let path = RepoPath::parse(PATH.as_bytes()).unwrap();
        OpenLedger::open(&lock, fixture.scratch.path(), &path).unwrap().replace(b"{}\n").unwrap();
        assert_eq!(fixture.read(), b"{}\n");
        let now = std::fs::metadata(fixture.file()).unwrap().permissions().mode();
        assert_eq!(now & 0o777, mode, "whatever the umask is");
    }
}

#[test]
fn a_file_that_git_replaces_in_between_is_noticed() {
    let fixture = fixture();
    fixture.write(b"{\"old\":1}\n");
    let lock = fixture.store.lock_ledger().unwrap();
    let open = OpenLedger::open(&lock, fixture.scratch.path(), &RepoPath::parse(PATH.as_bytes()).unwrap()).unwrap();
    std::fs::remove_file(fixture.file()).unwrap();
    fixture.write(b"{\"other\":1}\n{\"more\":2}\n");
    let error = open.append("{\"new\":1}").unwrap_err();
    assert!(error.message.contains("replaced or changed"), "{error}");
    assert_eq!(fixture.read(), b"{\"other\":1}\n{\"more\":2}\n");
}

#[test]
fn time_never_runs_backwards_unless_it_ran_far_ahead() {
    let at = |times: &[i64]| {
        let line = |millis: &i64| {
            let retraction = Retraction {
                scenario: "s".into(),
                retracts: Timestamp { millis: 0 },
                note: None,
                by: None,
                ts: Timestamp { millis: *millis },
                redacted: None,
            };
            Line { number: 1, bytes: [].into(), event: Event::Retraction(Box::new(retraction)) }
        };
        let ledger = Ledger { lines: times.iter().map(line).collect(), ..Ledger::default() };
        next_ts([&ledger], Timestamp { millis: 1000 }).millis
    };
    assert_eq!(at(&[]), 1000);
    assert_eq!(at(&[999]), 1000);
    assert_eq!(at(&[1000]), 1001);
    assert_eq!(at(&[5000, 2000]), 5001);
    // the edge: a line after it would lie more than ten minutes ahead
    assert_eq!(at(&[600_999]), 601_000);
    assert_eq!(at(&[i64::MAX, 601_000, 10]), 1000);
}

/// A file that was read is only removed as it was read: a line that came since would go with it.
#[test]
fn a_file_with_another_content_than_was_read_is_not_removed() {
    let fixture = fixture();
    fixture.write(b"one\n");
    let (lock, path) = (fixture.store.lock_ledger().unwrap(), RepoPath::parse(PATH.as_bytes()).unwrap());
    let remove = |read: &[u8]| remove_read(&lock, fixture.scratch.path(), &path.parent().unwrap(), [(&path, read)]);
    assert!(remove(b"").is_err());
    assert_eq!(fixture.read(), b"one\n");
    remove(b"one\n").unwrap();
    assert!(!fixture.file().exists());
}
