//! The spine of every check: a snapshot and its bases become facts, facts a change, rules look at it, levels and the verdict
//! follow. Prints nothing, writes nothing.

pub mod added;
pub mod branch;
pub mod check;
pub mod consequences;
pub mod levels;
pub mod losses;
pub mod named;
pub mod outcome;
pub mod reused;
pub mod snapshot;
pub mod stray;
pub mod unseen;
