//! Fetches pieces. The names give the blob id of each piece, and the blobs are fetched by their ids, all in one fetch, into
//! a separate directory. A blob with another size than announced is not read; the others are streamed to the taker, which
//! hashes them. After a lie the next writer's offer is tried. A piece is missing only if all offers are lies.

use super::names::{NameLine, Offer, WriterMonth};
use super::put::slices;
use super::{GitRefs, KeptPiece};
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::{Offered, Taker, Withheld};
use crate::repo::native::objects::ObjectKind;
use crate::repo::program::network::{BlobLook, FetchLimits, Fetched, NetworkDoor};
use crate::tree::oid::Oid;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::Read;

/// How many bytes of a month are fetched at most, if the server gives no single blobs.
const MOST_OF_A_MONTH: u64 = 2 << 30;
/// A writer with this many lies is asked last.
const LIES: usize = 3;

/// A wanted piece, and the offers that are left to try.
struct WantedPiece {
    hash: EvidenceHash,
    offers: VecDeque<(WriterMonth, Offer)>,
    is_put_off: bool,
    is_here: bool,
    why: String,
}

/// An offer that is being tried.
#[derive(Clone)]
struct TriedOffer {
    /// The index of its wanted piece.
    want: usize,
    slot: WriterMonth,
    offer: Offer,
}

/// The way in which pieces are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchedFrom {
    /// By blob id, wherever the server has the blob.
    Ids,
    /// As whole months, because the server gives no blob by its id.
    MonthsOfNeed,
    /// As whole months at the listed tips. The server keeps everything that these tips lead to.
    MonthsAsProof,
}

/// A search for pieces.
struct Hunt<'a> {
    engine: &'a GitRefs,
    taker: &'a mut dyn Taker,
    cap: u64,
    wants: Vec<WantedPiece>,
    lies: HashMap<String, usize>,
    /// The tips of the months as the server listed them.
    tips: &'a BTreeMap<WriterMonth, Oid>,
    from: FetchedFrom,
    notes: Vec<String>,
    /// The pieces that came, to be remembered.
    came: Vec<(EvidenceHash, TriedOffer)>,
}

impl GitRefs {
    pub(super) fn fetch_all(
        &mut self,
        wanted: &[EvidenceHash],
        cap: u64,
        taker: &mut dyn Taker,
        from: FetchedFrom,
    ) -> Result<Vec<Withheld>> {
        let known = self.known(wanted)?;
        if !wanted.is_empty() && known.seen.names.is_empty() && self.side.is_in_branches()? {
            self.notes.push("evidence is shared in branches there: yatsu-hook share on --branches".to_owned());
        }
        let mut told = HashSet::new();
        let wants = wanted.iter().filter(|hash| told.insert(**hash)).map(|hash| {
            let offers = known.index.of(hash);
            let why = match known.index.dropped.get(hash) {
                Some(dropped) => format!("it was dropped: {}", dropped.reason),
                None => "the remote does not list it".to_owned(),
            };
            // the smallest size is reported, because a cap raised to it allows at least that offer
            let least = offers.iter().map(|(_, offer)| offer.size).min().filter(|size| *size > cap);
            let why = least.map_or(why, |size| format!("it has {size} bytes, and {cap} are allowed"));
            let offers = offers.iter().filter(|(_, offer)| offer.size <= cap).cloned().collect();
            WantedPiece { hash: *hash, offers, is_put_off: false, is_here: false, why }
        });
        let wants = wants.collect();
        let (lies, notes, came) = (HashMap::new(), Vec::new(), Vec::new());
        let tips = &known.seen.evidence;
        let mut hunt = Hunt { engine: self, taker, cap, wants, lies, tips, from, notes, came };
        let end = hunt.run();
        let Hunt { wants, notes, came, .. } = hunt;
        self.notes.extend(notes);
        if !came.is_empty() {
            let text: String = came.iter().map(|(hash, tried)| NameLine::Piece(*hash, tried.offer).text()).collect();
            self.side.add_got(&text, self.seconds())?;
        }
        if from == FetchedFrom::MonthsAsProof {
            let kept = |(hash, TriedOffer { slot, offer, .. }): (EvidenceHash, TriedOffer)| {
                let tip = *tips.get(&slot)?;
                Some((hash, KeptPiece { slot, tip, size: offer.size }))
            };
            self.kept.extend(came.into_iter().filter_map(kept));
        }
        end?;
        let left = wants.into_iter().filter(|want| !want.is_here);
        Ok(left.map(|want| Withheld { hash: want.hash, why: want.why }).collect())
    }
}

