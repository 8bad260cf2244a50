//! Collects the differences between the bases and the judged state for the rules.

use super::branch::TouchedPaths;
use super::losses::{self, SeenState};
use super::protection::protects;
use super::snapshot::{Base, Snapshot};
use super::states::States;
use super::{Focus, Question, added, branch};
use crate::engine::freshness::governed;
use crate::engine::history::{self, Missing};
use crate::engine::unowned;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::model::parts::Parts;
use crate::model::scenario::Scenario;
use crate::model::workspace::Workspace;
use crate::rules::{AddedLine, Change, EditedLine, HiddenLedger, LostFrom, LostLine, Stray};
use crate::store::evidence::Cache;
use crate::tree::Kind;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Collects the differences between the bases and the judged state: beside the lines that the change adds, the lines that
/// it loses, the ledgers that it hides and the evidence that it puts into the tree.
pub(super) fn of<'a>(
    question: &Question<'_>,
    states: &'a States,
    (lost, hidden): LostAndHidden,
    strays: Vec<Stray>,
) -> Result<Change<'a>> {
    let added = added_lines(question, states)?;
    let cache = Cache::new(&question.repo.common_dir);
    let absent_evidence = absent(&cache, &added)?;
    let no_evidence = !absent_evidence.is_empty() && cache.is_empty()?;
    // a change may not use a permission that it grants itself: `redact` counts from the next change on
    let redact = states.view.workspace.config.redact && states.gates.iter().all(|gate| gate.redact);
    let edited = edited(question, states, &added, &lost);
    Ok(Change {
        door: question.snapshot.door,
        view: &states.view,
        own: &states.own,
        bases: &states.bases,
        added,
        redact,
        lost,
        hidden,
        edited,
        strays,
        absent_evidence,
        no_evidence,
        lowered: Vec::new(),
        parts: Parts::default(),
        unowned: unowned(question, states)?,
        renamed: renamed(question, states)?,
        edited_and_gone: edited_and_gone(question, states),
        successors: OnceCell::new(),
        redacted: OnceCell::new(),
    })
}

