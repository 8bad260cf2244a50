//! `--coverage`: what the measured run went through, for the key of a reading. Advice alone: it refuses nothing but a report
//! that names no tracked file, and with `--strict` a report that is older than a governed file.

use super::shared_run::{MeasuredRun, SharedRun};
use crate::app::record::eval::as_written;
use crate::app::record::filing::{AskedReading, BegunStep, FiledCases, FilingAdvice, FilingStep};
use crate::app::site::Site;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::coverage::judge::undeclared::{sentence, undeclared_of};
use crate::features::coverage::model::reports::Coverage;
use crate::finding::RuleId;
use crate::model::governed::Governed;
use crate::model::ledger::{CoverageOf, Reading};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::report::view::receipt::FilingOutcome;
use crate::text::plural;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// `--coverage`, read.
pub(crate) struct GivenCoverage {
    pub reports: Vec<Coverage>,
    /// When the oldest file was written, in seconds and nanoseconds since 1970.
    pub written: Option<(i64, i64)>,
}

impl FilingStep for GivenCoverage {
    fn doubt(&self, asked: &AskedReading<'_>, draft: &Reading) -> Result<Option<String>> {
        outdated(asked.site, draft, governed(asked.one.node, asked.one.scenario), self.written)
    }

    fn begin<'s>(
        &'s self,
        site: &dyn Site,
        nodes: &[Node],
        cases: Option<&FiledCases<'_>>,
    ) -> Result<Option<Box<dyn BegunStep + 's>>> {
        let run = MeasuredRun::of(site, nodes, &self.reports)?;
        Ok(Some(Box::new(match cases {
            Some(cases) => SharedRun::of(run, &self.reports, cases),
            None => SharedRun::whole(run),
        })))
    }
}

/// Advice if a governed file changed after the oldest report was written: the report may measure other content.
fn outdated(
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

impl BegunStep for SharedRun<'_> {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn concerns(&self, number: usize) -> bool {
        self.has(number)
    }

    /// Adds the part of the run that is of this scenario to the draft. The undeclared files stand first, because the line of
    /// the reading may have no room for all.
    fn complete(&self, asked: &AskedReading<'_>, draft: &mut Reading) -> Result<Option<Box<dyn FilingAdvice>>> {
        let Some(part) = self.part(asked.number) else { return Ok(None) };
        let (view, entries) = (asked.site.worktree()?, governed(asked.one.node, asked.one.scenario));
        let mut files = BTreeSet::new();
        for entry in entries {
            files.extend(matches(&*view, entry)?.into_iter().map(|(path, _)| path));
        }
        let is_governed = |path: &RepoPath| files.contains(path) || entries.iter().any(|entry| entry.covers(path));
        let (known, mut ran): (Vec<_>, Vec<_>) = part.ran.into_iter().map(|file| file.path).partition(is_governed);
        let undeclared = undeclared_of(&*view, asked.config, asked.one, &ran)?;
        ran.sort_by_key(|path| undeclared.binary_search(path).is_err());
        ran.extend(known);
        let never_ran = part.idle.into_iter().filter(is_governed).collect();
        draft.terms.coverage = Some(CoverageOf::bounded(self.run.formats.clone(), ran, part.loaded.len()));
        let rule = RuleId::UnderDeclared;
        let is_said = !undeclared.is_empty() && asked.config.level(rule, rule.default_level()).is_some();
        let undeclared = if is_said { undeclared } else { Vec::new() };
        Ok(Some(Box::new(CoverageAdvice { undeclared, never_ran })))
    }
}

/// What is said about the run of a reading.
struct CoverageAdvice {
    /// The files that ran and that the scenario does not declare, sorted; none if the rule is off.
    undeclared: Vec<RepoPath>,
    /// The governed files that the reports name and that never ran.
    never_ran: Vec<RepoPath>,
}

impl FilingAdvice for CoverageAdvice {
    /// The files that the scenario does not declare, and what the filed `reading` does not say of the run.
    fn advice(&self, outcome: FilingOutcome, draft: &Reading, reading: &Reading) -> Result<Vec<String>> {
        let Some(given) = &draft.terms.coverage else { return Ok(Vec::new()) };
        let line = Reading { evidence: reading.evidence.clone(), ..draft.clone() };
        let kept = as_written(&line)?.terms.coverage;
        if outcome == FilingOutcome::AlreadyFiled && reading.terms.coverage != kept {
            return Ok(vec!["filed already, and what ran was not added: a reading never changes".to_owned()]);
        }
        let omitted = given.ran.len() - kept.map_or(0, |kept| kept.ran.len());
        let omitted = (omitted > 0).then(|| {
            let files = plural(omitted, "file");
            format!("the reading does not name {files} that ran: its line would be too long")
        });
        let undeclared = (!self.undeclared.is_empty()).then(|| sentence(&self.undeclared, 0));
        Ok(undeclared.into_iter().chain(omitted).collect())
    }

    fn details(&self) -> Vec<String> {
        self.never_ran.iter().map(|path| format!("declared, never ran: {path}")).collect()
    }
}
