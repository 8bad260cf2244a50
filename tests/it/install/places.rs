//! The places of hooks: outside the repository, in the work tree, under husky, behind links, in worktrees.

use super::*;

#[test]
fn hooks_outside_the_repository_are_refused_with_the_reason() {
    let setup = Setup::new(OLD);
    let outside = setup.scratch.base.join("shared hooks");
    fs::create_dir_all(&outside).expect("a directory");
    for scope in ["local", "global"] {
        let config = format!("--{scope}");
        setup.git.run(&["config", &config, "core.hooksPath", outside.to_str().expect("text")]).expect("set");
        let error = setup.refused();
        assert!(matches!(error.kind, ErrorKind::Refused(_)));
        assert!(error.message.contains("shared hooks") && error.message.contains("outside"), "{}", error.message);
        let repair = error.hints.iter().find_map(|hint| hint.split_once("git config ")).expect("a command").1;
        assert_eq!(repair, format!("--local core.hooksPath '{}'", setup.hooks().display()));
        setup.git.run(&["config", &config, "--unset", "core.hooksPath"]).expect("unset");
    }
    assert_eq!(fs::read_dir(&outside).expect("listed").count(), 0);
    setup.git.run(&["config", "core.hooksPath", "/dev/null"]).expect("set");
    assert!(matches!(setup.refused().kind, ErrorKind::Refused(_)));
}

#[test]
fn a_hooks_directory_that_is_a_link_to_the_outside_is_refused() {
    let setup = Setup::new(OLD);
    let outside = setup.scratch.base.join("team");
    fs::create_dir_all(&outside).expect("a directory");
    let _ = fs::remove_dir_all(setup.hooks());
    symlink(&outside, setup.hooks()).expect("a link");
    assert!(matches!(setup.refused().kind, ErrorKind::Refused(_)));
    assert_eq!(fs::read_dir(&outside).expect("listed").count(), 0);
}

#[test]
fn hooks_inside_the_work_tree_are_wired_and_it_is_said() {
    let setup = Setup::new(OLD);
    setup.scratch.git(&["config", "core.hooksPath", ".githooks"]);
    let kept = executable(&setup.scratch.root.join(".githooks/pre-commit"), "#!/bin/sh\necho kept >>\"$HOME/log\"\n");
    let plan = setup.install();
    assert!(plan.notes.iter().any(|note| note.contains("inside the work tree") && note.contains(".githooks")));
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "kept\nran: pre-commit\n");
    setup.uninstall();
    assert_eq!(fs::read_to_string(kept).expect("read"), "#!/bin/sh\necho kept >>\"$HOME/log\"\n");
}

#[test]
fn shims_are_found_again_after_hooks_path_moved_away() {
    let setup = Setup::new(OLD);
    let before = everything(&setup.hooks());
    setup.install();
    setup.scratch.git(&["config", "core.hooksPath", "/somewhere/else"]);
    setup.uninstall();
    assert_eq!(everything(&setup.hooks()), before);
}

#[test]
fn husky_keeps_its_directory_and_the_two_lines_are_said() {
    let setup = Setup::new(OLD);
    setup.scratch.git(&["config", "core.hooksPath", ".husky/_"]);
    setup.scratch.write(".husky/_/pre-commit", "#!/bin/sh\n. \"${0%/*}/h\"\n");
    let error = setup.refused();
    assert_eq!(error.kind.exit_code(), 2);
    assert_eq!(error.hints.len(), 2);
    assert!(error.hints[0].ends_with(".husky/pre-commit: yatsu-hook pre-commit"), "{:?}", error.hints);
    assert!(error.hints[1].ends_with(".husky/pre-push: yatsu-hook pre-push \"$@\""), "{:?}", error.hints);
    setup.scratch.write(".husky/pre-commit", "yatsu-hook pre-commit\n");
    assert_eq!(setup.refused().hints.len(), 1);
    setup.scratch.write(".husky/pre-push", "yatsu-hook pre-push \"$@\"\n");
    let plan = setup.install();
    assert_eq!(plan.steps.len(), 1, "what husky runs is written down, and nothing else is changed: {:?}", plan.steps);
    assert_eq!(setup.install().steps, []);
    assert_eq!(plan.notes.len(), 1);
    assert_eq!(setup.uninstall().notes.len(), 2);
}

#[test]
fn a_linked_worktree_shares_the_hooks_of_the_repository() {
    let mut setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    let linked = setup.scratch.base.join("linked tree");
    fs::create_dir_all(linked.join("deep/er")).expect("directories");
    setup.at(&linked.join("deep/er"));
    setup.install();
    assert!(setup.hooks().join("pre-commit").exists());
    setup.commit("a").expect(0);
    let said = setup.scratch.git(&["-C", "../linked tree", "commit", "-q", "--allow-empty", "-m", "b"]);
    assert_eq!((said.as_str(), setup.log().as_str()), ("", "ran: pre-commit\nran: pre-commit\n"));
    setup.at(&setup.scratch.root.clone());
    setup.uninstall();
    assert!(!setup.hooks().join("pre-commit").exists());
}

#[test]
fn a_bare_repository_gets_pre_receive_with_the_pushed_refs() {
    let mut setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.remote();
    let bare = setup.scratch.base.join("up.git");
    setup.at(&bare);
    executable(&bare.join("hooks/pre-receive"), "#!/bin/sh\nsed 's/^/kept: /' >>\"$HOME/log\"\n");
    setup.install();
    let head = setup.scratch.git(&["rev-parse", "HEAD"]);
    setup.scratch.git(&["push", "-q", "up", "main"]);
    let line = format!("{} {head} refs/heads/main\n", "0".repeat(40));
    assert_eq!(setup.log(), format!("kept: {line}ran: pre-receive\nin: {line}"));
    setup.verdict("1");
    setup.scratch.commit("more");
    setup.scratch.try_git(&["push", "-q", "up", "main"]).expect(1);
}
