//! Use cases: a request in, a value out. Joins the modules below and prints nothing.

pub mod added;
pub mod check;
pub mod doctor;
pub mod install;
pub mod levels;
pub mod outcome;
pub mod snapshot;
pub mod stray;
