//! The working tree of an opened repository.

use super::WorkTreeView;
use crate::error::{Error, Result};
use crate::repo::native::index::{Defect, Tracked};
use crate::repo::native::listing::Listing;
use crate::repo::program::Git;
use crate::repo::{Backend, Repo};
use crate::tree::path::RepoPath;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

impl Repo {
    /// The working tree as git would commit it; an error in a bare repository.
    pub fn worktree_view(&self) -> Result<Rc<WorkTreeView>> {
        let Some(root) = &self.work_dir else {
            return Err(Error::usage("this repository has no working tree").hint("name a commit: --rev HEAD"));
        };
        let git = self.program_at_top()?;
        // before the index is read: with an older time less stat data is trusted
        let written = fs::metadata(&self.index_path).ok().map(|about| (about.mtime(), about.mtime_nsec()));
        let index = self.tracked(&git)?;
        Ok(Rc::new(WorkTreeView::new(root.clone(), git, Rc::clone(&self.objects), index, written, self.hash)))
    }

    /// Every entry of the judged index with its stat data.
    fn tracked(&self, git: &Git) -> Result<Vec<Tracked>> {
        let native = match self.backend {
            Backend::Native => self.read_index()?.and_then(Listing::new).and_then(|listing| tracked(&listing)).ok(),
            Backend::Program => None,
        };
        native.map_or_else(|| git.index_entries(), Ok)
    }
}

fn tracked(listing: &Listing) -> Result<Vec<Tracked>, Defect> {
    let one = |number| Ok(Tracked { path: RepoPath::from_git(listing.path(number)), entry: listing.entry(number)? });
    // preallocated: collecting results would grow by doubling, and hold twice the memory for many files
    let mut all = Vec::with_capacity(listing.len());
    for number in 0..listing.len() {
        all.push(one(number)?);
    }
    Ok(all)
}
