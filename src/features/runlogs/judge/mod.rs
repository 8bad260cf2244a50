//! Finds and judges run logs, in states and on disk, and writes them.

pub(crate) mod change;
pub mod engine;
pub(crate) mod find_runlog;
pub(crate) mod log_target;
pub(crate) mod logs;
pub(crate) mod record;
pub(crate) mod repair;
pub(crate) mod runs;
