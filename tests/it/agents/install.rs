//! `agent install`, `agent uninstall`, `agent ls` and what the doctor says of them.

use crate::support::{Said, Scratch, executable, fed, hermetic, program, search_path, validate_published};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const COMMAND: &str = "(yatsu-hook agent event || true)";
pub(super) const FILES: [(&str, &str); 5] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("cursor", ".cursor/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/yatsu-hook.json"),
];

/// Every file below `dir` with its bytes and its mode.
pub(super) fn tree(dir: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("an entry")) {
        let about = entry.path().symlink_metadata().expect("metadata");
        let mode = about.permissions().mode();
        if about.is_dir() {
            found.push((entry.path(), Vec::new(), mode));
            found.extend(tree(&entry.path()));
        } else {
            found.push((entry.path(), fs::read(entry.path()).unwrap_or_default(), mode));
        }
    }
    found.sort();
    found
}

pub(super) fn install(s: &Scratch, args: &[&str]) -> Said {
    s.yatsu(&[&["agent", "install"], args].concat())
}

fn uninstall(s: &Scratch, args: &[&str]) -> Said {
    s.yatsu(&[&["agent", "uninstall"], args].concat())
}

/// The texts of all keys `command` in a file.
pub(super) fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("command").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(commands)).collect()
        }
        Value::Array(elements) => elements.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

// A13
#[test]
fn comments_windows_line_ends_and_a_byte_order_mark_stay_and_uninstall_gives_the_bytes_of_before() {
    let layouts = [
        "\u{feff}{\r\n\t// mine\r\n\t\"permissions\": {\"allow\": []}, /* two */\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [ ]\r\n\t}\r\n}",
        "{\n    \"model\": \"x\",\n}\n\n\n",
        "{\"env\":{\"A\":\"1\"},\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say\"}]}]}}",
        "{}",
        "{ }\n",
        "",
        "\n// nothing yet",
        "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {}\n    ] // end\n  }\n}\n",
    ];
    for layout in layouts {
        let s = Scratch::new();
        let names = ["claude", "gemini"];
        for (name, file) in FILES.into_iter().filter(|(name, _)| names.contains(name)) {
            let before = if name == "gemini" { layout.replace("Stop", "AfterAgent") } else { layout.to_owned() };
            s.write(file, &before);
            fs::set_permissions(s.root.join(file), fs::Permissions::from_mode(0o640)).expect("a mode");
        }
        let before = [".claude", ".gemini"].map(|dir| tree(&s.root.join(dir)));
        install(&s, &["--for", "claude,gemini"]).expect(0);
        for (now, was) in
            [".claude", ".gemini"].map(|dir| tree(&s.root.join(dir))).iter().flatten().zip(before.iter().flatten())
        {
            assert_eq!((&now.0, now.2), (&was.0, was.2), "the same file with the same mode");
            let mut rest = &now.1[..];
            for byte in &was.1 {
                let at =
                    rest.iter().position(|one| one == byte).unwrap_or_else(|| panic!("a byte is gone: {layout:?}"));
                rest = &rest[at + 1..];
            }
        }
        uninstall(&s, &[]).expect(0);
        assert_eq!([".claude", ".gemini"].map(|dir| tree(&s.root.join(dir))), before, "{layout:?}");
    }
}

