//! Matches test cases of reports to scenarios and combines their results. In: cases, the files that may contain them,
//! scenarios with their tests. Out: a fate for every scenario. Pure; files nothing.
//!
//! An ambiguous case is not filed: a case of the same name elsewhere, a skipped case, a pass at the second try. A pass is
//! not filed beside a failure that belongs to its file, its package or its suite, and to no test ([`broken`]).

mod broken;
mod fate;
mod names;
mod near;
pub(crate) mod place;
pub(crate) mod reason;
mod results;
mod rounds;
pub(crate) mod transcript;

#[cfg(test)]
mod tests;

pub(crate) use fate::{CaseIndexes, FlakyMeans, ImportFate};
pub(crate) use near::near_names;

use crate::features::imports::model::test_report::{CaseState, TestCase, TestReport};
use crate::model::governed::{Found, Governed};
use crate::model::ledger::Status;
use crate::tree::path::RepoPath;
use broken::Broken;
use fate::decide;
use names::{asked, folded, is_like, within, without_parameters};
use place::{CasePlace, PlacedCase, Places, TestGround, in_program};
use results::EvalResults;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The parts of a scenario that are needed to find its cases.
#[derive(Clone, Debug)]
pub(crate) struct ImportTarget {
    pub(crate) name: String,
    /// Its runnable file, resolved in the view, and the name of the test in it.
    pub(crate) test: Option<(Governed, Option<String>)>,
    /// Whether it passes if some of its cases, but not all, were skipped.
    pub(crate) skips: bool,
    /// Whether its runs are counted.
    pub(crate) runs: bool,
    /// The environment that is filed for; `None` if the scenario lists none.
    pub(crate) place: Option<TargetPlace>,
    /// Whether to import it. Other scenarios are listed so that their names are recognised as taken.
    pub(crate) wanted: bool,
}

/// One of the environments of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct TargetPlace {
    /// The number of the scenario among all declared ones.
    pub(crate) declared: usize,
    /// The environment itself.
    pub(crate) env: String,
    /// All environments of the scenario.
    pub(crate) all: Vec<String>,
    /// The one that was typed, for cases that name none.
    pub(crate) typed: Option<String>,
}

impl TargetPlace {
    /// Whether a case ran there: by what its report says, else by what was typed. A report of several places needs no such word.
    fn has(&self, report: &TestReport, many: &HashSet<usize>, case: usize) -> bool {
        let suite = report.cases[case].suite;
        match report.host_of(suite).filter(|host| self.all.iter().any(|env| env == host)) {
            Some(host) => host == self.env,
            None => self.typed.as_ref() == Some(&self.env) && !many.contains(&report.file_of(suite)),
        }
    }
}

/// A line of a map: matching cases measure this scenario. `*` matches any text.
#[derive(Clone, Debug)]
pub(crate) struct MappedCase {
    /// The file, as the report or the repository spells it; `None` matches any.
    pub(crate) file: Option<String>,
    /// The class, as the report spells it; `None` matches any.
    pub(crate) classname: Option<String>,
    pub(crate) name: String,
    /// Its scenario, by the first of its environments.
    pub(crate) target: usize,
}

#[derive(Debug)]
pub(crate) struct Matched {
    /// The fate of each wanted scenario, by its index.
    pub(crate) fates: BTreeMap<usize, ImportFate>,
    pub(crate) unmatched: CaseIndexes,
    /// The lines of the map that match no case.
    pub(crate) idle: Vec<usize>,
}

