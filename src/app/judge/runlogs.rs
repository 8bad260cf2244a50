//! Run logs of a snapshot: which files are logs, what each says, which of a base were not kept, and which ends lack what they
//! ask for. Of a state that is compared only the paths that the change touches are looked at; of a state alone all are.

use super::Question;
use super::gates;
use super::goals;
use super::log_target::ViewTarget;
use super::snapshot::{Base, Snapshot};
use super::states::States;
use crate::engine::facts::Facts;
use crate::engine::graph::run_log::RunLogText;
use crate::engine::runlog::artifacts::{Unmet, unmet};
use crate::engine::runlog::facts::{LogFacts, collect};
use crate::engine::runlog::moves::{LogFate, LogVersion, fate};
use crate::engine::runlog::{page, story};
use crate::error::{Error, Result};
use crate::model::config::{Config, ProfileName};
use crate::model::runlog::builtin;
use crate::model::runlog::parse_profile;
use crate::model::runlog::place::{
    LogPlace, begins_like_a_log, by_name, likely_profile, log_id, logs_beside, place, target_of,
};
use crate::model::runlog::profile::{ArtifactRule, Profile};
use crate::model::workspace;
use crate::names::{CONFIG_FILE, RUN_ENDING};
use crate::rules::{LogChange, LostLog, UnmetEnd};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A log larger than this is not read: no writer keeps one, and it would fill the memory.
const MOST_READ: u64 = 1 << 30;

/// A file that is a run log, in the judged state and in each base.
struct Candidate {
    path: RepoPath,
    place: LogPlace,
    now: Option<Content>,
    /// In the order of the snapshot's bases.
    before: Vec<Option<Content>>,
}

/// What lies at a path.
enum Content {
    /// A regular file.
    Bytes(Vec<u8>),
    /// Anything else.
    Other(Kind),
}

impl Content {
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Other(_) => None,
        }
    }
}

/// Whether a run log may lie at a path, or beside it where that may be a log's page, for all that the path says.
pub(crate) fn is_place(path: &RepoPath, config: &Config) -> bool {
    place(path, config).is_some() || logs_beside(path).iter().any(|log| place(log, config).is_some())
}

/// The same for a configuration that names none.
pub(crate) fn is_usual_place(path: &RepoPath) -> bool {
    by_name(path).is_some() || logs_beside(path).iter().any(|log| by_name(log).is_some())
}

/// Judges the run logs of a snapshot into `states`; what the change does to them comes back.
pub(super) fn look(question: &Question<'_>, states: &mut States) -> Result<LogChange> {
    let snapshot = question.snapshot;
    let gates = Gates::of(snapshot, states);
    let candidates = gates.candidates(snapshot)?;
    if candidates.is_empty() {
        return Ok(LogChange::default());
    }
    if !states.ours && snapshot.config.is_none() {
        // nobody asked before whether it can be used
        workspace::read_config(&*snapshot.view)?;
    }
    let profiles = Profiles::of(&*snapshot.view, &candidates)?;
    fill(snapshot, states, &gates, &candidates, &profiles)?;
    let lost = lost(snapshot, &candidates, &profiles);
    let unmet = ends(question, states, &candidates, &profiles);
    Ok(LogChange { lost, unmet })
}

/// The run logs among these files of `view`: those that lie where logs do, whatever is in them, and those that begin like one.
pub(crate) fn named(view: &dyn Tree, config: &Config, paths: &[RepoPath]) -> Result<Vec<LogFacts>> {
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
        let profile = profile(view, &place.profile)?;
        let log = Candidate { path: path.clone(), place, now: None, before: Vec::new() };
        found.push(facts(&log, &now, &profile)?);
    }
    Ok(found)
}

/// A run log of a whole state.
pub(crate) struct HeldLog {
    /// Where it lies.
    pub(crate) path: RepoPath,
    bytes: Vec<u8>,
    profile: Cow<'static, Profile>,
}

