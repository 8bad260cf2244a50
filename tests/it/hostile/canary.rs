//! A `.git/config` with programs in every possible key: no verb ever starts one of them (hostile.md, "staged content and
//! git's state").

use super::{calm, one_node};
use crate::support::{Said, Scratch, fed, hermetic, program, reading};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

/// Configuration keys with which git starts a program; `@` is the canary.
const KEYS: &[(&str, &str)] = &[
    ("core.fsmonitor", "@"),
    ("core.pager", "@"),
    ("core.editor", "@"),
    ("core.sshCommand", "@"),
    ("core.askPass", "@"),
    ("core.gitProxy", "@"),
    ("core.alternateRefsCommand", "@"),
    ("core.hooksPath", "HOOKS"),
    ("diff.external", "@"),
    ("diff.canary.textconv", "@"),
    ("diff.canary.command", "@"),
    ("filter.canary.clean", "@"),
    ("filter.canary.smudge", "@"),
    ("filter.canary.process", "@"),
    ("filter.canary.required", "true"),
    ("merge.canary.driver", "@ %O %A %B"),
    ("merge.default", "canary"),
    ("credential.helper", "!@"),
    ("gpg.program", "@"),
    ("gpg.ssh.program", "@"),
    ("commit.gpgSign", "true"),
    ("sequence.editor", "@"),
    ("interactive.diffFilter", "@"),
    ("uploadpack.packObjectsHook", "@"),
    ("pager.diff", "@"),
    ("pager.log", "@"),
    ("pager.ls-files", "@"),
    ("pager.rev-parse", "@"),
    ("trailer.canary.command", "@"),
    ("remote.origin.url", "ext::@"),
    ("remote.origin.uploadpack", "@"),
    ("remote.origin.receivepack", "@"),
    ("remote.origin.vcs", "canary"),
    ("remote.origin.promisor", "true"),
    ("remote.origin.partialclonefilter", "blob:none"),
    ("protocol.allow", "always"),
    ("protocol.ext.allow", "always"),
    ("include.path", "../included"),
    ("man.viewer", "canary"),
    ("man.canary.cmd", "@"),
    ("browser.canary.cmd", "@"),
    ("alias.ls-files", "!@"),
    ("alias.cat-file", "!@"),
    ("alias.rev-parse", "!@"),
    ("hook.canary.command", "@"),
    ("hook.canary.event", "pre-commit"),
];

struct Trap {
    scratch: Scratch,
    bin: std::path::PathBuf,
}

impl Trap {
    fn new() -> Self {
        let scratch = one_node();
        reading(&scratch, ".spec/n", "works", "pass", 1);
        scratch.write(".gitattributes", "* filter=canary diff=canary merge=canary\n");
        scratch.commit("a reading");
        scratch.git(&["branch", "side"]);
        let bin = scratch.base.join("bin");
        let trap = Self { scratch, bin };
        trap.script("canary");
        // programs in the current directory with the names of tools
        for name in ["git", "sh", "less", "ssh", "git-remote-canary", "yatsu-hook"] {
            std::fs::copy(trap.bin.join("canary"), trap.scratch.root.join(name)).unwrap();
        }
        for hook in [
            "pre-commit",
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "fsmonitor-watchman",
            "pre-push",
            "post-merge",
            "prepare-commit-msg",
        ] {
            trap.script(&format!("hooks/{hook}"));
        }
        trap.configure();
        // dirty files and a stale index entry make git use its filters
        trap.scratch.write("src/a.rs", "fn dirty() {}\n");
        trap.scratch.write("src/new.rs", "fn new() {}\n");
        write_inputs(&trap.scratch);
        trap
    }

    fn script(&self, name: &str) {
        let path = self.bin.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", self.canary().display())).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn canary(&self) -> std::path::PathBuf {
        self.scratch.base.join("the-canary-sang")
    }

    fn configure(&self) {
        let at = self.bin.join("canary").display().to_string();
        let hooks = self.bin.join("hooks").display().to_string();
        std::fs::write(self.scratch.root.join("included"), format!("[core]\n\tfsmonitor = {at}\n")).unwrap();
        for (key, value) in KEYS {
            let value = value.replace('@', &at).replace("HOOKS", &hooks);
            let said = hermetic("git", &self.scratch.home())
                .current_dir(&self.scratch.root)
                .args(["config", "--file", ".git/config", "--add", key, &value])
                .output()
                .unwrap();
            Said::of(said).expect(0);
        }
    }

    /// Runs the program with an environment that names the canary too.
    fn run(&self, args: &[&str], input: &str) -> Said {
        let at = self.bin.join("canary");
        let mut command = self.scratch.yatsu_command(args);
        for name in [
            "GIT_EXTERNAL_DIFF",
            "GIT_PAGER",
            "PAGER",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_ASKPASS",
            "SSH_ASKPASS",
            "GIT_EDITOR",
            "EDITOR",
            "VISUAL",
            "GIT_SEQUENCE_EDITOR",
            "GIT_PROXY_COMMAND",
            "BROWSER",
            "MANPAGER",
        ] {
            command.env(name, &at);
        }
        let path = format!(".:{}:", std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path);
        // a verb that does not read its input closes it
        fed(command, input)
    }
}

