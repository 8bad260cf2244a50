//! `usage`: the amounts spent, beside their limits.

use crate::support::{Said, Scratch, hermetic, program, scenarios, validate_published};
use serde_json::{Value, json};

fn repository(config: &str) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.write(".spec/list/yatsu.md", scenarios(&[("scrolls", "src/a.rs")]));
    s.write("spexcode.json", config);
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s
}

const LIMITS: &str = "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 100, \"maxRunTotalTokens\": 150}}}";

#[track_caller]
fn spend(s: &Scratch, node: &str, scenario: &str, tokens: u64, flags: &[&str]) {
    let tokens = format!("{tokens},0");
    let all = ["eval", node, "--scenario", scenario, "--pass", "--tokens", &tokens, "--token-source", "meter"];
    s.yatsu(&[&all, flags].concat()).expect(0);
}

#[track_caller]
fn usage(s: &Scratch, flags: &[&str]) -> Value {
    validate_published(&s.yatsu(&[&["usage", "--format", "json"], flags].concat()).expect(0).out)
}

fn spent() -> Scratch {
    let s = repository(LIMITS);
    spend(&s, "board", "draws", 60, &["--run", "r"]);
    spend(&s, "list", "scrolls", 40, &["--run", "r"]);
    spend(&s, "board", "draws", 101, &["--run", "q"]);
    s.yatsu(&["retract", "board", "--scenario", "draws"]).expect(0);
    s
}

#[test]
fn every_run_and_every_scenario_is_told_with_what_counts_against_its_limits() {
    let json = usage(&spent(), &[]);
    let run = |name, readings, total| {
        json!({"run": name, "readings": readings, "overBudget": false,
        "amounts": [{"metric": "total_tokens", "total": total, "limit": 150}]})
    };
    assert_eq!(json["runs"], json!([run("q", 1, 101), run("r", 2, 100)]));
    let draws = &json["scenarios"][0];
    assert_eq!((&draws["readings"], &draws["overBudget"]), (&json!(2), &json!(true)), "withdrawn is spent");
    assert_eq!(draws["amounts"], json!([{"metric": "total_tokens", "total": 161, "most": 101, "limit": 100}]));
    assert_eq!(draws["breaches"][0]["observed"], 101);
    assert_eq!((&json["scenarios"][1]["scenario"], &json["requireUsage"]), (&json!("scrolls"), &json!(false)));
}

#[test]
fn people_read_it_in_lines_and_on_a_terminal_with_bars() {
    let s = spent();
    let said = s.yatsu(&["usage"]).expect(0).out;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0..3], ["run q  1 reading", "  total_tokens           101 of 150", "run r  2 readings"]);
    assert!(lines[4].starts_with("board/draws  2 readings, over its budget since 20"), "{said}");
    assert_eq!(lines[5], "  total_tokens           101 of 100 at most, 161 in all");
    assert_eq!(lines[6..], ["list/scrolls  1 reading", "  total_tokens           40 of 100"]);
    let drawn = s.yatsu(&["usage", "--color", "always"]).expect(0).out;
    assert!(drawn.contains("########\u{1b}[39m------------] total_tokens           40 of 100"), "{drawn}");
}

#[test]
fn a_run_or_a_node_narrows_it() {
    let s = spent();
    let of_run = usage(&s, &["--run", "q"]);
    assert_eq!(
        (of_run["runs"].as_array().map(Vec::len), of_run["scenarios"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );
    assert_eq!(of_run["scenarios"][0]["amounts"][0]["total"], 101);
    let of_node = usage(&s, &["list"]);
    assert_eq!((&of_node["runs"][0]["run"], &of_node["runs"][0]["amounts"][0]["total"]), (&json!("r"), &json!(100)));
    assert_eq!(of_node["scenarios"].as_array().map(Vec::len), Some(1));
    let unknown = s.yatsu(&["usage", "--run", "none"]).expect(2);
    assert!(unknown.err.contains("no reading belongs to the run none"), "{}", unknown.err);
    s.yatsu(&["usage", "nowhere"]).expect(2);
    s.yatsu(&["usage", "--run", "a/b"]).expect(2);
}

#[test]
fn without_limits_what_was_spent_is_told_all_the_same() {
    let s = repository("{}");
    assert_eq!(s.yatsu(&["usage"]).expect(0).out, "no reading has a cost\n");
    assert_eq!(
        usage(&s, &[]),
        json!({"schema": "yatsu-hook/usage/v1", "requireUsage": false, "runs": [], "scenarios": []})
    );
    spend(&s, "board", "draws", 7, &[]);
    assert_eq!(s.yatsu(&["usage"]).expect(0).out, "board/draws  1 reading\n  total_tokens           7\n");
    s.yatsu(&["eval", "board", "--scenario", "sorts", "--pass", "--run", "silent"]).expect(0);
    assert!(
        s.yatsu(&["usage"]).expect(0).out.starts_with("run silent  1 reading\nboard/draws"),
        "a run without amounts"
    );
}

#[test]
fn the_peak_of_a_resident_set_is_no_sum_and_a_bare_repository_answers_of_its_head() {
    let s = repository("{}");
    for (scenario, peak) in [("draws", 300), ("sorts", 500)] {
        s.write("u.json", format!("{{\"maxRssBytes\": {peak}}}"));
        s.yatsu(&["eval", "board", "--scenario", scenario, "--pass", "--usage", "u.json", "--run", "r"]).expect(0);
    }
    let amounts = json!([{"metric": "peak_rss_bytes", "total": 500, "limit": null}]);
    assert_eq!(usage(&s, &[])["runs"][0]["amounts"], amounts);
    s.commit("measured");
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let mut command = hermetic(program(), &s.home());
    command.current_dir(s.base.join("bare.git")).args(["usage", "--format", "json"]);
    let json = validate_published(&Said::of(command.output().expect("it runs")).expect(0).out);
    assert_eq!(json["runs"][0]["amounts"], amounts);
}

#[test]
fn what_a_ledger_calls_itself_reaches_no_terminal_and_no_long_reason_reaches_a_ledger() {
    let s = repository(LIMITS);
    spend(&s, "board", "draws", 101, &["--run", "r"]);
    let ledger = ".spec/board/yatsu.evals.ndjson";
    s.write(
        ledger,
        s.read(ledger).replace("\"draws\"", "\"dr\\u001b[31m\\u202eaws\"").replace("\"meter\"", "\"m\\u001b[2J\""),
    );
    for flags in [&["usage"][..], &["usage", "--format", "json"], &["usage", "board", "--run", "r"]] {
        let said = s.yatsu(flags).expect(0).out;
        assert!(said.contains("31m") && !said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
    let before = s.read(ledger);
    let long = "x".repeat(2049);
    let waive = |reason: &str| {
        s.yatsu(&["claim", "waive-budget", "board", "--scenario", "dr\u{1b}[31m\u{202e}aws", "--reason", reason])
    };
    assert!(waive(&long).expect(2).err.contains("2049 bytes"));
    waive("two\nlines").expect(2);
    assert_eq!(s.read(ledger), before);
    let done = waive("gone").expect(0).out;
    assert!(!done.contains('\u{1b}'), "{done:?}");
    assert!(!s.yatsu(&["usage"]).expect(0).out.contains("over its budget"), "a scenario that nobody declares, waived");
}
