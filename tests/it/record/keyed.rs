//! Filing with a key, in a run, with its cost.

use super::*;

fn bytes(scratch: &Scratch) -> String {
    scratch.read(LEDGER)
}

#[test]
fn a_retry_with_a_key_is_one_line_and_an_identical_file() {
    let s = repository("");
    let flags = ["--pass", "--key", "run-1:renders", "--note", "fine"];
    assert!(eval(&s, &flags).expect(0).out.starts_with("filed "));
    let before = bytes(&s);
    let again = eval(&s, &flags).expect(0).out;
    assert!(again.starts_with("already filed board/renders pass"), "{again}");
    assert_eq!(bytes(&s), before);
    eval(&s, &["--fail"]).expect(0);
    assert!(eval(&s, &flags).expect(0).out.starts_with("already filed"), "also when it is no longer the latest");
    assert_eq!(lines(&s).len(), 2);
    assert_eq!(last(&s).get("key"), None);
}

#[test]
fn the_same_key_with_another_verdict_is_refused_and_the_file_unchanged() {
    let s = repository("");
    eval(&s, &["--pass", "--key", "k", "--note", "fine"]).expect(0);
    let before = bytes(&s);
    s.write("out.txt", "a transcript");
    let said = eval(&s, &["--fail", "--key", "k", "--result", "out.txt"]);
    refused(&s, said, 1, "the key k is used up: the reading of ");
    let said = eval(&s, &["--fail", "--key", "k", "--result", "out.txt"]);
    assert!(said.err.contains("has another blob, blobKind, verdict\n"), "{}", said.err);
    assert_eq!(bytes(&s), before);
    s.yatsu(&["retract", "board", "--scenario", "renders"]).expect(0);
    eval(&s, &["--fail", "--key", "k"]).expect(1);
    let retried = eval(&s, &["--pass", "--key", "k", "--note", "fine"]).expect(0);
    assert!(retried.out.starts_with("already filed"), "a key is used up for ever: {}", retried.out);
}

#[test]
fn without_a_key_other_evidence_is_another_reading() {
    let s = repository("");
    s.write("one.txt", "one");
    s.write("two.txt", "two");
    eval(&s, &["--pass", "--result", "one.txt"]).expect(0);
    eval(&s, &["--pass", "--result", "two.txt"]).expect(0);
    eval(&s, &["--pass", "--result", "two.txt"]).expect(0);
    assert_eq!(lines(&s).len(), 2);
    eval(&s, &["--pass", "--result", "two.txt", "--run", "r"]).expect(0);
    eval(&s, &["--pass", "--result", "two.txt", "--run", "r", "--tokens", "1,2", "--token-source", "s"]).expect(0);
    assert_eq!(lines(&s).len(), 4, "the same result in another run, and at another cost, is another reading");
}

