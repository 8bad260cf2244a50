//! The excerpts of malformed files for people: a few lines of the judged content, in a few columns.

use crate::support::{BAD, Said, Scratch, fed, one_node, scenarios};

const ENTRY: &str = ".spec/n/yatsu.md";
const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// The lines of an answer that quote a file below a finding.
fn quoted(text: &str) -> Vec<&str> {
    let is_quoted = |line: &&str| line.starts_with("    ") && line.split('|').next().is_some_and(is_gutter);
    text.lines().filter(is_quoted).collect()
}

fn is_gutter(text: &str) -> bool {
    text.ends_with(' ') && text.trim().chars().all(|c| c.is_ascii_digit()) || text.trim().is_empty() && text.len() > 4
}

/// The whole output.
fn shown(said: &Said) -> String {
    [said.out.as_str(), said.err.as_str()].concat()
}

fn misspelt() -> Scratch {
    let s = one_node();
    s.write(ENTRY, s.read(ENTRY).replace("tags:", "taggs:"));
    s.git(&["add", "."]);
    s
}

#[test]
fn a_hook_shows_the_lines_that_are_staged_and_not_those_on_disk() {
    let s = misspelt();
    s.write(ENTRY, scenarios(&[("works", "src/a.rs")]));
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    insta::assert_snapshot!(said, @r#"
    .spec/n/yatsu.md:3:5: error[yatsu-schema] n/works: the scenario has no tags
        3 |   - name: works
          |     ^^^^
        help: give it at least one of frontend-e2e, backend-api, cli, desktop, mobile, or extend lint.scenarioTags in spexcode.json
    .spec/n/yatsu.md:6:5: error[yatsu-schema] n/works: unknown key `taggs`
        6 |     taggs: [cli]
          |     ^^^^^
        help: did you mean `tags`?
    2 errors
    "#);
    s.git(&["commit", "-q", "--no-verify", "-m", "x"]);
    s.write(ENTRY, "gone");
    let said = s.yatsu(&["check", "--rev", "HEAD"]).expect(1).out;
    assert!(quoted(&said).iter().any(|line| line.contains("taggs: ")), "{said}");
}

#[test]
fn the_first_line_of_a_finding_stays_the_one_that_editors_read() {
    let s = misspelt();
    let said = s.yatsu(&["check"]).expect(1).out;
    let is_finding = |line: &&str| line.starts_with(".spec/n/yatsu.md:") && line.contains("error[yatsu-schema]");
    assert_eq!(said.lines().filter(is_finding).count(), 2, "{said}");
    assert!(quoted(&said).len() >= 4, "{said}");
}

#[test]
fn programs_read_what_they_read_before_and_who_wants_quiet_has_it() {
    let s = misspelt();
    for format in ["json", "sarif", "github", "markdown", "junit"] {
        let said = s.yatsu(&["check", "--format", format]).expect(1).out;
        assert!(!said.contains("^^^") && !said.contains("excerpt") && !said.contains("taggs: ["), "{said}");
    }
    assert_eq!(quoted(&s.yatsu(&["check", "-q"]).expect(1).out), [""; 0]);
}

#[test]
fn without_a_terminal_or_with_ascii_no_sign_is_drawn_and_colour_is_orange_and_blue() {
    let s = misspelt();
    for args in [&["check"][..], &["check", "--ascii"], &["check", "--color", "never"]] {
        let said = s.yatsu(args).expect(1).out;
        assert!(said.contains("^^^^^") && !said.contains(['│', '━', '\u{1b}']), "{said}");
    }
    let colored = s.yatsu(&["check", "--color", "always"]).expect(1).out;
    assert!(colored.contains("\u{1b}[38;5;208m") && !colored.contains("\u{1b}[31m"), "{colored}");
    assert!(!colored.contains("\u{1b}[32m") && !colored.contains('│'), "{colored}");
}

#[test]
fn older_findings_and_those_that_a_change_ends_quote_nothing() {
    let s = misspelt();
    s.commit("broken");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("beside");
    let listed = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD", "--inherited", "list"]).expect(0).out;
    assert!(listed.contains("unknown key") && quoted(&listed).is_empty(), "{listed}");
    s.write(ENTRY, scenarios(&[("works", "src/a.rs")]));
    s.commit("mended");
    let ended = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0).out;
    assert!(ended.contains("(fixed)") && quoted(&ended).is_empty(), "{ended}");
}

