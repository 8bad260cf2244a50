//! Walks the first parents of a commit and finds those at which the state of a scenario differs from its parent's.

mod changes;
mod recording;
mod states;
mod wanted;

use crate::app::site::refuse_unknown_tags;
use crate::error::{Error, Result};
use crate::features::log::model::{LogAnswer, LogEntry, ScoreBefore};
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::repo::program::NewCommits;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashSet;
use states::{CommitStates, StatesJudge};
use std::rc::Rc;
use wanted::WantedScenarios;

/// How many commits one question walks, unless all are asked for.
const MOST_COMMITS: usize = 10_000;

/// Which commits and which scenarios.
#[derive(Clone, Debug, Default)]
pub(crate) struct HistoryRequest {
    /// Only these nodes, or scenarios as NODE/SCENARIO; empty means all.
    pub(crate) names: Vec<String>,
    /// Only scenarios with one of these tags; empty means all.
    pub(crate) tags: Vec<String>,
    /// Commits that this revision leads to are left out.
    pub(crate) from: Option<String>,
    /// The newest commit; HEAD by default.
    pub(crate) to: Option<String>,
    /// The most entries; `None` for all of the history.
    pub(crate) limit: Option<usize>,
    /// The user's current directory, for `.` among the names.
    pub(crate) here: RepoPath,
}

/// The commits at which the state of a requested scenario differs from its state at the first parent, newest first.
///
/// # Errors
/// Usage for an unknown revision, name or tag; configuration if the newest commit has one that cannot be used; unchecked when a
/// commit or its content cannot be read.
pub(crate) fn log(repo: &Repo, request: &HistoryRequest) -> Result<LogAnswer> {
    wanted::refuse_ranges(&request.names)?;
    let tip = match &request.to {
        Some(rev) => Some(repo.resolve(rev)?),
        None => repo.head()?,
    };
    let Some(tip) = tip else { return Ok(LogAnswer::default()) };
    let inside = request.from.as_deref().map(|from| between(repo, from, tip)).transpose()?;
    let judge = StatesJudge::new(repo);
    let nothing = Rc::new(CommitStates::of_nothing(repo)?);
    let states = judge.at(tree(repo, &tip)?, &nothing)?;
    if let Some(why) = &states.unread {
        return Err(Error::config(why.clone()).hint("name an older commit: --to COMMIT"));
    }
    refuse_unknown_tags(states.config(), &request.tags)?;
    let wanted = WantedScenarios::of(repo, request, &states)?;
    let answer = LogAnswer { tip: Some(tip), ..LogAnswer::default() };
    let mut walk = FirstParentWalk { repo, at: tip, states, above: None, broken: None, wanted, answer };
    loop {
        let is_full = request.limit.is_some_and(|most| walk.answer.entries.len() >= most);
        if is_full || request.limit.is_some() && walk.answer.walked >= MOST_COMMITS {
            walk.answer.next = Some(walk.at);
            break;
        }
        if inside.as_ref().is_some_and(|inside| !inside.contains(&walk.at)) {
            walk.end();
            break;
        }
        let parent = repo.parents(&walk.at)?.first().copied();
        if parent.is_none() && repo.is_cut_off(&walk.at)? {
            walk.answer.shallow = true;
            walk.end();
            break;
        }
        walk.answer.walked += 1;
        let below = match parent {
            Some(parent) => judge.at(tree(repo, &parent)?, &walk.states)?,
            None => Rc::clone(&nothing),
        };
        walk.step(parent, &below)?;
        let Some(parent) = parent else { break };
        (walk.at, walk.states) = (parent, below);
    }
    walk.wanted.refuse_unknown()?;
    Ok(walk.answer)
}

fn tree(repo: &Repo, commit: &Oid) -> Result<Oid> {
    repo.tree_of(commit)?.ok_or_else(|| repo.absent(commit))
}

/// The commits that lead to `tip` and not to `from`.
fn between(repo: &Repo, from: &str, tip: Oid) -> Result<HashSet<Oid>> {
    let known = vec![repo.resolve(from)?];
    let new = repo.new_commits(&NewCommits { tips: vec![tip], known, remote: None, all_refs: false })?;
    Ok(new.into_iter().map(|commit| commit.id).collect())
}

/// A commit, its first parent, its states.
struct JudgedCommit {
    commit: Oid,
    parent: Option<Oid>,
    states: Rc<CommitStates>,
}

/// A walk from a commit to its first parents.
struct FirstParentWalk<'r> {
    repo: &'r Repo,
    at: Oid,
    states: Rc<CommitStates>,
    /// The last commit that could be judged, if commits that cannot be judged lie between it and here: its changes are those
    /// since the next one that can.
    above: Option<JudgedCommit>,
    /// The oldest of these commits, and why.
    broken: Option<(JudgedCommit, String)>,
    wanted: WantedScenarios<'r>,
    answer: LogAnswer,
}

impl FirstParentWalk<'_> {
    /// Compares the commit here with its parent, which has the states `below`.
    fn step(&mut self, parent: Option<Oid>, below: &Rc<CommitStates>) -> Result<()> {
        let here = JudgedCommit { commit: self.at, parent, states: Rc::clone(&self.states) };
        match here.states.unread.clone() {
            None => self.above = Some(here),
            Some(why) => self.broken = Some((here, why)),
        }
        if below.unread.is_some() {
            return Ok(());
        }
        if let Some(above) = self.above.take() {
            let changes = self.wanted.of_changes(changes::changes(below, &above.states), below)?;
            if !changes.is_empty() {
                let entry = LogEntry { changes, ..self.entry(&above)? };
                self.answer.entries.push(entry);
            }
        }
        if let Some((broken, why)) = self.broken.take() {
            let entry = LogEntry { unread: Some(why), ..self.entry(&broken)? };
            self.answer.entries.push(entry);
        }
        Ok(())
    }

    fn entry(&self, of: &JudgedCommit) -> Result<LogEntry> {
        let date = self.repo.date(&of.commit)?.unwrap_or_default();
        Ok(LogEntry {
            commit: of.commit,
            parent: of.parent,
            date: Timestamp { millis: date.saturating_mul(1000) }.to_string(),
            subject: self.repo.subject(&of.commit)?,
            score: of.states.score(|node, scenario| self.wanted.has(node, scenario)),
            unread: None,
            changes: Vec::new(),
        })
    }

    /// Ends at this commit: its own changes are not asked for, or not known.
    fn end(&mut self) {
        let score = self.states.score(|node, scenario| self.wanted.has(node, scenario));
        self.answer.before = Some(ScoreBefore { commit: self.at, score });
    }
}
