//! Windows: the standard library wherever it has the call, [`calls`] for the rest.

mod calls;
pub(super) mod child;
pub(super) mod dir;
pub(super) mod ending;
pub(super) mod file;
pub(super) mod path;
pub(super) mod process;
pub(super) mod whole;
