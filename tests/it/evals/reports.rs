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