// A14
#[test]
fn installing_twice_leaves_the_same_bytes_in_every_file() {
    let s = Scratch::new();
    let all = "claude,codex,cursor,gemini,copilot";
    install(&s, &["--for", all]).expect(0);
    let once = tree(&s.root);
    assert_eq!(install(&s, &["--for", all]).expect(0).out, "already installed\n");
    assert_eq!(install(&s, &[]).expect(0).out, "already installed\n", "the folders are there now");
    assert!(tree(&s.root) == once);
    for (name, file) in FILES {
        let value: Value = serde_json::from_str(&s.read(file)).expect("plain JSON");
        let found = commands(&value);
        assert!(found.len() >= 3 && found.iter().all(|command| command == COMMAND), "{name}: {found:?}");
        assert!(!s.read(file).to_lowercase().contains("pretooluse"), "{name}");
        let key = [("codex", "commandWindows"), ("copilot", "powershell")].into_iter().find(|(of, _)| *of == name);
        let own =
            key.map_or(0, |(_, key)| s.read(file).matches(&format!("\"{key}\": \"yatsu-hook agent event\"")).count());
        assert_eq!(own, if key.is_some() { found.len() } else { 0 }, "{name}: the key for Windows");
    }
    // an older entry of ours goes: one complete set is left
    let file = |tree: &[(PathBuf, Vec<u8>, u32)], path: &str| {
        tree.iter().find(|(at, ..)| at.ends_with(path)).map(|(_, bytes, _)| bytes.clone())
    };
    s.write(".cursor/hooks.json", s.read(".cursor/hooks.json").replace("Shell|Write|Delete", "Shell"));
    let said = install(&s, &["--for", "cursor"]).expect(0);
    assert!(said.out.starts_with("add postToolUse to .cursor/hooks.json\n"), "{}", said.out);
    assert_eq!(fs::read(s.root.join(".cursor/hooks.json")).ok(), file(&once, ".cursor/hooks.json"));
    // entries without the key for Windows, as an older version wrote them, get it
    let older: String = s
        .read(".codex/hooks.json")
        .lines()
        .filter(|line| !line.contains("Windows"))
        .map(|line| format!("{line}\n"))
        .collect();
    s.write(".codex/hooks.json", older);
    let said = install(&s, &["--for", "codex"]).expect(0);
    assert!(said.out.starts_with("add SessionStart, PostToolUse, Stop to .codex/hooks.json\n"), "{}", said.out);
    assert_eq!(fs::read(s.root.join(".codex/hooks.json")).ok(), file(&once, ".codex/hooks.json"));
}

// A16
#[test]
fn a_file_that_is_not_json_stops_all_harnesses_and_no_file_is_touched() {
    for (file, content, message) in [
        (".gemini/settings.json", "{\"a\": 1 \"b\": 2}", "is not JSON: expected comma"),
        (".gemini/settings.json", "{\"a\": 1, \"a\": 2}", "has the key `a` twice in one object"),
        (".gemini/settings.json", "{\"hooks\": true}", "has `hooks` that is not an object"),
        (".gemini/settings.json", "{\"hooks\": {\"AfterTool\": {}}}", "has `AfterTool` that is not a list"),
        (".gemini/settings.json", "[]", "has the whole that is not an object"),
        (".gemini/settings.json", "\u{1}\u{2}", "is not JSON"),
        (".codex/hooks.json", "{} // Codex reads no comments", "is not plain JSON"),
    ] {
        let s = Scratch::new();
        s.write(file, content);
        let before = tree(&s.base);
        let said = install(&s, &["--for", "claude,codex,gemini", "--format", "json"]).expect(1);
        let refusal = validate_published(&said.out);
        assert_eq!(refusal["reason"], "invalid", "{}", said.out);
        let text = refusal["message"].as_str().expect("a message");
        assert!(text.starts_with(&format!("{file}:1 {message}")) && text.ends_with("no file was changed"), "{text}");
        assert!(tree(&s.base) == before);
    }
    let s = Scratch::new();
    s.write(".claude/settings.json", vec![b' '; (1 << 20) + 1]);
    let before = tree(&s.base);
    assert!(install(&s, &["--for", "claude"]).expect(1).err.contains("is larger than 1048576 bytes"));
    fs::remove_file(s.root.join(".claude/settings.json")).expect("removed");
    fs::create_dir(s.root.join(".claude/settings.json")).expect("a directory");
    assert!(install(&s, &["--for", "claude"]).expect(1).err.contains("is no file"));
    assert!(tree(&s.base) != before);
}

