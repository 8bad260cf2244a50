//! Walks the first parents of a commit and finds those at which the state of a scenario differs from its parent's.

mod changes;
mod parsed;
mod recording;
mod states;
mod wanted;

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

/// How many entries are listed by default.
pub(crate) const USUAL_LIMIT: usize = 20;

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
    /// The most commits that changed a state; `None` for all of the history.
    pub(crate) limit: Option<usize>,
    /// The user's current directory, for `.` among the names.
    pub(crate) here: RepoPath,
}

/// The commits at which the state of a requested scenario differs from its state at the first parent, newest first.
///
/// # Errors
/// Usage for an unknown name or tag; configuration if the newest commit has one that cannot be used; unchecked when an end of the
/// range, another commit or its content cannot be read.
pub(crate) fn log(repo: &Repo, request: &HistoryRequest) -> Result<LogAnswer> {
    let from = request.from.as_deref().map(|from| repo.resolve_end("base", from)).transpose()?;
    let tip = match &request.to {
        Some(rev) => Some(repo.resolve_end("tip", rev)?),
        None => repo.head()?,
    };
    let Some(tip) = tip else { return Ok(LogAnswer::default()) };
    let inside = from.map(|from| between(repo, from, tip)).transpose()?;
    let judge = StatesJudge::new(repo);
    let nothing = Rc::new(CommitStates::of_nothing(repo)?);
    let states = judge.at(tree(repo, &tip)?, &nothing)?;
    if let Some(why) = &states.unread {
        return Err(Error::config(why.clone()).hint("name an older commit: --to COMMIT"));
    }
    let wanted = WantedScenarios::of(repo, request, &states)?;
    let answer = LogAnswer { tip: Some(tip), ..LogAnswer::default() };
    let mut walk = FirstParentWalk { repo, at: tip, states, above: None, broken: None, wanted, listed: 0, answer };
    loop {
        // An answer ends at a commit that can be judged: the next one may begin there, and no change is lost between the two.
        let may_end = walk.states.unread.is_none();
        let is_over = request.limit.is_some() && walk.answer.walked >= MOST_COMMITS;
        if may_end && (is_over || request.limit.is_some_and(|most| walk.listed >= most)) {
            walk.answer.next.get_or_insert(walk.at);
            // a name that is not found yet may be one of an older commit
            if is_over || walk.wanted.are_found() {
                break;
            }
        }
        let is_outside = inside.as_ref().is_some_and(|inside| !inside.contains(&walk.at));
        if may_end && is_outside {
            walk.end()?;
            break;
        }
        let parent = repo.parents(&walk.at)?.first().copied();
        if parent.is_none() && repo.is_cut_off(&walk.at)? {
            walk.answer.shallow = true;
            walk.end()?;
            break;
        }
        walk.answer.walked += usize::from(!is_outside);
        let below = match parent {
            Some(parent) => judge.at(tree(repo, &parent)?, &walk.states)?,
            None => Rc::clone(&nothing),
        };
        walk.step(parent, &below, is_outside)?;
        let Some(parent) = parent else { break };
        (walk.at, walk.states) = (parent, below);
    }
    let is_over = request.limit.is_some() && walk.answer.walked >= MOST_COMMITS;
    walk.wanted.refuse_unknown().map_err(|error| match is_over {
        true => error.hint(format!("{MOST_COMMITS} commits were looked at; --limit 0 looks at all")),
        false => error,
    })?;
    Ok(walk.answer)
}

fn tree(repo: &Repo, commit: &Oid) -> Result<Oid> {
    repo.tree_of(commit)?.ok_or_else(|| repo.absent(commit))
}

/// The commits that lead to `tip` and not to `from`.
fn between(repo: &Repo, from: Oid, tip: Oid) -> Result<HashSet<Oid>> {
    let new = repo.new_commits(&NewCommits { tips: vec![tip], known: vec![from], remote: None, all_refs: false })?;
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
    /// How many entries count for the limit. One that cannot be judged does not, nor one that only renames.
    listed: usize,
    answer: LogAnswer,
}

impl FirstParentWalk<'_> {
    /// Compares the commit here with its parent, which has the states `below`. What cannot be judged outside of the range is
    /// passed by.
    fn step(&mut self, parent: Option<Oid>, below: &Rc<CommitStates>, is_outside: bool) -> Result<()> {
        let here = JudgedCommit { commit: self.at, parent, states: Rc::clone(&self.states) };
        match here.states.unread.clone() {
            None => self.above = Some(here),
            Some(_) if is_outside => {}
            Some(why) => self.broken = Some((here, why)),
        }
        if below.unread.is_some() {
            return Ok(());
        }
        self.wanted.learn_tags(below.config());
        let mut has_changed = false;
        if let Some(above) = self.above.take() {
            let changes = changes::changes(below, &above.states);
            if !changes.is_empty() {
                // counted first: the changes may add an older name of a scenario, which another one has here
                let entry = self.entry(&above)?;
                let changes = self.wanted.of_changes(changes, below)?;
                has_changed = !changes.is_empty();
                self.list(LogEntry { changes, ..entry });
            }
        }
        if let Some((broken, why)) = self.broken.take()
            && (has_changed || self.wanted.is_everything())
        {
            let entry = LogEntry { unread: Some(why), ..self.entry(&broken)? };
            self.push(entry);
        }
        Ok(())
    }

    fn list(&mut self, entry: LogEntry) {
        self.listed += usize::from(entry.is_of_state());
        if !entry.changes.is_empty() {
            self.push(entry);
        }
    }

    fn push(&mut self, entry: LogEntry) {
        // where the answer is full, the walk only looks for names
        if self.answer.next.is_none() {
            self.answer.entries.push(entry);
        }
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
    fn end(&mut self) -> Result<()> {
        if let Some(above) = self.above.take() {
            let unread = Some("no commit before it can be judged, so what it changed is not known".to_owned());
            let entry = LogEntry { unread, ..self.entry(&above)? };
            self.push(entry);
        }
        let score = self.states.score(|node, scenario| self.wanted.has(node, scenario));
        self.answer.before = Some(ScoreBefore { commit: self.at, score });
        Ok(())
    }
}
