//! Which files of a snapshot are run logs, and what each is judged by. Each state looks for logs where its own configuration
//! says; a log is judged by the profile of now and by the profiles of before, so that no change asks less of what it writes.

use super::profiles::{self, Profiles, StandingProfile};
use super::{Content, content};
use crate::app::judge::snapshot::{Base, Snapshot};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::runlog::place::{LogPlace, begins_like_a_log, logs_beside, place};
use crate::model::workspace;
use crate::names::CONFIG_FILE;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A file that is a run log, in the judged state or in a base.
pub(super) struct Candidate {
    pub(super) path: RepoPath,
    /// Whether it is a log in some state; else it lies where logs do, and may only lack its `_index`.
    pub(super) is_log: bool,
    /// Whether a state calls it a log by its path alone.
    pub(super) is_sure: bool,
    /// Whether the judged state looks for a log there.
    pub(super) in_sight: bool,
    /// What it is judged by, each once; what stands now comes first.
    pub(super) judges: Vec<Rc<StandingProfile>>,
    /// What each base that has it in sight judged it by, in the snapshot's order.
    before: Vec<Option<Rc<StandingProfile>>>,
}

impl Candidate {
    /// What that base judged its log by, which no later change can make laxer; `None` where the base has it out of sight.
    pub(super) fn own_judge(&self, base: usize) -> Option<&Rc<StandingProfile>> {
        self.before.get(base).and_then(Option::as_ref)
    }
}

/// Whether a run log may lie at a path, or beside it where that may be a log's page, or what is asked of logs, for all that
/// the path says.
pub(crate) fn is_place(path: &RepoPath, config: &Config) -> bool {
    place(path, config).is_some()
        || logs_beside(path).iter().any(|log| place(log, config).is_some())
        || profiles::files([config]).contains(path)
}

/// The configurations that say which files are logs, one for each state.
struct Sights<'a> {
    snapshot: &'a Snapshot,
    now: &'a Config,
    /// In the snapshot's order; none where the base has the configuration that is judged by.
    before: Vec<Option<Config>>,
}

impl<'a> Sights<'a> {
    fn of(snapshot: &'a Snapshot, now: &'a Config) -> Self {
        let differs = |base: &Base| base.changed.iter().any(|path| *path.as_bstr() == CONFIG_FILE);
        let own = |base: &Base| differs(base).then(|| workspace::read_config(&*base.tree).ok()).flatten();
        Self { snapshot, now, before: snapshot.bases.iter().map(own).collect() }
    }

    /// What a base said of a path.
    fn then(&self, base: usize, path: &RepoPath) -> Option<LogPlace> {
        place(path, self.before.get(base).and_then(Option::as_ref).unwrap_or(self.now))
    }

    fn is_place(&self, path: &RepoPath) -> bool {
        place(path, self.now).is_some() || self.before.iter().flatten().any(|config| place(path, config).is_some())
    }

    /// Whether the change says otherwise which files are logs, or what is asked of them: then it concerns all of them.
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

    /// Whether what lies there in some state begins like a log.
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

/// The files that are logs, by place and content, or lie where logs do, for who judges by `now`.
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
        // a profile that cannot be read judged nothing
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
