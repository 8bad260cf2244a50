//! Facts in, findings out: one file per rule, one table. Pure and infallible: a state that could not be read never gets
//! here.
//!
//! A row of the table names the doors of its rule and one or more ways to check. A *view* check judges one state. It runs
//! over the judged view and every base; a finding of the view that no base has is introduced. A *lines* check judges ledger
//! lines of one state; if no base has the finding, the change itself added the line. A *change* check judges the difference
//! between the bases and the view; all its findings are introduced. A *between* check judges the single commits of a row
//! that is judged as one change. A *refs* check judges the ref updates of a push that bring no commit.
//!
//! Every judgement stands in the table. A judgement elsewhere would follow the configuration that the change itself brings.
//! The table marks what a change itself did, finding by finding ([`Finding::by_change`]), apart from the state of its view.

mod budget_exceeded;
mod change;
mod ended;
mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod explain;
mod fail_withdrawn;
pub(crate) mod gate_lowered;
mod key_conflict;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
mod replace_ref;
mod scenario_dropped;
mod selector_unread;
mod spec_ignored;
mod stray_blob;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod wording;
mod yatsu_drift;
mod yatsu_failing;
mod yatsu_missing;
mod yatsu_orphan;
mod yatsu_owners;
mod yatsu_schema;
mod yatsu_uncovered;
mod yatsu_ungoverned;
mod yatsu_unowned;

pub(crate) use budget_exceeded::remedy as budget_remedy;
pub(crate) use change::{
    AddedLine, Because, Between, BroughtBy, Change, Deleted, EditedLine, Ends, HiddenLedger, LostFrom, LostLine,
    Lowering, Misshapen, RefUpdates, Stray,
};
pub use explain::Explanation;

use crate::engine::facts::Facts;
use crate::features;
use crate::finding::{Finding, Origin, RuleId};
use std::collections::HashSet;

