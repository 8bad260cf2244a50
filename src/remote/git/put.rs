//! Puts pieces. A slice of pieces is one commit with the bytes and one with their names, in one atomic push. The server's
//! refs are listed again before the push counts as done. Then its bytes are deleted from our side repository, because the
//! cache has them.

use super::names::{NameLine, Offer, WriterId, WriterMonth};
use super::side::{Tips, random_word};
use super::{GitRefs, Holdings};
use crate::error::{Error, Result, remedy};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Piece, PutReceipt, Supply, read_piece};
use crate::repo::native::objects::ObjectKind;
use crate::repo::native::trees::empty_tree;
use crate::repo::program::network::{Expected, MovedHow, MovedRef, NetworkDoor, RefMove, TreeLine};
use crate::tree::oid::Oid;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// The largest piece that goes to a git server, because every copy of the server keeps it for ever.
pub(crate) const LARGEST: u64 = 10 << 20;
/// How many bytes go in one push or fetch. A killed push repeats at most this much.
const SLICE_BYTES: u64 = 500 << 20;
/// How many pieces go in one push or fetch.
const SLICE_PIECES: usize = 1000;

/// The content of one push: pieces with their git ids, and drops.
#[derive(Default)]
pub(super) struct Load {
    pub(super) pieces: Vec<(Piece, Oid)>,
    pub(super) drops: Vec<NameLine>,
}

/// The result of a push.
enum Sent {
    Taken,
    /// The server's refs of this writer are of another checkout: this one is a copy of it.
    Elsewhere(String),
    Refused(String),
}

impl GitRefs {
    pub(super) fn put_all(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let mut known = self.known(&hashes)?;
        if self.obey_drops(&known, supply)? {
            known = self.know(Some(&hashes))?;
        }
        let mut receipt = self.judged(&known, pieces)?;
        let wanted = std::mem::take(&mut receipt.sent);
        for slice in slices(&wanted, |piece| piece.size) {
            self.send_slice(&mut known, slice, supply, &mut receipt)?;
        }
        Ok(receipt)
    }

    /// The expected result for each piece: sent, there already, or refused.
    pub(super) fn judged(&self, known: &Holdings, pieces: &[Piece]) -> Result<PutReceipt> {
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let got = self.once_got(&hashes)?;
        let (mut receipt, mut told) = (PutReceipt::default(), HashSet::new());
        for piece in pieces.iter().filter(|piece| told.insert(piece.hash)) {
            match refusal(known, piece) {
                Some(why) => receipt.refused.push((*piece, why)),
                None if is_there(known, &got, piece) => receipt.there.push(*piece),
                None => receipt.sent.push(*piece),
            }
        }
        Ok(receipt)
    }

    /// The pieces that this machine read from there before, with their blobs.
    pub(super) fn once_got(&self, hashes: &[EvidenceHash]) -> Result<HashMap<EvidenceHash, Oid>> {
        let about: HashSet<_> = hashes.iter().collect();
        let mut got = HashMap::new();
        if let Some(tip) = self.side.got()? {
            super::names::read_chain(&mut self.side.door.blobs(), tip, &mut |line| {
                if let NameLine::Piece(hash, offer) = line
                    && about.contains(&hash)
                {
                    got.insert(hash, offer.id);
                }
            })
            .map_err(|error| error.context("the list of the evidence that this machine fetched").hint(remedy::FSCK))?;
        }
        Ok(got)
    }

    pub(super) fn send_slice(
        &mut self,
        known: &mut Holdings,
        pieces: &[Piece],
        supply: &mut dyn Supply,
        receipt: &mut PutReceipt,
    ) -> Result<()> {
        let (_dir, apart) = self.side.apart()?;
        let mut ready = Vec::new();
        for piece in pieces {
            match supply.file(piece) {
                Ok(file) => ready.push((*piece, file)),
                Err(error) => receipt.refused.push((*piece, error.message)),
            }
        }
        let load = take_in(&apart, &ready, receipt)?;
        if load.pieces.is_empty() {
            return Ok(());
        }
        self.name_poison(known, &load.pieces);
        if let Some(why) = self.send(known, &apart, &load)? {
            receipt.refused.extend(load.pieces.iter().map(|(piece, _)| (*piece, why.clone())));
            return Ok(());
        }
        for (piece, _) in &load.pieces {
            receipt.sent.push(*piece);
            supply.done(piece.size);
        }
        Ok(())
    }

    /// Sends a load; returns the reason if the server refuses it. If the refs of this writer are of another checkout, it
    /// tries once more as a new writer.
    pub(super) fn send(&mut self, known: &mut Holdings, apart: &NetworkDoor, load: &Load) -> Result<Option<String>> {
        let mut writer = self.side.writer()?;
        let mut is_second = false;
        loop {
            let slot = (writer, self.month()?);
            let sent = match foreign(known, &slot) {
                Some(why) => Sent::Elsewhere(why),
                None => self.push(known, apart, &slot, load)?,
            };
            match sent {
                Sent::Taken => return Ok(None),
                Sent::Refused(why) => return Ok(Some(why)),
                Sent::Elsewhere(why) if is_second => return Ok(Some(why)),
                Sent::Elsewhere(_) => {
                    // otherwise a new commit with equal bytes would be taken for the one that is there
                    self.side.forget(&slot)?;
                    writer = self.another_writer(&slot.0)?;
                }
            }
            is_second = true;
        }
    }

