//! Random work against judges that share no code with the program, and the reading of git's files against other readers:
//! heavy, so in a binary of its own. Each test has a small number of seeds; `YATSU_FULL=1` runs all of them.

mod attack;
mod claims;
mod evals;
mod freshness;
mod goals;
mod log;
mod pushes;
mod runlog;
mod second_opinion;
mod selectors;
mod sessions;
mod split_index;
mod staged;
#[path = "../it/support/mod.rs"]
mod support;
