//! Run logs in the new commits, one by one: each parent's version must be the beginning of the commit's. What a commit did is
//! found once and kept; whether the end has made it whole again is asked for each tip, since one tip's repair is not another
//! one's.

use super::end::End;
use crate::app::judge::runlogs::{self, Content, content};
use crate::engine::history::broken;
use crate::engine::runlog::moves::{LogFate, ManyLogs, NoLogs, fate, goes_on};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::runlog::builtin::{self, MEASURE};
use crate::model::runlog::place::{LogPlace, begins_like_a_log, place, place_but_hidden};
use crate::model::runlog::profile::Profile;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::program::NewCommit;
use crate::repo::views::{MAX_READ, read_blob};
use crate::rules::{LogBreak, LostLog};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The steps of run logs in the commits that were looked at.
#[derive(Default)]
pub(crate) struct LogSteps {
    /// By the commit's place in the graph.
    of: HashMap<usize, Vec<LogStep>>,
    /// The logs that a commit brought, which a parent of it did not have, by the commit's place in the graph.
    brought: HashMap<usize, BTreeSet<RepoPath>>,
    /// What else it brought that is called like a log of the tip, and that no judge sees, by the commit's place in the graph.
    beyond: HashMap<usize, BTreeSet<RepoPath>>,
    read: LastRead,
}

/// The content that was read last: a commit's parent mostly is the commit before. No more of a push is held.
#[derive(Default)]
struct LastRead(RefCell<Option<(Oid, Rc<Vec<u8>>)>>);

impl LastRead {
    fn read(&self, repo: &Repo, file: &LogFile<'_>) -> Result<Rc<Vec<u8>>> {
        if let Some((_, bytes)) = self.0.borrow().as_ref().filter(|(last, _)| *last == file.id) {
            return Ok(Rc::clone(bytes));
        }
        let bytes = Rc::new(read_blob(&*repo.objects, &file.id, file.path, MAX_READ)?);
        *self.0.borrow_mut() = Some((file.id, Rc::clone(&bytes)));
        Ok(bytes)
    }
}

/// A version of a log.
struct LogFile<'c> {
    path: &'c RepoPath,
    id: Oid,
}

/// What one commit did to a run log of one of its parents.
struct LogStep {
    path: RepoPath,
    parent: Oid,
    before: Oid,
    after: Option<Oid>,
    fate: LogFate,
    /// The profile of a log that went because its run had ended: what comes to its place must be a later run.
    went: Option<Cow<'static, Profile>>,
}

/// A file that may be a run log, in a parent and in its child.
struct Changed<'c> {
    path: &'c RepoPath,
    place: LogPlace,
    before: Option<LogFile<'c>>,
    after: Option<LogFile<'c>>,
}

impl LogSteps {
    /// Forgets what was found: it is judged otherwise now.
    pub(crate) fn clear(&mut self) {
        self.of.clear();
        self.brought.clear();
        self.beyond.clear();
    }

    /// Looks at one commit, which differs from its parents by `sides`, by the gates `judges`.
    pub(crate) fn look(&mut self, repo: &Repo, at: usize, commit: &NewCommit, seen: &Sides<'_>) -> Result<()> {
        for (side, parent) in seen.changes.iter().zip(&commit.parents) {
            let beyond: Vec<_> = seen.beyond(side).cloned().collect();
            if !beyond.is_empty() {
                self.beyond.entry(at).or_default().extend(beyond);
            }
            let changed = self.changed(repo, side, seen.judges)?;
            let new = changed.iter().filter(|log| log.before.is_none() && log.after.is_some());
            let new: Vec<&Changed<'_>> = new.collect();
            if !new.is_empty() {
                self.brought.entry(at).or_default().extend(new.iter().map(|log| log.path.clone()));
            }
            for log in &changed {
                let beside = Beside { repo, read: &self.read, new: &new };
                let Some(step) = log.step(parent, &beside)? else { continue };
                if step.fate == LogFate::Kept || !taken_over(repo, commit, &step)? {
                    self.of.entry(at).or_default().push(step);
                }
            }
        }
        Ok(())
    }

