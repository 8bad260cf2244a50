//! Finds the results of evals that measure a scenario: the results that name it, and the results with the name of its test as
//! description. In: the cases of suites that say who was asked what. Out: cases, or why they are ambiguous. Pure.

use super::{ImportFate, ImportTarget, is_in_view};
use crate::features::imports::model::test_report::TestReport;
use crate::text::escape::echo;
use std::collections::{BTreeSet, HashMap};

/// The results of the reports, by what they measure.
pub(super) struct EvalResults<'r> {
    /// The results that name a scenario, by the number of its first environment.
    named: HashMap<usize, Vec<usize>>,
    /// The other results, by their description.
    called: HashMap<&'r str, Vec<usize>>,
    /// How many scenarios have a test of this name.
    tests: HashMap<&'r str, usize>,
}

impl<'r> EvalResults<'r> {
    /// `None` if the reports are no results of evals.
    pub(super) fn of(report: &'r TestReport, targets: &'r [ImportTarget]) -> Option<Self> {
        let mut all = Self { named: HashMap::new(), called: HashMap::new(), tests: HashMap::new() };
        let mut is_any = false;
        for (index, case) in report.cases.iter().enumerate() {
            let Some(asked) = report.asked(index) else { continue };
            is_any = true;
            match asked.target {
                Some(target) => all.named.entry(target).or_default().push(index),
                None => all.called.entry(case.name.as_str()).or_default().push(index),
            }
        }
        for (at, target) in targets.iter().enumerate() {
            // a scenario with several environments is one
            let is_first = targets[..at].last().is_none_or(|before| !target.is_beside(before));
            if let Some(name) = target.test_name().filter(|_| is_first) {
                *all.tests.entry(name).or_default() += 1;
            }
        }
        is_any.then_some(all)
    }

    /// The results of a scenario; `first` is the number of its first environment.
    pub(super) fn of_scenario(&self, first: usize, target: &ImportTarget) -> Result<BTreeSet<usize>, ImportFate> {
        let mut found: BTreeSet<usize> = self.named.get(&first).into_iter().flatten().copied().collect();
        let Some(name) = target.test_name() else { return Ok(found) };
        let called = self.called.get(name).map_or(&[][..], Vec::as_slice);
        match self.tests.get(name) {
            Some(2..) if !called.is_empty() => {
                let why = format!("several scenarios have a test `{}`: name one in `metadata.yatsu`", echo(name));
                Err(ImportFate::Ambiguous { why, cases: called.to_vec() })
            }
            _ => {
                found.extend(called);
                Ok(found)
            }
        }
    }
}

impl ImportTarget {
    /// The name of its test, if the file of it is there.
    fn test_name(&self) -> Option<&str> {
        let (path, name) = self.test.as_ref()?;
        name.as_deref().map(str::trim).filter(|_| is_in_view(path))
    }
}

/// Why the results of one environment are not runs of one thing: another provider or another prompt gives other answers.
pub(super) fn unlike(report: &TestReport, found: &BTreeSet<usize>) -> Option<String> {
    let mut asked = found.iter().filter_map(|case| report.asked(*case));
    let first = asked.next()?;
    asked.find_map(|other| {
        let (what, key) = match (other.provider == first.provider, other.prompt == first.prompt) {
            (false, _) => ("providers", "`env` in the scenario tells them apart"),
            (true, false) => ("prompts", "give each a scenario of its own"),
            (true, true) => return None,
        };
        Some(format!("its results are of several {what}: {key}"))
    })
}
