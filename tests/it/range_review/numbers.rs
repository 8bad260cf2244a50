//! What a range did, counted: cases P1 to P7.

use super::{declare, edit, measure, numbers, plan, report, sentence, shop};
use crate::budgets::{limited, pass, set, tokens};
use crate::support::{Scratch, validate_published};

const ALL: [&str; 5] = ["madeStale", "measuredAgain", "speaksAgain", "notMeasured", "staleBefore"];

/// Six scenarios, all but `never` measured at the first commit, `old` edited since. The range begins at the returned commit.
fn before() -> (Scratch, String) {
    let s = shop(&["again", "fails", "left", "never", "old", "untouched"]);
    measure(&s, &["again", "fails", "left", "old", "untouched"].map(|name| (name, "pass")), 0);
    s.commit("measured");
    edit(&s, &["old"]);
    let from = s.commit("old is stale");
    (s, from)
}

// P1
#[test]
fn the_numbers_say_what_became_stale_and_what_was_measured_again() {
    let (s, from) = before();
    edit(&s, &["again", "fails", "left"]);
    declare(&s, &["again", "fails", "left", "never", "new", "old", "untouched"]);
    s.write("src/new", "1\n");
    s.commit("change");
    measure(&s, &[("again", "pass"), ("fails", "fail")], 60);
    s.commit("measured again");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ALL), [3, 2, 0, 2, 1]);
    assert_eq!(numbers(&plan, ["failing", "withdrawn", "notJudged", "freshAgain"]), [1, 0, 0, 0]);
    assert_eq!(
        sentence(&plan),
        "This change made 3 readings stale: 2 were measured again (1 pass, 1 fail), 1 was not. 1 scenario is new and \
         unmeasured. 1 other was stale before."
    );
}

// P2
#[test]
fn a_range_that_touches_nothing_says_so_and_keeps_the_score() {
    let (s, _) = before();
    edit(&s, &["old"]);
    let from = s.commit("stale as before");
    s.write("README", "hello\n");
    s.commit("a text");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ALL), [0, 0, 0, 0, 1]);
    assert_eq!(sentence(&plan), "This change touches no scenario. 1 other was stale before.");
    assert_eq!(plan["rows"], serde_json::json!([]));
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("\n6 scenarios: 4 fresh (4 pass, 0 fail), 1 stale, 1 unmeasured\n"), "{body}");
}

// P3
#[test]
fn what_was_stale_before_is_counted_apart_and_measured_it_is_no_longer_stale() {
    let (s, from) = before();
    edit(&s, &["old"]);
    s.commit("edited once more");
    assert_eq!(numbers(&plan(&s, &from, "HEAD", &[]), ALL), [0, 0, 0, 0, 1]);
    measure(&s, &[("old", "pass"), ("never", "pass")], 60);
    s.commit("measured");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ALL), [0, 2, 0, 0, 0]);
    assert_eq!(sentence(&plan), "This change measured 2 scenarios (2 pass).");
}

// P4
#[test]
fn a_scenario_that_was_measured_twice_says_how_often() {
    let (s, from) = before();
    edit(&s, &["again"]);
    s.commit("change");
    measure(&s, &[("again", "fail")], 60);
    s.commit("fails");
    measure(&s, &[("again", "pass")], 61);
    s.commit("passes");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!((numbers(&plan, ALL), &plan["rows"][0]["readings"]), ([1, 1, 0, 0, 1], &2.into()));
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("| `shop/again` | fresh pass | fresh pass (2 readings) |"), "{body}");
}

// P5
#[test]
fn a_fresh_fail_of_the_range_stands_beside_the_verdict_and_first_in_its_table() {
    let (s, from) = before();
    edit(&s, &["again", "untouched"]);
    s.commit("change");
    measure(&s, &[("again", "pass"), ("untouched", "fail")], 60);
    let to = s.commit("measured");
    let first = plan(&s, &from, "HEAD", &[]);
    assert!(first["body"].as_str().unwrap().contains("\n## yatsu-hook: pass, 1 failing\n"));
    assert_eq!([&first["verdict"], &first["rows"][0]["scenario"]], ["pass", "untouched"]);
    s.write("README", "hello\n");
    s.commit("a text");
    let next = plan(&s, &to, "HEAD", &[]);
    assert!(next["body"].as_str().unwrap().contains("\n## yatsu-hook: pass\n"), "the next range did not add the fail");
}

