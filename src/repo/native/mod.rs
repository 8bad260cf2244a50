//! git's own files read without the git program: the index and its TREE extension, trees, refs, objects. Tests compare every
//! reader with the git program or a library. A reader gives up rather than guess.

pub mod index;
pub mod listing;
pub mod map;
pub(crate) mod names;
pub mod objects;
pub(crate) mod refs;
pub mod split;
pub mod staged;
pub mod text_merge;
pub mod tree_ext;
pub mod trees;
