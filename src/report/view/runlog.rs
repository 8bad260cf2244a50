//! What the verbs of run logs say they did, as plain data.

use serde::Serialize;

/// What became of lines that were to be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogOutcome {
    /// They stand in the log.
    Appended,
    /// Something is missing: an error stands there in their place, where the log knows that event.
    Incomplete,
}

/// What a verb appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LogReceipt {
    /// The verb.
    pub verb: &'static str,
    /// What became of it.
    pub outcome: LogOutcome,
    /// The log, from the top of the repository.
    pub file: String,
    /// Its profile.
    pub profile: String,
    /// The events that were appended, in their order.
    pub events: Vec<String>,
    /// The phase that it is about.
    pub phase: Option<u32>,
    /// What is missing.
    pub missing: Vec<String>,
    /// The page that was written, where the profile has one.
    pub page: Option<String>,
}

/// How a run goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ResumeReceipt {
    /// The log, from the top of the repository.
    pub file: String,
    /// The steps.
    pub plan: Vec<PlanRow>,
    /// Whether they were carried out.
    pub applied: bool,
    /// The events that were appended, in their order.
    pub events: Vec<String>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PlanRow {
    /// `fresh`, `start`, `catch-up`, `re-run`, `reopen`, `next`, `finish` or `ended`.
    pub action: &'static str,
    /// Of which phase.
    pub phase: Option<u32>,
    /// What is missing.
    pub missing: Vec<String>,
    /// The event that it appends.
    pub appends: Option<String>,
    /// What to type, where somebody has to.
    pub command: Option<String>,
}

/// How a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PageOutcome {
    /// It was written.
    Written,
    /// It is what the log renders to.
    Same,
    /// It is something else, or not there.
    Differs,
}

/// What `runlog progress` says of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PageReceipt {
    /// How it stands.
    pub outcome: PageOutcome,
    /// The log.
    pub file: String,
    /// The page.
    pub page: String,
    /// The line that writes it, as the user would type it.
    #[serde(skip)]
    pub command: String,
}

/// One run of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunRow {
    /// Its log.
    pub file: String,
    /// Its profile.
    pub profile: String,
    /// `open`, `ended`, or `newer` where its format is not known here.
    pub state: &'static str,
    /// How it ended.
    pub status: Option<String>,
    /// The phase that is open.
    pub phase: Option<u32>,
    /// Its name.
    pub phase_name: Option<String>,
    /// When it began.
    pub started: Option<String>,
    /// When its last event happened.
    pub last: Option<String>,
    /// How many seconds ago that is; none for a clock that is behind.
    pub age_seconds: Option<u64>,
    /// Its last event.
    pub last_event: Option<String>,
    /// How many errors are in it.
    pub errors: u64,
}
