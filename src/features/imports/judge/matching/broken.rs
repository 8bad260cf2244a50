//! Failures that belong to no single test: to a file that could not be loaded, to a hook of a group, to a package, or to the
//! whole run. The cases beside such a failure may all have passed, and yet no pass may be filed for them: for example
//! gotestsum writes a `TestMain` that exits with 3 as a case without a class.
//!
//! If the report says where the failure lies, the failure concerns the scenarios with a test in that file or package.
//! Otherwise it concerns every case of the suite around it. The file need not be a known one: a test that git does not know
//! may lie in the directory of a scenario.

use super::place::{CasePlace, PlacedCase, Places};
use super::{covers_package, is_go_test};
use crate::features::imports::model::test_report::{CaseState, TestCase, TestReport};
use crate::model::glob::{has_glob_characters, literal_base};
use crate::model::governed::Governed;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The names under which runners report a failure of a file, a class or a package.
const NAMES: [&str; 6] = [
    "TestMain",            // gotestsum
    "Failure",             // go-junit-report
    "initializationError", // JUnit
    "executionError",      // Gradle
    "classMethod",         // JUnit 4
    "teardown_suite",      // bats
];
/// The beginnings of such names.
const BEGINNINGS: [&str; 16] = [
    "[build failed]",            // go-junit-report
    "[setup failed]",            // go-junit-report
    "Test execution failure",    // jest-junit
    "Test suite failed to run",  // jest-junit
    "failed to execute tests",   // Gradle
    "setUpClass (",              // unittest
    "tearDownClass (",           // unittest
    "setUpModule (",             // unittest
    "tearDownModule (",          // unittest
    "setup_file",                // bats
    "teardown_file",             // bats
    "setup_suite",               // bats
    "[BeforeSuite]",             // Ginkgo
    "[AfterSuite]",              // Ginkgo
    "[SynchronizedBeforeSuite]", // Ginkgo
    "[SynchronizedAfterSuite]",  // Ginkgo
];
/// The beginnings of classes that are no classes of tests.
const CLASSES: [&str; 4] =
    ["unittest.loader._FailedTest", "unittest.suite._ErrorHolder", "Test suite failed to run", "@setup-script:"];
/// How mocha names its hooks: `greets "after all" hook for "says hello"`.
const HOOKS: [&str; 4] = ["\"before all\" hook", "\"after all\" hook", "\"before each\" hook", "\"after each\" hook"];

/// Where failures lie that belong to no single test, each with the reason why a pass there is not filed.
#[derive(Debug, Default)]
pub(super) struct Broken {
    files: BTreeMap<RepoPath, String>,
    packages: BTreeMap<RepoPath, String>,
    suites: HashMap<usize, String>,
    /// The failed cases by suite and name: vitest reports a failed hook of the group `greets` as a case `greets` beside the
    /// cases `greets > says hello`.
    groups: HashSet<(usize, String)>,
    /// For each suite, a failed case in the suite, if the report does not say the place of the case.
    open: HashMap<usize, String>,
    missing: Vec<MissingFile>,
}

/// A failure in a file that is not here.
#[derive(Debug)]
struct MissingFile {
    /// Where the file may lie.
    paths: Vec<RepoPath>,
    /// Whether the paths are those of a class, so that they have no extension.
    is_class: bool,
    /// Whether a single test failed, so that the other tests of the file may have passed.
    is_test: bool,
    why: String,
}

impl MissingFile {
    /// A failure of `case`, whose file is not here. It may be a part of a scenario whose test is a directory: its other cases
    /// are not all of the scenario.
    fn of(case: &TestCase, said: &str, paths: Vec<RepoPath>) -> Self {
        let (name, said) = (echo(case.name.trim()), echo(said));
        let why = format!("broken: `{name}` failed in `{said}`, which may lie in the test's path and is no known file");
        Self { paths, is_class: case.file.is_none(), is_test: false, why }
    }

    fn may_lie_in(&self, path: &Governed) -> bool {
        // a glob may ask for the extension
        let base = path.path.as_ref().ok().filter(|_| self.is_class).map(literal_base);
        let is_below = |file: &RepoPath| {
            let is_glob = has_glob_characters(path.text.as_bytes());
            is_glob && base.as_ref().is_some_and(|base| file.is_within(base))
        };
        self.paths.iter().any(|file| path.covers(file) || is_below(file))
    }
}

