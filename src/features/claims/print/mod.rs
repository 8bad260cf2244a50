//! Claims, and what to measure next, for people and programs.

pub(crate) mod claim;
pub(crate) mod next;
