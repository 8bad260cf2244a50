//! Reports of test runs: the result of each case, in any format. Input: the bytes of a file from any source, possibly
//! hostile. Output: the cases in the order of the report and the suites around them, or the first fault and its place.
//! Pure; opens no file that a report names, and knows no repository.
//!
//! An ambiguous report is read as the worse possibility: an unknown word is no pass.

pub mod ctrf;
pub mod junit;
pub mod map;
pub mod promptfoo;
mod refusal;

use crate::text::json::line_column;
use crate::text::spelled::spelled;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Largest report in bytes.
pub(crate) const MAX_REPORT: usize = 64 << 20;
/// How many cases one report may have.
pub(crate) const MAX_CASES: usize = 200_000;
/// Deepest nesting of elements or values.
pub(crate) const MAX_DEPTH: usize = 64;

spelled! {
    /// The result of one case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CaseState {
        /// It ran once and passed.
        Passed = "passed",
        /// It ran and failed, or its setup or teardown failed.
        Failed = "failed",
        /// It passed after a failure.
        Flaky = "flaky",
        /// It has a result that is not known here, for example the status `inconclusive`.
        Unknown = "unknown",
        /// It was skipped: it did not run, or it ended itself before it had a result.
        Skipped = "skipped",
    }
}

impl CaseState {
    /// The worse of two states of one case.
    pub(crate) fn worse(self, other: Self) -> Self {
        let rank = |state| match state {
            Self::Failed => 4,
            Self::Flaky => 3,
            Self::Unknown => 2,
            Self::Skipped => 1,
            Self::Passed => 0,
        };
        if rank(self) >= rank(other) { self } else { other }
    }
}

/// A kind of text that a case comes with, in the order of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToldKind {
    /// The one line about the failure.
    Message,
    /// The full text about the failure.
    Details,
    /// Its standard output.
    Out,
    /// Its standard error.
    Err,
}

/// What a report says, or several reports together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// Its cases, in its order.
    pub cases: Vec<TestCase>,
    /// Its suites, each after the one around it. A suite without one around it stands for a whole file.
    pub suites: Vec<TestSuite>,
}

/// One suite of a report, as the report spells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSuite {
    /// Its name; empty if it has none.
    pub name: String,
    /// The file that it names.
    pub file: Option<String>,
    /// The suite around it, by its index.
    pub around: Option<usize>,
    /// What it reports of a failure that none of its cases carries, for example `it counts 2 failures, and its cases lack 1
    /// of them`.
    pub fault: Option<String>,
    /// Its `hostname`: for Playwright the project, for pytest the machine.
    pub host: Option<String>,
    /// The first part of its name in CTRF: for Playwright the project.
    pub project: Option<String>,
    /// Whether a case of the same name in it is another run of one test: the runner can repeat each.
    pub repeats: bool,
    /// Who was asked what in its cases, if they are results of evals.
    pub asked: Option<Asked>,
    /// For a whole file: what is said of the cases that count for nothing.
    pub aside: Option<String>,
}

/// Who was asked what: results that differ in one of these are no runs of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The scenario that the results name, as `NODE/SCENARIO`.
    pub scenario: Option<String>,
    /// The label and the id of the provider.
    pub provider: (Option<String>, Option<String>),
    /// The id of the prompt.
    pub prompt: Option<String>,
    /// The number of that scenario; a reader does not know it.
    pub(crate) target: Option<usize>,
}

impl TestReport {
    /// The report with one suite, for the whole file.
    fn of_file() -> Self {
        Self { cases: Vec::new(), suites: vec![TestSuite::default()] }
    }

    /// Several reports as one.
    pub(crate) fn joined(reports: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for report in reports {
            let before = all.suites.len();
            let moved = |suite: TestSuite| TestSuite { around: suite.around.map(|at| at + before), ..suite };
            all.suites.extend(report.suites.into_iter().map(moved));
            all.cases.extend(report.cases.into_iter().map(|case| TestCase { suite: case.suite + before, ..case }));
        }
        all
    }

    /// The suite and those around it, the nearest first, each with its index.
    pub(crate) fn suites_around(&self, suite: usize) -> impl Iterator<Item = (usize, &TestSuite)> {
        std::iter::successors(Some(suite), |at| self.suites.get(*at)?.around)
            .filter_map(|at| Some((at, self.suites.get(at)?)))
    }

