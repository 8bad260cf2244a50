//! Evidence on the project's own git server: it needs no account and no other program, and uses the credentials of `git
//! fetch`.
//!
//! A writer has two refs per month, moved in one push. `refs/yatsu/evidence/<writer>/<yyyy-mm>` is a chain of commits, each
//! with the pieces of one push as `<2 hex>/<sha256>`. `refs/yatsu/names/<writer>/<yyyy-mm>` is a chain of commits without
//! files; their messages list those pieces with git ids and sizes. A reader fetches the names, which are small, and then the
//! wanted blobs by their ids. Every writer has its own refs, so writers never collide and no ref is ever forced. A month is
//! removed by deleting two refs. A commit does not repeat the tree of an older push, so one more piece costs three small
//! objects.
//!
//! Data from a server is not trusted. Its trees are not read and nothing is checked out. A text counts as a name only if it
//! has the form of a name. Bytes arrive in a separate directory, limited in size, are streamed and hashed, and the directory
//! is deleted.

mod get;
mod names;
mod probe;
mod put;
mod remove;
mod side;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use put::LARGEST;
pub use side::RefSpace;

use super::{Expired, Held, Listed, Month, Piece, PutReceipt, Remote, Supply, Taker, Withheld};
use crate::error::Result;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::repo::Repo;
use crate::tree::oid::Oid;
use bstr::BString;
use get::FetchedFrom;
use names::{NameIndex, WriterMonth};
use side::{ServerRefs, SideRepo, Tips};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A git remote of the user as a place for evidence.
pub struct GitRefs {
    side: SideRepo,
    now: Timestamp,
    notes: Vec<String>,
    /// The dropped pieces in the last answer, with reasons.
    dropped: HashMap<EvidenceHash, String>,
    /// The pieces that were read in this run with their whole month, and the tip of that month.
    kept: HashMap<EvidenceHash, KeptPiece>,
    /// The refs that the server listed together with its branches, until the next question about pieces.
    listed: Option<ServerRefs>,
    /// The answer of the last [`Remote::has`] and its pieces, until a later call uses it.
    seen: Option<(HashSet<EvidenceHash>, Holdings)>,
    /// Pieces that are moved to another month although another writer's line drops them.
    spared: HashSet<EvidenceHash>,
}

/// A piece that came together with the ref that leads to it.
struct KeptPiece {
    slot: WriterMonth,
    tip: Oid,
    size: u64,
}

/// What the server has, as known at one moment.
struct Holdings {
    seen: ServerRefs,
    index: NameIndex,
    /// The tips of this machine that the server's refs are at.
    standing: BTreeMap<WriterMonth, Tips>,
    /// The pieces that this machine put into commits of the server's refs.
    proven: HashMap<EvidenceHash, u64>,
}

impl GitRefs {
    /// The git remote `remote` of the user's configuration, with our refs in `space`; nothing is created or connected yet. A
    /// password may be asked for at a `terminal`. The time `now` decides the month of new pieces.
    ///
    /// # Errors
    /// Usage if the user's repository has no such remote.
    pub fn open(repo: &Repo, remote: &str, space: RefSpace, terminal: bool, now: Timestamp) -> Result<Self> {
        let side = SideRepo::new(repo, remote, space, terminal)?;
        let (notes, spared, dropped, kept) = (Vec::new(), HashSet::new(), HashMap::new(), HashMap::new());
        Ok(Self { side, now, notes, listed: None, seen: None, spared, dropped, kept })
    }

    fn month(&self) -> Result<Month> {
        let text = self.now.to_string();
        Month::parse(text.get(..7).unwrap_or_default())
    }

    fn seconds(&self) -> i64 {
        self.now.millis / 1000
    }

    /// Asks the server about these pieces, or about all.
    fn know(&mut self, about: Option<&[EvidenceHash]>) -> Result<Holdings> {
        self.side.ready()?;
        self.seen = None;
        let seen = self.listed.take().map_or_else(|| self.side.list(), Ok)?;
        let (tips, reasons) = self.side.fetch_names(&seen)?;
        let standing = self.side.standing(&seen)?;
        let about: Option<HashSet<_>> = about.map(|hashes| hashes.iter().copied().collect());
        let mut blobs = self.side.door.blobs();
        let mut index = NameIndex::read(&mut blobs, &tips, about.as_ref())?;
        index.passed_over.extend(reasons);
        // a month without its evidence ref offers nothing, even if its names are still there
        index.keep_offers(&|slot| seen.evidence.contains_key(slot));
        index.spared = self.spared.clone();
        let proven = proven(&index, &standing);
        self.notes.extend(index.passed_over.iter().map(|reason| format!("passed over: {reason}")));
        Ok(Holdings { seen, index, standing, proven })
    }

