//! Scenario axis, events and evaluator: cases 29 to 50.

use super::*;

const BASE: &str = "---
scenarios:
  - name: s
    description: measure the first thing
    expected: it behaves
    tags: [cli]
    code: src/a.rs
  - name: t
    description: measure the second thing
    expected: it behaves too
    tags: [cli]
    code: src/b.rs
---
";

/// A committed repository with a node that declares `s` and `t`.
fn two() -> Scratch {
    let s = repo("src/a.rs");
    s.write(".spec/n/yatsu.md", BASE);
    s.commit("two scenarios");
    s
}

fn rewrite(s: &Scratch, from: &str, to: &str) {
    let text = s.read(".spec/n/yatsu.md");
    assert!(text.contains(from), "{from}");
    s.write(".spec/n/yatsu.md", text.replacen(from, to, 1));
    s.commit("reword");
}

/// Replaces `from` by `to` in the scenario file after measuring `s` on each road.
#[track_caller]
fn expect_reworded(from: &str, to: &str, expected: &str) {
    for road in ROADS {
        let s = two();
        let reading = measure(&s, road);
        rewrite(&s, from, to);
        assert_eq!(axes(&s, &reading), expected, "{from} -> {to}, {road:?}");
    }
}

#[test]
fn case_29_a_sibling_edited_or_added_is_fresh() {
    expect_reworded("it behaves too", "it behaves otherwise", "");
    let third = "---\nscenarios:\n  - name: u\n    description: d\n    expected: e\n    tags: [cli]\n";
    expect_reworded("---\nscenarios:\n", third, "");
}

#[test]
fn case_30_tags_test_code_and_related_are_not_the_text() {
    expect_reworded("tags: [cli]", "tags: [mobile]", "");
    expect_reworded("code: src/a.rs", "code: src/a.rs\n    test: src/c.rs", "");
    expect_reworded("code: src/a.rs", "code: src/a.rs\n    related: src/c.rs", "");
    expect_reworded("code: src/a.rs", "code: [src/a.rs, src/c.rs]", "");
}

#[test]
fn case_31_expected_edited_is_stale() {
    expect_reworded("it behaves", "it behaves well", "scenario");
    expect_reworded("the first thing", "the very first thing", "scenario");
}

