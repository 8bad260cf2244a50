//! `evidence put`, `get`, `check`, `ls`: the plain evidence store, with the readings that name each piece. Prints
//! nothing.

mod which;

pub(crate) use which::{knows, which};

use crate::app::memo::shared_pieces::KnownThere;
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Event, EvidenceHash, EvidenceKind, Reading, Timestamp};
use crate::model::node::Node;
use crate::report::view::receipt::{CheckReceipt, CorruptPiece, ReadingName, StoreEntry, StoreReceipt};
use crate::store::Store;
use crate::store::evidence::{Corrupt, Source};
use crate::store::kind::Expect;
use crate::text::age;
use crate::text::escape::lines;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use which::pieces;

/// The maximal size of a text shown on a terminal, in bytes.
const MAX_SHOWN: u64 = 16 << 20;

/// Stores any bytes, and returns their hash and kind. Storing the original bytes of a corrupt file repairs it.
pub(crate) fn put(store: &Store, source: Source) -> Result<(EvidenceHash, EvidenceKind)> {
    let right = store.share_evidence()?;
    store.evidence().put(&right, source, Expect::Any)
}

/// Writes the verified bytes of `hash` to `out` and returns their number; refused if the cache does not hold them.
pub(crate) fn get(store: &Store, hash: &EvidenceHash, out: &mut dyn Write) -> Result<u64> {
    refuse_away(store, hash)?;
    store.evidence().get(hash, out)
}

/// Refuses a missing piece with its known place, if sharing is on.
fn refuse_away(store: &Store, hash: &EvidenceHash) -> Result<()> {
    if store.evidence().has(hash)? {
        return Ok(());
    }
    match KnownThere::recall(store.common_dir()) {
        Some(known) => Err(Error::refused(format!("evidence {hash} is {}", known.of_missing(hash)))
            .because(Refusal::Unknown)
            .hint("the machine where it was filed has the bytes: yatsu-hook share push, on that machine; or bring the file: yatsu-hook evidence put FILE")),
        None => Ok(()),
    }
}

/// The same into a file, which appears complete or not at all. `force` replaces an existing file.
pub(crate) fn get_to_file(store: &Store, hash: &EvidenceHash, path: &Path, force: bool) -> Result<u64> {
    refuse_away(store, hash)?;
    store.evidence().export(hash, path, force)
}

/// The verified bytes of a piece, for a document.
///
/// # Errors
/// As [`get`]; usage for a piece that is too large for a document.
pub(crate) fn get_whole(store: &Store, hash: &EvidenceHash) -> Result<Vec<u8>> {
    if let Some(size) = store.evidence().size(hash)?.filter(|size| *size > MAX_SHOWN) {
        return Err(Error::usage(format!("{hash} has {size} bytes, more than a document holds"))
            .hint(format!("take it to a file: yatsu-hook evidence get {hash} -o FILE")));
    }
    let mut bytes = Vec::new();
    get(store, hash, &mut bytes)?;
    Ok(bytes)
}

/// The same to a terminal, escaped, but only for texts. `otherwise` is the hint for any other piece.
///
/// # Errors
/// Usage if the piece is no text.
pub(crate) fn get_to_terminal(store: &Store, hash: &EvidenceHash, out: &mut dyn Write, otherwise: &str) -> Result<()> {
    let mut bytes = Vec::new();
    let refused = |what: &str| Error::usage(format!("{hash} is {what}, and this is a terminal")).hint(otherwise);
    if store.evidence().size(hash)?.is_some_and(|size| size > MAX_SHOWN) {
        return Err(refused("large"));
    }
    get(store, hash, &mut bytes)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if !text.contains('\0') => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            let written = write!(out, "{}{end}", lines(text)).and_then(|()| out.flush());
            written.map_err(|error| {
                Error::unchecked(format!("cannot write to the terminal: {error}"))
                    .hint(format!("take it to a file: yatsu-hook evidence get {hash} -o FILE"))
            })
        }
        _ => Err(refused("no text")),
    }
}

/// Hashes every file of the cache again, and finds the affected readings of `nodes`.
pub(crate) fn check(store: &Store, nodes: &[Node]) -> Result<CheckReceipt> {
    let (files, corrupt) = store.evidence().check()?;
    let piece = |Corrupt { path, expected, actual }: Corrupt| CorruptPiece {
        path: path.to_string_lossy().into_owned(),
        expected: expected.to_string(),
        actual: actual.as_ref().ok().map(EvidenceHash::to_string),
        problem: actual.err(),
        readings: readings_with(nodes, &expected),
    };
    let outcome = if corrupt.is_empty() { "sound" } else { "corrupt" };
    Ok(CheckReceipt { outcome, files, corrupt: corrupt.into_iter().map(piece).collect() })
}

/// All pieces in the cache, in its order, then the missing pieces that readings of `nodes` name, by hash.
pub(crate) fn ls(store: &Store, nodes: &[Node], now: Timestamp) -> Result<StoreReceipt> {
    let mut named: BTreeMap<String, StoreEntry> = BTreeMap::new();
    for node in nodes {
        for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
            let Event::Reading(reading) = &line.event else { continue };
            for (kind, hash) in pieces(reading) {
                let hash = hash.to_string();
                let piece = named.entry(hash.clone()).or_insert(StoreEntry { hash, ..StoreEntry::default() });
                piece.kinds.insert(kind);
                let by = name_of(node, reading);
                if piece.named_by.last() != Some(&by) {
                    piece.named_by.push(by);
                }
            }
        }
    }
    let here = store.evidence().ls()?.into_iter().map(|blob| {
        let hash = blob.hash.to_string();
        StoreEntry {
            size: Some(blob.size),
            stored: Timestamp::from_millis(blob.mtime_millis).map(|time| time.to_string()),
            present: true,
            age: Some(age(now.millis.saturating_sub(blob.mtime_millis))),
            ..named.remove(&hash).unwrap_or(StoreEntry { hash, ..StoreEntry::default() })
        }
    });
    let here: Vec<_> = here.collect();
    Ok(StoreReceipt { evidence: here.into_iter().chain(named.into_values()).collect() })
}

/// The readings of `nodes` that name `hash`.
pub(crate) fn readings_with(nodes: &[Node], hash: &EvidenceHash) -> Vec<ReadingName> {
    let names = |reading: &Reading| reading.bytes().any(|name| name == *hash);
    let mut found = Vec::new();
    for node in nodes {
        let readings = node.ledgers.iter().flat_map(|ledger| ledger.readings());
        for reading in readings.filter(|reading| names(reading)) {
            found.push(name_of(node, reading));
        }
    }
    found
}

/// The names by which a reading of `node` is found.
pub(crate) fn name_of(node: &Node, reading: &Reading) -> ReadingName {
    ReadingName { node: node.id.clone(), scenario: reading.scenario.clone(), ts: reading.ts.to_string() }
}
