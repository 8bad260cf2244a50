//! The harnesses that run coding agents and have doors of their own: at a session's start, after an edit, at its stop.

pub(crate) mod calls;
pub(crate) mod hook_state;
pub(crate) mod settings;

use crate::text::spelled::spelled;

/// The variable of an environment that switches this program's hooks off, with its value. `SKIP` is a list of hook ids, as in
/// pre-commit.
pub(crate) fn env_switch(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    if value("YATSU_HOOK").is_some_and(|value| value == "0") {
        return Some("YATSU_HOOK=0");
    }
    value("SKIP")?.split(',').any(|id| id.trim() == "yatsu-hook").then_some("SKIP=yatsu-hook")
}

spelled! {
    /// A harness in which a person can install this program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Harness {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Cursor.
        Cursor = "cursor",
        /// Gemini CLI.
        Gemini = "gemini",
        /// GitHub Copilot, its command line and its agent.
        Copilot = "copilot",
    }
}
