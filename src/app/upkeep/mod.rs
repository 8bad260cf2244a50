//! Work on what was filed that files nothing: collecting evidence, the bare store, sharing it with other machines,
//! merging ledgers.

pub(crate) mod clean;
pub(crate) mod evidence;
pub(crate) mod merge_driver;
pub(crate) mod share;
