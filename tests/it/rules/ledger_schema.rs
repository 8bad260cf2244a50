//! `ledger-schema`: complete events, and no added reading without a verdict.

use super::{all, measured, one_node, only, silent, staged};
use crate::support::{Scratch, every_door, reading, reading_line, scenarios, seconds_ahead};
use yatsu_hook::model::ledger::MAX_LEDGER;
use yatsu_hook::repo::views::MAX_READ;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

#[test]
fn a_torn_line_blocks_where_it_stands() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    let whole = scratch.read(LEDGER);
    scratch.write(LEDGER, format!("{whole}{}", &whole[..40]));
    only(staged(&scratch, "ledger-schema"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
}

#[test]
fn a_whole_ledger_is_silent_and_an_old_generation_too() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    silent(staged(&scratch, "ledger-schema"));
    scratch.commit("measured");
    silent(all(&scratch, "ledger-schema"));
}

#[test]
fn a_reading_without_a_verdict_may_stand_but_not_be_added() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let legacy = format!(
        "{{\"scenario\":\"works\",\"codeSha\":\"{head}\",\"blob\":null,\"evaluator\":\"manual@1\",\"ts\":\"2025-01-01T00:00:00.000Z\"}}\n"
    );
    scratch.write(LEDGER, &legacy);
    let found = only(staged(&scratch, "ledger-schema"));
    assert!(found["message"].as_str().expect("text").contains("verdict"), "{found}");
    scratch.commit("past the gate");
    scratch.write("src/b.rs", "");
    silent(staged(&scratch, "ledger-schema"));
}

/// A reading that is dated ahead would count above every later one until then.
#[test]
fn a_time_more_than_ten_minutes_ahead_is_refused_at_every_door_with_both_times() {
    let head = |scratch: &Scratch| scratch.git(&["rev-parse", "HEAD"]);
    let dated = |scratch: &Scratch, ts: &str| {
        let line = reading_line(&head(scratch), "works", "pass", 2);
        scratch.write(LEDGER, scratch.read(LEDGER) + &line.replace("2026-01-01T00:02:00.000Z", ts));
    };
    for (ahead, is_taken) in [(580, true), (660, false), (23 * 3600, false)] {
        let scratch = measured("fail");
        let (base, ts) = (head(&scratch), seconds_ahead(ahead));
        dated(&scratch, &ts);
        for (door, said) in every_door(&scratch, &base) {
            let text = said.out.clone() + &said.err;
            let refusal = format!("its time {ts} lies more than ten minutes ahead of the clock, which says 2");
            assert_eq!((said.code == 0, !text.contains(&refusal)), (is_taken, is_taken), "{door}, {ahead}: {text}");
        }
    }
}

#[test]
fn an_observation_that_is_dated_ahead_may_not_be_added() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let how = r#"{"kind":"observed","harness":"claude","command":"make","exit":0,"at":"2099-01-01T00:00:00.000Z"}"#;
    let line = reading_line(&head, "works", "pass", 1);
    scratch.write(LEDGER, line.replace("\"ts\"", &format!("\"how\":{how},\"ts\"")));
    let found = only(staged(&scratch, "ledger-schema"));
    assert!(found["message"].as_str().expect("text").starts_with("its time 2099-01-01"), "{found}");
}

/// It counts above every later reading, so nothing that looks at the state may pass over it.
#[test]
fn a_line_that_is_dated_ahead_is_named_wherever_its_state_is_judged() {
    for (ahead, is_taken) in [(580, true), (660, false)] {
        let scratch = one_node();
        let ts = seconds_ahead(ahead);
        let head = scratch.git(&["rev-parse", "HEAD"]);
        let line = reading_line(&head, "works", "pass", 1).replace("2026-01-01T00:01:00.000Z", &ts);
        scratch.write(LEDGER, line);
        scratch.commit("past the gate");
        for args in [
            &["check", "--all"][..],
            &["check", "--all", "--", LEDGER],
            &["check", "--all", "--format", "json"],
            &["check", "--all", "--format", "sarif"],
            &["scan"],
            &["validate", LEDGER],
        ] {
            let said = scratch.yatsu(args);
            let text = said.out + &said.err;
            let refusal = format!("its time {ts} lies more than ten minutes ahead of the clock, which says 2");
            assert_eq!(text.contains(&refusal), !is_taken, "{args:?}: {text}");
            assert!(is_taken || said.code == 1 || args == ["scan"], "{args:?}: {text}");
        }
        // a later change did not bring it
        scratch.write("src/b.rs", "");
        assert!(staged(&scratch, "ledger-schema").iter().all(|one| one["origin"] == "inherited"));
        scratch.git(&["add", "-A"]);
        scratch.yatsu(&["pre-commit"]).expect(0);
    }
}

