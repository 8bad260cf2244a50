//! The signatures that hold, the trust that passes lack for it, and how a key signs.

pub(crate) mod added;
pub(crate) mod base;
pub(crate) mod base_scenarios;
pub(crate) mod desk;
pub(crate) mod envelope;
pub(crate) mod export;
pub(crate) mod facts;
pub(crate) mod grades;
pub(crate) mod held;
pub(crate) mod holding;
pub(crate) mod judging;
pub(crate) mod key;
mod logs;
mod logs_memo;
pub(crate) mod runs;
pub(crate) mod sign;
mod signatures_memo;
pub(crate) mod signers;
pub(crate) mod testimony;
pub(crate) mod untrusted;
pub(crate) mod verify;
pub(crate) mod window;
