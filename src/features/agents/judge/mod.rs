//! Answers events, observes commands, and installs the entries by which harnesses call this program.

pub(super) mod doctor;
pub(super) mod events;
pub(super) mod harnesses;
mod observe;
pub(super) mod observed;
pub(super) mod setup;
