//! `runlog check`: judges run logs on disk, each read as a stream. Checks their content, that they begin with HEAD's
//! version, and that every ended run or phase left its required files. A missing file is an error here, because no pending
//! commit can still add it.

use crate::app::judge::snapshot::{self, Snapshot};
use crate::app::judge::{Options, excerpts, levels, verdict};
use crate::app::site::{self, Site};
use crate::engine::facts::Facts;
use crate::error::{Error, Result};
use crate::features::runlogs::judge::change::{LogChange, LostLog, UnmetEnd};
use crate::features::runlogs::judge::engine::artifacts::{Unmet, unmet};
use crate::features::runlogs::judge::engine::facts::{LogFacts, add_logs, collect};
use crate::features::runlogs::judge::engine::moves::{LogFate, fate};
use crate::features::runlogs::judge::engine::page;
use crate::features::runlogs::judge::engine::plan::PlanTarget;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::find_runlog::{self, FoundLogs};
use crate::features::runlogs::judge::log_target::{TargetState, ViewTarget};
use crate::features::runlogs::judge::logs::{self, RecordedEnd};
use crate::features::runlogs::judge::record::target::{DiskTarget, JudgedOnce};
use crate::features::runlogs::model::line::MAX_LINE;
use crate::features::runlogs::model::place::{log_id, target_of};
use crate::features::runlogs::model::profile::Profile;
use crate::features::runlogs::rules::{runlog_artifacts, runlog_history, runlog_progress, runlog_schema};
use crate::finding::{Finding, Level, RuleId};
use crate::model::workspace;
use crate::repo::Repo;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules::LostFrom;
use crate::store::ledger::{look, open_to_look};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};

/// Judges these logs, or all logs of the work tree if none is named.
///
/// # Errors
/// Usage when a named log does not exist; configuration when its profile is invalid; unchecked when it cannot be read.
pub(crate) fn check(repo: &Repo, site: &dyn Site, named: &[RepoPath], options: Options) -> Result<Report> {
    let named = FoundLogs { logs: named.to_vec(), ..FoundLogs::default() };
    let FoundLogs { logs: paths, without_index } =
        if named.logs.is_empty() { find_runlog::found(site)? } else { named };
    let judged = JudgedOnce::new();
    let look = Look { repo, site, judged: &judged };
    let config = site.config()?;
    let (mut logs, mut change) = (Vec::new(), LogChange::default());
    for path in &paths {
        let (facts, done) = look.log(path)?;
        logs.push(facts);
        change.lost.extend(done.lost);
        change.unmet.extend(done.unmet);
    }
    logs.extend(without_index);
    let files = logs.len();
    let mut facts = Facts::of_nothing(config.clone());
    add_logs(&mut facts, logs);
    let mut findings = levels::apply(findings(&facts, &change), &config, options.strict);
    for finding in findings.iter_mut().filter(|finding| finding.rule == RuleId::RunlogArtifacts) {
        finding.level = Level::Error;
    }
    excerpts::add(&mut findings, &|_| Vec::new(), &mut |path| look.text(path));
    let backend = Some(repo.answered_by());
    let scope = Scope { mode: ScopeMode::Files, base: None, tip: None, backend, files, nodes: 0 };
    Ok(verdict::report(scope, findings, options.reader))
}

/// All findings of run logs at any path, and of their changes.
fn findings(facts: &Facts, logs: &LogChange) -> Vec<Finding> {
    let mut found = Vec::new();
    runlog_schema::check(facts, &mut found);
    runlog_history::lost_logs(logs, &mut found);
    runlog_artifacts::unmet_ends(logs, &mut found);
    runlog_progress::check(facts, &mut found);
    found
}

struct Look<'a> {
    repo: &'a Repo,
    site: &'a dyn Site,
    judged: &'a JudgedOnce<'a>,
}