    fn another_writer(&mut self, before: &str) -> Result<WriterId> {
        let writer = self.side.draw()?;
        self.notes.push(format!(
            "the refs of writer {before} changed without this clone, for example because a copy of this clone pushed: this clone is writer {writer} from now on"
        ));
        Ok(writer)
    }

    fn push(&self, known: &mut Holdings, apart: &NetworkDoor, slot: &WriterMonth, load: &Load) -> Result<Sent> {
        let before = known.standing.get(slot).copied();
        if before.is_none() {
            self.side.forget(slot)?;
        }
        let tips = self.commit(apart, before, load)?;
        self.side.about_to_send(slot, tips)?;
        let refs = self.side.refs_of(slot);
        let from = if before.is_some() { Expected::Ancestor } else { Expected::Nothing };
        let [evidence, names] = refs;
        let moves =
            [(evidence, tips.evidence), (names, tips.names)].map(|(name, to)| RefMove { name, to: Some(to), from });
        let moved = push_in_order(apart, &moves[..1], &moves[1..])?;
        if let Some(refused) = moved.iter().find(|moved| moved.how == MovedHow::Refused) {
            take_back(apart, &moves, &moved, before)?;
            return Ok(refusal_of(refused));
        }
        known.seen = self.side.list()?;
        let stands =
            known.seen.evidence.get(slot) == Some(&tips.evidence) && known.seen.names.get(slot) == Some(&tips.names);
        if !stands {
            return Err(Error::unchecked(format!("{} took a push and does not show it", self.side.door.remote()))
                .hint("find out who deletes refs there, then run the same command again"));
        }
        self.side.read_back(slot, tips)?;
        known.standing.insert(slot.clone(), tips);
        Ok(Sent::Taken)
    }

    /// Writes the two commits. The one with bytes is complete in `apart`, from where it is sent; the side repository keeps
    /// only the tips. A load without pieces leaves the chain of bytes as it is, if there is one.
    fn commit(&self, apart: &NetworkDoor, before: Option<Tips>, load: &Load) -> Result<Tips> {
        let door = &self.side.door;
        let drops: String = load.drops.iter().map(NameLine::text).collect();
        let lines: String = load.pieces.iter().map(|(piece, id)| line_of(piece, *id).text()).collect();
        let parent = before.as_ref().map(|tips| &tips.names);
        let names =
            door.write_commit(&empty_tree(self.side.hash), parent, self.seconds(), (drops + &lines).as_bytes())?;
        if let Some(Tips { evidence, .. }) = before.filter(|_| load.pieces.is_empty()) {
            return Ok(Tips { evidence, names });
        }
        let tree = write_tree(apart, &load.pieces)?;
        // the random word makes each commit different: a commit that another server got is in git's list of shallow commits,
        // and a server refuses a push that contains a shallow commit
        let message = format!("{} pieces of evidence\n\n{}\n", load.pieces.len(), random_word()?);
        let parent = before.as_ref().map(|tips| &tips.evidence);
        let evidence = door.write_commit(&tree, parent, self.seconds(), message.as_bytes())?;
        Ok(Tips { evidence, names })
    }

    /// Notes the writers that offer other bytes under the names of our pieces. One of the two must be wrong, and ours were
    /// verified.
    fn name_poison(&mut self, known: &Holdings, lines: &[(Piece, Oid)]) {
        for (piece, id) in lines {
            let others = known.index.of(&piece.hash).iter().filter(|(_, offer)| offer.id != *id);
            for ((writer, month), _) in others {
                let hash = piece.hash;
                self.notes.push(format!("poison: writer {writer} of {month} offers something else under {hash}"));
            }
        }
    }
}

fn line_of(piece: &Piece, id: Oid) -> NameLine {
    NameLine::Piece(piece.hash, Offer { id, size: piece.size })
}

/// Why a piece is not sent; `None` if it may be sent.
fn refusal(known: &Holdings, piece: &Piece) -> Option<String> {
    if let Some(dropped) = known.index.dropped.get(&piece.hash) {
        return Some(format!("it was dropped: {}", dropped.reason));
    }
    let size = piece.size;
    (size > LARGEST)
        .then(|| format!("it has {size} bytes, and git refs take {LARGEST}: object storage takes larger ones"))
}

/// Whether a piece need not be sent: it is proven, or this machine once read the same bytes from there.
fn is_there(known: &Holdings, got: &HashMap<EvidenceHash, Oid>, piece: &Piece) -> bool {
    let is_same = |id: &Oid| known.index.of(&piece.hash).iter().any(|(_, offer)| offer.id == *id);
    known.proven.contains_key(&piece.hash) || got.get(&piece.hash).is_some_and(is_same)
}

