//! Removes pieces of evidence from a git server: all old ones (`share prune`), single ones (`share drop`), and pieces
//! that another writer dropped (at every put). Input: what the server holds, and the pieces that go or stay. Output:
//! deleted refs.
//!
//! A single piece cannot be taken out of a chain of commits, so the two refs of a writer and a month are deleted
//! together. In this file such a pair is a *month*. Removal has two steps, and their order must stay:
//!
//! 1. The pieces of the month that must stay, the *survivors*, are put into the current month, and the refs of the
//!    server are listed again to confirm the push.
//! 2. The refs of the month are deleted, each only if it is still at the tip that the decision was made on.
//!
//! So a kill at any moment leaves every survivor on the server. No ref is ever forced.

use super::names::{Dropped, NameIndex, NameLine, WriterMonth};
use super::put::Load;
use super::side::{ServerRefs, SideRepo};
use super::{GitRefs, Holdings};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Expired, Month, Offered, Piece, PutReceipt, Remote, Supply, Taker, read_piece};
use crate::repo::program::network::{Expected, MovedHow, RefMove};
use crate::store::folder::failed;
use crate::store::temp_dir::ApartDir;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Read, Write};
use std::path::PathBuf;

/// The largest piece that is moved to the current month, in bytes. The limit of a put is lower, but this piece is on
/// the server already.
const LARGEST_MOVED: u64 = 2 << 30;
/// At most this many months are deleted in one push.
const TOGETHER: usize = 200;

/// The error if the server does not take the survivors.
fn not_taken(why: &str) -> Error {
    Error::unchecked(format!("nothing was deleted: {why}"))
        .hint("evidence that must stay needs room first: ask the owner of that server, then run the same command again")
}

impl GitRefs {
    /// The work of [`Remote::expire`]. An unreadable ref may name a needed piece, so then nothing is deleted.
    pub(super) fn expire_all(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        let known = self.know(None)?;
        if let Some(reason) = known.index.passed_over.first() {
            return Err(Error::unchecked(format!(
                "nothing was deleted, because not everything could be read: {reason}"
            ))
            .hint("look at that ref on the server, or delete it there, and run the same command again"));
        }
        let month = self.month()?;
        known.refuse_nameless(&self.side, before)?;
        let slots = known.seen.evidence.keys().chain(known.seen.names.keys());
        // survivors are put into the current month, so the current month never goes
        let is_old = |slot: &&WriterMonth| slot.1 < before && slot.1 < month;
        let going: BTreeSet<WriterMonth> = slots.filter(is_old).cloned().collect();
        let (mut expired, mut survivors) = (Expired::default(), Vec::new());
        let hashes: BTreeSet<_> = known.index.offers.keys().copied().collect();
        for hash in hashes {
            if is_needed(&hash) {
                known.refuse_foreign_drop(&hash, &going)?;
            }
            let offers = known.index.of(&hash);
            let leaving = offers.iter().filter(|(slot, _)| going.contains(slot)).count();
            let Some((_, offer)) = offers.first().filter(|_| leaving > 0) else { continue };
            let piece = Piece { hash, size: offer.size };
            if is_needed(&hash) {
                expired.kept += 1;
                survivors.extend(Some(piece).filter(|_| !known.is_in_staying_month(&hash, &going)));
            } else if leaving == offers.len() {
                expired.gone.push(piece);
            }
        }
        if !dry_run {
            let lines = known.drops_of(&going);
            self.remove(known, going, &survivors, lines)?;
        }
        Ok(expired)
    }

