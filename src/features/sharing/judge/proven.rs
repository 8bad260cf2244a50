//! Finds the pieces that `clean --shared` may remove here: pieces that the remote provably has now. A listing by the remote
//! is no proof, so pieces that this machine did not send itself are read back completely.

use super::check::OnlyHash;
use super::{AskedPlace, SharingDesk};
use crate::app::progress::ProgressStep;
use crate::app::upkeep::clean::ProvenShared;
use crate::error::Result;
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep};
use crate::model::ledger::EvidenceHash;
use crate::remote::Held;
use crate::store::evidence::MAX_BLOB;
use std::collections::BTreeSet;

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// The pieces that published readings name, that are older than `grace_days` here, and that the remote provably has.
///
/// # Errors
/// Configuration when sharing is off; unchecked when the remote cannot be asked.
pub(crate) fn proven(sharing: &SharingDesk<'_>, grace_days: u32) -> Result<ProvenShared> {
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    let published = asked.tips(sharing)?.here;
    let named = sharing.named(&published)?;
    let old_before = sharing.now.millis.saturating_sub(i64::from(grace_days) * DAY);
    let is_old = |blob: &crate::store::evidence::Blob| blob.mtime_millis < old_before && named.contains_key(&blob.hash);
    let here = sharing.store.evidence().ls_own()?.into_iter().filter(is_old);
    let wanted: Vec<EvidenceHash> = here.map(|blob| blob.hash).collect::<BTreeSet<_>>().into_iter().collect();
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    let (mut pieces, mut said) = (BTreeSet::new(), Vec::new());
    for (hash, held) in wanted.iter().zip(asked.has(&wanted)?) {
        match held {
            Held::Proven { .. } => drop(pieces.insert(*hash)),
            Held::Said { .. } => said.push(*hash),
            Held::No => {}
        }
    }
    if !said.is_empty() {
        let withheld = asked.remote.prove(&said, MAX_BLOB, &mut OnlyHash { sharing, read: 0 })?;
        withheld.iter().for_each(|one| asked.known.learn(one.hash, false));
        for (hash, held) in said.iter().zip(asked.remote.has(&said)?) {
            if matches!(held, Held::Proven { .. }) {
                pieces.insert(*hash);
            }
        }
    }
    asked.close(sharing, &mut ShareReceipt::new(ShareStep::Check, None));
    Ok(ProvenShared { pieces, published })
}
