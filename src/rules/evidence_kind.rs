//! `evidence-kind`: a pass carries the evidence that the tags of its scenario require.

use super::wording::{of_scenario, pass_command};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{ReadingVerdict, Status};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let config = &facts.workspace.config;
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) =
            score.reading.as_ref().filter(|reading| reading.verdict == ReadingVerdict::Measured(Status::Pass))
        else {
            continue;
        };
        for lack in config.lacking(&scenario.tags, &reading.evidence) {
            let mut finding = of_scenario(RuleId::EvidenceKind, node, scenario, lack.sentence());
            finding.help =
                format!("file it again with that evidence: {} {}", pass_command(node, scenario), lack.flags());
            finding.key = lack.tag;
            found.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, LEDGER, reading, with_evidence};

    /// A pass in a repository that requires an image or a video for `cli` scenarios.
    fn asked_for(line: &str) -> Case {
        Case::new().with(CONFIG, "{\"yatsu\": {\"evidenceFor\": {\"cli\": [\"image\", \"video\"]}}}").with(LEDGER, line)
    }

    #[test]
    fn a_pass_without_what_its_tag_asks_for_is_named_with_the_flags() {
        insta::assert_snapshot!(asked_for(&reading("pass", 1)).told(RuleId::EvidenceKind), @"
        .spec/n/yatsu.md:3:5: warning[evidence-kind] n/works: a pass under the tag cli needs evidence of kind image or video
            tags: cli
            help: file it again with that evidence: yatsu-hook eval n/works --pass --image FILE or --video FILE
        ");
    }

    #[test]
    fn one_of_the_kinds_is_enough_and_nothing_is_asked_of_a_fail() {
        let shown = with_evidence(&reading("pass", 1), "video", "a");
        assert_eq!(asked_for(&shown).told(RuleId::EvidenceKind), "");
        assert_eq!(asked_for(&reading("fail", 1)).told(RuleId::EvidenceKind), "");
    }
}
