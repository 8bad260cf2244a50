//! Patches: branches meant for the main branch. Purpose: the state of each, its reason, and the next states. Input:
//! [`PatchFacts`], the facts from git, ledgers and decisions about one branch, as plain data. Output: a [`Patch`]. Pure:
//! computed at every question, stored nowhere. This module must not read a tree or a ledger, and must not count a decision
//! for content other than the decided one.

pub(crate) mod lifecycle;
mod state;
pub(crate) mod unproven;

#[cfg(test)]
mod tests;

pub use crate::model::ledger::PatchDecisionKind;
pub use lifecycle::PatchState;

use crate::engine::budget::FiledAt;
use crate::features::goals::person;
use crate::finding::NodeRef;
use crate::model::ledger::EvidenceHash;
use crate::text::spelled::spelled;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchFacts {
    /// Its short name. A remote branch has the name that its local branch would have.
    pub branch: String,
    pub tip: Oid,
    /// The commit where it left the main branch. `None` if that is unknown, for example for a branch that was merged by
    /// fast-forward.
    pub base: Option<Oid>,
    /// The name of the main branch, for people.
    pub main: String,
    /// The files that differ between base and tip, sorted.
    pub files: Vec<RepoPath>,
    /// The scenarios with a governed content or a text that differs between base and tip, by node and in declared order.
    pub touches: Vec<Touch>,
    /// The decisions about it, in filing order, including decisions about other content.
    pub decisions: Vec<PatchDecision>,
    /// The way in which it came into the main branch, if it did.
    pub promotion: Option<Promotion>,
    /// The paths with conflicts in a merge with the main branch.
    pub conflicts: Vec<RepoPath>,
    /// Reasons why git may merge otherwise than the trial merge behind `conflicts` and `promotion`.
    pub gaps: Vec<MergeGap>,
    /// The touched nodes with a reached goal at its tip.
    pub reached: Vec<NodeRef>,
    /// Whether the filer of a reading may not decide.
    pub require_other: bool,
}

/// A case that git merges otherwise than the trial merge in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeGap {
    /// Both sides have several best common ancestors; the trial used one.
    SeveralBases,
    /// One side moved the files of a directory, and the other side added files to it.
    RenamedDirectory(RepoPath),
    /// Attributes may set how a file that both sides changed is merged.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub node: NodeRef,
    pub scenario: String,
    /// The words of `eval` that file a reading of it.
    pub filing: &'static str,
    /// The latest reading that was not withdrawn.
    pub eval: Option<PatchEval>,
    /// The digest of the readings of its node that count.
    pub readings: EvidenceHash,
    /// The governed paths, and the scenario file, that the main branch changed since the base to other content than the
    /// tip's.
    pub moved: Vec<RepoPath>,
}

/// The reading of a scenario that a branch touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchEval {
    /// The time and place of its line.
    pub at: FiledAt,
    pub by: Option<String>,
    /// The hashes that it names: evidence, timeline, artifacts.
    pub bytes: Vec<EvidenceHash>,
    /// Whether it is fresh for the tip of the branch.
    pub is_fresh: bool,
    /// Whether it was filed on the branch: neither the base nor a branch below this one has it.
    pub is_own: bool,
    /// Whether the verdict that counts is a pass.
    pub is_pass: bool,
}

impl PatchDecisionKind {
    pub(crate) fn leads_to(self) -> PatchState {
        match self {
            Self::Approve => PatchState::Approved,
            Self::Reject => PatchState::Rejected,
        }
    }
}

/// One ledger line with a decision about a patch. A decision stands in the ledger of every node that the branch touched, or
/// in the ledger of the patches' home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchDecision {
    pub kind: PatchDecisionKind,
    pub node: RepoPath,
    /// The time and place of its line.
    pub at: FiledAt,
    pub by: String,
    pub reason: String,
    /// The tip that was decided on, if the line names one.
    pub commit: Option<Oid>,
    /// Whether the tip still has the decided content.
    pub is_current: bool,
    /// Whether the line names content. A line of an older program names none and speaks for scenarios alone.
    pub names_content: bool,
    /// Whether the line names all content of the branch, exactly as it is. Then it needs no line in each touched node.
    pub covers: bool,
}

