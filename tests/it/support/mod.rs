//! Scratch repositories and the program under test, in a hermetic environment.
#![allow(dead_code, unreachable_pub)]

pub mod harness;
pub mod html;
pub mod measured;
pub mod real;
pub mod runlog;
pub mod session;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use yatsu_hook::app::judge::Options;
use yatsu_hook::app::judge::verdict::Reader;
use yatsu_hook::model::ledger::Timestamp;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// What a hook asks of a change, in January 2027.
pub fn hook_options() -> Options {
    Options {
        strict: false,
        now: Timestamp { millis: 1_800_000_000_000 },
        reader: Reader::Hook,
        reads_files: true,
        scores_goals: false,
        approval: Default::default(),
    }
}

/// A scratch repository with its own home directory; deleted when dropped.
pub struct Scratch {
    _dir: tempfile::TempDir,
    /// The directory of everything.
    pub base: PathBuf,
    /// The work tree.
    pub root: PathBuf,
    clock: std::cell::Cell<u64>,
}

/// The output of a program.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Panics with the whole output unless the exit code is `code`.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

/// The program under test.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_yatsu-hook"))
}

/// The directories of programs. None has a yatsu-hook of its own, because a test would take it for its own installation.
pub fn search_path() -> &'static OsStr {
    static FOUND: LazyLock<OsString> = LazyLock::new(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let kept = std::env::split_paths(&path).filter(|dir| !dir.join("yatsu-hook").exists());
        std::env::join_paths(kept).expect("a path")
    });
    &FOUND
}

/// The path of a program that a test calls.
pub fn found(program: &str) -> PathBuf {
    let mut paths = std::env::split_paths(search_path()).map(|dir| dir.join(program));
    paths.find(|path| path.is_file()).unwrap_or_else(|| panic!("there is no {program} here"))
}

/// Runs `act` in a thread of its own. The programs that it starts there are stopped by file modes, like those of a user: a
/// superuser gives up the rights to pass them.
pub fn held_off<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|threads| {
        let acting = threads.spawn(|| {
            if rustix::process::geteuid().is_root() {
                give_up_override();
            }
            act()
        });
        acting.join().expect("an end")
    })
}

#[cfg(target_os = "linux")]
fn give_up_override() {
    use rustix::thread::{CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities};
    let rights = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH | CapabilitySet::FOWNER;
    for right in rights.iter() {
        remove_capability_from_bounding_set(right).expect("a superuser may give up a right");
    }
    let mut own = capabilities(None).expect("the rights of this thread");
    own.inheritable -= rights;
    set_capabilities(None, own).expect("fewer rights");
}

#[cfg(not(target_os = "linux"))]
fn give_up_override() {
    panic!("run this test as a user: file modes do not stop a superuser");
}

