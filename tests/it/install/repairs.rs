//! The doctor's other repairs, each typed as it is printed, with nothing left to say afterwards.

use super::standing::Clone;
use crate::support::session::pretend_git;
use crate::support::{executable, validate_published};
use std::fs;

/// A worktree with its own configuration, as some agents make it: there the repository's file loses.
#[test]
fn the_repair_of_a_worktree_speaks_to_the_configuration_that_decides_there() {
    let mut clone = Clone::installed();
    clone.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    clone.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    let linked = clone.scratch.base.join("linked tree");
    let outside = clone.scratch.base.join("of another");
    fs::create_dir(&outside).expect("a directory");
    for (hooks, from) in [
        (outside.to_str().expect("text"), clone.here.clone()),
        (outside.to_str().expect("text"), linked.clone()),
        ("/dev/null", linked.clone()),
        ("/nowhere/at/all", clone.here.clone()),
    ] {
        clone.here = from;
        clone.scratch.git(&["-C", "../linked tree", "config", "--worktree", "core.hooksPath", hooks]);
        let (code, found) = clone.doctor();
        assert_eq!((code, found.len()), (1, 3), "{hooks}: {found:#?}");
        let repair = found[0][2].split("   (").next().expect("a command");
        assert!(repair.contains("--worktree core.hooksPath"), "{repair}");
        clone.run(repair).expect(0);
        assert_eq!(clone.doctor(), (0, Vec::new()), "{hooks}");
    }
    // the same for the main worktree, and where a stronger file is empty of it
    clone.here = clone.scratch.root.clone();
    clone.scratch.git(&["config", "--worktree", "core.hooksPath", "/dev/null"]);
    clone.run(clone.doctor().1[0][2].split("   (").next().expect("a command")).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.run("git config --worktree --unset core.hooksPath; git config --global core.hooksPath /dev/null").expect(0);
    clone.run(clone.doctor().1[0][2].split("   (").next().expect("a command")).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}

/// git reads an included file after the section that a command writes, so that its value wins over `--local`. Other repositories
/// may include it, too.
#[test]
fn the_repair_wins_over_an_included_file_and_leaves_it_as_it_is() {
    let clone = Clone::installed();
    let outside = clone.scratch.base.join("of another");
    fs::create_dir(&outside).expect("a directory");
    clone.scratch.git(&["config", "include.path", "../.gitconfig.team"]);
    for hooks in [outside.to_str().expect("text"), "/dev/null"] {
        clone.scratch.write(".gitconfig.team", format!("[core]\n\thooksPath = \"{hooks}\"\n"));
        let (code, found) = clone.doctor();
        assert_eq!((code, found.len()), (1, 3), "{hooks}: {found:#?}");
        let repair = found[0][2].split("   (").next().expect("a command");
        let of_team = clone.scratch.read(".gitconfig.team");
        clone.run(repair).expect(0);
        assert_eq!(clone.doctor(), (0, Vec::new()), "{hooks}: {repair}");
        assert_eq!(clone.scratch.read(".gitconfig.team"), of_team);
        clone.run("git config --worktree --unset core.hooksPath").expect(0);
    }
    // the other settings of the same kind: the driver, sharing
    clone.run("yatsu-hook eval n --pass").expect(0);
    clone.scratch.commit("measured");
    let driver = "[merge \"yatsu-ledger\"]\n\tdriver = y='/gone/yatsu-hook'\n";
    clone.scratch.write(".gitconfig.team", driver.replace("y='", "\"y='").replace("hook'", "hook'\""));
    let (_, found) = clone.doctor();
    let said = clone.run(&found[0][2]).expect(0).out;
    let command = said.split("would lose: ").nth(1).and_then(|rest| rest.lines().next()).expect("a command");
    clone.run(command).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    clone.scratch.git(&["remote", "add", "origin", "../origin.git"]);
    clone.scratch.write(".gitconfig.team", "[yatsu]\n\tshare = upstream\n");
    let said = clone.run("yatsu-hook share on").err;
    assert!(said.contains(".gitconfig.team") && said.contains("--unset-all yatsu.share"), "{said}");
}

