//! One file per rule: a repository with a finding of the rule, and a similar one without.

mod approval_missing;
mod budget_exceeded;
mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod fail_withdrawn;
mod gate_lowered;
mod goal_gate;
mod goal_regressed;
mod goal_unmet;
mod graph_dangling;
mod graph_partial;
mod key_conflict;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
mod promoted_unproven;
mod replace_ref;
mod runlog_artifacts;
mod runlog_history;
mod runlog_progress;
mod runlog_schema;
mod scenario_dropped;
mod selector_unread;
mod signature_broken;
mod signature_unknown;
mod spec_ignored;
mod stray_blob;
mod trust_unmet;
mod under_declared;
mod yatsu_drift;
mod yatsu_failing;
mod yatsu_missing;
mod yatsu_orphan;
mod yatsu_owners;
mod yatsu_schema;
mod yatsu_uncovered;
mod yatsu_ungoverned;
mod yatsu_unowned;

use crate::support::{Scratch, findings, one_node, reading};
use serde_json::Value;

/// The findings of `rule` after `git add -A`.
#[track_caller]
fn staged(scratch: &Scratch, rule: &str) -> Vec<Value> {
    scratch.git(&["add", "-A"]);
    findings(scratch, rule, &["--staged"])
}

/// The findings of `rule` in the whole working tree.
#[track_caller]
fn all(scratch: &Scratch, rule: &str) -> Vec<Value> {
    findings(scratch, rule, &["--all"])
}

/// A repository with one node and a committed reading of its scenario with this verdict.
fn measured(status: &str) -> Scratch {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", status, 1);
    scratch.commit("measured");
    scratch
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
