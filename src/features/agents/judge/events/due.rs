//! What a session left to do in one work tree: scenarios to measure again, and readings to commit. Content decides: a path that
//! is again as it was, or as others made it, asks for nothing. The state at the session's first event counts, whatever commits,
//! branches and work trees came since.

use super::base::{GovernedPaths, known, tree_of};
use super::claims::LiveClaims;
use super::head_log::HeadLog;
use super::made_here::{Has, MadeHere, any};
use super::memory::{JudgedBase, Memory};
use super::short_hash::ShortHash;
use super::{CommandPlaces, Scored, Visit, worktrees};
use crate::app::judge::branch::find_main;
use crate::engine::blocked;
use crate::engine::effective::Effective;
use crate::engine::facts::{self, Facts, Score, Standing};
use crate::engine::freshness::Judge;
use crate::engine::watched::watched;
use crate::error::Result;
use crate::features::agents::model::reply::{DueScenario, UncommittedReading};
use crate::finding::Axis;
use crate::model::ids::same_name;
use crate::model::ledger::{Event, EvidenceHash, Reading, event};
use crate::model::node::{Declared, Node};
use crate::model::scenario::{self, Scenario};
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::cell::{OnceCell, RefCell};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::rc::Rc;

/// What is left to do, each with the hash by which the memory knows it.
#[derive(Default)]
pub(super) struct Unfinished {
    due: Vec<(DueScenario, ShortHash)>,
    uncommitted: Vec<(UncommittedReading, ShortHash)>,
}

impl Unfinished {
    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty() && self.uncommitted.is_empty()
    }

    /// Adds what is left in the work tree `tree`.
    pub(super) fn add(&mut self, mut more: Self, tree: Option<&BString>) {
        more.due.iter_mut().for_each(|(one, _)| one.tree = tree.cloned());
        more.uncommitted.iter_mut().for_each(|(one, _)| one.tree = tree.cloned());
        self.due.append(&mut more.due);
        self.uncommitted.append(&mut more.uncommitted);
    }

    pub(super) fn hashes(&self) -> Vec<ShortHash> {
        self.due.iter().map(|(_, hash)| *hash).chain(self.uncommitted.iter().map(|(_, hash)| *hash)).collect()
    }

    /// Drops the scenarios that were not fresh: only a question names those that the configuration requires.
    pub(super) fn keep_stale(&mut self) {
        self.due.retain(|(due, _)| due.was_fresh);
    }

    /// Keeps what has `true` in the order of [`Self::hashes`].
    pub(super) fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.due.retain(|_| kept.next() == Some(&true));
        self.uncommitted.retain(|_| kept.next() == Some(&true));
    }

    pub(super) fn notes(self) -> (Vec<DueScenario>, Vec<UncommittedReading>) {
        (self.due.into_iter().map(|(due, _)| due).collect(), self.uncommitted.into_iter().map(|(one, _)| one).collect())
    }
}

/// What the session left to do in the work tree of `visit`.
pub(super) fn find(visit: &Visit<'_>, memory: &Memory, made: &MadeHere<'_>) -> Result<Unfinished> {
    let scored = Scored::of(visit)?;
    let sides = Sides::new(visit.repo, &scored, memory, made)?;
    Ok(Unfinished { due: due(visit, &scored, &sides)?, uncommitted: uncommitted(&scored, &sides)? })
}

/// The scenarios that the session must measure.
fn due(visit: &Visit<'_>, scored: &Scored, sides: &Sides<'_>) -> Result<Vec<(DueScenario, ShortHash)>> {
    let touched = sides.touched(&scored.facts)?;
    let before = Before::of(scored, sides, &touched)?;
    let claims = LiveClaims::of(visit)?;
    let (mut due, mut places) = (Vec::new(), CommandPlaces::default());
    for one in touched {
        let hash = ShortHash::of_scenario(&one.node.dir, &one.scenario.name);
        let (was_fresh, has_text) = before.state(&one, hash);
        let required = one.scenario.tags.iter().any(|tag| scored.facts.workspace.config.agents.require.contains(tag));
        let moved = one.moved.first().or_else(|| {
            let file = one.node.file.as_ref().map(|file| &file.path);
            file.filter(|_| one.text && !has_text)
        });
        let Some(moved) = moved.filter(|_| was_fresh || required) else { continue };
        if !is_blocked(scored, &one) && claims.of_others(&[], &[(one.node, one.scenario)])?.is_empty() {
            let due_scenario = DueScenario {
                scenario: super::named(one.node, one.scenario),
                moved: moved.to_bstring(),
                was_fresh,
                test: places.test(sides.view, one.node, one.scenario)?,
                // a dirty file of another session makes the reading dirty, too
                dirty: !sides.are_committed(one.node, one.scenario)?,
                held: claims.holds(one.node, one.scenario),
                tree: None,
            };
            due.push((due_scenario, sides.named(b"due", hash)));
        }
    }
    Ok(due)
}

