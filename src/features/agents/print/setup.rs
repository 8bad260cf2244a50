//! The result of `agent install`, `agent uninstall` and `agent ls`, for people.
//!
//! Machine forms: `yatsu-hook/agent/v1` (schema/agent.v1.schema.json) and `yatsu-hook/agent-ls/v1`
//! (schema/agent-ls.v1.schema.json), one JSON object on one line.

use crate::features::agents::model::setup::{AgentList, AgentReceipt, ChangedFile, FileFate, FileState, ListedFile};
use crate::text::escape::{echo, terminal};
use crate::text::plural;
use std::io::{self, Write};

/// Writes the changes and the notes, one line each. Fails only when `out` does.
pub(crate) fn write_changes(receipt: &AgentReceipt, out: &mut dyn Write) -> io::Result<()> {
    let would = if receipt.dry_run { "would " } else { "" };
    receipt.files.iter().try_for_each(|file| writeln!(out, "{would}{}", terminal(&change(file))))?;
    receipt.notes.iter().try_for_each(|note| writeln!(out, "note: {}", terminal(note)))
}

fn change(file: &ChangedFile) -> String {
    let ChangedFile { path, events, .. } = file;
    let path = echo(path);
    let events = events.join(", ");
    match file.change {
        FileFate::Create if events.is_empty() => format!("create {path}"),
        FileFate::Create => format!("create {path} with {events}"),
        FileFate::Insert => format!("add {events} to {path}"),
        FileFate::Restore => format!("give {path} its bytes of before"),
        FileFate::TakeOut => format!("take {events} out of {path}"),
        FileFate::Remove => format!("remove {path}"),
    }
}

/// Writes the last line, for example `installed claude, codex: 2 files`. Fails only when `out` does.
pub(crate) fn write_outcome(receipt: &AgentReceipt, out: &mut dyn Write) -> io::Result<()> {
    let verb = receipt.verb.as_str();
    let names: Vec<&str> = receipt.files.iter().filter_map(|file| file.harness).collect();
    let what = if names.is_empty() { "the plugin".to_owned() } else { names.join(", ") };
    match (receipt.dry_run, receipt.files.is_empty()) {
        (true, true) => writeln!(out, "dry run: already {verb}ed, nothing to change"),
        (true, false) => {
            writeln!(out, "dry run: nothing was changed; {verb} without --dry-run makes the changes above")
        }
        (false, true) => writeln!(out, "already {verb}ed"),
        (false, false) => writeln!(out, "{verb}ed {what}: {}", plural(receipt.files.len(), "file")),
    }
}

/// Writes one line for each file that is used or has something to say, with its notes below. Fails only when `out` does.
pub(crate) fn write_list(list: &AgentList, out: &mut dyn Write) -> io::Result<()> {
    for file in list.files.iter().filter(|file| file.used || file.state != FileState::Absent) {
        let ListedFile { harness, scope, path, state, notes, .. } = file;
        writeln!(out, "{harness:<8} {scope:<8} {:<11} {}", state.as_str(), terminal(path))?;
        notes.iter().try_for_each(|note| writeln!(out, "         {}", terminal(note)))?;
    }
    Ok(())
}
