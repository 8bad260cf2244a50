//! The messages of refused claims: every command that a message names must do what the message says, copied as it
//! stands. Only the token, which messages never show, is filled in.

use super::*;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A node and a scenario with any names.
#[derive(Clone, Copy)]
struct Target {
    node: &'static str,
    scenario: &'static str,
}

const PLAIN: Target = Target { node: ".spec/board", scenario: "draws" };
const ODD: Target = Target { node: ".spec/my board", scenario: "--it's odd" };
const ROOT: Target = Target { node: ".", scenario: "draws" };

fn repository_of(target: Target) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let text = scenarios(&[(&format!("\"{}\"", target.scenario), "src/a.rs"), ("sorts", "src/a.rs")]);
    s.write(&format!("{}/yatsu.md", target.node), text);
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s
}

fn journal_line(target: Target, event: &str, token: &str, until: &str) -> String {
    line(event, token, 1, until)
        .replace(".spec/board", target.node)
        .replace("\"draws\"", &format!("\"{}\"", target.scenario))
}

/// A command with a message, and what happens before the user follows it.
struct Case {
    what: &'static str,
    before: fn(&Scratch, Target),
    asked: &'static [&'static str],
    meanwhile: fn(&Scratch, Target),
    /// How many commands the message names.
    ways: usize,
}

const TAKE: &[&str] = &["claim", "take", "NODE", "SCENARIO", "--as", "Bob"];
const FILE: &[&str] = &["eval", "NODE", "SCENARIO", "--pass", "--claim", TOKEN];
const RENEW: &[&str] = &["claim", "renew", TOKEN];

fn nothing(_: &Scratch, _: Target) {}

fn held(s: &Scratch, target: Target) {
    set_journal(s, &journal_line(target, "taken", TOKEN, FUTURE));
}

fn in_grace(s: &Scratch, target: Target) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    let until = now - Duration::from_secs(5);
    let until = jiff::Timestamp::from_millisecond(i64::try_from(until.as_millis()).expect("a time")).expect("a time");
    set_journal(s, &journal_line(target, "taken", TOKEN, &format!("{until:.3}")));
}

fn lapsed(s: &Scratch, target: Target) {
    set_journal(s, &journal_line(target, "taken", TOKEN, PAST));
}

fn released(s: &Scratch, target: Target) {
    let lines = ["taken", "released"].map(|event| journal_line(target, event, TOKEN, FUTURE));
    set_journal(s, &lines.concat());
}

fn taken_over(s: &Scratch, target: Target) {
    let other = TOKEN.replace('0', "9");
    let lines = [journal_line(target, "taken", TOKEN, PAST), journal_line(target, "reclaimed", &other, FUTURE)];
    set_journal(s, &lines.concat());
}

