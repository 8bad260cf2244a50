//! `--coverage` beside test reports: which part of the measured run each scenario gets.
//!
//! Where the coverage names tests, a scenario gets what its own cases ran. Without names one scenario gets the whole run, and
//! several get nothing. What is given to none is said.

use crate::app::record::filing::{CaseName, FiledCases};
use crate::app::site::Site;
use crate::error::Result;
use crate::features::coverage::judge::ground::CoverageGround;
use crate::features::coverage::judge::measured::{
    CaseOwner, Measured, RunFiles, context_owners, measured, names_no_tests, without_phase,
};
use crate::features::coverage::model::reports::Coverage;
use crate::model::node::Node;
use crate::text::escape::echo;
use crate::text::{first_of, plural};
use std::collections::{BTreeMap, BTreeSet};

/// How many tests a warning names.
const MAX_NAMED: usize = 20;

/// A run that all reports measured together.
pub(crate) struct MeasuredRun<'r> {
    measured: Measured<'r>,
    /// The formats of the reports, for example `go,lcov`.
    pub(crate) formats: String,
}

impl<'r> MeasuredRun<'r> {
    /// Judges the reports against the work tree.
    ///
    /// # Errors
    /// Refused if a report names no tracked file.
    pub(crate) fn of(site: &dyn Site, nodes: &[Node], reports: &'r [Coverage]) -> Result<Self> {
        let measured = measured(reports, &CoverageGround::of(site, nodes)?, &site.here())?;
        let formats: BTreeSet<&str> = reports.iter().map(|report| report.format.as_str()).collect();
        Ok(Self { measured, formats: formats.into_iter().collect::<Vec<_>>().join(",") })
    }
}

/// A measured run, and its part for each scenario.
pub(crate) struct SharedRun<'r> {
    pub(crate) run: MeasuredRun<'r>,
    /// By scenario, its contexts; `None`: the whole run.
    parts: BTreeMap<usize, Option<BTreeSet<usize>>>,
    /// Warnings about what is given to none.
    pub(crate) warnings: Vec<String>,
}

impl<'r> SharedRun<'r> {
    /// The whole run for the one reading that is filed by hand.
    pub(crate) fn whole(run: MeasuredRun<'r>) -> Self {
        Self { run, parts: BTreeMap::from([(0, None)]), warnings: Vec::new() }
    }

    pub(crate) fn of(run: MeasuredRun<'r>, reports: &[Coverage], given: &FiledCases<'_>) -> Self {
        let filed = &given.filed;
        let mut shared = Self { run, parts: BTreeMap::new(), warnings: Vec::new() };
        let files = reports.len();
        let names = || given.cases.iter().map(|case| case.name);
        let nameless = reports.iter().filter(|report| names_no_tests(report, names())).count();
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
        if !shared.give(given) {
            shared.warnings.push(format!("coverage names no test that is a case of them: {none}"));
        }
        shared
    }

    /// Gives each scenario the contexts that fit its cases alone; `false` if no context fits any of them.
    fn give(&mut self, given: &FiledCases<'_>) -> bool {
        let named = owned(given);
        let mut owners = context_owners(&self.run.measured.contexts, &named);
        for target in &given.filed {
            self.parts.extend(owners.own.remove(target).map(|contexts| (*target, Some(contexts))));
        }
        let name = |index: &usize| without_phase(&self.run.measured.contexts[*index].name);
        let names: BTreeSet<&str> = owners.shared.iter().map(name).collect();
        if !names.is_empty() {
            self.warnings.push(format!(
                "coverage of {} is given to none: more than the cases of one scenario have this name",
                first_of(names.iter().map(|name| echo(name)), MAX_NAMED)
            ));
        }
        !self.parts.is_empty() || !names.is_empty()
    }

    /// Whether this scenario gets a part.
    pub(crate) fn has(&self, target: usize) -> bool {
        self.parts.contains_key(&target)
    }

    /// The part of this scenario; `None` if it gets nothing.
    pub(crate) fn part(&self, target: usize) -> Option<RunFiles> {
        let part = self.parts.get(&target)?;
        Some(part.as_ref().map_or_else(|| self.run.measured.whole(), |contexts| self.run.measured.of(contexts)))
    }
}

/// Every case with each scenario that it may measure, or with none.
fn owned<'c>(given: &FiledCases<'c>) -> Vec<(&'c str, &'c str, CaseOwner)> {
    let case = |(index, owner): &(usize, Option<usize>)| {
        let CaseName { classname, name } = given.cases[*index];
        (classname, name, *owner)
    };
    given.owners.iter().map(case).collect()
}
