//! The results of the verbs of run logs, as plain data.

use serde::Serialize;

/// Whether all lines were appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogOutcome {
    /// All lines were appended.
    Appended,
    /// Something is missing. An error event stands in place of the lines, if the profile has such an event.
    Incomplete,
}

/// The result of an appending verb.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LogReceipt {
    pub verb: &'static str,
    /// Whether all lines were appended.
    pub outcome: LogOutcome,
    /// The log, from the top of the repository.
    pub file: String,
    pub profile: String,
    /// The events that were appended, in their order.
    pub events: Vec<String>,
    /// The phase in question.
    pub phase: Option<u32>,
    pub missing: Vec<String>,
    /// The page that was written, where the profile has one.
    pub page: Option<String>,
}

/// The plan by which a run resumes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verb", rename = "resume")]
pub(crate) struct ResumeReceipt {
    /// The log, from the top of the repository.
    pub file: String,
    pub plan: Vec<PlanRow>,
    /// Whether the steps were carried out.
    pub applied: bool,
    /// The events that were appended, in their order.
    pub events: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PlanRow {
    /// `fresh`, `start`, `catch-up`, `re-run`, `reopen`, `next`, `finish` or `ended`.
    pub action: &'static str,
    pub phase: Option<u32>,
    pub missing: Vec<String>,
    /// The event that the step appends.
    pub appends: Option<String>,
    /// The command to type, if the step needs one.
    pub command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PageOutcome {
    Written,
    /// The page is equal to the rendered log.
    Same,
    /// The page differs or is not there.
    Differs,
}

/// The answer of `runlog progress`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verb", rename = "progress")]
pub(crate) struct PageReceipt {
    pub outcome: PageOutcome,
    pub file: String,
    pub page: String,
    /// The command that writes the page.
    #[serde(skip)]
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunRow {
    pub file: String,
    pub profile: String,
    /// `open`, `ended`, or `newer` if this version does not know its format.
    pub state: &'static str,
    /// How it ended.
    pub status: Option<String>,
    /// The phase that is open.
    pub phase: Option<u32>,
    pub phase_name: Option<String>,
    /// When it began.
    pub started: Option<String>,
    /// When its last event happened.
    pub last: Option<String>,
    /// How many seconds ago that is; `None` if the clock is behind.
    pub age_seconds: Option<u64>,
    pub last_event: Option<String>,
    /// How many errors it logged.
    pub errors: u64,
}
