//! The result of a writing verb, for people and machines. Input: a [`Receipt`] of plain texts and numbers. Output:
//! lines or one JSON document (`yatsu-hook/receipt/v1`, schema/receipt.v1.schema.json). Nothing is decided here.

mod human;

pub(crate) use super::view::receipt::{
    FoldOutcome, FoldReceipt, HomeReceipt, LeftReceipt, ReadingName, SignatureReceipt, SigningOutcome, SigningReceipt,
};
pub(crate) use human::{amount, left, left_homes, lines, readings};

use super::view::budget::BudgetRow;
use super::view::measures::MeasuresRow;
use super::view::receipt::{EditReason, FilingOutcome};
use super::view::score::ReadingState;
use super::view::terms::TermsRow;
use super::view::verdict::ShownVerdict;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format. If the meaning of any key changes, the name changes.
const SCHEMA: &str = "yatsu-hook/receipt/v1";

/// The result of a writing verb. The texts may come from a repository; printing escapes them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub(crate) enum Receipt {
    New(NewReceipt),
    Eval(Box<ReadingReceipt>),
    WaiveBudget(WaiverReceipt),
    Sign(SigningReceipt),
    Retract(RetractionReceipt),
    Redact(RedactionReceipt),
    Clean(CollectionReceipt),
    Repair(Repaired),
    Fold(FoldReceipt),
    EvidencePut(Stored),
    /// `evidence get` into a file.
    EvidenceGet(Exported),
    EvidenceCheck(CheckReceipt),
    EvidenceLs(StoreReceipt),
    Report(WrittenPage),
}

impl Receipt {
    /// Whether the verb changed nothing, because it only reads or was asked for a dry run. Its output is then the whole
    /// result.
    pub(crate) fn is_answer(&self) -> bool {
        match self {
            Self::EvidenceCheck(_) | Self::EvidenceLs(_) => true,
            Self::New(begun) => begun.outcome == BegunOutcome::WouldCreate,
            Self::Eval(reading) => reading.outcome == FilingOutcome::WouldFile,
            Self::Clean(collection) => collection.outcome == CollectionOutcome::WouldClean,
            Self::Repair(repaired) => repaired.outcome == RepairOutcome::WouldRepair,
            Self::Fold(folded) => folded.outcome == FoldOutcome::WouldFold,
            Self::WaiveBudget(_)
            | Self::Sign(_)
            | Self::Retract(_)
            | Self::Redact(_)
            | Self::EvidencePut(_)
            | Self::EvidenceGet(_)
            | Self::Report(_) => false,
        }
    }
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

/// Whether the files of a new scenario were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BegunOutcome {
    /// The files were made.
    Created,
    /// A dry run: these would be made.
    WouldCreate,
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
    pub malformed: Vec<MalformedLine>,
    /// The metrics that the output names without giving a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// The state of the budgets; `None` if there is no limit.
    #[serde(flatten)]
    pub budget: Option<BudgetRow>,
}

/// A page that was written, or would be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "outcome", rename = "written")]
pub(crate) struct WrittenPage {
    /// Where it is, as it was typed.
    pub path: String,
    /// Its size in bytes.
    pub size: usize,
    /// How many scenarios are on it.
    pub scenarios: usize,
    /// How many pieces of evidence it shows, wholly or in part.
    pub shown: usize,
    /// How many pieces are in this clone but not on the page.
    pub left_out: usize,
    /// How many pieces are not in this clone.
    pub missing: usize,
    /// How many secrets were masked.
    pub masked: usize,
}

/// A line of the output that looks like a marker but is malformed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MalformedLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
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

/// Breaches of a scenario's budget that were waived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WaiverReceipt {
    /// Whether a waiver was written.
    pub outcome: WaiverOutcome,
    /// The node's id.
    pub node: String,
    pub ledger: String,
    pub scenario: String,
    /// The reason for the waiver, as it was filed.
    pub reason: String,
    /// The name of the person who waived them; it is not verified.
    pub by: String,
    /// When the waiver was filed.
    pub ts: String,
}

/// Whether a waiver was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WaiverOutcome {
    /// A line was appended.
    Waived,
    /// An earlier waiver covers all of them; nothing was written.
    AlreadyWaived,
}

/// A ledger line that was redacted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RedactionReceipt {
    /// Whether the line was redacted now.
    pub outcome: RedactionOutcome,
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
    pub ledgers: Vec<RepairReceipt>,
}

/// One ledger of a repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RepairReceipt {
    /// The ledger, from the top of the repository.
    pub ledger: String,
    /// What changed, in file order.
    pub changes: Vec<EditReceipt>,
    /// The problems that only a person can solve.
    pub left: Vec<Left>,
    /// Whether the file is gone, and git never had it.
    #[serde(skip)]
    pub is_gone: bool,
}

/// One change of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EditReceipt {
    pub reason: EditReason,
    /// The physical line, from 1.
    pub line: u32,
    /// The removed line, with replacement characters for bytes that are not UTF-8; `None` if no line was removed or the
    /// line was redacted.
    pub removed: Option<String>,
    /// The lines inserted in its place; after it, if it stays.
    pub added: Vec<String>,
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
    /// Whether all files are sound.
    pub outcome: StoreHealth,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreEntry {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes, if it is in the store.
    pub size: Option<u64>,
    /// When it was last stored, if it is in the store.
    pub stored: Option<String>,
    /// The kinds under which readings of the work tree name it.
    pub kinds: Vec<String>,
    /// The readings of the work tree that name it.
    pub named_by: Vec<ReadingName>,
    pub present: bool,
    /// How long it has been in the store, for people.
    #[serde(skip)]
    pub age: Option<String>,
}

/// Whether a line was redacted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RedactionOutcome {
    /// It was replaced by its redaction.
    Redacted,
    /// It was redacted before; nothing was written.
    AlreadyRedacted,
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

/// How the evidence store stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreHealth {
    /// The content of every file has the hash in its name.
    Sound,
    /// The content of some files has another hash.
    Corrupt,
}

/// Writes the JSON document and a newline. Fails only when `out` does.
pub(crate) fn write_json(receipt: &Receipt, out: &mut dyn Write) -> io::Result<()> {
    super::write_document(SCHEMA, receipt, out)
}
