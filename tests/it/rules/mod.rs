//! One file per rule: a repository in which it speaks, and one next to it in which it must not.

mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod gate_lowered;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
mod replace_ref;
mod scenario_dropped;
mod spec_ignored;
mod stray_blob;
mod yatsu_drift;
mod yatsu_failing;
mod yatsu_missing;
mod yatsu_orphan;
mod yatsu_owners;
mod yatsu_schema;
mod yatsu_uncovered;
mod yatsu_ungoverned;

use crate::support::{Scratch, one_node};
use serde_json::Value;

/// What `rule` says about everything that is staged after `git add -A`.
#[track_caller]
fn staged(scratch: &Scratch, rule: &str) -> Vec<Value> {
    scratch.git(&["add", "-A"]);
    said(scratch, rule, &["check", "--staged", "--format", "json"])
}

/// What `rule` says about the whole working tree.
#[track_caller]
fn all(scratch: &Scratch, rule: &str) -> Vec<Value> {
    said(scratch, rule, &["check", "--all", "--format", "json"])
}

#[track_caller]
fn said(scratch: &Scratch, rule: &str, args: &[&str]) -> Vec<Value> {
    let said = scratch.yatsu(args);
    assert!(matches!(said.code, 0 | 1), "exit {}: {}", said.code, said.err);
    let report = crate::support::validate_published(&said.out);
    let findings = report["findings"].as_array().expect("a list").clone();
    findings.into_iter().filter(|finding| finding["rule"] == rule && finding["origin"] != "fixed").collect()
}

/// The only finding.
#[track_caller]
fn only(findings: Vec<Value>) -> Value {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.into_iter().next().expect("one")
}

#[track_caller]
fn silent(findings: Vec<Value>) {
    assert!(findings.is_empty(), "{findings:#?}");
}
