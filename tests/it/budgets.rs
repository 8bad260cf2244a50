//! Budgets through the program: the cost of a reading is compared with `yatsu.budgets`, and answers with a verdict show
//! the one that counts beside the recorded one.

use crate::support::{Said, Scratch, scenarios, validate_published};
use serde_json::{Value, json};
use yatsu_hook::model::ledger::Timestamp;

pub const LEDGER: &str = ".spec/board/yatsu.evals.ndjson";

/// Two committed nodes, `board` with `draws` and `sorts` and `list` with `scrolls`, with these budgets.
pub fn limited(budgets: &str) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.write(".spec/list/yatsu.md", scenarios(&[("scrolls", "src/a.rs")]));
    set(&s, budgets);
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s
}

pub fn set(s: &Scratch, budgets: &str) {
    s.write("spexcode.json", format!("{{\"yatsu\": {{\"budgets\": {budgets}}}}}"));
}

/// Files a pass of `node/scenario` with this usage report.
#[track_caller]
pub fn pass(s: &Scratch, what: &str, usage: &str, flags: &[&str]) -> Said {
    let (node, scenario) = what.split_once('/').expect("a node and a scenario");
    s.write("../usage.json", usage);
    let usage = s.base.join("usage.json").display().to_string();
    let all =
        [&["eval", node, "--scenario", scenario, "--pass", "--usage", &usage, "--format", "json"], flags].concat();
    s.yatsu(&all).expect(0)
}

pub fn tokens(count: u64) -> String {
    format!("{{\"promptTokens\":{count},\"completionTokens\":0,\"totalTokens\":{count},\"source\":\"meter\"}}")
}

pub fn receipt(said: &Said) -> Value {
    validate_published(&said.out)
}

/// The latest reading of a scenario, as `ls` has it.
#[track_caller]
fn latest(s: &Scratch, scenario: &str) -> Value {
    let json = validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let rows = json["scenarios"].as_array().expect("a list").clone();
    rows.into_iter().find(|row| row["scenario"] == scenario).expect("a row")["readings"][0].clone()
}

/// The recorded verdict, and the one that counts.
#[track_caller]
pub fn verdicts(s: &Scratch, scenario: &str) -> (String, String) {
    let reading = latest(s, scenario);
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    (word(&reading["verdict"]), word(&reading["effective"]["verdict"]))
}

pub fn both(recorded: &str, effective: &str) -> (String, String) {
    (recorded.to_owned(), effective.to_owned())
}

fn take(s: &Scratch, scenario: &str, flags: &[&str]) -> Said {
    s.yatsu(&[&["claim", "take", "board", "--scenario", scenario], flags].concat())
}

pub fn waive(s: &Scratch, what: &str) -> Said {
    let (node, scenario) = what.split_once('/').expect("a node and a scenario");
    s.yatsu(&["claim", "waive-budget", node, "--scenario", scenario, "--reason", "a slow day", "--format", "json"])
}

#[track_caller]
fn refused(said: Said, code: i32, word: &str) {
    let said = said.expect(code);
    assert!(said.err.contains(word), "`{word}` is not in:\n{}", said.err);
}

#[test]
fn what_equals_its_limit_is_fine() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    let said = pass(&s, "board/draws", &tokens(100), &["--run", "r"]);
    assert_eq!(said.err, "");
    assert_eq!(receipt(&said)["effective"], json!({"verdict": "pass"}));
    assert_eq!((receipt(&said)["breaches"].clone(), verdicts(&s, "draws")), (json!([]), both("pass", "pass")));
}

