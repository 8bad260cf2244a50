use super::*;
use serde_json::json;

fn event(payload: Value) -> Event {
    read(payload.to_string().as_bytes(), None).expect("an object")
}

fn call(payload: Value) -> ShellCall {
    match event(payload.clone()).kind {
        EventKind::AfterCommand(call) => call,
        other => panic!("{payload}: {other:?}"),
    }
}

#[test]
fn the_payload_says_who_speaks() {
    for (payload, expected) in [
        (json!({"cursor_version": "1", "turn_id": "t", "timestamp": "now"}), Speaker::Cursor),
        (json!({"cursor_version": 1, "turn_id": "t", "timestamp": "now"}), Speaker::Codex),
        (json!({"hook_event_name": "AfterAgent"}), Speaker::Gemini),
        (json!({"hook_event_name": "SessionStart", "timestamp": "t", "transcript_path": "p"}), Speaker::Gemini),
        (json!({"hook_event_name": "SessionStart", "timestamp": "t", "transcript_path": null}), Speaker::Copilot),
        (json!({"hookEventName": "SessionStart", "timestamp": "t", "transcript_path": "p"}), Speaker::VsCode),
        (json!({"hook_event_name": "Stop", "timestamp": "t", "transcript_path": "p"}), Speaker::VsCode),
        (
            json!({"hook_event_name": "Stop", "timestamp": "t", "transcript_path": "p", "stop_reason": "end"}),
            Speaker::Copilot,
        ),
        (json!({"hook_event_name": "Stop", "timestamp": 1704614400000_u64}), Speaker::Copilot),
        (json!({"hook_event_name": "Stop", "transcript_path": "p"}), Speaker::Claude),
        (json!({}), Speaker::Claude),
    ] {
        assert_eq!(event(payload.clone()).speaker, expected, "{payload}");
    }
}

#[test]
fn the_flag_decides_only_between_two_that_look_alike() {
    for (payload, said, expected) in [
        (json!({}), Speaker::Codex, Speaker::Codex),
        (json!({}), Speaker::Cursor, Speaker::Claude),
        (json!({"cursor_version": "1"}), Speaker::Codex, Speaker::Cursor),
    ] {
        assert_eq!(read(payload.to_string().as_bytes(), Some(said)).unwrap().speaker, expected, "{payload} {said:?}");
    }
}

#[test]
fn anything_else_than_one_object_is_no_event() {
    let deep = format!("{}1{}", "{\"a\":".repeat(128), "}".repeat(128));
    for bytes in [&b""[..], b"[]", b"{} {}", b"{", b"\xff", b"{\"a\":\"\xff\"}", deep.as_bytes(), &[b'['; 100_000]] {
        assert_eq!(read(bytes, None), None);
    }
    let less = format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127));
    assert!(read(less.as_bytes(), None).is_some());
    assert!(read(b"\xef\xbb\xbf{}", None).is_some(), "Cursor sends a byte order mark");
}

#[test]
fn a_wrong_type_is_as_absent() {
    let event = event(json!({"hook_event_name": ["Stop"], "session_id": 7, "conversation_id": "c", "cwd": {"a": 1},
                             "workspace_roots": "/a", "stop_hook_active": "true"}));
    assert_eq!((event.kind, event.session, event.place, event.cwd), (EventKind::Other, Some("c".into()), None, None));
    for (payload, expected) in [
        (json!({"hook_event_name": "Stop", "stop_hook_active": "true"}), false),
        (json!({"hook_event_name": "Stop", "stop_hook_active": true}), true),
        (json!({"hook_event_name": "stop", "cursor_version": "1", "loop_count": "2"}), false),
        (json!({"hook_event_name": "stop", "cursor_version": "1", "loop_count": 1}), true),
        (json!({"hook_event_name": "stop", "cursor_version": "1", "status": "aborted"}), true),
        (json!({"hook_event_name": "stop", "cursor_version": "1", "status": "completed", "loop_count": 0}), false),
        (json!({"hook_event_name": "Stop", "loop_count": 3, "status": "aborted"}), false),
    ] {
        assert_eq!(self::event(payload.clone()).kind, EventKind::Stop { again: expected }, "{payload}");
    }
}

