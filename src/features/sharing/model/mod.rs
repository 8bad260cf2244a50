//! The place of shared evidence, and what is said about pieces there.

pub(crate) mod place;
pub(crate) mod receipts;
