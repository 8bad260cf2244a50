//! The rules about run logs.

pub(crate) mod runlog_artifacts;
pub(crate) mod runlog_history;
pub(crate) mod runlog_progress;
pub(crate) mod runlog_schema;
