//! Everything the rules ask about one view: the workspace, the score of every scenario, who governs what.
//!
//! Collected once per view; the rules only read it.

use crate::engine::freshness::Freshness;
use crate::model::node::Node;
use crate::model::reading::Reading;
use crate::model::scenario::Scenario;
use crate::model::workspace::Workspace;
use crate::repo::path::RepoPath;

/// How the latest effective reading of a scenario stands.
#[derive(Clone, Debug)]
pub enum Standing {
    /// Nobody has measured it.
    Missing,
    /// It was measured, and this is whether the reading still speaks.
    Judged(Freshness),
    /// It was measured, and git cannot say whether the reading still speaks: the reason.
    NotJudged(String),
}

/// The score of one declared scenario.
#[derive(Clone, Debug)]
pub struct Score {
    /// The latest effective reading.
    pub latest: Option<Reading>,
    /// How it stands.
    pub standing: Standing,
}

/// The facts of one view.
#[derive(Debug)]
pub struct Facts {
    /// Nodes, scenarios, readings, configuration.
    pub workspace: Workspace,
    /// One score per node and scenario, in their order; empty for a node without a scenario file.
    pub scores: Vec<Vec<Score>>,
    /// Per node, a source file that it governs; only looked for where there is no scenario file.
    pub source_files: Vec<Option<RepoPath>>,
    /// Every file that a scenario's own `code:` governs, with (node, scenario) of each of its owners.
    pub owners: Vec<(RepoPath, Vec<(usize, usize)>)>,
}

impl Facts {
    /// Every declared scenario with its node and score.
    pub fn scenarios(&self) -> impl Iterator<Item = (&Node, &Scenario, &Score)> {
        self.workspace.nodes.iter().zip(&self.scores).flat_map(|(node, scores)| {
            let declared = node.file.iter().flat_map(|file| &file.scenarios);
            declared.zip(scores).map(move |(scenario, score)| (node, scenario, score))
        })
    }
}
