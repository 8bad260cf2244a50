//! Filing from test reports: which cases count, which reports are refused, and that a partial filing can be completed.

use crate::support::{Said, Scratch, fed, hermetic, program, validate_published};
use serde_json::Value;
use std::fs;

/// A repository with these scenarios in `.spec/greet`, each as `name` and its `test` value (no key if empty), and with the
/// files of the pytest sample project.
pub(super) fn project(scenarios: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("tests/test_greet.py", "# tests\n");
    scratch.write("tests/unit/test_greet.py", "# more tests\n");
    scratch.write(".gitignore", "*.xml\n*.json\n");
    node(&scratch, "greet", scenarios);
    scratch.commit("begin");
    scratch
}

pub(super) fn node(scratch: &Scratch, name: &str, scenarios: &[(&str, &str)]) {
    scratch
        .write(&format!(".spec/{name}/spec.md"), format!("---\ntitle: {name}\ncode:\n  - tests/test_greet.py\n---\n"));
    let mut text = "---\nscenarios:\n".to_owned();
    for (scenario, test) in scenarios {
        text += &format!(
            "  - name: {scenario}\n    description: run it\n    expected: {scenario} works\n    tags: [cli]\n"
        );
        if !test.is_empty() {
            text += &format!("    test: {test}\n");
        }
    }
    scratch.write(&format!(".spec/{name}/yatsu.md"), text + "---\n");
}

/// The `test` of a case of pytest.
pub(super) fn test(name: &str) -> String {
    format!("{{path: tests/test_greet.py, name: {name}}}")
}

/// A report of pytest with these cases: the name, and the content of the element.
pub(super) fn report(cases: &[(&str, &str)]) -> String {
    let case = |(name, parts): &(&str, &str)| {
        format!("<testcase classname=\"tests.test_greet\" name=\"{name}\" time=\"0.1\">{parts}</testcase>")
    };
    let cases: String = cases.iter().map(case).collect();
    format!("<testsuites><testsuite name=\"pytest\" hostname=\"secret-host\">{cases}</testsuite></testsuites>")
}

/// Files `report.xml` with more flags.
pub(super) fn import(scratch: &Scratch, flags: &[&str]) -> Said {
    scratch.yatsu(&[&["eval"], flags, &["--from-junit", "report.xml"]].concat())
}

pub(super) fn lines(scratch: &Scratch, node: &str) -> Vec<Value> {
    let text = fs::read_to_string(scratch.root.join(format!(".spec/{node}/yatsu.evals.ndjson"))).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

/// The filed readings: scenario and verdict.
pub(super) fn filed(scratch: &Scratch, node: &str) -> Vec<String> {
    let said = |line: &Value| {
        format!(
            "{} {}",
            line["scenario"].as_str().expect("a name"),
            line["verdict"]["status"].as_str().expect("a word")
        )
    };
    lines(scratch, node).iter().map(said).collect()
}

/// The evidence of the last reading.
fn evidence(scratch: &Scratch) -> String {
    let hash = lines(scratch, "greet").pop().expect("a line")["blob"].as_str().expect("a hash").to_owned();
    scratch.yatsu(&["evidence", "get", &hash]).expect(0).out
}

/// Asserts that nothing was written and the message has `word`.
#[track_caller]
pub(super) fn refused(scratch: &Scratch, said: Said, word: &str) {
    let said = said.expect(1);
    assert!(said.err.contains(word), "`{word}` is not in:\n{}", said.err);
    assert!(said.err.ends_with("FAILED: nothing filed\n"), "{}", said.err);
    assert_eq!(filed(scratch, "greet"), [""; 0]);
    assert!(!scratch.root.join(".git/spexcode").exists(), "evidence was stored");
}

#[test]
fn one_report_files_a_reading_for_each_scenario_that_it_measures() {
    let names = ["test_greets", "test_refuses_nobody", "test_names", "test_later", "test_gone"];
    let tests: Vec<String> = names.iter().map(|name| test(name)).collect();
    let list: Vec<_> = names.iter().zip(&tests).map(|(name, test)| (*name, test.as_str())).collect();
    let scratch = project(&list);
    fs::copy("tests/data/reports/pytest.xml", scratch.root.join("report.xml")).unwrap();
    let table = import(&scratch, &["--dry-run"]).expect(0).out;
    assert!(
        table.starts_with("SCENARIO") && table.contains("greet/test_names           pass         3  would file\n"),
        "{table}"
    );
    let gap = "greet/test_gone: no case of tests/test_greet.py test_gone";
    refused(&scratch, import(&scratch, &["--strict"]), gap);
    let said = import(&scratch, &[]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["test_greets pass", "test_refuses_nobody fail", "test_names pass"]);
    let last: Vec<&str> = said.out.lines().rev().take(3).collect();
    assert_eq!(last[0], "filed 3 readings (2 pass, 1 fail), 1 skipped, 1 scenario without a case, 5 cases unmatched");
    assert_eq!(last[1], "no case of tests/test_greet.py test_gone for greet/test_gone");
    assert_eq!(last[2], "skipped greet/test_later: skipped: no case has a result");
    let line = lines(&scratch, "greet").remove(1);
    assert_eq!((&line["evaluator"], &line["blobKind"]), (&"junit@1".into(), &"transcript".into()));
    scratch.yatsu(&["scan", "--format", "json"]).expect(0);
}

#[test]
fn one_report_filed_twice_is_one_reading() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "<system-out>said</system-out>")]));
    import(&scratch, &[]).expect(0);
    let ledger = scratch.read(".spec/greet/yatsu.evals.ndjson");
    // the same run on another machine has another time, and the same results
    scratch.write(
        "report.xml",
        report(&[("a", "<system-out>said</system-out>")]).replace("0.1", "0.2").replace("secret", "other"),
    );
    let said = import(&scratch, &[]).expect(0).out;
    assert!(said.ends_with("filed 0 readings, 1 already filed\n"), "{said}");
    assert_eq!(scratch.read(".spec/greet/yatsu.evals.ndjson"), ledger);
    assert_eq!(evidence(&scratch), "PASS tests/test_greet.py a\nsaid\n");
}

