//! `yatsu-failing`: measured, still true, and not as expected.

use super::wording::of_scenario;
use crate::engine::facts::{Facts, Standing};
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{ReadingVerdict, Status};
use crate::text::escape::echo;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        let (Some(reading), Standing::Judged(freshness)) = (&score.latest, &score.standing) else { continue };
        if reading.verdict != ReadingVerdict::Measured(Status::Fail) || !freshness.is_fresh() {
            continue;
        }
        let note = reading.note.as_ref().map_or(String::new(), |note| format!(": {}", echo(note)));
        let mut finding = of_scenario(RuleId::YatsuFailing, node, scenario, format!("the latest reading failed{note}"));
        finding.help = "mend the code, measure it again and file the result".into();
        found.push(finding);
    }
}
