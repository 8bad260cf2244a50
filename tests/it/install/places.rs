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

/// A repository with the team's own hook in `.githooks`, which git tracks.
fn team(version: &'static str) -> Setup {
    let setup = Setup::new(version);
    executable(&setup.scratch.root.join(".githooks/pre-commit"), "#!/bin/sh\necho team >>\"$HOME/log\"\n");
    setup.scratch.commit("the team's hook");
    setup.scratch.git(&["config", "core.hooksPath", ".githooks"]);
    setup
}

/// The line for a hook of a team, with `call` after the name of the program.
fn guarded(call: &str) -> String {
    format!(
        "if command -v yatsu-hook >/dev/null; then yatsu-hook {call} || exit; \
         else echo 'yatsu-hook: not installed, not checked' >&2; fi"
    )
}

/// The line that the first release printed. A later line of the hook hid an error.
const RELEASED: &str =
    "command -v yatsu-hook >/dev/null || { echo 'yatsu-hook: not installed, not checked' >&2; exit 0; }; yatsu-hook ";

#[test]
fn hooks_that_git_tracks_are_never_replaced_and_the_lines_to_add_are_said() {
    let setup = team(OLD);
    let before = everything(&setup.scratch.base);
    let error = setup.refused();
    assert_eq!(error.kind.exit_code(), 2);
    let lines: Vec<&str> = error.hints.iter().filter_map(|hint| hint.split_once(": ")).map(|(_, line)| line).collect();
    let calls = ["pre-commit", "pre-merge-commit", "pre-push \"$@\""].map(guarded);
    assert_eq!(lines, calls);
    assert!(error.hints[0].contains(".githooks/pre-commit"), "{}", error.hints[0]);
    assert_eq!(everything(&setup.scratch.base), before);

    // the hook of a colleague without the program lets everything pass, and says so
    let mut hook = "#!/bin/sh\necho team >>\"$HOME/log\"\n".to_owned();
    hook += &calls[0];
    executable(&setup.scratch.root.join(".githooks/pre-commit"), &hook);
    for (event, call) in [("pre-merge-commit", &calls[1]), ("pre-push", &calls[2])] {
        executable(&setup.scratch.root.join(".githooks").join(event), &format!("#!/bin/sh\n{call}\n"));
    }
    let said = setup.commit("a").expect(0);
    assert!(said.err.contains("yatsu-hook: not installed, not checked"), "{}", said.err);
    assert_eq!(setup.log(), "team\n");
    // the line of an older release counts as a call, too
    let hook = setup.scratch.root.join(".githooks/pre-commit");
    let now = fs::read(&hook).expect("read");
    executable(&hook, &format!("#!/bin/sh\n{RELEASED}pre-commit\n"));
    assert!(setup.install().steps.len() <= 1, "nothing to add");
    executable(&hook, std::str::from_utf8(&now).expect("text"));
    // a team deletes the whole line that it was told to add
    let notes = setup.uninstall().notes;
    for (event, call) in ["pre-commit", "pre-merge-commit", "pre-push"].iter().zip(&calls) {
        let whole = format!(".githooks/{event}: {call}");
        assert_eq!(notes.iter().filter(|note| note.ends_with(&whole)).count(), 1, "{notes:?}");
    }

    let tracked = everything(&setup.scratch.root.join(".githooks"));
    let plan = setup.install();
    assert_eq!(plan.steps.len(), 1, "the choice: {:?}", plan.steps);
    assert_eq!(setup.install().steps, []);
    let notes = setup.uninstall().notes;
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert_eq!(everything(&setup.scratch.root.join(".githooks")), tracked);
}

/// Runs the printed line in a hook with more lines, with a program that ends so; `None` for a machine without it.
#[test]
fn the_printed_line_lets_no_error_pass_and_ends_no_other_check() {
    let scratch = Scratch::new();
    let bin = scratch.base.join("bin");
    fs::create_dir_all(&bin).expect("a directory");
    let lines = ["pre-commit", "pre-push \"$@\""].map(|call| (guarded(call), true));
    let calls = ["pre-commit", "pre-push \"$@\""].map(|call| (format!("yatsu-hook {call} || exit"), false));
    for (line, is_guarded) in lines.into_iter().chain(calls) {
        for flags in ["", " -e"] {
            let hook = executable(&scratch.base.join("hook"), &format!("#!/bin/sh{flags}\n{line}\necho lint ok\n"));
            for code in [None, Some(0), Some(1), Some(3)] {
                let program = bin.join("yatsu-hook");
                let _ = fs::remove_file(&program);
                if let Some(code) = code {
                    executable(&program, &format!("#!/bin/sh\necho \"$@\"; [ $1 = pre-commit ] || cat; exit {code}\n"));
                }
                let path = format!("{}:/usr/bin:/bin", bin.display());
                let mut command = std::process::Command::new(&hook);
                command.env("PATH", path).args(["origin", "url"]).stdin(std::process::Stdio::piped());
                command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
                let mut child = command.spawn().expect("a shell");
                // a hook that reads nothing may have ended
                let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), b"refs\n");
                let done = child.wait_with_output().expect("ended");
                let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
                let wanted = match code {
                    None if is_guarded => 0,
                    None => 127,
                    Some(code) => code,
                };
                assert_eq!(done.status.code(), Some(wanted), "{line}{flags} {code:?}: {out}{err}");
                assert_eq!(out.contains("lint ok"), wanted == 0, "{line}{flags} {code:?}");
                if code.is_some() && line.contains("pre-push") {
                    assert!(out.starts_with("pre-push origin url\nrefs\n"), "{out}");
                }
                assert_eq!(err.contains("not installed, not checked"), code.is_none() && is_guarded, "{err}");
            }
        }
    }
}