#[test]
fn programs_read_what_is_planned_and_what_was_done_in_one_form() {
    let scratch = project(&[("works", &test("a")), ("other", &test("b"))]);
    scratch.write("report.xml", report(&[("a", ""), ("b", "<skipped/>"), ("c", "")]));
    let planned = validate_published(&import(&scratch, &["--dry-run", "--format", "json"]).expect(0).out);
    assert_eq!((&planned["outcome"], &planned["readings"][0]["outcome"]), (&"planned".into(), &"planned".into()));
    let done = validate_published(&import(&scratch, &["--format", "json"]).expect(0).out);
    assert_eq!((&done["outcome"], &done["readings"][0]["outcome"]), (&"filed".into(), &"filed".into()));
    assert_eq!(done["readings"][0]["evidence"], planned["readings"][0]["evidence"]);
    assert_eq!(done["skipped"][0]["scenario"], "other");
    assert_eq!(done["unmatched"]["cases"][0]["name"], "c");
    let again = validate_published(&import(&scratch, &["--format", "json"]).expect(0).out);
    assert_eq!(again["readings"][0]["outcome"], "already-filed");
}

#[test]
fn our_own_report_and_a_foreign_one_are_refused() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", "<testsuites name=\"yatsu-hook\"><testsuite name=\"greet\"><testcase classname=\"tests.test_greet\" name=\"a\"/></testsuite></testsuites>");
    refused(&scratch, import(&scratch, &[]), "report.xml:1:1: this is yatsu-hook's own report");
    scratch.write("report.xml", "<html><body/></html>");
    refused(&scratch, import(&scratch, &[]), "`html` is no report of tests");
    scratch.write("report.json", "{\"reportFormat\":\"other\",\"results\":{\"tests\":[]}}");
    refused(&scratch, scratch.yatsu(&["eval", "--from-ctrf", "report.json"]), "`reportFormat` is not CTRF");
    scratch.write("report.xml", report(&[]));
    refused(&scratch, import(&scratch, &[]), "there is no case in the reports");
}

