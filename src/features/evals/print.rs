//! The receipt of `eval --blocked`. Machine form: `yatsu-hook/receipt/v1`.

use crate::features::evals::model::NewlyBlocked;
use crate::report::write_json;
use crate::text::escape::terminal;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/blocked/v1", rename_all = "camelCase")]
struct BlockedReceipt<'r> {
    outcome: &'static str,
    node: &'r str,
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<&'r str>,
    reason: &'r str,
    by: &'r str,
    ts: String,
    ledger: String,
    evidence: Vec<String>,
}

/// One line for people, one document for programs.
pub(super) fn blocked(done: &NewlyBlocked, is_machine: bool, out: &mut dyn Write) -> io::Result<()> {
    let NewlyBlocked { outcome, node, ledger, decision, attempt, .. } = done;
    let (reason, env) = (decision.reason.as_deref().unwrap_or_default(), attempt.terms.env.as_ref());
    let word = outcome.as_str();
    let ts = decision.ts.unwrap_or(attempt.ts);
    if is_machine {
        let receipt = BlockedReceipt {
            outcome: word,
            node,
            scenario: &attempt.scenario,
            env: env.map(|env| env.as_str()),
            reason,
            by: decision.by.as_deref().unwrap_or_default(),
            ts: ts.to_string(),
            ledger: ledger.to_string(),
            evidence: attempt.evidence.iter().map(|piece| piece.hash.to_string()).collect(),
        };
        return write_json(&receipt, out);
    }
    let env = env.map_or(String::new(), |env| format!(" in {env}"));
    let said = word.replace('-', " ");
    let named = terminal(&format!("{node}/{}", attempt.scenario)).into_owned();
    writeln!(out, "{said} {named} blocked{env}: {}  {ts}", terminal(reason))
}
