//! The names that writers gave to their pieces on a server, from the messages of commits: one line per piece, or per piece
//! that must not be there. Every line is an unverified claim, because everyone with push rights can write it.

use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::Month;
use crate::repo::native::objects::ObjectKind;
use crate::repo::program::network::StreamedBlobs;
use crate::store::evidence::MAX_BLOB;
use crate::tree::oid::Oid;
use bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many bytes of names are read of one ref.
pub(super) const MOST_NAMES: u64 = 64 << 20;

/// How many offers for one piece are remembered of one ref.
const MOST_OFFERS: usize = 4;

/// How many drops of other pieces than the requested ones are remembered.
const MOST_DROPS: usize = 100_000;

/// The longest reason of a drop that is repeated, in bytes.
const MOST_REASON: usize = 1000;

/// The name of a writer: 16 lower-case hex digits, drawn at random.
pub(super) type WriterId = String;

/// A writer and a month, which identify two refs.
pub(super) type WriterMonth = (WriterId, Month);

/// The writer and month of `<prefix><writer>/<yyyy-mm>`; `None` for every other name, which this program never makes.
pub(super) fn slot(prefix: &str, name: &[u8]) -> Option<WriterMonth> {
    let (writer, month) = name.strip_prefix(prefix.as_bytes())?.to_str().ok()?.split_once('/')?;
    Some((writer.to_owned(), Month::parse(month).ok()?)).filter(|_| is_writer(writer))
}

/// Whether `text` is a writer's name.
pub(super) fn is_writer(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NameLine {
    /// A piece is there, as this blob of this size.
    Piece(EvidenceHash, Offer),
    /// A piece must not be there, for this reason.
    Drop(EvidenceHash, String),
}

/// The blob that a writer offers for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// The git id of the bytes.
    pub(super) id: Oid,
    /// The number of the bytes.
    pub(super) size: u64,
}

impl NameLine {
    /// Parses a line; `None` for a line of another form.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn_str(3, " ");
        let (first, second, rest) = (words.next()?, words.next()?, words.next()?);
        if first == b"drop" {
            let reason = rest[..rest.len().min(MOST_REASON)].to_str_lossy().into_owned();
            return Some(Self::Drop(EvidenceHash::from_hex(second)?, reason));
        }
        let size = rest.to_str().ok().filter(|size| size.bytes().all(|byte| byte.is_ascii_digit()))?;
        // no evidence is larger, and the sum of several sizes must not overflow
        let size = size.parse().ok().filter(|size| *size <= MAX_BLOB)?;
        let offer = Offer { id: Oid::from_hex(second)?, size };
        Some(Self::Piece(EvidenceHash::from_hex(first)?, offer))
    }

    /// The text of the line.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Piece(hash, Offer { id, size }) => format!("{hash} {id} {size}\n"),
            Self::Drop(hash, reason) => format!("drop {hash} {}\n", reason.replace(char::is_control, " ")),
        }
    }
}

/// Shows every line of the chain that ends in `tip`, the newest commit first.
///
/// # Errors
/// Unchecked if it is no such chain, or too long. Some lines may have been shown by then.
pub(super) fn read_chain(blobs: &mut StreamedBlobs, tip: Oid, see: &mut dyn FnMut(NameLine)) -> Result<()> {
    let (mut next, mut left) = (Some(tip), MOST_NAMES);
    while let Some(id) = next {
        let text = blobs.read(&id, |look, bytes| {
            if look.kind != ObjectKind::Commit {
                return Err(Error::unchecked("it holds something that is no commit"));
            }
            left = left.checked_sub(look.size).ok_or_else(|| Error::unchecked("it has more than 64 MiB of names"))?;
            let mut text = Vec::new();
            bytes.read_to_end(&mut text).map_err(|error| Error::unchecked(format!("it cannot be read: {error}")))?;
            Ok(text)
        })?;
        let Some(text) = text else { return Err(Error::unchecked("a commit of it is missing")) };
        let (head, message) = text.split_once_str("\n\n").unwrap_or((&text, b""));
        message.lines().filter_map(NameLine::parse).for_each(&mut *see);
        let parents: Vec<_> = head.lines().filter_map(|line| line.strip_prefix(b"parent ")).collect();
        next = match parents.as_slice() {
            [] => None,
            [parent] => Some(Oid::from_hex(parent).ok_or_else(|| Error::unchecked("a commit of it is malformed"))?),
            _ => return Err(Error::unchecked("it is no chain of commits")),
        };
    }
    Ok(())
}

/// Why a piece must not be there, and the refs that say so.
pub(super) struct Dropped {
    pub(super) reason: String,
    pub(super) by: BTreeSet<WriterMonth>,
}

/// The lines of all writers about the requested pieces.
#[derive(Default)]
pub(super) struct NameIndex {
    /// The offers for each piece, in the order of writers.
    pub(super) offers: HashMap<EvidenceHash, Vec<(WriterMonth, Offer)>>,
    /// The pieces that must not be there; all of them, not only requested ones.
    pub(super) dropped: HashMap<EvidenceHash, Dropped>,
    /// Dropped pieces that may still be read, because they are being moved to another month.
    pub(super) spared: HashSet<EvidenceHash>,
    /// Refs that could not be read, with the reason.
    pub(super) passed_over: Vec<String>,
    /// Months with a chain that broke off: their older lines are unknown.
    pub(super) partly_read: BTreeSet<WriterMonth>,
}

