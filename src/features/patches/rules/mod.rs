//! The rules about what comes into the main branch.

pub(crate) mod approval_missing;
pub(crate) mod promoted_unproven;
