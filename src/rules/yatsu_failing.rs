//! `yatsu-failing`: the reading that counts is fresh and is a fail, recorded or because of a budget.

use super::wording::{eval_command, in_environment, node_argument, of_scenario};
use crate::engine::facts::{Facts, Score, Standing};
use crate::engine::score::EnvironmentScore;
use crate::finding::{Finding, Grounds, RuleId};
use crate::model::ledger::{ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::text::escape::echo;
use crate::text::plural;
use crate::text::shell;

/// The verdict that this rule reports.
const FAIL: ReadingVerdict = ReadingVerdict::Measured(Status::Fail);

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        for (of, score) in score.parts() {
            found.extend(failing(node, scenario, of, score).map(|finding| in_environment(finding, of)));
        }
    }
}

/// The finding about one reading that counts, or about the runs of one environment, if they failed.
fn failing(node: &Node, scenario: &Scenario, of: Option<&EnvironmentScore>, score: &Score) -> Option<Finding> {
    let (Some(reading), Standing::Judged(freshness)) = (&score.reading, &score.standing) else { return None };
    // a stale fail says nothing about this code: `yatsu-drift` reports the stale reading
    if score.verdict() != Some(FAIL) || !freshness.is_fresh() {
        return None;
    }
    let is_breach = score.budget.as_ref().is_some_and(|judged| judged.standing.is_some());
    let is_recorded = reading.verdict == FAIL || score.decided.is_some() && !is_breach;
    let note = reading.note.as_ref().map_or(String::new(), |note| format!(": {}", echo(note)));
    let message = match (of.and_then(|of| of.tally).filter(|_| !is_breach), is_recorded) {
        (Some(tally), _) => {
            format!("{} of its newest {} failed, and {} must pass{note}", tally.fail(), runs(tally.counted), tally.rule)
        }
        (None, true) => format!("{} failed{note}", score.called()),
        // without the note: it describes the measured result, and the cost made the fail
        (None, false) => format!("{} counts as a fail: a reading of the scenario is over its budget", score.called()),
    };
    let mut finding = of_scenario(RuleId::YatsuFailing, node, scenario, message);
    finding.help = format!("mend the code, measure it again, then: {}", eval_command(node, scenario));
    if !is_recorded {
        finding.grounds = Grounds::Budget;
        finding.help = format!("its budget and its cost: yatsu-hook show {}", shell::word(&node_argument(node)));
    }
    Some(finding)
}

fn runs(count: u32) -> String {
    plural(count as usize, "run")
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, LEDGER, SOURCE, reading};

    #[test]
    fn a_fresh_fail_is_reported_with_its_note() {
        let noted = reading("fail", 1).replace("\"fail\"", "\"fail\",\"note\":\"it is slow\"");
        insta::assert_snapshot!(Case::new().with(LEDGER, noted).told(RuleId::YatsuFailing), @"
        .spec/n/yatsu.md:3:5: info[yatsu-failing] n/works: the latest reading failed: it is slow
            tags: cli
            help: mend the code, measure it again, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn a_pass_over_its_budget_counts_as_a_fail() {
        let spent = |tokens: u32| {
            let usage = format!(
                "\"usage\":{{\"promptTokens\":{tokens},\"completionTokens\":0,\"totalTokens\":{tokens},\"source\":\"x\"}},\"ts\""
            );
            let case = Case::new().with(CONFIG, "{\"yatsu\":{\"budgets\":{\"maxTaskTotalTokens\":100}}}");
            case.with(LEDGER, reading("pass", 1).replace("\"ts\"", &usage)).told(RuleId::YatsuFailing)
        };
        insta::assert_snapshot!(spent(101), @"
        .spec/n/yatsu.md:3:5: info[yatsu-failing] n/works: the latest reading counts as a fail: a reading of the scenario is over its budget
            tags: cli
            help: its budget and its cost: yatsu-hook show n
        ");
        assert_eq!(spent(100), "");
    }

    #[test]
    fn a_pass_and_a_stale_fail_are_not_reported() {
        assert_eq!(Case::new().with(LEDGER, reading("pass", 1)).told(RuleId::YatsuFailing), "");
        let stale = Case::new().with(LEDGER, reading("fail", 1)).with(SOURCE, "fn b() {}\n");
        assert_eq!(stale.told(RuleId::YatsuFailing), "");
    }
}
