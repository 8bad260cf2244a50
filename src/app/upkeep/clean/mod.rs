//! `clean`: collects evidence that no reading names any more. A [`CleanRequest`] in, a [`CollectionReceipt`] out; prints
//! nothing.
//!
//! In doubt nothing is deleted: an unreadable root, object or ledger line is an error, and so is a repository that has
//! evidence but no reading that names any.

mod names;
pub(crate) mod references;

use super::evidence::readings_with;
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::report::view::receipt::{CollectionOutcome, CollectionReceipt, Unnamed};
use crate::store::Store;
use crate::store::evidence::Blob;
use crate::store::sweep;
use crate::store::sweep::SweepPlan;
use crate::text::plural;
use crate::tree::oid::Oid;
use references::References;
use std::collections::BTreeSet;
use std::path::Path;

/// The evidence to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// All evidence that a reading in the reachable history names.
    #[default]
    Named,
    /// The evidence of the latest effective reading of each scenario, at the tip of each root.
    Latest,
    /// No evidence, even if a reading names it.
    Nothing,
}

#[derive(Clone, Debug)]
pub(crate) struct CleanRequest {
    pub keep: Keep,
    /// The pieces that this very run found on the remote, if these may go.
    pub shared: Option<ProvenShared>,
    /// What keeps pieces although the remote has them.
    pub keeps: Vec<KeepEvidence>,
    /// Whether to list only, and move nothing.
    pub dry_run: bool,
    /// Pieces stored in this number of days stay, named or not.
    pub grace_days: u32,
    /// The current time, in milliseconds since 1970.
    pub now_millis: i64,
}

/// The pieces that are in use, among those that readings of these nodes name.
pub(crate) type KeepEvidence = fn(&Store, &[Node]) -> Result<BTreeSet<EvidenceHash>>;

/// The pieces that a remote provably has.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProvenShared {
    pub pieces: BTreeSet<EvidenceHash>,
    /// The published commits. Evidence that only other commits name stays.
    pub published: BTreeSet<Oid>,
}

/// Collects evidence. For each collected file, finds the readings of `nodes` that name it.
///
/// # Errors
/// Unchecked when a root cannot be read, or in any doubt; then nothing was moved.
pub(crate) fn clean(
    store: &Store,
    git_dir: &Path,
    references: &References<'_>,
    nodes: &[Node],
    request: &CleanRequest,
) -> Result<CollectionReceipt> {
    // Locked before marking, so that no writer can add a reading with evidence that is already judged.
    let right = store.collect_evidence()?;
    let blobs = store.evidence().ls_own()?;
    let mut named = named(references, request.keep, &blobs)?;
    if let Some(shared) = &request.shared {
        let mut stays = references.beyond(&shared.published)?;
        for keep in &request.keeps {
            stays.extend(keep(store, nodes)?);
        }
        named.retain(|hash| !shared.pieces.contains(hash) || stays.contains(hash));
    }
    let now = sweep::believable_now(store.common_dir(), git_dir, &blobs, request.now_millis)?;
    let grace = i64::from(request.grace_days) * 86_400_000;
    let plan = sweep::plan(blobs, &|hash| named.contains(hash), now.saturating_sub(grace));
    if request.dry_run {
        return Ok(receipt(CollectionOutcome::WouldClean, &plan, &plan.remove, nodes, 0));
    }
    let purged = sweep::purge(&right, store, now)?;
    let gone = sweep::collect(&right, store, &plan, now)?;
    Ok(receipt(CollectionOutcome::Cleaned, &plan, &gone, nodes, purged))
}

/// Restores the files of the last run; refused if the trash is empty.
pub(crate) fn undo(store: &Store) -> Result<CollectionReceipt> {
    let right = store.collect_evidence()?;
    let piece = |hash: EvidenceHash| Unnamed { hash: hash.to_string(), size: None, readings: Vec::new() };
    let evidence = sweep::undo(&right, store)?.into_iter().map(piece).collect();
    Ok(CollectionReceipt { outcome: CollectionOutcome::Restored, evidence, referenced: 0, young: 0, purged: 0 })
}

fn named(references: &References<'_>, keep: Keep, blobs: &[Blob]) -> Result<BTreeSet<EvidenceHash>> {
    let anywhere = references.anywhere()?;
    if blobs.is_empty() {
        return Ok(anywhere);
    }
    if anywhere.is_empty() {
        return Err(Error::unchecked(format!(
            "no reading anywhere names evidence, and yet the cache holds {}",
            plural(blobs.len(), "piece")
        ))
        .hint("is this the right clone? File or fetch the readings first; nothing was collected"));
    }
    match keep {
        Keep::Named => Ok(anywhere),
        Keep::Latest => references.latest(),
        Keep::Nothing => match references.is_complete()? {
            true => Ok(BTreeSet::new()),
            false => Err(Error::unchecked("this clone is shallow or partial: it does not know all readings")
                .hint("collect in a clone that has everything: one made without --depth and --filter")),
        },
    }
}

fn receipt(
    outcome: CollectionOutcome,
    plan: &SweepPlan,
    gone: &[Blob],
    nodes: &[Node],
    purged: usize,
) -> CollectionReceipt {
    let piece = |blob: &Blob| Unnamed {
        hash: blob.hash.to_string(),
        size: Some(blob.size),
        readings: readings_with(nodes, &blob.hash),
    };
    let evidence = gone.iter().map(piece).collect();
    CollectionReceipt { outcome, evidence, referenced: plan.referenced, young: plan.young, purged }
}
