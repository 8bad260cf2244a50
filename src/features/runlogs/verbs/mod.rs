//! The verb of run logs.

pub(super) mod runlog;
pub(super) mod runlog_args;
