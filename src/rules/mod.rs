//! Facts in, findings out: one file per rule, one table. Pure and infallible: what could not be read never gets here.
//!
//! A row of the table says at which doors its rule speaks, and how it looks, in one or more of these ways. At a *view*,
//! one state: over the judged view and over every base, and what is in the view and in no base is introduced. At the
//! *lines* of one state, which nothing but the change itself can have added where no base has them. At a *change*, what
//! lies between the bases and the view; all that is found is introduced. At what is *between*, the single commits of a row
//! that is judged as one change; and at what a push does to *refs* that bring no commit.
//!
//! Every judgement stands in the table. One beside it would follow the configuration that the change itself brings: what a
//! change does is told apart here, finding by finding ([`Finding::by_change`]), from what merely stands in its view.

mod budget_exceeded;
mod change;
mod ended;
mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod explain;
mod fail_withdrawn;
mod gate_lowered;
mod goal_gate;
mod goal_regressed;
mod goal_unmet;
mod graph_dangling;
mod graph_gaps;
mod graph_partial;
mod key_conflict;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
pub(crate) mod promoted_unproven;
mod replace_ref;
mod runlog_artifacts;
mod runlog_history;
mod runlog_progress;
mod runlog_schema;
mod scenario_dropped;
mod selector_unread;
mod spec_ignored;
mod stray_blob;
#[cfg(test)]
mod tests;
mod wording;
mod yatsu_drift;
mod yatsu_failing;
mod yatsu_missing;
mod yatsu_orphan;
mod yatsu_owners;
mod yatsu_schema;
mod yatsu_uncovered;
mod yatsu_ungoverned;

pub(crate) use budget_exceeded::remedy as budget_remedy;
pub(crate) use change::{
    AddedLine, Because, Between, BroughtBy, Change, Deleted, EditedLine, Ends, GoalDemands, HiddenLedger, LogChange,
    LostFrom, LostLine, LostLog, Misshapen, RefUpdates, Stray, UnmetEnd, UnprovenScenario, WeakerProfile,
};
pub use explain::{Explanation, explain};
pub(crate) use graph_gaps::{GraphGaps, UnprovenPatch};

use crate::engine::facts::Facts;
use crate::finding::{Finding, Origin, RuleId};
use std::collections::HashSet;

