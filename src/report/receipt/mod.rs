//! What a writing verb did, for people and for machines. A [`Receipt`] of plain texts and numbers in, lines or one JSON
//! document out (`yatsu-hook/receipt/v1`, schema/receipt.v1.schema.json). Form only: nothing is decided here.

mod human;

pub(crate) use super::view::receipt::ReadingName;
pub(crate) use human::{amount, left, lines, readings};

use super::view::budget::BudgetRow;
use super::view::measures::MeasuresRow;
use super::view::receipt::{EditReason, FilingOutcome};
use super::view::score::ReadingState;
use super::view::terms::TermsRow;
use super::view::verdict::ShownVerdict;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format; another meaning of any key gets another name.
const SCHEMA: &str = "yatsu-hook/receipt/v1";

/// What a writing verb did. The texts may come from a repository; printing escapes them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub(crate) enum Receipt {
    /// `new`.
    New(NewReceipt),
    /// `eval`.
    Eval(Box<ReadingReceipt>),
    /// `claim waive-budget`.
    WaiveBudget(WaiverReceipt),
    /// `retract`.
    Retract(RetractionReceipt),
    /// `redact`.
    Redact(RedactionReceipt),
    /// `clean`.
    Clean(CollectionReceipt),
    /// `repair`.
    Repair(Repaired),
    /// `evidence put`.
    EvidencePut(Stored),
    /// `evidence get` into a file.
    EvidenceGet(Exported),
    /// `evidence check`.
    EvidenceCheck(CheckReceipt),
    /// `evidence ls`.
    EvidenceLs(StoreReceipt),
    /// `report --html`.
    Report(WrittenPage),
}

impl Receipt {
    /// Whether it is all that was asked for: the verb only looked, or was told to change nothing.
    pub(crate) fn is_answer(&self) -> bool {
        match self {
            Self::EvidenceCheck(_) | Self::EvidenceLs(_) => true,
            Self::New(begun) => begun.outcome == BegunOutcome::WouldCreate,
            Self::Eval(reading) => reading.outcome == FilingOutcome::WouldFile,
            Self::Clean(collection) => collection.outcome == CollectionOutcome::WouldClean,
            Self::Repair(repaired) => repaired.outcome == RepairOutcome::WouldRepair,
            Self::WaiveBudget(_)
            | Self::Retract(_)
            | Self::Redact(_)
            | Self::EvidencePut(_)
            | Self::EvidenceGet(_)
            | Self::Report(_) => false,
        }
    }
}

/// A scenario that was begun, or would be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewReceipt {
    /// What became of it.
    pub outcome: BegunOutcome,
    /// The node's id.
    pub node: String,
    /// The node's directory.
    pub directory: String,
    /// The scenario's name.
    pub scenario: String,
    /// The scenario file.
    pub file: String,
    /// The paths of the files that were made.
    pub files: Vec<String>,
    /// What files its first reading, but for the verdict.
    pub next: Vec<String>,
    /// What the files say; only people who asked what would be written read it.
    #[serde(skip)]
    pub contents: Vec<String>,
}

/// What became of a scenario that was to be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BegunOutcome {
    /// The files were made.
    Created,
    /// A dry run: these would be made.
    WouldCreate,
}

/// A reading that was filed, or that would be, or that the ledger says already.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingReceipt {
    /// What became of it.
    pub outcome: FilingOutcome,
    /// The node's id.
    pub node: String,
    /// The node's directory.
    pub directory: String,
    /// The ledger's path.
    pub ledger: String,
    /// The scenario's name.
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
    /// The annotation on the verdict, as it was filed.
    pub note: Option<String>,
    /// The evidence in its order.
    pub evidence: Vec<EvidenceReceipt>,
    /// The name of the step timeline.
    pub timeline: Option<String>,
    /// How many files the stamp names; `None` when the commit alone testifies.
    pub stamped: Option<usize>,
    /// The governed files that differ from the commit.
    pub dirty: Vec<String>,
    /// How it was filed.
    #[serde(flatten)]
    pub terms: TermsRow,
    /// What it says it measured.
    #[serde(flatten)]
    pub measures: MeasuresRow,
    /// Whether markers were looked for at all.
    #[serde(skip)]
    pub reads_markers: bool,
    /// The first lines of the output that say something which is not recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub malformed: Vec<MalformedLine>,
    /// The metrics that the output names without a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// What the budgets say of it; nothing where nothing is limited.
    #[serde(flatten)]
    pub budget: Option<BudgetRow>,
}

/// A page that was written, or that would be.
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
    /// How many are here and not on it.
    pub left_out: usize,
    /// How many are not in this clone.
    pub missing: usize,
    /// How many secrets were masked.
    pub masked: usize,
}

/// A line of the output that is not what it seems to be.
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

/// What `retract` says it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "retracted")]
pub(crate) struct RetractionReceipt {
    /// The node's id.
    pub node: String,
    /// The ledger's path.
    pub ledger: String,
    /// The scenario's name.
    pub scenario: String,
    /// The time of the reading that was withdrawn.
    pub retracts: String,
    /// When it was withdrawn.
    pub ts: String,
    /// Why the reading was withdrawn, as it was filed.
    pub note: Option<String>,
    /// Which reading of the scenario counts now: `None` inside where none is left; nothing where nobody can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<Option<LatestReceipt>>,
}

/// The reading that counts now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LatestReceipt {
    /// What it says.
    pub verdict: ShownVerdict,
    /// When it was filed.
    pub ts: String,
    /// Whether it speaks; nothing of a scenario that is not declared.
    pub state: Option<ReadingState>,
}

