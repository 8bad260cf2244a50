//! The entries of a user, which hold in every repository and name the program by its path.

use super::install::{commands, install, tree};
use crate::support::{Said, Scratch, copy_executable, hermetic, program};
use serde_json::Value;
use std::fs;

#[test]
fn the_files_of_a_user_follow_the_variables_and_name_this_program() {
    let s = Scratch::new();
    let own = s.base.join("own dir");
    let all = |verb: &str, extra: &[&str]| {
        let mut command = s.yatsu_command(&[&["agent", verb, "--user"], extra].concat());
        command.env("CODEX_HOME", own.join("codex")).env("COPILOT_HOME", own.join("copilot"));
        command.env("CLAUDE_CONFIG_DIR", own.join("claude")).env("XDG_STATE_HOME", s.base.join("state"));
        Said::of(command.current_dir(s.home()).output().expect("runs"))
    };
    let before = tree(&s.base);
    all("install", &[]).expect(2);
    all("install", &["--for", "claude,codex,cursor,gemini,copilot"]).expect(0);
    let files = [
        own.join("claude/settings.json"),
        own.join("codex/hooks.json"),
        s.home().join(".cursor/hooks.json"),
        s.home().join(".gemini/settings.json"),
        own.join("copilot/hooks/yatsu-hook.json"),
    ];
    for file in &files {
        let value: Value = serde_json::from_str(&fs::read_to_string(file).expect("a file")).expect("JSON");
        let wanted = format!("('{}' agent event --user || true)", program().display());
        assert!(commands(&value).iter().all(|command| *command == wanted), "{value}");
    }
    assert!(s.base.join("state/yatsu-hook/agents.json").exists());
    assert_eq!(all("install", &[]).expect(0).out, "already installed\n");
    all("uninstall", &[]).expect(0);
    assert!(tree(&s.base) == before);
    let said = Said::of(
        s.yatsu_command(&["agent", "install", "--user", "--for", "gemini"]).env("HOME", "").output().expect("runs"),
    );
    assert!(said.expect(2).err.contains("HOME is not set"));
}

/// Entries of a user from before the mark show an agent names with blanks, also in a stranger's repository.
#[test]
fn entries_of_a_user_without_the_mark_are_named_and_replaced() {
    let s = Scratch::new();
    let file = s.home().join(".claude/settings.json");
    install(&s, &["--user", "--for", "claude"]).expect(0);
    let marked = fs::read_to_string(&file).expect("a file");
    fs::write(&file, marked.replace(" --user", "")).expect("written");
    let note = "claude runs entries of an older version, which show an agent more names of a repository";
    let doctor = s.yatsu(&["doctor"]).out;
    assert!(doctor.contains(note) && doctor.contains("agent install --user --for claude"), "{doctor}");
    assert!(s.yatsu(&["agent", "ls"]).expect(0).out.contains(note));
    install(&s, &["--user", "--for", "claude"]).expect(0);
    assert_eq!(fs::read_to_string(&file).expect("a file"), marked);
    assert!(!s.yatsu(&["doctor"]).out.contains(note));
}

#[test]
fn a_program_of_another_name_writes_no_entries_for_a_user() {
    let s = Scratch::new();
    let other = s.base.join("yh");
    copy_executable(&program(), &other);
    let mut command = hermetic(&other, &s.home());
    command.current_dir(&s.root).args(["agent", "install", "--user", "--for", "claude"]);
    let said = Said::of(command.output().expect("runs")).expect(2);
    assert!(said.err.contains("entries call a program that is named yatsu-hook"), "{}", said.err);
    assert!(!s.home().join(".claude").exists());
}
