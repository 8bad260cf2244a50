//! What a state of the repository says about the hooks of a harness, and how a change of it weakens them.

use super::Harness;
use super::calls::{Calls, is_accepted, is_of_project, read, runs_us, runs_us_in_powershell, switches};
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The harness that reads its hooks, or a switch for them, from the file at `path`.
#[inline]
pub(crate) fn reader_of(path: &[u8]) -> Option<Harness> {
    // almost every path ends here
    if path.first() != Some(&b'.') {
        return None;
    }
    let in_folder = |folder: &[u8], start: &[u8]| {
        let name = path.strip_prefix(folder);
        name.is_some_and(|name| name.starts_with(start) && name.ends_with(b".json") && !name.contains(&b'/'))
    };
    match path {
        b".codex/hooks.json" | b".codex/config.toml" => Some(Harness::Codex),
        b".cursor/hooks.json" => Some(Harness::Cursor),
        b".gemini/settings.json" => Some(Harness::Gemini),
        _ if in_folder(b".claude/", b"settings") => Some(Harness::Claude),
        _ if in_folder(b".github/hooks/", b"") || in_folder(b".github/copilot/", b"settings") => Some(Harness::Copilot),
        _ => None,
    }
}

/// Whether a file that may hold a switch also holds hooks. Of all `settings*.json`, a harness reads its hooks from these two.
fn has_hooks(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    !name.starts_with(b"settings") || matches!(name, b"settings.json" | b"settings.local.json")
}

impl Harness {
    /// Whether it reads its hooks, or a switch for them, from the file at `path`. `disableAllHooks` in the settings of Claude
    /// Code switches Copilot's hooks off, too.
    pub(crate) fn reads(self, path: &[u8]) -> bool {
        let reader = reader_of(path);
        reader == Some(self) || self == Self::Copilot && reader == Some(Self::Claude)
    }

    /// The folders of a project with the files of [`Self::reads`].
    pub(crate) const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude"],
            Self::Codex => &[".codex"],
            Self::Cursor => &[".cursor"],
            Self::Gemini => &[".gemini"],
            Self::Copilot => &[".github/hooks", ".github/copilot", ".claude"],
        }
    }
}

/// The files of one harness in one state.
#[derive(Debug, Default)]
pub(crate) struct HookState {
    /// The calls of this program in each readable file.
    calls: BTreeMap<RepoPath, Calls>,
    /// Those that also run on Windows, where one file can serve all systems.
    on_windows: BTreeMap<RepoPath, Calls>,
    unreadable: BTreeSet<RepoPath>,
    /// The switches that turn hooks off.
    off: BTreeSet<(RepoPath, String)>,
}

/// How a change weakens the hooks of a harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WeakerHooks {
    /// The file that the change touches.
    pub(crate) file: RepoPath,
    /// What is weaker, as a sentence.
    pub(crate) what: String,
}

impl HookState {
    /// Adds a file of `harness`; `None` for bytes that are too many or gone.
    pub(crate) fn add(&mut self, harness: Harness, path: RepoPath, bytes: Option<&[u8]>) {
        let accepted =
            |bytes: &[u8]| read(path.as_bstr(), bytes).filter(|read| is_accepted(harness, path.as_bstr(), bytes, read));
        match bytes.and_then(accepted) {
            Some(settings) => {
                self.off.extend(switches(harness, &settings).into_iter().map(|switch| (path.clone(), switch)));
                // the entries in a file of another harness are judged for that one
                if reader_of(path.as_bstr()) == Some(harness) && has_hooks(path.as_bstr()) {
                    if harness.settings().windows_key.is_some() {
                        let in_powershell = |entry: &_| runs_us_in_powershell(harness, entry, is_of_project);
                        self.on_windows.insert(path.clone(), Calls::of(&settings, &in_powershell));
                    }
                    self.calls.insert(path, Calls::of(&settings, &|entry| runs_us(harness, entry, is_of_project)));
                }
            }
            None => drop(self.unreadable.insert(path)),
        }
    }

