//! `evidence put`, `get`, `check`, `ls`: the plain evidence store, with the readings that name each piece. Prints
//! nothing.

mod which;

pub(crate) use which::{knows, which};

use crate::app::memo::shared_pieces::KnownThere;
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Event, EvidenceHash, EvidenceKind, Reading, Timestamp};
use crate::model::node::Node;
use crate::store::Store;
use crate::store::evidence::{Blob, Corrupt, Source};
use crate::store::kind::Expect;
use crate::text::escape::lines;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use which::pieces;

/// The maximal size of a text shown on a terminal, in bytes.
const MAX_SHOWN: u64 = 16 << 20;

/// The data to find a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamingReading {
    pub node: String,
    pub scenario: String,
    pub ts: Timestamp,
}

/// A corrupt file and the readings of the work tree that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The file in the cache, and its fault.
    pub file: Corrupt,
    pub readings: Vec<NamingReading>,
}

/// The result of `check`: the number of rehashed files, and the corrupt ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheCheck {
    pub files: usize,
    /// The corrupt files. If there are any, the exit code is 1.
    pub damage: Vec<Damage>,
}

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
pub(crate) fn check(store: &Store, nodes: &[Node]) -> Result<CacheCheck> {
    let (files, corrupt) = store.evidence().check()?;
    let damage = |file: Corrupt| Damage { readings: readings_with(nodes, &file.expected), file };
    Ok(CacheCheck { files, damage: corrupt.into_iter().map(damage).collect() })
}

/// A piece that the cache holds or a reading names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedPiece {
    pub hash: EvidenceHash,
    /// The file in the cache; `None` if the cache does not hold it.
    pub blob: Option<Blob>,
    /// The kinds that readings give it.
    pub kinds: BTreeSet<String>,
    pub readings: Vec<NamingReading>,
}

/// All pieces in the cache, in its order, then the missing pieces that readings of `nodes` name, by hash.
pub(crate) fn ls(store: &Store, nodes: &[Node]) -> Result<Vec<ListedPiece>> {
    let mut named: BTreeMap<String, ListedPiece> = BTreeMap::new();
    for node in nodes {
        for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
            let Event::Reading(reading) = &line.event else { continue };
            for (kind, hash) in pieces(reading) {
                let new = ListedPiece { hash, blob: None, kinds: BTreeSet::new(), readings: Vec::new() };
                let piece = named.entry(hash.to_string()).or_insert(new);
                piece.kinds.insert(kind);
                let by = NamingReading { node: node.id.clone(), scenario: reading.scenario.clone(), ts: reading.ts };
                if piece.readings.last() != Some(&by) {
                    piece.readings.push(by);
                }
            }
        }
    }
    let here = store.evidence().ls()?.into_iter().map(|blob| {
        let known = named.remove(&blob.hash.to_string());
        let none = ListedPiece { hash: blob.hash, blob: None, kinds: BTreeSet::new(), readings: Vec::new() };
        ListedPiece { blob: Some(blob), ..known.unwrap_or(none) }
    });
    let here: Vec<_> = here.collect();
    Ok(here.into_iter().chain(named.into_values()).collect())
}

/// The readings of `nodes` that name `hash`.
pub(crate) fn readings_with(nodes: &[Node], hash: &EvidenceHash) -> Vec<NamingReading> {
    let names = |reading: &Reading| reading.bytes().any(|name| name == *hash);
    let mut found = Vec::new();
    for node in nodes {
        let readings = node.ledgers.iter().flat_map(|ledger| ledger.readings());
        for reading in readings.filter(|reading| names(reading)) {
            found.push(NamingReading { node: node.id.clone(), scenario: reading.scenario.clone(), ts: reading.ts });
        }
    }
    found
}
