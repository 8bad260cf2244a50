//! The hooks of others: of a framework, of a directory that git tracks, of the user. Says whether such a hook brings its
//! event to the program, so that the program's own hook would run a second time, and which line to add where it does not.
//! Nothing is written into them. Reads, never writes.

use super::framework_file::{self, FileCall, Reader};
use super::git::{HooksDir, Worktree};
use super::hook_file::{calls, exists, is_executable, kept_path};
use super::shim::{self, HookEvent};
use crate::error::Error;
use crate::sys;
use crate::text::shell;
use bstr::ByteSlice;
use std::fs;
use std::path::{Path, PathBuf};

/// A program that runs the hooks of a repository.
pub(in crate::app) struct Framework {
    pub(in crate::app) name: &'static str,
    /// A text in the hook files that it writes.
    says: &'static str,
    /// The files where users list the programs to run, the usual one first.
    files: &'static [&'static str],
    /// Whether it also runs the hook that it finds in its place.
    runs_others: bool,
    /// The line for its file of that name that calls the program.
    line: fn(HookEvent, &str) -> String,
    /// Says whether a file of it calls the program.
    read: Reader,
}

const PRE_COMMIT: Framework = Framework {
    name: "pre-commit",
    says: "pre_commit",
    files: &[".pre-commit-config.yaml"],
    runs_others: true,
    line: |event, _| event.call(),
    read: framework_file::pre_commit,
};

const FRAMEWORKS: [Framework; 4] = [
    Framework {
        name: "prek",
        says: "prek",
        files: &[".pre-commit-config.yaml", ".pre-commit-config.yml", "prek.toml"],
        ..PRE_COMMIT
    },
    PRE_COMMIT,
    Framework {
        name: "lefthook",
        says: "lefthook",
        files: &LEFTHOOK_FILES,
        runs_others: false,
        line: lefthook_line,
        read: framework_file::lefthook,
    },
    Framework {
        name: "hk",
        says: "hk run",
        files: &["hk.pkl"],
        runs_others: false,
        line: hk_line,
        read: |_, content, event| FileCall::of(calls(content, event, |_| true)),
    },
];

/// The files that lefthook reads: in three places, each in five languages. It reads a `-local` file beside the other one.
const LEFTHOOK_FILES: [&str; 30] = [
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    "lefthook.jsonc",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lefthook.toml",
    ".lefthook.json",
    ".lefthook.jsonc",
    ".config/lefthook.yml",
    ".config/lefthook.yaml",
    ".config/lefthook.toml",
    ".config/lefthook.json",
    ".config/lefthook.jsonc",
    "lefthook-local.yml",
    "lefthook-local.yaml",
    "lefthook-local.toml",
    "lefthook-local.json",
    "lefthook-local.jsonc",
    ".lefthook-local.yml",
    ".lefthook-local.yaml",
    ".lefthook-local.toml",
    ".lefthook-local.json",
    ".lefthook-local.jsonc",
    ".config/lefthook-local.yml",
    ".config/lefthook-local.yaml",
    ".config/lefthook-local.toml",
    ".config/lefthook-local.json",
    ".config/lefthook-local.jsonc",
];