#[test]
fn many_findings_quote_a_few_lines_only() {
    let s = one_node();
    let names: Vec<String> = (0..30).map(|number| format!("s{number}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(ENTRY, scenarios(&list).replace("tags:", "taggs:"));
    s.git(&["add", "."]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert_eq!(said.lines().filter(|line| line.contains("error[yatsu-schema]")).count(), 60, "{said}");
    assert_eq!(quoted(&said).len(), 20, "two lines for each of ten");
}

#[test]
fn what_is_asked_about_is_quoted_whatever_else_is_malformed() {
    let s = one_node();
    let names: Vec<String> = (0..30).map(|number| format!("s{number}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(ENTRY, scenarios(&list).replace("tags:", "taggs:"));
    s.write(".spec/z/yatsu.md", BAD);
    s.commit("broken");
    for args in [
        &["check", "--", ".spec/z/yatsu.md"][..],
        &["check", "--from", "HEAD~1", "--to", "HEAD", "--", ".spec/z/yatsu.md"],
        &["scan", "z"],
        &["validate", "--", ".spec/z/yatsu.md"],
    ] {
        let said = s.yatsu(args).expect(1).out;
        assert!(quoted(&said).iter().any(|line| line.contains("name: broken")), "{args:?}: {said}");
    }
}

#[test]
fn a_push_of_several_branches_quotes_as_much_as_a_push_of_one() {
    let s = one_node();
    let names: Vec<String> = (0..12).map(|number| format!("s{number}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write(ENTRY, scenarios(&list).replace("tags:", "taggs:"));
    let one = s.commit("broken");
    s.write("src/b.rs", "fn b() { 1; }\n");
    let other = s.commit("more");
    let lines = [("one", &one), ("other", &other)]
        .map(|(name, tip)| format!("refs/heads/{name} {tip} refs/heads/{name} {base}\n"));
    let said = fed(s.yatsu_command(&["pre-push", "origin", "url"]), lines.concat()).expect(1).err;
    assert_eq!(quoted(&said).len(), 20, "{said}");
}

#[test]
fn a_ledger_line_of_a_megabyte_is_cut_and_its_bytes_do_nothing() {
    let s = one_node();
    let long = "lorem ".repeat(180_000);
    s.write(LEDGER, format!("{{\"scenario\":\"works\",\"note\":\"{long}\"}}\n\u{1b}[2J\u{202e}\0{{\n"));
    s.git(&["add", "."]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert!(said.lines().all(|line| line.chars().count() < 250), "{said}");
    assert!(quoted(&said).len() >= 4 && quoted(&said).iter().all(|line| line.chars().count() <= 80), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{202e}', '\0']), "{said}");
}

#[test]
fn a_line_with_a_secret_is_named_and_not_shown() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let s = one_node();
    s.write(LEDGER, format!("{{\"scenario\":\"works\",\"note\":\"{token}\"\n"));
    s.git(&["add", "."]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert!(said.contains("error[ledger-schema]") && quoted(&said).is_empty(), "{said}");
    assert!(!said.contains(&token[..12]), "{said}");
}

#[test]
fn a_configuration_and_a_profile_show_what_is_wrong_with_them_as_well() {
    let s = one_node();
    s.write("spexcode.json", "{\n  \"yatsu\": { \"rules\": 3 }\n}\n");
    insta::assert_snapshot!(shown(&s.yatsu(&["check"]).expect(2)), @r#"
    yatsu-hook: spexcode.json:2:23: yatsu.rules must be an object, not the number 3
        2 |   "yatsu": { "rules": 3 }
          |                       ^
      hint: correct spexcode.json; `yatsu-hook config check` reads it again
    "#);
    s.write("spexcode.json", "{\"yatsu\": {\"runlogs\": [{\"path\": \"logs/x.jsonl\", \"profile\": \"p.json\"}]}}\n");
    s.write("p.json", "{\n  \"name\": [\n    3\n  ]\n}\n");
    s.write("logs/x.jsonl", "{}\n");
    s.git(&["add", "."]);
    insta::assert_snapshot!(shown(&s.yatsu(&["runlog", "check"])), @r#"
    yatsu-hook: p.json:2:11: name must be a string, not a list
        2 |     "name": [
          |  ___________^
        3 | |     3
        4 | |   ]
          | |___^
      hint: correct the profile; schema/profile.v1.schema.json says what may stand in one
    "#);
}

#[test]
fn a_run_log_and_a_contract_show_what_is_wrong_with_them_as_well() {
    let s = one_node();
    s.write("quality/run_state.jsonl", "{\"event\":\"_index\",\"ts\":3}\n{\"event\":\n");
    insta::assert_snapshot!(shown(&s.yatsu(&["runlog", "check"]).expect(1)), @r#"
    quality/run_state.jsonl:1:1: error[runlog-schema] index-field: `benchmark` is missing
        1 | {"event":"_index","ts":3}
          | ^^^^^^^^^^^^^^^^^^^^^^^^^
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:1:1: error[runlog-schema] index-field: `event_types` is missing
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:1:1: error[runlog-schema] index-field: `lever_state` is missing
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:1:1: error[runlog-schema] index-field: `schema_version` is missing
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:1:1: error[runlog-schema] index-field: `started_at` is missing
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:1:24: error[runlog-schema] bad-ts: "ts" must be a string, not a number
        1 | {"event":"_index","ts":3}
          |                        ^
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:2:1: error[runlog-schema] run-start-missing: the run has no `run_start`
        2 | {"event":
          | ^
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    quality/run_state.jsonl:2:10: error[runlog-schema] malformed-json: the line ends inside a value
        2 | {"event":
          |          ^
        help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
    8 errors
    "#);
    let goal = "---\ngoal_contract:\n  version: 1\n  goal_text: [enough,\n    of it]\n  acceptance_criteria: []\n";
    s.write(ENTRY, s.read(ENTRY).replacen("---\n", goal, 1));
    insta::assert_snapshot!(shown(&s.yatsu(&["validate", "--", ENTRY]).expect(1)), @r#"
    .spec/n/yatsu.md:4:14: error[yatsu-schema] n: `goal_text` needs text, not a list
        4 |     goal_text: [enough,
          |  ______________^
        5 | |     of it]
          | |__________^
        help: write one text; quote it when its brackets are text
    .spec/n/yatsu.md:6:3: error[yatsu-schema] n: `acceptance_criteria` is an empty list: a goal that asks for nothing
        6 |   acceptance_criteria: []
          |   ^^^^^^^^^^^^^^^^^^^
        help: write one entry per criterion, each beginning with `- id:`
    2 errors
    "#);
}

#[test]
fn a_file_that_is_malformed_from_its_first_line_is_shown_there() {
    let s = one_node();
    s.write(ENTRY, BAD.replace("---\n", "--- \u{7}\n"));
    s.git(&["add", "."]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert!(quoted(&said).first().is_some_and(|line| line.contains("1 | ---")), "{said}");
}

#[test]
fn a_source_file_that_nobody_can_parse_is_shown_where_its_parser_stopped() {
    let s = one_node();
    s.write("src/a.ts", "function f() {}\n  )))\n");
    s.write(ENTRY, scenarios(&[("works", "src/a.ts#f")]));
    s.git(&["add", "."]);
    let said = s.yatsu(&["pre-commit"]).expect(0).err;
    let (_, said) = said.split_once("src/a.ts:2: ").expect("the file with its line");
    assert!(said.contains("\n    2 |   )))\n      |   ^^^\n"), "{said}");
}

#[test]
fn a_line_that_is_not_in_the_graph_is_shown() {
    let s = one_node();
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.write(LEDGER, s.read(LEDGER) + "garbage of somebody\n");
    let events = s.yatsu(&["graph", "ops"]).expect(0).out;
    let lines = events.lines().count();
    s.write("events.jsonl", events + "more garbage\n");
    let of_view = s.yatsu(&["graph", "check"]).expect(1).out;
    assert!(of_view.contains("\n    2 | garbage of somebody\n      | ^^^^^^^^^^^^^^^^^^^\n"), "{of_view}");
    let of_log = s.yatsu(&["graph", "check", "--log", "events.jsonl"]).expect(1).out;
    assert!(of_log.contains(&format!("    {} | more garbage\n", lines + 1)), "{of_log}");
    s.commit("kept");
    s.write(LEDGER, "");
    let of_rev = s.yatsu(&["graph", "check", "--rev", "HEAD"]).expect(1).out;
    assert!(of_rev.contains("    2 | garbage of somebody\n"), "{of_rev}");
}
