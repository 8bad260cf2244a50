//! The data that `units` prints.

use crate::finding::json;
use bstr::BString;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/units/v1")]
pub(crate) struct FileUnits {
    /// The file, from the top of the repository.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// Its language; `None` if none is known for its name.
    pub language: Option<&'static str>,
    /// Its units, in the order of the file.
    pub units: Vec<UnitRow>,
    /// Why the units are not known, if they are not.
    pub unread: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UnitRow {
    /// The selector: the names from the outside in.
    pub name: String,
    /// Its kind, in the words of the language.
    pub kind: &'static str,
    /// Its first and its last line, from 1.
    pub lines: (usize, usize),
    /// The git object id of its bytes.
    pub id: String,
    /// The line of a syntax error, if it hides where the unit ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<usize>,
}
