//! Decisions about a branch: the lines that name it in the ledgers of its tip, of main and of the checkout, and whether
//! each decision is about the present content of the tip.

use super::Patches;
use super::branches::Branch;
use super::content::BranchChange;
use super::facts::Known;
use crate::engine::budget::FiledAt;
use crate::engine::content::Contents;
use crate::engine::touched::{Declared, PatchSide, declared, is_same};
use crate::error::Result;
use crate::features::goals::readings_digest;
use crate::features::patches::judge::approvals::spent::{is_spent, version_at};
use crate::features::patches::judge::engine::approval::{Fit, fit};
use crate::features::patches::judge::engine::patch::{PatchDecision, PatchDecisionKind, Touch};
use crate::model::ledger::{ApprovedContent, Decision, Event, EvidenceHash, LineHash, Timestamp};
use crate::model::node::Node;
use crate::model::workspace::{self, Select};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A ledger line that decides about a patch.
#[derive(Clone)]
pub(super) struct Decided {
    pub(super) patch: String,
    pub(super) made: PatchDecision,
    /// Digest of the readings of its node when it was made.
    readings: Option<EvidenceHash>,
    /// Hash of the line, to recognise copies.
    line: LineHash,
    /// The directories of the nodes that it is about: its own, and those with files in its content.
    dirs: BTreeSet<RepoPath>,
    /// What the line says about content; `None` for a line of an older program.
    content: Option<ApprovedContent>,
}

/// The decisions about patches in the ledgers of `nodes`.
pub(super) fn standing_in<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Vec<Decided> {
    let mut found = Vec::new();
    for node in nodes {
        for ledger in &node.ledgers {
            for line in &ledger.lines {
                let Event::Decision(decision) = &line.event else { continue };
                let at = |ts| FiledAt { ts, ledger: ledger.path.clone(), line: line.number };
                let Some((patch, made)) = read(decision, node, at) else { continue };
                let (readings, line, content) =
                    (decision.readings, LineHash::of(&line.bytes), decision.content.clone());
                found.push(Decided { patch, dirs: dirs(&made, content.as_ref()), made, readings, line, content });
            }
        }
    }
    found
}

fn dirs(made: &PatchDecision, content: Option<&ApprovedContent>) -> BTreeSet<RepoPath> {
    let files = match content {
        Some(ApprovedContent::Files(map)) => map.keys().filter(|path| workspace::has_our_name(path)).collect(),
        _ => Vec::new(),
    };
    let dirs = files.into_iter().map(|path| path.parent().unwrap_or_default());
    dirs.chain([made.node.clone()]).collect()
}

fn read(decision: &Decision, node: &Node, at: impl FnOnce(Timestamp) -> FiledAt) -> Option<(String, PatchDecision)> {
    let kind = PatchDecisionKind::parse(&decision.kind)?;
    let made = PatchDecision {
        kind,
        node: node.dir.clone(),
        at: at(decision.ts?),
        by: decision.by.clone()?,
        reason: decision.reason.clone()?,
        commit: decision.commit,
        is_current: false,
        names_content: decision.content.is_some(),
        covers: false,
    };
    decision.wrong.is_empty().then_some(())?;
    Some((decision.patch.clone()?, made))
}

