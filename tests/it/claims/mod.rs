//! Claims through the program: one owner at a time, even with races, crashes and late commands. The limits of time are
//! tested with the pure state machine (`src/features/claims/judge/engine/tests/mod.rs`); here the journal is written so that time has
//! passed.

mod answers;
mod identity;
mod journal;
mod others;
mod places;
mod shared;
mod words;

use crate::support::{Said, Scratch, hermetic, program, reading, scenarios, validate_published};
use serde_json::Value;
use std::collections::BTreeSet;

const LEDGER: &str = ".spec/board/yatsu.evals.ndjson";
const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// One node `.spec/board` with `draws` and `sorts`, committed.
fn repository() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s
}

fn journal(s: &Scratch) -> String {
    std::fs::read_to_string(s.root.join(".git/yatsu/claims.ndjson")).unwrap_or_default()
}

fn set_journal(s: &Scratch, text: &str) {
    std::fs::create_dir_all(s.root.join(".git/yatsu")).expect("a directory");
    std::fs::write(s.root.join(".git/yatsu/claims.ndjson"), text).expect("a journal");
}

/// A line of the journal: a claim of Ann on `draws`.
fn line(event: &str, token: &str, attempt: u32, until: &str) -> String {
    format!(
        "{{\"v\":1,\"ts\":\"2020-01-01T00:00:00.000Z\",\"event\":\"{event}\",\"node\":\".spec/board\",\"scenario\":\"draws\",\
         \"owner\":\"Ann\",\"token\":\"{token}\",\"attempt\":{attempt},\"until\":\"{until}\"}}\n"
    )
}

/// A line of the journal: a claim of Ann on something else than a scenario.
fn other_line(on: &str, event: &str, token: &str, until: &str) -> String {
    let scenario = "\"node\":\".spec/board\",\"scenario\":\"draws\"";
    line(event, token, 1, until).replace("\"v\":1", "\"v\":2").replace(scenario, on)
}

const PAST: &str = "2020-01-01T00:30:00.000Z";
const FUTURE: &str = "2090-01-01T00:00:00.000Z";

fn take(s: &Scratch, scenario: &str, owner: &str) -> Said {
    s.yatsu(&["claim", "take", "board", "--scenario", scenario, "--as", owner, "--format", "json"])
}

fn claimed(said: &Said) -> Value {
    validate_published(&said.out)["claims"][0].clone()
}

fn token(said: &Said) -> String {
    claimed(said)["token"].as_str().expect("a token").to_owned()
}

fn eval(s: &Scratch, flags: &[&str]) -> Said {
    s.yatsu(&[&["eval", "board", "--scenario", "draws", "--pass"], flags].concat())
}

