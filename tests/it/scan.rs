//! `scan`: the nodes that the branch touched, the base of the comparison, and the origins introduced, inherited and
//! fixed.

use crate::support::{Scratch, reading, scenarios, validate_published};
use serde_json::Value;

/// Nodes `a`, `b` and `a/below`, each with one scenario that governs a file of its own, all measured, on main.
fn measured() -> Scratch {
    let scratch = Scratch::new();
    for (dir, name) in [("a", "a"), ("b", "b"), ("a/below", "c")] {
        scratch.write(&format!("src/{name}.rs"), format!("fn {name}() {{}}\n"));
        scratch.write(&format!(".spec/{dir}/yatsu.md"), scenarios(&[(name, &format!("src/{name}.rs"))]));
    }
    scratch.commit("first");
    for (dir, name) in [("a", "a"), ("b", "b"), ("a/below", "c")] {
        reading(&scratch, &format!(".spec/{dir}"), name, "pass", 1);
    }
    scratch.commit("measured");
    scratch
}

/// (rule, scenario, origin) of every finding of a scan.
#[track_caller]
fn told(scratch: &Scratch, args: &[&str]) -> Vec<(String, String, String)> {
    let said = scratch.yatsu(&[&["scan", "--format", "json"], args].concat());
    assert!(matches!(said.code, 0 | 1), "exit {}: {}", said.code, said.err);
    let report = validate_published(&said.out);
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().map(|f| (word(&f["rule"]), word(&f["scenario"]), word(&f["origin"]))).collect()
}

fn drift(scenario: &str, origin: &str) -> (String, String, String) {
    ("yatsu-drift".to_owned(), scenario.to_owned(), origin.to_owned())
}

#[test]
fn the_whole_repository_has_no_origin() {
    let s = measured();
    let score = "3 scenarios: 3 fresh (3 pass, 0 fail), 0 stale, 0 unmeasured\n";
    assert_eq!(s.yatsu(&["scan"]).expect(0).out, score);
    s.write("src/a.rs", "edit\n");
    assert_eq!(told(&s, &[]), [drift("a", "-")]);
    assert_eq!(told(&s, &["--rev", "HEAD"]), []);
    assert_eq!(told(&s, &["--staged"]), []);
    s.git(&["add", "-A"]);
    assert_eq!(told(&s, &["--staged"]), [drift("a", "introduced")]);
}

#[test]
fn a_directory_that_git_does_not_see_is_absent_wherever_it_is_looked_for() {
    for code in ["'?build'", "'?build/out'", "[src/a.rs, '?build']"] {
        let s = Scratch::new();
        s.write("src/a.rs", "fn a() {}\n");
        s.write(".gitignore", "*.o\n");
        s.write(".spec/n/yatsu.md", scenarios(&[("s", code)]));
        s.commit("first");
        reading(&s, ".spec/n", "s", "pass", 1);
        s.commit("measured");
        let scan = |args: &[&str]| -> Vec<_> {
            told(&s, args).into_iter().filter(|(rule, _, _)| rule == "yatsu-drift").collect()
        };
        for ignored in [false, true] {
            std::fs::create_dir_all(s.root.join("build/out/deep")).unwrap();
            if ignored {
                s.write("build/out/x.o", "ignored");
            }
            for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
                assert_eq!(scan(args), [], "{code} {args:?}, ignored files: {ignored}");
            }
            assert_eq!(s.yatsu(&["ls", "--stale"]).expect(0).out, "", "{code}, ignored files: {ignored}");
        }
        s.write("build/out/seen", "not ignored");
        assert_eq!(scan(&[]).len(), 1, "{code}");
    }
}

#[test]
fn a_branch_is_compared_with_where_it_left_main() {
    let s = measured();
    s.write("src/b.rs", "stale on main\n");
    s.commit("main goes stale");
    s.git(&["switch", "-qc", "work"]);
    s.write("src/a.rs", "edit\n");
    s.commit("edit");
    s.git(&["switch", "-q", "main"]);
    s.write("src/c.rs", "later on main\n");
    s.commit("main goes on");
    s.git(&["switch", "-q", "work"]);
    // Without an origin main itself is the base. Later changes on main do not count, and older stale readings are not
    // touched.
    assert_eq!(told(&s, &["--changed"]), [drift("a", "introduced")]);
    s.write("src/b.rs", "and touched now\n");
    assert_eq!(told(&s, &["--changed"]), [drift("a", "introduced"), drift("b", "inherited")]);
    assert_eq!(told(&s, &["--changed", "--rev", "HEAD"]), [drift("a", "introduced")]);
    assert_eq!(told(&s, &["--changed", "--staged"]), [drift("a", "introduced")]);
    assert_eq!(told(&s, &["--changed", "--base", "HEAD"]), [drift("b", "inherited")]);
    s.git(&["commit", "-qam", "b"]);
    assert_eq!(told(&s, &["--changed", "--base", "HEAD~1"]), [drift("b", "inherited")]);
}

