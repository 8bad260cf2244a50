//! What a door of a coding agent's harness has to say. The door decides; [`crate::features::agents::print::reply`] words it.

use crate::report::view::tally::ScoreTally;
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

/// Which names of the repository a text shows. Each has letters, digits and `._/-` alone, and at most 60 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Names with blanks, too: the project itself called, and its user trusts its settings.
    WithBlanks,
    /// No name with a blank: an entry of the user's own called, which runs in a stranger's repository, too. Words between
    /// blanks could be an order to the agent.
    WithoutBlanks,
}

/// A live claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimNote {
    pub(crate) on: ClaimedThing,
    pub(crate) owner: String,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimedThing {
    Scenario(NamedScenario),
    Key(String),
    /// A path, or a pattern of paths.
    Path(String),
}

/// What a scenario declares as its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredTest {
    /// A command. A text points to it and never repeats it: the repository may be a stranger's.
    Command(CommandPlace),
    /// A file, and no command: a test report has the result.
    Report,
    /// Nothing.
    Unset,
}

/// Where a scenario declares its command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandPlace {
    /// The scenario file.
    pub(crate) file: BString,
    pub(crate) line: u32,
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
    pub(crate) test: DeclaredTest,
}

/// What a session left to measure or to commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StopNote {
    pub(crate) due: Vec<DueScenario>,
    /// The filed readings that no commit has, although the measured content is committed.
    pub(crate) uncommitted: Vec<UncommittedReading>,
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
    pub(crate) test: DeclaredTest,
    /// Whether a governed file differs from HEAD.
    pub(crate) dirty: bool,
    /// Whether the session holds a claim on it.
    pub(crate) held: bool,
    /// The top of its work tree, relative to the top of the event's; `None` for the same one.
    pub(crate) tree: Option<BString>,
}

/// A reading in the work tree's ledger that HEAD's ledger does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UncommittedReading {
    pub(crate) scenario: NamedScenario,
    pub(crate) ledger: BString,
    /// As in [`DueScenario`].
    pub(crate) tree: Option<BString>,
}
