//! Approvals of content: whether decisions about patches hold for a change. Input: the differing paths of the change with
//! both versions, the decisions, and who may give one. Output: an [`Approval`]. Pure; a rebased, squashed or picked change
//! gets the same answer, because only content is compared.

mod givers;
#[cfg(test)]
mod tests;

pub(crate) use givers::{GivenWord, Giver};

use crate::error::Result;
use crate::model::ledger::{
    ApprovedContent, ContentMap, Decision, Event, Ledger, LineHash, PatchDecisionKind, Stamped, Timestamp,
};
use crate::text::spelled::spelled;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A decision about content, from a ledger line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentDecision {
    pub(crate) kind: PatchDecisionKind,
    pub(crate) ledger: RepoPath,
    pub(crate) line: LineHash,
    pub(crate) ts: Timestamp,
    /// The giver as the line names him.
    pub(crate) by: String,
    /// The commits that were compared, which a rebase may have lost.
    pub(crate) ends: [Oid; 2],
    pub(crate) content: ApprovedContent,
    /// The addresses of the authors when it was given.
    pub(crate) authors: BTreeSet<String>,
}

impl ContentDecision {
    /// The decisions of a ledger that name content. Older lines name none and speak for states alone.
    pub(crate) fn of(ledger: &Ledger) -> impl Iterator<Item = Self> + '_ {
        ledger.lines.iter().filter_map(|line| {
            let Event::Decision(decision) = &line.event else { return None };
            Self::read(decision, ledger, LineHash::of(&line.bytes))
        })
    }

    fn read(decision: &Decision, ledger: &Ledger, line: LineHash) -> Option<Self> {
        decision.wrong.is_empty().then_some(())?;
        Some(Self {
            kind: PatchDecisionKind::parse(&decision.kind)?,
            ledger: ledger.path.clone(),
            line,
            ts: decision.ts?,
            by: decision.by.clone()?,
            ends: [decision.base?, decision.commit?],
            content: decision.content.clone()?,
            authors: decision.authors.clone(),
        })
    }
}

spelled! {
    /// Why a path is not covered by an approval.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Misfit {
        /// The change brings another version than the approved one, and main did not change it.
        Changed = "changed",
        /// It began with another version than the approval did: main changed it, so its version now is main's doing, too.
        BaseChanged = "base changed",
        /// The approval does not name it.
        NotApproved = "not approved",
        /// It was approved, and is as it was before the approved change.
        Gone = "gone",
        /// Main held all of it before and took it back.
        Spent = "spent",
    }
}

/// A path that no approval covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnapprovedFile {
    /// Its path.
    pub path: RepoPath,
    /// Why it is not covered.
    pub why: Misfit,
}

/// Whether a decision is about the content of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Whole,
    /// The paths that speak against it, and whether the decision names any of the differing paths.
    Apart {
        files: Vec<UnapprovedFile>,
        shares: bool,
    },
}

/// Compares approved content with a change: `maps` has the differing paths against each merge base, `at_tip` gives the
/// version of any path at the tip.
///
/// # Errors
/// When the tip cannot be read.
pub(crate) fn fit(
    approved: &ContentMap,
    maps: &[ContentMap],
    at_tip: &dyn Fn(&RepoPath) -> Result<Stamped>,
) -> Result<Fit> {
    let mut files = BTreeSet::new();
    let mut shares = false;
    for (path, [base, tip]) in maps.iter().flatten() {
        let named = approved.get(path);
        shares |= named.is_some();
        let why = match named {
            None => Misfit::NotApproved,
            Some([then, _]) if then != base => Misfit::BaseChanged,
            Some([_, then]) if then != tip => Misfit::Changed,
            Some(_) => continue,
        };
        files.insert(UnapprovedFile { path: path.clone(), why });
    }
    if !shares {
        return Ok(Fit::Apart { files: files.into_iter().collect(), shares });
    }
    // what does not differ has landed, or was dropped from the change after the approval
    let landed = approved.iter().filter(|(path, _)| maps.iter().any(|map| !map.contains_key(*path)));
    for (path, [base, tip]) in landed {
        let now = at_tip(path)?;
        if now != *tip && files.iter().all(|file| file.path != *path) {
            let why = if now == *base { Misfit::Gone } else { Misfit::BaseChanged };
            files.insert(UnapprovedFile { path: path.clone(), why });
        }
    }
    Ok(if files.is_empty() { Fit::Whole } else { Fit::Apart { files: files.into_iter().collect(), shares } })
}

