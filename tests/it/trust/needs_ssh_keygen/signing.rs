//! `sign`, and `--sign` of the verbs that write.

use super::{ByHand, LEDGER, SIGNED, Team, two_scenarios};
use crate::support::{Said, executable, found};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

// T1
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_is_proven_by_hand_with_sed_and_ssh_keygen() {
    let team = Team::with_policy(SIGNED);
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let said = team.sign("ann", &[]).expect(0);
    assert!(
        said.out.starts_with("signed 1 line of n with SHA256:") && said.out.contains("(ann@example.org)"),
        "{}",
        said.out
    );
    let script = format!(
        "set -e; tail -1 {LEDGER} > line
         sed 's/,\"sig\":\"[^\"]*\"}}$/}}/' line > message
         {{ echo '-----BEGIN SSH SIGNATURE-----'; sed 's/.*\"sig\":\"//; s/\"}}$//' line | fold -w 70; echo; echo '-----END SSH SIGNATURE-----'; }} > sig
         ssh-keygen -Y verify -n yatsu-hook -I ann@example.org -f trust/allowed_signers -s sig < message
         [ \"$(sed 's/.*\"lines\":\\[\"//; s/\".*//' line)\" = \"$(tail -2 {LEDGER} | head -1 | tr -d '\\n' | sha256sum | cut -d' ' -f1)\" ]"
    );
    let mut shell = crate::support::hermetic("sh", &team.s.home());
    let said = Said::of(shell.current_dir(&team.s.root).args(["-c", &script]).output().expect("a shell"));
    assert!(said.out.contains("Good \"yatsu-hook\" signature for ann@example.org"), "{} {}", said.out, said.err);
    assert_eq!(said.code, 0, "{}", said.err);
}

// T2
#[test]
#[ignore = "needs ssh-keygen"]
fn one_line_signs_a_batch_a_second_key_adds_its_own_and_the_same_key_adds_nothing() {
    let team = Team::with_policy(SIGNED);
    two_scenarios(&team.s);
    team.s.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    team.s.yatsu(&["eval", "n/more", "--fail"]).expect(0);
    assert!(team.sign("ann", &[]).expect(0).out.starts_with("signed 2 lines of n"));
    let line: Value = serde_json::from_str(&team.last_line()).expect("a line");
    assert_eq!((line["kind"].as_str(), line["home"].as_str()), (Some("signature"), Some(".spec/n")));
    assert_eq!(line["lines"].as_array().map(Vec::len), Some(2));
    let before = team.s.read(LEDGER);
    let again = team.sign("ann", &[]).expect(0);
    assert_eq!(
        (again.out.as_str(), team.s.read(LEDGER)),
        ("already signed by this key; nothing was written\n", before)
    );
    assert!(team.sign("bob", &[]).expect(0).out.contains("(bob@example.org)"));
    assert_eq!(team.s.read(LEDGER).lines().count(), 4);
    team.s.yatsu(&["eval", "n/more", "--pass"]).expect(0);
    assert!(team.sign("ann", &[]).expect(0).out.starts_with("signed 1 line of n"), "only the new one");
    let ts = line["ts"].as_str().unwrap_or_default().to_owned();
    team.sign("ann", &["--ts", &ts]).expect(1);
    let json: Value = serde_json::from_str(&team.sign("ann", &["--format", "json"]).expect(0).out).expect("a document");
    assert_eq!((json["verb"].as_str(), json["outcome"].as_str()), (Some("sign"), Some("already-signed")));
}

// T2
#[test]
#[ignore = "needs ssh-keygen"]
fn a_broken_signature_of_the_same_key_counts_for_nothing_and_one_of_an_unknown_key_is_not_repeated() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.by_hand("ann", 0, &ByHand { ts: &crate::support::seconds_ahead(5), ..ByHand::default() });
    let broken = team.last_line().replacen("\"ts\":\"20", "\"ts\":\"21", 1);
    team.replace_last(&broken);
    assert!(team.sign("ann", &[]).expect(0).out.starts_with("signed 1 line of n"));
    assert!(team.sign("ann", &[]).expect(0).out.starts_with("already signed"));
    team.s.commit("signed");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    assert_eq!(team.since(&base, "signature-broken").len(), 1);
    assert!(team.sign("eve", &[]).expect(0).out.starts_with("signed 1 line of n"), "nobody knows her key yet");
    assert!(team.sign("eve", &[]).expect(0).out.starts_with("already signed"));
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_node_at_the_top_of_the_repository_is_signed_as_a_dot() {
    let team = Team::with_policy(SIGNED);
    team.s.git(&["mv", ".spec/n/yatsu.md", "yatsu.md"]);
    team.s.write(
        "spexcode.json",
        team.s.read("spexcode.json").replace("{\"yatsu\": {", "{\"yatsu\": {\"roots\": [\".\"], "),
    );
    let base = team.s.commit("specs beside the code");
    team.edit("changed");
    team.s.yatsu(&["eval", ".", "--pass"]).expect(0);
    team.s.yatsu(&["sign", ".", "--key", &team.key("ann").display().to_string()]).expect(0);
    assert!(team.s.read("yatsu.evals.ndjson").contains("\"home\":\".\""));
    team.s.commit("measured");
    for rule in ["trust-unmet", "signature-unknown", "signature-broken"] {
        assert_eq!(team.told(&base, rule), [""; 0], "{rule}");
    }
}

/// An agent with the key of this name, until it is dropped.
struct Agent {
    socket: String,
    running: Child,
}

impl Agent {
    fn with(team: &Team, key: &str) -> Self {
        let socket = team.s.home().join("agent").display().to_string();
        let mut start = crate::support::hermetic("ssh-agent", &team.s.home());
        // our child, and no daemon, so that it can be ended and reaped
        let started = start.args(["-D", "-s", "-a", &socket]).stdout(Stdio::piped()).spawn();
        let mut agent = Self { socket, running: started.expect("an agent") };
        // it speaks when its socket is there
        let mut told = BufReader::new(agent.running.stdout.take().expect("a pipe"));
        told.read_line(&mut String::new()).expect("the name of its socket");
        let mut add = crate::support::hermetic("ssh-add", &team.s.home());
        add.env("SSH_AUTH_SOCK", &agent.socket).args(["-q", &team.key(key).display().to_string()]);
        Said::of(add.output().expect("ssh-add")).expect(0);
        agent
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.running.kill().and_then(|()| self.running.wait());
    }
}

// T3
#[test]
#[ignore = "needs ssh-keygen"]
fn the_key_of_git_signs_from_a_file_from_the_agent_and_as_text_and_without_one_it_is_misuse() {
    let team = Team::with_policy(SIGNED);
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let none = team.s.yatsu(&["sign", "n"]).expect(2);
    assert!(none.err.contains("no key is named") && none.err.contains("gpg.format ssh"), "{}", none.err);
    let (file, public) = (team.key("ann").display().to_string(), team.public("ann"));
    let agent = Agent::with(&team, "ann");
    std::fs::remove_file(&file).expect("the private half is in the agent alone");
    team.s.git(&["config", "gpg.format", "openpgp"]);
    team.s.git(&["config", "user.signingkey", &format!("{file}.pub")]);
    team.s.yatsu(&["sign", "n"]).expect(2);
    team.s.git(&["config", "gpg.format", "ssh"]);
    let clean = team.s.read(LEDGER);
    for key in [format!("{file}.pub"), format!("key::{public}"), public.clone()] {
        team.s.git(&["config", "user.signingkey", &key]);
        team.s.write(LEDGER, &clean);
        let mut command = team.s.yatsu_command(&["sign", "n"]);
        let said = Said::of(command.env("SSH_AUTH_SOCK", &agent.socket).output().expect("the program")).expect(0);
        assert!(said.out.contains("(ann@example.org)"), "{key}: {}", said.out);
    }
    team.s.write(LEDGER, &clean);
    let cannot = team.s.yatsu(&["sign", "n"]).expect(3);
    assert!(cannot.err.contains("could not sign"), "{}", cannot.err);
    assert_eq!(team.s.read(LEDGER), clean, "nothing was written");
}

// T4
#[test]
#[ignore = "needs ssh-keygen"]
fn the_writing_verbs_sign_their_line_and_where_signing_fails_the_line_stays_and_the_way_is_named() {
    let team = Team::with_policy(SIGNED);
    let key = team.key("ann").display().to_string();
    let signing = ["--sign", "--signing-key", &key];
    let kinds = || {
        let kind = |line: &str| if line.contains("\"signature\"") { 's' } else { 'l' };
        team.s.read(LEDGER).lines().map(kind).collect::<String>()
    };
    team.s.yatsu(&[&["eval", "n", "--fail"], &signing[..]].concat()).expect(0);
    assert_eq!(kinds(), "ls");
    let ts: Value = serde_json::from_str(team.s.read(LEDGER).lines().next().unwrap_or_default()).expect("a line");
    team.s.yatsu(&[&["retract", "n"], &signing[..]].concat()).expect(0);
    assert_eq!(kinds(), "lsls");
    let ts = ts["ts"].as_str().unwrap_or_default().to_owned();
    team.s.yatsu(&[&["redact", "n", "--ts", &ts, "--reason", "a name"], &signing[..]].concat()).expect(0);
    assert_eq!(kinds().matches('s').count(), 3, "{}", kinds());
    team.s.yatsu(&["eval", "n", "--pass", "--signing-key", &key]).expect(2);
    let failed = team.s.yatsu(&["eval", "n", "--pass", "--sign", "--signing-key", "/nowhere"]).expect(3);
    assert!(
        failed.err.contains("it was written, and not signed") && failed.err.contains("yatsu-hook sign .spec/n --ts"),
        "{}",
        failed.err
    );
    assert!(failed.err.ends_with("FAILED: filed, but not signed\n"), "{}", failed.err);
    let way = failed.err.split("sign it: yatsu-hook ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let words: Vec<String> = way.replace("/nowhere", &key).split(' ').map(str::to_owned).collect();
    team.s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>()).expect(0);
    assert!(kinds().ends_with("ls"), "{}", kinds());
    team.edit("changed");
    team.s.write("map.json", r#"{"v":1,"map":[{"classname":"works","name":"works","node":"n","scenario":"works"}]}"#);
    team.s.write("report.xml", "<testsuite><testcase classname=\"works\" name=\"works\"/></testsuite>");
    let bulk = ["eval", "n", "--sign", "--signing-key", &key, "--map", "map.json", "--from-junit", "report.xml"];
    let said = team.s.yatsu(&bulk);
    assert!(said.code == 0 && kinds().ends_with("ls"), "{} {} {}", kinds(), said.out, said.err);
}

// T4
#[test]
#[ignore = "needs ssh-keygen"]
fn a_program_gets_the_receipt_of_a_line_that_is_not_signed_and_no_second_document() {
    let team = Team::with_policy(SIGNED);
    let failed = team.s.yatsu(&["eval", "n", "--pass", "--sign", "--format", "json"]).expect(3);
    let receipt: Value = serde_json::from_str(&failed.out).expect("one document");
    assert_eq!((&receipt["verb"], &receipt["outcome"]), (&"eval".into(), &"filed".into()), "{}", failed.out);
    assert!(team.s.read(LEDGER).contains(receipt["ts"].as_str().unwrap_or("no time")), "{}", failed.out);
    // the line stands, and the command that signs it names a key: without one it would fail again
    assert!(failed.err.contains("yatsu-hook sign .spec/n --ts") && failed.err.contains("--key FILE"), "{}", failed.err);
}

// T17
#[test]
#[ignore = "needs ssh-keygen"]
fn without_ssh_keygen_advice_is_counted_and_an_error_rule_blocks() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.signed_pass(&["ann"]);
    let bare = team.without_keygen();
    let without = |args: &[&str]| {
        let mut command = team.s.yatsu_command(args);
        Said::of(command.env("PATH", &bare).output().expect("the program"))
    };
    std::fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("what sign verified");
    let scan = without(&["scan"]).expect(0);
    assert!(format!("{}{}", scan.out, scan.err).contains("not judged: 1"), "{} {}", scan.out, scan.err);
    let check = without(&["check", "--from", &base, "--to", "HEAD"]).expect(3);
    assert!(check.err.contains("ssh-keygen was not found"), "{}", check.err);
    without(&["sign", "n", "--key", "x"]).expect(3);
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    let again = without(&["check", "--from", &base, "--to", "HEAD"]);
    assert!(again.err.contains("ssh-keygen was not found"), "whether the added key is valid now is not remembered");
    assert!(without(&["scan"]).expect(0).out.lines().all(|line| !line.contains("not judged")), "what was verified is");
}

/// A `ssh-keygen` first in PATH that writes a line for each run.
fn counted(team: &Team) -> (std::ffi::OsString, std::path::PathBuf) {
    let dir = team.s.home().join("counting");
    std::fs::create_dir_all(&dir).expect("a directory");
    let log = team.s.home().join("runs");
    executable(
        &dir.join("ssh-keygen"),
        &format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec '{}' \"$@\"\n", log.display(), found("ssh-keygen").display()),
    );
    let path = std::env::join_paths(std::iter::once(dir).chain(std::env::split_paths(crate::support::search_path())));
    (path.expect("a path"), log)
}

