//! `share get`: fetches the pieces that readings of this work tree name and this machine lacks.

use super::published::NamedPieces;
use super::{AskedPlace, SharingDesk, row};
use crate::app::judge::counting::{self, CountingView};
use crate::app::progress::ProgressStep;
use crate::app::site::find_scenario;
use crate::app::upkeep::evidence::{knows, name_of, readings_with, which};
use crate::engine::effective::Effective;
use crate::engine::facts::Facts;
use crate::error::Result;
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::model::ids::same_name;
use crate::model::ledger::{EvidenceHash, Reading};
use crate::model::node::Node;
use crate::model::reference::{Named, resolve};
use crate::remote::{IntoCache, Withheld};
use crate::store::evidence::MAX_BLOB;
use std::collections::BTreeSet;

/// Fetches the missing pieces that `words` mean: pieces by hash, and nodes. Without words, those of the counted reading of
/// each scenario, or with `all` of every effective reading. Received pieces stay, even if others fail.
///
/// # Errors
/// Usage for an unknown word; unchecked when the remote cannot be asked, or nothing can be stored here.
pub(crate) fn get(sharing: &SharingDesk<'_>, words: &[String], all: bool) -> Result<ShareReceipt> {
    let named = asked_for(sharing, words, all)?;
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    let mut receipt = ShareReceipt::new(ShareStep::Get, Some(asked.place.to_string()));
    let sizes = sharing.sizes()?;
    let wanted: Vec<EvidenceHash> = named.keys().filter(|hash| !sizes.contains_key(hash)).copied().collect();
    (receipt.named, receipt.here) = (named.len(), named.len() - wanted.len());
    if wanted.is_empty() {
        return Ok(receipt);
    }
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    learn_all(sharing, &mut asked, &wanted)?;
    let mut done = 0;
    let mut count = |bytes| {
        done += bytes;
        (sharing.tell)(ProgressStep::Bytes { what: "fetching", done, of: None });
    };
    let withheld = asked.remote.get(&wanted, MAX_BLOB, &mut IntoCache::new(sharing.store, MAX_BLOB, &mut count))?;
    let lacking: BTreeSet<EvidenceHash> = withheld.iter().map(|one| one.hash).collect();
    for hash in &wanted {
        asked.known.learn(*hash, !lacking.contains(hash));
    }
    let came: Vec<EvidenceHash> = wanted.iter().filter(|hash| !lacking.contains(hash)).copied().collect();
    let now = sharing.sizes()?;
    receipt.moved = came.len();
    receipt.bytes = came.iter().filter_map(|hash| now.get(hash)).sum();
    receipt.left = withheld.into_iter().map(|one| left(one, &named)).collect();
    asked.close(sharing, &mut receipt);
    Ok(receipt)
}

/// Asks about all named pieces and not only about `wanted`, because one answer covers them all and `show` prints their
/// places. A bucket is asked only about wanted pieces, because each piece costs one request.
fn learn_all(sharing: &SharingDesk<'_>, asked: &mut AskedPlace, wanted: &[EvidenceHash]) -> Result<()> {
    if asked.is_bucket() {
        return Ok(());
    }
    let mut named = NamedPieces::new();
    sharing.nodes.iter().for_each(|node| add(node, None, None, &mut named));
    let hashes: BTreeSet<EvidenceHash> = named.keys().chain(wanted).copied().collect();
    asked.has(&hashes.into_iter().collect::<Vec<_>>()).map(drop)
}

fn left(withheld: Withheld, named: &NamedPieces) -> SharedPieceRow {
    SharedPieceRow { why: Some(withheld.why), ..row(&withheld.hash, None, named.get(&withheld.hash)) }
}

/// The requested pieces, with the readings that name them.
fn asked_for(sharing: &SharingDesk<'_>, words: &[String], all: bool) -> Result<NamedPieces> {
    let mut named = NamedPieces::new();
    if words.is_empty() {
        let counting = if all { None } else { Some(counting::facts(sharing.repo, CountingView::WorkTree)?) };
        sharing.nodes.iter().for_each(|node| add(node, None, counting.as_ref(), &mut named));
    }
    for word in words {
        match resolve(sharing.nodes, word, |node, name| Ok(knows(node, name))) {
            // a named node includes the timelines of its readings
            Ok(Named { node, scenario }) => {
                let (node, only) = (&sharing.nodes[node], scenario.as_deref());
                if let Some(unknown) = only.filter(|name| !knows(node, name)) {
                    find_scenario(sharing.nodes, node, Some(unknown))?;
                }
                add(node, only, None, &mut named);
            }
            Err(error) if !is_digits(word) => return Err(error),
            Err(_) => {
                let hash = which(sharing.repo, sharing.store, sharing.nodes, word, None)?;
                named.insert(hash, readings_with(sharing.nodes, &hash));
            }
        }
    }
    Ok(named)
}

fn is_digits(word: &str) -> bool {
    word.len() >= 4 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Adds the pieces of the effective readings of a node, or of one scenario. With `counting`, only the counted reading of
/// each scenario; for an undeclared scenario the latest one. Without `counting`, all readings.
fn add(node: &Node, only: Option<&str>, counting: Option<&Facts>, named: &mut NamedPieces) {
    let effective = Effective::of(node);
    let is_counting = |facts: &Facts, reading: &Reading| {
        let one = facts.counting(&node.dir, &reading.scenario).or_else(|| effective.latest(&reading.scenario));
        one == Some(reading)
    };
    let is_asked = |reading: &&Reading| {
        only.is_none_or(|only| same_name(only, &reading.scenario))
            && counting.is_none_or(|facts| is_counting(facts, reading))
    };
    for reading in effective.readings().filter(is_asked) {
        let by = name_of(node, reading);
        for hash in reading.bytes() {
            named.entry(hash).or_default().push(by.clone());
        }
    }
}
