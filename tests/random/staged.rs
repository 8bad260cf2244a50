//! The staged difference against git's own, byte for byte, over index states that real git commands made. `YATSU_FULL=1`
//! runs thousands of seeds instead of a hundred and fifty.

#![allow(clippy::unwrap_used)]

use crate::support::{Dice, Scratch};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::mode::Mode;
use yatsu_hook::repo::native::staged::{Staged, Way};
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// Names with an awkward order, awkward bytes or a clash of file and directory.
const NAMES: [&[u8]; 24] = [
    b"a",
    b"a.txt",
    b"a-b",
    b"a/b",
    b"a/b/c",
    b"a0",
    b"dir/x y",
    b"dir/x",
    b"dir/-dash",
    b"-leading",
    b"new\nline",
    b"bad\xff\xfe",
    b"\xc3\xa9/\xc3\xa8",
    b"deep/1/2/3/4/5",
    b"deep/1/2/3/x",
    b"deep/1.5",
    b"TREE",
    b"z/TREE\x01\x01",
    b"quo\"te",
    b"tab\there",
    b".gitignore.d/x",
    b"yatsu.md",
    b"deep/llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll/mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm/nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.x",
    b"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee/ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

fn env() -> Env {
    Env { euid: rustix::process::geteuid().as_raw(), ..Env::default() }
}

/// Runs git with these bytes on its standard input; the output, or `None` when it fails.
fn feed(scratch: &Scratch, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut command = scratch.git_command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("git starts");
    // git may refuse before it has read everything
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("git ends");
    output.status.success().then_some(output.stdout)
}

fn raw(scratch: &Scratch, args: &[&str]) -> Vec<u8> {
    feed(scratch, args, b"").unwrap_or_else(|| panic!("git {args:?} failed"))
}

/// `git diff --raw -z --no-abbrev` of these changes.
fn render(staged: &Staged) -> Vec<u8> {
    let side = |side: Option<(Mode, Oid)>| match side {
        Some((mode, id)) => (mode.to_string(), id.to_string()),
        None => ("000000".into(), "0".repeat(40)),
    };
    let mut text = Vec::new();
    for change in &staged.changes {
        let status = match (change.old, change.new) {
            _ if change.unmerged => 'U',
            (None, _) => 'A',
            (_, None) => 'D',
            (Some((old, _)), Some((new, _))) if (old.bits() ^ new.bits()) & 0o170_000 != 0 => 'T',
            _ => 'M',
        };
        let ((old_mode, old), (new_mode, new)) = (side(change.old), side(change.new));
        write!(text, ":{old_mode} {new_mode} {old} {new} {status}\0").unwrap();
        text.extend_from_slice(change.path.as_bstr());
        text.push(0);
    }
    text
}

const DIFF: [&str; 8] = [
    "--no-optional-locks",
    "diff",
    "--cached",
    "--raw",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--ignore-submodules=none",
];

fn open(scratch: &Scratch, env: &Env) -> Repo {
    Repo::open(env, &scratch.root).unwrap_or_else(|error| panic!("{error}"))
}

fn base_of(repo: &Repo) -> Option<Oid> {
    repo.head().unwrap().map(|head| repo.tree_of(&head).unwrap().expect("a tree"))
}

#[derive(Default)]
pub(crate) struct Seen {
    /// The environment in which repositories are opened; without a `PATH` git itself cannot answer.
    pub(crate) env: Env,
    pub(crate) cached_root: usize,
    pub(crate) walked: usize,
}

impl Seen {
    fn count(&mut self, way: Way) {
        match way {
            Way::CachedRoot => self.cached_root += 1,
            Way::Walk => self.walked += 1,
            Way::Program => {}
        }
    }

    /// Compares all our readings with git's answers.
    fn compare(&mut self, scratch: &Scratch, what: &str) {
        let repo = open(scratch, &self.env);
        let staged = repo.staged(base_of(&repo)).unwrap_or_else(|error| panic!("{what}: {error}"));
        self.count(staged.way);
        same(&render(&staged), &raw(scratch, &DIFF), what);
        same(&index_lines(&repo), &without_intents(scratch), what);
        if let Some(head) = repo.head().unwrap() {
            let view = repo.commit_view(&head).unwrap();
            same(&lines(&view.files(&RepoPath::root(), &|_| true).unwrap()), &tree_lines(scratch), what);
        }
    }
}

/// `git ls-tree` of HEAD without the kinds of objects.
fn tree_lines(scratch: &Scratch) -> Vec<u8> {
    let listed = raw(scratch, &["ls-tree", "-r", "-z", "--full-tree", "HEAD"]);
    let entries = listed.split_inclusive(|byte| *byte == 0);
    entries.flat_map(|line| [&line[..7], line.splitn(3, |byte| *byte == b' ').nth(2).unwrap()].concat()).collect()
}

#[track_caller]
fn same(ours: &[u8], gits: &[u8], what: &str) {
    let (ours, gits) = (bstr::BStr::new(ours), bstr::BStr::new(gits));
    assert!(ours == gits, "{what}\nours {ours:?}\ngit  {gits:?}");
}

fn lines(files: &[(RepoPath, yatsu_hook::tree::Entry)]) -> Vec<u8> {
    use yatsu_hook::tree::Kind;
    let mut text = Vec::new();
    for (path, entry) in files {
        let mode = match entry.kind {
            Kind::File => "100644",
            Kind::Exec => "100755",
            Kind::Link => "120000",
            Kind::Submodule => "160000",
            Kind::Dir => "040000",
        };
        write!(text, "{mode} {}\t", entry.id.expect("an id")).unwrap();
        text.extend_from_slice(path.as_bstr());
        text.push(0);
    }
    text
}

/// The index view as lines; if it refuses because of a conflict, the answers about every other path.
fn index_lines(repo: &Repo) -> Vec<u8> {
    let listing = repo.listing().unwrap();
    let conflicts: Vec<Vec<u8>> = (0..listing.len())
        .filter(|number| listing.entry(*number).unwrap().stage != 0)
        .map(|number| listing.path(number).to_vec())
        .collect();
    let view = repo.index_view().unwrap();
    let all = view.files(&RepoPath::root(), &|_| true);
    assert_eq!(all.is_err(), !conflicts.is_empty());
    let wanted = |path: &RepoPath| !conflicts.iter().any(|other| other[..] == path.as_bstr()[..]);
    lines(&view.files(&RepoPath::root(), &wanted).unwrap())
}

/// `git ls-files -s` without stages and without intent-to-add entries.
fn without_intents(scratch: &Scratch) -> Vec<u8> {
    let mut text = Vec::new();
    // --debug prints five lines after each entry; the last ends in the flags, in which 20000000 means intent-to-add
    let listed = raw(scratch, &["ls-files", "-s", "-z", "--debug"]);
    let mut rest = &listed[..];
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let line = &rest[..end];
        let debug: Vec<&[u8]> = rest[end + 1..].splitn(6, |byte| *byte == b'\n').collect();
        let flags = std::str::from_utf8(debug[4]).unwrap().rsplit("flags: ").next().unwrap();
        let intent = u32::from_str_radix(flags, 16).unwrap() & 0x2000_0000 != 0;
        rest = debug[5];
        let tab = line.iter().position(|byte| *byte == b'\t').unwrap();
        if line[tab - 1] == b'0' && !intent {
            text.extend_from_slice(&line[..tab - 2]);
            text.extend_from_slice(&line[tab..]);
            text.push(0);
        }
    }
    text
}