#[test]
fn case_32_edited_and_edited_back_is_fresh() {
    for road in ROADS {
        let s = two();
        let reading = measure(&s, road);
        rewrite(&s, "it behaves", "it behaves well");
        rewrite(&s, "it behaves well", "it behaves");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn case_33_wrapping_line_ends_indent_and_block_style_are_not_the_text() {
    let plain = "description: measure the first thing";
    expect_reworded(plain, "description: measure\n      the   first\n      thing", "");
    expect_reworded(plain, "description: >\n      measure the\n      first thing", "");
    expect_reworded(plain, "description: |\n      measure the\n      first thing", "");
    for road in ROADS {
        let s = two();
        s.git(&["config", "core.autocrlf", "false"]);
        let reading = measure(&s, road);
        s.write(".spec/n/yatsu.md", BASE.replace('\n', "\r\n"));
        s.commit("line ends");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn case_34_a_word_slid_from_description_to_expected_is_stale() {
    let from = "first thing\n    expected: it behaves\n";
    expect_reworded(from, "first\n    expected: thing it behaves\n", "scenario");
}

#[test]
fn case_35_a_moved_node_directory_is_fresh() {
    for road in ROADS {
        for to in [".spec/deep/n", ".spec/renamed"] {
            for (sibling, edited) in [("it behaves too", "it behaves too"), ("it behaves too", "otherwise")] {
                let s = two();
                let reading = measure(&s, road);
                std::fs::create_dir_all(s.root.join(".spec/deep")).unwrap();
                s.git(&["mv", NODE, to]);
                s.write(&format!("{to}/yatsu.md"), BASE.replace(sibling, edited));
                s.commit("move");
                let found = judge_in(&s, &View::Rev("HEAD"), to, &reading);
                assert_eq!(words(&found), "", "{to} {road:?}");
                s.write(&format!("{to}/yatsu.md"), BASE.replace("it behaves\n", "reworded\n"));
                s.commit("reword");
                let found = judge_in(&s, &View::Rev("HEAD"), to, &reading);
                assert_eq!(words(&found), "scenario", "{to} {road:?}");
            }
        }
    }
}

#[test]
fn case_35_a_directory_of_the_same_name_goes_before_the_same_text_elsewhere() {
    let s = two();
    let other = BASE.replace("it behaves\n", "other words\n");
    s.write(".spec/x/elsewhere/yatsu.md", &other);
    s.commit("the same name elsewhere");
    let reading = measure(&s, Road::Commit);
    s.git(&["mv", NODE, ".spec/x/n"]);
    s.write(".spec/x/n/yatsu.md", &other);
    s.commit("move and reword");
    assert_eq!(words(&judge_in(&s, &View::Rev("HEAD"), ".spec/x/n", &reading)), "scenario");
}

/// The engine's part: under its new name no text was measured. The rules report that the new name is missing and the
/// old readings are orphans.
#[test]
fn case_36_a_renamed_scenario_was_not_measured() {
    let s = two();
    let mut reading = measure(&s, Road::Commit);
    rewrite(&s, "name: s\n", "name: renamed\n");
    reading.scenario = "renamed".to_owned();
    assert_eq!(axes(&s, &reading), "scenario");
}

#[test]
fn case_37_branches_that_edit_different_scenarios_merge_fresh() {
    for road in ROADS {
        let s = two();
        s.git(&["switch", "-qc", "side"]);
        rewrite(&s, "it behaves\n", "it behaves on the side\n");
        let one = measure(&s, road);
        s.git(&["switch", "-q", "main"]);
        rewrite(&s, "it behaves too", "it behaves on trunk");
        let other = measure_in(&s, NODE, "t", road);
        s.git(&["merge", "-q", "--no-edit", "side"]);
        assert_eq!((axes(&s, &one), axes(&s, &other)), (String::new(), String::new()), "{road:?}");
    }
}

#[test]
fn case_38_text_changed_only_in_a_merge_resolution_is_stale() {
    for road in ROADS {
        let s = two();
        s.git(&["switch", "-qc", "side"]);
        rewrite(&s, "it behaves\n", "it behaves on the side\n");
        let reading = measure(&s, road);
        s.git(&["switch", "-q", "main"]);
        rewrite(&s, "it behaves\n", "it behaves on trunk\n");
        s.try_git(&["merge", "-q", "--no-edit", "side"]).expect(1);
        s.write(".spec/n/yatsu.md", BASE.replace("it behaves\n", "it behaves everywhere\n"));
        s.commit("resolved");
        assert_eq!(axes(&s, &reading), "scenario", "{road:?}");
    }
}

#[test]
fn case_39_yatsu_md_renamed_to_eval_md_is_fresh() {
    for road in ROADS {
        let s = two();
        let reading = measure(&s, road);
        s.git(&["mv", ".spec/n/yatsu.md", ".spec/n/eval.md"]);
        s.commit("newer name");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
        s.write(".spec/n/eval.md", BASE.replace("it behaves\n", "reworded\n"));
        s.commit("reword");
        assert_eq!(axes(&s, &reading), "scenario", "{road:?}");
    }
}

#[test]
fn case_40_a_scenario_declared_after_the_anchor_is_stale_unless_the_hash_speaks() {
    for (road, expected) in [(Road::Commit, "scenario"), (Road::Stamp, "")] {
        let s = two();
        let third = BASE.replace(
            "---\nscenarios:\n",
            "---\nscenarios:\n  - name: u\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/a.rs\n",
        );
        s.write(".spec/n/yatsu.md", third);
        let reading = measure_in(&s, NODE, "u", road);
        s.commit("declare");
        assert_eq!(axes(&s, &reading), expected, "{road:?}");
    }
}

/// Cases 41 to 46, the engine's part: a reading is judged by itself, whichever of two counts. The effective view
/// decides which one counts.
#[test]
fn case_41_the_previous_reading_keeps_its_own_answer() {
    for road in ROADS {
        let s = two();
        let previous = measure(&s, road);
        s.write("src/a.rs", "changed\n");
        s.commit("edit");
        let latest = measure(&s, road);
        assert_eq!((axes(&s, &previous), axes(&s, &latest)), ("code".to_owned(), String::new()), "{road:?}");
    }
}

#[test]
fn case_47_a_legacy_reading_is_judged_like_any_other() {
    let s = two();
    let legacy = Reading { verdict: ReadingVerdict::Legacy, ..measure(&s, Road::Commit) };
    assert_eq!(axes(&s, &legacy), "");
    s.write("src/a.rs", "changed\n");
    s.commit("edit");
    assert_eq!(axes(&s, &legacy), "code");
}

#[track_caller]
fn expect_evaluator(name: Option<&str>, current: &str, expected: &str) {
    let s = two();
    let reading = Reading { evaluator: name.map(str::to_owned), ..measure(&s, Road::Stamp) };
    let tree = real::view(&s, &View::Rev("HEAD"));
    let node = node(&*tree, NODE);
    let evaluators = BTreeMap::from([("manual".to_owned(), current.to_owned())]);
    let anchors = Anchors::new(real::history(&s));
    let scenario = &node.file.as_ref().unwrap().scenarios[0];
    let found = Judge::new(&*tree, &anchors, &evaluators).freshness(&node, scenario, &reading).unwrap();
    assert_eq!(words(&found), expected, "{name:?} at {current}");
}

#[test]
fn case_48_another_version_of_a_known_evaluator_is_stale() {
    expect_evaluator(Some("manual@1"), "1", "");
    expect_evaluator(Some("manual@1"), "2", "evaluator");
}

#[test]
fn case_49_an_unknown_evaluator_invents_no_staleness() {
    expect_evaluator(Some("robot@7"), "1", "");
    expect_evaluator(Some("manual"), "2", "");
}

#[test]
fn case_50_no_evaluator_is_fresh() {
    expect_evaluator(None, "2", "");
}

#[test]
fn axes_come_in_their_order() {
    let s = two();
    let reading = Reading { evaluator: Some("manual@0".to_owned()), ..measure(&s, Road::Commit) };
    rewrite(&s, "it behaves\n", "reworded\n");
    s.write("src/a.rs", "changed\n");
    s.commit("edit");
    assert_eq!(axes(&s, &reading), "code scenario evaluator");
}