impl NameIndex {
    /// Reads the chains of `tips`, about the pieces in `about` or about all.
    pub(super) fn read(
        blobs: &mut StreamedBlobs,
        tips: &BTreeMap<WriterMonth, Oid>,
        about: Option<&HashSet<EvidenceHash>>,
    ) -> Result<Self> {
        let mut index = Self::default();
        for (slot, tip) in tips {
            let mut see = |line| index.take(slot, line, about);
            if let Err(error) = read_chain(blobs, *tip, &mut see) {
                index.passed_over.push(format!("the names of writer {} of {}: {error}", slot.0, slot.1));
                index.partly_read.insert(slot.clone());
            }
        }
        Ok(index)
    }

    fn take(&mut self, slot: &WriterMonth, line: NameLine, about: Option<&HashSet<EvidenceHash>>) {
        let is_asked = |hash: &EvidenceHash| about.is_none_or(|about| about.contains(hash));
        match line {
            NameLine::Drop(hash, reason) if is_asked(&hash) || self.dropped.len() < MOST_DROPS => {
                let dropped = self.dropped.entry(hash).or_insert(Dropped { reason, by: BTreeSet::new() });
                dropped.by.insert(slot.clone());
            }
            NameLine::Piece(hash, offer) if is_asked(&hash) => {
                let offers = self.offers.entry(hash).or_default();
                let own: Vec<_> = offers.iter().filter(|(other, _)| other == slot).collect();
                if own.len() < MOST_OFFERS && !own.iter().any(|(_, known)| *known == offer) {
                    offers.push((slot.clone(), offer));
                }
            }
            _ => {}
        }
    }

    /// Forgets the offers of months that are not kept.
    pub(super) fn keep_offers(&mut self, is_kept: &dyn Fn(&WriterMonth) -> bool) {
        self.offers.values_mut().for_each(|offers| offers.retain(|(slot, _)| is_kept(slot)));
        self.offers.retain(|_, offers| !offers.is_empty());
    }

    /// The offers for a piece; none if it was dropped.
    pub(super) fn of(&self, hash: &EvidenceHash) -> &[(WriterMonth, Offer)] {
        let is_out = self.dropped.contains_key(hash) && !self.spared.contains(hash);
        let offers = self.offers.get(hash).filter(|_| !is_out);
        offers.map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_spelling() {
        let (hash, id) = ("ab".repeat(32), "cd".repeat(20));
        for text in [format!("{hash} {id} 12\n"), format!("drop {hash} a secret was in it\n")] {
            assert_eq!(NameLine::parse(text.trim_end().as_bytes()).unwrap().text(), text);
        }
        let (upper, short) = (hash.to_uppercase(), &hash[1..]);
        for wrong in [
            format!("{upper} {id} 12"),
            format!("{short} {id} 12"),
            format!("{hash} {id}"),
            format!("{hash} {id} +12"),
            format!("{hash} {id} 12 "),
            format!("{hash} {id} 99999999999999999999"),
            format!("{hash} {id} {}", MAX_BLOB + 1),
            format!("{hash} ../../x 12"),
            format!("drop {hash}"),
            "drop x y".to_owned(),
            String::new(),
        ] {
            assert_eq!(NameLine::parse(wrong.as_bytes()), None, "{wrong}");
        }
        let Some(NameLine::Drop(_, reason)) = NameLine::parse(format!("drop {hash} {}", "x".repeat(5000)).as_bytes())
        else {
            panic!("a drop");
        };
        assert_eq!(reason.len(), MOST_REASON);
    }

    #[test]
    fn of_the_lines_of_one_ref_only_so_much_is_remembered() {
        let month = Month::parse("2026-11").unwrap();
        let (one, other) = (("0".repeat(16), month), ("1".repeat(16), month));
        let (hash, id) = (EvidenceHash([7; 32]), Oid::from_hex(&[b'1'; 40]).unwrap());
        let mut index = NameIndex::default();
        for size in (0..10).flat_map(|size| [size, size]) {
            index.take(&one, NameLine::Piece(hash, Offer { id, size }), None);
        }
        index.take(&other, NameLine::Piece(hash, Offer { id, size: 0 }), None);
        let sizes: Vec<_> = index.of(&hash).iter().map(|(slot, offer)| (slot == &one, offer.size)).collect();
        assert_eq!(sizes, [(true, 0), (true, 1), (true, 2), (true, 3), (false, 0)], "each once, and four of one ref");
        let asked = HashSet::from([hash]);
        for number in 0..MOST_DROPS as u32 + 5 {
            let mut name = [0; 32];
            name[..4].copy_from_slice(&number.to_le_bytes());
            index.take(&one, NameLine::Drop(EvidenceHash(name), String::new()), Some(&asked));
        }
        index.take(&one, NameLine::Drop(hash, "asked about".to_owned()), Some(&asked));
        assert_eq!(index.dropped.len(), MOST_DROPS + 1);
        assert!(index.of(&hash).is_empty(), "what was asked about is remembered whatever else was");
    }

    #[test]
    fn a_ref_of_another_shape_is_nobodys() {
        let name = |text: &str| slot("refs/yatsu/names/", text.as_bytes());
        let month = Month::parse("2026-11").unwrap();
        assert_eq!(name("refs/yatsu/names/0123456789abcdef/2026-11"), Some(("0123456789abcdef".to_owned(), month)));
        for wrong in [
            "refs/yatsu/names/0123456789abcdef/2026-13",
            "refs/yatsu/names/0123456789ABCDEF/2026-11",
            "refs/yatsu/names/0123456789abcde/2026-11",
            "refs/yatsu/names/0123456789abcdef/2026-11/x",
            "refs/yatsu/evidence/0123456789abcdef/2026-11",
            "refs/yatsu/names/../../../../x",
        ] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }
}
