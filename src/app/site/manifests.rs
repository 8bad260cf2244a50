//! Reads the files that declare a package or a module, for example `go.mod` and `Cargo.toml`.

use crate::error::Result;
use crate::tree::Tree;
use crate::tree::path::RepoPath;

/// Every directory with a file called `name`, for example `go.mod`, and the answer of `read` about its text.
pub(crate) fn declared(
    view: &dyn Tree,
    files: &[RepoPath],
    name: &str,
    read: fn(&str) -> Option<String>,
) -> Result<Vec<(RepoPath, String)>> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.name() == name) {
        let bytes = view.read(file)?.unwrap_or_default();
        let declared = std::str::from_utf8(&bytes).ok().and_then(read);
        found.extend(declared.map(|declared| (file.parent().unwrap_or_default(), declared)));
    }
    Ok(found)
}