// P6
#[test]
fn new_and_dropped_scenarios_are_named() {
    let (s, _) = before();
    edit(&s, &["fails"]);
    s.commit("change");
    measure(&s, &[("fails", "fail")], 60);
    let from = s.commit("fails");
    s.write("src/new", "1\n");
    declare(&s, &["again", "left", "never", "new", "old"]);
    s.commit("two are gone, one is new");
    let first = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&first, ["notMeasured", "staleBefore"]), [1, 1]);
    let dropped: Vec<_> = first["dropped"].as_array().unwrap().iter().map(|one| &one["scenario"]).collect();
    assert_eq!(dropped, ["fails", "untouched"]);
    let body = first["body"].as_str().unwrap();
    assert!(body.contains("| `shop/new` | `new` |\n"), "{body}");
    assert!(body.contains("\n### Errors\n\n- `shop/fails` was dropped\n- `shop/untouched` was dropped\n"), "{body}");
    s.write("spexcode.json", "{\"yatsu\":{\"rules\":{\"scenario-dropped\":\"error\"}}}\n");
    s.commit("a dropped fail blocks");
    let strict = plan(&s, &from, "HEAD", &[]);
    let body = strict["body"].as_str().unwrap();
    assert_eq!((&strict["verdict"], body.matches("`shop/fails`").count()), (&"fail".into(), 1), "{body}");
    assert!(body.contains("\n### Errors\n\n- `scenario-dropped` `shop/fails`: "), "{body}");
    assert_eq!(
        sentence(&first),
        "1 scenario is new and unmeasured. 2 scenarios were dropped. 1 other was stale before."
    );
    measure(&s, &[("new", "pass")], 70);
    s.commit("measured");
    assert_eq!(numbers(&plan(&s, &from, "HEAD", &[]), ["measuredAgain", "notMeasured"]), [1, 0]);
}

// P7
#[test]
fn what_cannot_be_judged_is_unchecked_with_exit_3_and_without_ends_exit_2() {
    let (s, from) = before();
    for ends in [["nowhere", "HEAD"], [&from, "nowhere"], ["0123456789012345678901234567890123456789", "HEAD"]] {
        let said = report(&s, ends[0], ends[1], &[]).expect(3);
        assert!(
            said.out.starts_with("<!-- yatsu-hook:pr -->\n## yatsu-hook: unchecked\ncould not check: `"),
            "{}",
            said.out
        );
        let plan = validate_published(&report(&s, ends[0], ends[1], &["--format", "json"]).expect(3).out);
        assert_eq!((&plan["verdict"], &plan["madeStale"]), (&"unchecked".into(), &serde_json::Value::Null));
    }
    report(&s, &from, "HEAD", &["--checked", "nowhere"]).expect(3);
    for args in
        [&["--pr"][..], &["--pr", "--from", "HEAD"], &["--pr", "--to", "HEAD"], &["--from", "HEAD", "--to", "HEAD"]]
    {
        let said = s.yatsu(&[&["report"], args].concat()).expect(2);
        assert_eq!(said.out, "");
    }
    s.git(&["clone", "-q", "--depth", "1", &format!("file://{}", s.root.display()), "../shallow"]);
    let mut shallow = s.yatsu_command(&["report", "--pr", "--from", &from, "--to", "HEAD~0"]);
    shallow.current_dir(s.base.join("shallow"));
    edit(&s, &["again"]);
    let tip = s.commit("not in the shallow clone");
    let said = crate::support::Said::of(shallow.output().unwrap());
    assert!(matches!(said.code, 0), "both ends are the one commit that is there: {}", said.err);
    let mut shallow = s.yatsu_command(&["report", "--pr", "--from", &format!("{from}~1"), "--to", &tip]);
    let said = crate::support::Said::of(shallow.current_dir(s.base.join("shallow")).output().unwrap()).expect(3);
    assert!(said.out.contains("## yatsu-hook: unchecked\n") && said.out.contains("unshallow"), "{}", said.out);
}

#[test]
fn a_strict_comment_has_the_verdict_of_a_strict_check() {
    let (s, from) = before();
    edit(&s, &["again"]);
    s.commit("change");
    s.yatsu(&["check", "--from", &from, "--to", "HEAD", "--strict"]).expect(1);
    let said = report(&s, &from, "HEAD", &["--strict"]).expect(1);
    assert!(said.out.contains("\n## yatsu-hook: fail\n"), "{}", said.out);
    assert!(said.out.contains("\n### Errors\n\n- `yatsu-drift` `shop/again`: "), "{}", said.out);
}

#[test]
fn a_revert_is_answered_by_the_earlier_reading() {
    let s = shop(&["a"]);
    s.yatsu(&["eval", "shop", "--scenario", "a", "--pass"]).expect(0);
    s.commit("measured");
    edit(&s, &["a"]);
    s.commit("change");
    s.yatsu(&["eval", "shop", "--scenario", "a", "--fail"]).expect(0);
    let from = s.commit("fails");
    s.write("src/a", "1\n");
    s.commit("reverted");
    let first = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&first, ALL), [1, 0, 1, 0, 0]);
    assert_eq!(
        sentence(&first),
        "This change made 1 reading stale: 1 is answered by an earlier reading of this content."
    );
    let body = first["body"].as_str().unwrap();
    assert!(body.contains("| `shop/a` | fresh fail | fresh pass (an earlier reading) |"), "{body}");
    let fixed = plan(&s, &format!("{from}~1"), "HEAD", &[]);
    assert_eq!(
        numbers(&fixed, ["madeStale", "freshAgain"]),
        [0, 1],
        "it was stale before, and the range did not measure it"
    );
}