/// The input of a check.
pub enum Check {
    /// One state.
    View(fn(&Facts, &mut Vec<Finding>)),
    /// The ledger lines of one state. The change itself added every introduced line.
    Lines(fn(&Facts, &mut Vec<Finding>)),
    /// The difference between states.
    Change(fn(&Change<'_>, &mut Vec<Finding>)),
    /// The single commits of a change that has many.
    Between(fn(&Between, &mut Vec<Finding>)),
    /// The ref updates of a push, apart from its commits.
    Refs(fn(&RefUpdates, &mut Vec<Finding>)),
}

/// The place where a change or a state is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Named files, each on its own: `validate`.
    Files,
    /// A state without a base: `scan`, `check --all`.
    State,
    /// One step, from its bases to the judged state: before a commit, and every other comparison of two states.
    Commit,
    /// A row of commits that is judged as one change: a range, a push, or the commits that a server receives.
    Commits,
    /// The ref updates of a push, apart from its commits.
    Refs,
}

use Door::{Commit, Commits, Files, Refs, State};

/// One row of the table.
pub struct Rule {
    /// The id in the configuration, in reports and in tests.
    pub id: RuleId,
    /// The text of `explain`.
    pub explanation: &'static Explanation,
    /// The doors at which the rule runs. At other doors its findings are not computed. A rule that only a verb of its feature
    /// checks has none.
    pub doors: &'static [Door],
    pub(crate) checks: &'static [Check],
    /// Whether a finding of the view is older than the change. Without it a finding is older that a base has, too.
    pub(crate) is_older: Option<fn(&Change<'_>, &Finding) -> bool>,
    /// Joins its findings for the reader of a report. Returns how many it leaves out, because others say the same.
    pub(crate) join: Option<fn(&mut Vec<Finding>) -> usize>,
}

impl Rule {
    /// A rule that only a verb of its feature checks.
    pub(crate) const fn of_verb(id: RuleId, explanation: &'static Explanation) -> Self {
        plain_rule(id, explanation, &[], &[])
    }
}

/// The doors with a whole state, alone or compared.
pub(crate) const STATES: &[Door] = &[State, Commit, Commits];

/// The doors that compare states.
pub(crate) const CHANGES: &[Door] = &[Commit, Commits];

/// The rules of the core.
static RULES: [Rule; 26] = [
    plain_rule(
        RuleId::YatsuSchema,
        &explain::YATSU_SCHEMA,
        &[Files, State, Commit, Commits],
        &[Check::View(yatsu_schema::check)],
    ),
    plain_rule(
        RuleId::StrayBlob,
        &explain::STRAY_BLOB,
        &[State, Commit, Commits, Refs],
        &[Check::Change(stray_blob::check), Check::Between(stray_blob::between), Check::Refs(stray_blob::refs)],
    ),
    plain_rule(
        RuleId::LedgerSchema,
        &explain::LEDGER_SCHEMA,
        &[Files, State, Commit, Commits],
        &[Check::Lines(ledger_schema::check), Check::Change(ledger_schema::added)],
    ),
    plain_rule(
        RuleId::LedgerHistory,
        &explain::LEDGER_HISTORY,
        &[Commit, Commits, Refs],
        &[Check::Change(ledger_history::check), Check::Refs(ledger_history::refs)],
    ),
    plain_rule(RuleId::NodeId, &explain::NODE_ID, &[Files, State, Commit, Commits], &[Check::View(node_id::check)]),
    plain_rule(RuleId::YatsuDrift, &explain::YATSU_DRIFT, STATES, &[Check::View(yatsu_drift::check)]),
    Rule {
        is_older: Some(yatsu_missing::is_older),
        ..plain_rule(RuleId::YatsuMissing, &explain::YATSU_MISSING, STATES, &[Check::View(yatsu_missing::check)])
    },
    plain_rule(RuleId::YatsuUncovered, &explain::YATSU_UNCOVERED, STATES, &[Check::View(yatsu_uncovered::check)]),
    plain_rule(RuleId::YatsuUnowned, &explain::YATSU_UNOWNED, CHANGES, &[Check::Change(yatsu_unowned::check)]),
    // this rule judges the whole repository, and the author of one commit cannot answer for the other nodes
    plain_rule(RuleId::YatsuOwners, &explain::YATSU_OWNERS, &[State], &[Check::View(yatsu_owners::check)]),
    plain_rule(RuleId::YatsuFailing, &explain::YATSU_FAILING, STATES, &[Check::View(yatsu_failing::check)]),
    plain_rule(RuleId::YatsuUngoverned, &explain::YATSU_UNGOVERNED, STATES, &[Check::View(yatsu_ungoverned::check)]),
    plain_rule(RuleId::GateLowered, &explain::GATE_LOWERED, CHANGES, &[Check::Change(gate_lowered::check)]),
    plain_rule(RuleId::YatsuOrphan, &explain::YATSU_ORPHAN, STATES, &[Check::View(yatsu_orphan::check)]),
    plain_rule(RuleId::EvidenceKind, &explain::EVIDENCE_KIND, STATES, &[Check::View(evidence_kind::check)]),
    plain_rule(RuleId::ScenarioDropped, &explain::SCENARIO_DROPPED, CHANGES, &[Check::Change(scenario_dropped::check)]),
    plain_rule(RuleId::FailWithdrawn, &explain::FAIL_WITHDRAWN, CHANGES, &[Check::Change(fail_withdrawn::check)]),
    plain_rule(RuleId::EvidenceReused, &explain::EVIDENCE_REUSED, CHANGES, &[Check::Change(evidence_reused::check)]),
    plain_rule(RuleId::EvidenceMissing, &explain::EVIDENCE_MISSING, CHANGES, &[Check::Change(evidence_missing::check)]),
    plain_rule(
        RuleId::LedgerDuplicate,
        &explain::LEDGER_DUPLICATE,
        &[Files, State, Commit, Commits],
        &[Check::View(ledger_duplicate::check)],
    ),
    plain_rule(RuleId::LedgerRedacted, &explain::LEDGER_REDACTED, STATES, &[Check::View(ledger_redacted::check)]),
    plain_rule(RuleId::ReplaceRef, &explain::REPLACE_REF, &[Refs], &[Check::Refs(replace_ref::check)]),
    // only without a base: otherwise the change that hid it is unknown
    plain_rule(RuleId::SpecIgnored, &explain::SPEC_IGNORED, &[State], &[Check::View(spec_ignored::check)]),
    plain_rule(RuleId::SelectorUnread, &explain::SELECTOR_UNREAD, STATES, &[Check::View(selector_unread::check)]),
    plain_rule(
        RuleId::KeyConflict,
        &explain::KEY_CONFLICT,
        &[Files, State, Commit, Commits],
        &[Check::View(key_conflict::check)],
    ),
    plain_rule(RuleId::BudgetExceeded, &explain::BUDGET_EXCEEDED, STATES, &[Check::View(budget_exceeded::check)]),
];

/// A rule whose findings are told apart by their identity, and printed one by one.
pub(crate) const fn plain_rule(
    id: RuleId,
    explanation: &'static Explanation,
    doors: &'static [Door],
    checks: &'static [Check],
) -> Rule {
    Rule { id, explanation, doors, checks, is_older: None, join: None }
}

/// The rules of the core and of all features.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(features::rules())
}

/// The explanation of `rule`.
pub fn explain(rule: RuleId) -> &'static Explanation {
    all().find(|row| row.id == rule).map_or(&explain::OF_NO_RULE, |row| row.explanation)
}

