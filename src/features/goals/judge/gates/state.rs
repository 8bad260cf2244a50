//! Evaluates the goals of a whole state with both gates, whichever nodes a change touches: for `goal check`, run logs
//! and patches.

use super::rows::row;
use super::{evaluated, goal_of};
use crate::app::judge::snapshot::{self, Base, ScoredContent, Snapshot};
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::engine::freshness::Judge;
use crate::engine::history::{self, Missing};
use crate::error::{Error, Result};
use crate::features::goals::judge::engine::NodeGoal;
use crate::features::goals::judge::engine::matrix::GoalStatus;
use crate::features::goals::model::rows::GoalRow;
use crate::features::goals::model::settings::GoalSettings;
use crate::finding::NodeRef;
use crate::model::config::Config;
use crate::model::contract::Goal;
use crate::model::node::Node;
use crate::model::workspace::{self, NothingBefore, Outline, Select, Workspace, has_our_name};
use crate::repo::Repo;
use crate::report::view::ScopeMode;
use crate::rules::{LostFrom, LostLine};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A loaded state, compared with its base commits.
pub(crate) struct JudgedState<'r> {
    repo: &'r Repo,
    /// What was loaded, and what it is compared with.
    pub(crate) snapshot: Snapshot,
    whole: WholeState,
}

impl<'r> JudgedState<'r> {
    /// Loads a state and compares it with HEAD, or a commit with its parents.
    ///
    /// # Errors
    /// If the state cannot be read.
    pub(crate) fn load(repo: &'r Repo, of: &ScoredContent) -> Result<Self> {
        Self::whole(repo, compared(repo, of)?)
    }

    /// The same with only the nodes that `pick` picks by the names of all, and the directories of these nodes. All nodes are
    /// loaded, and no directories returned, if nothing is picked, or if others may decide: all nodes spend the budgets, where a
    /// copy of a line counts once, and a lost line may be anywhere.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn about(
        repo: &'r Repo,
        of: &ScoredContent,
        pick: impl FnOnce(&Outline, &dyn Tree) -> Option<BTreeSet<RepoPath>>,
    ) -> Result<(Self, Option<BTreeSet<RepoPath>>)> {
        let snapshot = compared(repo, of)?;
        let outline = Outline::of(&*snapshot.view, workspace::read_config(&*snapshot.view)?)?;
        let shares = !outline.config().budgets.is_unlimited();
        let Some(dirs) = pick(&outline, &*snapshot.view).filter(|_| !shares) else {
            return Ok((Self::whole(repo, snapshot)?, None));
        };
        let needed = snapshot.bases.iter().flat_map(our_dirs).chain(dirs.iter().cloned()).collect();
        let workspace = outline.load_some(&*snapshot.view, &needed, &NothingBefore)?;
        for base in &snapshot.bases {
            if may_lack_lines(&workspace, base)? {
                return Ok((Self::whole(repo, snapshot)?, None));
            }
        }
        let facts = facts::collect_unowned(&*snapshot.view, &Anchors::new(repo.history()), workspace)?;
        let whole = WholeState { facts, lost: Vec::new() };
        Ok((Self { repo, snapshot, whole }, Some(dirs)))
    }

    fn whole(repo: &'r Repo, snapshot: Snapshot) -> Result<Self> {
        let config = workspace::read_config(&*snapshot.view)?;
        let workspace = workspace::load(&*snapshot.view, config, &Select::All)?;
        let whole = WholeState::of(repo, &snapshot, workspace)?;
        Ok(Self { repo, snapshot, whole })
    }

    /// The loaded nodes of the state, and their configuration.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.whole.facts.workspace
    }

    /// The results of both gates for the nodes that `wanted` chooses.
    ///
    /// # Errors
    /// If existing content cannot be read.
    pub(crate) fn judged(&self, wanted: &dyn Fn(&Node) -> bool) -> Result<Vec<NodeGoal>> {
        self.whole.judged(self.repo, &self.snapshot, self.workspace().config.of(), wanted)
    }

    pub(crate) fn row(&self, goal: &NodeGoal, required: &BTreeSet<RepoPath>) -> GoalRow {
        let node = self.workspace().node(&goal.dir);
        let row = row(goal, node);
        match goal.evaluation.status == GoalStatus::NoContract && required.contains(&goal.dir) {
            true => GoalRow {
                is_fine: false,
                blockers: vec![
                    "it governs source and has no goal contract, which yatsu.goals.require asks for".to_owned(),
                ],
                ..row
            },
            false => row,
        }
    }

    /// The nodes that govern source and have no contract, if `yatsu.goals.require` asks for one.
    pub(crate) fn required(&self) -> Result<BTreeSet<RepoPath>> {
        let workspace = self.workspace();
        let mut found = BTreeSet::new();
        if !workspace.config.of::<GoalSettings>().require {
            return Ok(found);
        }
        for node in workspace.nodes.iter().filter(|node| *goal_of(node) == Goal::Unset) {
            if facts::governs_source(&*self.snapshot.view, node, &workspace.config)? {
                found.insert(node.dir.clone());
            }
        }
        Ok(found)
    }
}

/// The facts of a whole state, whichever nodes a change touches.
pub(crate) struct WholeState {
    pub(crate) facts: Facts,
    /// The lines lost since its bases.
    lost: Vec<LostLine>,
}

