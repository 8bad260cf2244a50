//! What `log` answers.
//!
//! Machine form: `yatsu-hook/log/v1`, one JSON object, published as schema/log.v1.schema.json.

use crate::finding::{Axis, NodeRef, json};
use crate::report::view::score::ReadingState;
use crate::report::view::tally::ScoreTally;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// The name of the machine form. If the meaning of any key changes, the name changes.
const LOG: &str = "yatsu-hook/log/v1";

/// The state of a scenario in one word, as the page filters by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StateWord {
    Pass,
    Fail,
    Legacy,
    Stale,
    Unmeasured,
    Unjudged,
}

impl StateWord {
    pub(crate) fn of(state: &ReadingState, verdict: Option<ShownVerdict>) -> Self {
        match (state, verdict) {
            (ReadingState::Fresh, Some(ShownVerdict::Pass)) => Self::Pass,
            (ReadingState::Fresh, Some(ShownVerdict::Fail)) => Self::Fail,
            (ReadingState::Fresh, Some(ShownVerdict::Legacy)) => Self::Legacy,
            (ReadingState::Stale(_), _) => Self::Stale,
            (ReadingState::NotJudged(_), _) => Self::Unjudged,
            (ReadingState::Unmeasured, _) | (ReadingState::Fresh, None) => Self::Unmeasured,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Legacy => "legacy",
            Self::Stale => "stale",
            Self::Unmeasured => "unmeasured",
            Self::Unjudged => "not judged",
        }
    }
}

/// Why a state changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Why {
    /// The scenario was declared.
    New,
    /// It is declared no more.
    Dropped,
    /// It has another name, or its node another directory.
    Renamed,
    /// What was measured moved.
    Stale,
    /// The commit brought the reading that counts.
    Measured,
    /// The reading that counts was in the ledger before: measured content came back.
    Returned,
    /// The reading that counted was retracted or redacted.
    Withdrawn,
    /// The scenario file cannot be read in one of both states, so the scenario may be declared there or not.
    Unreadable,
    Other,
}

/// The directory of a node, and the name of a scenario of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OldPlace {
    pub(crate) dir: RepoPath,
    pub(crate) name: String,
}

/// As one text: the directory, a slash, the name.
impl Display for OldPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.dir, self.name)
    }
}

impl Serialize for OldPlace {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The change of one scenario's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct StateChange {
    #[serde(flatten, serialize_with = "node_keys")]
    pub(crate) node: NodeRef,
    pub(crate) scenario: String,
    /// Its tags, for a selection.
    #[serde(skip)]
    pub(crate) tags: Vec<String>,
    /// The state before; `None` if the scenario was not there.
    pub(crate) was: Option<StateWord>,
    /// The state since; `None` if the scenario is not there.
    pub(crate) is: Option<StateWord>,
    pub(crate) why: Why,
    /// The stale axes.
    pub(crate) axes: Vec<Axis>,
    /// The measured paths that moved, with their units.
    #[serde(serialize_with = "moved")]
    pub(crate) moved: Vec<BString>,
    /// Where a renamed scenario was.
    pub(crate) from: Option<OldPlace>,
}

/// A commit at which states changed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogEntry {
    #[serde(serialize_with = "hex")]
    pub(crate) commit: Oid,
    /// Its first parent; `None` for the first commit of a history.
    #[serde(serialize_with = "maybe_hex")]
    pub(crate) parent: Option<Oid>,
    /// When it was committed: UTC, as in a ledger.
    pub(crate) date: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The counts at this commit; `None` if its configuration cannot be used.
    pub(crate) score: Option<ScoreTally>,
    /// Why its changes are not known: its configuration, or every one before it, cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unread: Option<String>,
    pub(crate) changes: Vec<StateChange>,
}

impl LogEntry {
    /// Whether a state is another one, and not only the place of a scenario.
    pub(crate) fn is_of_state(&self) -> bool {
        self.changes.iter().any(|change| change.was != change.is)
    }
}

/// The score at the commit where the walk ended. What that commit changed is not listed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ScoreBefore {
    #[serde(serialize_with = "hex")]
    pub(crate) commit: Oid,
    pub(crate) score: Option<ScoreTally>,
}

/// The answer of `log`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogAnswer {
    /// The newest commit that was asked for; `None` on a branch without a commit.
    pub(crate) tip: Option<Oid>,
    /// Newest first.
    pub(crate) entries: Vec<LogEntry>,
    /// Where history is cut off, or where the range begins.
    pub(crate) before: Option<ScoreBefore>,
    /// How many commits were looked at.
    pub(crate) walked: usize,
    /// The commit where the next question may begin, if this answer has not all.
    pub(crate) next: Option<Oid>,
    /// Whether a shallow clone cut the history off.
    pub(crate) shallow: bool,
}

impl Serialize for LogAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Keys<'a> {
            schema: &'static str,
            tip: Option<String>,
            entries: &'a [LogEntry],
            before: &'a Option<ScoreBefore>,
            walked: usize,
            complete: bool,
            next: Option<String>,
            shallow: bool,
        }
        let hex = |id: Option<Oid>| id.map(|id| id.to_string());
        Keys {
            schema: LOG,
            tip: hex(self.tip),
            entries: &self.entries,
            before: &self.before,
            walked: self.walked,
            complete: self.next.is_none(),
            next: hex(self.next),
            shallow: self.shallow,
        }
        .serialize(to)
    }
}

fn hex<S: Serializer>(id: &Oid, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(id)
}

fn maybe_hex<S: Serializer>(id: &Option<Oid>, to: S) -> Result<S::Ok, S::Error> {
    id.map(|id| id.to_string()).serialize(to)
}

/// The keys `node`, its id, and `path`, its directory.
fn node_keys<S: Serializer>(node: &NodeRef, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Keys<'a> {
        node: &'a str,
        #[serde(flatten, serialize_with = "json::path")]
        path: &'a BString,
    }
    Keys { node: &node.id, path: &node.dir }.serialize(to)
}

fn moved<S: Serializer>(paths: &[BString], to: S) -> Result<S::Ok, S::Error> {
    json::texts(paths, to)
}
