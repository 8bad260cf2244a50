//! N5 and N12: reports with repeats, second tries and several environments.

use super::*;
use std::fs;

/// A repository whose scenario has a test in pytest's style and these further lines.
fn project(more: &[&str]) -> Scratch {
    let s = Scratch::new();
    s.write("tests/test_a.py", "# tests\n");
    s.write("src/a.rs", "one\n");
    s.write(".gitignore", "*.xml\n*.json\n");
    s.write(".spec/n/spec.md", "---\ntitle: n\n---\n");
    s.write(FILE, scenario(&[&["test: tests/test_a.py"], more].concat()));
    s.commit("begin");
    s
}

/// A report of pytest: suites with their attributes, each with the names of cases and their content.
fn report(suites: &[(&str, &[(&str, &str)])]) -> String {
    let case = |(name, parts): &(&str, &str)| {
        format!("<testcase classname=\"tests.test_a\" name=\"{name}\" time=\"0.1\">{parts}</testcase>")
    };
    let suite = |(attributes, cases): &(&str, &[(&str, &str)])| {
        format!("<testsuite {attributes}>{}</testsuite>", cases.iter().map(case).collect::<String>())
    };
    format!("<testsuites>{}</testsuites>", suites.iter().map(suite).collect::<String>())
}

const PYTEST: &str = "name=\"pytest\" hostname=\"machine\"";
const FAILURE: &str = "<failure message=\"no\"/>";

#[track_caller]
fn import(s: &Scratch, flags: &[&str]) -> Said {
    s.yatsu(&[&["eval"], flags, &["--from-junit", "report.xml"]].concat())
}

/// The runs of the filed readings, as `passes/runs verdict env`.
fn filed(s: &Scratch) -> Vec<String> {
    let lines = fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    let told = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("json");
        let env = line["env"].as_str().map_or(String::new(), |env| format!(" {env}"));
        format!(
            "{}/{} {}{env}",
            line["runs"]["pass"],
            line["runs"]["of"],
            line["verdict"]["status"].as_str().expect("a verdict")
        )
    };
    lines.lines().filter(|line| line.contains("\"verdict\"")).map(told).collect()
}

#[test]
fn n12_pytest_repeat_numbers_the_names_and_each_number_is_a_run() {
    let s = project(&["runs: {of: 4, need: 3}"]);
    // a parametrised test beside a plain one, in any order
    let cases = [
        ("t[3-4]", ""),
        ("t[1-4]", FAILURE),
        ("t[2-4]", ""),
        ("t[4-4]", ""),
        ("u[a-1-4]", ""),
        ("u[a-2-4]", ""),
        ("u[a-4-4]", ""),
        ("u[a-3-4]", ""),
    ];
    s.write("report.xml", report(&[(PYTEST, &cases)]));
    let json = s.yatsu(&["eval", "--format", "json", "--from-junit", "report.xml"]).expect(0).out;
    assert_eq!(validate_published(&json)["readings"][0]["runs"], serde_json::json!([3, 4]));
    assert_eq!(filed(&s), ["3/4 pass"]);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 3/4 of 4");
    // a number that is missing makes names of all: four parameters of one test are one run
    let s = project(&["runs: {of: 4, need: 3}"]);
    s.write("report.xml", report(&[(PYTEST, &[("t[1-3]", ""), ("t[3-3]", "")])]));
    import(&s, &[]).expect(0);
    assert_eq!(filed(&s), ["1/1 pass"]);
    let uneven = project(&["runs: {of: 4, need: 3}"]);
    uneven.write("report.xml", report(&[(PYTEST, &[("t[1-2]", ""), ("t[2-2]", ""), ("u", "")])]));
    let said = import(&uneven, &[]).expect(1);
    assert!(said.out.contains("uneven: `u` ran 1 time,") || said.err.contains("uneven: `u` ran 1 time,"), "{said:?}");
    assert!(filed(&uneven).is_empty());
}

