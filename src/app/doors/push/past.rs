//! The history before a push, as each of its commits saw it: what was filed there, of ledgers and of run logs. Only where
//! something returns that may have been there before is it looked through.

use super::walk::TREES_OF;
use crate::app::judge::snapshot::known_tree;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::workspace;
use crate::repo::Repo;
use crate::repo::program::{NewCommit, NewCommits};
use crate::repo::reach::{IsNamed, Versions};
use crate::repo::roots;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::HashMap;

/// A version of a file that a commit had in sight.
pub(super) struct PastFile<'h> {
    /// The first commit that had it so, as far as one walk tells.
    pub(super) commit: &'h NewCommit,
    /// Where it lies there.
    pub(super) path: RepoPath,
    /// Its content.
    pub(super) id: Oid,
}

/// What is looked for in a history.
pub(super) struct Sought<'a> {
    /// Which names the files have.
    pub(super) is_named: IsNamed<'a>,
    /// Whether a configuration lets such a path be seen.
    pub(super) sees: &'a dyn Fn(&RepoPath, &Config) -> bool,
}

/// Tells every version that the history of `bases` had in sight, each by the configuration of its own commit: what was hidden
/// there was never filed. Parents come first, for which of two versions was there first is told by that alone.
///
/// # Errors
/// When that history cannot be read, and what `tell` cannot do.
pub(super) fn tell_past(
    repo: &Repo,
    bases: &[Oid],
    sought: &Sought<'_>,
    tell: &mut dyn FnMut(PastFile<'_>) -> Result<()>,
) -> Result<()> {
    let shallow = roots::shallow(&repo.common_dir)?;
    let mut versions = Versions::new(&*repo.objects, sought.is_named, &shallow);
    let mut gates: HashMap<Option<Oid>, Config> = HashMap::new();
    let history = NewCommits { tips: bases.to_vec(), ..NewCommits::default() };
    for (at, commit) in repo.new_commits(&history)?.iter().enumerate() {
        let tree = known_tree(repo, &commit.id)?;
        let view = repo.tree_view(tree);
        let sight = workspace::config_id(&*view)?;
        let gate = gates.entry(sight).or_insert_with(|| workspace::read_config(&*view).unwrap_or_default());
        for (path, id) in versions.of(tree, sight, &|path| (sought.sees)(path, gate))? {
            tell(PastFile { commit, path, id })?;
        }
        // the trees of a long history would else all stay in memory until its end
        if at.is_multiple_of(TREES_OF) {
            repo.forget_trees();
        }
    }
    Ok(())
}
