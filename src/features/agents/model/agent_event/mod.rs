//! The JSON object that the harness of a coding agent hands to a hook. Input: bytes, possibly hostile. Output: an
//! [`Event`], or `None` for anything else than one object. Pure: opens no file that an event names.
//!
//! An unknown field, event or tool has no meaning here, and a value of a wrong type counts as absent: harnesses add
//! fields with every version.

mod shell_call;

pub use shell_call::{CallExit, NoExit, ShellCall};

use crate::text::spelled::spelled;
use serde_json::Value;
use std::path::PathBuf;

/// The largest event in bytes.
pub const MAX_EVENT: usize = 16 << 20;
/// How many paths one edit may have.
const MAX_PATHS: usize = 256;

spelled! {
    /// The program that sent an event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Speaker {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Cursor. It runs the hooks of `.claude/settings.json` too.
        Cursor = "cursor",
        /// Gemini CLI.
        Gemini = "gemini",
        /// GitHub Copilot.
        Copilot = "copilot",
        /// The agent of VS Code, which runs the hook files of Claude Code and of Copilot.
        VsCode = "vscode",
    }
}

/// One event of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The program that waits for the answer.
    pub speaker: Speaker,
    /// The event as this program calls it, for example `AfterTool`; empty for an event without a name.
    pub name: &'static str,
    /// The id of the session.
    pub session: Option<String>,
    /// A directory in the repository, absolute.
    pub place: Option<PathBuf>,
    /// The directory of the agent, absolute: relative paths count from it.
    pub cwd: Option<PathBuf>,
    /// The harness's id of the call of a tool.
    pub call: Option<String>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session began, went on or was compacted.
    SessionStart {
        /// Why it starts again, for example `compact` or `clear`; `None` at its first start.
        again: Option<String>,
    },
    /// The agent wrote or deleted these files.
    AfterEdit(Vec<String>),
    /// A command ended, or a harness gave it up.
    AfterCommand(ShellCall),
    /// The agent says that it is done. `again`: a hook, or the user, already stopped it once.
    Stop {
        /// The harness will not take another question.
        again: bool,
    },
    /// Anything else.
    Other,
}

/// The names of events, with their kinds. Cursor spells them with a small first letter.
const NAMES: [(&str, NamedKind); 10] = [
    ("SessionStart", NamedKind::Start),
    ("sessionStart", NamedKind::Start),
    ("PostToolUse", NamedKind::Tool),
    ("postToolUse", NamedKind::Tool),
    ("AfterTool", NamedKind::Tool),
    ("PostToolUseFailure", NamedKind::FailedTool),
    ("postToolUseFailure", NamedKind::FailedTool),
    ("Stop", NamedKind::Stop),
    ("stop", NamedKind::Stop),
    ("AfterAgent", NamedKind::Stop),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedKind {
    Start,
    Tool,
    FailedTool,
    Stop,
}

/// The sources of a first start. Cursor names none, and two files of hooks may report one start in two spellings.
const FIRST_STARTS: [&str; 2] = ["startup", "new"];

/// The tools that run a command, in any case.
const SHELLS: [&str; 4] = ["Bash", "Shell", "run_shell_command", "run_in_terminal"];
/// The tools that write files, in any case: Copilot says `edit` where Claude Code says `Edit`.
const EDITORS: [&str; 10] = [
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Delete",
    "write_file",
    "replace",
    "create",
    "create_file",
    "replace_string_in_file",
];
const PATCHER: &str = "apply_patch";
/// The keys of an edited file.
const PATHS: [&str; 4] = ["file_path", "path", "notebook_path", "filePath"];
/// The lines of a patch that name a file.
const PATCHED: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Reads an event. `said` is the harness that the command line names, for a payload that does not show it.
pub fn read(bytes: &[u8], said: Option<Speaker>) -> Option<Event> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // serde_json refuses deep nesting (128)
    let payload: Value = serde_json::from_slice(bytes).ok().filter(Value::is_object)?;
    let speaker = speaker(&payload, said);
    let named = NAMES.into_iter().find(|(name, _)| event_name(&payload) == Some(*name));
    let cwd = directory(&payload["cwd"]);
    let root = directory(&payload["workspace_roots"][0]);
    // Cursor may leave the directory empty
    let (place, cwd) = match speaker {
        Speaker::Cursor => (root.clone().or_else(|| cwd.clone()), cwd.or(root)),
        _ => (cwd.clone(), cwd),
    };
    let session = ["session_id", "sessionId", "conversation_id"].iter().find_map(|key| text(&payload, key));
    Some(Event {
        speaker,
        name: named.map_or("", |(name, _)| name),
        session: session.map(str::to_owned),
        call: ["tool_use_id", "timestamp"].iter().find_map(|key| text(&payload, key)).map(str::to_owned),
        kind: named.map_or(EventKind::Other, |(_, kind)| kind_of(&payload, kind, speaker, place.as_deref())),
        place,
        cwd,
    })
}