/// A command without this machine's configuration in its environment.
pub fn hermetic(program: impl AsRef<std::ffi::OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", search_path())
        .env("HOME", home)
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        // git says the same outside of a repository, whatever is mounted above
        .env("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
        // tests must not depend on the speed of the machine
        .env("YATSU_PROGRESS", "off")
        .env("YATSU_PATIENCE", "100")
        .env("GIT_AUTHOR_EMAIL", "a@example.invalid")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.invalid")
        .stdin(Stdio::null());
    // the variable would decide who claims and decides; tests set the name in git's configuration
    if Path::new(command.get_program()) != self::program() {
        command.env("GIT_AUTHOR_NAME", "A");
    }
    command
}

impl Scratch {
    /// A fresh repository on branch `main` without a commit.
    pub fn new() -> Self {
        static PREPARED: LazyLock<Prepared> = LazyLock::new(|| Prepared::of(&Scratch::with_init(&[])));
        PREPARED.copy()
    }

    /// A fresh repository with more arguments for `git init`.
    pub fn with_init(args: &[&str]) -> Self {
        let scratch = Self::without_repository();
        let mut init = vec!["init", "-q", "-b", "main"];
        init.extend_from_slice(args);
        init.push("repo");
        // without the setting, git starts another program after a commit, which looks whether there is something to pack
        for (dir, args) in [(&scratch.base, &init[..]), (&scratch.root, &["config", "maintenance.auto", "false"])] {
            let mut git = hermetic("git", &scratch.home());
            Said::of(git.current_dir(dir).args(args).output().expect("git")).expect(0);
        }
        scratch
    }

    /// A home directory, and no repository yet.
    fn without_repository() -> Self {
        let dir = scratch_dir();
        let base = dir.path().canonicalize().expect("a real path");
        let root = base.join("repo");
        fs::create_dir_all(base.join("home")).expect("a home");
        Self { _dir: dir, base, root, clock: std::cell::Cell::new(1_767_225_600) }
    }

    pub fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// A git command in the work tree. Each one has a time a minute later than the one before.
    pub fn git_command(&self, args: &[&str]) -> Command {
        let now = self.clock.get() + 60;
        self.clock.set(now);
        let mut command = hermetic("git", &self.home());
        command
            .current_dir(&self.root)
            .env("GIT_AUTHOR_DATE", format!("{now} +0000"))
            .env("GIT_COMMITTER_DATE", format!("{now} +0000"))
            .args(args);
        command
    }

    /// Runs git and returns its standard output without the final newline; panics unless it exits 0.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.try_git(args).expect(0).out.trim_end_matches('\n').to_owned()
    }

    /// Runs git with any exit code.
    pub fn try_git(&self, args: &[&str]) -> Said {
        Said::of(self.git_command(args).output().expect("git runs"))
    }

    /// The program under test, in the work tree.
    pub fn yatsu_command(&self, args: &[&str]) -> Command {
        let mut command = hermetic(program(), &self.home());
        command.current_dir(&self.root).args(args);
        command
    }

    /// Runs the program as a user that file modes stop.
    pub fn yatsu_held_off(&self, args: &[&str]) -> Said {
        let mut command = self.yatsu_command(args);
        Said::of(held_off(move || command.output()).expect("the program runs"))
    }

    /// Runs the program under test.
    pub fn yatsu(&self, args: &[&str]) -> Said {
        Said::of(self.yatsu_command(args).output().expect("the program runs"))
    }

    /// Writes a file of the work tree, directories included.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, content).expect("a file");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).expect("a readable file")
    }

    /// Stages everything and commits it without hooks; returns the commit id.
    #[track_caller]
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", message]);
        self.head()
    }

    /// The id of the commit that is checked out. It is read from the files of the repository where they hold it, because
    /// most tests ask and each start of git takes some milliseconds.
    #[track_caller]
    pub fn head(&self) -> String {
        let line = |name: &str| fs::read_to_string(self.root.join(".git").join(name)).ok();
        let id = |text: String| Oid::from_hex(text.trim_end().as_bytes()).map(|_| text.trim_end().to_owned());
        let found = line("HEAD").and_then(|head| match head.trim_end().strip_prefix("ref: ") {
            Some(branch) => line(branch).and_then(id),
            None => id(head),
        });
        found.unwrap_or_else(|| self.git(&["rev-parse", "HEAD"]))
    }

    /// Makes `git` run the program as this hook, through a `sh` shim.
    pub fn hook(&self, name: &str, command: &str) {
        let hooks = self.git(&["rev-parse", "--git-path", "hooks"]);
        let hooks = self.root.join(hooks);
        fs::create_dir_all(&hooks).expect("hooks directory");
        executable(&hooks.join(name), &format!("#!/bin/sh\nexec '{}' {command}\n", program().display()));
    }
}

/// Runs `command` with `input` on its standard input. A command that refuses early need not read all of it.
pub fn fed(mut command: Command, input: impl AsRef<[u8]>) -> Said {
    use std::io::Write;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_ref());
    Said::of(child.wait_with_output().expect("an end"))
}

/// The answers of every door about the change in the work tree, which is staged, and then committed without hooks. `base` is
/// the commit before it.
pub fn every_door(scratch: &Scratch, base: &str) -> Vec<(&'static str, Said)> {
    scratch.git(&["add", "-A"]);
    let mut said =
        vec![("pre-commit", scratch.yatsu(&["pre-commit"])), ("check --staged", scratch.yatsu(&["check", "--staged"]))];
    let tip = scratch.commit("past the gate");
    said.push(("check --from --to", scratch.yatsu(&["check", "--from", base, "--to", &tip])));
    let pushed = format!("refs/heads/main {tip} refs/heads/main {base}\n");
    said.push(("pre-push", fed(scratch.yatsu_command(&["pre-push", "origin", "u"]), pushed)));
    // a server still has the old tip, which judges
    scratch.git(&["update-ref", "refs/heads/main", base]);
    let received = format!("{base} {tip} refs/heads/main\n");
    said.push(("pre-receive", fed(scratch.yatsu_command(&["pre-receive"]), received)));
    scratch.git(&["update-ref", "refs/heads/main", &tip]);
    said
}

