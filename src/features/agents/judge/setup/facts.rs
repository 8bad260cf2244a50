//! What stands in the files of harnesses now, and what keeps a harness from running the entries. Never writes.

use super::places::{HookFile, HookScope, Surroundings};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::calls::{
    Calls, MAX_SETTINGS, MissingCall, foreign, has_unmarked, is_of_project, is_ours, read, runs_us,
    runs_us_in_powershell, switches, unknown_key,
};
use crate::features::agents::model::json_edit;
use crate::store::replace_all::content;
use crate::sys;
use crate::text::escape::echo;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What a file says about this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookStanding {
    /// No file, or no entry of this program.
    Absent,
    /// Every entry is there.
    Installed,
    /// Some entries are missing.
    Incomplete(Vec<MissingCall>),
    /// The file cannot be read, with the reason.
    Unreadable(String),
}

pub(crate) fn standing(file: &HookFile) -> HookStanding {
    let bytes = match file.read() {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return HookStanding::Absent,
        Err(error) => return HookStanding::Unreadable(error.message),
    };
    let settings = match json_edit::read(&bytes) {
        Ok(settings) => settings,
        Err(fault) => {
            return HookStanding::Unreadable(format!("{}:{} {}", file.shown, fault.at.line, fault.message));
        }
    };
    let is_written = match file.scope {
        HookScope::Project => is_of_project,
        HookScope::User => is_ours,
    };
    let calls = Calls::of(&settings, &|entry| runs_us(file.harness, entry, is_written));
    // on Windows Claude Code alone uses the sh of git
    let by_sh = sys::HAS_SH || file.harness == Harness::Claude;
    let in_powershell = |entry: &Value| runs_us_in_powershell(file.harness, entry, is_written);
    let heard = if by_sh { calls.clone() } else { Calls::of(&settings, &in_powershell) };
    let missing = heard.missing(&Calls::wanted(file.harness));
    match (calls.is_empty(), missing.is_empty()) {
        (true, _) => HookStanding::Absent,
        (_, true) => HookStanding::Installed,
        _ => HookStanding::Incomplete(missing),
    }
}

/// A file that keeps the harness from running the entries, or lets a person know of something beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookNote {
    /// A switch turns the hooks off; with the file and the setting.
    Off(String, String),
    /// Codex refuses a file with any key at its root but `description` and `hooks`; with the key.
    UnknownKey(String),
    /// Codex reads hooks from its TOML file, too.
    HooksBeside(String),
    /// Codex runs a hook only after a person trusted it; this many entries of the file are not trusted.
    Untrusted(usize),
    /// An entry has a command that names `yatsu-hook agent event` and that this program did not write; with the event and the
    /// command.
    Foreign(String, String),
    /// Entries of a user that an older version wrote. They show names with blanks, also in a stranger's repository.
    Unmarked,
}

impl HookNote {
    /// The note as a sentence about the harness `name`.
    pub(crate) fn sentence(&self, name: &str) -> String {
        match self {
            Self::Off(path, switch) => format!("{name} runs no hook of yatsu-hook: {switch} in {path}"),
            Self::UnknownKey(key) => format!("{name} refuses the whole file because of its key {}", echo(key)),
            Self::HooksBeside(path) => format!("{name} reads hooks from {path}, too, and warns about two files"),
            Self::Untrusted(count) => {
                format!("{name} runs a hook only after a person trusted it; not trusted yet: {count}")
            }
            Self::Foreign(event, command) => {
                let (event, command) = (echo(event), echo(command));
                format!("{name} has an entry at {event} that this program did not write and leaves alone: {command}")
            }
            Self::Unmarked => {
                format!("{name} runs entries of an older version, which show an agent more names of a repository")
            }
        }
    }
}

/// The entries in `file` with our words that this program did not write.
pub(crate) fn foreign_notes(file: &HookFile) -> Vec<HookNote> {
    let settings = settings_at(&file.path).unwrap_or_default();
    let note = |(event, command): (&str, &str)| HookNote::Foreign(event.to_owned(), command.to_owned());
    foreign(&settings).into_iter().map(note).collect()
}

