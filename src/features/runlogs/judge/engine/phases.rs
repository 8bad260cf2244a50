//! The markers of phases: the allowed order of starts and ends.

use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::event::LogEvent;
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::{FieldType, PHASE, Profile};
use crate::text::json::{Json, JsonValue};

/// The state of one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseRun {
    pub(crate) n: u32,
    /// The number of its starts.
    pub starts: u32,
    /// The number of its ends.
    pub ends: u32,
    /// The number of its reopenings.
    pub reopened: u32,
    pub(crate) started: Option<Moment>,
    pub(crate) ended: Option<Moment>,
}

impl PhaseRun {
    /// Whether it started and has not ended since.
    pub fn is_open(&self) -> bool {
        self.starts > self.ends
    }

    /// Whether it ended and is not open again.
    pub fn is_closed(&self) -> bool {
        self.ends > 0 && self.ends >= self.starts && self.reopened < self.ends
    }

    /// Every phase of a profile, before its start.
    pub(super) fn all(profile: &Profile) -> Vec<Self> {
        profile.phases.iter().map(|phase| Self { n: phase.n, ..Self::default() }).collect()
    }
}

/// The phase in a marker, as an index into the phases of the run.
pub(super) fn marked(phases: &[PhaseRun], event: &LogEvent<'_>, found: &mut Vec<Violation>) -> Option<usize> {
    let value = event.get(PHASE);
    let number = value.and_then(whole);
    let at = number.and_then(|number| phases.iter().position(|phase| i64::from(phase.n) == number));
    if at.is_none() {
        let known: Vec<String> = phases.iter().map(|phase| phase.n.to_string()).collect();
        let what = match value {
            None => "is missing".to_owned(),
            Some(_) if number.is_none() => format!("must be an integer, one of {}", known.join(", ")),
            Some(_) => format!("must be one of {}", known.join(", ")),
        };
        found.push(event.wrong(LogCode::BadPhase, value.map(|value| value.offset), format!("`{PHASE}` {what}")));
    }
    at
}

fn whole(value: &Json<'_>) -> Option<i64> {
    match value.value {
        JsonValue::Number(text) if FieldType::Integer.holds(&value.value) => text.parse().ok(),
        _ => None,
    }
}

pub(super) fn start(phases: &mut [PhaseRun], at: usize, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
    let phase = &phases[at];
    let n = phase.n;
    let mut wrong = |code, message: String| found.push(event.wrong(code, None, message));
    if phase.starts > phase.reopened {
        // not counted, because a counted start would use up a later reopening
        return wrong(LogCode::DuplicatePhaseStart, format!("phase {n} started before"));
    }
    if phase.starts == 0 {
        // a reopened phase may start inside another phase and after a greater one
        if let Some(open) = phases.iter().find(|phase| phase.is_open()) {
            wrong(LogCode::PhaseOverlap, format!("phase {n} starts while phase {} is open", open.n));
        }
        if let Some(later) = phases[at + 1..].iter().rev().find(|phase| phase.starts > 0) {
            wrong(LogCode::PhaseOrder, format!("phase {n} starts after phase {} did", later.n));
        }
    }
    phases[at].starts += 1;
}

pub(super) fn end(phase: &mut PhaseRun, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
    let n = phase.n;
    let mut wrong = |code, message: String| found.push(event.wrong(code, None, message));
    if phase.ends > phase.reopened {
        return wrong(LogCode::DuplicatePhaseEnd, format!("phase {n} ended before"));
    }
    if phase.starts <= phase.ends {
        let again = if phase.reopened > 0 { "again " } else { "" };
        wrong(LogCode::PhaseEndWithoutStart, format!("phase {n} ends and did not start {again}before"));
    }
    phase.ends += 1;
}

/// A phase is reopened; only an ended phase can be.
pub(super) fn reopen(phase: &mut PhaseRun, event: &LogEvent<'_>, found: &mut Vec<Violation>) {
    if phase.is_closed() {
        phase.reopened += 1;
    } else {
        let message = format!("phase {} is reopened and is not closed", phase.n);
        found.push(event.wrong(LogCode::PhaseOrder, None, message));
    }
}
