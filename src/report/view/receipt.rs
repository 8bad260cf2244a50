//! What became of a request to write: the words of receipts, for programs in their serialised form.

use serde::Serialize;

/// What became of a reading that was to be filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FilingOutcome {
    /// A line was appended.
    Filed,
    /// The latest effective reading says all this already; nothing was written.
    AlreadyFiled,
    /// A dry run: this would be appended.
    WouldFile,
}

/// What a line of a ledger was changed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EditReason {
    /// The last line was cut off in a write; what is left of it goes.
    Torn,
    /// A marker that a merge left around the lines of both sides.
    Conflict,
    /// Several events stood on one line; each gets its own.
    Glued,
    /// The same line stood there before.
    Duplicate,
    /// The line was lost since the revision that was asked for.
    Lost,
    /// The line was redacted and stood there again.
    Redacted,
    /// The line has the scenario and the time of one of the revision that was asked for: somebody made it of that one.
    Edited,
}

/// A reading, as far as it takes to find it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReadingName {
    /// The node's id.
    pub node: String,
    /// The scenario's name.
    pub scenario: String,
    /// The time of the reading, as in the ledger.
    pub ts: String,
}