#[test]
fn what_a_branch_mends_is_fixed_in_json_and_one_line_for_people() {
    let s = measured();
    s.write("src/a.rs", "stale\n");
    s.commit("stale on main");
    s.git(&["switch", "-qc", "work"]);
    s.write("src/a.rs", "fn a() {}\n");
    s.commit("reverted");
    assert_eq!(told(&s, &["--changed"]), [drift("a", "fixed")]);
    let said = s.yatsu(&["scan", "--changed"]).expect(0).out;
    assert!(said.contains("(fixed)") && !said.contains("help:"), "{said}");
    s.yatsu(&["scan", "--changed", "--strict"]).expect(0);
}

#[test]
fn a_node_is_touched_by_its_own_directory_and_not_by_those_below() {
    let s = measured();
    s.write("src/a.rs", "stale\n");
    s.write("src/c.rs", "stale\n");
    s.commit("stale on main");
    s.git(&["switch", "-qc", "work"]);
    s.write(".spec/a/below/notes.md", "words\n");
    assert_eq!(told(&s, &["--changed"]), [drift("c", "inherited")], "an untracked file counts");
    s.commit("notes");
    assert_eq!(told(&s, &["--changed"]), [drift("c", "inherited")]);
    s.write(".spec/a/notes.md", "words\n");
    assert_eq!(told(&s, &["--changed"]), [drift("c", "inherited"), drift("a", "inherited")]);
}

#[test]
fn an_untracked_file_touches_the_node_that_governs_its_directory() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("dir", "src"), ("glob", "'src/*.rs'")]));
    s.commit("first");
    reading(&s, ".spec/n", "dir", "pass", 1);
    reading(&s, ".spec/n", "glob", "pass", 1);
    s.commit("measured");
    s.git(&["switch", "-qc", "work"]);
    assert_eq!(told(&s, &["--changed"]), []);
    s.write("src/new.rs", "not added\n");
    assert_eq!(told(&s, &["--changed"]), [drift("dir", "introduced"), drift("glob", "introduced")]);
    s.write(".gitignore", "new.rs\n");
    s.git(&["add", ".gitignore"]);
    assert_eq!(told(&s, &["--changed"]), [], "an ignored one does not");
}

#[test]
fn the_base_is_main_branch_then_origin_then_main_then_master() {
    let s = measured();
    s.git(&["branch", "-m", "main", "trunk"]);
    let said = s.yatsu(&["scan", "--changed"]).expect(0);
    assert!(said.out.contains("compared with HEAD") && said.out.contains("--base REF"), "{}", said.out);
    s.write("spexcode.json", "{\"mainBranch\": \"trunk\"}");
    s.commit("configured");
    s.git(&["switch", "-qc", "work"]);
    s.write("src/a.rs", "edit\n");
    assert_eq!(told(&s, &["--changed"]), [drift("a", "introduced")]);
    let mut clone = Scratch::new();
    clone.git(&["clone", "-q", &s.root.display().to_string(), "../clone"]);
    clone.root = clone.base.join("clone");
    clone.write("src/b.rs", "edit\n");
    // The clone has only the branch work; origin/trunk is the configured main.
    assert_eq!(told(&clone, &["--changed"]), [drift("b", "introduced")]);
    s.yatsu(&["scan", "--changed", "--base", "nowhere"]).expect(2);
}

#[test]
fn a_linked_worktree_is_scanned_as_itself() {
    let s = measured();
    s.git(&["worktree", "add", "-q", "-b", "work", "../linked"]);
    let mut linked = Scratch::new();
    linked.root = s.base.join("linked");
    linked.write("src/a.rs", "edit\n");
    assert_eq!(told(&linked, &["--changed"]), [drift("a", "introduced")]);
    assert_eq!(told(&s, &["--changed"]), []);
    s.write("src/b.rs", "edit\n");
    assert_eq!(told(&linked, &["--changed"]), [drift("a", "introduced")]);
}

