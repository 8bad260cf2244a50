//! Checks the ends that a log records against the requirements of its profile.

use super::candidates::Candidate;
use crate::app::judge::Question;
use crate::app::judge::states::States;
use crate::error::Result;
use crate::features::goals::goal_settings;
use crate::features::runlogs::judge::change::UnmetEnd;
use crate::features::runlogs::judge::engine::artifacts::{Unmet, unmet};
use crate::features::runlogs::judge::engine::facts::{LogEnds, LogFacts, logs_of};
use crate::features::runlogs::judge::log_target::{TargetState, ViewTarget};
use crate::features::runlogs::model::place::{log_id, target_of};
use crate::features::runlogs::model::profile::{ArtifactRule, Profile};

/// An end that a log records.
pub(crate) struct RecordedEnd<'p> {
    /// The physical line of the end.
    pub(crate) line: u32,
    /// The ended thing, for messages: `the run` or `phase 2, build,`.
    pub(crate) what: String,
    /// The requirements of the profile for this end.
    pub(crate) rules: &'p [ArtifactRule],
    /// Whether it ends the whole run with success. A run over its budget may not end so.
    pub(crate) is_success: bool,
}

/// The ends that a log records.
pub(crate) fn asking<'p>(log: &LogFacts, profile: &'p Profile) -> Vec<RecordedEnd<'p>> {
    let phases = log.ends.phases.iter().filter_map(|(n, line)| {
        let phase = profile.phase(*n)?;
        let what = format!("phase {n}, {},", phase.name);
        Some(RecordedEnd { line: *line, what, rules: &phase.requires, is_success: false })
    });
    let success = |line| RecordedEnd { line, what: "the run".to_owned(), rules: &profile.end, is_success: true };
    phases.chain(log.ends.success.map(success)).collect()
}

/// The ends that the change adds and that lack a requirement. An uncheckable requirement is reported as advice.
pub(super) fn unmet_in(question: &Question<'_>, states: &States, candidates: &[Candidate]) -> Vec<UnmetEnd> {
    let snapshot = question.snapshot;
    if snapshot.bases.is_empty() {
        return Vec::new();
    }
    // loaded at most once for all logs, and only if a rule needs it
    let state = TargetState::of(question.repo, snapshot, &states.view.workspace.config);
    let mut found: Vec<UnmetEnd> = Vec::new();
    for log in logs_of(&states.view).iter().filter(|log| !log.run.newer) {
        let Some(candidate) = candidates.iter().find(|candidate| candidate.path == log.path) else { continue };
        let target = ViewTarget {
            state: &state,
            dir: target_of(&log.path),
            run: log.ends.run.clone().unwrap_or_else(|| log_id(&log.path)),
            settings: goal_settings(states),
            disk: question.repo.work_dir.as_deref().filter(|_| snapshot.tip.is_none()),
        };
        let of_log = |before: &&LogFacts| before.path == log.path || before.id == log.id;
        let known = states.bases.iter().flat_map(|base| logs_of(base).iter().filter(of_log));
        let known = known.map(|before| before.run.lines).max().unwrap_or(0);
        let asked = candidate.judges.iter().flat_map(|judge| asking(log, &judge.profile));
        for end in asked.filter(|end| end.line > known) {
            let unmet = target.lacks(&end, &log.ends).unwrap_or_else(|error| vec![Unmet::unknown(&error)]);
            let RecordedEnd { line, what, .. } = end;
            if !unmet.is_empty() && found.iter().all(|end| end.path != log.path || end.line != line) {
                found.push(UnmetEnd { path: log.path.clone(), line, what, unmet });
            }
        }
    }
    found
}

impl ViewTarget<'_> {
    /// The unmet requirements of an end in a view, the budget of its run included.
    pub(crate) fn lacks(&self, end: &RecordedEnd<'_>, told: &LogEnds) -> Result<Vec<Unmet>> {
        let mut lacks = unmet(end.rules, self, told)?;
        if end.is_success {
            lacks.extend(self.refusals()?);
        }
        Ok(lacks)
    }
}
