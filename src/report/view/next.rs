//! The data that `next` prints.

use super::score::ReadingState;
use super::verdict::ShownVerdict;
use bstr::BString;

/// The reason to measure a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextWhy {
    /// It was never measured.
    Missing,
    /// The measured content has changed.
    Stale,
    /// It failed, and nothing has changed since.
    Failing,
    /// It passed, and nothing has changed since. Only a claim by name takes it.
    Fresh,
}

impl NextWhy {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Failing => "failing",
            Self::Fresh => "fresh",
        }
    }
}

/// A scenario to measure.
#[derive(Clone, Debug)]
pub(crate) struct NextRow {
    /// The node's id.
    pub node: String,
    /// The node's directory.
    pub path: BString,
    pub scenario: String,
    /// What to measure, as the scenario file describes it.
    pub description: String,
    /// The perfect result, as the scenario file describes it.
    pub expected: String,
    pub tags: Vec<String>,
    /// A file that runs the measurement; this program never runs it.
    pub test: Option<String>,
    pub why: NextWhy,
    /// The state of its latest reading.
    pub state: ReadingState,
    /// The verdict of the reading that counts.
    pub verdict: Option<ShownVerdict>,
    /// When that reading was filed.
    pub ts: Option<String>,
    /// The governed paths that moved since.
    pub moved: Vec<BString>,
    /// The commit of that reading, full hex.
    pub since: Option<String>,
    /// A pass needs evidence of one of these kinds. Each comes with the flag that adds it.
    pub evidence: Vec<(&'static str, &'static str)>,
    /// The command that files a reading, without the verdict.
    pub argv: Vec<String>,
    /// The same command, quoted for a shell.
    pub command: String,
    /// The owner and the end of the claim, if the asker holds it.
    pub claimed: Option<[String; 2]>,
}

impl NextRow {
    /// The same row, with commands that file under the claim of this token.
    #[must_use]
    pub(crate) fn under(mut self, token: &str) -> Self {
        self.argv.push(format!("--claim={token}"));
        self.command += &format!(" --claim {token}");
        self
    }
}

/// A scenario that needs measuring but cannot be taken now.
#[derive(Clone, Debug)]
pub(crate) struct PassedRow {
    /// The node's directory.
    pub node: BString,
    pub scenario: String,
    /// Both, as messages name them.
    pub called: String,
    /// Why it cannot be taken.
    pub reason: String,
}

/// The scenarios to measure, the most urgent first.
#[derive(Clone, Debug, Default)]
pub(crate) struct NextAnswer {
    /// At most as many as were asked for.
    pub rows: Vec<NextRow>,
    /// How many more there are.
    pub remaining: usize,
    /// The number of fresh fails, if they were not asked for.
    pub failing: usize,
    /// The scenarios that were left out.
    pub passed: Vec<PassedRow>,
}
