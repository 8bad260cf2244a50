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

mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod explain;
mod gate_lowered;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
mod replace_ref;
mod scenario_dropped;
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

pub use explain::{Explanation, explain};

use crate::engine::facts::Facts;
use crate::engine::history::Lost;
use crate::finding::{Finding, NodeRef, Origin, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Line, Timestamp};
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::{BTreeSet, HashSet};

/// What lies between the bases and the judged view.
pub struct Change<'a> {
    /// Where it is judged.
    pub door: Door,
    /// The judged view.
    pub view: &'a Facts,
    /// The configuration in the view, which need not be the one that it is judged by.
    pub own: &'a Config,
    /// What it is compared with: none, HEAD, or every parent of a merge.
    pub bases: &'a [Facts],
    /// Ledger lines that no base has at the place where the view has them.
    pub added: Vec<AddedLine>,
    /// Whether the gate takes redactions, and every gate that was there before.
    pub redact: bool,
    /// Ledger lines that are in a base and not in the view.
    pub lost: Vec<LostLine>,
    /// Added blobs that are evidence.
    pub strays: Vec<Stray>,
    /// Hashes named by added readings that the evidence cache does not hold.
    pub absent_evidence: BTreeSet<EvidenceHash>,
    /// Whether that is because it holds nothing at all.
    pub no_evidence: bool,
    /// Now, for time stamps from the future.
    pub now: Timestamp,
}

impl<'a> Change<'a> {
    /// The state `view` on its own, judged by the configuration in it: nothing is compared, nothing is known of its blobs.
    pub fn of(view: &'a Facts, now: Timestamp) -> Self {
        Self {
            door: Door::State,
            view,
            own: &view.workspace.config,
            bases: &[],
            added: Vec::new(),
            redact: view.workspace.config.redact,
            lost: Vec::new(),
            strays: Vec::new(),
            absent_evidence: BTreeSet::new(),
            no_evidence: false,
            now,
        }
    }
}

/// A ledger line that the change lost.
#[derive(Clone, Debug)]
pub struct LostLine {
    /// The line, and where it was.
    pub line: Lost,
    /// What became of it.
    pub how: Absence,
    /// A revision that still has it.
    pub from: String,
    /// Whether it went with the rewriting of a branch that nobody protects.
    pub rewritten: bool,
}

/// What became of a line that is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is gone, or was edited.
    Gone,
    /// It lies in this ledger, where none of our files is looked for.
    OutOfSight(RepoPath),
}

/// A ledger line that the change adds.
#[derive(Clone, Debug)]
pub struct AddedLine {
    /// Its node.
    pub node: NodeRef,
    /// The ledger it stands in.
    pub ledger: RepoPath,
    /// The line.
    pub line: Line,
    /// Whether it stood elsewhere in a base and moved here.
    pub moved: bool,
    /// Whether the commit it names is an object of another kind.
    pub not_a_commit: bool,
    /// Which of its ids is of another hash than the repository's, and how many digits that has.
    pub foreign_id: Option<(String, usize)>,
    /// Governed paths whose stamp differs from the tree of the commit that the line names although it is not `dirty`.
    pub contradicted: Vec<RepoPath>,
    /// An earlier reading of the same scenario that carries the same bytes although the governed content differs.
    pub reuses: Option<Timestamp>,
}

/// Ledger lines that one of many commits lost, although nothing is missing between their start and their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerLoss {
    /// The ledger.
    pub ledger: RepoPath,
    /// The commit, with its subject.
    pub commit: String,
    /// How many of its lines are back at the end.
    pub healed: usize,
    /// How many were filed within the same commits, and are not there at the end.
    pub unfiled: usize,
}

/// An added blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Where it would lie in the tree.
    pub path: RepoPath,
    /// How it was recognised.
    pub because: Because,
    /// What brings it.
    pub brings: BroughtBy,
}

/// What brings a blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroughtBy {
    /// The judged change itself.
    Change,
    /// One of many commits that are judged together, with its subject.
    Commit(String),
    /// A ref that leads to no commit, by its name on the other side.
    Ref(BString),
}

/// What a push does to refs of the other side, beside bringing commits.
#[derive(Debug, Default)]
pub struct RefUpdates {
    /// Evidence that a ref leads to.
    pub strays: Vec<Stray>,
    /// Branches that are deleted together with ledger lines.
    pub deleted: Vec<Deleted>,
    /// Refs that put objects in the place of others.
    pub replaced: Vec<BString>,
}

/// A protected branch whose deletion loses ledger lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its full name.
    pub name: BString,
    /// What it held.
    pub commit: String,
    /// How many ledger lines no other protected branch holds.
    pub lines: usize,
    /// The ledger of the first of them.
    pub ledger: RepoPath,
    /// Whether all other branches are known.
    pub sure: bool,
}

/// How a stray blob was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The evidence cache holds these bytes.
    InCache(EvidenceHash, Ends),
    /// A reading names these bytes.
    Named(EvidenceHash, Ends),
    /// It lies in a directory called `yatsu-blobs`.
    InBlobsDirectory,
    /// Its name is the sha256 of its content.
    NamedByContent(Ends),
    /// It is an LFS pointer to such bytes.
    LfsPointer(EvidenceHash),
}