/// A time this many seconds after now, as a ledger spells it.
pub fn seconds_ahead(seconds: i64) -> String {
    format!("{:.3}", jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds))
}

/// The hash that names these bytes as evidence.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn oid(hex: &str) -> Oid {
    Oid::from_hex(hex.as_bytes()).expect("an id")
}

pub fn path(text: &str) -> RepoPath {
    RepoPath::parse(text.as_bytes()).expect("a path")
}

/// The findings of `rule` in the report of `yatsu-hook check` with these arguments, without fixed ones.
#[track_caller]
pub fn findings(scratch: &Scratch, rule: &str, args: &[&str]) -> Vec<serde_json::Value> {
    let said = scratch.yatsu(&[&["check"], args, &["--format", "json"]].concat());
    assert!(matches!(said.code, 0 | 1), "exit {}: {}", said.code, said.err);
    let report = validate_published(&said.out);
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().filter(|finding| finding["rule"] == rule && finding["origin"] != "fixed").cloned().collect()
}

/// Leaves `file` in conflict: `main` and the branch `side` each changed its only line. Returns the commit of `main`.
pub fn conflict(scratch: &Scratch, file: &str) -> String {
    scratch.write(file, "1\n");
    scratch.commit("base");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write(file, "2\n");
    scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(file, "3\n");
    let main = scratch.commit("main");
    scratch.try_git(&["merge", "-q", "side"]);
    main
}

/// The bundle with the recorded history of the corpus.
pub fn corpus() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/corpus-a.bundle");
    path.canonicalize().expect("the corpus")
}

/// A scenario file that lacks a key: an error.
pub const BAD: &str = "---\nscenarios:\n  - name: broken\n    description: d\n    tags: [cli]\n---\n";

/// A committed repository with one good node, `.spec/n`, its scenario `works` that governs `src/a.rs`, and an ungoverned
/// `src/b.rs`.
pub fn one_node() -> Scratch {
    static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
        let scratch = Scratch::new();
        scratch.write("src/a.rs", "fn a() {}\n");
        scratch.write("src/b.rs", "fn b() {}\n");
        scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
        scratch.commit("first");
        Prepared::of(&scratch)
    });
    let scratch = PREPARED.copy();
    // the index holds the times of the files that were copied
    scratch.git(&["update-index", "-q", "--refresh"]);
    scratch
}

/// A scratch directory; deleted when dropped.
pub fn scratch_dir() -> tempfile::TempDir {
    tempfile::tempdir_in(scratch_place()).expect("a scratch directory")
}

/// Where scratch directories are made: in memory, where there is such a place with 2 GiB free that may run programs. On a
/// disk, the file system takes half of the time of all tests: files that were deleted a moment ago slow down new ones.
/// `TMPDIR`, where it is set, decides.
fn scratch_place() -> PathBuf {
    static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = PathBuf::from("/dev/shm");
        let fits = rustix::fs::statvfs(&memory).is_ok_and(|fs| {
            fs.f_bavail * fs.f_frsize >= 2 << 30 && !fs.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC)
        });
        let chosen = std::env::var_os("TMPDIR").is_some();
        if fits && !chosen && tempfile::tempdir_in(&memory).is_ok() { memory } else { std::env::temp_dir() }
    });
    PLACE.clone()
}

/// A repository that many tests begin with, made once and kept in memory. A copy costs no start of git.
struct Prepared {
    /// Directories, without content, and files below the work tree, parents first.
    entries: Vec<(PathBuf, Option<Vec<u8>>)>,
    clock: u64,
}

impl Prepared {
    /// Everything of `scratch` but the samples of hooks. Its files are regular and not executable.
    fn of(scratch: &Scratch) -> Self {
        let mut entries = vec![(PathBuf::new(), None)];
        let mut next = 0;
        while next < entries.len() {
            if let (dir, None) = entries[next].clone() {
                for entry in fs::read_dir(scratch.root.join(&dir)).expect("a directory") {
                    let entry = entry.expect("an entry");
                    let content = entry.path().is_file().then(|| fs::read(entry.path()).expect("a file"));
                    entries.push((dir.join(entry.file_name()), content));
                }
            }
            next += 1;
        }
        entries.retain(|(path, _)| path.extension().is_none_or(|end| end != "sample"));
        Self { entries, clock: scratch.clock.get() }
    }

