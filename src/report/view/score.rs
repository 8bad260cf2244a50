//! The data that `ls`, `impact` and `show` print. `app` fills it; neither this module nor a reporter computes anything.

use super::budget::BudgetRow;
use super::measures::MeasuresRow;
use super::terms::{PolicyRow, SignerRow, TermsRow};
use super::verdict::ShownVerdict;
use crate::finding::{Axis, DriftPath, NodeRef, json};
use bstr::BString;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Whether a reading is fresh in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadingState {
    /// The scenario was never measured.
    Unmeasured,
    /// The reading that counts is fresh.
    Fresh,
    /// The reading is stale on these axes.
    Stale(Vec<Axis>),
    /// This clone cannot judge it, for this reason.
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

    /// Writes the state alone, as one word.
    pub(crate) fn word<S: Serializer>(state: &Option<Self>, to: S) -> Result<S::Ok, S::Error> {
        state.as_ref().map(Self::as_str).serialize(to)
    }

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

/// The keys `state`, `axes` and `reason`, for a flattened field.
impl Serialize for ReadingState {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut keys = to.serialize_struct("state", 3)?;
        keys.serialize_field("state", self.as_str())?;
        keys.serialize_field("axes", self.axes())?;
        keys.serialize_field("reason", &self.reason())?;
        keys.end()
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EvidenceRow {
    /// `image`, `transcript`, `video`, `data`, `timeline` or `artifact`.
    pub kind: &'static str,
    /// Its sha256.
    pub hash: String,
    /// Its size in this cache; `None` if the cache does not have it. Programs get whether it has it.
    #[serde(rename = "held", serialize_with = "is_held")]
    pub size: Option<u64>,
    /// Where a missing piece is, if sharing is on.
    #[serde(rename = "there", skip_serializing_if = "Option::is_none")]
    pub absent: Option<AwayPiece>,
}

fn is_held<S: Serializer>(size: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(size.is_some())
}

/// A piece that is not in this clone. No remote was asked.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct AwayPiece {
    /// The place that had it when it was last asked; `None` if it was never seen there.
    pub place: Option<String>,
    /// The text to print about it.
    #[serde(skip)]
    pub said: String,
}

/// One reading, as `show` and `scan -v` list it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingRow {
    /// The recorded verdict.
    pub verdict: ShownVerdict,
    /// The note on its verdict.
    pub note: Option<String>,
    #[serde(flatten)]
    pub state: ReadingState,
    /// The governed paths that moved, with counts if they were asked for.
    pub drift: Vec<DriftPath>,
    /// The evaluator: `name@version`.
    pub evaluator: Option<String>,
    /// The name of the person who filed it; it is not verified.
    pub by: Option<String>,
    /// The commit, full hex.
    #[serde(rename = "codeSha")]
    pub commit: Option<String>,
    /// Whether it was filed on uncommitted content.
    pub dirty: bool,
    /// When it was filed: UTC with milliseconds, as in the ledger.
    pub ts: String,
    /// The same in milliseconds since 1970.
    #[serde(skip)]
    pub filed: i64,
    /// Whether it is the reading that counts for its scenario.
    pub counts: bool,
    pub evidence: Vec<EvidenceRow>,
    /// Its withdrawal, if it was withdrawn and so does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retracted: Option<RetractedRow>,
    /// The terms under which it was filed.
    #[serde(flatten)]
    pub terms: TermsRow,
    /// The signatures that hold for it, by their time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signers: Vec<SignerRow>,
    #[serde(flatten)]
    pub measures: MeasuresRow,
    /// The budgets; `None` if nothing is limited.
    #[serde(flatten)]
    pub budget: Option<BudgetRow>,
}

impl ReadingRow {
    /// The verdict that counts: the recorded one, or a fail if a breach of a budget stands against the reading.
    pub(crate) fn effective(&self) -> ShownVerdict {
        self.budget.as_ref().map_or(self.verdict, |budget| budget.effective.verdict)
    }
}

#[cfg(test)]
impl ReadingRow {
    /// The reading that counts, with this verdict and in this state.
    pub(crate) fn sample(verdict: ShownVerdict, state: ReadingState) -> Self {
        Self {
            signers: Vec::new(),
            verdict,
            note: None,
            state,
            drift: Vec::new(),
            evaluator: None,
            by: None,
            commit: None,
            dirty: false,
            ts: "2026-01-01T00:00:00.000Z".to_owned(),
            filed: 0,
            counts: true,
            evidence: Vec::new(),
            retracted: None,
            terms: TermsRow::default(),
            measures: MeasuresRow::default(),
            budget: None,
        }
    }
}

/// The withdrawal of a reading.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RetractedRow {
    /// When it was withdrawn.
    pub ts: String,
    pub note: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RedactedRow {
    /// The time of the line.
    pub ts: String,
    pub reason: String,
    /// The name of the person who redacted it; it is not verified.
    pub by: Option<String>,
    #[serde(rename = "redacts")]
    pub line: String,
}