impl HeldLog {
    /// What it says, and what kind of log it is.
    pub(crate) fn text(&self) -> RunLogText<'_> {
        RunLogText { path: &self.path, bytes: &self.bytes, profile: &self.profile }
    }

    /// Whether it may go where these logs stay: one of them goes on with it, or its run ended.
    pub(crate) fn may_go(&self, stay: &[HeldLog]) -> bool {
        let stay: Vec<LogVersion<'_>> =
            stay.iter().map(|log| LogVersion { path: &log.path, bytes: &log.bytes }).collect();
        self.bytes.is_empty() || fate(&self.bytes, None, &stay, &self.profile) == LogFate::Kept
    }
}

/// Every run log of `view`.
pub(crate) fn held(view: &dyn Tree, config: &Config) -> Result<Vec<HeldLog>> {
    let mut found = Vec::new();
    for (path, _) in view.files(&RepoPath::root(), &|path| place(path, config).is_some())? {
        let Some(place) = place(&path, config) else { continue };
        let Some(Content::Bytes(bytes)) = content(view, &path)? else { continue };
        if place.sure || begins_like_a_log(&bytes) {
            found.push(HeldLog { profile: profile(view, &place.profile)?, path, bytes });
        }
    }
    Ok(found)
}

/// What decides which files are logs: the configuration that is judged by, and those that were there before, so that no
/// change puts out of sight what it edits.
struct Gates {
    now: Config,
    before: Vec<Config>,
}

impl Gates {
    fn of(snapshot: &Snapshot, states: &States) -> Self {
        let differs = |base: &&Base| base.changed.iter().any(|path| *path.as_bstr() == CONFIG_FILE);
        let before = snapshot.bases.iter().filter(differs);
        let before = before.filter_map(|base| workspace::read_config(&*base.tree).ok()).collect();
        Self { now: states.view.workspace.config.clone(), before }
    }

    fn place(&self, path: &RepoPath) -> Option<LogPlace> {
        place(path, &self.now).or_else(|| self.before.iter().find_map(|config| place(path, config)))
    }

    /// The files that are logs, by place and content.
    fn candidates(&self, snapshot: &Snapshot) -> Result<Vec<Candidate>> {
        let paths: BTreeSet<RepoPath> = if snapshot.bases.is_empty() {
            let files = snapshot.view.files(&RepoPath::root(), &|path| self.place(path).is_some())?;
            files.into_iter().map(|(path, _)| path).collect()
        } else {
            let changed = || snapshot.bases.iter().flat_map(|base| &base.changed);
            let beside = changed().flat_map(logs_beside);
            changed().cloned().chain(beside).filter(|path| self.place(path).is_some()).collect()
        };
        let mut found = Vec::new();
        for path in paths {
            let Some(place) = self.place(&path) else { continue };
            let now = content(&*snapshot.view, &path)?;
            let before = snapshot.bases.iter().map(|base| content(&*base.tree, &path)).collect::<Result<Vec<_>>>()?;
            let looks =
                |content: &Option<Content>| content.as_ref().and_then(Content::bytes).is_some_and(begins_like_a_log);
            if place.sure || looks(&now) || before.iter().any(looks) {
                found.push(Candidate { path, place, now, before });
            }
        }
        Ok(found)
    }
}

