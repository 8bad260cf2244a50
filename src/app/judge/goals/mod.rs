//! The goals of the nodes of a state: what both gates say of each. The engine judges; here it is given what only a repository
//! can say: bytes of evidence, files, what was lost.

mod bytes;
mod demands;
pub(crate) mod rows;
pub(crate) mod state;
mod whole;

pub(crate) use demands::{AskedGoals, asked, reached_of, score, settings};
pub(crate) use whole::{WholeState, reached};

use crate::engine::budget::FiledAt;
use crate::engine::facts::Facts;
use crate::engine::goal::collect::{GoalView, TrackedFiles};
use crate::engine::goal::facts::GoalFacts;
use crate::engine::goal::trust::TrustTerms;
use crate::engine::goal::{NodeGoal, evaluate};
use crate::error::Result;
use crate::model::config::GoalSettings;
use crate::model::contract::Goal;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
use crate::rules::LostLine;
use crate::store::evidence::Cache;
use crate::tree::Tree;
use bytes::CachedEvidence;
use std::collections::BTreeSet;

/// A state whose goals are asked after.
pub(crate) struct GoalState<'a> {
    /// Its content.
    pub(crate) tree: &'a dyn Tree,
    /// What is known of it.
    pub(crate) facts: &'a Facts,
    /// The evidence that is here.
    pub(crate) cache: &'a Cache,
    /// What was lost since its bases.
    pub(crate) lost: &'a [LostLine],
    /// The readings that a push adds; nothing where none is pushed.
    pub(crate) pushed: BTreeSet<FiledAt>,
    /// What the gates ask for.
    pub(crate) terms: TrustTerms,
}

impl GoalState<'_> {
    /// What both gates say of every node that `wanted` chooses, in their order.
    ///
    /// # Errors
    /// When something that is here cannot be read: then nothing is said of any.
    pub(crate) fn judged(&self, wanted: &dyn Fn(&Node) -> bool) -> Result<Vec<NodeGoal>> {
        let files = TrackedFiles::of(self.tree);
        let evidence = CachedEvidence { cache: self.cache };
        let mut found = Vec::new();
        for (index, node) in self.facts.workspace.nodes.iter().enumerate().filter(|(_, node)| wanted(node)) {
            let lost = self.lost.iter().filter(|lost| lost.line.dir == node.dir);
            let view = GoalView {
                node,
                scores: &self.facts.scores[index],
                filings: &self.facts.filings[index],
                lost: lost.map(|lost| [lost.line.ledger.to_string(), lost.from.revision.clone()]).collect(),
                pushed: &self.pushed,
                files: &files,
                evidence: &evidence,
            };
            found.push(self.node(&view)?);
        }
        Ok(found)
    }

    fn node(&self, view: &GoalView<'_>) -> Result<NodeGoal> {
        let goal = goal_of(view.node).clone();
        let facts: GoalFacts = view.facts(goal.contract())?;
        let evaluation = evaluate(&goal, &facts, self.terms);
        Ok(NodeGoal { dir: view.node.dir.clone(), id: view.node.id.clone(), goal, facts, evaluation })
    }
}

/// What the gates ask for by these settings.
fn terms(settings: &GoalSettings) -> TrustTerms {
    TrustTerms { threshold: settings.trust_threshold, require_review: settings.require_review }
}

/// What a node's scenario file says of its goal.
pub(crate) fn goal_of(node: &Node) -> &Goal {
    node.file.as_ref().map_or(&Goal::Unset, |file| &file.goal)
}

/// Whether a score asks after the goal of a node: it has one, or somebody claimed that it is reached and the contract is gone
/// since. A node without a scenario file declares nothing any more, and nobody claims anything of it.
pub(crate) fn is_scored(node: &Node) -> bool {
    let mut lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let is_claim = |event: &Event| match event {
        Event::Decision(decision) => decision.kind == GoalDecisionKind::Complete.as_str(),
        _ => false,
    };
    *goal_of(node) != Goal::Unset || (node.file.is_some() && lines.any(|line| is_claim(&line.event)))
}
