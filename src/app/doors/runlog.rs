//! `runlog check`: run logs as they lie on disk, each read as a stream. What they say, that they begin with what HEAD holds,
//! and that everything which ended has left behind what it must; here that is an error, because nothing is about to be
//! committed that could still bring it.

use crate::app::judge::Options;
use crate::app::judge::levels;
use crate::app::judge::runlogs;
use crate::app::judge::verdict;
use crate::app::record::runlog::find;
use crate::app::record::runlog::target::DiskTarget;
use crate::app::record::site;
use crate::app::record::site::Site;
use crate::engine::facts::Facts;
use crate::engine::runlog::artifacts::{Unmet, unmet};
use crate::engine::runlog::facts::{LogFacts, collect};
use crate::engine::runlog::moves::{LogFate, fate};
use crate::engine::runlog::plan::PlanTarget;
use crate::engine::runlog::{page, story};
use crate::error::{Error, Result};
use crate::finding::{Level, RuleId};
use crate::model::runlog::line::MAX_LINE;
use crate::model::runlog::profile::Profile;
use crate::repo::Repo;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules;
use crate::rules::{LogChange, LostLog, UnmetEnd};
use crate::store::ledger::{look, open_to_look};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::fs::File;
use std::io::{BufReader, Read};

/// Judges these logs, all of the work tree where none is named.
///
/// # Errors
/// Usage, where a named one is not there; configuration, where its profile is none; otherwise when it cannot be read.
pub(crate) fn check(repo: &Repo, site: &dyn Site, named: &[RepoPath], options: Options) -> Result<Report> {
    let paths = if named.is_empty() { find::logs(site)? } else { named.to_vec() };
    let look = Look { repo, site };
    let config = site.config()?;
    let (mut logs, mut change) = (Vec::new(), LogChange::default());
    for path in &paths {
        let (facts, done) = look.log(path)?;
        logs.push(facts);
        change.lost.extend(done.lost);
        change.unmet.extend(done.unmet);
    }
    let files = logs.len();
    let facts = Facts { runlogs: logs, ..Facts::of_nothing(config.clone()) };
    let mut findings = levels::apply(rules::of_logs(&facts, &change), &config, options.strict);
    for finding in findings.iter_mut().filter(|finding| finding.rule == RuleId::RunlogArtifacts) {
        finding.level = Level::Error;
    }
    let backend = Some(repo.answered_by());
    let scope = Scope { mode: ScopeMode::Files, base: None, tip: None, backend, files, nodes: 0 };
    Ok(verdict::report(scope, findings, &[], options.reader))
}

struct Look<'a> {
    repo: &'a Repo,
    site: &'a dyn Site,
}

impl Look<'_> {
    /// One log: what it says, and what became of it and of what it claims.
    fn log(&self, path: &RepoPath) -> Result<(LogFacts, LogChange)> {
        let mut head = Vec::new();
        self.open(path)?
            .take(MAX_LINE as u64)
            .read_to_end(&mut head)
            .map_err(|error| find::unreadable(path, &error))?;
        let profile = find::profile_of(self.site, path, &head)?;
        let stream = || self.open(path).map(BufReader::new);
        let mut facts = collect(path, stream()?, &profile).map_err(|error| find::unreadable(path, &error))?;
        let told = story::read(stream()?, &profile).map_err(|error| find::unreadable(path, &error))?;
        let mut change = LogChange { lost: self.lost(path, &profile)?.into_iter().collect(), unmet: Vec::new() };
        if facts.run.newer {
            return Ok((facts, change));
        }
        let target = DiskTarget::of(self.site, path, &told)?;
        for end in runlogs::asking(&facts, &profile) {
            let mut unmet = unmet(end.rules, &target, &facts.ends)?;
            if end.is_success {
                unmet.extend(target.refusals()?.into_iter().map(Unmet::of));
            }
            if !unmet.is_empty() {
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

    fn open(&self, path: &RepoPath) -> Result<File> {
        let gone = || Error::usage(format!("there is no {path}")).hint("all run logs: yatsu-hook runlog ls");
        open_to_look(site::work_dir(self.site)?, path)?.ok_or_else(gone)
    }

    /// Whether the log does not begin with what HEAD holds; no more of it is read than that.
    fn lost(&self, path: &RepoPath, profile: &Profile) -> Result<Option<LostLog>> {
        let Some(head) = self.repo.head()? else { return Ok(None) };
        let Some(before) = self.repo.commit_view(&head)?.read(path)? else { return Ok(None) };
        let mut now = Vec::new();
        let most = (before.len() + MAX_LINE + 2) as u64;
        self.open(path)?.take(most).read_to_end(&mut now).map_err(|error| find::unreadable(path, &error))?;
        let fate = fate(&before, Some(&now), &[], profile);
        let lost = LostLog { path: path.clone(), fate, from: "HEAD".into(), rewritten: false, merged: false };
        Ok(Some(lost).filter(|lost| lost.fate != LogFate::Kept))
    }
}
