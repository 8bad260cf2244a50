//! `graph`, with `graph check`.

mod check;
mod graph;
pub(super) mod graph_args;
