//! What is read of a ledger in several files: S10, S11, S12.

use super::*;
use crate::support::{findings, path, reading_line};

fn line(s: &Scratch, status: &str, minute: u32) -> String {
    reading_line(&s.head(), "works", status, minute)
}

#[test]
fn trunk_and_segments_are_one_ledger_in_the_order_of_time() {
    let s = team();
    let noted = |minute, note: &str| line(&s, "pass", minute).replace("\"ts\"", &format!("\"note\":\"{note}\",\"ts\""));
    let noted = |minute, note: &str| {
        noted(minute, note).replace("{\"status\":\"pass\"}", &format!("{{\"status\":\"pass\",\"note\":\"{note}\"}}"))
    };
    s.write(TRUNK, noted(2, "trunk") + &noted(5, "tie of the trunk"));
    s.write(&segment("a"), noted(1, "oldest") + &noted(5, "tie of a"));
    s.write(&segment("b"), noted(5, "tie of b") + &noted(3, "between"));
    let expected = ["tie of b", "tie of a", "tie of the trunk", "between", "trunk", "oldest"];
    assert_eq!(notes(&s), expected);
    s.commit("all");
    assert_eq!(notes(&s), expected);
}

/// A squash leaves a copy of a line in another file. That is no fault, and it counts once.
#[test]
fn equal_lines_count_once_and_a_duplicate_is_one_within_a_file() {
    let s = team();
    let one = line(&s, "pass", 1);
    s.write(TRUNK, &one);
    s.write(&segment("a"), &one);
    s.write(&segment("b"), one.clone() + &one);
    let twice = findings(&s, "ledger-duplicate", &["--all"]);
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert_eq!(twice[0]["path"], segment("b"));
    let shown = s.yatsu(&["show", "n", "--format", "json"]).expect(0).out;
    let json = crate::support::validate_published(&shown);
    assert_eq!(json["scenarios"][0]["readings"].as_array().map(Vec::len), Some(1));
}

/// S12: what is no segment by its name or kind must not pass unseen, because its lines count for nothing.
#[test]
fn foreign_names_and_what_is_no_regular_file_are_named() {
    for name in ["A", "a.b", "a_b", "-a", &"x".repeat(65)] {
        let s = team();
        s.write(&segment(name), line(&s, "fail", 1));
        s.git(&["add", "-A"]);
        let found = findings(&s, "ledger-schema", &["--staged"]);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!((&found[0]["level"], &found[0]["path"]), (&"error".into(), &segment(name).into()));
        assert_eq!(s.yatsu(&["pre-commit"]).code, 1, "{name}");
        assert!(s.yatsu(&["ls", "-v"]).expect(0).out.starts_with("unmeasured"), "{name} counts for nothing");
        // a second one beside an old one is new
        s.commit("past the gate");
        s.write(&segment(&format!("Z{name}")), "");
        s.git(&["add", "-A"]);
        assert_eq!(s.yatsu(&["pre-commit"]).code, 1, "{name}");
    }
    let s = team();
    std::os::unix::fs::symlink("/etc/passwd", s.root.join(segment("a"))).expect("a link");
    s.git(&["add", "-A"]);
    let found = findings(&s, "ledger-schema", &["--staged"]);
    assert_eq!((found.len(), s.yatsu(&["pre-commit"]).code), (1, 1), "{found:?}");
    s.commit("past the gate");
    std::os::unix::fs::symlink("/etc/passwd", s.root.join(segment("b"))).expect("a link");
    s.git(&["add", "-A"]);
    assert_eq!(s.yatsu(&["pre-commit"]).code, 1, "a second one beside an old one is new");
    let s = team();
    s.write(&format!("{}/x", segment("a")), "");
    s.git(&["add", "-A"]);
    assert_eq!(s.yatsu(&["pre-commit"]).code, 1, "a directory of such a name");
}

#[test]
fn empty_and_crlf_segments_are_read_and_a_mark_at_the_start_is_named() {
    let s = team();
    s.write(&segment("a"), "");
    s.write(&segment("b"), line(&s, "pass", 1).replace('\n', "\r\n"));
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
    assert!(s.yatsu(&["ls", "-v"]).expect(0).out.starts_with("fresh      pass"));
    s.write(&segment("c"), format!("\u{feff}{}", line(&s, "fail", 2)));
    s.git(&["add", "-A"]);
    assert_eq!(findings(&s, "ledger-schema", &["--staged"]).len(), 1);
}

/// S10: what spans files: retractions, keys.
#[test]
fn a_line_of_one_file_speaks_of_lines_in_the_others() {
    let s = team();
    let keyed = |status, minute| line(&s, status, minute).replace("\"ts\"", "\"key\":\"k\",\"ts\"");
    s.write(&segment("a"), keyed("pass", 1));
    s.write(&segment("b"), keyed("fail", 2));
    s.git(&["add", "-A"]);
    assert_eq!(findings(&s, "key-conflict", &["--staged"]).len(), 1);
    s.write(
        &segment("c"),
        "{\"retracts\":\"2026-01-01T00:02:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:03:00.000Z\"}\n",
    );
    s.git(&["add", "-A"]);
    assert_eq!(findings(&s, "key-conflict", &["--staged"]).len(), 0);
    assert!(s.yatsu(&["ls", "-v"]).expect(0).out.starts_with("fresh      pass"));
    s.commit("all");
    let again = s.yatsu(&["eval", "n", "--fail", "--key", "k"]).expect(1);
    assert!(again.err.contains("the key k"), "{}", again.err);
}

/// S11: evidence that only an untracked segment, or one of a foreign name, names stays.
#[test]
fn clean_keeps_what_any_segment_names() {
    let s = team();
    s.write("shot.png", b"\x89PNG\r\n\x1a\npicture");
    s.yatsu(&["eval", "n", "--pass", "--image", "shot.png"]).expect(0);
    let open = segments(&s).remove(0);
    let kept = |s: &Scratch| {
        s.yatsu(&["clean", "--grace", "0"]).expect(0);
        std::fs::read_dir(s.root.join(".git/spexcode/yatsu-blobs")).expect("a cache").count()
    };
    assert_eq!(kept(&s), 1);
    std::fs::rename(s.root.join(&open), s.root.join(segment("Foreign"))).expect("a rename");
    assert_eq!(kept(&s), 1);
    s.commit("committed under a foreign name");
    assert_eq!(kept(&s), 1);
}

/// S11: every question is answered over all files.
#[test]
fn views_name_the_file_of_a_line() {
    let s = team();
    committed(&s, "one");
    committed(&s, "two");
    let graph = s.yatsu(&["graph", "show", "--format", "json"]).expect(0).out;
    assert_eq!(graph.matches("\"kind\":\"observation\"").count(), 2, "{graph}");
    let said = s.yatsu(&["explain", &segments(&s)[0]]).expect(0).out;
    assert!(said.contains("a segment of the ledger of node n"), "{said}");
    let validated = s.yatsu(&["validate", "--", &segments(&s)[0]]);
    validated.expect(0);
    s.write(&segments(&s)[0], "{\n");
    assert_eq!(s.yatsu(&["validate", "--", &segments(&s)[0]]).code, 1);
    assert_eq!(path(&segments(&s)[0]).name().len(), "yatsu.20260101-000000-abcdef.evals.ndjson".len());
}