#[test]
fn what_it_cost_is_read_in_both_spellings_and_shown() {
    let s = repository("");
    let report = r#"{"command_resource_usage":{"max_rss_bytes":5,"cpu_user_ticks":7},"command_token_usage":null}"#;
    s.write("usage.json", report);
    eval(&s, &["--pass", "--usage", "usage.json", "--tokens", "3,4", "--token-source", "bill", "--run", "r.1"])
        .expect(0);
    let usage = serde_json::json!({"completionTokens": 4, "cpuUserTicks": 7, "maxRssBytes": 5, "promptTokens": 3,
        "totalTokens": 7, "source": "bill"});
    assert_eq!((&last(&s)["usage"], &last(&s)["run"]), (&usage, &"r.1".into()));
    let json = crate::support::validate_published(&s.yatsu(&["show", "board", "--format", "json"]).expect(0).out);
    assert_eq!(json["scenarios"][0]["readings"][0]["usage"], usage);
    let shown = s.yatsu(&["show", "board"]).expect(0).out;
    assert!(shown.contains("      filed with run r.1\n      usage: completionTokens 4, cpuUserTicks 7,"), "{shown}");
    s.git(&["add", "-A", ".spec"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn tokens_that_do_not_add_up_are_refused() {
    let s = repository("");
    s.write("usage.json", r#"{"promptTokens":3,"completionTokens":4,"totalTokens":8,"source":"s"}"#);
    refused(&s, eval(&s, &["--pass", "--usage", "usage.json"]), 2, "1:54: 3 + 4 tokens are not the total of 8");
    assert_eq!(lines(&s).len(), 0);
}

#[test]
fn negative_fractional_and_too_large_numbers_are_refused_and_nothing_is_written() {
    let s = repository("");
    for number in ["-1", "0.5", "18446744073709551616", "1e3", "\"1\""] {
        s.write("usage.json", format!("{{\"ioReadBytes\":{number}}}"));
        refused(&s, eval(&s, &["--pass", "--usage", "usage.json"]), 2, "\"ioReadBytes\" must be a whole number");
    }
    for tokens in ["-1,2", "1.5,2", "18446744073709551616,0", "1", "1,2,3", ","] {
        let said = eval(&s, &["--pass", &format!("--tokens={tokens}"), "--token-source", "s"]).expect(2);
        assert!(said.err.contains("--tokens"), "{}", said.err);
    }
    s.write("usage.json", r#"{"totaltokens":3}"#);
    refused(&s, eval(&s, &["--pass", "--usage", "usage.json"]), 2, "\"totaltokens\" is no usage");
    s.write("usage.json", " ".repeat(70_000));
    refused(&s, eval(&s, &["--pass", "--usage", "usage.json"]), 2, "at most 65536 bytes");
    assert_eq!(lines(&s).len(), 0);
}

#[test]
fn an_estimate_counts_the_characters_of_prompt_and_transcript() {
    let s = repository("");
    s.write("prompt.txt", "ab");
    s.write("out.txt", "h\u{e9}llo");
    let flags = ["--pass", "--result", "out.txt", "--estimate-tokens", "prompt.txt"];
    eval(&s, &flags).expect(0);
    let usage = &last(&s)["usage"];
    let counts = ["promptTokens", "completionTokens", "totalTokens"].map(|name| usage[name].as_u64());
    assert_eq!(counts, [Some(1), Some(2), Some(3)]);
    assert_eq!(usage["source"], "char_count_div4_estimate_v1");
    assert!(eval(&s, &flags).expect(0).out.starts_with("already filed"));
    assert!(eval(&s, &[&flags[..], &["--dry-run"]].concat()).expect(0).out.starts_with("already filed"));
    eval(&s, &["--pass", "--estimate-tokens", "prompt.txt"]).expect(2);
}

#[test]
fn a_key_and_a_run_have_their_form() {
    let s = repository("");
    for flag in ["--key=a b", "--key=", "--key=\u{e9}", "--run=a/b", "--run="] {
        eval(&s, &["--pass", flag]).expect(2);
    }
    assert_eq!(lines(&s).len(), 0);
}

#[test]
fn wrong_terms_are_refused_where_they_are_added_and_ignored_where_they_stood() {
    let s = repository("");
    eval(&s, &["--pass", "--key", "k"]).expect(0);
    let wrong = bytes(&s).replace("\"key\":\"k\"", "\"key\":\"a b\",\"attempt\":0");
    s.write(LEDGER, &wrong);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("\"key\" must be 1 to 128 printable"), "{}", said.err);
    assert!(said.err.contains("\"attempt\" must be a whole number from 1"), "{}", said.err);
    s.commit("as an older writer might have had it");
    s.yatsu(&["check"]).expect(0);
    let json = crate::support::validate_published(&s.yatsu(&["show", "board", "--format", "json"]).expect(0).out);
    let reading = &json["scenarios"][0]["readings"][0];
    assert_eq!((reading.get("key"), &reading["verdict"]), (None, &"pass".into()));
}

#[test]
fn decisions_are_kept_and_wrong_ones_are_refused_where_they_are_added() {
    let s = repository("");
    eval(&s, &["--pass"]).expect(0);
    s.commit("measured");
    let before = bytes(&s);
    let ts = "\"ts\":\"2026-01-01T00:00:00.000Z\"";
    let about = format!("\"contract\":\"{0}\",\"readings\":\"{0}\"", "0".repeat(64));
    for (line, word) in [
        (format!("{{\"decision\":\"complete\",{about},\"by\":\"Ann\",{ts}}}"), ""),
        (format!("{{\"decision\":\"complete\",\"by\":\"Ann\",{ts}}}"), "needs \"contract\""),
        (format!("{{\"decision\":\"of a later version\",{ts}}}"), ""),
        (format!("{{\"decision\":\"waive-budget\",\"scenario\":\"renders\",\"reason\":\"x\",\"by\":\"A\",{ts}}}"), ""),
        (format!("{{\"decision\":\"waive-budget\",\"reason\":\"x\",\"by\":\"A\",{ts}}}"), "needs \"scenario\""),
        (format!("{{\"decision\":\"pivot\",\"by\":\"A\",{ts}}}"), "needs \"reason\""),
        (format!("{{\"decision\":\"pivot\",\"reason\":\" \",\"by\":\"A\",{ts}}}"), "needs \"reason\""),
        (format!("{{\"decision\":\"complete\",{ts}}}"), "needs \"by\""),
        ("{\"decision\":\"complete\",\"by\":\"A\"}".into(), "\"ts\" is missing"),
        (
            format!("{{\"decision\":\"x\",\"retracts\":\"2026-01-01T00:00:00.000Z\",\"scenario\":\"renders\",{ts}}}"),
            "at once",
        ),
    ] {
        s.write(LEDGER, format!("{before}{line}\n"));
        s.git(&["add", "-A"]);
        let said = s.yatsu(&["pre-commit"]).expect(i32::from(!word.is_empty()));
        assert!(said.err.contains(word), "{line}\n{}", said.err);
    }
}
