//! `yatsu-missing`: a scenario that nobody has measured.

use super::wording::{eval_command, of_scenario};
use crate::engine::facts::{Facts, Standing};
use crate::finding::{Finding, RuleId};
use crate::model::ids::composed;
use crate::model::ledger::Event;
use crate::model::node::Node;
use crate::model::scenario::{Scenario, Unread};
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::HashSet;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let mut filed: Option<(&RepoPath, HashSet<Cow<'_, str>>)> = None;
    for (node, scenario, score) in facts.scenarios() {
        // what nobody can read nobody can measure: that is said
        if matches!(score.standing, Standing::Missing) && scenario.unread == Unread::default() {
            // once for all the scenarios of a node, which come in a row
            if filed.as_ref().is_none_or(|(dir, _)| **dir != node.dir) {
                filed = Some((&node.dir, measured_once(node)));
            }
            let was_measured = filed.as_ref().is_some_and(|(_, names)| names.contains(&composed(&scenario.name)));
            let message = match was_measured {
                true => "declared, and no reading of it counts any more: each was withdrawn or redacted",
                false => "declared, never measured",
            };
            let mut finding = of_scenario(RuleId::YatsuMissing, node, scenario, message.into());
            // its only reading was lost or damaged by the same change: that is said where it happened; and who has an entry
            // to mend measures it afterwards
            finding.follows = match has_problem(node, scenario) {
                true => &[RuleId::LedgerHistory, RuleId::LedgerSchema, RuleId::YatsuSchema],
                false => &[RuleId::LedgerHistory, RuleId::LedgerSchema],
            };
            finding.help = format!("measure it, then: {}", eval_command(node, scenario));
            found.push(finding);
        }
    }
}

fn has_problem(node: &Node, scenario: &Scenario) -> bool {
    let mut problems = node.file.iter().flat_map(|file| &file.problems);
    problems.any(|problem| problem.scenario.as_deref() == Some(scenario.name.as_str()))
}

/// The scenarios of which the ledgers of a node hold a reading, or what stands in place of one, in NFC.
fn measured_once(node: &Node) -> HashSet<Cow<'_, str>> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter_map(|line| scenario_of(&line.event)).map(composed).collect()
}

fn scenario_of(event: &Event) -> Option<&str> {
    match event {
        Event::Reading(reading) => Some(&reading.scenario),
        Event::Redaction(redaction) => Some(&redaction.scenario),
        Event::Retraction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    #[test]
    fn a_scenario_that_nobody_measured_is_named() {
        insta::assert_snapshot!(Case::new().told(RuleId::YatsuMissing), @"
        .spec/n/yatsu.md:3:5: warning[yatsu-missing] n · works: declared, never measured
            tags: cli
            help: measure it, then: yatsu-hook eval n --scenario works --pass   (or --fail)
        ");
    }

    #[test]
    fn one_reading_is_enough() {
        assert_eq!(Case::new().with(LEDGER, reading("fail", 1)).told(RuleId::YatsuMissing), "");
    }
}