/// A repository with hooks that keep their index and git's answer about it.
pub(crate) struct Lab {
    pub(crate) scratch: Scratch,
    dice: Dice,
    blobs: Vec<String>,
}

impl Lab {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x1234_5678_9abc_def1));
        let scratch = Scratch::new();
        let mut config = std::fs::OpenOptions::new().append(true).open(scratch.root.join(".git/config")).unwrap();
        for (section, key, value) in [
            ("index", "version", ["2", "3", "4"][dice.roll(3)]),
            ("index", "skipHash", ["false", "true"][dice.roll(2)]),
            ("index", "recordEndOfIndexEntries", ["false", "false", "true"][dice.roll(3)]),
            ("index", "recordOffsetTable", ["false", "false", "true"][dice.roll(3)]),
            ("core", "untrackedCache", ["false", "false", "true"][dice.roll(3)]),
        ] {
            writeln!(config, "[{section}]\n\t{key} = {value}").unwrap();
        }
        let hook = "#!/bin/sh\ncp \"$GIT_INDEX_FILE\" ../kept-index 2>/dev/null || exit 0\n\
            git rev-parse -q --verify 'HEAD^{tree}' > ../kept-tree\n\
            git --no-optional-locks diff --cached --raw -z --no-renames --no-abbrev --ignore-submodules=none > ../kept-diff\n";
        std::fs::create_dir_all(scratch.root.join(".git/hooks")).unwrap();
        for name in ["pre-commit", "pre-merge-commit"] {
            let path = scratch.root.join(".git/hooks").join(name);
            std::fs::write(&path, hook).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let files: Vec<String> = (0..4).map(|number| format!("../blob{number}")).collect();
        for file in &files {
            std::fs::write(scratch.root.join(file), file).unwrap();
        }
        let blobs = scratch.git(&["hash-object", "-w", &files[0], &files[1], &files[2], &files[3]]);
        let blobs = blobs.lines().map(str::to_owned).collect();
        Self { scratch, dice, blobs }
    }

    fn file(&mut self) -> PathBuf {
        self.scratch.root.join(OsStr::from_bytes(self.dice.pick(&NAMES)))
    }

    /// Writes some files; skips a clash of file and directory.
    fn write_files(&mut self) {
        for _ in 0..=self.dice.roll(6) {
            let path = self.file();
            let _ = std::fs::create_dir_all(path.parent().unwrap());
            let _ = match self.dice.roll(6) {
                0 => std::fs::remove_file(&path),
                1 => std::os::unix::fs::symlink("target", &path),
                _ => std::fs::write(&path, [b'0' + self.dice.roll(5) as u8]),
            };
        }
    }

    /// A path for `update-index --index-info`: deleted, with some content, or in conflict.
    fn index_lines(&mut self) -> Vec<u8> {
        let name = self.dice.pick(&NAMES);
        let id = self.blobs[self.dice.roll(4)].clone();
        let gone = format!("0 {}", "0".repeat(40));
        let line = |text: &str| [text.as_bytes(), b"\t", name, b"\0"].concat();
        match self.dice.roll(9) {
            0 => line(&gone),
            1 => line(&format!("100755 {id}")),
            2 => line(&format!("120000 {id}")),
            3 => line(&format!("160000 {}", "1".repeat(40))),
            4 => {
                let sides = 1 + self.dice.roll(7);
                let stages = (1..=3).filter(|stage| sides >> (stage - 1) & 1 == 1);
                let stages = stages.flat_map(|stage| line(&format!("100644 {id} {stage}")));
                line(&gone).into_iter().chain(stages).collect()
            }
            _ => line(&format!("100644 {id}")),
        }
    }

    fn flag_some(&mut self, flag: &str) {
        let listed = raw(&self.scratch, &["ls-files", "-z"]);
        let some: Vec<u8> =
            listed.split_inclusive(|byte| *byte == 0).filter(|_| self.dice.roll(3) == 0).flatten().copied().collect();
        feed(&self.scratch, &["update-index", flag, "-z", "--stdin"], &some);
    }

    fn branch_and_merge(&mut self) {
        let try_git = |args: &[&str]| self.scratch.try_git(args);
        try_git(&["commit", "-q", "-a", "-m", "before"]);
        try_git(&["checkout", "-q", "-f", "-B", "side", "HEAD~1"]);
        let _ = std::fs::write(self.scratch.root.join("yatsu.md"), [b'0' + self.dice.roll(9) as u8]);
        self.scratch.try_git(&["add", "yatsu.md"]);
        let try_git = |args: &[&str]| self.scratch.try_git(args);
        try_git(&["commit", "-q", "--no-verify", "-m", "side"]);
        try_git(&["checkout", "-q", "-f", "main"]);
        try_git(&["merge", "-q", "side", "-m", "merge"]);
    }

    pub(crate) fn act(&mut self) -> String {
        let action = self.dice.roll(20);
        let owned: Vec<String>;
        let args: Vec<&str> = match action {
            0..=2 => {
                self.write_files();
                vec!["add", "-A"]
            }
            3..=5 => {
                let input: Vec<u8> = (0..=self.dice.roll(8)).flat_map(|_| self.index_lines()).collect();
                let applied =
                    feed(&self.scratch, &["update-index", "--replace", "--add", "-z", "--index-info"], &input);
                return format!("index-info {applied:?}");
            }
            6 => vec!["commit", "-q", "-m", "x"],
            7 => {
                self.write_files();
                vec!["commit", "-q", "-a", "-m", "x"]
            }
            8 => vec!["commit", "-q", "--amend", "-m", "y"],
            9 => {
                self.write_files();
                owned = vec!["a".into(), "dir".into(), "deep".into()];
                vec!["commit", "-q", "-m", "part", "--", &owned[self.dice.roll(3)]]
            }
            10 => {
                self.write_files();
                vec!["add", "-N", "."]
            }
            11 => {
                self.flag_some("--skip-worktree");
                return "skip-worktree".into();
            }
            12 => {
                self.flag_some("--assume-unchanged");
                return "assume-unchanged".into();
            }
            13 => {
                self.branch_and_merge();
                return "merge".into();
            }
            14 => vec!["write-tree"],
            15 => vec!["reset", "-q"],
            16 => vec!["read-tree", "HEAD"],
            17 => vec!["update-index", "--index-version", ["2", "3", "4"][self.dice.roll(3)]],
            18 => vec!["update-index", "--force-untracked-cache"],
            _ => vec!["status", "--porcelain"],
        };
        self.scratch.try_git(&args);
        args.join(" ")
    }

    /// Compares the last hook's index with git's answer to it.
    fn compare_kept(&self, seen: &mut Seen, what: &str) {
        let kept = |name: &str| self.scratch.base.join(name);
        let Ok(gits) = std::fs::read(kept("kept-diff")) else { return };
        // git, if it answers, must read the very same file
        let index = ("GIT_INDEX_FILE".into(), kept("kept-index").into_os_string());
        let all = seen.env.all.iter().cloned().chain([index]).collect();
        let repo = open(&self.scratch, &Env { index_file: Some(kept("kept-index")), all, ..seen.env.clone() });
        let base = Oid::from_hex(std::fs::read(kept("kept-tree")).unwrap().trim_ascii());
        let staged = repo.staged(base).unwrap_or_else(|error| panic!("{what}: {error}"));
        seen.count(staged.way);
        same(&render(&staged), &gits, what);
        for name in ["kept-diff", "kept-index", "kept-tree"] {
            std::fs::remove_file(kept(name)).unwrap();
        }
    }
}