spelled! {
    /// The way in which a branch came into the main branch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Promotion {
        /// By its commits.
        Merged = "merged",
        /// By its changes in other commits: merging it would change nothing.
        Squashed = "squashed",
    }
}

spelled! {
    /// The proof that allows promoting a patch; the first that holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Proof {
        /// It touches no scenario and needs none.
        NothingTouched = "nothing-touched",
        /// The goal of a touched node is reached.
        GoalReached = "goal-reached",
        /// Every touched scenario has a fresh pass.
        AllPass = "all-pass",
        /// Its present content was approved.
        Approval = "approval",
    }
}

/// A branch with its computed state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub facts: PatchFacts,
    pub state: PatchState,
    /// The reason for the state, in one sentence.
    pub reason: String,
    pub next: Vec<PatchState>,
    /// The proof for promoting it, if there is one.
    pub proof: Option<Proof>,
}

impl Patch {
    pub fn of(facts: PatchFacts) -> Self {
        let (state, mut reason) = state::derive(&facts);
        // the reason mentions that git may merge otherwise, because then the state may be wrong
        if let Some(first) = facts.gaps.first() {
            let more = facts.gaps.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            reason = format!("{reason}; git may merge it otherwise: {first}{more}");
        }
        let proof = state::proof(&facts);
        Self { next: state::next(&facts, state, proof), state, reason, proof, facts }
    }

    /// Whether it is in the main branch without a proof.
    pub fn is_unproven(&self) -> bool {
        self.state == PatchState::Promoted && self.proof.is_none()
    }
}

impl Touch {
    /// Whether it has a fresh reading for the tip.
    pub fn is_fresh(&self) -> bool {
        self.eval.as_ref().is_some_and(|eval| eval.is_fresh)
    }

    /// Whether a reading of it was filed on the branch.
    pub fn is_measured_here(&self) -> bool {
        self.eval.as_ref().is_some_and(|eval| eval.is_own)
    }
}

impl PatchFacts {
    /// Whether every touched scenario has a fresh reading for the tip; false if it touches none.
    pub fn is_evaluated(&self) -> bool {
        !self.touches.is_empty() && self.touches.iter().all(Touch::is_fresh)
    }

    /// The decisions of a person about the present content, in filing order.
    pub(crate) fn words_of(&self, by: &str) -> impl DoubleEndedIterator<Item = &PatchDecision> {
        let by = person(by);
        self.decisions.iter().filter(move |one| self.is_about(one) && person(&one.by) == by)
    }

    /// The latest rejection of the present content that its giver did not take back.
    pub(crate) fn rejection(&self) -> Option<&PatchDecision> {
        let stands = |one: &PatchDecision| self.words_of(&one.by).next_back().is_some_and(|last| last.kind == one.kind);
        let mut all = self.decisions.iter().filter(|one| one.kind == PatchDecisionKind::Reject && self.is_about(one));
        all.rfind(|one| stands(one))
    }

    /// Whether a decision is about exactly the present content. An approval of other content that left the scenarios alone
    /// is none, so it takes no rejection back.
    fn is_about(&self, one: &PatchDecision) -> bool {
        one.covers || one.is_current && !one.names_content && !self.touches.is_empty()
    }

    /// Whether a person of this name may decide. With `require_other` the filers of the readings may not; a reading without
    /// a filer may be the person's own.
    pub fn may_decide(&self, by: &str) -> bool {
        let evals = || self.touches.iter().filter_map(|touch| touch.eval.as_ref());
        !self.require_other || evals().all(|eval| eval.by.as_deref().is_some_and(|filer| person(filer) != person(by)))
    }
}
