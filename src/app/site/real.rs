//! The site of an opened repository.

use super::Site;
use super::line_files::IsHeld;
use crate::app::judge::branch;
use crate::app::judge::branch::Touched;
use crate::app::judge::remember;
use crate::app::site;
use crate::engine::anchors::Anchors;
use crate::engine::units::UnitBook;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::node::Node;
use crate::model::workspace;
use crate::model::workspace::{Outline, Select};
use crate::repo::worktree::WorkTreeView;
use crate::repo::{Backend, Repo};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BStr;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// A repository, and the user's current directory in it.
pub(crate) struct Real<'r> {
    repo: &'r Repo,
    here: RepoPath,
    view: OnceCell<Rc<WorkTreeView>>,
    outline: OnceCell<Outline>,
    /// The nodes of that view, kept because each of several run logs asks for them.
    nodes: OnceCell<Vec<Node>>,
    began_segments: Cell<bool>,
}

impl<'r> Real<'r> {
    /// The site of `repo`; `here` is the user's current directory. Nothing is read yet.
    pub(crate) fn new(repo: &'r Repo, here: RepoPath) -> Self {
        let (view, outline, nodes) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { repo, here, view, outline, nodes, began_segments: Cell::default() }
    }

    fn outlined(&self) -> Result<&Outline> {
        match self.outline.get() {
            Some(outline) => Ok(outline),
            None => {
                let outline = Outline::of(&*self.view()?, self.config()?)?;
                Ok(self.outline.get_or_init(|| outline))
            }
        }
    }

    /// One view for all questions, so that they are answered about one state.
    fn view(&self) -> Result<Rc<WorkTreeView>> {
        match self.view.get() {
            Some(view) => Ok(Rc::clone(view)),
            None => {
                site::work_dir(self)?;
                let view = self.repo.worktree_view()?;
                Ok(Rc::clone(self.view.get_or_init(|| view)))
            }
        }
    }
}

impl Site for Real<'_> {
    fn work_dir(&self) -> Option<&Path> {
        self.repo.work_dir.as_deref()
    }

    fn head(&self) -> Result<Option<Oid>> {
        self.repo.head()
    }

    fn worktree(&self) -> Result<Rc<dyn Tree>> {
        Ok(self.view()?)
    }

    fn is_submodule_edited(&self, path: &RepoPath) -> Result<bool> {
        self.repo.is_submodule_edited(path)
    }

    fn commit(&self, id: &Oid) -> Result<Rc<dyn Tree>> {
        self.repo.commit_view(id)
    }

    fn date(&self, id: &Oid) -> Result<Option<i64>> {
        self.repo.date(id)
    }

    fn newest_until(&self, tip: &Oid, date: i64) -> Result<Option<Oid>> {
        self.repo.newest_until(tip, date)
    }

    fn anchors(&self) -> Anchors {
        let anchors = Anchors::new(self.repo.history());
        match self.repo.backend {
            Backend::Native => anchors.with_units(Rc::new(remember::units_file(self.repo))),
            Backend::Program => anchors,
        }
    }

    fn leave_units(&self, book: &UnitBook) {
        remember::leave_units(self.repo, book);
    }

    fn revision(&self, text: &str) -> Result<Oid> {
        self.repo.resolve(text)
    }

    fn is_unmerged(&self, path: &RepoPath) -> Result<bool> {
        self.repo.is_unmerged(path)
    }

    fn config(&self) -> Result<Config> {
        workspace::read_config(&*self.view()?)
    }

    fn has_remote(&self) -> Result<bool> {
        self.repo.has_remote()
    }

    fn held_by_git(&self) -> Result<IsHeld> {
        let index = self.repo.listing_now()?;
        let mut trees = Vec::new();
        for name in ["HEAD", "ORIG_HEAD"] {
            // the commit of an old ORIG_HEAD may be gone
            let commit = self.repo.find_ref(name.as_bytes())?;
            let tree = commit.map(|commit| self.repo.tree_of(&commit)).transpose()?.flatten();
            trees.extend(tree.map(|tree| self.repo.tree_view(tree)));
        }
        Ok(Box::new(move |path| {
            if index.holds(path.as_bstr()) {
                return Ok(true);
            }
            for tree in &trees {
                if tree.entry(path)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        }))
    }

    fn began_segments(&self) -> &Cell<bool> {
        &self.began_segments
    }

    fn nodes(&self) -> Result<Vec<Node>> {
        if let Some(known) = self.nodes.get() {
            return Ok(known.clone());
        }
        let nodes = workspace::load(&*self.view()?, self.config()?, &Select::All)?.nodes;
        Ok(self.nodes.get_or_init(|| nodes).clone())
    }

    fn outline(&self) -> Result<Vec<Node>> {
        Ok(self.outlined()?.nodes())
    }

    fn node(&self, dir: &RepoPath) -> Result<Option<Node>> {
        self.outlined()?.load(&*self.view()?, dir)
    }

    fn node_alone(&self, dir: &RepoPath) -> Result<Option<Node>> {
        let (view, config) = (self.view()?, self.config()?);
        // an index with a conflict proves nothing: the caller then searches the work tree
        let Ok(known) = workspace::catalog(&*self.repo.index_view()?, &config) else { return Ok(None) };
        let others = known.iter().filter(|files| files.is_node() && files.dir != *dir);
        let others: Vec<&BStr> = others.map(|files| files.dir.as_bstr()).collect();
        let alone = workspace::load_alone(&*view, config, &BTreeSet::from([dir.clone()]), &others)?;
        Ok(alone.and_then(|alone| alone.nodes.into_iter().find(|node| node.file.is_some())))
    }

    fn worktree_now(&self) -> Result<Rc<dyn Tree>> {
        Ok(self.repo.worktree_view()?)
    }

    fn reread(&self) -> Result<Vec<Node>> {
        let view = self.worktree_now()?;
        Ok(workspace::load(&*view, workspace::read_config(&*view)?, &Select::All)?.nodes)
    }

    fn repo(&self) -> Result<&Repo> {
        Ok(self.repo)
    }

    fn here(&self) -> RepoPath {
        self.here.clone()
    }

    fn touched(&self) -> Result<Touched> {
        branch::touched(self.repo, &self.nodes()?)
    }
}
