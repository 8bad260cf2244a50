//! `show`: the timeline of one node.

use super::view::{ScoreView, declared, node_ref, row};
use crate::app::judge::branch::touched;
use crate::app::judge::unseen;
use crate::app::record::site::pick_node;
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::finding::NodeRef;
use crate::model::ids::composed;
use crate::model::ledger::{Event, Redaction};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::score::{RedactedRow, ScenarioRow};
use crate::tree::path::RepoPath;

/// Every scenario of one node with all its effective readings, newest first. `here` is the directory in which the user
/// stands.
///
/// # Errors
/// Usage, with the candidates, when it is not clear which node is meant.
pub(crate) fn show(repo: &Repo, reference: Option<&str>, here: &RepoPath) -> Result<(NodeRef, Vec<ScenarioRow>)> {
    let score = ScoreView::load(repo)?;
    let node = pick_node(&score.workspace.nodes, reference, here, || touched(repo, &score.workspace.nodes))
        .map_err(|error| unseen::hinted(error, &*score.view, &score.workspace.config))?;
    let judge = score.judge();
    let effective = Effective::of(node);
    let mut rows = Vec::new();
    for scenario in declared(node) {
        let timeline = effective.timeline(&scenario.name);
        let readings = timeline.iter().map(|filed| score.reading(&judge, node, scenario, filed));
        let row = row(node, scenario, readings.collect::<Result<_>>()?, Vec::new());
        rows.push(ScenarioRow { redacted: redacted(node, scenario), ..row });
    }
    score.count(&effective, &mut rows)?;
    Ok((node_ref(node), rows))
}

/// The lines of `scenario` that were taken out, newest first.
pub(super) fn redacted(node: &Node, scenario: &Scenario) -> Vec<RedactedRow> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let mut found: Vec<&Redaction> = lines
        .filter_map(|line| if let Event::Redaction(of) = &line.event { Some(&**of) } else { None })
        .filter(|of| composed(&of.scenario) == composed(&scenario.name))
        .collect();
    found.sort_by_key(|of| std::cmp::Reverse(of.ts));
    let row = |of: &Redaction| RedactedRow {
        ts: of.ts.to_string(),
        reason: of.redacted.reason.clone(),
        by: of.by.clone(),
        line: of.redacted.line.to_string(),
    };
    found.into_iter().map(row).collect()
}