#[test]
fn n12_a_second_try_is_a_failed_run_unless_it_is_said_to_be_none() {
    let s = project(&["runs: {of: 2, need: 2}"]);
    // pytest-rerunfailures writes a failed try as an empty case, like a pass
    s.write("report.xml", report(&[(PYTEST, &[("t", ""), ("t", "")])]));
    import(&s, &[]).expect(0);
    assert_eq!(filed(&s), ["0/1 fail"]);
    s.write("report.xml", report(&[(PYTEST, &[("t", ""), ("t", ""), ("t", "")])]));
    import(&s, &["--flaky", "pass"]).expect(0);
    assert_eq!(filed(&s), ["0/1 fail", "1/1 pass"]);
    let plain = project(&[]);
    plain.write("report.xml", report(&[(PYTEST, &[("t", ""), ("t", "")])]));
    let said = import(&plain, &[]).expect(1);
    assert!(said.out.contains("flaky") || said.err.contains("flaky"), "{said:?}");
}

#[test]
fn n12_a_run_of_skipped_cases_alone_is_said_whatever_skips_are_allowed() {
    let s = project(&["runs: {of: 2, need: 1}"]);
    let skipped = "<skipped/>";
    s.write("report.xml", report(&[(PYTEST, &[("t[1-2]", ""), ("t[2-2]", skipped), ("u[1-2]", ""), ("u[2-2]", "")])]));
    let said = import(&s, &[]).expect(1);
    assert!(said.out.contains("`skips: allow`") || said.err.contains("`skips: allow`"), "{said:?}");
    s.write("report.xml", report(&[(PYTEST, &[("t[1-2]", ""), ("t[2-2]", skipped)])]));
    for flags in [&[][..], &["--skips", "allow"]] {
        let said = import(&s, flags).expect(1);
        assert!(format!("{}{}", said.out, said.err).contains("no case of a run has a result"), "{said:?}");
    }
    assert_eq!(filed(&s), [""; 0]);
}

#[test]
fn n12_gotestsum_writes_a_name_again_and_playwright_the_whole_suite() {
    let go = "name=\"pkg\"><properties><property name=\"go.version\" value=\"go1.22\"/></properties";
    let s = project(&["runs: {of: 3, need: 2}"]);
    s.write("report.xml", report(&[(go, &[("t", ""), ("t", FAILURE), ("t", "")])]));
    import(&s, &[]).expect(0);
    assert_eq!(filed(&s), ["2/3 pass"]);
    let s = project(&["runs: {of: 3, need: 2}", "env: [chromium, firefox]"]);
    let (chromium, firefox) = ("name=\"a.spec\" hostname=\"chromium\"", "name=\"a.spec\" hostname=\"firefox\"");
    let suites: [(&str, &[(&str, &str)]); 4] = [
        (chromium, &[("t", "")]),
        (chromium, &[("t", "")]),
        (firefox, &[("t", FAILURE)]),
        (firefox, &[("t", FAILURE)]),
    ];
    s.write("report.xml", report(&suites));
    import(&s, &[]).expect(0);
    assert_eq!(filed(&s), ["2/2 pass chromium", "0/2 fail firefox"]);
}

#[test]
fn n12_an_environment_is_typed_where_the_report_names_none() {
    let s = project(&["env: [a, b]"]);
    s.write("report.xml", report(&[(PYTEST, &[("t", "")])]));
    let said = import(&s, &[]).expect(1);
    assert!(said.out.contains("--env says where") || said.err.contains("--env says where"), "{said:?}");
    import(&s, &["--env", "b"]).expect(0);
    assert_eq!(stands(&s), "unmeasured -; a unmeasured -; b fresh pass");
    let plain = project(&[]);
    plain.write("report.xml", report(&[(PYTEST, &[("t", "")])]));
    let said = import(&plain, &["--env", "b"]).expect(1);
    assert!(said.err.contains("skipped 1 scenario that do not list the environment b"), "{said:?}");
}

