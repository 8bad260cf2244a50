//! The placeholder texts of a new scenario file. They are well-formed, so that the gate accepts a commit. A reading of them
//! would be meaningless, so none can be filed.

use super::Scenario;

pub(crate) const DESCRIPTION: &str = "Say what to do step by step so that another person measures the same.";
pub(crate) const EXPECTED: &str = "Say what a perfect result looks like.";

/// Whether a text of the scenario is still to be written.
pub(crate) fn is_in(scenario: &Scenario) -> bool {
    scenario.description == DESCRIPTION || scenario.expected == EXPECTED
}