    /// How the change from this state to `now` weakens the hooks. Nothing can be weaker where this state calls nothing.
    pub(crate) fn weakened(&self, harness: Harness, now: &Self) -> Vec<WeakerHooks> {
        if all(&self.calls).is_empty() {
            return Vec::new();
        }
        let mut found: Vec<WeakerHooks> =
            self.calls.iter().flat_map(|(file, before)| lost(harness, file, before, now)).collect();
        found.extend(self.lost_on_windows(harness, now));
        let switched = now.off.difference(&self.off).map(|(file, switch)| WeakerHooks {
            file: file.clone(),
            what: format!("{} runs no hook of yatsu-hook: {switch}", harness.as_str()),
        });
        found.extend(switched);
        // the harness may read a switch in it: of two equal keys, for example, it takes the last one
        let calls_nothing = |file: &&RepoPath| self.calls.get(*file).is_none_or(Calls::is_empty);
        let unread = now.unreadable.difference(&self.unreadable).filter(calls_nothing).map(|file| WeakerHooks {
            file: file.clone(),
            what: format!("{} may run no hook of yatsu-hook: this file cannot be read", harness.as_str()),
        });
        found.extend(unread);
        found
    }

    /// What stays elsewhere and is lost on Windows.
    fn lost_on_windows(&self, harness: Harness, now: &Self) -> Vec<WeakerHooks> {
        let (anyway, here) = (all(&now.calls).missing(&all(&self.calls)), all(&now.on_windows));
        let lost = self.on_windows.iter().flat_map(|(file, before)| {
            here.missing(before).into_iter().filter(|missing| !anyway.contains(missing)).map(move |missing| {
                WeakerHooks {
                    file: file.clone(),
                    what: format!("{} no longer runs `agent event` on Windows at {missing}", harness.as_str()),
                }
            })
        });
        lost.collect()
    }
}

fn all(calls: &BTreeMap<RepoPath, Calls>) -> Calls {
    calls.values().fold(Calls::default(), |all, calls| all.with(calls))
}

/// What the file `file` called `before` and no file calls `now`.
fn lost(harness: Harness, file: &RepoPath, before: &Calls, now: &HookState) -> Vec<WeakerHooks> {
    let missing = all(&now.calls).missing(before);
    let weaker = |what: String| WeakerHooks { file: file.clone(), what: format!("{} {what}", harness.as_str()) };
    let is_all = missing == Calls::default().missing(before);
    match now.calls.get(file) {
        _ if missing.is_empty() => Vec::new(),
        None if now.unreadable.contains(file) => {
            vec![weaker("no longer runs `agent event`: this file cannot be read".to_owned())]
        }
        None => vec![weaker("no longer runs `agent event`: this file is gone".to_owned())],
        Some(_) if is_all => vec![weaker("no longer runs `agent event`: its entries are gone".to_owned())],
        Some(_) => missing.iter().map(|missing| weaker(format!("no longer runs `agent event` at {missing}"))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::agents::model::harness::settings::{COMMAND, WINDOWS_COMMAND};

    /// How the change of the command in a project's file weakens the hooks.
    fn weakened(before: &str, now: &str) -> Vec<String> {
        let state = |command: &str| {
            let entry = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
            let mut state = HookState::default();
            let path = RepoPath::from_git(".claude/settings.json");
            state.add(Harness::Claude, path, Some(entry.to_string().as_bytes()));
            state
        };
        state(before).weakened(Harness::Claude, &state(now)).into_iter().map(|weaker| weaker.what).collect()
    }

    /// A path in a committed file may lead nowhere, and an entry of a user shows an agent less.
    #[test]
    fn in_the_files_of_a_project_only_the_words_for_a_project_count() {
        for other in [
            "('/nonexistent/yatsu-hook' agent event || true)",
            "('/nonexistent/yatsu-hook' agent event --user || true)",
            "(yatsu-hook agent event --user || true)",
            "yatsu-hook agent event --user",
            "\"C:/x/yatsu-hook.exe\" agent event",
            "& \"C:/x/yatsu-hook.exe\" agent event",
        ] {
            assert_eq!(
                weakened(COMMAND, other),
                ["claude no longer runs `agent event`: its entries are gone"],
                "{other}"
            );
            assert_eq!(weakened(other, "true"), [] as [&str; 0], "{other}");
        }
        assert_eq!(weakened(COMMAND, WINDOWS_COMMAND), [] as [&str; 0]);
    }
}
