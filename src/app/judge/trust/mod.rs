//! The trust that a state may ask for: the keys, the revocations and the policy of its base.

pub(crate) mod added;
pub(crate) mod base;
pub(crate) mod base_scenarios;
pub(crate) mod desk;
pub(crate) mod held;
pub(crate) mod judging;
mod logs;
pub(crate) mod verify;
pub(crate) mod window;
