//! Run logs that come back. A log may leave with its run, move, or be out of sight while the configuration says so; what
//! returns of it, at whatever place, must go on with what was there. As of ledgers ([`super::returned`]), only the history of
//! the bases knows what that was, and it is looked through only where a log appears that is older than their newest commit,
//! or where other files are in sight than were.

use super::past::{PastFile, Sought, tell_past};
use crate::app::judge::runlogs::{self, Content, content, same_logs};
use crate::engine::history::broken;
use crate::engine::runlog::facts::id_of;
use crate::engine::runlog::moves::{LogFate, begins, may_go};
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::runlog::place::{begins_like_a_log, place};
use crate::model::runlog::profile::Profile;
use crate::model::workspace;
use crate::repo::views::{MAX_READ, read_blob};
use crate::repo::{FETCH_ALL, Repo};
use crate::rules::LostLog;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

/// A state by what it is judged by.
pub(super) struct SeenTree {
    pub(super) tree: Rc<dyn Tree>,
    pub(super) config: Config,
    /// Whether all commits since are judged one by one: then what lies at a path of before is held against that, too, since
    /// each of them may have kept the law and moved it away first.
    pub(super) walked: bool,
}

impl SeenTree {
    fn sees(&self, path: &RepoPath) -> bool {
        place(path, &self.config).is_some()
    }

    /// Whether it had that log in sight, of which `now` is what became.
    fn has(&self, path: &RepoPath, now: &[u8]) -> Result<bool> {
        if !self.sees(path) {
            return Ok(false);
        }
        Ok(match content(&*self.tree, path)? {
            Some(Content::Bytes(before)) => !self.walked || broken(&before, now).is_none(),
            other => other.is_some(),
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        Ok(match content(&*self.tree, path)? {
            Some(Content::Bytes(bytes)) if !bytes.is_empty() => Some(bytes),
            _ => None,
        })
    }
}

/// A tip with what it is compared with.
pub(super) struct Step {
    /// The tip.
    pub(super) now: SeenTree,
    /// What it is compared with.
    pub(super) before: Vec<SeenTree>,
    /// The paths that differ from one of them.
    pub(super) changed: BTreeSet<RepoPath>,
}

impl Step {
    /// Whether other files are in sight than were in one of the states before.
    fn shows_others(&self) -> bool {
        self.before.iter().any(|before| !same_logs(&before.config, &self.now.config))
    }

    /// The logs that none of the states before had in sight.
    pub(super) fn appeared(&self) -> Result<Vec<RepoPath>> {
        let mut paths: BTreeSet<RepoPath> = self.changed.iter().filter(|path| self.now.sees(path)).cloned().collect();
        if self.shows_others() {
            paths.extend(self.paths()?);
        }
        let mut found = Vec::new();
        for path in paths {
            let Some(now) = self.now.read(&path)? else { continue };
            let is_sure = place(&path, &self.now.config).is_some_and(|place| place.sure);
            let mut is_known = !is_sure && !begins_like_a_log(&now);
            for before in &self.before {
                is_known |= before.has(&path, &now)?;
            }
            if !is_known {
                found.push(path);
            }
        }
        Ok(found)
    }

    fn paths(&self) -> Result<Vec<RepoPath>> {
        let files = self.now.tree.files(&RepoPath::root(), &|path| self.now.sees(path))?;
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}

/// The history before a push.
pub(super) struct Before<'a> {
    /// The commits that it ends with.
    pub(super) bases: &'a [Oid],
    /// The commits that the push brings.
    pub(super) new: &'a HashSet<Oid>,
    /// Called before it is looked through.
    pub(super) looking: &'a dyn Fn(),
}

/// The logs that `step` brings back as other ones, and those that went while nobody looked.
///
/// # Errors
/// When the history cannot be read, or is not all here and does not answer.
pub(super) fn came_back(repo: &Repo, step: &Step, since: &Before<'_>) -> Result<Vec<LostLog>> {
    if since.bases.is_empty() {
        return Ok(Vec::new());
    }
    let newest = repo.newest(since.bases)?;
    let mut old = Vec::new();
    for path in step.appeared()? {
        let began = step.now.read(&path)?.as_deref().and_then(begins);
        // in whole seconds, as commits have them; one whose first line says nothing, or that was hidden, may be of any time
        if step.shows_others() || began.is_none_or(|began| began.seconds <= newest) {
            old.push(path);
        }
    }
    if old.is_empty() && !step.shows_others() {
        return Ok(Vec::new());
    }
    (since.looking)();
    let mut filed = FiledLogs { repo, new: since.new, runs: BTreeMap::new(), lawful: HashSet::new() };
    let sees = |path: &RepoPath, config: &Config| place(path, config).is_some();
    let sought = Sought { is_named: &|_| true, sees: &sees };
    tell_past(repo, since.bases, &sought, &mut |file| filed.add(&file))?;
    let mut found = Vec::new();
    for path in &old {
        found.extend(filed.altered(step, path)?);
    }
    found.extend(filed.gone(step)?);
    // only where nothing was found: what this history shows is enough to refuse, whatever an older part holds
    if let Some(path) = old.first().filter(|_| found.is_empty() && repo.shallow) {
        let what = format!("{path} is older than this clone's history, which alone tells whether it was there before");
        return Err(Error::unchecked(what).hint(FETCH_ALL));
    }
    Ok(found)
}

/// What was filed of one run, which is known by the first line of its log.
#[derive(Default)]
struct FiledRun {
    /// The longest versions: several where branches went on with it under names of their own.
    ends: Vec<FiledVersion>,
    /// Everywhere it lay.
    paths: BTreeSet<RepoPath>,
}

/// A version of a log that was filed.
#[derive(Clone)]
struct FiledVersion {
    id: Oid,
    path: RepoPath,
    commit: Oid,
}

/// What history tells. A version counts where its commit kept the law; what broke it was refused, or made whole again.
struct FiledLogs<'r> {
    repo: &'r Repo,
    new: &'r HashSet<Oid>,
    runs: BTreeMap<String, FiledRun>,
    lawful: HashSet<Oid>,
}

impl FiledLogs<'_> {
    fn read(&self, id: &Oid, path: &RepoPath) -> Result<Vec<u8>> {
        read_blob(&*self.repo.objects, id, path, MAX_READ)
    }

