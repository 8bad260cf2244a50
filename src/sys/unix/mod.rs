//! Linux, macOS and other Unix systems.

pub(super) mod child;
pub(super) mod dir;
pub(super) mod ending;
pub(super) mod file;
mod lifeline;
pub(super) mod path;
pub(super) mod process;
pub(super) mod whole;