#[test]
fn n5_a_report_is_filed_once_at_whatever_commit_and_each_file_is_runs_of_its_own() {
    let s = project(&["runs: {of: 4, need: 2}"]);
    s.write("report.xml", report(&[(PYTEST, &[("t", "")])]));
    import(&s, &[]).expect(0);
    assert!(import(&s, &[]).expect(0).out.contains("already filed"));
    s.write("README", "x\n");
    s.commit("another commit");
    assert!(import(&s, &["--older-report"]).expect(0).out.contains("already filed"));
    s.yatsu(&["retract", "n/s"]).expect(0);
    assert!(import(&s, &["--older-report"]).expect(0).out.contains("already filed"), "withdrawn, too");
    assert_eq!(filed(&s).len(), 1);
    for (name, parts) in [("one.xml", ""), ("two.xml", FAILURE)] {
        s.write(name, report(&[("name=\"pytest\" hostname=\"x\"", &[("t", parts)])]));
    }
    s.yatsu(&["eval", "--from-junit", "one.xml", "two.xml"]).expect(0);
    assert_eq!(stands(&s), "unmeasured -; - partial - 1/2 of 2");
    // a mix: one case in both files, another in one
    s.write("three.xml", report(&[(PYTEST, &[("t", "<system-out>3</system-out>"), ("u", "")])]));
    let said = s.yatsu(&["eval", "--from-junit", "one.xml", "three.xml"]).expect(1);
    assert!(said.out.contains("mixed") || said.err.contains("mixed"), "{said:?}");
    // spread: each case in one file
    s.write("four.xml", report(&[(PYTEST, &[("v", "")])]));
    s.write("five.xml", report(&[(PYTEST, &[("w", "")])]));
    s.yatsu(&["eval", "--from-junit", "four.xml", "five.xml"]).expect(0);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 2/3 of 3");
    assert!(s.yatsu(&["eval", "--from-junit", "five.xml", "four.xml"]).expect(0).out.contains("already filed"));
}

/// A file of promptfoo with these results.
fn promptfoo(results: &[String]) -> String {
    format!("{{\"evalId\":\"e\",\"results\":{{\"version\":3,\"results\":[{}]}}}}", results.join(","))
}

/// A result of a provider for a test case with this description or metadata, and further members.
fn result(provider: &str, test: &str, more: &str) -> String {
    format!("{{\"provider\":{{\"id\":\"{provider}\"}},\"promptId\":\"p\",\"testCase\":{{{test}}},{more}}}")
}

const NAMED: &str = "\"description\":\"any\",\"metadata\":{\"yatsu\":\"n/s\"}";
const CALLED: &str = "\"description\":\"finds it\"";
const PASS: &str = "\"success\":true";
const FAIL: &str = "\"success\":false,\"failureReason\":1,\"gradingResult\":{\"reason\":\"no bug named\"}";
const SILENT: &str = "\"success\":false,\"failureReason\":2,\"error\":\"429\"";
const CACHED: &str = "\"success\":true,\"response\":{\"cached\":true}";

/// What `eval --from-promptfoo` says of a file with these results.
#[track_caller]
fn eval_results(s: &Scratch, results: &[String]) -> Said {
    s.write("results.json", promptfoo(results));
    s.yatsu(&["eval", "--from-promptfoo", "results.json"])
}

#[test]
fn n12_promptfoo_says_a_run_with_each_result_in_the_environment_of_its_provider() {
    let s = repo(&["runs: {of: 3, need: 2}", "env: [small, large]"]);
    s.write(".gitignore", "*.json\n");
    s.commit("ignore results");
    // the descriptions differ, and would be parts of one run in a report of tests
    let other = "\"description\":\"other [1-2]\",\"metadata\":{\"yatsu\":\"n/s\"}";
    let labelled = result("vendor:x", NAMED, PASS).replace("\"vendor:x\"", "\"vendor:x\",\"label\":\"large\"");
    let all = [result("small", NAMED, PASS), result("small", other, FAIL), result("small", other, PASS), labelled];
    eval_results(&s, &all).expect(0);
    assert_eq!(filed(&s), ["2/3 pass small", "1/1 pass large"]);
    assert_eq!(stands(&s), "unmeasured -; small fresh pass 2/3 of 3; large partial - 1/1 of 1");
    assert!(eval_results(&s, &all).expect(0).out.contains("already filed"));
    assert_eq!(filed(&s).len(), 2);
    let lines = fs::read_to_string(s.root.join(LEDGER)).expect("a ledger");
    assert!(lines.contains("promptfoo@1"), "{lines}");
    let again = [result("large", NAMED, FAIL), result("large", NAMED, FAIL)];
    eval_results(&s, &again).expect(0);
    let lines = fs::read_to_string(s.root.join(LEDGER)).expect("a ledger");
    assert!(lines.contains("2 of 2 failed: any: no bug named"), "{lines}");
}

