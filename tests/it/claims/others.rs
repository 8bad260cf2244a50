//! Claims on keys and on paths, and the session that a claim names.

use super::shared::{Machine, refs, shared};
use super::*;

fn take_other(s: &Scratch, flag: &str, owner: &str) -> Said {
    s.yatsu(&["claim", "take", flag, "--as", owner, "--format", "json"])
}

const KEY: &str = "\"key\":\"deploy\"";

/// The program in a directory of the repository, with these variables.
fn in_directory(s: &Scratch, dir: &str, variables: &[(&str, &str)], args: &[&str]) -> Said {
    let mut command = s.yatsu_command(args);
    Said::of(command.current_dir(s.root.join(dir)).envs(variables.iter().copied()).output().expect("it runs"))
}

#[test]
fn a_key_has_one_owner_until_it_is_given_up_or_ended_by_force() {
    let s = repository();
    let said = take_other(&s, "--key=deploy/staging", "Ann").expect(0);
    let claim = claimed(&said);
    assert_eq!((&claim["key"], claim.get("scenario")), (&"deploy/staging".into(), None));
    assert!(!said.out.contains("\"next\""), "nothing is to be measured: {}", said.out);
    let before = journal(&s);
    for owner in ["Ann", "Bob"] {
        refused(take_other(&s, "--key=deploy/staging", owner), 1, "key deploy/staging is held by Ann until ");
    }
    assert_eq!(journal(&s), before);
    take_other(&s, "--key=deploy/Staging", "Bob").expect(0);
    assert!(s.yatsu(&["claim", "ls"]).expect(0).out.contains("live   key deploy/staging by Ann, attempt 1, until "));
    s.yatsu(&["claim", "renew", &token(&said), "--ttl", "1h"]).expect(0);
    s.yatsu(&["claim", "release", &token(&said)]).expect(0);
    take_other(&s, "--key=deploy/staging", "Bob").expect(0);
    let force = ["claim", "release", "--force", "--key=deploy/staging", "--reason", "its machine is gone"];
    s.yatsu(&force).expect(0);
    refused(s.yatsu(&force), 1, "key deploy/staging is not claimed");
    let log = s.yatsu(&["claim", "log", "--key", "deploy/staging"]).expect(0).out;
    let events: Vec<&str> = log.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(events, ["taken", "renewed", "released", "taken", "forced"], "{log}");
    validate_published(&s.yatsu(&["claim", "log", "--format", "json"]).expect(0).out);
    assert_eq!(s.yatsu(&["claim", "log", "board"]).expect(0).out, "");
}

#[test]
fn no_reading_is_filed_under_a_claim_on_a_key_or_a_path_from_the_environment_neither() {
    let s = repository();
    for (flag, named) in [("--key=deploy", "key deploy"), ("--path=src/a.rs", "path src/a.rs")] {
        let token = token(&take_other(&s, flag, "Ann").expect(0));
        let before = journal(&s);
        let why = format!("this token's claim is on {named}\n");
        refused(eval(&s, &["--claim", &token]), 1, &why);
        let pass = ["eval", "board", "--scenario", "draws", "--pass"];
        refused(in_directory(&s, ".", &[("YATSU_CLAIM", &token)], &pass), 1, &why);
        assert_eq!((journal(&s), filed(&s).len()), (before, 0));
        s.yatsu(&["claim", "release", &token]).expect(0);
        refused(eval(&s, &["--claim", &token]), 1, &why);
    }
    eval(&s, &[]).expect(0);
}

#[test]
fn a_path_that_collides_is_refused_from_every_directory_and_work_tree() {
    let s = repository();
    s.git(&["worktree", "add", "-q", "--detach", "../other"]);
    let said = take_other(&s, "--path=./src/*.rs", "Ann").expect(0);
    assert_eq!(claimed(&said)["path"], "src/*.rs");
    let held = "path src/*.rs is held by Ann until ";
    refused(take_other(&s, "--path=src", "Bob"), 1, held);
    refused(in_directory(&s, "src", &[], &["claim", "take", "--path", "a.rs"]), 1, held);
    // the file is still to be written
    refused(in_directory(&s, "../other/src", &[], &["claim", "take", "--path=new.rs"]), 1, held);
    refused(take_other(&s, "--path=**/a.rs", "Bob"), 1, held);
    take_other(&s, "--path=docs/**", "Bob").expect(0);
    take_other(&s, "--key=src/a.rs", "Bob").expect(0);
    take(&s, "draws", "Bob").expect(0);
    refused(take_other(&s, "--path=docs/new/a.md", "Ann"), 1, "path docs/** is held by Bob");
    let log = in_directory(&s, "src", &[], &["claim", "log", "--path", "*.rs"]).expect(0).out;
    assert!(log.contains("taken path src/*.rs by Ann") && log.lines().count() == 1, "{log}");
    s.yatsu(&["claim", "release", &token(&said)]).expect(0);
    take_other(&s, "--path=src", "Bob").expect(0);
}

