//! Conversion of the results of recording use cases into receipts to print.

use crate::app::query::measures::measures_row;
use crate::app::query::show::CountingNow;
use crate::app::query::terms::{budget_row, terms_row};
use crate::app::record::eval::NewReading;
use crate::app::record::fold::{Folded, FoldedHome, LeftHome};
use crate::app::record::redact;
use crate::app::record::repair::{LedgerEdit, Mended};
use crate::app::record::retract::Retracted;
use crate::app::setup::new::{NewScenario, Origin};
use crate::app::upkeep::clean::Cleaned;
use crate::app::upkeep::evidence::{CacheCheck, Damage, ListedPiece, NamingReading};
use crate::model::ledger::{EvidenceHash, EvidenceKind, ReadingVerdict, Status, Timestamp};
use crate::model::reference::eval_command;
use crate::model::source::Problem;
use crate::report::receipt::{
    self, BegunOutcome, CollectionOutcome, FoldOutcome, Receipt, RedactionOutcome, RepairOutcome, StoreHealth,
};
use crate::store::evidence::Blob;
use crate::text::age;
use crate::text::markers::{Malformed, Shown};
use crate::tree::path::RepoPath;
use std::path::Path;

/// The receipt of `new`.
pub(super) fn begun(made: &NewScenario, dry_run: bool) -> Receipt {
    let (paths, contents) = made.files.iter().map(|(path, content)| (text(path), content.clone())).unzip();
    Receipt::New(receipt::NewReceipt {
        outcome: if dry_run { BegunOutcome::WouldCreate } else { BegunOutcome::Created },
        node: made.id.clone(),
        directory: text(&made.dir),
        scenario: made.scenario.clone(),
        origin: made.origin.as_ref().map(origin),
        file: text(&made.file),
        files: paths,
        next: eval_command(&made.dir, &made.scenario),
        contents,
    })
}

fn origin(origin: &Origin) -> receipt::OriginReceipt {
    receipt::OriginReceipt {
        path: origin.path.clone(),
        kind: origin.kind,
        scenarios: origin.scenarios.clone(),
        drafts: origin.drafts.clone(),
        needs_clarification: origin.open_questions,
        removed: origin.removed,
        renamed: origin.renamed,
        near: origin.near.clone(),
    }
}

/// The receipt of `eval`.
pub(super) fn filed(filed: &NewReading) -> Receipt {
    let reading = &filed.reading;
    let piece = |item: &crate::model::ledger::Evidence| receipt::EvidenceReceipt {
        hash: item.hash.to_string(),
        kind: item.kind.as_str(),
    };
    Receipt::Eval(Box::new(receipt::ReadingReceipt {
        outcome: filed.outcome,
        node: filed.node.clone(),
        directory: text(&filed.dir),
        ledger: text(&filed.ledger),
        scenario: reading.scenario.clone(),
        status: if reading.verdict == ReadingVerdict::Measured(Status::Pass) { "pass" } else { "fail" },
        code_sha: reading.code_sha.map(|id| id.to_string()).unwrap_or_default(),
        ts: reading.ts.to_string(),
        evaluator: reading.evaluator.clone(),
        by: reading.by.clone(),
        note: reading.note.clone(),
        evidence: reading.evidence.iter().map(piece).collect(),
        timeline: reading.timeline.map(|hash| hash.to_string()),
        stamped: reading.governed.as_ref().map(std::collections::BTreeMap::len),
        dirty: filed.dirty.iter().map(text).collect(),
        terms: terms_row(&reading.terms),
        measures: measures_row(&reading.measures),
        reads_markers: filed.shown.is_some(),
        malformed: filed.shown.as_ref().map(malformed).unwrap_or_default(),
        absent: filed.shown.iter().flat_map(|shown| shown.absent.keys().cloned()).collect(),
        budget: filed.budget.as_ref().map(|judged| budget_row(judged, &reading.verdict)),
    }))
}

fn malformed(shown: &Shown) -> Vec<receipt::MalformedLine> {
    let line = |one: &Malformed| receipt::MalformedLine { line: one.line, message: one.message.clone() };
    shown.malformed.iter().map(line).collect()
}

/// The receipt of `retract`. `latest` is `None` if the counting reading is not known.
pub(super) fn retracted(retracted: &Retracted, latest: Option<Option<CountingNow>>) -> Receipt {
    let latest_row = |latest: CountingNow| receipt::LatestReceipt {
        verdict: latest.verdict,
        ts: latest.ts.to_string(),
        state: latest.state,
    };
    let retraction = &retracted.retraction;
    Receipt::Retract(receipt::RetractionReceipt {
        node: retracted.node.clone(),
        ledger: text(&retracted.ledger),
        scenario: retraction.scenario.clone(),
        retracts: retraction.retracts.to_string(),
        ts: retraction.ts.to_string(),
        note: retraction.note.clone(),
        latest: latest.map(|latest| latest.map(latest_row)),
    })
}

/// The receipt of `redact`.
pub(super) fn redacted(done: &redact::Done, asked: &redact::RedactRequest) -> Receipt {
    Receipt::Redact(receipt::RedactionReceipt {
        outcome: if done.lines.is_empty() { RedactionOutcome::AlreadyRedacted } else { RedactionOutcome::Redacted },
        node: done.node.clone(),
        ledgers: done.ledgers.iter().map(text).collect(),
        scenario: asked.scenario.clone(),
        ts: asked.ts.to_string(),
        redacts: done.lines.iter().map(ToString::to_string).collect(),
        reason: asked.reason.clone(),
        by: asked.by.clone(),
    })
}

