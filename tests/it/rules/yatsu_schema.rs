//! `yatsu-schema`: malformed entries and ghosts.

use super::{all, one_node, only, silent, staged};
use crate::support::scenarios;

#[test]
fn every_violation_of_a_file_is_named_with_its_line() {
    let scratch = one_node();
    scratch.write(
        ".spec/n/yatsu.md",
        "---\nscenarios:\n  - name: works\n    description: d\n    expcted: e\n    tags: [nowhere]\n---\n",
    );
    let found = staged(&scratch, "yatsu-schema");
    let lines: Vec<_> = found.iter().map(|f| f["line"].as_u64().expect("a line")).collect();
    assert_eq!(lines, [3, 5, 6], "{found:#?}");
    assert!(found.iter().all(|f| f["origin"] == "introduced"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
}

#[test]
fn a_ghost_is_a_violation_and_an_optional_path_is_not() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/gone.rs")]));
    let ghost = only(staged(&scratch, "yatsu-schema"));
    assert_eq!((ghost["line"].as_u64(), ghost["column"].as_u64()), (Some(7), Some(11)));
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "?src/gone.rs")]));
    silent(staged(&scratch, "yatsu-schema"));
}

/// macOS and editors write the last letter of `caf\u{e9}` as one character or as two; both look alike, and git compares bytes.
#[test]
fn a_name_in_another_unicode_form_is_said_and_eval_warns() {
    let [composed, apart] = ["src/caf\u{e9}.rs", "src/cafe\u{301}.rs"];
    for (listed, there, spelled) in [(composed, apart, "src/cafe\\u0301.rs"), (apart, composed, "src/caf\\u00e9.rs")] {
        let scratch = one_node();
        scratch.write(there, "fn a() {}\n");
        scratch.write(".spec/n/yatsu.md", scenarios(&[("works", listed)]));
        let found = only(staged(&scratch, "yatsu-schema"));
        let (message, help) = (found["message"].as_str().expect("text"), found["help"].as_str().expect("text"));
        assert!(message.contains("same name in another Unicode form") && message.contains(spelled), "{message}");
        assert_eq!(help, format!("write the name as git has it: code: \"{spelled}\""));
        scratch.commit("committed all the same");
        let said = scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
        assert!(said.err.contains("warning: `code` names") && said.err.contains(spelled), "{}", said.err);
        let strict = scratch.yatsu(&["eval", "n", "--pass", "--strict", "--note", "again"]).expect(1);
        assert!(strict.err.contains(spelled), "{}", strict.err);
        // a test that is not found is compared with nothing
        let file = scenarios(&[("works", there)]).replace("    code:", &format!("    test: {listed}\n    code:"));
        scratch.write(".spec/n/yatsu.md", file);
        let said = scratch.yatsu(&["eval", "n", "--pass", "--note", "test"]).expect(0);
        assert!(said.err.contains("warning: `test` names") && said.err.contains(spelled), "{}", said.err);
        // the offered spelling is read as the name that is there
        scratch.write(".spec/n/yatsu.md", scenarios(&[("works", &format!("\"{spelled}\""))]));
        silent(staged(&scratch, "yatsu-schema"));
    }
}

#[test]
fn an_untracked_path_is_told_apart_from_a_ghost() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/new.rs")]));
    scratch.commit("the file comes later");
    scratch.write("src/new.rs", "");
    let found = only(all(&scratch, "yatsu-schema"));
    assert!(found["message"].as_str().expect("text").contains("not tracked"), "{found}");
}

#[test]
fn a_ghost_in_the_list_that_scenarios_inherit_is_a_violation() {
    let scratch = one_node();
    scratch.write(".spec/m/spec.md", "---\ncode:\n  - src/a.rs\n  - src/b.rs\n---\n");
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "")]));
    scratch.commit("m");
    scratch.git(&["rm", "-q", "src/b.rs"]);
    let found = only(staged(&scratch, "yatsu-schema"));
    assert_eq!((found["path"].as_str(), found["line"].as_u64()), (Some(".spec/m/spec.md"), Some(4)));
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    silent(staged(&scratch, "yatsu-schema"));
}