impl Look<'_> {
    /// Judges one log: its content, losses since HEAD, and unmet requirements.
    fn log(&self, path: &RepoPath) -> Result<(LogFacts, LogChange)> {
        let mut head = Vec::new();
        self.open(path)?
            .take(MAX_LINE as u64)
            .read_to_end(&mut head)
            .map_err(|error| find_runlog::unreadable(path, &error))?;
        let profile = find_runlog::profile_of(self.site, path, &head)?;
        let stream = || self.open(path).map(BufReader::new);
        let mut facts = collect(path, stream()?, &profile).map_err(|error| find_runlog::unreadable(path, &error))?;
        let told = Story::read(stream()?, &profile).map_err(|error| find_runlog::unreadable(path, &error))?;
        let mut change = LogChange { lost: self.lost(path, &profile)?.into_iter().collect(), ..LogChange::default() };
        if facts.run.newer {
            return Ok((facts, change));
        }
        let target = DiskTarget::of(self.site, self.judged, path, &told)?;
        let mut then = None;
        for end in logs::asking(&facts, &profile) {
            let mut unmet = unmet(end.rules, &target, &facts.ends)?;
            if end.is_success {
                unmet.extend(target.refusals()?.into_iter().map(Unmet::of));
            }
            if !unmet.is_empty() && !self.held_then(&facts, &end, &mut then)? {
                change.unmet.push(UnmetEnd { path: path.clone(), line: end.line, what: end.what, unmet });
            }
        }
        if let Some(name) = page::name(&profile, &path.name().to_str_lossy()) {
            let at = path.parent().unwrap_or_default().child(name.as_bytes());
            let before = look(site::work_dir(self.site)?, &at)?;
            let is_stale = |before: &Vec<u8>| page::render(&told, &profile, Some(before)) != *before;
            facts.stale_page = before.filter(is_stale).map(|_| at);
        }
        Ok((facts, change))
    }

    /// The content of a log, up to [`excerpts::LARGEST`].
    fn text(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let read = self.open(path).ok()?.take(excerpts::LARGEST).read_to_end(&mut text);
        read.is_ok().then_some(text)
    }

    /// Whether the requirements of an ended run were met in the commit that added its end (cached in `then`). A finished
    /// run need not keep up with later changes of the code.
    fn held_then(&self, facts: &LogFacts, asked: &RecordedEnd<'_>, then: &mut Option<Snapshot>) -> Result<bool> {
        let Some(end) = &facts.run.ended else { return Ok(false) };
        if then.is_none() {
            let Some(commit) = self.brought(&facts.path, end.line)? else { return Ok(false) };
            let parents: Vec<Option<Oid>> = self.repo.parents(&commit)?.into_iter().map(Some).collect();
            *then = Some(snapshot::commit(self.repo, ScopeMode::Files, commit, &parents)?);
        }
        let Some(snapshot) = then else { return Ok(false) };
        let config = workspace::read_config(&*snapshot.view)?;
        let state = TargetState::of(self.repo, snapshot, &config);
        let run = facts.ends.run.clone().unwrap_or_else(|| log_id(&facts.path));
        let (dir, settings) = (target_of(&facts.path), *config.of());
        Ok(ViewTarget { state: &state, dir, run, settings, disk: None }.lacks(asked, &facts.ends)?.is_empty())
    }

    /// The oldest commit, going back from HEAD, that has this line of the log at its path.
    fn brought(&self, path: &RepoPath, line: u32) -> Result<Option<Oid>> {
        let mut known: HashMap<Oid, bool> = HashMap::new();
        let mut has = |commit: &Oid| -> Result<bool> {
            let view = self.repo.commit_view(commit)?;
            let Some(id) = view.entry(path)?.and_then(|entry| entry.id) else { return Ok(false) };
            if let Some(known) = known.get(&id) {
                return Ok(*known);
            }
            let bytes = view.read(path)?.unwrap_or_default();
            // a last line without a line end counts, too
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
            Ok(*known.entry(id).or_insert(lines >= line as usize))
        };
        let Some(mut at) = self.repo.head()? else { return Ok(None) };
        if !has(&at)? {
            return Ok(None);
        }
        'back: loop {
            for parent in self.repo.parents(&at)? {
                // a shallow clone ends here: older commits are unknown
                if self.repo.tree_of(&parent)?.is_some() && has(&parent)? {
                    at = parent;
                    continue 'back;
                }
            }
            return Ok(Some(at));
        }
    }

    fn open(&self, path: &RepoPath) -> Result<File> {
        let gone = || Error::usage(format!("there is no run log {path}")).hint("all run logs: yatsu-hook runlog ls");
        open_to_look(site::work_dir(self.site)?, path)?.ok_or_else(gone)
    }

    /// The loss, if the log does not begin with HEAD's version. Reads no more bytes than needed for that.
    fn lost(&self, path: &RepoPath, profile: &Profile) -> Result<Option<LostLog>> {
        let Some(head) = self.repo.head()? else { return Ok(None) };
        let Some(before) = self.repo.commit_view(&head)?.read(path)? else { return Ok(None) };
        let mut now = Vec::new();
        let most = (before.len() + MAX_LINE + 2) as u64;
        self.open(path)?.take(most).read_to_end(&mut now).map_err(|error| find_runlog::unreadable(path, &error))?;
        let fate = fate(&before, Some(&now), &|_| Ok(false), profile)?;
        let (path, from) = (path.clone(), LostFrom { revision: "HEAD".into(), rewritten: false });
        let lost = LostLog { path, fate, hidden: None, from, merged: false };
        Ok(Some(lost).filter(|lost| lost.fate != LogFate::Kept))
    }
}