/// Finds the cases of every scenario and their results.
pub(crate) fn matched(
    report: &TestReport,
    ground: &TestGround,
    targets: &[ImportTarget],
    map: &[MappedCase],
    flaky: Option<FlakyMeans>,
) -> Matched {
    let places = Places::new(ground);
    let table = CaseTable::new(report, &places);
    let results = EvalResults::of(report, targets);
    let broken = Broken::of(report, &table.placed, &places);
    let many = report.files_of_many_hosts();
    let mapped: Vec<CaseIndexes> = map.iter().map(|line| table.like(line)).collect();
    let mut fates = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().filter(|(_, target)| target.wanted) {
        // the environments of one scenario stand in a row
        let first = targets[..index].iter().rposition(|other| !target.is_beside(other)).map_or(0, |other| other + 1);
        let lines = || map.iter().zip(&mapped).filter(|(line, _)| line.target == first);
        let found = match (&target.test, &results) {
            _ if lines().next().is_some() => Ok(lines().flat_map(|(_, cases)| cases).copied().collect()),
            (_, Some(results)) => results.of_scenario(first, target),
            (Some((path, name)), None) => table.of_test(path, name.as_deref()),
            (None, None) => table.of_name(&target.name, targets),
        };
        let decided = found.map(|found: BTreeSet<usize>| target.fate(report, &many, found, flaky));
        let fate = match decided.unwrap_or_else(|ambiguous| ambiguous) {
            ImportFate::Runs { rounds, cases } if rounds.iter().any(|one| one.pass > 0) => {
                match broken.reason(report, &table.placed, target.test.as_ref(), &cases) {
                    Some(why) => ImportFate::Skipped { why, cases },
                    None => ImportFate::Runs { rounds, cases },
                }
            }
            ImportFate::Reading { status: Status::Pass, cases } => {
                match broken.reason(report, &table.placed, target.test.as_ref(), &cases) {
                    Some(why) => ImportFate::Skipped { why, cases },
                    None => ImportFate::Reading { status: Status::Pass, cases },
                }
            }
            other => other,
        };
        fates.insert(index, fate);
    }
    let used: BTreeSet<usize> = fates.values().flat_map(ImportFate::cases).copied().collect();
    let unmatched = (0..report.cases.len()).filter(|case| !used.contains(case)).collect();
    let idle = mapped.iter().enumerate().filter(|(_, cases)| cases.is_empty()).map(|(line, _)| line).collect();
    Matched { fates, unmatched, idle }
}

impl ImportTarget {
    /// Whether both are environments of one scenario.
    fn is_beside(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (&self.place, &other.place) else { return false };
        one.declared == two.declared
    }

    /// What becomes of the cases that were found.
    fn fate(
        &self,
        report: &TestReport,
        many: &HashSet<usize>,
        mut found: BTreeSet<usize>,
        flaky: Option<FlakyMeans>,
    ) -> ImportFate {
        if let Some(place) = &self.place {
            let all: CaseIndexes = found.iter().copied().collect();
            found.retain(|case| place.has(report, many, *case));
            if found.is_empty() && !all.is_empty() {
                let why = format!("its cases are not said to have run in {}: --env says where", place.env);
                return ImportFate::Skipped { why, cases: all };
            }
        }
        if let Some(why) = results::unlike(report, &found) {
            return ImportFate::Ambiguous { why, cases: found.into_iter().collect() };
        }
        if !self.runs {
            return decide(&report.cases, found, flaky, self.skips);
        }
        let cases: CaseIndexes = found.iter().copied().collect();
        // a result of an eval without an answer of its own is no run; a skipped test is a gap in one
        found.retain(|case| report.asked(*case).is_none() || report.cases[*case].state != CaseState::Skipped);
        if found.is_empty() && !cases.is_empty() {
            return ImportFate::Skipped { why: "no result of it is a run".to_owned(), cases };
        }
        match rounds::counted(report, many, &found, flaky.unwrap_or(FlakyMeans::Fail), self.skips) {
            Ok(_) if cases.is_empty() => ImportFate::Unmatched,
            Ok(rounds) => ImportFate::Runs { rounds, cases },
            Err(why) => ImportFate::Skipped { why, cases },
        }
    }
}

/// The display name of the place of each case: its file in this repository if that is known, otherwise its class or suite.
/// Never a path of the machine that ran the tests.
pub(crate) fn case_place(ground: &TestGround, report: &TestReport) -> Vec<String> {
    let places = Places::new(ground);
    let called = |case: &TestCase| match places.of(report, case).place {
        CasePlace::Files(files) if files.len() == 1 => files[0].to_string(),
        _ if !case.classname.trim().is_empty() => case.classname.trim().to_owned(),
        _ => report.suite_names(case.suite).next().unwrap_or_default().to_owned(),
    };
    report.cases.iter().map(called).collect()
}

/// Every case, by its names and its place.
struct CaseTable<'c> {
    report: &'c TestReport,
    cases: &'c [TestCase],
    placed: Vec<PlacedCase>,
    /// Cases by every form of their name; the flag is true if the form is the whole name, without parameters removed.
    named: HashMap<String, Vec<(usize, bool)>>,
    by_file: HashMap<RepoPath, CaseIndexes>,
    by_package: HashMap<RepoPath, CaseIndexes>,
}

