//! The doors through which a commit comes in, with the real git.

mod installed;
mod merge_driver;
mod partial;
mod pre_commit;
mod push;
mod run;
mod week;
