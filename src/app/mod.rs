//! Use cases: a request in, a value out. Joins the modules below and prints nothing.

pub mod added;
pub mod check;
pub mod clean;
pub mod doctor;
pub mod drift;
pub mod evidence;
pub mod install;
pub mod levels;
pub mod memo;
pub mod merge_driver;
pub mod outcome;
pub mod push;
pub mod quiet;
pub mod record;
pub mod remember;
pub mod repair;
pub mod retract;
pub mod reused;
pub mod scan;
pub mod score;
pub mod settings;
pub mod site;
pub mod snapshot;
pub mod stray;
pub mod validate;
