//! What `units` prints, as plain data.

use bstr::BString;

/// The units of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileUnits {
    /// The file, from the top of the repository.
    pub path: BString,
    /// What it is written in; `None` where no language is known for its name.
    pub language: Option<&'static str>,
    /// Its units, in the order of the file.
    pub units: Vec<UnitRow>,
    /// Why they are not known.
    pub unread: Option<String>,
}

/// One unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnitRow {
    /// The selector: the names from the outside in.
    pub name: String,
    /// What it is, in the words of the language.
    pub kind: &'static str,
    /// Its first and its last line, from 1.
    pub lines: (usize, usize),
    /// The git object id of its bytes.
    pub id: String,
    /// The line of a syntax error for which it cannot be told from what is around it.
    pub broken: Option<usize>,
}