// A17
#[test]
fn a_link_out_of_the_project_stops_all_and_one_within_is_followed() {
    let s = Scratch::new();
    let outside = s.base.join("outside");
    fs::create_dir(&outside).expect("a directory");
    fs::write(outside.join("settings.json"), "{}\n").expect("a file");
    let links: [(&str, PathBuf); 4] = [
        (".claude", outside.clone()),
        (".claude", s.base.join("no/such/place")),
        (".claude/settings.json", outside.join("settings.json")),
        (".claude/settings.json", PathBuf::from("../../outside/new.json")),
    ];
    for (link, target) in links {
        let _ = fs::remove_dir_all(s.root.join(".claude"));
        let _ = fs::remove_file(s.root.join(".claude"));
        fs::create_dir_all(s.root.join(link).parent().expect("a parent")).expect("directories");
        symlink(&target, s.root.join(link)).expect("a link");
        let before = tree(&s.base);
        let said = install(&s, &["--for", "codex,claude"]).expect(1);
        assert!(said.err.contains("a symbolic link that leads out of"), "{}", said.err);
        assert!(tree(&s.base) == before, "{link}");
    }
    fs::remove_file(s.root.join(".claude/settings.json")).expect("removed");
    s.write("shared/claude.json", "{\"model\": \"x\"}\n");
    symlink("../shared/claude.json", s.root.join(".claude/settings.json")).expect("a link");
    install(&s, &["--for", "claude"]).expect(0);
    assert!(s.root.join(".claude/settings.json").symlink_metadata().expect("there").is_symlink());
    assert!(s.read("shared/claude.json").contains(COMMAND));
    uninstall(&s, &[]).expect(0);
    assert_eq!(s.read("shared/claude.json"), "{\"model\": \"x\"}\n");
}

// A18, the half of the installation
#[test]
fn an_old_or_missing_program_lets_the_agent_work_and_the_doctor_names_it() {
    let s = Scratch::new();
    install(&s, &["--for", "claude"]).expect(0);
    let doctor = |dir: &Path| {
        let path = std::env::join_paths([dir.to_owned()].into_iter().chain(std::env::split_paths(search_path())));
        Said::of(s.yatsu_command(&["doctor"]).env("PATH", path.expect("a path")).output().expect("runs")).out
    };
    let run = |dir: &Path| {
        let path = std::env::join_paths([dir.to_owned()].into_iter().chain(std::env::split_paths(search_path())));
        let mut shell = hermetic("sh", &s.home());
        shell.env("PATH", path.expect("a path")).current_dir(&s.root).args(["-c", COMMAND]);
        fed(shell, "{\"hook_event_name\":\"Stop\"}")
    };
    let (old, none) = (s.base.join("old"), s.base.join("none"));
    executable(&old.join("yatsu-hook"), "#!/bin/sh\necho 'unrecognized subcommand' >&2; exit 2\n");
    fs::create_dir(&none).expect("a directory");
    for dir in [&old, &none] {
        let said = run(dir).expect(0);
        assert_eq!(said.out, "", "an answer would be read as one");
    }
    assert!(
        doctor(&none)
            .contains("broken  the entries run yatsu-hook, which is not there: nothing happens at these events")
    );
    assert!(doctor(&old).contains("old/yatsu-hook, a script: whether its program knows `agent` is not known"));
    fs::write(old.join("yatsu-hook"), b"\x7fELF of an older version").expect("written");
    assert!(doctor(&old).contains("old/yatsu-hook, which does not know `agent`"));
    let own = program().parent().expect("a directory").to_owned();
    assert!(doctor(&own).contains(&format!("ok      the entries run {}\n", program().display())));
}

// A21 and A36, the half of the installation: Cursor, Copilot and VS Code also run Claude's file
#[test]
fn every_file_has_the_same_command_so_a_harness_that_reads_two_runs_one_program_twice() {
    let s = Scratch::new();
    install(&s, &["--for", "claude,cursor,copilot"]).expect(0);
    for file in [".claude/settings.json", ".cursor/hooks.json", ".github/hooks/yatsu-hook.json"] {
        let value: Value = serde_json::from_str(&s.read(file)).expect("JSON");
        assert!(commands(&value).iter().all(|command| command == COMMAND), "{file}");
    }
    // no entry before a tool, where Cursor would take an empty answer for a refusal
    assert!(
        FILES.iter().filter(|(_, file)| s.root.join(file).exists()).all(|(_, file)| !s.read(file).contains("\"pre"))
    );
}