#[test]
fn a_report_with_entities_is_refused_and_reads_no_file() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("secret.txt", "do not read this");
    let secret = scratch.root.join("secret.txt");
    for head in [
        format!("<!DOCTYPE x [<!ENTITY e SYSTEM \"file://{}\">]>", secret.display()),
        "<!DOCTYPE x [<!ENTITY e \"eeeeeeeeee\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;\">]>".to_owned(),
    ] {
        scratch.write("report.xml", head + &report(&[("a", "<failure>&e;</failure>")]));
        refused(&scratch, import(&scratch, &[]), "declares a document type");
    }
    scratch.write("report.xml", report(&[("a", "<failure>&e;</failure>")]));
    refused(&scratch, import(&scratch, &[]), "entity `e` is not declared");
}

#[test]
fn a_pass_beside_a_skipped_case_says_nothing() {
    let scratch = project(&[("works", "tests/test_greet.py")]);
    scratch.write("report.xml", report(&[("a", ""), ("b", "<skipped/>")]));
    let said = import(&scratch, &[]).expect(1);
    assert!(said.out.contains("skipped greet/works: partly skipped: 1 of 2 cases has no result; "), "{}", said.out);
    assert!(said.err.contains("the reports say of no scenario whether it works"), "{}", said.err);
    refused(&scratch, import(&scratch, &["--strict"]), "greet/works: partly skipped");
}

#[test]
fn an_error_in_the_teardown_is_a_fail() {
    let scratch = project(&[("works", &test("test_teardown"))]);
    fs::copy("tests/data/reports/pytest.xml", scratch.root.join("report.xml")).unwrap();
    import(&scratch, &[]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works fail"]);
    // older releases write it as a second case of the same name
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", ""), ("a", "<error message='teardown'>broke</error>")]));
    import(&scratch, &[]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works fail"]);
}

#[test]
fn a_planned_test_of_jest_is_a_pass_in_one_format_and_skipped_in_the_other() {
    let scratch = project(&[
        ("plan", "{path: test/greet.test.js, name: greet is planned}"),
        ("other", "{path: test/greet.test.js, name: greet says hello}"),
    ]);
    scratch.write("test/greet.test.js", "// tests\n");
    scratch.commit("tests");
    // the older format leaves this open; the newer one says it
    scratch.write("report.xml", fs::read("tests/data/reports/jest.xml").unwrap());
    let said = import(&scratch, &["--dry-run"]).expect(0).out;
    assert!(said.contains("would file 2 readings (2 pass, 0 fail)"), "{said}");
    scratch.write("report.json", fs::read("tests/data/reports/jest-ctrf.json").unwrap());
    let said = scratch.yatsu(&["eval", "--from-ctrf", "report.json"]).expect(0).out;
    assert!(said.contains("skipped greet/plan: skipped: no case has a result\n"), "{said}");
    assert_eq!(filed(&scratch, "greet"), ["other pass"]);
    assert_eq!(lines(&scratch, "greet")[0]["evaluator"], "ctrf@1");
}

/// Sets the modification time of a file.
pub(super) fn written(scratch: &Scratch, file: &str, seconds: i64) {
    let path = scratch.root.join(file);
    let said =
        hermetic("touch", &scratch.home()).arg("-d").arg(format!("@{seconds}")).arg(path).status().expect("touch");
    assert!(said.success());
}

#[test]
fn an_edit_after_the_run_is_refused_by_its_name() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "")]));
    scratch.write("tests/test_greet.py", "# changed\n");
    written(&scratch, "report.xml", 1_800_000_000);
    written(&scratch, "tests/test_greet.py", 1_800_000_001);
    let said = import(&scratch, &[]);
    assert!(said.err.contains("--older-report"), "{}", said.err);
    refused(&scratch, said, "greet/works: tests/test_greet.py was changed after report.xml was written");
    // changed before the run: these bytes were measured
    written(&scratch, "tests/test_greet.py", 1_799_999_999);
    let said = import(&scratch, &[]).expect(0);
    assert!(said.err.contains("governed files differ from the commit"), "{}", said.err);
}

#[test]
fn a_report_that_is_older_than_head_is_refused_until_somebody_says_otherwise() {
    let scratch = project(&[("works", &test("a")), ("more", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "")]));
    written(&scratch, "report.xml", 1_700_000_000);
    let said = import(&scratch, &[]);
    assert!(said.err.contains("2 of 2 readings are refused") && said.err.contains("--older-report"), "{}", said.err);
    assert_eq!(said.err.matches("is older than HEAD").count(), 1, "one reason, said once: {}", said.err);
    assert!(
        said.err.contains("hint: greet/works, greet/more: report.xml is older than HEAD and every commit before it"),
        "{}",
        said.err
    );
    refused(&scratch, said, "report.xml is older than HEAD");
    import(&scratch, &["--older-report"]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works pass", "more pass"]);
}

