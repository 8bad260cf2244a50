//! The durable store from outside: several processes, killed processes, signals, and what a collector may take away.

mod clean;
mod clean_held;
mod clean_stopped;
mod driver;
mod processes;
mod race;
mod shared;