fn filed(s: &Scratch) -> Vec<Value> {
    let lines = crate::support::ledger_lines(s, ".spec/board");
    lines.iter().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

#[track_caller]
fn refused(said: Said, code: i32, word: &str) {
    let said = said.expect(code);
    assert!(said.err.contains(word), "`{word}` is not in:\n{}", said.err);
    assert!(!said.err.contains(TOKEN), "a token is spelled:\n{}", said.err);
}

#[test]
fn a_second_taker_is_told_who_and_until_when_and_the_journal_is_unchanged() {
    let s = repository();
    let taken = claimed(&take(&s, "draws", "Ann").expect(0));
    assert_eq!((&taken["event"], &taken["attempt"], &taken["owner"]), (&"taken".into(), &1.into(), &"Ann".into()));
    let before = journal(&s);
    let until = taken["until"].as_str().expect("a time");
    refused(take(&s, "draws", "Bob"), 1, &format!("draws is held by Ann until {until}"));
    assert_eq!(journal(&s), before);
    take(&s, "sorts", "Bob").expect(0);
}

#[test]
fn the_same_name_takes_no_second_time_and_is_told_to_renew() {
    let s = repository();
    take(&s, "draws", "Ann").expect(0);
    refused(take(&s, "draws", "Ann"), 1, "claim renew");
}

#[test]
fn a_wrong_token_renews_and_releases_nothing() {
    let s = repository();
    take(&s, "draws", "Ann").expect(0);
    let before = journal(&s);
    refused(s.yatsu(&["claim", "renew", TOKEN]), 1, "no claim of this repository has this token");
    refused(s.yatsu(&["claim", "release", TOKEN]), 1, "no claim of this repository has this token");
    s.yatsu(&["claim", "renew", "0011"]).expect(2);
    assert_eq!(journal(&s), before);
}

#[test]
fn a_claim_is_renewed_released_and_taken_again_with_its_attempt() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    let renewed = s.yatsu(&["claim", "renew", &token, "--ttl", "24h", "--format", "json"]).expect(0);
    assert_eq!((&claimed(&renewed)["event"], claimed(&renewed).get("token")), (&"renewed".into(), None));
    s.yatsu(&["claim", "renew", &token, "--ttl", "25h"]).expect(2);
    s.yatsu(&["claim", "release", &token, "--reason", "lunch"]).expect(0);
    refused(s.yatsu(&["claim", "release", &token]), 1, "has ended: released");
    // a release leaves the attempt as it is
    assert_eq!(claimed(&take(&s, "draws", "Bob").expect(0))["attempt"], 1);
}

#[test]
fn a_lapsed_claim_is_taken_over_and_the_lost_token_files_nothing() {
    let s = repository();
    set_journal(&s, &line("taken", TOKEN, 1, PAST));
    let taken = claimed(&take(&s, "draws", "Bob").expect(0));
    assert_eq!((&taken["event"], &taken["attempt"]), (&"reclaimed".into(), &2.into()));
    refused(eval(&s, &["--claim", TOKEN]), 1, "is lost");
    refused(s.yatsu(&["claim", "renew", TOKEN]), 1, "is lost");
    assert_eq!(filed(&s).len(), 0);
    let flags = ["--claim", taken["token"].as_str().expect("a token")];
    eval(&s, &flags).expect(0);
    assert_eq!((&filed(&s)[0]["attempt"], &filed(&s)[0]["by"]), (&2.into(), &"Bob".into()));
    assert_eq!(claimed(&take(&s, "draws", "Bob").expect(0))["attempt"], 1, "a reading ends the series");
}

#[test]
fn a_late_token_that_nobody_took_over_files_with_a_warning() {
    let s = repository();
    set_journal(&s, &line("taken", TOKEN, 1, PAST));
    refused(s.yatsu(&["claim", "renew", TOKEN]), 1, "has expired");
    let said = eval(&s, &["--claim", TOKEN]).expect(0);
    assert!(said.err.contains("warning: late"), "{}", said.err);
    assert_eq!(filed(&s)[0]["attempt"], 1);
    assert!(journal(&s).lines().last().is_some_and(|line| line.contains("\"event\":\"filed\"")));
}

#[test]
fn without_any_claim_a_reading_is_filed_as_ever() {
    let s = repository();
    eval(&s, &[]).expect(0);
    assert_eq!((filed(&s)[0].get("attempt"), journal(&s).as_str()), (None, ""));
}

#[test]
fn who_holds_no_claim_files_nothing_while_somebody_does() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    refused(eval(&s, &[]), 1, "is held by Ann until ");
    assert_eq!(filed(&s).len(), 0);
    s.yatsu(&["eval", "board", "--scenario", "sorts", "--pass"]).expect(0);
    refused(s.yatsu(&["eval", "board", "--scenario", "sorts", "--fail", "--claim", &token]), 1, "claim is on board");
    let mut command = s.yatsu_command(&["eval", "board", "--scenario", "sorts", "--fail"]);
    command.env("YATSU_CLAIM", &token);
    refused(Said::of(command.output().expect("it runs")), 1, "claim is on board");
    let mut command = s.yatsu_command(&["eval", "board", "--scenario", "draws", "--pass"]);
    command.env("YATSU_CLAIM", &token);
    Said::of(command.output().expect("it runs")).expect(0);
    assert_eq!(filed(&s).len(), 2);
}

