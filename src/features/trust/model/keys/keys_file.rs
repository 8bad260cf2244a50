//! Reads the files of keys that the settings name.

use crate::error::{Error, Result};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// Longest accepted file of keys, in bytes.
const MAX_KEYS_FILE: u64 = 1 << 20;

/// The file of keys that `yatsu.trust.KEY` names.
///
/// # Errors
/// When it is no regular file, or is too large.
pub(crate) fn keys_file(view: &dyn Tree, key: &str, path: &RepoPath) -> Result<Vec<u8>> {
    let refused = |what: &str| {
        let error = Error::config(format!("yatsu.trust.{key} names {path}, which {what}"));
        error.hint(format!("yatsu.trust.{key} must name a regular file of at most {} KiB", MAX_KEYS_FILE >> 10))
    };
    match view.kind(path)? {
        Some(Kind::File | Kind::Exec) => {}
        // a link could lead to a file that the change itself brings, or out of the tree
        Some(Kind::Link) => return Err(refused("is a link")),
        Some(Kind::Dir | Kind::Submodule) => return Err(refused("is a directory")),
        None => return Err(refused("is not there")),
    }
    let size = view.size(path)?.unwrap_or_default();
    if size > MAX_KEYS_FILE {
        return Err(refused(&format!("is {size} bytes long")));
    }
    Ok(view.read(path)?.unwrap_or_default())
}
