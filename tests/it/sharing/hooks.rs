//! No hook opens a connection unless the user's git configuration asks for it, and then it never stops a push.

use super::Two;
use super::ended::{is_running, wait_for};
use crate::support::{Said, executable, fed, hermetic, program};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A clone that shares through its remote, with an unpushed reading and the hook installed; `git` in its `PATH` logs its
/// arguments.
pub(super) struct Watched {
    pub(super) two: Two,
    bin: PathBuf,
    pub(super) log: PathBuf,
}

impl Watched {
    pub(super) fn new() -> Self {
        let two = Two::new();
        two.a.git(&["remote", "set-url", "origin", &format!("file://{}", two.a.base.join("server.git").display())]);
        two.a.yatsu(&["share", "on"]).expect(0);
        two.file("renders", "it rendered\n");
        two.a.hook("pre-push", "pre-push \"$@\"");
        let (bin, log) = (two.a.base.join("bin"), two.a.base.join("log"));
        let real = Said::of(Command::new("sh").args(["-c", "command -v git"]).output().expect("sh")).out;
        let script = format!("#!/bin/sh\necho \"$*\" >>'{}'\nexec '{}' \"$@\"\n", log.display(), real.trim());
        executable(&bin.join("git"), &script);
        Self { two, bin, log }
    }

    pub(super) fn path(&self) -> String {
        format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap_or_default())
    }

    /// A command of the program with the logging git.
    fn yatsu(&self, args: &[&str]) -> Command {
        let mut command = self.two.a.yatsu_command(args);
        command.env("PATH", self.path());
        command
    }

    /// The calls of git that contact another repository.
    fn connections(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let reaches = |line: &&str| {
            let verbs = ["ls-remote", "fetch", "push", "pull", "clone", "send-pack", "fetch-pack", "archive --remote"];
            verbs.iter().any(|verb| line.split_whitespace().any(|word| word == *verb))
        };
        text.lines().filter(reaches).map(str::to_owned).collect()
    }

    /// The input that git gives a hook for a push of everything.
    fn updates(&self) -> String {
        let head = self.two.a.git(&["rev-parse", "HEAD"]);
        format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40))
    }

    /// Whether the server has our evidence.
    fn is_shared(&self) -> bool {
        self.two.a.git(&["ls-remote", "origin"]).contains("refs/yatsu/evidence/")
    }
}

/// Every call by git and by frameworks: arguments, and standard input.
fn entries(watched: &Watched) -> Vec<(Vec<&'static str>, String)> {
    let head = watched.two.a.git(&["rev-parse", "HEAD"]);
    let received = format!("{} {head} refs/heads/main\n", watched.two.a.git(&["rev-parse", "HEAD~1"]));
    vec![
        (vec!["pre-commit"], String::new()),
        (vec!["pre-merge-commit"], String::new()),
        (vec!["pre-push", "origin", "file:///x"], watched.updates()),
        (vec!["pre-push"], watched.updates()),
        (vec!["pre-receive"], received),
        (vec!["run"], String::new()),
        (vec!["run", "--stage", "pre-push"], watched.updates()),
        (vec!["check", "--staged"], String::new()),
    ]
}

#[test]
fn no_hook_reaches_for_another_repository_unless_it_is_asked_to() {
    let watched = Watched::new();
    for (args, input) in entries(&watched) {
        fed(watched.yatsu(&args), input).expect(0);
        assert_eq!(watched.connections(), Vec::<String>::new(), "{args:?}");
    }
    assert!(!watched.is_shared());
    // the log shows connections
    fed(watched.yatsu(&["share", "push", "--all"]), "").expect(0);
    assert!(!watched.connections().is_empty());
}

mod needs_strace {
    use super::*;

