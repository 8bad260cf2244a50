//! What a governed path is in a view: a file, a directory, the matches of a glob, or a ghost and why.

use super::governed::Governed;
use super::tree::{Entry, Tree};
use crate::error::{Error, Result};
use crate::repo::path::RepoPath;

/// The files of `tree` that the glob of `governed` matches, sorted by path.
pub fn matches(tree: &dyn Tree, governed: &Governed) -> Result<Vec<(RepoPath, Entry)>> {
    let Ok(path) = &governed.path else { return Ok(Vec::new()) };
    let glob = globset::GlobBuilder::new(&path.to_string())
        .literal_separator(true)
        .build()
        .map_err(|error| Error::unchecked(error.to_string()))?
        .compile_matcher();
    tree.files(&RepoPath::root(), &|file| glob.is_match(file.to_string()))
}
