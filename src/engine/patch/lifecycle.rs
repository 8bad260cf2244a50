//! The lifecycle of a patch: its states and the one table of what may follow what. Knows nothing of git
//! and of readings; whoever decides about a patch, and whoever says what may come next, asks this table.

/// How far a patch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatchState {
    /// Nothing of what it touches was measured on it.
    Proposed,
    /// Some of what it touches was measured on it.
    AppliedInFork,
    /// All that it touches has a reading that speaks for its tip.
    Evaluated,
    /// Somebody took it as it is now.
    Approved,
    /// Somebody refused it as it is now.
    Rejected,
    /// It is in the main branch.
    Promoted,
    /// What was evaluated or approved is not what it would bring now.
    Stale,
    /// It cannot be merged as it is.
    Conflicted,
}

use PatchState::{AppliedInFork, Approved, Conflicted, Evaluated, Promoted, Proposed, Rejected, Stale};

/// From each state, what may follow. A patch is judged by what it holds: other content is no longer what was rejected, so
/// that nothing leads out of `Rejected` but another patch.
pub const TRANSITIONS: [(PatchState, &[PatchState]); 8] = [
    (Proposed, &[AppliedInFork, Promoted, Stale, Conflicted]),
    (AppliedInFork, &[Evaluated, Promoted, Stale, Conflicted]),
    (Evaluated, &[Approved, Rejected, Promoted, Stale, Conflicted]),
    (Approved, &[Promoted, Stale, Conflicted]),
    (Rejected, &[]),
    (Promoted, &[]),
    (Stale, &[Proposed, AppliedInFork, Evaluated, Conflicted]),
    (Conflicted, &[Proposed, AppliedInFork, Evaluated, Stale]),
];

impl PatchState {
    /// Every state, in the order of the lifecycle.
    pub const ALL: [Self; 8] = [Proposed, AppliedInFork, Evaluated, Approved, Rejected, Promoted, Stale, Conflicted];

    /// The spelling for people and in machine formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Proposed => "Proposed",
            AppliedInFork => "AppliedInFork",
            Evaluated => "Evaluated",
            Approved => "Approved",
            Rejected => "Rejected",
            Promoted => "Promoted",
            Stale => "Stale",
            Conflicted => "Conflicted",
        }
    }

    /// What may follow this state.
    pub fn next(self) -> &'static [Self] {
        // the table has a row for every state, in their order; its test says so
        TRANSITIONS.iter().find(|(from, _)| *from == self).map_or(&[], |(_, to)| to)
    }

    /// Whether `to` may follow this state.
    pub fn allows(self, to: Self) -> bool {
        self.next().contains(&to)
    }

    /// Whether nothing follows it.
    pub fn is_terminal(self) -> bool {
        self.next().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From (row) to (column), in the order of [`PatchState::ALL`].
    const ALLOWED: [&str; 8] =
        [".A...PSC", "..E..PSC", "...ARPSC", ".....PSC", "........", "........", "PAE....C", "PAE...S."];

    #[test]
    fn every_state_and_every_transition_is_allowed_or_refused_by_the_table() {
        for (from, row) in PatchState::ALL.into_iter().zip(ALLOWED) {
            assert_eq!(row.len(), PatchState::ALL.len(), "{from:?}");
            for (to, letter) in PatchState::ALL.into_iter().zip(row.chars()) {
                assert_eq!(from.allows(to), letter != '.', "{from:?} -> {to:?}");
            }
        }
    }

    #[test]
    fn the_table_has_each_state_once_and_only_what_is_settled_is_terminal() {
        let rows: Vec<PatchState> = TRANSITIONS.iter().map(|(from, _)| *from).collect();
        assert_eq!(rows, PatchState::ALL);
        let terminal: Vec<PatchState> = PatchState::ALL.into_iter().filter(|state| state.is_terminal()).collect();
        assert_eq!(terminal, [Rejected, Promoted]);
    }

    #[test]
    fn only_what_is_evaluated_is_decided_about() {
        for state in PatchState::ALL {
            assert_eq!(state.allows(Approved), state == Evaluated, "{state:?}");
            assert_eq!(state.allows(Rejected), state == Evaluated, "{state:?}");
        }
    }

    #[test]
    fn every_state_has_a_spelling_of_its_own() {
        let spelled: std::collections::BTreeSet<&str> = PatchState::ALL.into_iter().map(PatchState::as_str).collect();
        assert_eq!(spelled.len(), PatchState::ALL.len());
    }
}