    #[test]
    #[ignore = "needs strace"]
    fn no_hook_opens_a_socket() {
        let watched = Watched::new();
        watched.two.a.git(&["remote", "set-url", "origin", "http://127.0.0.1:1/x"]);
        let log = watched.two.a.base.join("trace");
        let sockets = |args: &[&str], input: String| {
            let mut traced = hermetic("strace", &watched.two.a.home());
            traced.current_dir(&watched.two.a.root).args(["-f", "-qq", "-e", "trace=network", "-o"]).arg(&log);
            traced.arg(program()).args(args);
            fed(traced, input);
            let text = fs::read_to_string(&log).expect("strace wrote its log");
            // strace prints signals too, and `????(` for the call of a thread that ended with its process
            text.lines().filter(|line| line.contains("socket")).map(str::to_owned).collect::<Vec<_>>()
        };
        for (args, input) in entries(&watched) {
            assert_eq!(sockets(&args, input), Vec::<String>::new(), "{args:?}");
        }
        assert_ne!(sockets(&["share", "push"], String::new()), Vec::<String>::new(), "the trace sees who connects");
    }
}

#[test]
fn evidence_goes_along_with_a_push_where_that_was_asked_for() {
    let watched = Watched::new();
    let a = &watched.two.a;
    // a file of the tree cannot ask for it
    a.write("spexcode.json", "{}");
    a.git(&["config", "yatsu.share.onPush", "true"]);
    let pushed = a.try_git(&["push", "-q", "origin", "main"]).expect(0);
    assert_eq!((pushed.out.as_str(), pushed.err.as_str()), ("", ""), "silence on success");
    assert!(watched.is_shared());
}

#[test]
fn what_does_not_go_along_is_said_and_stops_no_push() {
    let watched = Watched::new();
    let a = &watched.two.a;
    a.git(&["config", "yatsu.share.onPush", "true"]);
    watched.two.file("scrolls", format!("ghp_{}", "0123456789abcdefghij".repeat(2)));
    let said = a.try_git(&["push", "-q", "origin", "main"]).expect(0);
    assert!(said.err.contains("1 piece of evidence not sent") && said.err.contains("share push"), "{}", said.err);
    for (key, value) in
        [("yatsu.share", "file:/nowhere/at/all"), ("yatsu.share", "x@y"), ("yatsu.share.onPush", "perhaps")]
    {
        a.git(&["config", key, value]);
        a.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "more"]);
        let said = a.try_git(&["push", "-q", "origin", "main"]).expect(0);
        assert!(said.err.contains("evidence was not sent"), "{value}: {}", said.err);
    }
}

#[test]
fn a_push_elsewhere_takes_no_evidence_along() {
    let watched = Watched::new();
    let a = &watched.two.a;
    a.git(&["config", "yatsu.share.onPush", "true"]);
    a.git(&["init", "-q", "--bare", "../fork.git"]);
    a.git(&["remote", "add", "fork", "../fork.git"]);
    a.try_git(&["push", "-q", "fork", "main"]).expect(0);
    assert!(!watched.is_shared());
}

#[test]
fn a_server_that_does_not_answer_is_given_up_with_all_that_was_started() {
    let watched = Watched::new();
    let a = &watched.two.a;
    let pid = a.base.join("pid");
    let slow =
        executable(&a.base.join("slow"), &format!("#!/bin/sh\necho $$ >'{}'\nexec tail -f /dev/null\n", pid.display()));
    a.git(&["config", "yatsu.share.onPush", "true"]);
    a.git(&["config", "core.sshCommand", &slow.display().to_string()]);
    a.git(&["remote", "set-url", "origin", "ssh://nowhere.invalid/x"]);
    let mut hook = a.yatsu_command(&["pre-push", "origin", "ssh://nowhere.invalid/x"]);
    hook.env_remove("YATSU_PATIENCE");
    let said = fed(hook, watched.updates()).expect(0);
    assert!(said.err.contains("not sent within 10 s"), "{}", said.err);
    let pid = fs::read_to_string(pid).expect("it was started");
    // killed, but the system may need a moment to end it
    wait_for("the end of what was started", || !is_running(pid.trim()));
}

#[test]
fn a_push_that_is_refused_takes_no_evidence_along() {
    let watched = Watched::new();
    let a = &watched.two.a;
    a.git(&["config", "yatsu.share.onPush", "true"]);
    a.write(".spec/board/yatsu.md", "---\nscenarios: broken\n---\n");
    a.commit("broken");
    let said = a.try_git(&["push", "-q", "origin", "main"]);
    assert_ne!(said.code, 0, "the gate takes it");
    assert!(!watched.is_shared());
}