    fn changed<'c>(&self, repo: &Repo, side: &'c [PathChange], judges: &[Config]) -> Result<Vec<Changed<'c>>> {
        let mut found = Vec::new();
        for change in side {
            let Some(place) = judges.iter().find_map(|judge| place(&change.path, judge)) else { continue };
            let path = &change.path;
            let file =
                |side: Option<(Mode, Oid)>| side.filter(|(mode, _)| mode.is_blob()).map(|(_, id)| LogFile { path, id });
            let (before, after) = (file(change.old), file(change.new));
            let looks = |side: &Option<LogFile<'_>>| -> Result<bool> {
                let bytes = side.as_ref().map(|file| self.read.read(repo, file)).transpose()?;
                Ok(bytes.is_some_and(|bytes| begins_like_a_log(&bytes)))
            };
            if place.sure || looks(&before)? || looks(&after)? {
                found.push(Changed { path, place, before, after });
            }
        }
        Ok(found)
    }

    /// What `commits` broke, as their `end` tells it: by each commit's place, with what it broke. Asks `name` how a commit
    /// is called.
    pub(crate) fn broken(
        &self,
        repo: &Repo,
        end: &End<'_>,
        commits: &[usize],
        name: &dyn Fn(usize) -> Result<(String, Oid)>,
    ) -> Result<Vec<LogBreak>> {
        let steps = || {
            let known = commits.iter().filter_map(|at| Some((*at, self.of.get(at)?)));
            known.flat_map(|(at, steps)| steps.iter().map(move |step| (at, step)))
        };
        let telling: Vec<(usize, &LogStep)> =
            steps().filter(|(_, step)| step.fate != LogFate::Kept || step.went.is_some()).collect();
        if telling.is_empty() {
            return Ok(Vec::new());
        }
        let brought = commits.iter().filter_map(|at| self.brought.get(at)).flatten();
        // A log that moved on a branch lies where it is seen by what the tip says itself, also where what judges it hides
        // that place: from this push on it is looked at there.
        let beyond = commits.iter().filter_map(|at| self.beyond.get(at)).flatten();
        let (beyond, hidden): (Vec<_>, Vec<_>) = beyond.partition(|path| place(path, end.own).is_some());
        let paths: BTreeSet<&RepoPath> = steps().map(|(_, step)| &step.path).chain(brought).chain(beyond).collect();
        let ends = Ends { repo, tip: end.tree, paths };
        let hidden = Ends { repo, tip: end.tree, paths: hidden.into_iter().collect() };
        let (mut found, mut returned) = (Vec::new(), BTreeSet::new());
        for (nth, (at, step)) in telling.iter().enumerate() {
            let (at, fate, healed) = if step.fate == LogFate::Kept {
                let Some(fate) = ends.returned(step)?.filter(|_| returned.insert(&step.path)) else { continue };
                let brings = |at: &&usize| self.brought.get(at).is_some_and(|paths| paths.contains(&step.path));
                (*commits.iter().rfind(brings).unwrap_or(at), fate, false)
            } else {
                let earlier = telling[..nth].iter().map(|(_, step)| *step).filter(|other| other.path == step.path);
                (
                    *at,
                    step.fate.clone(),
                    ends.heal(step, &earlier.collect::<Vec<_>>())? || (end.unseen)(&step.path, &step.before)?,
                )
            };
            let (commit, id) = name(at)?;
            let from = step.parent.short();
            let (path, log) = (step.path.clone(), step.path.clone());
            let lost = LostLog { path, fate, from, at: log, rewritten: false, merged: false };
            let hidden = if healed { None } else { hidden.moved(step)? };
            found.push(LogBreak { lost, commit, id: id.short(), healed, hidden });
        }
        Ok(found)
    }
}

/// The logs that the end has, of those that the commits touched.
struct Ends<'e> {
    repo: &'e Repo,
    tip: &'e dyn Tree,
    paths: BTreeSet<&'e RepoPath>,
}

/// Those of them that a state did not have.
struct NewAtEnd<'e> {
    ends: &'e Ends<'e>,
    before: Rc<dyn Tree>,
}

