//! What the verbs of sharing found and did, as plain data.

use super::receipt::ReadingName;
use serde::Serialize;

/// Which verb of sharing speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShareStep {
    /// `share` alone: how it stands.
    State,
    /// `share on`.
    On,
    /// `share off`.
    Off,
    /// `share push`.
    Push,
    /// `share get`.
    Get,
    /// `share check`.
    Check,
    /// `share drop`.
    Drop,
    /// `share prune`.
    Prune,
}

/// What a verb of sharing found or did. The texts may come from a repository or a remote; printing escapes them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShareReceipt {
    /// The verb.
    pub verb: ShareStep,
    /// Where evidence is shared, without credentials; nothing where sharing is off.
    pub place: Option<String>,
    /// Whether nothing was changed because nothing was to be.
    pub dry_run: bool,
    /// How many pieces are concerned.
    pub named: usize,
    /// How many of them are in the cache of this repository.
    pub here: usize,
    /// How many of them the remote has, as far as is known.
    pub there: usize,
    /// How many were sent, got or taken away; in a dry run, would be.
    pub moved: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What did not go, or is missing, each with its reason.
    pub left: Vec<SharedPieceRow>,
    /// What was taken away, or would be.
    pub gone: Vec<SharedPieceRow>,
    /// What else there is to know, in sentences.
    pub notes: Vec<String>,
}

impl ShareReceipt {
    /// One that says nothing yet.
    pub(crate) fn new(verb: ShareStep, place: Option<String>) -> Self {
        let (left, gone, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { verb, place, dry_run: false, named: 0, here: 0, there: 0, moved: 0, bytes: 0, left, gone, notes }
    }
}

/// A piece of evidence and what there is to say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SharedPieceRow {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes, where it is known.
    pub size: Option<u64>,
    /// Why it did not go, or why it is missing.
    pub why: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The readings that name it.
    pub readings: Vec<ReadingName>,
}
