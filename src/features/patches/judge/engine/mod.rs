//! The pure part: facts about a branch or a change in, its state or its approval out.

pub(crate) mod approval;
pub(crate) mod patch;
