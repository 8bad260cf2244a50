//! Removes pieces. No ref is ever forced. Pieces that must stay are put again under another name and read back; only then
//! the old refs are deleted, each under a lease on the judged tip. So a needed piece is never missing, even if the process
//! is killed.

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

/// The largest piece that is moved from one month to another.
const LARGEST_MOVED: u64 = 2 << 30;
/// How many months of writers are deleted in one push.
const TOGETHER: usize = 200;

/// The error for pieces that could not be put again.
fn not_taken(why: &str) -> Error {
    Error::unchecked(format!("nothing was deleted: {why}"))
        .hint("evidence that must stay needs room first: ask the owner of that server, then run the same command again")
}

impl GitRefs {
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
        let there = known.seen.evidence.keys().chain(known.seen.names.keys());
        // pieces that stay are put into the current month, so this month never goes
        let going: BTreeSet<WriterMonth> = there.filter(|(_, of)| *of < before && *of < month).cloned().collect();
        let (mut expired, mut survivors) = (Expired::default(), Vec::new());
        let hashes: BTreeSet<_> = known.index.offers.keys().copied().collect();
        for hash in hashes {
            if is_needed(&hash) {
                known.refuse_foreign_drop(&hash, &going)?;
            }
            let offers = known.index.of(&hash);
            let old = offers.iter().filter(|(slot, _)| going.contains(slot)).count();
            let Some((_, offer)) = offers.first().filter(|_| old > 0) else { continue };
            let piece = Piece { hash, size: offer.size };
            if is_needed(&hash) {
                expired.kept += 1;
                survivors.extend(Some(piece).filter(|_| !known.is_ours_elsewhere(&hash, &going)));
            } else if old == offers.len() {
                expired.gone.push(piece);
            }
        }
        if !dry_run {
            let lines = known.drops_of(&going);
            self.remove(known, going, &survivors, lines)?;
        }
        Ok(expired)
    }

    pub(super) fn delete_all(&mut self, hashes: &[EvidenceHash], reason: &str) -> Result<()> {
        let mut known = self.know(None)?;
        let going: BTreeSet<WriterMonth> = known.own_with(hashes);
        // only the requested pieces go; a piece that another writer's line drops is moved with the rest of its month
        self.spared = known.index.offers.keys().filter(|hash| !hashes.contains(hash)).copied().collect();
        known.index.spared = self.spared.clone();
        let mut lines = known.drops_of(&going);
        let new: BTreeSet<_> = hashes.iter().filter(|hash| !known.index.dropped.contains_key(hash)).collect();
        lines.extend(new.iter().map(|hash| NameLine::Drop(**hash, reason.to_owned())));
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
            let own = own.filter(|_| !known.is_ours_elsewhere(hash, &going));
            survivors.extend(own.map(|(_, offer)| Piece { hash: *hash, size: offer.size }));
        }
        let removed = self.remove(known, going, &survivors, lines);
        self.spared.clear();
        removed
    }

    /// Removes pieces that others dropped from this machine's own months; returns whether there were any. Everyone with push
    /// rights can ask for a drop. So each request is noted, and a piece without a local copy stays until a user here drops
    /// it.
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
            // a drop of this machine that was killed halfway is finished even without a local copy
            let is_own = dropped.by.iter().any(|slot| known.standing.contains_key(slot));
            let size = offers.first().map_or(0, |(_, offer)| offer.size);
            let is_obeyed = is_own || supply.file(&Piece { hash: *hash, size }).is_ok();
            obeyed.extend(is_obeyed.then_some(*hash));
            if !is_own {
                self.notes.push(asked_to_drop(hash, dropped, is_obeyed));
            }
        }
        if !obeyed.is_empty() {
            self.delete_all(&obeyed, "")?;
        }
        Ok(!obeyed.is_empty())
    }

    /// Deletes the months `going`. The pieces `survivors` and the `lines` are put again before.
    fn remove(
        &mut self,
        mut known: Holdings,
        going: BTreeSet<WriterMonth>,
        survivors: &[Piece],
        lines: Vec<NameLine>,
    ) -> Result<()> {
        // the refs that the decision was made on
        let judged = known.seen.clone();
        if going.contains(&(self.side.writer()?, self.month()?)) {
            // pieces that stay must not be put into a month that goes
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
            self.take_away(&judged, slots)?;
        }
        Ok(())
    }

    /// Fetches these pieces and puts them into the current month.
    fn put_anew(&mut self, known: &mut Holdings, pieces: &[Piece]) -> Result<()> {
        let mut spool = Spool { dir: self.side.room()?, sizes: HashMap::new() };
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let withheld = self.get(&hashes, LARGEST_MOVED, &mut spool)?;
        let nothing = "nothing was deleted";
        if let Some(one) = withheld.first() {
            return Err(Error::unchecked(format!("{nothing}: {} is needed and does not come: {}", one.hash, one.why))
                .hint("push it from a machine that has it: yatsu-hook share push"));
        }
        // the size in a line is not verified, so the received size counts
        let sized = |hash: &EvidenceHash| spool.sizes.get(hash).map(|size| Piece { hash: *hash, size: *size });
        let pieces: Vec<_> = hashes.iter().filter_map(sized).collect();
        let mut receipt = PutReceipt::default();
        self.send_slice(known, &pieces, &mut spool, &mut receipt)?;
        match receipt.refused.first() {
            Some((piece, why)) => Err(not_taken(&format!("{} is needed, and {why}", piece.hash))),
            None => Ok(()),
        }
    }

    fn take_away(&mut self, judged: &ServerRefs, slots: &[WriterMonth]) -> Result<()> {
        let deletion = |name: String, id| RefMove { name, to: None, from: Expected::Exactly(id) };
        let (mut names, mut evidence) = (Vec::new(), Vec::new());
        for slot in slots {
            let [of_evidence, of_names] = self.side.refs_of(slot);
            evidence.extend(judged.evidence.get(slot).map(|id| deletion(of_evidence, *id)));
            names.extend(judged.names.get(slot).map(|id| deletion(of_names, *id)));
        }
        // without an atomic push the names go first, because nothing may be named that is not there
        let moved = super::put::push_in_order(&self.side.door, &names, &evidence)?;
        if let Some(refused) = moved.iter().find(|moved| moved.how != MovedHow::Deleted) {
            return Err(Error::unchecked(format!("{} was not deleted: {}", refused.name, refused.reason()))
                .hint("another clone may have pushed meanwhile: run the same command again"));
        }
        slots.iter().try_for_each(|slot| self.side.forget(slot))
    }
}

