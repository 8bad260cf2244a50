//! The placeholder texts of a new scenario file. They are well-formed, so that the gate accepts a commit. A reading of them
//! would be meaningless, so none can be filed.

pub(crate) const DESCRIPTION: &str = "Say what to do step by step so that somebody else measures the same.";
pub(crate) const EXPECTED: &str = "Say what a perfect result looks like.";