#[test]
fn a_kept_claim_goes_on_and_a_claim_gives_its_reading_its_run() {
    let s = repository();
    let said = s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--run", "r1", "--format", "json"]).expect(0);
    let token = token(&said);
    refused(eval(&s, &["--claim", &token, "--run", "r2"]), 1, "the claim is for run r1");
    eval(&s, &["--claim", &token, "--keep"]).expect(0);
    assert_eq!(filed(&s)[0]["run"], "r1");
    s.yatsu(&["claim", "renew", &token]).expect(0);
}

#[test]
fn a_journal_with_a_garbage_line_inside_stops_everybody_and_steals_nothing() {
    let s = repository();
    let text = line("taken", TOKEN, 1, PAST) + "garbage\n" + &line("released", TOKEN, 1, PAST);
    set_journal(&s, &text);
    for said in [take(&s, "draws", "Bob"), eval(&s, &[]), s.yatsu(&["claim", "ls"]), s.yatsu(&["claim", "log"])] {
        refused(said, 3, "line 2 is not JSON");
    }
    assert_eq!((journal(&s), filed(&s).len()), (text, 0));
}

#[test]
fn a_torn_tail_is_cut_and_said_once() {
    let s = repository();
    let whole = line("taken", TOKEN, 1, FUTURE);
    set_journal(&s, &format!("{whole}{}", &whole[..70]));
    assert!(s.yatsu(&["claim", "ls"]).expect(0).out.starts_with("live   board/draws "));
    let said = take(&s, "sorts", "Bob").expect(0);
    assert!(said.err.contains("70 bytes of a line that was cut off"), "{}", said.err);
    assert_eq!(s.yatsu(&["claim", "renew", TOKEN]).expect(0).err, "");
    assert!(journal(&s).starts_with(&whole) && journal(&s).lines().count() == 3);
}

#[test]
fn a_key_of_attempt_1_is_another_one_at_attempt_2() {
    let s = repository();
    set_journal(&s, &line("taken", TOKEN, 1, PAST));
    eval(&s, &["--claim", TOKEN, "--keep", "--key", "k"]).expect(0);
    let token = token(&take(&s, "draws", "Bob").expect(0));
    let said = s.yatsu(&["eval", "board", "--scenario", "draws", "--fail", "--claim", &token, "--key", "k"]);
    said.expect(0);
    let attempts: Vec<_> = filed(&s).iter().map(|line| line["attempt"].as_u64()).collect();
    assert_eq!(attempts, [Some(1), Some(2)]);
    s.yatsu(&["check"]).expect(0);
}

#[test]
fn the_same_command_after_its_claim_ended_is_already_filed() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    for flags in [&["--claim", &*token][..], &["--claim", &token, "--key", "k"]] {
        let expected = if flags.len() == 2 { "filed board/draws pass" } else { "" };
        let said = eval(&s, flags);
        if expected.is_empty() {
            refused(said, 1, "has ended: filed");
            continue;
        }
        assert!(said.expect(0).out.starts_with(expected));
        let (before, lines) = (journal(&s), filed(&s));
        assert!(eval(&s, flags).expect(0).out.starts_with("already filed board/draws pass"));
        assert_eq!((journal(&s), filed(&s)), (before, lines));
    }
}

#[test]
fn a_crash_between_the_line_and_the_end_of_the_claim_is_completed_by_the_same_command() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    let held = journal(&s);
    eval(&s, &["--claim", &token, "--key", "k"]).expect(0);
    let lines = filed(&s);
    set_journal(&s, &held);
    assert!(eval(&s, &["--claim", &token, "--key", "k"]).expect(0).out.starts_with("already filed"));
    assert_eq!(filed(&s), lines);
    assert!(journal(&s).lines().last().is_some_and(|line| line.contains("\"event\":\"filed\"")));
}

