//! Installing and uninstalling in real repositories, with real git. The hooks call a stand-in that logs its arguments.
//! This proves that git reaches the program, and how.

mod aside;
mod configured;
mod doctor;
mod frameworks;
mod places;
mod repairs;
mod standing;

use crate::support::{Said, Scratch, executable, hermetic};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use yatsu_hook::app::setup::install;
use yatsu_hook::app::setup::install::{DriverWish, HookEvent, InstallPlan, InstallRequest, shim};
use yatsu_hook::app::site::setup_git::SetupGit;
use yatsu_hook::error::{Error, ErrorKind, Result};

/// git in a scratch repository, or a git that claims another version.
struct ScratchGit {
    home: PathBuf,
    here: PathBuf,
    version: Option<&'static str>,
}

impl SetupGit for ScratchGit {
    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        if let (["version"], Some(version)) = (args, self.version) {
            return Ok(format!("git version {version}\n").into_bytes());
        }
        let mut git = hermetic("git", &self.home);
        git.env("GIT_CONFIG_GLOBAL", self.home.join(".gitconfig")).current_dir(&self.here).args(args);
        let output = git.output().expect("git runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(output.stdout) } else { Err(Error::unchecked(said)) }
    }
}

/// A repository, a git to install with, and the request.
struct Setup {
    scratch: Scratch,
    git: ScratchGit,
    request: InstallRequest,
}

const OLD: &str = "2.47.3";
const NEW: &str = "2.54.0";

impl Setup {
    fn new(version: &'static str) -> Self {
        Self::with(Scratch::new(), version)
    }

    fn with(scratch: Scratch, version: &'static str) -> Self {
        let here = scratch.root.clone();
        let git = ScratchGit { home: scratch.home(), here: here.clone(), version: Some(version) };
        let program = stand_in(&scratch.base.join("it's a dir"));
        let request = InstallRequest { here, program, events: None, merge_driver: DriverWish::Leave, global: false };
        Self { scratch, git, request }
    }

    /// The same setup in another directory of the repository.
    fn at(&mut self, here: &Path) {
        self.git.here = here.to_owned();
        self.request.here = here.to_owned();
    }

    #[track_caller]
    fn install(&self) -> InstallPlan {
        let plan = install::install(&self.git, &self.request).expect("a plan");
        install::apply(&self.git, &plan).expect("applied");
        settle(&plan);
        plan
    }

    #[track_caller]
    fn uninstall(&self) -> InstallPlan {
        let plan = install::uninstall(&self.git, &self.request).expect("a plan");
        install::apply(&self.git, &plan).expect("applied");
        plan
    }

    fn refused(&self) -> Error {
        install::install(&self.git, &self.request).expect_err("refused")
    }

    fn hooks(&self) -> PathBuf {
        self.scratch.root.join(".git/hooks")
    }

    /// Writes a foreign hook.
    fn foreign(&self, name: &str, text: &str) -> PathBuf {
        executable(&self.hooks().join(name), text)
    }

    /// The log of the stand-in, one line per call.
    fn log(&self) -> String {
        fs::read_to_string(self.scratch.home().join("log")).unwrap_or_default()
    }

    /// Makes the stand-in end with this exit code.
    fn verdict(&self, code: &str) {
        fs::write(self.scratch.home().join("verdict"), code).expect("written");
    }

    fn commit(&self, name: &str) -> Said {
        self.scratch.write(name, name);
        self.scratch.git(&["add", name]);
        self.scratch.try_git(&["commit", "-q", "-m", name])
    }

    /// A bare repository as the remote `up`.
    fn remote(&self) {
        self.scratch.git(&["init", "-q", "--bare", "../up.git"]);
        self.scratch.git(&["remote", "add", "up", "../up.git"]);
    }
}

/// The stand-in for the program, in `dir`: logs its arguments and, for a push, its input.
fn stand_in(dir: &Path) -> PathBuf {
    let text = "#!/bin/sh\necho \"ran: $*\" >>\"$HOME/log\"\n\
                case $1 in pre-push|pre-receive) sed 's/^/in: /' >>\"$HOME/log\";; esac\n\
                exit \"$(cat \"$HOME/verdict\" 2>/dev/null || echo 0)\"\n";
    executable(&dir.join("yatsu-hook"), text)
}

