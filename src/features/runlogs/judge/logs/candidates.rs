//! Finds the run logs of a snapshot and the profiles that judge them. Each state looks for logs where its own configuration
//! says. A log is judged by its current and its earlier profiles, so that no change weakens its own requirements.

use super::profiles::{self, Profiles, StandingProfile};
use super::{Content, content};
use crate::app::judge::snapshot::{Base, Snapshot};
use crate::error::Result;
use crate::features::runlogs::model::place::{LogPlace, begins_like_a_log, logs_beside, place};
use crate::model::config::Config;
use crate::model::workspace;
use crate::names::CONFIG_FILE;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A file that is a run log, in the judged state or in a base.
pub(super) struct Candidate {
    pub(super) path: RepoPath,
    /// Whether it is a log in some state. Otherwise it only lies at a place for logs, and may lack its `_index`.
    pub(super) is_log: bool,
    /// Whether the path alone makes it a log in some state.
    pub(super) is_sure: bool,
    /// Whether the judged state looks for a log there.
    pub(super) in_sight: bool,
    /// The profiles that judge it, without repetition, the current one first.
    pub(super) judges: Vec<Rc<StandingProfile>>,
    /// The profile that each base judged it by, in the snapshot's order; `None` if the log was out of the base's sight.
    before: Vec<Option<Rc<StandingProfile>>>,
}

impl Candidate {
    /// The profile of that base, which no later change can weaken; `None` if the log was out of the base's sight.
    pub(super) fn own_judge(&self, base: usize) -> Option<&Rc<StandingProfile>> {
        self.before.get(base).and_then(Option::as_ref)
    }
}

/// Whether the path alone allows a run log there, or makes the file a log's page or a profile.
pub(crate) fn is_place(path: &RepoPath, config: &Config) -> bool {
    place(path, config).is_some()
        || logs_beside(path).iter().any(|log| place(log, config).is_some())
        || profiles::files([config]).contains(path)
}

/// The configurations that locate logs, one for each state.
struct Sights<'a> {
    snapshot: &'a Snapshot,
    now: &'a Config,
    /// In the snapshot's order; `None` for a base with the same configuration as the judged state.
    before: Vec<Option<Config>>,
}

impl<'a> Sights<'a> {
    fn of(snapshot: &'a Snapshot, now: &'a Config) -> Self {
        let differs = |base: &Base| base.changed.iter().any(|path| *path.as_bstr() == CONFIG_FILE);
        let own = |base: &Base| differs(base).then(|| workspace::read_config(&*base.tree).ok()).flatten();
        Self { snapshot, now, before: snapshot.bases.iter().map(own).collect() }
    }

    /// The log place of a path in a base.
    fn then(&self, base: usize, path: &RepoPath) -> Option<LogPlace> {
        place(path, self.before.get(base).and_then(Option::as_ref).unwrap_or(self.now))
    }

    fn is_place(&self, path: &RepoPath) -> bool {
        place(path, self.now).is_some() || self.before.iter().flatten().any(|config| place(path, config).is_some())
    }

    /// Whether the change alters the places or the profiles of logs. Then it concerns all logs.
    fn are_others(&self) -> bool {
        let files = profiles::files(self.before.iter().flatten().chain([self.now]));
        let asks_otherwise = |base: &Base| files.iter().any(|file| base.changed.contains(*file));
        self.before.iter().any(Option::is_some) || self.snapshot.bases.iter().any(asks_otherwise)
    }

    fn paths(&self) -> Result<BTreeSet<RepoPath>> {
        let (view, bases) = (&self.snapshot.view, &self.snapshot.bases);
        let mut paths = BTreeSet::new();
        if bases.is_empty() || self.are_others() {
            for tree in [view].into_iter().chain(bases.iter().map(|base| &base.tree)) {
                let files = tree.files(&RepoPath::root(), &|path| self.is_place(path))?;
                paths.extend(files.into_iter().map(|(path, _)| path));
            }
        }
        let changed = || bases.iter().flat_map(|base| &base.changed);
        let beside = changed().flat_map(logs_beside);
        paths.extend(changed().cloned().chain(beside).filter(|path| self.is_place(path)));
        Ok(paths)
    }

    /// Whether the content at this path begins like a log in some state.
    fn looks(&self, path: &RepoPath) -> Result<bool> {
        let trees = [&self.snapshot.view].into_iter().chain(self.snapshot.bases.iter().map(|base| &base.tree));
        for tree in trees {
            if content(&**tree, path)?.as_ref().and_then(Content::bytes).is_some_and(begins_like_a_log) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The logs by place and content, and the other files at places for logs. `now` is the configuration in force.
pub(super) fn candidates(snapshot: &Snapshot, now: &Config) -> Result<Vec<Candidate>> {
    let sights = Sights::of(snapshot, now);
    let mut new = Profiles::of(&*snapshot.view);
    let mut old: Vec<Profiles<'_>> = snapshot.bases.iter().map(|base| Profiles::of(&*base.tree)).collect();
    let mut found = Vec::new();
    for path in sights.paths()? {
        let place = place(&path, now);
        let places: Vec<_> = (0..old.len()).map(|base| sights.then(base, &path)).collect();
        let is_sure = place.iter().chain(places.iter().flatten()).any(|place| place.sure);
        let is_log = is_sure || sights.looks(&path)?;
        let mut judges: Vec<Rc<StandingProfile>> = Vec::new();
        let in_sight = place.is_some();
        judges.extend(place.map(|place| new.get(&place.profile)).transpose()?);
        // an unreadable profile judged nothing
        let own = old.iter_mut().zip(places);
        let own = own.map(|(old, place)| old.get(&place?.profile).ok().or_else(|| judges.first().cloned()));
        let before: Vec<_> = own.collect();
        for own in before.iter().flatten() {
            if judges.iter().all(|judge| !judge.is(own)) {
                judges.push(Rc::clone(own));
            }
        }
        found.push(Candidate { path, is_log, is_sure, in_sight, judges, before });
    }
    Ok(found)
}
