//! Hides findings that merely follow from another finding. For example, after the deletion of a governed file its scenario
//! is also stale and governs nothing, but only the deletion is shown. Input: findings. Output: the remaining ones, and the
//! number of hidden ones. Runs last, on the findings of one report, because an unshown cause must not hide anything.
//!
//! A finding hides only findings of equal or lower level, and advice about trust, which follows from a fail that is only worth
//! knowing. An inherited finding never hides an introduced one. So hiding changes no verdict.

use crate::finding::{Axis, Finding, Grounds, Level, Origin, RuleId};
use crate::model::ids::{composed, same_name};
use bstr::{BStr, ByteSlice};
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Drops every finding that another finding explains, and returns how many were dropped.
pub(crate) fn hide(findings: &mut Vec<Finding>) -> usize {
    let hidden = hidden(findings);
    let mut at = 0;
    findings.retain(|_| {
        at += 1;
        !hidden.contains(&(at - 1))
    });
    hidden.len()
}

/// The positions of the findings that another finding explains.
pub(crate) fn hidden(findings: &[Finding]) -> BTreeSet<usize> {
    let causes = Causes::among(findings);
    findings.iter().enumerate().filter(|(_, finding)| causes.explain(finding)).map(|(at, _)| at).collect()
}

/// What a cause and the findings that follow from it have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SharedName<'f> {
    /// The node alone.
    Node,
    /// A scenario, in NFC.
    Scenario(Cow<'f, str>),
    /// The former name of a scenario, in NFC; of a cause that names none, its scenario.
    OldName(Cow<'f, str>),
    /// A piece of evidence or a key.
    Name(&'f str),
    /// A line of a file.
    Line(&'f BStr, Option<u32>),
    /// A path that is gone, for a scenario or for all of the node; without a path any.
    Gone(Option<Cow<'f, str>>, Option<&'f BStr>),
}

/// Where causes are looked up: their node, and what they have in common with the findings that follow from them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CauseKey<'f> {
    node: Option<&'f BStr>,
    shared: SharedName<'f>,
}

/// The causes by their keys. A hostile ledger makes thousands of findings about one scenario, so each key keeps one of several
/// causes that explain the same findings.
struct Causes<'f>(HashMap<CauseKey<'f>, Vec<&'f Finding>>);

impl<'f> Causes<'f> {
    fn among(findings: &'f [Finding]) -> Self {
        let mut all = Self(HashMap::default());
        for cause in findings.iter().filter(|finding| is_cause(finding)) {
            let old_name = cause.renamed_from.as_deref().or(cause.scenario.as_deref());
            let old_name = old_name.map(|name| SharedName::OldName(composed(name)));
            for shared in shared_names(cause).chain(old_name).chain(gone(cause)) {
                let causes = all.0.entry(CauseKey { node: node(cause), shared }).or_default();
                if !causes.iter().any(|known| is_alike(known, cause)) {
                    causes.push(cause);
                }
            }
        }
        all
    }

    /// Whether a cause explains `finding`.
    fn explain(&self, finding: &'f Finding) -> bool {
        let old_names = [&finding.scenario, &finding.renamed_from].into_iter().flatten();
        let names = shared_names(finding).chain(old_names.map(|name| SharedName::OldName(composed(name))));
        // a cause without a node may be about a file of this node
        let mut keys = names.flat_map(|shared| {
            [CauseKey { node: node(finding), shared: shared.clone() }, CauseKey { node: None, shared }]
        });
        keys.any(|key| self.at(&key, finding).any(|cause| explains(cause, finding))) || self.is_gone(finding)
    }

    /// The causes under a key that may hide `finding`.
    fn at(&self, key: &CauseKey<'f>, finding: &Finding) -> impl Iterator<Item = &'f Finding> {
        let causes = self.0.get(key).into_iter().flatten().copied();
        causes.filter(|cause| outranks(cause, finding))
    }

    /// Whether every moved path of a drift finding is already reported as gone.
    fn is_gone(&self, drift: &'f Finding) -> bool {
        if drift.rule != RuleId::YatsuDrift || drift.grounds != Grounds::Path || drift.drift.is_empty() {
            return false;
        }
        let scenario = drift.scenario.as_deref().map(composed);
        let of = [(node(drift), scenario), (node(drift), None), (None, None)];
        drift.drift.iter().all(|moved| {
            // a pattern without matches has no path
            let mut paths = above(moved.path.as_bstr()).map(Some).chain([None]);
            paths.any(|path| {
                let said = |(node, scenario): &(_, Option<Cow<'f, str>>)| {
                    let key = CauseKey { node: *node, shared: SharedName::Gone(scenario.clone(), path) };
                    self.at(&key, drift).next().is_some()
                };
                of.iter().any(said)
            })
        })
    }
}

/// Everything by which `finding` may explain another one, or follow from one.
fn shared_names(finding: &Finding) -> impl Iterator<Item = SharedName<'_>> {
    let scenario = finding.scenario.as_deref().map(|name| SharedName::Scenario(composed(name)));
    let line = finding.location.as_ref().map(|at| SharedName::Line(at.path.as_bstr(), at.line));
    let names = finding.names.iter().map(|name| SharedName::Name(name));
    [Some(SharedName::Node), scenario, line].into_iter().flatten().chain(names)
}

/// The paths that `cause` reports as gone.
fn gone(cause: &Finding) -> impl Iterator<Item = SharedName<'_>> {
    let is_of_path = cause.rule == RuleId::YatsuSchema && cause.grounds == Grounds::Path;
    let any = Some(None).filter(|_| cause.about.is_empty());
    let paths = cause.about.iter().map(|path| Some(path.as_bstr())).chain(any).filter(move |_| is_of_path);
    paths.map(|path| SharedName::Gone(cause.scenario.as_deref().map(composed), path))
}

/// The path and every directory above it.
fn above(path: &BStr) -> impl Iterator<Item = &BStr> {
    path.find_iter(b"/").map(|at| path[..at].as_bstr()).chain([path])
}

/// Whether two causes under one key explain the same findings by [`outranks`] and [`explains`].
fn is_alike(one: &Finding, other: &Finding) -> bool {
    let kind =
        |cause: &Finding| (cause.rule, cause.level, cause.origin, cause.grounds, cause.code, cause.scenario.is_some());
    kind(one) == kind(other)
}

fn node(finding: &Finding) -> Option<&BStr> {
    finding.node.as_ref().map(|node| node.dir.as_bstr())
}

/// Whether the finding can be the cause of others.
fn is_cause(finding: &Finding) -> bool {
    use RuleId::{
        BudgetExceeded, GoalGate, GoalRegressed, KeyConflict, LedgerHistory, LedgerSchema, RunlogSchema,
        ScenarioDropped, StrayBlob, YatsuDrift, YatsuFailing, YatsuMissing, YatsuSchema,
    };
    match finding.rule {
        YatsuSchema => finding.grounds != Grounds::Itself,
        YatsuMissing | YatsuDrift | YatsuFailing => true,
        LedgerSchema | LedgerHistory => finding.scenario.is_some(),
        StrayBlob | KeyConflict => !finding.names.is_empty(),
        GoalGate | GoalRegressed | RunlogSchema | ScenarioDropped | BudgetExceeded => true,
        _ => false,
    }
}

/// Whether the levels and origins let `cause` hide `finding`. An ended finding hides only ended findings.
fn outranks(cause: &Finding, finding: &Finding) -> bool {
    let is_as_new = match (cause.origin, finding.origin) {
        (Some(ended), origin) | (origin, Some(ended)) if ended.is_ended() => origin.is_some_and(Origin::is_ended),
        (Some(Origin::Inherited), Some(Origin::Introduced) | None) => false,
        _ => true,
    };
    let is_advice_on_trust = finding.rule == RuleId::TrustUnmet && finding.level < Level::Error;
    is_as_new && (cause.level >= finding.level || is_advice_on_trust)
}

/// The table: whether `cause`, of the same node or of none, explains `finding`.
fn explains(cause: &Finding, finding: &Finding) -> bool {
    use RuleId::{
        BudgetExceeded, EvidenceMissing, GoalGate, GoalRegressed, GoalUnmet, KeyConflict, LedgerDuplicate,
        LedgerHistory, LedgerSchema, RunlogArtifacts, RunlogSchema, ScenarioDropped, StrayBlob, TrustUnmet, YatsuDrift,
        YatsuFailing, YatsuMissing, YatsuOrphan, YatsuSchema,
    };
    match (cause.rule, finding.rule) {
        (YatsuSchema, _) => explains_of_file(cause, finding),
        (LedgerSchema, YatsuMissing) => is_same(cause, finding),
        (LedgerHistory, YatsuFailing | YatsuMissing | YatsuDrift | ScenarioDropped) => is_same(cause, finding),
        (YatsuDrift | YatsuMissing | YatsuFailing, TrustUnmet) => is_same(cause, finding),
        (StrayBlob, EvidenceMissing) => share_name(cause, finding),
        (KeyConflict, LedgerDuplicate) => share_name(cause, finding) && node(cause) == node(finding),
        (GoalGate, GoalRegressed | GoalUnmet) | (GoalRegressed, GoalUnmet) => node(cause) == node(finding),
        // A missing number may only follow from an unended phase. A missing file is missing whatever is wrong in the log.
        (RunlogSchema, RunlogArtifacts) => {
            let are_of_the_end = cause.grounds == Grounds::Entry && finding.grounds == Grounds::Entry;
            are_of_the_end && cause.location.is_some() && share_line(cause, finding)
        }
        (ScenarioDropped | YatsuMissing, YatsuOrphan) => is_old_name(cause, finding.scenario.as_deref()),
        (ScenarioDropped, YatsuMissing) => is_old_name(cause, finding.renamed_from.as_deref()),
        // A failed measurement is not caused by the budget. A score lists everything that counts as a fail.
        (BudgetExceeded, YatsuFailing) => {
            let is_one_event = finding.origin == Some(Origin::Introduced) && finding.grounds == Grounds::Budget;
            is_one_event && is_same(cause, finding)
        }
        _ => false,
    }
}

/// The part of the table for a faulty scenario file.
fn explains_of_file(cause: &Finding, finding: &Finding) -> bool {
    use RuleId::{
        EvidenceKind, PromotedUnproven, TrustUnmet, YatsuDrift, YatsuFailing, YatsuMissing, YatsuUncovered,
        YatsuUngoverned,
    };
    if node(cause).is_none() || node(cause) != node(finding) {
        return false;
    }
    match (cause.grounds, finding.rule) {
        (Grounds::Path, YatsuUngoverned | PromotedUnproven | TrustUnmet) => {
            cause.scenario.is_none() || is_same(cause, finding)
        }
        (Grounds::Entry, YatsuFailing | EvidenceKind | PromotedUnproven | TrustUnmet) => is_same(cause, finding),
        // a score lists measured and unmeasured scenarios, malformed entries too; a change reports each problem once
        (Grounds::Entry, YatsuMissing) => finding.origin.is_some() && is_same(cause, finding),
        (Grounds::Entry, YatsuDrift) => {
            finding.origin.is_some() && finding.axes == [Axis::Scenario] && is_same(cause, finding)
        }
        (Grounds::File, YatsuUncovered) => true,
        (Grounds::File, rule) => is_about_goals(rule) || finding.scenario.is_some() && !is_about_lines(rule),
        _ => false,
    }
}

fn is_about_goals(rule: RuleId) -> bool {
    matches!(rule, RuleId::GoalGate | RuleId::GoalRegressed | RuleId::GoalUnmet)
}

/// Faults of a filed line hold whatever the scenario file says, and two faults of one file are two findings.
fn is_about_lines(rule: RuleId) -> bool {
    use RuleId::{
        EvidenceMissing, EvidenceReused, KeyConflict, LedgerDuplicate, LedgerHistory, LedgerRedacted, LedgerSchema,
        YatsuSchema,
    };
    matches!(
        rule,
        YatsuSchema
            | LedgerSchema
            | LedgerHistory
            | LedgerDuplicate
            | LedgerRedacted
            | KeyConflict
            | EvidenceMissing
            | EvidenceReused
    )
}

/// Whether both are about one scenario of one node.
fn is_same(cause: &Finding, finding: &Finding) -> bool {
    let (Some(one), Some(other)) = (&cause.scenario, &finding.scenario) else { return false };
    node(cause) == node(finding) && same_name(one, other)
}

/// Whether `cause` reports the fate of the scenario formerly called `name`, in the node of `cause`.
fn is_old_name(cause: &Finding, name: Option<&str>) -> bool {
    let (Some(gone), Some(name)) = (cause.renamed_from.as_ref().or(cause.scenario.as_ref()), name) else {
        return false;
    };
    node(cause).is_some() && same_name(gone, name)
}

fn share_name(one: &Finding, other: &Finding) -> bool {
    one.names.iter().any(|name| other.names.contains(name))
}

fn share_line(one: &Finding, other: &Finding) -> bool {
    let place = |finding: &Finding| finding.location.as_ref().map(|at| (at.path.clone(), at.line));
    place(one) == place(other)
}

#[cfg(test)]
mod tests;
