//! Maintains filed data without filing any: collects evidence, reads and writes the evidence store, shares it with
//! other machines, merges ledgers.

pub(crate) mod clean;
pub(crate) mod evidence;
pub(crate) mod merge_driver;