spelled! {
    /// Whether a change is approved.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ApprovalStatus {
        /// Enough approvals hold, or nothing but records differs.
        Covered = "covered",
        /// A rejection holds.
        Rejected = "rejected",
        /// An approval is about this content, and its giver or the number of givers is not enough.
        Short = "short",
        /// The approvals are about other content of the same files.
        Lost = "lost",
        /// No approval names any of the files.
        Never = "never",
    }
}

/// The answer for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Whether it is approved.
    pub status: ApprovalStatus,
    /// How many givers are needed.
    pub need: usize,
    /// The givers of the decisions that the status rests on, the earliest first.
    pub by: Vec<String>,
    /// The files that no approval covers, sorted.
    pub files: Vec<UnapprovedFile>,
}

/// A decision with what it means for a change.
pub(crate) struct JudgedDecision<'d> {
    pub(crate) decision: &'d ContentDecision,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    /// It holds, as the word of each of these givers: of all who signed it, else of the one whom the line names.
    Holds(Vec<GivenWord>),
    /// It is about this content, and its giver may not decide.
    Unfit,
    /// It is about other content.
    Apart { files: Vec<UnapprovedFile>, shares: bool },
}

/// The answer for a change that differs by `maps`, by all decisions.
pub(crate) fn approval(need: usize, maps: &[ContentMap], mut judged: Vec<JudgedDecision<'_>>) -> Approval {
    let answer = |status, by, files| Approval { status, need, by, files };
    if maps.iter().all(ContentMap::is_empty) {
        return answer(ApprovalStatus::Covered, Vec::new(), Vec::new());
    }
    judged.sort_by(|one, other| {
        let key = |one: &JudgedDecision<'_>| (one.decision.ts, one.decision.ledger.clone(), one.decision.line);
        key(one).cmp(&key(other))
    });
    let words = givers::last_words(&judged);
    let by =
        |kind| -> Vec<String> { words.iter().filter(|word| word.kind == kind).map(|word| word.by.clone()).collect() };
    let (rejecting, approving) = (by(PatchDecisionKind::Reject), by(PatchDecisionKind::Approve));
    if !rejecting.is_empty() {
        return answer(ApprovalStatus::Rejected, rejecting, Vec::new());
    }
    if approving.len() >= need {
        return answer(ApprovalStatus::Covered, approving, Vec::new());
    }
    let approvals = || judged.iter().filter(|one| one.decision.kind == PatchDecisionKind::Approve);
    if approvals().any(|one| matches!(one.outcome, Outcome::Holds(_) | Outcome::Unfit)) {
        return answer(ApprovalStatus::Short, approving, Vec::new());
    }
    let lost = approvals().filter_map(|one| match &one.outcome {
        Outcome::Apart { files, shares: true } => Some((one.decision, files)),
        _ => None,
    });
    // of equally near approvals the latest
    match lost.rev().min_by_key(|(_, files)| files.len()) {
        Some((decision, files)) => answer(ApprovalStatus::Lost, vec![decision.by.clone()], files.clone()),
        None => answer(ApprovalStatus::Never, Vec::new(), unapproved(maps)),
    }
}

fn unapproved(maps: &[ContentMap]) -> Vec<UnapprovedFile> {
    let paths: BTreeSet<&RepoPath> = maps.iter().flat_map(ContentMap::keys).collect();
    paths.into_iter().map(|path| UnapprovedFile { path: path.clone(), why: Misfit::NotApproved }).collect()
}