#[test]
fn one_more_is_filed_as_it_is_and_counts_as_a_fail_with_everything_that_was_spent() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    let said = pass(&s, "board/draws", &tokens(101), &["--run", "r"]);
    assert!(said.err.starts_with("warning: budget_exceeded: task total_tokens 101, limit 100\n"), "{}", said.err);
    assert!(said.err.contains("claim waive-budget board/draws"), "{}", said.err);
    let line: Value = serde_json::from_str(s.read(LEDGER).trim()).expect("a line");
    assert_eq!((&line["verdict"]["status"], line.get("breaches")), (&json!("pass"), None), "nothing of it is stored");
    let found = latest(&s, "draws");
    let shown = receipt(&said);
    for json in [&shown, &found] {
        assert_eq!(
            json["breaches"],
            json!([{"scope": "task", "metric": "total_tokens", "observed": 101, "limit": 100}])
        );
        assert_eq!((&json["usage"]["totalTokens"], &json["runTotals"]), (&json!(101), &json!({"total_tokens": 101})));
        assert_eq!(
            (&json["effective"]["verdict"], &json["effective"]["reason"]),
            (&json!("fail"), &json!("budget_exceeded"))
        );
        assert_eq!(json["effective"]["breachedAt"], line["ts"]);
    }
}

#[test]
fn the_recorded_pass_stays_visible_beside_the_fail_that_counts() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    pass(&s, "board/draws", &tokens(101), &[]);
    let shown = s.yatsu(&["show", "board"]).expect(0).out;
    assert!(shown.contains(" pass, counts as fail, fresh  manual@1"), "{shown}");
    assert!(shown.contains("      budget_exceeded: task total_tokens 101, limit 100\n"), "{shown}");
    let listed = s.yatsu(&["ls", "--failing", "-v"]).expect(0).out;
    assert!(
        listed.contains("fresh      fail   board/draws") && listed.contains("filed as pass, budget_exceeded"),
        "{listed}"
    );
    let scanned = s.yatsu(&["scan"]).expect(0).out;
    assert!(scanned.contains("warning[budget-exceeded] board/draws"), "{scanned}");
    assert!(scanned.contains("info[yatsu-failing] board/draws: the latest reading counts as a fail"), "{scanned}");
    s.yatsu(&["eval", "board", "--scenario", "sorts", "--fail"]).expect(0);
    let next = s.yatsu(&["-v", "claim", "next", "board", "--failing", "--dry-run"]).expect(0);
    assert!(next.out.contains("sorts") && next.err.contains("draws is over its budget"), "{} {}", next.out, next.err);
}

#[test]
fn silence_is_a_breach_only_where_usage_is_required() {
    let s = limited("{\"maxTaskRssBytes\": 100}");
    assert_eq!(pass(&s, "board/draws", "{}", &[]).err, "");
    set(&s, "{\"maxTaskRssBytes\": 100, \"requireUsage\": true}");
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
    let breach = json!([{"scope": "task", "metric": "rss_bytes", "observed": null, "limit": 100}]);
    assert_eq!(latest(&s, "draws")["breaches"], breach);
    set(&s, "{\"maxTaskRssBytes\": 100, \"requireUsage\": \"2090-01-01T00:00:00.000Z\"}");
    assert_eq!(verdicts(&s, "draws"), both("pass", "pass"), "it is older than that");
}

#[test]
fn two_breaches_are_both_listed_the_resident_set_first() {
    let s = limited("{\"maxTaskTotalTokens\": 1, \"maxTaskRssBytes\": 1}");
    let said = pass(&s, "board/draws", &tokens(2).replace('{', "{\"maxRssBytes\":2,"), &[]);
    let metrics: Vec<Value> =
        receipt(&said)["breaches"].as_array().expect("a list").iter().map(|b| b["metric"].clone()).collect();
    assert_eq!(metrics, ["rss_bytes", "total_tokens"]);
    assert!(said.err.contains("task rss_bytes 2, limit 1; task total_tokens 2, limit 1"), "{}", said.err);
}

