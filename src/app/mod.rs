//! Use cases: a request in, a value out. Joins the modules below and prints nothing.

pub mod clean;
pub mod evidence;
pub mod record;
pub mod repair;
pub mod retract;
pub mod site;
