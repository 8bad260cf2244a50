//! The doctor's findings about hooks, the merge driver and the clone, and the repairs that it names.

use super::*;
use yatsu_hook::app::setup::doctor;
use yatsu_hook::report::Health;

/// The doctor's findings about hooks, the worst first.
fn hook_health(setup: &Setup) -> Vec<(Health, String)> {
    let all = doctor::setup(&setup.git, &setup.request, false).expect("judged");
    assert!(all.iter().all(|one| one.repair.is_some() == (one.health != Health::Ok)), "{all:#?}");
    let mut said: Vec<_> =
        all.into_iter().filter(|one| one.what.starts_with("pre-")).map(|one| (one.health, one.what)).collect();
    said.sort_by_key(|one| std::cmp::Reverse(one.0));
    said
}

#[test]
fn the_doctor_sees_missing_dangling_unexecutable_foreign_and_moved_hooks() {
    let setup = Setup::new(OLD);
    let worst = |setup: &Setup| hook_health(setup)[0].clone();
    assert!(hook_health(&setup).is_empty(), "nothing was installed yet");
    setup.install();
    assert_eq!(worst(&setup).0, Health::Ok);
    let hook = setup.hooks().join("pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).expect("a mode");
    assert!(worst(&setup).1.contains("not executable"));
    fs::remove_file(&hook).expect("removed");
    symlink("nowhere", &hook).expect("a link");
    assert!(worst(&setup).1.contains("cannot be read"));
    fs::remove_file(&hook).expect("removed");
    setup.foreign("pre-push", "#!/bin/sh\n");
    assert!(worst(&setup).1.contains("does not call"));
    setup.install();
    assert_eq!(worst(&setup).0, Health::Ok);
    fs::remove_file(&setup.request.program).expect("moved away");
    assert_eq!(worst(&setup).0, Health::Advice);
}

#[test]
fn the_doctor_does_not_call_broken_what_was_left_out_on_purpose() {
    let mut setup = Setup::new(OLD);
    setup.foreign("pre-push", "#!/bin/sh\n");
    setup.request.events = Some(vec![HookEvent::PreCommit]);
    setup.install();
    let said = hook_health(&setup);
    assert!(said.iter().all(|(health, _)| *health == Health::Ok), "{said:#?}");
    assert_eq!(said.iter().filter(|(_, what)| what.contains("left out when the others were installed")).count(), 2);
    // a version that did not save the choice
    setup.scratch.git(&["config", "--unset", "yatsu.hooks"]);
    let said = hook_health(&setup);
    assert_eq!(
        said.iter().map(|(health, _)| *health).collect::<Vec<_>>(),
        [Health::Advice, Health::Advice, Health::Ok]
    );
    assert!(said[..2].iter().all(|(_, what)| what.contains("perhaps")), "{said:#?}");
    setup.request.events = None;
    setup.install();
    assert!(hook_health(&setup).iter().all(|(health, _)| *health == Health::Ok));
    // another tool installs over our hook
    setup.foreign("pre-push", "#!/bin/sh\n");
    assert_eq!(hook_health(&setup)[0].0, Health::Broken);
}

#[test]
fn the_doctor_sees_each_worktree_and_hooks_that_come_through_a_manager() {
    let setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.install();
    setup.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    setup.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    setup.scratch.git(&["-C", "../linked", "config", "--worktree", "core.hooksPath", ".none"]);
    let said = hook_health(&setup);
    assert_eq!(said.iter().filter(|(health, _)| *health == Health::Broken).count(), 3, "{said:#?}");
    assert!(said[0].1.contains("linked"));
    setup.scratch.git(&["worktree", "remove", "../linked"]);
    setup.uninstall();
    for hook in ["pre-commit", "pre-merge-commit", "pre-push"] {
        setup.foreign(hook, "#!/bin/sh\nlefthook run\n");
    }
    assert!(hook_health(&setup)[0].1.contains("lefthook runs the hooks"));
    setup.scratch.write("lefthook.yml", "run: yatsu-hook pre-commit\nrun: yatsu-hook pre-push {1} {2}\n");
    let said = hook_health(&setup);
    assert_eq!(said.iter().filter(|(_, what)| what.contains("lefthook calls yatsu-hook")).count(), 2, "{said:#?}");
    assert!(said[0].0 == Health::Advice && said[0].1.starts_with("pre-merge-commit"), "no line for it: {said:#?}");
}

#[test]
fn the_doctor_sees_configured_hooks_that_this_git_does_not_run() {
    let mut setup = Setup::new(NEW);
    setup.install();
    assert!(hook_health(&setup).iter().all(|(health, _)| *health == Health::Ok));
    setup.git.version = Some(OLD);
    let all = doctor::setup(&setup.git, &setup.request, false).expect("judged");
    assert!(all.iter().any(|one| one.health == Health::Broken && one.what.contains("does not run")), "{all:#?}");
}

#[test]
fn the_doctor_sees_a_missing_merge_driver_and_a_shallow_clone() {
    let mut setup = Setup::new(OLD);
    setup.scratch.write("a/yatsu.evals.ndjson", "");
    setup.scratch.commit("one");
    setup.scratch.commit("two");
    let says = |setup: &Setup, words: &str| {
        let all = doctor::setup(&setup.git, &setup.request, false).expect("judged");
        all.into_iter().find(|one| one.what.contains(words)).map(|one| one.health)
    };
    assert_eq!(says(&setup, "will conflict in the ledger"), Some(Health::Advice));
    setup.scratch.write(".gitattributes", "*.evals.ndjson merge=yatsu-ledger\n");
    assert_eq!(says(&setup, "this clone does not have"), Some(Health::Broken));
    setup.request.merge_driver = yatsu_hook::app::setup::install::DriverWish::Asked;
    setup.install();
    assert_eq!(says(&setup, "by the ledger's merge driver"), Some(Health::Ok));
    assert_eq!(says(&setup, "history is complete"), Some(Health::Ok));
    let from = format!("file://{}", setup.scratch.root.display());
    setup.scratch.git(&["clone", "-q", "--depth", "1", &from, "../shallow"]);
    setup.at(&setup.scratch.base.join("shallow"));
    assert_eq!(says(&setup, "clone is shallow"), Some(Health::Advice));
}

/// The repair that the doctor names for a hook.
fn repair(setup: &Setup, event: &str) -> String {
    let all = doctor::setup(&setup.git, &setup.request, false).expect("judged");
    let is_asked = |what: &str| what.starts_with(&format!("{event} in")) || what.starts_with("not installed");
    all.into_iter().find(|one| is_asked(&one.what)).expect("a diagnosis").repair.unwrap_or_default()
}

#[test]
fn the_doctor_proposes_what_install_does_not_refuse() {
    let setup = Setup::new(OLD);
    assert_eq!(repair(&setup, "pre-push"), "yatsu-hook install");
    let outside = setup.scratch.base.join("team");
    for (hooks, is_there) in [(outside.as_path(), true), (Path::new("/dev/null"), false)] {
        setup.scratch.git(&["config", "core.hooksPath", hooks.to_str().expect("text")]);
        setup.refused();
        let own = format!("git config --local core.hooksPath '{}'", setup.hooks().display());
        let call = format!("   (or call it from {}/pre-push: yatsu-hook pre-push \"$@\" || exit)", hooks.display());
        let call = if is_there { &call } else { "" };
        assert_eq!(repair(&setup, "pre-push"), format!("{own} && yatsu-hook install{call}"));
    }
    setup.scratch.git(&["config", "core.hooksPath", setup.hooks().to_str().expect("text")]);
    setup.install();
    assert_eq!(repair(&setup, "pre-push"), "");
    // a worktree with another hooks directory
    setup.scratch.commit("root");
    setup.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    setup.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    setup.scratch.git(&["-C", "../linked", "config", "--worktree", "core.hooksPath", ".none"]);
    let all = doctor::setup(&setup.git, &setup.request, false).expect("judged");
    let repairs: Vec<_> = all.iter().filter(|one| one.health == Health::Broken).flat_map(|one| &one.repair).collect();
    let linked = format!("yatsu-hook -C {} install", setup.scratch.base.join("linked").display());
    assert_eq!(repairs, [&linked, &linked, &linked]);
}

#[test]
fn the_doctor_names_the_link_to_the_outside_and_the_two_hooks_that_install_refuses() {
    let setup = Setup::new(OLD);
    setup.foreign("pre-push", "#!/bin/sh\n# first\n");
    setup.install();
    let hook = setup.foreign("pre-push", "#!/bin/sh\n# second\n").display().to_string();
    setup.refused();
    let aside = format!("mv {hook} {hook}.replaced && yatsu-hook install   (");
    assert!(repair(&setup, "pre-push").starts_with(&aside), "{}", repair(&setup, "pre-push"));
    let outside = setup.scratch.base.join("team");
    fs::rename(setup.hooks(), &outside).expect("moved");
    symlink(&outside, setup.hooks()).expect("a link");
    assert_eq!(setup.refused().hints.len(), 2, "a core.hooksPath of its own would lead through the same link");
    assert_eq!(repair(&setup, "pre-push"), format!("call it from {hook}: yatsu-hook pre-push \"$@\" || exit"));
}

#[test]
fn the_doctor_names_huskys_own_file() {
    let setup = Setup::new(OLD);
    setup.scratch.git(&["config", "core.hooksPath", ".husky/_"]);
    let file = setup.scratch.root.join(".husky/pre-commit");
    let add = format!("echo 'yatsu-hook pre-commit' >>{}", file.display());
    assert_eq!(repair(&setup, "pre-commit"), format!("{add} && npx husky"));
    executable(&setup.scratch.root.join(".husky/_/pre-commit"), "#!/bin/sh\n. \"${0%/*}/h\"\n");
    assert_eq!(repair(&setup, "pre-commit"), add);
    fs::remove_dir_all(setup.scratch.root.join(".husky/_")).expect("removed");
    setup.scratch.write(".husky/pre-commit", "yatsu-hook pre-commit\n");
    assert_eq!(repair(&setup, "pre-commit"), "npx husky");
}

/// A line goes into a file of lefthook only where that cannot make a second section of one name.
#[test]
fn the_doctor_names_the_line_for_a_frameworks_file() {
    let setup = Setup::new(OLD);
    setup.foreign("pre-commit", "#!/bin/sh\ncall_lefthook run \"pre-commit\" \"$@\"\n");
    setup.scratch.write("lefthook.yml", "pre-commit:\n  jobs:\n    - run: other\n");
    let file = setup.scratch.root.join("lefthook.yml").display().to_string();
    let section = "pre-commit: {jobs: [{name: yatsu-hook, run: \"yatsu-hook pre-commit\"}]}";
    assert_eq!(repair(&setup, "pre-commit"), format!("add to {file}: {section}   then: lefthook install"));
    let push = "pre-push: {jobs: [{name: yatsu-hook, run: \"yatsu-hook pre-push {1} {2}\", use_stdin: true}]}";
    assert_eq!(repair(&setup, "pre-push"), format!("echo '{push}' >>{file} && lefthook install"));
    let error = setup.refused();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert_eq!(error.hints.last().map(String::as_str), Some("then: lefthook install"));
    setup.scratch.write("lefthook.yml", format!("{section}\n{push}\n"));
    assert_eq!(repair(&setup, "pre-push"), "lefthook install");
    setup.foreign("pre-commit", "#!/bin/sh\nexec hk run pre-commit\n");
    setup.scratch.write("hk.pkl", "hooks {\n}\n");
    assert!(repair(&setup, "pre-push").ends_with("stdin = \"{{hook_stdin}}\" } } }   then: hk install"));
}