/// Has a child process write the files that [`install::apply`] wrote in this process; see [`executable`].
fn settle(plan: &InstallPlan) {
    for step in &plan.steps {
        if let install::InstallStep::Write { path, mode: 0o755, .. } = step {
            child("cp -p \"$1\" \"$1$2\" && mv -f \"$1$2\" \"$1\"", path, ".settled");
        }
    }
}

fn child(script: &str, path: &Path, word: &str) {
    let mut sh = hermetic("sh", Path::new("/"));
    Said::of(sh.args(["-c", script, "sh"]).arg(path).arg(word).output().expect("sh")).expect(0);
}

/// Every file below `dir` with its mode and content (the target, for a link).
fn everything(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut queue = vec![dir.to_owned()];
    while let Some(dir) = queue.pop() {
        for entry in fs::read_dir(dir).expect("listed") {
            let path = entry.expect("an entry").path();
            let metadata = fs::symlink_metadata(&path).expect("looked at");
            if metadata.is_dir() {
                queue.push(path);
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes();
                found.insert(path, (0, target));
            } else {
                let content = fs::read(&path).expect("read");
                found.insert(path, (metadata.permissions().mode(), content));
            }
        }
    }
    found
}

#[test]
fn an_old_git_gets_shims_that_block_and_pass() {
    let setup = Setup::new(OLD);
    setup.install();
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "ran: pre-commit\n");
    setup.verdict("1");
    setup.commit("b").expect(1);
    setup.verdict("0");
    for hook in ["pre-commit", "pre-merge-commit", "pre-push"] {
        let text = fs::read_to_string(setup.hooks().join(hook)).expect("a shim");
        assert!(text.lines().count() <= 6 && text.contains(shim::MARKER), "{text}");
    }
    assert!(!setup.hooks().join("pre-receive").exists());
}

#[test]
fn a_merge_and_a_push_reach_the_program_with_what_git_hands_over() {
    let setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.install();
    setup.scratch.git(&["checkout", "-q", "-b", "side"]);
    setup.commit("side").expect(0);
    setup.scratch.git(&["checkout", "-q", "main"]);
    setup.commit("main").expect(0);
    setup.scratch.git(&["merge", "-q", "--no-edit", "side"]);
    assert!(setup.log().ends_with("ran: pre-merge-commit\n"), "{}", setup.log());
    setup.remote();
    setup.scratch.git(&["push", "-q", "up", "main"]);
    let head = setup.scratch.git(&["rev-parse", "HEAD"]);
    let zero = "0".repeat(40);
    let wanted = format!("ran: pre-push up ../up.git\nin: refs/heads/main {head} refs/heads/main {zero}\n");
    assert!(setup.log().ends_with(&wanted), "{}", setup.log());
}

#[test]
fn twice_is_once_and_nothing_is_left_behind() {
    for version in [OLD, NEW] {
        let mut setup = Setup::new(version);
        setup.request.merge_driver = DriverWish::Asked;
        setup.foreign("pre-commit", "#!/bin/sh\nexit 0\n");
        fs::set_permissions(setup.hooks().join("pre-commit"), fs::Permissions::from_mode(0o750)).expect("a mode");
        let before = everything(&setup.scratch.base);
        assert!(!setup.install().steps.is_empty());
        let installed = everything(&setup.scratch.base);
        assert_ne!(before, installed);
        assert_eq!(setup.install().steps, [], "{version}");
        assert_eq!(everything(&setup.scratch.base), installed, "{version}");
        assert!(!setup.uninstall().steps.is_empty());
        assert_eq!(everything(&setup.scratch.base), before, "{version}");
        assert_eq!(setup.uninstall().steps, [], "{version}");
        assert_eq!(everything(&setup.scratch.base), before, "{version}");
    }
}

#[test]
fn a_plan_alone_writes_nothing_and_says_each_change() {
    for version in [OLD, NEW] {
        let mut setup = Setup::new(version);
        setup.request.merge_driver = DriverWish::Asked;
        setup.foreign("pre-push", "#!/bin/sh\n");
        let before = everything(&setup.scratch.base);
        let plan = install::install(&setup.git, &setup.request).expect("a plan");
        assert_eq!(everything(&setup.scratch.base), before);
        let said: Vec<String> = plan.steps.iter().map(ToString::to_string).collect();
        let wanted =
            if version == OLD { "keep " } else { "git config --local hook.yatsu-hook-pre-push.event 'pre-push'" };
        assert!(said.iter().any(|line| line.starts_with(wanted)), "{said:#?}");
    }
}

