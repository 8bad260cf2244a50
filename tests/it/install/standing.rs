//! Whether the gate works, asked of the real program: the doctor's answer for each way to break it, and that every
//! command in the answer mends it.

use crate::support::session::{BEFORE_CONFIGURED_HOOKS, pretend_git};
use crate::support::{
    Said, Scratch, copy_executable, executable, hermetic, one_node, program, reading, scenarios, validate_published,
};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The three events of a work tree.
pub(super) const EVENTS: [&str; 3] = ["pre-commit", "pre-merge-commit", "pre-push"];

/// A repository with one measured node, and the program in `PATH` like a user has it. Hooks are files there.
pub(super) struct Clone {
    pub(super) scratch: Scratch,
    /// The user's current directory.
    pub(super) here: PathBuf,
    /// The first directory of `PATH`.
    pub(super) bin: PathBuf,
}

impl Clone {
    pub(super) fn new() -> Self {
        let scratch = one_node();
        let (here, bin) = (scratch.root.clone(), scratch.base.join("bin"));
        copy_executable(&program(), &bin.join("yatsu-hook"));
        pretend_git(&bin, BEFORE_CONFIGURED_HOOKS);
        Self { scratch, here, bin }
    }

    /// The same clone with the hooks installed.
    pub(super) fn installed() -> Self {
        let clone = Self::new();
        clone.run("yatsu-hook install").expect(0);
        clone
    }

    /// The output of this line in a shell.
    pub(super) fn run(&self, line: &str) -> Said {
        let path = format!("{}:{}", self.bin.display(), std::env::var("PATH").expect("a path"));
        let mut sh = hermetic("sh", &self.scratch.home());
        sh.env("GIT_CONFIG_GLOBAL", self.scratch.home().join(".gitconfig"));
        Said::of(sh.env("PATH", path).current_dir(&self.here).args(["-c", line]).output().expect("a shell"))
    }

    /// The doctor's findings that are not ok, as (health, what, repair), and its exit code.
    #[track_caller]
    pub(super) fn doctor(&self) -> (i32, Vec<[String; 3]>) {
        let said = self.run("yatsu-hook doctor --format json");
        let report = validate_published(&said.out);
        let found = report["diagnoses"].as_array().expect("a list");
        let of = |key: &str, one: &serde_json::Value| one[key].as_str().unwrap_or_default().to_owned();
        let all = found.iter().map(|one| [of("health", one), of("what", one), of("repair", one)]);
        (said.code, all.filter(|[health, ..]| health != "ok").collect())
    }

    /// The doctor's whole output for people.
    fn whole(&self) -> String {
        self.run("yatsu-hook doctor").out
    }

    pub(super) fn hook(&self, event: &str) -> PathBuf {
        self.here.join(self.scratch_git(&["rev-parse", "--git-path", "hooks"])).join(event)
    }

    fn scratch_git(&self, args: &[&str]) -> String {
        let here = self.here.to_str().expect("text");
        self.scratch.git(&[&["-C", here][..], args].concat())
    }

    /// Panics unless the doctor reports just this as broken, names a repair for each line, and has no findings after
    /// each was run once.
    #[track_caller]
    pub(super) fn falls_and_is_mended(&self, how: &str, words: &str) {
        let (code, found) = self.doctor();
        assert_eq!(code, 1, "{how}: {found:#?}");
        assert!(found.iter().any(|[_, what, _]| what.contains(words)), "{how}: {found:#?}");
        let mut repairs: Vec<&str> = found.iter().map(|[.., repair]| repair.as_str()).collect();
        repairs.dedup();
        for repair in repairs {
            self.run(repair).expect(0);
        }
        assert_eq!(self.doctor(), (0, Vec::new()), "{how}");
    }
}

#[test]
fn a_clone_in_which_nobody_installed_anything_is_not_broken_and_says_so_in_one_line() {
    let clone = Clone::new();
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len(), found[0][0].as_str()), (1, 1, "absent"), "{found:#?}");
    assert!(found[0][1].starts_with("not installed in this clone"), "{found:#?}");
    assert!(clone.whole().ends_with("1 absent\n"), "{}", clone.whole());
    clone.falls_and_is_mended("a fresh clone", "not installed");
}

