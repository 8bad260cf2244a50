//! Use cases: a request in, a value out. Joins the modules below and prints nothing.

pub mod doctor;
pub mod install;