fn lefthook_line(event: HookEvent, file: &str) -> String {
    let (name, is_push) = (event.as_str(), event == HookEvent::PrePush);
    let command = format!("yatsu-hook {name}{}", if is_push { " {1} {2}" } else { "" });
    match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("json" | "jsonc") => {
            let input = if is_push { r#", "use_stdin": true"# } else { "" };
            format!(r#""{name}": {{"jobs": [{{"name": "yatsu-hook", "run": "{command}"{input}}}]}}"#)
        }
        Some("toml") => {
            let input = if is_push { ", use_stdin = true" } else { "" };
            format!(r#"{name}.jobs = [{{name = "yatsu-hook", run = "{command}"{input}}}]"#)
        }
        _ => {
            // in quotes: within `{}` a plain text of YAML ends at the brace of `{1}`
            let input = if is_push { ", use_stdin: true" } else { "" };
            format!(r#"{name}: {{jobs: [{{name: yatsu-hook, run: "{command}"{input}}}]}}"#)
        }
    }
}

fn hk_line(event: HookEvent, _: &str) -> String {
    let check = match event {
        HookEvent::PrePush => r#"check = "yatsu-hook pre-push {{hook_args}}"; stdin = "{{hook_stdin}}""#.to_owned(),
        _ => format!("check = \"{}\"", event.call()),
    };
    format!("[\"{}\"] {{ steps {{ [\"yatsu-hook\"] {{ {check} }} }} }}", event.as_str())
}

impl Framework {
    /// Its file that calls the program at `event`.
    fn calling(&self, top: &Path, event: HookEvent) -> Option<&'static str> {
        let calls = |file: &&str| self.call_in(top, file, event) == FileCall::Yes;
        self.files.iter().copied().find(calls)
    }

    fn call_in(&self, top: &Path, file: &str, event: HookEvent) -> FileCall {
        fs::read(top.join(file)).map_or(FileCall::No, |content| (self.read)(file, &content, event))
    }

    /// Why its file names the program and does not call it at `event`, as the end of a sentence.
    pub(in crate::app) fn left_out(&self, top: &Path, event: HookEvent) -> Option<String> {
        self.files.iter().find_map(|file| match self.call_in(top, file, event) {
            FileCall::LeftOut(by) => Some(format!("{by} of yatsu-hook in {file} leaves {} out", event.as_str())),
            FileCall::Yes | FileCall::No => None,
        })
    }

    /// Its file in this repository, or the usual one.
    fn file(&self, top: &Path) -> &'static str {
        let there = self.files.iter().copied().find(|file| top.join(file).exists());
        there.unwrap_or_else(|| self.files.first().copied().unwrap_or_default())
    }

    /// The command with which it writes its hooks.
    fn install(&self) -> String {
        format!("{} install", self.name)
    }

    /// The command with which it writes its first hooks, for every event at which its `file` calls the program.
    fn first_install(&self, top: &Path, file: &str) -> String {
        let has_types = || fs::read(top.join(file)).is_ok_and(|text| text.contains_str("default_install_hook_types"));
        if !self.runs_others || has_types() {
            return self.install();
        }
        let events = HookEvent::CLIENT.into_iter().filter(|event| self.calling(top, *event).is_some());
        events.fold(self.install(), |command, event| format!("{command} -t {}", event.as_str()))
    }
}

/// A framework whose file calls the program, and that has no hook in this clone yet. With hooks of the program every finding
/// would be printed twice, once the framework is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct WaitingFramework {
    pub(in crate::app) name: &'static str,
    /// Its file that calls the program.
    pub(in crate::app) file: String,
    /// The command that installs its hooks.
    pub(in crate::app) install: String,
}

impl WaitingFramework {
    /// The one that will call the program at `event`. A framework does not write into a directory that `core.hooksPath` names.
    pub(in crate::app) fn at(place: &Worktree, event: HookEvent) -> Option<Self> {
        let hooks = || HookEvent::CLIENT.iter().filter_map(|event| of_others(place, *event));
        if place.dir != HooksDir::Repository || hooks().any(|content| framework(&content).is_some()) {
            return None;
        }
        let husky = Path::new(".husky").join(event.as_str());
        if is_called(&place.top.join(&husky), event) {
            let file = husky.to_string_lossy().into_owned();
            return Some(Self { name: "husky", file, install: HUSKY.to_owned() });
        }
        let of = |framework: &Framework| {
            let file = framework.calling(&place.top, event)?;
            let install = framework.first_install(&place.top, file);
            Some(Self { name: framework.name, file: file.to_owned(), install })
        };
        // prek reads the file of pre-commit, and other files
        [&PRE_COMMIT].into_iter().chain(&FRAMEWORKS).find_map(of)
    }

    /// What is wrong, as a sentence without a subject's place.
    pub(in crate::app) fn sentence(&self) -> String {
        format!("{} calls yatsu-hook, and {} has no hooks in this clone", self.file, self.name)
    }

