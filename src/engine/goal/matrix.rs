//! The matrix of both gates: their combined status and the next action. One table; a lookup cannot fail.

/// The result of the goal gate for a valid contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalStanding {
    /// Every criterion is met.
    Met,
    /// A criterion is not met, and another attempt is allowed.
    NotMet,
    /// No attempt is allowed: a decision blocked the goal, or the attempts are used up.
    Blocked,
}

/// The combined status of both gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalStatus {
    /// Both gates pass.
    Success,
    /// One of them fails.
    Partial,
    /// Work may go on only after a decision.
    Blocked,
    /// There is no contract.
    NoContract,
    /// There is a contract that cannot be read: it fails.
    Invalid,
}

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalAction {
    /// Accept the result.
    Accept,
    /// Try another approach.
    Pivot,
    /// Bring better evidence for the same approach.
    Rework,
    /// Ask a person to decide.
    Escalate,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// Whether the trust gate passes.
    pub is_trusted: bool,
    /// The result of the goal gate.
    pub goal: GoalStanding,
    /// The combined status.
    pub status: GoalStatus,
    /// The next action.
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

impl GoalStanding {
    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Met => "MET",
            Self::NotMet => "NOT_MET",
            Self::Blocked => "BLOCKED",
        }
    }
}

impl GoalStatus {
    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::Partial => "PARTIAL",
            Self::Blocked => "BLOCKED",
            Self::NoContract => "NO_CONTRACT",
            Self::Invalid => "INVALID",
        }
    }

    /// Whether no action is needed: the goal is reached, or there is none.
    pub fn is_fine(self) -> bool {
        matches!(self, Self::Success | Self::NoContract)
    }
}

impl GoalAction {
    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPT",
            Self::Pivot => "PIVOT",
            Self::Rework => "REWORK",
            Self::Escalate => "ESCALATE",
        }
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
