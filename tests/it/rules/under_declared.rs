//! `under-declared`: the measured run of the reading that counts went through files that the scenario does not declare.

use super::{all, only, silent, staged};
use crate::support::{Scratch, every_door, fed, findings, one_node, scenarios};
use std::path::Path;

const RULE: &str = "under-declared";
const RAISED: &str = r#"{"yatsu": {"rules": {"under-declared": "error"}}}"#;
const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// Puts a coverage with these files into the last line of a ledger.
fn add_coverage(s: &Scratch, ran: &[&str]) {
    let ran = serde_json::to_string(ran).expect("texts");
    let coverage = format!("\"coverage\":{{\"format\":\"lcov\",\"ran\":{ran},\"more\":0,\"loaded\":2}},\"ts\"");
    let ledger = s.read(LEDGER);
    let at = ledger.rfind("\"ts\"").expect("a reading");
    s.write(LEDGER, format!("{}{coverage}{}", &ledger[..at], &ledger[at + 4..]));
}

/// A repository with a committed pass of `works`, which governs `src/a.rs`; these files ran.
fn measured(ran: &[&str]) -> Scratch {
    let s = one_node();
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    add_coverage(&s, ran);
    s.commit("measured");
    s
}

fn raised(s: &Scratch) {
    s.write("spexcode.json", RAISED);
    s.commit("undeclared files block");
}

/// V1.
#[test]
fn a_file_that_ran_and_is_not_named_is_advice_in_a_score() {
    let s = measured(&["src/b.rs", "src/a.rs"]);
    let found = only(all(&s, RULE));
    assert_eq!((&found["level"], &found["undeclared"]), (&"info".into(), &serde_json::json!(["src/b.rs"])));
    insta::assert_snapshot!(s.session("yatsu-hook scan"));
}

