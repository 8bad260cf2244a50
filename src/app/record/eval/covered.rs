//! `--coverage`: what the measured run went through, for the key of a reading. Advice alone: it refuses nothing but a report
//! that names no tracked file, and with `--strict` a report that is older than a governed file.

use super::settle::as_written;
use super::{Filing, FilingOutcome};
use crate::app::site::Site;
use crate::app::site::coverage_ground::CoverageGround;
use crate::engine::coverage::{Measured, RunFiles, measured};
use crate::engine::freshness::governed;
use crate::engine::undeclared::undeclared_of;
use crate::error::{Error, Refusal, Result};
use crate::finding::RuleId;
use crate::model::governed::Governed;
use crate::model::ledger::{CoverageOf, Reading};
use crate::model::node::{Declared, Node};
use crate::model::resolve::matches;
use crate::rules::under_declared;
use crate::text::coverage::Coverage;
use crate::text::plural;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A run that all reports measured together.
pub(super) struct MeasuredRun<'r> {
    pub(super) measured: Measured<'r>,
    /// The formats of the reports, for example `go,lcov`.
    formats: String,
}

impl<'r> MeasuredRun<'r> {
    /// Judges the reports against the work tree; `None` without a report.
    ///
    /// # Errors
    /// Refused if a report names no tracked file.
    pub(super) fn of(site: &dyn Site, nodes: &[Node], reports: &'r [Coverage]) -> Result<Option<Self>> {
        if reports.is_empty() {
            return Ok(None);
        }
        let measured = measured(reports, &CoverageGround::of(site, nodes)?, &site.here())?;
        let formats: BTreeSet<&str> = reports.iter().map(|report| report.format.as_str()).collect();
        Ok(Some(Self { measured, formats: formats.into_iter().collect::<Vec<_>>().join(",") }))
    }
}

/// Advice if a governed file changed after the oldest report was written: the report may measure other content.
pub(super) fn outdated(
    site: &dyn Site,
    draft: &Reading,
    entries: &[Governed],
    written: Option<(i64, i64)>,
) -> Result<Option<String>> {
    let Some(written) = written else { return Ok(None) };
    let view = site.worktree()?;
    let mut files: BTreeSet<RepoPath> = draft.governed.iter().flat_map(|stamp| stamp.keys().cloned()).collect();
    // a reading of many files has no stamp
    for entry in entries.iter().filter(|_| draft.governed.is_none()) {
        files.extend(matches(&*view, entry)?.into_iter().map(|(path, _)| path));
    }
    let is_later = |path: &&RepoPath| view.file_stamp(path, None).is_some_and(|stamp| stamp.modified > written);
    Ok(files.iter().find(is_later).map(|path| format!("{path} was changed after the coverage file was written")))
}

pub(super) fn refuse_outdated(sentence: Option<&str>) -> Result<()> {
    match sentence {
        Some(sentence) => Err(Error::refused(sentence).because(Refusal::Stale).hint("measure again, then file")),
        None => Ok(()),
    }
}

impl Filing<'_> {
    /// Adds the whole run to the draft.
    ///
    /// # Errors
    /// As [`MeasuredRun::of`].
    pub(super) fn cover_whole(&mut self, reports: &[Coverage]) -> Result<()> {
        match MeasuredRun::of(self.site, &self.work.nodes, reports)? {
            Some(run) => self.cover(&run, run.measured.whole()),
            None => Ok(()),
        }
    }

    /// Adds the part of the run that is of this scenario to the draft. The undeclared files stand first, because the line of
    /// the reading may have no room for all.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    pub(super) fn cover(&mut self, run: &MeasuredRun<'_>, part: RunFiles) -> Result<()> {
        let (view, entries) = (self.site.worktree()?, governed(self.node, self.scenario));
        let mut files = BTreeSet::new();
        for entry in entries {
            files.extend(matches(&*view, entry)?.into_iter().map(|(path, _)| path));
        }
        let is_governed = |path: &RepoPath| files.contains(path) || entries.iter().any(|entry| entry.covers(path));
        let (known, mut ran): (Vec<_>, Vec<_>) = part.ran.into_iter().map(|file| file.path).partition(is_governed);
        let one = Declared { node: self.node, scenario: self.scenario };
        self.undeclared = undeclared_of(&*view, &self.work.config, one, &ran, &[])?;
        ran.sort_by_key(|path| self.undeclared.binary_search(path).is_err());
        ran.extend(known);
        self.never_ran = part.idle.into_iter().filter(is_governed).collect();
        self.draft.terms.coverage = Some(CoverageOf::bounded(run.formats.clone(), ran, part.loaded.len()));
        Ok(())
    }

    /// Advice about the run: the files that the scenario does not declare, and what the filed `reading` does not say of it.
    pub(super) fn coverage_advice(&self, outcome: FilingOutcome, reading: &Reading) -> Result<Vec<String>> {
        let Some(given) = &self.draft.terms.coverage else { return Ok(Vec::new()) };
        let line = Reading { evidence: reading.evidence.clone(), ..self.draft.clone() };
        let kept = as_written(&line)?.terms.coverage;
        if outcome == FilingOutcome::AlreadyFiled && reading.terms.coverage != kept {
            return Ok(vec!["filed already, and what ran was not added: a reading never changes".to_owned()]);
        }
        let omitted = given.ran.len() - kept.map_or(0, |kept| kept.ran.len());
        let omitted = (omitted > 0).then(|| {
            let files = plural(omitted, "file");
            format!("the reading does not name {files} that ran: its line would be too long")
        });
        let (rule, config) = (RuleId::UnderDeclared, &self.work.config);
        let is_said = !self.undeclared.is_empty() && config.level(rule, rule.default_level()).is_some();
        Ok(is_said.then(|| under_declared::sentence(&self.undeclared, 0)).into_iter().chain(omitted).collect())
    }
}
