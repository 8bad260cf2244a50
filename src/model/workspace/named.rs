//! What the nodes of a view name, and nothing else of them: the paths of their lists, the hashes and the paths of units in
//! their ledgers. For whoever judges some nodes and must know of all others what may concern them: no scenario is read, no line of a ledger,
//! nothing is resolved.

use super::catalog::{NodeFiles, catalog};
use super::files;
use super::parse_cache::NothingBefore;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::EvidenceHash;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// What the files of one directory name: at least what they name once they are loaded.
pub(crate) struct NamedByNode {
    /// The directory.
    pub dir: RepoPath,
    /// Whether it is a node, and not merely where a ledger was left behind.
    pub is_node: bool,
    /// Whether somebody may have measured what it declares.
    pub is_measured: bool,
    /// Every path that its files list.
    pub governed: Vec<Governed>,
    /// Every hash that its readings name.
    pub hashes: Vec<EvidenceHash>,
    /// The path of every unit that its readings stamped.
    pub units: BTreeSet<RepoPath>,
}

/// Tells `see` what each node of a view names, by directory.
///
/// # Errors
/// When the tree cannot be read, and what `see` fails with.
pub(crate) fn named_by_nodes(
    tree: &dyn Tree,
    config: &Config,
    see: &mut dyn FnMut(NamedByNode) -> Result<()>,
) -> Result<()> {
    catalog(tree, config)?.into_iter().try_for_each(|found| see(named_by(tree, found)?))
}

fn named_by(tree: &dyn Tree, found: NodeFiles) -> Result<NamedByNode> {
    let mut governed = Vec::new();
    if let Some(file) = &found.spec {
        let spec = files::spec(tree, file, &NothingBefore)?;
        governed.extend(spec.code.into_iter().chain(spec.related));
    }
    let scenarios = found.yatsu.as_ref().or(found.eval.as_ref());
    if let Some(file) = scenarios {
        governed.extend(files::governed(tree, file)?);
    }
    let (mut hashes, mut units) = (Vec::new(), BTreeSet::new());
    for file in &found.ledgers {
        let named = files::named_by_lines(tree, file)?;
        hashes.extend(named.hashes);
        units.extend(named.units);
    }
    let (is_node, is_measured) = (found.is_node(), scenarios.is_some() && !found.ledgers.is_empty());
    Ok(NamedByNode { dir: found.dir, is_node, is_measured, governed, hashes, units })
}
