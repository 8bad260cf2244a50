//! The states of all scenarios at a commit, as `scan --rev` judges them: by the files, the ledgers and the configuration of its
//! own tree. From one commit to the next a node is judged again only if its judgement asked for a path that differs.

use super::parsed::ParsedFiles;
use super::recording::RecordingTree;
use crate::app::judge::remember;
use crate::app::query::stands::stand;
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts, Score};
use crate::engine::freshness::OldTrees;
use crate::error::{ErrorKind, Result};
use crate::model::config::Config;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, Outline, OutlineRow};
use crate::names::{self, CONFIG_FILE};
use crate::repo::Repo;
use crate::report::view::tally::ScoreTally;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The judged nodes of one or more commits that have the same states.
pub(super) struct CommitStates {
    pub(super) tree: Oid,
    pub(super) outline: Rc<Outline>,
    /// Judged together: each node alone, or all nodes where they share a budget. By the directory of the first one.
    parts: BTreeMap<RepoPath, Rc<JudgedPart>>,
    /// Why the configuration of this tree cannot be used; then it has no parts.
    pub(super) unread: Option<String>,
}

/// Nodes that are judged together.
pub(super) struct JudgedPart {
    rows: Vec<OutlineRow>,
    pub(super) facts: Facts,
    /// The paths that the judgement asked for.
    asked: HashSet<RepoPath>,
}

impl CommitStates {
    /// The state before the first commit.
    pub(super) fn of_nothing(repo: &Repo) -> Result<Self> {
        let view = repo.tree_view(None);
        let outline = Rc::new(Outline::of(&*view, Config::default())?);
        let tree = crate::repo::native::trees::empty_tree(repo.hash);
        Ok(Self { tree, outline, parts: BTreeMap::new(), unread: None })
    }

    /// Every declared scenario with its node and score.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = (&Node, &Scenario, &Score)> {
        self.parts.values().flat_map(|part| part.facts.scenarios())
    }

    /// The counts over the scenarios that `is_wanted`; `None` if the configuration cannot be used.
    pub(super) fn score(&self, is_wanted: impl Fn(&Node, &Scenario) -> bool) -> Option<ScoreTally> {
        if self.unread.is_some() {
            return None;
        }
        let wanted = self.scenarios().filter(|(node, scenario, _)| is_wanted(node, scenario));
        let stands: Vec<_> = wanted.map(|(node, scenario, score)| stand(node, scenario, score)).collect();
        Some(ScoreTally::of(stands.iter()))
    }

    /// The configuration of the tree; the defaults if it cannot be used.
    pub(super) fn config(&self) -> &Config {
        self.outline.config()
    }

    /// All nodes, loaded.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.parts.values().flat_map(|part| &part.facts.workspace.nodes)
    }

    /// The parts that are not the same in `other`.
    pub(super) fn parts_unlike<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s Rc<JudgedPart>> {
        let is_same =
            |dir: &RepoPath, part: &Rc<JudgedPart>| other.parts.get(dir).is_some_and(|other| Rc::ptr_eq(part, other));
        self.parts.iter().filter(move |(dir, part)| !is_same(dir, part)).map(|(_, part)| part)
    }
}

impl JudgedPart {
    /// Whether one of these paths was asked for.
    fn asked_for(&self, moved: &HashSet<RepoPath>) -> bool {
        // a merge may change more paths than a judgement asks for
        let (few, many) = if moved.len() < self.asked.len() { (moved, &self.asked) } else { (&self.asked, moved) };
        few.iter().any(|path| many.contains(path))
    }
}

/// The changed paths and the directories on the way to them: their ids changed, too.
fn with_directories(changed: &[RepoPath]) -> HashSet<RepoPath> {
    let above = |path: &RepoPath| std::iter::successors(Some(path.clone()), RepoPath::parent);
    changed.iter().flat_map(above).collect()
}

/// Judges commits, one near the other.
pub(super) struct StatesJudge<'r> {
    repo: &'r Repo,
    anchors: Anchors,
    parsed: ParsedFiles,
    old: Rc<OldTrees>,
}