/// A random history of the lab, compared with git after each step.
pub(crate) fn live(mut lab: Lab, seed: u64, seen: &mut Seen) {
    let mut story = vec![format!("seed {seed}")];
    for _ in 0..5 {
        for _ in 0..=lab.dice.roll(2) {
            story.push(lab.act());
            lab.compare_kept(seen, &story.join(", "));
        }
        seen.compare(&lab.scratch, &story.join(", "));
    }
}

#[test]
fn the_staged_difference_is_gits() {
    let seeds = if std::env::var_os("YATSU_FULL").is_some() { 4000 } else { 150 };
    let workers = std::thread::available_parallelism().map_or(1, |number| number.get() as u64);
    let lives = |worker: u64| {
        let mut seen = Seen { env: env(), ..Seen::default() };
        (worker..seeds).step_by(workers as usize).for_each(|seed| live(Lab::new(seed), seed, &mut seen));
        (seen.cached_root, seen.walked)
    };
    let seen: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || lives(worker))).collect();
        threads.into_iter().map(|thread| thread.join().expect("every state was read right")).collect()
    });
    let cached_root: usize = seen.iter().map(|(cached, _)| cached).sum();
    let walked: usize = seen.iter().map(|(_, walked)| walked).sum();
    assert!(cached_root > seeds as usize / 2 && walked > seeds as usize / 2, "{cached_root} cached, {walked} walked");
}

