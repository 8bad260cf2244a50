//! The other work trees of a repository: the main one and the linked ones (git-worktree(1)). A list from files of the common git
//! directory; nothing is opened until it is asked for.

use super::Repo;
use super::open::env::Env;
use crate::error::Result;
use crate::sys;
use bstr::ByteSlice;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A work tree that git knows. It may be gone from the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkTree {
    /// Its git directory, with links resolved.
    pub(crate) git_dir: PathBuf,
    pub(crate) top: PathBuf,
}

/// The work trees of the repository with this common git directory. A main work tree elsewhere than around `.git` is not found.
pub(crate) fn work_trees(common_dir: &Path) -> Vec<WorkTree> {
    let common = sys::canonical(common_dir).unwrap_or_else(|_| common_dir.to_owned());
    let main = common.parent().filter(|_| common.file_name() == Some(OsStr::new(".git")));
    let main = main.map(|top| WorkTree { git_dir: common.clone(), top: top.to_owned() });
    main.into_iter().chain(linked(&common)).collect()
}

fn linked(common: &Path) -> Vec<WorkTree> {
    let entries = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let tree = |dir: PathBuf| {
        // `gitdir` names the `.git` file in the work tree, from git 2.48 on perhaps relative to this directory
        let text = fs::read(dir.join("gitdir")).ok()?;
        let top = dir.join(sys::native(text.trim_end())).parent()?.to_owned();
        Some(WorkTree { top: sys::canonical(&top).unwrap_or(top), git_dir: dir })
    };
    let mut found: Vec<WorkTree> = entries.filter_map(|entry| tree(entry.path())).collect();
    found.sort_by(|one, other| one.git_dir.cmp(&other.git_dir));
    found
}

impl Repo {
    /// Whether the repository may have more than one work tree. Almost none has, and this is one look.
    pub(crate) fn has_linked(&self) -> bool {
        self.common_dir.join("worktrees").exists()
    }

    /// The same repository at another of its work trees.
    ///
    /// # Errors
    /// As [`Repo::open`].
    pub(crate) fn open_at(&self, tree: &WorkTree) -> Result<Self> {
        // these name the work tree of this process
        let of_this = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_IMPLICIT_WORK_TREE"];
        let vars = self.env.all.iter().filter(|(name, _)| !of_this.iter().any(|one| name == one));
        let env = Env { euid: self.env.euid, ..Env::from_vars(vars.cloned()) };
        Self::open(&env, &tree.top)
    }
}
