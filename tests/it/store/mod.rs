//! The durable store from outside: several processes, killed processes, signals, and what a collector may delete.

mod clean;
mod clean_held;
mod clean_stopped;
mod driver;
mod processes;
mod race;
mod shared;