#[test]
fn a_run_breaches_with_the_reading_that_takes_it_over_its_limit_whichever_node_that_is_of() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "board/draws", &tokens(5), &["--run", "r"]);
    let said = pass(&s, "list/scrolls", &tokens(5), &["--run", "r"]);
    assert_eq!(
        receipt(&said)["breaches"],
        json!([{"scope": "run", "metric": "total_tokens", "observed": 10, "limit": 8}])
    );
    pass(&s, "board/sorts", &tokens(5), &["--run", "other"]);
    assert_eq!([verdicts(&s, "draws").1, verdicts(&s, "scrolls").1, verdicts(&s, "sorts").1], ["pass", "fail", "pass"]);
}

#[test]
fn the_resident_set_of_a_run_is_its_peak() {
    let s = limited("{\"maxRunPeakRssBytes\": 400}");
    assert_eq!(pass(&s, "board/draws", "{\"maxRssBytes\": 300}", &["--run", "r"]).err, "");
    let said = pass(&s, "board/sorts", "{\"max_rss_bytes\": 500}", &["--run", "r"]);
    assert_eq!(
        receipt(&said)["breaches"],
        json!([{"scope": "run", "metric": "peak_rss_bytes", "observed": 500, "limit": 400}])
    );
}

#[test]
fn sums_near_the_end_of_the_numbers_saturate() {
    let s = limited(&format!("{{\"maxRunIoWriteBytes\": {}}}", u64::MAX - 1));
    pass(&s, "board/draws", &format!("{{\"ioWriteBytes\": {}}}", u64::MAX - 1), &["--run", "r"]);
    let said = pass(&s, "board/sorts", "{\"ioWriteBytes\": 5}", &["--run", "r"]);
    assert_eq!(receipt(&said)["breaches"][0]["observed"], json!(u64::MAX));
    set(&s, &format!("{{\"maxRunIoWriteBytes\": {}}}", u64::MAX));
    assert_eq!(verdicts(&s, "sorts").1, "pass", "what saturates is not more than everything");
}

#[test]
fn after_a_breach_nothing_is_claimed_until_the_limit_is_raised_or_the_breach_is_waived() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    pass(&s, "board/draws", &tokens(101), &[]);
    refused(take(&s, "draws", &[]), 1, "draws is over its budget since the reading of ");
    refused(take(&s, "draws", &["--force"]), 1, "claim waive-budget board/draws --reason WHY");
    assert!(!s.root.join(".git/yatsu/claims.ndjson").exists(), "nothing was taken");
    set(&s, "{\"maxTaskTotalTokens\": 101}");
    let taken = take(&s, "draws", &["--format", "json"]).expect(0);
    let token = validate_published(&taken.out)["claims"][0]["token"].as_str().expect("a token").to_owned();
    s.yatsu(&["claim", "release", &token]).expect(0);
    set(&s, "{\"maxTaskTotalTokens\": 100}");
    refused(take(&s, "draws", &[]), 1, "is over its budget");
    let done = receipt(&waive(&s, "board/draws").expect(0));
    assert_eq!((&done["outcome"], &done["by"]), (&json!("waived"), &json!("Ann")));
    assert_eq!(verdicts(&s, "draws"), both("pass", "pass"));
    take(&s, "draws", &[]).expect(0);
}

#[test]
fn withdrawing_a_breached_reading_refunds_nothing_and_ends_nothing() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "board/draws", &tokens(9), &["--run", "r"]);
    s.yatsu(&["retract", "board", "--scenario", "draws"]).expect(0);
    refused(take(&s, "draws", &[]), 1, "is over its budget");
    let said = pass(&s, "board/sorts", &tokens(1), &["--run", "r"]);
    assert_eq!(receipt(&said)["runTotals"], json!({"total_tokens": 10}));
    let scanned = s.yatsu(&["scan", "board"]).expect(0).out;
    assert!(scanned.contains("warning[budget-exceeded] board/draws"), "{scanned}");
    // withdrawn, and then waived
    waive(&s, "board/draws").expect(0);
    take(&s, "draws", &[]).expect(0);
    assert_eq!(
        receipt(&pass(&s, "board/sorts", &tokens(0), &["--run", "r", "--note", "x"]))["runTotals"]["total_tokens"],
        10
    );
}

