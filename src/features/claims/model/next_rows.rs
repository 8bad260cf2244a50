//! The data that `next` prints.

use crate::finding::json;
use crate::report::view::score::{ReadingState, RunsRow};
use crate::report::view::verdict::ShownVerdict;
use crate::text::spelled::spelled;
use bstr::BString;
use serde::{Serialize, Serializer};

spelled! {
    /// The reason to measure a scenario.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum NextWhy {
        /// It was never measured.
        Missing = "missing",
        /// The measured content has changed.
        Stale = "stale",
        /// It failed, and nothing has changed since.
        Failing = "failing",
        /// It passed, and nothing has changed since. Only a claim by name takes it.
        Fresh = "fresh",
    }
}

/// A scenario to measure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NextRow {
    /// The node's id.
    pub node: String,
    /// The node's directory.
    #[serde(serialize_with = "json::text")]
    pub path: BString,
    pub scenario: String,
    /// The environment to measure; absent if the scenario lists none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// The window of runs; absent without the key `runs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<RunsRow>,
    /// What to measure, as the scenario file describes it.
    pub description: String,
    /// The perfect result, as the scenario file describes it.
    pub expected: String,
    pub tags: Vec<String>,
    /// A file that runs the measurement; this program never runs it.
    pub test: Option<String>,
    /// The command that measures it; this program never runs it.
    #[serde(rename = "testCommand")]
    pub test_command: Option<String>,
    pub why: NextWhy,
    /// The verdict of the reading that counts.
    pub verdict: Option<ShownVerdict>,
    /// When that reading was filed.
    pub ts: Option<String>,
    /// The state of its latest reading; programs get the stale axes.
    #[serde(rename = "axes", serialize_with = "axes")]
    pub state: ReadingState,
    /// The governed paths that moved since.
    #[serde(rename = "drift", serialize_with = "json::texts")]
    pub moved: Vec<BString>,
    /// The commit of that reading, full hex.
    pub since: Option<String>,
    /// A pass needs evidence of one of these kinds.
    pub evidence: Vec<&'static str>,
    /// The command that files a reading, without the verdict.
    pub argv: Vec<String>,
    /// What to append to the command: one of these lists.
    pub append: [[&'static str; 1]; 2],
    /// For each kind of evidence the flag that adds it.
    pub file: Vec<&'static str>,
    /// The same command, quoted for a shell.
    #[serde(skip)]
    pub command: String,
    /// What follows the command: how the verdict is said.
    #[serde(skip)]
    pub verdict_words: &'static str,
    /// The claim of the scenario, if the asker holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<HeldClaim>,
}

/// A claim that the asker holds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HeldClaim {
    pub owner: String,
    /// The last moment at which it is live.
    pub until: String,
}

fn axes<S: Serializer>(state: &ReadingState, to: S) -> Result<S::Ok, S::Error> {
    state.axes().serialize(to)
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
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PassedRow {
    /// The node's directory.
    #[serde(serialize_with = "json::text")]
    pub node: BString,
    pub scenario: String,
    /// Both, as messages name them.
    #[serde(skip)]
    pub called: String,
    /// Why it cannot be taken.
    pub reason: String,
}

/// The scenarios to measure, the most urgent first.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/next/v1")]
pub(crate) struct NextAnswer {
    /// How many more there are.
    pub remaining: usize,
    /// At most as many as were asked for.
    #[serde(rename = "next")]
    pub rows: Vec<NextRow>,
    /// The number of fresh fails, if they were not asked for.
    #[serde(skip)]
    pub failing: usize,
    /// The scenarios that were left out.
    #[serde(rename = "passedOver")]
    pub passed: Vec<PassedRow>,
    /// The scenarios that could not be measured here, and wait for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<WaitingRow>,
}

/// A scenario that waits for a person.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WaitingRow {
    /// The node's directory.
    #[serde(serialize_with = "json::text")]
    pub node: BString,
    pub scenario: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Both, as messages name them.
    #[serde(skip)]
    pub called: String,
    /// Why it could not be measured.
    pub reason: String,
}
