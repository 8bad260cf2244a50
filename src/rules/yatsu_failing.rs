//! `yatsu-failing`: measured, still true, and not as expected.

use super::wording::of_scenario;
use crate::engine::facts::{Facts, Standing};
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{ReadingVerdict, Status};
use crate::text::escape::echo;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        let (Some(reading), Standing::Judged(freshness)) = (&score.latest, &score.standing) else { continue };
        // of a stale one drift is said; that it failed is no longer news about this code
        if reading.verdict != ReadingVerdict::Measured(Status::Fail) || !freshness.is_fresh() {
            continue;
        }
        let note = reading.note.as_ref().map_or(String::new(), |note| format!(": {}", echo(note)));
        let mut finding = of_scenario(RuleId::YatsuFailing, node, scenario, format!("the latest reading failed{note}"));
        finding.help = "mend the code, measure it again and file the result".into();
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, SOURCE, reading};

    #[test]
    fn a_fresh_fail_is_named_with_its_note() {
        let noted = reading("fail", 1).replace("\"fail\"", "\"fail\",\"note\":\"it is slow\"");
        insta::assert_snapshot!(Case::new().with(LEDGER, noted).told(RuleId::YatsuFailing), @"
        .spec/n/yatsu.md:3:5: info[yatsu-failing] n · works: the latest reading failed: it is slow
            tags: cli
            help: mend the code, measure it again and file the result
        ");
    }

    #[test]
    fn a_pass_is_fine_and_of_a_stale_fail_another_rule_speaks() {
        assert_eq!(Case::new().with(LEDGER, reading("pass", 1)).told(RuleId::YatsuFailing), "");
        let stale = Case::new().with(LEDGER, reading("fail", 1)).with(SOURCE, "fn b() {}\n");
        assert_eq!(stale.told(RuleId::YatsuFailing), "");
    }
}
