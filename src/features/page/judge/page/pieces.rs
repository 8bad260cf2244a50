//! The pieces of evidence on a page, in the order in which they get room: counting readings, then the pictures that stand
//! beside theirs, then failed readings, then newer ones.

use crate::app::memo::shared_pieces::KnownThere;
use crate::error::Result;
use crate::features::page::model::page::{PageContent, PagePiece, PageScenario, PicturePair, PieceShown};
use crate::model::ledger::EvidenceHash;
use crate::repo::Repo;
use crate::report::view::score::ReadingRow;
use crate::report::view::verdict::ShownVerdict;
use crate::store::evidence::Cache;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// The page was listed and not yet filled.
const NOT_YET: &str = "the page was not filled";
/// The page is to be published.
const BARE: &str = "this page was made without evidence";
/// The clone has no bytes of this name.
const ABSENT: &str = "these bytes are not in this clone";

/// A piece, and a reading that names it.
#[derive(Clone, Debug)]
pub(super) struct NamedPiece {
    pub(super) hash: String,
    /// The kind that the reading records.
    pub(super) kind: &'static str,
    /// The scenario and the time of the reading.
    pub(super) home: [String; 2],
}

/// Every piece once, at its highest-ranked reading, in the order in which pieces get room.
pub(super) fn by_right(content: &PageContent) -> Vec<NamedPiece> {
    let mut named = Vec::new();
    for scenario in content.scenarios() {
        for reading in &scenario.row.readings {
            let is_failed = reading.effective() == ShownVerdict::Fail;
            for piece in &reading.evidence {
                // which of its pictures can be shown is known later
                let is_paired =
                    piece.kind == "image" && scenario.pair.as_ref().is_some_and(|pair| pair.ts == reading.ts);
                let right = (!reading.counts, !is_paired, !is_failed, Reverse(reading.ts.clone()));
                let home = [scenario.anchor.clone(), reading.ts.clone()];
                named.push((right, NamedPiece { hash: piece.hash.clone(), kind: piece.kind, home }));
            }
        }
    }
    // a stable sort: equal ranks keep the order of the page
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut once = HashSet::new();
    named.into_iter().map(|(_, piece)| piece).filter(|piece| once.insert(piece.hash.clone())).collect()
}

/// Finds the scenarios with a picture before and after: the reading that counts and the reading before it each have one.
/// Whether these are pictures by their bytes, and differ, is known when the page is filled.
pub(super) fn pair_up(content: &mut PageContent) {
    for scenario in content.nodes.iter_mut().flat_map(|node| &mut node.scenarios) {
        scenario.pair = pair(scenario, |_| true);
    }
}

/// The first pictures that `is_shown` of both readings.
fn pair(scenario: &PageScenario, is_shown: impl Fn(&str) -> bool) -> Option<PicturePair> {
    let mut readings = scenario.row.readings.iter().skip_while(|reading| !reading.counts);
    let (latest, earlier) = (readings.next()?, readings.next()?);
    let picture = |reading: &ReadingRow| {
        reading.evidence.iter().find(|piece| piece.kind == "image" && is_shown(&piece.hash)).cloned()
    };
    let (before, after) = (picture(earlier)?, picture(latest)?);
    Some(PicturePair { ts: earlier.ts.clone(), before, after })
}

/// Pairs the first pictures that the page shows, as a comment on a pull request does. Without two that differ there is
/// nothing to compare, and each piece stands at its reading.
pub(super) fn pair_shown(content: &mut PageContent) {
    let pieces = &content.pieces;
    let is_picture =
        |hash: &str| matches!(pieces.get(hash).map(|piece| &piece.shown), Some(PieceShown::Picture { .. }));
    for scenario in content.nodes.iter_mut().flat_map(|node| &mut node.scenarios) {
        scenario.pair = pair(scenario, is_picture).filter(|pair| pair.before.hash != pair.after.hash);
    }
}

/// Every piece with its size and its place, before any bytes are read.
///
/// # Errors
/// When the cache cannot be read.
pub(super) fn listed(repo: &Repo, content: &PageContent) -> Result<BTreeMap<String, PagePiece>> {
    let (cache, shared) = (Cache::new(&repo.common_dir), KnownThere::recall(&repo.common_dir));
    let mut found = BTreeMap::new();
    for NamedPiece { hash, home, .. } in by_right(content) {
        let name = EvidenceHash::from_hex(hash.as_bytes());
        let size = name.map_or(Ok(None), |hash| cache.size(&hash))?;
        // a page that is to be published names no place where evidence is shared
        let known = shared.as_ref().filter(|_| !content.source.is_published).zip(name);
        let shown = match size {
            Some(_) if content.source.is_published => PieceShown::LeftOut(BARE),
            Some(_) => PieceShown::LeftOut(NOT_YET),
            None => {
                known.map_or(PieceShown::Missing(ABSENT), |(known, hash)| PieceShown::Away(known.of_missing(&hash)))
            }
        };
        found.insert(hash, PagePiece { size, shown, home });
    }
    Ok(found)
}