impl WholeState {
    /// Collects the facts of `snapshot`; `workspace` has all of its nodes.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub(crate) fn of(repo: &Repo, snapshot: &Snapshot, workspace: Workspace) -> Result<Self> {
        let facts = facts::collect_unowned(&*snapshot.view, &Anchors::new(repo.history()), workspace)?;
        let lost = lost(snapshot, &facts)?;
        Ok(Self { facts, lost })
    }

    /// The results of both gates by these settings, for the nodes that `wanted` accepts.
    ///
    /// # Errors
    /// When local content cannot be read.
    pub(crate) fn judged(
        &self,
        repo: &Repo,
        snapshot: &Snapshot,
        settings: &GoalSettings,
        wanted: &dyn Fn(&Node) -> bool,
    ) -> Result<Vec<NodeGoal>> {
        let cache = Cache::new(&repo.common_dir);
        let anchors = Anchors::new(repo.history());
        let judge = Judge::new(&*snapshot.view, &anchors, &self.facts.workspace.config.evaluators);
        evaluated(&judge, &self.facts, &cache, &self.lost, &BTreeSet::new(), *settings, wanted)
    }
}

/// The stricter goal settings of both configurations.
pub(crate) fn stricter(one: &Config, other: &Config) -> GoalSettings {
    one.of::<GoalSettings>().stricter(*other.of())
}

/// The nodes that `wanted` accepts and that have a reached goal in `snapshot` with its `facts`, by these settings.
///
/// # Errors
/// When local content cannot be read.
pub(crate) fn reached(
    repo: &Repo,
    snapshot: &Snapshot,
    facts: &Facts,
    settings: &GoalSettings,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<Vec<NodeRef>> {
    let wanted = |node: &Node| *goal_of(node) != Goal::Unset && wanted(node);
    if !facts.workspace.nodes.iter().any(wanted) {
        return Ok(Vec::new());
    }
    let (cache, lost) = (Cache::new(&repo.common_dir), lost(snapshot, facts)?);
    let anchors = Anchors::new(repo.history());
    let judge = Judge::new(&*snapshot.view, &anchors, &facts.workspace.config.evaluators);
    let goals = evaluated(&judge, facts, &cache, &lost, &BTreeSet::new(), *settings, &wanted)?;
    let reached = goals.into_iter().filter(|goal| goal.evaluation.status == GoalStatus::Success);
    Ok(reached.map(|goal| NodeRef { dir: goal.dir.to_bstring(), id: goal.id }).collect())
}

/// The ledger lines that the state lost since its bases. Only changed directories can have lost any.
fn lost(snapshot: &Snapshot, facts: &Facts) -> Result<Vec<LostLine>> {
    let mut found = Vec::new();
    for base in &snapshot.bases {
        if !may_lack_lines(&facts.workspace, base)? {
            continue;
        }
        // All nodes are loaded here. With changed directories only, unchanged nodes would look like new heirs of lost
        // lines.
        let workspace = workspace::load(&*base.tree, facts.workspace.config.clone(), &Select::All)?;
        let revision = base.commit.filter(|_| snapshot.tip.is_some());
        let revision = revision.map_or("HEAD".to_owned(), |commit| commit.short());
        for line in history::missing(&facts.workspace, &workspace).lost {
            found.push(LostLine { line, from: LostFrom { revision: revision.clone(), rewritten: false } });
        }
    }
    Ok(found)
}

/// Whether `new` may lack ledger lines of `base`. It needs the directories of [`our_dirs`] alone.
fn may_lack_lines(new: &Workspace, base: &Base) -> Result<bool> {
    let dirs: BTreeSet<RepoPath> = our_dirs(base).collect();
    if dirs.is_empty() {
        return Ok(false);
    }
    let then = workspace::load(&*base.tree, new.config.clone(), &Select::Dirs(dirs))?;
    Ok(history::missing(new, &then) != Missing::default())
}

/// The directories whose own files differ between `base` and the judged state.
fn our_dirs(base: &Base) -> impl Iterator<Item = RepoPath> {
    base.changed.iter().filter(|path| has_our_name(path)).map(|path| path.parent().unwrap_or_default())
}

/// The judged content, compared with HEAD, or a commit with its parents.
fn compared(repo: &Repo, of: &ScoredContent) -> Result<Snapshot> {
    match of {
        ScoredContent::WorkTree if repo.work_dir.is_some() => snapshot::since(repo, repo.head()?),
        ScoredContent::WorkTree => of_commit(repo, repo.head()?.ok_or_else(no_commit)?),
        ScoredContent::Staged => snapshot::staged(repo),
        ScoredContent::Rev(rev) => of_commit(repo, repo.resolve(rev)?),
    }
}

fn of_commit(repo: &Repo, tip: Oid) -> Result<Snapshot> {
    let parents: Vec<Option<Oid>> = repo.parents(&tip)?.into_iter().map(Some).collect();
    snapshot::commit(repo, ScopeMode::Rev, tip, &parents)
}

fn no_commit() -> Error {
    Error::usage("there is no commit yet")
        .hint("commit first, or ask of what is staged: yatsu-hook goal check --staged")
}
