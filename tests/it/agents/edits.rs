//! The start of a session, and the door after an edit.

use super::stops::forget_answers;
use crate::support::harness::{MOVED, Session, context, measured};
use crate::support::scenarios;
use serde_json::json;

#[test]
fn a_start_says_how_the_repository_stands() {
    let s = measured();
    assert_eq!(
        context(&Session::new(&s, "one").start()),
        "yatsu-hook: 1 scenario: 1 fresh (1 pass, 0 fail), 0 stale, 0 unmeasured\n\
         to measure: do what a scenario's yatsu.md describes, look at the result, file it as a pass or a fail; \
         what and how: yatsu-hook next"
    );
    let names = ["a", "b", "c", "d", "e"];
    for (at, name) in names.into_iter().enumerate() {
        let file = format!("src/{name}{at}.rs");
        s.write(&file, "x\n");
        s.write(&format!(".spec/{name}/yatsu.md"), scenarios(&[("s", &file), ("t", &file)]));
    }
    s.commit("more");
    for name in names {
        s.yatsu(&["eval", &format!("{name}/s"), "--fail", "--note", "no"]).expect(0);
        s.yatsu(&["eval", &format!("{name}/t"), "--pass", "--note", "yes"]).expect(0);
    }
    s.commit("measured");
    s.write("src/a.rs", MOVED);
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        s.write(&format!("src/{name}{at}.rs"), "moved\n");
    }
    s.yatsu(&["claim", "take", "d", "--scenario", "s", "--as", "Bob"]).expect(0);
    insta::assert_snapshot!(context(&Session::new(&s, "two").start()));
}

/// The memo of the hooks knows the lists of HEAD. A command or another program may have changed them since.
#[test]
fn an_edit_is_told_by_the_lists_of_the_work_tree_with_and_without_a_memo() {
    for memo in [true, false] {
        let s = measured();
        if memo {
            s.yatsu(&["scan"]);
        }
        let session = Session::new(&s, "one");
        session.start();
        s.write(".spec/board/yatsu.md", scenarios(&[("works", "src/a.rs, src/b.rs")]));
        let said = context(&session.edit("src/b.rs", "fn b() { moved() }\n"));
        assert!(said.starts_with("`src/b.rs` is governed by `board/works`"), "{memo}: {said}");
    }
}