/// Otherwise one line from a wrong clock would push every later line of its node beyond the gate.
#[test]
fn no_verb_writes_a_line_after_one_that_is_dated_far_ahead() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("draws", "src/b.rs")]));
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let ahead = reading_line(&head, "draws", "pass", 1).replace("2026-01-01T00:01:00.000Z", &seconds_ahead(3600));
    scratch.write(LEDGER, ahead);
    let base = scratch.commit("from a wrong clock");
    scratch.yatsu(&["eval", "n/works", "--fail"]).expect(0);
    scratch.yatsu(&["retract", "n/works"]).expect(0);
    scratch.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    for (door, said) in every_door(&scratch, &base) {
        assert_eq!(said.code, 0, "{door}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_stamp_that_its_commit_contradicts_may_not_be_added() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let id = |path: &str| scratch.git(&["rev-parse", &format!("HEAD:{path}")]);
    let with = |id: &str| {
        reading_line(&head, "works", "pass", 1)
            .replace("\"verdict\"", &format!("\"governed\":{{\"src/a.rs\":\"{id}\"}},\"verdict\""))
    };
    scratch.write(LEDGER, with(&id("src/b.rs")));
    let found = only(staged(&scratch, "ledger-schema"));
    assert!(found["message"].as_str().expect("text").contains("stamp"), "{found}");
    scratch.write(LEDGER, with(&id("src/a.rs")));
    silent(staged(&scratch, "ledger-schema"));
}

/// An older program must not block a newer repository.
#[test]
fn a_line_of_a_kind_that_nobody_knows_is_kept_and_blocks_nothing() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    let claim = "{\"kind\":\"claim\",\"scenario\":\"works\",\"sealed\":{\"by\":7}}\n";
    scratch.write(LEDGER, scratch.read(LEDGER) + claim + &claim.replace("7", "8"));
    let found = only(staged(&scratch, "ledger-schema"));
    assert_eq!((found["level"].as_str(), found["line"].as_u64()), (Some("info"), Some(2)), "{found}");
    assert!(found["message"].as_str().expect("text").starts_with("2 lines of the kind `claim`"), "{found}");
    assert!(scratch.yatsu(&["pre-commit"]).expect(0).err.ends_with("\n1 info\n"));
    scratch.yatsu(&["check", "--all", "--strict"]).expect(0);
    scratch.yatsu(&["scan"]).expect(0);
    assert_eq!(scratch.yatsu(&["repair"]).expect(0).out, "nothing to repair\n");
    scratch.commit("measured");
    scratch.write(LEDGER, scratch.read(LEDGER).replace("\"by\":7", "\"by\":9"));
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("error[ledger-history]"), "kept is kept: {}", said.err);
    scratch.write(LEDGER, "{\"kind\":\"claim\",");
    assert_eq!(only(staged(&scratch, "ledger-schema"))["level"], "error");
}

#[test]
fn two_readings_of_one_time_are_named_until_they_are_withdrawn() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.write(LEDGER, scratch.read(LEDGER) + &scratch.read(LEDGER).replace("pass", "fail"));
    assert_eq!(only(all(&scratch, "ledger-schema"))["level"], "warning");
    scratch.yatsu(&["retract", "n", "--scenario", "works"]).expect(0);
    silent(all(&scratch, "ledger-schema"));
}

/// A ledger of slightly more than `size` bytes: blank space, which git compresses well, then `lines`.
fn large(scratch: &Scratch, size: usize, lines: &str) {
    scratch.write(LEDGER, [&vec![b' '; size][..], b"\n", lines.as_bytes()].concat());
    scratch.git(&["add", "-A"]);
}

/// An append-only file cannot be made smaller.
#[test]
fn a_ledger_that_is_too_large_is_advised_against_until_it_cannot_be_judged() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = reading_line(&head, "works", "pass", 1);
    scratch.git(&["config", "core.looseCompression", "1"]);
    large(&scratch, MAX_LEDGER, &line);
    scratch.yatsu(&["pre-commit", "--strict"]).expect(1);
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    let place = format!("{LEDGER}:1:1: warning[ledger-schema] n: the ledger is ");
    assert!(said.err.starts_with(&place) && said.err.contains("help: split the node"), "{}", said.err);
    scratch.git(&["commit", "-q", "-m", "measured"]);
    large(&scratch, MAX_LEDGER, &(line.clone() + &reading_line(&head, "works", "pass", 2)));
    assert_eq!(scratch.yatsu(&["pre-commit"]).expect(0).err, "");
    large(&scratch, MAX_READ as usize, &line);
    let said = scratch.yatsu(&["pre-commit"]).expect(3);
    assert!(said.err.contains(LEDGER) && said.err.contains("  hint: "), "{}", said.err);
}

/// A repository with ids of this hash and one node, and a reading with an id of another length.
#[test]
fn an_id_of_another_hash_may_not_be_added() {
    for (format, foreign) in [("sha1", "a".repeat(64)), ("sha256", "a".repeat(40))] {
        let scratch = Scratch::with_init(&[&format!("--object-format={format}")]);
        scratch.write("src/a.rs", "fn a() {}\n");
        scratch.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "src/a.rs")]));
        let head = scratch.commit("first");
        scratch.write(LEDGER, reading_line(&foreign, "works", "pass", 1));
        let found = only(staged(&scratch, "ledger-schema"));
        let expected = format!("its codeSha is no id of this repository: ids here have {} digits", head.len());
        assert_eq!((found["level"].as_str(), found["message"].as_str()), (Some("error"), Some(&*expected)), "{format}");
        let stamp = format!("\"governed\":{{\"src/a.rs\":\"x:{foreign}\"}},\"dirty\":true,\"verdict\"");
        let line = reading_line(&head, "works", "pass", 1).replace("\"verdict\"", &stamp);
        scratch.write(LEDGER, &line);
        let found = only(staged(&scratch, "ledger-schema"));
        assert!(found["message"].as_str().expect("text").starts_with("its stamp of src/a.rs is no id"), "{found}");
        scratch.commit("past the gate");
        scratch.write("src/b.rs", "");
        silent(staged(&scratch, "ledger-schema"));
    }
}