impl Broken {
    pub(super) fn of(report: &TestReport, placed: &[PlacedCase], places: &Places<'_>) -> Self {
        let mut broken = Self::default();
        let mut finder = FailureFinder::new(report);
        // a result of an eval is always one of a test, whatever its name
        let is_test = |case: &usize| report.asked(*case).is_none() && report.cases[*case].state == CaseState::Failed;
        let failed = || (0..report.cases.len()).filter(is_test);
        let (outside, of_tests): (Vec<usize>, Vec<usize>) =
            failed().partition(|case| finder.is_outside(*case, &placed[*case], places));
        finder.mark_tested(&outside);
        for case in outside {
            broken.add_case(case, &placed[case], places, &finder);
        }
        for case in of_tests {
            let TestCase { suite, name, .. } = &report.cases[case];
            broken.groups.insert((*suite, name.trim().to_owned()));
            if placed[case].place.is_here() {
                continue;
            }
            let suite = match places.missing(&report.cases[case], &placed[case].place) {
                Some((said, paths)) if !paths.is_empty() => {
                    let missing = MissingFile::of(&report.cases[case], said, paths);
                    broken.missing.push(MissingFile { is_test: true, ..missing });
                    continue;
                }
                // it may lie beside the files of any suite
                Some(_) => finder.file_of(*suite),
                None => *suite,
            };
            broken.open.entry(suite).or_insert_with(|| name.trim().to_owned());
        }
        for (index, suite) in report.suites.iter().enumerate() {
            let Some(fault) = &suite.fault else { continue };
            let called =
                if suite.name.is_empty() { "the report".to_owned() } else { format!("`{}`", echo(&suite.name)) };
            let why = format!("broken: {called}: {}", echo(fault));
            let place = places.of_suite(suite);
            let around = if place.is_some() { index } else { finder.tested_suite(index) };
            broken.suites.entry(around).or_insert_with(|| why.clone());
            match (place, &suite.file) {
                (Some(place), _) => broken.add_place(place, &why),
                (None, Some(file)) => {
                    let paths = places.missing_file(file);
                    broken.missing.push(MissingFile { paths, is_class: false, is_test: false, why });
                }
                (None, None) => {}
            }
        }
        broken
    }

    fn add_case(&mut self, case: usize, placed: &PlacedCase, places: &Places<'_>, finder: &FailureFinder<'_>) {
        let own = &finder.report.cases[case];
        let called = [&own.name, &own.classname].into_iter().map(|name| name.trim()).find(|name| !name.is_empty());
        let called = called.map_or("a case without a name".to_owned(), |name| format!("`{}`", echo(name)));
        // `tearDownClass (tests.test_sums.TestSums)`
        let class = own.name.split_once('(').map(|(_, class)| class.trim_end_matches(')'));
        let said = || [Some(own.name.as_str()), class].into_iter().flatten().find_map(|name| places.by_name(name));
        let place = if placed.place.is_here() { Some(placed.place.clone()) } else { said().map(|(place, _)| place) };
        match place {
            Some(place) => {
                let why = format!("broken: {called} failed in {}, outside of any test", shown(&place));
                self.add_place(place, &why);
            }
            None => {
                // a file that is not here concerns its own suite alone
                let is_elsewhere = own.file.is_some() && !own.classname.starts_with("unittest.");
                let suite = if is_elsewhere { own.suite } else { finder.tested_suite(own.suite) };
                let why = format!("broken: {called} failed outside of any test, and the report does not say where");
                self.suites.entry(suite).or_insert(why);
                let missing = places.missing(own, &placed.place);
                self.missing.extend(missing.map(|(said, paths)| MissingFile::of(own, said, paths)));
            }
        }
    }

    fn add_place(&mut self, place: CasePlace, why: &str) {
        match place {
            CasePlace::Files(files) => {
                for file in files {
                    self.files.entry(file).or_insert_with(|| why.to_owned());
                }
            }
            CasePlace::Package(dir) => {
                self.packages.entry(dir).or_insert_with(|| why.to_owned());
            }
            CasePlace::Unsaid | CasePlace::Elsewhere => {}
        }
    }

    /// Why a pass of these cases is not to be filed for a scenario with this test; `None` if nothing is in the way.
    pub(super) fn reason(
        &self,
        report: &TestReport,
        placed: &[PlacedCase],
        test: Option<&(Governed, Option<String>)>,
        cases: &[usize],
    ) -> Option<String> {
        let of_suites = || {
            let around = cases.iter().flat_map(|case| report.suites_around(report.cases[*case].suite));
            around.filter_map(|(suite, _)| self.suites.get(&suite)).next().cloned()
        };
        let of_places = || cases.iter().find_map(|case| self.in_place(&placed[*case].place)).cloned();
        let of_test = || test.and_then(|(path, _)| self.in_path(path)).cloned();
        let of_missing = || {
            let (path, name) = test?;
            let mut concerned = self.missing.iter().filter(|missing| name.is_none() || !missing.is_test);
            concerned.find(|missing| missing.may_lie_in(path)).map(|missing| missing.why.clone())
        };
        let of_groups = || cases.iter().find_map(|case| self.in_group(&report.cases[*case]));
        let is_whole = test.is_some_and(|(_, name)| name.is_none());
        let unsaid = || {
            let around =
                cases.iter().filter(|_| is_whole).flat_map(|case| report.suites_around(report.cases[*case].suite));
            let name = around.filter_map(|(suite, _)| self.open.get(&suite)).next()?;
            Some(format!("broken: `{}` failed in its suite, and the report does not say in which file", echo(name)))
        };
        of_suites().or_else(of_places).or_else(of_test).or_else(of_missing).or_else(of_groups).or_else(unsaid)
    }