#[test]
fn a_token_in_a_failure_is_masked_and_counted() {
    let scratch = project(&[("works", &test("a"))]);
    let token = format!("ghp_{}", "Q".repeat(36));
    let failure = format!("<failure message='401 for {token}'>Authorization: Bearer opaque-value</failure>");
    scratch.write("report.xml", report(&[("a", &failure)]));
    let said = import(&scratch, &[]).expect(0).out;
    assert!(said.contains("\n2 secrets masked in the evidence\n"), "{said}");
    let kept = evidence(&scratch);
    assert_eq!(
        kept,
        "FAIL tests/test_greet.py a\n401 for [masked: github token]\nAuthorization: [masked: authorization]\n"
    );
}

mod needs_strace {
    use super::*;

    #[test]
    #[ignore = "needs strace"]
    fn what_a_kill_between_two_ledgers_left_open_the_same_command_completes() {
        let scratch = project(&[("works", &test("a"))]);
        node(&scratch, "second", &[("works too", &test("b"))]);
        node(&scratch, "third", &[("works as well", &test("c"))]);
        scratch.commit("more");
        scratch.write("report.xml", report(&[("a", ""), ("b", ""), ("c", "<failure/>")]));
        // only the ledgers are made durable without their times
        let mut command = hermetic("strace", &scratch.home());
        command.current_dir(&scratch.root).args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]);
        command.args(["-e", "inject=fdatasync:signal=KILL:when=2"]).arg(program());
        command.args(["eval", "--from-junit", "report.xml"]);
        assert_ne!(command.output().unwrap().status.code(), Some(0));
        let before: Vec<String> = ["greet", "second", "third"].iter().flat_map(|node| filed(&scratch, node)).collect();
        assert!(!before.is_empty() && before.len() < 3, "{before:?}");
        let said = import(&scratch, &[]).expect(0).out;
        assert!(said.contains(&format!("{} already filed\n", before.len())), "{said}");
        let all: Vec<String> = ["greet", "second", "third"].iter().flat_map(|node| filed(&scratch, node)).collect();
        assert_eq!(all, ["works pass", "works too pass", "works as well fail"]);
        scratch.yatsu(&["check"]).expect(0);
    }
}

#[test]
fn one_name_in_two_nodes_without_a_test_is_ambiguous() {
    let scratch = project(&[("works", "")]);
    node(&scratch, "second", &[("works", "")]);
    scratch.commit("more");
    scratch.write("report.xml", report(&[("works", "")]));
    let said = import(&scratch, &[]).expect(1);
    assert!(said.out.contains("ambiguous greet/works: 2 scenarios are called so"), "{}", said.out);
    assert_eq!(filed(&scratch, "greet").len() + filed(&scratch, "second").len(), 0);
    // a map resolves the ambiguity
    let line = r#"{"v":1,"map":[{"name":"wor*","node":"second","scenario":"works"},{"name":"gone","node":"greet","scenario":"works"}]}"#;
    scratch.write("map.json", line);
    let said = import(&scratch, &["--map", "map.json"]).expect(0).out;
    assert!(said.contains("entry 2 of the map is like no case\n"), "{said}");
    assert_eq!(filed(&scratch, "second"), ["works pass"]);
}

#[test]
fn what_somebody_else_measures_is_skipped_and_the_rest_is_filed() {
    let scratch = project(&[("works", &test("a")), ("other", &test("b"))]);
    scratch.yatsu(&["claim", "take", "greet", "--scenario", "works", "--as", "somebody"]).expect(0);
    scratch.write("report.xml", report(&[("a", ""), ("b", "")]));
    let said = import(&scratch, &[]).expect(0).out;
    assert!(said.contains("skipped greet/works: ") && said.contains("somebody"), "{said}");
    assert_eq!(filed(&scratch, "greet"), ["other pass"]);
}