#[test]
fn a_withdrawn_reading_touches_its_scenario() {
    let s = shop(&["a"]);
    s.yatsu(&["eval", "shop", "--scenario", "a", "--pass"]).expect(0);
    let from = s.commit("measured");
    s.yatsu(&["retract", "shop", "--scenario", "a", "--note", "measured the wrong build"]).expect(0);
    s.commit("withdrawn");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ["withdrawn", "madeStale", "notMeasured"]), [1, 0, 0]);
    assert_eq!(sentence(&plan), "1 reading was withdrawn.");
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("| `shop/a` | `its reading was withdrawn` |\n") && !body.contains("wrong build"), "{body}");
}

#[test]
fn a_moved_node_is_neither_new_nor_dropped_and_its_readings_are_no_new_ones() {
    let (s, from) = before();
    s.write(".spec/area/README", "x\n");
    s.git(&["mv", ".spec/shop", ".spec/area/shop"]);
    s.commit("moved");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ALL), [0, 0, 0, 0, 1], "{plan:#}");
    assert_eq!((numbers(&plan, ["withdrawn"]), &plan["dropped"]), ([0], &serde_json::json!([])));
    assert_eq!(
        sentence(&plan),
        "This change makes no reading stale and measures no scenario. `check` has 2 new findings. 1 other was stale before."
    );
}

#[test]
fn a_reading_of_main_since_the_fork_is_no_work_of_the_branch() {
    let (s, from) = before();
    s.git(&["checkout", "-q", "-b", "side"]);
    edit(&s, &["again"]);
    s.commit("side");
    s.git(&["checkout", "-q", "main"]);
    measure(&s, &[("old", "pass")], 60);
    s.commit("main measures");
    let plan = plan(&s, "main", "side", &[]);
    assert_eq!(plan["from"], from.as_str(), "the range is compared with its fork, as check does");
    assert_eq!(numbers(&plan, ALL), [1, 0, 0, 1, 1]);
}

#[test]
fn another_version_of_an_evaluator_makes_readings_stale() {
    let (s, from) = before();
    s.write("spexcode.json", "{\"yatsu\":{\"evaluators\":{\"manual\":\"2\"}}}\n");
    s.commit("the evaluator is newer");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ALL), [4, 0, 0, 4, 1]);
    assert!(plan["body"].as_str().unwrap().contains("| `shop/again` | `evaluator` |"), "{}", plan["body"]);
}

#[test]
fn what_this_clone_cannot_judge_is_said_and_is_in_no_other_number() {
    let s = shop(&["a"]);
    let first = s.git(&["rev-parse", "HEAD"]);
    measure(&s, &[("a", "pass")], 0);
    s.commit("measured");
    s.write("src/x", "1\n");
    let from = s.commit("beside");
    s.write("src/x", "2\n");
    s.commit("beside again");
    let tree = s.git(&["rev-parse", &format!("{first}:src")]);
    std::fs::remove_file(s.root.join(".git/objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    let known = plan(&s, &from, "HEAD", &[]);
    assert_eq!((numbers(&known, ALL), numbers(&known, ["notJudged"])), ([0; 5], [1]));
    assert_eq!(sentence(&known), "1 scenario could not be judged.");
    let body = known["body"].as_str().unwrap();
    assert!(body.contains("| `shop/a` | `not judged: tree "), "{body}");
    let said = report(&s, &from, "HEAD", &["--checked", &first]).expect(3);
    assert!(said.out.contains("## yatsu-hook: unchecked\n"), "a comparison that was not made is none: {}", said.out);
}

#[test]
fn a_lower_budget_changes_a_verdict_without_a_reading() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    pass(&s, "board/draws", &tokens(50), &[]);
    let from = s.commit("measured");
    set(&s, "{\"maxTaskTotalTokens\": 10}");
    s.commit("a lower budget");
    let plan = plan(&s, &from, "HEAD", &[]);
    assert_eq!(numbers(&plan, ["otherVerdict", "failing", "measuredAgain", "madeStale"]), [1, 1, 0, 0]);
    assert_eq!(sentence(&plan), "1 scenario has another verdict.");
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("| `board/draws` | fresh pass | fresh fail (an earlier reading) |\n"), "{body}");
}
