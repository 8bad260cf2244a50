//! Run logs in the new commits, one by one: each parent's version must be the beginning of the commit's. What a commit did is
//! found once and kept; whether the end has made it whole again is asked for each tip, since one tip's repair is not another
//! one's.

use crate::app::judge::runlogs;
use crate::engine::history::broken;
use crate::engine::runlog::moves::{LogFate, LogVersion, fate};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::runlog::builtin::{self, MEASURE};
use crate::model::runlog::place::{LogPlace, begins_like_a_log, place};
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::program::NewCommit;
use crate::repo::views::read_blob;
use crate::rules::{LogBreak, LostLog};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A log larger than this is not read.
const MOST_READ: u64 = 1 << 30;

/// The steps of run logs in the commits that were looked at.
#[derive(Default)]
pub(crate) struct LogSteps {
    /// By the commit's place in the graph.
    of: HashMap<usize, Vec<LogStep>>,
    /// The content that was read last: a commit's parent mostly is the commit before.
    last: Option<(Oid, Rc<Vec<u8>>)>,
}

/// What one commit did to a run log of one of its parents.
struct LogStep {
    path: RepoPath,
    parent: Oid,
    before: Oid,
    after: Option<Oid>,
    fate: LogFate,
}

/// A file that may be a run log, in a parent and in its child.
struct Changed<'c> {
    path: &'c RepoPath,
    place: LogPlace,
    before: Option<(Oid, Rc<Vec<u8>>)>,
    after: Option<(Oid, Rc<Vec<u8>>)>,
}

impl LogSteps {
    /// Forgets what was found: it is judged otherwise now.
    pub(crate) fn clear(&mut self) {
        self.of.clear();
    }

    /// Looks at one commit, which differs from its parents by `sides`, by the gates `judges`.
    pub(crate) fn look(&mut self, repo: &Repo, at: usize, commit: &NewCommit, seen: &Sides<'_>) -> Result<()> {
        for (side, parent) in seen.changes.iter().zip(&commit.parents) {
            let changed = self.changed(repo, side, seen.judges)?;
            let new: Vec<LogVersion<'_>> =
                changed.iter().filter(|log| log.before.is_none()).filter_map(Changed::now).collect();
            for log in &changed {
                let Some((before, bytes)) = &log.before else { continue };
                let view = repo.commit_view(parent)?;
                let profile = runlogs::profile(&*view, &log.place.profile).ok();
                let Some(profile) = profile.as_deref().or_else(|| builtin::find(MEASURE)) else { continue };
                let fate = fate(bytes, log.after.as_ref().map(|(_, bytes)| bytes.as_slice()), &new, profile);
                let after = log.after.as_ref().map(|(id, _)| *id);
                let step = LogStep { path: log.path.clone(), parent: *parent, before: *before, after, fate };
                self.of.entry(at).or_default().push(step);
            }
        }
        Ok(())
    }

    fn changed<'c>(&mut self, repo: &Repo, side: &'c [PathChange], judges: &[Config]) -> Result<Vec<Changed<'c>>> {
        let mut found = Vec::new();
        for change in side {
            let Some(place) = judges.iter().find_map(|judge| place(&change.path, judge)) else { continue };
            let (before, after) = (self.blob(repo, change, change.old)?, self.blob(repo, change, change.new)?);
            let looks =
                |side: &Option<(Oid, Rc<Vec<u8>>)>| side.as_ref().is_some_and(|(_, bytes)| begins_like_a_log(bytes));
            if place.sure || looks(&before) || looks(&after) {
                found.push(Changed { path: &change.path, place, before, after });
            }
        }
        Ok(found)
    }

    fn blob(
        &mut self,
        repo: &Repo,
        change: &PathChange,
        side: Option<(Mode, Oid)>,
    ) -> Result<Option<(Oid, Rc<Vec<u8>>)>> {
        let Some((_, id)) = side.filter(|(mode, _)| mode.is_blob()) else { return Ok(None) };
        if let Some((_, bytes)) = self.last.as_ref().filter(|(last, _)| *last == id) {
            return Ok(Some((id, Rc::clone(bytes))));
        }
        let bytes = Rc::new(read_blob(&*repo.objects, &id, &change.path, MOST_READ)?);
        self.last = Some((id, Rc::clone(&bytes)));
        Ok(Some((id, bytes)))
    }

    /// What `commits` broke, as the end `tip` tells it: by each commit's place, with what it broke. Asks `name` how a commit
    /// is called.
    pub(crate) fn broken(
        &self,
        repo: &Repo,
        tip: &dyn Tree,
        commits: &[usize],
        name: &dyn Fn(usize) -> Result<(String, Oid)>,
    ) -> Result<Vec<LogBreak>> {
        let steps = || commits.iter().filter_map(|at| Some((*at, self.of.get(at)?)));
        let breaks: Vec<(usize, &LogStep)> = steps()
            .flat_map(|(at, steps)| steps.iter().map(move |step| (at, step)))
            .filter(|(_, step)| step.fate != LogFate::Kept)
            .collect();
        if breaks.is_empty() {
            return Ok(Vec::new());
        }
        let paths: BTreeSet<&RepoPath> = steps().flat_map(|(_, steps)| steps).map(|step| &step.path).collect();
        let mut ends = Vec::new();
        for path in paths {
            ends.extend(tip.read(path)?);
        }
        let mut found = Vec::new();
        for (nth, (at, step)) in breaks.iter().enumerate() {
            let earlier = breaks[..nth].iter().map(|(_, step)| *step).filter(|other| other.path == step.path);
            let healed = is_healed(repo, step, &earlier.collect::<Vec<_>>(), &ends)?;
            let (commit, id) = name(*at)?;
            let from = step.parent.short();
            let lost =
                LostLog { path: step.path.clone(), fate: step.fate.clone(), from, rewritten: false, merged: false };
            found.push(LogBreak { lost, commit, id: id.short(), healed });
        }
        Ok(found)
    }
}

/// Whether the end has whole what the step broke, or the step itself made whole again what an earlier one broke. Only what
/// was broken before counts for that: a version that the step itself brings would always be whole in an end that keeps it.
fn is_healed(repo: &Repo, step: &LogStep, earlier: &[&LogStep], ends: &[Vec<u8>]) -> Result<bool> {
    let read = |id: &Oid| read_blob(&*repo.objects, id, &step.path, MOST_READ);
    let is_whole = |bytes: &[u8]| ends.iter().any(|end| !end.is_empty() && broken(bytes, end).is_none());
    let before = read(&step.before)?;
    if is_whole(&before) {
        return Ok(true);
    }
    let Some(after) = step.after else { return Ok(false) };
    let after = read(&after)?;
    let known: BTreeSet<Oid> = earlier.iter().map(|step| step.before).collect();
    for id in known {
        let version = read(&id)?;
        if is_whole(&version) && broken(&version, &before).is_some() && broken(&version, &after).is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What differs between a commit and each of its parents, and by what it is judged.
pub(crate) struct Sides<'a> {
    /// In the order of the parents.
    pub(crate) changes: &'a [Vec<PathChange>],
    /// What the commits are judged by, now and before.
    pub(crate) judges: &'a [Config],
}

impl Changed<'_> {
    fn now(&self) -> Option<LogVersion<'_>> {
        let (_, bytes) = self.after.as_ref()?;
        Some(LogVersion { path: self.path, bytes })
    }
}