/// Without the last value the one before it wins.
#[test]
fn one_repair_takes_a_setting_out_of_every_included_file() {
    let clone = Clone::installed();
    clone.run("yatsu-hook eval n --pass").expect(0);
    clone.scratch.commit("measured");
    for file in [".gitconfig.team", ".gitconfig.more"] {
        clone.scratch.write(
            file,
            "[merge \"yatsu-ledger\"]\n\tdriver = \"y='/gone/yatsu-hook'\"\n[yatsu]\n\tshare = upstream\n",
        );
        clone.scratch.git(&["config", "--add", "include.path", &format!("../{file}")]);
    }
    let (_, found) = clone.doctor();
    let repair = &found.iter().find(|[_, what, _]| what.contains("/gone/yatsu-hook")).expect("the driver")[2];
    let said = clone.run(repair).expect(0).out;
    let command = said.split("would lose: ").nth(1).and_then(|rest| rest.lines().next()).expect("a command");
    clone.run(command).expect(0);
    assert!(!clone.doctor().1.iter().any(|[_, what, _]| what.contains("/gone/yatsu-hook")), "{command}");
    clone.scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    clone.scratch.git(&["remote", "add", "origin", "../origin.git"]);
    clone.run("yatsu-hook share off").expect(2);
    let said = clone.run("yatsu-hook share on").err;
    let hint = said.lines().find_map(|line| line.trim().strip_prefix("hint: ")).expect("a hint");
    clone.run(hint.strip_suffix(", then the same command").expect("a command")).expect(0);
    clone.run("yatsu-hook share on").expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}

#[test]
fn configuration_from_the_environment_is_named_and_can_be_taken_out() {
    let clone = Clone::installed();
    let with = "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null;";
    let said = clone.run(&format!("{with} yatsu-hook doctor --format json")).expect(1);
    let report = validate_published(&said.out);
    let found = report["diagnoses"].as_array().expect("a list").iter().find(|one| one["health"] == "broken");
    let repair = found.and_then(|one| one["repair"].as_str()).expect("a repair");
    let line = repair.split("   (").next().expect("a command");
    assert!(line.starts_with("unset GIT_CONFIG_COUNT"), "{line}");
    clone.run(&format!("{with} {line} && yatsu-hook doctor")).expect(0);
}

#[test]
fn the_merge_driver_of_a_worktrees_own_configuration_is_mended_there() {
    let mut clone = Clone::installed();
    clone.run("yatsu-hook eval n --pass").expect(0);
    clone.scratch.commit("measured");
    clone.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    clone.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    clone.here = clone.scratch.base.join("linked tree");
    clone.run("git config --worktree merge.yatsu-ledger.driver \"y='/gone/yatsu-hook'; exit 1\"").expect(0);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (0, 1), "{found:#?}");
    assert!(found[0][1].contains("/gone/yatsu-hook is gone"), "{found:#?}");
    clone.run(&found[0][2]).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.run("yatsu-hook uninstall").expect(0);
    assert_eq!(clone.run("git config --get-regexp yatsu-ledger").out, "");
}

#[test]
fn sharing_that_a_worktrees_own_configuration_breaks_is_mended_there() {
    let clone = Clone::installed();
    clone.scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    clone.scratch.git(&["remote", "add", "origin", "../origin.git"]);
    clone.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    clone.scratch.git(&["config", "--worktree", "yatsu.share", "upstream"]);
    clone.falls_and_is_mended("no such remote", "which is no git remote here");
    clone.scratch.git(&["config", "--worktree", "yatsu.share", "a place"]);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (1, 1), "{found:#?}");
    clone.run(&found[0][2].replace("PLACE", "origin")).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.scratch.git(&["config", "yatsu.share.onPush", "true"]);
    clone.run("yatsu-hook share off").expect(0);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (0, 1), "{found:#?}");
    clone.run(&found[0][2]).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}

/// Such a git does not know `GIT_CONFIG_COUNT`, so sharing would fail with a message about a remote that is not there.
#[test]
fn a_git_that_is_too_old_is_named_by_the_doctor_by_install_and_by_sharing() {
    let clone = Clone::installed();
    clone.scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    clone.scratch.git(&["remote", "add", "origin", "../origin.git"]);
    pretend_git(&clone.bin, "2.30.2");
    let old = fs::read_to_string(clone.bin.join("git")).expect("a script");
    executable(&clone.bin.join("git"), &old.replace("exec ", "unset GIT_CONFIG_COUNT; exec "));
    let sentence = "git 2.30 is too old: yatsu-hook needs git 2.31 or later";
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (1, 1), "{found:#?}");
    assert_eq!(found[0], ["broken", sentence, "update git"]);
    assert!(clone.run("yatsu-hook install").expect(0).out.contains(sentence));
    let said = clone.run("yatsu-hook share on").expect(3);
    assert!(said.err.starts_with(&format!("yatsu-hook: {sentence}\n  hint: update git\n")), "{}", said.err);
    pretend_git(&clone.bin, "2.31.0");
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.run("yatsu-hook share on").expect(0);
}

