//! What the settings of a harness say about this program: the events and tools at which they call it, and the switches
//! that turn all hooks off. Input: the bytes of a file. Judges nothing.

use super::Harness;
use super::settings::PROGRAM;
use crate::features::agents::model::json_edit;
use crate::model::env_switch::env_switch;
use crate::text::escape::echo;
use crate::text::shell::quote;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The largest file of settings that is read.
pub(crate) const MAX_SETTINGS: usize = 1 << 20;

/// Reads a file of settings: TOML by its name, otherwise JSON with comments. `None` if it cannot be read.
pub(crate) fn read(path: &[u8], bytes: &[u8]) -> Option<Value> {
    if bytes.len() > MAX_SETTINGS {
        return None;
    }
    if path.ends_with(b".toml") {
        return toml::from_str(std::str::from_utf8(bytes).ok()?).ok();
    }
    json_edit::read(bytes).ok()
}

/// A command as some version of this program wrote it.
struct WrittenCommand {
    /// The program: `yatsu-hook`, or an absolute path that ends so.
    program: String,
    /// Whether it says that the entry is of a user or a plugin.
    user: bool,
}

impl WrittenCommand {
    /// `None` for every other command. Words around ours change what happens, for example `echo`, `false &&`, `YATSU_HOOK=0`
    /// or `>/dev/null`, and a command with our words in it may be the user's own.
    fn read(command: &str) -> Option<Self> {
        let in_sh = command.strip_prefix('(').and_then(|rest| rest.strip_suffix(" || true)"));
        let call = in_sh.unwrap_or(command);
        let (call, user) = match call.strip_suffix(" --user") {
            Some(call) => (call, true),
            None => (call, false),
        };
        let program = call.strip_suffix(" agent event")?;
        let program = match in_sh {
            _ if program == PROGRAM => program.to_owned(),
            Some(_) => in_single_quotes(program)?,
            None => in_double_quotes(program.strip_prefix("& ").unwrap_or(program))?,
        };
        is_named(&program).then_some(Self { program, user })
    }
}

/// The absolute path in a word that [`quote`] wrote.
fn in_single_quotes(word: &str) -> Option<String> {
    let path = shlex::split(word).and_then(|mut words| words.pop())?;
    (path.starts_with('/') && quote(&path) == word).then_some(path)
}

/// The path of Windows in double quotes, which no name can hold.
fn in_double_quotes(word: &str) -> Option<String> {
    let path = word.strip_prefix('"')?.strip_suffix('"')?;
    let is_absolute = path.chars().nth(1) == Some(':') || path.starts_with('\\');
    (is_absolute && !path.contains('"')).then(|| path.to_owned())
}

fn is_named(program: &str) -> bool {
    matches!(program.rsplit(['/', '\\']).next(), Some("yatsu-hook" | "yatsu-hook.exe"))
}

/// Whether a command is, word for word, one that some version of this program wrote.
pub(crate) fn is_ours(command: &str) -> bool {
    WrittenCommand::read(command).is_some()
}

/// Whether a command is one that some version of this program wrote into the files of a project. These have no path: a path
/// of a committed file may lead nowhere on other machines, or to another program.
pub(crate) fn is_of_project(command: &str) -> bool {
    WrittenCommand::read(command).is_some_and(|written| written.program == PROGRAM && !written.user)
}

/// Whether a command has the words `yatsu-hook` (or a path ending so), `agent`, `event`, whatever stands around them.
pub(crate) fn mentions_us(command: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || "'\"();&|".contains(c);
    let words: Vec<&str> = command.split(is_between).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| is_named(word));
    at.is_some_and(|at| words[at + 1..].windows(2).any(|pair| pair == ["agent", "event"]))
}

/// The keys that an entry of a hook may have beside its command. Another one, for example `async` or `if` of Claude Code, may
/// keep it from running or from being heard.
const ENTRY_KEYS: [&str; 5] = ["type", "matcher", "name", "description", "statusMessage"];
/// The keys of how long a harness waits for an entry. With less time than the program has it may not be heard.
const TIMEOUT_KEYS: [&str; 2] = ["timeout", "timeoutSec"];
/// How often Cursor lets an entry of a stop speak; `null` is no limit.
const LOOP_KEY: &str = "loop_limit";

