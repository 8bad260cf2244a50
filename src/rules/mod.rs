//! Facts in, findings out: one file per rule, one table. Pure and infallible.

use crate::finding::RuleId;

/// What `explain` says about a rule.
pub struct Explanation {
    /// What it finds, one sentence.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// How to mend it.
    pub mend: &'static str,
}

/// The explanation of `rule`.
pub fn explain(_rule: RuleId) -> &'static Explanation {
    &Explanation { summary: "A summary.", why: "A reason.", mend: "A repair." }
}
