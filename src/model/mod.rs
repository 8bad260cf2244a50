//! Turns a view into a [`workspace::Workspace`]: the nodes, scenarios, readings and configuration of one judged state as
//! valid values. Parsers return all readable data and every problem. No git, no disk, no judgement.

pub(crate) mod began;
pub(crate) mod budgets;
pub mod config;
pub(crate) mod contract;
pub(crate) mod env_switch;
pub(crate) mod glob;
pub mod governed;
pub(crate) mod idle;
pub(crate) mod ids;
pub(crate) mod labels;
pub mod ledger;
pub(crate) mod left_files;
pub(crate) mod links;
pub mod node;
pub(crate) mod parts;
pub(crate) mod reference;
pub(crate) mod resolve;
pub mod scenario;
pub(crate) mod selector;
pub mod session;
pub mod source;
pub mod spec;
pub mod stamp;
pub(crate) mod usage;
pub mod workspace;