/// Three measured scenarios; `b` failed.
fn measured() -> crate::support::Scratch {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("a", "src/a.rs"), ("b", "src/a.rs"), ("c", "src/a.rs")]));
    scratch.commit("declared");
    for (minute, (name, status)) in (1..).zip([("a", "pass"), ("b", "fail"), ("c", "pass")]) {
        crate::support::reading(&scratch, ".spec/n", name, status, minute);
    }
    scratch.commit("measured");
    scratch
}

/// The rule, scenario and level of every finding with these arguments, without infos.
#[track_caller]
fn whole(scratch: &crate::support::Scratch, args: &[&str]) -> Vec<String> {
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&[args, &["--format", "json"]].concat());
    let report = crate::support::validate_published(&said.out);
    let word = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let found = report["findings"].as_array().expect("a list").iter().filter(|found| found["rule"] != "yatsu-failing");
    found.map(|found| format!("{} {}", word(&found["rule"]), word(&found["scenario"]))).collect()
}

#[test]
fn nothing_follows_from_an_entry_that_is_merely_malformed() {
    for (from, slip) in [
        ("expected: b works", "expected: it prints: b works"),
        ("expected: b works", "expected: 'b works"),
        ("expected: b works", "expected: [b, works"),
        ("    expected: b works\n", ""),
        ("expected: b works", "expected: 1.0"),
        ("description: measure b", "description: measure: b"),
        ("code: src/a.rs\n  - name: c", "code: [src/a.rs\n  - name: c"),
        ("tags: [cli]\n    code: src/a.rs\n  - name: c", "tags: [cli, ']\n    code: src/a.rs\n  - name: c"),
    ] {
        let scratch = measured();
        let before = scratch.read(".spec/n/yatsu.md");
        scratch.write(".spec/n/yatsu.md", before.replace(from, slip));
        for args in [&["check", "--staged"][..], &["check", "--all"], &["scan"]] {
            assert_eq!(whole(&scratch, args), ["yatsu-schema b"], "{slip} {args:?}");
        }
        scratch.git(&["mv", ".spec/n", ".spec/moved"]);
        assert_eq!(whole(&scratch, &["check", "--staged"]), ["yatsu-schema b"], "{slip}, and the node moved");
    }
}

#[test]
fn an_entry_whose_name_cannot_be_read_is_neither_dropped_nor_an_orphan() {
    for slip in ["name: 'b", "name:", "name: [b"] {
        let scratch = measured();
        let before = scratch.read(".spec/n/yatsu.md");
        scratch.write(".spec/n/yatsu.md", before.replace("name: b", slip));
        for args in [&["check", "--staged"][..], &["check", "--all"], &["scan"]] {
            assert_eq!(whole(&scratch, args), ["yatsu-schema -"], "{slip} {args:?}");
        }
    }
}

#[test]
fn a_new_entry_with_a_slip_is_not_called_missing_beside_it() {
    let scratch = measured();
    let before = scratch.read(".spec/n/yatsu.md");
    let entry =
        "  - name: d\n    description: d\n    expected: it prints: d\n    tags: [cli]\n    code: src/a.rs\n---\n";
    scratch.write(".spec/n/yatsu.md", before.replacen("\n---\n", &format!("\n{entry}"), 1));
    assert_eq!(whole(&scratch, &["check", "--staged"]), ["yatsu-schema d"]);
    let mended = scratch.read(".spec/n/yatsu.md").replace("it prints: d", "it prints d");
    scratch.write(".spec/n/yatsu.md", mended);
    assert_eq!(whole(&scratch, &["check", "--staged"]), ["yatsu-missing d"]);
}

const BOX: &str = "class Box {\n  shut() {}\n  open() {}\n}\nclass Bag {\n  open() {}\n}\nfunction target() {}\n";