#[test]
fn nodes_and_tags_narrow_the_scan() {
    let s = measured();
    let text = s.read(".spec/b/yatsu.md").replace("[cli]", "[mobile]");
    s.write(".spec/b/yatsu.md", text);
    for name in ["a", "b", "c"] {
        s.write(&format!("src/{name}.rs"), "edit\n");
    }
    assert_eq!(told(&s, &["a"]), [drift("a", "-")]);
    assert_eq!(told(&s, &["below", ".spec/b"]), [drift("c", "-"), drift("b", "-")]);
    assert_eq!(told(&s, &["--tag", "mobile"]), [drift("b", "-")]);
    assert_eq!(told(&s, &["--tag", "mobile", "--tag", "cli"]).len(), 3);
    assert_eq!(told(&s, &["a", "--tag", "mobile"]), []);
    assert_eq!(told(&s, &["-C", ".spec/a/below", "."]), [drift("c", "-")]);
    s.yatsu(&["scan", "nothing"]).expect(2);
    s.yatsu(&["scan", "."]).expect(2);
}

#[test]
fn before_the_first_commit_there_is_nothing_to_compare_with() {
    let s = Scratch::new();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.write("src/a.rs", "a\n");
    assert!(told(&s, &[]).iter().any(|(rule, ..)| rule == "yatsu-missing"));
    s.yatsu(&["scan", "--changed"]).expect(2);
}

#[test]
fn what_is_about_no_node_belongs_to_the_branch_too() {
    let s = measured();
    s.git(&["switch", "-qc", "work"]);
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"stray-blob\": \"info\"}}}");
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["scan", "--changed"]).expect(0).out;
    assert!(said.contains("gate-lowered"), "{said}");
}

#[test]
fn quiet_lists_what_blocks_in_every_format() {
    let s = measured();
    let torn = "---\nscenarios:\n  - name: a\n    description: d\n    tags: [cli]\n---\n";
    s.write(".spec/a/yatsu.md", torn);
    let base = s.commit("malformed before");
    s.write("src/b.rs", "edit\n");
    s.write(".spec/b/yatsu.md", torn.replace("name: a", "name: b"));
    s.commit("malformed now");
    let range = ["check", "--from", &base, "--to", "HEAD", "--inherited", "list"];
    let said = |flags: &[&str]| s.yatsu(&[flags, &range].concat()).expect(1).out;
    for (flags, inherited) in [(&[][..], true), (&["-q"], false)] {
        let with = |format| said(&[flags, &["--format", format]].concat());
        let json = validate_published(&with("json"));
        let origins: Vec<_> = json["findings"].as_array().expect("a list").iter().map(|f| &f["origin"]).collect();
        assert_eq!(origins.contains(&&Value::from("inherited")), inherited, "{json}");
        assert_eq!((&json["verdict"], &json["summary"]["inherited"]), (&"fail".into(), &2.into()));
        for format in ["human", "sarif", "github"] {
            let text = with(format);
            assert_eq!(text.contains("spec/a/yatsu.md"), inherited, "{format}: {text}");
            assert!(text.contains("spec/b/yatsu.md"), "{format}: {text}");
        }
    }
}

/// CI may call plain `check` as its gate. It prints the score, and still finds evidence under another name by its content.
#[test]
fn check_alone_prints_the_score_and_blocks_what_check_all_blocks() {
    let s = measured();
    s.commit("measured");
    assert_eq!(s.yatsu(&["check"]).expect(0).out, s.yatsu(&["scan"]).expect(0).out);
    let shot = "thirty-two bytes or more that stand for a screen shot";
    s.write(&format!(".git/spexcode/yatsu-blobs/{}", crate::support::sha256(shot)), shot);
    s.write("docs/shot.bin", shot);
    s.commit("evidence in the tree");
    let all = s.yatsu(&["check", "--all"]).expect(1);
    assert!(all.out.contains("stray-blob"), "{}", all.out);
    let alone = s.yatsu(&["check"]).expect(1);
    assert!(alone.out.contains("stray-blob") && !alone.out.contains("by name only"), "{}", alone.out);
}

/// A score also warns of goals that regressed, so that `check --strict` lists what it listed before.
#[test]
fn strict_check_is_the_list_of_all_findings() {
    let s = measured();
    s.commit("measured");
    s.write("src/a.rs", "fn a() { drifted(); }\n");
    let list = |args: &[&str]| s.yatsu(args).expect(1).out;
    assert_eq!(list(&["check", "--strict"]), list(&["check", "--all", "--strict"]));
}

#[test]
fn the_cost_in_ls_is_usage() {
    let s = measured();
    s.commit("measured");
    assert_eq!(s.yatsu(&["ls", "--cost"]).expect(0).out, s.yatsu(&["usage"]).expect(0).out);
    assert_eq!(s.yatsu(&["ls", "--cost", "a"]).expect(0).out, s.yatsu(&["usage", "a"]).expect(0).out);
    s.yatsu(&["ls", "--cost", "--stale"]).expect(2);
}
