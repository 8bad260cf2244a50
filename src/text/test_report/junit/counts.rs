//! Compares the failures that a suite counts with the failures in its cases. For example, a suite has `errors="1"` and no
//! failed case if the browser crashed.

use super::attributes::Attributes;
use crate::text::plural;
use crate::text::test_report::CaseState;

/// A suite while it is read.
#[derive(Default)]
pub(super) struct SuiteCounts {
    /// Its index in the report.
    pub(super) index: usize,
    /// The failures that it counts.
    counted: u64,
    /// The tests that it counts.
    tests: Option<u64>,
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
        let is_failed = attributes.state() == CaseState::Failed;
        Self { index, counted: attributes.failures(), tests: attributes.tests(), is_failed, ..Self::default() }
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

    /// What the suite reports and no case carries; `None` if there is nothing.
    pub(super) fn fault(&self) -> Option<String> {
        let counted = usize::try_from(self.counted).unwrap_or(usize::MAX);
        match self.missing() {
            0 => (self.is_failed && self.all.failures == 0).then(|| "its status is a failure".to_owned()),
            missing => Some(format!("it counts {}, and its cases lack {missing} of them", plural(counted, "failure"))),
        }
    }
}
