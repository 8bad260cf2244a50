//! What a budget says before a measurement: whether a scenario or a run may still be claimed.

use crate::app::site::Site;
use crate::app::site::spending::limits;
use crate::engine::budget::{BudgetOverlay, SpendingSeries};
use crate::error::{Error, Refusal, Result};
use crate::model::budgets::Budgets;
use crate::model::labels::RunId;
use crate::model::node::Node;
use crate::rules::budget_remedy;
use crate::text::escape::echo;

/// The result of the budgets for the work tree as it is now; `None` without limits.
pub(crate) fn now(site: &dyn Site, budgets: &Budgets) -> Result<Option<BudgetOverlay>> {
    if budgets.is_unlimited() {
        return Ok(None);
    }
    Ok(Some(BudgetOverlay::of_nodes(&site.reread()?, budgets)))
}

/// How to end a breach of this scenario.
fn remedy(series: &SpendingSeries, nodes: &[Node]) -> Option<String> {
    let node = nodes.iter().find(|node| node.dir == *series.node())?;
    Some(budget_remedy(node, series.scenario()))
}

/// The refusal to measure a scenario, if it is over its budget.
pub(crate) fn refusal(overlay: &BudgetOverlay, series: &SpendingSeries, nodes: &[Node]) -> Option<Error> {
    let (at, judged) = overlay.standing(series)?;
    let message = format!(
        "{} is over its budget since the reading of {}: {}",
        echo(series.scenario()),
        at.ts,
        limits(judged, None)
    );
    Some(remedy(series, nodes).into_iter().fold(Error::refused(message).because(Refusal::NotMet), Error::hint))
}

/// The refusal to measure in a run, if it is over its budget.
pub(crate) fn run_refusal(overlay: &BudgetOverlay, run: &RunId, nodes: &[Node]) -> Option<Error> {
    let (series, judged) = overlay.run_breach(run)?;
    let message = format!("run {run} is over its budget: {}", limits(judged, Some("run")));
    let error = Error::refused(message).because(Refusal::NotMet).hint("measure in another run");
    Some(remedy(series, nodes).into_iter().fold(error, Error::hint))
}
