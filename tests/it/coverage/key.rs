//! The key `coverage` of a reading: a wrong one, and one that changes no other answer.

use crate::support::{Said, Scratch, fed, findings, one_node, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const GOOD: &str = r#"{"format":"lcov","ran":["src/b.rs"],"more":0,"loaded":2}"#;

/// The ledger line with this value of `coverage`.
fn with_coverage(line: &str, value: &str) -> String {
    line.replace("\"ts\"", &format!("\"coverage\":{value},\"ts\""))
}

/// V23: a wrong value is refused when it is added, and counts for nothing where it stands.
#[test]
fn a_wrong_coverage_is_refused_when_it_is_added() {
    for (value, said) in [
        ("5", "\"coverage\" must be an object with \"format\", not"),
        (r#"{"format":"lcov","more":0,"loaded":0}"#, "\"ran\" is missing"),
        (r#"{"format":"lcov","ran":["../up"],"more":0,"loaded":0}"#, "\"../up\" in \"ran\" is not a plain path"),
        (r#"{"format":"L\u001b[1m","ran":[],"more":0,"loaded":0}"#, "\"format\" must be a name as lcov or coverage.py"),
        (r#"{"format":"lcov","ran":[],"more":-1,"loaded":0}"#, "\"more\" must be a whole number from 0"),
    ] {
        let s = one_node();
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        let line = s.read(LEDGER);
        s.write(LEDGER, with_coverage(&line, value));
        s.git(&["add", "-A"]);
        let refused = s.yatsu(&["pre-commit"]).expect(1);
        assert!(refused.err.contains("error[ledger-schema]") && refused.err.contains(said), "{}", refused.err);
        assert!(!refused.err.contains('\u{1b}'), "{}", refused.err);
        s.commit("it stands");
        assert_eq!(findings(&s, "ledger-schema", &["--all"]), [""; 0]);
        s.write("src/c.rs", "");
        s.git(&["add", "-A"]);
        s.yatsu(&["pre-commit"]).expect(0);
    }
    let s = one_node();
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.write(LEDGER, with_coverage(&s.read(LEDGER), GOOD));
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

/// Commands with their answers, ids and counts of `under-declared` left out.
fn answers(s: &Scratch, ids: &mut Vec<String>) -> Vec<String> {
    let head = s.git(&["rev-parse", "HEAD"]);
    ids.push(head.clone());
    s.git(&["add", "-A"]);
    let mut said: Vec<(String, Said)> = [
        &["pre-commit"][..],
        &["pre-commit", "-v"],
        &["next"],
        &["ls"],
        &["scan", "--strict", "--format", "json"],
        &["check", "--staged", "--format", "json"],
    ]
    .map(|args| (args.join(" "), s.yatsu(args)))
    .into();
    for verb in ["pre-push", "pre-receive"] {
        let empty = "0".repeat(40);
        let (args, line) = match verb {
            "pre-push" => (vec![verb, "origin", "url"], format!("refs/heads/x {head} refs/heads/x {empty}\n")),
            _ => (vec![verb], format!("{empty} {head} refs/heads/x\n")),
        };
        said.push((verb.to_owned(), fed(s.yatsu_command(&args), line)));
    }
    let shown = |(name, said): (String, Said)| {
        let mut out = said.out.clone();
        if let Ok(mut report) = serde_json::from_str::<serde_json::Value>(&said.out) {
            if let Some(findings) = report["findings"].as_array_mut() {
                findings.retain(|finding| finding["rule"] != "under-declared");
            }
            for count in ["infos", "nodesFlagged", "introduced", "inherited", "fixed"] {
                report["summary"][count] = 0.into();
            }
            out = report.to_string();
        }
        let mut text = format!("{name}: exit {}\n{out}\n{}", said.code, said.err);
        for (at, id) in ids.iter().enumerate() {
            text = text.replace(id.as_str(), &format!("<{at}>")).replace(&id[..12], &format!("<{at}>"));
        }
        text
    };
    said.into_iter().map(shown).collect()
}

/// V22: the same story without coverage, with the key written by hand, and with the flag.
#[test]
fn freshness_hooks_and_exit_codes_are_the_same_with_and_without_coverage() {
    let story = |coverage: Option<&str>, flags: &[&str]| {
        let s = one_node();
        let (mut ids, mut all) = (Vec::new(), Vec::new());
        s.write("src/shared.rs", "fn s() {}\n");
        s.write("../cover.out", "mode: set\nsrc/b.rs:1.1,1.9 1 1\nsrc/shared.rs:1.1,1.9 1 1\nsrc/a.rs:1.1,1.9 1 1\n");
        for status in ["--pass", "--fail", "--pass"] {
            s.yatsu(&[&["eval", "n", status], flags].concat()).expect(0);
            if let Some(value) = coverage {
                let ledger = s.read(LEDGER);
                let at = ledger.trim_end().rfind('\n').map_or(0, |at| at + 1);
                s.write(LEDGER, format!("{}{}", &ledger[..at], with_coverage(&ledger[at..], value)));
            }
            all.extend(answers(&s, &mut ids));
            s.commit("measured");
            // the same again is filed already
            let again = s.yatsu(&[&["eval", "n", status], flags].concat()).expect(0);
            all.push(again.out.split_whitespace().next().unwrap_or_default().to_owned());
            all.push(s.git(&["status", "--porcelain"]));
            for (path, content) in [("src/b.rs", "fn b() { 1 }\n"), ("src/a.rs", "fn a() { 1 }\n"), ("src/new.rs", "")]
            {
                s.write(path, content);
                all.extend(answers(&s, &mut ids));
                s.commit("an edit");
            }
            s.git(&["rm", "-q", "src/b.rs"]);
            all.extend(answers(&s, &mut ids));
            s.commit("gone");
            s.write("src/b.rs", "fn b() {}\n");
            s.write("src/a.rs", "fn a() {}\n");
            s.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, src/shared.rs]")]));
            all.extend(answers(&s, &mut ids));
            s.commit("widened");
            s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
            s.git(&["rm", "-q", "src/new.rs"]);
            all.extend(answers(&s, &mut ids));
            s.commit("narrowed");
        }
        all
    };
    let without = story(None, &[]);
    let ran = r#"{"format":"lcov","ran":["src/b.rs","src/new.rs","src/shared.rs","src/a.rs"],"more":9,"loaded":2}"#;
    for with in [story(Some(ran), &[]), story(None, &["--coverage", "../cover.out"])] {
        assert_eq!(with.len(), without.len());
        for (one, other) in with.iter().zip(&without) {
            assert_eq!(one, other);
        }
    }
}

/// Two writes under one key stay one reading when only one of them measured with coverage.
#[test]
fn a_coverage_makes_no_conflict_of_keys() {
    let s = one_node();
    s.yatsu(&["eval", "n", "--pass", "--key", "k"]).expect(0);
    let line = s.read(LEDGER);
    let at = line.find("\"ts\"").expect("a time");
    let later = format!("{}\"coverage\":{GOOD},\"ts\":\"2026-01-02T00:00:00.000Z\"}}\n", &line[..at]);
    s.write(LEDGER, line + &later);
    s.git(&["add", "-A"]);
    assert_eq!(findings(&s, "key-conflict", &["--staged"]), [""; 0]);
}