/// VS Code spells the key differently.
fn event_name(payload: &Value) -> Option<&str> {
    text(payload, "hook_event_name").or_else(|| text(payload, "hookEventName"))
}

/// The program that sent the payload. The order matters: the later a rule, the fewer fields it asks for.
fn speaker(payload: &Value, said: Option<Speaker>) -> Speaker {
    let has = |key| text(payload, key).is_some();
    let timed = has("timestamp") || payload["timestamp"].is_number();
    let in_transcript = timed && has("transcript_path");
    match text(payload, "hook_event_name") {
        _ if has("cursor_version") => Speaker::Cursor,
        _ if has("turn_id") => Speaker::Codex,
        Some("BeforeTool" | "AfterTool" | "AfterAgent") => Speaker::Gemini,
        Some("SessionStart") if in_transcript => Speaker::Gemini,
        _ if in_transcript && !has("stop_reason") => Speaker::VsCode,
        _ if timed => Speaker::Copilot,
        _ => said.filter(|said| *said == Speaker::Codex).unwrap_or(Speaker::Claude),
    }
}

fn kind_of(payload: &Value, kind: NamedKind, speaker: Speaker, place: Option<&std::path::Path>) -> EventKind {
    let tool = text(payload, "tool_name").unwrap_or_default();
    let is = |name: &&str| tool.eq_ignore_ascii_case(name);
    match kind {
        NamedKind::Start => {
            let again = text(payload, "source").filter(|source| !FIRST_STARTS.contains(source));
            EventKind::SessionStart { again: again.map(str::to_owned) }
        }
        NamedKind::Stop => EventKind::Stop { again: is_again(payload, speaker) },
        _ if SHELLS.iter().any(is) => {
            let call = shell_call::read(payload, speaker, kind == NamedKind::FailedTool, place);
            call.map_or(EventKind::Other, EventKind::AfterCommand)
        }
        // a failed edit wrote nothing
        NamedKind::FailedTool => EventKind::Other,
        NamedKind::Tool if is(&PATCHER) => EventKind::AfterEdit(patched(&payload["tool_input"])),
        NamedKind::Tool if EDITORS.iter().any(is) => EventKind::AfterEdit(edited(&payload["tool_input"])),
        NamedKind::Tool => EventKind::Other,
    }
}

/// Whether the agent was stopped before, or was not left to finish.
fn is_again(payload: &Value, speaker: Speaker) -> bool {
    let looped = payload["loop_count"].as_f64().is_some_and(|count| count > 0.0);
    let broken_off = text(payload, "status").is_some_and(|status| status != "completed");
    payload["stop_hook_active"] == true || (speaker == Speaker::Cursor && (looped || broken_off))
}

/// The file of an edit. Copilot hands over a whole patch as text where its model is one of GPT.
fn edited(input: &Value) -> Vec<String> {
    if input.is_string() {
        return patched(input);
    }
    PATHS.iter().find_map(|key| text(input, key)).map(str::to_owned).into_iter().collect()
}

/// The files that a patch names.
fn patched(input: &Value) -> Vec<String> {
    let patch = ["command", "input", "patch"].iter().find_map(|key| text(input, key));
    let lines = patch.or(input.as_str()).unwrap_or_default().lines();
    let named = lines.filter_map(|line| PATCHED.iter().find_map(|start| line.strip_prefix(start)));
    named.map(str::trim).filter(|path| !path.is_empty()).take(MAX_PATHS).map(str::to_owned).collect()
}

/// The text of a key; an empty one is as absent.
fn text<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// An absolute directory.
fn directory(value: &Value) -> Option<PathBuf> {
    value.as_str().map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests;
