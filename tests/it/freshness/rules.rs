//! The findings that rules add to the engine's answers: cases 14, 20, 25, 27, 28, 54 and 60, and unreadable content.

use super::*;
use crate::support::{findings, reading, reading_line, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

fn measured(code: &str) -> Scratch {
    let s = repo(code);
    reading(&s, NODE, "s", "pass", 1);
    s.commit("measured");
    s
}

#[test]
fn case_14_a_deleted_file_is_a_ghost_in_the_change_and_stale_in_the_score() {
    let s = measured("src/a.rs");
    s.git(&["rm", "-q", "src/a.rs"]);
    let ghosts = staged(&s, "yatsu-schema");
    let ghost = only(&ghosts);
    assert_eq!((&ghost["level"], &ghost["origin"]), (&"error".into(), &"introduced".into()));
    assert!(ghost["message"].as_str().unwrap().contains("src/a.rs"), "{ghost}");
    s.yatsu(&["pre-commit"]).expect(1);
    assert!(staged(&s, "yatsu-drift").is_empty(), "it follows from the ghost");
    assert!(found(&s, "yatsu-drift").is_empty(), "there, too");
    assert!(s.yatsu(&["ls", "--stale"]).expect(0).out.contains("code: src/a.rs"), "and is so all the same");
}

#[test]
fn case_20_an_untracked_or_ignored_path_is_a_finding() {
    for ignored in [false, true] {
        let s = repo("src/a.rs");
        if ignored {
            s.write(".gitignore", "local.rs\n");
        }
        s.write("src/local.rs", "on disk only\n");
        declare(&s, "src/local.rs");
        s.git(if ignored { &["add", ".spec", ".gitignore"] } else { &["add", ".spec"] });
        s.git(&["commit", "-qm", "declared"]);
        reading(&s, NODE, "s", "pass", 1);
        let said = found(&s, "yatsu-schema");
        let finding = only(&said);
        assert_eq!(finding["level"], "error");
        assert!(finding["message"].as_str().unwrap().contains("src/local.rs"), "{finding}");
        // In a commit the file simply does not exist.
        assert_eq!(said_at_head(&s).len(), 1, "ignored: {ignored}");
    }
}

fn said_at_head(s: &Scratch) -> Vec<serde_json::Value> {
    findings(s, "yatsu-schema", &["--rev", "HEAD"])
}

#[test]
fn case_24_and_25_a_lost_commit_is_worded_by_its_reason() {
    let s = repo("src/a.rs");
    s.git(&["switch", "-qc", "side"]);
    s.commit("measured here");
    s.git(&["switch", "-q", "main"]);
    let line = reading_line(&s.git(&["rev-parse", "side"]), "s", "pass", 1);
    s.write(LEDGER, line);
    s.commit("measured");
    assert!(found(&s, "yatsu-drift").is_empty());

    let url = format!("file://{}", s.root.display());
    let mut clone = Scratch::new();
    clone.git(&["clone", "-q", "--depth=1", &url, "../shallow"]);
    clone.root = clone.base.join("shallow");
    let said = found(&clone, "yatsu-drift");
    let finding = only(&said);
    assert_eq!(finding["axes"], serde_json::json!(["anchor"]));
    assert!(finding["message"].as_str().unwrap().contains("shallow clone"), "{finding}");
    let help = finding["help"].as_str().unwrap();
    assert!(help.contains("git fetch --unshallow") && help.contains("fetch-depth: 0"), "{help}");

    s.git(&["branch", "-qD", "side"]);
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
    let said = found(&s, "yatsu-drift");
    let finding = only(&said);
    assert!(finding["message"].as_str().unwrap().contains("rewritten and pruned"), "{finding}");
    assert!(finding["help"].as_str().unwrap().contains("yatsu-hook eval n/s"), "{finding}");
}

/// Two commits. The reading names the first one, which has another file content than the judged state.
fn two_commits() -> (Scratch, String, String) {
    let s = repo("src/a.rs");
    let first = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.rs", "changed\n");
    let second = s.commit("edit");
    s.write(LEDGER, reading_line(&first, "s", "pass", 1));
    s.commit("measured");
    (s, first, second)
}

#[test]
fn case_27_replace_refs_are_not_followed() {
    let (s, first, second) = two_commits();
    let said = found(&s, "yatsu-drift");
    assert_eq!(said.len(), 1);
    s.git(&["replace", &first, &second]);
    assert_eq!(found(&s, "yatsu-drift"), said, "git would read the second commit for the first");
    s.git(&["config", "extensions.partialClone", "nowhere"]);
    assert_eq!(found(&s, "yatsu-drift"), said, "nor where the git program reads");
}

#[test]
fn case_27_grafts_are_not_followed() {
    let (s, first, second) = two_commits();
    let third = s.git(&["rev-parse", "HEAD"]);
    s.write(".git/info/grafts", format!("{third}\n"));
    let said = found(&s, "yatsu-drift");
    assert_eq!(only(&said)["axes"], serde_json::json!(["code"]));
    assert_eq!(only(&said)["since"], first);
    s.write(".git/info/grafts", format!("{third} {first}\n{second}\n"));
    assert_eq!(found(&s, "yatsu-drift"), said);
}

#[test]
fn case_28_a_reading_that_names_no_commit_is_malformed_when_added() {
    let s = repo("src/a.rs");
    s.git(&["tag", "-a", "-m", "words", "v1"]);
    for id in
        [s.git(&["rev-parse", "v1"]), s.git(&["rev-parse", "HEAD^{tree}"]), s.git(&["rev-parse", "HEAD:src/a.rs"])]
    {
        s.write(LEDGER, reading_line(&id, "s", "pass", 1));
        let said = staged(&s, "ledger-schema");
        let finding = only(&said);
        assert_eq!((&finding["level"], &finding["line"]), (&"error".into(), &1.into()));
        assert!(finding["message"].as_str().unwrap().contains("no commit"), "{finding}");
        s.yatsu(&["pre-commit"]).expect(1);
        assert_eq!(
            only(&staged(&s, "yatsu-drift"))["axes"],
            serde_json::json!(["anchor"]),
            "and it speaks for nothing"
        );
    }
}

#[test]
fn case_54_a_stamp_that_contradicts_its_commit_is_malformed_when_added() {
    let s = repo("src/a.rs");
    let head = s.git(&["rev-parse", "HEAD"]);
    let other = s.git(&["rev-parse", "HEAD:src/b.rs"]);
    let stamped = |extra: &str| {
        let stamp = format!("\"governed\":{{\"src/a.rs\":\"{other}\"}},{extra}\"verdict\"");
        reading_line(&head, "s", "pass", 1).replace("\"verdict\"", &stamp)
    };
    s.write(LEDGER, stamped(""));
    assert_eq!(only(&staged(&s, "ledger-schema"))["level"], "error");
    s.write(LEDGER, stamped("\"dirty\":true,"));
    assert!(staged(&s, "ledger-schema").is_empty(), "it says that it was measured on other bytes");
}

#[test]
fn case_60_what_can_never_go_stale_is_said() {
    // a list that names a missing path gets one finding
    for (code, told) in [
        ("", Some("yatsu-ungoverned")),
        ("nowhere.rs", Some("yatsu-schema")),
        ("src/a.rs", None),
        ("'?later.rs'", None),
    ] {
        let s = measured(code);
        for rule in ["yatsu-ungoverned", "yatsu-schema"] {
            assert_eq!(found(&s, rule).len(), usize::from(told == Some(rule)), "{code} {rule}");
        }
        s.write("src/a.rs", "changed\n");
        assert_eq!(found(&s, "yatsu-drift").len(), usize::from(code == "src/a.rs"), "{code}");
    }
}

/// A file that only an external filter could convert to git's content is neither fresh nor stale, and the report says
/// so.
#[test]
fn content_behind_an_external_filter_is_not_judged() {
    for road in ROADS {
        let s = repo("src/a.rs");
        let reading = measure(&s, road);
        s.git(&["config", "filter.x.clean", "cat"]);
        s.write(".gitattributes", "*.rs filter=x\n");
        s.write("src/a.rs", "changed\n");
        let tree = real::view(&s, &View::Worktree);
        let entry = tree.entry(&RepoPath::parse(b"src/a.rs").unwrap()).unwrap().expect("an entry");
        assert_eq!(entry.id, None, "the filter is never run");
        let node = node(&*tree, NODE);
        let scenario = &node.file.as_ref().unwrap().scenarios[0];
        let evaluators = BTreeMap::new();
        let anchors = Anchors::new(real::history(&s));
        let answer = Judge::new(&*tree, &anchors, &evaluators).freshness(&node, scenario, &reading);
        let error = answer.expect_err("neither fresh nor stale");
        assert_eq!(error.kind, yatsu_hook::error::ErrorKind::Unchecked);
        assert!(error.message.contains("src/a.rs"), "{}", error.message);
    }
}

#[test]
fn what_is_not_judged_is_one_line_and_exit_0() {
    let s = measured("src/a.rs");
    s.write(".spec/m/yatsu.md", scenarios(&[("dir", "src"), ("glob", "'src/*.rs'"), ("other", "src/b.rs")]));
    s.commit("more");
    for scenario in ["dir", "glob", "other"] {
        reading(&s, ".spec/m", scenario, "pass", 2);
    }
    s.commit("measured");
    s.git(&["config", "filter.x.clean", "cat"]);
    s.write(".git/info/attributes", "src/a.rs filter=x\n");
    s.write("src/a.rs", "changed\n");
    let said = s.yatsu(&["scan"]).expect(0);
    assert!(said.out.starts_with("not judged: 3 ("), "{}", said.out);
    assert!(said.out.contains("src/a.rs") && !said.out.contains("yatsu-drift"), "{}", said.out);
    for (args, count) in [(&["n"][..], 1), (&["m", "n"], 3), (&["--tag", "cli"], 3), (&["--tag", "mobile"], 0)] {
        let said = s.yatsu(&[&["scan"], args].concat()).expect(0);
        assert_eq!(said.out.contains("not judged"), count > 0, "{args:?}: {}", said.out);
        assert!(count == 0 || said.out.starts_with(&format!("not judged: {count} (")), "{args:?}: {}", said.out);
    }
    assert!(found(&s, "yatsu-drift").is_empty());
}

#[test]
fn what_is_not_judged_is_said_of_the_paths_that_were_asked_for() {
    let s = repo("src/a.rs");
    s.write("lib/c.rs", "fn c() {}\n");
    s.write("README.md", "read me\n");
    s.write(".spec/m/yatsu.md", scenarios(&[("glob", "'lib/*.rs'"), ("file", "lib/c.rs")]));
    let more = s.commit("more");
    for (dir, scenario) in [(NODE, "s"), (".spec/m", "glob"), (".spec/m", "file")] {
        reading(&s, dir, scenario, "pass", 1);
    }
    for message in ["measured", "later"] {
        s.write("src/x.rs", message);
        s.write("lib/x.rs", message);
        s.commit(message);
    }
    // Without the measured directories these readings cannot be judged.
    for dir in ["src", "lib"] {
        let tree = s.git(&["rev-parse", &format!("{more}:{dir}")]);
        std::fs::remove_file(s.root.join(".git/objects").join(&tree[..2]).join(&tree[2..])).expect("a loose object");
    }
    let paths = [
        ("src/a.rs", 1),
        ("src", 1),
        ("lib/c.rs", 2),
        ("lib", 2),
        (NODE, 1),
        (".spec/m/yatsu.md", 2),
        (".", 3),
        ("README.md", 0),
    ];
    for (path, count) in paths {
        for scope in [&["--all"][..], &["--rev", "HEAD"], &["--from", "HEAD~1", "--to", "HEAD"]] {
            let said = s.yatsu(&[&["check"], scope, &["--", path]].concat()).expect(0);
            let told = said.out.split_once("not judged: ").map_or("0 ", |(_, rest)| rest);
            assert!(told.starts_with(&format!("{count} ")), "{path} {scope:?}: {}", said.out);
        }
    }
}