/// The repair of the only finding, and its health.
#[track_caller]
fn only(clone: &Clone, words: &str) -> (String, String) {
    let (_, found) = clone.doctor();
    assert_eq!(found.len(), 1, "{found:#?}");
    let [health, what, repair] = &found[0];
    assert!(what.contains(words), "{what}");
    (health.clone(), repair.clone())
}

#[track_caller]
fn is_mended(clone: &Clone, line: &str) {
    clone.run(line).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()), "{line}");
}

#[test]
fn readings_that_wait_are_staged_and_ones_that_lost_their_commit_are_measured_again_or_withdrawn() {
    let clone = Clone::installed();
    clone.run("yatsu-hook eval n --pass").expect(0);
    let (_, repair) = only(&clone, "1 reading is filed but not staged");
    is_mended(&clone, &repair);
    let gone =
        ((|_: &Clone| "1".repeat(40)) as fn(&Clone) -> String, "is gone: rebased, squashed or never pushed", "advice");
    let blob = |clone: &Clone| clone.scratch.git(&["rev-parse", "HEAD:src/a.rs"]);
    for (id, words, wanted) in [gone, (blob as fn(&Clone) -> String, "is no commit", "broken")] {
        let clone = Clone::installed();
        let line = crate::support::reading_line(&id(&clone), "works", "pass", 5);
        clone.scratch.write(".spec/n/yatsu.evals.ndjson", line);
        clone.scratch.commit("a reading of elsewhere");
        let (health, repair) = only(&clone, words);
        assert_eq!(health, wanted);
        let command = repair.split("   (").next().and_then(|line| line.rsplit("then: ").next()).expect("a command");
        clone.run(command).expect(0);
        clone.scratch.commit("mended");
        assert_eq!(clone.doctor(), (0, Vec::new()), "{command}");
    }
}

#[test]
fn a_journal_of_claims_that_cannot_be_followed_is_moved_away() {
    let clone = Clone::installed();
    clone.run("yatsu-hook claim take n --as Ann").expect(0);
    let journals = clone.run("find .git -name claims.ndjson").out;
    let journal = journals.lines().next().expect("a journal").to_owned();
    fs::write(clone.here.join(journal), "garbage\n").expect("written");
    let (health, repair) = only(&clone, "no claim is given or taken");
    assert_eq!(health, "broken");
    let command = repair.split('`').nth(1).map_or(repair.clone(), str::to_owned);
    is_mended(&clone, &command);
}

#[test]
fn a_place_of_evidence_that_is_away_is_named_again() {
    let clone = Clone::installed();
    let place = clone.scratch.base.join("evidence");
    fs::create_dir(&place).expect("a directory");
    clone.run("yatsu-hook share on file:../evidence").expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    fs::rename(&place, clone.scratch.base.join("other")).expect("moved");
    let (health, repair) = only(&clone, "which is away");
    assert_eq!(health, "advice");
    let command = repair.rsplit(": ").next().expect("a command").replace("PLACE", "file:../other");
    is_mended(&clone, &command);
}

/// The hook directory is a link to one that others share, so only its owner may add the call.
#[test]
fn a_shared_hook_directory_behind_a_link_is_mended_by_the_lines_for_its_owner() {
    let clone = Clone::new();
    let shared = clone.scratch.base.join("shared");
    fs::create_dir_all(&shared).expect("a directory");
    let _ = fs::remove_dir_all(clone.here.join(".git/hooks"));
    std::os::unix::fs::symlink(&shared, clone.here.join(".git/hooks")).expect("a link");
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (1, 3), "{found:#?}");
    for [.., repair] in &found {
        let (file, call) = repair.strip_prefix("call it from ").and_then(|rest| rest.split_once(": ")).expect("a call");
        executable(std::path::Path::new(file), &format!("#!/bin/sh\n{call}\n"));
    }
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.run("yatsu-hook install").expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}