#[test]
fn two_globs_collide_where_a_file_is_that_both_match() {
    let s = repository();
    take_other(&s, "--path=src/*.rs", "Ann").expect(0);
    let wanted = "--path=*/b.rs";
    take_other(&s, wanted, "Bob").expect(0);
    s.yatsu(&["claim", "release", "--force", "--path=*/b.rs", "--reason", "r"]).expect(0);
    s.write("src/b.rs", "fn b() {}\n");
    refused(take_other(&s, wanted, "Bob"), 1, "path src/*.rs is held by Ann");
    s.write(".gitignore", "b.rs\n");
    take_other(&s, wanted, "Bob").expect(0);
}

#[test]
fn of_many_takers_of_colliding_paths_one_gets_it() {
    let s = repository();
    for _ in 0..3 {
        let globs = ["src", "src/**", "src/*.rs", "src/a.rs", "*/a.rs", "**"];
        let takers: Vec<_> = globs
            .map(|glob| {
                let mut command = s.yatsu_command(&["claim", "take", "--path", glob, "--format", "json"]);
                command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
                command.spawn().expect("it runs")
            })
            .into_iter()
            .collect();
        let said: Vec<Said> =
            takers.into_iter().map(|child| Said::of(child.wait_with_output().expect("ends"))).collect();
        let won: Vec<&Said> = said.iter().filter(|said| said.code == 0).collect();
        assert_eq!(won.len(), 1, "{:?}", said.iter().map(|said| &said.err).collect::<Vec<_>>());
        s.yatsu(&["claim", "release", &token(won[0])]).expect(0);
    }
}

#[test]
fn a_wrong_key_or_path_and_two_things_at_once_are_misuse() {
    let s = repository();
    let long = format!("--key={}", "x".repeat(129));
    let wrong: [&[&str]; 14] = [
        &["take", "--key="],
        &["take", "--key=a b"],
        &["take", "--key=-a"],
        &["take", &long],
        &["take", "--path=../a"],
        &["take", "--path=src/["],
        &["take", "--path=.git/a"],
        &["take", "--key=k", "--path=p"],
        &["take", "board", "--key=k"],
        &["take", "--scenario=draws", "--path=p"],
        &["take", "--key=k", "--session="],
        &["release", "--key=k"],
        &["release", "--force", "board", "--key=k", "--reason=r"],
        &["log", "board", "--path=p"],
    ];
    for args in wrong {
        s.yatsu(&[&["claim"], args].concat()).expect(2);
    }
    s.yatsu(&["claim", "release", "--force", "--key=k"]).expect(2);
    assert_eq!(journal(&s), "");
}

