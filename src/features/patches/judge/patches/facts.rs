//! Facts about one branch: touched scenarios, readings, decisions, and the outcome of a merge. Branches with the same
//! content and the same base are judged once.

use super::Patches;
use super::branches::{Branch, Fork};
use super::states::{BaseState, KEPT};
use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::snapshot::{self, Base, Snapshot};
use crate::engine::budget::FiledAt;
use crate::engine::content::Contents;
use crate::engine::facts::{self, Facts, at_gate};
use crate::engine::freshness::Judge;
use crate::engine::merge::{Merged, merge};
use crate::engine::touched::{Declared, PatchSide, moved, touched};
use crate::error::Result;
use crate::features::goals::{reached, readings_digest, stricter};
use crate::features::patches::judge::engine::patch::{MergeGap, Patch, PatchEval, PatchFacts, Promotion, Touch};
use crate::features::patches::model::settings::PatchSettings;
use crate::finding::NodeRef;
use crate::model::ids::same_name;
use crate::model::ledger::{LineHash, ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::reference::verdict_words;
use crate::model::workspace::{self, Select};
use crate::names;
use crate::repo::merge::{FileMerge, MergeOutcome};
use crate::repo::program::NewCommits;
use crate::report::view::ScopeMode;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// The name of a file of attributes.
const ATTRIBUTES: &[u8] = b".gitattributes";
/// A larger file is not read and may contain anything.
const MAX_ATTRIBUTES: u64 = 1 << 20;

/// Branches with equal keys are judged once: the trees of base and tip, and whether the ledgers of the checkout count.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TipKey {
    base: Option<Oid>,
    tip: Oid,
    is_here: bool,
}

/// Facts about a tip, shared by all branches with this content.
pub(super) struct Known {
    pub(super) tip: Rc<dyn Tree>,
    /// The state where it left main.
    pub(super) base: Rc<BaseState>,
    /// The nodes that a branch with this content can concern.
    pub(super) facts: Facts,
    /// The scenarios that differ from the base.
    pub(super) touches: Vec<Touch>,
    /// The files that differ from the base.
    files: Vec<RepoPath>,
    /// The touched nodes with a reached goal.
    reached: Vec<NodeRef>,
}