/// Whether `rule` runs at `door`. The caller skips gathering input for rules that do not.
pub(crate) fn speaks(rule: RuleId, door: Door) -> bool {
    all().any(|row| row.id == rule && row.doors.contains(&door))
}

/// The findings of the checks of a door, each called by `call` if it has the right input.
fn gather(door: Door, call: impl Fn(&Check, &mut Vec<Finding>)) -> Vec<Finding> {
    let mut found = Vec::new();
    checks(door).for_each(|check| call(check, &mut found));
    found
}

fn checks(door: Door) -> impl Iterator<Item = &'static Check> {
    all().filter(move |row| row.doors.contains(&door)).flat_map(|row| row.checks)
}

/// All findings of a view on its own, before levels are set.
pub(crate) fn of_view(facts: &Facts, door: Door) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(door) {
        match check {
            Check::View(check) => check(facts, &mut found),
            Check::Lines(check) => {
                let before = found.len();
                check(facts, &mut found);
                // without a base there was no earlier gate, and the mark has no effect
                found[before..].iter_mut().for_each(|finding| finding.by_change = true);
            }
            Check::Change(_) | Check::Between(_) | Check::Refs(_) => {}
        }
    }
    found
}

/// All findings of a change: the findings of its view, each introduced or inherited, the findings about the change itself,
/// and the ended ones. Without a base no finding has an origin.
pub(crate) fn of_change(change: &Change<'_>) -> Vec<Finding> {
    let mut found = of_view(change.view, change.door);
    let before: Vec<Finding> = change.bases.iter().flat_map(|base| of_view(base, change.door)).collect();
    if !change.bases.is_empty() {
        // one base is enough: the other side of a merge answers for the findings that it brings
        let known: HashSet<_> = before.iter().map(Finding::identity).collect();
        for finding in &mut found {
            let is_older = all().find(|row| row.id == finding.rule).and_then(|row| row.is_older);
            let inherited =
                is_older.map_or_else(|| known.contains(&finding.identity()), |is_older| is_older(change, finding));
            finding.origin = Some(if inherited { Origin::Inherited } else { Origin::Introduced });
            // the change did not cause an inherited finding
            finding.by_change &= !inherited;
        }
    }
    let ended = ended::ended(change, &found, before);
    found.extend(changes(change));
    found.extend(ended);
    found
}

/// The findings of one rule about a change, at whatever door.
pub(crate) fn of_rule(rule: RuleId, change: &Change<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in all().filter(|row| row.id == rule).flat_map(|row| row.checks) {
        if let Check::Change(check) = check {
            check(change, &mut found);
        }
    }
    done(found)
}

/// Has each rule join its findings for the reader of a report. Returns how many are left out.
pub(crate) fn join(findings: &mut Vec<Finding>) -> usize {
    all().filter_map(|row| row.join).map(|join| join(findings)).sum()
}

/// All findings of the single commits of a row.
pub(crate) fn of_between(between: &Between) -> Vec<Finding> {
    done(gather(Door::Commits, |check, found| {
        if let Check::Between(check) = check {
            check(between, found)
        }
    }))
}

/// All findings of the ref updates of a push.
pub(crate) fn of_refs(refs: &RefUpdates) -> Vec<Finding> {
    done(gather(Door::Refs, |check, found| {
        if let Check::Refs(check) = check {
            check(refs, found)
        }
    }))
}

/// Marks the findings as done by the change itself: no earlier state could have had them.
fn done(mut found: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut found {
        finding.origin = Some(Origin::Introduced);
        finding.by_change = true;
    }
    found
}

fn changes(change: &Change<'_>) -> Vec<Finding> {
    done(gather(change.door, |check, found| {
        if let Check::Change(check) = check {
            check(change, found)
        }
    }))
}
