//! Links from a page to the files of its commit.

use crate::error::Result;
use crate::features::page::model::links::ForgeLinks;
use crate::features::page::model::page::{PageContent, PageLinks};
use crate::repo::Repo;
use crate::tree::Kind;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::BTreeSet;

/// The links of a page: every file on it that its commit has, because a link to any other file would lead nowhere.
///
/// # Errors
/// When the commit cannot be read.
pub(super) fn links(repo: &Repo, forge: ForgeLinks, content: &PageContent) -> Result<PageLinks> {
    let commit = content.source.commit.clone();
    let mut files = BTreeSet::new();
    if let Some(id) = commit.as_ref().and_then(|id| Oid::from_hex(id.as_bytes())) {
        let tree = repo.commit_view(&id)?;
        for path in named(content) {
            let kind = tree.kind(&RepoPath::from_git(path.clone()))?;
            if matches!(kind, Some(Kind::File | Kind::Exec | Kind::Link)) {
                files.insert(path.clone());
            }
        }
    }
    Ok(PageLinks { forge, commit, files })
}

/// The files that the page names.
fn named(content: &PageContent) -> BTreeSet<&BString> {
    let readings = content.scenarios().flat_map(|scenario| &scenario.row.readings);
    let moved = readings.flat_map(|reading| &reading.drift).map(|path| &path.path);
    content.governed.iter().map(|row| &row.file).chain(moved).collect()
}
