//! Queries that change nothing, for example the score of scenarios, the impact of an edit, and the configuration.

pub(crate) mod begin;
pub(crate) mod drift;
pub(crate) mod explain;
pub(crate) mod impact;
pub(crate) mod ls;
pub(crate) mod measures;
pub(crate) mod offered;
pub(crate) mod repeated;
pub(crate) mod segments;
pub(crate) mod settings;
pub(crate) mod show;
pub(crate) mod stands;
pub(crate) mod terms;
pub(crate) mod units;
pub(crate) mod unstaged;
pub(crate) mod usage;
pub(crate) mod view;
