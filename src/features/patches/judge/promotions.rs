//! Finds scenarios that a change brings into the main branch without proof. Runs at a push to the main branch and for a
//! range. Examines only touched scenarios; goals and approved commits only if no reading is proof already.

use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::states::{EarlierState, States};
use crate::app::judge::touched::touched_since_all;
use crate::app::judge::{Focus, Question};
use crate::engine::content::Contents;
use crate::engine::facts::{Score, at_gate};
use crate::engine::freshness::{Judge, governed};
use crate::engine::touched::{Declared, PatchSide, governs_same, is_same};
use crate::error::Result;
use crate::features::goals::{person, reached_of, readings_digest};
use crate::features::patches::judge::approvals::spent::version_at;
use crate::features::patches::judge::engine::patch::unproven::UnprovenScenario;
use crate::features::patches::model::settings::PatchSettings;
use crate::model::config::Config;
use crate::model::ledger::{
    ApprovedContent, ContentMap, Decision, Event, Ledger, PatchDecisionKind, ReadingVerdict, Status, Timestamp,
};
use crate::model::node::Node;
use crate::model::workspace::{self, Select};
use crate::report::view::ScopeMode;
use crate::rules::{Change, Door};
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The scenarios that `change` promotes without proof; empty if one of the touched goals is reached.
///
/// # Errors
/// When content that must be compared cannot be read.
pub(crate) fn unproven(question: &Question<'_>, states: &States, change: &Change<'_>) -> Result<Vec<UnprovenScenario>> {
    if question.snapshot.door != Door::Commits || !is_to_main(question) {
        return Ok(Vec::new());
    }
    let taken = states.earlier(question.snapshot);
    // the first commits of a main branch promote nothing
    if taken.is_empty() || taken.iter().any(|from| from.base.commit.is_none()) {
        return Ok(Vec::new());
    }
    let (view, evaluators) = (&*question.snapshot.view, &states.view.workspace.config.evaluators);
    let judge = Judge::new(view, question.anchors, evaluators);
    let promoted = Promoted { question, states, contents: Contents::new(view), deciding: OnceCell::new(), judge };
    let touched = touched_since_all(states, &promoted.contents, &taken)?;
    let mut found = Vec::new();
    for one in &touched {
        if let Some(why) = promoted.lacks(*one)? {
            let (dir, name) = (one.node.dir.clone(), one.scenario.name.clone());
            found.push(UnprovenScenario { dir, name, why });
        }
    }
    if found.is_empty() || !promoted.is_asked(&taken) {
        return Ok(Vec::new());
    }
    let dirs: BTreeSet<&RepoPath> = touched.iter().map(|one| &one.node.dir).collect();
    if reached_of(question, states, change, &|node| dirs.contains(&node.dir))? {
        return Ok(Vec::new());
    }
    Ok(found)
}

/// Whether the change goes to the main branch: a push by its target; a range always, because it has no target.
pub(super) fn is_to_main(question: &Question<'_>) -> bool {
    match question.snapshot.target {
        Some(target) => target.is_main,
        None => question.snapshot.mode == ScopeMode::Range,
    }
}

struct Promoted<'q> {
    question: &'q Question<'q>,
    states: &'q States,
    contents: Contents<'q>,
    /// Every node of the judged state whose ledgers may hold a decision, in order; loaded for the first failing scenario.
    deciding: OnceCell<Vec<Cow<'q, Node>>>,
    /// One for all scenarios: it keeps the texts of old trees.
    judge: Judge<'q>,
}

impl<'q> Promoted<'q> {
    /// Whether the project asks for proofs: the configuration names the rule or a `yatsu.patches` key, or a ledger has a
    /// decision about a patch. Otherwise the drift findings are enough.
    fn is_asked(&self, taken: &[EarlierState<'_>]) -> bool {
        let names = |config: &Config| {
            let mut given = config.given.iter();
            given.any(|key| key == "yatsu.rules.promoted-unproven" || key.starts_with("yatsu.patches"))
        };
        let mut configs = taken.iter().map(|from| &from.workspace.config).chain([&self.states.view.workspace.config]);
        let decides = |from: &EarlierState<'_>| {
            let mut ledgers = from.workspace.nodes.iter().flat_map(|node| &node.ledgers);
            ledgers.any(Ledger::decides_patches)
        };
        configs.any(names) || taken.iter().any(decides) || !self.deciding_elsewhere().is_empty()
    }

    /// The directories of unconcerned nodes whose ledgers hold a decision, which is the same in every state.
    fn deciding_elsewhere(&self) -> BTreeSet<RepoPath> {
        match self.question.focus {
            Focus::Everything => BTreeSet::new(),
            Focus::Nodes(concerned) => (concerned.deciding)(),
        }
    }

