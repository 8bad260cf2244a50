//! Spending, for the recording commands: from all ledgers of the work tree, read under the lock, if there is any limit.

use super::Site;
use crate::engine::budget::{BudgetOverlay, FiledAt, Judged};
use crate::error::Result;
use crate::model::budgets::Budgets;
use crate::model::ledger::{Event, Ledger, Line, Reading, encode_reading};
use crate::model::node::Node;
use crate::rules::budget_remedy;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The result of the budgets for readings that are filed together, each with its node directory and the ledger that holds or
/// will hold it; `None` without limits.
pub(crate) fn of_readings(
    site: &dyn Site,
    budgets: &Budgets,
    filed: &[(&RepoPath, &RepoPath, &Reading)],
) -> Result<Vec<Option<Judged>>> {
    if budgets.is_unlimited() {
        return Ok(vec![None; filed.len()]);
    }
    let mut ledgers: BTreeMap<RepoPath, Vec<Ledger>> =
        site.reread()?.into_iter().map(|node| (node.dir, node.ledgers)).collect();
    let mut places = Vec::new();
    for (dir, ledger, reading) in filed {
        let own = ledgers.entry((*dir).clone()).or_default();
        places.push(find(own, reading).unwrap_or_else(|| add(own, ledger, reading)));
    }
    let overlay = BudgetOverlay::of_ledgers(ledgers.iter().map(|(dir, own)| (dir, &own[..])), budgets);
    Ok(places.iter().map(|at| overlay.reading(at).cloned()).collect())
}

/// Where the ledgers hold the reading.
fn find(ledgers: &[Ledger], reading: &Reading) -> Option<FiledAt> {
    let lines = ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)));
    let mut same = lines.filter(|(_, line)| matches!(&line.event, Event::Reading(found) if **found == *reading));
    same.next().map(|(path, line)| FiledAt { ts: reading.ts, ledger: path.clone(), line: line.number })
}

/// Adds the reading to the ledger of this path, which need not exist yet, and returns its place.
fn add(ledgers: &mut Vec<Ledger>, path: &RepoPath, reading: &Reading) -> FiledAt {
    if !ledgers.iter().any(|ledger| ledger.path == *path) {
        ledgers.push(Ledger { path: path.clone(), ..Ledger::default() });
    }
    let mut number = 1;
    for ledger in ledgers.iter_mut().filter(|ledger| ledger.path == *path) {
        number = ledger.lines.last().map_or(1, |line| line.number.saturating_add(1));
        let (bytes, event) = (encode_reading(reading).into_bytes(), Event::Reading(Rc::new(reading.clone())));
        ledger.lines.push(Line { number, bytes: bytes.into(), event });
    }
    FiledAt { ts: reading.ts, ledger: path.clone(), line: number }
}

/// The exceeded limits of a reading, if asked of one scope only.
pub(crate) fn limits(judged: &Judged, scope: Option<&str>) -> String {
    let asked = judged.breaches.iter().filter(|limit| scope.is_none_or(|scope| limit.scope == scope));
    asked.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Warning lines for a reading that counts as a fail because of a budget; empty otherwise.
pub(crate) fn advice(judged: &Judged, reading: &Reading, node: &Node) -> Vec<String> {
    let Some(at) = &judged.standing else { return Vec::new() };
    let what = match judged.breaches.is_empty() || at.ts != reading.ts {
        true => format!("the breach of {} stands", at.ts),
        false => limits(judged, None),
    };
    vec![
        format!("budget_exceeded: {what}"),
        "  the reading is kept as it is, and its scenario counts as failed from here on".to_owned(),
        format!("  {}", budget_remedy(node, &reading.scenario)),
    ]
}
