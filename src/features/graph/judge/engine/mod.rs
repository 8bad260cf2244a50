//! The event graph: the facts of a view become events in one order, then state ops, then a graph that answers questions.
//! Every step is pure and has a file of its own:
//!
//! ```text
//! facts -> project (events -> ops) -> apply -> lineage | why | diff | digest
//! event log -> replay -----------------^
//! ```
//!
//! Nothing is stored: the graph is derived again at every question (docs/graph.md).

pub(crate) mod apply;
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
pub(crate) mod why;
