//! The data that `coverage suggest` prints.

use serde::Serialize;

/// All lists are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/coverage/v1")]
pub(crate) struct CoverageAnswer {
    /// The node's directory.
    pub node: String,
    pub scenario: String,
    /// The format of the reports; several are joined with commas.
    pub format: String,
    /// The whole list as proposed: the entries as written, and the added files.
    pub code: Vec<String>,
    /// The files to add.
    pub added: Vec<String>,
    /// The files that would be added if a list could hold their names.
    #[serde(skip)]
    pub unlisted: Vec<String>,
    pub ran: Vec<RanRow>,
    pub loaded: Vec<String>,
    /// The files that the reports name and that never ran.
    pub idle: Vec<String>,
    pub left: LeftRow,
    /// The governed ones among `idle`.
    #[serde(skip)]
    pub never_ran: Vec<String>,
    /// The file that holds the list; `None` if the node has none.
    #[serde(skip)]
    pub file: Option<String>,
    /// How many paths a list may have.
    #[serde(skip)]
    pub most: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RanRow {
    pub path: String,
    /// How many functions it has; `None` if neither the tool nor the grammar says so.
    pub functions: Option<u32>,
    pub ran_functions: u32,
    pub governed: bool,
}

/// How many named files are not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LeftRow {
    pub untracked: usize,
    pub generated: usize,
    pub tests: usize,
}