/// Every verb that does not read standard input, with arguments with which it works.
const PLAIN: &[&[&str]] = &[
    &["next", "--limit", "0"],
    &["begin"],
    &["begin", ".spec/n", "--scenario", "works"],
    &["explain", "src/a.rs"],
    &["new", "begun", "--code", "src/a.rs"],
    &["new", "--from", "drafts.feature", "--code", "src/a.rs"],
    &["pre-commit"],
    &["pre-merge-commit"],
    &["run"],
    &["run", "--stage", "manual"],
    &["check"],
    &["check", "--all"],
    &["check", "--staged"],
    &["check", "--rev", "HEAD"],
    &["check", "--from", "side", "--to", "HEAD"],
    &["check", "--from", "side", "--to", "HEAD", "--require-approval"],
    &["scan"],
    &["scan", "--changed", "--base", "side"],
    &["scan", "--staged", "--format", "sarif"],
    &["validate", "--", ".spec/n/yatsu.md", ".spec/n/yatsu.evals.ndjson"],
    &["eval", ".spec/n", "--scenario", "works", "--pass", "--note", "x"],
    &["eval", ".spec/n", "--scenario", "works", "--fail", "--result", "README", "--dry-run"],
    &["eval", ".spec/n/works", "--pass", "--began", "b1-0123456789abcdef-0000"],
    &["eval", ".spec/n/works", "--pass", "--coverage", "README"],
    &["eval", ".spec/n/works", "--runs", "2/2"],
    &["eval", ".spec/n/works", "--blocked", "x", "--result", "README", "--by", "x", "--dry-run"],
    &["eval", "--from-junit", "README"],
    &["eval", "--from-ctrf", "README"],
    &["eval", "--from-promptfoo", "README"],
    &["eval", ".spec/n", "--scenario", "works", "--fail", "--metric", "x=1", "--artifact", "README"],
    &["claim", "take", ".spec/n", "--scenario", "works"],
    &["claim", "next", "--dry-run"],
    &["claim", "ls"],
    &["claim", "log"],
    &["claim", "waive-budget", ".spec/n", "--scenario", "works", "--reason", "x"],
    &["goal", "check"],
    &["goal", "check", ".spec/n"],
    &["goal", "complete", ".spec/n", "--by", "x"],
    &["goal", "pivot", ".spec/n", "--reason", "x", "--by", "x"],
    &["goal", "rework", ".spec/n", "--reason", "x", "--by", "x"],
    &["goal", "block", ".spec/n", "--reason", "x", "--by", "x"],
    &["goal", "unblock", ".spec/n", "--reason", "x", "--by", "x"],
    &["goal", "review", ".spec/n", "--score", "1", "--by", "x", "--note", "x"],
    &["patch", "ls"],
    &["patch", "show", "side"],
    &["patch", "approve", "side", "--reason", "x", "--by", "x"],
    &["patch", "reject", "side", "--reason", "x", "--by", "x"],
    &["graph", "show"],
    &["graph", "show", "scenario:n#works", "--format", "dot"],
    &["graph", "lineage", "scenario:n#works", "--format", "mermaid"],
    &["graph", "why", "src/a.rs"],
    &["graph", "diff", "side..HEAD"],
    &["graph", "ops"],
    &["graph", "replay", "ledger"],
    &["graph", "digest", "--rev", "HEAD"],
    &["graph", "check"],
    &["claim", "release", ".spec/n", "--scenario", "works", "--force", "--reason", "x"],
    &["runlog", "start"],
    &["runlog", "add", "note", "text=x"],
    &["runlog", "phase", "end", "1"],
    &["runlog", "phase", "start", "2"],
    &["runlog", "resume", "--apply"],
    &["runlog", "progress"],
    &["runlog", "check"],
    &["runlog", "ls"],
    &["runlog", "end", "aborted"],
    &["sign", "n", "--key", "../no-key"],
    &["retract", ".spec/n", "--scenario", "works", "--last"],
    &["redact", ".spec/n", "--scenario", "works", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "x"],
    &["clean", "--dry-run"],
    &["clean", "--all"],
    &["repair"],
    &["repair", "--restore", "side"],
    &["merge-ledger", "ledger", "ledger", "ledger", ".spec/n/yatsu.evals.ndjson"],
    &["evidence", "ls"],
    &["show", "n", "--open"],
    &["evidence", "get", "n/works"],
    &["evidence", "check"],
    &["evidence", "put", "README"],
    &["share", "on", "file:."],
    &["share", "push"],
    &["share", "get", "--all"],
    &["share", "check", "--deep"],
    &["share", "prune", "--before", "2020-01"],
    &["share", "drop", "0000000000000000000000000000000000000000000000000000000000000000", "--reason", "x"],
    &["share"],
    &["share", "off"],
    &["show", ".spec/n"],
    &["ls"],
    &["ls", "--stale"],
    &["fold", "--dry-run", "--here"],
    &["log"],
    &["log", "n", "--limit", "0", "--to", "HEAD"],
    &["report", "--html", "page.html"],
    &["report", "--badge", "badge.svg"],
    &["report", "--html", "links.html", "--links", "https://github.com/o/r"],
    &["report", "--html", "-", "--rev", "HEAD", ".spec/n"],
    &["report", "--pr", "--from", "HEAD~1", "--to", "HEAD", "--pictures", "--checked", "HEAD"],
    &["export", "in-toto"],
    &["export", "in-toto", "--sign", "--signing-key", "../no-key"],
    &["impact", "src/a.rs"],
    &["impact", "src/a.rs#a"],
    &["impact", "--staged"],
    &["impact", "--base", "side"],
    &["units", "src/a.rs"],
    &["coverage", "suggest", ".spec/n", "--coverage", "cover.out"],
    &["usage"],
    &["usage", ".spec/n"],
    &["explain"],
    &["doctor"],
    &["config", "show"],
    &["config", "check"],
    &["completions", "bash"],
    &["man"],
    &["install", "--dry-run"],
    &["install", "--merge-driver"],
    &["doctor"],
    &["uninstall"],
    &["help"],
];

