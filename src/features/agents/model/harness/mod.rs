//! The harnesses that run coding agents and have doors of their own: at a session's start, after an edit, at its stop.

pub(crate) mod calls;
pub(crate) mod hook_state;
pub(crate) mod settings;

use crate::text::spelled::spelled;

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
