//! `evidence-reused`: new readings with old pictures and recordings.

use super::wording::eval_of;
use super::{AddedLine, Change};
use crate::finding::{Finding, RuleId};
use crate::model::ids::same_name;
use crate::model::ledger::{Event, EvidenceHash, Reading};
use crate::model::node::Node;
use bstr::BStr;
use std::collections::HashMap;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // gathering the carriers of a whole repository is wasted work if the change files nothing
    if change.added.is_empty() {
        return;
    }
    let carriers = carriers(&change.view.workspace.nodes);
    for added in change.added.iter().filter(|added| !added.moved) {
        let Event::Reading(reading) = &added.line.event else { continue };
        let this = Carrier { id: &added.node.id, dir: added.node.dir.as_ref(), reading };
        let mut sharing = reading.recorded_by_hand().filter_map(|hash| carriers.get(&hash)).flatten();
        let elsewhere = sharing.find(|other| other.is_elsewhere(&this));
        let message = match (elsewhere, added.reuses) {
            (Some(other), _) => format!(
                "carries the same bytes as a reading of {}/{} at another commit, {}",
                other.id,
                other.reading.scenario,
                other.commit()
            ),
            (None, Some(ts)) => format!("carries the same bytes as the reading of {ts}, although the code has changed"),
            (None, None) => continue,
        };
        found.push(finding(change, added, reading, message));
    }
}

#[derive(Clone, Copy)]
struct Carrier<'w> {
    id: &'w str,
    dir: &'w BStr,
    reading: &'w Reading,
}

impl Carrier<'_> {
    fn commit(&self) -> String {
        self.reading.code_sha.map(|commit| commit.short()).unwrap_or_default()
    }

    /// Whether `other` is of another scenario at another commit. One session may show several scenarios, all at one commit.
    fn is_elsewhere(&self, other: &Self) -> bool {
        !self.is_same_commit(other) && !self.is_same_scenario(other)
    }

    fn is_same_scenario(&self, other: &Self) -> bool {
        self.dir == other.dir && same_name(&self.reading.scenario, &other.reading.scenario)
    }

    /// A reading that names no commit counts as the same commit, because a difference cannot be shown.
    fn is_same_commit(&self, other: &Self) -> bool {
        let (one, other) = (self.reading.code_sha, other.reading.code_sha);
        one == other || one.is_none() || other.is_none()
    }
}

/// The readings that carry each picture or recording. Keeps only enough of them for [`Carrier::is_elsewhere`] to find the
/// first match for any reading: thousands may share one piece, and five are enough.
fn carriers(nodes: &[Node]) -> HashMap<EvidenceHash, Vec<Carrier<'_>>> {
    let mut carriers: HashMap<EvidenceHash, Vec<Carrier<'_>>> = HashMap::new();
    for node in nodes {
        for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
            let Event::Reading(reading) = &line.event else { continue };
            for hash in reading.recorded() {
                let carrier = Carrier { id: &node.id, dir: node.dir.as_bstr(), reading };
                let known = carriers.entry(hash).or_default();
                if answers_more(known, &carrier) {
                    known.push(carrier);
                }
            }
        }
    }
    carriers
}

/// Whether some reading that matches none of the `known` carriers would match `new`. A reading of an unknown scenario at an
/// unknown commit (`None` here) differs from all of them.
fn answers_more(known: &[Carrier<'_>], new: &Carrier<'_>) -> bool {
    let scenarios = || known.iter().map(Some).chain([None]);
    let unanswered = |scenario: Option<&Carrier<'_>>, commit: Option<&Carrier<'_>>| {
        let misses = |one: &Carrier<'_>| {
            scenario.is_some_and(|asking| one.is_same_scenario(asking))
                || commit.is_some_and(|asking| one.is_same_commit(asking))
        };
        known.iter().all(misses) && !misses(new)
    };
    scenarios().any(|scenario| scenarios().any(|commit| unanswered(scenario, commit)))
}