#[test]
fn an_edit_names_its_files() {
    let patch = "*** Begin Patch\n*** Add File: a b.txt\n+*** Add File: no\n*** Update File: c\n*** Move to: d\n\
                 *** Delete File: e\n*** End Patch";
    for (tool, input, expected) in [
        ("Edit", json!({"file_path": "/p/a.rs", "path": "b"}), vec!["/p/a.rs"]),
        ("edit", json!({"path": "a.rs"}), vec!["a.rs"]),
        ("NotebookEdit", json!({"notebook_path": "n.ipynb"}), vec!["n.ipynb"]),
        ("create_file", json!({"filePath": "/p/a.rs"}), vec!["/p/a.rs"]),
        ("Write", json!({"file_path": ""}), vec![]),
        ("Write", json!("a.rs"), vec![]),
        ("apply_patch", json!({"command": patch}), vec!["a b.txt", "c", "d", "e"]),
        ("Edit", json!(patch), vec!["a b.txt", "c", "d", "e"]),
        ("apply_patch", json!({"input": 7}), vec![]),
    ] {
        let event = event(json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input}));
        assert_eq!(event.kind, EventKind::AfterEdit(expected.iter().map(ToString::to_string).collect()), "{tool}");
    }
    for (name, tool) in [("PostToolUse", "Read"), ("PostToolUseFailure", "Edit"), ("PreToolUse", "Edit"), ("Stop2", "")]
    {
        let event = event(json!({"hook_event_name": name, "tool_name": tool, "tool_input": {"file_path": "/p/a.rs"}}));
        assert_eq!(event.kind, EventKind::Other, "{name} {tool}");
    }
}

#[test]
fn an_exit_code_is_known_where_the_harness_proves_it() {
    let claude = |response: Value| {
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "t"},
               "tool_response": response})
    };
    let failure = |error: &str, interrupt: bool| {
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "t"},
               "error": error, "is_interrupt": interrupt})
    };
    let cursor = |output: &str| {
        json!({"hook_event_name": "postToolUse", "cursor_version": "1", "tool_name": "Shell",
               "tool_input": {"command": "t"}, "tool_output": output})
    };
    let codex = json!({"hook_event_name": "PostToolUse", "turn_id": "t", "tool_name": "Bash",
                       "tool_input": {"command": "t"}, "tool_response": "Process exited with code 0"});
    for (payload, expected, output) in [
        (claude(json!({"stdout": "a", "stderr": "b", "interrupted": false})), Ok(0), Some("ab")),
        (claude(json!({"stdout": "", "interrupted": false})), Ok(0), Some("")),
        (claude(json!({"stdout": "", "interrupted": true})), Err(NoExit::Interrupted), Some("")),
        (claude(json!({"stdout": "a"})), Err(NoExit::Unreadable), Some("a")),
        (claude(json!({"interrupted": false})), Err(NoExit::Unreadable), None),
        (claude(json!("ok")), Err(NoExit::Unreadable), None),
        (
            claude(json!({"stdout": "", "interrupted": false, "backgroundTaskId": "b"})),
            Err(NoExit::Background),
            Some(""),
        ),
        (failure("Exit code 7\nout\n", false), Ok(7), Some("out\n")),
        (failure("Exit code 7", false), Ok(7), Some("")),
        (failure("Exit code 7\r\nout", false), Ok(7), Some("out")),
        (failure("Exit code 7\nout", true), Err(NoExit::Interrupted), Some("out")),
        (failure("Exit code 7 or so", false), Err(NoExit::Failed), Some("Exit code 7 or so")),
        (failure("no such tool", false), Err(NoExit::Failed), Some("no such tool")),
        (cursor("{\"exitCode\":3,\"stdout\":\"x\"}"), Ok(3), Some("x")),
        (cursor("{\"exitCode\":0.5}"), Err(NoExit::Unreadable), Some("{\"exitCode\":0.5}")),
        (cursor("Exit code 0"), Err(NoExit::Unreadable), Some("Exit code 0")),
        (codex, Err(NoExit::OutputOnly), Some("Process exited with code 0")),
    ] {
        let mut payload = payload;
        payload["cwd"] = "/p".into();
        let known = call(payload.clone());
        assert_eq!(known.exit, expected.map_or_else(CallExit::Unknown, CallExit::Code), "{payload}");
        assert_eq!(known.output.as_deref(), output.map(str::as_bytes), "{payload}");
        payload["cwd"] = "".into();
        assert!(matches!(call(payload).exit, CallExit::Unknown(_)), "it may have run in another directory");
    }
}

