//! What needs measuring: of every scenario how the reading that counts stands, and nothing else that a row of the score would say.
//! With the nodes and the configuration that were read for it, so that whoever decides reads nothing twice.

use super::terms::shown_verdict;
use super::view::{ScoreView, declared, state};
use crate::app::claim::need::NeedRow;
use crate::app::site::refuse_unknown_tags;
use crate::app::site::{Selection, named};
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::score::ReadingState;

/// The scenarios of a repository, as far as they were asked for.
pub(crate) struct Needs {
    /// In the order of their nodes and files.
    pub rows: Vec<NeedRow>,
    /// Every node, perhaps without readings that a later one of their scenario took the place of.
    pub nodes: Vec<Node>,
    /// The configuration of the work tree.
    pub config: Config,
}

/// The scenarios of the nodes with these names and with one of these tags, of all where there are none.
///
/// # Errors
/// Usage for a node or a tag that nobody knows.
pub(crate) fn needs(repo: &Repo, names: &[String], tags: &[String]) -> Result<Needs> {
    let score = ScoreView::latest_alone(repo)?;
    refuse_unknown_tags(&score.workspace.config, tags)?;
    let nodes = &score.workspace.nodes;
    let selected = Selection::of(names, |text| named(nodes, text))?;
    let asked = nodes.iter().filter(|node| selected.has_node(&node.dir));
    let (judge, mut rows) = (score.judge(), Vec::new());
    for node in asked {
        let effective = Effective::of(node);
        let is_tagged = |scenario: &Scenario| tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag));
        let is_asked = |of: &&Scenario| is_tagged(of) && selected.has(&node.dir, &of.name);
        rows.extend(declared(node).iter().filter(is_asked).map(|scenario| {
            let counting = judge.counting(node, scenario, &effective);
            let (filed, judged) = counting.map(|one| (one.filed, state(one.freshness))).unzip();
            let (state, moved) = judged.unwrap_or((ReadingState::Unmeasured, Vec::new()));
            NeedRow {
                dir: node.dir.clone(),
                scenario: scenario.name.clone(),
                state,
                moved,
                recorded: filed.as_ref().map(|filed| shown_verdict(&filed.event.verdict)),
                since: filed.as_ref().and_then(|filed| Some(filed.event.code_sha?.to_string())),
                counting: filed.map(|filed| (filed.event.ts.to_string(), score.counts_as_fail(&filed))),
                latest: effective.latest(&scenario.name).map(|latest| latest.ts.to_string()),
            }
        }));
    }
    drop(judge);
    Ok(Needs { rows, nodes: score.workspace.nodes, config: score.workspace.config })
}
