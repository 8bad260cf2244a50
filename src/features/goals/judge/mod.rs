//! Judges the goals of nodes with both gates, and records decisions about them.

pub(crate) mod check;
pub(crate) mod decide;
pub(crate) mod engine;
pub(crate) mod gates;
pub(crate) mod goal_demands;
