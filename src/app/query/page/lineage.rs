//! Lineage on the page: the causes and resolutions of failures, taken from the graph, scenario by scenario.

use super::PageRequest;
use super::masked::Masker;
use crate::app::query::graph::{DerivedGraph, GraphSource, GraphView, failures};
use crate::app::query::view::ScoreView;
use crate::error::Result;
use crate::model::graph::node;
use crate::report::view::graph::GraphLine;
use crate::report::view::page::{PageContent, PageLineage, PageScenario};
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;
use std::collections::HashMap;

/// Most scenarios with a lineage.
const MOST: usize = 200;

/// Fills in the lineage of `content` for every scenario with a failed reading on the page.
///
/// # Errors
/// When the graph cannot be made.
pub(super) fn trace(
    score: &ScoreView<'_>,
    request: &PageRequest,
    content: &mut PageContent,
    masker: &mut Masker,
) -> Result<()> {
    let failed: Vec<&PageScenario> = content.scenarios().filter(|scenario| has_failed(scenario)).take(MOST).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let view = GraphView { repo: score.repo, rev: request.rev.as_deref(), branches: false };
    let graph = DerivedGraph::of(&GraphSource::View(view), None)?;
    let id = |scenario: &PageScenario| {
        node::scenario(&RepoPath::from_git(scenario.row.node.dir.clone()), &scenario.row.scenario)
    };
    let by_id: HashMap<String, &PageScenario> = failed.iter().map(|scenario| (id(scenario), *scenario)).collect();
    let ids: Vec<String> = failed.iter().map(|scenario| id(scenario)).collect();
    let found = failures(&graph, &ids).into_iter().filter_map(|(id, tree)| {
        let scenario = by_id.get(&id)?;
        let name = format!("{}/{}", scenario.row.node.id, scenario.row.scenario);
        let told = |line: GraphLine| GraphLine { about: masker.text(&line.about), id: masker.text(&line.id), ..line };
        let lines = tree.lines.into_iter().map(told).collect();
        Some(PageLineage { anchor: scenario.anchor.clone(), name, lines })
    });
    let lineage: Vec<PageLineage> = found.collect();
    for scenario in content.nodes.iter_mut().flat_map(|node| &mut node.scenarios) {
        scenario.has_lineage = lineage.iter().any(|one| one.anchor == scenario.anchor);
    }
    content.lineage = lineage;
    Ok(())
}

fn has_failed(scenario: &PageScenario) -> bool {
    scenario.row.readings.iter().any(|reading| reading.effective() == ShownVerdict::Fail)
}
