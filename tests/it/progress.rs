//! Long work shows progress, at every door that may take long. Here it is shown at once: `YATSU_PROGRESS=0`.

use crate::support::{Said, Scratch, fed, hermetic, one_node, program, reading};
use std::process::Command;

const ZERO: &str = "0000000000000000000000000000000000000000";

fn impatient(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = scratch.yatsu_command(args);
    command.env("YATSU_PROGRESS", "0");
    command
}

fn said(scratch: &Scratch, args: &[&str]) -> Said {
    Said::of(impatient(scratch, args).output().expect("the program runs"))
}

/// The reported steps in order, without their amounts.
fn steps(said: &Said) -> Vec<String> {
    assert!(!said.err.contains(['\u{1b}', '\r']), "a pipe gets plain lines: {:?}", said.err);
    let line = |line: &str| {
        let step = line.strip_prefix("yatsu-hook: ").unwrap_or_else(|| panic!("{line}"));
        let (step, elapsed) = step.rsplit_once(", ").unwrap_or_else(|| panic!("{line}"));
        assert!(elapsed.ends_with("second") || elapsed.ends_with("seconds"), "{line}");
        step.to_owned()
    };
    said.err.lines().map(line).collect()
}

/// Three commits without our files: a first push of many such commits was long and silent.
#[test]
fn a_first_push_of_nothing_of_ours_says_what_it_is_doing() {
    let scratch = Scratch::new();
    for commit in ["one", "two", "three"] {
        scratch.write("README.md", commit);
        scratch.commit(commit);
    }
    let head = scratch.git(&["rev-parse", "HEAD"]);
    // the server has the objects, but no ref that reaches them
    scratch.git(&["init", "-q", "--bare", "../server.git"]);
    scratch.git(&["--git-dir", "../server.git", "fetch", "-q", ".", &head]);
    for (verb, dir, line) in [
        ("pre-push", "repo", format!("refs/heads/main {head} refs/heads/main {ZERO}\n")),
        ("pre-receive", "server.git", format!("{ZERO} {head} refs/heads/main\n")),
    ] {
        let mut command = impatient(&scratch, &[verb]);
        command.current_dir(scratch.base.join(dir));
        let said = fed(command, &line).expect(0);
        let steps = steps(&said);
        let list = steps.iter().position(|step| step == "reading the list of new commits").expect("the list");
        let walk = steps.iter().position(|step| step.ends_with("new commit 1 of 3")).expect("the walk");
        assert!(list < walk, "{verb}: {steps:?}");
    }
}

#[test]
fn a_look_at_many_branches_says_at_which_one_it_is() {
    let scratch = one_node();
    for name in ["one", "two"] {
        scratch.git(&["checkout", "-q", "-b", name, "main"]);
        scratch.commit(name);
    }
    let steps = steps(&said(&scratch, &["patch", "ls"]).expect(0));
    assert!(steps.iter().any(|step| step.starts_with("looking at branches")), "{steps:?}");
}

#[test]
fn every_door_that_may_take_long_says_what_it_is_doing() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    for (args, step) in [
        (&["check", "--from", "HEAD~1", "--to", "HEAD"][..], "reading the list of new commits"),
        (&["check", "--from", "HEAD~1", "--to", "HEAD"], "looking at new commit 1 of 1"),
        (&["check"], "judging what is there"),
        (&["check", "--rev", "HEAD"], "judging what is there"),
        (&["scan"], "judging what is there"),
        (&["run"], "judging what is there"),
        (&["ls"], "judging what is there"),
        (&["show", ".spec/n"], "judging what is there"),
        (&["usage"], "judging what is there"),
        (&["impact", ".spec/n"], "judging what is there"),
        (&["repair", "--dry-run"], "judging what is there"),
        (&["validate", ".spec/n/yatsu.md"], "judging what is there"),
        (&["clean"], "looking for references"),
        (&["evidence", "check"], "hashing the evidence"),
    ] {
        let told = said(&scratch, args).expect(0);
        let steps = steps(&told);
        assert!(steps.iter().any(|told| told == step), "{args:?}: {steps:?}");
        let quietly = said(&scratch, &[args, &["-q"]].concat());
        assert_eq!(quietly.expect(0).err, "", "{args:?}");
    }
    let json = said(&scratch, &["scan", "--format", "json"]).expect(0);
    crate::support::validate_published(&json.out);
}

#[test]
fn who_takes_a_line_out_or_looks_at_the_setup_says_what_it_is_doing() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    let commit = scratch.commit("measured");
    let line = crate::support::reading_line(&commit, "works", "pass", 1);
    let ts = line.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    let of = [".spec/n", "--scenario", "works", "--ts", ts];
    for (args, step) in [
        ([&["retract"][..], &of].concat(), "judging what is there"),
        ([&["redact"][..], &of, &["--reason", "a name"]].concat(), "judging what is there"),
        (vec!["doctor"], "looking at the setup"),
    ] {
        let said = said(&scratch, &args);
        assert!(said.err.contains(&format!("yatsu-hook: {step}, ")), "{args:?}: {}{}", said.out, said.err);
        assert!(args == ["doctor"] || said.code == 0, "{}", said.err);
    }
}

mod needs_script {
    use super::*;

    #[test]
    #[ignore = "needs script"]
    fn a_terminal_gets_one_line_that_is_gone_at_the_end() {
        let scratch = one_node();
        let mut command = hermetic("script", &scratch.home());
        command.env("YATSU_PROGRESS", "0").env("TERM", "xterm").current_dir(&scratch.root);
        command.args(["-qec", &format!("'{}' check --rev HEAD --strict", program().display()), "/dev/null"]);
        let said = Said::of(command.output().expect("script runs")).expect(1);
        let (progress, report) = said.out.split_once("\r\u{1b}[K").expect("the line is cleared");
        assert!(progress.starts_with("\ryatsu-hook: judging what is there, "), "{:?}", said.out);
        assert!(!report.contains("judging"), "{:?}", said.out);
        assert!(said.out.contains("[yatsu-missing]"), "{:?}", said.out);
    }
}
