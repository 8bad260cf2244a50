//! Whether a range is approved, as a row to print.

use crate::finding::json;
use bstr::BString;
use serde::Serialize;

/// The answer about a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApprovalRow {
    /// `covered`, `rejected`, `short`, `lost` or `never`.
    pub status: &'static str,
    /// How many givers are needed.
    pub need: usize,
    /// The givers of the decisions that the status rests on.
    pub by: Vec<String>,
    /// The files that no approval covers.
    pub files: Vec<UnapprovedRow>,
}

/// A file that no approval covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnapprovedRow {
    /// Its path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The reason, for example `changed`.
    pub why: &'static str,
}
