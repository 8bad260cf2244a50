//! `graph check`: the gaps of a graph as findings: unusable input, relations to missing nodes, and unproven merged
//! branches.

use crate::app::judge::Options;
use crate::app::judge::excerpts;
use crate::app::judge::levels;
use crate::app::judge::verdict;
use crate::app::query::view::snapshot_of;
use crate::error::Result;
use crate::features::graph::judge::gaps::GraphGaps;
use crate::features::graph::judge::{DerivedGraph, GraphSource, GraphView};
use crate::features::graph::rules::{graph_dangling, graph_partial, promoted_unproven};
use crate::report::view::{Report, Scope, ScopeMode};
use crate::tree::path::RepoPath;

/// The findings about the graph of `source`, with excerpts of the lines that they are about.
///
/// # Errors
/// As [`DerivedGraph::of`].
pub(crate) fn check(source: &GraphSource<'_>, mode: ScopeMode, options: Options) -> Result<Report> {
    let from = &DerivedGraph::of(source, None)?;
    let gaps = GraphGaps { unproven: from.unproven.clone(), ..GraphGaps::of(&from.graph, &from.missed) };
    let mut found = Vec::new();
    for check in [graph_partial::check, graph_dangling::check, promoted_unproven::check] {
        check(&gaps, &mut found);
    }
    let mut findings = levels::apply(found, &from.config, options.strict);
    let backend = match source {
        GraphSource::View(GraphView { repo, rev, .. }) => {
            if !findings.is_empty() {
                excerpts::of_view(&mut findings, &*snapshot_of(repo, *rev)?.view);
            }
            Some(repo.answered_by())
        }
        GraphSource::Log { name, bytes, .. } => {
            let own = &mut |path: &RepoPath| (path.to_string() == *name).then(|| bytes.clone());
            excerpts::add(&mut findings, &|_| Vec::new(), own);
            None
        }
    };
    let nodes = from.nodes.len();
    let scope = Scope { mode, base: None, tip: None, backend, files: 0, nodes };
    Ok(verdict::report(scope, findings, options.reader))
}
