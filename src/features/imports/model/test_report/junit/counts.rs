//! Compares the failures that a suite counts with the failures in its cases. For example, a suite has `errors="1"` and no
//! failed case if the browser crashed. What a suite says of itself and is not understood counts as a failure, too.

use super::attributes::Attributes;
use crate::features::imports::model::test_report::CaseState;
use crate::text::escape::echo;
use crate::text::plural;

/// A suite while it is read.
#[derive(Default)]
pub(super) struct SuiteCounts {
    /// Its index in the report.
    pub(super) index: usize,
    /// The failures that it counts.
    counted: u64,
    /// The tests that it counts.
    tests: Option<u64>,
    /// Those of them that did not run.
    skips: u64,
    /// What it says of itself and is not understood, as a sentence.
    riddle: Option<String>,
    /// Whether its own status is a failure.
    is_failed: bool,
    own: Shown,
    /// Its own, and those of the suites within.
    all: Shown,
}

/// Cases, and the failures that they carry.
#[derive(Clone, Copy, Default)]
struct Shown {
    cases: u64,
    failures: u64,
}

impl SuiteCounts {
    pub(super) fn of(index: usize, attributes: &Attributes) -> Self {
        let of_count = |(key, text)| format!("its count of {key}, `{}`, is no number", echo(text));
        let of_status = |word| format!("its status `{}` is not known here", echo(word));
        Self {
            index,
            counted: attributes.failures(),
            tests: attributes.tests(),
            skips: attributes.skips(),
            riddle: attributes.unread_count().map(of_count).or_else(|| attributes.unknown_word().map(of_status)),
            is_failed: attributes.state() == CaseState::Failed,
            ..Self::default()
        }
    }

    /// Adds a case, or with no `cases` a failure of the suite itself.
    pub(super) fn add(&mut self, cases: u64, failures: u64) {
        for shown in [&mut self.own, &mut self.all] {
            shown.cases += cases;
            shown.failures += failures;
        }
    }

    /// Adds a suite within that has ended.
    pub(super) fn add_inner(&mut self, inner: &Self) {
        self.all.cases += inner.all.cases;
        // what an inner suite lacks is its fault, and not once more the one of this suite
        self.all.failures += inner.all.failures + inner.missing();
    }

    /// How many of the counted failures no case carries. Some writers count a suite without the suites within: there
    /// `tests` is the number of its own cases.
    fn missing(&self) -> u64 {
        let is_without_inner = self.tests == Some(self.own.cases) && self.own.cases < self.all.cases;
        self.counted.saturating_sub(if is_without_inner { self.own.failures } else { self.all.failures })
    }

    /// What the suite reports and no case carries; `None` if there is nothing. Some writers count tests that have no case of
    /// their own, for example the assertions of Catch2, but not in a suite without any case.
    pub(super) fn fault(&self) -> Option<String> {
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let lost = self.tests.unwrap_or_default().saturating_sub(self.skips);
        match self.missing() {
            0 if self.riddle.is_some() => self.riddle.clone(),
            0 if self.is_failed && self.all.failures == 0 => Some("its status is a failure".to_owned()),
            0 if lost > 0 && self.all.cases == 0 => {
                Some(format!("it counts {}, and has no case", plural(number(lost), "test")))
            }
            0 => None,
            missing => {
                let counted = plural(number(self.counted), "failure");
                Some(format!("it counts {counted}, and its cases lack {missing} of them"))
            }
        }
    }
}
