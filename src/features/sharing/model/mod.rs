//! What is said about shared pieces.

pub(crate) mod receipts;
