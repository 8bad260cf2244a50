//! The results of writing verbs, as the documents for programs spell them. `app` fills them; the texts may come from a
//! repository, and printing escapes them.

use super::budget::BudgetRow;
use super::measures::MeasuresRow;
use super::score::ReadingState;
use super::terms::TermsRow;
use super::verdict::ShownVerdict;
use crate::error::Error;
use crate::text::markers::Malformed;
use crate::text::spelled::spelled;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// The outcome of a decision that `is_new`, or that the ledger had already.
pub(crate) fn recorded<S: Serializer>(is_new: &bool, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(if *is_new { "recorded" } else { "already-recorded" })
}

/// The names by which a reading is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReadingName {
    /// The node's id.
    pub node: String,
    pub scenario: String,
    /// The time of the reading, as in the ledger.
    pub ts: String,
}

/// A scenario that `new` created, or would create.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewReceipt {
    /// Whether the files were made.
    pub outcome: BegunOutcome,
    /// The node's id.
    pub node: String,
    pub directory: String,
    /// The name of the scenario, or of the first one.
    pub scenario: String,
    /// Where the scenarios come from, if from a file of another tool.
    #[serde(rename = "from", skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginReceipt>,
    pub file: String,
    /// The paths of the new files.
    pub files: Vec<String>,
    /// The command that files the scenario's first reading, without the verdict.
    pub next: Vec<String>,
    /// The contents of the files, shown to people in a dry run.
    #[serde(skip)]
    pub contents: Vec<String>,
}

/// Whether the files of a new scenario were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BegunOutcome {
    /// The files were made.
    Created,
    /// A dry run: these would be made.
    WouldCreate,
}

/// A file of another tool, and the scenarios that `new` took from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OriginReceipt {
    pub path: String,
    /// `gherkin`, `openspec` or `spec-kit`.
    pub kind: &'static str,
    /// The names of all scenarios.
    pub scenarios: Vec<String>,
    /// The names of the scenarios with a placeholder.
    pub drafts: Vec<String>,
    /// How often the texts say `[NEEDS CLARIFICATION`.
    pub needs_clarification: usize,
    /// The skipped requirements that a delta removes.
    pub removed: usize,
    /// The skipped requirements that a delta renames.
    pub renamed: usize,
    /// The skipped lines that look like scenarios.
    pub near: Vec<usize>,
}

/// A reading that was filed, would be filed, or was in the ledger already.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingReceipt {
    /// Whether the reading was filed.
    pub outcome: FilingOutcome,
    /// The node's id.
    pub node: String,
    pub directory: String,
    pub ledger: String,
    pub scenario: String,
    /// `pass` or `fail`.
    pub status: &'static str,
    /// The commit that the reading names.
    pub code_sha: String,
    /// When, as the ledger spells it.
    pub ts: String,
    /// The evaluator that measured: `name@version`.
    pub evaluator: Option<String>,
    /// The person who measured, as they were named.
    pub by: Option<String>,
    /// The note on the verdict, as it was filed.
    pub note: Option<String>,
    /// The evidence in its order.
    pub evidence: Vec<EvidenceReceipt>,
    /// The hash of the step timeline.
    pub timeline: Option<String>,
    /// How many files the stamp names; `None` if the reading has no stamp and only names a commit.
    pub stamped: Option<usize>,
    /// The governed files that differ from the commit.
    pub dirty: Vec<String>,
    /// The terms under which the reading was filed.
    #[serde(flatten)]
    pub terms: TermsRow,
    /// The measures that the reading records.
    #[serde(flatten)]
    pub measures: MeasuresRow,
    /// Whether the output was searched for markers.
    #[serde(skip)]
    pub reads_markers: bool,
    /// The first lines of the output that look like a marker but are malformed, and so are not recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub malformed: Vec<Malformed>,
    /// The metrics that the output names without giving a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// The state of the budgets; `None` if there is no limit.
    #[serde(flatten)]
    pub budget: Option<BudgetRow>,
}

spelled! {
    /// Whether a reading was filed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum FilingOutcome {
        /// A line was appended.
        Filed = "filed",
        /// The latest effective reading says the same; nothing was written.
        AlreadyFiled = "already-filed",
        /// A dry run: a line would be appended.
        WouldFile = "would-file",
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EvidenceReceipt {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// `image`, `transcript`, `video` or `data`.
    pub kind: &'static str,
}

/// The result of `retract`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "retracted")]
pub(crate) struct RetractionReceipt {
    /// The node's id.
    pub node: String,
    pub ledger: String,
    pub scenario: String,
    /// The time of the reading that was withdrawn.
    pub retracts: String,
    /// When it was withdrawn.
    pub ts: String,
    /// Why the reading was withdrawn, as it was filed.
    pub note: Option<String>,
    /// The reading of the scenario that counts now: `Some(None)` if no reading is left, `None` if the result is not
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<Option<LatestReceipt>>,
}

/// The reading that counts now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LatestReceipt {
    /// The verdict that counts.
    pub verdict: ShownVerdict,
    /// When it was filed.
    pub ts: String,
    /// Its state; `None` if the scenario is not declared.
    #[serde(serialize_with = "ReadingState::word")]
    pub state: Option<ReadingState>,
}

