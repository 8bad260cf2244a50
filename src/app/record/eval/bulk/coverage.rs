//! `--coverage` beside test reports: which part of the measured run each scenario gets.
//!
//! Where the coverage names tests, a scenario gets what its own cases ran. Without names one scenario gets the whole run, and
//! several get nothing. What is given to none is said.

use super::{BulkRequest, MAX_NAMED};
use crate::app::record::eval::covered::MeasuredRun;
use crate::engine::coverage::{CaseOwner, RunFiles, context_owners, names_no_tests, without_phase};
use crate::engine::import::{ImportFate, Matched};
use crate::text::escape::echo;
use crate::text::plural;
use crate::text::test_report::TestCase;
use std::collections::{BTreeMap, BTreeSet};

/// A measured run, and its part for each scenario.
pub(super) struct SharedRun<'r> {
    pub(super) run: MeasuredRun<'r>,
    /// By scenario, its contexts; `None`: the whole run.
    parts: BTreeMap<usize, Option<BTreeSet<usize>>>,
    /// Warnings about what is given to none.
    pub(super) warnings: Vec<String>,
}

impl<'r> SharedRun<'r> {
    pub(super) fn of(run: MeasuredRun<'r>, request: &BulkRequest, cases: &[TestCase], matched: &Matched) -> Self {
        let is_filed = |fate: &ImportFate| matches!(fate, ImportFate::Reading { .. });
        let filed: Vec<usize> =
            matched.fates.iter().filter(|(_, fate)| is_filed(fate)).map(|(target, _)| *target).collect();
        let mut shared = Self { run, parts: BTreeMap::new(), warnings: Vec::new() };
        let files = request.coverage.len();
        let names = || cases.iter().map(|case| &*case.name);
        let nameless = request.coverage.iter().filter(|report| names_no_tests(report, names())).count();
        let none = format!("given to none of {}", plural(filed.len(), "scenario"));
        match (&filed[..], nameless) {
            ([], _) => return shared,
            ([only], _) if nameless == files => {
                shared.parts.insert(*only, None);
                return shared;
            }
            (_, 0) => {}
            (_, _) if nameless == files => {
                shared.warnings.push(format!("coverage names no tests: {none}"));
                return shared;
            }
            (_, _) => {
                let some = format!("{nameless} of {}", plural(files, "coverage file"));
                shared.warnings.push(format!("{some} without names of tests: {none}"));
            }
        }
        if !shared.give(cases, matched, &filed) {
            shared.warnings.push(format!("coverage names no test that is a case of them: {none}"));
        }
        shared
    }

    /// Gives each scenario the contexts that fit its cases alone; `false` if no context fits any of them.
    fn give(&mut self, cases: &[TestCase], matched: &Matched, filed: &[usize]) -> bool {
        let named = owned(cases, matched);
        let mut owners = context_owners(&self.run.measured.contexts, &named);
        for target in filed {
            self.parts.extend(owners.own.remove(target).map(|contexts| (*target, Some(contexts))));
        }
        let name = |index: &usize| without_phase(&self.run.measured.contexts[*index].name);
        let names: BTreeSet<&str> = owners.shared.iter().map(name).collect();
        if !names.is_empty() {
            let more = names.len().saturating_sub(MAX_NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let first: Vec<_> = names.iter().take(MAX_NAMED).map(|name| echo(name)).collect();
            self.warnings.push(format!(
                "coverage of {}{more} is given to none: more than the cases of one scenario have this name",
                first.join(", ")
            ));
        }
        !self.parts.is_empty() || !names.is_empty()
    }

    /// The part of this scenario; `None` if it gets nothing.
    pub(super) fn part(&self, target: usize) -> Option<RunFiles> {
        let part = self.parts.get(&target)?;
        Some(part.as_ref().map_or_else(|| self.run.measured.whole(), |contexts| self.run.measured.of(contexts)))
    }
}

/// Every case with each scenario that it may measure, or with none.
fn owned<'c>(cases: &'c [TestCase], matched: &Matched) -> Vec<(&'c str, &'c str, CaseOwner)> {
    let of_fates =
        matched.fates.iter().flat_map(|(target, fate)| fate.cases().iter().map(|case| (*case, Some(*target))));
    let others = matched.unmatched.iter().map(|case| (*case, None));
    of_fates.chain(others).map(|(case, owner)| (&*cases[case].classname, &*cases[case].name, owner)).collect()
}
