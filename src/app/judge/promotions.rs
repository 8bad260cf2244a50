//! What a change brings into the main branch without proof: scenarios that it touches and for which nothing speaks. Asked at a
//! push to the main branch, and of a range. Only what the change touches is looked at, and goals and approved commits only where
//! a reading does not speak already.

use super::Question;
use super::branch::TouchedPaths;
use super::goals::reached_of;
use super::snapshot::Base;
use super::states::States;
use crate::engine::content::Contents;
use crate::engine::facts::{Facts, Score, Standing};
use crate::engine::goal::collect::readings_digest;
use crate::engine::goal::trust::person;
use crate::engine::patch::touched::{Declared, PatchSide, governs_same, is_same, touched};
use crate::error::Result;
use crate::model::ledger::{Decision, Event, PatchDecisionKind, ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::workspace::{self, Select};
use crate::report::view::ScopeMode;
use crate::rules::{Change, Door, UnprovenScenario};
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The scenarios that `change` promotes without proof; none where one of the touched goals is reached.
///
/// # Errors
/// When something that must be compared cannot be read.
pub(super) fn unproven(question: &Question<'_>, states: &States, change: &Change<'_>) -> Result<Vec<UnprovenScenario>> {
    if question.snapshot.door != Door::Commits || !is_to_main(question, states) {
        return Ok(Vec::new());
    }
    // what begins a main branch was promoted by nobody
    let bases = question.snapshot.bases.iter().zip(&states.bases);
    let Some((base, before)) = bases.into_iter().find(|(base, _)| base.commit.is_some()) else {
        return Ok(Vec::new());
    };
    let promoted = Promoted { question, states, contents: Contents::new(&*question.snapshot.view) };
    let touched = promoted.touched(base, before)?;
    let mut found = Vec::new();
    for one in &touched {
        if let Some(why) = promoted.lacks(*one)? {
            let (dir, name) = (one.node.dir.clone(), one.scenario.name.clone());
            found.push(UnprovenScenario { dir, name, why });
        }
    }
    let dirs: BTreeSet<&RepoPath> = touched.iter().map(|one| &one.node.dir).collect();
    if found.is_empty() || reached_of(question, states, change, &|node| dirs.contains(&node.dir))? {
        return Ok(Vec::new());
    }
    Ok(found)
}

/// Whether it goes to the main branch: a push by its target; of a range nobody says where it goes.
fn is_to_main(question: &Question<'_>, states: &States) -> bool {
    let configs = || states.gates.iter().chain([&states.view.workspace.config, &states.own]);
    match &question.snapshot.target {
        Some(target) => configs().any(|config| target.is_main(config)),
        None => question.snapshot.mode == ScopeMode::Range,
    }
}

struct Promoted<'q> {
    question: &'q Question<'q>,
    states: &'q States,
    contents: Contents<'q>,
}

impl<'q> Promoted<'q> {
    fn touched(&self, base: &Base, before: &Facts) -> Result<Vec<Declared<'q>>> {
        let paths = TouchedPaths::of(&base.changed);
        let then = |dir: &RepoPath| before.workspace.node(dir);
        let side = PatchSide { tree: &*base.tree, nodes: &before.workspace.nodes };
        let mut found = Vec::new();
        for node in &self.states.view.workspace.nodes {
            let is_concerned = paths.touch(node) || then(&node.dir).is_some_and(|then| paths.touch(then));
            if is_concerned {
                found.extend(touched(&self.contents, std::slice::from_ref(node), side)?);
            }
        }
        Ok(found)
    }

    /// What a scenario lacks to be promoted; nothing where a fresh pass or an approval speaks for it.
    fn lacks(&self, one: Declared<'_>) -> Result<Option<&'static str>> {
        let Some(score) = self.score(one) else { return Ok(Some("no reading")) };
        let Some(reading) = &score.latest else { return Ok(Some("no reading")) };
        let is_fresh = matches!(&score.standing, Standing::Judged(freshness) if freshness.is_fresh());
        if !is_fresh {
            return Ok(Some("stale"));
        }
        let is_pass = score.verdict() == Some(ReadingVerdict::Measured(Status::Pass));
        if is_pass || self.is_approved(one, reading.by.as_deref())? {
            return Ok(None);
        }
        Ok(Some("failing"))
    }

    fn score(&self, one: Declared<'_>) -> Option<&Score> {
        let mut all = self.states.view.scenarios();
        let found =
            all.find(|(node, scenario, _)| std::ptr::eq(*node, one.node) && std::ptr::eq(*scenario, one.scenario));
        found.map(|(_, _, score)| score)
    }

    /// Whether somebody approved, and nobody rejected, what the scenario is now; `filer` measured it.
    fn is_approved(&self, one: Declared<'_>, filer: Option<&str>) -> Result<bool> {
        let configs = self.states.gates.iter().chain([&self.states.view.workspace.config, &self.states.own]);
        let other = configs.into_iter().any(|config| config.patches.require_other);
        let mut is_approved = false;
        for decision in decisions(one.node) {
            let Some(kind) = PatchDecisionKind::parse(&decision.kind) else { continue };
            let by = decision.by.as_deref().unwrap_or_default();
            let counts =
                kind == PatchDecisionKind::Reject || !other || filer.is_some_and(|filer| person(filer) != person(by));
            if !counts || !self.is_about(decision, one)? {
                continue;
            }
            match kind {
                PatchDecisionKind::Reject => return Ok(false),
                PatchDecisionKind::Approve => is_approved = true,
            }
        }
        Ok(is_approved)
    }

    /// Whether a decision is about what the scenario is now: by the commit that it names, and where that is not here by the
    /// readings that counted.
    fn is_about(&self, decision: &Decision, one: Declared<'_>) -> Result<bool> {
        let Some(commit) = decision.commit else { return Ok(false) };
        let repo = self.question.repo;
        let Some(tree) = repo.tree_of(&commit)? else {
            return Ok(decision.readings == Some(readings_digest(one.node)));
        };
        let view = repo.tree_view(tree);
        // a ledger may hold many decisions, and most are about something older
        if !governs_same(&self.contents, one, &*view)? {
            return Ok(false);
        }
        let dirs = Select::Dirs(BTreeSet::from([one.node.dir.clone()]));
        let then = workspace::load(&*view, self.states.view.workspace.config.clone(), &dirs)?;
        is_same(&self.contents, one, PatchSide { tree: &*view, nodes: &then.nodes })
    }
}

/// The decisions in the ledgers of a node that say all that they must.
fn decisions(node: &Node) -> impl Iterator<Item = &Decision> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter_map(|line| match &line.event {
        Event::Decision(decision) if decision.wrong.is_empty() => Some(&**decision),
        _ => None,
    })
}