/// A ledger line that was redacted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RedactionReceipt {
    /// `redacted`, or `already-redacted` if nothing was written.
    pub outcome: &'static str,
    /// The node's id.
    pub node: String,
    /// The ledgers that were rewritten.
    pub ledgers: Vec<String>,
    pub scenario: String,
    /// The time of the line.
    pub ts: String,
    /// The sha256 of every line that was replaced.
    pub redacts: Vec<String>,
    /// The reason for the redaction, as it was filed.
    pub reason: String,
    /// The name of the person who redacted it; it is not verified.
    pub by: Option<String>,
}

/// The result of `clean`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CollectionReceipt {
    /// What happened to the evidence.
    pub outcome: CollectionOutcome,
    /// The pieces that were or would be moved to the trash, or were restored.
    pub evidence: Vec<Unnamed>,
    /// How many pieces stay because a reading names them.
    pub referenced: usize,
    /// How many pieces stay because they are young.
    pub young: usize,
    /// How many pieces of earlier collections were deleted for good.
    pub purged: usize,
}

/// What happened to the unreferenced evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CollectionOutcome {
    /// It was moved to the trash.
    Cleaned,
    /// A dry run: it would be moved to the trash.
    WouldClean,
    /// What the last collection moved was brought back.
    Restored,
}

/// A piece of evidence in the result of a collection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Unnamed {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes; `None` if it was not read.
    pub size: Option<u64>,
    /// The readings of the work tree that name it.
    pub readings: Vec<ReadingName>,
}

/// The result of `repair`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Repaired {
    /// Whether ledgers were changed.
    pub outcome: RepairOutcome,
    /// The ledgers that changed, would change, or have a problem that only a person can solve.
    pub ledgers: Vec<Mended>,
}

/// Whether ledgers were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepairOutcome {
    /// Lines were changed.
    Repaired,
    /// A dry run: lines would be changed.
    WouldRepair,
    /// No line had to change. A problem may be left to a person.
    Sound,
}

/// One ledger of a repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Mended {
    /// The ledger, from the top of the repository.
    pub ledger: String,
    /// What changed, in file order.
    pub changes: Vec<EditReceipt>,
    /// The problems that only a person can solve.
    pub left: Vec<Left>,
    /// Whether it is gone, and git never had it: a new segment without a whole line.
    #[serde(skip)]
    pub is_gone: bool,
}

/// One change of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EditReceipt {
    pub reason: EditReason,
    /// The physical line before the repair, from 1; a lost line is added after this line.
    pub line: u32,
    /// The removed line, with replacement characters for bytes that are not UTF-8; `None` if no line was removed or the
    /// line was redacted.
    pub removed: Option<String>,
    /// The lines inserted in its place; after it, if it stays.
    pub added: Vec<String>,
}

impl EditReceipt {
    pub(crate) fn new(reason: EditReason, line: u32, removed: Option<&[u8]>, added: &[impl AsRef<[u8]>]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { reason, line, removed: removed.map(text), added: added.iter().map(|one| text(one.as_ref())).collect() }
    }
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

/// A problem that is still in a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Left {
    /// The physical line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
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
    #[serde(flatten, serialize_with = "reason")]
    pub why: Error,
}

fn reason<S: Serializer>(why: &Error, to: S) -> Result<S::Ok, S::Error> {
    let mut keys = to.serialize_struct("reason", 2)?;
    keys.serialize_field("message", &why.message)?;
    keys.serialize_field("help", &why.hints)?;
    keys.end()
}

/// Evidence that was stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "stored")]
pub(crate) struct Stored {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// `image`, `transcript`, `video` or `data`.
    pub kind: &'static str,
}

/// Evidence that was written to a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "written")]
pub(crate) struct Exported {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Where the bytes were written.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The result of a check of all evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CheckReceipt {
    /// `sound` or `corrupt`.
    pub outcome: &'static str,
    /// How many files were looked at.
    pub files: usize,
    /// The files with other content than their name says.
    pub corrupt: Vec<CorruptPiece>,
}

/// A corrupt piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CorruptPiece {
    pub path: String,
    /// The hash in its name.
    pub expected: String,
    /// The hash of its content; `None` if it cannot be read.
    pub actual: Option<String>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// The readings of the work tree that name this piece.
    pub readings: Vec<ReadingName>,
}

/// The content of the store, and pieces that readings name and the store lacks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "listed")]
pub(crate) struct StoreReceipt {
    /// All pieces of the store, then the pieces that readings name and the store lacks.
    pub evidence: Vec<StoreEntry>,
}

/// One piece of evidence, as the store knows it and readings name it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreEntry {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes, if it is in the store.
    pub size: Option<u64>,
    /// When it was last stored, if it is in the store.
    pub stored: Option<String>,
    /// The kinds under which readings of the work tree name it.
    pub kinds: BTreeSet<String>,
    /// The readings of the work tree that name it.
    pub named_by: Vec<ReadingName>,
    pub present: bool,
    /// How long it has been in the store, for people.
    #[serde(skip)]
    pub age: Option<String>,
}
