//! A view in, a [`workspace::Workspace`] out. Purpose: the nodes, scenarios, readings and configuration of one judged
//! state as values that cannot be wrong. Parsers return what they could read and every problem. No git, no disk, no
//! judgement.

pub mod budgets;
pub mod claim;
pub mod config;
pub mod duration;
pub mod glob;
pub mod governed;
pub mod ids;
pub mod labels;
pub mod ledger;
pub mod links;
pub mod node;
pub mod reference;
pub mod resolve;
pub mod scenario;
pub mod source;
pub mod spec;
pub mod stamp;
pub mod usage;
pub mod workspace;
