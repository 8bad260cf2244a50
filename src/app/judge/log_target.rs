//! The directory that a run works on, as a judged view shows it: what the rules of its profile are asked of.

use crate::engine::effective::Effective;
use crate::engine::runlog::artifacts::{NodeGoal, Target};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::workspace;
use crate::model::workspace::Select;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::path::Path;

/// The target directory of one log in a view.
pub(crate) struct ViewTarget<'a> {
    /// The judged state, in which the paths are looked up.
    pub(crate) tree: &'a dyn Tree,
    /// The directory, from the top of the repository.
    pub(crate) dir: RepoPath,
    /// How readings of the run call it.
    pub(crate) run: String,
    /// What the view is judged by.
    pub(crate) config: &'a Config,
    /// The work tree, where the view is what it is about to become.
    pub(crate) disk: Option<&'a Path>,
}

impl ViewTarget<'_> {
    /// The path from the top of the repository; `None` for one that leaves the directory.
    fn at(&self, path: &RepoPath) -> Option<RepoPath> {
        self.dir.join(path.as_bstr()).ok().filter(|at| at.is_within(&self.dir))
    }

    fn is_file(kind: Option<Kind>) -> bool {
        matches!(kind, Some(Kind::File | Kind::Exec))
    }
}

impl Target for ViewTarget<'_> {
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        let Some(at) = self.at(path) else { return Ok(None) };
        if Self::is_file(self.tree.kind(&at)?) { self.tree.size(&at) } else { Ok(None) }
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        let Some(at) = self.at(path) else { return Ok(None) };
        if Self::is_file(self.tree.kind(&at)?) { self.tree.read(&at) } else { Ok(None) }
    }

    fn below(&self, dir: &RepoPath) -> Result<Vec<RepoPath>> {
        let Some(at) = self.at(dir) else { return Ok(Vec::new()) };
        let files = self.tree.files(&at, &|_| true)?;
        let files = files.into_iter().filter(|(_, entry)| Self::is_file(Some(entry.kind)));
        Ok(files.filter_map(|(path, _)| Some(RepoPath::from_git(path.below(&self.dir)?.to_owned()))).collect())
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        let (Some(disk), Some(at)) = (self.disk, self.at(path)) else { return Ok(false) };
        let found = std::fs::symlink_metadata(disk.join(at.as_bstr().to_path_lossy()));
        Ok(found.is_ok_and(|about| about.is_file()))
    }

    fn readings(&self) -> Result<u64> {
        let nodes = workspace::load(self.tree, self.config.clone(), &Select::All)?.nodes;
        let of_run = |node: &crate::model::node::Node| {
            let is_of_run = |run: &crate::model::labels::RunId| run.as_str() == self.run;
            let effective = Effective::of(node);
            effective.readings().filter(|reading| reading.terms.run.as_ref().is_some_and(is_of_run)).count() as u64
        };
        Ok(nodes.iter().map(of_run).sum())
    }

    fn goals(&self) -> Result<Vec<NodeGoal>> {
        Ok(Vec::new())
    }
}