impl ManyLogs for NewAtEnd<'_> {
    fn any(&self, holds: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        for path in &self.ends.paths {
            if self.before.kind(path)?.is_none() && self.ends.read_now(path)?.is_some_and(|now| holds(&now)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Ends<'_> {
    /// Whether the end has whole what the step broke, or the step itself made whole again what an earlier one broke. Only
    /// what was broken before counts for that: a version that the step itself brings would always be whole in an end that
    /// keeps it.
    fn heal(&self, step: &LogStep, earlier: &[&LogStep]) -> Result<bool> {
        let before = self.read(step, &step.before)?;
        if self.goes_on(step, &before)? {
            return Ok(true);
        }
        let Some(after) = step.after else { return Ok(false) };
        let after = self.read(step, &after)?;
        for other in earlier {
            let version = self.read(other, &other.before)?;
            let mends = broken(&version, &before).is_some() && broken(&version, &after).is_none();
            if mends && self.goes_on(other, &version)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the end goes on with a version that the step's parent had at its path: by the law of a single commit, so that
    /// two logs that swapped their names are not whole because both are somewhere.
    fn goes_on(&self, step: &LogStep, version: &[u8]) -> Result<bool> {
        let new = NewAtEnd { ends: self, before: self.repo.commit_view(&step.parent)? };
        goes_on(version, self.read_now(&step.path)?.as_deref(), &new)
    }

    /// Where the end has a log whole that went from its place.
    fn moved(&self, step: &LogStep) -> Result<Option<RepoPath>> {
        if step.fate != LogFate::Gone {
            return Ok(None);
        }
        let before = self.read(step, &step.before)?;
        for path in &self.paths {
            if self.read_now(path)?.is_some_and(|now| broken(&before, &now).is_none()) {
                return Ok(Some(RepoPath::clone(path)));
            }
        }
        Ok(None)
    }

    /// What is wrong with the log that the end has in the place of one that went because its run had ended: over several
    /// commits it may give way to a later run alone, too.
    fn returned(&self, step: &LogStep) -> Result<Option<LogFate>> {
        let (Some(profile), Some(now)) = (&step.went, self.read_now(&step.path)?) else { return Ok(None) };
        let fate = fate(&self.read(step, &step.before)?, Some(&now), &NoLogs, profile)?;
        Ok(Some(fate).filter(|fate| *fate != LogFate::Kept))
    }

    fn read_now(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        match content(self.tip, path)? {
            Some(Content::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Content::Other(_)) | None => Ok(None),
        }
    }

    fn read(&self, step: &LogStep, id: &Oid) -> Result<Vec<u8>> {
        read_blob(&*self.repo.objects, id, &step.path, MAX_READ)
    }
}

/// What differs between a commit and each of its parents, and by what it is judged.
pub(crate) struct Sides<'a> {
    /// In the order of the parents.
    pub(crate) changes: &'a [Vec<PathChange>],
    /// What the commits are judged by, now and before.
    pub(crate) judges: &'a [Config],
    /// What the tip itself says.
    pub(crate) own: &'a Config,
}

impl Sides<'_> {
    /// The paths that a side adds, at which the tip itself would see a log if it did not exclude it, and no judge does.
    fn beyond<'s>(&self, side: &'s [PathChange]) -> impl Iterator<Item = &'s RepoPath> {
        let added = side.iter().filter(|change| change.old.is_none()).map(|change| &change.path);
        added.filter(|path| {
            place_but_hidden(path, self.own).is_some() && self.judges.iter().all(|judge| place(path, judge).is_none())
        })
    }
}

/// Whether a merge only took a log over as another parent has it, and the parent of the step left it alone since both went
/// their own ways: what became of it there was judged when it was done.
fn taken_over(repo: &Repo, commit: &NewCommit, step: &LogStep) -> Result<bool> {
    let at =
        |id: &Oid| -> Result<Option<Oid>> { Ok(repo.commit_view(id)?.entry(&step.path)?.and_then(|entry| entry.id)) };
    for other in commit.parents.iter().filter(|other| **other != step.parent) {
        if at(other)? != step.after {
            continue;
        }
        let base = repo.merge_base(&step.parent, other)?;
        if base.map(|base| at(&base)).transpose()?.flatten() == Some(step.before) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The logs that a commit has and one parent of it had not.
struct Beside<'c> {
    repo: &'c Repo,
    read: &'c LastRead,
    new: &'c [&'c Changed<'c>],
}

impl ManyLogs for Beside<'_> {
    fn any(&self, holds: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        for file in self.new.iter().filter_map(|log| log.after.as_ref()) {
            if holds(&self.read.read(self.repo, file)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Changed<'_> {
    /// What the commit did to the log of `parent`, beside which it has other ones; `None` where that had none there.
    fn step(&self, parent: &Oid, beside: &Beside<'_>) -> Result<Option<LogStep>> {
        let Some(before) = &self.before else { return Ok(None) };
        let Beside { repo, read, .. } = beside;
        let view = repo.commit_view(parent)?;
        // by what stood before the commit: no commit says by itself which runs have ended
        let profile = runlogs::profile(&*view, &self.place.profile).ok();
        let Some(profile) = profile.or_else(|| builtin::find(MEASURE).map(Cow::Borrowed)) else { return Ok(None) };
        let bytes = read.read(repo, before)?;
        let now = self.after.as_ref().map(|file| read.read(repo, file)).transpose()?;
        let now = now.as_ref().map(|bytes| bytes.as_slice());
        let fate = fate(&bytes, now, beside, &profile)?;
        let went = now.is_none() && fate == LogFate::Kept && !goes_on(&bytes, now, beside)?;
        Ok(Some(LogStep {
            path: self.path.clone(),
            parent: *parent,
            before: before.id,
            after: self.after.as_ref().map(|file| file.id),
            fate,
            went: went.then_some(profile),
        }))
    }
}
