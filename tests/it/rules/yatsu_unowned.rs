//! O11: what nobody governs, where the configuration asks for it.

use crate::support::{Scratch, scenarios, validate_published};
use serde_json::Value;

const CONFIG: &str = "spexcode.json";

/// A repository whose source files below `src` have to be governed: `a.rs` is, `b.rs` is not.
fn asking() -> Scratch {
    let s = Scratch::new();
    s.write(CONFIG, r#"{"lint": {"governedRoots": ["src"]}}"#);
    s.write("src/a.rs", "fn a() {}\n");
    s.write("src/b.rs", "fn b() {}\n");
    s.write("src/notes.txt", "words\n");
    s.write("tools/c.rs", "fn c() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.commit("first");
    s
}

/// The paths of the findings of a hook, and its exit code.
fn found(s: &Scratch) -> Vec<String> {
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["check", "--staged", "--format", "json"]);
    let json = validate_published(&said.out);
    let all = json["findings"].as_array().expect("a list").iter();
    let own = all.filter(|one| one["rule"] == "yatsu-unowned");
    let paths: Vec<String> = own.map(|one| one["path"].as_str().expect("a path").to_owned()).collect();
    let hook = s.yatsu(&["pre-commit"]).expect(0).err;
    assert_eq!(hook.matches("yatsu-unowned").count(), paths.len(), "the fast path says the same: {hook}");
    paths
}

fn unowned(s: &Scratch) -> Value {
    validate_published(&s.yatsu(&["ls", "--unowned", "--format", "json"]).expect(0).out)
}

#[test]
fn a_change_that_adds_an_ungoverned_source_file_is_a_warning() {
    let s = asking();
    s.yatsu(&["scan"]).expect(0);
    assert_eq!(found(&s), [""; 0]);
    s.write("src/deep/new.rs", "fn new() {}\n");
    s.write("src/deep/words.md", "words\n");
    s.write("tools/other.rs", "fn other() {}\n");
    assert_eq!(found(&s), ["src/deep/new.rs"]);
    insta::assert_snapshot!(s.session("yatsu-hook pre-commit"));
    // with a scenario in the same change, by a directory, a glob, a unit
    for code in ["src/deep", "\"src/**/*.rs\"", "src/deep/new.rs#new"] {
        s.write(".spec/m/yatsu.md", scenarios(&[("new", code)]));
        assert_eq!(found(&s), [""; 0], "{code}");
    }
    s.git(&["rm", "-qf", ".spec/m/yatsu.md"]);
    // what is there already is no fault of the next change, and an edit adds nothing
    let base = s.commit("added");
    s.write("src/deep/new.rs", "fn new() { edited }\n");
    assert_eq!(found(&s), [""; 0]);
    s.git(&["mv", "-f", "src/b.rs", "src/moved.rs"]);
    assert_eq!(found(&s), [""; 0], "a rename adds nothing");
    s.commit("moved");
    let range = s.yatsu(&["check", "--from", &format!("{base}~1"), "--to", "HEAD"]).expect(0).out;
    assert!(range.contains("yatsu-unowned"), "{range}");
}

#[test]
fn the_score_counts_what_is_governed_and_ls_names_the_rest() {
    let s = asking();
    for verb in ["scan", "ls"] {
        let said = s.yatsu(&[verb]).expect(0).out;
        assert!(said.ends_with("1 unmeasured; 1 of 2 source files governed\n"), "{verb}: {said}");
        let json = validate_published(&s.yatsu(&[verb, "--format", "json"]).expect(0).out);
        let score = if verb == "ls" { &json["score"] } else { &json["summary"]["score"] };
        assert_eq!(score["governed"], serde_json::json!({"files": 1, "of": 2}), "{verb}");
    }
    assert!(s.yatsu(&["check", "--all"]).expect(0).out.contains("1 of 2 source files governed"));
    assert!(!s.yatsu(&["ls", "n"]).expect(0).out.contains("governed"), "a part says nothing of the whole");
    assert_eq!(s.yatsu(&["ls", "--unowned"]).expect(0).out, "src/b.rs\n1 of 2 source files governed\n");
    assert_eq!(unowned(&s)["unowned"], serde_json::json!(["src/b.rs"]));
    let page = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    assert!(page.contains("1 of 2 source files governed"));
    // a node's list that no scenario falls back on makes nothing stale
    s.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src\n---\n");
    assert_eq!(unowned(&s)["unowned"], serde_json::json!(["src/b.rs"]));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("    code: src/a.rs\n", ""));
    assert_eq!(unowned(&s)["unowned"], serde_json::json!([]));
    // untracked, binary and excluded files need no scenario
    s.write(CONFIG, r#"{"lint": {"governedRoots": ["."], "sourceIncludeGlobs": ["**/*.rs", "**/*.bin"], "sourceExcludeGlobs": ["tools/**"]}}"#);
    s.write("data.bin", "a\0b");
    s.commit("data");
    s.write("src2/untracked.rs", "fn x() {}\n");
    assert_eq!(unowned(&s)["unowned"], serde_json::json!([]));
    s.write(CONFIG, "{}");
    let said = s.yatsu(&["ls", "--unowned"]).expect(2);
    assert!(said.err.contains("lint.governedRoots names no directory"), "{}", said.err);
    assert!(!s.yatsu(&["scan"]).expect(0).out.contains("governed"));
}

#[test]
fn asking_less_lowers_the_gate() {
    let with = |lint: &str| format!("{{\"lint\": {{{lint}}}}}");
    let old = r#""governedRoots": ["src", "lib"], "sourceIncludeGlobs": ["**/*.rs", "**/*.py"]"#;
    for (new, said) in [
        (r#""governedRoots": ["src"], "sourceIncludeGlobs": ["**/*.rs", "**/*.py"]"#, "lint.governedRoots loses lib"),
        (r#""governedRoots": ["."], "sourceIncludeGlobs": ["**/*.rs"]"#, "lint.sourceIncludeGlobs loses **/*.py"),
        (
            r#""governedRoots": ["."], "sourceIncludeGlobs": ["**/*.rs", "**/*.py"], "sourceExcludeGlobs": ["gen/**"]"#,
            "lint.sourceExcludeGlobs gains gen/**",
        ),
        (r#""governedRoots": ["."], "sourceIncludeGlobs": ["**/*.rs", "**/*.py", "x"]"#, ""),
    ] {
        let s = Scratch::new();
        s.write(".spec/n/yatsu.md", scenarios(&[("works", "src")]));
        s.write("src/a.rs", "fn a() {}\n");
        s.write(CONFIG, with(old));
        s.commit("first");
        s.write(CONFIG, with(new));
        s.git(&["add", "-A"]);
        let hook = s.yatsu(&["pre-commit"]).err;
        assert!(hook.contains(said) && hook.contains("gate-lowered") != said.is_empty(), "{new}: {hook}");
    }
}
