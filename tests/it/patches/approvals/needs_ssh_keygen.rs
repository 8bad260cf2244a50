//! Signed approvals: who a key speaks for, which keys are allowed, and what an author can do with another key.

use super::{HOME, asked, commit_as, status};
use crate::support::{Said, Scratch, sha256};
use crate::trust::{ByHand, JUDGES, Team};
use serde_json::{Value, json};

/// A team with these judges, where main asks for approvals, and Ann's branch `topic`, which changes `a`.
fn team(judges: &[(&str, &str)], approvals: &str) -> Team {
    let team = Team::new();
    let lines: String = judges.iter().map(|(names, key)| team.judge(names, key)).collect();
    team.s.write(JUDGES, lines);
    let roles = r#""roles": {"person": ["*@example.org"], "agent": ["*-agent@example.org"]}"#;
    let trust = format!("\"signers\": \"{JUDGES}\", {roles}, \"approvals\": {approvals}");
    team.s.write("spexcode.json", format!("{{\"yatsu\": {{\"trust\": {{{trust}}}}}}}"));
    for name in ["a", "b", "c"] {
        team.s.write(name, format!("{name}\n"));
    }
    team.s.commit("first");
    super::topic(&team.s);
    team
}

const PEOPLE: [(&str, &str); 3] = [("ann@example.org", "ann"), ("bob@example.org", "bob"), ("cid@example.org", "cid")];
const SIGNED: &str = r#"{"grade": "signed"}"#;
const BY_A_PERSON: &str = r#"{"roles": ["person"]}"#;

/// A committed decision about `topic` with a signature by this key.
#[track_caller]
fn decide(team: &Team, kind: &str, by: &str, key: &str) -> Said {
    let key = team.key(key).display().to_string();
    let more = ["--reason", "read", "--by", by, "--sign", "--signing-key", &key];
    let said = team.s.yatsu(&[&["patch", kind, "topic"], &more[..]].concat()).expect(0);
    commit_as(&team.s, "Eve", "decided");
    said
}

