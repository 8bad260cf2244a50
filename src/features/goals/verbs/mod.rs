//! The verb `goal`.

pub(super) mod goal;
pub(super) mod goal_args;