/// The receipt of `clean`.
pub(super) fn cleaned(cleaned: &Cleaned, dry_run: bool) -> Receipt {
    let piece = |(blob, readings): &(Blob, Vec<NamingReading>)| receipt::Unnamed {
        hash: blob.hash.to_string(),
        size: Some(blob.size),
        readings: readings.iter().map(named).collect(),
    };
    Receipt::Clean(receipt::CollectionReceipt {
        outcome: if dry_run { CollectionOutcome::WouldClean } else { CollectionOutcome::Cleaned },
        evidence: cleaned.removed.iter().map(piece).collect(),
        referenced: cleaned.referenced,
        young: cleaned.young,
        purged: cleaned.purged,
    })
}

/// The receipt of `clean --undo`.
pub(super) fn restored(back: &[EvidenceHash]) -> Receipt {
    let piece = |hash: &EvidenceHash| receipt::Unnamed { hash: hash.to_string(), size: None, readings: Vec::new() };
    let evidence = back.iter().map(piece).collect();
    Receipt::Clean(receipt::CollectionReceipt {
        outcome: CollectionOutcome::Restored,
        evidence,
        referenced: 0,
        young: 0,
        purged: 0,
    })
}

/// The receipt of `repair`.
pub(super) fn repaired(mended: &[Mended], dry_run: bool) -> Receipt {
    let outcome = match mended.iter().all(|ledger| ledger.changes.is_empty()) {
        true => RepairOutcome::Sound,
        false if dry_run => RepairOutcome::WouldRepair,
        false => RepairOutcome::Repaired,
    };
    let ledger = |mended: &Mended| receipt::RepairReceipt {
        ledger: text(&mended.ledger),
        changes: mended.changes.iter().map(change).collect(),
        left: mended.left.iter().map(left).collect(),
        is_gone: mended.is_gone,
    };
    Receipt::Repair(receipt::Repaired { outcome, ledgers: mended.iter().map(ledger).collect() })
}

/// The receipt of `fold`.
pub(super) fn folded(done: &Folded, dry_run: bool) -> Receipt {
    let home = |home: &FoldedHome| receipt::HomeReceipt {
        node: home.node.clone(),
        directory: text(&home.dir),
        trunk: text(&home.trunk),
        lines: home.lines,
        segments: home.segments.iter().map(text).collect(),
    };
    let left = |left: &LeftHome| receipt::LeftReceipt {
        node: left.node.clone(),
        message: left.why.message.clone(),
        help: left.why.hints.clone(),
    };
    Receipt::Fold(receipt::FoldReceipt {
        outcome: match done.homes.is_empty() {
            true => FoldOutcome::Nothing,
            false if dry_run => FoldOutcome::WouldFold,
            false => FoldOutcome::Folded,
        },
        homes: done.homes.iter().map(home).collect(),
        left: done.left.iter().map(left).collect(),
    })
}

fn change(change: &LedgerEdit) -> receipt::EditReceipt {
    let line = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    receipt::EditReceipt {
        reason: change.reason,
        line: change.line,
        removed: change.removed.as_ref().map(line),
        added: change.added.iter().map(line).collect(),
    }
}

fn left(problem: &Problem) -> receipt::Left {
    receipt::Left { line: problem.at.line, message: problem.message.clone(), help: problem.help.clone() }
}

/// The receipt of `evidence put`.
pub(super) fn stored(hash: &EvidenceHash, kind: EvidenceKind) -> Receipt {
    Receipt::EvidencePut(receipt::Stored { hash: hash.to_string(), kind: kind.as_str() })
}

/// The receipt of `evidence get` into a file.
pub(super) fn exported(hash: &EvidenceHash, path: &Path, size: u64) -> Receipt {
    let path = path.to_string_lossy().into_owned();
    Receipt::EvidenceGet(receipt::Exported { hash: hash.to_string(), path, size })
}

/// The receipt of `evidence check`.
pub(super) fn checked(checked: &CacheCheck) -> Receipt {
    let corrupt = |damage: &Damage| receipt::CorruptPiece {
        path: damage.file.path.to_string_lossy().into_owned(),
        expected: damage.file.expected.to_string(),
        actual: damage.file.actual.as_ref().ok().map(EvidenceHash::to_string),
        problem: damage.file.actual.as_ref().err().cloned(),
        readings: damage.readings.iter().map(named).collect(),
    };
    Receipt::EvidenceCheck(receipt::CheckReceipt {
        outcome: if checked.damage.is_empty() { StoreHealth::Sound } else { StoreHealth::Corrupt },
        files: checked.files,
        corrupt: checked.damage.iter().map(corrupt).collect(),
    })
}

/// The receipt of `evidence ls` at `now`.
pub(super) fn listed(pieces: &[ListedPiece], now: Timestamp) -> Receipt {
    let stored = |millis| Timestamp::from_millis(millis).map(|time| time.to_string());
    let entry = |piece: &ListedPiece| receipt::StoreEntry {
        hash: piece.hash.to_string(),
        size: piece.blob.as_ref().map(|blob| blob.size),
        stored: piece.blob.as_ref().and_then(|blob| stored(blob.mtime_millis)),
        kinds: piece.kinds.iter().cloned().collect(),
        named_by: piece.readings.iter().map(named).collect(),
        present: piece.blob.is_some(),
        age: piece.blob.as_ref().map(|blob| age(now.millis.saturating_sub(blob.mtime_millis))),
    };
    Receipt::EvidenceLs(receipt::StoreReceipt { evidence: pieces.iter().map(entry).collect() })
}

fn named(named: &NamingReading) -> receipt::ReadingName {
    receipt::ReadingName { node: named.node.clone(), scenario: named.scenario.clone(), ts: named.ts.to_string() }
}

fn text(path: &RepoPath) -> String {
    String::from_utf8_lossy(path.as_bstr()).into_owned()
}