/// How a rule looks.
pub enum Check {
    /// At one state.
    View(fn(&Facts, &mut Vec<Finding>)),
    /// At the ledger lines of one state: what is introduced there the change itself added.
    Lines(fn(&Facts, &mut Vec<Finding>)),
    /// At what lies between states.
    Change(fn(&Change<'_>, &mut Vec<Finding>)),
    /// At the single commits of a change that has many.
    Between(fn(&Between, &mut Vec<Finding>)),
    /// At what a push does to refs, beside bringing commits.
    Refs(fn(&RefUpdates, &mut Vec<Finding>)),
    /// At what a graph cannot show.
    Graph(fn(&GraphGaps, &mut Vec<Finding>)),
}

/// Where a rule may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Files that were named, each on its own: `validate`.
    Files,
    /// A state that is compared with nothing: `scan`, `check --all`.
    State,
    /// One step, from its bases to the judged state: before a commit, and wherever two states are compared.
    Commit,
    /// A row of commits that is judged as one change: a range, a push, and what a server receives.
    Commits,
    /// What a push does to refs, beside bringing commits.
    Refs,
    /// The event graph: `graph check`.
    Graph,
}

use Door::{Commit, Commits, Files, Graph, Refs, State};

/// One row of the table.
pub struct Rule {
    /// The id by which configuration, reports and the tests call it.
    pub id: RuleId,
    /// The doors at which it speaks; at all others its findings are not looked for.
    pub doors: &'static [Door],
    /// How it looks.
    pub checks: &'static [Check],
}

/// Where a state is known as a whole, alone or compared.
const STATES: &[Door] = &[State, Commit, Commits];

/// Where states are compared.
const CHANGES: &[Door] = &[Commit, Commits];

/// Every rule, in the order of the documentation.
pub static RULES: [Rule; 35] = [
    row(RuleId::YatsuSchema, &[Files, State, Commit, Commits], &[Check::View(yatsu_schema::check)]),
    row(
        RuleId::StrayBlob,
        &[State, Commit, Commits, Refs],
        &[Check::Change(stray_blob::check), Check::Between(stray_blob::between), Check::Refs(stray_blob::refs)],
    ),
    row(
        RuleId::LedgerSchema,
        &[Files, State, Commit, Commits],
        &[Check::Lines(ledger_schema::check), Check::Change(ledger_schema::added)],
    ),
    row(
        RuleId::LedgerHistory,
        &[Commit, Commits, Refs],
        &[Check::Change(ledger_history::check), Check::Refs(ledger_history::refs)],
    ),
    row(RuleId::NodeId, &[Files, State, Commit, Commits], &[Check::View(node_id::check)]),
    row(RuleId::YatsuDrift, STATES, &[Check::View(yatsu_drift::check)]),
    row(RuleId::YatsuMissing, STATES, &[Check::View(yatsu_missing::check)]),
    row(RuleId::YatsuUncovered, STATES, &[Check::View(yatsu_uncovered::check)]),
    // a question to the whole repository: whoever commits to one node cannot answer for the others
    row(RuleId::YatsuOwners, &[State], &[Check::View(yatsu_owners::check)]),
    row(RuleId::YatsuFailing, STATES, &[Check::View(yatsu_failing::check)]),
    row(RuleId::YatsuUngoverned, STATES, &[Check::View(yatsu_ungoverned::check)]),
    row(RuleId::GateLowered, CHANGES, &[Check::Change(gate_lowered::check)]),
    row(RuleId::YatsuOrphan, STATES, &[Check::View(yatsu_orphan::check)]),
    row(RuleId::EvidenceKind, STATES, &[Check::View(evidence_kind::check)]),
    row(RuleId::ScenarioDropped, CHANGES, &[Check::Change(scenario_dropped::check)]),
    row(RuleId::FailWithdrawn, CHANGES, &[Check::Change(fail_withdrawn::check)]),
    row(RuleId::EvidenceReused, CHANGES, &[Check::Change(evidence_reused::check)]),
    row(RuleId::EvidenceMissing, CHANGES, &[Check::Change(evidence_missing::check)]),
    row(RuleId::LedgerDuplicate, &[Files, State, Commit, Commits], &[Check::View(ledger_duplicate::check)]),
    row(RuleId::LedgerRedacted, STATES, &[Check::View(ledger_redacted::check)]),
    row(RuleId::ReplaceRef, &[Refs], &[Check::Refs(replace_ref::check)]),
    // with a base nobody could say which change hid it
    row(RuleId::SpecIgnored, &[State], &[Check::View(spec_ignored::check)]),
    row(RuleId::SelectorUnread, STATES, &[Check::View(selector_unread::check)]),
    row(RuleId::KeyConflict, &[Files, State, Commit, Commits], &[Check::View(key_conflict::check)]),
    row(RuleId::BudgetExceeded, STATES, &[Check::View(budget_exceeded::check)]),
    row(RuleId::RunlogSchema, &[Files, State, Commit, Commits], &[Check::Lines(runlog_schema::check)]),
    row(
        RuleId::RunlogHistory,
        &[Commit, Commits, Refs],
        &[Check::Change(runlog_history::check), Check::Refs(runlog_history::refs)],
    ),
    row(RuleId::RunlogArtifacts, CHANGES, &[Check::Change(runlog_artifacts::check)]),
    row(RuleId::RunlogProgress, STATES, &[Check::View(runlog_progress::check)]),
    // what one commits is a draft; what one pushes is a claim
    row(RuleId::GoalGate, &[Commits], &[Check::Change(goal_gate::check)]),
    // a score asks, also one of what changed; a hook before a commit does not
    row(RuleId::GoalUnmet, &[State, Commit], &[Check::View(goal_unmet::check)]),
    row(RuleId::GoalRegressed, &[State, Commit], &[Check::View(goal_regressed::check)]),
    row(RuleId::GraphPartial, &[Graph], &[Check::Graph(graph_partial::check)]),
    row(RuleId::GraphDangling, &[Graph], &[Check::Graph(graph_dangling::check)]),
    row(
        RuleId::PromotedUnproven,
        &[Commits, Graph],
        &[Check::Change(promoted_unproven::check), Check::Graph(promoted_unproven::graph)],
    ),
];

const fn row(id: RuleId, doors: &'static [Door], checks: &'static [Check]) -> Rule {
    Rule { id, doors, checks }
}

/// Whether `rule` speaks at `door`: what no rule asks for there nobody need find out.
pub(crate) fn speaks(rule: RuleId, door: Door) -> bool {
    RULES.iter().any(|row| row.id == rule && row.doors.contains(&door))
}

fn checks(door: Door) -> impl Iterator<Item = &'static Check> {
    RULES.iter().filter(move |row| row.doors.contains(&door)).flat_map(|row| row.checks)
}