/// The keys of a command for one system; without such a key `command` runs.
const UNIX_KEY: &str = "bash";
const WINDOWS_KEYS: [&str; 3] = ["commandWindows", "command_windows", "powershell"];

/// Whether an entry of the harness runs the door of this program, whatever the system, and hands its answer back. `is_written`
/// says which commands the program writes into files of that kind: [`is_ours`] or [`is_of_project`].
pub(crate) fn runs_us(harness: Harness, entry: &Value, is_written: fn(&str) -> bool) -> bool {
    let is_command = entry.get("type").is_none_or(|kind| kind == "command");
    let has_command = ["command", UNIX_KEY].into_iter().any(|key| entry.get(key).is_some());
    // any command that is there may be the one that runs
    let is_fit = |(key, value): (&String, &Value)| match key.as_str() {
        key if command_keys().any(|known| known == key) => value.as_str().is_some_and(is_written),
        key if TIMEOUT_KEYS.contains(&key) => value.as_f64().is_some_and(|time| time >= f64::from(harness.timeout())),
        LOOP_KEY => value.is_null() || value.as_f64().is_some_and(|limit| limit >= 1.0),
        key => ENTRY_KEYS.contains(&key),
    };
    is_command && has_command && entry.as_object().into_iter().flatten().all(is_fit)
}

/// Whether an entry runs the door of this program by PowerShell, which may refuse a line with `||`.
pub(crate) fn runs_us_in_powershell(harness: Harness, entry: &Value, is_written: fn(&str) -> bool) -> bool {
    let keys = WINDOWS_KEYS.into_iter().chain(["command"]);
    let first = keys.into_iter().find_map(|key| entry.get(key)?.as_str());
    runs_us(harness, entry, is_written) && first.is_some_and(|command| !command.contains("||"))
}

/// Whether the harness takes the file at all. Codex ignores a file of hooks that is no plain JSON, or has another key.
pub(crate) fn is_accepted(harness: Harness, path: &[u8], bytes: &[u8], settings: &Value) -> bool {
    !harness.settings().plain
        || !path.ends_with(b".json")
        || json_edit::check_plain(bytes).is_ok() && unknown_key(settings).is_none()
}

/// A key at the root of Codex's file of hooks that makes Codex refuse the file.
pub(crate) fn unknown_key(settings: &Value) -> Option<&str> {
    settings.as_object()?.keys().map(String::as_str).find(|key| !matches!(*key, "description" | "hooks"))
}

/// The programs that our entries in `settings` run: `yatsu-hook`, or a path.
pub(crate) fn programs(settings: &Value) -> BTreeSet<String> {
    let ours = all_commands(settings).into_iter().filter_map(|(_, command)| WrittenCommand::read(command));
    ours.map(|written| written.program).collect()
}

/// Whether an entry in the settings of a user lacks the mark of such an entry, because an older version wrote it.
pub(crate) fn has_unmarked(settings: &Value) -> bool {
    all_commands(settings).into_iter().any(|(_, command)| WrittenCommand::read(command).is_some_and(|one| !one.user))
}

/// The commands in `settings` with our words that this program did not write, each with its event.
pub(crate) fn foreign(settings: &Value) -> Vec<(&str, &str)> {
    let mut found = all_commands(settings);
    found.retain(|(_, command)| mentions_us(command) && !is_ours(command));
    found
}

/// The commands of all entries in `settings`, each with its event.
fn all_commands(settings: &Value) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (event, list) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for element in list.as_array().into_iter().flatten() {
            let called = element.get("hooks").and_then(Value::as_array);
            let entries = called.map_or(std::slice::from_ref(element), Vec::as_slice);
            found.extend(entries.iter().flat_map(commands).map(|command| (event.as_str(), command)));
        }
    }
    found
}

