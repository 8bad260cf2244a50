//! The verb of run logs.

mod check;
pub(super) mod runlog;
pub(super) mod runlog_args;
