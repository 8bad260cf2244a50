//! The result of filing test reports, as plain data: `yatsu-hook/import/v1`. `app` fills it.

use serde::Serialize;

/// How far the filing went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImportStep {
    /// A dry run: it would be filed.
    Planned,
    Filed,
    /// It was filed before; nothing was written.
    AlreadyFiled,
}

/// The result for all reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/import/v1")]
pub(crate) struct ImportAnswer {
    /// Planned or filed.
    pub outcome: ImportStep,
    /// One for each scenario that has a verdict in the reports.
    pub readings: Vec<ImportedReading>,
    /// The scenarios that have no verdict in the reports.
    pub skipped: Vec<PassedScenario>,
    /// The scenarios for which the reports are ambiguous.
    pub ambiguous: Vec<PassedScenario>,
    /// Cases without a scenario, and scenarios without a case.
    pub unmatched: UnmatchedParts,
    /// Secrets that were masked in the evidence.
    pub masked: usize,
    /// With `--only-stale`: the scenarios that have a fresh reading of the same verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Vec<FreshScenario>>,
}

/// A scenario that does not wait for a reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FreshScenario {
    /// The node's id.
    pub node: String,
    pub scenario: String,
    /// The time of its fresh reading.
    pub ts: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ImportedReading {
    /// The node's id.
    pub node: String,
    /// The scenario that was measured.
    pub scenario: String,
    /// The environment that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// How many runs passed, and how many there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<[u32; 2]>,
    /// Whether it was filed.
    pub outcome: ImportStep,
    /// `pass` or `fail`.
    pub status: &'static str,
    /// The cases from which the verdict follows.
    pub cases: Vec<ReportedCase>,
    /// The hashes of the evidence made of these cases.
    pub evidence: Vec<String>,
    /// When, as the ledger spells it.
    pub ts: String,
    #[serde(skip)]
    pub commit: String,
}

/// A scenario that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PassedScenario {
    /// The node's id.
    pub node: String,
    pub scenario: String,
    /// Why nothing is filed for it.
    pub why: String,
    /// The cases that may belong to it.
    pub cases: Vec<ReportedCase>,
}

/// A case, as the report spells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedCase {
    /// The file that the report names, if it does.
    pub file: Option<String>,
    /// The class that it names; may be empty.
    pub classname: String,
    /// The name of the case.
    pub name: String,
    /// `passed`, `failed`, `flaky` or `skipped`.
    pub state: &'static str,
}

/// Cases without a scenario, and scenarios without a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct UnmatchedParts {
    /// The cases that measure none of the scenarios in question.
    pub cases: Vec<ReportedCase>,
    /// The scenarios that declare a test for which there is no case.
    pub scenarios: Vec<UnmatchedScenario>,
}

/// A scenario that declares a test without a case in the reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UnmatchedScenario {
    /// The id of the node that declares it.
    pub node: String,
    pub scenario: String,
    pub test: String,
}
