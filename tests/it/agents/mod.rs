//! The doors of coding agents' harnesses.

mod answers;
mod edits;
mod failing;
mod flows;
mod gate;
mod install;
mod observed;
mod shipped;
mod stops;
mod users;