impl Patches<'_> {
    /// The patch of a branch; `None` if the branch never had a commit of its own.
    ///
    /// # Errors
    /// If existing content cannot be read.
    pub(super) fn patch(&self, branch: &Branch) -> Result<Option<Patch>> {
        let mut gaps = Vec::new();
        let (base, is_merged) = match self.fork(branch)? {
            Fork::Ahead(bases) => {
                gaps.extend((bases.len() > 1).then_some(MergeGap::SeveralBases));
                (bases.first().copied(), false)
            }
            Fork::Merged(base) => (base, true),
            // main was moved to its tip: its base is unknown, and only a decision shows that it was a patch
            Fork::Within if self.is_decided(branch)? => (None, true),
            Fork::Within => return Ok(None),
        };
        let tree = snapshot::known_tree(self.repo, &branch.tip)?;
        let started = match base {
            Some(base) => Some(snapshot::known_tree(self.repo, &base)?),
            None if is_merged => Some(tree),
            None => None,
        };
        let known = self.known(TipKey { base: started, tip: tree, is_here: self.is_here(branch) })?;
        let outcome = if is_merged { MergeOutcome::default() } else { self.outcome(&known, tree)? };
        gaps.extend(self.gaps(&outcome)?);
        let is_squashed = !outcome.changes && started != Some(tree);
        let promotion = match is_merged {
            true => Some(Promotion::Merged),
            false => is_squashed.then_some(Promotion::Squashed),
        };
        let mut touches = known.touches.clone();
        if promotion.is_none() {
            self.mark_moved(&known, &mut touches)?;
            self.clear_inherited(branch, &known, &mut touches)?;
        }
        let settings = [&known.facts.workspace.config, &self.main.state.workspace.config];
        Ok(Some(Patch::of(PatchFacts {
            branch: branch.name.clone(),
            tip: branch.tip,
            base,
            main: self.main.name.clone(),
            files: known.files.clone(),
            touches,
            decisions: self.decisions(branch, &known, (!is_merged).then(|| self.compared(base)))?,
            promotion,
            conflicts: outcome.conflicts,
            gaps,
            reached: known.reached.clone(),
            // the stricter of branch and main, so that a branch cannot relax the rules for itself
            require_other: settings.into_iter().any(|config| config.of::<PatchSettings>().require_other),
        })))
    }

    fn known(&self, key: TipKey) -> Result<Rc<Known>> {
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let known = Rc::new(self.look(key)?);
        let mut kept = self.known.borrow_mut();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Rc::clone(&known));
        drop(kept);
        Ok(known)
    }

    fn look(&self, key: TipKey) -> Result<Known> {
        let (base, tip) = (self.bases.of(key.base)?, self.repo.tree_view(key.tip));
        let changes = self.repo.tree_diff(base.id, Some(key.tip))?;
        let change = Base::of(Rc::clone(&base.tree), None, &changes);
        let config = self.bases.config(&*tip)?;
        let dirs = self.concerned(&base, &change.changed);
        // a run budget adds up the spending of all nodes
        let select = if config.budgets.run.is_empty() { Select::Dirs(dirs) } else { Select::All };
        let mut workspace = workspace::load(&*tip, config, &select)?;
        if key.is_here {
            // readings in the checkout count, committed or not
            for node in &mut workspace.nodes {
                if let Some(here) = self.workspace.node(&node.dir) {
                    node.ledgers.clone_from(&here.ledgers);
                }
            }
        }
        let facts = facts::collect_unowned(&*tip, &self.anchors, workspace)?;
        let contents = Contents::new(&*tip);
        let before = PatchSide { tree: &*base.tree, nodes: &base.workspace.nodes };
        let scenarios = touched(&contents, &facts.workspace.nodes, before)?;
        let touches = {
            let judge = Judge::new(&*tip, &self.anchors, &facts.workspace.config.evaluators);
            scenarios.iter().map(|one| touch(&judge, &facts, &base, *one)).collect::<Result<Vec<Touch>>>()?
        };
        let files = change.changed.iter().cloned().collect();
        let reached = self.reached(&facts, &tip, change, &touches)?;
        Ok(Known { tip, base, touches, files, reached, facts })
    }

    /// The directories of the nodes that a branch may concern: nodes with a changed file of their own, nodes that govern
    /// changed content, and nodes with decisions about patches.
    fn concerned(&self, base: &BaseState, changed: &BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
        let ours = changed.iter().filter(|path| workspace::has_our_name(path));
        let mut dirs: BTreeSet<RepoPath> = ours.map(|path| path.parent().unwrap_or_default()).collect();
        let paths = TouchedPaths::of(changed);
        let governing = base.workspace.nodes.iter().filter(|node| paths.touch(node) || paths.measured(node));
        dirs.extend(governing.map(|node| node.dir.clone()));
        dirs.extend(self.decided_dirs());
        dirs
    }

    /// The touched nodes with a reached goal at the tip.
    fn reached(&self, facts: &Facts, tip: &Rc<dyn Tree>, change: Base, touches: &[Touch]) -> Result<Vec<NodeRef>> {
        let snapshot = Snapshot { mode: ScopeMode::Rev, bases: vec![change], ..snapshot::whole(Rc::clone(tip)) };
        let is_touched = |dir: &RepoPath| touches.iter().any(|touch| *dir.as_bstr() == touch.node.dir);
        let settings = stricter(&facts.workspace.config, &self.main.state.workspace.config);
        reached(self.repo, &snapshot, facts, &settings, &|node| is_touched(&node.dir))
    }

    /// The outcome of merging the tip into main.
    fn outcome(&self, known: &Known, tip: Oid) -> Result<MergeOutcome> {
        let ours = snapshot::known_tree(self.repo, &self.main.commit)?;
        self.repo.merge_outcome(known.base.id, ours, tip, &merge_ledger)
    }

    /// Where git may merge otherwise than the merge that was tried here.
    fn gaps(&self, outcome: &MergeOutcome) -> Result<Vec<MergeGap>> {
        let mut gaps: Vec<MergeGap> = outcome.emptied.iter().cloned().map(MergeGap::RenamedDirectory).collect();
        for path in &outcome.texts {
            if self.may_have_driver(path)? {
                gaps.push(MergeGap::Attributes(path.clone()));
            }
        }
        Ok(gaps)
    }

    /// Whether an attributes file above `path` in main may say something about merging.
    fn may_have_driver(&self, path: &RepoPath) -> Result<bool> {
        let mut above = path.parent();
        while let Some(dir) = above {
            let (tree, file) = (&self.main.state.tree, dir.child(ATTRIBUTES));
            let is_file = matches!(tree.kind(&file)?, Some(Kind::File | Kind::Exec));
            if is_file && tree.size(&file)?.is_some_and(|size| size > MAX_ATTRIBUTES) {
                return Ok(true);
            }
            let text = if is_file { tree.read(&file)?.unwrap_or_default() } else { Vec::new() };
            // `binary` switches merging off
            if text.contains_str("merge") || text.contains_str("binary") {
                return Ok(true);
            }
            above = dir.parent();
        }
        Ok(false)
    }

    /// Clears `is_own` for readings that another branch, on which this branch is built, already has. A failure that such
    /// a reading resolved was resolved before this branch began.
    fn clear_inherited(&self, branch: &Branch, known: &Known, touches: &mut [Touch]) -> Result<()> {
        let mut own: Vec<(LineHash, &mut PatchEval)> = Vec::new();
        for touch in touches {
            let node = known.facts.workspace.node(&RepoPath::from_git(touch.node.dir.clone()));
            let Some(eval) = touch.eval.as_mut().filter(|eval| eval.is_own) else { continue };
            own.extend(node.and_then(|node| line_at(node, &eval.at)).map(|line| (line, eval)));
        }
        if own.is_empty() {
            return Ok(());
        }
        let ahead = NewCommits { tips: vec![branch.tip], known: vec![self.main.commit], ..NewCommits::default() };
        let ahead: HashSet<Oid> = self.repo.new_commits(&ahead)?.into_iter().map(|commit| commit.id).collect();
        let below = |other: &Branch| other.tip != branch.tip && ahead.contains(&other.tip);
        for other in self.branches()?.iter().filter(|other| below(other)) {
            let state = self.bases.of(Some(snapshot::known_tree(self.repo, &other.tip)?))?;
            own.iter_mut().for_each(|(line, eval)| eval.is_own &= !state.lines.contains(line));
        }
        Ok(())
    }

    fn mark_moved(&self, known: &Known, touches: &mut [Touch]) -> Result<()> {
        let main = &self.main.state;
        let contents = Contents::new(&*main.tree);
        let side = |tree, nodes| PatchSide { tree, nodes };
        let tip = side(&*known.tip, &known.facts.workspace.nodes);
        let others =
            [side(&*main.tree, &main.workspace.nodes), side(&*known.base.tree, &known.base.workspace.nodes), tip];
        for one in tip.scenarios() {
            if let Some(touch) = touches.iter_mut().find(|touch| is_of(touch, one)) {
                touch.moved = moved(&contents, one, others)?;
            }
        }
        Ok(())
    }
}

