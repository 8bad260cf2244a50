//! The settings of trust, the files of keys, and the readings that an export states.

pub mod keys;
pub(crate) mod settings;
pub(crate) mod statement;
mod wildcard;
