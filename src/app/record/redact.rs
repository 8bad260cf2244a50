//! `redact`: replaces a ledger line by a redaction, which names it only by its hash (formats.md, "A retraction and a
//! redaction"). Commits keep the old line; only rewriting history removes it. Prints nothing.

use super::transaction::Transaction;
use crate::app::memo::shared_pieces::KnownThere;
use crate::app::site;
use crate::app::site::Site;
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::redaction::Redactions;
use crate::error::{Error, Refusal, Result};
use crate::model::ids::nfc;
use crate::model::ledger::{Event, EvidenceHash, LineHash, Timestamp, hashes, redact as in_place};
use crate::model::node::Node;
use crate::model::reference::scenario_word;
use crate::store::Store;
use crate::text::{ndjson, plural, shell};
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, Debug)]
pub(crate) struct RedactRequest {
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub node: Option<String>,
    /// The scenario of the line; it need not be declared.
    pub scenario: String,
    pub ts: Timestamp,
    /// Why it has to go: one line.
    pub reason: String,
    pub by: Option<String>,
}

/// What was redacted, for a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub node: String,
    /// The ledgers that were rewritten; empty if the line was redacted before.
    pub ledgers: Vec<RepoPath>,
    pub lines: Vec<LineHash>,
    /// The evidence that they named and that the remote of `share` is known to have.
    pub shared: BTreeSet<EvidenceHash>,
}

/// Replaces every line of that scenario and time. The same request again changes nothing.
///
/// # Errors
/// Refused if there is no such line, if the configuration refuses redactions, or if a ledger cannot be appended to;
/// otherwise as [`super::eval::eval`].
pub(crate) fn redact(site: &dyn Site, store: &Store, request: &RedactRequest) -> Result<Done> {
    site::one_line("reason", Some(&request.reason), MAX_NOTE)?;
    site::one_line("name after --by", request.by.as_deref(), MAX_FIELD)?;
    site::work_dir(site)?;
    if !site.config()?.redact {
        return Err(Error::refused("this repository takes no redactions: yatsu.redact is refuse")
            .hint(format!("a reading that is wrong is retracted: {}", retract_command(request))));
    }
    let nodes = site.nodes()?;
    let node = site::find_node(site, &nodes, request.node.as_deref())?;
    let transaction = Transaction::begin(site, store)?;
    let mut done = Done { node: node.id.clone(), ledgers: Vec::new(), lines: Vec::new(), shared: BTreeSet::new() };
    let (mut known, mut rewrites) = (false, Vec::new());
    // every file is read before the first is changed: a copy in a file that cannot be would stand beside the redaction
    for path in transaction.files(node)? {
        let open = transaction.open(&path)?;
        known |= open.ledger.lines.iter().any(|line| is_redacted(&line.event, request));
        // In place in every copy: a copy that was only taken out could come back with a merge that keeps the other.
        let (text, lines) = replaced(&open.bytes, &Redactions::of([&open.ledger]), request);
        if !lines.is_empty() {
            let named = ndjson::lines(&open.bytes).filter(|line| lines.contains(&LineHash::of(line.bytes)));
            done.shared.extend(named.flat_map(|line| hashes(line.bytes)));
            done.ledgers.push(path);
            done.lines.extend(lines);
            rewrites.push((open, text));
        }
    }
    let all = rewrites.len();
    for (number, (open, text)) in rewrites.into_iter().enumerate() {
        let half_done = |error: Error| match number {
            0 => error,
            _ => {
                error.half_done(format!("redacted in {number} of {}: run the same command again", plural(all, "file")))
            }
        };
        open.replace(&text).map_err(half_done)?;
    }
    let there = KnownThere::recall(store.common_dir()).map(|known| known.pieces).unwrap_or_default();
    done.shared.retain(|hash| there.contains(hash));
    if done.lines.is_empty() && !known { Err(nothing(node, request)) } else { Ok(done) }
}

/// Whether `event` is a redaction of the requested line.
fn is_redacted(event: &Event, request: &RedactRequest) -> bool {
    let (scenario, ts) = match event {
        Event::Redaction(of) => (&of.scenario, of.ts),
        Event::Retraction(of) if of.redacted.is_some() => (&of.scenario, of.ts),
        _ => return false,
    };
    ts == request.ts && nfc(scenario) == nfc(&request.scenario)
}

/// The ledger with the requested lines replaced, and their hashes. A line that a merge brought back beside its redaction
/// is only removed, and several exact copies get one redaction.
fn replaced(bytes: &[u8], redactions: &Redactions<'_>, request: &RedactRequest) -> (Vec<u8>, Vec<LineHash>) {
    let (mut out, mut hashes, mut seen) = (Vec::with_capacity(bytes.len()), Vec::new(), HashSet::new());
    for (line, whole) in ndjson::lines(bytes).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let event = in_place(line.bytes, &request.reason, request.by.as_deref());
        let Some(event) = event.filter(|event| is_redacted(event, request)) else {
            out.extend_from_slice(whole);
            continue;
        };
        let hash = LineHash::of(line.bytes);
        hashes.push(hash);
        if seen.insert(hash) && !redactions.cover(line.bytes) {
            out.extend_from_slice(event.encode().unwrap_or_default().as_bytes());
            out.extend_from_slice(&whole[line.bytes.len()..]);
        }
    }
    (out, hashes)
}

/// The kind of the decision of that time, if there is one.
fn decision_of(node: &Node, ts: Timestamp) -> Option<&str> {
    let mut lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.find_map(|line| match &line.event {
        Event::Decision(decision) if decision.ts == Some(ts) => Some(decision.kind.as_str()),
        _ => None,
    })
}

fn retract_command(request: &RedactRequest) -> String {
    let word = match &request.node {
        Some(node) => scenario_word(node, &request.scenario),
        None => format!("--scenario {}", shell::word(&request.scenario)),
    };
    format!("yatsu-hook retract {word} --ts {}", request.ts)
}

fn nothing(node: &Node, request: &RedactRequest) -> Error {
    if let Some(kind) = decision_of(node, request.ts) {
        let what =
            format!("{}: the line of {} is a decision ({kind}), and decisions cannot be redacted", node.id, request.ts);
        return Error::refused(what).because(Refusal::Invalid)
            .hint("only a line about a scenario can be redacted: decisions are part of the score")
            .hint("a decision that is wrong is taken back by a later one: `yatsu-hook goal --help`, `yatsu-hook patch --help`")
            .hint(
                "words in it that must go: take the line out before it is committed; afterwards history has to be rewritten",
            );
    }
    Error::refused(format!("{}/{} has no line of {} that could be redacted", node.id, request.scenario, request.ts))
        .because(Refusal::Unknown)
        .argv(["show", &node.argument()])
        .hint(format!("`yatsu-hook show {}` lists the readings with their times", node.id))
}