fn is_of(touch: &Touch, one: Declared<'_>) -> bool {
    *one.node.dir.as_bstr() == touch.node.dir && same_name(&touch.scenario, &one.scenario.name)
}

/// A touched scenario with its counting reading.
fn touch(judge: &Judge<'_>, facts: &Facts, base: &BaseState, one: Declared<'_>) -> Result<Touch> {
    let node = NodeRef { dir: one.node.dir.to_bstring(), id: one.node.id.clone() };
    let scores = facts.scored(&one.node.dir).map_or(&[][..], |(_, scores)| scores);
    let declared = one.node.scenarios().iter().zip(scores);
    let score = declared.filter(|(scenario, _)| std::ptr::eq(*scenario, one.scenario)).map(|(_, score)| score).next();
    let score = score.map(|score| at_gate(judge, one.node, one.scenario, score)).transpose()?;
    let eval = score.and_then(|score| {
        let (reading, at) = (score.reading.as_ref()?, score.at.clone()?);
        Some(PatchEval {
            by: reading.by.clone(),
            bytes: reading.bytes().collect(),
            // a reading that could not be judged is not fresh
            is_fresh: score.is_fresh(),
            is_own: line_at(one.node, &at).is_some_and(|line| !base.lines.contains(&line)),
            at,
            is_pass: score.verdict() == Some(ReadingVerdict::Measured(Status::Pass)),
        })
    });
    let readings = readings_digest(one.node, scores);
    let filing = verdict_words(one.scenario);
    Ok(Touch { node, scenario: one.scenario.name.clone(), filing, eval, readings, moved: Vec::new() })
}

fn line_at(node: &Node, at: &FiledAt) -> Option<LineHash> {
    Some(LineHash::of(&at.line_of(&node.ledgers)?.bytes))
}

/// Merges a ledger as our merge driver does, even if the driver is not configured here.
fn merge_ledger(path: &RepoPath, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<FileMerge> {
    names::is_merged_as_ledger(path.name()).then(|| match merge(base, ours, theirs) {
        Merged::Clean(bytes) => FileMerge::Clean(bytes),
        Merged::Refused(_) => FileMerge::Conflict,
    })
}