    /// The work of [`Remote::delete`]: deletes the months of this machine that hold one of `hashes`, and moves all
    /// other pieces in them. Leaves a drop line with `reason` for each piece, so that other machines do not put the
    /// piece again.
    pub(super) fn delete_all(&mut self, hashes: &[EvidenceHash], reason: &str) -> Result<()> {
        let mut known = self.know(None)?;
        let going: BTreeSet<WriterMonth> = known.own_months_with(hashes);
        // the unread lines of a month name pieces that must stay, and they would go with the month
        if let Some((writer, month)) = going.intersection(&known.index.partly_read).next() {
            return Err(Error::unchecked(format!(
                "nothing was deleted: the names of writer {writer} of {month} could not be read to their end"
            ))
            .hint("`yatsu-hook share check` says why; mend that, and run the same command again"));
        }
        // a piece that another writer dropped was not requested here, so it is moved like the other pieces
        self.spared = known.index.offers.keys().filter(|hash| !hashes.contains(hash)).copied().collect();
        known.index.spared = self.spared.clone();
        let mut lines = known.drops_of(&going);
        let undropped: BTreeSet<_> = hashes.iter().filter(|hash| !known.index.dropped.contains_key(hash)).collect();
        lines.extend(undropped.iter().map(|hash| NameLine::Drop(**hash, reason.to_owned())));
        for hash in hashes {
            let others = known.index.offers.get(hash).into_iter().flatten().filter(|(slot, _)| !going.contains(slot));
            let others: BTreeSet<_> = others.map(|(slot, _)| slot.clone()).collect();
            for (writer, month) in others {
                self.notes.push(format!(
                    "writer {writer} put {hash} there in {month} as well: it goes when that machine pushes next, or with its month"
                ));
            }
        }
        let mut survivors = Vec::new();
        for hash in known.index.offers.keys().filter(|hash| !hashes.contains(hash)) {
            let own = known.index.of(hash).iter().find(|(slot, _)| going.contains(slot));
            let own = own.filter(|_| !known.is_in_staying_month(hash, &going));
            survivors.extend(own.map(|(_, offer)| Piece { hash: *hash, size: offer.size }));
        }
        let removed = self.remove(known, going, &survivors, lines);
        self.spared.clear();
        removed
    }

    /// Obeys the drop lines of other writers: removes the dropped pieces from the months of this machine. Returns
    /// whether a piece was removed. Everyone with push rights can write a drop line, and it must not destroy the last
    /// copy. So a piece without a local copy stays until a user here drops the piece, and a note names each drop of
    /// another writer.
    pub(super) fn obey_drops(&mut self, known: &Holdings, supply: &mut dyn Supply) -> Result<bool> {
        if known.index.dropped.is_empty() || known.standing.is_empty() {
            return Ok(false);
        }
        let about = known.index.dropped.keys().copied().collect();
        let tips: BTreeMap<_, _> = known.standing.iter().map(|(slot, tips)| (slot.clone(), tips.names)).collect();
        let own = NameIndex::read(&mut self.side.door.blobs(), &tips, Some(&about))?;
        let mut obeyed = Vec::new();
        for (hash, offers) in &own.offers {
            let Some(dropped) = known.index.dropped.get(hash) else { continue };
            // a drop that this machine began before a kill is completed, even without a local copy
            let is_own = dropped.by.iter().any(|slot| known.standing.contains_key(slot));
            let size = offers.first().map_or(0, |(_, offer)| offer.size);
            let refusal = if offers.iter().any(|(slot, _)| own.partly_read.contains(slot)) {
                // `delete_all` would refuse the whole deletion, and with it a put of other pieces
                Some("the names of its month here cannot be read to their end, as `yatsu-hook share check` says")
            } else if !is_own && supply.file(&Piece { hash: *hash, size }).is_err() {
                Some("no copy is here to put back")
            } else {
                None
            };
            obeyed.extend(refusal.is_none().then_some(*hash));
            if !is_own {
                self.notes.push(asked_to_drop(hash, dropped, refusal));
            }
        }
        if !obeyed.is_empty() {
            self.delete_all(&obeyed, "")?;
        }
        Ok(!obeyed.is_empty())
    }