    fn add(&mut self, file: &PastFile<'_>) -> Result<()> {
        let bytes = self.read(&file.id, &file.path)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let run = id_of(&bytes);
        let Some(replaced) = self.continued(file, &bytes, &run)? else { return Ok(()) };
        self.lawful.insert(file.id);
        let filed = self.runs.entry(run).or_default();
        filed.paths.insert(file.path.clone());
        filed.ends.retain(|end| !replaced.contains(&end.id));
        let is_there = filed.ends.iter().any(|end| end.id == file.id);
        if !is_there && !replaced.is_empty() || filed.ends.is_empty() {
            filed.ends.push(FiledVersion { id: file.id, path: file.path.clone(), commit: file.commit.id });
        }
        Ok(())
    }

    /// The versions that a commit went on with; `None` where it kept no law.
    fn continued(&self, file: &PastFile<'_>, bytes: &[u8], run: &str) -> Result<Option<Vec<Oid>>> {
        let mut parents = Vec::new();
        for parent in &file.commit.parents {
            let view = self.repo.commit_view(parent)?;
            let config = workspace::read_config(&*view).unwrap_or_default();
            let entry = view.entry(&file.path)?.and_then(|entry| entry.id);
            if let Some(id) = entry.filter(|_| place(&file.path, &config).is_some()) {
                parents.push((id, view));
            }
        }
        let mut replaced = Vec::new();
        for (id, view) in &parents {
            let before = self.read(id, &file.path)?;
            if broken(&before, bytes).is_none() && self.lawful.contains(id) {
                replaced.push(*id);
            } else if id_of(&before) != run && !may_give_way(&before, Some(bytes), profile_at(&**view, &file.path)) {
                return Ok(None);
            }
        }
        if !replaced.is_empty() {
            return Ok(Some(replaced));
        }
        let Some(filed) = self.runs.get(run) else { return Ok(Some(Vec::new())) };
        // where it moved it goes on with what its parents had elsewhere, on a branch of its own not with the longest
        for parent in &file.commit.parents {
            let view = self.repo.commit_view(parent)?;
            for path in &filed.paths {
                let entry = view.entry(path)?.and_then(|entry| entry.id).filter(|id| self.lawful.contains(id));
                if let Some(id) = entry
                    && broken(&self.read(&id, path)?, bytes).is_none()
                {
                    replaced.push(id);
                }
            }
        }
        if !replaced.is_empty() {
            return Ok(Some(replaced));
        }
        // what was made whole again goes on with what was filed before it broke
        for end in &filed.ends {
            if broken(&self.read(&end.id, &end.path)?, bytes).is_none() {
                replaced.push(end.id);
            }
        }
        Ok(Some(replaced).filter(|replaced| !replaced.is_empty()))
    }

