//! Words that receipts share, in their serialised form for programs.

use crate::text::spelled::spelled;
use serde::{Serialize, Serializer};

/// The outcome of a decision that `is_new`, or that the ledger had already.
pub(crate) fn recorded<S: Serializer>(is_new: &bool, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(if *is_new { "recorded" } else { "already-recorded" })
}

/// Whether a reading was filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FilingOutcome {
    /// A line was appended.
    Filed,
    /// The latest effective reading says the same; nothing was written.
    AlreadyFiled,
    /// A dry run: a line would be appended.
    WouldFile,
}

/// Why a line of a ledger was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EditReason {
    /// A write stopped in the middle of the last line; its rest is removed.
    Torn,
    /// A marker that a merge left around the lines of both sides.
    Conflict,
    /// Several events stood on one line; each gets its own.
    Glued,
    /// The same line stands earlier in the file.
    Duplicate,
    /// The line is in the given revision and was lost since.
    Lost,
    /// The line was redacted before and had come back.
    Redacted,
    /// The line has the scenario and the time of a line in the given revision, but other content: it is an edited copy.
    Edited,
}

/// The names by which a reading is found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReadingName {
    /// The node's id.
    pub node: String,
    pub scenario: String,
    /// The time of the reading, as in the ledger.
    pub ts: String,
}

/// The result of `sign`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SigningReceipt {
    pub outcome: SigningOutcome,
    /// The new signatures, one for each ledger.
    pub signatures: Vec<SignatureReceipt>,
}

spelled! {
    /// Whether a signature was written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum SigningOutcome {
        Signed = "signed",
        /// The key signed every line before.
        AlreadySigned = "already-signed",
    }
}

/// A new signature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SignatureReceipt {
    /// The node's id.
    pub node: String,
    pub ledger: String,
    /// How many lines it signs.
    pub lines: usize,
    pub ts: String,
    /// The fingerprint of the key.
    pub key: String,
    /// The names of the key on the main branch; empty if it does not know the key.
    pub principals: Vec<String>,
}

/// The result of `fold`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FoldReceipt {
    /// Whether segments were folded.
    pub outcome: FoldOutcome,
    /// The homes with segments that were, or would be, folded.
    pub homes: Vec<HomeReceipt>,
    /// The homes that were left as they are.
    pub left: Vec<LeftReceipt>,
}

/// One folded home.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HomeReceipt {
    /// The node's id.
    pub node: String,
    pub directory: String,
    /// The file that took the lines.
    pub trunk: String,
    /// How many lines it did not have.
    pub lines: usize,
    /// The segments that went.
    pub segments: Vec<String>,
}

/// A home that a fold left, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LeftReceipt {
    /// The node's id.
    pub node: String,
    pub message: String,
    pub help: Vec<String>,
}

/// Whether segments were folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FoldOutcome {
    /// Their lines are in the trunk files, and they are gone.
    Folded,
    /// A dry run: they would be folded.
    WouldFold,
    /// No home has a committed segment that can be folded.
    Nothing,
}