#[test]
fn a_file_that_was_edited_since_loses_our_entries_alone() {
    let s = Scratch::new();
    install(&s, &["--for", "claude,codex,copilot"]).expect(0);
    let edited = s.read(".claude/settings.json").replacen("{\n", "{\n  \"model\": \"x\",\n", 1);
    let edited = edited.replacen("\"Stop\": [", "\"Stop\": [\n      {\"hooks\": [{\"command\": \"say\"}]},", 1);
    s.write(".claude/settings.json", edited);
    s.write(".codex/hooks.json", s.read(".codex/hooks.json") + "\n");
    let said = uninstall(&s, &[]).expect(0);
    assert!(
        said.out.contains("take SessionStart, PostToolUse, PostToolUseFailure, Stop out of .claude/settings.json\n")
    );
    assert_eq!(
        s.read(".claude/settings.json"),
        "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"command\": \"say\"}]}\n    ]\n  }\n}\n"
    );
    assert!(!s.root.join(".codex").exists(), "nothing but our own was in it");
    assert!(!s.root.join(".github").exists());
    assert_eq!(uninstall(&s, &[]).expect(0).out, "already uninstalled\n");
    // a file without an entry of this program is left alone, whatever is in it
    s.write(".claude/settings.json", "no json");
    assert_eq!(uninstall(&s, &[]).expect(0).out, "already uninstalled\n");
    uninstall(&s, &["--for", "claude"]).expect(1);
}

#[test]
fn without_a_manifest_entries_are_known_by_their_command() {
    let s = Scratch::new();
    s.write(".gemini/settings.json", "{\n  \"ui\": {}\n}\n");
    install(&s, &["--for", "claude,gemini,copilot"]).expect(0);
    for broken in [None, Some("{\"v\":2,\"folders\":0,\"files\":[]}"), Some("no json")] {
        let manifest = s.root.join(".git/yatsu/agents.json");
        match broken {
            None => fs::remove_file(&manifest).expect("removed"),
            Some(text) => fs::write(&manifest, text).expect("written"),
        }
        uninstall(&s, &["--for", "claude,gemini,copilot"]).expect(0);
        assert_eq!(s.read(".gemini/settings.json"), "{\n  \"ui\": {}\n}\n");
        assert_eq!(s.read(".claude/settings.json"), "{\n}\n");
        assert!(!s.root.join(".github/hooks/yatsu-hook.json").exists(), "the file has our name");
        install(&s, &["--for", "claude,gemini,copilot"]).expect(0);
    }
    // an absolute path of another machine, as this program writes it
    s.write(
        ".claude/settings.json",
        r#"{"hooks":{"Stop":[{"hooks":[{"command":"('/o/yatsu-hook' agent event --user || true)"},{"command":"x"}]}]}}"#,
    );
    uninstall(&s, &["--for", "claude"]).expect(0);
    assert_eq!(s.read(".claude/settings.json"), r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}"#);
}

