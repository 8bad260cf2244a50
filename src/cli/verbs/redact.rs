//! `redact`: removes a ledger line.

use super::{complete, time};
use crate::app::record::redact as recording;
use crate::app::record::redact::RedactRequest;
use crate::app::site::TypedScenario;
use crate::cli::Exit;
use crate::cli::args::record::RedactArgs;
use crate::cli::call::Call;
use crate::cli::filing::{WrittenLine, node_at};
use crate::error::Result;
use crate::report::view::receipt::RedactionReceipt;
use crate::store::signals;

/// `redact`. It says that commits which hold the line keep it.
pub(super) fn redact(call: Call<'_>, args: RedactArgs) -> Result<Exit> {
    signals::install()?;
    let ts = time(&args.ts)?;
    let repo = call.repo()?;
    let by = match args.by {
        Some(by) => Some(by),
        None => repo.author_name()?,
    };
    let site = call.site(&repo)?;
    let (node, scenario) = TypedScenario { node: args.node, scenario: args.scenario }.apart(&site)?.named(&site)?;
    let request = RedactRequest { node, scenario, ts, reason: args.reason, by };
    let done = call.patiently(|| recording::redact(&site, &call.store(&repo), &request))?;
    if !done.lines.is_empty() {
        call.warn(&[
            "history still has the bytes: every commit that held the line keeps it, and so does every clone".into(),
            "a secret must be changed; to take it out of history, history must be rewritten".into(),
        ]);
    }
    for hash in &done.shared {
        call.warn(&[format!("its evidence was shared: yatsu-hook share drop {hash} --reason TEXT")]);
    }
    let receipt = RedactionReceipt {
        outcome: if done.lines.is_empty() { "already-redacted" } else { "redacted" },
        node: done.node,
        ledgers: done.ledgers.iter().map(ToString::to_string).collect(),
        scenario: request.scenario.clone(),
        ts: request.ts.to_string(),
        redacts: done.lines.iter().map(ToString::to_string).collect(),
        reason: request.reason,
        by: request.by,
    };
    let exit = call.hand_over(&receipt, Exit::CLEAN);
    let nodes = done.ledgers.iter().map(|ledger| node_at(&ledger.parent().unwrap_or_default()));
    let line = |node| WrittenLine { node, scenario: Some(request.scenario.clone()), ts: request.ts };
    Ok(complete(call, &repo, &args.written, &nodes.map(line).collect::<Vec<_>>(), exit))
}