#[test]
fn what_is_filed_after_a_breach_counts_as_a_fail_without_usage_or_claim() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    let first = receipt(&pass(&s, "board/draws", &tokens(101), &[]));
    let again =
        s.yatsu(&["eval", "board", "--scenario", "draws", "--pass", "--note", "again", "--format", "json"]).expect(0);
    let ts = first["ts"].as_str().expect("a time");
    assert!(again.err.contains(&format!("warning: budget_exceeded: the breach of {ts} stands")), "{}", again.err);
    let again = receipt(&again);
    assert_eq!((&again["breaches"], &again["effective"]["breachedAt"]), (&json!([]), &first["ts"]));
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
    assert_eq!(verdicts(&s, "draws").1, "fail");
    assert_eq!(s.yatsu(&["ls", "--failing"]).expect(0).out.matches("board/").count(), 1);
}

#[test]
fn a_run_over_its_budget_claims_nothing_more_and_another_run_does() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "list/scrolls", &tokens(9), &["--run", "r"]);
    refused(take(&s, "draws", &["--run", "r"]), 1, "run r is over its budget: run total_tokens 9, limit 8");
    refused(s.yatsu(&["claim", "next", "--run", "r"]), 1, "run r is over its budget");
    take(&s, "draws", &["--run", "q"]).expect(0);
    take(&s, "sorts", &[]).expect(0);
    waive(&s, "list/scrolls").expect(0);
    s.yatsu(&["claim", "next", "--run", "r", "--failing", "--dry-run"]).expect(1);
    refused(s.yatsu(&["claim", "next", "--run", "r"]), 1, "nothing needs measuring");
}

#[test]
fn a_waiver_comes_after_a_breach_is_filed_once_and_covers_nothing_later() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    refused(waive(&s, "board/draws"), 1, "draws is not over its budget");
    refused(waive(&s, "board/drawz"), 2, "declares no scenario `drawz`");
    pass(&s, "board/draws", &tokens(101), &[]);
    let first = receipt(&waive(&s, "board/draws").expect(0));
    let before = s.read(LEDGER);
    let again = receipt(&waive(&s, "board/draws").expect(0));
    assert_eq!((&again["outcome"], &again["ts"]), (&json!("already-waived"), &first["ts"]));
    assert_eq!(s.read(LEDGER), before);
    pass(&s, "board/draws", &tokens(102), &[]);
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"), "it was waived before");
    set(&s, "{}");
    refused(waive(&s, "board/draws"), 1, "limits nothing");
}

#[test]
fn a_waiver_whose_time_is_before_the_breach_ends_nothing() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    let early = "{\"decision\":\"waive-budget\",\"scenario\":\"draws\",\"reason\":\"r\",\"by\":\"b\",\"ts\":\"2020-01-01T00:00:00.000Z\"}\n";
    pass(&s, "board/draws", &tokens(101), &[]);
    s.write(LEDGER, s.read(LEDGER) + early);
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
}

#[test]
fn a_limit_judges_by_the_configuration_of_the_view() {
    let s = limited("{\"maxTaskTotalTokens\": 1000}");
    pass(&s, "board/draws", &tokens(101), &[]);
    s.commit("measured");
    // lowered only in the working tree: the index is within it
    set(&s, "{\"maxTaskTotalTokens\": 100}");
    assert!(s.yatsu(&["scan"]).expect(0).out.contains("budget-exceeded"));
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
    assert!(!s.yatsu(&["scan", "--staged"]).expect(0).out.contains("budget-exceeded"));
    // staged: this change lowers the limit, so it makes older readings breach
    s.git(&["add", "-A"]);
    let judged = validate_published(&s.yatsu(&["check", "--staged", "--format", "json"]).expect(0).out);
    let found = judged["findings"].as_array().expect("a list");
    let of_rule = |rule: &str| found.iter().filter(|finding| finding["rule"] == rule).collect::<Vec<_>>();
    let [breached] = of_rule("budget-exceeded")[..] else { panic!("{found:#?}") };
    assert_eq!((&breached["origin"], &breached["scenario"]), (&json!("introduced"), &json!("draws")));
    s.commit("lowered");
    // earlier breaches are inherited by later changes
    s.write("src/a.rs", "fn a() { more() }\n");
    s.git(&["add", "-A"]);
    let judged = validate_published(&s.yatsu(&["check", "--staged", "--format", "json"]).expect(0).out);
    let found = judged["findings"].as_array().expect("a list");
    let news = found.iter().filter(|finding| finding["rule"] == "budget-exceeded" && finding["origin"] == "introduced");
    assert_eq!(news.count(), 0, "{found:#?}");
}