    /// The command that brings another event to the program, at which the framework's file does not call it.
    pub(in crate::app) fn repair(&self, place: &Worktree, event: HookEvent) -> String {
        match FRAMEWORKS.iter().find(|framework| framework.name == self.name) {
            Some(framework) if !framework.runs_others => Owner::Framework(framework).repair(place, event),
            // its hook runs the one of yatsu-hook, which `install` refuses to write before the framework has its own
            Some(_) => format!("{} && yatsu-hook install", self.install),
            None => format!(
                "echo {} >>{} && {HUSKY}",
                shell::word(&event.call()),
                shell::word(&place.top.join(".husky").join(event.as_str()).to_string_lossy())
            ),
        }
    }

    /// The refusal to write hooks of the program beside it.
    pub(super) fn refusal(&self) -> Error {
        let message = format!("{}: with hooks of its own every finding would be printed twice", self.sentence());
        Error::usage(format!("{message}, so nothing was written"))
            .hint(format!("run: {}", self.install))
            .hint("then the merge driver for ledgers: yatsu-hook install --no-hooks")
            .hint(format!(
                "or, if {} runs only elsewhere, for example in CI: yatsu-hook install --hooks pre-commit,pre-merge-commit,pre-push",
                self.name
            ))
    }
}

/// The owner of a hook directory in which nothing is written.
pub(in crate::app) enum Owner {
    /// husky rewrites its directory at every `npm install`.
    Husky,
    /// git tracks the directory: a written file would become the hook of every colleague.
    Team,
    /// A framework that moves other hooks away without running them.
    Framework(&'static Framework),
}

impl Owner {
    /// The owner of the worktree's hook directory, if it has one.
    pub(in crate::app) fn of(place: &Worktree) -> Option<Self> {
        if is_husky(place) {
            return Some(Self::Husky);
        }
        if place.is_tracked() {
            return Some(Self::Team);
        }
        let hooks = HookEvent::CLIENT.iter().filter_map(|event| of_others(place, *event));
        let mut known = hooks.filter_map(|content| framework(&content));
        known.find(|framework| !framework.runs_others).map(Self::Framework)
    }

    /// The file of the owner that must call the program at `event`.
    pub(in crate::app) fn file(&self, place: &Worktree, event: HookEvent) -> PathBuf {
        match self {
            Self::Husky => husky_file(place, event),
            Self::Team => event.file_in(&place.hooks),
            Self::Framework(framework) => sys::spelled(place.top.join(framework.file(&place.top))),
        }
    }

    /// The line that calls the program from [`Self::file`].
    fn line(&self, place: &Worktree, event: HookEvent) -> String {
        match self {
            Self::Husky => event.call(),
            Self::Team => event.guarded_call(),
            Self::Framework(framework) => (framework.line)(event, framework.file(&place.top)),
        }
    }

    /// The owner as the subject of a sentence, and the reason why nothing is written.
    pub(in crate::app) fn reason(&self) -> String {
        match self {
            Self::Husky => "husky runs the hooks of this repository and rewrites .husky/_".to_owned(),
            Self::Team => "git tracks the hooks of this repository for all of its clones".to_owned(),
            Self::Framework(framework) => {
                format!("{} runs the hooks of this repository and moves other hooks away", framework.name)
            }
        }
    }

    /// The refusal to write hooks for `events`, with what to do instead.
    pub(super) fn refusal(&self, place: &Worktree, events: &[HookEvent]) -> Error {
        let error = Error::usage(format!("{}, so nothing was written; add the lines below", self.reason()));
        let steps = events.iter().map(|event| self.step(place, *event));
        let mut steps: Vec<String> = steps.collect();
        steps.dedup();
        let finish = match self {
            Self::Framework(framework) if steps.iter().any(|step| *step != framework.install()) => {
                Some(framework.install())
            }
            _ => None,
        };
        steps.into_iter().chain(finish.map(|command| format!("then: {command}"))).fold(error, Error::hint)
    }