/// Whether an element of an event's list is an entry that this program wrote, or holds nothing else.
pub(crate) fn is_our_element(element: &Value) -> bool {
    match element.get("hooks").and_then(Value::as_array) {
        Some(called) => !called.is_empty() && called.iter().all(is_our_element),
        None => commands(element).next().is_some() && commands(element).all(is_ours),
    }
}

fn command_keys() -> impl Iterator<Item = &'static str> {
    ["command", UNIX_KEY].into_iter().chain(WINDOWS_KEYS)
}

pub(crate) fn commands(entry: &Value) -> impl Iterator<Item = &str> {
    command_keys().filter_map(|key| entry.get(key)?.as_str())
}

/// The events at which settings call this program, each with the patterns of its tools; no pattern means every tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls(BTreeMap<String, BTreeSet<Option<String>>>);

/// A call that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingCall {
    pub(crate) event: String,
    /// The tool; `None` if the event is not called for any tool.
    pub(crate) tool: Option<String>,
}

impl fmt::Display for MissingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = self.tool.as_ref().map(|tool| format!(" for {}", echo(tool))).unwrap_or_default();
        write!(f, "{}{tool}", echo(&self.event))
    }
}

impl Calls {
    /// The calls in `settings` by entries that are `wanted`.
    pub(crate) fn of(settings: &Value, wanted: &dyn Fn(&Value) -> bool) -> Self {
        let mut found = Self::default();
        let events = settings.get("hooks").and_then(Value::as_object);
        for (event, list) in events.into_iter().flatten() {
            for element in list.as_array().into_iter().flatten() {
                let pattern = element.get("matcher").and_then(Value::as_str);
                let called = element.get("hooks").and_then(Value::as_array);
                if called.map_or(std::slice::from_ref(element), Vec::as_slice).iter().any(wanted) {
                    found.add(event, pattern);
                }
            }
        }
        found
    }

    /// The calls that the program installs.
    pub(crate) fn wanted(harness: Harness) -> Self {
        let mut all = Self::default();
        harness.settings().events.iter().for_each(|(event, tools)| all.add(event, *tools));
        all
    }

    fn add(&mut self, event: &str, pattern: Option<&str>) {
        let pattern = pattern.filter(|pattern| !matches!(*pattern, "" | "*" | "**" | ".*")).map(str::to_owned);
        self.0.entry(event.to_owned()).or_default().insert(pattern);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// These calls and `others`.
    #[must_use]
    pub(crate) fn with(mut self, others: &Self) -> Self {
        for (event, patterns) in &others.0 {
            self.0.entry(event.clone()).or_default().extend(patterns.iter().cloned());
        }
        self
    }

    /// The calls of `wanted` that are not among these.
    pub(crate) fn missing(&self, wanted: &Self) -> Vec<MissingCall> {
        let mut found = Vec::new();
        for (event, patterns) in &wanted.0 {
            let missing = |tool| MissingCall { event: event.clone(), tool };
            let Some(here) = self.0.get(event) else {
                found.push(missing(None));
                continue;
            };
            if here.contains(&None) {
                continue;
            }
            for pattern in patterns {
                let tools =
                    pattern.as_deref().map_or_else(|| vec!["every tool"], |pattern| pattern.split('|').collect());
                let is_called = |tool: &&str| here.iter().flatten().any(|here| matches(here, tool));
                found.extend(
                    tools.into_iter().filter(|tool| !is_called(tool)).map(|tool| missing(Some(tool.to_owned()))),
                );
            }
        }
        found
    }
}

/// Whether the pattern of an entry covers a tool, or a part between two `|` of another entry's pattern.
fn matches(pattern: &str, tool: &str) -> bool {
    pattern.split('|').any(|part| part == tool)
        || Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|pattern| pattern.is_match(tool))
}

