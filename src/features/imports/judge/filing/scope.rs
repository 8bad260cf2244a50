//! Selects the scenarios that reports are filed for.

use super::BulkRequest;
use crate::app::record::eval::WorkTree;
use crate::app::site::refuse_unknown_tags;
use crate::app::site::{Selection, named};
use crate::error::{Error, Result};
use crate::features::imports::judge::matching::{ImportTarget, MappedCase, TargetPlace};
use crate::features::imports::model::test_report::TestReport;
use crate::features::imports::model::test_report::map::MapLine;
use crate::model::ids::same_name;
use crate::model::labels::EnvName;
use crate::model::node::{Declared, Node};
use crate::model::reference::{resolve_reference, resolve_scenario};
use crate::model::scenario::Scenario;
use crate::text::escape::echo;
use std::collections::HashMap;

/// The scenarios of the work tree, and which of them are wanted.
pub(super) struct AskedScenarios<'a> {
    /// Every scenario with its node, in the order of the nodes and their files.
    pub(super) scenarios: Vec<(&'a Node, &'a Scenario)>,
    /// For each of them the environment that is filed for; a scenario that lists several stands there once for each.
    pub(super) envs: Vec<Option<EnvName>>,
    /// The wanted scenarios that do not list the typed environment.
    pub(super) elsewhere: usize,
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
        let mut scenarios: Vec<(&Node, &Scenario)> = Vec::new();
        let (mut envs, mut numbers): (Vec<Option<EnvName>>, Vec<usize>) = Default::default();
        // an entry for each environment, in a row
        for (number, (node, scenario)) in nodes.iter().flat_map(declared).enumerate() {
            let of_scenario = scenario.env.iter().cloned().map(Some).collect::<Vec<_>>();
            let of_scenario = if of_scenario.is_empty() { vec![None] } else { of_scenario };
            scenarios.extend(of_scenario.iter().map(|_| (node, scenario)));
            numbers.extend(of_scenario.iter().map(|_| number));
            envs.extend(of_scenario);
        }
        let typed = request.env.as_ref();
        let outside = |scenario: &Scenario| typed.is_some_and(|typed| !scenario.env.contains(typed));
        let is_wanted = |node: &Node, scenario: &Scenario| {
            let is_tagged = scenario.tags.iter().any(|tag| request.tags.contains(tag));
            selected.has(&node.dir, &scenario.name) && (request.tags.is_empty() || is_tagged)
        };
        let is_asked = |env: &Option<EnvName>| typed.is_none() || env.as_ref() == typed;
        let target =
            |(((node, scenario), env), number): ((&(&Node, &Scenario), &Option<EnvName>), &usize)| ImportTarget {
                name: scenario.name.clone(),
                test: scenario.test.clone().map(|test| (test, scenario.test_name.clone())),
                skips: request.skips || scenario.test_skips,
                runs: scenario.runs.is_some(),
                place: env.as_ref().map(|env| TargetPlace {
                    declared: *number,
                    env: env.to_string(),
                    all: scenario.env.iter().map(ToString::to_string).collect(),
                    typed: typed.map(ToString::to_string),
                }),
                wanted: is_wanted(node, scenario) && is_asked(env),
            };
        let targets = scenarios.iter().zip(&envs).zip(&numbers).map(target).collect();
        let mut distinct: Vec<&(&Node, &Scenario)> = scenarios.iter().collect();
        distinct.dedup_by(|one, other| std::ptr::eq(one.1, other.1));
        let wanted = distinct.iter().filter(|(node, scenario)| is_wanted(node, scenario) && outside(scenario));
        let elsewhere = wanted.count();
        let map = request.map.iter().map(|line| mapped(nodes, &scenarios, line)).collect::<Result<_>>()?;
        Ok(Self { scenarios, envs, targets, map, elsewhere })
    }

    /// Finds the scenarios that the results of evals name.
    ///
    /// # Errors
    /// Usage for one that nothing declares, as for a line of the map.
    pub(super) fn find_named(&self, nodes: &[Node], report: &mut TestReport) -> Result<()> {
        let mut known: HashMap<String, usize> = HashMap::new();
        for asked in report.suites.iter_mut().filter_map(|suite| suite.asked.as_mut()) {
            let Some(text) = &asked.scenario else { continue };
            let target = match known.get(text) {
                Some(target) => *target,
                None => self.named(nodes, text).map_err(|error| error.context("`metadata.yatsu` of a result"))?,
            };
            known.insert(text.clone(), target);
            asked.target = Some(target);
        }
        Ok(())
    }

    /// The scenario that NODE/SCENARIO names, by the first of its environments.
    fn named(&self, nodes: &[Node], text: &str) -> Result<usize> {
        let is = |(of, scenario): &(&Node, &Scenario), node: &Node, name: &str| {
            of.dir == node.dir && same_name(&scenario.name, name)
        };
        let position = |node: &Node, name: &str| self.scenarios.iter().position(|one| is(one, node, name));
        let found = resolve_scenario(nodes, text, |node, name| Ok(position(node, name).is_some()))?;
        found.and_then(|(node, name)| position(&nodes[node], &name)).ok_or_else(|| {
            Error::usage(format!("no node declares the scenario `{}`", echo(text)))
                .hint("write NODE/SCENARIO; `yatsu-hook ls` lists them")
        })
    }

    pub(super) fn wanted(&self) -> Vec<Declared<'a>> {
        let wanted = self.scenarios.iter().zip(&self.targets).filter(|(_, target)| target.wanted);
        let mut all: Vec<Declared<'a>> = wanted.map(|((node, scenario), _)| Declared { node, scenario }).collect();
        all.dedup_by(|one, other| std::ptr::eq(one.scenario, other.scenario));
        all
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
