//! The answers to events and installations as text.

pub(super) mod reply;
pub(super) mod setup;
