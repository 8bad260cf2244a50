//! Finds the selectors of a state that name no unit. The selectors of its lists in; the dead and ambiguous ones, and the
//! ones of unreadable files, out (docs/selectors.md). [`super::units`] looks symbols up in files. The model finds selectors
//! that narrow nothing beside the other entries of their list.

use super::units::{SymbolFound, UnitBook};
use crate::error::{Error, Result};
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSelector<'m> {
    pub node: usize,
    /// The index of the scenario with the list; `None` for the list of the node.
    pub scenario: Option<usize>,
    pub entry: &'m Governed,
    pub symbol: &'m str,
}

/// A selector that names no unit.
#[derive(Clone, Debug)]
pub(crate) struct UnmetSelector {
    pub node: usize,
    /// The index of the scenario with the list; `None` for the list of the node.
    pub scenario: Option<usize>,
    pub entry: Governed,
    /// The file of the selector, with links followed.
    pub file: RepoPath,
    /// The result instead of a unit.
    pub found: SymbolFound,
    /// Units with a similar name, the nearest first.
    pub near: Vec<String>,
}

/// A selector that could not be looked up.
#[derive(Clone, Debug)]
pub(crate) struct UnaskedSelector {
    pub node: usize,
    /// The index of the scenario with the list; `None` for the list of the node.
    pub scenario: Option<usize>,
    pub entry: Governed,
    pub reason: Error,
}

/// The results for the selectors of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectorFacts {
    /// The selectors that name no unit.
    pub unmet: Vec<UnmetSelector>,
    /// The selectors that could not be looked up.
    pub unasked: Vec<UnaskedSelector>,
}

/// Every governing selector; for each node, the selectors of the node's own list come first.
pub(crate) fn listed(nodes: &[Node]) -> impl Iterator<Item = ListedSelector<'_>> {
    nodes.iter().enumerate().flat_map(|(number, node)| {
        let scenarios = node.scenarios();
        let inherits = scenarios.iter().any(|scenario| scenario.code.is_empty());
        let inherited = node.spec.iter().filter(move |_| inherits).map(|spec| (None, &spec.code));
        let own = scenarios.iter().enumerate().map(|(scenario, declared)| (Some(scenario), &declared.code));
        inherited.chain(own).flat_map(move |(scenario, list)| {
            let selector = move |entry| Some(ListedSelector { node: number, scenario, entry, symbol: entry.symbol()? });
            list.iter().filter_map(selector)
        })
    })
}

/// Looks up the selectors of `nodes` in `view`. `wanted` chooses them by the selector and its file.
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
        // if no time is left to search, the selector is still unmet, only without suggestions
        SymbolFound::Dead => book.near(view, &file, symbol).unwrap_or_default(),
        SymbolFound::Ambiguous(_) | SymbolFound::Unread(_) => Vec::new(),
    };
    Ok(Some(UnmetSelector { node, scenario, entry: entry.clone(), file, found, near }))
}

/// The file that an entry names, with links followed; `None` if there is no file.
///
/// # Errors
/// The view cannot be read.
pub(crate) fn file_of(view: &dyn Tree, entry: &Governed) -> Result<Option<RepoPath>> {
    let files = matches(view, entry)?;
    Ok(files.into_iter().find(|(_, entry)| matches!(entry.kind, Kind::File | Kind::Exec)).map(|(path, _)| path))
}
