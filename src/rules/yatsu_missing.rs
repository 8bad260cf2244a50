//! `yatsu-missing`: a scenario that was never measured, or has no reading left.

use super::Change;
use super::wording::{eval_command, in_environment, of_scenario};
use crate::engine::facts::{Facts, Standing};
use crate::engine::runs::Tally;
use crate::engine::score::EnvironmentScore;
use crate::finding::{Finding, RuleId};
use crate::model::ids::{composed, same_name};
use crate::model::ledger::{Event, ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::scenario::{Scenario, Unread};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::HashSet;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let mut filed: Option<(&RepoPath, HashSet<Cow<'_, str>>)> = None;
    let filings = facts.workspace.nodes.iter().zip(&facts.filings);
    let renamed: Vec<_> = filings.flat_map(|(node, of)| of.renamed.iter().map(move |one| (&node.dir, one))).collect();
    for (node, scenario, score) in facts.scenarios() {
        // an unreadable entry cannot be measured, and `yatsu-schema` reports it
        if scenario.unread != Unread::default() {
            continue;
        }
        for (of, _) in score.parts().filter(|(_, score)| matches!(score.standing, Standing::Unmeasured)) {
            if let Some(tally) = of.and_then(EnvironmentScore::partial) {
                found.push(in_environment(finding(node, scenario, NeverMeasured::TooFew(tally)), of));
                continue;
            }
            // computed once for all scenarios of a node, which come in a row
            if filed.as_ref().is_none_or(|(dir, _)| **dir != node.dir) {
                filed = Some((&node.dir, measured_once(node)));
            }
            let was_measured = filed.as_ref().is_some_and(|(_, names)| names.contains(&composed(&scenario.name)));
            let from = renamed.iter().find(|(dir, one)| **dir == node.dir && one.to == scenario.name);
            let from = from.map(|(_, one)| one.from.clone());
            let why = match from {
                _ if was_measured && of.is_some() => NeverMeasured::NotHere(score_tally(of)),
                _ if was_measured => NeverMeasured::NoMore,
                Some(old) => NeverMeasured::Renamed(old),
                None => NeverMeasured::Ever,
            };
            found.push(in_environment(finding(node, scenario, why), of));
        }
    }
}

fn score_tally(of: Option<&EnvironmentScore>) -> Option<Tally> {
    of.and_then(|of| of.tally)
}

/// Whether a base had a finding about the scenario, in the environment of `finding`. A first run after an edit is such a case:
/// the base said that the scenario is stale, and a run more must not fail a gate that let the edit pass.
pub(super) fn is_older(change: &Change<'_>, finding: &Finding) -> bool {
    let env = finding.env.as_deref();
    let scored = |facts: &'_ Facts| -> Option<(bool, bool)> {
        let dir = RepoPath::from_git(finding.node.as_ref()?.dir.clone());
        let (node, scores) = facts.scored(&dir)?;
        let name = finding.scenario.as_deref()?;
        let mut all = node.scenarios().iter().zip(scores);
        let (scenario, score) = all.find(|(scenario, _)| same_name(&scenario.name, name))?;
        let (_, score) = score.in_env(env);
        let is_missing = matches!(score.standing, Standing::Unmeasured) && scenario.unread == Unread::default();
        let is_failing = score.verdict() == Some(ReadingVerdict::Measured(Status::Fail));
        Some((is_missing, matches!(&score.standing, Standing::Judged(found) if !found.is_fresh() || is_failing)))
    };
    let is_partial = finding.code == Some(PARTIAL);
    change.bases.iter().filter_map(scored).any(|(missing, other)| missing || is_partial && other)
}

/// The kind of a scenario with some runs and too few to decide.
const PARTIAL: &str = "partial";

/// The reason why no reading counts.
enum NeverMeasured {
    /// The scenario has no readings.
    Ever,
    /// All readings were withdrawn or redacted.
    NoMore,
    /// The newest runs of this content are too few to decide.
    TooFew(Tally),
    /// There are readings, and none of this content in this environment.
    NotHere(Option<Tally>),
    /// The readings have the earlier name of the scenario.
    Renamed(String),
}

fn finding(node: &Node, scenario: &Scenario, why: NeverMeasured) -> Finding {
    let message = match &why {
        NeverMeasured::Ever => "declared, never measured".to_owned(),
        NeverMeasured::NoMore => {
            "declared, and no reading of it counts any more: each was withdrawn or redacted".to_owned()
        }
        NeverMeasured::TooFew(tally) => {
            format!("needs {} runs of this content, has {} ({} pass)", tally.rule, tally.counted, tally.pass)
        }
        NeverMeasured::NotHere(Some(tally)) => format!("needs {} runs of this content, has none", tally.rule),
        NeverMeasured::NotHere(None) => "declared, and no reading of it counts here".to_owned(),
        NeverMeasured::Renamed(old) => format!("renamed from {}, and not measured under its new name", echo(old)),
    };
    let mut finding = of_scenario(RuleId::YatsuMissing, node, scenario, message);
    finding.help = format!("measure it, then: {}", eval_command(node, scenario));
    match why {
        NeverMeasured::Renamed(old) => finding.renamed_from = Some(old),
        NeverMeasured::TooFew(_) => finding.code = Some(PARTIAL),
        NeverMeasured::Ever | NeverMeasured::NoMore | NeverMeasured::NotHere(_) => {}
    }
    finding
}

/// The scenarios with a reading or a redaction in the ledgers of a node, in NFC.
fn measured_once(node: &Node) -> HashSet<Cow<'_, str>> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter_map(|line| scenario_of(&line.event)).map(composed).collect()
}

fn scenario_of(event: &Event) -> Option<&str> {
    match event {
        Event::Reading(reading) => Some(&reading.scenario),
        Event::Redaction(redaction) => Some(&redaction.scenario),
        Event::Retraction(_) | Event::Decision(_) | Event::Signature(_) | Event::Other | Event::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    #[test]
    fn a_scenario_that_nobody_measured_is_named() {
        insta::assert_snapshot!(Case::new().told(RuleId::YatsuMissing), @"
        .spec/n/yatsu.md:3:5: warning[yatsu-missing] n/works: declared, never measured
            tags: cli
            help: measure it, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn one_reading_is_enough() {
        assert_eq!(Case::new().with(LEDGER, reading("fail", 1)).told(RuleId::YatsuMissing), "");
    }
}
