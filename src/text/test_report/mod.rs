//! Reports of test runs: the result of each case, in any format. Input: the bytes of a file from any source, possibly
//! hostile. Output: the cases in the order of the report, or the first fault and its place. Pure; opens no file that a
//! report names, and knows no repository.
//!
//! An ambiguous report is read as the worse possibility: an unknown word is no pass.

pub mod ctrf;
pub mod junit;
pub mod map;

use super::json::line_column;
use super::spelled::spelled;

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
        /// It did not run, or its result is unknown.
        Skipped = "skipped",
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

/// One case of a report, as the report spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The file of the case, or else of the nearest suite that names one.
    pub file: Option<String>,
    /// The names of the suites around it, the nearest first.
    pub(crate) suites: Vec<String>,
    /// Its class; empty if the format has none.
    pub classname: String,
    /// Its name.
    pub name: String,
    /// Its result.
    pub state: CaseState,
    /// Its texts.
    pub told: Vec<(ToldKind, String)>,
}

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

/// The text of a report: small enough, and UTF-8. A byte order mark at its beginning is skipped.
fn text_of(bytes: &[u8]) -> Result<&str, ReportFault> {
    if bytes.len() > MAX_REPORT {
        let message = format!("the report is larger than {} MiB", MAX_REPORT >> 20);
        return Err(ReportFault { line: 1, column: 1, message });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let sound = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            return Err(ReportFault::at(sound, sound.len(), "the report is not UTF-8"));
        }
    };
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
