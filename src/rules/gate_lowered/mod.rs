//! `gate-lowered`: a change weakens the gate.

mod keys;

use super::wording::at_line;
use super::{AddedLine, Change, Lowering};
use crate::engine::facts::Facts;
use crate::finding::{Finding, Location, RuleId};
use crate::model::budgets::BudgetScope;
use crate::model::config::lowered;
use crate::model::ledger::{Decision, Event, Line, Timestamp};
use crate::model::usage::{Amounts, Metric};
use crate::names::CONFIG_FILE;
use crate::text::escape::echo;
use bstr::BString;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let Some(base) = gate(change) else { return };
    found.extend(change.added.iter().filter(|added| !added.moved).filter_map(|added| let_pass(added, base)));
    found.extend(refunded(base, change));
    keys::check(change, base, found);
    found.extend(change.lowered.iter().map(lowered_by));
    let settings = lowered(&base.workspace.config, change.own).into_iter();
    found.extend(settings.map(|sentence| by_file(sentence, CONFIG_FILE.into())));
}

/// The state before the change, if it had a gate.
pub(crate) fn gate<'a>(change: &Change<'a>) -> Option<&'a Facts> {
    // the first base of a merge is the branch that takes the merge in: for that branch the other side's lowering is new; a
    // base with nothing to judge had no gate to lower
    change.bases.first().filter(|base| !base.is_empty())
}

/// A change weakens the gate by this file.
pub(crate) fn by_file(sentence: String, file: BString) -> Finding {
    let mut finding = Finding::new(RuleId::GateLowered, sentence.clone());
    finding.location = Some(Location { path: file, line: None, column: None });
    finding.help = "say in the commit message why, or take it back; later changes are judged by it".into();
    finding.key = sentence;
    finding
}

/// A file that a feature compares.
fn lowered_by(lowering: &Lowering) -> Finding {
    let mut finding = Finding::new(RuleId::GateLowered, lowering.what.clone());
    finding.location = Some(Location { path: lowering.file.to_bstring(), line: None, column: None });
    finding.help = format!("say in the commit message why, or take it back: {}", lowering.instead);
    finding.key = format!("{}|{}", lowering.file, lowering.what);
    finding
}

/// The spending that an added line pardons: a waiver pardons earlier breaches, a redaction may hide what its reading cost.
fn let_pass(added: &AddedLine, base: &Facts) -> Option<Finding> {
    let mut finding = match &added.line.event {
        Event::Decision(decision) if decision.waiver().is_some() => waived(decision),
        Event::Redaction(redaction) => {
            let dir = added.ledger.parent().unwrap_or_default();
            let is_limited = !base.workspace.config.budgets.is_unlimited();
            let is_free = || base.budgets.is_free(&dir, &redaction.scenario, redaction.ts);
            // a reading that the base does not hold here may have cost anything, and its bytes are gone
            (is_limited && !is_free()).then(|| redacted(redaction.ts))?
        }
        _ => return None,
    };
    finding.node = Some(added.node.clone());
    finding.scenario = added.line.event.scenario().map(str::to_owned);
    finding.location = at_line(&added.ledger, added.line.number);
    Some(finding)
}

/// The runs that cost less than before. Spending stays with its run for every node, so deleting a node does not refund it.
fn refunded<'a>(base: &'a Facts, change: &'a Change<'_>) -> impl Iterator<Item = Finding> + 'a {
    let view = change.view;
    let limits = [base, view].map(|facts| facts.workspace.config.budgets.run);
    let limited = move |metric: &Metric| limits.iter().all(|limits| limits.get(*metric).is_some());
    base.budgets.runs().iter().filter_map(move |(run, before)| {
        let now = view.budgets.runs().get(run).copied().unwrap_or_default();
        let metric = BudgetScope::Run.metrics().into_iter().filter(limited).find(|m| now.get(*m) < before.get(*m))?;
        let amount = |amounts: &Amounts| amounts.get(metric).unwrap_or_default();
        let name = BudgetScope::Run.metric_name(metric);
        let of_run = |line: &Line| line.event.reading().and_then(|reading| reading.terms.run.as_ref()) == Some(run);
        // the name of a run goes with the redacted line if no other line names the run
        let is_redacted = || change.redacted().iter().any(|(_, line)| of_run(line));
        let is_nameless = !view.budgets.runs().contains_key(run) && is_redacted();
        let called = if is_nameless { "a run of a redacted line".to_owned() } else { format!("the run {run}") };
        let message = format!("{called} cost {name} {} and now {}", amount(before), amount(&now));
        let mut finding = Finding::new(RuleId::GateLowered, message);
        finding.help = "keep the readings, withdrawn ones too, or say in the commit message why they go".into();
        finding.key = format!("refunded|{run}");
        Some(finding)
    })
}

fn waived(decision: &Decision) -> Finding {
    let (by, reason) = (decision.by.as_deref().unwrap_or_default(), decision.reason.as_deref().unwrap_or_default());
    let message = format!("{} waives the budget: {}", echo(by), echo(reason));
    let mut finding = Finding::new(RuleId::GateLowered, message);
    finding.help =
        "say in the commit message why, or leave the line out; `yatsu-hook usage` shows what was spent".into();
    finding.key = format!("waive-budget|{}", decision.ts.map(|ts| ts.to_string()).unwrap_or_default());
    finding
}

