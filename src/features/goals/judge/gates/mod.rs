//! Evaluates the goals of the nodes of a state with both gates. The engine decides; this module gives it the data of the
//! repository: bytes of evidence, files, lost lines.

mod bytes;
mod demands;
pub(crate) mod rows;
pub(crate) mod state;

pub(crate) use demands::{JUDGING, goal_settings, reached_of};
pub(crate) use state::{WholeState, reached, stricter};

use crate::engine::budget::FiledAt;
use crate::engine::facts::{Facts, Score, at_gate};
use crate::engine::freshness::Judge;
use crate::error::Result;
use crate::features::goals::judge::engine::collect::{GoalView, TrackedFiles};
use crate::features::goals::judge::engine::trust::TrustTerms;
use crate::features::goals::judge::engine::{NodeGoal, evaluate};
use crate::features::goals::model::settings::GoalSettings;
use crate::model::config::Config;
use crate::model::contract::Goal;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
use crate::rules::LostLine;
use crate::store::evidence::Cache;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The results of both gates by these settings in the state of `judge`, for every node that `wanted` accepts, in the order of
/// the nodes. `lost` are the ledger lines lost since the bases, `pushed` the readings that a push adds.
///
/// # Errors
/// When one local file or object cannot be read; then there are no results at all.
pub(crate) fn evaluated(
    judge: &Judge<'_>,
    facts: &Facts,
    cache: &Cache,
    lost: &[LostLine],
    pushed: &BTreeSet<FiledAt>,
    settings: GoalSettings,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<Vec<NodeGoal>> {
    let files = TrackedFiles::of(judge.view());
    let terms = TrustTerms { threshold: settings.trust_threshold, require_review: settings.require_review };
    let mut found = Vec::new();
    for (index, node) in facts.workspace.nodes.iter().enumerate().filter(|(_, node)| wanted(node)) {
        let lost = lost.iter().filter(|lost| lost.line.dir == node.dir);
        let declared = node.scenarios().iter().zip(&facts.scores[index]);
        let scores: Vec<Score> = declared
            .map(|(scenario, score)| at_gate(judge, node, scenario, score).map(Cow::into_owned))
            .collect::<Result<_>>()?;
        let view = GoalView {
            node,
            scores: &scores,
            filings: &facts.filings[index],
            lost: lost.map(|lost| [lost.line.ledger.to_string(), lost.from.revision.clone()]).collect(),
            pushed,
            files: &files,
            evidence: cache,
        };
        let goal = goal_of(node).clone();
        let facts = view.facts(goal.contract())?;
        let evaluation = evaluate(&goal, &facts, terms);
        found.push(NodeGoal { dir: node.dir.clone(), id: node.id.clone(), goal, facts, evaluation });
    }
    Ok(found)
}

/// Whether a configuration asks for contracts.
pub(crate) fn are_required(config: &Config) -> bool {
    config.of::<GoalSettings>().require
}

/// The goal in the scenario file of a node.
pub(crate) fn goal_of(node: &Node) -> &Goal {
    node.file.as_ref().map_or(&Goal::Unset, |file| &file.goal)
}

/// Whether a score evaluates the goal of a node: it has a contract, or a ledger line claims the goal reached and the
/// contract is gone since. A node without a scenario file declares nothing, so its claims do not count.
pub(crate) fn is_scored(node: &Node) -> bool {
    let mut lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let is_claim = |event: &Event| match event {
        Event::Decision(decision) => decision.kind == GoalDecisionKind::Complete.as_str(),
        _ => false,
    };
    *goal_of(node) != Goal::Unset || (node.file.is_some() && lines.any(|line| is_claim(&line.event)))
}