    /// Puts `lines` and `survivors` into the current month, and then deletes the months `going`.
    fn remove(
        &mut self,
        mut known: Holdings,
        going: BTreeSet<WriterMonth>,
        survivors: &[Piece],
        lines: Vec<NameLine>,
    ) -> Result<()> {
        // each put lists the refs again; only the refs that the decision was made on may be deleted
        let judged = known.seen.clone();
        if going.contains(&(self.side.writer()?, self.month()?)) {
            // as a new writer this machine gets another current month, so survivors are not put into a month that goes
            self.side.draw()?;
        }
        if !lines.is_empty() {
            let (_dir, apart) = self.side.apart()?;
            let load = Load { pieces: Vec::new(), drops: lines };
            self.send(&mut known, &apart, &load)?.map_or(Ok(()), |why| Err(not_taken(&why)))?;
        }
        for slice in super::put::slices(survivors, |piece| piece.size) {
            self.put_anew(&mut known, slice)?;
        }
        let all: Vec<WriterMonth> = going.into_iter().collect();
        for slots in all.chunks(TOGETHER) {
            self.delete_months(&judged, slots)?;
        }
        Ok(())
    }

    /// Fetches `pieces` from the server and puts them into the current month.
    fn put_anew(&mut self, known: &mut Holdings, pieces: &[Piece]) -> Result<()> {
        let mut spool = Spool { dir: self.side.room()?, sizes: HashMap::new() };
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let withheld = self.get(&hashes, LARGEST_MOVED, &mut spool)?;
        let nothing = "nothing was deleted";
        if let Some(one) = withheld.first() {
            return Err(Error::unchecked(format!("{nothing}: {} is needed and does not come: {}", one.hash, one.why))
                .hint("push it from a machine that has it: yatsu-hook share push"));
        }
        // the size in a line is not verified, so the received size is used
        let sized = |hash: &EvidenceHash| spool.sizes.get(hash).map(|size| Piece { hash: *hash, size: *size });
        let pieces: Vec<_> = hashes.iter().filter_map(sized).collect();
        let mut receipt = PutReceipt::default();
        self.send_slice(known, &pieces, &mut spool, &mut receipt)?;
        match receipt.refused.first() {
            Some((piece, why)) => Err(not_taken(&format!("{} is needed, and {why}", piece.hash))),
            None => Ok(()),
        }
    }

    /// Deletes the refs of the months `slots`, each only if it is still at its tip in `judged`.
    fn delete_months(&mut self, judged: &ServerRefs, slots: &[WriterMonth]) -> Result<()> {
        let deletion = |name: String, id| RefMove { name, to: None, from: Expected::Exactly(id) };
        let (mut names, mut evidence) = (Vec::new(), Vec::new());
        for slot in slots {
            let [of_evidence, of_names] = self.side.refs_of(slot);
            evidence.extend(judged.evidence.get(slot).map(|id| deletion(of_evidence, *id)));
            names.extend(judged.names.get(slot).map(|id| deletion(of_names, *id)));
        }
        // without an atomic push the names go first, so that the server never has a name without its bytes
        let moved = super::put::push_in_order(&self.side.door, &names, &evidence)?;
        if let Some(refused) = moved.iter().find(|moved| moved.how != MovedHow::Deleted) {
            return Err(Error::unchecked(format!("{} was not deleted: {}", refused.name, refused.reason()))
                .hint("another clone may have pushed meanwhile: run the same command again"));
        }
        slots.iter().try_for_each(|slot| self.side.forget(slot))
    }
}

impl Holdings {
    /// Refuses if a month before `before` has evidence and no names: its pieces are unknown and may be last copies.
    fn refuse_nameless(&self, side: &SideRepo, before: Month) -> Result<()> {
        let nameless = |(slot, _): &(&WriterMonth, _)| slot.1 < before && !self.seen.names.contains_key(slot);
        let Some((slot, _)) = self.seen.evidence.iter().find(nameless) else { return Ok(()) };
        let [evidence, _] = side.refs_of(slot);
        Err(Error::unchecked(format!("nothing was deleted, because no list names the evidence in {evidence}"))
            .hint("if nothing in it is needed, delete that ref on the server, and run the same command again"))
    }

