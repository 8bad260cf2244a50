//! The rules of `graph check`: gaps in, findings out.

pub(super) mod graph_dangling;
pub(super) mod graph_partial;
pub(super) mod promoted_unproven;
