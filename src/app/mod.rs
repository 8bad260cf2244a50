//! Use cases: a request in, a value out. Joins the modules below and prints nothing.

pub mod doors;
pub mod judge;
pub mod memo;
pub mod progress;
pub(crate) mod query;
pub(crate) mod record;
pub mod setup;
pub mod site;
pub(crate) mod upkeep;
