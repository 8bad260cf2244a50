//! The pieces of evidence that the readings of a page name, in the order in which they get room: those of the readings that count
//! first, failed ones before others, newer ones before older ones.

use super::scenarios;
use crate::app::memo::shared_pieces::KnownThere;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::repo::Repo;
use crate::report::view::page::{PageContent, PagePiece, PieceShown};
use crate::report::view::verdict::ShownVerdict;
use crate::store::evidence::Cache;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// Nobody asked yet whether there is room for it.
const NOT_YET: &str = "the page was not filled";
/// The page is to be published.
const BARE: &str = "this page was made without evidence";
/// Nothing lies under that name.
const ABSENT: &str = "these bytes are not in this clone";

/// A piece where a reading names it.
#[derive(Clone, Debug)]
pub(super) struct NamedPiece {
    /// Its hash.
    pub(super) hash: String,
    /// What the reading calls it.
    pub(super) kind: &'static str,
    /// The scenario and the time of the reading.
    pub(super) home: [String; 2],
}

/// Every piece, each once, where it has the best right to be shown; the first to get room first.
pub(super) fn by_right(content: &PageContent) -> Vec<NamedPiece> {
    let mut named = Vec::new();
    for scenario in scenarios(content) {
        for reading in &scenario.row.readings {
            let is_failed = reading.effective() == ShownVerdict::Fail;
            let right = (!reading.counts, !is_failed, Reverse(reading.ts.clone()));
            for piece in &reading.evidence {
                let home = [scenario.anchor.clone(), reading.ts.clone()];
                named.push((right.clone(), NamedPiece { hash: piece.hash.clone(), kind: piece.kind, home }));
            }
        }
    }
    // a stable sort: of equal rights the order of the page decides
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut once = HashSet::new();
    named.into_iter().map(|(_, piece)| piece).filter(|piece| once.insert(piece.hash.clone())).collect()
}

/// Every piece with what is known of it before any is looked at.
///
/// # Errors
/// When the cache cannot be read.
pub(super) fn listed(repo: &Repo, content: &PageContent) -> Result<BTreeMap<String, PagePiece>> {
    let (cache, shared) = (Cache::new(&repo.common_dir), KnownThere::recall(&repo.common_dir));
    let mut found = BTreeMap::new();
    for NamedPiece { hash, home, .. } in by_right(content) {
        let name = EvidenceHash::from_hex(hash.as_bytes());
        let size = name.map_or(Ok(None), |hash| cache.size(&hash))?;
        // what is made to be published tells no place of ours
        let known = shared.as_ref().filter(|_| !content.source.is_bare).zip(name);
        let shown = match size {
            Some(_) if content.source.is_bare => PieceShown::LeftOut(BARE),
            Some(_) => PieceShown::LeftOut(NOT_YET),
            None => {
                known.map_or(PieceShown::Missing(ABSENT), |(known, hash)| PieceShown::Away(known.of_missing(&hash)))
            }
        };
        found.insert(hash, PagePiece { size, shown, home });
    }
    Ok(found)
}
