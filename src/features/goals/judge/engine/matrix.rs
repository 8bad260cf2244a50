//! The matrix of both gates: their combined status and the next action. One table; a lookup cannot fail.

use crate::text::spelled::spelled;

spelled! {
    /// The result of the goal gate for a valid contract.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GoalStanding {
        Met = "MET",
        /// A criterion is not met, and another attempt is allowed.
        NotMet = "NOT_MET",
        /// No attempt is allowed: a decision blocked the goal, or the attempts are used up.
        Blocked = "BLOCKED",
    }
}

spelled! {
    /// The combined status of both gates.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GoalStatus {
        /// Both gates pass.
        Success = "SUCCESS",
        Partial = "PARTIAL",
        /// Work may go on only after a decision.
        Blocked = "BLOCKED",
        NoContract = "NO_CONTRACT",
        /// There is a contract that cannot be read: it fails.
        Invalid = "INVALID",
    }
}

spelled! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GoalAction {
        Accept = "ACCEPT",
        /// Try another approach.
        Pivot = "PIVOT",
        /// Bring better evidence for the same approach.
        Rework = "REWORK",
        /// Ask a person to decide.
        Escalate = "ESCALATE",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    pub is_trusted: bool,
    pub goal: GoalStanding,
    pub status: GoalStatus,
    pub action: GoalAction,
}

const fn row(is_trusted: bool, goal: GoalStanding, status: GoalStatus, action: GoalAction) -> MatrixRow {
    MatrixRow { is_trusted, goal, status, action }
}

/// Every row; the rows with a passing trust gate come first.
pub static MATRIX: [MatrixRow; 6] = [
    row(true, GoalStanding::Met, GoalStatus::Success, GoalAction::Accept),
    row(true, GoalStanding::NotMet, GoalStatus::Partial, GoalAction::Pivot),
    row(true, GoalStanding::Blocked, GoalStatus::Blocked, GoalAction::Escalate),
    row(false, GoalStanding::Met, GoalStatus::Partial, GoalAction::Rework),
    row(false, GoalStanding::NotMet, GoalStatus::Partial, GoalAction::Rework),
    row(false, GoalStanding::Blocked, GoalStatus::Blocked, GoalAction::Escalate),
];

/// The row for the results of both gates.
pub fn decide(is_trusted: bool, goal: GoalStanding) -> &'static MatrixRow {
    &MATRIX[3 * usize::from(!is_trusted) + goal as usize]
}

impl GoalStatus {
    /// Whether no action is needed: the goal is reached, or there is none.
    pub fn is_fine(self) -> bool {
        matches!(self, Self::Success | Self::NoContract)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_what_it_says() {
        for row in &MATRIX {
            assert_eq!(decide(row.is_trusted, row.goal), row);
        }
    }

    /// The matrix of the document, written out again.
    #[test]
    fn the_six_rows() {
        use GoalStanding::{Blocked, Met, NotMet};
        let said = |trusted, goal| {
            let row = decide(trusted, goal);
            (row.status.as_str(), row.action.as_str())
        };
        assert_eq!(said(true, Met), ("SUCCESS", "ACCEPT"));
        assert_eq!(said(true, NotMet), ("PARTIAL", "PIVOT"));
        assert_eq!(said(true, Blocked), ("BLOCKED", "ESCALATE"));
        assert_eq!(said(false, Met), ("PARTIAL", "REWORK"));
        assert_eq!(said(false, NotMet), ("PARTIAL", "REWORK"));
        assert_eq!(said(false, Blocked), ("BLOCKED", "ESCALATE"));
    }

    #[test]
    fn only_both_gates_together_are_a_success() {
        let successes: Vec<_> = MATRIX.iter().filter(|row| row.status == GoalStatus::Success).collect();
        assert_eq!(successes.len(), 1);
        assert!(successes[0].is_trusted && successes[0].goal == GoalStanding::Met);
    }
}
