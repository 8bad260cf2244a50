//! One file of a stamp, and its spelling (formats.md, "A reading").

use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;

/// A stamp with more files is omitted, and only the commit identifies the content. Units are omitted if they exceed this
/// number together with the files.
pub const MAX_STAMPED_FILES: usize = 256;

/// A stamped file: one result of expanding the governed list at filing (formats.md, "The stamp").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stamped {
    /// A regular file: `<id>`.
    File(Oid),
    /// An executable: `x:<id>`.
    Exec(Oid),
    /// A symbolic link: `l:<id>`.
    Link(Oid),
    /// A submodule: `m:<id>`.
    Submodule(Oid),
    /// Not there: `-`.
    Absent,
}

/// The stamp of a reading that has a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StampKind {
    /// The stamp of the governed files.
    Governed,
    /// The stamp of the test.
    Test,
}

impl Stamped {
    pub(crate) fn to_text(self) -> String {
        match self {
            Self::File(id) => id.to_string(),
            Self::Exec(id) => format!("x:{id}"),
            Self::Link(id) => format!("l:{id}"),
            Self::Submodule(id) => format!("m:{id}"),
            Self::Absent => "-".into(),
        }
    }

    pub(crate) fn id(self) -> Option<Oid> {
        match self {
            Self::File(id) | Self::Exec(id) | Self::Link(id) | Self::Submodule(id) => Some(id),
            Self::Absent => None,
        }
    }

    /// Parses the spelling in a stamp; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let id = |hex: &str| Oid::from_hex(hex.as_bytes());
        match text.split_once(':') {
            None if text == "-" => Some(Self::Absent),
            None => id(text).map(Self::File),
            Some(("x", hex)) => id(hex).map(Self::Exec),
            Some(("l", hex)) => id(hex).map(Self::Link),
            Some(("m", hex)) => id(hex).map(Self::Submodule),
            Some(_) => None,
        }
    }
}

/// A unit of a stamped file: its selector with a normalised path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StampedUnit {
    /// The file.
    pub path: RepoPath,
    /// The symbol as spelled in the list, never empty.
    pub symbol: String,
}

impl StampedUnit {
    /// Parses the spelling in a stamp; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (path, symbol) = text.split_once('#')?;
        let path = RepoPath::parse(path.as_bytes()).ok().filter(|read| *read.as_bstr() == *path)?;
        let is_symbol = !symbol.is_empty() && symbol.trim() == symbol;
        is_symbol.then(|| Self { path, symbol: symbol.to_owned() })
    }

    /// The spelling in a stamp; `None` if the path has none, or would be read back as another path.
    pub(crate) fn to_text(&self) -> Option<String> {
        let text = format!("{}#{}", std::str::from_utf8(self.path.as_bstr()).ok()?, self.symbol);
        (Self::parse(&text).as_ref() == Some(self)).then_some(text)
    }
}