    fn copy(&self) -> Scratch {
        let scratch = Scratch::without_repository();
        for (path, content) in &self.entries {
            match content {
                Some(bytes) => fs::write(scratch.root.join(path), bytes).expect("a file"),
                None => fs::create_dir(scratch.root.join(path)).expect("a directory"),
            }
        }
        scratch.clock.set(self.clock);
        scratch
    }
}

/// Random numbers from a seed (splitmix64), so that a seed repeats a failure.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.roll(list.len())]
    }
}

/// Writes an executable file through a child process. While a file is open for writing here, a child that another test forks
/// has it open too, and running it fails with "text file busy".
pub fn executable(path: &Path, text: &str) -> PathBuf {
    use std::io::Write;
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "-"]).arg(path).stdin(Stdio::piped());
    let mut child = shell.spawn().expect("a shell");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    assert!(child.wait().expect("an end").success());
    path.to_owned()
}

/// Copies an executable file through a child process, for the same reason.
pub fn copy_executable(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a parent")).expect("directories");
    assert!(Command::new("cp").arg("-p").arg(from).arg(to).status().expect("cp").success());
}

/// A scenario file with one scenario per (name, code) pair; no `code` key if the code is empty.
pub fn scenarios(list: &[(&str, &str)]) -> String {
    let mut text = String::from("---\nscenarios:\n");
    for (name, code) in list {
        text += &format!(
            "  - name: {name}\n    description: measure {name}\n    expected: {name} works\n    tags: [cli]\n"
        );
        if !code.is_empty() {
            text += &format!("    code: {code}\n");
        }
    }
    text + "---\n"
}

/// Appends an unstamped reading of `scenario`, measured at HEAD, to the ledger of the node at `dir`.
pub fn reading(scratch: &Scratch, dir: &str, scenario: &str, status: &str, minute: u32) {
    let line = reading_line(&scratch.head(), scenario, status, minute);
    let path = scratch.root.join(dir).join("yatsu.evals.ndjson");
    let mut ledger = fs::read_to_string(&path).unwrap_or_default();
    ledger.push_str(&line);
    fs::write(path, ledger).expect("a ledger");
}

/// The files of the ledger in `dir`, the one that was written last at the end.
fn ledger_files(scratch: &Scratch, dir: &str) -> Vec<String> {
    let files = fs::read_dir(scratch.root.join(dir)).expect("a directory").map(|entry| entry.expect("an entry"));
    let mut ledgers: Vec<_> =
        files.filter(|entry| entry.file_name().to_string_lossy().ends_with("evals.ndjson")).collect();
    ledgers.sort_by_key(|entry| entry.metadata().and_then(|about| about.modified()).expect("a time"));
    ledgers.iter().map(|entry| format!("{dir}/{}", entry.file_name().to_string_lossy())).collect()
}

/// The file of the ledger in `dir` that was written last: in a repository with a remote the open segment.
pub fn newest_ledger(scratch: &Scratch, dir: &str) -> String {
    ledger_files(scratch, dir).pop().expect("a ledger")
}

/// The lines of the ledger in `dir`, in whatever files of it.
pub fn ledger_lines(scratch: &Scratch, dir: &str) -> Vec<String> {
    let texts: String = ledger_files(scratch, dir).iter().map(|path| scratch.read(path)).collect();
    texts.lines().map(str::to_owned).collect()
}

/// A ledger line in the usual form.
pub fn reading_line(commit: &str, scenario: &str, status: &str, minute: u32) -> String {
    let ts = format!("2026-01-{:02}T{:02}:{:02}:00.000Z", 1 + minute / 1440, minute / 60 % 24, minute % 60);
    format!(
        "{{\"scenario\":\"{scenario}\",\"codeSha\":\"{commit}\",\"blob\":null,\"evaluator\":\"manual@1\",\"verdict\":{{\"status\":\"{status}\"}},\"ts\":\"{ts}\"}}\n"
    )
}

