//! What a door of a coding agent's harness has to say. The door decides; [`crate::report::agent`] words it.

use super::tally::ScoreTally;
use bstr::BString;

/// How many scenarios an edit or a stop names.
pub(crate) const MOST_SCENARIOS: usize = 5;

/// The answer to an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum AgentReply {
    /// Nothing to say.
    #[default]
    Neutral,
    /// How the repository stands, at the start of a session.
    Start(StartNote),
    /// What an edit concerns.
    Edit(EditNote),
    /// The one question at a stop.
    Ask(StopNote),
    /// A message for the user, without a question.
    Say(StopNote),
}

/// A scenario by the directory of its node and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedScenario {
    pub(crate) node: BString,
    pub(crate) name: String,
}

/// A live claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimNote {
    /// What is claimed, for example `.spec/board/renders` or `path src/*.rs`.
    pub(crate) on: String,
    pub(crate) owner: String,
}

/// How the repository stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StartNote {
    pub(crate) score: ScoreTally,
    pub(crate) failing: Vec<NamedScenario>,
    pub(crate) stale: Vec<NamedScenario>,
    pub(crate) claims: Vec<ClaimNote>,
}

/// What an edit concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditNote {
    pub(crate) governing: Vec<GoverningScenario>,
    pub(crate) claims: Vec<ClaimNote>,
}

/// A scenario that governs an edited path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GoverningScenario {
    pub(crate) path: BString,
    pub(crate) scenario: NamedScenario,
    /// The command that its `test` declares.
    pub(crate) command: Option<String>,
}

/// What a session left to measure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StopNote {
    pub(crate) due: Vec<DueScenario>,
    /// The live claims of the session.
    pub(crate) own: Vec<ClaimNote>,
}

/// A scenario that must be measured again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DueScenario {
    pub(crate) scenario: NamedScenario,
    /// The governed path that moved; the scenario file, if its text did.
    pub(crate) moved: BString,
    /// Whether it was fresh when the session began; otherwise the configuration requires it.
    pub(crate) was_fresh: bool,
    /// The command that its `test` declares.
    pub(crate) command: Option<String>,
    /// Whether a governed file differs from HEAD.
    pub(crate) dirty: bool,
    /// Whether the session holds a claim on it.
    pub(crate) held: bool,
}
