//! "Which reading counts" (freshness.md), through the whole program.

use super::*;
use crate::support::{reading_line, validate_published, with_ledger_merged};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// Writes `content` as the governed file, commits it and files a reading of it.
fn measured(s: &Scratch, content: &str, verdict: &str) {
    s.write("src/a.rs", content);
    s.commit(content);
    eval(s, verdict);
    s.commit("measured");
}

#[track_caller]
fn eval(s: &Scratch, verdict: &str) -> String {
    s.yatsu(&["eval", "n", "--scenario", "s", verdict]).expect(0).out
}

/// The ledger line with the time changed to that second.
fn dated(line: &str, second: &str) -> String {
    format!("{}\"ts\":\"{second}.000Z\"}}", line.rsplit_once("\"ts\":\"").unwrap().0)
}

/// The state of the scenario, and the verdict that counts.
#[track_caller]
fn stands(s: &Scratch) -> String {
    let json = validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let row = &json["scenarios"][0];
    format!("{} {}", row["state"].as_str().unwrap(), row["readings"][0]["verdict"].as_str().unwrap_or("-"))
}

/// The verdicts in `show`, newest first, with the one that counts in brackets.
#[track_caller]
fn shown(s: &Scratch) -> String {
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let readings = json["scenarios"][0]["readings"].as_array().unwrap();
    let word = |reading: &serde_json::Value| {
        let verdict = reading["verdict"].as_str().unwrap();
        if reading["counts"] == true { format!("[{verdict}]") } else { verdict.to_owned() }
    };
    readings.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// `main` has a pass of its content. `side` branched off before, measured the old content later, and is merged.
fn merged() -> Scratch {
    let s = repo("src/a.rs");
    s.git(&["switch", "-qc", "side"]);
    s.git(&["switch", "-q", "main"]);
    measured(&s, "merged\n", "--pass");
    s.git(&["switch", "-q", "side"]);
    eval(&s, "--fail");
    s.commit("measured elsewhere, and later");
    s.git(&["switch", "-q", "main"]);
    with_ledger_merged(&s, "side", LEDGER);
    s
}

#[test]
fn after_a_merge_the_reading_of_the_merged_content_counts() {
    let s = merged();
    assert_eq!((stands(&s), shown(&s)), ("fresh pass".to_owned(), "fail [pass]".to_owned()));
    assert!(found(&s, "yatsu-drift").is_empty());
    let text = s.yatsu(&["show", "n"]).expect(0).out;
    let marked: Vec<&str> = text.lines().filter(|line| line.ends_with("  (counts)")).collect();
    assert!(marked.len() == 1 && marked[0].contains(" pass fresh "), "{text}");
    assert!(s.yatsu(&["next"]).expect(0).out.contains("nothing needs measuring"));
}

#[test]
fn after_a_revert_the_old_verdict_speaks_again() {
    let s = repo("src/a.rs");
    measured(&s, "one\n", "--fail");
    measured(&s, "two\n", "--pass");
    s.write("src/a.rs", "one\n");
    assert_eq!(stands(&s), "fresh fail");
    s.write("src/a.rs", "three\n");
    assert_eq!(stands(&s), "stale pass", "of other content the latest");
}

#[test]
fn of_readings_of_one_content_the_latest_counts() {
    let s = repo("src/a.rs");
    measured(&s, "one\n", "--pass");
    eval(&s, "--fail");
    assert_eq!(stands(&s), "fresh fail");
    eval(&s, "--pass");
    assert_eq!((stands(&s), shown(&s)), ("fresh pass".to_owned(), "[pass] fail pass".to_owned()));
}

#[test]
fn a_reading_without_a_stamp_ends_the_search() {
    let s = repo("src/a.rs");
    measured(&s, "one\n", "--pass");
    measured(&s, "two\n", "--fail");
    s.write("src/a.rs", "one\n");
    assert_eq!(stands(&s), "fresh pass");
    let ledger = s.read(LEDGER);
    let (first, last) = ledger.split_once('\n').unwrap();
    let unstamped = reading_line(&s.git(&["rev-parse", "HEAD~3"]), "s", "pass", 1);
    s.write(LEDGER, format!("{}\n{unstamped}{last}", dated(first, "2025-01-01T00:00:00")));
    assert_eq!(stands(&s), "stale fail");
}

#[test]
fn the_search_looks_at_64_readings() {
    for (others, expected) in [(63, "fresh pass"), (64, "stale fail")] {
        let s = repo("src/a.rs");
        measured(&s, "one\n", "--pass");
        measured(&s, "two\n", "--fail");
        s.write("src/a.rs", "one\n");
        let ledger = s.read(LEDGER);
        let (first, last) = ledger.trim_end().split_once('\n').unwrap();
        let later = |number: usize| dated(last, &format!("2025-06-01T00:{:02}:{:02}", number / 60, number % 60)) + "\n";
        let many: String = (0..others).map(later).collect();
        s.write(LEDGER, dated(first, "2025-01-01T00:00:00") + "\n" + &many);
        assert_eq!(stands(&s), expected, "{others}");
    }
}

#[test]
fn retract_last_withdraws_the_latest_by_time() {
    let s = merged();
    s.yatsu(&["retract", "n", "--scenario", "s", "--last"]).expect(0);
    assert_eq!(shown(&s), "[pass]", "the fail of the other content was the latest");
}

#[test]
fn filed_already_is_what_counts_for_the_content_that_is_filed() {
    let s = repo("src/a.rs");
    eval(&s, "--pass");
    s.write("src/a.rs", "an edit\n");
    eval(&s, "--fail");
    s.git(&["checkout", "-q", "src/a.rs"]);
    let lines = || s.read(LEDGER).lines().count();
    let said = eval(&s, "--pass");
    assert!(said.starts_with("already filed"), "{said}");
    assert_eq!(lines(), 2);
    eval(&s, "--fail");
    eval(&s, "--pass");
    assert_eq!(lines(), 4, "pass, fail, pass of one content are three readings");
}

#[test]
fn clean_keeps_the_latest_and_the_one_that_counts() {
    let s = repo("src/a.rs");
    let shows = |content: &str, verdict: &str| {
        s.write("src/a.rs", content);
        s.commit(content);
        let out = s.base.join("out.txt");
        std::fs::write(&out, format!("measured {content}")).unwrap();
        s.yatsu(&["eval", "n", "--scenario", "s", verdict, "--result", out.to_str().unwrap()]).expect(0);
        s.commit("measured");
        crate::support::sha256(format!("measured {content}"))
    };
    let hashes = [shows("one\n", "--pass"), shows("two\n", "--pass"), shows("three\n", "--fail")];
    s.write("src/a.rs", "one\n");
    s.commit("back to one");
    s.yatsu(&["clean", "--keep-latest", "--grace", "0"]).expect(0);
    let kept = s.yatsu(&["evidence", "ls"]).expect(0).out;
    let here = hashes.map(|hash| kept.lines().any(|line| line.contains(&hash) && !line.contains("missing")));
    assert_eq!(here, [true, false, true], "{kept}");
    let got = s.yatsu(&["evidence", "get", "n/s"]).expect(0).out;
    assert_eq!(got, "measured one\n");
}

#[test]
fn a_hook_and_a_memo_say_what_a_whole_check_says() {
    let s = merged();
    s.yatsu(&["scan"]).expect(0);
    s.write("src/a.rs", "fn a() {}\n");
    assert_eq!(stands(&s), "fresh fail", "the memo of the scan keeps what may count");
    let drift = |args: &[&str]| findings(&s, "yatsu-failing", args);
    s.git(&["add", "-A"]);
    assert_eq!(only(&drift(&["--staged"]))["scenario"], "s");
    assert_eq!(only(&drift(&["--all"]))["scenario"], "s");
}

#[test]
fn a_dirty_reading_without_a_stamp_is_never_fresh() {
    let s = repo("src/a.rs");
    s.write("spexcode.json", "{\"yatsu\":{\"stampContent\":false}}\n");
    s.commit("no stamps");
    s.write("src/a.rs", "an edit\n");
    eval(&s, "--pass");
    let said = || only(&found(&s, "yatsu-drift")).clone();
    assert_eq!(said()["axes"], serde_json::json!(["anchor"]), "with the edit in place");
    assert!(said()["message"].as_str().unwrap().contains("measured with uncommitted changes"), "{}", said());
    s.git(&["checkout", "-q", "src/a.rs"]);
    assert_eq!(stands(&s), "stale pass", "with the edit thrown away");
    s.write("src/a.rs", "an edit\n");
    s.commit("the edit");
    assert_eq!(stands(&s), "stale pass", "with the edit committed");
}

/// `sub` is a checked-out submodule that the scenario governs together with `src/a.rs`.
fn with_submodule() -> Scratch {
    let other = Scratch::new();
    other.write("lib.rs", "fn lib() {}\n");
    other.commit("library");
    let s = repo("[src/a.rs, sub]");
    let from = other.root.to_str().unwrap();
    s.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "sub"]);
    s.commit("with a submodule");
    s
}

