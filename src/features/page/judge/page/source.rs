//! What a page shows: the repository, the branch, the commit.

use super::PageRequest;
use crate::error::Result;
use crate::features::page::model::page::PageSource;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use bstr::BString;
use std::path::{Component, Path};

/// The prefix of branches among refs.
const BRANCHES: &[u8] = b"refs/heads/";

/// The source of a page; `tip` is the commit that was asked for. A page for publication does not name the branch, because
/// branches are often named after persons.
///
/// # Errors
/// When the refs cannot be read.
pub(super) fn source(repo: &Repo, request: &PageRequest, tip: Option<Oid>) -> Result<PageSource> {
    let typed = request.links.as_ref().map(|links| links.name().into());
    Ok(PageSource {
        project: typed.unwrap_or_else(|| project(&repo.common_dir)),
        branch: if request.publishes { None } else { branch(repo, request.rev.as_deref(), tip)? },
        commit: tip.map_or_else(|| repo.head(), |tip| Ok(Some(tip)))?.map(|id| id.to_string()),
        is_work_tree: tip.is_none(),
        is_published: request.publishes,
        is_narrowed: !request.is_whole(),
        masked: 0,
    })
}

/// The name of a repository by its common directory, so that all of its work trees have the same: `board` for `board/.git`
/// and for `board.git`.
fn project(common_dir: &Path) -> BString {
    let mut names: Vec<&[u8]> = Vec::new();
    for part in common_dir.components() {
        match part {
            Component::Normal(name) => names.push(name.as_encoded_bytes()),
            // a linked work tree names the common directory by `..` in its own git directory
            Component::ParentDir => drop(names.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    let name = names.pop().unwrap_or_default();
    match name.strip_suffix(b".git") {
        Some(b"") => names.pop().unwrap_or_default(),
        Some(stem) => stem,
        None => name,
    }
    .into()
}

/// The branch of the view: the branch of HEAD, or the branch that was asked for by its name.
fn branch(repo: &Repo, rev: Option<&str>, tip: Option<Oid>) -> Result<Option<BString>> {
    let full = match rev {
        None | Some("HEAD") => repo.head_branch()?,
        Some(rev) => {
            let name = [BRANCHES, rev.as_bytes()].concat();
            let is_it = |(full, id): &(BString, Oid)| *full == *name && Some(*id) == tip;
            repo.refs(BRANCHES)?.into_iter().find(is_it).map(|(full, _)| full)
        }
    };
    Ok(full.and_then(|full| full.strip_prefix(BRANCHES).map(BString::from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_the_name_of_its_directory() {
        for (dir, name) in [
            ("/home/dev/board/.git", "board"),
            ("/srv/git/board.git", "board"),
            ("/srv/git/board", "board"),
            ("/home/dev/board/.git/modules/lib", "lib"),
            ("/home/dev/board/.git/worktrees/beside/../..", "board"),
            ("/.git", ""),
            ("/", ""),
        ] {
            assert_eq!(project(Path::new(dir)), name, "{dir}");
        }
    }
}
