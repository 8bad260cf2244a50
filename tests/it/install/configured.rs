//! Hooks in git's configuration, which git 2.54 and later run.

use super::*;

#[test]
fn a_new_git_gets_configured_hooks_and_no_file_is_touched() {
    let setup = Setup::new(NEW);
    setup.scratch.git(&["config", "core.hooksPath", "/outside"]);
    let before = everything(&setup.hooks());
    setup.install();
    assert_eq!(everything(&setup.hooks()), before);
    let events = setup.scratch.git(&["config", "--get-all", "hook.yatsu-hook.event"]);
    assert_eq!(events, "pre-commit\npre-merge-commit\npre-push");
}

/// git runs a configured command as `sh -c '<command> "$@"'` with the hook's arguments. So the command can be tested
/// without such a git.
#[test]
fn the_configured_command_tells_the_events_apart() {
    let setup = Setup::new(NEW);
    setup.install();
    let command = setup.scratch.git(&["config", "hook.yatsu-hook.command"]);
    let run = |args: &[&str], env: &[(&str, &str)]| {
        let mut sh = hermetic("sh", &setup.scratch.home());
        let script = if args.is_empty() { command.clone() } else { format!("{command} \"$@\"") };
        sh.current_dir(&setup.scratch.root).arg("-c").arg(script).arg(&command).args(args);
        Said::of(sh.envs(env.iter().copied()).output().expect("sh"))
    };
    run(&[], &[]).expect(0);
    run(&[], &[("GIT_REFLOG_ACTION", "merge side")]).expect(0);
    run(&[], &[("GIT_QUARANTINE_PATH", "/q")]).expect(0);
    run(&["a remote", "https://example.invalid"], &[]).expect(0);
    let wanted =
        "ran: pre-commit\nran: pre-merge-commit\nran: pre-receive\nran: pre-push a remote https://example.invalid\n";
    assert_eq!(setup.log(), wanted);
    setup.verdict("1");
    run(&[], &[]).expect(1);
    fs::remove_file(&setup.request.program).expect("moved away");
    run(&[], &[]).expect(0);
    setup.scratch.write("yatsu.md", "x");
    setup.scratch.git(&["add", "yatsu.md"]);
    assert!(run(&[], &[]).expect(3).err.contains("--remove-section hook.yatsu-hook"));
}

#[test]
fn git_tells_a_clean_merge_by_its_reflog_action() {
    let setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.scratch.git(&["checkout", "-q", "-b", "side"]);
    setup.commit("side").expect(0);
    setup.scratch.git(&["checkout", "-q", "main"]);
    setup.commit("main").expect(0);
    setup.foreign("pre-merge-commit", "#!/bin/sh\necho \"action: $GIT_REFLOG_ACTION\" >>\"$HOME/log\"\n");
    setup.foreign("pre-commit", "#!/bin/sh\necho \"commit: $GIT_REFLOG_ACTION\" >>\"$HOME/log\"\n");
    setup.scratch.git(&["merge", "-q", "--no-edit", "side"]);
    setup.commit("after").expect(0);
    assert_eq!(setup.log(), "action: merge side\ncommit: \n");
}

#[test]
fn shims_of_an_older_git_make_room_for_configured_hooks() {
    let mut setup = Setup::new(OLD);
    setup.foreign("pre-commit", "#!/bin/sh\n");
    let before = everything(&setup.hooks());
    setup.install();
    setup.git.version = Some(NEW);
    setup.install();
    assert_eq!(everything(&setup.hooks()), before);
    assert_eq!(setup.install().steps, []);
}

#[test]
fn changed_hooks_in_the_configuration_are_set_right() {
    let setup = Setup::new(NEW);
    setup.scratch.git(&["config", "hook.yatsu-hook.command", "old"]);
    setup.scratch.git(&["config", "--add", "hook.yatsu-hook.event", "commit-msg"]);
    setup.install();
    assert_eq!(setup.install().steps, []);
    let events = setup.scratch.git(&["config", "--get-all", "hook.yatsu-hook.event"]);
    assert_eq!(events, "pre-commit\npre-merge-commit\npre-push");
}

#[test]
fn global_needs_a_new_git_and_then_serves_every_repository() {
    let mut setup = Setup::new(OLD);
    setup.request.global = true;
    let error = setup.refused();
    assert_eq!(error.kind.exit_code(), 2);
    assert!(error.message.contains("2.54") && error.message.contains("2.47"), "{}", error.message);
    setup.git.version = Some(NEW);
    assert_eq!(setup.install().steps.len(), 4);
    assert_eq!(setup.install().steps, []);
    setup.request.global = false;
    let plan = setup.install();
    assert!(plan.steps.is_empty() && plan.notes[0].contains("every repository"), "{plan:?}");
    setup.request.global = true;
    setup.uninstall();
    assert_eq!(setup.uninstall().steps, []);
    setup.request.merge_driver = yatsu_hook::app::setup::install::DriverWish::Asked;
    assert_eq!(setup.refused().kind, ErrorKind::Usage);
}