// T18
#[test]
#[ignore = "needs ssh-keygen"]
fn nothing_configured_starts_no_child_and_a_second_look_neither() {
    let plain = Team::new();
    let team = Team::with_policy(SIGNED);
    for (team, first, second) in [(&plain, 0, 0), (&team, 1, 0)] {
        let (path, log) = counted(team);
        let base = team.head();
        team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        if first > 0 {
            team.sign("ann", &[]).expect(0);
        }
        team.s.commit("measured");
        // the memo of this key is empty for another clone
        let _ = std::fs::remove_dir_all(team.s.root.join(".git/yatsu"));
        let run = |args: &[&str]| {
            let _ = std::fs::remove_file(&log);
            Said::of(team.s.yatsu_command(args).env("PATH", &path).output().expect("the program"));
            std::fs::read_to_string(&log).unwrap_or_default().lines().count()
        };
        assert_eq!(run(&["scan"]), first);
        assert_eq!(run(&["scan"]), second);
        assert_eq!(
            run(&["check", "--from", &base, "--to", "HEAD"]),
            usize::from(first > 0),
            "an added key must be valid now"
        );
        team.edit("more");
        team.s.git(&["add", "-A"]);
        assert_eq!(run(&["pre-commit"]), 0);
        assert_eq!(run(&["ls"]), 0);
    }
}

