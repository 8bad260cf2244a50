//! Compares the scenarios of a state with another commit: whether a judgement there still speaks for this content. A merge
//! queue asks, because it makes commits that no one has seen.

use crate::app::query::view::node_ref;
use crate::engine::facts::Facts;
use crate::engine::freshness::{Judge, MovedContent};
use crate::error::Result;
use crate::features::page::model::range_review::{CheckedContent, DifferingScenario};
use crate::model::ledger::Reading;
use crate::tree::oid::Oid;

/// Compares the text and the governed content of every scenario of `facts`, which `judge` judges, with `rev`.
///
/// # Errors
/// When one comparison cannot be made: then nothing is known to be the same.
pub(super) fn compare(judge: &Judge<'_>, facts: &Facts, rev: Oid) -> Result<CheckedContent> {
    let mut differ = Vec::new();
    for (node, scenario, _) in facts.scenarios() {
        // as a reading would be judged that was measured at `rev`
        let found = judge.freshness(node, scenario, &Reading::nothing_but(&scenario.name, rev))?;
        if !found.is_fresh() {
            let paths = found.moved.iter().map(MovedContent::named).collect();
            differ.push(DifferingScenario { node: node_ref(node), scenario: scenario.name.clone(), paths });
        }
    }
    differ.sort_by(|one, other| (&one.node, &one.scenario).cmp(&(&other.node, &other.scenario)));
    Ok(CheckedContent { rev: rev.to_string(), same: differ.is_empty(), scenarios: facts.scenarios().count(), differ })
}
