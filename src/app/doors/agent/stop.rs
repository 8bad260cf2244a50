//! A stop: asks once a session to measure what the session made stale. Content decides: a path that is again as it was, or
//! as the upstream branch has it, asks for nothing.

use super::base::{self, GovernedPaths, known, tree_of};
use super::claims::LiveClaims;
use super::memory::{Base, JudgedBase, Memory};
use super::short_hash::ShortHash;
use super::{DECLARING, Scored, Visit, changed_at, changed_nodes};
use crate::app::judge::remember;
use crate::engine::facts::{self, Facts, Score, Standing};
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::finding::Axis;
use crate::model::config::Stop;
use crate::model::ids::same_name;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::scenario::{self, Scenario};
use crate::model::workspace::{self, Select};
use crate::names::{CONFIG_FILE, OUR_NAMES};
use crate::repo::Repo;
use crate::report::view::agent::{AgentReply, DueScenario, StopNote};
use crate::sys;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// A scenario to measure, with its hash.
type Due = (DueScenario, ShortHash);

pub(super) fn answer(visit: &Visit<'_>, again: bool) -> Result<AgentReply> {
    let Some(memory) = visit.recall()? else {
        visit.change(false, |_| ())?;
        return Ok(AgentReply::Neutral);
    };
    // `again`: a hook held the last stop up. It was this program if it asked, and then the user may still read of more
    let may_say = visit.shows.messages && (!again || memory.asked);
    let may_ask = visit.shows.questions && !memory.asked && !again;
    if !(may_ask || may_say) || !memory.may_have_touched(|| is_redeclared(visit, memory.since)) {
        return Ok(AgentReply::Neutral);
    }
    let stop = workspace::read_config_for_agents(&*visit.repo.worktree_view()?)?.agents.stop;
    if stop == Stop::Off || !may_have_touched(visit, &memory)? {
        return Ok(AgentReply::Neutral);
    }
    let due = due(visit, &memory, &Scored::of(visit)?)?;
    if due.is_empty() {
        return Ok(AgentReply::Neutral);
    }
    // before the question is remembered: an error must not spend it
    let own = LiveClaims::of(visit)?.own();
    let note = |due: Vec<Due>| StopNote { due: due.into_iter().map(|(due, _)| due).collect(), own: own.clone() };
    if stop == Stop::Block && may_ask && ask(visit, &due)? {
        return Ok(AgentReply::Ask(note(due)));
    }
    let new = if may_say { new_to_the_user(visit, due)? } else { Vec::new() };
    Ok(if new.is_empty() { AgentReply::Neutral } else { AgentReply::Say(note(new)) })
}

/// Whether the session may have touched anything governed. If only its commands may, the memo of the last check names the
/// governed files to look at.
fn may_have_touched(visit: &Visit<'_>, memory: &Memory) -> Result<bool> {
    let repo = visit.repo;
    let file = remember::paths_file(repo);
    let (Some(memo), Some(top)) = (file.as_ref().and_then(|file| remember::recall(repo, file)), &repo.work_dir) else {
        return Ok(true);
    };
    let head = repo.head()?.map(|head| repo.tree_of(&head)).transpose()?.flatten();
    let is_known = !memory.governed
        && !memory.edited_more
        && memory.nodes.is_empty()
        && !memory.nodes_more
        // a file behind a link may change without the link
        && memo.dirs(|flags| flags.linked).next().is_none()
        && (memory.edited.is_empty() || !is_redeclared(visit, memory.since));
    if !is_known || memory.base.judged.is_none() || head != Some(memo.tree) || memo.globs().next().is_some() {
        return Ok(true);
    }
    let place = |path: &RepoPath| top.join(sys::in_tree(path.as_bstr()));
    let is_touched = |path: &RepoPath| memory.touched_itself(path, top);
    // a new node is a new name in a directory on the way to another one
    let own: BTreeSet<RepoPath> =
        memo.dirs(|_| true).filter(|dir| !dir.is_root()).flat_map(|dir| dir.above().chain([dir])).collect();
    let files = own.iter().flat_map(|dir| OUR_NAMES.map(|name| dir.child(name.as_bytes())));
    let mut above = own.clone();
    for dir in memo.paths().filter_map(|path| path.parent()) {
        if !above.contains(&dir) {
            above.extend(dir.above().chain([dir]));
        }
    }
    Ok(own.iter().any(is_touched)
        || files.filter(|path| place(path).exists()).any(|path| is_touched(&path))
        || memo.paths().any(|path| place(&path).is_dir() || is_touched(&path))
        || above.iter().any(|dir| memory.renamed(dir, top)))
}