fn content(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Content>> {
    match tree.kind(path)? {
        None | Some(Kind::Dir) => Ok(None),
        Some(Kind::File | Kind::Exec) => {
            if tree.size(path)?.is_some_and(|size| size > MOST_READ) {
                return Err(Error::unchecked(format!("{path} is larger than {MOST_READ} bytes and was not read")));
            }
            Ok(tree.read(path)?.map(Content::Bytes))
        }
        Some(kind) => Ok(Some(Content::Other(kind))),
    }
}

/// The profiles of all candidates, read once.
pub(crate) struct Profiles(BTreeMap<ProfileName, Cow<'static, Profile>>);

impl Profiles {
    fn of(view: &dyn Tree, candidates: &[Candidate]) -> Result<Self> {
        let names: BTreeSet<&ProfileName> = candidates.iter().map(|candidate| &candidate.place.profile).collect();
        names.into_iter().map(|name| Ok((name.clone(), profile(view, name)?))).collect::<Result<_>>().map(Self)
    }

    fn get(&self, candidate: &Candidate) -> Option<&Profile> {
        self.0.get(&candidate.place.profile).map(|profile| &**profile)
    }
}

/// The profile of that name; a file is that of `view`.
///
/// # Errors
/// Configuration, where it is not there or no profile.
pub(crate) fn profile(view: &dyn Tree, name: &ProfileName) -> Result<Cow<'static, Profile>> {
    let path = match name {
        ProfileName::BuiltIn(name) => {
            let known = builtin::find(name).map(Cow::Borrowed);
            return known.ok_or_else(|| Error::config(format!("there is no profile {name}")));
        }
        ProfileName::File(path) => path,
    };
    let Some(Content::Bytes(bytes)) = content(view, path)? else {
        let message = format!("{CONFIG_FILE} names {path} as a profile in yatsu.runlogs, and there is no such file");
        return Err(Error::config(message).hint(format!("git add {path}, or name another one")));
    };
    parse_profile(&path.to_string(), &bytes).map(Cow::Owned)
}

/// Puts what each log says into the state that has it.
fn fill(
    snapshot: &Snapshot,
    states: &mut States,
    gates: &Gates,
    candidates: &[Candidate],
    profiles: &Profiles,
) -> Result<()> {
    if states.bases.len() != snapshot.bases.len() {
        let config = |base: &Base| workspace::read_config(&*base.tree).unwrap_or_else(|_| gates.now.clone());
        states.bases = snapshot.bases.iter().map(|base| Facts::of_nothing(config(base))).collect();
    }
    let of = |contents: &dyn Fn(&Candidate) -> Option<&Content>| {
        let facts = candidates.iter().filter_map(|candidate| {
            let content = contents(candidate)?;
            Some(facts(candidate, content, profiles.get(candidate)?))
        });
        facts.collect::<Result<Vec<_>>>()
    };
    states.view.runlogs = of(&|candidate| candidate.now.as_ref())?;
    pages(&*snapshot.view, &mut states.view.runlogs, candidates, profiles)?;
    for (at, base) in states.bases.iter_mut().enumerate() {
        base.runlogs = of(&|candidate| candidate.before.get(at)?.as_ref())?;
        if let Some(before) = snapshot.bases.get(at) {
            pages(&*before.tree, &mut base.runlogs, candidates, profiles)?;
        }
    }
    states.ours = true;
    states.gates = gates::before(snapshot, &states.bases);
    Ok(())
}

/// Finds the pages in `tree` that are not what their logs render to.
fn pages(tree: &dyn Tree, logs: &mut [LogFacts], candidates: &[Candidate], profiles: &Profiles) -> Result<()> {
    for log in logs.iter_mut().filter(|log| !log.run.newer && log.refused.is_none()) {
        let Some(candidate) = candidates.iter().find(|candidate| candidate.path == log.path) else { continue };
        let Some(profile) = profiles.get(candidate) else { continue };
        let name = page::name(profile, &log.path.name().to_str_lossy());
        let Some(at) = name.map(|name| log.path.parent().unwrap_or_default().child(name.as_bytes())) else { continue };
        let Some(Content::Bytes(before)) = content(tree, &at)? else { continue };
        let Some(Content::Bytes(bytes)) = content(tree, &log.path)? else { continue };
        let story = story::read(bytes.as_slice(), profile)
            .map_err(|error| Error::unchecked(format!("{} cannot be read: {error}", log.path)))?;
        log.stale_page = (page::render(&story, profile, Some(&before)) != before).then_some(at);
    }
    Ok(())
}

fn facts(candidate: &Candidate, content: &Content, profile: &Profile) -> Result<LogFacts> {
    let path = &candidate.path;
    match content {
        Content::Bytes(bytes) => collect(path, bytes.as_slice(), profile)
            .map_err(|error| Error::unchecked(format!("{path} cannot be read: {error}"))),
        Content::Other(kind) => {
            let message = format!("a run log must be a regular file; this is {}", workspace::kind_name(*kind));
            Ok(LogFacts { path: path.clone(), refused: Some(message), ..LogFacts::default() })
        }
    }
}

/// The logs of the bases that the judged state did not keep, each once. Where the commits in between are looked at one by
/// one, they say more.
fn lost(snapshot: &Snapshot, candidates: &[Candidate], profiles: &Profiles) -> Vec<LostLog> {
    let mut found: Vec<LostLog> = Vec::new();
    for (at, base) in snapshot.bases.iter().enumerate().filter(|(_, base)| !base.walked) {
        let new: Vec<LogVersion<'_>> = candidates.iter().filter_map(|candidate| candidate.new_since(at)).collect();
        for candidate in candidates {
            let before = candidate.before.get(at).and_then(Option::as_ref).and_then(Content::bytes);
            let (Some(before), Some(profile)) = (before, profiles.get(candidate)) else { continue };
            let fate = fate(before, candidate.now.as_ref().and_then(Content::bytes), &new, profile);
            if fate == LogFate::Kept || found.iter().any(|lost| lost.path == candidate.path) {
                continue;
            }
            let from = match (snapshot.tip, base.commit) {
                (Some(_), Some(commit)) => commit.short(),
                _ if at > 0 => "MERGE_HEAD".into(),
                _ => "HEAD".into(),
            };
            let merged = snapshot.bases.len() > 1;
            found.push(LostLog { path: candidate.path.clone(), fate, from, rewritten: base.rewritten, merged });
        }
    }
    found
}

impl Candidate {
    /// The log as it is now, where that base had none at its path.
    fn new_since(&self, base: usize) -> Option<LogVersion<'_>> {
        let is_new = self.before.get(base).is_some_and(Option::is_none);
        let bytes = self.now.as_ref().filter(|_| is_new)?.bytes()?;
        Some(LogVersion { path: &self.path, bytes })
    }
}

