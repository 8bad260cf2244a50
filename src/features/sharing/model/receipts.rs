//! The results of the verbs of sharing, as plain data.

use crate::report::view::receipt::ReadingName;
use serde::Serialize;

/// The verb of sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShareStep {
    /// `share` alone: the state.
    State,
    On,
    Off,
    Push,
    Get,
    Check,
    Drop,
    Prune,
}

/// The result of a verb of sharing. The texts may come from a repository or a remote; printing escapes them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/share/v1", rename_all = "camelCase")]
pub(crate) struct ShareReceipt {
    pub verb: ShareStep,
    /// Where evidence is shared, without credentials; `None` if sharing is off.
    pub place: Option<String>,
    pub dry_run: bool,
    /// How many pieces are concerned.
    pub named: usize,
    /// How many of them are in the cache of this repository.
    pub here: usize,
    /// How many of them the remote has, as far as is known.
    pub there: usize,
    /// How many were sent, got or taken away, or would be in a dry run.
    pub moved: usize,
    /// The size of these in bytes.
    pub bytes: u64,
    /// The pieces that were not sent or are missing, each with its reason.
    pub left: Vec<SharedPieceRow>,
    /// The pieces that were taken away, or would be.
    pub gone: Vec<SharedPieceRow>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

impl ShareReceipt {
    /// A receipt without content.
    pub(crate) fn new(verb: ShareStep, place: Option<String>) -> Self {
        let (left, gone, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { verb, place, dry_run: false, named: 0, here: 0, there: 0, moved: 0, bytes: 0, left, gone, notes }
    }
}

/// A piece of evidence with a remark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SharedPieceRow {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes, if it is known.
    pub size: Option<u64>,
    /// Why it was not sent, or why it is missing.
    pub why: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    pub readings: Vec<ReadingName>,
}
