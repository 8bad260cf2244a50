//! `begin`: a token of the content that a measurement is about to measure. Stores nothing.

use crate::app::site::{self, Selection, Site, begun, find_node, find_scenario, pick_named, refuse_unknown_tags};
use crate::error::{Error, Refusal, Result};
use crate::model::began::BeganToken;
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;

/// The scenarios that the user is about to measure.
pub(crate) struct BeginRequest {
    /// Nodes, or scenarios as NODE/SCENARIO; empty means all.
    pub nodes: Vec<String>,
    /// The scenario of the one node, by name alone.
    pub scenario: Option<String>,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
}

/// # Errors
/// Usage for an unknown node, scenario or tag; refused if no scenario is selected; unchecked if something cannot be read.
pub(crate) fn begin(site: &dyn Site, request: &BeginRequest) -> Result<BeganToken> {
    site::work_dir(site)?;
    let nodes = site.nodes()?;
    let scenarios = match &request.scenario {
        Some(name) => {
            let node = find_node(site, &nodes, request.nodes.first().map(String::as_str))?;
            vec![Declared { node, scenario: find_scenario(&nodes, node, Some(name))? }]
        }
        None => selected(site, &nodes, request)?,
    };
    if scenarios.is_empty() {
        return Err(Error::refused("no scenario is selected, so there is nothing to measure")
            .because(Refusal::NothingLeft)
            .argv(["ls"])
            .hint("`yatsu-hook ls` lists the scenarios"));
    }
    Ok(begun::content(site, &*site.worktree()?, &scenarios)?.token())
}

fn selected<'n>(site: &dyn Site, nodes: &'n [Node], request: &BeginRequest) -> Result<Vec<Declared<'n>>> {
    let tags = &request.tags;
    refuse_unknown_tags(&site.config()?, tags)?;
    let here = site.here();
    let chosen = Selection::of(&request.nodes, |text| pick_named(nodes, Some(text), &here, || site.touched()))?;
    let is_wanted = |node: &Node, scenario: &Scenario| {
        let is_tagged = tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag));
        is_tagged && chosen.has(&node.dir, &scenario.name)
    };
    let declared = nodes.iter().flat_map(|node| node.scenarios().iter().map(move |scenario| (node, scenario)));
    let wanted = declared.filter(|(node, scenario)| is_wanted(node, scenario));
    Ok(wanted.map(|(node, scenario)| Declared { node, scenario }).collect())
}
