//! The verb `patch`.

pub(super) mod patch;
pub(super) mod patch_args;
