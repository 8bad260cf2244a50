//! Ranges that move scenarios, hide them or make them stale once more: no scenario is lost between the sentences.

use super::{declare, edit, measure, numbers, plan, report, sentence, shop};
use crate::support::{Scratch, reading, scenarios, validate_published};
use serde_json::json;

/// Three nodes with an equal scenario; the one of `b` fails.
fn three() -> (Scratch, String) {
    let s = Scratch::new();
    for name in ["a", "b", "c"] {
        s.write(&format!("src/{name}"), "1\n");
        s.write(&format!(".spec/old/{name}/yatsu.md"), scenarios(&[("works", &format!("src/{name}"))]));
    }
    s.commit("first");
    for name in ["a", "b", "c"] {
        reading(&s, &format!(".spec/old/{name}"), "works", if name == "b" { "fail" } else { "pass" }, 0);
    }
    let from = s.commit("measured");
    (s, from)
}

#[test]
fn moved_nodes_with_equal_scenarios_keep_their_own_readings() {
    let (s, from) = three();
    s.git(&["mv", ".spec/old", ".spec/new"]);
    s.commit("moved");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ["untouched", "failing", "freshAgain"]), [3, 0, 0]);
    assert_eq!((&plan["rows"], &plan["dropped"]), (&json!([]), &json!([])));
}

#[test]
fn two_scenarios_never_share_one_new_place() {
    let (s, from) = three();
    s.git(&["rm", "-rq", ".spec/old/a", ".spec/old/b"]);
    s.write(".spec/z/yatsu.md", scenarios(&[("works", "src/c")]));
    s.commit("two are gone, one is new");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(plan["dropped"].as_array().map(Vec::len), Some(1), "{plan:#}");
}

/// A node with the scenario `works`, which governs the same file in every node.
fn works(s: &Scratch, dir: &str, text: &str) {
    let file = scenarios(&[("works", "src/a")]).replace("measure works", text);
    s.write(&format!("{dir}/yatsu.md"), file);
}

// the last name of the directory, the text, and a line of the ledger: each alone tells which of two equal scenarios was moved
#[test]
fn what_two_scenarios_share_tells_which_one_was_moved() {
    for (shared, place) in [("a name", ".spec/new/b"), ("a text", ".spec/new/c"), ("a line", ".spec/new/c")] {
        let s = Scratch::new();
        s.write("src/a", "1\n");
        let text_of_b = if shared == "a text" { "measure b" } else { "measure" };
        works(&s, ".spec/old/a", "measure");
        works(&s, ".spec/old/b", text_of_b);
        s.commit("first");
        if shared == "a line" {
            reading(&s, ".spec/old/a", "works", "pass", 1);
            reading(&s, ".spec/old/b", "works", "fail", 2);
        }
        s.write("README", "\n");
        let from = s.commit("measured");
        s.git(&["rm", "-rq", ".spec/old/a"]);
        s.git(&["mv", "-k", ".spec/old", ".spec/new"]);
        if place != ".spec/new/b" {
            s.git(&["mv", ".spec/new/b", place]);
        }
        s.commit("one is gone, the other one moved");
        let plan = plan(&s, &from, "HEAD", &[]);
        assert_eq!(plan["dropped"][0]["path"], ".spec/old/a", "{shared}: {plan:#}");
        assert_eq!(plan["dropped"].as_array().map(Vec::len), Some(1), "{shared}: {plan:#}");
    }
}

#[test]
fn a_withdrawn_reading_leaves_the_earlier_stale_one_and_nothing_was_measured() {
    let s = shop(&["a"]);
    measure(&s, &[("a", "pass")], 0);
    s.commit("measured");
    edit(&s, &["a"]);
    s.commit("edited");
    measure(&s, &[("a", "pass")], 1);
    let from = s.commit("measured again");
    s.yatsu(&["retract", "shop/a", "--note", "the wrong machine"]).expect(0);
    s.commit("withdrawn");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ["withdrawn", "staleAgain", "madeStale"]), [1, 0, 0]);
    assert_eq!(sentence(&plan), "1 reading was withdrawn.");
}

