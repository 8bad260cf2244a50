//! `evidence-kind`: a pass carries the evidence that the tags of its scenario require.

use super::wording::{in_environment, of_scenario, pass_command};
use crate::engine::facts::Facts;
use crate::engine::score::reading_at;
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{Reading, ReadingVerdict, Status};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let config = &facts.workspace.config;
    for (node, scenario, score) in facts.scenarios() {
        for (of, score) in score.parts() {
            // of several passes that count one is enough; the newest is asked first
            let counted = of.iter().flat_map(|of| &of.counted).filter_map(|at| reading_at(node, at));
            let mut passes = counted.chain(&score.reading).filter(is_pass);
            let Some(newest) = passes.next() else { continue };
            let lacks = config.lacking(&scenario.tags, &newest.evidence);
            if lacks.is_empty() || passes.any(|pass| config.lacking(&scenario.tags, &pass.evidence).is_empty()) {
                continue;
            }
            for lack in lacks {
                let mut finding = of_scenario(RuleId::EvidenceKind, node, scenario, lack.sentence());
                finding.help =
                    format!("file it again with that evidence: {} {}", pass_command(node, scenario), lack.flags());
                finding.key = lack.tag;
                found.push(in_environment(finding, of));
            }
        }
    }
}

fn is_pass(reading: &&Reading) -> bool {
    reading.verdict == ReadingVerdict::Measured(Status::Pass)
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
