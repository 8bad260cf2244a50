//! Collects the paths in the lists of all nodes, and the hashes and paths in their ledgers, without parsing scenarios
//! or lines. Used when only some nodes are judged, to find other nodes that a change may affect. No path is resolved.

use super::catalog::{NodeFiles, catalog};
use super::files;
use super::parse_cache::NothingBefore;
use crate::error::Result;
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::EvidenceHash;
use crate::model::left_files::LeftFiles;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The paths and hashes that the files of one directory name. It may hold more than the loaded files name, never less.
pub(crate) struct NamedByNode {
    pub dir: RepoPath,
    /// Whether it is a node, and not only the place of a leftover ledger.
    pub is_node: bool,
    /// Whether its scenarios may have readings.
    pub is_measured: bool,
    /// Whether a ledger there holds a decision about a patch.
    pub decides: bool,
    /// Every path that its files list.
    pub governed: Vec<Governed>,
    /// Every command that its scenarios declare.
    pub commands: Vec<String>,
    /// Every hash in its readings.
    pub hashes: Vec<EvidenceHash>,
    /// The path of every unit in the stamps of its readings.
    pub units: BTreeSet<RepoPath>,
    /// The stamped files that left the list of their scenario, with the ids of their contents.
    pub left: BTreeSet<(RepoPath, Option<Oid>)>,
    /// The files that ran by its readings, if hooks print `under-declared`.
    pub ran: BTreeSet<RepoPath>,
}

/// Calls `see` for each directory of a view, in order.
///
/// # Errors
/// When the tree cannot be read, and errors of `see`.
pub(crate) fn named_by_nodes(
    tree: &dyn Tree,
    config: &Config,
    see: &mut dyn FnMut(NamedByNode) -> Result<()>,
) -> Result<()> {
    catalog(tree, config)?.into_iter().try_for_each(|found| see(named_by(tree, config, found)?))
}

fn named_by(tree: &dyn Tree, config: &Config, found: NodeFiles) -> Result<NamedByNode> {
    let scenario_file = found.yatsu.as_ref().or(found.eval.as_ref());
    let spec = found.spec.as_ref().map(|file| files::spec(tree, file, &NothingBefore)).transpose()?;
    let entries = scenario_file.map_or(Ok(Vec::new()), |file| files::named_by_scenarios(tree, file))?;
    let mut left = LeftFiles::default();
    for entry in &entries {
        let of_node = spec.iter().filter(|_| entry.code.is_empty()).flat_map(|spec| &spec.code);
        let code = entry.code.iter().chain(of_node).collect();
        entry.name.iter().for_each(|name| left.declare(name, Vec::clone(&code), entry.test.as_ref()));
    }
    let (mut hashes, mut units, mut ran, mut decides) = (Vec::new(), BTreeSet::new(), BTreeSet::new(), false);
    for file in &found.ledgers {
        let named = files::named_by_lines(tree, file, config.raises(RuleId::UnderDeclared), &mut left)?;
        hashes.extend(named.hashes);
        units.extend(named.units);
        ran.extend(named.ran);
        decides |= named.decides;
    }
    let left = left.files;
    let commands = entries.iter().filter_map(|entry| entry.command.clone()).collect();
    let mut governed: Vec<Governed> =
        spec.into_iter().flat_map(|spec| spec.code.into_iter().chain(spec.related)).collect();
    governed
        .extend(entries.into_iter().flat_map(|entry| entry.code.into_iter().chain(entry.related).chain(entry.test)));
    let (is_node, is_measured) = (found.is_node(), scenario_file.is_some() && !found.ledgers.is_empty());
    Ok(NamedByNode { dir: found.dir, is_node, is_measured, decides, governed, commands, hashes, units, left, ran })
}