impl Patches<'_> {
    /// The directories of the nodes with decisions about patches in their ledgers.
    pub(super) fn decided_dirs(&self) -> BTreeSet<RepoPath> {
        self.decided.iter().flat_map(|decided| &decided.dirs).cloned().collect()
    }

    /// Whether a decision is about a commit of `branch`.
    pub(super) fn is_decided(&self, branch: &Branch) -> Result<bool> {
        let commits: BTreeSet<Oid> =
            self.decided.iter().filter(|one| one.patch == branch.name).filter_map(|one| one.made.commit).collect();
        for commit in commits {
            if self.repo.tree_of(&commit)?.is_some() && self.repo.leads_to(&branch.tip, &commit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The decisions about `branch`, which left main at `base`, in the order of filing. A decision that the base already has is
    /// left out, because it is about older content, unless it is about exactly this content.
    pub(super) fn decisions(&self, branch: &Branch, known: &Known, base: Option<Oid>) -> Result<Vec<PatchDecision>> {
        let mut seen = HashSet::new();
        let of_tip = standing_in(&known.facts.workspace.nodes);
        let all: Vec<Decided> = of_tip
            .into_iter()
            .chain(self.decided.iter().cloned())
            .filter(|one| one.patch == branch.name && seen.insert((one.made.node.clone(), one.line)))
            .collect();
        let mut judged =
            Judged { patches: self, known, branch, contents: Contents::new(&*known.tip), told: BTreeMap::new() };
        let mut found = Vec::new();
        for one in &all {
            let covers = self.covers(one, branch, known, base)?;
            // A rejection is about its content alone: with any other content the branch is judged anew. An approval also
            // holds as long as the touched scenarios are the same; content alone says what a branch without scenarios holds.
            let is_approval = one.made.kind == PatchDecisionKind::Approve;
            let by_scenarios = one.content.is_none() || is_approval && !known.touches.is_empty();
            let is_current = covers || by_scenarios && judged.is_current(one, &all)?;
            if is_current || !known.base.lines.contains(&one.line) {
                found.push(PatchDecision { is_current, covers, ..one.made.clone() });
            }
        }
        found.sort_by(|one, other| one.at.cmp(&other.at));
        Ok(found)
    }
}

impl Patches<'_> {
    /// Whether a line names exactly the content of the branch since `base`, and main did not take that content back. A merged
    /// branch has no such base.
    fn covers(&self, one: &Decided, branch: &Branch, known: &Known, base: Option<Oid>) -> Result<bool> {
        let (Some(content), Some(base)) = (&one.content, base) else { return Ok(false) };
        let BranchChange { content: map, .. } = self.change(base, branch.tip)?;
        let at_tip = |path: &RepoPath| version_at(&*known.tip, path);
        let approved = match content {
            ApprovedContent::Files(approved) if fit(approved, std::slice::from_ref(&map), &at_tip)? == Fit::Whole => {
                approved
            }
            ApprovedContent::Digest { .. } if content.is_digest_of(&map) => &map,
            _ => return Ok(false),
        };
        let states = [(&known.base.lines, base), (&self.main.state.lines, self.main.commit)];
        let before = states.into_iter().filter(|(lines, _)| lines.contains(&one.line));
        for (_, state) in before {
            // where the search ends without an answer, the branch is approved anew
            if is_spent(self.repo, &state, approved).unwrap_or(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Compares the content that decisions are about with the content of the tip.
struct Judged<'k, 'r> {
    patches: &'k Patches<'r>,
    known: &'k Known,
    branch: &'k Branch,
    contents: Contents<'k>,
    /// Results by commit and by the nodes that were decided about with it.
    told: BTreeMap<(Oid, BTreeSet<RepoPath>), bool>,
}

impl Judged<'_, '_> {
    fn is_current(&mut self, one: &Decided, all: &[Decided]) -> Result<bool> {
        let Some(commit) = one.made.commit else { return Ok(false) };
        if commit == self.branch.tip {
            return Ok(true);
        }
        let Some(tree) = self.patches.repo.tree_of(&commit)? else { return Ok(self.has_its_readings(one)) };
        let together = all.iter().filter(|other| other.made.commit == Some(commit) && other.made.kind == one.made.kind);
        let dirs: BTreeSet<RepoPath> = together.flat_map(|other| &other.dirs).cloned().collect();
        let key = (commit, dirs.clone());
        if let Some(told) = self.told.get(&key) {
            return Ok(*told);
        }
        let told = self.holds(tree, &dirs)?;
        self.told.insert(key, told);
        Ok(told)
    }

    /// For a decision with a lost commit (squashed, rebased, pruned): whether its readings still count and are fresh at
    /// the tip. Then the tip holds the content that was measured.
    fn has_its_readings(&self, one: &Decided) -> bool {
        let scored = self.known.facts.scored(&one.made.node).zip(one.readings);
        let same = scored.is_some_and(|((node, scores), readings)| readings_digest(node, scores) == readings);
        same && self.known.touches.iter().all(Touch::is_fresh)
    }

    /// Whether the scenarios that the branch touches, and all scenarios of the nodes `dirs`, are the same as in `tree`.
    fn holds(&self, tree: Oid, dirs: &BTreeSet<RepoPath>) -> Result<bool> {
        let nodes = &self.known.facts.workspace.nodes;
        let is_touched = |one: &Declared<'_>| {
            let here = |touch: &Touch| one.node.dir.as_bstr() == touch.node.dir && touch.scenario == one.scenario.name;
            self.known.touches.iter().any(here)
        };
        let concerned: Vec<Declared<'_>> =
            nodes.iter().flat_map(declared).filter(|one| dirs.contains(&one.node.dir) || is_touched(one)).collect();
        let view = self.patches.repo.tree_view(tree);
        let wanted: BTreeSet<RepoPath> = concerned.iter().map(|one| one.node.dir.clone()).collect();
        let config = self.known.facts.workspace.config.clone();
        let then = workspace::load(&*view, config, &Select::Dirs(wanted))?;
        let then = PatchSide { tree: &*view, nodes: &then.nodes };
        for one in concerned {
            if !is_same(&self.contents, one, then)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
