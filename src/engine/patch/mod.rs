//! Patches: branches that somebody means for the main branch. Purpose: how far each has come, why, and what
//! may come next. Input: [`PatchFacts`], what git, ledgers and decisions say of one branch, as plain data; output: a [`Patch`].
//! Pure: derived at every question, stored nowhere. What must not be done here: read a tree or a ledger, and let a decision
//! count for other content than it was made about.

pub mod lifecycle;
mod state;
pub(crate) mod touched;

#[cfg(test)]
mod tests;

pub use crate::model::ledger::PatchDecisionKind;
pub use lifecycle::PatchState;

use crate::engine::budget::FiledAt;
use crate::engine::goal::trust::person;
use crate::finding::NodeRef;
use crate::model::ledger::EvidenceHash;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::fmt;

/// What is known of one branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchFacts {
    /// Its short name: of a branch of the remote the one that a local branch would have.
    pub branch: String,
    /// Its tip.
    pub tip: Oid,
    /// The commit where it left the main branch; nothing where nobody can tell, as of one that was merged by moving the main
    /// branch to it.
    pub base: Option<Oid>,
    /// The name of the main branch, for people.
    pub main: String,
    /// The files that differ between base and tip, sorted.
    pub files: Vec<RepoPath>,
    /// The scenarios whose governed content or text differs between base and tip, by node and in declared order.
    pub touches: Vec<Touch>,
    /// What was decided about it, in the order of filing; also what was decided about other content.
    pub decisions: Vec<PatchDecision>,
    /// Whether and how it came into the main branch.
    pub promotion: Option<Promotion>,
    /// The paths that a merge with the main branch could not settle.
    pub conflicts: Vec<RepoPath>,
    /// What git may do otherwise than the merge by which conflicts and promotion are told.
    pub gaps: Vec<MergeGap>,
    /// The touched nodes whose goal is reached at its tip.
    pub reached: Vec<NodeRef>,
    /// Whether only somebody else than who measured may decide.
    pub require_other: bool,
}

/// What the merge that is tried in memory does not follow, and git does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeGap {
    /// Both sides have several best common ancestors, of which one was taken.
    SeveralBases,
    /// One side moved the files of a directory elsewhere, and the other one added some to it.
    RenamedDirectory(RepoPath),
    /// Attributes may say how a file that both sides changed is merged.
    Attributes(RepoPath),
}

impl fmt::Display for MergeGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralBases => f.write_str("there are several merge bases; one of them was used"),
            Self::RenamedDirectory(dir) => {
                write!(f, "files added to {dir} do not follow the files that were renamed out of it")
            }
            Self::Attributes(path) => write!(f, "git attributes that may say how {path} is merged were not read"),
        }
    }
}

/// A scenario that a branch touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The node that declares it.
    pub node: NodeRef,
    /// Its name, as declared.
    pub scenario: String,
    /// The latest reading that was not withdrawn.
    pub eval: Option<PatchEval>,
    /// The digest of the readings of its node that count.
    pub readings: EvidenceHash,
    /// The governed paths, or the scenario file, that changed on the main branch since the base, other than to what the tip has.
    pub moved: Vec<RepoPath>,
}

/// What a reading says of a scenario that a branch touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchEval {
    /// When and where the reading was filed.
    pub at: FiledAt,
    /// Who measured.
    pub by: Option<String>,
    /// The bytes that it names: evidence, timeline, artifacts.
    pub bytes: Vec<EvidenceHash>,
    /// Whether it speaks for the tip of the branch.
    pub is_fresh: bool,
    /// Whether it was filed on the branch: neither the base has it, nor a branch on which this one began.
    pub is_own: bool,
    /// Whether the verdict that counts is a pass.
    pub is_pass: bool,
}

impl PatchDecisionKind {
    /// The state that it leads to.
    pub fn leads_to(self) -> PatchState {
        match self {
            Self::Approve => PatchState::Approved,
            Self::Reject => PatchState::Rejected,
        }
    }
}

/// One line of a ledger that decides about a patch. A decision stands in the ledger of every node that the branch touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchDecision {
    /// What was decided.
    pub kind: PatchDecisionKind,
    /// The node in whose ledger it stands.
    pub node: RepoPath,
    /// When and where it was filed.
    pub at: FiledAt,
    /// By whom.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The tip that it was made about, where the line names one.
    pub commit: Option<Oid>,
    /// Whether the tip holds what it was made about.
    pub is_current: bool,
}

/// How a branch came into the main branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promotion {
    /// Its commits are there.
    Merged,
    /// Its changes are there, in other commits: merging it would change nothing.
    Squashed,
}

/// What speaks for promoting a patch; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// It touches no scenario and needs none.
    NothingTouched,
    /// The goal of a touched node is reached.
    GoalReached,
    /// All that it touches passes, freshly.
    AllPass,
    /// Somebody approved what it holds.
    Approval,
}

/// A branch with the state that follows of what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// What is known.
    pub facts: PatchFacts,
    /// How far it has come.
    pub state: PatchState,
    /// Why, in one sentence.
    pub reason: String,
    /// What may come next.
    pub next: Vec<PatchState>,
    /// What speaks for promoting it; nothing where nothing does.
    pub proof: Option<Proof>,
}

impl Patch {
    /// The patch of a branch.
    pub fn of(facts: PatchFacts) -> Self {
        let (state, mut reason) = state::derive(&facts);
        // no state is claimed that nobody saw: where git may come to another outcome that is said
        if let Some(first) = facts.gaps.first() {
            let more = facts.gaps.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            reason = format!("{reason}; git may merge it otherwise: {first}{more}");
        }
        let proof = state::proof(&facts);
        Self { next: state::next(&facts, state, proof), state, reason, proof, facts }
    }

    /// The scenarios that it touches with their readings.
    pub fn evals(&self) -> impl Iterator<Item = (&Touch, &PatchEval)> {
        self.facts.touches.iter().filter_map(|touch| Some((touch, touch.eval.as_ref()?)))
    }

    /// Whether it is in the main branch and nothing speaks for that.
    pub fn is_unproven(&self) -> bool {
        self.state == PatchState::Promoted && self.proof.is_none()
    }
}

impl Touch {
    /// Whether a reading speaks for the tip.
    pub fn is_fresh(&self) -> bool {
        self.eval.as_ref().is_some_and(|eval| eval.is_fresh)
    }

    /// Whether a reading of it was filed on the branch.
    pub fn is_measured_here(&self) -> bool {
        self.eval.as_ref().is_some_and(|eval| eval.is_own)
    }
}

impl PatchFacts {
    /// Whether every scenario that it touches has a reading that speaks for the tip; never where it touches none.
    pub fn is_evaluated(&self) -> bool {
        !self.touches.is_empty() && self.touches.iter().all(Touch::is_fresh)
    }

    /// Whether somebody of this name may decide: who measured does not judge what they measured, where that is asked for. A
    /// reading that names nobody may be anybody's.
    pub fn may_decide(&self, by: &str) -> bool {
        let evals = || self.touches.iter().filter_map(|touch| touch.eval.as_ref());
        !self.require_other || evals().all(|eval| eval.by.as_deref().is_some_and(|filer| person(filer) != person(by)))
    }
}
