//! Reports of test runs. Purpose: what a runner says of each case that it ran, whatever format it says it in. In: the bytes
//! of a file that anybody may have made. Out: the cases in the order of the report, or the first thing that is wrong and
//! where. Pure; opens nothing that a report names, and knows no repository.
//!
//! What nobody can tell from the file is read as the worse of what it may mean: a word that is not known is no pass.

pub mod ctrf;
pub mod junit;
pub mod map;

use super::json::line_column;

/// Largest report that is read, in bytes.
pub const MAX_REPORT: usize = 64 << 20;
/// Most cases of one report.
pub const MAX_CASES: usize = 200_000;
/// Deepest nesting of elements or values.
pub(crate) const MAX_DEPTH: usize = 64;

/// What a runner says of one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseState {
    /// It ran, once, and was right.
    Passed,
    /// It ran and was wrong, or could not be set up or torn down.
    Failed,
    /// It was right after it had been wrong.
    Flaky,
    /// It did not run, or nobody knows what became of it.
    Skipped,
}

impl CaseState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Flaky => "flaky",
            Self::Skipped => "skipped",
        }
    }
}

/// What sort of text a case comes with, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToldKind {
    /// The one line about what is wrong.
    Message,
    /// All that is said about it.
    Details,
    /// What it wrote to standard output.
    Out,
    /// What it wrote to standard error.
    Err,
}

/// One case of a report, as the report spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The file that it is said to lie in; of the nearest suite where it says nothing itself.
    pub file: Option<String>,
    /// The names of the suites around it, the nearest first.
    pub suites: Vec<String>,
    /// The class that it belongs to; empty where the format has none.
    pub classname: String,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub state: CaseState,
    /// The texts that it came with.
    pub told: Vec<(ToldKind, String)>,
}

/// The first thing that is wrong with a report.
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

/// The text of a report: small enough, and UTF-8; a mark of byte order in front of it says nothing.
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
