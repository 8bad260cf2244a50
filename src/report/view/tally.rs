//! How many scenarios stand how, as the last line of a score says it.

use super::score::{ReadingState, ScenarioRow};
use super::verdict::ShownVerdict;

/// How many scenarios stand how. Verdicts are those that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScoreTally {
    /// Fresh and passed.
    pub pass: usize,
    /// Fresh and failed.
    pub fail: usize,
    /// Fresh, from before readings had verdicts.
    pub legacy: usize,
    /// Stale, whatever was measured.
    pub stale: usize,
    /// Never measured.
    pub unmeasured: usize,
    /// Measured, and git cannot tell whether that still speaks.
    pub not_judged: usize,
}

impl ScoreTally {
    /// Counts one more.
    pub(crate) fn add(&mut self, row: &ScenarioRow) {
        let verdict = row.readings.first().map(super::score::ReadingRow::effective);
        let count = match (&row.state, verdict) {
            (ReadingState::Fresh, Some(ShownVerdict::Pass)) => &mut self.pass,
            (ReadingState::Fresh, Some(ShownVerdict::Fail)) => &mut self.fail,
            (ReadingState::Fresh, Some(ShownVerdict::Legacy)) => &mut self.legacy,
            (ReadingState::Stale(_), _) => &mut self.stale,
            (ReadingState::NotJudged(_), _) => &mut self.not_judged,
            (ReadingState::Unmeasured, _) | (ReadingState::Fresh, None) => &mut self.unmeasured,
        };
        *count += 1;
    }

    /// Those whose latest reading speaks.
    pub(crate) fn fresh(&self) -> usize {
        self.pass + self.fail + self.legacy
    }

    /// All of them.
    pub(crate) fn all(&self) -> usize {
        self.fresh() + self.stale + self.unmeasured + self.not_judged
    }

    /// The line that says all this.
    pub(crate) fn sentence(&self) -> String {
        let Self { pass, fail, legacy, stale, unmeasured, not_judged } = self;
        let legacy = if *legacy > 0 { format!(", {legacy} legacy") } else { String::new() };
        let unknown = if *not_judged > 0 { format!(", {not_judged} not judged") } else { String::new() };
        format!(
            "{}: {} fresh ({pass} pass, {fail} fail{legacy}), {stale} stale, {unmeasured} unmeasured{unknown}",
            crate::text::plural(self.all(), "scenario"),
            self.fresh()
        )
    }
}
