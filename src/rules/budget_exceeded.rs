//! `budget-exceeded`: a reading cost more than is allowed, and no waiver or higher limit has ended the breach yet. Each
//! scenario gets one finding, at its first breach: later readings fail because of that breach and are not reported again.

use super::wording::{at_line, node_argument, of_scenario};
use crate::engine::budget::{FiledAt, Judged};
use crate::engine::facts::Facts;
use crate::finding::{Finding, Overspent, RuleId};
use crate::model::node::Node;
use crate::model::reference::scenario_word;
use crate::model::scenario::Scenario;
use crate::model::usage::Usage;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    // a breach may stand although all readings of its scenario are withdrawn, so the score is not asked
    for (node, scenario, _) in facts.scenarios() {
        if let Some((at, judged)) = facts.budgets.breach_of(&node.dir, &scenario.name) {
            found.push(breached(node, scenario, at, judged));
        }
    }
}

fn breached(node: &Node, scenario: &Scenario, at: &FiledAt, judged: &Judged) -> Finding {
    let reading = at.line_of(&node.ledgers).and_then(|line| line.event.reading());
    let overspent = Overspent {
        breaches: judged.breaches.clone(),
        usage: reading.and_then(|reading| reading.terms.usage.as_ref()).map(Usage::spent),
        run_totals: judged.named_run_totals(),
    };
    let limits: Vec<String> = overspent.breaches.iter().map(ToString::to_string).collect();
    let message = format!(
        "the reading of {} is over its budget, so this scenario counts as failed: {}",
        at.ts,
        limits.join("; ")
    );
    let mut finding = of_scenario(RuleId::BudgetExceeded, node, scenario, message);
    finding.location = at_line(&at.ledger, at.line);
    finding.help = remedy(node, &scenario.name);
    finding.overspent = Some(Box::new(overspent));
    finding.key = at.ts.to_string();
    finding
}

/// The commands that end a breach of a scenario's budget.
pub(crate) fn remedy(node: &Node, scenario: &str) -> String {
    format!(
        "raise the limit in spexcode.json, or let it pass: yatsu-hook claim waive-budget {} --reason WHY",
        scenario_word(&node_argument(node), scenario)
    )
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, LEDGER, reading};

    const LIMITED: &str =
        "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 100, \"maxTaskRssBytes\": 5, \"maxRunTotalTokens\": 150}}}";

    /// A pass of run `r` that cost this many tokens.
    fn spent(minute: u32, tokens: u32) -> String {
        let usage = format!(
            "\"run\":\"r\",\"usage\":{{\"promptTokens\":{tokens},\"completionTokens\":0,\"totalTokens\":{tokens},\"source\":\"x\"}},\"ts\""
        );
        reading("pass", minute).replace("\"ts\"", &usage)
    }

    fn told(ledger: &str) -> String {
        Case::new().with(CONFIG, LIMITED).with(LEDGER, ledger).told(RuleId::BudgetExceeded)
    }

    #[test]
    fn a_reading_over_its_budget_is_named_with_every_limit_that_it_passed() {
        insta::assert_snapshot!(told(&spent(1, 151).replace("\"promptTokens\"", "\"maxRssBytes\":6,\"promptTokens\"")), @"
        .spec/n/yatsu.evals.ndjson:1:1: warning[budget-exceeded] n/works: the reading of 2026-01-01T00:01:00.000Z is over its budget, so this scenario counts as failed: task rss_bytes 6, limit 5; task total_tokens 151, limit 100; run total_tokens 151, limit 150
            run so far: peak_rss_bytes 6, total_tokens 151
            tags: cli
            help: raise the limit in spexcode.json, or let it pass: yatsu-hook claim waive-budget n/works --reason WHY
        ");
    }

    #[test]
    fn what_equals_its_limit_is_fine_and_so_is_silence() {
        assert_eq!(told(&(spent(1, 100) + &spent(2, 50) + &reading("pass", 3))), "");
        assert_eq!(Case::new().with(LEDGER, spent(1, 151)).told(RuleId::BudgetExceeded), "", "nothing is limited");
    }

    #[test]
    fn the_first_breach_is_told_until_it_is_waived_also_where_its_reading_was_withdrawn() {
        let withdrawn =
            "{\"retracts\":\"2026-01-01T00:01:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:02:00.000Z\"}\n";
        let lines = spent(1, 101) + withdrawn + &spent(3, 102);
        insta::assert_snapshot!(told(&lines), @"
        .spec/n/yatsu.evals.ndjson:1:1: warning[budget-exceeded] n/works: the reading of 2026-01-01T00:01:00.000Z is over its budget, so this scenario counts as failed: task total_tokens 101, limit 100
            run so far: total_tokens 101
            tags: cli
            help: raise the limit in spexcode.json, or let it pass: yatsu-hook claim waive-budget n/works --reason WHY
        ");
        let waived = "{\"decision\":\"waive-budget\",\"scenario\":\"works\",\"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-01T00:04:00.000Z\"}\n";
        assert_eq!(told(&(lines + waived)), "");
    }
}