/// A way to damage a hook.
type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 7] = [
    ("is not there", |hook| fs::remove_file(hook).expect("removed")),
    ("is empty", |hook| fs::write(hook, "").expect("emptied")),
    ("is empty", |hook| fs::write(hook, "\n \n").expect("emptied")),
    ("another hook is there", |hook| fs::write(hook, "#!/bin/sh\nexit 0\n").expect("overwritten")),
    ("not executable", |hook| fs::set_permissions(hook, fs::Permissions::from_mode(0o644)).expect("a mode")),
    ("cannot be read", |hook| {
        fs::remove_file(hook).expect("removed");
        symlink("nowhere", hook).expect("a link");
    }),
    ("not executable", |hook| {
        fs::write(hook, "").expect("emptied");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o644)).expect("a mode");
    }),
];

#[test]
fn each_damage_to_each_hook_is_broken_and_its_repair_mends_it() {
    for event in EVENTS {
        for (words, damage) in DAMAGES {
            let clone = Clone::installed();
            assert_eq!(clone.doctor(), (0, Vec::new()), "{event}");
            damage(&clone.hook(event));
            let (_, found) = clone.doctor();
            assert_eq!((found.len(), found[0][0].as_str()), (1, "broken"), "{event}, {words}: {found:#?}");
            assert!(found[0][1].starts_with(event), "{found:#?}");
            clone.falls_and_is_mended(event, words);
        }
    }
}

#[test]
fn all_hooks_gone_at_once_are_no_clone_in_which_nothing_was_installed() {
    let clone = Clone::installed();
    for event in EVENTS {
        fs::remove_file(clone.hook(event)).expect("removed");
    }
    assert_eq!(clone.doctor().1.len(), 3);
    clone.falls_and_is_mended("all are gone", "is not there");
}

/// A stranger's repository may hold twelve files that take long to parse.
#[cfg(feature = "units")]
#[test]
fn install_parses_no_longer_than_a_hook_does() {
    let clone = Clone::new();
    let s = &clone.scratch;
    let files: Vec<(String, String)> = (0..12).map(|n| (format!("s{n}"), format!("src/f{n}.rs"))).collect();
    let source =
        |file: &str| format!("fn first() {{}}\n{}", format!("fn f() {{ let _ = \"{file}\"; }}\n").repeat(30_000));
    files.iter().for_each(|(_, file)| s.write(file, source(file)));
    let list: Vec<(&str, String)> = files.iter().map(|(name, file)| (&**name, format!("{file}#first"))).collect();
    let list: Vec<(&str, &str)> = list.iter().map(|(name, code)| (*name, &**code)).collect();
    s.write(".spec/big/yatsu.md", scenarios(&list));
    s.commit("large files");
    files.iter().for_each(|(name, _)| reading(s, ".spec/big", name, "pass", 1));
    files.iter().for_each(|(_, file)| s.write(file, source(file) + "// edited\n"));
    s.commit("measured, and edited elsewhere");
    let said = clone.run("yatsu-hook install").expect(0);
    assert!(said.out.contains("\nnot judged: ") && said.out.contains("takes longer than"), "{}", said.out);
}

#[test]
fn what_was_left_out_by_choice_is_no_damage_and_what_was_chosen_is_known() {
    let clone = Clone::new();
    clone.run("yatsu-hook install --hooks pre-commit,pre-push").expect(0);
    assert_eq!(clone.scratch_git(&["config", "yatsu.hooks"]), "pre-commit,pre-push");
    assert_eq!(clone.doctor(), (0, Vec::new()));
    assert!(clone.whole().contains("left out when the others were installed"), "{}", clone.whole());
    fs::remove_file(clone.hook("pre-commit")).expect("removed");
    assert_eq!(clone.doctor().1.len(), 1);
    clone.run("yatsu-hook uninstall").expect(0);
    assert_eq!(clone.scratch.try_git(&["config", "yatsu.hooks"]).out, "");
    assert_eq!(clone.doctor().1[0][0], "absent");
}

#[test]
fn a_hook_that_was_emptied_is_written_again_and_leaves_nothing_behind() {
    let clone = Clone::installed();
    fs::write(clone.hook("pre-commit"), "").expect("emptied");
    clone.run("yatsu-hook install").expect(0);
    assert!(!clone.hook("pre-commit.yatsu-orig").exists());
    executable(&clone.hook("pre-push"), "#!/bin/sh\n# first\n");
    clone.run("yatsu-hook install").expect(0);
    fs::write(clone.hook("pre-push"), "").expect("emptied");
    clone.falls_and_is_mended("ours, which kept another, is emptied", "is empty");
    assert_eq!(fs::read_to_string(clone.hook("pre-push.yatsu-orig")).expect("kept"), "#!/bin/sh\n# first\n");
}