impl Hunt<'_> {
    fn run(&mut self) -> Result<()> {
        loop {
            let attempts: Vec<TriedOffer> = (0..self.wants.len()).filter_map(|at| self.next(at)).collect();
            if attempts.is_empty() {
                return Ok(());
            }
            if self.from != FetchedFrom::Ids {
                self.attempt_by_months(&attempts)?;
                continue;
            }
            for batch in slices(&attempts, |attempt| attempt.offer.size) {
                self.attempt(batch)?;
            }
        }
    }

    /// The best offer that is left for the piece at `want`: from the writer with the fewest lies.
    fn next(&mut self, want: usize) -> Option<TriedOffer> {
        let lies = &self.lies;
        let found = self.wants.get_mut(want).filter(|want| !want.is_here)?;
        let lied = |slot: &WriterMonth| lies.get(&slot.0).copied().unwrap_or(0);
        let best = found.offers.iter().enumerate().min_by_key(|(at, (slot, _))| (lied(slot), *at))?.0;
        let (slot, offer) = found.offers.remove(best)?;
        Some(TriedOffer { want, slot, offer })
    }

    /// Tries these offers at once. If that fails, each half is tried alone, so that a lie does not stop the offers of other
    /// writers.
    fn attempt(&mut self, batch: &[TriedOffer]) -> Result<()> {
        let batch: Vec<TriedOffer> = batch.iter().filter(|attempt| !self.put_off(attempt)).cloned().collect();
        if batch.is_empty() {
            return Ok(());
        }
        if self.from != FetchedFrom::Ids {
            // all remaining offers are fetched together, so that no month is fetched twice
            batch.into_iter().for_each(|attempt| self.give_back(attempt));
            return Ok(());
        }
        let (_dir, door) = self.engine.side.apart()?;
        let ids: Vec<_> = batch.iter().map(|attempt| attempt.offer.id.to_string()).collect();
        let sum: u64 = batch.iter().map(|attempt| attempt.offer.size).sum();
        // room for git's framing of data that does not compress
        let limits = FetchLimits { bytes: sum + sum / 64 + (1 << 20), anew: true };
        let Fetched::NotAll(error) = door.fetch(&ids, limits)? else { return self.examine(&door, &batch) };
        // a server that no longer answers did not lie: this call fails then
        self.engine.side.list()?;
        if error.message.contains("unadvertised object") {
            self.from = FetchedFrom::MonthsOfNeed;
            batch.into_iter().for_each(|attempt| self.give_back(attempt));
            return Ok(());
        }
        if let [attempt] = batch.as_slice() {
            if error.message.contains("not our ref") {
                self.refuse(attempt, "the listed object is not there");
                return Ok(());
            }
            return self.attempt_by_months(&batch);
        }
        let (half, rest) = batch.split_at(batch.len() / 2);
        self.attempt(half)?;
        self.attempt(rest)
    }

    /// Whether an offer is put off until others were tried, because its writer lied before.
    fn put_off(&mut self, attempt: &TriedOffer) -> bool {
        let lied = self.lies.get(&attempt.slot.0).copied().unwrap_or(0) >= LIES;
        let want = &mut self.wants[attempt.want];
        if !lied || want.is_put_off || want.offers.is_empty() {
            return false;
        }
        want.is_put_off = true;
        want.offers.push_back((attempt.slot.clone(), attempt.offer));
        true
    }

    fn give_back(&mut self, attempt: TriedOffer) {
        self.wants[attempt.want].offers.push_front((attempt.slot, attempt.offer));
    }

    /// Fetches the whole months of these offers.
    fn attempt_by_months(&mut self, batch: &[TriedOffer]) -> Result<()> {
        let mut months: BTreeMap<&WriterMonth, Vec<TriedOffer>> = BTreeMap::new();
        for attempt in batch {
            months.entry(&attempt.slot).or_default().push(attempt.clone());
        }
        for (slot, attempts) in months {
            let (_dir, door) = self.engine.side.apart()?;
            let [evidence, _] = self.engine.side.refs_of(slot);
            // a proof is about the listed tip, even if the ref moved since
            let tip = self.tips.get(slot).filter(|_| self.from == FetchedFrom::MonthsAsProof);
            let wanted = tip.map_or(evidence, Oid::to_string);
            match door.fetch(&[wanted], FetchLimits { bytes: MOST_OF_A_MONTH, anew: true })? {
                Fetched::All => {
                    let (writer, month) = slot;
                    let note = format!("it gives no object by its id: {month} of writer {writer} was fetched whole");
                    self.notes.extend(Some(note).filter(|_| self.from == FetchedFrom::MonthsOfNeed));
                    self.examine(&door, &attempts)?;
                }
                Fetched::NotAll(error) => {
                    self.engine.side.list()?;
                    let why = format!("it did not come: {error}");
                    attempts.iter().for_each(|attempt| self.refuse(attempt, &why));
                }
            }
        }
        Ok(())
    }

    /// Reads the received blobs that are as announced.
    fn examine(&mut self, door: &NetworkDoor, batch: &[TriedOffer]) -> Result<()> {
        let ids: Vec<_> = batch.iter().map(|attempt| attempt.offer.id).collect();
        let looks = door.look(&ids)?;
        let mut blobs = door.blobs();
        for (attempt, look) in batch.iter().zip(looks) {
            let promised = BlobLook { kind: ObjectKind::Blob, size: attempt.offer.size };
            let hash = self.wants[attempt.want].hash;
            let taken = match look {
                None => None,
                Some(look) if look != promised => Some(Offered::Lie),
                Some(_) => {
                    blobs.read(&attempt.offer.id, |_, bytes| self.taker.take(&hash, &mut bytes.take(self.cap)))?
                }
            };
            match taken {
                Some(Offered::Right) => {
                    self.wants[attempt.want].is_here = true;
                    self.came.push((hash, attempt.clone()));
                }
                Some(Offered::Lie) => self.refuse(attempt, "the object under that name has other content"),
                None => self.refuse(attempt, "the listed object is not there"),
            }
        }
        Ok(())
    }

    fn refuse(&mut self, attempt: &TriedOffer, why: &str) {
        let (writer, _) = &attempt.slot;
        *self.lies.entry(writer.clone()).or_default() += 1;
        self.wants[attempt.want].why = format!("writer {writer} names it, but {why}");
    }
}