#[test]
fn caps_and_attempts_count_keys_and_paths_as_they_count_scenarios() {
    let s = repository();
    s.write("spexcode.json", r#"{"yatsu":{"claims":{"maxPerOwner":2,"maxAttempts":2,"grace":"0s"}}}"#);
    take_other(&s, "--key=k", "Ann").expect(0);
    take_other(&s, "--path=src", "Ann").expect(0);
    refused(take(&s, "draws", "Ann"), 1, "maxPerOwner");
    refused(take_other(&s, "--key=l", "Ann"), 1, "maxPerOwner");
    for on in [KEY, "\"path\":\"src\""] {
        set_journal(&s, &other_line(on, "taken", TOKEN, PAST));
        let flag = if on == KEY { "--key=deploy" } else { "--path=src" };
        let taken = claimed(&take_other(&s, flag, "Bob").expect(0));
        assert_eq!((&taken["event"], &taken["attempt"]), (&"reclaimed".into(), &2.into()));
        refused(s.yatsu(&["claim", "renew", TOKEN]), 1, "is lost: it expired, and it was taken again");
        let lapsed = other_line(on, "taken", TOKEN, PAST).replace("\"attempt\":1", "\"attempt\":2");
        set_journal(&s, &lapsed);
        refused(take_other(&s, flag, "Bob"), 1, "lapsed 2 times without a release");
        s.yatsu(&["claim", "take", flag, "--force"]).expect(0);
    }
}

#[test]
fn a_session_comes_from_the_flag_or_the_environment_and_only_its_hash_is_kept() {
    let s = repository();
    // the first 32 digits of `printf ID | sha256sum`
    let [flag, own_hash, claude_hash] =
        ["3477769ee91d25997b21f819a3c88633", "3f2ef5b500f50e117f2fa4dee09e37b7", "a8bd3ff0c017a16fca9d3a26a0fb796f"]
            .map(str::to_owned);
    let own = ("YATSU_SESSION", "id-own");
    let claude = ("CLAUDE_CODE_SESSION_ID", "id-claude");
    let take = |variables: &[(&str, &str)], flags: &[&str]| {
        let args = [&["claim", "take", "--key=k", "--format=json"], flags].concat();
        let said = in_directory(&s, ".", variables, &args).expect(0);
        let renewed = s.yatsu(&["claim", "renew", &token(&said), "--format=json"]).expect(0);
        assert_eq!(claimed(&renewed).get("session"), claimed(&said).get("session"), "it stays with the claim");
        s.yatsu(&["claim", "release", &token(&said)]).expect(0);
        claimed(&said).get("session").and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(take(&[own, claude], &["--session=id-flag"]), Some(flag));
    assert_eq!(take(&[own, claude], &[]), Some(own_hash));
    assert_eq!(take(&[("YATSU_SESSION", ""), claude], &[]), Some(claude_hash));
    assert_eq!(take(&[], &[]), None);
    assert!(!journal(&s).contains("id-"), "{}", journal(&s));
}

/// The journal's own rule: a line of another version stops everybody, so that no claim is taken over by mistake. Lines of
/// before are read, and lines that say nothing new are still written for the program of before.
#[test]
fn old_lines_are_read_and_only_new_facts_are_written_in_version_2() {
    let s = repository();
    set_journal(&s, &line("taken", TOKEN, 1, FUTURE));
    refused(take(&s, "draws", "Bob"), 1, "is held by Ann");
    take(&s, "sorts", "Bob").expect(0);
    take_other(&s, "--key=deploy", "Bob").expect(0);
    take_other(&s, "--path=src", "Bob").expect(0);
    s.yatsu(&["claim", "release", TOKEN]).expect(0);
    s.yatsu(&["claim", "take", "board/draws", "--session=x"]).expect(0);
    let versions: Vec<u64> = journal(&s)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line")["v"].as_u64().expect("a number"))
        .collect();
    assert_eq!(versions, [1, 1, 2, 2, 1, 2]);
    assert_eq!(s.yatsu(&["claim", "ls"]).expect(0).out.lines().count(), 4);
    let newer = other_line(KEY, "taken", TOKEN, PAST).replace("\"v\":2", "\"v\":3");
    set_journal(&s, &newer);
    for said in [take_other(&s, "--key=deploy", "Bob"), eval(&s, &[]), s.yatsu(&["claim", "ls"])] {
        refused(said, 3, "line 1 is of another version");
    }
    assert_eq!(journal(&s), newer);
}

#[test]
fn a_key_is_seen_by_other_machines_and_a_path_and_a_session_by_none() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let args = ["claim", "take", "--key=deploy", "--as=Ann", "--session=secret", "--format=json"];
    let taken = s.yatsu(&args).expect(0);
    let public = refs(&s);
    // `printf '\\0key\\0deploy' | sha256sum`
    let end = "e6dfbee9b3bdfd16ce97b82f5cb66989acf2f117";
    assert!(public.starts_with(&format!("refs/yatsu/claims/{end} {{\"v\":2,")), "{public}");
    let session = claimed(&taken)["session"].as_str().expect("a session").to_owned();
    assert!(!public.contains(&session) && !public.contains(&token(&taken)), "{public}");
    refused(other.yatsu(&["claim", "take", "--key=deploy", "--as=Bob"]), 1, "key deploy is held by Ann until");
    assert!(other.yatsu(&["claim", "ls"]).expect(0).out.starts_with("live   key deploy by Ann, attempt 1, until "));
    let row = claimed(&s.yatsu(&["claim", "ls", "--format=json"]).expect(0));
    assert_eq!((&row["session"], &row["seenBy"]), (&session.into(), &"origin".into()));
    take_other(&s, "--path=src", "Ann").expect(0);
    assert_eq!(refs(&s), public);
    other.yatsu(&["claim", "take", "--path=src", "--as=Bob"]).expect(0);
    other.yatsu(&["claim", "release", "--force", "--key=deploy", "--reason=gone"]).expect(0);
    refused(s.yatsu(&["claim", "renew", &token(&taken)]), 1, "the claim on key deploy is lost");
    // a path needs no remote, and a key does
    s.git(&["config", "remote.origin.url", "file:///nowhere/at/all.git"]);
    s.yatsu(&["claim", "release", "--force", "--path=src", "--reason=gone"]).expect(0);
    take_other(&s, "--path=src", "Ann").expect(0);
    take_other(&s, "--key=deploy", "Ann").expect(3);
    s.yatsu(&["claim", "take", "--key=deploy", "--local"]).expect(0);
}