#[test]
fn one_refusal_refuses_all_of_it() {
    let scratch = project(&[("works", &test("a"))]);
    node(&scratch, "second", &[("works too", &test("b"))]);
    scratch.write(".spec/second/yatsu.evals.ndjson", "{\"scenario\":\"torn");
    scratch.commit("more");
    scratch.write("report.xml", report(&[("a", ""), ("b", "")]));
    refused(&scratch, import(&scratch, &[]), "second/works too: .spec/second/yatsu.evals.ndjson:1:");
}

#[test]
fn nodes_and_tags_narrow_what_is_filed_for() {
    let scratch = project(&[("works", &test("a"))]);
    node(&scratch, "second", &[("works too", &test("b"))]);
    scratch.commit("more");
    scratch.write("report.xml", report(&[("a", ""), ("b", "")]));
    let said = import(&scratch, &["second", "--tag", "cli"]).expect(0).out;
    assert!(said.ends_with("filed 1 reading (1 pass, 0 fail), 1 case unmatched\n"), "{said}");
    assert_eq!(filed(&scratch, "greet"), [""; 0]);
    for (flags, word) in [(&["nobody"][..], "no node is called"), (&["--tag", "nobody"], "the tag nobody")] {
        let said = import(&scratch, flags).expect(2);
        assert!(said.err.contains(word), "{}", said.err);
    }
    let behind = scratch.yatsu(&["eval", "--from-junit", "report.xml", "second"]).expect(2);
    assert!(behind.err.contains("nodes stand before the flags of reports"), "{}", behind.err);
}

#[test]
fn a_flaky_case_is_what_somebody_says_that_it_is() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "<flakyFailure message='first try'/>")]));
    let said = import(&scratch, &[]).expect(1).out;
    assert!(said.contains("skipped greet/works: flaky: 1 of 1 case passed at a later try"), "{said}");
    import(&scratch, &["--flaky", "fail"]).expect(0);
    import(&scratch, &["--flaky", "pass"]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works fail", "works pass"]);
    assert!(evidence(&scratch).starts_with("PASS tests/test_greet.py a (at a later try)\nfirst try\n"));
}

#[test]
fn a_report_comes_from_a_pipe_too() {
    let scratch = project(&[("works", &test("a"))]);
    let said = fed(scratch.yatsu_command(&["eval", "--from-junit", "-"]), report(&[("a", "")])).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works pass"], "{}", said.out);
}

#[test]
fn what_only_one_reading_can_have_is_refused_beside_a_report() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "")]));
    for flags in [
        &["--pass"][..],
        &["--fail"],
        &["--scenario", "works"],
        &["--result", "report.xml"],
        &["--image", "report.xml"],
        &["--claim", "0123456789abcdef0123456789abcdef"],
        &["--key", "k"],
        &["--from-ctrf", "report.xml"],
        &["--from-promptfoo", "report.xml"],
    ] {
        import(&scratch, flags).expect(2);
    }
    for flags in [&["--map", "m"][..], &["--tag", "cli"], &["--flaky", "pass"], &["--older-report"], &["--only-stale"]]
    {
        scratch.yatsu(&[&["eval", "greet", "--pass"], flags].concat()).expect(2);
    }
    assert_eq!(filed(&scratch, "greet"), [""; 0]);
}

#[test]
fn a_name_that_is_almost_asked_for_is_named() {
    let scratch = project(&[("works", &test("test_gretes"))]);
    scratch.write("report.xml", report(&[("test_greets", "")]));
    refused(&scratch, import(&scratch, &[]), "a scenario asks for `test_gretes`; the report has `test_greets`");
}

#[test]
fn a_report_that_measures_nothing_says_where_the_test_lies() {
    let scratch = project(&[("works", &test("test_greets"))]);
    scratch.write("tests/unit/test_greet.py", "# another\n");
    scratch.commit("another");
    scratch.write("report.xml", report(&[("test_greets", "")]).replace("tests.test_greet", "tests.unit.test_greet"));
    refused(&scratch, import(&scratch, &[]), "the report has it in tests/unit/test_greet.py");
}

#[test]
fn a_scenario_of_which_nobody_said_yet_what_it_is_refuses_the_whole_report() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("src/new.py", "# new\n");
    scratch.yatsu(&["new", "fresh", "--code", "src/new.py", "--scenario", "b"]).expect(0);
    scratch.commit("more");
    scratch.write("report.xml", report(&[("a", ""), ("b", "")]));
    refused(&scratch, import(&scratch, &[]), "still says what a new file begins with");
    import(&scratch, &["greet"]).expect(0);
}