/// Whether all that the scenario needs waits for a person: the agent tried, showed it, and must not be asked again.
fn is_blocked(scored: &Scored, one: &Touched<'_>) -> bool {
    let facts = &scored.facts;
    let judge = Judge::new(&*scored.snapshot.view, &scored.anchors, &facts.workspace.config.evaluators);
    let asked = Declared { node: one.node, scenario: one.scenario };
    let blocked = blocked::now(&judge, asked, &Effective::of(one.node));
    if blocked.is_empty() {
        return false;
    }
    let mut scores = facts.scenarios().filter(|(_, scenario, _)| std::ptr::eq(*scenario, one.scenario));
    let Some((.., score)) = scores.next() else { return false };
    let mut open = score.parts().filter(|(_, part)| is_due(part)).map(|(of, _)| of.and_then(|of| of.name.as_ref()));
    open.all(|env| blocked.iter().any(|one| one.attempt.terms.env.as_ref() == env))
}

/// The fresh scenarios with committed content and a reading that the session filed and that HEAD does not have. Without the
/// reading a pull request has the content alone, and there the scenario is stale.
fn uncommitted(scored: &Scored, sides: &Sides<'_>) -> Result<Vec<(UncommittedReading, ShortHash)>> {
    let mut found = Vec::new();
    let mut names: BTreeMap<&RepoPath, BTreeSet<String>> = BTreeMap::new();
    for (node, scenario, _) in scored.facts.scenarios().filter(|(_, _, score)| score.is_fresh()) {
        for ledger in node.ledgers.iter().map(|ledger| &ledger.path).filter(|path| sides.is_touched(path)) {
            if !names.contains_key(ledger) {
                names.insert(ledger, sides.new_readings(ledger)?);
            }
            let is_new = names[ledger].iter().any(|name| same_name(name, &scenario.name));
            if is_new && sides.are_committed(node, scenario)? {
                let hash = sides.named(b"uncommitted", ShortHash::of_scenario(&node.dir, &scenario.name));
                let scenario = super::named(node, scenario);
                found.push((UncommittedReading { scenario, ledger: ledger.to_bstring(), tree: None }, hash));
            }
        }
    }
    Ok(found)
}

/// What a session touched of a scenario that is not fresh.
struct Touched<'s> {
    node: &'s Node,
    scenario: &'s Scenario,
    /// The governed and the measured paths with other content than at the base, which the session made.
    moved: Vec<RepoPath>,
    /// Whether the session touched the scenario file and made the scenario's text.
    text: bool,
}

/// The states that a governed path is compared in.
struct Sides<'s> {
    memory: &'s Memory,
    /// The judged base; `None` in a work tree where the session did not begin, which never had its uncommitted content.
    judged: Option<&'s JudgedBase>,
    top: &'s Path,
    view: &'s dyn Tree,
    /// The tree of the base's commit.
    then: Rc<dyn Tree>,
    head: Rc<dyn Tree>,
    repo: &'s Repo,
    made: &'s MadeHere<'s>,
    /// Whether HEAD has a log, so that the commits of the session are known.
    is_logged: bool,
    /// Where others publish, once it is asked for.
    tips: OnceCell<Vec<Rc<dyn Tree>>>,
    paths: RefCell<GovernedPaths>,
}

