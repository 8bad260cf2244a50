//! Work on what was filed that files nothing: collecting evidence, the bare store, merging ledgers.

pub mod clean;
pub mod evidence;
pub mod merge_driver;
