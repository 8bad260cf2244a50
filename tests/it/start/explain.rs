//! `explain`: rules, keys, files, topics.

use super::somebodys;
use crate::support::{Said, hermetic, one_node, program, validate_published};
use serde_json::json;

#[test]
fn rules_come_first_then_keys_then_files_then_topics() {
    let scratch = one_node();
    let said = |word: &str| scratch.yatsu(&["explain", word]).expect(0).out;
    assert!(said("yatsu-drift").contains("\nTo mend: "));
    assert!(said("yatsu.roots").starts_with("yatsu.roots in spexcode.json: Where nodes live"));
    assert_eq!(said("code").lines().count(), 3, "in the spec file, in an entry and in the glossary");
    assert!(said("exit-codes").contains("\n3  Could not check"));
    assert!(said("agents").starts_with("<!-- yatsu-hook:begin -->"));
    scratch.write("agents", "a file of this name");
    assert!(said("agents").starts_with("agents: a file\n"), "a file comes before a topic");
    scratch.write("yatsu-drift", "x");
    assert!(said("./yatsu-drift").starts_with("yatsu-drift: a file\n"), "this is always a file");
}

#[test]
fn a_file_is_explained_by_whose_it_is_and_who_governs_it() {
    let scratch = one_node();
    scratch.write("new.rs", "x");
    scratch.write(".gitignore", "*.log\n");
    scratch.write("a.log", "x");
    for (path, expected) in [
        ("src/a.rs", "src/a.rs: a file\ngoverned by n/works (unmeasured)\n"),
        (
            ".spec/n/yatsu.md",
            ".spec/n/yatsu.md: the scenario file of node n; it declares: works\ngoverned by no scenario\n",
        ),
        (".spec/n", ".spec/n: the directory of node n; scenarios: works\ngoverned by no scenario\n"),
        ("new.rs", "new.rs: a file\ngit does not track it yet\ngoverned by no scenario\n"),
        ("a.log", "a.log: a file\ngit ignores it, by `*.log` (.gitignore:1)\ngoverned by no scenario\n"),
    ] {
        assert_eq!(scratch.yatsu(&["explain", path]).expect(0).out, expected);
    }
}

#[test]
fn the_words_of_the_score_our_file_names_and_the_last_level_of_a_key_are_explained() {
    let scratch = somebodys();
    let said = |word: &str| scratch.yatsu(&["explain", word]).expect(0).out;
    for word in ["fresh", "stale", "unmeasured", "legacy", "pass", "fail", "not judged", "node", "reading", "ledger"] {
        assert!(said(word).contains(&format!("{word}: ")), "{word}: {}", said(word));
    }
    assert_eq!(said("Stale"), said("stale"), "as it stands in a header or at the beginning of a sentence");
    assert!(said("retraction").starts_with("retraction, redaction: a line that withdraws"));
    assert_eq!(said("roots"), said("yatsu.roots"));
    for name in ["spexcode.json", "spec.md", "yatsu.md", "eval.md", "yatsu.evals.ndjson", "evals.ndjson"] {
        assert!(said(name).starts_with(&format!("{name}: ")), "{name}");
    }
    assert!(said("spexcode.json").contains("\nyatsu.roots: "), "with its keys: {}", said("spexcode.json"));
    let row = said("stale");
    scratch.write("stale", "x");
    assert!(
        said("stale").starts_with(&format!("{row}\nstale: a file\n")),
        "a word that is a file, too: {}",
        said("stale")
    );
}

/// The glossary's words in the book: the first cell of each row, less its commas.
#[test]
fn each_word_of_the_glossary_has_its_row_whatever_else_it_is() {
    let scratch = one_node();
    scratch.write("home", "a file");
    let glossary = include_str!("../../../docs/glossary.md");
    let rows =
        glossary.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")).skip(1);
    let mut asked = 0;
    for (words, meaning) in rows {
        let row = format!("{words}: {}\n", meaning.replace('`', ""));
        for word in words.split(", ") {
            let typed: Vec<&str> = ["explain"].into_iter().chain(word.split(' ')).collect();
            let said = scratch.yatsu(&typed).expect(0).out;
            assert!(said.starts_with(&row), "{word}: {said}");
            let json = validate_published(&scratch.yatsu(&["explain", word, "--format", "json"]).expect(0).out);
            assert_eq!((&json["meanings"][0]["kind"], &json["word"]), (&json!("word"), &json!(word)), "{json}");
            asked += 1;
        }
    }
    assert!(asked > 80, "{asked}");
    for word in ["drift", "measure", "run log", "event graph", "heir", "home"] {
        scratch.yatsu(&["explain", word]).expect(0);
    }
    for (word, also) in
        [("evidence", "in a line of the ledger: "), ("under-declared", "To mend: "), ("home", "home: a file")]
    {
        let said = scratch.yatsu(&["explain", word]).expect(0).out;
        assert!(said.contains(also), "{word}: {said}");
    }
}