#[test]
fn a_call_says_where_it_ran_and_how_long() {
    for (input, fields, directory, millis) in [
        (json!({"command": "t"}), json!({"cwd": "/p", "duration_ms": 5}), Some("/p"), Some(5)),
        (json!({"command": "t", "cwd": ""}), json!({"cwd": "/p", "duration": 1.5}), Some("/p"), Some(2)),
        (json!({"command": "t", "cwd": "/q"}), json!({"cwd": "/p", "duration": -1}), Some("/q"), None),
        (json!({"command": "t", "workdir": "sub"}), json!({"cwd": "/p", "duration_ms": "9"}), Some("/p/sub"), None),
        (json!({"command": "t"}), json!({"cwd": "p"}), None, None),
    ] {
        let mut payload = json!({"hook_event_name": "PostToolUse", "tool_name": "bash", "tool_input": input});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let call = call(payload.clone());
        assert_eq!((call.directory, call.duration_ms), (directory.map(PathBuf::from), millis), "{payload}");
    }
}

#[test]
fn the_source_of_a_later_start_belongs_to_the_event_and_that_of_a_first_one_does_not() {
    for (source, again) in [
        (json!(null), None),
        (json!("startup"), None),
        (json!("new"), None),
        (json!("compact"), Some("compact")),
        (json!("clear"), Some("clear")),
        (json!("resume"), Some("resume")),
        (json!(7), None),
    ] {
        let event = event(json!({"hook_event_name": "SessionStart", "source": source}));
        assert_eq!(event.kind, EventKind::SessionStart { again: again.map(str::to_owned) }, "{source}");
    }
}

/// The captured payload of Cursor has an empty `cwd`, in the event and in the input of its tool.
#[test]
fn cursors_workspace_root_is_its_directory_if_there_is_one() {
    let shell = |roots: Value, cwd: &str, below: &str| {
        let input = json!({"command": "t", "cwd": below});
        call(json!({"hook_event_name": "postToolUse", "cursor_version": "1", "tool_name": "Shell", "tool_input": input,
                    "tool_output": "{\"exitCode\":0}", "cwd": cwd, "workspace_roots": roots}))
    };
    let unknown = CallExit::Unknown(NoExit::Unreadable);
    for (roots, cwd, below, directory, exit) in [
        (json!(["/p"]), "", "", Some("/p"), CallExit::Code(0)),
        (json!(["/p"]), "", "a", Some("/p/a"), CallExit::Code(0)),
        (json!(["/p"]), "/q", "", Some("/q"), CallExit::Code(0)),
        (json!(["/p", "/q"]), "", "", Some("/p"), unknown),
        (json!(["/p", "/q"]), "", "/q", Some("/q"), CallExit::Code(0)),
        (json!(["p"]), "", "", None, unknown),
        (json!([]), "", "", None, unknown),
    ] {
        let found = shell(roots.clone(), cwd, below);
        assert_eq!((found.directory, found.exit), (directory.map(PathBuf::from), exit), "{roots} {cwd:?} {below:?}");
    }
    let edit = json!({"hook_event_name": "postToolUse", "cursor_version": "1", "tool_name": "Write", "cwd": "",
                      "tool_input": {"file_path": "a.rs"}, "workspace_roots": ["/p"]});
    assert_eq!(event(edit).cwd, Some("/p".into()), "relative paths count from it");
}