/// All findings of a view on its own, at no level yet.
pub(crate) fn of_view(facts: &Facts, door: Door) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(door) {
        match check {
            Check::View(check) => check(facts, &mut found),
            Check::Lines(check) => {
                let before = found.len();
                check(facts, &mut found);
                // where nothing is compared no gate stood before, and the mark says nothing
                found[before..].iter_mut().for_each(|finding| finding.by_change = true);
            }
            Check::Change(_) | Check::Between(_) | Check::Refs(_) | Check::Graph(_) => {}
        }
    }
    found
}

/// All findings of a change: those of its view, each told introduced or inherited, what the change itself does, and
/// what it ended. Without a base nothing has an origin.
pub(crate) fn of_change(change: &Change<'_>) -> Vec<Finding> {
    let mut found = of_view(change.view, change.door);
    let before: Vec<Finding> = change.bases.iter().flat_map(|base| of_view(base, change.door)).collect();
    if !change.bases.is_empty() {
        // one base is enough: what a merge brings from its other side that side answers for
        let known: HashSet<_> = before.iter().map(Finding::identity).collect();
        for finding in &mut found {
            let inherited = known.contains(&finding.identity());
            finding.origin = Some(if inherited { Origin::Inherited } else { Origin::Introduced });
            // no change did what was there before it
            finding.by_change &= !inherited;
        }
    }
    let ended = ended::ended(change, &found, before);
    found.extend(changes(change));
    found.extend(ended);
    found
}

/// All findings of the single commits of a row.
pub(crate) fn of_between(between: &Between) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(Door::Commits) {
        if let Check::Between(check) = check {
            check(between, &mut found);
        }
    }
    done(found)
}

/// All findings of run logs that are judged on their own, wherever they lie, and of what became of them.
pub(crate) fn of_logs(facts: &Facts, logs: &LogChange) -> Vec<Finding> {
    let mut found = Vec::new();
    runlog_schema::check(facts, &mut found);
    runlog_history::lost_logs(logs, &mut found);
    runlog_artifacts::unmet_ends(logs, &mut found);
    runlog_progress::check(facts, &mut found);
    found
}

/// All findings of what a push does to refs.
pub(crate) fn of_refs(refs: &RefUpdates) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(Door::Refs) {
        if let Check::Refs(check) = check {
            check(refs, &mut found);
        }
    }
    done(found)
}

/// All findings about a graph.
pub(crate) fn of_graph(gaps: &GraphGaps) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(Door::Graph) {
        if let Check::Graph(check) = check {
            check(gaps, &mut found);
        }
    }
    found
}

/// The findings as what the change itself did: no state before it had them to inherit from.
fn done(mut found: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut found {
        finding.origin = Some(Origin::Introduced);
        finding.by_change = true;
    }
    found
}

fn changes(change: &Change<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(change.door) {
        if let Check::Change(check) = check {
            check(change, &mut found);
        }
    }
    done(found)
}
