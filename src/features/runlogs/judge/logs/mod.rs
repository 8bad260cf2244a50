//! Judges the run logs of a snapshot: finds them, reads their facts, and reports logs that were not kept and run ends
//! without the required files. For a change only touched paths are examined, unless the configuration or a profile of logs
//! changed. A state without a base is examined whole. Logs are read one at a time, so that no two are in memory at once.

mod candidates;
mod ends;
pub(crate) mod judging;
mod profiles;
mod row;

pub(crate) use ends::{RecordedEnd, asking};
pub(crate) use profiles::profile;

use crate::app::judge::snapshot::{Base, Snapshot};
use crate::app::judge::states::States;
use crate::app::judge::{Question, gates};
use crate::engine::facts::Facts;
use crate::error::{Error, Result};
use crate::features::runlogs::judge::change::{LogChange, LostLog, WeakerProfile};
use crate::features::runlogs::judge::engine::appended::broken;
use crate::features::runlogs::judge::engine::facts::{LogFacts, add_logs, collect};
use crate::features::runlogs::judge::engine::moves::{LogFate, fate, may_go};
use crate::features::runlogs::judge::engine::page;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::model::place::{LogPlace, begins_like_a_log, likely_profile, place, place_but_hidden};
use crate::features::runlogs::model::profile::Profile;
use crate::features::runlogs::model::settings::ProfileName;
use crate::model::config::Config;
use crate::model::workspace;
use crate::names::RUN_ENDING;
use crate::repo::views::MAX_READ;
use crate::rules::{LostFrom, LostLine};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use candidates::Candidate;
use std::borrow::Cow;
use std::rc::Rc;

/// The content at a path.
pub(crate) enum Content {
    /// A regular file.
    Bytes(Vec<u8>),
    /// Anything else.
    Other(Kind),
}

impl Content {
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Other(_) => None,
        }
    }
}

/// The content at a path of a tree; `None` for a directory.
///
/// # Errors
/// When the file cannot be read, or is larger than [`MAX_READ`].
pub(crate) fn content(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Content>> {
    match tree.kind(path)? {
        None | Some(Kind::Dir) => Ok(None),
        Some(Kind::File | Kind::Exec) => {
            if let Some(size) = tree.size(path)?.filter(|size| *size > MAX_READ) {
                let message =
                    format!("{path} has {size} bytes, more than the {MAX_READ} that are read of a file in git");
                return Err(Error::unchecked(message)
                    .hint("end the run before its log is so large, and go on in a log of its own")
                    .hint("on disk a log of any size is judged: yatsu-hook runlog check"));
            }
            Ok(tree.read(path)?.map(Content::Bytes))
        }
        Some(kind) => Ok(Some(Content::Other(kind))),
    }
}

/// Adds the facts of the run logs to `states`, and to the judged state what the change does to them.
///
/// # Errors
/// When a log or a profile cannot be read.
fn look(question: &Question<'_>, states: &mut States, _: &[LostLine]) -> Result<()> {
    let snapshot = question.snapshot;
    let mut candidates = candidates::candidates(snapshot, &states.view.workspace.config)?;
    let others: Vec<Candidate> = candidates.extract_if(.., |candidate| !candidate.is_log).collect();
    let unjudged = without_index(&*snapshot.view, &others)?;
    let mended = row::mended(question, &states.view.workspace.config)?;
    if candidates.is_empty() && unjudged.is_empty() && mended.is_empty() {
        return Ok(());
    }
    if !states.ours {
        // for a state without nodes the configuration was not read before
        states.own = Rc::new(workspace::read_config(&*snapshot.view)?);
    }
    fill(snapshot, states, &candidates)?;
    add_logs(&mut states.view, unjudged);
    for (facts, base) in states.bases.iter_mut().zip(&snapshot.bases) {
        add_logs(facts, without_index(&*base.tree, &others)?);
    }
    let lost = lost(question, &states.view.workspace.config, &candidates)?;
    let unmet = ends::unmet_in(question, states, &candidates);
    let weaker = weaker(snapshot, states);
    states.view.parts.put(LogChange { lost, unmet, weaker, mended });
    Ok(())
}

/// The facts of files in `tree` that lie where logs lie and only lack their `_index`.
fn without_index(tree: &dyn Tree, candidates: &[Candidate]) -> Result<Vec<LogFacts>> {
    let mut found = Vec::new();
    for candidate in candidates {
        let now = content(tree, &candidate.path)?;
        let profile = candidate.judges.first();
        let log = now.as_ref().and_then(Content::bytes).zip(profile);
        found.extend(log.and_then(|(now, judge)| LogFacts::without_index(&candidate.path, now, &judge.profile)));
    }
    Ok(found)
}

/// The requirements that the project's profiles dropped since the first base. In a merge that is the branch that merges.
fn weaker(snapshot: &Snapshot, states: &States) -> Vec<WeakerProfile> {
    let (Some(base), Some(facts)) = (snapshot.bases.first(), states.bases.first()) else { return Vec::new() };
    let found = profiles::weakened(&facts.workspace.config, &*base.tree, &*snapshot.view);
    found.into_iter().map(|(file, what)| WeakerProfile { file, what }).collect()
}

/// Adds the run logs among these files of `view`: all files at a place for logs, and files that begin like a log.
fn named(view: &dyn Tree, paths: &[RepoPath], of: &mut Facts) -> Result<()> {
    let config = &of.workspace.config;
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| !config.exclude.covers(path)) {
        let place = place(path, config);
        if place.is_none() && !path.name().ends_with(RUN_ENDING.as_bytes()) {
            continue;
        }
        let Some(now) = content(view, path)? else { continue };
        let looks = || now.bytes().is_some_and(begins_like_a_log);
        let like = || ProfileName::BuiltIn(likely_profile(now.bytes().unwrap_or_default()));
        let place = place.or_else(|| looks().then(|| LogPlace { profile: like(), sure: false }));
        let Some(place) = place else { continue };
        found.push(facts(path, &now, &*profile(view, &place.profile)?)?);
    }
    add_logs(of, found);
    Ok(())
}