#[test]
fn each_way_to_a_directory_that_git_tracks_is_seen() {
    // a link in the place of git's own directory
    let setup = team(OLD);
    setup.scratch.git(&["config", "--unset", "core.hooksPath"]);
    fs::remove_dir_all(setup.hooks()).unwrap_or_default();
    symlink("../.githooks", setup.hooks()).expect("a link");
    assert_eq!(setup.refused().kind, ErrorKind::Usage);
    // another hook of the directory is tracked, so ours would be committed beside it
    let setup = team(OLD);
    setup.scratch.git(&["mv", ".githooks/pre-commit", ".githooks/commit-msg"]);
    assert_eq!(setup.refused().hints.len(), 3);
    // staged counts as tracked, in a directory with a name that is no text
    let setup = Setup::new(OLD);
    let dir: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(b"h\xff \n".to_vec());
    executable(&setup.scratch.root.join(&dir).join("pre-push"), "#!/bin/sh\n");
    setup.scratch.git(&["add", "-A"]);
    let _ = fs::remove_dir_all(setup.hooks());
    symlink(setup.scratch.root.join(dir), setup.hooks()).expect("a link");
    assert_eq!(setup.refused().kind, ErrorKind::Usage);
    // the main worktree's directory, asked from a linked one that lies in it
    let mut setup = team(OLD);
    setup.scratch.git(&["worktree", "add", "-q", "-b", "linked", "inner/linked"]);
    let hooks = setup.scratch.root.join(".githooks");
    setup.scratch.git(&["config", "core.hooksPath", hooks.to_str().expect("text")]);
    setup.at(&setup.scratch.root.join("inner/linked"));
    assert_eq!(setup.refused().kind, ErrorKind::Usage);
    // the linked one's own, which the main one does not track
    setup.scratch.git(&["config", "core.hooksPath", ".githooks"]);
    assert_eq!(setup.refused().kind, ErrorKind::Usage);
}

/// The documentation offers the files in `hooks/` for teams that copy them.
#[test]
fn a_tracked_shim_is_neither_written_again_nor_removed_nor_run_twice() {
    for version in [OLD, NEW] {
        let mut setup = Setup::new(version);
        setup.request.events = Some(vec![HookEvent::PreCommit]);
        executable(&setup.scratch.root.join(".githooks/pre-commit"), &shim::plain(HookEvent::PreCommit, None));
        setup.scratch.commit("the shim");
        setup.scratch.git(&["config", "core.hooksPath", ".githooks"]);
        setup.install();
        assert_eq!(setup.scratch.git(&["status", "--porcelain"]), "", "{version}");
        assert_eq!(setup.scratch.try_git(&["config", "--get-regexp", r"^hook\."]).out, "", "{version}");
        setup.uninstall();
        assert_eq!(setup.scratch.git(&["status", "--porcelain"]), "", "{version}");
    }
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
fn husky_keeps_its_directory_and_the_lines_are_said() {
    let setup = Setup::new(OLD);
    setup.scratch.git(&["config", "core.hooksPath", ".husky/_"]);
    let error = setup.refused();
    assert_eq!(error.kind.exit_code(), 2);
    let lines = ["pre-commit: yatsu-hook pre-commit", "pre-merge-commit: yatsu-hook pre-merge-commit"];
    let lines = [lines[0], lines[1], "pre-push: yatsu-hook pre-push \"$@\""];
    let ends = |hints: &[String]| hints.iter().zip(lines).all(|(hint, line)| hint.ends_with(&format!(".husky/{line}")));
    assert!(error.hints.len() == 3 && ends(&error.hints), "{:?}", error.hints);
    for line in lines {
        let (event, call) = line.split_once(": ").expect("a line");
        setup.scratch.write(&format!(".husky/{event}"), format!("{call}\n"));
    }
    assert_eq!(setup.refused().hints, ["npx husky"], "its directory is not there");
    for event in ["pre-commit", "pre-merge-commit", "pre-push"] {
        executable(&setup.scratch.root.join(".husky/_").join(event), "#!/bin/sh\n. \"${0%/*}/h\"\n");
    }
    let plan = setup.install();
    assert_eq!(plan.steps.len(), 1, "what husky runs is written down, and nothing else is changed: {:?}", plan.steps);
    assert_eq!(setup.install().steps, []);
    assert_eq!(plan.notes.len(), 3);
    assert_eq!(setup.uninstall().notes.len(), 3);
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
