//! What is known about patches: their state by the branches of git, and whether a change was approved.

pub(crate) mod judging;