impl<'s> Sides<'s> {
    fn new(repo: &'s Repo, scored: &'s Scored, memory: &'s Memory, made: &'s MadeHere<'s>) -> Result<Self> {
        Ok(Self {
            memory,
            judged: memory.base.judged.as_ref().filter(|_| memory.began_in(&worktrees::key(repo))),
            top: repo.work_dir.as_deref().unwrap_or(Path::new("")),
            view: &*scored.snapshot.view,
            then: tree_of(repo, memory.base.head())?,
            head: tree_of(repo, repo.head()?)?,
            repo,
            made,
            is_logged: HeadLog::is_kept(repo),
            tips: OnceCell::new(),
            paths: RefCell::default(),
        })
    }

    /// The scenarios that are not fresh, with what the session touched of them.
    fn touched<'f>(&self, facts: &'f Facts) -> Result<Vec<Touched<'f>>> {
        let (mut paths, texts) = (GovernedPaths::default(), ScenarioTexts::default());
        let mut found = Vec::new();
        for (node, scenario, score) in facts.scenarios().filter(|(_, _, score)| is_due(score)) {
            let mut moved = Vec::new();
            let measured = score.reading.as_ref().map(Reading::stamped_paths).unwrap_or_default();
            for path in paths.of(watched(node, scenario), &[self.view, &*self.then])?.into_iter().chain(measured) {
                if is_cause(score, &path) && self.is_touched(&path) && self.has_moved(&path)? {
                    moved.push(path);
                }
            }
            let text = match &node.file {
                Some(file) if self.is_touched(&file.path) && self.has_changed(&file.path)? => {
                    self.is_of_session(&|tree| texts.has(tree, &file.path, scenario))?
                }
                _ => false,
            };
            if text || !moved.is_empty() {
                found.push(Touched { node, scenario, moved, text });
            }
        }
        Ok(found)
    }

    /// The hash by which the memory knows what was said of a scenario of this work tree.
    fn named(&self, what: &[u8], scenario: ShortHash) -> ShortHash {
        ShortHash::of(&[what, worktrees::key(self.repo).as_bytes(), &scenario.0])
    }

    fn is_touched(&self, path: &RepoPath) -> bool {
        self.memory.touched(path, self.top)
    }

    /// Whether the content is another one than at the base, and the session made it.
    fn has_moved(&self, path: &RepoPath) -> Result<bool> {
        let now = known(self.view.entry(path)?);
        Ok(self.has_changed(path)? && self.is_of_session(&|tree| Ok(known(tree.entry(path)?) == now))?)
    }

    /// Whether the content is another one than at the base. Unknown content is not.
    fn has_changed(&self, path: &RepoPath) -> Result<bool> {
        let Some(now) = known(self.view.entry(path)?) else { return Ok(false) };
        let dirty = self.judged.and_then(|judged| judged.dirty(ShortHash::of_path(path)));
        let then = match dirty {
            Some(id) => Some(id),
            None => known(self.then.entry(path)?),
        };
        Ok(Some(now) != then)
    }

    /// Whether content of the work tree, other content than at the base, is the session's: a commit of the session introduced
    /// it, or it is in no commit and others did not publish it. For example, a file of a pull, of a merge of main or of a
    /// branch that was there before is not.
    fn is_of_session(&self, has: Has<'_>) -> Result<bool> {
        // the base's commit: the session took uncommitted content back
        if self.made.introduces(has)? || has(&*self.then)? {
            return Ok(true);
        }
        if self.is_logged && has(&*self.head)? {
            return Ok(false);
        }
        Ok(!any(self.tips()?, has)?)
    }

    /// The states that others publish: of the upstream branch, of the main branch, and of a merge in progress.
    fn tips(&self) -> Result<&[Rc<dyn Tree>]> {
        if let Some(tips) = self.tips.get() {
            return Ok(tips);
        }
        let main = find_main(self.repo, &workspace::read_config_for_agents(self.view)?)?.map(|(_, tip)| tip);
        let all: BTreeSet<Oid> =
            self.repo.resolve("@{upstream}").into_iter().chain(main).chain(self.repo.merge_heads()?).collect();
        let tips = all.iter().filter_map(|tip| self.repo.commit_view(tip).ok()).collect();
        Ok(self.tips.get_or_init(|| tips))
    }

    /// Whether every file that the scenario is judged by is as in HEAD.
    fn are_committed(&self, node: &Node, scenario: &Scenario) -> Result<bool> {
        for path in self.paths.borrow_mut().of(watched(node, scenario), &[self.view, &*self.head])? {
            if known(self.view.entry(&path)?) != known(self.head.entry(&path)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The scenarios with a reading in this ledger that HEAD's ledger does not have.
    fn new_readings(&self, ledger: &RepoPath) -> Result<BTreeSet<String>> {
        if self.view.entry(ledger)? == self.head.entry(ledger)? {
            return Ok(BTreeSet::new());
        }
        let (now, head) = (self.view.read(ledger)?.unwrap_or_default(), self.head.read(ledger)?.unwrap_or_default());
        let lines = |bytes| <[u8]>::split(bytes, |byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        let committed: HashSet<&[u8]> = lines(&head[..]).collect();
        let new = lines(&now[..]).filter(|line| !committed.contains(line)).filter_map(event);
        let name = |event| match event {
            Event::Reading(reading) => Some(reading.scenario.clone()),
            _ => None,
        };
        Ok(new.filter_map(name).collect())
    }
}

/// The texts of the scenarios in versions of scenario files, each version parsed once.
#[derive(Default)]
struct ScenarioTexts(RefCell<BTreeMap<Oid, Vec<(String, EvidenceHash)>>>);

impl ScenarioTexts {
    /// Whether `tree` has the scenario with the same text.
    fn has(&self, tree: &dyn Tree, path: &RepoPath, of: &Scenario) -> Result<bool> {
        let Some(id) = tree.entry(path)?.and_then(|entry| entry.id) else { return Ok(false) };
        let mut known = self.0.borrow_mut();
        let texts = match known.entry(id) {
            Entry::Occupied(texts) => texts.into_mut(),
            Entry::Vacant(place) => {
                let texts = scenario::texts(&tree.read(path)?.unwrap_or_default());
                place.insert(texts.into_iter().map(|one| (one.name.clone(), one.text_hash())).collect())
            }
        };
        Ok(texts.iter().any(|(name, text)| same_name(name, &of.name) && *text == of.text_hash))
    }
}

/// Whether a scenario needs a measurement. A fresh fail needs none, and one that cannot be judged may be fresh.
fn is_due(score: &Score) -> bool {
    !score.is_fresh() && !matches!(score.standing, Standing::NotJudged(_))
}

/// Whether the path may be why the scenario is not fresh: its content differs from the measured one, or was not measured.
fn is_cause(score: &Score, path: &RepoPath) -> bool {
    let Standing::Judged(freshness) = &score.standing else { return true };
    freshness.axes.contains(&Axis::Anchor) || freshness.drift().any(|moved| path.is_within(&moved.path))
}

/// The scenarios at the base.
enum Before<'s> {
    /// As a start judged them.
    Judged(&'s JudgedBase),
    /// As HEAD has them.
    Head(Box<Facts>),
}

impl<'s> Before<'s> {
    fn of(scored: &Scored, sides: &Sides<'s>, touched: &[Touched<'_>]) -> Result<Self> {
        if let Some(judged) = sides.judged {
            return Ok(Self::Judged(judged));
        }
        let dirs: BTreeSet<RepoPath> = touched.iter().map(|one| one.node.dir.clone()).collect();
        let config = scored.facts.workspace.config.clone();
        if dirs.is_empty() {
            return Ok(Self::Head(Box::new(Facts::of_nothing(config))));
        }
        let workspace = workspace::load(&*sides.then, config, &Select::Dirs(dirs))?;
        facts::collect_unowned(&*sides.then, &scored.anchors, workspace).map(|facts| Self::Head(Box::new(facts)))
    }

    /// Whether the scenario was fresh, and whether it had its text.
    fn state(&self, one: &Touched<'_>, hash: ShortHash) -> (bool, bool) {
        match self {
            Self::Judged(judged) => judged
                .scenario(hash)
                .map_or((false, false), |was| (was.is_fresh(), was.has_text(&one.scenario.text_hash.0))),
            Self::Head(facts) => {
                let mut all = facts.scenarios();
                let was = all.find(|(node, scenario, _)| ShortHash::of_scenario(&node.dir, &scenario.name) == hash);
                was.map_or((false, false), |(_, scenario, score)| {
                    (score.is_fresh(), scenario.text_hash == one.scenario.text_hash)
                })
            }
        }
    }
}