    fn in_place(&self, place: &CasePlace) -> Option<&String> {
        match place {
            CasePlace::Files(files) => files.iter().find_map(|file| self.files.get(file)),
            CasePlace::Package(dir) => self.packages.get(dir).or_else(|| {
                let in_package =
                    |(file, _): &(&RepoPath, &String)| is_go_test(file) && file.parent().as_ref() == Some(dir);
                self.files.iter().find(in_package).map(|(_, why)| why)
            }),
            CasePlace::Unsaid | CasePlace::Elsewhere => None,
        }
    }

    fn in_path(&self, path: &Governed) -> Option<&String> {
        let files = self.files.iter().find(|(file, _)| path.covers(file));
        let packages = || self.packages.iter().find(|(dir, _)| covers_package(path, dir));
        files.or_else(packages).map(|(_, why)| why)
    }

    fn in_group(&self, case: &TestCase) -> Option<String> {
        let groups = case.name.match_indices(" > ").map(|(at, _)| case.name[..at].trim());
        let failed = groups.filter(|group| self.groups.contains(&(case.suite, (*group).to_owned()))).last()?;
        Some(format!("broken: `{}` failed, and the test is a part of it", echo(failed)))
    }
}

fn shown(place: &CasePlace) -> String {
    match place {
        CasePlace::Files(files) => files.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        CasePlace::Package(dir) if dir.is_root() => "the package at the top".to_owned(),
        CasePlace::Package(dir) => format!("the package {dir}"),
        CasePlace::Unsaid | CasePlace::Elsewhere => String::new(),
    }
}

/// Finds the failures that belong to no test.
struct FailureFinder<'r> {
    report: &'r TestReport,
    /// The suites, each for a file, that have a case with a class.
    classed: HashSet<usize>,
    /// For each suite, whether a case in it is a test.
    tested: Vec<bool>,
}

impl<'r> FailureFinder<'r> {
    fn new(report: &'r TestReport) -> Self {
        let mut finder = Self { report, classed: HashSet::new(), tested: vec![false; report.suites.len()] };
        let classed = report.cases.iter().filter(|case| !case.classname.trim().is_empty());
        finder.classed = classed.map(|case| finder.file_of(case.suite)).collect();
        finder
    }

    /// The suite that stands for the whole file of this one.
    fn file_of(&self, suite: usize) -> usize {
        self.report.suites_around(suite).last().map_or(suite, |(file, _)| file)
    }

    /// Whether a failed case is no test: it has the name of a hook, of its file or of its suite, or it lacks the name or the
    /// class that the cases beside it have.
    fn is_outside(&self, case: usize, placed: &PlacedCase, places: &Places<'_>) -> bool {
        let TestCase { suite, classname, name, file, .. } = &self.report.cases[case];
        let (classname, name) = (classname.trim(), name.trim());
        let is_of_node_id = placed.name.trim() != name;
        let is_suite = self.report.suite_names(*suite).next().is_some_and(|suite| suite.trim() == name);
        name.is_empty()
            || (classname.is_empty() && !is_of_node_id && self.classed.contains(&self.file_of(*suite)))
            || is_suite
            || file.as_ref().is_some_and(|file| file.trim() == name)
            || places.named(name).is_some()
            || (name == classname && name.contains('.') && !name.contains(char::is_whitespace))
            || (classname == "pytest" && name == "internal")
            || NAMES.contains(&name)
            || BEGINNINGS.iter().any(|word| name.starts_with(word))
            || CLASSES.iter().any(|word| classname.starts_with(word))
            || HOOKS.iter().any(|hook| name.contains(hook))
    }

    /// Notes the suites of every case that is not one of these failures. The case of an aborted run names no test.
    fn mark_tested(&mut self, outside: &[usize]) {
        let outside: HashSet<&usize> = outside.iter().collect();
        let tests = self.report.cases.iter().enumerate().filter(|(case, _)| !outside.contains(case));
        for (_, case) in tests.filter(|(_, case)| !case.is_nameless()) {
            for (suite, _) in self.report.suites_around(case.suite) {
                if std::mem::replace(&mut self.tested[suite], true) {
                    break;
                }
            }
        }
    }

    /// The nearest suite that holds a test. googletest reports a failure of the whole run in a suite of its own.
    fn tested_suite(&self, suite: usize) -> usize {
        let mut around = self.report.suites_around(suite).map(|(suite, _)| suite);
        around.find(|suite| self.tested[*suite]).unwrap_or_else(|| self.file_of(suite))
    }
}