    /// What the server has of these pieces: the last answer, if it was not used yet; otherwise a new one.
    fn known(&mut self, hashes: &[EvidenceHash]) -> Result<Holdings> {
        let seen = self.seen.take().filter(|(about, _)| hashes.iter().all(|hash| about.contains(hash)));
        seen.map_or_else(|| self.know(Some(hashes)), |(_, known)| Ok(known))
    }
}

/// The pieces in chains that this machine made and that the server's refs lead to.
fn proven(index: &NameIndex, standing: &BTreeMap<WriterMonth, Tips>) -> HashMap<EvidenceHash, u64> {
    let mut proven = HashMap::new();
    for hash in index.offers.keys() {
        // the first line is the one that put the piece there
        let own = index.of(hash).iter().find(|(slot, _)| standing.contains_key(slot));
        proven.extend(own.map(|(_, offer)| (*hash, offer.size)));
    }
    proven
}

impl Holdings {
    fn held(&self, hash: &EvidenceHash, got: &HashMap<EvidenceHash, Oid>, kept: Option<&KeptPiece>) -> Held {
        let offers = self.index.of(hash);
        if offers.is_empty() {
            return Held::No;
        }
        // a ref that was moved or deleted since may no longer lead to it
        if let Some(kept) = kept.filter(|kept| self.seen.evidence.get(&kept.slot) == Some(&kept.tip)) {
            return Held::Proven { size: kept.size };
        }
        if let Some(size) = self.proven.get(hash) {
            return Held::Proven { size: *size };
        }
        // the offer that was read is reported, not the first one, which may be a lie
        let read = got.get(hash).and_then(|id| offers.iter().find(|(_, offer)| offer.id == *id));
        let ((writer, _), offer) = read.unwrap_or(&offers[0]);
        Held::Said { by: format!("writer {writer}"), size: offer.size, is_hearsay: read.is_none() }
    }
}

impl Remote for GitRefs {
    fn name(&self) -> String {
        self.side.door.remote().to_owned()
    }

    fn probe(&mut self) -> Result<()> {
        self.side.ready()?;
        probe::probe(&self.side, self.seconds())
    }

    fn branches(&mut self) -> Result<Option<Vec<(BString, Oid)>>> {
        self.side.ready()?;
        let (seen, branches) = self.side.list_with_branches()?;
        self.listed = Some(seen);
        Ok(Some(branches))
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        let known = self.know(None)?;
        for hash in known.index.offers.keys() {
            let size = known.proven.get(hash).copied();
            let size = size.or_else(|| known.index.of(hash).first().map(|(_, offer)| offer.size));
            if let Some(size) = size {
                see(Piece { hash: *hash, size });
            }
        }
        let reasons = known.index.passed_over;
        Ok(if reasons.is_empty() { Listed::Whole } else { Listed::Partly(reasons) })
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let known = self.know(Some(hashes))?;
        let reason = |hash: &EvidenceHash| Some((*hash, known.index.dropped.get(hash)?.reason.clone()));
        self.dropped = hashes.iter().filter_map(reason).collect();
        let got = self.once_got(hashes)?;
        let held = hashes.iter().map(|hash| known.held(hash, &got, self.kept.get(hash))).collect();
        self.seen = Some((hashes.iter().copied().collect(), known));
        Ok(held)
    }

    fn why_dropped(&self, hash: &EvidenceHash) -> Option<String> {
        self.dropped.get(hash).cloned()
    }

    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        self.fetch_all(wanted, cap, taker, FetchedFrom::Ids)
    }

    fn prove(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        self.fetch_all(wanted, cap, taker, FetchedFrom::MonthsAsProof)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        self.put_all(pieces, supply)
    }

    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt> {
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let known = self.known(&hashes)?;
        self.judged(&known, pieces)
    }

    fn delete(&mut self, hashes: &[EvidenceHash], reason: &str) -> Result<()> {
        if hashes.is_empty() { Ok(()) } else { self.delete_all(hashes, reason) }
    }

    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        self.expire_all(before, is_needed, dry_run)
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}
