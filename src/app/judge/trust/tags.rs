//! The tags that scenarios have in the base. The policy goes by tags, so a branch that drops one would otherwise ease its
//! own trust. A judged state in, for each scenario its tags here and there out.

use super::base::TrustBase;
use crate::engine::patch::touched::PatchSide;
use crate::error::Result;
use crate::model::node::{Declared, Node};
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The nodes of the base with other scenario files than the judged state.
#[derive(Default)]
pub(crate) struct BaseTags {
    tree: Option<Rc<dyn Tree>>,
    nodes: Vec<Node>,
    /// The directories of the judged nodes with another scenario file, or a new one.
    changed: BTreeSet<RepoPath>,
}

impl BaseTags {
    /// The scenarios of `base` where they may differ from the ones of `nodes` in `view`. Nothing is read where
    /// the policy does not go by tags.
    ///
    /// # Errors
    /// When the base cannot be read.
    pub(crate) fn load(repo: &Repo, base: &TrustBase, view: &dyn Tree, nodes: &[Node]) -> Result<Self> {
        let Some(commit) = base.commit.filter(|_| base.settings.goes_by_tags()) else {
            return Ok(Self::default());
        };
        let tree = repo.commit_view(&commit)?;
        let (mut changed, mut is_moved) = (BTreeSet::new(), false);
        for (node, file) in nodes.iter().filter_map(|node| Some((node, node.file.as_ref()?))) {
            let then = tree.entry(&file.path)?;
            if then.is_none() || view.entry(&file.path)? != then {
                changed.insert(node.dir.clone());
                is_moved |= then.is_none();
            }
        }
        if changed.is_empty() {
            return Ok(Self::default());
        }
        // a moved node may come from any directory
        let select = if is_moved { Select::All } else { Select::Dirs(changed.clone()) };
        let nodes = workspace::load(&*tree, workspace::read_config(&*tree)?, &select)?.nodes;
        Ok(Self { tree: Some(tree), nodes, changed })
    }

    /// The tags of a scenario here, and in the base. `judged` are all nodes here.
    pub(crate) fn of<'t>(&'t self, asked: Declared<'t>, judged: &[Node]) -> impl Iterator<Item = &'t [String]> {
        let tree = self.tree.as_ref().filter(|_| self.changed.contains(&asked.node.dir));
        let then = tree.map(|tree| PatchSide { tree: &**tree, nodes: &self.nodes }.predecessors(asked, judged));
        let then = then.into_iter().flatten();
        std::iter::once(asked).chain(then).map(|one| &one.scenario.tags[..])
    }
}
