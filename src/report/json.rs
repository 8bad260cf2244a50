//! `yatsu-hook/findings/v1` (schema/findings.v1.schema.json): one document on one line.
//!
//! Introduced findings come first, then fixed ones, then inherited ones; each group by file and line. `summary.inherited` is
//! the number of older findings when the document does not list them. Every key of a finding is always present and `null` or
//! empty if unknown. Exceptions: the amounts spent appear only with a breached budget, `code` only for rules with several
//! violations, `renamedFrom` only for a scenario that was renamed and not otherwise changed. A path that is not UTF-8 is
//! shown with replacement characters, and `pathBytes` holds its bytes as hex. `summary.score` appears where whole scenarios
//! were judged. `summary.suppressed` counts the findings that follow from another one. `hidden`, `notes` and `unchecked`
//! appear only when they are not empty.

use super::view::tally::ScoreTally;
use super::view::{Report, Scope, ScopeMode, Summary};
use crate::finding::{Axis, DriftPath, Finding, Level, Origin, Overspent, RuleId, Verdict};
use bstr::{BString, ByteSlice};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// The name of the format. If the meaning of any key changes, the name changes.
const SCHEMA: &str = "yatsu-hook/findings/v1";

/// Writes the document and a newline.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(&FindingsJson::of(report)).map_err(io::Error::other)?;
    writeln!(out, "{}", super::inert_json(json))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingsJson<'a> {
    schema: &'static str,
    scope: ScopeDto<'a>,
    findings: Vec<FindingDto<'a>>,
    summary: SummaryDto,
    verdict: Verdict,
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<UncheckedDto<'a>>,
}

#[derive(Serialize)]
struct ScopeDto<'a> {
    mode: ScopeMode,
    base: Option<&'a str>,
    tip: Option<&'a str>,
    backend: &'a str,
    files: usize,
    nodes: usize,
}

#[derive(Serialize)]
struct FindingDto<'a> {
    rule: RuleId,
    level: Level,
    origin: Option<Origin>,
    node: Option<&'a str>,
    scenario: Option<&'a str>,
    #[serde(flatten)]
    path: PathDto<'a>,
    line: Option<u32>,
    column: Option<u32>,
    axes: &'a [Axis],
    since: Option<&'a str>,
    drift: Vec<DriftDto<'a>>,
    #[serde(flatten)]
    overspent: Option<&'a Overspent>,
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(rename = "renamedFrom", skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'a str>,
    message: &'a str,
    help: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PathDto<'a> {
    path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
}

#[derive(Serialize)]
pub(super) struct DriftDto<'a> {
    #[serde(flatten)]
    path: PathDto<'a>,
    symbol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    commits: Option<u32>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryDto {
    errors: usize,
    warnings: usize,
    infos: usize,
    inherited: usize,
    nodes_flagged: usize,
    malformed: usize,
    stale: usize,
    missing: usize,
    uncovered: usize,
    over_owned: usize,
    suppressed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<ScoreTally>,
}

#[derive(Serialize)]
struct UncheckedDto<'a> {
    message: &'a str,
    hints: &'a [String],
}

impl<'a> FindingsJson<'a> {
    fn of(report: &'a Report) -> Self {
        Self {
            schema: SCHEMA,
            scope: ScopeDto::of(&report.scope),
            findings: report.findings.iter().map(FindingDto::of).collect(),
            summary: SummaryDto::of(report.summary),
            verdict: report.verdict,
            hidden: report.hidden,
            notes: report.told().collect(),
            unchecked: report.unchecked.as_ref().map(|(message, hints)| UncheckedDto { message, hints }),
        }
    }
}

impl<'a> ScopeDto<'a> {
    fn of(scope: &'a Scope) -> Self {
        Self {
            mode: scope.mode,
            base: scope.base.as_deref(),
            tip: scope.tip.as_deref(),
            backend: scope.read_by(),
            files: scope.files,
            nodes: scope.nodes,
        }
    }
}

impl<'a> FindingDto<'a> {
    fn of(finding: &'a Finding) -> Self {
        let location = finding.location.as_ref();
        Self {
            rule: finding.rule,
            level: finding.level,
            origin: finding.origin,
            node: finding.node.as_ref().map(|node| node.id.as_str()),
            scenario: finding.scenario.as_deref(),
            path: PathDto::of(location.map(|location| &location.path)),
            line: location.and_then(|location| location.line),
            column: location.and_then(|location| location.column),
            axes: &finding.axes,
            since: finding.since.as_deref(),
            drift: finding.drift.iter().map(DriftDto::of).collect(),
            overspent: finding.overspent.as_deref(),
            tags: &finding.tags,
            code: finding.code,
            renamed_from: finding.renamed_from.as_deref(),
            message: &finding.message,
            help: &finding.help,
        }
    }
}

impl<'a> PathDto<'a> {
    pub(super) fn of(path: Option<&'a BString>) -> Self {
        let bytes = path.filter(|path| path.to_str().is_err());
        Self {
            path: path.map(|path| path.to_str_lossy()),
            path_bytes: bytes.map(|path| path.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }
}

impl<'a> DriftDto<'a> {
    pub(super) fn of(drift: &'a DriftPath) -> Self {
        let DriftPath { path, symbol, why, commits } = drift;
        Self { path: PathDto::of(Some(path)), symbol: symbol.as_deref(), why: why.as_deref(), commits: *commits }
    }
}

impl SummaryDto {
    fn of(summary: Summary) -> Self {
        let Summary { errors, warnings, infos, inherited, nodes_flagged, .. } = summary;
        let Summary { malformed, stale, missing, uncovered, over_owned, suppressed, score, .. } = summary;
        let levels = Self { errors, warnings, infos, inherited, nodes_flagged, ..Self::default() };
        Self { malformed, stale, missing, uncovered, over_owned, suppressed, score, ..levels }
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