impl<'c> CaseTable<'c> {
    fn new(report: &'c TestReport, places: &Places<'c>) -> Self {
        let cases = &report.cases[..];
        let placed: Vec<PlacedCase> = cases.iter().map(|case| places.of(report, case)).collect();
        let (named, by_file, by_package) = Default::default();
        let mut table = Self { report, cases, placed, named, by_file, by_package };
        for index in 0..cases.len() {
            for (form, is_whole) in table.forms(index) {
                let known = table.named.entry(form).or_default();
                if known.last() != Some(&(index, is_whole)) {
                    known.push((index, is_whole));
                }
            }
            match &table.placed[index].place {
                CasePlace::Files(files) => {
                    files.iter().for_each(|file| table.by_file.entry(file.clone()).or_default().push(index));
                }
                CasePlace::Package(dir) => table.by_package.entry(dir.clone()).or_default().push(index),
                CasePlace::Unsaid | CasePlace::Elsewhere => {}
            }
        }
        table
    }

    /// Every form of a case's name: alone, in its class, in its suite, with and without its parameters.
    fn forms(&self, index: usize) -> Vec<(String, bool)> {
        let (case, placed) = (&self.cases[index], &self.placed[index]);
        let suite = self.report.suite_names(case.suite).next().unwrap_or_default();
        let mut names = vec![(case.name.as_str(), true), (placed.name.as_str(), true)];
        names.extend(without_parameters(&placed.name).into_iter().map(|base| (base, false)));
        if matches!(placed.place, CasePlace::Package(_)) || in_program(case.classname.trim(), suite).is_some() {
            // in Go a test includes its subtests, in Catch2 its sections
            names.extend(placed.name.match_indices('/').map(|(at, _)| (&placed.name[..at], false)));
        }
        let mut forms = Vec::new();
        for (name, is_whole) in names {
            let all = [folded(name), within(&placed.class, name), within(&case.classname, name), within(suite, name)];
            for form in all {
                if !forms.contains(&(form.clone(), is_whole)) {
                    forms.push((form, is_whole));
                }
            }
        }
        forms
    }

    /// The cases that match a line of the map.
    fn like(&self, line: &MappedCase) -> CaseIndexes {
        let is_in = |index: usize, pattern: &String| {
            let pattern = pattern.replace('\\', "/");
            let ours = match &self.placed[index].place {
                CasePlace::Files(files) => files.iter().any(|file| is_like(&pattern, &file.to_string())),
                _ => false,
            };
            ours || self.cases[index].file.as_ref().is_some_and(|file| is_like(&pattern, &file.replace('\\', "/")))
        };
        let is_of = |index: usize, pattern: &String| is_like(pattern.trim(), self.cases[index].classname.trim());
        let is_called = |index: usize| is_like(&folded(&line.name), &folded(&self.cases[index].name));
        let all = 0..self.cases.len();
        let called = all.filter(|index| is_called(*index));
        let within = called.filter(|index| line.file.as_ref().is_none_or(|file| is_in(*index, file)));
        within.filter(|index| line.classname.as_ref().is_none_or(|class| is_of(*index, class))).collect()
    }

    /// The cases of `test: PATH`, or of the named test in it.
    fn of_test(&self, path: &Governed, name: Option<&str>) -> Result<BTreeSet<usize>, ImportFate> {
        if !is_in_view(path) {
            return Ok(BTreeSet::new());
        }
        let found: Vec<usize> = match name {
            None => self.in_path(path),
            Some(name) => self.called(name).into_iter().filter(|case| self.may_lie_in(*case, path)).collect(),
        };
        if let Some(open) = found.iter().find_map(|case| self.open_places(*case, path)) {
            return Err(ImportFate::Ambiguous { why: open, cases: found });
        }
        let is_unsaid = |case: &&usize| self.placed[**case].place == CasePlace::Unsaid;
        let unsaid: Vec<usize> = found.iter().filter(is_unsaid).copied().collect();
        if let Some(twin) = unsaid.iter().find(|case| self.twins(**case) > 1) {
            let why = format!(
                "{} cases are called `{}`, and the report does not say where they lie",
                self.twins(*twin),
                self.cases[*twin].name.trim()
            );
            return Err(ImportFate::Ambiguous { why, cases: found });
        }
        Ok(found.into_iter().collect())
    }