    /// The names of the suite and of those around it, the nearest first, without the one that stands for the whole file.
    pub(crate) fn suite_names(&self, suite: usize) -> impl Iterator<Item = &str> {
        self.suites_around(suite).filter(|(_, suite)| suite.around.is_some()).map(|(_, suite)| suite.name.as_str())
    }

    /// The suite that stands for the file with this one.
    pub(crate) fn file_of(&self, suite: usize) -> usize {
        self.suites_around(suite).last().map_or(suite, |(file, _)| file)
    }

    /// Where a suite ran, as it or the nearest around it says.
    pub(crate) fn host_of(&self, suite: usize) -> Option<&str> {
        self.suites_around(suite).find_map(|(_, suite)| suite.host.as_deref().or(suite.project.as_deref()))
    }

    /// Who was asked what in a case, if it is a result of an eval.
    pub(crate) fn asked(&self, case: usize) -> Option<&Asked> {
        self.suites[self.cases[case].suite].asked.as_ref()
    }

    /// The files with suites of several hosts, each by the suite that stands for it.
    pub(crate) fn files_of_many_hosts(&self) -> HashSet<usize> {
        let mut hosts: HashMap<usize, &str> = HashMap::new();
        let mut many = HashSet::new();
        for (at, suite) in self.suites.iter().enumerate() {
            let Some(host) = suite.host.as_deref() else { continue };
            let file = self.file_of(at);
            if *hosts.entry(file).or_insert(host) != host {
                many.insert(file);
            }
        }
        many
    }

    /// Whether any case or suite reports a failure.
    pub(crate) fn has_failure(&self) -> bool {
        self.cases.iter().any(|case| case.state == CaseState::Failed)
            || self.suites.iter().any(|suite| suite.fault.is_some())
    }
}

/// One case of a report, as the report spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The file of the case, or else of the nearest suite that names one.
    pub file: Option<String>,
    /// The suite around it, by its index.
    pub(crate) suite: usize,
    /// Its class; empty if the format has none.
    pub classname: String,
    /// Its name.
    pub name: String,
    /// Its result.
    pub state: CaseState,
    /// Its texts.
    pub told: Vec<(ToldKind, String)>,
    /// The result of each run, if the report has several under this name: `go test -count=3`. Empty for one run.
    pub tries: Vec<CaseState>,
}

impl TestCase {
    /// Whether the report names neither a test nor its class.
    pub(crate) fn is_nameless(&self) -> bool {
        self.name.trim().is_empty() && self.classname.trim().is_empty()
    }
}

/// The fault of a suite whose run was aborted: the tests behind the last one are not in the report.
const ABORTED: &str = "the run ended within a test, so the report may lack others";

/// The first fault of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFault {
    /// The line, from 1.
    pub line: u32,
    /// The character in it, from 1.
    pub column: u32,
    /// One sentence.
    pub message: String,
}

impl ReportFault {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let (line, column) = line_column(text, offset);
        Self { line, column, message: message.into() }
    }
}

const NOT_UTF8: &str = "the report is not UTF-8";

/// The text of a report: small enough, and UTF-8. A byte order mark at its beginning is skipped.
fn text_of(bytes: &[u8]) -> Result<&str, ReportFault> {
    let bytes = bounded(bytes)?;
    std::str::from_utf8(bytes).map_err(|error| {
        let sound = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        ReportFault::at(sound, sound.len(), NOT_UTF8)
    })
}

/// The same, but with U+FFFD for bytes that are not UTF-8. Owned only if there are such bytes.
fn forgiving_text(bytes: &[u8]) -> Result<Cow<'_, str>, ReportFault> {
    Ok(String::from_utf8_lossy(bounded(bytes)?))
}

/// The bytes without a byte order mark.
fn bounded(bytes: &[u8]) -> Result<&[u8], ReportFault> {
    if bytes.len() > MAX_REPORT {
        let message = format!("the report is larger than {} MiB", MAX_REPORT >> 20);
        return Err(ReportFault { line: 1, column: 1, message });
    }
    Ok(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
}
