//! Which files may run undeclared by what one state says.

use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::node::Declared;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// Whether the scenario or its node names the file without governing it, or the file is its test.
pub(super) fn is_related(Declared { node, scenario }: Declared<'_>, path: &RepoPath) -> bool {
    let mut related = scenario.related.iter().chain(node.spec.iter().flat_map(|spec| &spec.related));
    let is_test = || scenario.test.iter().any(|test| test.literals().any(|literal| literal == path));
    related.any(|entry: &Governed| entry.covers(path)) || is_test()
}

pub(super) fn is_ignored(config: &Config, path: &RepoPath) -> bool {
    config.coverage_ignore.covers(path) || config.exclude.covers(path)
}

pub(super) fn is_file(tree: &dyn Tree, path: &RepoPath) -> Result<bool> {
    Ok(matches!(tree.kind(path)?, Some(Kind::File | Kind::Exec)))
}
