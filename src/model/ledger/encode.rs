//! The line we write: the seed's shape, widened so that every generation of reader understands it (formats.md).

use super::{Evidence, EvidenceKind, Reading, ReadingVerdict, Redaction, Retraction, Stamped, Status};
use crate::tree::path::RepoPath;
use serde::Serialize;
use std::collections::BTreeMap;

/// A stamp of more files is left out: the commit alone testifies.
pub const MAX_STAMPED_FILES: usize = 256;
/// A line of more bytes is written without its stamp.
pub const MAX_WRITTEN_LINE: usize = 32 << 10;

/// The order of the fields is the order of the keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadingLine<'r> {
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario_hash: Option<String>,
    blob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob_kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Vec<EvidenceItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline_blob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluator: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    governed: Option<BTreeMap<&'r str, String>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dirty: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<VerdictValue<'r>>,
    ts: String,
}

#[derive(Serialize)]
struct EvidenceItem {
    hash: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct VerdictValue<'r> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
}

#[derive(Serialize)]
struct RetractionLine<'r> {
    retracts: String,
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redacts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    ts: String,
}

#[derive(Serialize)]
struct RedactionLine<'r> {
    redacts: String,
    scenario: &'r str,
    ts: String,
    reason: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
}

/// The line of a reading, without its line end. The stamp is left out when it names more than [`MAX_STAMPED_FILES`],
/// when the line would be longer than [`MAX_WRITTEN_LINE`], and when a path has no spelling in it (not UTF-8, or one
/// that [`RepoPath::parse`] would read as another): half a stamp would testify for files that nobody looked at.
pub fn encode_reading(reading: &Reading) -> String {
    let stamp = reading.governed.as_ref().and_then(stamp);
    let line = compact(&reading_line(reading, stamp));
    if line.len() > MAX_WRITTEN_LINE && reading.governed.is_some() {
        return compact(&reading_line(reading, None));
    }
    line
}

/// The line of a retraction, without its line end.
pub fn encode_retraction(retraction: &Retraction) -> String {
    compact(&RetractionLine {
        retracts: retraction.retracts.to_string(),
        scenario: &retraction.scenario,
        note: retraction.note.as_deref(),
        redacts: retraction.redacted.as_ref().map(|redacted| redacted.line.to_string()),
        reason: retraction.redacted.as_ref().map(|redacted| &*redacted.reason),
        by: retraction.by.as_deref(),
        ts: retraction.ts.to_string(),
    })
}

/// The line of a redaction, without its line end.
pub fn encode_redaction(redaction: &Redaction) -> String {
    compact(&RedactionLine {
        redacts: redaction.redacted.line.to_string(),
        scenario: &redaction.scenario,
        ts: redaction.ts.to_string(),
        reason: &redaction.redacted.reason,
        by: redaction.by.as_deref(),
    })
}

fn reading_line<'r>(reading: &'r Reading, governed: Option<BTreeMap<&'r str, String>>) -> ReadingLine<'r> {
    let first = reading.evidence.first();
    ReadingLine {
        scenario: &reading.scenario,
        code_sha: reading.code_sha.map(|id| id.to_string()),
        scenario_hash: reading.scenario_hash.map(|hash| hash.to_string()),
        blob: first.map(|item| item.hash.to_string()),
        blob_kind: first.map(|item| item.kind.as_str()),
        evidence: evidence_list(&reading.evidence),
        timeline_blob: reading.timeline.map(|hash| hash.to_string()),
        evaluator: reading.evaluator.as_deref(),
        governed,
        dirty: reading.dirty,
        by: reading.by.as_deref(),
        verdict: verdict(reading),
        ts: reading.ts.to_string(),
    }
}

/// The list is only written where the scalar pair cannot say the same to older readers.
fn evidence_list(evidence: &[Evidence]) -> Option<Vec<EvidenceItem>> {
    let plain = |item: &Evidence| matches!(item.kind, EvidenceKind::Image | EvidenceKind::Transcript);
    if evidence.len() <= 1 && evidence.iter().all(plain) {
        return None;
    }
    Some(evidence.iter().map(|item| EvidenceItem { hash: item.hash.to_string(), kind: item.kind.as_str() }).collect())
}

fn verdict(reading: &Reading) -> Option<VerdictValue<'_>> {
    let note = reading.note.as_deref();
    let status = match reading.verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy if note.is_some() => "note",
        ReadingVerdict::Legacy => return None,
    };
    Some(VerdictValue { status, note })
}

fn stamp(governed: &BTreeMap<RepoPath, Stamped>) -> Option<BTreeMap<&str, String>> {
    if governed.len() > MAX_STAMPED_FILES {
        return None;
    }
    governed.iter().map(|(path, stamped)| Some((spelling(path)?, stamped.to_text()))).collect()
}

fn spelling(path: &RepoPath) -> Option<&str> {
    let text = std::str::from_utf8(path.as_bstr()).ok()?;
    RepoPath::parse(text.as_bytes()).is_ok_and(|read| read == *path).then_some(text)
}

/// Structs of strings always serialise.
fn compact(line: &impl Serialize) -> String {
    serde_json::to_string(line).unwrap_or_default()
}