/// Panics unless `json` is a log of the OASIS schema; returns it.
#[track_caller]
pub fn validate_sarif(json: &str) -> serde_json::Value {
    let schema = include_str!("../../data/schema/sarif-2.1.0.json");
    // The published pattern for `language` has a superfluous bracket, which strict regex engines refuse.
    validate(json, &schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$"))
}

/// Panics unless `json` is one document of the published schema that it names; returns it.
#[track_caller]
pub fn validate_published(json: &str) -> serde_json::Value {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in:\n{json}"));
    let schema = match value["schema"].as_str() {
        Some("yatsu-hook/findings/v1") => include_str!("../../../schema/findings.v1.schema.json"),
        Some("yatsu-hook/score/v1") => include_str!("../../../schema/score.v1.schema.json"),
        Some("yatsu-hook/unowned/v1") => include_str!("../../../schema/unowned.v1.schema.json"),
        Some("yatsu-hook/timeline/v1") => include_str!("../../../schema/timeline.v1.schema.json"),
        Some("yatsu-hook/coverage/v1") => include_str!("../../../schema/coverage.v1.schema.json"),
        Some("yatsu-hook/config/v1") => include_str!("../../../schema/config.v1.schema.json"),
        Some("yatsu-hook/doctor/v1") => include_str!("../../../schema/doctor.v1.schema.json"),
        Some("yatsu-hook/agent/v1") => include_str!("../../../schema/agent.v1.schema.json"),
        Some("yatsu-hook/agent-ls/v1") => include_str!("../../../schema/agent-ls.v1.schema.json"),
        Some("yatsu-hook/install/v1") => include_str!("../../../schema/install.v1.schema.json"),
        Some("yatsu-hook/log/v1") => include_str!("../../../schema/log.v1.schema.json"),
        Some("yatsu-hook/units/v1") => include_str!("../../../schema/units.v1.schema.json"),
        Some("yatsu-hook/usage/v1") => include_str!("../../../schema/usage.v1.schema.json"),
        Some("yatsu-hook/next/v1") => include_str!("../../../schema/next.v1.schema.json"),
        Some("yatsu-hook/pr/v1") => include_str!("../../../schema/pr.v1.schema.json"),
        Some("yatsu-hook/claim/v1") => include_str!("../../../schema/claim.v1.schema.json"),
        Some("yatsu-hook/runlog/v1") => include_str!("../../../schema/runlog.v1.schema.json"),
        Some("yatsu-hook/graph/v1") => include_str!("../../../schema/graph.v1.schema.json"),
        Some("yatsu-hook/goals/v1") => include_str!("../../../schema/goals.v1.schema.json"),
        Some("yatsu-hook/patches/v1") => include_str!("../../../schema/patches.v1.schema.json"),
        Some("yatsu-hook/import/v1") => include_str!("../../../schema/import.v1.schema.json"),
        Some("yatsu-hook/share/v1") => include_str!("../../../schema/share.v1.schema.json"),
        Some("yatsu-hook/explain/v1") => include_str!("../../../schema/explain.v1.schema.json"),
        Some("yatsu-hook/blocked/v1") => include_str!("../../../schema/blocked.v1.schema.json"),
        Some("yatsu-hook/begin/v1") => include_str!("../../../schema/begin.v1.schema.json"),
        Some("yatsu-hook/evidence/v1") => include_str!("../../../schema/evidence.v1.schema.json"),
        Some("yatsu-hook/refusal/v1") => include_str!("../../../schema/refusal.v1.schema.json"),
        Some("yatsu-hook/receipt/v1") => include_str!("../../../schema/receipt.v1.schema.json"),
        other => panic!("no published schema is called {other:?}"),
    };
    validate(json, schema)
}

#[track_caller]
fn validate(json: &str, schema: &str) -> serde_json::Value {
    let schema = serde_json::from_str(schema).expect("a schema");
    let value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in:\n{json}"));
    let schema = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{json}");
    value
}

/// The seeds of a random test: `YATSU_SEED=N`, `YATSU_SEEDS=A..B`, with `YATSU_FULL` the first `full`, otherwise the first
/// `few`.
pub fn seeds(few: u64, full: u64) -> Vec<u64> {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    if let Ok(seed) = std::env::var("YATSU_SEED") {
        return vec![number(&seed)];
    }
    if let Ok(range) = std::env::var("YATSU_SEEDS") {
        let (from, to) = range.split_once("..").expect("A..B");
        return (number(from)..number(to)).collect();
    }
    (0..if std::env::var_os("YATSU_FULL").is_some() { full } else { few }).collect()
}

/// Merges `branch` into what is checked out, with the ledger lines of both sides.
pub fn with_ledger_merged(scratch: &Scratch, branch: &str, ledger: &str) {
    scratch.try_git(&["merge", "-q", "--no-commit", "--no-ff", branch]);
    let mut lines = Vec::new();
    for side in ["HEAD", branch] {
        let own = scratch.git(&["show", &format!("{side}:{ledger}")]);
        lines.extend(own.lines().map(str::to_owned).filter(|line| !lines.contains(line)).collect::<Vec<_>>());
    }
    scratch.write(ledger, lines.join("\n") + "\n");
    scratch.commit("merge");
}