impl<'r> StatesJudge<'r> {
    pub(super) fn new(repo: &'r Repo) -> Self {
        Self { repo, anchors: remember::anchors(repo), parsed: ParsedFiles::default(), old: Rc::default() }
    }

    /// The states in `tree`. What it shares with `near` is not judged again.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub(super) fn at(&self, tree: Oid, near: &Rc<CommitStates>) -> Result<Rc<CommitStates>> {
        if tree == near.tree {
            return Ok(Rc::clone(near));
        }
        let changes = self.repo.tree_diff(Some(near.tree), Some(tree))?;
        let changed: Vec<RepoPath> = changes.into_iter().map(|change| change.path).collect();
        let is_ours = changed.iter().any(|path| names::may_be_ours(path.as_bstr()));
        let config_moved = near.unread.is_some() || changed.iter().any(|path| path.as_bstr() == CONFIG_FILE);
        let moved = with_directories(&changed);
        if !is_ours && !config_moved && !near.parts.values().any(|part| part.asked_for(&moved)) {
            // the tree differs where no judgement looked
            let same =
                CommitStates { tree, outline: Rc::clone(&near.outline), parts: near.parts.clone(), unread: None };
            return Ok(Rc::new(same));
        }
        let view = self.repo.tree_view(Some(tree));
        let config = match config_moved {
            false => near.config().clone(),
            true => match workspace::read_config(&*view) {
                Ok(config) => config,
                Err(error) if error.kind == ErrorKind::Config => return Ok(Rc::new(unread(tree, near, error.message))),
                Err(error) => return Err(error),
            },
        };
        let same_config = near.unread.is_none() && config == *near.config();
        let outline = match is_ours || !same_config {
            // its outline is one of another tree than that of which `changed` tells
            _ if near.unread.is_some() => Rc::new(Outline::of(&*view, config)?),
            true => Rc::new(near.outline.next(&*view, config, &changed)?),
            false => Rc::clone(&near.outline),
        };
        let known = |rows: &[OutlineRow], dir: &RepoPath| {
            let part = near.parts.get(dir).filter(|_| same_config)?;
            (part.rows == rows && !part.asked_for(&moved)).then(|| Rc::clone(part))
        };
        let mut parts = BTreeMap::new();
        for rows in together(&outline) {
            let Some(dir) = rows.first().map(|row| row.dir().clone()) else { continue };
            let part = match known(&rows, &dir) {
                Some(part) => part,
                None => Rc::new(self.judged(&*view, &outline, rows)?),
            };
            parts.insert(dir, part);
        }
        Ok(Rc::new(CommitStates { tree, outline, parts, unread: None }))
    }

    fn judged(&self, view: &dyn Tree, outline: &Outline, rows: Vec<OutlineRow>) -> Result<JudgedPart> {
        let recording = RecordingTree::new(view);
        let dirs: BTreeSet<RepoPath> = rows.iter().map(|row| row.dir().clone()).collect();
        let workspace = outline.load_some(&recording, &dirs, &self.parsed)?;
        let facts = facts::collect_of_many(&recording, &self.anchors, &self.old, workspace)?;
        // without a scenario there is no state that its lists could change, and its own files are part of the rows
        let has_states = facts.scenarios().next().is_some();
        Ok(JudgedPart { rows, facts, asked: if has_states { recording.asked() } else { HashSet::default() } })
    }
}

fn unread(tree: Oid, near: &CommitStates, why: String) -> CommitStates {
    CommitStates { tree, outline: Rc::clone(&near.outline), parts: BTreeMap::new(), unread: Some(why) }
}

/// The nodes in the groups that are judged together. Where something is limited, a reading of one node spends what the others
/// have, so that all of them are one group.
fn together(outline: &Outline) -> Vec<Vec<OutlineRow>> {
    let rows = outline.rows();
    if outline.config().budgets.is_unlimited() { rows.map(|row| vec![row]).collect() } else { vec![rows.collect()] }
}
