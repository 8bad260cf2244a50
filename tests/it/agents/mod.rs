//! The doors of coding agents' harnesses.

mod answers;
mod edits;
mod failing;
mod flows;
mod gate;
mod install;
mod model;
mod observed;
mod session;
mod shipped;
mod stops;
mod users;