/// The scenario `works` governs this entry; `src/a.ts` declares some units.
fn scoped(entry: &str) -> crate::support::Scratch {
    let scratch = one_node();
    scratch.write("src/a.ts", BOX);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", entry)]));
    scratch.commit("scoped");
    scratch
}

#[test]
fn a_selector_that_names_no_unit_is_a_violation_with_near_names() {
    let scratch = scoped("src/a.ts#tarqet");
    let found = only(all(&scratch, "yatsu-schema"));
    assert_eq!(found["level"], "error");
    assert_eq!((found["line"].as_u64(), found["column"].as_u64()), (Some(7), Some(11)));
    assert_eq!(found["message"], "`code` selector `src/a.ts#tarqet` names no unit in that file");
    assert_eq!(found["help"], "did you mean target? see yatsu-hook units src/a.ts");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.ts#nothingLikeIt")]));
    assert_eq!(only(staged(&scratch, "yatsu-schema"))["help"], "see its units: yatsu-hook units src/a.ts");
    for entry in ["src/a.ts#target", "src/a.ts#Box.shut", "src/a.ts#shut"] {
        scratch.write(".spec/n/yatsu.md", scenarios(&[("works", entry)]));
        silent(all(&scratch, "yatsu-schema"));
    }
}

#[test]
fn an_ambiguous_selector_is_a_violation_with_the_names() {
    let found = only(all(&scoped("src/a.ts#open"), "yatsu-schema"));
    assert_eq!(found["message"], "`code` selector `src/a.ts#open` is ambiguous: Box.open, Bag.open");
    assert_eq!(found["help"], "write the whole name of one of them");
}

#[test]
fn a_dead_selector_in_the_list_that_scenarios_inherit_stands_there() {
    let scratch = scoped("src/a.ts#target");
    scratch.write(".spec/m/spec.md", "---\ncode:\n  - src/a.ts#gone\n---\n");
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", ""), ("y", "")]));
    scratch.commit("m");
    let found = only(all(&scratch, "yatsu-schema"));
    assert_eq!((found["path"].as_str(), found["line"].as_u64()), (Some(".spec/m/spec.md"), Some(3)));
}

#[test]
fn a_unit_that_is_renamed_without_its_selector_is_refused() {
    let scratch = scoped("src/a.ts#target");
    crate::support::reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    scratch.write("src/a.ts", BOX.replace("target", "aim"));
    let found = only(staged(&scratch, "yatsu-schema"));
    assert_eq!((&found["origin"], &found["level"]), (&"introduced".into(), &"error".into()));
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("`src/a.ts#target` names no unit in that file"), "{}", said.err);
    assert!(!said.err.contains("yatsu-drift"), "that follows from it: {}", said.err);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.ts#aim")]));
    silent(staged(&scratch, "yatsu-schema"));
    scratch.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn a_selector_that_is_corrected_is_told_as_fixed() {
    let scratch = scoped("src/a.ts#gone");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.ts#target")]));
    silent(staged(&scratch, "yatsu-schema"));
    let said = scratch.yatsu(&["check", "--staged", "--format", "json"]).expect(0).out;
    let report: serde_json::Value = serde_json::from_str(&said).expect("a report");
    let fixed = report["findings"].as_array().expect("a list").iter().filter(|found| found["origin"] == "fixed");
    assert_eq!(fixed.map(|found| &found["rule"]).collect::<Vec<_>>(), ["yatsu-schema"]);
}

#[test]
fn a_selector_that_was_dead_before_blocks_nobody_who_leaves_it_alone() {
    let scratch = scoped("src/a.ts#gone");
    scratch.write("src/a.ts", format!("{BOX}\nconst more = 1;\n"));
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!(only(staged(&scratch, "yatsu-schema"))["origin"], "inherited");
    scratch.write("src/a.rs", "fn other() {}\n");
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"]).expect(0);
    scratch.yatsu(&["check", "--all"]).expect(1);
}