/// An entry of the user's own may have the words of ours, for example `mylog.sh; yatsu-hook agent event`.
#[test]
fn a_command_with_our_words_that_this_program_did_not_write_stays_and_is_named() {
    for command in [
        "mylog.sh; yatsu-hook agent event",
        "timeout 5 yatsu-hook agent event",
        "YATSU_HOOK=0 yatsu-hook agent event",
        "echo '(yatsu-hook agent event || true)'",
        "yatsu-hook agent event || true",
    ] {
        let s = Scratch::new();
        let own = format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": {command:?}}}]}}]\n  }}\n}}\n"
        );
        s.write(".claude/settings.json", &own);
        let note = format!("claude has an entry at Stop that this program did not write and leaves alone: {command}");
        assert!(s.yatsu(&["agent", "ls"]).expect(0).out.contains(&note), "before the installation");
        install(&s, &[]).expect(0);
        let value: Value = serde_json::from_str(&s.read(".claude/settings.json")).expect("JSON");
        assert_eq!(commands(&value["hooks"]["Stop"]), [command, COMMAND]);
        let doctor = s.yatsu(&["doctor"]).out;
        assert!(doctor.contains(&note) && doctor.contains("take it out of .claude/settings.json"), "{doctor}");
        let said = uninstall(&s, &[]).expect(0);
        assert_eq!(s.read(".claude/settings.json"), own);
        assert!(said.out.starts_with("give .claude/settings.json its bytes of before\n"), "{}", said.out);
        // a file that was edited since, and one without a manifest
        for edits in [true, false] {
            install(&s, &[]).expect(0);
            if edits {
                s.write(".claude/settings.json", s.read(".claude/settings.json") + "\n");
            } else {
                fs::remove_file(s.root.join(".git/yatsu/agents.json")).expect("removed");
            }
            uninstall(&s, &["--for", "claude"]).expect(0);
            let value: Value = serde_json::from_str(&s.read(".claude/settings.json")).expect("JSON");
            assert_eq!(commands(&value), [command]);
        }
    }
}

/// An installation over the entries of another version gives back a file without them, and not the bytes of before.
#[test]
fn only_the_bytes_of_before_are_called_so() {
    let s = Scratch::new();
    install(&s, &["--for", "claude"]).expect(0);
    // as Windows wrote it, in a clone that has no manifest of it
    s.write(".claude/settings.json", s.read(".claude/settings.json").replace(COMMAND, "yatsu-hook agent event"));
    fs::remove_file(s.root.join(".git/yatsu/agents.json")).expect("removed");
    install(&s, &["--for", "claude"]).expect(0);
    let value: Value = serde_json::from_str(&s.read(".claude/settings.json")).expect("JSON");
    assert!(commands(&value).iter().all(|command| command == COMMAND), "{value}");
    let said = uninstall(&s, &["--for", "claude"]).expect(0);
    assert!(said.out.starts_with("take SessionStart, PostToolUse, "), "{}", said.out);
    assert_eq!(s.read(".claude/settings.json"), "{\n}\n");
}

/// A kill between the temporary file and its name leaves the file in the tree.
#[test]
fn what_a_kill_left_beside_the_files_is_swept_at_the_next_run() {
    let s = Scratch::new();
    let left = [".claude/.yatsu-tmp-4711-0", ".codex/.yatsu-tmp-4711-1", ".github/hooks/.yatsu-tmp-4711-2"];
    let kept = [".claude/.yatsu-tmp-mine", ".gemini/.yatsu-tmp-4711-0/x"];
    let write = || left.iter().chain(&kept).for_each(|path| s.write(path, "half"));
    let there = |paths: &[&str]| paths.iter().filter(|path| s.root.join(path).exists()).count();
    for (args, is_dry) in [
        (&["install", "--for", "claude"][..], false),
        (&["install", "--for", "claude"], false),
        (&["install", "--for", "claude", "--dry-run"], true),
        (&["uninstall"], false),
        (&["uninstall"], false),
    ] {
        write();
        s.yatsu(&[&["agent"], args].concat()).expect(0);
        assert_eq!((there(&left), there(&kept)), (if is_dry { left.len() } else { 0 }, kept.len()), "{args:?}");
    }
}

#[test]
fn each_worktree_has_its_own_files_and_one_manifest() {
    let s = Scratch::new();
    s.commit("first");
    s.git(&["worktree", "add", "-q", "../other"]);
    let other = s.base.join("other");
    let there = |verb: &str| {
        Said::of(s.yatsu_command(&["agent", verb, "--for", "codex"]).current_dir(&other).output().expect("runs"))
    };
    install(&s, &["--for", "codex"]).expect(0);
    there("install").expect(0);
    uninstall(&s, &[]).expect(0);
    assert!(!s.root.join(".codex").exists() && other.join(".codex/hooks.json").exists());
    there("uninstall").expect(0);
    assert!(!other.join(".codex").exists() && !s.root.join(".git/yatsu/agents.json").exists());
}

