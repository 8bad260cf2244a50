//! The ledger lines that a change adds, with the facts about them that only git knows.

use super::reused::Carriers;
use crate::engine::anchors::{self, Anchors};
use crate::engine::freshness::Judge;
use crate::engine::history;
use crate::error::Result;
use crate::finding::NodeRef;
use crate::model::ledger::{Event, EvidenceHash, Line, Reading};
use crate::model::stamp::stamp_contradicts;
use crate::model::workspace::Workspace;
use crate::rules::AddedLine;
use crate::tree::Tree;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;

/// The ledger lines of `view` that no base has at the same place. Also notes ids that are not of the repository's `hash`.
pub(crate) fn judged(
    hash: HashKind,
    anchors: &Anchors,
    view: &Workspace,
    bases: &[&Workspace],
) -> Result<Vec<AddedLine>> {
    let mut added = lines(anchors, view, bases)?;
    for line in &mut added {
        line.foreign_id = foreign_id(&line.line, hash).map(|place| (place, 2 * hash.len()));
    }
    Ok(added)
}

/// The ledger lines of `view` that no base has at the same place.
pub(crate) fn lines(anchors: &Anchors, view: &Workspace, bases: &[&Workspace]) -> Result<Vec<AddedLine>> {
    let added = history::added(view, bases);
    let mut carriers = Carriers::default();
    let mut found = Vec::with_capacity(added.len());
    // Neighbouring lines mostly name the same commit, so its tree is opened once for all of them.
    for run in added.chunk_by(|one, next| commit_of(one) == commit_of(next)) {
        let Some(commit) = run.first().and_then(commit_of) else {
            found.extend(run.iter().map(|added| plain(added)));
            continue;
        };
        match anchors.at(&commit)? {
            anchors::Testimony::Tree(tree) => {
                // Compares whole files by their blob ids, because a push may not parse the content that it brings.
                let judge = Judge::new(&*tree, anchors, &view.config.evaluators).of_whole_files();
                for added in run {
                    found.push(compared(plain(added), added, commit, &*tree, &judge, &mut carriers)?);
                }
            }
            anchors::Testimony::Missing(Some(_)) => found.extend(run.iter().map(|added| plain(added))),
            anchors::Testimony::Missing(None) => {
                found.extend(run.iter().map(|added| AddedLine { not_a_commit: true, ..plain(added) }));
            }
        }
    }
    Ok(found)
}

/// The ledger lines of `view` that no base has at the same place, with an event that `is_wanted` accepts. No other facts
/// about these lines are collected.
pub(crate) fn of_kind(view: &Workspace, bases: &[&Workspace], is_wanted: &dyn Fn(&Event) -> bool) -> Vec<AddedLine> {
    let mut lines = view.nodes.iter().flat_map(|node| &node.ledgers).flat_map(|ledger| &ledger.lines);
    // Most states have no wanted line, and comparing all lines is expensive.
    if !lines.any(|line| is_wanted(&line.event)) {
        return Vec::new();
    }
    let added = history::added(view, bases);
    added.iter().filter(|added| is_wanted(&added.line.event)).map(plain).collect()
}

/// Names the field with an object id of the wrong hash kind (for example SHA-1 in a SHA-256 repository). Such an id names
/// nothing in the repository.
pub(crate) fn foreign_id(line: &Line, hash: HashKind) -> Option<String> {
    let Event::Reading(reading) = &line.event else { return None };
    let foreign = |id: &Oid| id.kind() != hash;
    if reading.code_sha.as_ref().is_some_and(foreign) {
        return Some("codeSha".into());
    }
    let mut stamp = reading.stamped_files();
    let (path, _) = stamp.find(|(_, stamped)| stamped.id().as_ref().is_some_and(foreign))?;
    Some(format!("stamp of {path}"))
}

pub(crate) fn hashes(line: &Line) -> Vec<EvidenceHash> {
    line.event.reading().into_iter().flat_map(|reading| reading.bytes()).collect()
}

fn commit_of(added: &history::Arrived<'_>) -> Option<Oid> {
    added.line.event.reading()?.code_sha
}

/// The facts that need only the line, and not the commit that it names.
fn plain(added: &history::Arrived<'_>) -> AddedLine {
    AddedLine {
        node: NodeRef { dir: added.node.dir.to_bstring(), id: added.node.id.clone() },
        ledger: added.ledger.path.clone(),
        line: added.line.clone(),
        moved: added.moved,
        imported: added.imported,
        not_a_commit: false,
        foreign_id: None,
        contradicted: Vec::new(),
        reuses: None,
    }
}

/// Adds the facts that need the commit that the reading names.
fn compared<'w>(
    facts: AddedLine,
    added: &history::Arrived<'w>,
    commit: Oid,
    tree: &dyn Tree,
    judge: &Judge<'_>,
    carriers: &mut Carriers<'w>,
) -> Result<AddedLine> {
    let Event::Reading(reading) = &added.line.event else { return Ok(facts) };
    let contradicted = contradicted(tree, reading)?;
    let reuses = carriers.reused(added.node, reading, commit, judge)?;
    Ok(AddedLine { contradicted, reuses, ..facts })
}

fn contradicted(tree: &dyn Tree, reading: &Reading) -> Result<Vec<RepoPath>> {
    match &reading.governed {
        Some(stamp) if !reading.dirty => stamp_contradicts(tree, stamp),
        _ => Ok(Vec::new()),
    }
}
