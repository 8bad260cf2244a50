//! Which selectors of a state name no unit. The selectors of its lists in; those that are dead, ambiguous, or of a file that
//! cannot be read out (docs/selectors.md). What a symbol is in a file tells [`super::units`]; which selectors narrow
//! nothing beside the others of their list the model does.

use super::units::{SymbolFound, UnitBook};
use crate::error::{Error, Result};
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// A selector in the list that governs by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSelector<'m> {
    /// The number of its node.
    pub node: usize,
    /// The number of the scenario in whose own list it stands; `None` for the list of the node.
    pub scenario: Option<usize>,
    /// The entry.
    pub entry: &'m Governed,
    /// What of the file it means.
    pub symbol: &'m str,
}

/// A selector that names no unit.
#[derive(Clone, Debug)]
pub(crate) struct UnmetSelector {
    /// The number of its node.
    pub node: usize,
    /// The number of the scenario in whose own list it stands; `None` for the list of the node.
    pub scenario: Option<usize>,
    /// The entry.
    pub entry: Governed,
    /// The file that it is of, links looked through.
    pub file: RepoPath,
    /// What it is instead of a unit.
    pub found: SymbolFound,
    /// What it probably misspells, the nearest first.
    pub near: Vec<String>,
}

/// A selector about which nobody could be asked.
#[derive(Clone, Debug)]
pub(crate) struct UnaskedSelector {
    /// The number of its node.
    pub node: usize,
    /// The number of the scenario in whose own list it stands; `None` for the list of the node.
    pub scenario: Option<usize>,
    /// The entry.
    pub entry: Governed,
    /// Why.
    pub reason: Error,
}

/// What is known of the selectors of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectorFacts {
    /// Those that name no unit.
    pub unmet: Vec<UnmetSelector>,
    /// Those about which nobody could be asked.
    pub unasked: Vec<UnaskedSelector>,
}

/// Every selector by which a scenario governs, of each node first those that its scenarios take from it.
pub(crate) fn listed(nodes: &[Node]) -> impl Iterator<Item = ListedSelector<'_>> {
    nodes.iter().enumerate().flat_map(|(number, node)| {
        let scenarios = node.file.as_ref().map_or(&[][..], |file| &file.scenarios);
        let inherits = scenarios.iter().any(|scenario| scenario.code.is_empty());
        let inherited = node.spec.iter().filter(move |_| inherits).map(|spec| (None, &spec.code));
        let own = scenarios.iter().enumerate().map(|(scenario, declared)| (Some(scenario), &declared.code));
        inherited.chain(own).flat_map(move |(scenario, list)| {
            let selector = move |entry| Some(ListedSelector { node: number, scenario, entry, symbol: entry.symbol()? });
            list.iter().filter_map(selector)
        })
    })
}

/// Asks `book` what those selectors of `nodes` mean in `view` that are `wanted`, by themselves and by the file that each is of.
pub(crate) fn ask(
    view: &dyn Tree,
    book: &UnitBook,
    nodes: &[Node],
    wanted: &dyn Fn(&ListedSelector<'_>, &RepoPath) -> bool,
) -> SelectorFacts {
    let mut facts = SelectorFacts::default();
    book.in_rounds(|| facts = asked(view, book, nodes, wanted));
    facts
}

fn asked(
    view: &dyn Tree,
    book: &UnitBook,
    nodes: &[Node],
    wanted: &dyn Fn(&ListedSelector<'_>, &RepoPath) -> bool,
) -> SelectorFacts {
    let mut facts = SelectorFacts::default();
    for selector in listed(nodes) {
        let ListedSelector { node, scenario, entry, .. } = selector;
        match unmet(view, book, &selector, wanted) {
            Ok(unmet) => facts.unmet.extend(unmet),
            Err(error) => {
                let (entry, reason) = (entry.clone(), error);
                facts.unasked.push(UnaskedSelector { node, scenario, entry, reason });
            }
        }
    }
    facts
}

fn unmet(
    view: &dyn Tree,
    book: &UnitBook,
    selector: &ListedSelector<'_>,
    wanted: &dyn Fn(&ListedSelector<'_>, &RepoPath) -> bool,
) -> Result<Option<UnmetSelector>> {
    let ListedSelector { node, scenario, entry, symbol } = *selector;
    let Some(file) = file_of(view, entry)?.filter(|file| wanted(selector, file)) else { return Ok(None) };
    let Some(found) = book.in_view(view, &file, symbol)? else { return Ok(None) };
    let near = match found {
        SymbolFound::Unit(_) => return Ok(None),
        // that no time is left to look for them makes the selector no better
        SymbolFound::Dead => book.near(view, &file, symbol).unwrap_or_default(),
        SymbolFound::Ambiguous(_) | SymbolFound::Unread(_) => Vec::new(),
    };
    Ok(Some(UnmetSelector { node, scenario, entry: entry.clone(), file, found, near }))
}

/// The file that an entry means, at the end of the links on its way; `None` where no file is there.
///
/// # Errors
/// When the view cannot be read.
pub(crate) fn file_of(view: &dyn Tree, entry: &Governed) -> Result<Option<RepoPath>> {
    let files = matches(view, entry)?;
    Ok(files.into_iter().find(|(_, entry)| matches!(entry.kind, Kind::File | Kind::Exec)).map(|(path, _)| path))
}
