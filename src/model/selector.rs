//! Selectors: the part of a file that an entry `path#symbol` of a governed list means (docs/selectors.md).

/// The part of an entry after its `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The name of the unit, trimmed, never empty.
    pub symbol: String,
    /// Why the whole file is meant nevertheless; set when the list is resolved.
    pub fault: Option<SelectorFault>,
}

/// Why a selector does not narrow, independent of the file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorFault {
    /// The list has the same selector twice.
    Repeated,
    /// The list also has the whole file.
    BesideFile,
    OfDirectory,
    /// The path is a submodule; its files belong to another repository.
    OfSubmodule,
    /// The path is a glob.
    OfGlob,
}

impl Selector {
    /// The selector for the symbol in `text`; `None` for an empty symbol, which narrows nothing.
    pub(super) fn new(text: &str) -> Option<Self> {
        let symbol = text.trim();
        (!symbol.is_empty()).then(|| Self { symbol: symbol.to_owned(), fault: None })
    }
}
