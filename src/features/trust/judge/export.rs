//! `export`: the latest effective readings with a verdict, as an attestation states them. Follows from the content of the
//! commit, its history and the keys of the main branch alone, so that every machine exports the same.

use crate::app::judge::branch::touched;
use crate::app::judge::unseen;
use crate::app::query::view::{ScoreView, pieces, snapshot_of};
use crate::app::site::{Selection, pick_named};
use crate::engine::effective::{Effective, FiledEvent};
use crate::error::Result;
use crate::features::trust::judge::signers::{SignerRows, grade};
use crate::features::trust::model::statement::{StatedFile, StatedReading};
use crate::model::ledger::{Reading, ReadingVerdict, Stamped, Status};
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
            let asked = Declared { node, scenario };
            match scenario.is_repeated() {
                false => found.extend(latest(&score, &signers, asked)?),
                true => found.extend(environments(&score, &signers, asked)?),
            }
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
    let passed = !score.counts_as_fail(filed);
    stated_as(signers, asked, &effective, filed, passed).map(Some)
}

/// One statement for each environment with a fresh answer: about the reading that stands for it, with what its runs decide.
fn environments(score: &ScoreView<'_>, signers: &SignerRows<'_>, asked: Declared<'_>) -> Result<Vec<StatedReading>> {
    let (judge, effective) = (score.judge(), Effective::of(asked.node));
    let found = score.score(&judge, asked, &effective);
    let mut all = Vec::new();
    for one in found.environments.iter().map(|one| &one.score).filter(|one| one.is_fresh()) {
        let (Some(filed), Some(ReadingVerdict::Measured(verdict))) = (one.filed(&effective), one.verdict()) else {
            continue;
        };
        all.push(stated_as(signers, asked, &effective, &filed, verdict == Status::Pass)?);
    }
    Ok(all)
}

fn stated_as(
    signers: &SignerRows<'_>,
    asked: Declared<'_>,
    effective: &Effective<'_>,
    filed: &FiledEvent<'_, Reading>,
    passed: bool,
) -> Result<StatedReading> {
    let reading: &Reading = filed.event;
    let signers = signers.signers(asked, effective, filed)?;
    Ok(StatedReading {
        dir: crate::app::query::view::shown(&asked.node.dir).to_string(),
        file: file(asked.node),
        scenario: asked.scenario.name.clone(),
        env: reading.terms.env.as_ref().filter(|_| !asked.scenario.env.is_empty()).map(ToString::to_string),
        passed,
        files: reading.governed.iter().flatten().filter_map(|(path, stamped)| stated_file(path, *stamped)).collect(),
        commit: reading.code_sha.map(|id| id.to_string()),
        is_committed: !reading.dirty,
        scenario_hash: reading.scenario_hash.map(|hash| hash.to_string()),
        ts: reading.ts.to_string(),
        evaluator: reading.evaluator.clone(),
        grade: grade(reading, &signers).as_str(),
        signers,
        evidence: pieces(reading).map(|(kind, hash)| (kind, hash.to_string())).collect(),
    })
}

fn file(node: &Node) -> String {
    node.file.as_ref().map(|file| file.path.to_string()).unwrap_or_default()
}

fn stated_file(path: &RepoPath, stamped: Stamped) -> Option<StatedFile> {
    let is_submodule = matches!(stamped, Stamped::Submodule(_));
    Some(StatedFile { path: path.to_string(), id: stamped.id()?.to_string(), is_submodule })
}
