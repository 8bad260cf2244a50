//! A session of an agent: its events as a harness hands them over.

use super::{Said, Scratch, fed, reading, scenarios};
use serde_json::{Value, json};
use std::fs::File;
use std::time::{Duration, SystemTime};

/// A repository in which scenario `works` of the node `board` governs `src/a.rs` and is fresh, all committed. `src/b.rs` is
/// ungoverned.
pub fn measured() -> Scratch {
    let s = Scratch::new();
    s.git(&["config", "user.name", "Ann"]);
    s.write("src/a.rs", "fn a() {}\n");
    s.write("src/b.rs", "fn b() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.commit("declared");
    reading(&s, ".spec/board", "works", "pass", 1);
    s.commit("measured");
    s
}

/// Another content of `src/a.rs`.
pub const MOVED: &str = "fn a() { moved() }\n";

/// One session of a harness.
pub struct Session<'s> {
    pub scratch: &'s Scratch,
    /// What every payload holds.
    pub common: Value,
    /// The arguments with which the entry of the harness calls the program.
    pub args: &'static [&'static str],
    pub calls: std::cell::Cell<u32>,
}

impl<'s> Session<'s> {
    /// A session of Claude Code.
    pub fn new(scratch: &'s Scratch, id: &str) -> Self {
        Self::of(scratch, json!({"session_id": id}))
    }

    /// A session with these fields in every payload.
    pub fn of(scratch: &'s Scratch, mut common: Value) -> Self {
        let root = scratch.root.display().to_string();
        common.as_object_mut().expect("an object").entry("cwd").or_insert(json!(root));
        Self { scratch, common, args: &["agent", "event"], calls: 0.into() }
    }

    /// The payload of an event with more fields.
    pub fn payload(&self, name: &str, fields: Value) -> Value {
        let mut payload = self.common.clone();
        let object = payload.as_object_mut().expect("an object");
        object.insert("hook_event_name".into(), json!(name));
        object.extend(fields.as_object().expect("an object").clone());
        payload
    }

    /// The answer to an event.
    #[track_caller]
    pub fn event(&self, name: &str, fields: Value) -> String {
        let said = self.said(&self.payload(name, fields));
        assert_eq!(said.err, "", "{}", said.out);
        said.out
    }

    #[track_caller]
    pub fn said(&self, payload: &Value) -> Said {
        fed(self.scratch.yatsu_command(self.args), payload.to_string()).expect(0)
    }

    pub fn start(&self) -> String {
        self.event("SessionStart", json!({"source": "startup"}))
    }

    /// The event after the agent wrote `path`.
    pub fn edited(&self, path: &str) -> String {
        let file = self.scratch.root.join(path).display().to_string();
        self.tool("Edit", json!({"file_path": file}), json!({}))
    }

    /// The agent writes a file.
    pub fn edit(&self, path: &str, text: &str) -> String {
        self.scratch.write(path, text);
        self.edited(path)
    }

    /// The event after a command that ran for a minute.
    pub fn ran(&self, command: &str) -> String {
        let response = json!({"stdout": "", "stderr": "", "interrupted": false});
        self.tool("Bash", json!({"command": command}), json!({"tool_response": response, "duration_ms": 60_000}))
    }

    pub fn tool(&self, tool: &str, input: Value, mut fields: Value) -> String {
        self.calls.set(self.calls.get() + 1);
        let object = fields.as_object_mut().expect("an object");
        object.insert("tool_name".into(), json!(tool));
        object.insert("tool_input".into(), input);
        object.insert("tool_use_id".into(), json!(format!("call-{}", self.calls.get())));
        self.event("PostToolUse", fields)
    }

    pub fn stop(&self) -> String {
        self.event("Stop", json!({"stop_hook_active": false}))
    }
}

/// Another program writes a file, after every command that ran so far.
pub fn write_by_another(s: &Scratch, path: &str, text: &str) {
    s.write(path, text);
    touch_later(s, path);
}

/// The file or directory seems to be written an hour from now.
pub fn touch_later(s: &Scratch, path: &str) {
    touch(s, path, SystemTime::now() + Duration::from_secs(3600));
}

/// The file or directory seems to be written an hour ago. Its change of status is now.
pub fn touch_earlier(s: &Scratch, path: &str) {
    touch(s, path, SystemTime::now() - Duration::from_secs(3600));
}

fn touch(s: &Scratch, path: &str, at: SystemTime) {
    File::open(s.root.join(path)).expect("a file").set_modified(at).expect("a time");
}

/// The question in an answer of Claude Code; empty for none.
pub fn question(answer: &str) -> String {
    told(answer, "decision").map_or(String::new(), |_| told(answer, "reason").expect("a reason"))
}

/// The message in an answer of Claude Code; empty for none.
pub fn message(answer: &str) -> String {
    told(answer, "systemMessage").unwrap_or_default()
}

/// The context in an answer of Claude Code; empty for none.
pub fn context(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn told(answer: &str, key: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    answer[key].as_str().map(str::to_owned)
}
