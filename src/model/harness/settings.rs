//! Where each harness keeps its hooks, and the entries that let it call this program. The event before a tool is never
//! registered: there a failure could cost an edit.

use super::Harness;
use crate::text::json_edit::NewJson;

/// The command of a project's entries. `|| true`: a missing program (127) blocks the end of a session in Gemini CLI, and one
/// that does not know the verb (2) blocks it in Claude Code, Codex and Gemini CLI. The parentheses: Cursor appends the payload
/// as a here-document, which without them would go to `true`.
pub(crate) const COMMAND: &str = "(yatsu-hook agent event || true)";

/// The same for cmd and PowerShell, which do not know `true`.
pub(crate) const WINDOWS_COMMAND: &str = "yatsu-hook agent event";

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
};

const CODEX: HookSettings = HookSettings {
    folder: ".codex",
    file: ".codex/hooks.json",
    variable: Some("CODEX_HOME"),
    home: ".codex",
    user_file: "hooks.json",
    events: &[("SessionStart", None), ("PostToolUse", Some("Bash|apply_patch")), ("Stop", None)],
    plain: true,
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
};

const COPILOT: HookSettings = HookSettings {
    folder: ".github/hooks",
    file: ".github/hooks/yatsu-hook.json",
    variable: Some("COPILOT_HOME"),
    home: ".copilot",
    user_file: "hooks/yatsu-hook.json",
    events: &[("SessionStart", None), ("PostToolUse", None), ("PostToolUseFailure", None), ("Stop", None)],
    plain: false,
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

    /// What a file of the harness needs, so that each event runs `command`.
    pub(crate) fn additions(self, command: &str) -> Vec<(&'static str, NewJson)> {
        let event = |(event, tools): &(&'static str, Option<&str>)| {
            (*event, NewJson::List(vec![self.entry(event, *tools, command)]))
        };
        let hooks = NewJson::Object(self.settings().events.iter().map(event).collect());
        match self {
            Self::Cursor | Self::Copilot => vec![("version", NewJson::Number(1)), ("hooks", hooks)],
            Self::Claude | Self::Codex | Self::Gemini => vec![("hooks", hooks)],
        }
    }

    fn entry(self, event: &str, tools: Option<&str>, command: &str) -> NewJson {
        let command = ("command", NewJson::Text(command.to_owned()));
        let tools = tools.map(|tools| ("matcher", NewJson::Text(tools.to_owned())));
        let kind = ("type", NewJson::Text("command".to_owned()));
        let timeout = |factor| ("timeout", NewJson::Number(TIMEOUT * factor));
        // Cursor repeats a stop by itself; once is enough, because a session is asked once
        let limit = (self == Self::Cursor && event == "stop").then_some(("loop_limit", NewJson::Number(1)));
        let members = match self {
            Self::Cursor => [command, timeout(1)].into_iter().chain(tools).chain(limit).collect(),
            Self::Copilot => vec![kind, command, ("timeoutSec", NewJson::Number(TIMEOUT))],
            Self::Claude | Self::Codex | Self::Gemini => {
                let factor = if self == Self::Gemini { 1000 } else { 1 };
                let called = NewJson::List(vec![NewJson::Object(vec![kind, command, timeout(factor)])]);
                tools.into_iter().chain([("hooks", called)]).collect()
            }
        };
        NewJson::Object(members)
    }
}