    fn deciding(&self) -> Result<&[Cow<'q, Node>]> {
        if self.deciding.get().is_none() {
            let mut all: Vec<_> = self.states.view.workspace.nodes.iter().map(Cow::Borrowed).collect();
            let elsewhere = self.deciding_elsewhere();
            if !elsewhere.is_empty() {
                // an approval of all content of a branch may stand in one of these ledgers
                let config = self.states.view.workspace.config.clone();
                let loaded = workspace::load(&*self.question.snapshot.view, config, &Select::Dirs(elsewhere))?;
                all.extend(loaded.nodes.into_iter().map(Cow::Owned));
                all.sort_by(|one, other| one.dir.cmp(&other.dir));
            }
            let _ = self.deciding.set(all);
        }
        Ok(self.deciding.get_or_init(Vec::new))
    }

    /// The missing proof of a scenario, for example `stale`; `None` if it has a fresh pass or an approval.
    fn lacks(&self, one: Declared<'_>) -> Result<Option<&'static str>> {
        let Some(score) = self.score(one) else { return Ok(Some("no reading")) };
        let Some(reading) = &score.reading else { return Ok(Some("no reading")) };
        if !at_gate(&self.judge, one.node, one.scenario, score)?.is_fresh() {
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

    /// Whether a person approves the scenario as it is now and no person rejects it, by the last word of each. `filer` is the
    /// author of the reading.
    fn is_approved(&self, one: Declared<'_>, filer: Option<&str>) -> Result<bool> {
        let configs = self.states.gates.iter().chain([&self.states.view.workspace.config, &self.states.own]);
        let other = configs.into_iter().any(|config| config.of::<PatchSettings>().require_other);
        let mut words: BTreeMap<String, (Option<Timestamp>, PatchDecisionKind)> = BTreeMap::new();
        // a decision about all content of a branch may stand in one ledger, for example in that of the patches' home
        let others = self.deciding()?.iter().filter(|node| node.dir != one.node.dir);
        let of_content =
            others.flat_map(|node| decisions(node)).filter(|decision| content_map(decision, one).is_some());
        for decision in decisions(one.node).chain(of_content) {
            let Some(kind) = PatchDecisionKind::parse(&decision.kind) else { continue };
            let by = decision.by.as_deref().unwrap_or_default();
            let counts =
                kind == PatchDecisionKind::Reject || !other || filer.is_some_and(|filer| person(filer) != person(by));
            if !counts
                || !self.is_about(decision, one)?
                || kind == PatchDecisionKind::Reject && !self.has_all(decision)?
            {
                continue;
            }
            let last = words.entry(person(by)).or_insert((decision.ts, kind));
            if last.0 <= decision.ts {
                *last = (decision.ts, kind);
            }
        }
        let said = |kind| words.values().any(|(_, last)| *last == kind);
        Ok(said(PatchDecisionKind::Approve) && !said(PatchDecisionKind::Reject))
    }

    /// Whether a decision is about the scenario as it is now. Compares the commit that the decision names. If this clone lacks
    /// the commit, compares the digest of the counted readings, or else the files of the decision's content map.
    fn is_about(&self, decision: &Decision, one: Declared<'_>) -> Result<bool> {
        let Some(commit) = decision.commit else { return Ok(false) };
        let repo = self.question.repo;
        let Some(tree) = repo.tree_of(&commit)? else {
            let scored = self.states.view.scored(&one.node.dir);
            let same = scored.is_some_and(|(node, scores)| decision.readings == Some(readings_digest(node, scores)));
            return Ok(same || content_map(decision, one).is_some() && self.has_all(decision)?);
        };
        let view = repo.tree_view(tree);
        // a ledger may hold many decisions, mostly about older content
        if !governs_same(&self.contents, one, &*view)? {
            return Ok(false);
        }
        let dirs = Select::Dirs(BTreeSet::from([one.node.dir.clone()]));
        let then = workspace::load(&*view, self.states.view.workspace.config.clone(), &dirs)?;
        is_same(&self.contents, one, PatchSide { tree: &*view, nodes: &then.nodes })
    }

    /// Whether the judged state has every file that the decision names as it was decided about.
    fn has_all(&self, decision: &Decision) -> Result<bool> {
        let Some(ApprovedContent::Files(map)) = &decision.content else { return Ok(true) };
        for (path, [_, tip]) in map {
            if version_at(&*self.question.snapshot.view, path)? != *tip {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The content map of a decision, if it has a path that concerns the scenario.
fn content_map<'d>(decision: &'d Decision, one: Declared<'_>) -> Option<&'d ContentMap> {
    let Some(ApprovedContent::Files(map)) = &decision.content else { return None };
    let changed = map.keys().cloned().collect();
    TouchedPaths::of(&changed).concern(&one.node.dir, governed(one.node, one.scenario), &[]).then_some(map)
}

/// The complete decisions in the ledgers of a node.
fn decisions(node: &Node) -> impl Iterator<Item = &Decision> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter_map(|line| match &line.event {
        Event::Decision(decision) if decision.wrong.is_empty() => Some(&**decision),
        _ => None,
    })
}
