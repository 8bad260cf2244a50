//! The keys of a measured scenario that decide how much must pass: `runs`, `env`, and `skips` of its test.

use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::ids::same_name;
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::rules::Change;
use crate::rules::wording::of_scenario;

/// Adds a finding for each measured scenario of `base` for which the change asks for less.
pub(super) fn check<'a>(change: &Change<'a>, base: &'a Facts, found: &mut Vec<Finding>) {
    for (node, scenario, _) in base.scenarios().filter(|(_, scenario, _)| scenario.is_repeated()) {
        let was = Declared { node, scenario };
        let now = change.successor(0, was).filter(|_| is_measured(node, scenario));
        let lowered = now.into_iter().flat_map(|now| lowered(scenario, now.scenario).map(move |what| (now, what)));
        found.extend(lowered.map(|(now, what)| finding(now, what)));
    }
    for (node, scenario, _) in change.view.scenarios().filter(|(_, scenario, _)| scenario.test_skips) {
        let before = base.scored(&node.dir).map(|(node, _)| node);
        let before = before.and_then(|node| Some((node, node.scenario(&scenario.name)?)));
        if before.is_some_and(|(node, old)| !old.test_skips && old.test.is_some() && is_measured(node, old)) {
            found.push(finding(Declared { node, scenario }, "a test may be skipped: `skips: allow`".to_owned()));
        }
    }
}

/// What `now` asks less than `was`, one phrase each.
fn lowered(was: &Scenario, now: &Scenario) -> impl Iterator<Item = String> {
    let runs = match (was.runs, now.runs) {
        (Some(before), None) => Some(format!("{before} runs had to pass, now one reading is enough")),
        (Some(before), Some(after)) if after.is_below(before) => {
            Some(format!("{before} runs had to pass, now {after}"))
        }
        _ => None,
    };
    let gone: Vec<&str> = was.env.iter().filter(|env| !now.env.contains(env)).map(|env| env.as_str()).collect();
    let env = (!gone.is_empty()).then(|| format!("it need not pass in {} any more", gone.join(", ")));
    runs.into_iter().chain(env)
}

fn finding(now: Declared<'_>, what: String) -> Finding {
    let message = format!("this measured scenario asks for less: {what}");
    let mut finding = of_scenario(RuleId::GateLowered, now.node, now.scenario, message);
    finding.help = "say in the commit message why, or take it back; later changes are judged by it".into();
    finding.key = what;
    finding
}

fn is_measured(node: &Node, scenario: &Scenario) -> bool {
    node.readings().any(|reading| same_name(&reading.scenario, &scenario.name))
}
