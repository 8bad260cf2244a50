//! The event graph: facts of a view in, events in one order, state ops, the graph they make, and answers about it out. Every
//! step is pure and stands in a file of its own:
//!
//! ```text
//! facts -> project (events -> ops) -> apply -> lineage | why | diff | digest
//! event log -> replay -----------------^
//! ```
//!
//! Nothing is stored: the graph is derived anew at every question.

pub mod apply;
mod canonical;
pub mod digest;
mod names;
pub mod part;
pub mod replay;
