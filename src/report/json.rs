//! `yatsu-hook/findings/v1` (schema/findings.v1.schema.json): one document on one line.
//!
//! Introduced findings come first, then fixed ones, then inherited ones; each group by file and line. `summary.inherited` is
//! the number of older findings when the document does not list them. Every key of a finding is always present and `null` or
//! empty if unknown. Exceptions: the amounts spent appear only with a breached budget, `code` only for rules with several
//! violations, `undeclared` only for `under-declared`, `renamedFrom` only for a scenario that was renamed and not otherwise changed. A path that is not UTF-8 is
//! shown with replacement characters, and `pathBytes` holds its bytes as hex. `summary.score` appears where whole scenarios
//! were judged. `approval` appears
//! only for a range. `summary.suppressed` counts the findings that follow from another one. `hidden`, `notes` and `unchecked`
//! appear only when they are not empty.

use super::view::{ApprovalRow, Report, Scope, Summary};
use crate::finding::{Finding, Verdict};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/findings/v1")]
struct FindingsJson<'a> {
    scope: &'a Scope,
    findings: &'a [Finding],
    summary: &'a Summary,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'a ApprovalRow>,
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<UncheckedJson<'a>>,
}

#[derive(Serialize)]
struct UncheckedJson<'a> {
    message: &'a str,
    hints: &'a [String],
}

/// Writes the document and a newline.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let document = FindingsJson {
        scope: &report.scope,
        findings: &report.findings,
        summary: &report.summary,
        verdict: report.verdict,
        approval: report.approval.as_ref(),
        hidden: report.beyond.len(),
        notes: report.all_notes().collect(),
        unchecked: report.unchecked.as_ref().map(|(message, hints)| UncheckedJson { message, hints }),
    };
    super::write_json(&document, out)
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