#[test]
fn an_edit_names_the_scenarios_that_govern_the_path_each_once() {
    let s = measured();
    let file = scenarios(&[("works", "src/a.rs"), ("draws", "src")]);
    s.write(".spec/board/yatsu.md", file.replace("code: src\n", "code: src\n    test: {command: \"make draw\"}\n"));
    s.commit("another");
    let session = Session::new(&s, "one");
    session.start();
    let told = context(&session.edit("src/a.rs", MOVED));
    insta::assert_snapshot!(told, @r"
    `src/a.rs` is governed by `board/works`
    `src/a.rs` is governed by `board/draws`; test's command: `.spec/board/yatsu.md:13`
    ");
    assert_eq!(session.edit("src/b.rs", "moved\n"), "", "told of already");
}

#[test]
fn of_many_scenarios_an_edit_names_five_and_the_next_one_the_others() {
    let s = measured();
    let names: Vec<String> = (1..=8).map(|number| format!("s{number}")).collect();
    let all: Vec<_> = names.iter().map(|name| (name.as_str(), "src/b.rs")).collect();
    s.write(".spec/many/yatsu.md", scenarios(&all));
    s.commit("many");
    let session = Session::new(&s, "one");
    session.start();
    let told = context(&session.edited("src/b.rs"));
    assert_eq!(told.lines().count(), 6, "{told}");
    assert!(told.ends_with("and 3 more: yatsu-hook impact src/b.rs"), "{told}");
    let told = context(&session.edited("src/b.rs"));
    assert_eq!(told.lines().count(), 3, "{told}");
    assert_eq!(session.edited("src/b.rs"), "");
}

#[test]
fn a_patch_names_its_files_and_a_path_is_relative_to_the_agents_directory() {
    let s = measured();
    let codex = Session::of(&s, json!({"session_id": "one", "turn_id": "t"}));
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: src/a.rs\n@@\n*** End Patch";
    let told = context(&codex.tool("apply_patch", json!({"command": patch}), json!({})));
    assert_eq!(told, "`src/a.rs` is governed by `board/works`");
    let src = s.root.join("src").display().to_string();
    for (cwd, path, is_told) in [
        (src.as_str(), "a.rs", true),
        (src.as_str(), "../src/./a.rs", true),
        (src.as_str(), "src/a.rs", false),
        (src.as_str(), "../../../etc/passwd", false),
        (src.as_str(), "/", false),
        (src.as_str(), "", false),
    ] {
        let session = Session::of(&s, json!({"session_id": format!("{cwd} {path}"), "cwd": cwd}));
        let told = context(&session.tool("Edit", json!({"file_path": path}), json!({})));
        assert_eq!(!told.is_empty(), is_told, "{cwd} {path}: {told}");
    }
}

#[test]
fn a_scenario_that_is_not_committed_yet_is_known_at_the_start() {
    let s = measured();
    s.write("src/c.rs", "fn c() {}\n");
    s.write("src/plain.txt", "x\n");
    s.git(&["add", "src/plain.txt"]);
    // a hook leaves the memo of HEAD
    s.yatsu(&["pre-commit"]).expect(0);
    s.write(".spec/board/yatsu.md", scenarios(&[("works", "src/a.rs"), ("fits", "src/c.rs")]));
    let session = Session::new(&s, "one");
    session.start();
    assert_eq!(context(&session.edited("src/c.rs")), "`src/c.rs` is governed by `board/fits`");
}

#[test]
fn a_scenario_that_the_session_just_declared_is_known() {
    let s = measured();
    s.write("src/c.rs", "fn c() {}\n");
    let session = Session::new(&s, "one");
    session.start();
    assert_eq!(session.edited("src/c.rs"), "");
    session.edit(".spec/new/yatsu.md", &scenarios(&[("fits", "src/c.rs")]));
    assert_eq!(context(&session.edited("src/c.rs")), "`src/c.rs` is governed by `new/fits`");
}

/// A33.
#[test]
fn a_claim_of_another_on_a_path_or_scenario_is_told_after_each_edit() {
    let s = measured();
    s.yatsu(&["claim", "take", "--path", "src/*.rs", "--as", "Bob", "--session", "bob"]).expect(0);
    s.yatsu(&["claim", "take", "board", "--scenario", "works", "--as", "Cid"]).expect(0);
    let session = Session::new(&s, "one");
    session.start();
    let claims = "`.spec/board/works` is claimed by `Cid`\na path below `src` is claimed by `Bob`";
    let told = context(&session.edited("src/a.rs"));
    assert_eq!(told, format!("{claims}\n`src/a.rs` is governed by `board/works`"));
    assert_eq!(context(&session.edited("src/a.rs")), claims, "each time");
    assert_eq!(context(&session.edited("src/b.rs")), "a path below `src` is claimed by `Bob`");
    s.write("spexcode.json", r#"{"yatsu": {"agents": {"claims": "off"}}}"#);
    assert_eq!(session.edited("src/a.rs"), "");
}

/// A34.
#[test]
fn a_claim_of_the_own_session_name_or_token_is_not_told() {
    let s = measured();
    s.yatsu(&["claim", "take", "--path", "src/a.rs", "--as", "Bob", "--session", "one"]).expect(0);
    s.yatsu(&["claim", "take", "--path", "src/b.rs", "--as", "Ann"]).expect(0);
    let token = s.yatsu(&["claim", "take", "--key", "k", "--as", "Bob", "--format", "json"]).expect(0).out;
    let token: serde_json::Value = serde_json::from_str(&token).expect("a receipt");
    assert!(token.to_string().contains("token"), "{token}");
    let session = Session::new(&s, "one");
    session.start();
    session.edited("src/a.rs");
    assert_eq!(session.edited("src/a.rs"), "", "the session's own claim");
    assert_eq!(session.edited("src/b.rs"), "", "the user's own claim");
    let two = Session::new(&s, "two");
    two.edited("src/a.rs");
    assert_eq!(context(&two.edited("src/a.rs")), "`path src/a.rs` is claimed by `Bob`");
    assert_eq!(two.edited("src/b.rs"), "");
}

/// A21.
#[test]
fn cursor_that_also_runs_the_hooks_of_claude_hears_each_thing_once() {
    let s = measured();
    let root = s.root.display().to_string();
    let common =
        json!({"conversation_id": "c", "session_id": "c", "cursor_version": "2", "workspace_roots": [root], "cwd": ""});
    let cursor = Session::of(&s, common);
    let start = cursor.event("sessionStart", json!({}));
    assert!(start.starts_with("{\"additional_context\":\"yatsu-hook: 1 scenario"), "{start}");
    assert_eq!(cursor.event("SessionStart", json!({"source": "startup"})), "{}");
    let write = json!({"tool_name": "Write", "tool_input": {"file_path": s.root.join("src/a.rs")}, "tool_use_id": "t"});
    s.write("src/a.rs", MOVED);
    assert!(cursor.event("postToolUse", write.clone()).contains("is governed by"));
    assert_eq!(cursor.event("PostToolUse", write), "{}");
    let asked = cursor.event("stop", json!({"status": "completed", "loop_count": 0}));
    assert!(asked.starts_with("{\"followup_message\":"), "{asked}");
    assert_eq!(cursor.event("Stop", json!({"stop_hook_active": false})), "{}");
}

/// A36.
#[test]
fn the_agent_of_vs_code_gets_context_and_no_question() {
    let s = measured();
    let common = json!({"sessionId": "v", "timestamp": "2026-11-01T10:00:00.000Z", "transcript_path": "/t.json"});
    let vscode = Session::of(&s, common);
    let start = vscode.event("SessionStart", json!({"hookEventName": "SessionStart"}));
    assert!(context(&start).starts_with("yatsu-hook: 1 scenario"), "{start}");
    let edit = json!({"tool_name": "replace_string_in_file", "tool_input": {"filePath": s.root.join("src/a.rs")}});
    s.write("src/a.rs", MOVED);
    assert_eq!(context(&vscode.event("PostToolUse", edit)), "`src/a.rs` is governed by `board/works`");
    assert_eq!(vscode.event("Stop", json!({})), "");
    forget_answers(&s);
    assert_eq!(vscode.event("Stop", json!({})), "");
}

#[test]
fn without_a_session_nothing_is_remembered_and_nothing_asked() {
    let s = measured();
    let session = Session::of(&s, json!({}));
    assert_ne!(session.start(), "");
    assert_ne!(session.edit("src/a.rs", MOVED), "");
    assert_ne!(session.edited("src/a.rs"), "", "each time");
    assert_eq!(session.stop(), "");
    assert!(!s.root.join(".git/yatsu/agents").exists());
}

#[test]
fn a_declared_command_is_recorded_and_another_one_is_not() {
    let declaring = |name: &str, command: &str| {
        scenarios(&[(name, "src/a.rs")]).replace("code:", &format!("test: {{command: \"{command}\"}}\n    code:"))
    };
    let s = measured();
    s.write(".spec/old/yatsu.md", declaring("old", "make old"));
    s.commit("declared");
    let session = Session::new(&s, "one");
    session.start();
    let lines = || s.read(".git/yatsu/observations.ndjson").lines().count();
    session.ran("make");
    session.ran("make old || true");
    assert!(!s.root.join(".git/yatsu/observations.ndjson").exists());
    session.ran("make old");
    assert_eq!(lines(), 1);
    session.ran(&format!("cd {} && make old", s.root.display()));
    assert_eq!(lines(), 2);
    // a file that is younger than the memo, and one that came with another commit
    s.write(".spec/old/yatsu.md", declaring("old", "make new"));
    session.ran("make new");
    assert_eq!(lines(), 3);
    s.write(".spec/next/yatsu.md", declaring("next", "make next"));
    s.commit("more");
    session.ran("make next");
    assert_eq!(lines(), 4);
}