#[test]
fn a_kept_hook_decides_first_and_its_exit_code_stands() {
    let setup = Setup::new(OLD);
    setup.foreign("pre-commit", "#!/bin/sh\necho kept >>\"$HOME/log\"\n[ ! -e \"$HOME/refuse\" ] || exit 7\n");
    setup.install();
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "kept\nran: pre-commit\n");
    fs::write(setup.scratch.home().join("refuse"), "").expect("written");
    let said = Said::of(
        hermetic("sh", &setup.scratch.home())
            .current_dir(&setup.scratch.root)
            .args([".git/hooks/pre-commit"])
            .output()
            .expect("sh"),
    );
    said.expect(7);
    assert_eq!(setup.log(), "kept\nran: pre-commit\nkept\n");
    setup.commit("b").expect(1);
}

/// git-lfs's pre-push reads the refs from its input. It must still get them, and so must our hook.
#[test]
fn a_kept_pre_push_and_the_program_both_get_arguments_and_input() {
    let setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.scratch.git(&["branch", "other"]);
    setup.remote();
    let kept = "#!/bin/sh\necho \"kept: $*\" >>\"$HOME/log\"\nsed 's/^/lfs: /' >>\"$HOME/log\"\n";
    setup.foreign("pre-push", kept);
    setup.install();
    setup.scratch.git(&["push", "-q", "up", "main", "other"]);
    let log = setup.log();
    let lines = |prefix: &str| -> Vec<String> {
        log.lines().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect()
    };
    assert_eq!(lines("kept: "), ["up ../up.git"]);
    assert_eq!(lines("ran: "), ["pre-push up ../up.git"]);
    assert_eq!(lines("lfs: ").len(), 2, "{log}");
    assert_eq!(lines("lfs: "), lines("in: "));
}

#[test]
fn a_kept_hook_that_ignores_its_input_does_no_harm_and_an_up_to_date_push_passes() {
    let setup = Setup::new(OLD);
    setup.scratch.commit("root");
    setup.remote();
    setup.foreign("pre-push", "#!/bin/sh\nexec <&-\nexit 0\n");
    setup.install();
    let said = setup.scratch.try_git(&["push", "-q", "up", "main"]).expect(0);
    assert_eq!(said.err, "");
    setup.scratch.try_git(&["push", "-q", "up", "main"]).expect(0);
    setup.verdict("1");
    setup.scratch.commit("more");
    setup.scratch.try_git(&["push", "-q", "up", "main"]).expect(1);
}

#[test]
fn links_dangling_links_and_hooks_that_git_ignores_come_back_as_they_were() {
    let setup = Setup::new(OLD);
    let real = executable(&setup.scratch.base.join("team/check"), "#!/bin/sh\necho linked >>\"$HOME/log\"\n");
    fs::create_dir_all(setup.hooks()).expect("a directory");
    symlink(real, setup.hooks().join("pre-commit")).expect("a link");
    symlink("nowhere", setup.hooks().join("pre-push")).expect("a link");
    fs::write(setup.hooks().join("pre-merge-commit"), "exit 1\n").expect("written");
    let before = everything(&setup.scratch.base);
    let plan = setup.install();
    assert_eq!(plan.notes.iter().filter(|note| note.contains("not executable")).count(), 2, "{:?}", plan.notes);
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "linked\nran: pre-commit\n");
    fs::remove_file(setup.scratch.home().join("log")).expect("removed");
    setup.uninstall();
    let hooks = |all: &BTreeMap<PathBuf, (u32, Vec<u8>)>| -> Vec<_> {
        all.iter().filter(|(path, _)| path.starts_with(setup.hooks())).map(|(a, b)| (a.clone(), b.clone())).collect()
    };
    assert_eq!(hooks(&everything(&setup.scratch.base)), hooks(&before));
}

#[test]
fn a_hook_that_replaced_ours_is_neither_lost_nor_removed() {
    let setup = Setup::new(OLD);
    setup.foreign("pre-commit", "#!/bin/sh\n# first\n");
    setup.install();
    setup.foreign("pre-commit", "#!/bin/sh\n# second\n");
    let before = everything(&setup.scratch.base);
    assert!(matches!(setup.refused().kind, ErrorKind::Refused(_)));
    let plan = setup.uninstall();
    assert!(plan.notes.iter().any(|note| note.contains("no longer a hook of yatsu-hook")), "{:?}", plan.notes);
    let after = everything(&setup.scratch.base);
    for kept in ["pre-commit", "pre-commit.yatsu-orig"] {
        assert_eq!(after.get(&setup.hooks().join(kept)), before.get(&setup.hooks().join(kept)));
    }
}