#[test]
fn without_limits_nothing_is_said_of_any_budget() {
    let s = limited("{\"requireUsage\": true}");
    let said = pass(&s, "board/draws", &tokens(101), &["--run", "r"]);
    assert_eq!((said.err.as_str(), receipt(&said).get("effective")), ("", None));
    assert_eq!(latest(&s, "draws").get("effective"), None);
    let checked = s.yatsu(&["config", "check"]).expect(0);
    assert!(format!("{}{}", checked.out, checked.err).contains("requireUsage has no effect"), "{}", checked.err);
}

#[test]
fn a_dry_run_tells_of_the_breach_and_writes_nothing() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "list/scrolls", &tokens(5), &["--run", "r"]);
    let said = pass(&s, "board/draws", &tokens(5), &["--run", "r", "--dry-run"]);
    assert_eq!(receipt(&said)["effective"]["verdict"], "fail");
    assert!(said.err.contains("run total_tokens 10, limit 8"), "{}", said.err);
    assert!(!s.root.join(LEDGER).exists());
}

#[test]
fn the_hook_before_a_commit_says_of_a_run_what_the_whole_check_says() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "list/scrolls", &tokens(5), &["--run", "r"]);
    s.commit("first");
    // leaves a memo, so that the next run judges only the changed nodes
    s.yatsu(&["pre-commit"]).expect(0);
    s.yatsu(&["scan"]).expect(0);
    pass(&s, "board/draws", &tokens(5), &["--run", "r"]);
    s.git(&["add", "-A"]);
    let hook = s.yatsu(&["pre-commit"]).expect(0);
    assert!(hook.err.contains("warning[budget-exceeded] board/draws"), "{}", hook.err);
    assert!(hook.err.contains("run total_tokens 10, limit 8"), "{}", hook.err);
}

#[test]
fn two_runs_share_nodes_and_each_is_held_to_its_own_limit() {
    let s = limited("{\"maxRunTotalTokens\": 10}");
    for (run, what, note) in
        [("r", "board/draws", "1"), ("q", "board/sorts", "1"), ("r", "list/scrolls", "1"), ("q", "board/sorts", "2")]
    {
        assert_eq!(pass(&s, what, &tokens(5), &["--run", run, "--note", note]).err, "");
    }
    let said = pass(&s, "board/draws", &tokens(1), &["--run", "q"]);
    assert_eq!(receipt(&said)["breaches"][0]["observed"], 11);
    refused(take(&s, "sorts", &["--run", "q"]), 1, "run q is over its budget");
    take(&s, "sorts", &["--run", "r"]).expect(0);
}

