//! The rules about goals.

pub(crate) mod goal_gate;
mod goal_lowered;
pub(crate) mod goal_regressed;
pub(crate) mod goal_unmet;
#[cfg(test)]
mod tests;