impl Holdings {
    /// Refuses to delete evidence without names: its content is not known, and it may be the last copy.
    fn refuse_nameless(&self, side: &SideRepo, before: Month) -> Result<()> {
        let nameless = |(slot, _): &(&WriterMonth, _)| slot.1 < before && !self.seen.names.contains_key(slot);
        let Some((slot, _)) = self.seen.evidence.iter().find(nameless) else { return Ok(()) };
        let [evidence, _] = side.refs_of(slot);
        Err(Error::unchecked(format!("nothing was deleted, because no list names the evidence in {evidence}"))
            .hint("if nothing in it is needed, delete that ref on the server, and run the same command again"))
    }

    /// Whether this machine also put it into a month that stays.
    fn is_ours_elsewhere(&self, hash: &EvidenceHash, going: &BTreeSet<WriterMonth>) -> bool {
        self.index.of(hash).iter().any(|(slot, _)| self.standing.contains_key(slot) && !going.contains(slot))
    }

    /// Refuses to delete a month with a needed piece that only other writers dropped. Everyone with push rights can drop,
    /// and the month may hold the last copy.
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

    /// The months of this machine with one of these pieces.
    fn own_with(&self, hashes: &[EvidenceHash]) -> BTreeSet<WriterMonth> {
        let offers = hashes.iter().filter_map(|hash| self.index.offers.get(hash)).flatten();
        offers.map(|(slot, _)| slot).filter(|slot| self.standing.contains_key(slot)).cloned().collect()
    }

    /// The drops that only these months hold. They are put again, so that they outlive the months.
    fn drops_of(&self, going: &BTreeSet<WriterMonth>) -> Vec<NameLine> {
        let only = self.index.dropped.iter().filter(|(_, dropped)| dropped.by.iter().all(|slot| going.contains(slot)));
        only.map(|(hash, dropped)| NameLine::Drop(*hash, dropped.reason.clone())).collect()
    }
}

/// The note on a piece that this machine put there and that another writer asks to drop.
fn asked_to_drop(hash: &EvidenceHash, dropped: &Dropped, is_obeyed: bool) -> String {
    let writer = dropped.by.first().map_or("", |(writer, _)| writer);
    let reason = &dropped.reason;
    let asked = format!("writer {writer} asks that {hash} be dropped ({reason})");
    match is_obeyed {
        true => format!("{asked}: the copy that this machine put there was removed; the copy here stays"),
        false => format!(
            "{asked}: not obeyed, because no copy is here to put back; if it must go: yatsu-hook share drop {hash} --reason R"
        ),
    }
}

/// Pieces on their way from one month to another.
struct Spool {
    dir: ApartDir,
    /// The received pieces and their sizes.
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