/// Why the server's refs of this writer are not the ones that this machine left there; `None` if they are, or if there are
/// none.
fn foreign(known: &Holdings, slot: &WriterMonth) -> Option<String> {
    let is_there = known.seen.evidence.contains_key(slot) || known.seen.names.contains_key(slot);
    let is_ours = known.standing.contains_key(slot);
    (is_there && !is_ours).then(|| format!("the refs of writer {} there are not those of this clone", slot.0))
}

fn refusal_of(moved: &MovedRef) -> Sent {
    let why = format!("the server refused {}: {}", moved.name, moved.reason());
    let is_behind = ["fetch first", "non-fast-forward", "stale info", "needs force"];
    if is_behind.iter().any(|word| moved.why.contains(word)) { Sent::Elsewhere(why) } else { Sent::Refused(why) }
}

/// Moves all these refs atomically. If the server cannot do that, `first` is moved before `then`. The server may then have
/// bytes without names, but never names without bytes.
pub(super) fn push_in_order(door: &NetworkDoor, first: &[RefMove], then: &[RefMove]) -> Result<Vec<MovedRef>> {
    let error = match door.push(&[first, then].concat(), true) {
        Ok(moved) => return Ok(moved),
        Err(error) => error,
    };
    if !error.message.contains("does not support --atomic") {
        return Err(error);
    }
    let mut moved = door.push(first, false)?;
    if moved.iter().all(|moved| moved.how != MovedHow::Refused) {
        moved.extend(door.push(then, false)?);
    }
    Ok(moved)
}

/// Takes back the refs that a server moved of a partly refused push, because otherwise names without bytes would stay there.
/// git breaks `--atomic` if it refuses a ref before the transaction (a hidden ref, a shallow history).
fn take_back(door: &NetworkDoor, moves: &[RefMove], moved: &[MovedRef], before: Option<Tips>) -> Result<()> {
    let old = [before.map(|tips| tips.evidence), before.map(|tips| tips.names)];
    let is_moved = |wanted: &RefMove| {
        let how = moved.iter().find(|moved| moved.name == wanted.name.as_str()).map(|moved| moved.how);
        matches!(how, Some(MovedHow::Made | MovedHow::Forwarded | MovedHow::Forced))
    };
    let back: Vec<RefMove> = moves
        .iter()
        .zip(old)
        .filter(|(wanted, _)| is_moved(wanted))
        .filter_map(|(wanted, to)| Some(RefMove { to, from: Expected::Exactly(wanted.to?), ..wanted.clone() }))
        .collect();
    let moved = door.push(&back, false)?;
    moved.iter().find(|moved| moved.how == MovedHow::Refused).map_or(Ok(()), |refused| {
        Err(Error::unchecked(format!(
            "{} names what was not taken, and cannot be taken back: {}",
            refused.name,
            refused.reason()
        ))
        .hint("ask its owner to put that ref back as it was, or to delete it, and to take all of refs/yatsu"))
    })
}

/// The items in slices, one per push or fetch. `size` is the number of bytes of an item.
pub(super) fn slices<T>(items: &[T], size: impl Fn(&T) -> u64) -> Vec<&[T]> {
    let (mut parts, mut begin, mut bytes) = (Vec::new(), 0, 0);
    for (at, item) in items.iter().enumerate() {
        if at > begin && (at - begin == SLICE_PIECES || bytes + size(item) > SLICE_BYTES) {
            parts.push(&items[begin..at]);
            (begin, bytes) = (at, 0);
        }
        bytes += size(item);
    }
    parts.extend((begin < items.len()).then(|| &items[begin..]));
    parts
}

/// Writes the files as blobs and reads these again, because a file may have changed and must not be sent under a wrong name.
fn take_in(apart: &NetworkDoor, ready: &[(Piece, PathBuf)], receipt: &mut PutReceipt) -> Result<Load> {
    let files: Vec<_> = ready.iter().map(|(_, file)| file.as_path()).collect();
    let ids = apart.write_files(&files)?;
    let mut blobs = apart.blobs();
    let mut load = Load::default();
    for ((piece, _), id) in ready.iter().zip(ids) {
        let found = blobs.read(&id, |look, bytes| {
            Ok((look.kind, read_piece(bytes, |error| Error::unread("what git printed", &error), |_| Ok(()))?))
        })?;
        if found == Some((ObjectKind::Blob, *piece)) {
            load.pieces.push((*piece, id));
        } else {
            receipt.refused.push((*piece, "its file here does not match its hash".to_owned()));
        }
    }
    Ok(load)
}

/// The tree of a push: `<2 hex>/<sha256>`.
fn write_tree(door: &NetworkDoor, lines: &[(Piece, Oid)]) -> Result<Oid> {
    let mut parts: BTreeMap<String, Vec<TreeLine>> = BTreeMap::new();
    for (piece, id) in lines {
        let name = piece.hash.to_string();
        parts.entry(name[..2].to_owned()).or_default().push(TreeLine { name, id: *id, is_tree: false });
    }
    let trees: Vec<_> = parts.values().cloned().collect();
    let ids = door.write_trees(&trees)?;
    let top = parts.into_keys().zip(ids).map(|(name, id)| TreeLine { name, id, is_tree: true }).collect();
    Ok(door.write_trees(&[top])?[0])
}
