//! `evidence put`, `get`, `check`, `ls`: the bare store, with the readings that a corrupt file hurts. Prints nothing.

use crate::error::Result;
use crate::model::ledger::{Event, EvidenceHash, EvidenceKind, Reading, Timestamp};
use crate::model::node::Node;
use crate::store::Store;
use crate::store::evidence::{Blob, Corrupt, Source};
use crate::store::kind::Expect;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// A reading, as far as it takes to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamingReading {
    /// The node's id.
    pub node: String,
    /// The scenario of the reading that names it.
    pub scenario: String,
    /// The time of that reading.
    pub ts: Timestamp,
}

/// A corrupt file and the readings of the work tree that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The file in the cache, and what is wrong with it.
    pub file: Corrupt,
    /// Whom it hurts.
    pub readings: Vec<NamingReading>,
}

/// What `check` found: how many files were hashed again, and the corrupt ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheCheck {
    /// Files looked at.
    pub files: usize,
    /// Not empty: exit 1.
    pub damage: Vec<Damage>,
}

/// Stores bytes, whatever they are, and returns their name and kind. Storing the original bytes of a corrupt file heals
/// it.
pub(crate) fn put(store: &Store, source: Source) -> Result<(EvidenceHash, EvidenceKind)> {
    let right = store.share_evidence()?;
    store.evidence().put(&right, source, Expect::Any)
}

/// Writes the verified bytes of `hash` to `out` and returns their number; refused when they are not here.
pub(crate) fn get(store: &Store, hash: &EvidenceHash, out: &mut dyn Write) -> Result<u64> {
    store.evidence().get(hash, out)
}

/// The same into a new file, which appears whole or not at all; an existing file is replaced.
pub(crate) fn get_to_file(store: &Store, hash: &EvidenceHash, path: &Path) -> Result<u64> {
    let dir = path.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or(OsStr::new(""));
    store.evidence().export(hash, dir, name)
}

/// Hashes every file of the cache again. `nodes`: whose readings to name.
pub(crate) fn check(store: &Store, nodes: &[Node]) -> Result<CacheCheck> {
    let (files, corrupt) = store.evidence().check()?;
    let damage = |file: Corrupt| Damage { readings: readings_with(nodes, &file.expected), file };
    Ok(CacheCheck { files, damage: corrupt.into_iter().map(damage).collect() })
}

/// Everything in the cache.
pub(crate) fn ls(store: &Store) -> Result<Vec<Blob>> {
    store.evidence().ls()
}

/// The readings of `nodes` that name `hash`.
pub(crate) fn readings_with(nodes: &[Node], hash: &EvidenceHash) -> Vec<NamingReading> {
    let names = |reading: &Reading| reading.bytes().any(|name| name == *hash);
    let mut found = Vec::new();
    for node in nodes {
        for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
            if let Event::Reading(reading) = &line.event
                && names(reading)
            {
                found.push(NamingReading { node: node.id.clone(), scenario: reading.scenario.clone(), ts: reading.ts });
            }
        }
    }
    found
}