/// An installation that stopped between renaming the old hook and writing the new one is continued.
#[test]
fn an_interrupted_installation_is_finished_by_the_next_one() {
    let setup = Setup::new(OLD);
    let hook = setup.foreign("pre-commit", "#!/bin/sh\necho kept >>\"$HOME/log\"\n");
    fs::hard_link(&hook, setup.hooks().join("pre-commit.yatsu-orig")).expect("a link");
    setup.install();
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "kept\nran: pre-commit\n");
}

#[test]
fn a_hook_that_already_calls_the_program_is_left_alone() {
    let setup = Setup::new(OLD);
    let hook = setup.foreign("pre-commit", "#!/bin/sh\nyatsu-hook pre-commit\n");
    let plan = setup.install();
    assert!(plan.notes.iter().any(|note| note.contains("already calls")));
    assert_eq!(fs::read_to_string(hook).expect("read"), "#!/bin/sh\nyatsu-hook pre-commit\n");
    assert!(setup.uninstall().notes[0].ends_with("pre-commit: yatsu-hook pre-commit"));
    setup.install();
    setup.foreign("pre-push", "#!/bin/sh\n# yatsu-hook used to be here\n");
    fs::remove_file(setup.hooks().join("pre-merge-commit")).expect("removed");
    assert_eq!(setup.install().steps.len(), 3, "a comment is no call");
}

/// Permissions do not stop root, so a file takes the place of the unwritable directory here.
#[test]
fn a_hooks_directory_that_cannot_be_written_is_a_clear_error_and_changes_nothing() {
    let setup = Setup::new(OLD);
    let _ = fs::remove_dir_all(setup.hooks());
    fs::write(setup.hooks(), "not a directory").expect("written");
    let error = match install::install(&setup.git, &setup.request) {
        Err(error) => error,
        Ok(plan) => install::apply(&setup.git, &plan).expect_err("cannot be written"),
    };
    assert!(matches!(error.kind, ErrorKind::Refused(_)));
    assert!(error.message.contains(".git/hooks/pre-commit"), "{}", error.message);
    assert!(!error.hints.is_empty());
    assert_eq!(fs::read_to_string(setup.hooks()).expect("read"), "not a directory");
}

#[test]
fn a_write_that_fails_leaves_no_half_file_and_the_old_hook_in_place() {
    let setup = Setup::new(OLD);
    fs::create_dir_all(setup.hooks().join("pre-commit/occupied")).expect("a directory");
    let path = setup.hooks().join("pre-commit");
    let step = install::InstallStep::Write { path, content: b"x".to_vec(), mode: 0o755 };
    let before = everything(&setup.scratch.base);
    install::apply(&setup.git, &InstallPlan { steps: vec![step], notes: vec![] })
        .expect_err("a directory is in the way");
    assert_eq!(everything(&setup.scratch.base), before);
}

/// The paths at which a moved program is searched, in order. Then a repository that uses it blocks, and others pass.
#[test]
fn a_moved_program_is_found_again_or_the_commit_is_blocked_with_the_repair() {
    for kept in [false, true] {
        let setup = Setup::new(OLD);
        if kept {
            setup.foreign("pre-commit", "#!/bin/sh\n");
        }
        setup.install();
        fs::remove_file(&setup.request.program).expect("moved away");
        setup.commit("plain").expect(0);
        setup.scratch.write("sub/yatsu.md", "x");
        setup.scratch.git(&["add", "sub/yatsu.md"]);
        let said = setup.scratch.try_git(&["commit", "-q", "-m", "y"]);
        assert_eq!(said.code, 1);
        assert!(said.err.contains("could not check") && said.err.contains("yatsu-hook install"), "{}", said.err);
        let cargo = stand_in(&setup.scratch.home().join(".cargo/bin"));
        setup.scratch.try_git(&["commit", "-q", "-m", "y"]).expect(0);
        assert_eq!(setup.log(), "ran: pre-commit\n");
        fs::remove_file(cargo).expect("removed");
        let dir = setup.scratch.base.join("bin");
        stand_in(&dir);
        let path = format!("{}:{}", dir.display(), std::env::var("PATH").expect("a path"));
        let mut commit = setup.scratch.git_command(&["commit", "-q", "--allow-empty", "-m", "z"]);
        Said::of(commit.env("PATH", path).output().expect("git")).expect(0);
        assert_eq!(setup.log(), "ran: pre-commit\nran: pre-commit\n");
    }
}

