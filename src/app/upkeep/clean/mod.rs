//! `clean`: collects evidence that nothing names any more. A [`CleanRequest`] in, a [`Cleaned`] out; prints nothing.
//!
//! Doubt deletes nothing: a root, an object or a ledger line that cannot be read is an error, and so is a repository that
//! names no evidence at all while there is some.

mod names;
pub(crate) mod references;

use super::evidence::{NamingReading, readings_with};
use crate::app::claim;
use crate::engine::effective::Effective;
use crate::error::{Error, Result};
use crate::model::ids::same_name;
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::store::Store;
use crate::store::evidence::Blob;
use crate::store::sweep;
use crate::store::sweep::{SweepPlan, SweepRun};
use crate::tree::oid::Oid;
use references::References;
use std::collections::BTreeSet;
use std::path::Path;

/// Which evidence is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// What any reading anywhere in the reachable history names.
    #[default]
    Named,
    /// What the latest effective reading of each scenario names, at the tip of each root.
    Latest,
    /// No evidence, whoever names it.
    Nothing,
}

/// What the user wants collected.
#[derive(Clone, Debug)]
pub(crate) struct CleanRequest {
    /// What to keep.
    pub keep: Keep,
    /// What a remote was seen to have in this very run, where that may go.
    pub shared: Option<ProvenShared>,
    /// List, move nothing.
    pub dry_run: bool,
    /// Keep what was stored in the last days, named or not.
    pub grace_days: u32,
    /// The clock, in milliseconds since 1970.
    pub now_millis: i64,
}

/// What a remote provably has.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProvenShared {
    /// The pieces.
    pub pieces: BTreeSet<EvidenceHash>,
    /// The commits that are published: what only other ones name stays.
    pub published: BTreeSet<Oid>,
}

/// What was, or would be, collected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// The files that went to the trash, or would go, each with the readings of the work tree that name it.
    pub removed: Vec<(Blob, Vec<NamingReading>)>,
    /// How many stay because they are named.
    pub referenced: usize,
    /// How many stay because they are young.
    pub young: usize,
    /// How many files of earlier runs were deleted for good.
    pub purged: usize,
}

/// Collects. `nodes`: whose readings to name beside what goes.
///
/// # Errors
/// Unchecked when a root cannot be read or in any doubt; nothing was moved then.
pub(crate) fn clean(
    store: &Store,
    git_dir: &Path,
    references: &dyn References,
    nodes: &[Node],
    request: &CleanRequest,
) -> Result<Cleaned> {
    // Before marking: from here on no writer can add a reading whose evidence is already judged.
    let right = store.collect_evidence()?;
    let cache = store.evidence();
    let blobs = cache.ls_own()?;
    let mut named = named(references, request.keep, &blobs)?;
    if let Some(shared) = &request.shared {
        let mut stays = references.beyond(&shared.published)?;
        stays.extend(claimed(store, nodes)?);
        named.retain(|hash| !shared.pieces.contains(hash) || stays.contains(hash));
    }
    let now = sweep::believable_now(store.common_dir(), git_dir, &blobs, request.now_millis)?;
    let grace = i64::from(request.grace_days) * 86_400_000;
    let plan = sweep::plan(blobs, &|hash| named.contains(hash), now.saturating_sub(grace));
    if request.dry_run {
        return Ok(cleaned(&plan, plan.remove.clone(), nodes, 0));
    }
    let purged = sweep::purge(&right, store.common_dir(), now)?;
    let run = SweepRun { common_dir: store.common_dir(), millis: now, shared: store.shared() };
    let gone = sweep::collect(&right, &cache, &plan, &run)?;
    Ok(cleaned(&plan, gone, nodes, purged))
}

/// What readings of scenarios name that somebody measures now.
fn claimed(store: &Store, nodes: &[Node]) -> Result<BTreeSet<EvidenceHash>> {
    let claims = claim::state(store.common_dir())?;
    let mut names = BTreeSet::new();
    for series in claims.held().map(|claim| &claim.series) {
        for node in nodes.iter().filter(|node| node.dir == *series.node()) {
            let readings = Effective::of(node);
            let own = readings.readings().filter(|reading| same_name(&reading.scenario, series.scenario()));
            names.extend(own.flat_map(|reading| reading.bytes().collect::<Vec<_>>()));
        }
    }
    Ok(names)
}

/// Brings back what the last run took away and returns its names; refused when the trash is empty.
pub(crate) fn undo(store: &Store) -> Result<Vec<EvidenceHash>> {
    let right = store.collect_evidence()?;
    sweep::undo(&right, &store.evidence(), store.common_dir())
}

fn named(references: &dyn References, keep: Keep, blobs: &[Blob]) -> Result<BTreeSet<EvidenceHash>> {
    let anywhere = references.anywhere()?;
    if blobs.is_empty() {
        return Ok(anywhere);
    }
    if anywhere.is_empty() {
        return Err(Error::unchecked(format!(
            "no reading anywhere names evidence, and yet there are {} pieces",
            blobs.len()
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

fn cleaned(plan: &SweepPlan, gone: Vec<Blob>, nodes: &[Node], purged: usize) -> Cleaned {
    let concerned = |blob: Blob| {
        let readings = readings_with(nodes, &blob.hash);
        (blob, readings)
    };
    let removed = gone.into_iter().map(concerned).collect();
    Cleaned { removed, referenced: plan.referenced, young: plan.young, purged }
}
