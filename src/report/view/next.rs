//! What `next` prints, as plain data.

use super::score::ReadingState;
use super::verdict::ShownVerdict;
use bstr::BString;

/// Why a scenario is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextWhy {
    /// Nobody has measured it.
    Missing,
    /// What was measured has moved.
    Stale,
    /// It failed, and nothing has moved.
    Failing,
    /// It passed, and nothing has moved: only a claim by name takes it.
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

/// One scenario that is to be measured.
#[derive(Clone, Debug)]
pub(crate) struct NextRow {
    /// The node's id.
    pub node: String,
    /// The node's directory.
    pub path: BString,
    /// The scenario's name.
    pub scenario: String,
    /// What to measure: somebody's words.
    pub description: String,
    /// What zero loss looks like: somebody's words.
    pub expected: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// A file that runs it; nothing here ever does.
    pub test: Option<String>,
    /// Why it is to be measured.
    pub why: NextWhy,
    /// How its latest reading stands.
    pub state: ReadingState,
    /// The verdict of that which counts.
    pub verdict: Option<ShownVerdict>,
    /// When that was filed.
    pub ts: Option<String>,
    /// The governed paths that moved since.
    pub moved: Vec<BString>,
    /// The commit that it was measured at, full hex.
    pub since: Option<String>,
    /// The kinds of evidence of which a pass needs one, each with the flag that brings it.
    pub evidence: Vec<(&'static str, &'static str)>,
    /// What files it, but for the verdict.
    pub argv: Vec<String>,
    /// The same for a shell.
    pub command: String,
    /// Who holds it, and until when, where that is the asker.
    pub claimed: Option<[String; 2]>,
}

impl NextRow {
    /// The same as it is filed under the claim of this token.
    #[must_use]
    pub(crate) fn under(mut self, token: &str) -> Self {
        self.argv.push(format!("--claim={token}"));
        self.command += &format!(" --claim {token}");
        self
    }
}

/// A scenario that needs measuring and that nobody could take now.
#[derive(Clone, Debug)]
pub(crate) struct PassedRow {
    /// The node's directory.
    pub node: BString,
    /// The scenario's name.
    pub scenario: String,
    /// Both, as messages name them.
    pub called: String,
    /// Why not.
    pub reason: String,
}

/// What is to be measured, the most urgent first.
#[derive(Clone, Debug, Default)]
pub(crate) struct NextAnswer {
    /// As many as were asked for.
    pub rows: Vec<NextRow>,
    /// How many more there are.
    pub remaining: usize,
    /// Fresh fails that were not asked for.
    pub failing: usize,
    /// What was left out.
    pub passed: Vec<PassedRow>,
}