/// A run log of a whole state.
pub(crate) struct HeldLog<'t> {
    pub(crate) path: RepoPath,
    tree: &'t dyn Tree,
    profile: Cow<'static, Profile>,
}

impl HeldLog<'_> {
    /// Whether the log may be deleted while `stay` remain: one of them continues it, or its run ended.
    pub(crate) fn may_go(&self, stay: &[HeldLog<'_>]) -> Result<bool> {
        let Some(Content::Bytes(bytes)) = content(self.tree, &self.path)? else { return Ok(true) };
        let any = |holds: &dyn Fn(&[u8]) -> bool| {
            // the log with the same path is tried first, because it is the likely match
            let (same, others): (Vec<_>, Vec<_>) = stay.iter().partition(|log| log.path == self.path);
            for log in same.into_iter().chain(others) {
                if content(log.tree, &log.path)?.is_some_and(|now| now.bytes().is_some_and(holds)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(bytes.is_empty() || fate(&bytes, None, &any, &self.profile)? == LogFate::Kept)
    }
}

/// Every run log of `view`.
pub(crate) fn held<'t>(view: &'t dyn Tree, config: &Config) -> Result<Vec<HeldLog<'t>>> {
    let mut found = Vec::new();
    for (path, _) in view.files(&RepoPath::root(), &|path| place(path, config).is_some())? {
        let Some(place) = place(&path, config) else { continue };
        let Some(Content::Bytes(bytes)) = content(view, &path)? else { continue };
        if place.sure || begins_like_a_log(&bytes) {
            found.push(HeldLog { profile: profile(view, &place.profile)?, tree: view, path });
        }
    }
    Ok(found)
}

/// A run log of a whole state, with its bytes.
pub(crate) struct ReadLog {
    pub(crate) path: RepoPath,
    pub(crate) bytes: Vec<u8>,
    pub(crate) profile: Cow<'static, Profile>,
}

impl ReadLog {
    /// Every run log of `view`.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn all(view: &dyn Tree, config: &Config) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for log in held(view, config)? {
            if let Some(Content::Bytes(bytes)) = content(view, &log.path)? {
                found.push(Self { path: log.path, bytes, profile: log.profile });
            }
        }
        Ok(found)
    }
}

