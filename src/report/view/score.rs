//! What `ls`, `impact` and `show` print, as plain data. `app` fills it; nothing is computed here or after.

use super::budget::BudgetRow;
use super::measures::MeasuresRow;
use super::terms::TermsRow;
use super::verdict::ShownVerdict;
use crate::finding::{Axis, DriftPath, NodeRef};
use bstr::BString;
use serde::Serialize;

/// Whether a reading speaks for the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadingState {
    /// Nobody has measured it.
    Unmeasured,
    /// The reading that counts speaks.
    Fresh,
    /// It does not, on these axes.
    Stale(Vec<Axis>),
    /// Git cannot tell: the reason.
    NotJudged(String),
}

impl ReadingState {
    /// The public spelling.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Unmeasured => "unmeasured",
            Self::Fresh => "fresh",
            Self::Stale(_) => "stale",
            Self::NotJudged(_) => "not-judged",
        }
    }

    /// The stale axes.
    pub(crate) fn axes(&self) -> &[Axis] {
        match self {
            Self::Stale(axes) => axes,
            Self::Unmeasured | Self::Fresh | Self::NotJudged(_) => &[],
        }
    }

    /// Why it could not be judged.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::NotJudged(reason) => Some(reason),
            Self::Unmeasured | Self::Fresh | Self::Stale(_) => None,
        }
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Debug)]
pub(crate) struct EvidenceRow {
    /// `image`, `transcript`, `video`, `data`, `timeline` or `artifact`.
    pub kind: &'static str,
    /// Its sha256.
    pub hash: String,
    /// How many bytes of it this cache holds; `None` where it has none of that name.
    pub size: Option<u64>,
    /// Where bytes are that are not here, where sharing is on.
    pub absent: Option<AwayPiece>,
}

/// A piece that is not here, as far as is known without asking anybody.
#[derive(Clone, Debug)]
pub(crate) struct AwayPiece {
    /// The place that had it when it was last asked; nothing where it was never seen there.
    pub place: Option<String>,
    /// What to say of it.
    pub said: String,
}

/// One reading, as `show` and `scan -v` list it.
#[derive(Clone, Debug)]
pub(crate) struct ReadingRow {
    /// What it says.
    pub verdict: ShownVerdict,
    /// The annotation on its verdict.
    pub note: Option<String>,
    /// Whether it speaks.
    pub state: ReadingState,
    /// The governed paths that moved, with counts where they were asked for.
    pub drift: Vec<DriftPath>,
    /// `name@version`.
    pub evaluator: Option<String>,
    /// The person who filed it; nothing checks it.
    pub by: Option<String>,
    /// The commit, full hex.
    pub commit: Option<String>,
    /// Whether it was filed on uncommitted content.
    pub dirty: bool,
    /// When it was filed: UTC with milliseconds, as in the ledger.
    pub ts: String,
    /// The same in milliseconds since 1970.
    pub filed: i64,
    /// Whether it is the reading of its scenario that counts.
    pub counts: bool,
    /// That it was withdrawn, and counts no more.
    pub retracted: Option<RetractedRow>,
    /// What it shows.
    pub evidence: Vec<EvidenceRow>,
    /// How it was filed.
    pub terms: TermsRow,
    /// What it says it measured.
    pub measures: MeasuresRow,
    /// What the budgets say of it; nothing where nothing is limited.
    pub budget: Option<BudgetRow>,
}

impl ReadingRow {
    /// The verdict that counts: the recorded one, or a fail where a breach of a budget stands against the reading.
    pub(crate) fn effective(&self) -> ShownVerdict {
        self.budget.as_ref().map_or(self.verdict, |budget| budget.effective.verdict)
    }
}

/// The withdrawal of a reading.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RetractedRow {
    /// When it was withdrawn.
    pub ts: String,
    /// Why.
    pub note: Option<String>,
}

/// A line that was taken out.
#[derive(Clone, Debug)]
pub(crate) struct RedactedRow {
    /// The time that it carried.
    pub ts: String,
    /// Why the line had to go.
    pub reason: String,
    /// The person who replaced it; nothing checks it.
    pub by: Option<String>,
    /// Its sha256.
    pub line: String,
}

/// A path that was asked about, and what of it a scenario governs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GovernedPart {
    /// The path, as it was asked about.
    pub path: BString,
    /// The unit of the file; `None` for all of it.
    pub symbol: Option<String>,
}

/// One scenario with the readings that were asked for, newest first.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioRow {
    /// The node that declares it.
    pub node: NodeRef,
    /// The name of the scenario, as declared.
    pub scenario: String,
    /// The tags of the scenario, as declared.
    pub tags: Vec<String>,
    /// What to measure.
    pub description: String,
    /// What zero loss looks like.
    pub expected: String,
    /// How it stands.
    pub state: ReadingState,
    /// Readings, newest first; for `ls` and `impact` only the one that counts.
    pub readings: Vec<ReadingRow>,
    /// For `show`: the lines of it that were redacted, newest first.
    pub redacted: Vec<RedactedRow>,
    /// For `impact`: what it governs of what was asked about.
    pub because: Vec<GovernedPart>,
}

impl ScenarioRow {
    /// The reading that counts.
    pub(crate) fn counting(&self) -> Option<&ReadingRow> {
        self.readings.iter().find(|reading| reading.counts)
    }
}
