//! The answer to a change: introduced findings first and once; older ones as one line.

use crate::support::{Scratch, one_node, reading, reading_line, scenarios, validate_published, validate_sarif};
use serde_json::Value;

const OLDER: &str = "older findings, not from this change: yatsu-hook scan\n";

/// A repository in which, before the last commit, two scenarios were never measured and one is stale.
fn with_older() -> Scratch {
    let scratch = one_node();
    let three = [("works", "src/a.rs"), ("more", "src/b.rs"), ("most", "src/b.rs")];
    scratch.write(".spec/z/yatsu.md", scenarios(&three));
    scratch.write("README.md", "old\n");
    scratch.commit("scenarios");
    reading(&scratch, ".spec/z", "works", "pass", 1);
    reading(&scratch, ".spec/n", "works", "pass", 2);
    scratch.commit("measured");
    scratch
}

fn origins(json: &Value) -> Vec<&str> {
    let findings = json["findings"].as_array().expect("a list");
    findings.iter().map(|finding| finding["origin"].as_str().expect("an origin")).collect()
}

#[test]
fn a_range_that_introduces_nothing_counts_what_was_there_in_one_line() {
    let scratch = with_older();
    scratch.write("README.md", "new\n");
    scratch.commit("harmless");
    let range = ["check", "--from", "HEAD~1", "--to", "HEAD"];
    let with = |more: &[&str]| scratch.yatsu(&[&range[..], more].concat()).expect(0).out;
    assert_eq!(with(&[]), format!("2 {OLDER}"));
    assert_eq!(with(&["--inherited", "count"]), format!("2 {OLDER}"));
    assert_eq!(with(&["--inherited", "hide"]), "");
    assert_eq!(with(&["-q"]), "");
    let listed = with(&["--inherited", "list"]);
    let line = "warning[yatsu-missing] 2 scenarios declared, never measured: z/more, z/most\n";
    assert!(listed.contains(line), "{listed}");
    assert!(listed.ends_with("\nnothing introduced, 2 older\n"), "{listed}");
    assert_eq!(with(&["--format", "github"]), format!("::notice::2 {OLDER}"));
    let json = validate_published(&with(&["--format", "json"]));
    assert_eq!((origins(&json).len(), &json["summary"]["inherited"]), (0, &2.into()));
}

#[test]
fn a_range_without_an_end_ends_at_head() {
    let scratch = with_older();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("drifts");
    scratch.write("src/a.rs", "fn a() { 2; }\n");
    let said = |args: &[&str]| scratch.yatsu(&[&["check", "--from", &base], args].concat()).expect(0).out;
    assert!(said(&[]).contains("warning[yatsu-drift]"), "{}", said(&[]));
    assert_eq!(said(&[]), said(&["--to", "HEAD"]), "what is not committed is not in it");
    assert_eq!(said(&["--", "src/a.rs"]), said(&["--to", "HEAD", "--", "src/a.rs"]));
}

#[test]
fn what_a_range_introduced_comes_first_in_every_format() {
    let scratch = with_older();
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("drifts in the first and in the last file");
    let range = ["check", "--from", "HEAD~1", "--to", "HEAD", "--inherited", "list"];
    let with = |format| scratch.yatsu(&[&range[..], &["--format", format]].concat()).expect(0).out;
    let json = validate_published(&with("json"));
    assert_eq!(origins(&json), ["introduced", "introduced", "inherited", "inherited"]);
    let in_order = |text: &str, new: &str, old: &str| {
        let (last_new, first_old) = (text.rfind(new).expect(new), text.find(old).expect(old));
        assert!(last_new < first_old, "{text}");
    };
    let human = with("human");
    in_order(&human, "warning[yatsu-drift]", "warning[yatsu-missing]");
    assert!(human.ends_with("\n2 warnings introduced, 2 older\n"), "{human}");
    let github = with("github");
    in_order(&github, "(introduced)", "(older, not from this change)");
    assert!(github.starts_with("::warning file=src/a.rs,line=1,"), "{github}");
    in_order(&validate_sarif(&with("sarif")).to_string(), "\"new\"", "\"unchanged\"");
    let counted = scratch.yatsu(&range[..5]).expect(0).out;
    assert!(counted.ends_with(&format!("\n2 {OLDER}2 warnings\n")), "{counted}");
}

