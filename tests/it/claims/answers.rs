//! The answers of the verbs of claims: their form, their times, the names of nodes, and what happens if an answer cannot
//! be printed.

use super::*;
use std::fs::OpenOptions;
use std::process::Stdio;

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into()
}

fn told_into(s: &Scratch, args: &[&str], out: Stdio) -> Said {
    Said::of(s.yatsu_command(args).stdout(out).output().expect("it runs"))
}

#[test]
fn a_held_claim_is_dated_by_what_happened_to_it_last() {
    let s = repository();
    let taken = claimed(&take(&s, "draws", "Ann").expect(0));
    let held = || claimed(&s.yatsu(&["claim", "ls", "--format", "json"]).expect(0));
    assert_eq!((&held()["event"], &held()["ts"]), (&"taken".into(), &taken["ts"]));
    let renew = ["claim", "renew", taken["token"].as_str().expect("a token"), "--ttl", "2h", "--format", "json"];
    let renewed = claimed(&s.yatsu(&renew).expect(0));
    assert_eq!(
        (&held()["event"], &held()["ts"], &held()["until"]),
        (&"renewed".into(), &renewed["ts"], &renewed["until"])
    );
}

#[test]
fn a_dry_run_says_what_it_would_take_and_not_that_it_took_it() {
    let s = repository();
    let said = s.yatsu(&["claim", "next", "--dry-run", "--format", "json"]).expect(0);
    assert_eq!(claimed(&said)["event"], "would-take");
    assert!(s.yatsu(&["claim", "next", "--dry-run"]).expect(0).out.starts_with("would take board/draws"));
    assert_eq!(journal(&s), "");
}

#[test]
fn a_line_for_a_shell_and_a_document_are_not_asked_for_at_once() {
    let s = repository();
    for verb in [&["claim", "take", "board", "--scenario", "draws"][..], &["claim", "next"]] {
        let said = s.yatsu(&[verb, &["--export", "--format", "json"]].concat()).expect(2);
        assert_eq!(validate_published(&said.out)["reason"], "usage");
    }
    assert_eq!(journal(&s), "");
}