#[test]
fn the_hook_that_took_the_place_of_two_is_put_aside() {
    let clone = Clone::new();
    executable(&clone.hook("pre-push"), "#!/bin/sh\n# first\n");
    clone.run("yatsu-hook install").expect(0);
    executable(&clone.hook("pre-push"), "#!/bin/sh\n# second\n");
    let (_, found) = clone.doctor();
    let repair = found[0][2].split("   (").next().expect("a command");
    clone.run(repair).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    assert_eq!(fs::read_to_string(clone.hook("pre-push.replaced")).expect("aside"), "#!/bin/sh\n# second\n");
}

#[test]
fn a_program_that_moved_is_advice_and_install_writes_its_new_place() {
    let mut clone = Clone::installed();
    let moved = clone.scratch.base.join("elsewhere");
    fs::rename(&clone.bin, &moved).expect("moved");
    clone.bin = moved;
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (0, 3), "{found:#?}");
    assert!(found.iter().all(|[health, what, _]| health == "advice" && what.contains("is gone")), "{found:#?}");
    clone.run(&found[0][2]).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}

#[test]
fn hooks_in_the_configuration_that_are_gone_switched_off_or_not_run_are_mended() {
    let clone = Clone::new();
    pretend_git(&clone.bin, "2.54.0");
    clone.falls_and_is_mended("a new git", "not installed");
    let section = |line: &str| clone.run(line).expect(0);
    section("git config --local --remove-section hook.yatsu-hook-pre-commit");
    clone.falls_and_is_mended("the section is gone", "pre-commit in");
    section("git config --local --unset hook.yatsu-hook-pre-push.event");
    let (_, found) = clone.doctor();
    assert_eq!(found.len(), 1, "{found:#?}");
    clone.falls_and_is_mended("an event is gone", "pre-push in");
    for value in ["false", "no", "0"] {
        section(&format!("git config --local hook.yatsu-hook-pre-push.enabled {value}"));
        clone.falls_and_is_mended("switched off", "hook.yatsu-hook-pre-push.enabled is false");
    }
    section("git config --local hook.pre-push.enabled false");
    clone.falls_and_is_mended("all hooks of the event are switched off", "hook.pre-push.enabled is false");
    section("git config --global hook.yatsu-hook-pre-commit.enabled false");
    clone.falls_and_is_mended("switched off for the user", "hook.yatsu-hook-pre-commit.enabled is false");
    section(
        "git config extensions.worktreeConfig true && git config --worktree hook.yatsu-hook-pre-commit.enabled false",
    );
    clone.falls_and_is_mended("switched off in this worktree", "hook.yatsu-hook-pre-commit.enabled is false");
    section("git config hook.yatsu-hook.command old && git config hook.yatsu-hook.event pre-commit");
    clone.falls_and_is_mended("the one section of an earlier version", "an older version");
    pretend_git(&clone.bin, BEFORE_CONFIGURED_HOOKS);
    clone.falls_and_is_mended("an older git", "git 2.53 does not run");
    assert_eq!(
        clone.scratch.try_git(&["config", "--get-regexp", r"^hook\..*command"]).out,
        "",
        "a newer git would run both"
    );
}

#[test]
fn hooks_of_another_directory_are_mended_where_they_may_be() {
    let clone = Clone::installed();
    let outside = clone.scratch.base.join("team's hooks");
    fs::create_dir(&outside).expect("a directory");
    clone.scratch.git(&["config", "core.hooksPath", outside.to_str().expect("text")]);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (1, 3), "{found:#?}");
    let repair = found[0][2].split("   (").next().expect("a command");
    clone.run(repair).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.scratch.git(&["config", "core.hooksPath", ".githooks"]);
    clone.falls_and_is_mended("a directory of the work tree", "is not there");
}

#[test]
fn huskys_files_are_mended_by_the_line_that_the_doctor_names() {
    let clone = Clone::new();
    clone.scratch.git(&["config", "core.hooksPath", ".husky/_"]);
    for event in EVENTS {
        executable(&clone.here.join(".husky/_").join(event), "#!/bin/sh\n. \"${0%/*}/h\"\n");
    }
    let (code, found) = clone.doctor();
    assert_eq!(code, 1, "{found:#?}");
    for [.., repair] in &found {
        clone.run(repair).expect(0);
    }
    assert_eq!(clone.doctor(), (0, Vec::new()));
    assert_eq!(clone.scratch.read(".husky/pre-push"), "yatsu-hook pre-push \"$@\"\n");
    clone.run("yatsu-hook install").expect(0);
    fs::write(clone.here.join(".husky/pre-commit"), "").expect("emptied");
    clone.falls_and_is_mended("husky's file is emptied", "husky runs the hooks");
}

