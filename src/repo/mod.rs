//! A git repository in, plain owned data out: views of content, the staged difference, objects by id. Purpose: the only
//! code that knows git. What libgit2 cannot read right is answered by the git program; what neither can is an error,
//! never an empty answer. Writes nothing.

pub mod env;
pub mod index;
pub mod objects;
pub mod oid;
pub mod path;
pub mod program;
pub mod reach;
pub mod roots;
pub mod staged;
pub mod views;
pub mod worktree;
