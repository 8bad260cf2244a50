//! Selectors: what of a file an entry `path#symbol` of a governed list means (docs/selectors.md).

/// The part of an entry behind its `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The name of the unit, trimmed, never empty.
    pub symbol: String,
    /// Why the whole file is meant nevertheless; nobody knows before the list is resolved.
    pub fault: Option<SelectorFault>,
}

/// Why a selector does not narrow, whatever the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorFault {
    /// The list has the same selector once more.
    Repeated,
    /// The list has the file as a whole, too.
    BesideFile,
    /// The path is a directory.
    OfDirectory,
    /// The path is a submodule, whose files are not this repository's.
    OfSubmodule,
    /// The path is a glob.
    OfGlob,
}

impl Selector {
    /// The selector of the symbol that `text` spells; `None` for an empty one, which narrows nothing.
    pub(super) fn new(text: &str) -> Option<Self> {
        let symbol = text.trim();
        (!symbol.is_empty()).then(|| Self { symbol: symbol.to_owned(), fault: None })
    }
}