#[test]
fn what_is_not_supported_is_never_answered_wrong() {
    let kinds: [&[&[&str]]; 3] = [
        &[&["update-index", "--split-index"]],
        &[&["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]],
        &[&["config", "extensions.partialClone", "nowhere"]],
    ];
    for commands in kinds {
        let scratch = Scratch::new();
        for path in ["dir/a", "other/b", "top"] {
            scratch.write(path, "1");
        }
        scratch.commit("one");
        scratch.write("dir/a", "2");
        scratch.commit("two");
        for args in commands {
            scratch.git(args);
        }
        scratch.write("dir/a", "3");
        scratch.git(&["add", "dir/a"]);
        let answer = Repo::open(&env(), &scratch.root).and_then(|repo| {
            let head = repo.head()?.expect("a commit");
            repo.staged(repo.tree_of(&head)?)
        });
        match answer {
            Ok(staged) => same(&render(&staged), &raw(&scratch, &DIFF), commands[0][0]),
            Err(error) => assert_eq!(error.kind, ErrorKind::Unchecked),
        }
    }
}

/// An index file written by git, with git's answer for it.
pub(crate) fn specimen(version: &str) -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new();
    scratch.git(&["config", "index.version", version]);
    for path in ["a", "dir/b", "dir/deep/c", "other/d"] {
        scratch.write(path, path);
    }
    scratch.commit("one");
    scratch.write("dir/b", "changed");
    scratch.git(&["add", "dir/b"]);
    if version == "3" {
        scratch.git(&["update-index", "--skip-worktree", "a"]);
    }
    scratch.git(&["write-tree"]);
    let bytes = std::fs::read(scratch.root.join(".git/index")).unwrap();
    (scratch, bytes)
}

/// Git's answers about the index file `path`: its comparison, the tree of a commit, and the content before the damage.
/// All are right: they differ only for an index that git did not write, and git does not check its checksum either.
fn gits_answers(scratch: &Scratch, path: &Path) -> [Option<Vec<u8>>; 3] {
    let run = |args: &[&str]| {
        let output = scratch.git_command(args).env("GIT_INDEX_FILE", path).output().unwrap();
        output.status.success().then_some(output.stdout)
    };
    let diff = run(&DIFF);
    let tree = run(&["write-tree", "--missing-ok"]).map(|tree| String::from_utf8(tree).unwrap().trim().to_owned());
    let by_tree =
        tree.and_then(|tree| run(&["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "HEAD", &tree]));
    [diff, by_tree, Some(raw(scratch, &DIFF))]
}

fn check_damaged(scratch: &Scratch, bytes: &[u8], what: &str) {
    let path = scratch.base.join("damaged");
    std::fs::write(&path, bytes).unwrap();
    let repo = open(scratch, &Env { index_file: Some(path.clone()), ..env() });
    let _ = repo.listing();
    let Ok(staged) = repo.staged(base_of(&repo)) else { return };
    if staged.way == Way::Program {
        return;
    }
    let ours = Some(render(&staged));
    let gits = gits_answers(scratch, &path);
    assert!(gits.contains(&ours), "{what}: {:?} not in {gits:?}", ours.map(bstr::BString::from));
}

#[test]
fn a_damaged_index_is_never_answered_wrong() {
    let flips = if std::env::var_os("YATSU_FULL").is_some() { 3000 } else { 150 };
    for version in ["2", "3", "4"] {
        let (scratch, whole) = specimen(version);
        for end in 0..whole.len() {
            check_damaged(&scratch, &whole[..end], &format!("version {version}, cut at {end}"));
        }
        let mut dice = Dice(7);
        for _ in 0..flips {
            let mut bytes = whole.clone();
            let at = dice.roll(bytes.len());
            bytes[at] ^= 1 << dice.roll(8);
            check_damaged(&scratch, &bytes, &format!("version {version}, flipped {at}"));
        }
    }
}