/// The ends that the change adds and that lack what they ask for. What cannot be told is said; it is advice, and blocks
/// nothing.
fn ends(question: &Question<'_>, states: &States, candidates: &[Candidate], profiles: &Profiles) -> Vec<UnmetEnd> {
    let snapshot = question.snapshot;
    if snapshot.bases.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for log in states.view.runlogs.iter().filter(|log| !log.run.newer) {
        let Some(candidate) = candidates.iter().find(|candidate| candidate.path == log.path) else { continue };
        let Some(profile) = profiles.get(candidate) else { continue };
        let target = ViewTarget {
            repo: question.repo,
            snapshot,
            dir: target_of(&log.path),
            run: log.ends.run.clone().unwrap_or_else(|| log_id(&log.path)),
            config: &states.view.workspace.config,
            settings: goals::settings(states),
            disk: question.repo.work_dir.as_deref().filter(|_| snapshot.tip.is_none()),
        };
        let of_log = |before: &&LogFacts| before.path == log.path || before.id == log.id;
        let known = states.bases.iter().flat_map(|base| base.runlogs.iter().filter(of_log));
        let known = known.map(|before| before.run.lines).max().unwrap_or(0);
        for end in asking(log, profile).into_iter().filter(|end| end.line > known) {
            let refusals = || if end.is_success { target.refusals() } else { Ok(Vec::new()) };
            let unmet = unmet(end.rules, &target, &log.ends)
                .and_then(|unmet| Ok([unmet, refusals()?].concat()))
                .unwrap_or_else(|error| vec![Unmet::unknown(&error)]);
            if !unmet.is_empty() {
                found.push(UnmetEnd { path: log.path.clone(), line: end.line, what: end.what, unmet });
            }
        }
    }
    found
}

/// An end that a log tells.
pub(crate) struct ToldEnd<'p> {
    /// The line that tells it.
    pub(crate) line: u32,
    /// What it is the end of.
    pub(crate) what: String,
    /// What that asks for.
    pub(crate) rules: &'p [ArtifactRule],
    /// It is the run's own, with success: a run that is over its budget has none.
    pub(crate) is_success: bool,
}

/// The ends that a log tells.
pub(crate) fn asking<'p>(log: &LogFacts, profile: &'p Profile) -> Vec<ToldEnd<'p>> {
    let phases = log.ends.phases.iter().filter_map(|(n, line)| {
        let phase = profile.phase(*n)?;
        let what = format!("phase {n}, {},", phase.name);
        Some(ToldEnd { line: *line, what, rules: &phase.requires, is_success: false })
    });
    let success = |line| ToldEnd { line, what: "the run".to_owned(), rules: &profile.end, is_success: true };
    phases.chain(log.ends.success.map(success)).collect()
}