#[test]
fn a_hook_counts_older_findings_in_words() {
    let scratch = with_older();
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0).err;
    let older = OLDER.replace("findings", "findings in the same nodes");
    assert!(said.ends_with(&format!("\n2 {older}2 warnings\n")), "{said}");
}

#[test]
fn older_findings_belong_to_a_range() {
    let scratch = with_older();
    for args in [&["--all"][..], &["--staged"], &["--rev", "HEAD"], &[]] {
        scratch.yatsu(&[&["check"], args, &["--inherited", "list"]].concat()).expect(2);
    }
}

/// Every finding of a staged change, at every door that judges it: `rule level`.
#[track_caller]
fn introduced(scratch: &Scratch) -> Vec<String> {
    scratch.git(&["add", "-A"]);
    let rules = |args: &[&str]| {
        let said = scratch.yatsu(&[args, &["--format", "json"]].concat());
        let json = validate_published(&said.out);
        let findings = json["findings"].as_array().expect("a list").clone();
        let new = findings.iter().filter(|finding| finding["origin"] == "introduced");
        new.map(|finding| finding["rule"].as_str().expect("a rule").to_owned()).collect::<Vec<_>>()
    };
    let staged = rules(&["check", "--staged"]);
    assert_eq!(rules(&["pre-commit", "-v"]), staged);
    scratch.commit("past the gate");
    assert_eq!(rules(&["check", "--from", "HEAD~1", "--to", "HEAD"]), staged);
    staged
}

#[test]
fn a_deleted_governed_file_is_one_finding() {
    let scratch = with_older();
    scratch.git(&["rm", "-q", "src/a.rs"]);
    // for each of the two scenarios that govern it
    let asked = scratch.yatsu(&["check", "--staged", "--", "src/a.rs"]).expect(1);
    assert_eq!(asked.out.matches("error[yatsu-schema]").count(), 2, "asked about by name: {}", asked.out);
    assert_eq!(introduced(&scratch), ["yatsu-schema", "yatsu-schema"]);
}

#[test]
fn a_deleted_file_of_the_node_s_own_list_is_one_finding() {
    let scratch = one_node();
    scratch.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/a.rs\n---\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "")]));
    scratch.commit("governed by the node");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    scratch.git(&["rm", "-q", "src/a.rs"]);
    assert_eq!(introduced(&scratch), ["yatsu-schema"]);
}

#[test]
fn what_moved_beside_a_deleted_file_is_still_said() {
    let scratch = one_node();
    let list = scenarios(&[("works", "src/a.rs")]).replace("src/a.rs", "[src/a.rs, src/b.rs]");
    scratch.write(".spec/n/yatsu.md", &list);
    scratch.commit("two files");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    scratch.git(&["rm", "-q", "src/a.rs"]);
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    assert_eq!(introduced(&scratch), ["yatsu-drift", "yatsu-schema"]);
}

/// If the rule of the ghost is off, the finding that follows from it is shown.
#[test]
fn what_follows_is_said_where_its_cause_is_switched_off() {
    let scratch = one_node();
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-schema\": \"off\"}}}");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    scratch.git(&["rm", "-q", "src/a.rs"]);
    assert_eq!(introduced(&scratch), ["yatsu-drift", "yatsu-ungoverned"]);
}

#[test]
fn a_scenario_whose_only_reading_is_lost_is_not_also_unmeasured() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".spec/n/yatsu.evals.ndjson", reading_line(&head, "works", "fail", 1));
    scratch.commit("measured");
    scratch.write(".spec/n/yatsu.evals.ndjson", "");
    assert_eq!(introduced(&scratch), ["ledger-history"]);
}
