//! A command that the shell tool of a harness ran, with the exit code where the harness proves one.

use super::{Speaker, text};
use crate::text::spelled::spelled;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A command that the agent ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCall {
    /// The command as the harness handed it to a shell.
    pub command: String,
    /// The directory where it ran, absolute.
    pub directory: Option<PathBuf>,
    /// How it ended.
    pub exit: CallExit,
    /// Everything that it printed, as far as the harness passes it on.
    pub output: Option<Vec<u8>>,
    /// How long it ran.
    pub duration_ms: Option<u64>,
    /// The harness's id of the call.
    pub call: Option<String>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallExit {
    /// Its exit code.
    Code(i64),
    /// The harness hands over no exit code.
    Unknown(NoExit),
}

spelled! {
    /// Why there is no exit code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NoExit {
        /// The harness did not wait for its end.
        Background = "the command went on in the background",
        /// The user or a time limit ended it.
        Interrupted = "the command was interrupted",
        /// It failed in a way without an exit code.
        Failed = "the call failed without an exit code",
        /// The harness reports it in a form that this version does not know.
        Unreadable = "the harness's report of the call is unreadable",
        /// The harness never passes an exit code on, and its text proves none.
        OutputOnly = "this harness hands over the output alone",
    }
}

/// The keys of the directory in the input of a shell tool.
const DIRECTORIES: [&str; 5] = ["cwd", "workdir", "working_directory", "dir_path", "directory"];

/// The call of a shell tool; `None` without a command.
pub(super) fn read(payload: &Value, speaker: Speaker, failed: bool, place: Option<&Path>) -> Option<ShellCall> {
    let input = &payload["tool_input"];
    let command = text(input, "command")?.to_owned();
    let around = super::directory(&payload["cwd"]).or_else(|| place.map(Path::to_owned));
    let below = DIRECTORIES.iter().find_map(|key| text(input, key));
    let (exit, output) = match speaker {
        Speaker::Claude if failed => claude_failure(payload),
        Speaker::Claude => claude_success(payload),
        Speaker::Cursor => cursor(payload, failed),
        Speaker::Codex | Speaker::Gemini | Speaker::Copilot | Speaker::VsCode => output_only(payload, failed),
    };
    // Cursor may leave the directory empty: with one root the command ran there, with several in any of them
    let has_one_root = payload["workspace_roots"].as_array().is_some_and(|roots| roots.len() == 1) && place.is_some();
    let is_told = super::directory(&payload["cwd"]).is_some()
        || speaker == Speaker::Cursor && has_one_root
        || below.is_some_and(|dir| Path::new(dir).is_absolute());
    let exit = match exit {
        CallExit::Code(_) if !is_told => CallExit::Unknown(NoExit::Unreadable),
        exit => exit,
    };
    let duration = ["duration_ms", "duration"].iter().find_map(|key| millis(&payload[*key]));
    Some(ShellCall {
        command,
        directory: around.map(|around| below.map_or(around.clone(), |below| around.join(below))),
        exit,
        output: output.map(String::into_bytes),
        duration_ms: duration,
        call: text(payload, "tool_use_id").map(str::to_owned),
    })
}

type End = (CallExit, Option<String>);

/// Claude Code sends this event after exit code 0 alone, and hands over no code.
fn claude_success(payload: &Value) -> End {
    let response = &payload["tool_response"];
    let exit = if in_background(payload) {
        CallExit::Unknown(NoExit::Background)
    } else if response["interrupted"] == true {
        CallExit::Unknown(NoExit::Interrupted)
    } else if response.get("returnCodeInterpretation").is_some_and(|said| !said.is_null()) {
        // for example "Files differ": Claude Code takes exit code 1 of `diff`, `grep` or `test` for no failure
        CallExit::Unknown(NoExit::Failed)
    } else if response["stdout"].is_string() && response["interrupted"] == false {
        CallExit::Code(0)
    } else {
        CallExit::Unknown(NoExit::Unreadable)
    };
    (exit, streams(response))
}

/// The error begins with `Exit code 1`, in a line of its own, before the output.
fn claude_failure(payload: &Value) -> End {
    let error = payload["error"].as_str();
    let (first, output) = error.map_or(("", None), |error| match error.split_once('\n') {
        Some((first, output)) => (first, Some(output.to_owned())),
        None => (error, None),
    });
    let code = first.strip_prefix("Exit code ").and_then(|code| code.trim_end().parse().ok());
    let exit = match code {
        _ if payload["is_interrupt"] == true => CallExit::Unknown(NoExit::Interrupted),
        _ if in_background(payload) => CallExit::Unknown(NoExit::Background),
        // a failure without a failing code is no pass
        Some(0) | None => CallExit::Unknown(NoExit::Failed),
        Some(code) => CallExit::Code(code),
    };
    match code {
        Some(_) => (exit, Some(output.unwrap_or_default())),
        None => (exit, error.map(str::to_owned)),
    }
}

fn in_background(payload: &Value) -> bool {
    let id = payload["tool_response"].get("backgroundTaskId");
    payload["tool_input"]["run_in_background"] == true || id.is_some_and(|id| !id.is_null())
}

/// Cursor hands over JSON in a string, or plain text.
fn cursor(payload: &Value, failed: bool) -> End {
    let output = payload["tool_output"].as_str();
    let report: Option<Value> = output.and_then(|output| serde_json::from_str(output).ok()).filter(Value::is_object);
    let code = report.as_ref().and_then(|report| report["exitCode"].as_i64());
    let exit = match code {
        _ if payload["is_interrupt"] == true => CallExit::Unknown(NoExit::Interrupted),
        Some(0) | None if failed => CallExit::Unknown(NoExit::Failed),
        Some(code) => CallExit::Code(code),
        None => CallExit::Unknown(NoExit::Unreadable),
    };
    let printed = report.as_ref().and_then(streams);
    (exit, printed.or_else(|| output.or(payload["error_message"].as_str()).map(str::to_owned)))
}

fn output_only(payload: &Value, failed: bool) -> End {
    let (response, result) = (&payload["tool_response"], &payload["tool_result"]);
    let places = [response, &response["returnDisplay"], &response["llmContent"], &result["text_result_for_llm"]];
    let output = places.into_iter().find_map(Value::as_str).map(str::to_owned).or_else(|| streams(response));
    (CallExit::Unknown(if failed { NoExit::Failed } else { NoExit::OutputOnly }), output)
}

/// Standard output, and standard error after it.
fn streams(object: &Value) -> Option<String> {
    let printed = [&object["stdout"], &object["stderr"]].map(Value::as_str);
    printed.iter().any(Option::is_some).then(|| printed.into_iter().flatten().collect())
}

/// A duration in whole milliseconds, rounded up.
fn millis(value: &Value) -> Option<u64> {
    let rounded = value.as_f64().map(f64::ceil).filter(|millis| (0.0..9e15).contains(millis));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    rounded.map(|millis| millis as u64)
}