    /// What the user must do so that the owner calls the program at `event`.
    fn step(&self, place: &Worktree, event: HookEvent) -> String {
        match self {
            Self::Husky if is_called(&husky_file(place, event), event) => HUSKY.to_owned(),
            Self::Framework(framework) if framework.calling(&place.top, event).is_some() => framework.install(),
            _ => format!("in {}: {}", self.file(place, event).display(), self.line(place, event)),
        }
    }

    /// The command for a shell that does the same, for the doctor. A file that is no script gets the line only if that
    /// cannot break the file; otherwise the user adds the line.
    pub(in crate::app) fn repair(&self, place: &Worktree, event: HookEvent) -> String {
        let file = self.file(place, event);
        let (word, line) = (shell::word(&file.to_string_lossy()), shell::word(&self.line(place, event)));
        let append = format!("echo {line} >>{word}");
        match self {
            Self::Husky => match (is_called(&file, event), event.file_in(&place.hooks).exists()) {
                (true, _) => HUSKY.to_owned(),
                (false, true) => append,
                (false, false) => format!("{append} && {HUSKY}"),
            },
            Self::Team if exists(&file) => format!("{append} && chmod +x {word}"),
            Self::Team => format!("printf '#!/bin/sh\\n%s\\n' {line} >{word} && chmod +x {word}"),
            Self::Framework(framework) => match framework.calling(&place.top, event) {
                Some(_) => framework.install(),
                None if !is_for_an_editor(&file, event) => {
                    format!("{append} && {}", framework.install())
                }
                None => {
                    format!("add to {}: {}   then: {}", file.display(), self.line(place, event), framework.install())
                }
            },
        }
    }
}

/// The command that creates husky's own directory.
const HUSKY: &str = "npx husky";

/// Whether husky created the hook directory.
fn is_husky(place: &Worktree) -> bool {
    place.hooks.ends_with(".husky/_")
}

/// husky's file for the hook `event`, beside its directory.
fn husky_file(place: &Worktree, event: HookEvent) -> PathBuf {
    event.file_in(place.hooks.parent().unwrap_or(&place.hooks))
}

fn is_called(file: &Path, event: HookEvent) -> bool {
    fs::read(file).is_ok_and(|content| calls(&content, event, |_| true))
}

/// Whether an appended line could break the file: one that is not YAML, or that has a section for `event`.
fn is_for_an_editor(file: &Path, event: HookEvent) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let is_yaml = file.extension().is_none_or(|end| end == "yml" || end == "yaml");
    !is_yaml || text.lines().any(|line| line.strip_prefix(event.as_str()).is_some_and(|rest| rest.starts_with(':')))
}

/// The framework that wrote a hook.
pub(in crate::app) fn framework(content: &[u8]) -> Option<&'static Framework> {
    let text = String::from_utf8_lossy(content);
    FRAMEWORKS.iter().find(|framework| text.contains(framework.says))
}

/// The hook of others that git runs at `event`, perhaps through the program's own hook, which keeps it.
fn of_others(place: &Worktree, event: HookEvent) -> Option<Vec<u8>> {
    let hook = event.file_in(&place.hooks);
    let content = fs::read(&hook).ok()?;
    if shim::is_ours(&content) && !place.tracks(event) {
        let kept = kept_path(&hook);
        return fs::read(&kept).ok().filter(|_| is_executable(&kept));
    }
    is_executable(&hook).then_some(content)
}

/// The hook or file of others that calls the program when git runs their hook at `event`; `None` if nothing does. Then the
/// program's own hook would run a second time.
pub(in crate::app) fn caller(place: &Worktree, event: HookEvent) -> Option<String> {
    let content = of_others(place, event)?;
    if is_husky(place) {
        return is_called(&husky_file(place, event), event).then(|| "husky".to_owned());
    }
    if let Some(framework) = framework(&content) {
        return framework.calling(&place.top, event).map(|_| framework.name.to_owned());
    }
    calls(&content, event, |_| true).then(|| event.file_in(&place.hooks).display().to_string())
}