#[test]
fn an_abandoned_claim_is_ended_by_force_with_a_reason() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    let force = ["claim", "release", "--force", "board", "--scenario", "draws"];
    s.yatsu(&force).expect(2);
    s.yatsu(&[&force[..], &["--reason", "its machine is gone"]].concat()).expect(0);
    refused(s.yatsu(&[&force[..], &["--reason", "again"]].concat()), 1, "is not claimed");
    refused(eval(&s, &["--claim", &token]), 1, "has ended: forced");
    let log = s.yatsu(&["claim", "log", "board"]).expect(0).out;
    assert!(log.contains("forced board/draws by Ann, attempt 1: its machine is gone"), "{log}");
    let log = s.yatsu(&["claim", "log", "--format", "json"]).expect(0).out;
    assert!(validate_published(&log)["claims"].as_array().is_some_and(|claims| claims.len() == 2));
    assert!(!log.contains(&token));
}

#[test]
fn caps_and_attempts_are_named() {
    let s = repository();
    s.write("spexcode.json", r#"{"yatsu":{"claims":{"maxPerOwner":1,"maxAttempts":1,"grace":"0s"}}}"#);
    take(&s, "sorts", "Ann").expect(0);
    refused(take(&s, "draws", "Ann"), 1, "maxPerOwner");
    set_journal(&s, &line("taken", TOKEN, 1, PAST));
    refused(take(&s, "draws", "Bob"), 1, "maxAttempts");
    s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--as", "Bob", "--force"]).expect(0);
    for wrong in
        [r#"{"grace":"1d"}"#, r#"{"grace":60}"#, r#"{"maxPerRun":0}"#, r#"{"perTag":{"cli":"x"}}"#, r#"{"x":1}"#]
    {
        s.write("spexcode.json", format!("{{\"yatsu\":{{\"claims\":{wrong}}}}}"));
        s.yatsu(&["config", "check"]).expect(2);
    }
}

/// Four scenarios: `missing` was never measured, `failed` and `passed` are stale, `fresh` is not.
fn needs() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("src/b.rs", "fn b() {}\n");
    let list = [("fresh", "src/b.rs"), ("passed", "src/a.rs"), ("failed", "src/a.rs"), ("missing", "src/a.rs")];
    s.write(".spec/board/yatsu.md", scenarios(&list));
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    reading(&s, ".spec/board", "fresh", "fail", 1);
    reading(&s, ".spec/board", "passed", "pass", 1);
    reading(&s, ".spec/board", "failed", "fail", 2);
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.commit("changed");
    s
}

#[test]
fn next_takes_what_most_needs_measuring_and_never_one_twice() {
    let s = needs();
    let next = |flags: &[&str]| s.yatsu(&[&["claim", "next", "--as", "Ann", "--format", "json"], flags].concat());
    let dry = claimed(&next(&["--dry-run"]).expect(0));
    assert_eq!((&dry["scenario"], dry.get("token"), journal(&s).as_str()), (&"missing".into(), None, ""));
    let order: Vec<Value> = (0..3).map(|_| claimed(&next(&[]).expect(0))["scenario"].clone()).collect();
    assert_eq!(order, ["missing", "failed", "passed"]);
    let said = s.yatsu(&["-v", "claim", "next"]).expect(1);
    assert!(said.err.contains("passed over board/fresh: its latest reading is a fresh fail"), "{}", said.err);
    assert!(said.err.contains("passed over board/missing: board/missing is held by Ann"), "{}", said.err);
    assert_eq!(claimed(&next(&["--failing"]).expect(0))["scenario"], "fresh");
    next(&["--tag", "mobile"]).expect(1);
}

#[test]
fn equal_needs_follow_the_older_reading_then_the_path_then_the_name() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/b/yatsu.md", scenarios(&[("y", "src/a.rs"), ("x", "src/a.rs")]));
    s.write(".spec/a/yatsu.md", scenarios(&[("z", "src/a.rs")]));
    s.write(".spec/c/yatsu.md", scenarios(&[("old", "src/a.rs")]));
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    reading(&s, ".spec/c", "old", "pass", 1);
    for (dir, name) in [(".spec/b", "y"), (".spec/b", "x"), (".spec/a", "z")] {
        reading(&s, dir, name, "pass", 2);
    }
    s.write("src/a.rs", "changed\n");
    s.commit("changed");
    let next = || claimed(&s.yatsu(&["claim", "next", "--format", "json"]).expect(0))["scenario"].clone();
    assert_eq!([next(), next(), next(), next()], ["old", "z", "x", "y"]);
}

