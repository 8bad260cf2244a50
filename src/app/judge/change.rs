//! What lies between the bases and the judged state, as the rules ask for it.

use super::added;
use super::losses;
use super::losses::{Loss, SeenState};
use super::states::States;
use super::{Focus, Question};
use crate::engine::history;
use crate::engine::history::Missing;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace::Workspace;
use crate::rules::{AddedLine, Change, GoalDemands, LogChange, LostLine, Stray};
use crate::store::evidence::Cache;
use std::collections::{BTreeSet, HashSet};

/// What a change does beyond the lines that it adds.
pub(super) struct Moved {
    /// The ledger lines that it loses.
    pub(super) lost: Vec<LostLine>,
    /// The evidence that it puts into the tree.
    pub(super) strays: Vec<Stray>,
    /// What it does to run logs.
    pub(super) logs: LogChange,
}

/// What lies between `states`. Lines that the change puts out of sight are judged when they are added, and only then.
pub(super) fn of<'a>(question: &Question<'_>, states: &'a States, moved: Moved) -> Result<Change<'a>> {
    let added = added_lines(question, states)?;
    let cache = Cache::new(&question.repo.common_dir);
    let absent_evidence = absent(&cache, &added)?;
    let no_evidence = !absent_evidence.is_empty() && cache.is_empty()?;
    // what the change itself allows counts from the next one on
    let redact = states.view.workspace.config.redact && states.gates.iter().all(|gate| gate.redact);
    let Moved { lost, strays, logs } = moved;
    Ok(Change {
        door: question.snapshot.door,
        view: &states.view,
        own: &states.own,
        bases: &states.bases,
        added,
        redact,
        lost,
        strays,
        absent_evidence,
        no_evidence,
        goals: Vec::new(),
        demands: GoalDemands::default(),
        logs,
        now: question.options.now,
        unproven: Vec::new(),
    })
}

fn added_lines(question: &Question<'_>, states: &States) -> Result<Vec<AddedLine>> {
    if states.bases.is_empty() {
        return Ok(Vec::new());
    }
    let before: Vec<&Workspace> = states.bases.iter().map(|base| &base.workspace).collect();
    added::judged(question.repo.hash, question.anchors, states.seen(), &before)
}

/// The evidence of added lines that `cache` does not hold. Each piece is asked for once, however many lines name it: the
/// cache is on disk.
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

/// The lines that a base has and the judged state lacks, each once: a base whose loss is an error comes first. `None`
/// where lines left some of the nodes: where to is known only to who looks at all of them.
pub(super) fn lost(question: &Question<'_>, states: &States) -> Result<Option<Vec<LostLine>>> {
    let (snapshot, seen) = (question.snapshot, states.seen());
    if let Focus::Nodes(_) = question.focus {
        let misses = |base: &Workspace| history::missing(seen, base) != Missing::default();
        let any = states.bases.iter().any(|base| misses(&base.workspace));
        return Ok((!any).then(Vec::new));
    }
    let mut bases: Vec<_> = snapshot.bases.iter().zip(&states.bases).collect();
    bases.sort_by_key(|(base, _)| base.rewritten);
    let new = SeenState { tree: &*snapshot.view, workspace: seen };
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for (base, facts) in bases {
        let from = match (snapshot.tip, base.commit) {
            (Some(_), Some(commit)) => commit.short(),
            _ => "HEAD".into(),
        };
        let old = SeenState { tree: &*base.tree, workspace: &facts.workspace };
        for Loss { line, how } in losses::of(new, old)? {
            if known.insert((line.ledger.clone(), line.line.clone())) {
                found.push(LostLine { line, how, from: from.clone(), rewritten: base.rewritten });
            }
        }
    }
    Ok(Some(found))
}
