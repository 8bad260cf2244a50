//! How a run goes on that was broken off: what its log says against what is on disk, where artifacts are trusted more than
//! events. Pure: a [`Story`], a profile and a [`PlanTarget`] in, the steps out, each with the event that it would append.
//! Whoever applies a plan and asks again is told of nothing more to append.

use super::PhaseRun;
use super::story::Story;
use crate::error::Result;
use crate::model::runlog::profile::{ArtifactRule, Headings, LogPosition, PhaseSpec, Profile};

/// The directory that a run works on, and what else may stand against its success.
pub trait PlanTarget {
    /// What of these rules does not hold there, one sentence each. Counts that the log names are none of its business.
    ///
    /// # Errors
    /// When it could not be looked at.
    fn lacking(&self, rules: &[ArtifactRule]) -> Result<Vec<String>>;

    /// How many lines of a file match; none where there is no such file.
    ///
    /// # Errors
    /// When it could not be looked at.
    fn headings(&self, headings: &Headings) -> Result<u64>;

    /// Why the run may not end with success whatever it left behind: its budget.
    ///
    /// # Errors
    /// When it could not be looked at.
    fn refusals(&self) -> Result<Vec<String>>;
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanAction {
    /// The log broke off behind its `_index`: the start of the run is missing.
    Start,
    /// An open phase left everything behind: its end is appended.
    CatchUp,
    /// An open phase lacks something: it is done again, its start stays.
    ReRun,
    /// A closed phase's artifacts are gone.
    Reopen,
    /// Nothing is open: this phase is next.
    Next,
    /// Every phase ended: the end of the run is appended.
    Finish,
    /// The run is over.
    Ended,
}

impl PlanAction {
    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::CatchUp => "catch-up",
            Self::ReRun => "re-run",
            Self::Reopen => "reopen",
            Self::Next => "next",
            Self::Finish => "finish",
            Self::Ended => "ended",
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// What it does.
    pub action: PlanAction,
    /// Of which phase; `None` where it is about the whole run.
    pub phase: Option<u32>,
    /// What is missing, one sentence each.
    pub missing: Vec<String>,
    /// What it appends.
    pub append: Option<PlanAppend>,
}

/// An event that a step appends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanAppend {
    /// The start of the run.
    RunStart,
    /// `phase_end`, with these counts.
    PhaseEnd {
        /// What is counted on disk.
        counts: Vec<(String, u64)>,
    },
    /// `phase_reopened`.
    Reopened,
    /// `error`, which is recoverable.
    Error,
    /// The end of the run, with success.
    RunEnd,
}

/// The plan of a log that has no errors, or lacks no more than the start of its run.
///
/// # Errors
/// When the target could not be looked at.
pub fn plan(story: &Story, profile: &Profile, target: &dyn PlanTarget) -> Result<Vec<PlanStep>> {
    if story.run.ended.is_some() {
        return Ok(vec![step(PlanAction::Ended, None, Vec::new())]);
    }
    let mut steps = Vec::new();
    if story.lacks_only_its_start() {
        let start = profile.at(LogPosition::Second);
        // who runs it, and on what, only the person who started it knows
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
    // The errors come last: by them the next plan tells what was said already, and they count only at the end of a log.
    planner.steps.sort_by_key(|step| step.append == Some(PlanAppend::Error));
    Ok(planner.steps)
}

/// What the end of a phase counts on disk, of what the end of the run will ask.
///
/// # Errors
/// When the target could not be looked at.
pub fn counts_of(profile: &Profile, phase: u32, target: &dyn PlanTarget) -> Result<Vec<(String, u64)>> {
    let mut counts = Vec::new();
    for (count, headings) in counted(profile) {
        if of_phase(profile, count) == Some(phase) {
            counts.push((count.to_owned(), target.headings(headings)?));
        }
    }
    Ok(counts)
}

/// What keeps a run whose phases all ended from ending with success; `counted` are the numbers that its log names.
///
/// # Errors
/// When the target could not be looked at.
pub fn end_lacks(profile: &Profile, named: &[Option<u64>], target: &dyn PlanTarget) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for ((count, headings), named) in counted(profile).zip(named) {
        missing.extend(miscounted(count, *named, headings, target)?);
    }
    missing.extend(target.lacking(&profile.end)?);
    missing.extend(target.refusals()?);
    Ok(missing)
}

/// Whether the end of a run of this kind says how it went.
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

/// The phase whose end names that count.
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
    /// What is open and complete ends, what is closed and incomplete opens.
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

    /// The error of a phase; nothing where the log cannot say it, or said it last.
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

    /// What comes after that.
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
            // those of a phase were looked at with the phase
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

/// Whether it was reopened and did not start again.
fn is_reopened(phase: &PhaseRun) -> bool {
    phase.ends > 0 && !phase.is_open() && !phase.is_closed()
}

#[cfg(test)]
mod tests;
