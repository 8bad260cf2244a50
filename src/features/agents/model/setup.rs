//! The result of `agent install`, `agent uninstall` and `agent ls`.

use crate::report::view::InstallVerb;
use crate::text::spelled::spelled;
use serde::Serialize;

spelled! {
    /// What happens to a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FileFate {
        /// It is created.
        Create = "create",
        /// Entries are inserted.
        Insert = "insert",
        /// It gets the bytes of before.
        Restore = "restore",
        /// The entries are taken out of a file that was edited since.
        TakeOut = "take-out",
        /// It goes.
        Remove = "remove",
    }
}

spelled! {
    /// What a file says about this program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FileState {
        /// Every entry is there.
        Installed = "installed",
        /// Some entries are missing.
        Incomplete = "incomplete",
        /// There is no entry.
        Absent = "absent",
        /// It cannot be read.
        Unreadable = "unreadable",
    }
}

/// The changes of an installation, or of its dry run.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/agent/v1", rename_all = "camelCase")]
pub struct AgentReceipt {
    pub(crate) verb: InstallVerb,
    pub(crate) dry_run: bool,
    pub(crate) files: Vec<ChangedFile>,
    /// What the user should know, unescaped.
    pub(crate) notes: Vec<String>,
}

/// A file that changes.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedFile {
    /// `None` for a file of a plugin, which several harnesses read.
    pub(crate) harness: Option<&'static str>,
    pub(crate) path: String,
    pub(crate) change: FileFate,
    /// The events that the harness calls the program for.
    pub(crate) events: Vec<String>,
}

/// What stands in the files of every harness.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/agent-ls/v1")]
pub struct AgentList {
    pub(crate) files: Vec<ListedFile>,
}

/// The file of one harness, in the project or of the user.
#[derive(Clone, Debug, Serialize)]
pub struct ListedFile {
    pub(crate) harness: &'static str,
    /// `project` or `user`.
    pub(crate) scope: &'static str,
    pub(crate) path: String,
    pub(crate) state: FileState,
    /// What is missing, why it cannot be read, or what keeps the harness from running the entries.
    pub(crate) notes: Vec<String>,
    /// Whether the folder of the harness is there.
    pub(crate) used: bool,
}
