//! The settings of trust, the files of keys, the receipt of a signature, and the readings that an export states.

pub mod keys;
pub(crate) mod settings;
pub(crate) mod signed;
pub(crate) mod statement;
mod wildcard;
