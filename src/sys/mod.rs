//! What differs between systems: names on disk, directories, files, their metadata, child programs, random bytes, time.
//! Input: plain values of the standard library. Output: the same on every system; a thing that a system may lack is a
//! constant that says so, for example [`HAS_MODES`]. This module decides nothing and knows no word of yatsu-hook.

mod about;
#[cfg(any(windows, test))]
mod names;
#[cfg(any(windows, test))]
mod patience;
mod time_limit;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod wsl;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(test)]
pub(crate) use names::opens_another;

pub(crate) use about::{About, Access, FileKind, Terminal};
pub(crate) use system::child::{Child, HAS_SH, NO_FILE, NO_HOOKS, STARTING, VIEWERS, detach, end_all, limited};
pub(crate) use system::dir::{Dir, about_file, set_mode};
pub(crate) use system::ending::{at_end, outlive_size_limit};
pub(crate) use system::file::*;
pub(crate) use system::path::{
    ABSOLUTE, LIST_SEPARATOR, OPENS_ANOTHER, canonical, git_bytes, in_tree, native, program, spelled,
};
pub(crate) use system::process::*;
pub(crate) use system::whole::Whole;
pub(crate) use time_limit::time_limit;
