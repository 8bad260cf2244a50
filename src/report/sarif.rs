//! SARIF 2.1.0 (OASIS, errata 01): one run, one document on one line.
//!
//! Paths are percent-encoded bytes relative to `%SRCROOT%`, so that every path of git round-trips. The fingerprint of a
//! finding is made of its identity, so it stays the same when lines shift. A check that could not be made is a failed
//! invocation, never an empty list of results.

use super::annotations::{ordered, place};
use super::view::{Report, Style};
use crate::finding::{Finding, Level, Location, Origin, RuleId, Verdict};
use crate::text::{escape, uri};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::{self, Write};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the document and a newline.
pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rules = rules_of(report);
    let results: Vec<Value> = ordered(report).into_iter().map(|finding| result(finding, &rules)).collect();
    let driver = json!({
        "name": "yatsu-hook",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|rule| descriptor(*rule, style)).collect::<Vec<_>>(),
    });
    let run = json!({
        "tool": { "driver": driver },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation(report)],
        "results": results,
    });
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    writeln!(out, "{}", super::inert_json(log.to_string()))
}

/// The rules of the shown findings, in the order of the documentation.
fn rules_of(report: &Report) -> Vec<RuleId> {
    let shown: BTreeSet<RuleId> = ordered(report).into_iter().map(|finding| finding.rule).collect();
    RuleId::ALL.into_iter().filter(|rule| shown.contains(rule)).collect()
}

fn descriptor(rule: RuleId, style: &Style) -> Value {
    let text = (style.describe)(rule);
    json!({
        "id": rule.as_str(),
        "shortDescription": { "text": text.summary },
        "fullDescription": { "text": text.why },
        "help": { "text": text.mend },
    })
}

fn result(finding: &Finding, rules: &[RuleId]) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".into(), finding.rule.as_str().into());
    if let Some(index) = rules.iter().position(|rule| *rule == finding.rule) {
        result.insert("ruleIndex".into(), index.into());
    }
    result.insert("level".into(), level(finding.level).into());
    result.insert("message".into(), json!({ "text": text(finding) }));
    if let Some(location) = place(finding) {
        result.insert("locations".into(), json!([{ "physicalLocation": physical(location) }]));
    }
    if let Some(scenario) = finding.location.as_ref().filter(|_| finding.place.is_some()) {
        let entry = json!({ "id": 1, "physicalLocation": physical(scenario), "message": { "text": "the scenario" } });
        result.insert("relatedLocations".into(), json!([entry]));
    }
    result.insert("partialFingerprints".into(), json!({ "yatsuFinding/v1": fingerprint(finding) }));
    if let Some(code) = finding.code {
        result.insert("properties".into(), json!({ "code": code }));
    }
    if let Some(state) = finding.origin.and_then(baseline) {
        result.insert("baselineState".into(), state.into());
    }
    Value::Object(result)
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// The baseline state. A finding that ended has none and is not listed, because its absence closes the alert.
fn baseline(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Introduced => Some("new"),
        Origin::Inherited => Some("unchanged"),
        Origin::Fixed | Origin::Deleted | Origin::Reworded | Origin::Withdrawn => None,
    }
}

fn text(finding: &Finding) -> String {
    let mut text = super::subject(finding).map(|subject| format!("{subject}: ")).unwrap_or_default();
    text += &finding.message;
    if !finding.drift.is_empty() {
        let moved: Vec<_> = finding.drift.iter().map(|moved| escape::terminal(&moved.named()).into_owned()).collect();
        text += &format!("\nmoved: {}", moved.join(", "));
    }
    if !finding.help.is_empty() {
        text += &format!("\nhelp: {}", finding.help);
    }
    without_links(text)
}

/// Viewers turn `[text](target)` in a message into a link (SARIF 3.11.6); text from a repository must not make one.
fn without_links(text: String) -> String {
    if text.contains("](") { text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]") } else { text }
}

fn physical(location: &Location) -> Value {
    let artifact = json!({ "uri": uri::path(&location.path), "uriBaseId": "%SRCROOT%" });
    let mut region = Map::new();
    if let Some(line) = location.line {
        region.insert("startLine".into(), line.into());
        region.extend(location.column.map(|column| ("startColumn".into(), column.into())));
    }
    if region.is_empty() {
        return json!({ "artifactLocation": artifact });
    }
    json!({ "artifactLocation": artifact, "region": region })
}

/// The identity of a finding, each part with its length in front so that two identities never collide.
fn fingerprint(finding: &Finding) -> String {
    let (rule, dir, scenario, key) = finding.identity();
    let scenario = scenario.unwrap_or_default();
    let parts: [&[u8]; 4] = [
        rule.as_str().as_bytes(),
        dir.map(|dir| dir.as_slice()).unwrap_or_default(),
        scenario.as_bytes(),
        key.as_bytes(),
    ];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn invocation(report: &Report) -> Value {
    let mut notifications: Vec<Value> = report.all_notes().map(|note| notification("note", note)).collect();
    notifications.extend(report.rest().map(|rest| notification("note", &rest)));
    if let Some((message, hints)) = &report.unchecked {
        let hints: String = hints.iter().map(|hint| format!("\nhint: {hint}")).collect();
        notifications.push(notification("error", &format!("{message}{hints}")));
    }
    json!({
        "executionSuccessful": report.verdict != Verdict::Unchecked,
        "exitCode": report.verdict.exit_code(),
        "toolExecutionNotifications": notifications,
    })
}

fn notification(level: &str, text: &str) -> Value {
    json!({ "level": level, "message": { "text": without_links(text.to_owned()) } })
}
