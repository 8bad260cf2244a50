//! `claim waive-budget`: waives the budget breaches of a scenario so far, by appending a decision to its ledger. The
//! spent amounts stay. Prints nothing.

use super::spending;
use crate::app::record::transaction::Transaction;
use crate::app::site::line_files::NewLineFiles;
use crate::app::site::{self, Site};
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::{FiledAt, SpendingSeries};
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge::ScenarioTarget;
use crate::features::claims::model::rows::WaiverReceipt;
use crate::model::ledger::{Decision, Event, Ledger, Timestamp};
use crate::model::node::Node;
use crate::store::Store;
use crate::store::ledger::next_ts;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;

/// Waives the budget breaches of a scenario. It need not be declared, because a removed scenario may have put a run over its
/// budget. `by` is the name of the person who decides; nothing checks it.
///
/// # Errors
/// Refused if there is no breach, or if the ledger cannot be appended to.
pub(crate) fn waive(
    site: &dyn Site,
    store: &Store,
    target: &ScenarioTarget,
    reason: &str,
    by: &str,
    now: Timestamp,
) -> Result<WaiverReceipt> {
    site::one_line("reason", Some(reason), MAX_NOTE)?;
    site::one_line("name after --by", Some(by), MAX_FIELD)?;
    site::work_dir(site)?;
    let nodes = site.nodes()?;
    let node = site::find_node(site, &nodes, target.node.as_deref())?;
    let series = SpendingSeries::new(&node.dir, &target.scenario);
    let transaction = Transaction::begin(site, store)?;
    let overlay = spending::now(site, &site.config()?.budgets)?.ok_or_else(no_limit)?;
    let open = transaction.open_for(&NewLineFiles::of(site, &site.config()?, &nodes, now)?, node)?;
    let ledgers = transaction.ledgers(node, &open)?;
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    let waived = |outcome, ledger: &RepoPath, decision: &Decision, ts: Timestamp| WaiverReceipt {
        outcome,
        node: node.id.clone(),
        ledger: ledger.to_string(),
        scenario: said(&decision.scenario),
        reason: said(&decision.reason),
        by: said(&decision.by),
        ts: ts.to_string(),
    };
    let Some(breach) = overlay.last_standing(&series) else {
        let before = overlay
            .waived(&series)
            .and_then(|at| Some(waived("already-waived", &at.ledger, filed(&ledgers, at)?, at.ts)));
        return before.ok_or_else(|| nothing(&nodes, node, &target.scenario));
    };
    let ts = after(breach, next_ts(&ledgers, now), now)?;
    let decision = Decision::waive_budget(&target.scenario, reason, by, ts);
    let done = waived("waived", &open.ledger.path, &decision, ts);
    let line = Event::Decision(Box::new(decision)).encode();
    open.append(&line.ok_or_else(|| Error::fault("the waiver cannot be written as a ledger line"))?)?;
    Ok(done)
}

/// The decision in this line.
fn filed<'l>(ledgers: &'l [Ledger], at: &FiledAt) -> Option<&'l Decision> {
    if let Event::Decision(decision) = &at.line_of(ledgers)?.event { Some(&**decision) } else { None }
}

/// A time after the breach, even if the breach is in another ledger.
fn after(breach: &FiledAt, ts: Timestamp, now: Timestamp) -> Result<Timestamp> {
    site::refuse_far_ahead("the reading that is over its budget", breach.ts, now)?;
    Ok(ts.max(breach.ts.next()))
}

fn nothing(nodes: &[Node], node: &Node, scenario: &str) -> Error {
    if let Err(unknown) = site::find_scenario(nodes, node, Some(scenario)) {
        return unknown;
    }
    Error::refused(format!("{} is not over its budget: there is nothing to waive", echo(scenario)))
        .because(Refusal::NothingLeft)
        .argv(["usage", &node.argument()])
        .hint(format!("what was spent: yatsu-hook usage {}", shell::word(&node.id)))
}

fn no_limit() -> Error {
    Error::refused("yatsu.budgets limits nothing, so nothing is over a budget")
        .because(Refusal::NothingLeft)
        .argv(["explain", "yatsu.budgets"])
        .hint("what a limit may be: yatsu-hook explain yatsu.budgets")
}
