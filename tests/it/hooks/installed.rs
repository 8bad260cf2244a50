//! The program installs itself, and git then really calls it. There are no stand-ins.

use crate::support::{BAD, Said, Scratch, executable, fed, hermetic, one_node, reading, scenarios, validate_published};
use std::fs;

/// The parts of git's directory that installing can change.
fn wiring(scratch: &Scratch) -> (String, Vec<String>) {
    let config = fs::read_to_string(scratch.root.join(".git/config")).expect("a configuration");
    let listed = fs::read_dir(scratch.root.join(".git/hooks")).map_or(Vec::new(), |entries| {
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    });
    (config, listed)
}

fn commit(scratch: &Scratch, scenario_file: &str) -> Said {
    scratch.write(".spec/n/yatsu.md", scenario_file);
    scratch.git(&["add", "-A"]);
    scratch.try_git(&["commit", "-q", "-m", "x"])
}

#[test]
fn a_malformed_file_is_blocked_and_a_good_one_passes_in_silence() {
    let scratch = one_node();
    scratch.yatsu(&["install"]).expect(0);
    let said = commit(&scratch, BAD).expect(1);
    assert!(said.err.contains(".spec/n/yatsu.md:3:5: error[yatsu-schema]"), "{}", said.err);
    assert_eq!(scratch.git(&["rev-list", "--count", "HEAD"]), "1");
    let said = commit(&scratch, &scenarios(&[("works", "src/a.rs"), ("also", "src/a.rs")]));
    assert_eq!((said.code, said.out.as_str()), (0, ""), "{}", said.err);
    scratch.write("src/b.rs", "");
    scratch.git(&["add", "-A"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "nothing of ours"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn a_kept_hook_still_runs_and_ours_still_blocks() {
    let scratch = one_node();
    executable(&scratch.root.join(".git/hooks/pre-commit"), "#!/bin/sh\necho kept >>\"$HOME/log\"\n");
    scratch.yatsu(&["install"]).expect(0);
    commit(&scratch, BAD).expect(1);
    assert_eq!(fs::read_to_string(scratch.home().join("log")).expect("a log"), "kept\n");
}

#[test]
fn installing_shows_how_the_repository_stands_and_succeeds_whatever_that_is() {
    let scratch = one_node();
    let said = scratch.yatsu(&["install"]).expect(0);
    assert!(said.out.contains("warning[yatsu-missing] n/works"), "{}", said.out);
    assert!(said.out.ends_with("\ninstalled; the repository has no errors\n"), "{}", said.out);
    scratch.write(".spec/n/yatsu.md", BAD);
    let said = scratch.yatsu(&["install"]).expect(0);
    assert!(said.out.contains("error[yatsu-schema]"), "{}", said.out);
    // staged or not, it is in no commit yet
    let new =
        "already installed: nothing to change; 1 error above is not committed yet: the hooks stop the commit with it";
    assert_eq!(said.out.lines().last(), Some(new));
    scratch.git(&["add", "."]);
    assert_eq!(scratch.yatsu(&["install"]).expect(0).out.lines().last(), Some(new));
    assert_ne!(scratch.try_git(&["commit", "-q", "-m", "bad"]).code, 0, "it is stopped");
    scratch.commit("without the hook");
    let old = "already installed: nothing to change; the errors above were there before: the hooks stop only new ones";
    assert_eq!(scratch.yatsu(&["install"]).expect(0).out.lines().last(), Some(old));
    scratch.write("spexcode.json", "{");
    let said = scratch.yatsu(&["install"]).expect(0);
    assert!(said.out.ends_with("; the repository could not be judged: yatsu-hook doctor\n"), "{}", said.out);
    assert!(said.err.contains("spexcode.json"), "{}", said.err);
}

#[test]
fn a_dry_run_says_the_changes_and_makes_none() {
    let scratch = one_node();
    let before = wiring(&scratch);
    let said = scratch.yatsu(&["install", "--dry-run", "--merge-driver"]).expect(0);
    assert!(said.out.lines().count() > 3 && said.out.contains("would "), "{}", said.out);
    assert_eq!(wiring(&scratch), before);
    assert!(!scratch.root.join(".git/info/attributes").exists());
    scratch.yatsu(&["install"]).expect(0);
    let installed = wiring(&scratch);
    assert_ne!(installed, before);
    scratch.yatsu(&["uninstall", "--dry-run"]).expect(0);
    assert_eq!(wiring(&scratch), installed);
    scratch.yatsu(&["uninstall"]).expect(0);
    assert_eq!(wiring(&scratch), before);
    assert_eq!(scratch.yatsu(&["uninstall"]).expect(0).out, "already uninstalled: nothing to change\n");
    commit(&scratch, BAD).expect(0);
}

#[test]
fn who_installs_before_the_first_scenario_is_told_that_nothing_is_guarded() {
    let scratch = Scratch::new();
    let last = |args: &[&str]| scratch.yatsu(args).expect(0).out.lines().last().unwrap_or_default().to_owned();
    let unguarded = "nothing is guarded yet: yatsu-hook new NODE --code PATH";
    assert_eq!(last(&["install"]), format!("installed; {unguarded}"));
    scratch.write(".spec/n/yatsu.md", BAD);
    assert!(last(&["install"]).ends_with("1 error above is not committed yet: the hooks stop the commit with it"));
    assert_eq!(last(&["uninstall"]), "uninstalled");
}

#[test]
fn quiet_leaves_the_last_line_and_what_blocks() {
    let scratch = one_node();
    let quiet = |args: &[&str], code| scratch.yatsu(&[&["-q"], args].concat()).expect(code).out;
    let broken = quiet(&["doctor"], 1);
    assert!(broken.contains("absent") && !broken.contains("ok  ") && !broken.contains("advice"), "{broken}");
    // files, or a configuration where git runs hooks from there
    assert!(quiet(&["install", "--dry-run"], 0).starts_with("would "));
    assert_eq!(quiet(&["install"], 0), "installed; the repository has no errors\n");
    assert_eq!(quiet(&["doctor"], 0), "");
    let doctor = validate_published(&quiet(&["--format", "json", "doctor"], 0));
    assert_eq!((&doctor["diagnoses"], &doctor["verdict"]), (&serde_json::json!([]), &"pass".into()));
    scratch.write(".spec/n/yatsu.md", BAD);
    let said = quiet(&["install"], 0);
    assert!(said.starts_with(".spec/n/yatsu.md:3:5: error[yatsu-schema]") && !said.contains("\nwrite "), "{said}");
    assert_eq!(quiet(&["uninstall"], 0), "uninstalled\n");
}

#[test]
fn the_machine_forms_follow_their_schemas() {
    let scratch = one_node();
    let json = |args: &[&str], code| scratch.yatsu(&[&["--format", "json"], args].concat()).expect(code).out;
    let dry = validate_published(&json(&["install", "--dry-run"], 0));
    assert_eq!((&dry["dryRun"], &dry["verdict"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(validate_published(&json(&["doctor"], 1))["verdict"], "fail");
    let first = validate_published(&json(&["install"], 0));
    assert_eq!(first["verdict"], "pass");
    assert_eq!(validate_published(&json(&["install"], 0))["steps"].as_array().map(Vec::len), Some(0));
    assert_eq!(validate_published(&json(&["doctor"], 0))["verdict"], "pass");
    let gone = validate_published(&json(&["uninstall"], 0));
    assert_ne!(gone["steps"].as_array().map(Vec::len), Some(0));
    for verb in ["install", "uninstall", "doctor"] {
        assert!(scratch.yatsu(&["--format", "sarif", verb]).expect(2).err.contains("--format json"));
    }
}

#[test]
fn outside_a_repository_nothing_can_be_installed_or_looked_at() {
    let scratch = Scratch::new();
    let outside = scratch.base.join("home");
    let yatsu = |args: &[&str]| scratch.yatsu(&[&["-C", outside.to_str().expect("text")], args].concat());
    for verb in ["install", "uninstall"] {
        let said = yatsu(&[verb]).expect(3).err;
        assert!(said.starts_with("yatsu-hook: not inside a git repository\n  hint: "), "{said}");
    }
    let said = yatsu(&["doctor"]).expect(3);
    assert!(said.out.starts_with("unknown not inside a git repository\n        repair: "), "{}", said.out);
    assert_eq!(said.out.lines().count(), 3, "{}", said.out);
}

#[test]
fn what_is_installed_for_all_repositories_needs_none_and_says_what_git_said() {
    let scratch = Scratch::new();
    let outside = scratch.base.join("home");
    // git before 2.32 reads this file whatever GIT_CONFIG_GLOBAL says
    fs::write(outside.join(".gitconfig"), "[broken\n").unwrap();
    let mut command = scratch.yatsu_command(&["-C", outside.to_str().unwrap(), "install", "--global"]);
    let output = command.env("GIT_CONFIG_GLOBAL", outside.join(".gitconfig")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && said.contains("bad config line 1"), "{said}");
    assert!(!said.contains("not inside a git repository"), "{said}");
}

#[test]
fn a_linked_worktree_is_gated_by_the_same_installation() {
    let scratch = one_node();
    scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    let linked = scratch.base.join("linked");
    let mut install = scratch.yatsu_command(&["install"]);
    Said::of(install.current_dir(&linked).output().expect("the program runs")).expect(0);
    commit(&scratch, BAD).expect(1);
    fs::write(linked.join(".spec/n/yatsu.md"), BAD).expect("a file");
    let mut git = hermetic("git", &scratch.home());
    Said::of(git.current_dir(&linked).args(["commit", "-qam", "x"]).output().expect("git")).expect(1);
}

fn doctor(scratch: &Scratch, code: i32) -> String {
    scratch.yatsu(&["doctor"]).expect(code).out
}

#[test]
fn the_doctor_counts_readings_whose_commit_is_gone() {
    let scratch = one_node();
    scratch.yatsu(&["install"]).expect(0);
    assert!(doctor(&scratch, 0).ends_with(" fine\n"));
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "measured here"]);
    reading(&scratch, ".spec/n", "works", "pass", 1);
    assert!(doctor(&scratch, 0).contains("the commit of every latest reading is here (1 reading)"));
    scratch.git(&["reset", "-q", "--soft", "HEAD~1"]);
    scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    scratch.git(&["gc", "-q", "--prune=now"]);
    let said = doctor(&scratch, 0);
    assert!(said.contains("advice  the commit of 1 of 1 latest reading (such as n/works at "), "{said}");
    assert!(said.contains(") is gone: rebased"), "{said}");
}

#[test]
fn the_doctor_sees_a_shallow_clone_and_what_it_costs() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    let from = format!("file://{}", scratch.root.display());
    scratch.git(&["clone", "-q", "--depth", "1", &from, "../shallow"]);
    let shallow = scratch.base.join("shallow");
    let yatsu = |args: &[&str]| scratch.yatsu(&[&["-C", shallow.to_str().expect("text")], args].concat());
    yatsu(&["install", "--merge-driver"]).expect(0);
    let said = yatsu(&["doctor"]).expect(0).out;
    assert!(said.contains("advice  this clone is shallow"), "{said}");
    assert!(said.contains(") is not in this shallow clone"), "{said}");
    assert_eq!(said.matches(&format!("repair: git -C {} fetch --unshallow", shallow.display())).count(), 2, "{said}");
    assert!(said.ends_with("2 advice\n"), "{said}");
}

#[test]
fn the_doctor_sees_a_broken_configuration() {
    let scratch = one_node();
    scratch.yatsu(&["install"]).expect(0);
    scratch.write("spexcode.json", "{\n  \"yatsu\": 3\n}\n");
    let said = doctor(&scratch, 1);
    assert!(said.contains("broken  spexcode.json:2:"), "{said}");
}

/// A git that refuses a foreign repository, as git does. Only root could really give the repository to another user.
#[test]
fn the_doctor_gives_the_line_that_trusts_somebody_elses_one_node() {
    let scratch = one_node();
    let git = scratch.base.join("bin/git");
    executable(&git, "#!/bin/sh\necho 'fatal: detected dubious ownership in repository' >&2\nexit 128\n");
    let mut command = scratch.yatsu_command(&["doctor"]);
    command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").env("PATH", scratch.base.join("bin"));
    let said = Said::of(command.output().expect("the program runs")).expect(1);
    let line = format!("repair: if you trust it: git config --global --add safe.directory {}", scratch.root.display());
    assert!(said.out.contains(&line), "{}", said.out);
}

#[test]
fn the_doctor_sees_an_evidence_directory_that_is_none_and_a_missing_merge_driver() {
    let scratch = one_node();
    scratch.yatsu(&["install", "--no-merge-driver", "--hooks", "pre-commit,pre-merge-commit,pre-push"]).expect(0);
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    assert!(doctor(&scratch, 0).contains("repair: yatsu-hook install --no-hooks --merge-driver"));
    scratch.yatsu(&["install", "--merge-driver"]).expect(0);
    assert!(doctor(&scratch, 0).contains("ok      parallel readings merge by the ledger's merge driver"));
    fs::create_dir_all(scratch.root.join(".git/spexcode")).expect("a directory");
    fs::write(scratch.root.join(".git/spexcode/yatsu-blobs"), "").expect("a file");
    assert!(doctor(&scratch, 1).contains("broken  the evidence directory"));
}

#[test]
fn the_doctor_says_the_same_wherever_one_stands() {
    let scratch = one_node();
    let said = |dir: &str| {
        let mut command = scratch.yatsu_command(&["doctor"]);
        Said::of(command.current_dir(scratch.root.join(dir)).output().expect("the program runs")).out
    };
    let at_the_top = said(".");
    assert!(at_the_top.contains("not installed in this clone"), "{at_the_top}");
    assert_eq!(said("src"), at_the_top);
    scratch.yatsu(&["install"]).expect(0);
    assert_eq!(said("src"), said("."));
}

/// A server has no index: without the program its hook must look at what is pushed. A push without scenario files passes.
#[test]
fn a_server_without_the_program_refuses_what_it_cannot_check() {
    let scratch = one_node();
    let home = scratch.home();
    let server = home.join("server.git");
    let path = server.display().to_string();
    scratch.git(&["init", "-q", "--bare", &path]);
    scratch.git(&["remote", "add", "server", &path]);
    let shim = format!("{}/hooks/pre-receive", env!("CARGO_MANIFEST_DIR"));
    executable(&server.join("hooks/pre-receive"), &fs::read_to_string(shim).expect("the shim"));
    let pushed = |refs: &str| scratch.try_git(&["push", "-q", "server", refs]);
    let refused = |refs: &str| {
        let said = pushed(refs);
        assert!(said.code != 0 && said.err.contains("could not check"), "{refs}: {} {}", said.code, said.err);
    };
    refused("HEAD:refs/heads/main");
    // a wrapper may drop the last line end
    let line = format!("{} {} refs/heads/main", "0".repeat(40), scratch.git(&["rev-parse", "HEAD"]));
    let mut hook = hermetic(server.join("hooks/pre-receive"), &home);
    hook.current_dir(&scratch.root);
    fed(hook, &line).expect(3);
    scratch.git(&["checkout", "-q", "--orphan", "plain"]);
    scratch.git(&["rm", "-rq", "--cached", "."]);
    scratch.write("src/b.rs", "");
    scratch.git(&["add", "src/b.rs"]);
    scratch.git(&["commit", "-q", "-m", "nothing of ours"]);
    pushed("plain").expect(0);
    scratch.write("x/.spec/ä b/eval.md", BAD);
    scratch.git(&["add", "x"]);
    scratch.git(&["commit", "-q", "-m", "a scenario file with a newer name"]);
    refused("plain");
    fs::remove_file(server.join("hooks/pre-receive")).expect("no hook for once");
    pushed("plain").expect(0);
    executable(
        &server.join("hooks/pre-receive"),
        &fs::read_to_string(format!("{}/hooks/pre-receive", env!("CARGO_MANIFEST_DIR"))).expect("the shim"),
    );
    refused(":plain");
}

/// With the hooks of the git that runs the tests: hook files, or from git 2.54 configured hooks. A push that only deletes
/// refs has no quarantine.
#[test]
fn an_installed_server_takes_deletions_tags_notes_and_evidence_and_refuses_what_is_malformed() {
    let scratch = one_node();
    scratch.git(&["init", "-q", "--bare", "../server.git"]);
    scratch.git(&["remote", "add", "server", "../server.git"]);
    scratch.yatsu(&["-C", "../server.git", "install"]).expect(0);
    scratch.yatsu(&["-C", "../server.git", "doctor"]).expect(0);
    let push = |refs: &[&str]| scratch.try_git(&[&["push", "-q", "server"], refs].concat());
    scratch.git(&["tag", "light"]);
    scratch.git(&["tag", "-a", "-m", "t", "heavy"]);
    scratch.git(&["notes", "add", "-m", "n", "HEAD"]);
    scratch.git(&["branch", "side"]);
    for refs in [
        &["main", "side"][..],
        &["light", "heavy"],
        &["refs/notes/commits"],
        &[":side"],
        &[":light", ":heavy"],
        &[":refs/notes/commits"],
    ] {
        push(refs).expect(0);
    }
    scratch.git(&["-C", "../server.git", "config", "receive.denyDeleteCurrent", "ignore"]);
    push(&[":main"]).expect(0);
    push(&["main"]).expect(0);
    scratch.write("seen.txt", "what was seen, in more than thirty-two bytes");
    scratch.yatsu(&["eval", "n", "--pass", "--result", "seen.txt"]).expect(0);
    scratch.yatsu(&["share", "on", "server"]).expect(0);
    scratch.yatsu(&["share", "push"]).expect(0);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("malformed");
    let said = push(&["HEAD:refs/heads/bad", "HEAD:refs/tags/bad"]);
    assert!(said.code != 0 && said.err.contains("error[yatsu-schema]"), "{}", said.err);
}

/// The environment of a merge does not make another hook of a commit.
#[test]
fn a_commit_in_the_environment_of_a_merge_is_judged_as_a_commit() {
    let scratch = one_node();
    scratch.yatsu(&["install"]).expect(0);
    scratch.write("src/b.rs", "fn b2() {}\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("also", "src/b.rs")]));
    scratch.git(&["add", "-A"]);
    let mut commit = scratch.git_command(&["commit", "-q", "-m", "x"]);
    let said = Said::of(commit.env("GIT_REFLOG_ACTION", "merge side").output().expect("git"));
    assert!(said.expect(0).err.contains("warning[yatsu-missing]"), "the advice that a clean merge does not get");
}