/// The files that [`calls`] names.
pub(super) fn write_inputs(scratch: &Scratch) {
    scratch.write("drafts.feature", "Feature: f\nScenario: s\n  Given a\n  Then b\n");
    scratch.write("cover.out", "mode: set\nsrc/a.rs:1.1,1.9 1 1\n");
    scratch.write("README", "x");
    scratch.write("ledger", "");
}

/// Every verb with arguments with which it works, and its standard input.
pub(super) fn calls(head: &str, side: &str) -> Vec<(Vec<&'static str>, String)> {
    let none = String::new;
    let ref_line = format!("refs/heads/main {head} refs/heads/main {side}\n");
    let new_line = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
    let unknown = format!("refs/heads/main {head} refs/heads/main {}\n", "1".repeat(40));
    let received = format!("{side} {head} refs/heads/main\n");
    let mut calls: Vec<(Vec<&'static str>, String)> = Vec::new();
    for args in PLAIN {
        calls.push((args.to_vec(), none()));
    }
    for input in [ref_line, new_line, unknown] {
        calls.push((vec!["pre-push", "origin", "ext::canary"], input));
    }
    calls.push((vec!["pre-receive"], received));
    let edit = r#"{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"src/a.rs"}}"#;
    let stop = r#"{"session_id":"s","hook_event_name":"Stop"}"#;
    let start = r#"{"session_id":"s","hook_event_name":"SessionStart"}"#;
    for event in [start, edit, stop] {
        calls.push((vec!["agent", "event"], event.to_owned()));
    }
    calls.push((vec!["agent", "install", "--for", "claude"], none()));
    calls.push((vec!["agent", "ls"], none()));
    calls.push((vec!["agent", "uninstall"], none()));
    calls
}

#[test]
fn no_verb_starts_a_program_that_the_repository_names() {
    let trap = Trap::new();
    let rev = |name: &str| std::fs::read_to_string(trap.scratch.root.join(".git/refs/heads").join(name)).unwrap();
    let calls = calls(rev("main").trim(), rev("side").trim());
    let help = Said::of(hermetic(program(), &trap.scratch.home()).arg("--help").output().unwrap()).expect(0).out;
    let verbs = help.lines().skip_while(|line| *line != "Every day:").take_while(|line| *line != "Options:");
    let verbs = verbs.filter(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    let verbs: BTreeSet<&str> = verbs.filter(|word| !word.starts_with('-')).collect();
    let tried: BTreeSet<&str> = calls.iter().map(|(args, _)| args[0]).collect();
    assert_eq!(tried, verbs, "every verb of the program is tried");
    for (args, input) in &calls {
        for program_reads in [false, true] {
            let config = trap.scratch.root.join(".git/config");
            let before = std::fs::read_to_string(&config).unwrap();
            if program_reads {
                std::fs::write(&config, format!("{before}[extensions]\n\tpartialClone = nowhere\n")).unwrap();
            }
            let said = trap.run(args, input);
            calm(&said, &args.join(" "));
            assert!(!trap.canary().exists(), "`{}` started it:\n{}{}", args.join(" "), said.out, said.err);
            std::fs::write(&config, before).unwrap();
        }
    }
}

#[test]
fn the_trap_is_a_trap() {
    for args in [&["status"][..], &["diff"], &["add", "src/new.rs"], &["ls-files"]] {
        let trap = Trap::new();
        trap.scratch.try_git(args);
        assert!(trap.canary().exists(), "git {args:?}");
    }
}