#[test]
fn each_worktree_stands_for_itself() {
    let mut clone = Clone::installed();
    clone.scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    assert_eq!(clone.doctor(), (0, Vec::new()));
    clone.scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    clone.scratch.git(&["-C", "../linked tree", "config", "--worktree", "core.hooksPath", ".none"]);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (1, 3), "{found:#?}");
    clone.falls_and_is_mended("a worktree that looks elsewhere", "linked tree");
    clone.here = clone.scratch.base.join("linked tree");
    assert_eq!(clone.doctor(), (0, Vec::new()));
    fs::remove_file(clone.hook("pre-push")).expect("removed");
    clone.falls_and_is_mended("asked from the linked one", "is not there");
}

#[test]
fn a_bare_repository_a_submodule_and_a_git_directory_elsewhere_are_named_by_their_place() {
    let mut clone = Clone::new();
    clone.scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    clone.here = clone.scratch.base.join("bare.git");
    clone.falls_and_is_mended("a bare repository", "not installed");
    fs::remove_file(clone.here.join("hooks/pre-receive")).expect("removed");
    clone.falls_and_is_mended("its hook is gone", "pre-receive in");

    clone.scratch.git(&["init", "-q", "../outer"]);
    let outer = clone.scratch.base.join("outer");
    let add = ["-C", "../outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../repo", "inner"];
    clone.scratch.git(&add);
    clone.scratch.git(&["clone", "-q", "--separate-git-dir", "../elsewhere.git", ".", "../apart"]);
    for here in [outer.join("inner"), clone.scratch.base.join("apart")] {
        clone.here = here;
        clone.falls_and_is_mended("fresh", "not installed");
        fs::remove_file(clone.hook("pre-commit")).expect("removed");
        let (_, found) = clone.doctor();
        let place = format!("pre-commit in {}: ", clone.here.display());
        assert!(found[0][1].starts_with(&place), "{found:#?}");
        clone.falls_and_is_mended("its hook is gone", "is not there");
    }
}

#[test]
fn a_shallow_clone_is_not_said_to_hold_everything_and_to_lack_it() {
    let mut clone = Clone::new();
    clone.run("yatsu-hook eval n --pass").expect(0);
    clone.scratch.commit("measured");
    clone.scratch.commit("later");
    let url = format!("file://{}", clone.scratch.root.display());
    clone.scratch.git(&["clone", "-q", "--depth", "1", &url, "../shallow"]);
    clone.here = clone.scratch.base.join("shallow");
    clone.run("yatsu-hook install && yatsu-hook install --merge-driver").expect(0);
    let (code, found) = clone.doctor();
    assert_eq!((code, found.len()), (0, 1), "{found:#?}");
    assert_eq!(found[0][2], "git fetch --unshallow");
    let whole = clone.whole();
    assert!(whole.contains("every latest reading can be judged") && !whole.contains("cannot be judged"), "{whole}");
    clone.run(&found[0][2]).expect(0);
    assert_eq!(clone.doctor(), (0, Vec::new()));
}

#[test]
fn evidence_that_was_filed_elsewhere_is_not_said_to_have_never_been_filed() {
    let mut clone = Clone::installed();
    assert!(clone.whole().contains("no reading names evidence"), "{}", clone.whole());
    clone.scratch.write("../seen.txt", "what was seen, in more than thirty-two bytes");
    clone.run("yatsu-hook eval n --pass --result ../seen.txt && yatsu-hook install --merge-driver").expect(0);
    clone.scratch.commit("measured");
    assert!(clone.whole().contains("all evidence that readings name is here (1 piece)"), "{}", clone.whole());
    clone.scratch.git(&["clone", "-q", ".", "../other"]);
    clone.here = clone.scratch.base.join("other");
    let whole = clone.whole();
    assert!(whole.contains("readings name 1 piece of evidence, none of it on this machine"), "{whole}");
    fs::create_dir_all(clone.here.join(".git/spexcode")).expect("a directory");
    fs::write(clone.here.join(".git/spexcode/yatsu-blobs"), "").expect("a file");
    clone.run("yatsu-hook install --merge-driver").expect(0);
    clone.falls_and_is_mended("a file in the place of the evidence", "cannot be read");
}

#[test]
fn the_merge_driver_that_is_named_or_missing_is_mended() {
    let clone = Clone::installed();
    clone.run("yatsu-hook uninstall && yatsu-hook install --no-merge-driver").expect(0);
    clone.run("yatsu-hook eval n --pass").expect(0);
    clone.scratch.write(".gitattributes", "*.evals.ndjson merge=yatsu-ledger\n");
    clone.scratch.commit("measured");
    clone.falls_and_is_mended("no driver", "which this clone does not have");
}
