//! A finding that follows from another one is shown in no format; hiding changes no exit code.

use crate::support::{Scratch, findings, one_node, reading, scenarios, validate_published};
use serde_json::Value;

fn rules(s: &Scratch, args: &[&str]) -> (Vec<String>, Value) {
    let said = s.yatsu(&[args, &["--format", "json"]].concat());
    assert!(matches!(said.code, 0 | 1), "{}", said.err);
    let json = validate_published(&said.out);
    let name = |finding: &Value| finding["rule"].as_str().expect("a rule").to_owned();
    let told = json["findings"].as_array().expect("a list").iter().filter(|finding| finding["origin"] != "fixed");
    (told.map(name).collect(), json["summary"].clone())
}

fn measured() -> Scratch {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    s
}

#[test]
fn a_deleted_file_is_one_finding_at_the_entry_that_names_it() {
    let s = measured();
    s.git(&["rm", "-q", "src/a.rs"]);
    for args in [&["check"][..], &["check", "--staged"], &["scan"]] {
        let (told, summary) = rules(&s, args);
        assert_eq!((told, &summary["suppressed"]), (vec!["yatsu-schema".to_owned()], &2.into()), "{args:?}");
        s.yatsu(args).expect(1);
    }
    let ghost = &findings(&s, "yatsu-schema", &[])[0];
    assert_eq!((&ghost["path"], &ghost["line"]), (&".spec/n/yatsu.md".into(), &7.into()));
}

#[test]
fn an_older_cause_and_what_the_change_adds_to_it_are_both_told() {
    let s = measured();
    let broken = s.read(".spec/n/yatsu.md").replace("    tags: [cli]\n", "    tags: [cli]\n    colour: red\n");
    s.write(".spec/n/yatsu.md", &broken);
    let before = s.commit("an entry with a key that nobody knows");
    reading(&s, ".spec/n", "works", "fail", 5);
    s.commit("measured again");
    let (told, _) = rules(&s, &["check", "--from", &before, "--to", "HEAD", "--inherited", "list"]);
    assert_eq!(told, ["yatsu-failing", "yatsu-schema"], "the one is new, the other is older");
    let (told, summary) = rules(&s, &["check"]);
    assert_eq!(
        (told, &summary["suppressed"]),
        (vec!["yatsu-schema".to_owned()], &1.into()),
        "without a base it follows"
    );
}

#[test]
fn a_cause_that_is_switched_off_hides_nothing() {
    let s = measured();
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-schema\": \"off\"}}}");
    s.git(&["rm", "-q", "src/a.rs"]);
    s.git(&["add", "-A"]);
    let (told, summary) = rules(&s, &["check"]);
    assert_eq!((told, &summary["suppressed"]), (vec!["yatsu-drift".to_owned(), "yatsu-ungoverned".into()], &0.into()));
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-schema\": \"info\"}}}");
    assert_eq!(rules(&s, &["check"]).0.len(), 3, "and one of a lower level hides nothing worse");
}

#[test]
fn what_is_asked_about_is_chosen_before_anything_is_hidden() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/spec.md", "---\ncode:\n  - src/a.rs\n---\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "")]));
    s.commit("first");
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    std::fs::remove_file(s.root.join("src/a.rs")).expect("removed");
    assert_eq!(rules(&s, &["scan"]).0, ["yatsu-schema"]);
    // the node's finding has no tag, so with --tag only the findings are left that it would hide
    assert_eq!(rules(&s, &["scan", "--tag", "cli"]).0, ["yatsu-drift", "yatsu-ungoverned"]);
}

#[test]
fn a_scenario_with_another_name_and_nothing_else_is_said_to_be_renamed() {
    let s = one_node();
    s.yatsu(&["eval", "n", "--scenario", "works", "--pass"]).expect(0);
    let before = s.commit("measured");
    let text = s.read(".spec/n/yatsu.md").replace("name: works", "name: runs");
    s.write(".spec/n/yatsu.md", &text);
    s.commit("renamed");
    let (told, summary) = rules(&s, &["scan"]);
    assert_eq!((told, &summary["suppressed"]), (vec!["yatsu-missing".to_owned()], &1.into()));
    let (told, _) = rules(&s, &["check", "--from", &before, "--to", "HEAD"]);
    assert!(told.contains(&"yatsu-missing".to_owned()) && !told.contains(&"yatsu-orphan".to_owned()), "{told:?}");
    let missing = &findings(&s, "yatsu-missing", &[])[0];
    assert_eq!((&missing["renamedFrom"], &missing["scenario"]), (&"works".into(), &"runs".into()));
    assert!(s.yatsu(&["scan"]).expect(0).out.contains("renamed from works"));
    s.write(".spec/n/yatsu.md", text.replace("measure works", "measure otherwise"));
    let reworded = &findings(&s, "yatsu-missing", &[])[0];
    assert_eq!(reworded["renamedFrom"], Value::Null, "that is another scenario");
    assert_eq!(rules(&s, &["scan"]).0, ["yatsu-orphan", "yatsu-missing"]);
}

#[test]
fn a_failing_scenario_that_is_renamed_is_dropped_and_that_is_all() {
    let s = one_node();
    s.yatsu(&["eval", "n", "--scenario", "works", "--fail"]).expect(0);
    let before = s.commit("measured");
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("name: works", "name: runs"));
    s.commit("renamed");
    let (told, _) = rules(&s, &["check", "--from", &before, "--to", "HEAD"]);
    assert!(told.contains(&"scenario-dropped".to_owned()), "{told:?}");
    assert!(!told.iter().any(|rule| rule == "yatsu-orphan" || rule == "yatsu-missing"), "{told:?}");
}

/// A score lists both, measured scenarios and unmeasured ones, also with other findings about them.
#[test]
fn a_malformed_entry_is_not_also_missing_where_a_change_brings_it_and_a_score_lists_both() {
    let s = one_node();
    let malformed = s.read(".spec/n/yatsu.md").replace("tags: [cli]", "tags: [nonsense]");
    s.git(&["rm", "-q", ".spec/n/yatsu.md"]);
    let before = s.commit("nothing declared");
    s.write(".spec/n/yatsu.md", malformed);
    s.commit("malformed");
    let (told, _) = rules(&s, &["check", "--from", &before, "--to", "HEAD"]);
    assert!(told.contains(&"yatsu-schema".to_owned()) && !told.contains(&"yatsu-missing".to_owned()), "{told:?}");
    let (told, _) = rules(&s, &["scan"]);
    assert_eq!(told, ["yatsu-missing", "yatsu-schema"]);
}
