//! Hooks in git's configuration, which git 2.54 and later run.

use super::*;

/// The configured sections, as (name of the hook, event).
fn sections(setup: &Setup) -> Vec<(String, String)> {
    let listed = setup.scratch.try_git(&["config", "--get-regexp", r"^hook\..*\.event$"]).out;
    let pair = |line: &str| line.split_once(' ').map(|(key, event)| (key.to_owned(), event.to_owned()));
    let mut found: Vec<_> = listed.lines().filter_map(pair).collect();
    found.sort();
    found
}

fn wanted() -> Vec<(String, String)> {
    let section = |event: &str| (format!("hook.yatsu-hook-{event}.event"), event.to_owned());
    ["pre-commit", "pre-merge-commit", "pre-push"].map(section).into()
}

#[test]
fn a_new_git_gets_configured_hooks_and_no_file_is_touched() {
    let setup = Setup::new(NEW);
    setup.scratch.git(&["config", "core.hooksPath", "/outside"]);
    let before = everything(&setup.hooks());
    setup.install();
    assert_eq!(everything(&setup.hooks()), before);
    assert_eq!(sections(&setup), wanted());
}

/// git runs a configured command as `sh -c '<command> "$@"'` with the hook's arguments. So the command can be tested
/// without such a git.
fn run(setup: &Setup, event: &str, args: &[&str], env: &[(&str, &str)]) -> Said {
    let command = setup.scratch.git(&["config", &format!("hook.yatsu-hook-{event}.command")]);
    let mut sh = hermetic("sh", &setup.scratch.home());
    let script = if args.is_empty() { command.clone() } else { format!("{command} \"$@\"") };
    sh.current_dir(&setup.scratch.root).arg("-c").arg(script).arg(&command).args(args);
    Said::of(sh.envs(env.iter().copied()).output().expect("sh"))
}

#[test]
fn each_configured_command_runs_its_own_event_whatever_the_environment_says() {
    let mut setup = Setup::new(NEW);
    setup.request.events = Some(HookEvent::ALL.into());
    setup.install();
    for env in [&[][..], &[("GIT_REFLOG_ACTION", "merge side")], &[("GIT_QUARANTINE_PATH", "/q")]] {
        for event in ["pre-commit", "pre-merge-commit", "pre-receive"] {
            run(&setup, event, &[], env).expect(0);
            assert_eq!(setup.log(), format!("ran: {event}\n"), "{env:?}");
            fs::remove_file(setup.scratch.home().join("log")).expect("removed");
        }
    }
    run(&setup, "pre-push", &["a remote", "https://example.invalid"], &[]).expect(0);
    assert_eq!(setup.log(), "ran: pre-push a remote https://example.invalid\n");
    setup.verdict("1");
    run(&setup, "pre-commit", &[], &[]).expect(1);
}

#[test]
fn a_configured_command_without_the_program_stops_what_it_could_not_check() {
    let setup = Setup::new(NEW);
    setup.install();
    fs::remove_file(&setup.request.program).expect("moved away");
    run(&setup, "pre-commit", &[], &[]).expect(0);
    setup.scratch.write("yatsu.md", "x");
    setup.scratch.git(&["add", "yatsu.md"]);
    for event in ["pre-commit", "pre-push"] {
        let said = run(&setup, event, &[], &[]).expect(3);
        assert!(said.err.contains(&format!("--remove-section hook.yatsu-hook-{event}")), "{}", said.err);
    }
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
    setup.scratch.git(&["config", "hook.yatsu-hook-pre-push.command", "old"]);
    setup.scratch.git(&["config", "--add", "hook.yatsu-hook-pre-push.event", "commit-msg"]);
    setup.scratch.git(&["config", "--add", "hook.yatsu-hook-pre-receive.event", "pre-receive"]);
    // the one section of an earlier version
    setup.scratch.git(&["config", "hook.yatsu-hook.command", "old"]);
    setup.scratch.git(&["config", "hook.yatsu-hook.event", "pre-commit"]);
    setup.install();
    assert_eq!(setup.install().steps, []);
    assert_eq!(sections(&setup), wanted());
    setup.uninstall();
    assert_eq!(sections(&setup), []);
}

#[test]
fn global_needs_a_new_git_and_then_serves_every_repository() {
    let mut setup = Setup::new(OLD);
    setup.request.global = true;
    let error = setup.refused();
    assert_eq!(error.kind.exit_code(), 2);
    assert!(error.message.contains("2.54") && error.message.contains("2.47"), "{}", error.message);
    setup.git.version = Some(NEW);
    assert_eq!(setup.install().steps.len(), 6);
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

#[test]
fn hooks_of_others_that_call_the_program_are_not_configured_a_second_time() {
    let mut setup = Setup::new(NEW);
    setup.foreign("pre-commit", "#!/bin/sh\nyatsu-hook pre-commit\n");
    setup.install();
    assert_eq!(sections(&setup), wanted()[1..]);
    // nor by the user's configuration
    setup.uninstall();
    setup.request.global = true;
    setup.install();
    setup.request.global = false;
    let plan = setup.install();
    let said: Vec<String> = plan.steps.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["git config --local hook.yatsu-hook-pre-commit.enabled 'false'"]);
    assert_eq!(setup.install().steps, []);
    assert!(plan.notes.iter().any(|note| note.contains("every repository")), "{:?}", plan.notes);
}
