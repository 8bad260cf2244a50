//! What became of test reports that were to be filed, as plain data: `yatsu-hook/import/v1`. `app` fills it.

use serde::Serialize;

/// How far it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImportStep {
    /// A dry run: it would be filed.
    Planned,
    /// It is filed.
    Filed,
    /// It was filed before, and nothing was written.
    AlreadyFiled,
}

/// What became of all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ImportAnswer {
    /// Planned or filed.
    pub outcome: ImportStep,
    /// One for each scenario of which the reports say whether it works.
    pub readings: Vec<ImportedReading>,
    /// The scenarios of which they do not say it.
    pub skipped: Vec<PassedScenario>,
    /// The scenarios of which nobody can tell what the reports say.
    pub ambiguous: Vec<PassedScenario>,
    /// What has no counterpart.
    pub unmatched: UnmatchedParts,
    /// Secrets that were masked in the evidence.
    pub masked: usize,
}

/// One reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ImportedReading {
    /// The node's id.
    pub node: String,
    /// The scenario that was measured.
    pub scenario: String,
    /// What became of it.
    pub outcome: ImportStep,
    /// `pass` or `fail`.
    pub status: &'static str,
    /// The cases that say so.
    pub cases: Vec<ReportedCase>,
    /// The hash of what they say.
    pub evidence: Vec<String>,
    /// When, as the ledger spells it.
    pub ts: String,
    /// The commit that it names.
    #[serde(skip)]
    pub commit: String,
}

/// A scenario that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PassedScenario {
    /// The id of its node.
    pub node: String,
    /// The scenario that was passed over.
    pub scenario: String,
    /// Why nothing is filed for it.
    pub why: String,
    /// The cases that may be its own.
    pub cases: Vec<ReportedCase>,
}

/// A case, as the report spells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedCase {
    /// The file that the report names, if it does.
    pub file: Option<String>,
    /// The class that it names; empty where it names none.
    pub classname: String,
    /// What the case is called.
    pub name: String,
    /// `passed`, `failed`, `flaky` or `skipped`.
    pub state: &'static str,
}

/// What has no counterpart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct UnmatchedParts {
    /// The cases that measure no scenario that was asked about.
    pub cases: Vec<ReportedCase>,
    /// The scenarios with a test of which there is no case.
    pub scenarios: Vec<UnmatchedScenario>,
}

/// A scenario whose test the reports do not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UnmatchedScenario {
    /// The id of the node that declares it.
    pub node: String,
    /// The scenario that nothing measures.
    pub scenario: String,
    /// Its test, as declared.
    pub test: String,
}