/// The files of others that still call the program after an uninstall, each as the note for the user.
pub(super) fn leftovers(place: &Worktree) -> Vec<String> {
    let calling = HookEvent::ALL.into_iter().filter(|event| caller(place, *event).is_some());
    let note = |event: HookEvent| {
        if is_husky(place) {
            return format!("delete from {}: {}", husky_file(place, event).display(), event.call());
        }
        let by = of_others(place, event).and_then(|content| framework(&content));
        match by.and_then(|framework| framework.calling(&place.top, event)) {
            Some(file) => format!("{file} still calls yatsu-hook"),
            None => {
                let file = event.file_in(&place.hooks);
                format!("delete from {}: {}", file.display(), own_line(&file, event))
            }
        }
    };
    let mut notes: Vec<String> = calling.map(note).collect();
    notes.dedup();
    notes
}

/// The whole line of ours in a script: a team deletes what `install` printed, not a part of it. The short form of a line that
/// was typed otherwise.
fn own_line(file: &Path, event: HookEvent) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = [event.guarded_call(), event.stopping_call()];
    let stands = |line: &String| text.lines().any(|other| other.trim() == line);
    lines.into_iter().find(stands).unwrap_or_else(|| event.call())
}

#[cfg(test)]
mod tests {
    use super::*;
    use saphyr::{LoadableYamlNode, Yaml};

    /// By lefthook's documentation, "Config file name".
    #[test]
    fn every_file_of_lefthook_is_known() {
        let mut wanted = Vec::new();
        for suffix in ["", "-local"] {
            for place in ["", ".", ".config/"] {
                wanted.extend(
                    ["yml", "yaml", "toml", "json", "jsonc"].map(|end| format!("{place}lefthook{suffix}.{end}")),
                );
            }
        }
        assert_eq!(LEFTHOOK_FILES.to_vec(), wanted);
        for file in wanted {
            let top = tempfile::tempdir().expect("a directory");
            fs::create_dir_all(top.path().join(".config")).expect("a directory");
            let line = lefthook_line(HookEvent::PrePush, &file);
            let text = if file.contains("json") { format!("{{{line}}}") } else { line };
            fs::write(top.path().join(&file), text).expect("a file");
            let lefthook = FRAMEWORKS.iter().find(|framework| framework.name == "lefthook").expect("lefthook");
            let calling = HookEvent::CLIENT.map(|event| lefthook.calling(top.path(), event));
            assert_eq!(calling, [None, None, Some(&*file)], "{file}");
            assert_eq!(lefthook.file(top.path()), file);
        }
    }

    #[test]
    fn the_line_for_lefthook_is_yaml_and_runs_the_program() {
        for event in HookEvent::CLIENT {
            let line = lefthook_line(event, "lefthook.yml");
            let file = Yaml::load_from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let job = &file[0][event.as_str()]["jobs"][0];
            let arguments = if event == HookEvent::PrePush { " {1} {2}" } else { "" };
            assert_eq!(job["run"].as_str(), Some(&*format!("yatsu-hook {}{arguments}", event.as_str())), "{line}");
            let has_input = job.as_mapping_get("use_stdin").and_then(Yaml::as_bool);
            assert_eq!(has_input, (event == HookEvent::PrePush).then_some(true), "{line}");
        }
    }

    #[test]
    fn the_line_for_lefthook_fits_a_file_of_toml_or_json() {
        for event in HookEvent::CLIENT {
            let (name, is_push) = (event.as_str(), event == HookEvent::PrePush);
            let command = format!("yatsu-hook {name}{}", if is_push { " {1} {2}" } else { "" });
            let toml: toml::Table = lefthook_line(event, ".config/lefthook.toml").parse().expect("TOML");
            let job = &toml[name]["jobs"][0];
            assert_eq!(job["run"].as_str(), Some(&*command));
            assert_eq!(job.get("use_stdin").and_then(toml::Value::as_bool), is_push.then_some(true));
            let json = format!("{{{}}}", lefthook_line(event, "lefthook.json"));
            let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            let job = &json[name]["jobs"][0];
            assert_eq!(job["run"].as_str(), Some(&*command));
            assert_eq!(job["use_stdin"].as_bool(), is_push.then_some(true));
        }
    }
}
