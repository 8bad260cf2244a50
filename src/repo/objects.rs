//! Objects by id: the one place that reads them through libgit2.

use crate::error::Result;
use crate::repo::oid::Oid;

/// What sort of object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A commit.
    Commit,
    /// A tree.
    Tree,
    /// A blob.
    Blob,
    /// An annotated tag.
    Tag,
}

/// An object as git stores it, without its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its content.
    pub data: Vec<u8>,
}

/// Objects by id.
pub trait ObjectStore {
    /// The object, or `None` when the database does not hold it; a damaged one is an error.
    fn read(&self, id: &Oid) -> Result<Option<Object>>;

    /// Its kind and its size in bytes, without its content.
    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>>;
}