/// Adds the facts of each log to the states that contain it.
fn fill(snapshot: &Snapshot, states: &mut States, candidates: &[Candidate]) -> Result<()> {
    if states.bases.len() != snapshot.bases.len() {
        let now = &states.view.workspace.config;
        let config = |tree: &dyn Tree| workspace::read_config(tree).unwrap_or_else(|_| now.clone());
        states.bases = snapshot.bases.iter().map(|base| Facts::of_nothing(config(&*base.tree))).collect();
    }
    for candidate in candidates {
        let now = if candidate.in_sight { judged(&*snapshot.view, candidate)? } else { None };
        for (facts, base) in states.bases.iter_mut().zip(&snapshot.bases) {
            let differs = |path: &RepoPath| base.changed.contains(path);
            let page = now.as_ref().and_then(|now| now.page.as_ref());
            let is_same = candidate.in_sight && !differs(&candidate.path) && !page.is_some_and(differs);
            let before = if is_same { now.clone() } else { judged(&*base.tree, candidate)? };
            add_logs(facts, before.into_iter().collect());
        }
        add_logs(&mut states.view, now.into_iter().collect());
    }
    states.ours = true;
    states.gates = gates::others(snapshot, &states.own, &states.bases);
    Ok(())
}

/// The facts of a log in `tree` by all profiles that judge it, and whether its page is current.
fn judged(tree: &dyn Tree, candidate: &Candidate) -> Result<Option<LogFacts>> {
    let Some((first, others)) = candidate.judges.split_first() else { return Ok(None) };
    let Some(now) = content(tree, &candidate.path)? else { return Ok(None) };
    let mut found = facts(&candidate.path, &now, &first.profile)?;
    for other in others {
        add_violations(&mut found, facts(&candidate.path, &now, &other.profile)?);
    }
    if let Some(bytes) = now.bytes().filter(|_| !found.run.newer) {
        compare_page(tree, &mut found, bytes, &first.profile)?;
    }
    Ok(Some(found))
}

/// Adds the violations of another profile that are not known yet.
fn add_violations(found: &mut LogFacts, more: LogFacts) {
    let known: Vec<_> = found.violations.iter().map(|known| (known.violation.code, known.violation.line)).collect();
    let is_new = |code, line| !known.contains(&(code, line));
    found.violations.extend(more.violations.into_iter().filter(|one| is_new(one.violation.code, one.violation.line)));
    found.violations.sort_by_key(|one| one.violation.line);
    found.unlisted = found.unlisted.max(more.unlisted);
}

/// Sets whether the page in `tree` is what its log renders to.
fn compare_page(tree: &dyn Tree, log: &mut LogFacts, bytes: &[u8], profile: &Profile) -> Result<()> {
    let Some(name) = page::name(profile, &log.path.name().to_str_lossy()) else { return Ok(()) };
    let at = log.path.parent().unwrap_or_default().child(name.as_bytes());
    if let Some(Content::Bytes(before)) = content(tree, &at)? {
        let story = Story::read(bytes, profile).map_err(|error| Error::unread(&log.path, &error))?;
        log.stale_page = (page::render(&story, profile, Some(&before)) != before).then(|| at.clone());
    }
    log.page = Some(at);
    Ok(())
}

fn facts(path: &RepoPath, content: &Content, profile: &Profile) -> Result<LogFacts> {
    match content {
        Content::Bytes(bytes) => collect(path, bytes.as_slice(), profile).map_err(|error| Error::unread(path, &error)),
        Content::Other(kind) => {
            let message = format!("a run log must be a regular file; this is {}", workspace::kind_name(*kind));
            Ok(LogFacts { path: path.clone(), refused: Some(message), ..LogFacts::default() })
        }
    }
}