/// A requested path, and the part of it that a scenario governs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct GovernedPart {
    /// The path, as it was requested.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The unit of the file; `None` for the whole file.
    pub symbol: Option<String>,
}

/// One scenario with the requested readings, newest first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ScenarioRow {
    #[serde(flatten, serialize_with = "json::id_and_path")]
    pub node: NodeRef,
    /// The name of the scenario, as declared.
    pub scenario: String,
    /// The tags of the scenario, as declared.
    pub tags: Vec<String>,
    /// What to measure.
    pub description: String,
    /// The perfect result.
    pub expected: String,
    #[serde(flatten)]
    pub state: ReadingState,
    /// What the runs decide, whatever the counting readings say.
    #[serde(skip)]
    pub decided: Option<ShownVerdict>,
    /// The answer in each environment; empty without the keys `runs` and `env`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environments: Vec<EnvironmentRow>,
    /// Where it could not be measured, as long as nothing changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedRow>,
    /// What the policy asks for; `None` if it asks for nothing here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<PolicyRow>,
    /// Readings, newest first. `ls` and `impact` have only the one that counts.
    pub readings: Vec<ReadingRow>,
    /// For `show`: its redacted lines, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<RedactedRow>,
    /// For `impact`: the requested paths or units that it governs.
    #[serde(rename = "governs", skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<GovernedPart>,
}

impl ScenarioRow {
    /// The reading that counts.
    pub(crate) fn counting(&self) -> Option<&ReadingRow> {
        self.readings.iter().find(|reading| reading.counts)
    }

    /// The verdict that counts. With runs or environments it is what they decide: a reading of one of them is no verdict on all.
    pub(crate) fn verdict(&self) -> Option<ShownVerdict> {
        if self.environments.is_empty() { self.counting().map(ReadingRow::effective) } else { self.decided }
    }

    pub(crate) fn is_fresh_pass(&self) -> bool {
        self.state == ReadingState::Fresh && self.verdict() == Some(ShownVerdict::Pass)
    }

    /// What its environments say, and what blocks it, a phrase each, for example `8/10 runs` or `firefox: not run`.
    pub(crate) fn answers(&self) -> Vec<String> {
        let environments = self.environments.iter().filter_map(EnvironmentRow::phrase);
        environments.chain(self.blocked.iter().map(BlockedRow::phrase)).collect()
    }
}

/// The answer of a scenario in one environment.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EnvironmentRow {
    /// `null` if the scenario lists no environment.
    pub env: Option<String>,
    /// As of a reading; also `partial`: some runs, and fewer than decide.
    pub state: &'static str,
    pub verdict: Option<ShownVerdict>,
    /// The stale axes.
    pub axes: Vec<Axis>,
    /// `null` without the key `runs`.
    pub runs: Option<RunsRow>,
}

/// The window of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RunsRow {
    pub of: u32,
    pub need: u32,
    /// How many runs are in the window.
    pub counted: u32,
    pub pass: u32,
    pub fail: u32,
    /// How many runs of this content there are, older ones included.
    pub all: u64,
}

impl EnvironmentRow {
    /// Its answer in a few words; `None` for a fresh pass that no runs stand behind.
    pub(crate) fn phrase(&self) -> Option<String> {
        let runs = self.runs.filter(|runs| runs.counted > 0).map(RunsRow::phrase);
        let said = match (self.state, self.verdict, runs) {
            ("partial", _, Some(runs)) => format!("{runs}, too few to decide"),
            ("fresh", Some(ShownVerdict::Pass), runs) => runs?,
            ("fresh", Some(verdict), Some(runs)) => format!("{runs}, {}", verdict.as_str()),
            ("fresh", Some(verdict), None) => verdict.as_str().to_owned(),
            ("unmeasured", ..) => "not run".to_owned(),
            ("stale", ..) => {
                let axes: Vec<&str> = self.axes.iter().map(|axis| axis.as_str()).collect();
                format!("stale on {}", axes.join(", "))
            }
            (state, ..) => state.to_owned(),
        };
        match &self.env {
            Some(env) => Some(format!("{env}: {said}")),
            // without a name the columns of the scenario say it
            None => self.runs.filter(|runs| runs.counted > 0).map(|_| said),
        }
    }
}

impl RunsRow {
    /// For example `8/10 runs`, or `10/10 of 62 runs` if older ones stand behind the window.
    pub(crate) fn phrase(self) -> String {
        let Self { counted, pass, all, .. } = self;
        let behind = if all > u64::from(counted) { format!(" of {all}") } else { String::new() };
        format!("{pass}/{counted}{behind} runs")
    }
}

/// Why a scenario could not be measured here.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BlockedRow {
    pub env: Option<String>,
    pub reason: String,
    /// The name of the person who said so; it is not verified.
    pub by: Option<String>,
    pub ts: String,
    /// The evidence of the attempt.
    pub evidence: Vec<EvidenceRow>,
}

impl BlockedRow {
    pub(crate) fn phrase(&self) -> String {
        let env = self.env.as_ref().map_or(String::new(), |env| format!("{env} "));
        format!("{env}blocked: {}", self.reason)
    }
}