/// V1, in a range: only the reading and the entry introduce it.
#[test]
fn a_range_introduces_it_by_a_reading_or_by_the_entry_alone() {
    let s = measured(&["src/b.rs"]);
    let in_range = |from: &str| findings(&s, RULE, &["--from", from, "--to", "HEAD", "--inherited", "list"]);
    assert_eq!(only(in_range("HEAD~1"))["origin"], "introduced");
    s.write("src/b.rs", "fn b() { 1 }\n");
    s.commit("the file is edited");
    assert_eq!(only(in_range("HEAD~1"))["origin"], "inherited");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/*.rs")]));
    s.commit("declared");
    silent(in_range("HEAD~1"));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.commit("narrowed");
    assert_eq!(only(in_range("HEAD~1"))["origin"], "introduced");
}

/// V2: a glob, a selector, `related` of the scenario and of the node, and `yatsu.coverageIgnore`.
#[test]
fn a_governed_related_or_ignored_file_is_no_finding() {
    let s = measured(&["src/b.rs"]);
    for code in ["src/*", "[src/a.rs, 'src/b.rs#b']", "src/a.rs\n    related: src/b.rs"] {
        s.write(".spec/n/yatsu.md", scenarios(&[("works", code)]));
        silent(all(&s, RULE));
    }
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    only(all(&s, RULE));
    s.write("spexcode.json", r#"{"yatsu": {"coverageIgnore": ["src/b.*"]}}"#);
    silent(all(&s, RULE));
    assert!(s.yatsu(&["config", "show"]).expect(0).out.contains("yatsu.coverageIgnore"));
    s.write("spexcode.json", "{}");
    s.write(".spec/n/spec.md", "---\ntitle: n\nrelated: src/b.rs\n---\n");
    silent(all(&s, RULE));
}

/// V14.
#[test]
fn a_declaration_afterwards_ends_it_and_the_reading_stays_fresh() {
    let s = measured(&["src/b.rs"]);
    only(all(&s, RULE));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, src/b.rs]")]));
    silent(all(&s, RULE));
    silent(all(&s, "yatsu-drift"));
    s.write("src/b.rs", "fn b() { 1 }\n");
    only(all(&s, "yatsu-drift"));
}

#[test]
fn hooks_are_silent_about_it_until_the_configuration_raises_it() {
    let s = measured(&["src/b.rs"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, src/b.rs]")]));
    s.commit("declared");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert!(!said.err.contains(RULE), "{}", said.err);
    assert_eq!(only(staged(&s, RULE))["level"], "info");
    s.git(&["checkout", "-q", "HEAD", "--", "."]);
    raised(&s);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.git(&["add", "-A"]);
    insta::assert_snapshot!(s.session("yatsu-hook pre-commit"));
    let narrowed = s.commit("narrowed");
    let before = s.git(&["rev-parse", "HEAD~1"]);
    let push = |new: &str, old: &str| {
        let line = format!("refs/heads/main {new} refs/heads/main {old}\n");
        fed(s.yatsu_command(&["pre-push", "origin", "url"]), line)
    };
    let said = push(&narrowed, &before).expect(1);
    assert!(said.err.contains("error[under-declared]"), "{}", said.err);
}

/// A part of a change.
type Step<'s> = &'s dyn Fn(&Scratch);

/// What a change itself declares counts from the next change on.
#[test]
fn a_raised_rule_is_not_silenced_by_the_change_that_it_judges() {
    let file = |more: &str| scenarios(&[("works", &format!("src/a.rs{more}"))]);
    let silencers: [(&str, Step<'_>); 6] = [
        ("related", &|s| s.write(".spec/n/yatsu.md", file("\n    related: src/b.rs"))),
        ("test", &|s| s.write(".spec/n/yatsu.md", file("\n    test: src/b.rs"))),
        ("related of the node", &|s| s.write(".spec/n/spec.md", "---\ntitle: n\nrelated: src/b.rs\n---\n")),
        ("coverageIgnore", &|s| {
            s.write("spexcode.json", RAISED.replace("\"rules\"", "\"coverageIgnore\": [\"src/b.rs\"], \"rules\""));
        }),
        ("exclude", &|s| {
            s.write("spexcode.json", RAISED.replace("\"rules\"", "\"exclude\": [\"src/b.rs\"], \"rules\""));
        }),
        ("a later reading without coverage", &|s| {
            s.yatsu(&["eval", "n", "--pass", "--note", "again"]).expect(0);
            s.yatsu(&["eval", "n", "--pass", "--note", "and again"]).expect(0);
        }),
    ];
    for (name, silence) in silencers {
        let s = one_node();
        s.write("spexcode.json", RAISED);
        let base = s.commit("undeclared files block");
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        add_coverage(&s, &["src/b.rs"]);
        silence(&s);
        for (door, said) in every_door(&s, &base) {
            let text = said.out.clone() + &said.err;
            assert!(said.code == 1 && text.contains("error[under-declared]"), "{name}, {door}: {text}");
            assert!(text.contains("in a change of its own"), "{name}, {door}: {text}");
        }
    }
    for (name, declare) in silencers.iter().take(5) {
        let s = one_node();
        s.write("spexcode.json", RAISED);
        s.commit("undeclared files block");
        declare(&s);
        let base = s.commit("a change of its own");
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        add_coverage(&s, &["src/b.rs"]);
        for (door, said) in every_door(&s, &base) {
            assert_eq!(said.code, 0, "{name}, {door}: {}{}", said.out, said.err);
        }
    }
}

/// Such files are left out when a reading is filed, so no reading names them.
#[test]
fn a_change_that_marks_files_as_generated_lowers_a_raised_rule() {
    let s = one_node();
    s.write("spexcode.json", RAISED);
    let base = s.commit("undeclared files block");
    s.write(".gitattributes", "src/b.rs linguist-generated\n*.md text\n");
    let lowered = "warning[gate-lowered]: .gitattributes gains the line `src/b.rs linguist-generated`";
    for (door, said) in every_door(&s, &base) {
        assert!((said.out.clone() + &said.err).contains(lowered), "{door}: {}{}", said.out, said.err);
    }
    s.git(&["reset", "-q", "--hard", &base]);
    // a reading of the same change cannot say whether its run went through such a file
    s.write(".gitattributes", "src/b.rs linguist-generated\n");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    add_coverage(&s, &["src/a.rs"]);
    for (door, said) in every_door(&s, &base) {
        let text = said.out.clone() + &said.err;
        assert!(said.code == 1 && text.contains("error[under-declared]"), "{door}: {text}");
        assert!(text.contains("in a change of its own"), "{door}: {text}");
    }
    s.git(&["reset", "-q", "--hard", &base]);
    s.write(".gitattributes", "src/b.rs linguist-generated\n");
    let marked = s.commit("a change of its own");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    add_coverage(&s, &["src/a.rs"]);
    for (door, said) in every_door(&s, &marked) {
        assert_eq!(said.code, 0, "{door}: {}{}", said.out, said.err);
    }
    s.write(".gitattributes", "src/b.rs linguist-generated\n");
    silent(staged(&s, "gate-lowered"));
    let s = one_node();
    s.write(".gitattributes", "src/b.rs linguist-generated\n");
    silent(staged(&s, "gate-lowered"));
}

/// Another name, in a node of another name too, is no change of its own.
#[test]
fn a_raised_rule_is_not_silenced_by_another_name_of_the_scenario() {
    let renamed = |more: &str| scenarios(&[("plays", &format!("src/a.rs{more}"))]);
    let file_anew: [(&str, Step<'_>); 3] = [
        ("with coverage", &|s| {
            s.write(".spec/n/yatsu.md", renamed("\n    related: src/b.rs"));
            s.yatsu(&["eval", "n", "--pass"]).expect(0);
            add_coverage(s, &["src/b.rs"]);
        }),
        ("with the text of before", &|s| {
            let file = s.read(".spec/n/yatsu.md").replacen("works", "plays", 1);
            s.write(".spec/n/yatsu.md", file.replace("src/a.rs", "src/a.rs\n    related: src/b.rs"));
            s.yatsu(&["eval", "n", "--pass"]).expect(0);
            add_coverage(s, &["src/b.rs"]);
        }),
        ("without coverage", &|s| {
            let file = s.read(".spec/n/yatsu.md").replacen("works", "plays", 1);
            s.write(".spec/n/yatsu.md", file);
            s.yatsu(&["eval", "n", "--pass"]).expect(0);
        }),
    ];
    for (name, silence) in file_anew {
        let s = measured(&["src/b.rs"]);
        raised(&s);
        let base = s.git(&["rev-parse", "HEAD"]);
        silence(&s);
        for (door, said) in every_door(&s, &base) {
            let text = said.out.clone() + &said.err;
            assert!(said.code == 1 && text.contains("error[under-declared] n/plays"), "{name}, {door}: {text}");
        }
    }
}

/// Attributes reach a file by macros, and by what no longer takes them away.
#[test]
fn a_change_that_marks_files_by_a_macro_or_by_a_lost_exception_lowers_a_raised_rule() {
    let made = "[attr]made linguist-generated";
    let no_attr = "src/b.py -linguist-generated";
    for (was, is, said) in [
        (made.to_owned(), format!("{made}\nsrc/b.py made"), "gains the line `src/b.py made`"),
        (
            format!("[attr]all made\n{made}"),
            format!("[attr]all made\n{made}\nsrc/b.py all"),
            "gains the line `src/b.py all`",
        ),
        (
            format!("* linguist-generated\n{no_attr}"),
            "* linguist-generated".to_owned(),
            "loses the line `src/b.py -linguist-generated`",
        ),
        (
            "*.py linguist-vendored\nsrc/b.py !linguist-vendored".to_owned(),
            "*.py linguist-vendored\nsrc/b.py text".to_owned(),
            "loses the line `src/b.py !linguist-vendored`",
        ),
        (format!("{made}\n*.py made\nb.py -made"), format!("{made}\n*.py made"), "loses the line `b.py -made`"),
        (
            format!("*.py linguist-generated\n{no_attr}"),
            format!("{no_attr}\n*.py linguist-generated"),
            "gains the line `*.py linguist-generated`",
        ),
        (
            format!("*.py linguist-generated\n{no_attr}"),
            format!("*.py linguist-generated\n{no_attr}\n*.py linguist-generated"),
            "gains the line `*.py linguist-generated`",
        ),
        (made.to_owned(), format!("{made}\nsrc/b.py text"), ""),
        (format!("{made}\n*.py made"), format!("{made}\nsrc/c.py text"), ""),
        (made.to_owned(), format!("{made}\nsrc/b.py -made"), ""),
    ] {
        let s = one_node();
        s.write("spexcode.json", RAISED);
        s.write(".gitattributes", was.clone() + "\n");
        s.commit("undeclared files block");
        s.write(".gitattributes", is + "\n");
        let found = staged(&s, "gate-lowered");
        let messages: Vec<&str> = found.iter().filter_map(|one| one["message"].as_str()).collect();
        assert_eq!(messages.is_empty(), said.is_empty(), "{was}: {messages:?}");
        assert!(said.is_empty() || messages.iter().any(|one| one.contains(said)), "{was}: {messages:?}");
    }
    // a macro of the root reaches the files of every directory
    let s = one_node();
    s.write("spexcode.json", RAISED);
    s.write(".gitattributes", made);
    s.commit("undeclared files block");
    s.write("src/.gitattributes", "b.py made\n");
    assert!(only(staged(&s, "gate-lowered"))["message"].as_str().unwrap().contains("b.py made"));
}

#[test]
fn a_change_that_raises_the_rule_brings_its_exceptions_along() {
    let s = measured(&["src/b.rs"]);
    s.write("spexcode.json", RAISED.replace("\"rules\"", "\"coverageIgnore\": [\"src/b.rs\"], \"rules\""));
    silent(staged(&s, RULE));
}

/// The hook before a commit judges only the nodes that its memo calls concerned.
#[test]
fn a_raised_rule_sees_a_file_leave_with_and_without_the_memo() {
    let s = measured(&["src/b.rs"]);
    raised(&s);
    s.git(&["rm", "-q", "src/b.rs"]);
    let memo = Path::new(&s.git(&["rev-parse", "--absolute-git-dir"])).join("yatsu");
    let answer = |has_memo: bool| {
        if has_memo {
            s.yatsu(&["scan"]);
        } else if memo.exists() {
            std::fs::remove_dir_all(&memo).expect("no memo");
        }
        let said = s.yatsu(&["pre-commit", "--format", "json"]).expect(0);
        said.out + &said.err
    };
    assert_eq!(answer(true), answer(false));
}

/// Files another reading of the content of before.
fn measure_again(s: &Scratch, node: &str) {
    s.yatsu(&["eval", node, "--pass", "--note", "again"]).expect(0);
}

fn redact_the_reading(s: &Scratch) {
    let line: serde_json::Value =
        serde_json::from_str(s.read(LEDGER).lines().next().expect("a line")).expect("a reading");
    s.yatsu(&["redact", "n", "--ts", line["ts"].as_str().expect("a time"), "--reason", "a name"]).expect(0);
}

/// What takes the reading with coverage away, or the file that it names: its name, a part of the finding, whether nothing else
/// happens, so that it is no news if the state before had the finding, and the step.
type Taken = (&'static str, &'static str, bool, fn(&Scratch));

const TAKEN: [Taken; 8] = [
    ("retracted, and measured", "this change withdraws the reading", false, |s| {
        s.yatsu(&["retract", "n/works", "--last"]).expect(0);
        measure_again(s, "n");
    }),
    ("redacted, and measured", "this change redacts the reading", false, |s| {
        redact_the_reading(s);
        measure_again(s, "n");
    }),
    ("the node moved", "m/works: the measured run went through 1 file", true, |s| {
        s.git(&["mv", ".spec/n", ".spec/m"]);
    }),
    ("the node moved, and measured", "m/works: the measured run went through 1 file", false, |s| {
        s.git(&["mv", ".spec/n", ".spec/m"]);
        measure_again(s, "m");
    }),
    ("the node moved without its ledger, and measured", "m/works: the measured run went through 1 file", false, |s| {
        std::fs::create_dir(s.root.join(".spec/m")).expect("a directory");
        s.git(&["mv", ".spec/n/yatsu.md", ".spec/m/yatsu.md"]);
        measure_again(s, "m");
    }),
    ("the scenario renamed, and measured", "n/plays: the measured run went through 1 file", false, |s| {
        s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replacen("works", "plays", 1));
        measure_again(s, "n");
    }),
    ("the file moved", "does not name: src/z.rs", true, |s| {
        s.git(&["mv", "src/b.rs", "src/z.rs"]);
    }),
    ("the file moved to where it is related", "does not name: src/z.rs", true, |s| {
        s.git(&["mv", "src/b.rs", "src/z.rs"]);
        s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs\n    related: src/z.rs")]));
    }),
];

/// A repository where the rule is raised and a committed reading went through `src/b.rs`, and the two states before.
fn raised_and_measured(ran: Option<&[&str]>) -> (Scratch, [String; 2]) {
    let s = one_node();
    s.write("spexcode.json", RAISED);
    let before = s.commit("undeclared files block");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    ran.into_iter().for_each(|ran| add_coverage(&s, ran));
    let measured = s.commit("measured");
    (s, [before, measured])
}

/// The reading may be in the state before the change, or in one of its commits.
#[test]
fn a_raised_rule_is_not_silenced_by_a_change_that_takes_the_reading_away() {
    for (name, word, is_old, take) in TAKEN {
        for of_base in [true, false] {
            let (s, [before, measured]) = raised_and_measured(Some(&["src/b.rs"]));
            take(&s);
            for (door, said) in every_door(&s, if of_base { &measured } else { &before }) {
                // a commit is compared with HEAD, which has the reading
                let is_old = is_old && (of_base || matches!(door, "pre-commit" | "check --staged"));
                let text = said.out + &said.err;
                assert_eq!(said.code, i32::from(!is_old), "{name}, {of_base}, {door}: {text}");
                let is_told = !is_old || door == "check --staged";
                assert!(
                    !is_told || text.contains(word) && text.contains("error[under-declared]"),
                    "{name}, {door}: {text}"
                );
                let names_the_redacted = text.contains("redacts") && text.contains("src/b.rs");
                assert!(!names_the_redacted, "{name}, {door}: {text}");
            }
        }
    }
}

/// By a new reading with coverage, and by `code:`.
#[test]
fn what_a_raised_rule_says_ends_by_measuring_again_with_coverage() {
    // a file that moved must be named, and a ledger that stays behind is lost history
    let others = |name: &str| name.starts_with("the file") || name.contains("without its ledger");
    for (name, _, _, take) in TAKEN.iter().filter(|(name, ..)| !others(name)) {
        for is_declared in [false, true] {
            let (s, [_, measured]) = raised_and_measured(Some(&["src/b.rs"]));
            take(&s);
            let node = if name.contains("node") { "m" } else { "n" };
            if is_declared {
                let file = format!(".spec/{node}/yatsu.md");
                s.write(&file, s.read(&file).replace("code: src/a.rs", "code: [src/a.rs, src/b.rs]"));
            }
            s.yatsu(&["eval", node, "--pass", "--note", "with coverage"]).expect(0);
            let ledger = format!(".spec/{node}/yatsu.evals.ndjson");
            let text = s.read(&ledger);
            let at = text.rfind("\"ts\"").expect("a reading");
            let coverage = r#""coverage":{"format":"lcov","ran":["src/a.rs"],"more":0,"loaded":1},"#;
            s.write(&ledger, format!("{}{coverage}{}", &text[..at], &text[at..]));
            for (door, said) in every_door(&s, &measured) {
                assert_eq!(said.code, 0, "{name}, {door}: {}{}", said.out, said.err);
            }
            let mut left = findings(&s, RULE, &["--from", &measured, "--to", "HEAD", "--inherited", "list"]);
            left.retain(|one| one["origin"] == "introduced" || one["origin"] == "inherited");
            silent(left);
        }
    }
    // an older finding of the same content, too
    let (s, [before, _]) = raised_and_measured(Some(&["src/b.rs"]));
    measure_again(&s, "n");
    add_coverage(&s, &["src/a.rs"]);
    for (door, said) in every_door(&s, &before) {
        assert_eq!(said.code, 0, "{door}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_raised_rule_accuses_nobody_who_never_had_coverage() {
    for (name, _, _, take) in TAKEN {
        for ran in [None, Some(&["src/a.rs"][..])] {
            for of_base in [true, false] {
                let (s, [before, measured]) = raised_and_measured(ran);
                take(&s);
                for (door, said) in every_door(&s, if of_base { &measured } else { &before }) {
                    let text = said.out + &said.err;
                    let is_lost = text.contains("ledger-history");
                    assert!((is_lost || said.code == 0) && !text.contains(RULE), "{name}, {door}: {text}");
                }
            }
        }
    }
}

/// Another scenario of the same text and the same list is gone; this one took nothing over.
#[test]
fn a_raised_rule_does_not_hand_a_reading_to_a_scenario_that_was_there() {
    let (s, _) = raised_and_measured(Some(&["src/b.rs"]));
    let text = s.read(".spec/n/yatsu.md");
    s.write(".spec/m/yatsu.md", &text);
    s.yatsu(&["eval", ".spec/m", "--pass"]).expect(0);
    let base = s.commit("twice");
    s.write(".spec/n/yatsu.md", scenarios(&[("draws", "src/b.rs")]));
    for (door, said) in every_door(&s, &base) {
        let text = said.out + &said.err;
        assert!(!text.contains("error[under-declared] m/works"), "{door}: {text}");
    }
}

/// The side that withdrew it answered for it.
#[test]
fn a_merge_does_not_answer_for_a_reading_that_its_other_side_withdrew() {
    let (s, _) = raised_and_measured(Some(&["src/b.rs"]));
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("notes", "n");
    s.commit("beside");
    s.git(&["checkout", "-q", "main"]);
    s.yatsu(&["retract", "n/works", "--last"]).expect(0);
    measure_again(&s, "n");
    s.commit("past the gate");
    s.git(&["checkout", "-q", "side"]);
    s.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert!(!said.err.contains(RULE), "{}", said.err);
}

/// The file that ran moves together with the entry that names it.
#[test]
fn a_raised_rule_lets_a_declared_file_move_with_its_entry() {
    for entry in ["[src/a.rs, src/b.rs]", "src/a.rs\n    related: src/b.rs"] {
        let s = one_node();
        s.write(".spec/n/yatsu.md", scenarios(&[("works", entry)]));
        s.write("spexcode.json", RAISED);
        let base = s.commit("undeclared files block");
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        add_coverage(&s, &["src/b.rs"]);
        s.git(&["mv", "src/b.rs", "src/z.rs"]);
        s.write(".spec/n/yatsu.md", scenarios(&[("works", &entry.replace("src/b.rs", "src/z.rs"))]));
        for (door, said) in every_door(&s, &base) {
            let text = said.out + &said.err;
            assert!(!text.contains(RULE), "{entry}, {door}: {text}");
        }
    }
}
