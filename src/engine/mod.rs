//! Facts from models: the readings that count, their freshness, the lost ledger lines. Pure except for the trees that it
//! reads through [`crate::tree`]. No findings, no levels.

pub mod anchors;
pub(crate) mod blocked;
pub(crate) mod budget;
pub(crate) mod content;
pub mod effective;
pub(crate) mod facts;
pub mod freshness;
pub mod history;
pub(crate) mod keys;
pub mod merge;
pub(crate) mod redaction;
pub(crate) mod runs;
pub(crate) mod score;
pub(crate) mod selectors;
pub(crate) mod successors;
pub(crate) mod touched;
pub mod units;
pub(crate) mod unowned;
pub(crate) mod watched;