#[test]
fn several_installations_at_once_leave_one_set_of_entries() {
    let s = Scratch::new();
    s.write(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    let all: Vec<_> = (0..6)
        .map(|_| {
            let mut command = s.yatsu_command(&["agent", "install", "--for", "claude,codex"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("runs")
        })
        .collect();
    let said: Vec<Said> = all.into_iter().map(|child| Said::of(child.wait_with_output().expect("an end"))).collect();
    assert!(said.iter().all(|said| said.code == 0 || said.err.contains("changed meanwhile")), "{said:?}");
    assert!(said.iter().any(|said| said.out.ends_with("installed claude, codex: 2 files\n")), "{said:?}");
    let value: Value = serde_json::from_str(&s.read(".claude/settings.json")).expect("JSON");
    assert_eq!(commands(&value).len(), 4);
    uninstall(&s, &[]).expect(0);
    assert_eq!(s.read(".claude/settings.json"), "{\n  \"model\": \"x\"\n}\n");
}

#[test]
fn a_directory_or_disk_that_takes_no_file_leaves_every_file_as_it_was() {
    let s = Scratch::new();
    s.write(".claude/settings.json", "{}\n");
    s.write(".gemini/settings.json", "{}\n");
    let before = tree(&s.root.join(".claude"));
    fs::set_permissions(s.root.join(".gemini"), fs::Permissions::from_mode(0o555)).expect("a mode");
    let said = s.yatsu_held_off(&["agent", "install", "--for", "claude,codex,gemini"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(tree(&s.root.join(".claude")) == before);
    assert!(!s.root.join(".codex").exists(), "a folder that was made goes again");
    fs::set_permissions(s.root.join(".gemini"), fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut shell = hermetic("bash", &s.home());
    shell
        .current_dir(&s.root)
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" agent install --for claude,gemini"])
        .arg(program());
    let said = Said::of(shell.output().expect("a shell"));
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(tree(&s.root.join(".claude")) == before);
    assert_eq!(s.read(".gemini/settings.json"), "{}\n");
    install(&s, &["--for", "claude,gemini"]).expect(0);
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let s = Scratch::new();
    s.write(".claude/settings.json", "{}\n");
    let before = tree(&s.base);
    let said = install(&s, &["--for", "claude,codex", "--dry-run"]).expect(0);
    assert!(tree(&s.base) == before);
    let done = install(&s, &["--for", "claude,codex"]).expect(0);
    let would: Vec<String> =
        said.out.lines().filter_map(|line| line.strip_prefix("would ")).map(str::to_owned).collect();
    assert!(would.len() == 2 && would.iter().all(|line| done.out.contains(line)), "{} {}", said.out, done.out);
    let installed = tree(&s.base);
    uninstall(&s, &["--dry-run"]).expect(0);
    assert!(tree(&s.base) == installed);
}

#[test]
fn programs_read_what_was_done_and_what_stands_there() {
    let s = Scratch::new();
    s.write(".codex/config.toml", "[hooks]\nStop = []\n[features]\ncodex_hooks = false\n");
    for args in
        [&["install", "--for", "claude,codex"][..], &["install"], &["ls"], &["uninstall", "--dry-run"], &["uninstall"]]
    {
        let said = s.yatsu(&[&["agent"], args, &["--format", "json"]].concat()).expect(0);
        let value = validate_published(&said.out);
        if args == ["ls"] {
            let codex = &value["files"][1];
            assert_eq!((&codex["harness"], &codex["state"]), (&"codex".into(), &"installed".into()));
            assert_eq!(codex["notes"].as_array().expect("notes").len(), 3, "{codex}");
        }
    }
    let said = s.yatsu(&["agent", "install", "--plugin", "new", "--format", "json"]).expect(0);
    assert_eq!(validate_published(&said.out)["files"][0]["harness"], Value::Null);
}

#[test]
fn names_are_needed_where_no_harness_is_used() {
    let s = Scratch::new();
    let said = install(&s, &[]).expect(2);
    assert!(said.err.contains("the names are claude, codex, cursor, gemini, copilot"), "{}", said.err);
    install(&s, &["--for", "emacs"]).expect(2);
    install(&s, &["--user", "--project", "--for", "claude"]).expect(2);
    install(&s, &["--plugin", "p", "--user"]).expect(2);
    fs::create_dir(s.root.join(".cursor")).expect("a directory");
    assert!(install(&s, &[]).expect(0).out.ends_with("installed cursor: 1 file\n"));
    let bare = Scratch::with_init(&["--bare"]);
    install(&bare, &["--for", "claude"]).expect(2);
}

#[test]
fn the_doctor_sees_what_switches_hooks_off_in_the_project_and_for_the_user() {
    let s = Scratch::new();
    install(&s, &["--for", "claude,gemini,copilot"]).expect(0);
    let off = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).expect("written");
        let said = s.yatsu(&["doctor"]).expect(1).out;
        fs::remove_file(&path).expect("removed");
        said.lines().find_map(|line| line.split_once(" runs no hook of yatsu-hook: ")).map(|(_, why)| why.to_owned())
    };
    for (path, text, why) in [
        (".claude/settings.local.json", "{\"disableAllHooks\": true}", "disableAllHooks is true"),
        (".github/hooks/other.json", "{\"disableAllHooks\": true}", "disableAllHooks is true"),
        (".github/copilot/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks is true"),
        ("../home/.claude/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks is true"),
        ("../home/.copilot/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks is true"),
        ("../home/.gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}", "hooksConfig.enabled is false"),
    ] {
        let said = off(s.root.join(path), text).unwrap_or_else(|| panic!("{path} is not seen"));
        assert!(said.starts_with(&format!("{why} in ")) && said.ends_with(path.trim_start_matches("..")), "{said}");
    }
    assert_eq!(off(s.root.join("../home/.claude/settings.json"), "{}"), None);
}

#[test]
fn codex_says_what_waits_for_its_trust() {
    let s = Scratch::new();
    install(&s, &["--for", "codex"]).expect(0);
    let waits = |text: &str| {
        fs::create_dir_all(s.home().join(".codex")).expect("a directory");
        fs::write(s.home().join(".codex/config.toml"), text).expect("written");
        s.yatsu(&["agent", "ls"]).expect(0).out.contains("not trusted yet: ")
    };
    assert!(waits(""));
    let key = |event: &str| {
        format!(
            "[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
            s.root.join(".codex/hooks.json").display()
        )
    };
    assert!(waits(&key("stop")));
    assert!(!waits(&(key("stop") + &key("session_start") + &key("post_tool_use"))));
    assert!(waits("no toml ["));
    s.write(".codex/hooks.json", s.read(".codex/hooks.json").replacen('{', "{\"version\": 1,", 1));
    assert!(
        s.yatsu(&["agent", "ls"]).expect(0).out.contains("codex refuses the whole file because of its key version\n")
    );
}

#[test]
fn a_pipe_in_the_place_of_settings_keeps_no_verb_waiting() {
    let s = crate::support::one_node();
    fs::create_dir(s.root.join(".claude")).expect("a directory");
    let pipe = s.root.join(".claude/settings.json");
    assert!(hermetic("mkfifo", &s.home()).arg(&pipe).status().expect("mkfifo").success());
    let ls = s.yatsu(&["agent", "ls"]).expect(0).out;
    assert!(ls.contains("claude   project  unreadable  .claude/settings.json\n"), "{ls}");
    s.yatsu(&["agent", "install", "--for", "claude"]).expect(1);
    s.yatsu(&["agent", "uninstall"]).expect(0);
    assert!(s.yatsu(&["doctor"]).out.contains(".claude/settings.json is no file"));
}