    /// Whether this machine also put the piece into a month that stays, so that the piece need not be moved.
    fn is_in_staying_month(&self, hash: &EvidenceHash, going: &BTreeSet<WriterMonth>) -> bool {
        self.index.of(hash).iter().any(|(slot, _)| self.standing.contains_key(slot) && !going.contains(slot))
    }

    /// Refuses if a month in `going` has the needed piece `hash` and only other writers dropped it. Everyone with push
    /// rights can write a drop line, and the month may hold the last copy.
    fn refuse_foreign_drop(&self, hash: &EvidenceHash, going: &BTreeSet<WriterMonth>) -> Result<()> {
        let Some(dropped) = self.index.dropped.get(hash) else { return Ok(()) };
        let is_own = dropped.by.iter().any(|slot| self.standing.contains_key(slot));
        let is_going = self.index.offers.get(hash).into_iter().flatten().any(|(slot, _)| going.contains(slot));
        if is_own || !is_going {
            return Ok(());
        }
        let (writer, reason) = (dropped.by.first().map_or("", |(writer, _)| writer), &dropped.reason);
        Err(Error::unchecked(format!(
            "nothing was deleted: a reading names {hash}, and writer {writer} asks that it be dropped ({reason})"
        ))
        .hint(format!("if it must go: yatsu-hook share drop {hash} --reason R")))
    }

    /// The months of this machine that hold one of these pieces.
    fn own_months_with(&self, hashes: &[EvidenceHash]) -> BTreeSet<WriterMonth> {
        let offers = hashes.iter().filter_map(|hash| self.index.offers.get(hash)).flatten();
        offers.map(|(slot, _)| slot).filter(|slot| self.standing.contains_key(slot)).cloned().collect()
    }

    /// The drop lines that stand only in the months `going`. They are put again, because a drop must outlast its month.
    fn drops_of(&self, going: &BTreeSet<WriterMonth>) -> Vec<NameLine> {
        let only = self.index.dropped.iter().filter(|(_, dropped)| dropped.by.iter().all(|slot| going.contains(slot)));
        only.map(|(hash, dropped)| NameLine::Drop(*hash, dropped.reason.clone())).collect()
    }
}

/// The note about a piece of this machine that another writer asks to drop.
/// A note about the drop line of another writer. `refusal`: why it was not obeyed.
fn asked_to_drop(hash: &EvidenceHash, dropped: &Dropped, refusal: Option<&str>) -> String {
    let writer = dropped.by.first().map_or("", |(writer, _)| writer);
    let reason = &dropped.reason;
    let asked = format!("writer {writer} asks that {hash} be dropped ({reason})");
    match refusal {
        None => format!("{asked}: the copy that this machine put there was removed; the copy here stays"),
        Some(why) => {
            format!("{asked}: not obeyed, because {why}; if it must go: yatsu-hook share drop {hash} --reason R")
        }
    }
}

/// A temporary directory with the pieces that are moved to the current month.
struct Spool {
    dir: ApartDir,
    /// The size of each received piece.
    sizes: HashMap<EvidenceHash, u64>,
}

impl Taker for Spool {
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        let name = hash.to_string();
        let (mut file, path) = (self.dir.make_file(&name)?, self.dir.path().join(&name));
        let piece = read_piece(
            bytes,
            |error| Error::unread("what git printed", &error),
            |part| file.write_all(part).map_err(|error| failed("write", &path, error)),
        )?;
        let is_right = piece.hash == *hash;
        self.sizes.extend(is_right.then_some((*hash, piece.size)));
        Ok(if is_right { Offered::Right } else { Offered::Lie })
    }
}

impl Supply for Spool {
    fn file(&mut self, piece: &Piece) -> Result<PathBuf> {
        Ok(self.dir.path().join(piece.hash.to_string()))
    }

    fn done(&mut self, _bytes: u64) {}
}
