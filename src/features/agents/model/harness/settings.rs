//! Where each harness keeps its hooks, and the entries that let it call this program. The event before a tool is never
//! registered: there a failure could cost an edit.

use super::Harness;
use crate::features::agents::model::json_edit::NewJson;
use crate::text::shell;

/// The command of a project's entries. `|| true`: a missing program (127) blocks the end of a session in Gemini CLI, and one
/// that does not know the verb (2) blocks it in Claude Code, Codex and Gemini CLI. The parentheses: Cursor appends the payload
/// as a here-document, which without them would go to `true`.
pub(crate) const COMMAND: &str = "(yatsu-hook agent event || true)";

/// The same on Windows: PowerShell does not know `true`, and before version 7 refuses a line with `||`.
pub(crate) const WINDOWS_COMMAND: &str = "yatsu-hook agent event";

/// The command of a plugin's entries. A plugin is the user's own and runs in a stranger's repository, too.
pub(crate) const PLUGIN_COMMAND: &str = "(yatsu-hook agent event --user || true)";

/// The program in a project's and in a plugin's command.
pub(super) const PROGRAM: &str = "yatsu-hook";

/// A command of an entry, with its key.
pub(crate) type EntryCommand = (&'static str, String);

/// How long a harness waits, in seconds.
const TIMEOUT: u32 = 10;

/// The files of a harness, and the events for which it calls this program.
pub(crate) struct HookSettings {
    /// The folder in a project that shows that the harness is used there.
    pub(crate) folder: &'static str,
    /// The file in a project.
    pub(crate) file: &'static str,
    /// The variable that names the harness's own folder of a user, if there is one.
    pub(crate) variable: Option<&'static str>,
    /// That folder below home, without the variable.
    pub(crate) home: &'static str,
    /// The file in that folder.
    pub(crate) user_file: &'static str,
    /// The events, each with the names of its tools; none for an event without tools, or for all tools.
    pub(crate) events: &'static [(&'static str, Option<&'static str>)],
    /// Whether the harness reads plain JSON alone, without comments.
    pub(crate) plain: bool,
    /// The key of an entry with the command for Windows, if the harness has one.
    pub(crate) windows_key: Option<&'static str>,
}

const CLAUDE: HookSettings = HookSettings {
    folder: ".claude",
    file: ".claude/settings.json",
    variable: Some("CLAUDE_CONFIG_DIR"),
    home: ".claude",
    user_file: "settings.json",
    events: &[
        ("SessionStart", None),
        ("PostToolUse", Some("Bash|Edit|Write|MultiEdit|NotebookEdit")),
        ("PostToolUseFailure", Some("Bash|Edit|Write|MultiEdit|NotebookEdit")),
        ("Stop", None),
    ],
    plain: false,
    windows_key: None,
};

const CODEX: HookSettings = HookSettings {
    folder: ".codex",
    file: ".codex/hooks.json",
    variable: Some("CODEX_HOME"),
    home: ".codex",
    user_file: "hooks.json",
    events: &[("SessionStart", None), ("PostToolUse", Some("Bash|apply_patch")), ("Stop", None)],
    plain: true,
    windows_key: Some("commandWindows"),
};

const CURSOR: HookSettings = HookSettings {
    folder: ".cursor",
    file: ".cursor/hooks.json",
    variable: None,
    home: ".cursor",
    user_file: "hooks.json",
    events: &[
        ("sessionStart", None),
        ("postToolUse", Some("Shell|Write|Delete")),
        ("postToolUseFailure", Some("Shell")),
        ("stop", None),
    ],
    plain: false,
    windows_key: None,
};

const GEMINI: HookSettings = HookSettings {
    folder: ".gemini",
    file: ".gemini/settings.json",
    variable: None,
    home: ".gemini",
    user_file: "settings.json",
    events: &[
        ("SessionStart", None),
        ("AfterTool", Some("run_shell_command|write_file|replace")),
        ("AfterAgent", None),
    ],
    plain: false,
    windows_key: None,
};

const COPILOT: HookSettings = HookSettings {
    folder: ".github/hooks",
    file: ".github/hooks/yatsu-hook.json",
    variable: Some("COPILOT_HOME"),
    home: ".copilot",
    user_file: "hooks/yatsu-hook.json",
    events: &[("SessionStart", None), ("PostToolUse", None), ("PostToolUseFailure", None), ("Stop", None)],
    plain: false,
    windows_key: Some("powershell"),
};

impl Harness {
    pub(crate) const fn settings(self) -> &'static HookSettings {
        match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Cursor => &CURSOR,
            Self::Gemini => &GEMINI,
            Self::Copilot => &COPILOT,
        }
    }

    /// The commands of the entries in a project, `on_windows` or elsewhere. Where the harness has a key for Windows, they are
    /// the same on every system, so that one file serves a team.
    pub(crate) fn project_commands(self, on_windows: bool) -> Vec<EntryCommand> {
        match self.settings().windows_key {
            Some(key) => vec![("command", COMMAND.to_owned()), (key, WINDOWS_COMMAND.to_owned())],
            None if on_windows => vec![("command", WINDOWS_COMMAND.to_owned())],
            None => vec![("command", COMMAND.to_owned())],
        }
    }

    /// The command of a user's entries, which name `program` by its absolute path.
    pub(crate) fn user_command(self, program: &str, on_windows: bool) -> String {
        if on_windows {
            self.windows_command(program)
        } else {
            PLUGIN_COMMAND.replacen(PROGRAM, &shell::quote(program), 1)
        }
    }

    /// A command of Windows that runs `program`, a path in which no name can have a double quote. To PowerShell a line that
    /// begins with a quote is a text, and `&` runs it. Claude Code uses the sh of git, and Cursor writes the `&` itself.
    fn windows_command(self, program: &str) -> String {
        match self {
            Self::Claude | Self::Cursor => format!("\"{program}\" agent event --user"),
            Self::Codex | Self::Gemini | Self::Copilot => format!("& \"{program}\" agent event --user"),
        }
    }

    /// The least time in which an entry must let the program answer, in the unit of the harness.
    pub(crate) const fn timeout(self) -> u32 {
        match self {
            Self::Gemini => TIMEOUT * 1000,
            Self::Claude | Self::Codex | Self::Cursor | Self::Copilot => TIMEOUT,
        }
    }

    /// What a file of the harness needs, so that each event runs the command.
    pub(crate) fn additions(self, commands: &[EntryCommand]) -> Vec<(&'static str, NewJson)> {
        let event = |(event, tools): &(&'static str, Option<&str>)| {
            (*event, NewJson::List(vec![self.entry(event, *tools, commands)]))
        };
        let hooks = NewJson::Object(self.settings().events.iter().map(event).collect());
        match self {
            Self::Cursor | Self::Copilot => vec![("version", NewJson::Number(1)), ("hooks", hooks)],
            Self::Claude | Self::Codex | Self::Gemini => vec![("hooks", hooks)],
        }
    }

    fn entry(self, event: &str, tools: Option<&str>, commands: &[EntryCommand]) -> NewJson {
        let commands = commands.iter().map(|(key, command)| (*key, NewJson::Text(command.clone())));
        let tools = tools.map(|tools| ("matcher", NewJson::Text(tools.to_owned())));
        let kind = [("type", NewJson::Text("command".to_owned()))];
        let timeout = |key| (key, NewJson::Number(self.timeout()));
        // Cursor repeats a stop by itself; once is enough, because a session is asked once
        let limit = (self == Self::Cursor && event == "stop").then_some(("loop_limit", NewJson::Number(1)));
        let members = match self {
            Self::Cursor => commands.chain([timeout("timeout")]).chain(tools).chain(limit).collect(),
            Self::Copilot => kind.into_iter().chain(commands).chain([timeout("timeoutSec")]).collect(),
            Self::Claude | Self::Codex | Self::Gemini => {
                let called = kind.into_iter().chain(commands).chain([timeout("timeout")]).collect();
                let called = NewJson::List(vec![NewJson::Object(called)]);
                tools.into_iter().chain([("hooks", called)]).collect()
            }
        };
        NewJson::Object(members)
    }
}
