//! The questions of the evidence collector to an opened repository: where its parts are, whether its objects are complete,
//! and the entries of any of its indexes.

use super::native::index::Index;
use super::native::listing::Listing;
use super::program::{Git, GitConfig};
use super::roots::GitDirs;
use super::{Backend, Repo};
use crate::error::{Error, Result};
use crate::sys;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::path::{Path, PathBuf};

impl Repo {
    /// The directories of the repository, by git's configuration. They are real paths, because a linked work tree reaches
    /// the common directory through `..`, and the name of that directory says where the main work tree is.
    pub(crate) fn layout(&self, config: &GitConfig) -> Result<GitDirs> {
        let worktree = config.get("core.worktree").map(|dir| PathBuf::from(&*sys::native(&dir)));
        Ok(GitDirs {
            git_dir: real(&self.git_dir)?,
            common_dir: real(&self.common_dir)?,
            work_dir: self.work_dir.clone(),
            bare: config.boolean("core.bare")?.unwrap_or(false),
            core_worktree: worktree,
            index_file: self.env.index_file.as_ref().map(|_| self.index_path.clone()),
        })
    }

    /// The entries of the index at `path`, which may belong to another work tree: path and blob, all stages.
    pub(crate) fn entries_of(&self, path: &Path) -> Result<Vec<(RepoPath, Oid)>> {
        if self.backend == Backend::Native
            && let Some(Ok(index)) = Index::open(path, self.hash)?
            && let Ok(listing) = Listing::new(index)
            && let Ok(entries) = (0..listing.len())
                .map(|number| Ok((RepoPath::from_git(listing.path(number)), listing.entry(number)?.id)))
                .collect::<Result<Vec<_>, super::native::index::Defect>>()
        {
            return Ok(entries);
        }
        self.entries_by_program(path)
    }

    /// The sides of resolved conflicts that the index at `path` remembers.
    pub(crate) fn resolved_conflicts_of(&self, path: &Path) -> Result<Vec<(RepoPath, Oid)>> {
        self.program_for(path)?.resolved_conflicts().map_err(|error| error.context(path.display()))
    }

    fn entries_by_program(&self, path: &Path) -> Result<Vec<(RepoPath, Oid)>> {
        let entries = self.program_for(path)?.index_entries().map_err(|error| error.context(path.display()))?;
        Ok(entries.into_iter().map(|tracked| (tracked.path, tracked.entry.id)).collect())
    }

    /// The git program for the index at `path`. It is started at the top, because git lists an index from its current
    /// directory on. The git directory is the one beside the index, because a split index needs its shared part there.
    fn program_for(&self, path: &Path) -> Result<Git> {
        let beside = path.parent().filter(|dir| dir.join("HEAD").is_file());
        let top = self.work_dir.as_ref().unwrap_or(&self.git_dir);
        let git = Git::locate(&self.env.all, top)?;
        Ok(git.with_git_dir(beside.unwrap_or(&self.git_dir)).with_index_file(path))
    }
}

fn real(dir: &Path) -> Result<PathBuf> {
    sys::canonical(dir).map_err(|error| Error::unread(dir.display(), &error))
}

/// Whether objects of this repository may be missing because a remote promised to have them (partial clone).
pub(crate) fn is_partial(config: &GitConfig) -> bool {
    config.get("extensions.partialclone").is_some()
        || !config.subsections("remote", &["promisor", "partialclonefilter"]).is_empty()
}