#[test]
fn a_reading_that_was_edited_in_place_is_another_one() {
    let s = shop(&["a"]);
    measure(&s, &[("a", "fail")], 0);
    let from = s.commit("measured");
    let ledger = ".spec/shop/yatsu.evals.ndjson";
    s.write(ledger, s.read(ledger).replace("fail", "pass"));
    s.commit("embellished");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!((numbers(&plan, ["measuredAgain", "withdrawn"]), &plan["verdict"]), ([1, 1], &"fail".into()));
}

#[test]
fn a_scenario_that_was_measured_and_changed_once_more_is_named() {
    let s = shop(&["a"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    s.yatsu(&["eval", "shop", "--scenario", "a", "--fail"]).expect(0);
    s.commit("it fails");
    edit(&s, &["a"]);
    s.commit("changed");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ["staleAgain", "untouched", "notMeasured"]), [1, 0, 0]);
    assert_eq!(sentence(&plan), "1 scenario was measured and is stale again.");
    assert!(plan["body"].as_str().unwrap().contains("| `shop/a` | `code: src/a` |\n"), "{plan:#}");
}

#[test]
fn scenarios_of_a_file_that_can_no_longer_be_read_could_not_be_judged() {
    let s = shop(&["a", "b"]);
    measure(&s, &[("a", "pass")], 0);
    let from = s.commit("measured");
    for broken in ["---\nscenarios: [\n---\n", "<<<<<<< HEAD\n---\nscenarios:\n=======\n>>>>>>> x\n"] {
        s.write(".spec/shop/yatsu.md", broken);
        s.commit("broken");
        let plan = plan(&s, &from, "HEAD", &[]);
        assert_eq!((numbers(&plan, ["notJudged"]), &plan["verdict"]), ([2], &"fail".into()));
        assert_eq!(sentence(&plan), "2 scenarios could not be judged.");
        let row = "| `shop/a` | `not judged: a part of its file cannot be read` |\n";
        assert!(plan["body"].as_str().unwrap().contains(row), "{plan:#}");
    }
}

#[test]
fn a_finding_about_an_untouched_scenario_is_not_passed_over() {
    let s = shop(&["a"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    s.git(&["rm", "-q", "src/a"]);
    s.commit("the governed file is gone");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(plan["rows"], json!([]));
    assert_eq!(
        sentence(&plan),
        "This change makes no reading stale and measures no scenario. `check` has 1 new finding."
    );
}

#[test]
fn another_text_of_an_unmeasured_scenario_is_a_change() {
    let s = shop(&["a"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    s.write(".spec/shop/yatsu.md", s.read(".spec/shop/yatsu.md").replace("a works", "a works well"));
    s.commit("reworded");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(
        (numbers(&plan, ["reworded", "untouched"]), sentence(&plan)),
        ([1, 0], "1 unmeasured scenario has another text.")
    );
}

#[test]
fn an_unusable_configuration_has_an_unchecked_comment_and_the_exit_code_of_check() {
    let s = shop(&["a"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    declare(&s, &["a"]);
    for broken in ["{\"yatsu\": {", "{\"yatsu\": 3}", "{\"yatsu\": {\"bogus\": 1}}"] {
        s.write("spexcode.json", broken);
        s.commit("broken");
        s.yatsu(&["check", "--from", &from, "--to", "HEAD"]).expect(2);
        let said = report(&s, &from, "HEAD", &[]).expect(2);
        assert!(
            said.out.starts_with("<!-- yatsu-hook:pr -->\n## yatsu-hook: unchecked\ncould not check: `"),
            "{}",
            said.out
        );
        let plan = validate_published(&report(&s, &from, "HEAD", &["--format", "json"]).expect(2).out);
        assert_eq!((&plan["verdict"], &plan["madeStale"]), (&"unchecked".into(), &json!(null)));
    }
}
