//! What the verbs of claims answer: in which form, of which time, by which name; and what becomes of an answer that nobody
//! gets.

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
    assert!(s.yatsu(&["claim", "next", "--dry-run"]).expect(0).out.starts_with("would take board \u{b7} draws"));
    assert_eq!(journal(&s), "");
}

#[test]
fn a_line_for_a_shell_and_a_document_are_not_asked_for_at_once() {
    let s = repository();
    for verb in [&["claim", "take", "board", "--scenario", "draws"][..], &["claim", "next"]] {
        let said = s.yatsu(&[verb, &["--export", "--format", "json"]].concat()).expect(2);
        assert!(said.out.is_empty() && said.err.contains("leave one of them out"), "{}", said.err);
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
        assert!(said.out.contains(&format!("\ntaken {called} \u{b7} draws by Ann")), "{}", said.out);
        let held = s.yatsu(&take).expect(1).err;
        assert!(held.starts_with(&format!("yatsu-hook: {called} \u{b7} draws is held by Ann")), "{held}");
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

/// Every verb that answers on standard output where the answer is lost: none ends as if all had gone well.
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
        // what was written down stands, and the exit code of these says that alone; `tests/it/receipts.rs` has them all
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
    // a ledger that is ahead of the clock dates the reading after the moment at which the claim ended
    let s = repository();
    let ahead = "2020-01-01T00:00:00.000Z";
    reading(&s, ".spec/board", "sorts", "pass", 1);
    let text = std::fs::read_to_string(s.root.join(LEDGER)).expect("a ledger");
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(20);
    let ts = filed(&s)[0]["ts"].as_str().unwrap_or(ahead).to_owned();
    s.write(LEDGER, text.replace(&ts, &format!("{now:.3}")));
    let token = super::token(&take(&s, "draws", "Ann").expect(0));
    eval(&s, &["--claim", &token]).expect(0);
    assert!(eval(&s, &["--claim", &token]).expect(0).out.starts_with("already filed"));
}