#[test]
fn merged_duplicates_are_spent_once_and_two_sides_of_a_merge_together() {
    let s = limited("{\"maxRunTotalTokens\": 10}");
    pass(&s, "board/draws", &tokens(4), &["--run", "r"]);
    s.commit("both");
    s.git(&["checkout", "-q", "-b", "side"]);
    pass(&s, "list/scrolls", &tokens(4), &["--run", "r"]);
    s.commit("theirs");
    s.git(&["checkout", "-q", "main"]);
    pass(&s, "board/sorts", &tokens(4), &["--run", "r"]);
    s.commit("ours");
    assert!(!s.yatsu(&["scan"]).expect(0).out.contains("budget-exceeded"), "neither side alone");
    s.git(&["merge", "-q", "--no-commit", "side"]);
    let twice = s.read(LEDGER).lines().map(|line| format!("{line}\n{line}\n")).collect::<String>();
    s.write(LEDGER, twice);
    s.git(&["add", "-A"]);
    let merged = s.yatsu(&["scan"]).expect(0).out;
    assert!(merged.contains("warning[budget-exceeded] board/sorts"), "{merged}");
    assert!(merged.contains("run total_tokens 12, limit 10"), "{merged}");
    refused(take(&s, "draws", &["--run", "r"]), 1, "run r is over its budget");
}

#[test]
fn readings_from_before_usage_was_required_need_no_run() {
    let s = limited("{\"maxRunTotalTokens\": 10}");
    s.yatsu(&["eval", "board", "--scenario", "draws", "--pass"]).expect(0);
    set(&s, "{\"maxRunTotalTokens\": 10, \"requireUsage\": true}");
    let breach = json!([{"scope": "run", "metric": "total_tokens", "observed": null, "limit": 10}]);
    assert_eq!(latest(&s, "draws")["breaches"], breach);
    set(&s, "{\"maxRunTotalTokens\": 10, \"requireUsage\": \"2090-01-01T00:00:00.000Z\"}");
    assert_eq!(verdicts(&s, "draws"), both("pass", "pass"));
}

#[test]
fn a_waiver_comes_after_a_breach_of_the_other_ledger_that_a_fast_clock_dated() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    let filed = receipt(&pass(&s, "board/draws", &tokens(101), &[]));
    let ts = Timestamp::parse(filed["ts"].as_str().expect("a time")).expect("a time");
    let dated = |minutes: i64| Timestamp { millis: ts.millis + minutes * 60_000 }.to_string();
    let line = s.read(LEDGER);
    s.write(LEDGER, "");
    s.write(".spec/board/evals.ndjson", line.replace(&ts.to_string(), &dated(9)));
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
    let done = receipt(&waive(&s, "board/draws").expect(0));
    assert!(done["ts"].as_str() > Some(&*dated(9)), "{done}");
    assert_eq!(verdicts(&s, "draws"), both("pass", "pass"));
    s.write(".spec/board/evals.ndjson", line.replace(&ts.to_string(), &dated(48 * 60)));
    refused(waive(&s, "board/draws"), 1, "more than ten minutes ahead");
}

#[test]
fn what_was_spent_on_a_node_that_is_deleted_is_said_at_every_door() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    pass(&s, "list/scrolls", &tokens(5), &["--run", "r"]);
    pass(&s, "board/draws", &tokens(5), &["--run", "r"]);
    s.commit("spent");
    s.git(&["rm", "-rq", ".spec/list"]);
    let word = "the run r cost total_tokens 10 and now 5";
    // the first run has no memo, the second one has the memo of the first
    for _ in 0..2 {
        let hook = s.yatsu(&["pre-commit"]).expect(0);
        assert!(hook.err.contains(word), "{}", hook.err);
    }
    s.git(&["commit", "-qm", "gone", "--no-verify"]);
    let range = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    assert!(range.out.contains(word), "{}", range.out);
}

#[test]
fn a_breach_that_is_redacted_in_the_push_that_brings_it_is_said() {
    let s = limited("{\"maxTaskTotalTokens\": 8}");
    s.commit("limited");
    let ts = receipt(&pass(&s, "board/draws", &tokens(9), &[]))["ts"].as_str().expect("a time").to_owned();
    s.commit("over");
    s.yatsu(&["redact", "board", "--scenario", "draws", "--ts", &ts, "--reason", "z"]).expect(0);
    s.commit("redacted");
    let said = s.yatsu(&["check", "--from", "HEAD~2", "--to", "HEAD"]).expect(0);
    assert!(said.out.contains("no longer counts against a budget"), "{}", said.out);
}
