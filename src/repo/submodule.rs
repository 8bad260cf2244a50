//! Whether the files of a checked-out submodule equal its commit. The submodule's repository is opened in this process: no
//! program that its configuration names is run.

use super::Repo;
use super::open::env::Env;
use crate::error::Result;
use crate::sys;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::BTreeMap;

impl Repo {
    /// Whether a file of the submodule at `path` differs from the commit that is checked out there, untracked files
    /// included; false if nothing is checked out.
    ///
    /// # Errors
    /// When its repository cannot be opened or read.
    pub(crate) fn is_submodule_edited(&self, path: &RepoPath) -> Result<bool> {
        let Some(top) = &self.work_dir else { return Ok(false) };
        let dir = top.join(sys::in_tree(path.as_bstr()));
        if dir.join(".git").symlink_metadata().is_err() {
            return Ok(false);
        }
        let own = Self::open(&self.env.elsewhere(), &dir).map_err(|error| error.context(path))?;
        let Some(head) = own.head()? else { return Ok(true) };
        let (view, commit) = (own.worktree_view()?, own.commit_view(&head)?);
        let mut committed: BTreeMap<_, _> = commit.files(&RepoPath::root(), &|_| true)?.into_iter().collect();
        for (file, _) in view.files(&RepoPath::root(), &|_| true)? {
            // listings may leave ids out
            let entry = view.entry(&file)?;
            // an edited file with an external filter has no id, and equals no other entry
            if entry.is_none() || committed.remove(&file) != entry {
                return Ok(true);
            }
            if entry.is_some_and(|entry| entry.kind == Kind::Submodule) && own.is_submodule_edited(&file)? {
                return Ok(true);
            }
        }
        Ok(!committed.is_empty())
    }
}

impl Env {
    /// The environment for another repository: variables that name the current one are dropped, configuration is kept.
    fn elsewhere(&self) -> Self {
        let is_kept = |name: &[u8]| !name.starts_with(b"GIT_") || name.starts_with(b"GIT_CONFIG");
        let kept = self.all.iter().filter(|(name, _)| is_kept(name.as_encoded_bytes())).cloned();
        Self { euid: self.euid, ..Self::from_vars(kept) }
    }
}
