//! The states that branches are compared with: main, and the places where branches left it. Many branches left it at one
//! commit, so each state is loaded once.

use crate::error::{ErrorKind, Result};
use crate::model::config::Config;
use crate::model::ledger::LineHash;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A state that branches are compared with.
pub(super) struct BaseState {
    pub(super) tree: Rc<dyn Tree>,
    /// Id of the tree; `None` for the empty tree.
    pub(super) id: Option<Oid>,
    pub(super) workspace: Workspace,
    /// Every line of its ledgers.
    pub(super) lines: HashSet<LineHash>,
}

/// Most states that are kept, because the states of many bases at once would take much memory.
pub(super) const KEPT: usize = 16;

/// A cache of loaded states.
pub(super) struct BaseStates<'r> {
    repo: &'r Repo,
    /// Replaces a configuration that cannot be used.
    fallback: Config,
    loaded: RefCell<HashMap<Option<Oid>, Rc<BaseState>>>,
}

impl<'r> BaseStates<'r> {
    /// An empty cache.
    pub(super) fn new(repo: &'r Repo, fallback: Config) -> Self {
        Self { repo, fallback, loaded: RefCell::default() }
    }

    /// The state of the tree `id`; `None` is the empty tree.
    pub(super) fn of(&self, id: Option<Oid>) -> Result<Rc<BaseState>> {
        if let Some(known) = self.loaded.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let tree = self.repo.tree_view(id);
        let workspace = workspace::load(&*tree, self.config(&*tree)?, &Select::All)?;
        let lines = workspace.nodes.iter().flat_map(lines).collect();
        let state = Rc::new(BaseState { tree, id, workspace, lines });
        let mut loaded = self.loaded.borrow_mut();
        // all at once, because the next request is unknown; states in use live on in their `Rc`
        if loaded.len() >= KEPT {
            loaded.clear();
        }
        loaded.insert(id, Rc::clone(&state));
        drop(loaded);
        Ok(state)
    }

    /// The configuration of `tree`, or the fallback if it cannot be used.
    ///
    /// # Errors
    /// If it cannot be read at all.
    pub(super) fn config(&self, tree: &dyn Tree) -> Result<Config> {
        match workspace::read_config(tree) {
            Err(error) if error.kind == ErrorKind::Config => Ok(self.fallback.clone()),
            answer => answer,
        }
    }
}

fn lines(node: &Node) -> impl Iterator<Item = LineHash> {
    node.ledgers.iter().flat_map(|ledger| &ledger.lines).map(|line| LineHash::of(&line.bytes))
}
