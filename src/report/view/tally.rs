//! The state of each scenario, and the counts that the last line of a score says.

use super::score::{ReadingState, ScenarioRow};
use super::verdict::ShownVerdict;
use crate::text::plural;
use bstr::BString;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The state of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioStand {
    /// The directory of its node.
    pub dir: BString,
    /// Its name, as declared.
    pub name: String,
    /// The state of its latest reading.
    pub state: ReadingState,
    /// The verdict of that reading that counts, after budgets.
    pub verdict: Option<ShownVerdict>,
    /// The note on that verdict.
    pub note: Option<String>,
    /// The measured paths that moved since.
    pub moved: Vec<BString>,
    /// The files of its test that changed since, or the named test in them.
    pub test: Vec<BString>,
    /// The state in each environment that it lists, by its name.
    pub environments: Vec<(String, ScenarioStand)>,
}

/// The number of scenarios in each state. The verdicts are the ones that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreTally {
    /// Fresh and passed.
    pub pass: usize,
    /// Fresh and failed.
    pub fail: usize,
    /// Fresh, and filed before readings had verdicts.
    pub legacy: usize,
    /// Stale, with any verdict.
    pub stale: usize,
    /// Never measured.
    pub unmeasured: usize,
    /// Measured, but this clone cannot judge whether the reading is fresh.
    pub not_judged: usize,
    /// How many of the source files that have to be governed are; `None` if nobody asks.
    pub governed: Option<GovernedSources>,
}

/// How many of the source files that have to be governed are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GovernedSources {
    /// How many are governed.
    pub files: usize,
    /// How many have to be.
    pub of: usize,
}

impl std::fmt::Display for GovernedSources {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} governed", self.files, plural(self.of, "source file"))
    }
}

impl ScoreTally {
    /// Counts these scenarios.
    pub(crate) fn of<'a>(stands: impl Iterator<Item = &'a ScenarioStand>) -> Self {
        let mut tally = Self::default();
        stands.for_each(|stand| tally.count(&stand.state, stand.verdict));
        tally
    }

    /// Counts one more scenario.
    pub(crate) fn add(&mut self, row: &ScenarioRow) {
        self.count(&row.state, row.verdict());
    }

    /// The same by its state and its verdict.
    pub(crate) fn count(&mut self, state: &ReadingState, verdict: Option<ShownVerdict>) {
        let count = match (state, verdict) {
            (ReadingState::Fresh, Some(ShownVerdict::Pass)) => &mut self.pass,
            (ReadingState::Fresh, Some(ShownVerdict::Fail)) => &mut self.fail,
            (ReadingState::Fresh, Some(ShownVerdict::Legacy)) => &mut self.legacy,
            (ReadingState::Stale(_), _) => &mut self.stale,
            (ReadingState::NotJudged(_), _) => &mut self.not_judged,
            (ReadingState::Unmeasured, _) | (ReadingState::Fresh, None) => &mut self.unmeasured,
        };
        *count += 1;
    }

    /// The number of scenarios with a fresh reading.
    pub(crate) fn fresh(&self) -> usize {
        self.pass + self.fail + self.legacy
    }

    /// The number of all scenarios.
    pub(crate) fn all(&self) -> usize {
        self.fresh() + self.stale + self.unmeasured + self.not_judged
    }

    /// The counts as a line, for example `4 scenarios: 3 fresh ...`.
    pub(crate) fn sentence(&self) -> String {
        let Self { pass, fail, legacy, stale, unmeasured, not_judged, governed } = self;
        let legacy = if *legacy > 0 { format!(", {legacy} legacy") } else { String::new() };
        let unknown = if *not_judged > 0 { format!(", {not_judged} not judged") } else { String::new() };
        let speaks = format!("{}: {} fresh", plural(self.all(), "scenario"), self.fresh());
        let governed = governed.map(|governed| format!(" · {governed}")).unwrap_or_default();
        format!(
            "{speaks} ({pass} pass, {fail} fail{legacy}), {stale} stale, {unmeasured} unmeasured{unknown}{governed}"
        )
    }

    /// The same line; `None` without scenarios.
    pub(crate) fn line(&self) -> Option<String> {
        (self.all() > 0).then(|| self.sentence())
    }
}

impl<'a> FromIterator<&'a ScenarioRow> for ScoreTally {
    fn from_iter<I: IntoIterator<Item = &'a ScenarioRow>>(rows: I) -> Self {
        let mut tally = Self::default();
        rows.into_iter().for_each(|row| tally.add(row));
        tally
    }
}

impl Serialize for ScoreTally {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_struct("score", 8)?;
        object.serialize_field("scenarios", &self.all())?;
        object.serialize_field("fresh", &self.fresh())?;
        object.serialize_field("pass", &self.pass)?;
        object.serialize_field("fail", &self.fail)?;
        object.serialize_field("legacy", &self.legacy)?;
        object.serialize_field("stale", &self.stale)?;
        object.serialize_field("unmeasured", &self.unmeasured)?;
        object.serialize_field("notJudged", &self.not_judged)?;
        if let Some(governed) = &self.governed {
            object.serialize_field("governed", governed)?;
        }
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_says_every_number_and_the_rare_ones_only_where_there_are_any() {
        let (pass, fail, legacy) = (Some(ShownVerdict::Pass), Some(ShownVerdict::Fail), Some(ShownVerdict::Legacy));
        let (fresh, stale) = (ReadingState::Fresh, ReadingState::Stale(Vec::new()));
        let (none, unknown) = (ReadingState::Unmeasured, ReadingState::NotJudged(String::new()));
        let line = |stands: &[(&ReadingState, Option<ShownVerdict>)]| {
            let mut tally = ScoreTally::default();
            stands.iter().for_each(|(state, verdict)| tally.count(state, *verdict));
            tally.line()
        };
        assert_eq!(line(&[]), None);
        let one = line(&[(&fresh, pass)]);
        assert_eq!(one.as_deref(), Some("1 scenario: 1 fresh (1 pass, 0 fail), 0 stale, 0 unmeasured"));
        let all = [(&fresh, fail), (&fresh, legacy), (&stale, pass), (&none, None), (&unknown, fail)];
        let expected = "5 scenarios: 2 fresh (0 pass, 1 fail, 1 legacy), 1 stale, 1 unmeasured, 1 not judged";
        assert_eq!(line(&all).as_deref(), Some(expected));
    }
}