fn answer(s: &Scratch) -> (String, Value) {
    let answer = asked(s, "main", "topic");
    (answer["status"].as_str().unwrap_or_default().to_owned(), answer["by"].clone())
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_policy_with_a_grade_takes_signed_approvals_alone() {
    for grade in ["signed", "independent"] {
        let team = team(&PEOPLE, &format!("{{\"grade\": \"{grade}\"}}"));
        super::decide(&team.s, "approve", "topic", "Bob <bob@example.org>");
        assert_eq!(answer(&team.s), ("short".into(), json!([])), "anyone can write this name");
        let said = team.s.yatsu(&["check", "--from", "main"]).expect(0);
        assert!(said.out.contains("signed where yatsu.trust.approvals asks"), "{}", said.out);
        // the same decision again adds the signature to its line
        decide(&team, "approve", "Bob <bob@example.org>", "bob");
        assert_eq!(answer(&team.s), ("covered".into(), json!(["bob@example.org"])));
        assert_eq!(team.s.read(HOME).lines().count(), 2, "one decision, one signature");
    }
}

// T29
#[test]
#[ignore = "needs ssh-keygen"]
fn the_giver_is_the_owner_of_the_key_and_not_the_name_in_the_line() {
    for policy in [SIGNED, BY_A_PERSON, "{}"] {
        let team = team(&PEOPLE, policy);
        decide(&team, "approve", "Bob <bob@example.org>", "ann");
        assert_eq!(answer(&team.s), ("short".into(), json!([])), "{policy}: ann wrote the change, and signs as bob");
        decide(&team, "approve", "Ann <ann@example.org>", "cid");
        assert_eq!(answer(&team.s), ("covered".into(), json!(["cid@example.org"])), "{policy}: cid did not write it");
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn an_authors_second_key_and_second_name_are_the_author() {
    let judges = [
        ("ann@example.org,ann@home", "ann"),
        ("ann@home", "laptop"),
        ("bob@example.org", "bob"),
        ("*@example.org", "any"),
    ];
    let team = team(&judges, SIGNED);
    for (key, what) in [("laptop", "another key of the author"), ("any", "a pattern that fits the author")] {
        decide(&team, "approve", key, key);
        assert_eq!(status(&team.s, "main", "topic"), "short", "{what}");
    }
    decide(&team, "approve", "bob", "bob");
    assert_eq!(status(&team.s, "main", "topic"), "covered");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn two_keys_of_one_person_count_once_and_two_persons_who_sign_one_line_count_twice() {
    let judges = [("ann@example.org", "ann"), ("bob@example.org", "bob"), ("bob@example.org", "laptop"), PEOPLE[2]];
    let team = team(&judges, r#"{"need": 2, "grade": "signed"}"#);
    decide(&team, "approve", "bob", "bob");
    decide(&team, "approve", "robert", "laptop");
    let (status, by) = answer(&team.s);
    assert_eq!((status.as_str(), by.as_array().map(Vec::len)), ("short", Some(1)));
    decide(&team, "approve", "robert", "cid");
    let (status, by) = answer(&team.s);
    assert_eq!((status.as_str(), by), ("covered", json!(["bob@example.org", "cid@example.org"])));
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_second_signer_of_a_rejection_cannot_take_it_back_for_the_first() {
    let team = team(&PEOPLE, SIGNED);
    decide(&team, "reject", "bob", "bob");
    let ts = serde_json::from_str::<Value>(team.s.read(HOME).lines().next().unwrap_or_default()).expect("a line");
    let line = team.s.read(HOME).lines().next().unwrap_or_default().to_owned();
    by_hand(
        &team,
        "cid",
        &line,
        &ByHand { ts: ts["ts"].as_str().unwrap_or_default(), home: ".spec", ..ByHand::default() },
    );
    commit_as(&team.s, "Cid", "signed, too");
    assert_eq!(answer(&team.s), ("rejected".into(), json!(["cid@example.org", "bob@example.org"])));
    team.s.yatsu(&["patch", "approve", "topic", "--reason", "x", "--by", "cid"]).expect(1);
    let approve = line.replace("\"reject\"", "\"approve\"").replace("\"ts\":\"20", "\"ts\":\"21");
    team.s.write(HOME, format!("{}{approve}\n", team.s.read(HOME)));
    by_hand(&team, "cid", &approve, &ByHand { ts: "2199-01-01T00:00:00.000Z", home: ".spec", ..ByHand::default() });
    commit_as(&team.s, "Cid", "approved by hand");
    assert_eq!(answer(&team.s), ("rejected".into(), json!(["bob@example.org"])));
}

/// Appends a signature of `line` in the patches' home.
fn by_hand(team: &Team, key: &str, line: &str, part: &ByHand<'_>) {
    let signature = team.signature_by_hand(key, &sha256(line), part);
    team.s.write(HOME, format!("{}{signature}\n", team.s.read(HOME)));
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_key_that_another_person_has_under_the_same_address_is_not_known() {
    let team = team(&PEOPLE, SIGNED);
    // a key that the change admits under Bob's address
    team.s.write(JUDGES, format!("{}{}", team.s.read(JUDGES), team.judge("bob@example.org", "eve")));
    commit_as(&team.s, "Ann", "another key of bob");
    let said = decide(&team, "approve", "Bob <bob@example.org>", "eve");
    assert!(said.err.contains("the main branch does not know the key"), "{}", said.err);
    assert_eq!(answer(&team.s), ("short".into(), json!([])));
    decide(&team, "approve", "Bob <bob@example.org>", "bob");
    assert_eq!(answer(&team.s), ("covered".into(), json!(["bob@example.org"])));
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_that_does_not_hold_gives_no_approval() {
    let holds = ByHand { home: ".spec", ..ByHand::default() };
    for (part, expected, what) in [
        (ByHand { ts: "2000-01-01T00:00:00.000Z", ..holds }, "short", "older than the line"),
        (ByHand { home: ".spec/n", ..holds }, "short", "for another ledger"),
        (ByHand { project: Some("urn:theirs"), ..holds }, "short", "for another project"),
        (ByHand { namespace: "git", ..holds }, "short", "for another program"),
        (holds, "covered", "it holds"),
    ] {
        let team = team(&PEOPLE, SIGNED);
        super::decide(&team.s, "approve", "topic", "bob@example.org");
        let line = team.s.read(HOME).lines().next().unwrap_or_default().to_owned();
        let ts = serde_json::from_str::<Value>(&line).expect("a line")["ts"].as_str().unwrap_or_default().to_owned();
        // the time of the line itself, unless the case has one of its own
        let ts = if part.ts == holds.ts { &ts } else { part.ts };
        by_hand(&team, "bob", &line, &ByHand { ts, ..part });
        commit_as(&team.s, "Bob", "signed");
        assert_eq!(status(&team.s, "main", "topic"), expected, "{what}");
        // of another line
        let edited = team.s.read(HOME).replacen("\"reason\":\"read\"", "\"reason\":\"well read\"", 1);
        team.s.write(HOME, edited);
        commit_as(&team.s, "Ann", "edited");
        assert_eq!(status(&team.s, "main", "topic"), "short", "{what}: the signed line was edited");
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn only_an_allowed_role_and_a_name_with_an_address_may_approve() {
    let judges = [
        ("bob@example.org", "bob"),
        ("bob-agent@example.org", "agent"),
        ("robot", "robot"),
        ("guest@elsewhere", "guest"),
    ];
    let team = team(&judges, BY_A_PERSON);
    for (key, what) in [("agent", "an agent"), ("robot", "a name without an address"), ("guest", "no role")] {
        decide(&team, "approve", key, key);
        assert_eq!(status(&team.s, "main", "topic"), "short", "{what}");
    }
    decide(&team, "approve", "bob", "bob");
    assert_eq!(answer(&team.s), ("covered".into(), json!(["bob@example.org"])));
    // without a role any key of the judges speaks, but one without an address may be an author's
    let team = self::team(&judges, SIGNED);
    decide(&team, "approve", "robot", "robot");
    assert_eq!(status(&team.s, "main", "topic"), "short");
    decide(&team, "approve", "agent", "agent");
    assert_eq!(status(&team.s, "main", "topic"), "covered");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn the_keys_and_the_policy_before_the_change_judge_and_a_signature_outlives_a_rebase() {
    let team = team(&PEOPLE, SIGNED);
    decide(&team, "approve", "bob", "bob");
    team.s.git(&["checkout", "-q", "main"]);
    team.s.write("b", "B\n");
    commit_as(&team.s, "Dee", "main moves");
    team.s.git(&["checkout", "-q", "topic"]);
    team.s.git(&["rebase", "-q", "main"]);
    assert_eq!(status(&team.s, "main", "topic"), "covered");
    team.s.git(&["checkout", "-q", "main"]);
    team.s.git(&["merge", "-q", "--squash", "topic"]);
    commit_as(&team.s, "Dee", "squashed");
    assert_eq!(status(&team.s, "main^", "main"), "covered");
    team.s.git(&["reset", "-q", "--hard", "HEAD^"]);
    team.s.write(JUDGES, team.judge("ann@example.org", "ann"));
    commit_as(&team.s, "Dee", "bob leaves");
    assert_eq!(status(&team.s, "main", "topic"), "short");
    // an eased policy on the branch itself does not count
    let team = self::team(&PEOPLE, SIGNED);
    team.s.write("spexcode.json", "{}");
    commit_as(&team.s, "Ann", "no policy");
    super::decide(&team.s, "approve", "topic", "bob@example.org");
    assert_eq!(status(&team.s, "main", "topic"), "short");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn without_ssh_keygen_a_signed_approval_cannot_be_judged() {
    let team = team(&PEOPLE, SIGNED);
    decide(&team, "approve", "bob", "bob");
    std::fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("what was verified");
    let bare = team.without_keygen();
    let run = |args: &[&str]| Said::of(team.s.yatsu_command(args).env("PATH", &bare).output().expect("the program"));
    let asked = run(&["check", "--from", "main", "--to", "topic", "--require-approval"]).expect(3);
    assert!(asked.err.contains("ssh-keygen was not found"), "{}", asked.err);
    run(&["check", "--from", "main", "--to", "topic"]).expect(3);
}

// T4
#[test]
#[ignore = "needs ssh-keygen"]
fn where_signing_a_decision_fails_the_line_stays_and_the_way_is_named() {
    let team = team(&PEOPLE, SIGNED);
    let key = team.key("bob").display().to_string();
    let approve = ["patch", "approve", "topic", "--reason", "read", "--by", "bob"];
    team.s.yatsu(&[&approve[..], &["--signing-key", &key]].concat()).expect(2);
    let failed = team.s.yatsu(&[&approve[..], &["--sign", "--signing-key", "/nowhere"]].concat()).expect(3);
    assert!(failed.err.contains("it was written, and not signed"), "{}", failed.err);
    let way = failed.err.split("sign it: yatsu-hook ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let words: Vec<String> = way.replace("/nowhere", &key).split(' ').map(str::to_owned).collect();
    team.s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>()).expect(0);
    commit_as(&team.s, "Eve", "decided");
    assert_eq!(status(&team.s, "main", "topic"), "covered");
}
