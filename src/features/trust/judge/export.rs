//! `export`: the latest effective readings with a verdict, as an attestation states them. Follows from the content of the
//! commit, its history and the keys of the main branch alone, so that every machine exports the same.

use crate::app::judge::branch::touched;
use crate::app::judge::unseen;
use crate::app::query::view::{ScoreView, pieces, snapshot_of};
use crate::app::site::{Selection, pick_named};
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::features::trust::judge::signers::{SignerRows, grade};
use crate::features::trust::model::statement::{StatedFile, StatedReading};
use crate::model::ledger::{Reading, ReadingVerdict, Stamped};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::tree::path::RepoPath;

/// The readings of the nodes and scenarios that `names` name, or of all, by path and name: of the commit `rev`, or of the
/// working tree.
///
/// # Errors
/// Usage for an unknown node or commit; unchecked if a signature or an author cannot be verified, because the grade would
/// differ from the grade on another machine.
pub(crate) fn stated(repo: &Repo, names: &[String], rev: Option<&str>, here: &RepoPath) -> Result<Vec<StatedReading>> {
    let score = ScoreView::of(repo, snapshot_of(repo, rev)?)?;
    let nodes = &score.workspace.nodes;
    let wanted = Selection::of(names, |text| {
        pick_named(nodes, Some(text), here, || touched(repo, nodes))
            .map_err(|error| unseen::hinted(error, &*score.view, &score.workspace.config))
    })?;
    let signers = SignerRows::of(score.state());
    let mut found = Vec::new();
    for node in nodes {
        let mut scenarios: Vec<&Scenario> = node.scenarios().iter().collect();
        scenarios.sort_by(|one, other| one.name.cmp(&other.name));
        scenarios.retain(|scenario| wanted.has(&node.dir, &scenario.name));
        for scenario in scenarios {
            found.extend(latest(&score, &signers, Declared { node, scenario })?);
        }
    }
    Ok(found)
}

/// The latest effective reading of a scenario, if it has a verdict.
fn latest(score: &ScoreView<'_>, signers: &SignerRows<'_>, asked: Declared<'_>) -> Result<Option<StatedReading>> {
    let effective = Effective::of(asked.node);
    let Some(filed) = effective.newest_first(&asked.scenario.name).next() else { return Ok(None) };
    let reading: &Reading = filed.event;
    if reading.verdict == ReadingVerdict::Legacy {
        return Ok(None);
    }
    let signers = signers.signers(asked, &effective, filed)?;
    Ok(Some(StatedReading {
        dir: crate::app::query::view::shown(&asked.node.dir).to_string(),
        file: file(asked.node),
        scenario: asked.scenario.name.clone(),
        passed: !score.counts_as_fail(filed),
        files: reading.governed.iter().flatten().filter_map(|(path, stamped)| stated_file(path, *stamped)).collect(),
        commit: reading.code_sha.map(|id| id.to_string()),
        is_committed: !reading.dirty,
        scenario_hash: reading.scenario_hash.map(|hash| hash.to_string()),
        ts: reading.ts.to_string(),
        evaluator: reading.evaluator.clone(),
        grade: grade(reading, &signers).as_str(),
        signers,
        evidence: pieces(reading).map(|(kind, hash)| (kind, hash.to_string())).collect(),
    }))
}

fn file(node: &Node) -> String {
    node.file.as_ref().map(|file| file.path.to_string()).unwrap_or_default()
}

fn stated_file(path: &RepoPath, stamped: Stamped) -> Option<StatedFile> {
    let is_submodule = matches!(stamped, Stamped::Submodule(_));
    Some(StatedFile { path: path.to_string(), id: stamped.id()?.to_string(), is_submodule })
}