#[test]
fn a_submodule_with_uncommitted_changes_makes_a_reading_dirty() {
    for (file, content) in
        [("sub/lib.rs", Some("an edit\n")), ("sub/new.rs", Some("untracked\n")), ("sub/lib.rs", None)]
    {
        let s = with_submodule();
        eval(&s, "--pass");
        assert_eq!(stands(&s), "fresh pass", "as it is committed");
        match content {
            Some(content) => s.write(file, content),
            None => std::fs::remove_file(s.root.join(file)).unwrap(),
        }
        let refused = s.yatsu(&["eval", "n", "--fail", "--strict"]).expect(1);
        assert!(refused.err.contains("  sub"), "{}", refused.err);
        eval(&s, "--fail");
        let line: serde_json::Value = serde_json::from_str(s.read(LEDGER).lines().last().unwrap()).unwrap();
        assert_eq!(line["dirty"], true);
        assert_eq!(line["governed"].as_object().unwrap().keys().collect::<Vec<_>>(), ["src/a.rs"]);
        s.git(&["-C", "sub", "clean", "-qfd"]);
        s.git(&["-C", "sub", "checkout", "-q", "."]);
        assert_eq!(shown(&s), "[fail] pass", "what the fail measured nobody knows: the search ends there");
        assert_eq!(only(&found(&s, "yatsu-drift"))["axes"], serde_json::json!(["anchor"]));
    }
}

/// The submodule `sub` has a submodule `deep` of its own.
#[test]
fn an_edit_in_a_submodule_of_a_submodule_makes_a_reading_dirty() {
    let deep = Scratch::new();
    deep.write("inner.rs", "fn inner() {}\n");
    deep.commit("inner");
    let allow = ["-c", "protocol.file.allow=always"];
    let library = Scratch::new();
    library.git(&[&allow[..], &["submodule", "add", "-q", deep.root.to_str().unwrap(), "deep"]].concat());
    library.commit("library");
    let s = repo("[src/a.rs, sub]");
    s.git(&[&allow[..], &["submodule", "add", "-q", library.root.to_str().unwrap(), "sub"]].concat());
    s.git(&[&allow[..], &["submodule", "update", "-q", "--init", "--recursive"]].concat());
    s.commit("with a submodule");
    s.yatsu(&["eval", "n", "--pass", "--strict"]).expect(0);
    s.write("sub/deep/inner.rs", "an edit\n");
    s.yatsu(&["eval", "n", "--fail", "--strict"]).expect(1);
    eval(&s, "--fail");
    let line: serde_json::Value = serde_json::from_str(s.read(LEDGER).lines().last().unwrap()).unwrap();
    assert_eq!(line["dirty"], true);
}