/// Whether the configuration or the file of a node may have changed since `since`, by their times. The memo of the last check
/// knows the nodes, so this is much cheaper than a look at all of them.
fn is_redeclared(visit: &Visit<'_>, since: i64) -> bool {
    let repo = visit.repo;
    let Some((top, file)) = repo.work_dir.as_deref().zip(remember::paths_file(repo)) else { return true };
    let Some(memo) = remember::recall(repo, &file) else { return true };
    changed_at(&top.join(CONFIG_FILE)).is_some_and(|at| at >= since)
        || changed_nodes(repo, &memo, &DECLARING, Some(since)).next().is_some()
}

/// Whether this stop asks. The memory of the question is on the disk before the question is put, or it could be put twice.
fn ask(visit: &Visit<'_>, due: &[Due]) -> Result<bool> {
    let asks = visit.change(true, |memory| {
        let is_first = !memory.asked;
        memory.asked = true;
        if is_first {
            Memory::note_scenarios(&mut memory.named_at_stop, &hashes(due));
        }
        is_first
    })?;
    Ok(asks == Some(true))
}

fn hashes(due: &[Due]) -> Vec<ShortHash> {
    due.iter().map(|(_, hash)| *hash).collect()
}

/// The scenarios that became stale and that no question or message named yet. From now on they count as named.
fn new_to_the_user(visit: &Visit<'_>, mut due: Vec<Due>) -> Result<Vec<Due>> {
    due.retain(|(due, _)| due.was_fresh);
    let new = visit.change(false, |memory| Memory::note_scenarios(&mut memory.named_at_stop, &hashes(&due)))?;
    let mut new = new.unwrap_or_default().into_iter();
    due.retain(|_| new.next() == Some(true));
    Ok(due)
}

/// What a session touched of a scenario that is not fresh.
struct Touched<'s> {
    node: &'s Node,
    scenario: &'s Scenario,
    /// The governed paths with other content than at the base and on the upstream branch.
    moved: Vec<RepoPath>,
    /// Whether the session touched the scenario file, and it differs from the one of the upstream branch.
    text: bool,
}

/// The scenarios that the session must measure.
fn due(visit: &Visit<'_>, memory: &Memory, scored: &Scored) -> Result<Vec<Due>> {
    let repo = visit.repo;
    let here = base::of_head(repo)?;
    let base = if is_base_of(repo, &memory.base, &here)? { &memory.base } else { &here };
    let sides = Sides::new(repo, scored, memory, base)?;
    let touched = sides.touched(&scored.facts)?;
    let before = Before::of(scored, base, &sides, &touched)?;
    let claims = LiveClaims::of(visit)?;
    let (mut due, mut paths) = (Vec::new(), GovernedPaths::default());
    for one in touched {
        let hash = ShortHash::of_scenario(&one.node.dir, &one.scenario.name);
        let (was_fresh, has_text) = before.state(&one, hash);
        let required = one.scenario.tags.iter().any(|tag| scored.facts.workspace.config.agents.require.contains(tag));
        let moved = one.moved.first().or_else(|| {
            let file = one.node.file.as_ref().map(|file| &file.path);
            file.filter(|_| one.text && !has_text)
        });
        let Some(moved) = moved.filter(|_| was_fresh || required) else { continue };
        if claims.of_others(&[], &[(one.node, one.scenario)])?.is_empty() {
            let held = claims.holds(one.node, one.scenario);
            // a dirty file of another session makes the reading dirty, too
            let all = paths.of(governed(one.node, one.scenario), &[sides.view, &*sides.head])?;
            let dirty = all.iter().any(|path| !sides.is_committed(path).unwrap_or(false));
            let (scenario, moved) = (super::named(one.node, one.scenario), moved.to_bstring());
            let command = one.scenario.test_command.clone();
            due.push((DueScenario { scenario, moved, was_fresh, command, dirty, held }, hash));
        }
    }
    Ok(due)
}

/// Whether the base still counts: the same branch, or a detached HEAD that only went on from there.
fn is_base_of(repo: &Repo, base: &Base, here: &Base) -> Result<bool> {
    match (base.head(), here.head()) {
        _ if base.branch != here.branch => Ok(false),
        (Some(then), Some(now)) if here.branch.is_none() => repo.leads_to(&now, &then),
        _ => Ok(true),
    }
}

