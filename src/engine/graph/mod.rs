//! The event graph: facts of a view in, events in one order, state ops, the graph they make, and answers about it out. Every
//! step is pure and stands in a file of its own:
//!
//! ```text
//! facts -> project (events -> ops) -> apply -> lineage | why | diff | digest
//! event log -> replay -----------------^
//! ```
//!
//! Nothing is stored: the graph is derived anew at every question (docs/graph.md).

pub mod apply;
pub(crate) mod canonical;
pub mod diff;
pub mod digest;
pub(crate) mod facts;
pub mod lineage;
mod names;
pub(crate) mod near;
mod occurrence;
pub mod part;
pub(crate) mod project;
pub mod replay;
pub(crate) mod run_log;
#[cfg(test)]
mod tests;
pub(crate) mod typed;
pub mod why;