#[test]
fn a_program_reads_what_everything_means() {
    let scratch = one_node();
    let all = validate_published(&scratch.yatsu(&["explain", "--format", "json"]).expect(0).out);
    let meanings = all["meanings"].as_array().expect("a list");
    for kind in ["word", "rule", "key", "topic", "verb"] {
        assert!(meanings.iter().any(|one| one["kind"] == kind), "{kind}");
    }
    let file = validate_published(&scratch.yatsu(&["explain", "src/a.rs", "--format", "json"]).expect(0).out);
    assert_eq!(file["meanings"][0]["kind"], "file");
    let unknown = scratch.yatsu(&["explain", "evidnce", "--format", "json"]).expect(2);
    assert_eq!(validate_published(&unknown.out)["hints"][0], "did you mean evidence?");
}

#[test]
fn a_key_of_the_configuration_names_its_default() {
    let scratch = somebodys();
    let said = |word: &str| scratch.yatsu(&["explain", word]).expect(0).out;
    for (key, default) in [
        ("lint.maxOwners", "3"),
        ("yatsu.roots", ".spec"),
        ("yatsu.stampContent", "true"),
        ("yatsu.redact", "allow"),
        ("yatsu.evaluators", "manual 1"),
        ("yatsu.evidenceFor", "none"),
        ("yatsu.budgets", "requireUsage false"),
        ("yatsu.claims", "grace 60s, maxPerRun 8, maxAttempts 3"),
        ("mainBranch", "none"),
    ] {
        assert!(said(key).ends_with(&format!(" Default: {default}.\n")), "{key}: {}", said(key));
    }
    assert!(
        said("lint.sourceExtensions").contains(" more: yatsu-hook config show.\n"),
        "{}",
        said("lint.sourceExtensions")
    );
    assert!(!said("codeSha").contains("Default"), "{}", said("codeSha"));
    assert!(said("roots").ends_with(" Default: .spec.\n"), "also by its last level");
}

#[test]
fn a_verb_is_explained_by_its_help() {
    let scratch = somebodys();
    let said = |word: &str| scratch.yatsu(&["explain", word]).expect(0).out;
    for verb in ["retract", "check", "eval", "share", "init"] {
        let help = scratch.yatsu(&[verb, "-h"]).expect(0).out;
        let usage = help.lines().find(|line| line.starts_with("Usage: ")).expect("a usage");
        assert!(said(verb).contains(usage), "{verb}: {}", said(verb));
    }
    assert!(said("retract").starts_with("retract is a verb: Withdraw one reading\n"), "{}", said("retract"));
    let near = scratch.yatsu(&["explain", "retrac"]).expect(2).err;
    assert!(near.contains("did you mean retract?"), "{near}");
    assert!(said("check").starts_with("check is a verb"), "{}", said("check"));
    // a word of the glossary or a key that is a verb, too
    for word in ["log", "evidence", "claim", "graph"] {
        assert!(said(word).contains(&format!("{word} is a verb: ")), "{word}: {}", said(word));
    }
    assert!(!said("log").contains("engine/"), "{}", said("log"));
}

#[test]
fn without_a_word_it_names_all_that_it_explains() {
    let scratch = somebodys();
    let all = scratch.yatsu(&["explain"]).expect(0).out;
    let (_, others) = all.split_once("\nBeside rules it explains\n").expect("the other names");
    for name in
        ["retract", "agents", "exit-codes", "sharing", "stale", "unmeasured", "yatsu.roots", "codeSha", "expected"]
    {
        assert!(others.contains(name), "{name}: {others}");
    }
    assert!(others.lines().all(|line| line.chars().count() <= 80), "{others}");
    let said = scratch.yatsu(&["explain", "no-such-thing"]).expect(2).err;
    assert!(said.contains("`yatsu-hook explain` lists everything that can be explained"), "{said}");
}

#[test]
fn what_nobody_knows_is_misuse_with_what_is_near_and_topics_need_no_repository() {
    assert!(somebodys().yatsu(&["explain", "./nope"]).expect(2).err.contains("no file here"));
    let scratch = somebodys();
    let outside = |word: &str| {
        let mut command = hermetic(program(), &scratch.home());
        Said::of(command.current_dir(scratch.home()).args(["explain", word]).output().unwrap())
    };
    outside("exit-codes").expect(0);
    outside("yatsu.rules").expect(0);
    outside("nope").expect(2);
}
