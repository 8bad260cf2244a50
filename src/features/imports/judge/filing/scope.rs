//! Selects the scenarios that reports are filed for.

use super::BulkRequest;
use crate::app::record::eval::WorkTree;
use crate::app::site::refuse_unknown_tags;
use crate::app::site::{Selection, named};
use crate::error::{Error, Result};
use crate::features::imports::judge::matching::{ImportTarget, MappedCase};
use crate::features::imports::model::test_report::map::MapLine;
use crate::model::ids::same_name;
use crate::model::node::{Declared, Node};
use crate::model::reference::resolve_reference;
use crate::model::scenario::Scenario;
use crate::text::escape::echo;

/// The scenarios of the work tree, and which of them are wanted.
pub(super) struct AskedScenarios<'a> {
    /// Every scenario with its node, in the order of the nodes and their files.
    pub(super) scenarios: Vec<(&'a Node, &'a Scenario)>,
    /// The same scenarios, as the matching of cases takes them.
    pub(super) targets: Vec<ImportTarget>,
    /// The lines of the map, with the scenarios that they name.
    pub(super) map: Vec<MappedCase>,
}

impl<'a> AskedScenarios<'a> {
    /// # Errors
    /// Usage for an unknown node, scenario or tag.
    pub(super) fn of(work: &'a WorkTree, request: &BulkRequest) -> Result<Self> {
        let nodes = &work.nodes;
        refuse_unknown_tags(&work.config, &request.tags)?;
        let selected = Selection::of(&request.nodes, |text| named(nodes, text))?;
        let declared = |node: &'a Node| node.scenarios().iter().map(move |of| (node, of));
        let scenarios: Vec<_> = nodes.iter().flat_map(declared).collect();
        let is_wanted = |node: &Node, scenario: &Scenario| {
            let is_tagged = scenario.tags.iter().any(|tag| request.tags.contains(tag));
            selected.has(&node.dir, &scenario.name) && (request.tags.is_empty() || is_tagged)
        };
        let target = |(node, scenario): &(&Node, &Scenario)| ImportTarget {
            name: scenario.name.clone(),
            test: scenario.test.clone().map(|test| (test, scenario.test_name.clone())),
            skips: request.skips || scenario.test_skips,
            wanted: is_wanted(node, scenario),
        };
        let targets = scenarios.iter().map(target).collect();
        let map = request.map.iter().map(|line| mapped(nodes, &scenarios, line)).collect::<Result<_>>()?;
        Ok(Self { scenarios, targets, map })
    }

    pub(super) fn wanted(&self) -> Vec<Declared<'a>> {
        let wanted = self.scenarios.iter().zip(&self.targets).filter(|(_, target)| target.wanted);
        wanted.map(|((node, scenario), _)| Declared { node, scenario }).collect()
    }
}

fn mapped(nodes: &[Node], scenarios: &[(&Node, &Scenario)], line: &MapLine) -> Result<MappedCase> {
    let node = &nodes[resolve_reference(nodes, &line.node).map_err(|error| error.context("the map"))?];
    let is_meant =
        |(of, scenario): &(&Node, &Scenario)| of.dir == node.dir && same_name(&scenario.name, &line.scenario);
    let target = scenarios.iter().position(is_meant).ok_or_else(|| {
        Error::usage(format!("the map: node {} declares no scenario `{}`", node.id, echo(&line.scenario)))
            .hint(format!("`yatsu-hook show {}` lists them", node.argument()))
    })?;
    Ok(MappedCase { file: line.file.clone(), classname: line.classname.clone(), name: line.name.clone(), target })
}