    /// What is wrong with the log that comes back at `path`.
    fn altered(&self, step: &Step, path: &RepoPath) -> Result<Option<LostLog>> {
        let Some(now) = step.now.read(path)? else { return Ok(None) };
        let run = id_of(&now);
        let filed = match self.runs.get(&run) {
            Some(filed) => filed,
            None => return self.replaced(step, path, &now),
        };
        let mut fates = Vec::new();
        for end in &filed.ends {
            match broken(&self.read(&end.id, &end.path)?, &now) {
                None => return Ok(None),
                Some(at) => fates.push(lost(path, LogFate::Broken(at), end)),
            }
        }
        Ok(fates.pop())
    }

    /// What is wrong with another run at a place where one lay: that must still be somewhere, or have ended before.
    fn replaced(&self, step: &Step, path: &RepoPath, now: &[u8]) -> Result<Option<LostLog>> {
        for filed in self.runs.values().filter(|filed| filed.paths.contains(path)) {
            if self.is_there(step, filed)? {
                continue;
            }
            let mut fates = Vec::new();
            for end in &filed.ends {
                let before = self.read(&end.id, &end.path)?;
                if may_give_way(&before, Some(now), self.profile_of(end)?) || self.ended_since(end, &before, now)? {
                    fates.clear();
                    break;
                }
                fates.extend(broken(&before, now).map(|at| lost(path, LogFate::Broken(at), end)));
            }
            if let Some(lost) = fates.pop() {
                return Ok(Some(lost));
            }
        }
        Ok(None)
    }

    /// Whether one of the new commits has the run at its end, in sight and where it lay, so that it may give way to `now`: what
    /// each commit does to it there is judged by itself.
    fn ended_since(&self, end: &FiledVersion, before: &[u8], now: &[u8]) -> Result<bool> {
        for commit in self.new {
            let view = self.repo.commit_view(commit)?;
            let config = workspace::read_config(&*view).unwrap_or_default();
            let Some(Content::Bytes(then)) = content(&*view, &end.path)? else { continue };
            let is_seen = place(&end.path, &config).is_some() && broken(before, &then).is_none();
            if is_seen && may_give_way(&then, Some(now), self.profile_of(end)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The open runs that lay where the tip looks, and none of the states before did, and that are there no more.
    fn gone(&self, step: &Step) -> Result<Vec<LostLog>> {
        let mut found = Vec::new();
        if !step.shows_others() {
            return Ok(found);
        }
        for filed in self.runs.values() {
            let is_shown = |path: &RepoPath| step.now.sees(path) && !step.before.iter().any(|before| before.sees(path));
            let Some(end) = filed.ends.iter().find(|end| is_shown(&end.path)) else { continue };
            let mut may_be_gone = self.is_there(step, filed)?;
            for end in &filed.ends {
                may_be_gone |= may_give_way(&self.read(&end.id, &end.path)?, None, self.profile_of(end)?);
            }
            // one that is there as another one is found by its path
            if !may_be_gone && step.now.read(&end.path)?.is_none() {
                found.push(lost(&end.path, LogFate::Gone, end));
            }
        }
        Ok(found)
    }

    /// Whether a log of the tip goes on with the run.
    fn is_there(&self, step: &Step, filed: &FiledRun) -> Result<bool> {
        for path in step.paths()? {
            let Some(now) = step.now.read(&path)? else { continue };
            for end in &filed.ends {
                if broken(&self.read(&end.id, &end.path)?, &now).is_none() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn profile_of(&self, version: &FiledVersion) -> Result<Option<Cow<'static, Profile>>> {
        Ok(profile_at(&*self.repo.commit_view(&version.commit)?, &version.path))
    }
}

/// What a state judged the log at that path by.
fn profile_at(view: &dyn Tree, path: &RepoPath) -> Option<Cow<'static, Profile>> {
    let config = workspace::read_config(view).unwrap_or_default();
    place(path, &config).and_then(|place| runlogs::profile(view, &place.profile).ok())
}

/// Whether a log may go, or give way to `now`; one of which nobody can say whether its run ended may not.
fn may_give_way(before: &[u8], now: Option<&[u8]>, profile: Option<Cow<'static, Profile>>) -> bool {
    profile.is_some_and(|profile| may_go(before, now, &profile))
}

fn lost(path: &RepoPath, fate: LogFate, version: &FiledVersion) -> LostLog {
    let from = version.commit.short();
    LostLog { path: path.clone(), fate, from, at: version.path.clone(), rewritten: false, merged: false }
}
