//! The doors through which a commit comes in, with the real git.

mod generated;
mod pre_commit;
mod push;
mod week;