fn finding(change: &Change<'_>, added: &AddedLine, reading: &Reading, message: String) -> Finding {
    let mut finding = added.finding(RuleId::EvidenceReused, message);
    finding.scenario = Some(reading.scenario.clone());
    let eval = eval_of(change, &added.node, &reading.scenario);
    finding.help = format!("measure again and file the evidence of that measurement: {eval}");
    finding.key = reading.ts.to_string();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::parse;
    use crate::rules::tests::case::{Case, FILE, LEDGER, OTHER, WORKS, reading, with_evidence};
    use crate::tree::path::RepoPath;

    /// A reading of one of four scenarios, at one of four commits or without a commit.
    fn line(number: usize) -> String {
        let (scenario, commit) = (number % 4, number / 4);
        let sha =
            if commit < 4 { format!("\"codeSha\":\"{}\",", commit.to_string().repeat(40)) } else { String::new() };
        format!("{{\"scenario\":\"{scenario}\",{sha}\"evaluator\":\"manual@1\",\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n")
    }

    /// Searching the few kept carriers finds the same one as searching all of them.
    #[test]
    fn the_first_carrier_elsewhere_is_found_among_few() {
        let text: String = (0..20).map(line).collect();
        let ledger = parse(&RepoPath::root(), text.as_bytes());
        let readings: Vec<&Reading> = ledger.readings().collect();
        assert_eq!(readings.len(), 20);
        let carrier = |number: usize| Carrier { id: "n", dir: "n".into(), reading: readings[number] };
        for seed in 0..2000_usize {
            let all: Vec<_> =
                (0..7).map(|step| carrier((seed.wrapping_mul(2_654_435_761) >> (step * 4)) % 20)).collect();
            let mut known = Vec::new();
            for one in &all {
                if one.reading.code_sha.is_some() && answers_more(&known, one) {
                    known.push(*one);
                }
            }
            assert!(known.len() <= 5, "{}", known.len());
            for asking in (0..20).map(carrier) {
                let first = |list: &[Carrier<'_>]| {
                    let found = list.iter().find(|one| one.is_elsewhere(&asking));
                    found.map(|one| (one.reading.scenario.clone(), one.commit()))
                };
                assert_eq!(first(&known), first(&all), "{seed}");
            }
        }
    }
    /// A committed reading of `works` and an added one with the same bytes, at these commits.
    fn shared(commits: [&str; 2], scenario: &str) -> Case {
        let entry = WORKS.trim_start_matches("---\nscenarios:\n").trim_end_matches("---\n");
        let file = format!("---\nscenarios:\n{entry}{}---\n", entry.replace("works", "runs"));
        let at = |commit: &str, minute| {
            let line = with_evidence(&reading("pass", minute), "image", "a");
            line.replace(&"1".repeat(40), commit)
        };
        let old = at(commits[0], 1);
        let new = at(commits[1], 2).replace("\"works\"", &format!("\"{scenario}\""));
        Case::new().with(FILE, file).with(LEDGER, &old).committed().with(LEDGER, old + &new)
    }

    #[test]
    fn bytes_of_another_scenario_at_another_commit_are_named_and_so_are_bytes_of_other_code() {
        let here = "1".repeat(40);
        insta::assert_snapshot!(shared([OTHER, &here], "runs").told(RuleId::EvidenceReused), @"
        .spec/n/yatsu.evals.ndjson:2:1: warning[evidence-reused] n/runs: carries the same bytes as a reading of n/works at another commit, 222222222222
            help: measure again and file the evidence of that measurement: yatsu-hook eval .spec/n/runs --pass   (or --fail)
        ");
        insta::assert_snapshot!(shared([OTHER, &here], "works").told(RuleId::EvidenceReused), @"
        .spec/n/yatsu.evals.ndjson:2:1: warning[evidence-reused] n/works: carries the same bytes as the reading of 2026-01-01T00:01:00.000Z, although the code has changed
            help: measure again and file the evidence of that measurement: yatsu-hook eval .spec/n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn one_session_may_show_several_scenarios() {
        let here = "1".repeat(40);
        assert_eq!(shared([&here, &here], "runs").told(RuleId::EvidenceReused), "");
        assert_eq!(shared([&here, &here], "works").told(RuleId::EvidenceReused), "");
    }
}