#[test]
fn nodes_are_called_as_in_every_other_message() {
    let s = repository();
    s.write(".spec/a/list/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.write(".spec/b/list/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.write("-x/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.commit("more");
    for (node, called) in [(".spec/board", "board"), (".spec/a/list", "a_list"), ("./-x", "-x")] {
        let take = ["claim", "take", node, "--scenario", "draws", "--as", "Ann"];
        let said = s.yatsu(&take).expect(0);
        assert!(said.out.contains(&format!("\ntaken {called}/draws by Ann")), "{}", said.out);
        let held = s.yatsu(&take).expect(1).err;
        assert!(held.starts_with(&format!("yatsu-hook: {called}/draws is held by Ann")), "{held}");
    }
}

#[test]
fn doctor_names_a_journal_that_nobody_can_follow_and_how_it_is_moved_away() {
    let s = repository();
    let told = || s.yatsu(&["doctor"]).out;
    assert!(!told().contains("claims.ndjson"), "{}", told());
    take(&s, "draws", "Ann").expect(0);
    assert!(!told().contains("claims.ndjson"), "{}", told());
    let twice = journal(&s).repeat(2);
    for bytes in ["garbage\n", &twice] {
        set_journal(&s, bytes);
        let said = told();
        assert!(said.contains("no claim is given or taken") && said.contains("`mv "), "{said}");
    }
}

#[test]
fn a_claim_whose_token_nobody_hears_is_given_back() {
    let s = repository();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let draws = ["claim", "take", "board", "--scenario", "draws"];
    for (args, out) in [
        (&draws[..], full()),
        (&["claim", "next", "--export"], full()),
        (&["claim", "next", "--format", "json"], writer.into()),
    ] {
        let said = told_into(&s, args, out).expect(3);
        assert!(said.err.contains("nothing is claimed") && said.err.contains("cannot write"), "{}", said.err);
        assert_eq!(s.yatsu(&["claim", "ls"]).expect(0).out, "");
        assert!(journal(&s).lines().last().is_some_and(|line| line.contains("could not be printed")));
    }
    take(&s, "draws", "Bob").expect(0);
}

/// Every verb that answers on standard output, with a lost answer: none may end with success.
#[test]
fn no_verb_whose_answer_is_lost_says_that_all_went_well() {
    let s = repository();
    s.write("log.txt", "it went well\n");
    let token = token(&take(&s, "sorts", "Ann").expect(0));
    let eval = ["eval", "board", "--scenario", "draws", "--pass", "--key", "k"];
    let hash = s.yatsu(&["evidence", "put", "log.txt"]).expect(0).out;
    for args in [
        &eval[..],
        &["claim", "renew", &token],
        &["claim", "ls"],
        &["claim", "log"],
        &["claim", "release", &token],
        &["usage", "--format", "json"],
        &["show", "board"],
        &["ls"],
        &["impact", "src/a.rs"],
        &["config", "show"],
        &["evidence", "put", "log.txt"],
        &["evidence", "get", hash.trim_end()],
        &["evidence", "ls"],
        &["evidence", "check"],
        &["goal", "check", "--format", "json"],
        &["runlog", "start", ".yatsu/runs/r.jsonl"],
        &["runlog", "resume", "--format", "json"],
        &["runlog", "ls", "--format", "json"],
        &["runlog", "progress", "--format", "json"],
        &["repair", "--format", "json"],
        &["clean", "--dry-run"],
        &["scan"],
        &["check", "--format", "json"],
        &["doctor", "--format", "json"],
        &["explain"],
        &["explain", "stray-blob"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
        &["retract", "board", "--scenario", "draws", "--last"],
    ] {
        let said = told_into(&s, args, full());
        // written data stands, and the exit code of these verbs only says that; `tests/it/receipts.rs` tests them all
        let stands = matches!(
            args,
            ["eval" | "repair" | "retract", ..]
                | ["evidence", "put", ..]
                | ["claim", "release" | "renew", ..]
                | ["runlog", "start" | "progress", ..]
        );
        assert!((said.code == 0) == stands, "{args:?} ends with {}: {}", said.code, said.err);
        assert!(said.err.contains("cannot ") && !said.err.contains("nothing filed"), "{args:?}: {}", said.err);
    }
    assert_eq!(filed(&s).len(), 2, "what could not be told stands all the same");
    assert!(s.yatsu(&eval).expect(0).out.starts_with("already filed"));
}

#[test]
fn no_verb_that_writes_is_taken_for_misuse_in_a_bare_repository() {
    let s = repository();
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = s.base.join("bare.git");
    s.git(&["-C", "../bare.git", "config", "user.name", "Ann"]);
    let time = "2026-01-01T00:00:00.000Z";
    let on = ["board", "--scenario", "draws"];
    for args in [
        [&["claim", "waive-budget"][..], &on, &["--reason", "r"]].concat(),
        [&["eval"][..], &on, &["--pass"]].concat(),
        [&["retract"][..], &on].concat(),
        [&["redact"][..], &on, &["--ts", time, "--reason", "r"]].concat(),
        vec!["repair"],
        vec!["goal", "complete", "board"],
        vec!["goal", "block", "board", "--reason", "r"],
        vec!["runlog", "start"],
        vec!["runlog", "add", "note"],
        vec!["runlog", "end", "success"],
    ] {
        let mut command = s.yatsu_command(&args);
        let said = Said::of(command.current_dir(&bare).output().expect("it runs")).expect(1);
        assert!(said.err.contains("bare repository"), "{args:?}: {}", said.err);
    }
}

#[test]
fn what_somebody_else_filed_is_none_of_a_token_that_ended() {
    for end in ["release", "force", "lapse"] {
        let s = repository();
        s.write("spexcode.json", r#"{"yatsu":{"claims":{"grace":"0s"}}}"#);
        let token = token(&take(&s, "draws", "Ann").expect(0));
        match end {
            "release" => s.yatsu(&["claim", "release", &token]).expect(0),
            "force" => {
                s.yatsu(&["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "r"]).expect(0)
            }
            _ => {
                set_journal(&s, &line("taken", &token, 1, PAST));
                take(&s, "draws", "Bob").expect(0);
                s.yatsu(&["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "r"]).expect(0)
            }
        };
        eval(&s, &["--by", "Bob"]).expect(0);
        let (lines, before) = (filed(&s), journal(&s));
        let word = if end == "lapse" { "is lost" } else { "has ended" };
        refused(eval(&s, &["--claim", &token]), 1, word);
        assert_eq!((filed(&s), journal(&s)), (lines, before), "{end}");
    }
}

#[test]
fn what_a_token_filed_itself_is_told_to_it_after_its_end() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    eval(&s, &["--claim", &token, "--keep"]).expect(0);
    s.yatsu(&["claim", "release", &token]).expect(0);
    for flags in [&["--claim", &token][..], &["--claim", &token, "--keep"]] {
        assert!(eval(&s, flags).expect(0).out.starts_with("already filed"));
    }
    // a ledger with a line in the future makes the reading later than the end of the claim
    let s = repository();
    let ahead = "2020-01-01T00:00:00.000Z";
    reading(&s, ".spec/board", "sorts", "pass", 1);
    let text = std::fs::read_to_string(s.root.join(LEDGER)).expect("a ledger");
    let ts = filed(&s)[0]["ts"].as_str().unwrap_or(ahead).to_owned();
    s.write(LEDGER, text.replace(&ts, &crate::support::seconds_ahead(500)));
    let token = super::token(&take(&s, "draws", "Ann").expect(0));
    eval(&s, &["--claim", &token]).expect(0);
    assert!(eval(&s, &["--claim", &token]).expect(0).out.starts_with("already filed"));
}

/// The part that an agent reads to measure: the item of `next` and of a claim, without the claim in its command.
fn item(said: &super::Said) -> serde_json::Value {
    super::validate_published(&said.out)["next"][0].clone()
}

#[test]
fn a_claim_gives_the_item_that_next_gives_with_the_command_that_files_it() {
    let s = repository();
    for verb in [&["claim", "next"][..], &["claim", "take", "board", "--scenario", "sorts"]] {
        let next = item(&s.yatsu(&["next", "--format", "json"]).expect(0));
        let planned = s.yatsu(&["claim", "next", "--dry-run", "--format", "json"]).expect(0);
        assert_eq!(item(&planned), next);
        let said = s.yatsu(&[verb, &["--format", "json"]].concat()).expect(0);
        let (mut given, token) = (item(&said), super::token(&said));
        let argv: Vec<String> = serde_json::from_value(given["argv"].take()).expect("words");
        assert_eq!(argv.last(), Some(&format!("--claim={token}")));
        let mut wanted = next.clone();
        wanted["argv"].take();
        assert_eq!(given, wanted);
        assert!(given["description"].as_str().is_some_and(|text| !text.is_empty()));
        let words: Vec<&str> = argv[1..].iter().map(String::as_str).chain(["--pass"]).collect();
        s.yatsu(&words).expect(0);
    }
    let said = s.yatsu(&["claim", "take", "board", "--scenario", "draws"]).expect(0);
    let shown: Vec<&str> = said.out.lines().map(|line| line.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(shown, ["token", "taken", "board/draws", "do", "expected", "tags", "then"], "{}", said.out);
    assert!(said.out.contains("board/draws  fresh, was pass"), "{}", said.out);
}

#[test]
fn next_names_what_whoever_asks_has_claimed_and_no_claim_of_another() {
    let s = repository();
    let next = |claim: &str| {
        let mut command = s.yatsu_command(&["next", "--limit", "0", "--format", "json"]);
        let said = super::Said::of(command.env("YATSU_CLAIM", claim).output().expect("it runs")).expect(0);
        let document = super::validate_published(&said.out);
        let row = |row: &serde_json::Value| (row["scenario"].to_string(), row["claimed"]["owner"].to_string());
        document["next"].as_array().expect("a list").iter().map(row).collect::<Vec<_>>()
    };
    let rows = |rows: &[(&str, &str)]| {
        rows.iter().map(|(name, owner)| (format!("\"{name}\""), (*owner).to_owned())).collect::<Vec<_>>()
    };
    let token = token(&take(&s, "draws", "Ann").expect(0));
    assert_eq!(next(""), rows(&[("draws", "\"Ann\""), ("sorts", "null")]), "by name");
    assert_eq!(next(&token), rows(&[("draws", "\"Ann\""), ("sorts", "null")]), "by token");
    assert_eq!(next(super::TOKEN), rows(&[("sorts", "null")]), "a token decides alone");
    s.git(&["config", "user.name", "Bob"]);
    assert_eq!(next(""), rows(&[("sorts", "null")]), "the claim of another");
    assert_eq!(next(&token), rows(&[("draws", "\"Ann\""), ("sorts", "null")]));
    let taken = s.yatsu(&["claim", "next", "--as", "Ann", "--format", "json"]).expect(0);
    assert_eq!(item(&taken)["scenario"], "sorts", "a claim is given once");
}

#[test]
fn show_and_ls_tell_programs_what_to_measure() {
    let s = repository();
    for args in [&["ls", "--format", "json"][..], &["show", "board", "--format", "json"]] {
        let document = super::validate_published(&s.yatsu(args).expect(0).out);
        assert_eq!(document["scenarios"][0]["description"], "measure draws", "{args:?}");
    }
}