/// What a person should know about the entries in `file`.
pub(crate) fn notes(file: &HookFile, around: &Surroundings) -> Vec<HookNote> {
    let mut found = Vec::new();
    for path in switch_files(file, around) {
        if let Some(settings) = settings_at(&path) {
            let off = switches(file.harness, &settings).into_iter();
            found.extend(off.map(|switch| HookNote::Off(shown(&path, around), switch)));
        }
    }
    if file.scope == HookScope::User && settings_at(&file.path).as_ref().is_some_and(has_unmarked) {
        found.push(HookNote::Unmarked);
    }
    if file.harness == Harness::Codex {
        let settings = settings_at(&file.path);
        found.extend(settings.as_ref().and_then(unknown_key).map(|key| HookNote::UnknownKey(key.to_owned())));
        let path = file.beside("config.toml");
        let hooks = settings_at(&path).and_then(|settings| settings.get("hooks").cloned());
        // `hooks.state` is Codex's own list of trusted hooks
        if hooks.and_then(|hooks| hooks.as_object().map(|hooks| hooks.keys().any(|key| key != "state"))) == Some(true) {
            found.push(HookNote::HooksBeside(shown(&path, around)));
        }
        let untrusted = untrusted(file, around);
        if untrusted > 0 {
            found.push(HookNote::Untrusted(untrusted));
        }
    }
    found
}

/// The files that can switch off the hooks in `file`: those beside it, and for a project also the user's.
fn switch_files(file: &HookFile, around: &Surroundings) -> Vec<PathBuf> {
    let names: &[&str] = match file.harness {
        Harness::Claude => &["settings.json", "settings.local.json"],
        Harness::Codex => &["config.toml"],
        Harness::Cursor => &[],
        Harness::Gemini => &["settings.json"],
        Harness::Copilot => &["../copilot/settings.json", "../copilot/settings.local.json", "../settings.json"],
    };
    let mut found: Vec<PathBuf> = names.iter().map(|name| file.beside(name)).collect();
    if file.harness == Harness::Copilot {
        let here = file.path.parent().and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten().flatten();
        found.extend(here.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json")));
        found.sort();
        // Copilot reads the switch of Claude Code, too
        let top = around.top.as_ref().filter(|_| file.scope == HookScope::Project);
        found.extend(top.into_iter().flat_map(|top| {
            ["settings.json", "settings.local.json"].map(|name| top.join(Harness::Claude.settings().folder).join(name))
        }));
    }
    let user = HookFile::of(file.harness, HookScope::User, around).ok().filter(|_| file.scope == HookScope::Project);
    found.extend(user.into_iter().flat_map(|user| switch_files(&user, around)));
    found
}

fn settings_at(path: &Path) -> Option<Value> {
    // a pipe would be waited for, and a device has no end
    fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MAX_SETTINGS as u64)?;
    let bytes = content(path).ok()??;
    read(path.as_os_str().as_encoded_bytes(), &bytes)
}

/// A path for messages: below the top of the work tree without it.
fn shown(path: &Path, around: &Surroundings) -> String {
    let below = around.top.as_ref().and_then(|top| path.strip_prefix(top).ok());
    below.unwrap_or(path).display().to_string()
}

/// How many entries in `file` Codex's list of trusted hooks does not name. Its key of an entry is, for example,
/// `/home/me/.codex/hooks.json:post_tool_use:0:0`.
fn untrusted(file: &HookFile, around: &Surroundings) -> usize {
    let Some(settings) = settings_at(&file.path) else { return 0 };
    let own = HookFile::of(Harness::Codex, HookScope::User, around).ok();
    let trusted = own.and_then(|own| settings_at(&own.beside("config.toml")));
    let state = trusted.as_ref().and_then(|config| config.get("hooks")?.get("state"));
    let is_trusted = |end: &str| {
        let spelled = [Some(file.path.clone()), sys::canonical(&file.path).ok()];
        spelled.iter().flatten().any(|path| {
            let key = format!("{}:{end}", path.display());
            state.and_then(|state| state.get(&key)?.get("trusted_hash")).is_some()
        })
    };
    let mut count = 0;
    for (event, list) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (group, element) in list.as_array().into_iter().flatten().enumerate() {
            for (at, entry) in element.get("hooks").and_then(Value::as_array).into_iter().flatten().enumerate() {
                let is_ours = entry.get("command").and_then(Value::as_str).is_some_and(is_ours);
                count += usize::from(is_ours && !is_trusted(&format!("{}:{group}:{at}", label(event))));
            }
        }
    }
    count
}

/// Codex's name of an event in its keys, for example `post_tool_use` for `PostToolUse`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.extend(letter.to_lowercase());
    }
    label
}
