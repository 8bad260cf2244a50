//! Source files that no scenario governs, where `lint.governedRoots` asks for it. A file is governed if the effective list of a
//! scenario covers it, by a whole file or by a unit of it. A node's list that no scenario falls back on makes nothing stale and
//! does not count.

use super::freshness::governed;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::glob;
use crate::model::governed::Governed;
use crate::model::workspace::{Workspace, has_our_name};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::collections::BTreeSet;

/// git takes a file with a NUL among so many first bytes for no text.
const TEXT_BYTES: usize = 8000;

/// The source files of a view that have to be governed.
pub(crate) struct AskedSources {
    /// How many there are.
    pub(crate) all: usize,
    /// Those that no scenario governs, sorted.
    pub(crate) unowned: Vec<RepoPath>,
}

/// Whether a file at `path` has to be governed, if it is text: by its place and its name.
pub(crate) fn is_asked(config: &Config, path: &RepoPath) -> bool {
    let is_source = || match config.source_globs.text() {
        [] => {
            let extension = path.name().rsplit_once_str(".").map(|(_, extension)| extension);
            config.source_extensions().iter().any(|one| Some(one.as_bytes()) == extension)
        }
        _ => config.source_globs.is_match(path),
    };
    config.governed_roots.iter().any(|root| path.is_within(root))
        && !has_our_name(path)
        && is_source()
        && !config.source_exclude.is_match(path)
}

/// The source files of `view` that have to be governed; `None` if the configuration asks for nothing.
///
/// # Errors
/// When the view cannot be read.
pub(crate) fn asked(view: &dyn Tree, workspace: &Workspace) -> Result<Option<AskedSources>> {
    let config = &workspace.config;
    if config.governed_roots.is_empty() {
        return Ok(None);
    }
    let mut files = BTreeSet::new();
    for root in &config.governed_roots {
        let listed = view.files(root, &|path| is_asked(config, path))?;
        files.extend(listed.into_iter().filter(|(_, entry)| is_file(entry.kind)).map(|(path, _)| path));
    }
    let all = files.len();
    let mut unowned = Vec::new();
    let mut others = 0;
    for path in without_owner(workspace, files) {
        if view.is_untracked(&path)? || !is_text(view, &path)? {
            others += 1;
        } else {
            unowned.push(path);
        }
    }
    Ok(Some(AskedSources { all: all - others, unowned }))
}

/// Those of `paths` that are text files of the view and that no scenario governs; the configuration asks for them.
///
/// # Errors
/// When the view cannot be read.
pub(crate) fn unowned_among(
    view: &dyn Tree,
    workspace: &Workspace,
    paths: impl Iterator<Item = RepoPath>,
) -> Result<Vec<RepoPath>> {
    let mut found = Vec::new();
    for path in without_owner(workspace, paths.filter(|path| is_asked(&workspace.config, path)).collect()) {
        if view.kind(&path)?.is_some_and(is_file) && is_text(view, &path)? {
            found.push(path);
        }
    }
    Ok(found)
}

fn is_file(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Exec)
}

fn is_text(view: &dyn Tree, path: &RepoPath) -> Result<bool> {
    let bytes = view.read(path)?.unwrap_or_default();
    Ok(!bytes[..bytes.len().min(TEXT_BYTES)].contains(&0))
}

/// The files that no effective list covers. Each entry is asked about the files below its fixed part alone.
fn without_owner(workspace: &Workspace, mut files: BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
    let lists = workspace.nodes.iter().flat_map(|node| node.scenarios().iter().map(move |one| governed(node, one)));
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    for entry in lists.flatten().filter(|entry| asked.insert(&entry.text)) {
        let owned: Vec<RepoPath> = below(&files, entry).filter(|path| entry.covers(path)).cloned().collect();
        for path in &owned {
            files.remove(path);
        }
    }
    files
}

fn below<'f>(files: &'f BTreeSet<RepoPath>, entry: &Governed) -> impl Iterator<Item = &'f RepoPath> {
    let top = entry.path.as_ref().ok().map(|path| match glob::has_glob_characters(entry.text.as_bytes()) {
        true => glob::literal_base(path),
        false => path.clone(),
    });
    top.into_iter().flat_map(move |top| {
        files.range(top.clone()..).take_while(move |path| path.as_bstr().starts_with(top.as_bstr()))
    })
}
