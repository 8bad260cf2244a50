//! The ledger lines that a change adds, with what only git can say about them.

use crate::engine::anchors::Anchors;
use crate::engine::freshness::Judge;
use crate::engine::history;
use crate::error::Result;
use crate::finding::Axis;
use crate::model::node::Node;
use crate::model::reading::{Event, EvidenceHash, Line, Reading, Timestamp};
use crate::model::stamp::stamp_contradicts;
use crate::model::tree::{Anchor, History};
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::repo::path::RepoPath;
use crate::rules::AddedLine;

/// The lines of `view` that no base holds.
pub fn lines(repo: &Repo, view: &Workspace, bases: &[&Workspace]) -> Result<Vec<AddedLine>> {
    let (history, anchors) = (repo.history(), Anchors::new(repo.history()));
    let added = history::added(view, bases);
    added.iter().map(|added| line((&*history, &anchors), view, added)).collect()
}

/// Every hash that a line names.
pub fn hashes(line: &Line) -> Vec<EvidenceHash> {
    match &line.event {
        Event::Reading(reading) => reading.evidence.iter().map(|piece| piece.hash).chain(reading.timeline).collect(),
        Event::Retraction(_) | Event::Other => Vec::new(),
    }
}

fn line(
    (history, anchors): (&dyn History, &Anchors),
    view: &Workspace,
    added: &history::Added<'_>,
) -> Result<AddedLine> {
    let node = view.nodes.iter().position(|node| node.dir == added.node.dir).unwrap_or_default();
    let mut facts = AddedLine {
        node,
        ledger: added.ledger.path.clone(),
        line: added.line.clone(),
        not_a_commit: false,
        contradicted: Vec::new(),
        reuses: None,
    };
    let Event::Reading(reading) = &added.line.event else { return Ok(facts) };
    if let Some(commit) = reading.code_sha {
        match history.anchor(&commit)? {
            Anchor::NotACommit => facts.not_a_commit = true,
            Anchor::Missing(_) => {}
            Anchor::Tree(tree) => {
                facts.contradicted = contradicted(&*tree, reading)?;
                facts.reuses = reuses(anchors, &*tree, (view, added.node), reading)?;
            }
        }
    }
    Ok(facts)
}

fn contradicted(tree: &dyn crate::model::tree::Tree, reading: &Reading) -> Result<Vec<RepoPath>> {
    match &reading.governed {
        Some(stamp) if !reading.dirty => stamp_contradicts(tree, stamp),
        _ => Ok(Vec::new()),
    }
}

/// An earlier reading of the same scenario with the same bytes whose governed content is not what this one measured.
fn reuses(
    anchors: &Anchors,
    measured: &dyn crate::model::tree::Tree,
    (view, node): (&Workspace, &Node),
    reading: &Reading,
) -> Result<Option<Timestamp>> {
    let declared = node.file.iter().flat_map(|file| &file.scenarios).find(|scenario| scenario.name == reading.scenario);
    let Some(scenario) = declared else { return Ok(None) };
    let judge = Judge::new(measured, anchors, &view.config.evaluators);
    for earlier in earlier(node, reading) {
        let changed = match (&earlier.governed, &reading.governed) {
            (Some(then), Some(now)) => then != now,
            _ => judge.freshness(node, scenario, earlier)?.axes.contains(&Axis::Code),
        };
        if changed {
            return Ok(Some(earlier.ts));
        }
    }
    Ok(None)
}

fn earlier<'n>(node: &'n Node, reading: &Reading) -> Vec<&'n Reading> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let readings = lines.filter_map(|line| match &line.event {
        Event::Reading(other) => Some(&**other),
        Event::Retraction(_) | Event::Other => None,
    });
    let shares =
        |other: &Reading| other.evidence.iter().any(|piece| reading.evidence.iter().any(|p| p.hash == piece.hash));
    readings.filter(|other| other.scenario == reading.scenario && other.ts < reading.ts && shares(other)).collect()
}
