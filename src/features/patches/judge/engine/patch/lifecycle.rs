//! The lifecycle of a patch: its states and the one table of allowed transitions. Knows nothing of git and of readings. All
//! code that decides about a patch or lists its next states uses this table.

spelled! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PatchState {
        /// No touched scenario was measured on the branch.
        Proposed = "Proposed",
        /// Some touched scenarios were measured on the branch.
        AppliedInFork = "AppliedInFork",
        /// Every touched scenario has a fresh reading for the tip.
        Evaluated = "Evaluated",
        /// Its present content was approved.
        Approved = "Approved",
        /// Its present content was rejected.
        Rejected = "Rejected",
        /// It is in the main branch.
        Promoted = "Promoted",
        /// The evaluated or approved content differs from what a merge would bring now.
        Stale = "Stale",
        Conflicted = "Conflicted",
    }
}

use crate::text::spelled::spelled;
use PatchState::{AppliedInFork, Approved, Conflicted, Evaluated, Promoted, Proposed, Rejected, Stale};

/// The allowed next states of each state. A state depends on the content of the patch: with other content the rejection no
/// longer applies, so nothing leads out of `Rejected` but another patch.
pub const TRANSITIONS: [(PatchState, &[PatchState]); 8] = [
    (Proposed, &[AppliedInFork, Approved, Rejected, Promoted, Stale, Conflicted]),
    (AppliedInFork, &[Evaluated, Promoted, Stale, Conflicted]),
    (Evaluated, &[Approved, Rejected, Promoted, Stale, Conflicted]),
    (Approved, &[Promoted, Stale, Conflicted]),
    (Rejected, &[]),
    (Promoted, &[]),
    (Stale, &[Proposed, AppliedInFork, Evaluated, Conflicted]),
    (Conflicted, &[Proposed, AppliedInFork, Evaluated, Stale]),
];

impl PatchState {
    pub fn next(self) -> &'static [Self] {
        // the table has a row for every state; a test checks that
        TRANSITIONS.iter().find(|(from, _)| *from == self).map_or(&[], |(_, to)| to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The allowed transitions from (row) to (column), in the order of [`PatchState::ALL`].
    const ALLOWED: [&str; 8] =
        [".A.ARPSC", "..E..PSC", "...ARPSC", ".....PSC", "........", "........", "PAE....C", "PAE...S."];

    #[test]
    fn every_state_and_every_transition_is_allowed_or_refused_by_the_table() {
        for (from, row) in PatchState::ALL.into_iter().zip(ALLOWED) {
            assert_eq!(row.len(), PatchState::ALL.len(), "{from:?}");
            for (to, letter) in PatchState::ALL.into_iter().zip(row.chars()) {
                assert_eq!(from.next().contains(&to), letter != '.', "{from:?} -> {to:?}");
            }
        }
    }

    #[test]
    fn the_table_has_each_state_once_and_only_what_is_settled_is_terminal() {
        let rows: Vec<PatchState> = TRANSITIONS.iter().map(|(from, _)| *from).collect();
        assert_eq!(rows, PatchState::ALL);
        let terminal: Vec<PatchState> = PatchState::ALL.into_iter().filter(|state| state.next().is_empty()).collect();
        assert_eq!(terminal, [Rejected, Promoted]);
    }

    #[test]
    fn only_what_is_evaluated_or_needs_no_evaluation_is_decided_about() {
        for state in PatchState::ALL {
            let is_open = matches!(state, Proposed | Evaluated);
            assert_eq!(state.next().contains(&Approved), is_open, "{state:?}");
            assert_eq!(state.next().contains(&Rejected), is_open, "{state:?}");
        }
    }

    #[test]
    fn every_state_has_a_spelling_of_its_own() {
        let spelled: std::collections::BTreeSet<&str> = PatchState::ALL.into_iter().map(PatchState::as_str).collect();
        assert_eq!(spelled.len(), PatchState::ALL.len());
    }
}
