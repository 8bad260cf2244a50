//! The law of repeated runs (docs/evals.md, "What counts"): the newest runs of one content in one environment fill a window,
//! and the window decides. Runs and the rule in, a tally out; pure.

use crate::model::ledger::Status;
use crate::model::scenario::RunsRule;

/// The window of the newest runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) rule: RunsRule,
    /// How many runs are in the window.
    pub(crate) counted: u32,
    /// How many of these passed.
    pub(crate) pass: u32,
    /// How many runs of this content there are, in the window or older, as far as they were looked at.
    pub(crate) all: u64,
}

impl Tally {
    /// An empty window.
    pub(crate) fn of(rule: RunsRule) -> Self {
        Self { rule, counted: 0, pass: 0, all: 0 }
    }

    /// Takes in the next older reading with its runs, and returns whether part of it is in the window. Of a reading over the
    /// edge the window takes its share, passes rounded down: 3 of 4 runs with room for two are 1 of 2.
    pub(crate) fn take(&mut self, pass: u32, of: u32) -> bool {
        self.all += u64::from(of);
        let room = self.rule.of - self.counted;
        let counted = of.min(room);
        let share = u64::from(pass) * u64::from(counted) / u64::from(of.max(1));
        self.pass += u32::try_from(share).unwrap_or(counted);
        self.counted += counted;
        counted > 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.counted >= self.rule.of
    }

    pub(crate) fn fail(&self) -> u32 {
        self.counted - self.pass
    }

    /// What the runs decide, whatever older runs say; `None` if there are too few. A window never decides twice: enough passes
    /// leave too little room for enough fails.
    pub(crate) fn verdict(&self) -> Option<Status> {
        if self.pass >= self.rule.need {
            return Some(Status::Pass);
        }
        (self.fail() > self.rule.of - self.rule.need).then_some(Status::Fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after these readings, newest first: runs in it, passes, verdict.
    fn window(need: u32, of: u32, readings: &[(u32, u32)]) -> (u32, u32, Option<Status>) {
        let mut tally = Tally::of(RunsRule { of, need });
        readings.iter().for_each(|(pass, of)| {
            tally.take(*pass, *of);
        });
        (tally.counted, tally.pass, tally.verdict())
    }

    #[test]
    fn n2_enough_passes_or_too_many_fails_decide_and_one_of_them_does_in_a_full_window() {
        let (pass, fail) = (Some(Status::Pass), Some(Status::Fail));
        assert_eq!(window(8, 10, &[(8, 8)]), (8, 8, pass), "early");
        assert_eq!(window(8, 10, &[(0, 3)]), (3, 0, fail), "out of reach");
        assert_eq!(window(8, 10, &[(5, 7)]), (7, 5, None), "partial");
        assert_eq!(window(8, 10, &[(7, 10)]), (10, 7, fail));
        assert_eq!(window(10, 10, &[(9, 9)]).2, None);
        assert_eq!(window(10, 10, &[(9, 10)]).2, fail);
        assert_eq!((window(1, 1, &[(1, 1)]).2, window(1, 1, &[(0, 1)]).2, window(1, 1, &[]).2), (pass, fail, None));
        for (need, of) in [(1, 1), (1, 5), (3, 5), (5, 5)] {
            for passed in 0..=of {
                let verdict = if passed >= need { pass } else { fail };
                assert_eq!(window(need, of, &[(passed, of)]).2, verdict, "{passed} of {of}, {need} needed");
            }
        }
    }

    #[test]
    fn n3_a_reading_over_the_edge_gives_its_share_with_passes_rounded_down() {
        assert_eq!(window(3, 4, &[(2, 2), (3, 4)]), (4, 3, Some(Status::Pass)));
        assert_eq!(window(4, 4, &[(2, 2), (3, 4)]), (4, 3, Some(Status::Fail)));
        assert_eq!(window(2, 4, &[(0, 1), (99, 100)]), (4, 2, Some(Status::Pass)));
        assert_eq!(window(1, 4, &[(4, 4), (0, 100_000)]), (4, 4, Some(Status::Pass)), "older ones are outside");
    }
}