#[test]
fn whoever_filed_is_told_what_to_add() {
    let scratch = project(&[("works", &test("a"))]);
    node(&scratch, "second one", &[("works too", &test("b"))]);
    scratch.commit("more");
    scratch.write("report.xml", report(&[("a", ""), ("b", "")]));
    let said = import(&scratch, &[]).expect(0);
    let next = "next: git add .spec/greet/yatsu.evals.ndjson '.spec/second one/yatsu.evals.ndjson'\n";
    assert!(said.err.ends_with(next), "{}", said.err);
    assert!(!import(&scratch, &[]).expect(0).err.contains("git add"));
}

#[test]
fn the_command_that_adds_what_was_filed_does_so_wherever_one_stands_and_however_many_ledgers_there_are() {
    for (count, from) in [(2, ""), (2, "tests"), (12, ""), (12, "tests")] {
        let scratch = project(&[("works", &test("a"))]);
        let names: Vec<String> = (1..count).map(|number| format!("n{number}")).collect();
        for name in &names {
            node(&scratch, name, &[("works too", &test("b"))]);
        }
        scratch.commit("more");
        let file = scratch.base.join("report.xml");
        std::fs::write(&file, report(&[("a", ""), ("b", "")])).unwrap();
        let mut command = scratch.yatsu_command(&["eval", "--from-junit"]);
        let said = Said::of(command.arg(&file).current_dir(scratch.root.join(from)).output().unwrap()).expect(0);
        let next = said.err.lines().last().and_then(|line| line.strip_prefix("next: ")).expect(&said.err);
        let mut shell = hermetic("sh", &scratch.home());
        let added = Said::of(shell.args(["-c", next]).current_dir(scratch.root.join(from)).output().unwrap());
        added.expect(0);
        let staged = scratch.git(&["diff", "--cached", "--name-only"]);
        assert_eq!(staged.lines().filter(|path| path.ends_with(".evals.ndjson")).count(), count, "{next}: {staged}");
    }
}

/// A report of a real runner, as `report.xml`.
fn real(scratch: &Scratch, name: &str) {
    fs::copy(format!("tests/data/reports/{name}"), scratch.root.join("report.xml")).expect("a copy");
}

#[test]
fn a_failure_of_a_package_goes_with_no_pass_in_it() {
    let scratch =
        project(&[("all of b", "pkg/b"), ("one of b", "{path: pkg/b/b_test.go, name: TestB}"), ("all of a", "pkg/a")]);
    scratch.write("go.mod", "module example.org/c\n");
    scratch.write("pkg/a/a_test.go", "package a\n");
    scratch.write("pkg/b/b_test.go", "package b\n");
    scratch.commit("tests");
    real(&scratch, "go-testmain.xml");
    let passes = scratch.read("report.xml").replace(
        "<testcase classname=\"\" name=\"TestMain\"",
        "<testcase classname=\"example.org/c/pkg/b\" name=\"TestB\"/><testcase classname=\"\" name=\"TestMain\"",
    );
    scratch.write("report.xml", passes);
    let why = "one of b: broken: `TestMain` failed in the package pkg/b, outside of any test";
    refused(&scratch, import(&scratch, &["--strict"]), why);
    let said = import(&scratch, &[]).expect(0).out;
    assert!(said.contains(&format!("skipped greet/{why}\n")), "{said}");
    assert_eq!(filed(&scratch, "greet"), ["all of b fail", "all of a pass"]);
}

#[test]
fn a_report_without_the_failure_of_its_run_is_refused() {
    let scratch = project(&[("works", "{path: vt2/u.test.mjs, name: a}")]);
    scratch.write("vt2/u.test.mjs", "// tests\n");
    scratch.commit("tests");
    real(&scratch, "vitest-unhandled.xml");
    for code in ["1", "-1", "255"] {
        let said = import(&scratch, &["--exit", code]);
        assert!(said.err.contains("What each runner needs"), "{}", said.err);
        refused(&scratch, said, &format!("the tests ended with exit code {code}, and the reports have no failure"));
    }
    import(&scratch, &["--exit", "x"]).expect(2);
    scratch.yatsu(&["eval", "greet", "--pass", "--exit", "0"]).expect(2);
    import(&scratch, &["--exit", "0"]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["works pass"]);
    // a failure that is no scenario's explains the exit code
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", ""), ("b", "<failure/>")]));
    import(&scratch, &["--exit", "1"]).expect(0);
    scratch.write("report.xml", report(&[("a", "")]).replace("name=\"pytest\"", "name=\"pytest\" errors=\"1\""));
    let said = import(&scratch, &["--exit", "1"]).expect(1);
    assert!(said.out.contains("skipped greet/works: broken: `pytest`: it counts 1 failure"), "{}", said.out);
}