    /// The cases in a path. A case without a known place is not in any path: otherwise a report about other files would
    /// count for this one.
    fn in_path(&self, path: &Governed) -> Vec<usize> {
        let files = self.by_file.iter().filter(|(file, _)| path.covers(file)).flat_map(|(_, cases)| cases);
        let packages = self.by_package.iter().filter(|(dir, _)| covers_package(path, dir));
        let packages = packages.flat_map(|(_, cases)| cases);
        let mut all: Vec<usize> = files.chain(packages).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn may_lie_in(&self, case: usize, path: &Governed) -> bool {
        match &self.placed[case].place {
            CasePlace::Files(files) => files.iter().any(|file| path.covers(file)),
            CasePlace::Package(dir) => covers_package(path, dir),
            CasePlace::Unsaid => true,
            CasePlace::Elsewhere => false,
        }
    }

    /// The reason why it is open whether a case is in `path`; `None` if it is. Files that differ only in their extension
    /// count as the same.
    fn open_places(&self, case: usize, path: &Governed) -> Option<String> {
        let CasePlace::Files(files) = &self.placed[case].place else { return None };
        let other = files.iter().find(|file| !path.covers(file) && !is_beside(file, path))?;
        let said = self.cases[case].file.as_ref().unwrap_or(&self.cases[case].classname);
        Some(format!("`{}` may be {} or {other}", said.trim(), path.path.as_ref().ok()?))
    }

    /// The cases of this name. A name without parameters matches with any parameters.
    fn called(&self, name: &str) -> BTreeSet<usize> {
        let has_parameters = !without_parameters(name).is_empty();
        let named = asked(name).into_iter().filter_map(|form| self.named.get(&form)).flatten();
        named.filter(|(_, is_whole)| *is_whole || !has_parameters).map(|(case, _)| *case).collect()
    }

    /// The number of cases with exactly the name of this one.
    fn twins(&self, case: usize) -> usize {
        let own = folded(&self.cases[case].name);
        let named = self.named.get(&own).map_or(&[][..], Vec::as_slice);
        named.iter().filter(|(other, _)| folded(&self.cases[*other].name) == own).count().max(1)
    }

    /// The only case with the name of a scenario without a test, provided that only one scenario has this name.
    fn of_name(&self, name: &str, targets: &[ImportTarget]) -> Result<BTreeSet<usize>, ImportFate> {
        let named = asked(name).into_iter().filter_map(|form| self.named.get(&form)).flatten();
        let found: BTreeSet<usize> = named.filter(|(_, is_whole)| *is_whole).map(|(case, _)| *case).collect();
        let is_namesake = |target: &&ImportTarget| target.test.is_none() && folded(&target.name) == folded(name);
        // a scenario with several environments is one
        let others = |at: usize| targets[..at].last().is_none_or(|before| !targets[at].is_beside(before));
        let scenarios = (0..targets.len()).filter(|at| is_namesake(&&targets[*at]) && others(*at)).count();
        let why = match (found.len(), scenarios) {
            (0 | 1, 0 | 1) => return Ok(found),
            (0, _) => return Ok(found),
            (1, count) => format!("{count} scenarios are called so; give each its `test: {{path, name}}`"),
            (count, _) => format!("{count} cases are called so; give the scenario its `test: {{path, name}}`"),
        };
        Err(ImportFate::Ambiguous { why, cases: found.into_iter().collect() })
    }
}

/// Whether the file of a test is there.
fn is_in_view(path: &Governed) -> bool {
    matches!(path.found, Found::Path | Found::Glob | Found::Untracked)
}

fn is_go_test(path: &RepoPath) -> bool {
    path.as_bstr().ends_with(b"_test.go")
}

/// Whether the tests of the Go package in `dir` may lie in `path`: a directory, or a test file of the package.
fn covers_package(path: &Governed, dir: &RepoPath) -> bool {
    path.covers(dir) || path.path.as_ref().is_ok_and(|own| is_go_test(own) && own.parent().as_ref() == Some(dir))
}

/// Whether a file differs from the path only in its last extension.
fn is_beside(file: &RepoPath, path: &Governed) -> bool {
    let bare = |path: &RepoPath| {
        let text = path.to_string();
        text.rsplit_once('.').map_or(text.clone(), |(bare, _)| bare.to_owned())
    };
    path.path.as_ref().is_ok_and(|own| bare(own) == bare(file))
}