/// The states that a governed path is compared in.
struct Sides<'s> {
    memory: &'s Memory,
    base: &'s Base,
    top: &'s Path,
    view: &'s dyn Tree,
    /// The tree of the base's commit.
    then: Rc<dyn Tree>,
    head: Rc<dyn Tree>,
    repo: &'s Repo,
    /// The tree of `@{upstream}`, once it is asked for.
    upstream: OnceCell<Option<Rc<dyn Tree>>>,
}

impl<'s> Sides<'s> {
    fn new(repo: &'s Repo, scored: &'s Scored, memory: &'s Memory, base: &'s Base) -> Result<Self> {
        Ok(Self {
            memory,
            base,
            top: repo.work_dir.as_deref().unwrap_or(Path::new("")),
            view: &*scored.snapshot.view,
            then: tree_of(repo, base.head())?,
            head: tree_of(repo, repo.head()?)?,
            repo,
            upstream: OnceCell::new(),
        })
    }

    /// The scenarios that are not fresh, with what the session touched of them.
    fn touched<'f>(&self, facts: &'f Facts) -> Result<Vec<Touched<'f>>> {
        let (mut paths, tags) = (GovernedPaths::default(), &facts.workspace.config.scenario_tags);
        let mut found = Vec::new();
        for (node, scenario, score) in facts.scenarios().filter(|(_, _, score)| is_due(score)) {
            let mut moved = Vec::new();
            let measured = score.reading.as_ref().map(Reading::stamped_paths).unwrap_or_default();
            for path in paths.of(governed(node, scenario), &[self.view, &*self.then])?.into_iter().chain(measured) {
                if is_cause(score, &path) && self.is_touched(&path) && self.has_moved(&path)? {
                    moved.push(path);
                }
            }
            let text = match &node.file {
                Some(file) if self.is_touched(&file.path) => {
                    !self.is_upstream(&file.path, known(self.view.entry(&file.path)?))?
                        && !self.has_upstream_text(&file.path, scenario, tags)?
                }
                _ => false,
            };
            if text || !moved.is_empty() {
                found.push(Touched { node, scenario, moved, text });
            }
        }
        Ok(found)
    }

    fn is_touched(&self, path: &RepoPath) -> bool {
        self.memory.touched(path, self.top)
    }

    /// Whether the content is another one than at the base, and not the one of the upstream branch.
    fn has_moved(&self, path: &RepoPath) -> Result<bool> {
        let Some(now) = known(self.view.entry(path)?) else { return Ok(false) };
        let dirty = self.base.judged.as_ref().and_then(|judged| judged.dirty(ShortHash::of_path(path)));
        let then = match dirty {
            Some(id) => Some(id),
            None => known(self.then.entry(path)?),
        };
        Ok(Some(now) != then && !self.is_upstream(path, Some(now))?)
    }

    fn is_upstream(&self, path: &RepoPath, now: Option<Option<Oid>>) -> Result<bool> {
        let there = self.upstream().map(|tree| tree.entry(path)).transpose()?;
        Ok(there.is_some_and(|entry| known(entry) == now))
    }

    fn upstream(&self) -> Option<&Rc<dyn Tree>> {
        let found = || self.repo.commit_view(&self.repo.resolve("@{upstream}").ok()?).ok();
        self.upstream.get_or_init(found).as_ref()
    }

    /// Whether the upstream branch has the scenario with the same text, though other parts of its file differ.
    fn has_upstream_text(&self, path: &RepoPath, of: &Scenario, tags: &[String]) -> Result<bool> {
        let bytes: Option<Vec<u8>> = self.upstream().map_or(Ok(None), |tree| tree.read(path))?;
        let there = bytes.map(|bytes| scenario::parse(path, &bytes, tags).scenarios).unwrap_or_default();
        Ok(there.iter().any(|one| same_name(&one.name, &of.name) && one.text_hash == of.text_hash))
    }

    fn is_committed(&self, path: &RepoPath) -> Result<bool> {
        Ok(known(self.view.entry(path)?) == known(self.head.entry(path)?))
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
    fn of(scored: &Scored, base: &'s Base, sides: &Sides<'_>, touched: &[Touched<'_>]) -> Result<Self> {
        if let Some(judged) = &base.judged {
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
