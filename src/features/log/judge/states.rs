//! The states of all scenarios at a commit, as `scan --rev` judges them: by the files, the ledgers and the configuration of its
//! own tree. From one commit to the next a node is judged again only if its judgement asked for a path that differs.

use super::parsed::ParsedFiles;
use super::recording::RecordingTree;
use crate::app::judge::remember;
use crate::app::query::stands::state_of;
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
use std::collections::BTreeSet;
use std::rc::Rc;

/// The judged nodes of one or more commits that have the same states.
pub(super) struct CommitStates {
    pub(super) tree: Oid,
    pub(super) outline: Rc<Outline>,
    /// Judged together: each node alone, or all nodes where they share a budget. Sorted by the directory of the first one.
    parts: Vec<Rc<JudgedPart>>,
    /// Why the configuration of this tree cannot be used; then it has no parts.
    pub(super) unread: Option<String>,
}

/// Nodes that are judged together, at least one.
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
        Ok(Self { tree, outline, parts: Vec::new(), unread: None })
    }

    /// Every declared scenario with its node and score.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = (&Node, &Scenario, &Score)> {
        self.parts.iter().flat_map(|part| part.facts.scenarios())
    }

    /// The counts over the scenarios that `is_wanted`; `None` if the configuration cannot be used.
    pub(super) fn score(&self, is_wanted: impl Fn(&Node, &Scenario) -> bool) -> Option<ScoreTally> {
        if self.unread.is_some() {
            return None;
        }
        let mut tally = ScoreTally::default();
        for (_, _, score) in self.scenarios().filter(|(node, scenario, _)| is_wanted(node, scenario)) {
            let (state, verdict) = state_of(score);
            tally.count(&state, verdict);
        }
        Some(tally)
    }

    /// The configuration of the tree; the defaults if it cannot be used.
    pub(super) fn config(&self) -> &Config {
        self.outline.config()
    }

    /// All nodes, loaded.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().flat_map(|part| &part.facts.workspace.nodes)
    }

    /// The parts that are not the same in `other`.
    pub(super) fn parts_unlike<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s Rc<JudgedPart>> {
        let is_same = |part: &Rc<JudgedPart>| other.part(part.dir()).is_some_and(|other| Rc::ptr_eq(part, other));
        self.parts.iter().filter(move |part| !is_same(part))
    }

    /// The part whose first node lies in this directory.
    fn part(&self, dir: &RepoPath) -> Option<&Rc<JudgedPart>> {
        self.parts.binary_search_by(|part| part.dir().cmp(dir)).ok().map(|index| &self.parts[index])
    }
}

impl JudgedPart {
    /// The directory of its first node.
    fn dir(&self) -> &RepoPath {
        self.rows[0].dir()
    }

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
        if changes.iter().all(|change| change.old.is_some() && change.new.is_some()) {
            self.old.has_paths_of(tree, near.tree);
        }
        let changed: Vec<RepoPath> = changes.into_iter().map(|change| change.path).collect();
        let is_ours = changed.iter().any(|path| names::may_be_ours(path.as_bstr()));
        let config_moved = near.unread.is_some() || changed.iter().any(|path| path.as_bstr() == CONFIG_FILE);
        let moved = with_directories(&changed);
        if !is_ours && !config_moved && !near.parts.iter().any(|part| part.asked_for(&moved)) {
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
        let known = |rows: &[OutlineRow]| {
            let part = near.part(rows[0].dir()).filter(|_| same_config)?;
            (part.rows == rows && !part.asked_for(&moved)).then(|| Rc::clone(part))
        };
        let rows: Vec<OutlineRow> = outline.rows().collect();
        let judged = |rows: &[OutlineRow]| Ok(Rc::new(self.judged(&*view, &outline, rows.to_vec())?));
        let parts = rows.chunks(together(&outline)).map(|rows| known(rows).map_or_else(|| judged(rows), Ok));
        let parts = parts.collect::<Result<_>>()?;
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
    CommitStates { tree, outline: Rc::clone(&near.outline), parts: Vec::new(), unread: Some(why) }
}

/// How many nodes are judged together. Where something is limited, a reading of one node spends what the others have, so that
/// all of them are one group.
fn together(outline: &Outline) -> usize {
    if outline.config().budgets.is_unlimited() { 1 } else { usize::MAX }
}