/// The breaches of a scenario's budget that were let pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WaiverReceipt {
    /// What became of them.
    pub outcome: WaiverOutcome,
    /// The node's id.
    pub node: String,
    /// The ledger's path.
    pub ledger: String,
    /// The scenario's name.
    pub scenario: String,
    /// Why they are let pass, as it was filed.
    pub reason: String,
    /// The person who decided; nothing checks it.
    pub by: String,
    /// When that was filed.
    pub ts: String,
}

/// What became of breaches that were to be let pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WaiverOutcome {
    /// A line was appended.
    Waived,
    /// An earlier waiver lets all of them pass already; nothing was written.
    AlreadyWaived,
}

/// A line that was taken out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RedactionReceipt {
    /// What became of it.
    pub outcome: RedactionOutcome,
    /// The node's id.
    pub node: String,
    /// The ledgers that were rewritten.
    pub ledgers: Vec<String>,
    /// The scenario's name.
    pub scenario: String,
    /// The time that the line carried.
    pub ts: String,
    /// The sha256 of every line that was replaced.
    pub redacts: Vec<String>,
    /// Why the line had to go, as it was filed.
    pub reason: String,
    /// The person who did it; nothing checks it.
    pub by: Option<String>,
}

/// A collection of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CollectionReceipt {
    /// What became of the evidence.
    pub outcome: CollectionOutcome,
    /// What went, would go, or came back.
    pub evidence: Vec<Unnamed>,
    /// How many pieces stay because a reading names them.
    pub referenced: usize,
    /// How many stay because they are young.
    pub young: usize,
    /// How many pieces of earlier collections were deleted for good.
    pub purged: usize,
}

/// A piece of evidence that a collection is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Unnamed {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes; `None` where nobody looked.
    pub size: Option<u64>,
    /// The readings of the work tree that name it.
    pub readings: Vec<ReadingName>,
}

/// A repair of the ledgers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Repaired {
    /// What became of the ledgers.
    pub outcome: RepairOutcome,
    /// The ledgers that changed, would change, or hold what a person must decide.
    pub ledgers: Vec<RepairReceipt>,
}

/// One ledger of a repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RepairReceipt {
    /// The ledger, from the top of the repository.
    pub ledger: String,
    /// What changed, in file order.
    pub changes: Vec<EditReceipt>,
    /// What only a person can decide.
    pub left: Vec<Left>,
}

/// One change of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EditReceipt {
    /// What it was changed for.
    pub reason: EditReason,
    /// The physical line, from 1.
    pub line: u32,
    /// The line that goes, bytes that are not UTF-8 replaced; `None` where none goes, and where it was redacted.
    pub removed: Option<String>,
    /// The lines that come in its place, or after it where it stays.
    pub added: Vec<String>,
}

/// What is still wrong with a ledger.
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

/// A check of all evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CheckReceipt {
    /// How the store stands.
    pub outcome: StoreHealth,
    /// How many files were looked at.
    pub files: usize,
    /// Those that are not what their name says.
    pub corrupt: Vec<CorruptPiece>,
}

/// A corrupt piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CorruptPiece {
    /// Where it lies.
    pub path: String,
    /// What its name promises.
    pub expected: String,
    /// What its content hashes to; `None` when it cannot be read.
    pub actual: Option<String>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// The readings of the work tree that it hurts.
    pub readings: Vec<ReadingName>,
}

/// The content of the store, and what is named and not in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename = "listed")]
pub(crate) struct StoreReceipt {
    /// All pieces that the store holds, then those that readings name and it does not hold.
    pub evidence: Vec<StoreEntry>,
}

/// One piece of evidence, as the store knows it and readings name it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreEntry {
    /// The sha256 of its bytes, lower-case hex.
    pub hash: String,
    /// Its size in bytes, where it is here.
    pub size: Option<u64>,
    /// When it was last stored, where it is here.
    pub stored: Option<String>,
    /// What readings of the work tree name it as.
    pub kinds: Vec<String>,
    /// The readings of the work tree that name it.
    pub named_by: Vec<ReadingName>,
    /// Whether it is here.
    pub present: bool,
    /// How long it is here, for people.
    #[serde(skip)]
    pub age: Option<String>,
}

/// What became of a line that was to be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RedactionOutcome {
    /// It was replaced by its redaction.
    Redacted,
    /// That had been done before; nothing was written.
    AlreadyRedacted,
}

/// What became of evidence that nothing names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CollectionOutcome {
    /// It was moved to the trash.
    Cleaned,
    /// A dry run: it would be.
    WouldClean,
    /// What the last collection moved was brought back.
    Restored,
}

/// What became of the ledgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepairOutcome {
    /// Lines were changed.
    Repaired,
    /// A dry run: they would be.
    WouldRepair,
    /// No line had to change; something may be left to a person.
    Sound,
}

/// How the evidence store stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreHealth {
    /// Every file is what its name says.
    Sound,
    /// Some are not.
    Corrupt,
}

#[derive(Serialize)]
struct ReceiptJson<'a> {
    schema: &'static str,
    #[serde(flatten)]
    receipt: &'a Receipt,
}

/// Writes the JSON document and a newline. Fails only when `out` does.
pub(crate) fn write_json(receipt: &Receipt, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(&ReceiptJson { schema: SCHEMA, receipt }).map_err(io::Error::other)?;
    writeln!(out, "{}", super::inert_json(json))
}