fn one_attempt(s: &Scratch, target: Target) {
    s.write("spexcode.json", r#"{"yatsu":{"claims":{"maxAttempts":1}}}"#);
    lapsed(s, target);
}

fn one_claim(s: &Scratch, target: Target) {
    s.write("spexcode.json", r#"{"yatsu":{"claims":{"maxPerOwner":1}}}"#);
    let other = Target { scenario: "sorts", ..target };
    set_journal(s, &journal_line(other, "taken", TOKEN, FUTURE).replace("Ann", "Bob"));
}

fn other_scenario(s: &Scratch, target: Target) {
    // the message appears for another scenario, and names this one
    held(s, target);
}

const CASES: &[Case] = &[
    Case { what: "is held by", before: held, asked: TAKE, meanwhile: nothing, ways: 3 },
    Case { what: "can be taken over in", before: in_grace, asked: TAKE, meanwhile: lapsed, ways: 2 },
    Case {
        what: "is not claimed",
        before: nothing,
        asked: &["claim", "release", "--force", "NODE", "SCENARIO", "--reason", "r"],
        meanwhile: nothing,
        ways: 1,
    },
    Case { what: "was attempted once", before: one_attempt, asked: TAKE, meanwhile: nothing, ways: 2 },
    Case { what: "maxPerOwner", before: one_claim, asked: TAKE, meanwhile: nothing, ways: 1 },
    Case { what: "no claim of this repository", before: nothing, asked: RENEW, meanwhile: nothing, ways: 2 },
    Case {
        what: "this token's claim is on",
        before: other_scenario,
        asked: &["eval", "NODE", "--scenario", "sorts", "--pass", "--claim", TOKEN],
        meanwhile: nothing,
        ways: 3,
    },
    Case { what: "is lost", before: taken_over, asked: FILE, meanwhile: released, ways: 2 },
    Case { what: "has ended: released", before: released, asked: FILE, meanwhile: nothing, ways: 1 },
    Case { what: "has expired", before: lapsed, asked: RENEW, meanwhile: nothing, ways: 2 },
];

fn asked(s: &Scratch, target: Target, words: &[&str]) -> Said {
    let scenario = format!("--scenario={}", target.scenario);
    let node = if target.node == "." { "./." } else { target.node };
    let fill = |word: &&str| match *word {
        "NODE" => node.to_owned(),
        "SCENARIO" => scenario.clone(),
        word => word.to_owned(),
    };
    let words: Vec<String> = words.iter().map(fill).collect();
    s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The commands that a message names, together for each hint.
fn ways(said: &Said) -> Vec<String> {
    let hints = said.err.lines().filter_map(|line| line.strip_prefix("  hint: "));
    hints
        .map(|hint| hint.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" >/dev/null && "))
        .inspect(|commands| assert!(!commands.is_empty(), "a hint without a command: {}", said.err))
        .collect()
}

/// Runs a command as a person would who copies it, in any directory of the repository.
fn typed(s: &Scratch, command: &str) -> Said {
    let path =
        format!("{}:{}", program().parent().expect("a directory").display(), std::env::var("PATH").expect("PATH"));
    let mut shell = hermetic("sh", &s.home());
    shell.current_dir(s.root.join("src")).env("PATH", path).args(["-c", &command.replace("TOKEN", TOKEN)]);
    Said::of(shell.output().expect("a shell"))
}

#[test]
fn every_command_that_a_refusal_names_works_as_it_stands() {
    for target in [PLAIN, ODD, ROOT] {
        for case in CASES {
            let heard = || {
                let s = repository_of(target);
                (case.before)(&s, target);
                let said = asked(&s, target, case.asked).expect(1);
                assert!(said.err.contains(case.what), "{}: {}", case.what, said.err);
                assert!(!said.err.contains(TOKEN), "{}", said.err);
                (s, ways(&said))
            };
            let count = heard().1.len();
            assert_eq!(count, case.ways, "{}", case.what);
            for number in 0..count {
                let (s, ways) = heard();
                (case.meanwhile)(&s, target);
                let done = typed(&s, &ways[number]);
                assert_eq!(done.code, 0, "{}: {}\n{}{}", case.what, ways[number], done.out, done.err);
            }
        }
    }
}

/// A refusal of a key or a path: the events before it, the command, the words of the message, whether the claim was released
/// when the user follows it, and how many commands the message names.
type OtherCase = (&'static [(&'static str, &'static str)], &'static [&'static str], &'static str, bool, usize);

const OTHER_CASES: &[OtherCase] = &[
    (&[("taken", FUTURE)], &["claim", "take", "ON", "--as", "Bob"], "is held by", false, 2),
    (&[], &["claim", "release", "--force", "ON", "--reason", "r"], "is not claimed", false, 1),
    (&[("taken", PAST)], &["claim", "take", "ON"], "lapsed once without a release", false, 2),
    (&[("taken", FUTURE)], &["eval", "board/draws", "--pass", "--claim", TOKEN], "this token's claim is on", false, 2),
    (&[("taken", FUTURE), ("released", FUTURE)], RENEW, "has ended: released", false, 1),
    (&[("taken", PAST)], RENEW, "has expired", false, 1),
    (&[("taken", PAST), ("reclaimed", FUTURE)], RENEW, "is lost", true, 2),
];

#[test]
fn every_command_that_a_refusal_of_a_key_or_a_path_names_works_as_it_stands() {
    // typed below `src`, where a path has another spelling than at the top
    for (on, typed_on) in [("\"key\":\"deploy/it\"", "--key=deploy/it"), ("\"path\":\"src/*.rs\"", "--path=*.rs")] {
        for (before, words, what, is_released, count) in OTHER_CASES {
            let heard = || {
                let s = repository();
                let attempts = if what.starts_with("lapsed") { 1 } else { 3 };
                s.write("spexcode.json", format!("{{\"yatsu\":{{\"claims\":{{\"maxAttempts\":{attempts}}}}}}}"));
                let other = |event| if event == "reclaimed" { TOKEN.replace('0', "9") } else { TOKEN.to_owned() };
                let lines = before.iter().map(|(event, until)| other_line(on, event, &other(*event), until));
                set_journal(&s, &lines.collect::<String>());
                let words: Vec<&str> = words.iter().map(|word| if *word == "ON" { typed_on } else { word }).collect();
                let mut command = s.yatsu_command(&words);
                let said = Said::of(command.current_dir(s.root.join("src")).output().expect("it runs")).expect(1);
                assert!(said.err.contains(what) && !said.err.contains(TOKEN), "{what}: {}", said.err);
                (s, ways(&said))
            };
            assert_eq!(heard().1.len(), *count, "{what}");
            for number in 0..*count {
                let (s, ways) = heard();
                if *is_released {
                    let lines = ["taken", "released"].map(|event| other_line(on, event, TOKEN, FUTURE));
                    set_journal(&s, &lines.concat());
                }
                let done = typed(&s, &ways[number]);
                assert_eq!(done.code, 0, "{what}: {}\n{}{}", ways[number], done.out, done.err);
            }
        }
    }
}

#[test]
fn an_abandoned_claim_is_ended_by_the_command_that_the_refusal_prints() {
    for target in [PLAIN, ODD, ROOT] {
        let s = repository_of(target);
        held(&s, target);
        let said = asked(&s, target, TAKE).expect(1);
        let force = ways(&said).into_iter().find(|way| way.contains("--force")).expect("the way with force");
        typed(&s, &force).expect(0);
        asked(&s, target, TAKE).expect(0);
    }
}

#[test]
fn what_was_passed_over_is_told_by_the_command_that_the_refusal_prints() {
    let s = repository();
    for scenario in ["draws", "sorts"] {
        take(&s, scenario, "Bob").expect(0);
    }
    let before = journal(&s);
    let said = s.yatsu(&["claim", "next", "--tag", "cli", "--failing", "board"]).expect(1);
    let told = typed(&s, &ways(&said)[0]).expect(1);
    assert!(told.err.contains("passed over board/draws: ") && told.err.contains(" is held by Bob"), "{}", told.err);
    assert_eq!(journal(&s), before, "asking why takes nothing");
}

#[test]
fn a_journal_that_cannot_be_read_is_moved_away_by_the_command_that_the_refusal_prints() {
    let s = repository();
    set_journal(&s, "garbage\n");
    let said = take(&s, "draws", "Ann").expect(3);
    typed(&s, &ways(&said)[0]).expect(0);
    take(&s, "draws", "Ann").expect(0);
    let kept = std::fs::read_to_string(s.root.join(".git/yatsu/claims.unreadable"));
    assert_eq!(kept.expect("what was moved away"), "garbage\n");
}

#[test]
fn an_environment_without_a_token_is_mended_by_what_the_refusal_prints() {
    const FILE: &str = "yatsu-hook eval board/draws --pass";
    for number in 0..2 {
        let s = repository();
        let typed = |command: &str| typed(&s, &format!("export YATSU_CLAIM=none; {command}"));
        let ways = ways(&typed(FILE).expect(2));
        assert_eq!(ways.len(), 2, "{ways:?}");
        typed(&format!("{} && {FILE}", ways[number])).expect(0);
        assert_eq!(journal(&s).contains("filed"), number == 1);
    }
}