#[test]
fn a_shell_takes_the_token_into_its_environment() {
    let s = repository();
    let said = s.yatsu(&["claim", "next", "--export"]).expect(0);
    let token =
        said.out.strip_prefix("export YATSU_CLAIM=").and_then(|rest| rest.strip_suffix('\n')).expect("one line");
    assert!(token.len() == 32 && journal(&s).contains(token));
    assert!(said.err.starts_with("taken board/draws by Ann, attempt 1, until "), "{}", said.err);
    assert!(!said.err.contains(token), "{}", said.err);
    let shown = s.yatsu(&["claim", "take", "board", "--scenario", "sorts", "--as", "Ann"]).expect(0).out;
    assert!(shown.starts_with("token ") && shown.contains("\ntaken board/sorts by Ann, attempt 1, until "));
    assert!(!s.yatsu(&["claim", "ls"]).expect(0).out.contains(token));
    let mut command = s.yatsu_command(&["eval", "board", "--scenario", "draws", "--pass"]);
    command.env("YATSU_CLAIM", "no token");
    Said::of(command.output().expect("it runs")).expect(2);
}

/// Claimants in several worktrees at once: `YATSU_FULL=1` is 50 in 5 worktrees, 100 rounds.
#[test]
fn of_many_takers_at_once_one_gets_it() {
    let full = std::env::var_os("YATSU_FULL").is_some();
    let (claimants, worktrees, rounds) = if full { (50, 5, 100) } else { (5, 2, 3) };
    let s = repository();
    let trees: Vec<_> = (0..worktrees).map(|number| s.root.join(format!("../wt-{number}"))).collect();
    for tree in &trees {
        s.git(&["worktree", "add", "-q", "--detach", tree.to_str().expect("a path")]);
    }
    for round in 0..rounds {
        let takers: Vec<_> = (0..claimants)
            .map(|number| {
                let owner = format!("agent-{number}");
                let args = ["claim", "take", "board", "--scenario", "draws", "--as", &owner, "--format", "json"];
                let mut command = s.yatsu_command(&args);
                command.current_dir(&trees[number % worktrees]);
                command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
                command.spawn().expect("it runs")
            })
            .collect();
        let said: Vec<Said> =
            takers.into_iter().map(|child| Said::of(child.wait_with_output().expect("ends"))).collect();
        let won: Vec<&Said> = said.iter().filter(|said| said.code == 0).collect();
        assert_eq!(won.len(), 1, "round {round}: {:?}", said.iter().map(|said| &said.err).collect::<Vec<_>>());
        s.yatsu(&["claim", "release", &token(won[0])]).expect(0);
    }
    assert_eq!(journal(&s).lines().count(), 2 * rounds);
    let tokens: BTreeSet<_> =
        journal(&s).lines().map(|line| line.split("\"token\":\"").nth(1).map(|rest| rest[..32].to_owned())).collect();
    assert_eq!(tokens.len(), rounds, "every claim has a token of its own");
}