/// The settings that keep the harness from running our hooks, for example `disableAllHooks is true`.
pub(crate) fn switches(harness: Harness, settings: &Value) -> Vec<String> {
    let is = |path: &str, wanted: bool| {
        let value = path.split('.').try_fold(settings, |value, key| value.get(key));
        (value == Some(&Value::Bool(wanted))).then(|| format!("{path} is {wanted}"))
    };
    match harness {
        Harness::Claude => is("disableAllHooks", true).into_iter().chain(env_off(settings)).collect(),
        Harness::Copilot => is("disableAllHooks", true).into_iter().collect(),
        Harness::Codex => {
            ["features.hooks", "features.codex_hooks"].into_iter().filter_map(|path| is(path, false)).collect()
        }
        Harness::Gemini => is("hooksConfig.enabled", false).into_iter().chain(named_off(settings)).collect(),
        Harness::Cursor => Vec::new(),
    }
}

/// Claude Code hands `env` to every program of a session, also to git's hooks.
fn env_off(settings: &Value) -> Option<String> {
    let env = settings.get("env")?;
    let switch = env_switch(|name| Some(env.get(name)?.as_str()?.to_owned()))?;
    Some(format!("env has {switch}"))
}

/// Gemini switches single hooks off by their name, or by their command if they have none.
fn named_off(settings: &Value) -> Option<String> {
    let off = ["hooksConfig", "hooks"].into_iter().filter_map(|key| settings.get(key)?.get("disabled")?.as_array());
    let off: Vec<&str> = off.flatten().filter_map(Value::as_str).collect();
    let names = our_names(settings);
    off.iter().any(|name| mentions_us(name) || names.contains(name)).then(|| "disabled names yatsu-hook".to_owned())
}

