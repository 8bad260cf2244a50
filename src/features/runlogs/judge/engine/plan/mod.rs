//! Plans how an interrupted run goes on. Compares its log with the files on disk and trusts artifacts more than events.
//! Pure: a [`Story`], a profile and a [`PlanTarget`] in; the steps out, each with the event that it would append. After a
//! plan is applied, the next plan appends nothing more.

use super::PhaseRun;
use super::story::Story;
use crate::error::Result;
use crate::features::runlogs::model::profile::{ArtifactRule, Headings, LogPosition, PhaseSpec, Profile};
use crate::text::spelled::spelled;

/// The directory of a run, with other conditions for its success.
pub trait PlanTarget {
    /// The unmet rules among `rules`, one sentence each. Counts in the log are not checked here.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn lacking(&self, rules: &[ArtifactRule]) -> Result<Vec<String>>;

    /// The number of matching lines of a file; 0 if the file does not exist.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn headings(&self, headings: &Headings) -> Result<u64>;

    /// Reasons other than files why the run may not end with success: its budget.
    ///
    /// # Errors
    /// They cannot be computed.
    fn refusals(&self) -> Result<Vec<String>>;
}

spelled! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PlanAction {
        /// The log broke off after its `_index`: the start of the run is missing.
        Start = "start",
        /// An open phase has all its artifacts: its end is appended.
        CatchUp = "catch-up",
        /// An open phase lacks something: it is done again, and its start stays.
        ReRun = "re-run",
        /// A closed phase has lost artifacts.
        Reopen = "reopen",
        /// No phase is open: this phase is next.
        Next = "next",
        /// Every phase ended: the end of the run is appended.
        Finish = "finish",
        /// The run is over.
        Ended = "ended",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    pub action: PlanAction,
    /// The phase; `None` for a step of the whole run.
    pub phase: Option<u32>,
    /// The missing things, one sentence each.
    pub missing: Vec<String>,
    pub append: Option<PlanAppend>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanAppend {
    RunStart,
    PhaseEnd {
        counts: Vec<(String, u64)>,
    },
    Reopened,
    /// `error`, marked as recoverable.
    Error,
    RunEnd,
}

/// The plan for a log that has no errors, or lacks only the start of its run.
///
/// # Errors
/// The target cannot be read.
pub fn plan(story: &Story, profile: &Profile, target: &dyn PlanTarget) -> Result<Vec<PlanStep>> {
    if story.run.ended.is_some() {
        return Ok(vec![step(PlanAction::Ended, None, Vec::new())]);
    }
    let mut steps = Vec::new();
    if story.lacks_only_its_start() {
        let start = profile.at(LogPosition::Second);
        // only the person who started the run knows the runner and the target
        let is_askable = start.is_some_and(|start| start.fields.iter().any(|field| field.required));
        let append = (!is_askable).then_some(PlanAppend::RunStart);
        steps.push(PlanStep { append, ..step(PlanAction::Start, None, Vec::new()) });
        if is_askable {
            return Ok(steps);
        }
    }
    let mut planner = Planner { story, profile, target, phases: story.run.phases.clone(), steps };
    planner.trust_artifacts()?;
    planner.go_on()?;
    planner.repeat_errors();
    // Errors come last: the next plan recognises already recorded errors only at the end of a log.
    planner.steps.sort_by_key(|step| step.append == Some(PlanAppend::Error));
    Ok(planner.steps)
}

/// The counts on disk for the end of a phase, as the end of the run will check them.
///
/// # Errors
/// The target cannot be read.
pub fn counts_of(profile: &Profile, phase: u32, target: &dyn PlanTarget) -> Result<Vec<(String, u64)>> {
    let mut counts = Vec::new();
    for (count, headings) in counted(profile) {
        if of_phase(profile, count) == Some(phase) {
            counts.push((count.to_owned(), target.headings(headings)?));
        }
    }
    Ok(counts)
}

/// The obstacles to ending a run with success after all phases ended; `named` are the counts in its log.
///
/// # Errors
/// The target cannot be read.
pub fn end_lacks(profile: &Profile, named: &[Option<u64>], target: &dyn PlanTarget) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for ((count, headings), named) in counted(profile).zip(named) {
        missing.extend(miscounted(count, *named, headings, target)?);
    }
    missing.extend(target.lacking(&profile.end)?);
    missing.extend(target.refusals()?);
    Ok(missing)
}

/// Whether the end of such a run has a status.
pub fn ends_with_status(profile: &Profile) -> bool {
    let end = profile.at(LogPosition::Last);
    end.is_some_and(|end| end.fields.iter().any(|field| field.name == "status"))
}

fn step(action: PlanAction, phase: Option<u32>, missing: Vec<String>) -> PlanStep {
    PlanStep { action, phase, missing, append: None }
}

/// The counts that the end of a run compares with a file: the last part of the field's name, and the file.
fn counted(profile: &Profile) -> impl Iterator<Item = (&str, &Headings)> {
    profile.end.iter().filter_map(|rule| match rule {
        ArtifactRule::Count { field, headings, .. } => Some((field.rsplit('.').next().unwrap_or(field), headings)),
        _ => None,
    })
}

/// The phase that names this count at its end.
fn of_phase(profile: &Profile, count: &str) -> Option<u32> {
    let names = |phase: &&PhaseSpec| phase.counts.iter().any(|one| one.name == count);
    profile.phases.iter().find(names).map(|phase| phase.n)
}

