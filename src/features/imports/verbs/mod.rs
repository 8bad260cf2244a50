//! The flags of imports on the verbs of the core.

mod report_flags;
pub(super) mod reports;