fn our_names(settings: &Value) -> Vec<&str> {
    let lists = settings.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let elements = lists.filter_map(|(_, list)| list.as_array()).flatten();
    let entries = elements.filter_map(|element| element.get("hooks")?.as_array()).flatten();
    entries.filter(|entry| is_our_element(entry)).filter_map(|entry| entry.get("name")?.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::agents::model::harness::settings::{COMMAND, WINDOWS_COMMAND};
    use crate::features::agents::model::json_edit::{inserted, insertions};
    use serde_json::json;

    fn installed(harness: Harness, on_windows: bool) -> Value {
        let found = insertions(b"", &harness.additions(&harness.project_commands(on_windows))).expect("insertions");
        read(b"x.json", &inserted(b"", &found)).expect("settings")
    }

    #[test]
    fn what_is_installed_is_complete_in_every_harness() {
        for harness in Harness::ALL {
            let settings = installed(harness, false);
            let calls = Calls::of(&settings, &|entry| runs_us(harness, entry, is_of_project));
            assert_eq!(calls, Calls::wanted(harness), "{settings}");
            assert_eq!(calls.missing(&Calls::wanted(harness)), []);
            assert!(Calls::wanted(harness).events().all(|event| !event.to_lowercase().starts_with("pretool")));
        }
    }

    #[test]
    fn the_entries_have_the_form_of_each_harness() {
        let first = |harness: Harness, events: usize| {
            let found =
                insertions(b"{\"x\":1}", &harness.additions(&[("command", "C".to_owned())])).expect("insertions");
            let text = String::from_utf8(inserted(b"{\"x\":1}", &found)).expect("text");
            text.split_inclusive("],").take(events).collect::<String>()
        };
        let called = r#""hooks":[{"type":"command","command":"C","timeout":10}]}],"#;
        let group = format!(r#"{{"x":1,"hooks":{{"SessionStart":[{{{called}"#);
        for (harness, tools) in
            [(Harness::Claude, "Bash|Edit|Write|MultiEdit|NotebookEdit"), (Harness::Codex, "Bash|apply_patch")]
        {
            assert_eq!(first(harness, 2), format!(r#"{group}"PostToolUse":[{{"matcher":"{tools}",{called}"#));
        }
        let milliseconds = group.replace("10", "10000");
        assert_eq!(first(Harness::Gemini, 1), milliseconds);
        assert_eq!(
            first(Harness::Cursor, 5),
            r#"{"x":1,"version":1,"hooks":{"sessionStart":[{"command":"C","timeout":10}],"postToolUse":[{"command":"C","timeout":10,"matcher":"Shell|Write|Delete"}],"postToolUseFailure":[{"command":"C","timeout":10,"matcher":"Shell"}],"stop":[{"command":"C","timeout":10,"loop_limit":1}]}}"#
        );
        assert_eq!(
            first(Harness::Copilot, 1),
            r#"{"x":1,"version":1,"hooks":{"SessionStart":[{"type":"command","command":"C","timeoutSec":10}],"#
        );
    }

    /// Every command that some version wrote, with the program that it runs and whether it is marked as a user's.
    const WRITTEN: [(&str, &str, bool); 12] = [
        ("(yatsu-hook agent event || true)", "yatsu-hook", false),
        ("(yatsu-hook agent event --user || true)", "yatsu-hook", true),
        ("yatsu-hook agent event", "yatsu-hook", false),
        ("('/opt/a b/yatsu-hook' agent event || true)", "/opt/a b/yatsu-hook", false),
        ("('/opt/a b/yatsu-hook' agent event --user || true)", "/opt/a b/yatsu-hook", true),
        (r"('/opt/it'\''s/yatsu-hook' agent event --user || true)", "/opt/it's/yatsu-hook", true),
        ("\"C:\\a b\\yatsu-hook.exe\" agent event", "C:\\a b\\yatsu-hook.exe", false),
        ("\"C:/a b/yatsu-hook.exe\" agent event --user", "C:/a b/yatsu-hook.exe", true),
        ("& \"C:\\a b\\yatsu-hook.exe\" agent event", "C:\\a b\\yatsu-hook.exe", false),
        ("& \"C:/a b/yatsu-hook.exe\" agent event --user", "C:/a b/yatsu-hook.exe", true),
        ("\"\\\\host\\share\\yatsu-hook.exe\" agent event", "\\\\host\\share\\yatsu-hook.exe", false),
        ("yatsu-hook agent event --user", "yatsu-hook", true),
    ];

    #[test]
    fn a_command_is_ours_word_for_word() {
        for (command, program, user) in WRITTEN {
            let written = WrittenCommand::read(command).unwrap_or_else(|| panic!("{command}"));
            assert_eq!((&*written.program, written.user), (program, user));
            assert!(mentions_us(command), "{command}");
            assert_eq!(is_of_project(command), matches!(command, COMMAND | WINDOWS_COMMAND), "{command}");
        }
        for command in [
            "echo (yatsu-hook agent event || true)",
            "mylog.sh; yatsu-hook agent event",
            "YATSU_HOOK=0 yatsu-hook agent event",
            "(YATSU_HOOK=0 yatsu-hook agent event || true)",
            "(yatsu-hook agent event >/dev/null || true)",
            "(yatsu-hook agent event || true) >/dev/null",
            "(false && yatsu-hook agent event || true)",
            "timeout 5 yatsu-hook agent event",
            "yatsu-hook agent event || true",
            "cd x && yatsu-hook -C . agent event --for codex",
            "('opt/yatsu-hook' agent event || true)",
            "(/opt/yatsu-hook agent event || true)",
            "('/opt/yatsu-hook' 'x' agent event || true)",
            "echo '(yatsu-hook agent event || true)'",
            "yatsu-hook 'agent event'",
        ] {
            assert!(!is_ours(command) && mentions_us(command), "{command}");
        }
        for command in [
            "yatsu-hook agent ls",
            "echo agent event",
            "my-yatsu-hook agent event",
            "('/opt/other' agent event || true)",
            "'",
        ] {
            assert!(!is_ours(command) && !mentions_us(command), "{command}");
        }
    }

    /// A slow judge: a command is ours if it is one of a list.
    #[test]
    fn a_command_with_any_other_byte_is_not_ours() {
        let all: Vec<&str> = WRITTEN.iter().map(|(command, ..)| *command).collect();
        let bytes: Vec<char> = " ;&|()'\"\\/$`>#a0=-".chars().collect();
        for command in &all {
            for at in 0..=command.len() {
                // inside of the quotes another byte makes another path, which may be ours
                let quote = command.find(['\'', '"']).zip(command.rfind(['\'', '"']));
                if quote.is_some_and(|(from, to)| at > from && at <= to) {
                    continue;
                }
                let shorter = command.chars().enumerate().filter(|(place, _)| *place != at).map(|(_, one)| one);
                let mut edits = vec![shorter.collect::<String>()];
                edits.extend(bytes.iter().map(|byte| format!("{}{byte}{}", &command[..at], &command[at..])));
                for edit in edits {
                    assert_eq!(is_ours(&edit), all.contains(&&*edit), "{edit}");
                }
            }
        }
    }

    #[test]
    fn an_entry_that_may_not_run_or_not_be_heard_is_no_call() {
        for (more, runs) in [
            ("", true),
            (r#","type":"command","timeout":10,"name":"y""#, true),
            (r#","type":"prompt""#, false),
            (r#","async":true"#, false),
            (r#","if":"Bash(never)""#, false),
            (r#","commandWindows":"yatsu-hook agent event""#, true),
            (r#","commandWindows":"exit 0""#, false),
            (r#","command_windows":null"#, false),
            (r#","powershell":"exit 0""#, false),
            (r#","bash":"true""#, false),
            (r#","timeout":20"#, true),
            (r#","timeout":0"#, false),
            (r#","timeout":9"#, false),
            (r#","timeout":"10""#, false),
            (r#","timeoutSec":0"#, false),
            (r#","loop_limit":1"#, true),
            (r#","loop_limit":null"#, true),
            (r#","loop_limit":0"#, false),
        ] {
            let entry = format!(r#"{{"command":{COMMAND:?}{more}}}"#);
            assert_eq!(
                runs_us(Harness::Claude, &read(b"", entry.as_bytes()).expect("an entry"), is_ours),
                runs,
                "{entry}"
            );
        }
        let entry = |timeout: u32| json!({"command": COMMAND, "timeout": timeout});
        let is_heard = |timeout| runs_us(Harness::Gemini, &entry(timeout), is_ours);
        assert!(!is_heard(9_999) && is_heard(10_000), "milliseconds");
        for (text, accepted) in
            [("{\"hooks\":{}}", true), ("{\"hooks\":{},\"x\":1}", false), ("\u{feff}{}", false), ("{} // x", false)]
        {
            let of = |harness| {
                is_accepted(harness, b".codex/hooks.json", text.as_bytes(), &read(b"", text.as_bytes()).unwrap())
            };
            assert_eq!((of(Harness::Codex), of(Harness::Gemini)), (accepted, true), "{text}");
        }
    }

    #[test]
    fn one_file_serves_every_system_where_the_harness_has_a_key_for_windows() {
        for harness in Harness::ALL {
            let (here, there) = (installed(harness, false), installed(harness, true));
            let has_key = matches!(harness, Harness::Codex | Harness::Copilot);
            assert_eq!(here == there, has_key, "{harness:?}");
            let complete = |settings: &Value| {
                let is_heard = |entry: &Value| runs_us_in_powershell(harness, entry, is_of_project);
                Calls::of(settings, &is_heard).missing(&Calls::wanted(harness)).is_empty()
            };
            assert_eq!((complete(&here), complete(&there)), (has_key, true), "{harness:?}");
        }
        let entry =
            |text: &str| runs_us_in_powershell(Harness::Codex, &read(b"", text.as_bytes()).expect("an entry"), is_ours);
        assert!(!entry(&format!(r#"{{"powershell":"{WINDOWS_COMMAND}"}}"#)), "nothing runs elsewhere");
        assert!(!entry(&format!(r#"{{"command":"{WINDOWS_COMMAND}","commandWindows":"{COMMAND}"}}"#)));
        for harness in Harness::ALL {
            let is_called = matches!(harness, Harness::Codex | Harness::Gemini | Harness::Copilot);
            let call = if is_called { "& " } else { "" };
            let (there, here) =
                (harness.user_command("C:/a b/yatsu-hook.exe", true), harness.user_command("/a b/yatsu-hook", false));
            assert_eq!(there, format!("{call}\"C:/a b/yatsu-hook.exe\" agent event --user"));
            assert_eq!(here, "('/a b/yatsu-hook' agent event --user || true)");
            assert!(is_ours(&there) && is_ours(&here));
        }
    }

    #[test]
    fn a_pattern_covers_the_tools_that_it_names_or_matches() {
        let settings = |matcher: &str| {
            let text = format!(
                "{{\"hooks\":{{\"PostToolUse\":[{{\"matcher\":{matcher:?},\"hooks\":[{{\"command\":{COMMAND:?}}}]}}]}}}}"
            );
            Calls::of(&read(b"", text.as_bytes()).expect("settings"), &|entry| runs_us(Harness::Claude, entry, is_ours))
        };
        let missing = |matcher, wanted| {
            let found = settings(matcher).missing(&settings(wanted));
            found.into_iter().filter_map(|missing| missing.tool).collect::<Vec<_>>()
        };
        assert_eq!(missing("Edit|Write", "Bash|Edit"), ["Bash"]);
        assert_eq!(missing("(Multi)?Edit|B.*", "Bash|Edit|MultiEdit"), [] as [&str; 0]);
        for all in ["", "*", ".*"] {
            assert_eq!(missing(all, "Bash"), [] as [&str; 0]);
            assert_eq!(missing("Bash", all), ["every tool"]);
        }
        assert_eq!(missing("[", "Bash"), ["Bash"], "a pattern that no harness reads covers nothing");
    }

    #[test]
    fn each_switch_is_seen_and_others_are_not() {
        for (harness, path, off, on) in [
            (Harness::Claude, "s.json", "{\"disableAllHooks\": true}", "{\"disableAllHooks\": false}"),
            (Harness::Copilot, "s.json", "{\"disableAllHooks\": true}", "{\"x\": {\"disableAllHooks\": true}}"),
            (
                Harness::Gemini,
                "s.json",
                "{\"hooksConfig\": {\"enabled\": false}}",
                "{\"hooksConfig\": {\"enabled\": true}}",
            ),
            (
                Harness::Gemini,
                "s.json",
                "{\"hooksConfig\": {\"disabled\": [\"a\", \"yatsu-hook agent event || true\"]}}",
                "{\"hooksConfig\": {\"disabled\": [\"a\"]}}",
            ),
            (
                Harness::Gemini,
                "s.json",
                "{\"hooksConfig\":{\"disabled\":[\"y\"]},\"hooks\":{\"A\":[{\"hooks\":[{\"name\":\"y\",\"command\":\"yatsu-hook agent event\"}]}]}}",
                "{\"hooksConfig\":{\"disabled\":[\"y\"]},\"hooks\":{\"A\":[{\"hooks\":[{\"name\":\"y\",\"command\":\"other\"}]}]}}",
            ),
            (Harness::Codex, "c.toml", "[features]\nhooks = false", "[features]\nhooks = true"),
            (Harness::Codex, "c.toml", "features.codex_hooks = false", "codex_hooks = false"),
        ] {
            let count = |text: &str| switches(harness, &read(path.as_bytes(), text.as_bytes()).expect(text)).len();
            assert_eq!((count(off), count(on)), (1, 0), "{off}");
        }
    }

    #[test]
    fn hostile_settings_do_not_end_the_program() {
        for (path, text) in [
            ("a.toml", "a = ".to_owned() + &"[".repeat(100_000)),
            ("a.toml", "[".repeat(100_000)),
            ("a.toml", "a.".repeat(50_000)),
            ("a.json", "[".repeat(100_000)),
            ("a.json", "x".repeat(MAX_SETTINGS + 1)),
        ] {
            assert_eq!(read(path.as_bytes(), text.as_bytes()), None);
        }
    }
}