#[test]
fn a_program_in_the_checked_out_tree_is_never_run_for_a_missing_one() {
    let setup = Setup::new(OLD);
    setup.install();
    fs::remove_file(&setup.request.program).expect("moved away");
    stand_in(&setup.scratch.root);
    setup.scratch.write("yatsu.md", "x");
    setup.scratch.git(&["add", "yatsu.md"]);
    let mut commit = setup.scratch.git_command(&["commit", "-q", "-m", "y"]);
    let path = format!(".:{}", std::env::var("PATH").expect("a path"));
    Said::of(commit.env("PATH", path).output().expect("git")).expect(1);
    assert_eq!(setup.log(), "");
}

#[test]
fn a_new_program_path_is_written_into_the_shims_there_are() {
    let mut setup = Setup::new(OLD);
    setup.install();
    setup.request.program = stand_in(&setup.scratch.base.join("elsewhere"));
    assert_eq!(setup.install().steps.len(), 3);
    assert_eq!(setup.install().steps, []);
    fs::remove_dir_all(setup.scratch.base.join("it's a dir")).expect("removed");
    setup.commit("a").expect(0);
    assert_eq!(setup.log(), "ran: pre-commit\n");
}

#[test]
fn only_the_hooks_that_were_asked_for_are_written() {
    let mut setup = Setup::new(OLD);
    setup.request.events = Some(vec![HookEvent::PrePush]);
    assert_eq!(setup.install().steps.len(), 2, "the hook, and that it was chosen");
    assert!(setup.hooks().join("pre-push").exists() && !setup.hooks().join("pre-commit").exists());
}

#[test]
fn the_merge_driver_is_used_for_ledgers_only_and_keeps_other_attributes() {
    let mut setup = Setup::new(OLD);
    setup.request.merge_driver = DriverWish::Asked;
    setup.scratch.write(".git/info/attributes", "*.bin binary\n");
    setup.install();
    let attribute = |path: &str| setup.scratch.git(&["check-attr", "merge", "--", path]);
    assert!(attribute(".spec/a/yatsu.evals.ndjson").ends_with(": yatsu-ledger"));
    assert!(attribute("x/evals.ndjson").ends_with(": yatsu-ledger"));
    assert!(attribute("x/other.ndjson").ends_with(": unspecified"));
    assert!(attribute("a.bin").ends_with(": unset"));
    setup.uninstall();
    assert_eq!(setup.scratch.read(".git/info/attributes"), "*.bin binary\n");
    assert_eq!(setup.scratch.try_git(&["config", "--get-regexp", "yatsu"]).out, "");
}

#[test]
fn a_merge_reaches_the_driver_and_without_the_program_git_marks_the_conflict() {
    let mut setup = Setup::new(OLD);
    setup.request.merge_driver = DriverWish::Asked;
    setup.request.events = Some(vec![HookEvent::PrePush]);
    setup.install();
    let ledger = "a b/yatsu.evals.ndjson";
    let write = |text: &str| {
        setup.scratch.write(ledger, text);
        setup.scratch.commit(text);
    };
    write("base\n");
    setup.scratch.git(&["checkout", "-q", "-b", "side"]);
    write("base\ntheirs\n");
    setup.scratch.git(&["checkout", "-q", "main"]);
    write("base\nours\n");
    setup.scratch.try_git(&["merge", "-q", "--no-edit", "side"]);
    assert!(setup.log().contains("ran: merge-ledger .merge_file_"), "{}", setup.log());
    assert!(setup.log().contains(ledger), "{}", setup.log());
    setup.scratch.git(&["reset", "-q", "--hard", "HEAD"]);
    setup.scratch.git(&["checkout", "-q", "-B", "again", "side~1"]);
    write("base\nours\n");
    fs::remove_file(&setup.request.program).expect("moved away");
    setup.scratch.try_git(&["merge", "-q", "--no-edit", "side"]).expect(1);
    let merged = setup.scratch.read(ledger);
    assert!(merged.contains("<<<<<<<") && merged.contains("ours") && merged.contains("theirs"), "{merged}");
}