/// With which line ends a text is known as evidence: git changes them between the work tree and the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// As they are in the blob.
    Own,
    /// Each CR LF.
    CrLf,
    /// Each LF.
    Lf,
}

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
}

/// What the commits of a row bring one by one.
#[derive(Debug, Default)]
pub struct Between {
    /// Evidence that a commit adds.
    pub strays: Vec<Stray>,
    /// Ledger lines that a commit loses although the end has them, or never had to.
    pub losses: Vec<InnerLoss>,
    /// Ledger lines that come back as other ones than they were.
    pub returned: Vec<Returned>,
}

/// A ledger line in place of which the history holds another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The ledger that it came back in.
    pub ledger: RepoPath,
    /// The line.
    pub line: Line,
    /// Its scenario.
    pub scenario: String,
    /// The line of the same scenario and time that was filed.
    pub filed: Vec<u8>,
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
}

use Door::{Commit, Commits, Files, Refs, State};

/// One row of the table.
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// Where it speaks.
    pub doors: &'static [Door],
    /// How it looks.
    pub checks: &'static [Check],
}

/// Where a state is known as a whole, alone or compared.
const STATES: &[Door] = &[State, Commit, Commits];

/// Where states are compared.
const CHANGES: &[Door] = &[Commit, Commits];

/// Every rule, in the order of the documentation.
pub static RULES: [Rule; 21] = [
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
        &[
            Check::Change(ledger_history::check),
            Check::Between(ledger_history::between),
            Check::Refs(ledger_history::refs),
        ],
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
    row(RuleId::EvidenceReused, CHANGES, &[Check::Change(evidence_reused::check)]),
    row(RuleId::EvidenceMissing, CHANGES, &[Check::Change(evidence_missing::check)]),
    row(RuleId::LedgerDuplicate, &[Files, State, Commit, Commits], &[Check::View(ledger_duplicate::check)]),
    row(RuleId::LedgerRedacted, STATES, &[Check::View(ledger_redacted::check)]),
    row(RuleId::ReplaceRef, &[Refs], &[Check::Refs(replace_ref::check)]),
    // with a base nobody could say which change hid it
    row(RuleId::SpecIgnored, &[State], &[Check::View(spec_ignored::check)]),
];

const fn row(id: RuleId, doors: &'static [Door], checks: &'static [Check]) -> Rule {
    Rule { id, doors, checks }
}

/// Whether `rule` speaks at `door`: what no rule asks for there nobody need find out.
pub fn speaks(rule: RuleId, door: Door) -> bool {
    RULES.iter().any(|row| row.id == rule && row.doors.contains(&door))
}

fn checks(door: Door) -> impl Iterator<Item = &'static Check> {
    RULES.iter().filter(move |row| row.doors.contains(&door)).flat_map(|row| row.checks)
}

/// All findings of a view on its own, at no level yet.
pub fn of_view(facts: &Facts, door: Door) -> Vec<Finding> {
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
            Check::Change(_) | Check::Between(_) | Check::Refs(_) => {}
        }
    }
    found
}

/// All findings of a change: those of its view, each told introduced or inherited, what the change itself does, and
/// what it fixed. Without a base nothing has an origin.
pub fn of_change(change: &Change<'_>) -> Vec<Finding> {
    let mut found = of_view(change.view, change.door);
    let before: Vec<Finding> = change.bases.iter().flat_map(|base| of_view(base, change.door)).collect();
    if !change.bases.is_empty() {
        let known: HashSet<_> = before.iter().map(Finding::identity).collect();
        for finding in &mut found {
            let inherited = known.contains(&finding.identity());
            finding.origin = Some(if inherited { Origin::Inherited } else { Origin::Introduced });
            // no change did what was there before it
            finding.by_change &= !inherited;
        }
    }
    let fixed = fixed(&found, before, change.bases.len());
    found.extend(changes(change));
    found.extend(fixed);
    found
}

/// All findings of the single commits of a row.
pub fn of_between(between: &Between) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(Door::Commits) {
        if let Check::Between(check) = check {
            check(between, &mut found);
        }
    }
    done(found)
}

/// All findings of what a push does to refs.
pub fn of_refs(refs: &RefUpdates) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in checks(Door::Refs) {
        if let Check::Refs(check) = check {
            check(refs, &mut found);
        }
    }
    done(found)
}

/// These findings, as what the change itself did.
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

/// What every base had and the view no longer has.
fn fixed(found: &[Finding], before: Vec<Finding>, bases: usize) -> Vec<Finding> {
    let now: HashSet<_> = found.iter().map(Finding::identity).collect();
    let mut seen = std::collections::HashMap::new();
    for finding in &before {
        *seen.entry(finding.identity()).or_insert(0_usize) += 1;
    }
    let gone: HashSet<_> =
        before.iter().map(Finding::identity).filter(|id| seen[id] >= bases && !now.contains(id)).collect();
    let mut once = HashSet::new();
    let mut out: Vec<Finding> =
        before.iter().filter(|f| gone.contains(&f.identity()) && once.insert(f.identity())).cloned().collect();
    for finding in &mut out {
        finding.origin = Some(Origin::Fixed);
        finding.by_change = false;
    }
    out
}