#[test]
fn n12_promptfoo_without_an_answer_or_from_the_cache_is_no_run_and_that_is_said() {
    let s = project(&["runs: {of: 3, need: 2}"]);
    let all = [PASS, SILENT, CACHED].map(|more| result("small", NAMED, more));
    let said = eval_results(&s, &all).expect(0);
    let aside = "2 of 3 results are no runs: 1 without an answer, 1 from the cache";
    assert!(said.err.contains(aside), "{said:?}");
    assert_eq!(filed(&s), ["1/1 pass"]);
    let said = eval_results(&s, &all[1..]).expect(1);
    assert!(said.out.contains("no result of it is a run"), "{said:?}");
    // without runs all results are parts of one answer, and one that is missing is a gap
    let plain = project(&[]);
    let said = eval_results(&plain, &all).expect(1);
    assert!(said.out.contains("partly skipped") && said.err.contains(aside), "{said:?}");
    assert!(filed(&plain).is_empty());
}

#[test]
fn n12_promptfoo_is_ambiguous_with_two_providers_or_prompts_in_one_environment() {
    let s = project(&["runs: {of: 3, need: 2}"]);
    let prompt = result("small", NAMED, PASS).replace("\"p\"", "\"q\"");
    for (other, words) in [(result("large", NAMED, PASS), "several providers"), (prompt, "several prompts")] {
        let said = eval_results(&s, &[result("small", NAMED, PASS), other]).expect(1);
        assert!(said.out.contains("ambiguous n/s") && said.out.contains(words), "{said:?}");
        assert!(filed(&s).is_empty());
    }
}

#[test]
fn n12_promptfoo_measures_the_scenario_whose_test_has_the_description_as_name() {
    let s = project(&["runs: {of: 3, need: 2}"]);
    let test = |more: &str| scenario(&["test: {path: tests/test_a.py, name: finds it}", more]);
    s.write(FILE, test("runs: {of: 3, need: 2}"));
    s.commit("a test with a name");
    let elsewhere = result("small", "\"description\":\"finds it not\"", FAIL);
    // a failed result has the name of its provider, and is no failure outside of a test
    let odd = result("small", "\"description\":\"small\"", FAIL);
    eval_results(&s, &[result("small", CALLED, PASS), result("small", CALLED, PASS), elsewhere, odd]).expect(0);
    assert_eq!(filed(&s), ["2/2 pass"]);
    let second = test("").replace("---\nscenarios:\n", "").replace("name: s\n", "name: t\n");
    s.write(FILE, test("runs: {of: 3, need: 2}").replace("\n---\n", "\n") + &second);
    s.commit("two scenarios with a test of that name");
    let said = eval_results(&s, &[result("small", CALLED, FAIL)]).expect(1);
    assert!(said.out.contains("several scenarios have a test `finds it`"), "{said:?}");
    assert_eq!(filed(&s).len(), 1);
    // a scenario with two environments is one
    let s = project(&[]);
    s.write(FILE, test("env: [small, large]"));
    s.commit("a test with a name, in two environments");
    eval_results(&s, &[result("small", CALLED, PASS), result("large", CALLED, FAIL)]).expect(0);
    assert_eq!(stands(&s), "fresh fail; small fresh pass; large fresh fail");
}

#[test]
fn n12_promptfoo_files_nothing_from_what_is_no_file_of_results() {
    let s = project(&["runs: {of: 3, need: 2}"]);
    let unknown = result("small", "\"metadata\":{\"yatsu\":\"n/gone\"}", PASS);
    refused(eval_results(&s, &[result("small", NAMED, PASS), unknown]), 2, &["no node declares the scenario `n/gone`"]);
    refused(eval_results(&s, &["{\"success\":1}".into()]), 1, &["`success` is a number, not a boolean"]);
    refused(eval_results(&s, &[]), 1, &["there is no case in the reports"]);
    s.write("results.json", "{\"results\":{\"version\":4,\"results\":[]}}");
    refused(s.yatsu(&["eval", "--from-promptfoo", "results.json"]), 1, &["`results.version` is not 3"]);
    s.write("results.json", promptfoo(&[result("small", NAMED, PASS)]));
    refused(s.yatsu(&["eval", "--from-ctrf", "results.json"]), 1, &["write --from-promptfoo"]);
    assert!(filed(&s).is_empty());
}