#[test]
fn a_scenario_over_many_cases_may_allow_skips() {
    let scratch = project(&[
        ("many", "{path: tests/test_greet.py, skips: allow}"),
        ("strict", "tests/test_greet.py"),
        ("none", "{path: tests/test_greet.py, name: b, skips: allow}"),
    ]);
    scratch.write("report.xml", report(&[("a", ""), ("b", "<skipped/>"), ("c", "")]));
    let said = import(&scratch, &[]).expect(0).out;
    assert_eq!(filed(&scratch, "greet"), ["many pass"]);
    assert!(said.contains("skipped greet/none: skipped: no case has a result\n"), "{said}");
    assert!(
        said.contains("skipped greet/strict: partly skipped: 1 of 3 cases has no result; `skips: allow`"),
        "{said}"
    );
    let place = "tests/test_greet.py";
    let text = format!("skips allowed: 1 of 3 cases has no result\nPASS {place} a\nPASS {place} c\nSKIP {place} b\n");
    assert_eq!(evidence(&scratch), text);
    let said = import(&scratch, &["--skips", "allow", "--format", "json"]).expect(0);
    let answer = validate_published(&said.out);
    assert_eq!(filed(&scratch, "greet"), ["many pass", "strict pass"]);
    assert_eq!(answer["readings"][1]["cases"][1]["state"], "skipped");
    import(&scratch, &["--skips", "deny"]).expect(2);
    scratch.write("report.xml", report(&[("a", ""), ("b", ""), ("c", "<failure/>")]));
    import(&scratch, &["--skips", "allow"]).expect(0);
    assert_eq!(filed(&scratch, "greet")[2..], ["many fail", "strict fail", "none pass"]);
    // an older program refuses the key as this one refuses another value of it
    scratch.write(".spec/greet/yatsu.md", scratch.read(".spec/greet/yatsu.md").replace("skips: allow", "skips: alow"));
    let said = scratch.yatsu(&["scan"]).expect(1).out;
    assert!(said.contains("`skips` is `alow`; its one value is `allow`"), "{said}");
}

#[test]
fn an_expected_failure_is_a_pass_and_a_skip_of_googletest_is_none() {
    let scratch = project(&[("known", &test("test_known")), ("later", &test("test_later"))]);
    real(&scratch, "pytest.xml");
    import(&scratch, &[]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["known pass"]);
    let scratch = project(&[("Skips", ""), ("Adds", "")]);
    real(&scratch, "googletest.xml");
    let said = import(&scratch, &[]).expect(1).out;
    assert!(said.contains("skipped greet/Skips: skipped: no case has a result\n"), "{said}");
    assert!(said.contains("failed outside of any test, and the report does not say where\n"), "{said}");
    assert_eq!(filed(&scratch, "greet"), [""; 0]);
}

#[test]
fn one_nul_in_an_output_refuses_nothing() {
    let scratch = project(&[("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", "<system-out>x&#0;y</system-out>")]));
    import(&scratch, &[]).expect(0);
    assert_eq!(evidence(&scratch), "PASS tests/test_greet.py a\nx&#0;y\n");
}

#[test]
fn a_retry_that_passes_is_flaky_and_not_ambiguous() {
    let scratch = project(&[("a", ""), ("works", &test("a"))]);
    scratch.write("report.xml", report(&[("a", ""), ("a", "")]));
    let said = import(&scratch, &[]).expect(1).out;
    for scenario in ["a", "works"] {
        let expected = format!("skipped greet/{scenario}: flaky: 1 of 1 case passed at a later try;");
        assert!(said.contains(&expected), "{said}");
    }
    import(&scratch, &["--flaky", "pass"]).expect(0);
    assert_eq!(filed(&scratch, "greet"), ["a pass", "works pass"]);
}