fn miscounted(count: &str, named: Option<u64>, headings: &Headings, target: &dyn PlanTarget) -> Result<Option<String>> {
    let found = target.headings(headings)?;
    let said = named.map_or("is not in the log".to_owned(), |named| format!("is {named} in the log"));
    let fits = named == Some(found);
    Ok((!fits).then(|| format!("{count} {said}, and {} has {found}", headings.file)))
}

struct Planner<'a> {
    story: &'a Story,
    profile: &'a Profile,
    target: &'a dyn PlanTarget,
    /// The phases as they will be after the steps so far.
    phases: Vec<PhaseRun>,
    steps: Vec<PlanStep>,
}

impl Planner<'_> {
    /// Ends complete open phases and reopens incomplete closed ones.
    fn trust_artifacts(&mut self) -> Result<()> {
        for (at, spec) in self.profile.phases.iter().enumerate() {
            let phase = self.phases[at].clone();
            if !phase.is_open() && !phase.is_closed() {
                continue;
            }
            let mut missing = self.target.lacking(&spec.requires)?;
            if phase.is_closed() {
                missing.extend(self.miscounts(spec.n)?);
            }
            match (phase.is_open(), missing.is_empty()) {
                (true, true) => {
                    let counts = counts_of(self.profile, spec.n, self.target)?;
                    self.phases[at].ends += 1;
                    self.push(PlanAction::CatchUp, spec.n, missing, Some(PlanAppend::PhaseEnd { counts }));
                }
                (true, false) => self.push(PlanAction::ReRun, spec.n, missing, self.error(spec.n)),
                (false, true) => {}
                (false, false) if self.story.declares_reopened => {
                    self.phases[at].reopened += 1;
                    self.push(PlanAction::Reopen, spec.n, missing, Some(PlanAppend::Reopened));
                }
                (false, false) => self.push(PlanAction::Reopen, spec.n, missing, self.error(spec.n)),
            }
        }
        Ok(())
    }

    fn miscounts(&self, phase: u32) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for ((count, headings), named) in counted(self.profile).zip(&self.story.counted) {
            if of_phase(self.profile, count) == Some(phase) {
                found.extend(miscounted(count, *named, headings, self.target)?);
            }
        }
        Ok(found)
    }

    /// The error of a phase; `None` if the log cannot record it, or already recorded it last.
    fn error(&self, phase: u32) -> Option<PlanAppend> {
        (self.story.declares_error && !self.story.told_errors.contains(&phase)).then_some(PlanAppend::Error)
    }

    /// An error that stands last in the log stands last no more when this plan appends something else. For example, phase 4
    /// is reopened behind the error of phase 5: without the error once more, the next plan would append it.
    fn repeat_errors(&mut self) {
        let grows =
            self.steps.iter().any(|step| step.append.as_ref().is_some_and(|append| *append != PlanAppend::Error));
        if grows && self.story.declares_error {
            let silent = |step: &&mut PlanStep| {
                step.append.is_none() && matches!(step.action, PlanAction::ReRun | PlanAction::Reopen)
            };
            self.steps.iter_mut().filter(silent).for_each(|step| step.append = Some(PlanAppend::Error));
        }
    }

    fn push(&mut self, action: PlanAction, phase: u32, missing: Vec<String>, append: Option<PlanAppend>) {
        self.steps.push(PlanStep { append, ..step(action, Some(phase), missing) });
    }

    /// Plans the steps that follow.
    fn go_on(&mut self) -> Result<()> {
        let reopened: Vec<u32> = self.phases.iter().filter(|phase| is_reopened(phase)).map(|phase| phase.n).collect();
        for n in reopened {
            let spec = self.profile.phase(n).map_or(&[][..], |spec| &spec.requires);
            let missing = self.target.lacking(spec)?;
            self.push(PlanAction::Next, n, missing, None);
        }
        let is_stuck =
            |step: &PlanStep| matches!(step.action, PlanAction::ReRun | PlanAction::Reopen | PlanAction::Next);
        if self.steps.iter().any(is_stuck) {
            return Ok(());
        }
        let last = self.phases.iter().rposition(|phase| phase.starts > 0);
        let next = last.map_or(0, |last| last + 1);
        let step = match self.phases.get(next) {
            Some(phase) => step(PlanAction::Next, Some(phase.n), Vec::new()),
            None if ends_with_status(self.profile) => self.finish()?,
            None => step(PlanAction::Next, None, Vec::new()),
        };
        self.steps.push(step);
        Ok(())
    }

    fn finish(&self) -> Result<PlanStep> {
        let passed = self.phases.iter().filter(|phase| !phase.is_closed());
        let mut missing: Vec<String> = passed
            .map(|phase| {
                format!("phase {} never started, and a later one did: the run can't end with success", phase.n)
            })
            .collect();
        for ((count, headings), named) in counted(self.profile).zip(&self.story.counted) {
            // counts of a phase were compared with the phase
            if of_phase(self.profile, count).is_none() {
                missing.extend(miscounted(count, *named, headings, self.target)?);
            }
        }
        missing.extend(self.target.lacking(&self.profile.end)?);
        missing.extend(self.target.refusals()?);
        let append = missing.is_empty().then_some(PlanAppend::RunEnd);
        Ok(PlanStep { append, ..step(PlanAction::Finish, None, missing) })
    }
}

/// Whether it was reopened and has not started again.
fn is_reopened(phase: &PhaseRun) -> bool {
    phase.ends > 0 && !phase.is_open() && !phase.is_closed()
}

#[cfg(test)]
mod tests;