fn redacted(ts: Timestamp) -> Finding {
    let message = format!("the cost of the redacted reading of {ts} no longer counts against a budget");
    let mut finding = Finding::new(RuleId::GateLowered, message);
    finding.help = "say in the commit message why, or take it back".into();
    finding.key = format!("redacted-usage|{ts}");
    finding
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, FILE, LEDGER, WORKS, reading};

    fn with_rules(case: Case, rules: &str) -> Case {
        case.with(CONFIG, format!("{{\"yatsu\": {{\"rules\": {{{rules}}}}}}}"))
    }

    #[test]
    fn a_level_that_goes_down_is_named_also_where_the_rule_itself_is_switched_off() {
        let off = with_rules(Case::new().committed(), "\"stray-blob\": \"info\", \"gate-lowered\": \"off\"");
        insta::assert_snapshot!(off.told(RuleId::GateLowered), @"
        spexcode.json: warning[gate-lowered]: stray-blob is lowered from error to info
            help: say in the commit message why, or take it back; later changes are judged by it
        spexcode.json: warning[gate-lowered]: gate-lowered is lowered from warning to off
            help: say in the commit message why, or take it back; later changes are judged by it
        ");
    }

    #[test]
    fn a_level_that_goes_up_is_fine_and_so_is_a_first_configuration() {
        let up = with_rules(Case::new().committed(), "\"yatsu-drift\": \"error\"");
        assert_eq!(up.told(RuleId::GateLowered), "");
        let first = Case::new().without(FILE).committed().with(FILE, WORKS);
        assert_eq!(with_rules(first, "\"stray-blob\": \"info\"").told(RuleId::GateLowered), "");
    }

    #[test]
    fn a_waiver_of_a_budget_is_named_where_it_is_added() {
        let waiver = "{\"decision\":\"waive-budget\",\"scenario\":\"works\",\"reason\":\"a slow day\",\"by\":\"Ann\",\"ts\":\"2026-01-01T00:02:00.000Z\"}\n";
        let case = Case::new().with(LEDGER, reading("pass", 1)).committed();
        let waived = case.with(LEDGER, reading("pass", 1) + waiver);
        insta::assert_snapshot!(waived.told(RuleId::GateLowered), @"
        .spec/n/yatsu.evals.ndjson:2:1: warning[gate-lowered] n/works: Ann waives the budget: a slow day
            help: say in the commit message why, or leave the line out; `yatsu-hook usage` shows what was spent
        ");
        assert_eq!(waived.committed().told(RuleId::GateLowered), "", "it is there already");
    }

    #[test]
    fn a_run_that_costs_less_than_before_is_named() {
        let spent =
            |minute| reading("pass", minute).replace("\"ts\"", "\"run\":\"r\",\"usage\":{\"ioReadBytes\":5},\"ts\"");
        let limit = "{\"yatsu\": {\"budgets\": {\"maxRunIoReadBytes\": 8}}}";
        let case = Case::new().with(CONFIG, limit).with(LEDGER, spent(1) + &spent(2)).committed();
        insta::assert_snapshot!(case.clone().without(LEDGER).told(RuleId::GateLowered), @"
        warning[gate-lowered]: the run r cost total_io_read_bytes 10 and now 0
            help: keep the readings, withdrawn ones too, or say in the commit message why they go
        ");
        assert_eq!(case.with(LEDGER, spent(1) + &spent(2) + &spent(3)).told(RuleId::GateLowered), "");
    }

    #[test]
    fn a_redaction_is_named_where_budgets_are_set_unless_its_reading_is_known_to_have_cost_nothing() {
        let redacted = "{\"redacts\":\"HASH\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:01:00.000Z\",\"reason\":\"a name\",\"by\":\"me\"}\n";
        let told = |budgets: &str, line: &str, before: bool| {
            let budgets = format!("{{\"yatsu\": {{\"budgets\": {{{budgets}}}}}}}");
            let case = Case::new().with(CONFIG, budgets);
            let case = if before { case.with(LEDGER, line).committed() } else { case.committed() };
            let redacted = redacted.replace("HASH", &"0".repeat(64));
            case.with(LEDGER, redacted).told(RuleId::GateLowered)
        };
        let silent = reading("pass", 1);
        let dear = silent.replace("\"ts\"", "\"usage\":{\"maxRssBytes\":9},\"ts\"");
        let limit = "\"maxTaskRssBytes\": 10";
        let is_named = |told: String| told.contains("no longer counts against a budget");
        assert!(is_named(told(limit, &dear, true)));
        assert!(is_named(told(limit, &dear, false)), "nobody can tell what it cost");
        assert!(is_named(told(&format!("{limit}, \"requireUsage\": true"), &silent, true)), "its silence was a breach");
        assert_eq!(told(limit, &silent, true), "");
        assert_eq!(told("", &dear, true), "", "nothing is limited");
    }
}