/// The paths that no base has, sorted; nothing without a base.
pub(super) fn new_paths(snapshot: &Snapshot) -> Result<Vec<RepoPath>> {
    let mut found = Vec::new();
    let Some(first) = snapshot.bases.first() else { return Ok(found) };
    for path in &first.changed {
        let is_in = |base: &Base| Ok(base.tree.kind(path)?.is_some());
        if !snapshot.bases.iter().map(is_in).collect::<Result<Vec<_>>>()?.contains(&true) {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// The source files that the change adds and that no scenario governs. A file with the content of one that is gone has another
/// name and is not new.
fn unowned(question: &Question<'_>, states: &States) -> Result<Vec<RepoPath>> {
    let (snapshot, workspace) = (question.snapshot, &states.view.workspace);
    if workspace.config.governed_roots.is_empty() {
        return Ok(Vec::new());
    }
    let added = new_paths(snapshot)?.into_iter();
    let found = unowned::unowned_among(&*snapshot.view, workspace, added)?;
    if found.is_empty() {
        return Ok(found);
    }
    let mut gone = HashSet::new();
    for base in &snapshot.bases {
        for path in &base.changed {
            if snapshot.view.kind(path)?.is_none() {
                gone.extend(base.tree.entry(path)?.and_then(|entry| entry.id));
            }
        }
    }
    let mut new = Vec::new();
    for path in found {
        let id = snapshot.view.entry(&path)?.and_then(|entry| entry.id);
        if !id.is_some_and(|id| gone.contains(&id)) {
            new.push(path);
        }
    }
    Ok(new)
}

/// The scenarios that the first base declares and the judged state does not, in the same node, if the change also edits a file
/// that they govern.
fn edited_and_gone(question: &Question<'_>, states: &States) -> BTreeSet<(RepoPath, String)> {
    let (Some(base), Some(facts)) = (question.snapshot.bases.first(), states.bases.first()) else {
        return BTreeSet::new();
    };
    let declares = |node: &Node, scenario: &Scenario| {
        let now = states.view.workspace.node(&node.dir);
        now.is_some_and(|now| now.scenario(&scenario.name).is_some())
    };
    let gone = facts.scenarios().filter(|(node, scenario, _)| !declares(node, scenario));
    let gone: Vec<(&Node, &Scenario)> = gone.map(|(node, scenario, _)| (node, scenario)).collect();
    if gone.is_empty() {
        return BTreeSet::new();
    }
    let edited = TouchedPaths::of(&base.changed);
    let gone = gone.into_iter().filter(|(node, scenario)| edited.any_of(governed(node, scenario)));
    gone.map(|(node, scenario)| (node.dir.clone(), scenario.name.clone())).collect()
}

/// Finds where the change moved files and directories that failing scenarios of the first base govern. Maps each old path
/// to the new paths that hold its content.
fn renamed(question: &Question<'_>, states: &States) -> Result<BTreeMap<RepoPath, BTreeSet<RepoPath>>> {
    let mut found = BTreeMap::new();
    let (Some(base), Some(facts)) = (question.snapshot.bases.first(), states.bases.first()) else { return Ok(found) };
    for (_, scenario, _) in facts.scenarios().filter(|(node, scenario, score)| facts.is_failed(node, scenario, score)) {
        for path in scenario.code.iter().filter_map(|governed| governed.path.as_ref().ok()) {
            if !found.contains_key(path) && question.snapshot.view.kind(path)?.is_none() {
                found.insert(path.clone(), new_places(base, path)?);
            }
        }
    }
    Ok(found)
}

/// The new paths that hold everything that `old` held in `base`, each file under its old name. Empty if a file is gone.
fn new_places(base: &Base, old: &RepoPath) -> Result<BTreeSet<RepoPath>> {
    let held = match base.tree.entry(old)? {
        Some(entry) if entry.kind == Kind::Dir => base.tree.files(old, &|_| true)?,
        Some(entry) => vec![(old.clone(), entry)],
        None => Vec::new(),
    };
    let mut common: Option<BTreeSet<RepoPath>> = None;
    for (path, entry) in held {
        let below = &path.as_bstr()[old.as_bstr().len()..];
        let mut places = BTreeSet::new();
        for added in base.added.iter().filter(|added| Some(added.id) == entry.id) {
            let top = added.path.as_bstr().strip_suffix(below as &[u8]);
            if let Some(top) = top.filter(|_| base.tree.kind(&added.path).is_ok_and(|kind| kind.is_none())) {
                places.insert(RepoPath::from_git(top));
            }
        }
        common = Some(common.map_or_else(|| places.clone(), |known| &known & &places));
    }
    Ok(common.unwrap_or_default())
}

fn added_lines(question: &Question<'_>, states: &States) -> Result<Vec<AddedLine>> {
    if states.bases.is_empty() {
        return Ok(Vec::new());
    }
    let before: Vec<&Workspace> = states.bases.iter().map(|base| &base.workspace).collect();
    added::judged(question.repo.hash, question.anchors, &states.view.workspace, &before)
}

/// The evidence of added lines that `cache` does not hold. Each hash is looked up once, because a lookup reads the disk.
fn absent(cache: &Cache, added: &[AddedLine]) -> Result<BTreeSet<EvidenceHash>> {
    let pieces: BTreeSet<_> =
        added.iter().filter(|added| !added.moved).flat_map(|added| added::hashes(&added.line)).collect();
    let mut absent = BTreeSet::new();
    for hash in pieces {
        if !cache.has(&hash)? {
            absent.insert(hash);
        }
    }
    Ok(absent)
}

/// Added lines that are edited copies of base lines. A lost base line is not repeated here: it is reported as lost.
fn edited(question: &Question<'_>, states: &States, added: &[AddedLine], lost: &[LostLine]) -> Vec<EditedLine> {
    let known: Vec<&Workspace> = states.bases.iter().map(|base| &base.workspace).collect();
    let lost: HashSet<&[u8]> = lost.iter().map(|lost| &*lost.line.line).collect();
    let (mut found, mut places): (Vec<EditedLine>, _) = (Vec::new(), HashSet::new());
    for (at, base) in by_weight(&question.snapshot.bases).filter(|_| !added.is_empty()) {
        let lines = added.iter().map(|added| (&added.ledger, &added.line));
        for edited in history::edited(&states.view.workspace, lines, &known, states.filed(at)) {
            let is_lost = lost.contains(&*edited.filed);
            if !is_lost && places.insert((edited.ledger.clone(), edited.line.number)) {
                found.push(EditedLine { edited, from: from(question, at, base) });
            }
        }
    }
    found
}

/// The lines that the change lost, and the ledgers that it hides.
pub(super) type LostAndHidden = (Vec<LostLine>, Vec<HiddenLedger>);

/// The base lines that the judged state lacks, each once, and the base ledgers that are now out of sight. `None` if only
/// some nodes were loaded and lines left them: finding the new place needs all nodes.
pub(super) fn lost(question: &Question<'_>, states: &States) -> Result<Option<LostAndHidden>> {
    let (snapshot, view) = (question.snapshot, &states.view.workspace);
    if let Focus::Nodes(_) = question.focus {
        let misses = |base: &Workspace| history::missing(view, base) != Missing::default();
        let any = states.bases.iter().any(|base| misses(&base.workspace));
        return Ok((!any).then(Default::default));
    }
    let new = SeenState { tree: &*snapshot.view, workspace: view };
    let mut known = HashSet::new();
    let (mut lost, mut hidden): LostAndHidden = Default::default();
    for (at, base) in by_weight(&snapshot.bases).filter(|(at, _)| *at < states.bases.len()) {
        let found = losses::of(new, SeenState { tree: &*base.tree, workspace: states.filed(at) })?;
        let lines = not_released(question, states, at, found.lost)?;
        let of_base = lines.into_iter().filter(|line| known.insert((line.ledger.clone(), line.line.clone())));
        lost.extend(of_base.map(|line| LostLine { line, from: from(question, at, base) }));
        for (ledger, path) in found.hidden.into_iter().filter(|(ledger, _)| known.insert((ledger.clone(), Vec::new())))
        {
            let excluded = view.config.exclude.covers(&path);
            hidden.push(HiddenLedger { ledger, path, excluded, from: from(question, at, base) });
        }
    }
    Ok(Some((lost, hidden)))
}

/// The bases with their positions in the snapshot. Rewritten bases come last: each loss is reported once, and in a
/// rewritten base it is no error.
fn by_weight(bases: &[Base]) -> impl Iterator<Item = (usize, &Base)> {
    let of = |rewritten: bool| bases.iter().enumerate().filter(move |(_, base)| base.rewritten == rewritten);
    of(false).chain(of(true))
}

/// The revision that still has the lost line, in a form that `repair --restore` takes.
fn from(question: &Question<'_>, at: usize, base: &Base) -> LostFrom {
    let is_head = at == 0 && question.snapshot.tip.is_none();
    let revision = base.commit.filter(|_| !is_head).map_or_else(|| "HEAD".to_owned(), |commit| commit.short());
    LostFrom { revision, rewritten: base.rewritten }
}

/// Removes the lines that the main branch itself released. A branch that is neither main nor protected need not keep them.
fn not_released(
    question: &Question<'_>,
    states: &States,
    at: usize,
    mut lines: Vec<history::Lost>,
) -> Result<Vec<history::Lost>> {
    let base = question.snapshot.bases.first().filter(|_| at == 0 && !lines.is_empty());
    let main = base.map_or(Ok(None), |base| main_beside(question, states, base))?;
    if let (Some(commit), Some(main)) = (base.and_then(|base| base.commit), main) {
        let released = losses::released(question.repo, &commit, &main)?;
        lines.retain(|line| !released.contains(&line.line));
    }
    Ok(lines)
}

/// The tip of the main branch, if lines that main released need not be kept: the base is the old state of an unprotected
/// branch. Before a commit that branch is the checked-out one.
fn main_beside(question: &Question<'_>, states: &States, base: &Base) -> Result<Option<Oid>> {
    if question.snapshot.tip.is_some() {
        return Ok(base.main);
    }
    let repo = question.repo;
    let branch = repo.head_branch()?;
    let Some(branch) = branch.as_ref().and_then(|name| name.strip_prefix(b"refs/heads/")) else { return Ok(None) };
    let configs = states.gates.iter().chain([&states.view.workspace.config]);
    if configs.into_iter().any(|config| protects(config, branch.into(), None)) {
        return Ok(None);
    }
    Ok(branch::find_main(repo, &states.own)?.map(|(_, tip)| tip))
}
