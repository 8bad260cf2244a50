//! Suggests the path that a user probably meant by a misspelt one.

use crate::error::Result;
use crate::text::nearest::nearest;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;

/// The path of `view` that `path` most probably misspells: the same path with typos in some names, else the only file
/// of that name elsewhere. `None` if no path is near.
pub(crate) fn nearest_path(view: &dyn Tree, path: &RepoPath) -> Result<Option<RepoPath>> {
    match respelt(view, path)? {
        Some(found) => Ok(Some(found)),
        None => elsewhere(view, path),
    }
}

/// Walks down `path`. Each step takes the exact name if it exists, else the nearest one.
fn respelt(view: &dyn Tree, path: &RepoPath) -> Result<Option<RepoPath>> {
    let mut at = RepoPath::root();
    for part in path.components() {
        if !at.is_root() && !matches!(view.kind(&at)?, Some(Kind::Dir)) {
            return Ok(None);
        }
        let children = view.children(&at)?;
        let names: Vec<&str> = children.iter().filter_map(|(name, _)| name.to_str().ok()).collect();
        let Ok(wanted) = part.to_str() else { return Ok(None) };
        let is_there = names.iter().find(|name| **name == wanted).copied();
        match is_there.or_else(|| nearest(wanted, names)) {
            Some(name) => at = at.child(name.as_bytes()),
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// The only file of that name in the repository.
fn elsewhere(view: &dyn Tree, path: &RepoPath) -> Result<Option<RepoPath>> {
    let found = view.files(&RepoPath::root(), &|file| file.name() == path.name())?;
    Ok(match &found[..] {
        [(only, _)] => Some(only.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    #[test]
    fn a_slip_in_any_name_and_a_directory_that_was_left_out() {
        let tree = MemoryTree::of_files(&[("src/board.rs", ""), ("lib/one/x.rs", ""), ("lib/two/x.rs", "")]);
        for (typed, meant) in [
            ("scr/baord.rs", Some("src/board.rs")),
            ("board.rs", Some("src/board.rs")),
            ("lib/onne/x.rs", Some("lib/one/x.rs")),
            ("x.rs", None),
            ("src/board.rs/more", None),
            ("window", None),
        ] {
            let found = nearest_path(&tree, &RepoPath::from_git(typed)).expect("answered");
            assert_eq!(found.map(|path| path.to_string()).as_deref(), meant, "{typed}");
        }
    }
}
