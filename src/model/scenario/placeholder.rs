//! What stands in a new scenario file until somebody says what is meant. Well-formed, so that the gate lets it be committed;
//! a reading of it would testify to nothing, so that none is filed.

/// In place of what to measure.
pub(crate) const DESCRIPTION: &str = "Say what to do step by step so that somebody else measures the same.";
/// In place of what zero loss looks like.
pub(crate) const EXPECTED: &str = "Say what a perfect result looks like.";
