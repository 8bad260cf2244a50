//! Queries on the event graph of the working tree, of HEAD in a bare repository, of a commit, or of a log. The graph is
//! built for each query; nothing is stored.

mod about;
mod answer;
mod derive;
pub mod engine;
pub(crate) mod gaps;

pub(crate) use answer::{GraphAnswer, LineageWays, between, detail, lineage, lines_of, ops, show, summary, why};
pub(crate) use derive::{DerivedGraph, GraphSource, GraphView};
