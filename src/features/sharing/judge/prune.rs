//! `share prune`: removes old pieces from the remote that no reading reachable here or on the remotes names. In doubt
//! nothing is deleted.

use super::published::{self, PublishedTips};
use super::{AskedPlace, SharingDesk, row};
use crate::app::progress::ProgressStep;
use crate::app::upkeep::clean::references::References;
use crate::error::{Error, Result};
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep};
use crate::model::ledger::EvidenceHash;
use crate::remote::Month;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::collections::BTreeSet;

/// Pieces younger than this number of months always stay, because a reading may still be on its way.
const MONTHS: i32 = 2;

/// Removes unneeded pieces that were uploaded before the month `before`.
///
/// # Errors
/// Usage for an invalid or too late month. Unchecked in any doubt; then nothing was deleted.
pub(crate) fn prune(
    sharing: &SharingDesk<'_>,
    references: &References<'_>,
    before: &str,
    dry_run: bool,
) -> Result<ShareReceipt> {
    let (before, now) = (Month::parse(before)?, sharing.now.to_string());
    if Month::parse(now.get(..7).unwrap_or_default())?.since(before) < MONTHS {
        return Err(Error::usage(format!("{before} is not two months ago: younger evidence stays"))
            .hint("name an earlier month: --before YYYY-MM"));
    }
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    if !references.is_complete()? {
        return Err(Error::unchecked("this clone is shallow or partial: it does not know all readings")
            .hint("prune from a clone that has everything: one made without --depth and --filter"));
    }
    let tips = everywhere(sharing)?;
    (sharing.tell)(ProgressStep::Work("looking for references"));
    let mut needed = references.anywhere()?;
    needed.extend(references.below(&tips)?);
    if needed.is_empty() {
        return Err(Error::unchecked("no reading anywhere names evidence")
            .hint("is this the right clone? Fetch the readings first; nothing was deleted"));
    }
    (sharing.tell)(ProgressStep::Work("looking for what is old"));
    let mut is_needed = |hash: &EvidenceHash| needed.contains(hash);
    let expired = asked.remote.expire(before, &mut is_needed, dry_run)?;
    let mut receipt = ShareReceipt::new(ShareStep::Prune, Some(asked.place.to_string()));
    receipt.dry_run = dry_run;
    (receipt.moved, receipt.there) = (expired.gone.len(), expired.kept);
    receipt.bytes = expired.gone.iter().map(|piece| piece.size).sum();
    receipt.named = expired.gone.len() + expired.kept;
    receipt.gone = expired.gone.iter().map(|piece| row(&piece.hash, Some(piece.size), None)).collect();
    if !dry_run {
        expired.gone.iter().for_each(|piece| asked.known.learn(piece.hash, false));
    }
    asked.close(sharing, &mut receipt);
    Ok(receipt)
}

/// The current tips of every branch of every git remote, because other clones may need the pieces.
fn everywhere(sharing: &SharingDesk<'_>) -> Result<BTreeSet<Oid>> {
    let config = sharing.repo.config()?;
    let mut tips = BTreeSet::new();
    for remote in config.subsections("remote", &["url"]) {
        let name = remote.to_str_lossy().into_owned();
        if !fetches_all(&config.get(&format!("remote.{name}.fetch")), &remote) {
            return Err(Error::unchecked(format!("this clone does not fetch every branch of {name}")).hint(format!(
                "git config --replace-all remote.{name}.fetch '+refs/heads/*:refs/remotes/{name}/*', and fetch"
            )));
        }
        (sharing.tell)(ProgressStep::Work("asking for branches"));
        let listed: PublishedTips = published::listed(sharing.repo, &name, sharing.terminal)?;
        tips.extend(listed.whole(&name)?);
    }
    Ok(tips)
}

/// Whether the last refspec of a remote fetches every branch.
fn fetches_all(refspec: &Option<BString>, remote: &BString) -> bool {
    let usual = [b"refs/heads/*:refs/remotes/", remote.as_bytes(), b"/*"].concat();
    refspec.as_ref().is_some_and(|spec| {
        let spec = spec.strip_prefix(b"+").unwrap_or(spec);
        *spec == *usual || spec == b"refs/*:refs/*" || spec == b"refs/heads/*:refs/heads/*"
    })
}
