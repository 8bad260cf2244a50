//! What is known about patches: their state by the branches of git, and whether a change was approved.

pub(crate) mod approvals;
pub(crate) mod decide;
pub(crate) mod engine;
pub(crate) mod judging;
pub(crate) mod patches;
pub(crate) mod promotions;