// T5
#[test]
#[ignore = "needs ssh-keygen"]
fn signers_grades_and_the_policy_are_shown_and_printed_for_programs() {
    let team = Team::with_policy(super::INDEPENDENT);
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.signed_pass(&["ann"]);
    let document = |args: &[&str]| -> Value {
        serde_json::from_str(&team.s.yatsu(&[args, &["--format", "json"]].concat()).expect(0).out).expect("a document")
    };
    for verb in ["ls", "show"] {
        let row = document(&[verb, "n"])["scenarios"][0].clone();
        let (reading, trust) = (&row["readings"][0], &row["trust"]);
        assert_eq!(reading["grade"], "signed");
        assert_eq!(
            (&reading["signers"][0]["principal"], &reading["signers"][0]["role"]),
            (&Value::from("ann@example.org"), &Value::from("person"))
        );
        assert_eq!((&reading["signers"][0]["independent"], &trust["met"]), (&Value::from(false), &Value::from(false)));
        assert_eq!(trust["need"], "an independent pass");
    }
    let shown = team.s.yatsu(&["show", "n"]).expect(0).out;
    assert!(
        shown.contains("pass signed fresh") && shown.contains("signed by ann@example.org (person) with SHA256:"),
        "{shown}"
    );
    assert!(shown.contains("who wrote some of it") && shown.contains("  trust: the owners of the keys"), "{shown}");
    team.sign("bob", &[]).expect(0);
    let row = document(&["show", "n"])["scenarios"][0].clone();
    assert_eq!((&row["readings"][0]["grade"], &row["trust"]["met"]), (&Value::from("independent"), &Value::from(true)));
    assert_eq!(row["readings"][0]["signers"].as_array().map(Vec::len), Some(2));
    let plain = Team::new();
    plain.signed_pass(&[]);
    let row = plain.s.yatsu(&["show", "n", "--format", "json"]).expect(0).out;
    assert!(!row.contains("signers") && !row.contains("\"trust\""), "nothing configured shows nothing: {row}");
}
