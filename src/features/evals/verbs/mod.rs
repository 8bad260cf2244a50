//! The flags of `eval` for runs, environments, and what is blocked.

pub(super) mod flags;