/// The base logs that the judged state did not keep, each once. `now` is the judged state's configuration.
fn lost(question: &Question<'_>, now: &Config, candidates: &[Candidate]) -> Result<Vec<LostLog>> {
    let snapshot = question.snapshot;
    let mut found: Vec<LostLog> = Vec::new();
    for (at, base) in snapshot.bases.iter().enumerate() {
        let new = |holds: &dyn Fn(&[u8]) -> bool| any_new(snapshot, base, candidates, holds);
        // an out-of-sight log at its own path does not differ from the base
        let concerns = |candidate: &&Candidate| !candidate.in_sight || base.changed.contains(&candidate.path);
        for candidate in candidates.iter().filter(concerns) {
            let Some(profile) = candidate.own_judge(at) else { continue };
            let Some(Content::Bytes(before)) = content(&*base.tree, &candidate.path)? else { continue };
            // a file that was no log may change freely, because it was never judged
            if !candidate.is_sure && !begins_like_a_log(&before) {
                continue;
            }
            let there = content(&*snapshot.view, &candidate.path)?;
            let seen = there.as_ref().and_then(Content::bytes).filter(|_| candidate.in_sight);
            let fate = fate(&before, seen, &new, &profile.profile)?;
            let is_known = found.iter().any(|lost| lost.path == candidate.path);
            if fate == LogFate::Kept || is_known || ended_since(question, candidate, &before, seen, &profile.profile)? {
                continue;
            }
            let hidden = match there.filter(|_| !candidate.in_sight) {
                Some(_) => Some(candidate.path.clone()),
                None if fate == LogFate::Gone => moved_out_of_sight(snapshot, base, now, &before)?,
                None => None,
            };
            let hidden = hidden.map(|path| (path.clone(), key_that_hides(&path, now)));
            let is_head = at == 0 && snapshot.tip.is_none();
            // the base may lack lines that the new commits added before one of them broke the log
            let whole = row::log_in(question, &candidate.path, &before, &row::commits(question)?)?.whole;
            let whole = whole.or(base.commit).filter(|_| !is_head);
            let revision = whole.map_or_else(|| "HEAD".to_owned(), |commit| commit.short());
            let from = LostFrom { revision, rewritten: base.rewritten };
            let merged = snapshot.bases.len() > 1;
            found.push(LostLog { path: candidate.path.clone(), fate, hidden, from, merged });
        }
    }
    Ok(found)
}

/// Whether one of the new commits holds the complete run with its end. Then the log may be deleted or replaced by `now`.
fn ended_since(
    question: &Question<'_>,
    candidate: &Candidate,
    before: &[u8],
    now: Option<&[u8]>,
    profile: &Profile,
) -> Result<bool> {
    for commit in &question.snapshot.new_commits {
        let view = question.repo.commit_view(commit)?;
        let config = workspace::read_config(&*view).unwrap_or_default();
        let moved = view.files(&RepoPath::root(), &|path| place(path, &config).is_some())?;
        for path in moved.into_iter().map(|(path, _)| path).chain([candidate.path.clone()]) {
            let Some(Content::Bytes(then)) = content(&*view, &path)? else { continue };
            if broken(before, &then).is_none() && may_go(&then, now, profile) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The new path of a log that moved out of the sight of `now`, to a path that would hold a log if it were not hidden.
fn moved_out_of_sight(snapshot: &Snapshot, base: &Base, now: &Config, before: &[u8]) -> Result<Option<RepoPath>> {
    for path in &base.changed {
        let is_hidden = place_but_hidden(path, now).is_some() && place(path, now).is_none();
        if is_hidden
            && base.tree.kind(path)?.is_none()
            && content(&*snapshot.view, path)?.and_then(|now| Some(broken(before, now.bytes()?).is_none()))
                == Some(true)
        {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}

fn key_that_hides(path: &RepoPath, now: &Config) -> &'static str {
    if now.exclude.covers(path) { "yatsu.exclude" } else { "yatsu.runlogs" }
}

/// Whether `holds` is true for the content of any log of the judged state that `base` did not have.
fn any_new(snapshot: &Snapshot, base: &Base, candidates: &[Candidate], holds: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
    let in_sight = candidates.iter().filter(|candidate| candidate.in_sight);
    for candidate in in_sight.filter(|candidate| base.changed.contains(&candidate.path)) {
        let is_new = base.tree.kind(&candidate.path)?.is_none_or(|kind| kind == Kind::Dir);
        if is_new && content(&*snapshot.view, &candidate.path)?.is_some_and(|now| now.bytes().is_some_and(holds)) {
            return Ok(true);
        }
    }
    Ok(false)
}
