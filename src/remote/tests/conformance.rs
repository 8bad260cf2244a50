//! One suite for all engines: the promises of the trait, tested through the trait alone.

use super::hands::{Hands, hashes, piece_of};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Expired, Held, Listed, Month, Piece, PutReceipt, Remote};
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Opens the same place as another machine.
pub(crate) type Opener = Box<dyn Fn() -> Box<dyn Remote> + Send + Sync>;

/// The size from which pieces are handled in parts.
const EDGE: usize = 8 << 20;

/// A promise, and its test on a new, empty place.
type Case = (&'static str, fn(&Opener));

const CASES: &[Case] = &[
    ("an empty place can be used and has nothing", an_empty_place),
    ("what was put comes back, from nothing to over the edge of parts", every_size),
    ("has answers in the order asked, also of what is asked twice", order),
    ("a repetition changes nothing", repetition),
    ("what a put would do is what it does, and is not done", foretold),
    ("what another machine put is said until it was read", said_and_proven),
    ("what was read where it is kept is proven as long as it is there", proven_where_it_is_kept),
    ("machines that put at once lose nothing", writers),
    ("what is larger than allowed is withheld, and the rest comes", caps),
    ("what nobody has is withheld, once each, and the rest comes", missing),
    ("what vanishes here is never said to be there, and goes when it is back", vanishing),
    ("what changed here is never said to be there", changing),
    ("a full disk ends it, keeps what came, and can be gone on from", full_disk),
    ("what somebody deleted is gone for everybody and can be put again", deletion),
    ("only what is old and not needed expires, and nothing on trial", expiry),
    ("a put that dies leaves nothing named that cannot be read", death),
];

/// Tests an engine for every promise. `place` makes a new, empty place and returns how machines open it.
pub(crate) fn conforms(place: &dyn Fn() -> Opener) {
    let broken = CASES.iter().filter(|(_, case)| catch_unwind(AssertUnwindSafe(|| case(&place()))).is_err());
    let names: Vec<_> = broken.map(|(name, _)| *name).collect();
    assert!(names.is_empty(), "promises that are not kept: {names:#?}");
}

fn listed(remote: &mut dyn Remote) -> BTreeSet<Piece> {
    let mut seen = Vec::new();
    assert_eq!(remote.list(&mut |piece| seen.push(piece)).unwrap(), Listed::Whole);
    let set: BTreeSet<_> = seen.iter().copied().collect();
    assert_eq!(set.len(), seen.len(), "each is shown once");
    set
}

fn set(pieces: &[Piece]) -> BTreeSet<Piece> {
    pieces.iter().copied().collect()
}

/// Asserts that the receipt names each of `pieces` once, and refuses none.
fn all_went(receipt: &PutReceipt, pieces: &[Piece]) {
    assert_eq!(receipt.refused, []);
    let told = [&receipt.sent[..], &receipt.there[..]].concat();
    assert_eq!(told.len(), pieces.len(), "{receipt:?}");
    assert_eq!(set(&told), set(pieces));
}

fn is_there(held: &Held, size: u64) -> bool {
    matches!(held, Held::Said { size: told, .. } | Held::Proven { size: told } if *told == size)
}

fn an_empty_place(open: &Opener) {
    let (mut remote, mut hands) = (open(), Hands::new());
    remote.probe().unwrap();
    remote.probe().unwrap();
    assert!(!remote.name().is_empty());
    assert_eq!(listed(&mut *remote), BTreeSet::new(), "nothing of the probe is left");
    assert_eq!(remote.has(&[]).unwrap(), []);
    assert_eq!(remote.has(&[EvidenceHash([7; 32])]).unwrap(), [Held::No]);
    assert_eq!(remote.get(&[], 8, &mut hands).unwrap(), []);
    assert_eq!(remote.put(&[], &mut hands).unwrap(), PutReceipt::default());
    remote.delete(&[], "a test").unwrap();
    remote.delete(&[EvidenceHash([7; 32])], "a test").unwrap();
    assert_eq!(remote.expire(far(), &mut |_| false, false).unwrap(), Expired::default());
}

fn every_size(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let sizes = [0, 1, EDGE - 1, EDGE, EDGE + 1];
    let pieces: Vec<_> = sizes.iter().map(|size| hands.piece(&vec![b'x'; *size])).collect();
    let receipt = here.put(&pieces, &mut hands).unwrap();
    assert_eq!(set(&receipt.sent), set(&pieces), "{receipt:?}");
    let (mut there, mut other) = (open(), Hands::new());
    assert_eq!(listed(&mut *there), set(&pieces));
    assert_eq!(there.get(&hashes(&pieces), EDGE as u64 + 1, &mut other).unwrap(), []);
    for (piece, size) in pieces.iter().zip(sizes) {
        assert!(other.taken[&piece.hash] == vec![b'x'; size], "{size}");
    }
    assert_eq!(other.lies, []);
}

fn order(open: &Opener) {
    let (mut remote, mut hands) = (open(), Hands::new());
    let (pieces, absent) = (hands.pieces("there", 40), hands.pieces("not there", 40));
    all_went(&remote.put(&pieces, &mut hands).unwrap(), &pieces);
    let asked: Vec<_> = pieces.iter().zip(&absent).rev().flat_map(|(a, b)| [b.hash, a.hash, a.hash]).collect();
    let mut machines = [remote, open()];
    for remote in &mut machines {
        let held = remote.has(&asked).unwrap();
        assert_eq!(held.len(), asked.len());
        for (three, piece) in held.chunks(3).zip(pieces.iter().rev()) {
            assert_eq!(three[0], Held::No);
            assert!(is_there(&three[1], piece.size) && three[1] == three[2], "{three:?}");
        }
    }
    let all: Vec<_> = asked.iter().copied().filter(|hash| pieces.iter().any(|piece| piece.hash == *hash)).collect();
    assert_eq!(machines[1].get(&all, 100, &mut hands).unwrap(), [], "asked for twice");
    assert_eq!(hands.names(), pieces.iter().map(|piece| piece.hash).collect());
}

fn repetition(open: &Opener) {
    let (mut remote, mut hands) = (open(), Hands::new());
    let pieces = hands.pieces("again", 3);
    all_went(&remote.put(&pieces, &mut hands).unwrap(), &pieces);
    let again = remote.put(&pieces, &mut hands).unwrap();
    assert_eq!((again.sent.len(), set(&again.there)), (0, set(&pieces)), "this machine put them: {again:?}");
    for _ in 0..2 {
        assert_eq!(remote.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
        assert_eq!(listed(&mut *remote), set(&pieces));
    }
    for _ in 0..2 {
        remote.delete(&[pieces[0].hash], "a test").unwrap();
        assert_eq!(listed(&mut *remote), set(&pieces[1..]));
    }
}

fn foretold(open: &Opener) {
    let (mut here, mut there, mut hands) = (open(), open(), Hands::new());
    let (old, new) = (hands.pieces("there", 3), hands.pieces("new", 3));
    all_went(&here.put(&old, &mut hands).unwrap(), &old);
    let read = there.get(&hashes(&old), 100, &mut hands).unwrap();
    assert_eq!(read, []);
    let all = [&new[..2], &old, &new[2..]].concat();
    for (remote, pieces) in [(&mut here, &all[..4]), (&mut there, &all)] {
        let said = remote.would_put(pieces).unwrap();
        assert_eq!(remote.would_put(pieces).unwrap(), said, "nothing was done");
        assert_eq!(remote.put(pieces, &mut hands).unwrap(), said);
    }
    assert_eq!(listed(&mut *open()), set(&all));
}

fn said_and_proven(open: &Opener) {
    let (mut here, mut there, mut hands) = (open(), open(), Hands::new());
    let piece = hands.piece(b"measured");
    all_went(&here.put(&[piece], &mut hands).unwrap(), &[piece]);
    assert_eq!(here.has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }], "it was acknowledged");
    let said = there.has(&[piece.hash]).unwrap();
    assert!(matches!(&said[..], [Held::Said { by, size: 8, .. }] if !by.is_empty()), "{said:?}");
    assert_eq!(there.get(&[piece.hash], 8, &mut hands).unwrap(), []);
    let read = there.has(&[piece.hash]).unwrap();
    assert!(
        matches!(read[..], [Held::Proven { size: 8 } | Held::Said { size: 8, is_hearsay: false, .. }]),
        "it was read"
    );
    all_went(&there.put(&[piece], &mut hands).unwrap(), &[piece]);
    assert_eq!(listed(&mut *there), set(&[piece]), "two machines put one piece");
}

fn proven_where_it_is_kept(open: &Opener) {
    let (mut here, mut there, mut hands) = (open(), open(), Hands::new());
    let piece = hands.piece(b"measured");
    all_went(&here.put(&[piece], &mut hands).unwrap(), &[piece]);
    assert_eq!(there.prove(&[piece.hash], 8, &mut hands).unwrap(), []);
    assert_eq!(there.has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }]);
    here.delete(&[piece.hash], "a test").unwrap();
    assert_eq!(there.has(&[piece.hash]).unwrap(), [Held::No], "what was proven may have gone since");
}

fn writers(open: &Opener) {
    let hands = Hands::new();
    let (own, common) = ([hands.pieces("a", 10), hands.pieces("b", 10), hands.pieces("c", 10)], hands.pieces("all", 5));
    std::thread::scope(|scope| {
        for pieces in &own {
            let common = &common;
            scope.spawn(move || {
                let (mut remote, mut hands) = (open(), Hands::new());
                for (number, piece) in pieces.iter().chain(common).enumerate() {
                    let bytes = if number < 10 { None } else { Some(format!("all {}", number - 10)) };
                    let name = ["a", "b", "c"].iter().map(|name| format!("{name} {number}"));
                    let bytes = bytes.or_else(|| name.into_iter().find(|text| piece_of(text.as_bytes()) == *piece));
                    assert_eq!(hands.piece(bytes.unwrap().as_bytes()), *piece);
                }
                for part in [&pieces[..5], &pieces[5..], common] {
                    all_went(&remote.put(part, &mut hands).unwrap(), part);
                }
            });
        }
    });
    let pieces = [&own.concat()[..], &common].concat();
    let (mut remote, mut hands) = (open(), Hands::new());
    assert_eq!(listed(&mut *remote), set(&pieces));
    assert_eq!(remote.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    assert_eq!(hands.taken.len(), 35);
}

fn caps(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = [hands.piece(b"12345678"), hands.piece(b"123456789"), hands.piece(&[b'x'; 100_000])];
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    for remote in [&mut here, &mut open()] {
        let mut hands = Hands::new();
        let withheld = remote.get(&hashes(&pieces), 8, &mut hands).unwrap();
        let names: Vec<_> = withheld.iter().map(|one| one.hash).collect();
        assert_eq!(names, hashes(&pieces[1..]));
        assert!(withheld[0].why.contains('9') && withheld[0].why.contains('8'), "both sizes: {}", withheld[0].why);
        assert_eq!(hands.names(), [pieces[0].hash].into());
        assert!(hands.most <= 8, "{} bytes were shown", hands.most);
    }
}

fn missing(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let (pieces, absent) = (hands.pieces("there", 3), hands.pieces("not there", 3));
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    let asked: Vec<_> = absent.iter().zip(&pieces).flat_map(|(a, b)| [a.hash, b.hash]).collect();
    let withheld = open().get(&asked, 100, &mut hands).unwrap();
    assert_eq!(withheld.iter().map(|one| one.hash).collect::<Vec<_>>(), hashes(&absent));
    assert!(withheld.iter().all(|one| !one.why.is_empty() && !one.why.contains(&one.hash.to_string())));
    assert_eq!(hands.names(), pieces.iter().map(|piece| piece.hash).collect());
}

fn vanishing(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = hands.pieces("here", 3);
    fs::rename(hands.path(&pieces[1].hash), hands.path(&EvidenceHash([0; 32]))).unwrap();
    let receipt = here.put(&pieces, &mut hands).unwrap();
    assert_eq!(set(&receipt.sent), set(&[pieces[0], pieces[2]]), "the others go");
    assert!(matches!(&receipt.refused[..], [(piece, why)] if *piece == pieces[1] && !why.is_empty()), "{receipt:?}");
    for remote in [&mut here, &mut open()] {
        assert_eq!(remote.has(&[pieces[1].hash]).unwrap(), [Held::No]);
    }
    fs::rename(hands.path(&EvidenceHash([0; 32])), hands.path(&pieces[1].hash)).unwrap();
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    assert_eq!(open().get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
}

fn changing(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = [hands.piece(b"measured"), hands.piece(b"and kept"), hands.piece(b"and sent")];
    fs::write(hands.path(&pieces[0].hash), b"measurec").unwrap();
    fs::write(hands.path(&pieces[1].hash), b"and").unwrap();
    let receipt = here.put(&pieces, &mut hands).unwrap();
    assert_eq!((receipt.sent, receipt.there), (vec![pieces[2]], vec![]), "the other goes");
    assert_eq!(receipt.refused.len(), 2);
    for remote in [&mut here, &mut open()] {
        assert_eq!(remote.has(&hashes(&pieces[..2])).unwrap(), [Held::No, Held::No]);
        let mut hands = Hands::new();
        assert_eq!(remote.get(&hashes(&pieces[..2]), 100, &mut hands).unwrap().len(), 2);
        assert_eq!((hands.taken.len(), hands.lies.len()), (0, 0), "nothing of it was sent");
    }
}

fn full_disk(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = hands.pieces("there", 3);
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    let mut there = open();
    assert_eq!(there.get(&[pieces[0].hash], 100, &mut hands).unwrap(), []);
    hands.full = true;
    let error = there.get(&hashes(&pieces), 100, &mut hands).unwrap_err();
    assert!(error.message.contains("the disk is full"), "{error}");
    assert_eq!(hands.names(), [pieces[0].hash].into());
    hands.full = false;
    assert_eq!(there.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    assert_eq!(hands.taken.len(), 3);
}

fn deletion(open: &Opener) {
    let (mut here, mut there, mut hands) = (open(), open(), Hands::new());
    let pieces = hands.pieces("there", 3);
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    here.delete(&hashes(&pieces[..2]), "a test").unwrap();
    for remote in [&mut here, &mut there, &mut open()] {
        assert_eq!(remote.has(&hashes(&pieces[..2])).unwrap(), [Held::No, Held::No], "it was proven a moment ago");
        assert_eq!(listed(&mut **remote), set(&pieces[2..]));
        let withheld = remote.get(&hashes(&pieces), 100, &mut hands).unwrap();
        assert_eq!(withheld.iter().map(|one| one.hash).collect::<Vec<_>>(), hashes(&pieces[..2]));
    }
}

/// A month after all puts.
fn far() -> Month {
    Month::new(9999, 12).unwrap()
}

fn expiry(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = hands.pieces("there", 4);
    all_went(&here.put(&pieces, &mut hands).unwrap(), &pieces);
    let (needed, rest) = pieces.split_at(1);
    let mut is_needed = |hash: &EvidenceHash| *hash == needed[0].hash;
    let early = Month::new(2020, 1).unwrap();
    assert_eq!(here.expire(early, &mut is_needed, false).unwrap(), Expired::default(), "all of it is young");
    let mut machine = open();
    let tried = machine.expire(far(), &mut is_needed, true).unwrap();
    assert_eq!((set(&tried.gone), tried.kept), (set(rest), 1));
    assert_eq!(listed(&mut *open()), set(&pieces), "it was a trial");
    let gone = machine.expire(far(), &mut is_needed, false).unwrap();
    assert_eq!((set(&gone.gone), gone.kept), (set(rest), 1));
    for remote in [&mut machine, &mut open()] {
        assert_eq!(listed(&mut **remote), set(needed));
        let mut hands = Hands::new();
        assert_eq!(remote.get(&hashes(&pieces), 100, &mut hands).unwrap().len(), 3);
        assert_eq!(hands.names(), [needed[0].hash].into());
    }
}

fn death(open: &Opener) {
    let (mut here, mut hands) = (open(), Hands::new());
    let pieces = hands.pieces("there", 6);
    let mut stop = Dying { hands: &mut hands, left: 4 };
    // the engine unwinds in the middle of its work, like a killed one
    let died = catch_unwind(AssertUnwindSafe(|| here.put(&pieces, &mut stop)));
    assert!(died.is_err());
    drop(here);
    let mut there = open();
    let names: Vec<_> = listed(&mut *there).into_iter().collect();
    assert_eq!(there.get(&hashes(&names), 100, &mut hands).unwrap(), [], "it names only what it has");
    all_went(&there.put(&pieces, &mut hands).unwrap(), &pieces);
    assert_eq!(listed(&mut *open()), set(&pieces));
}

/// Hands out a number of files and then panics.
struct Dying<'a> {
    hands: &'a mut Hands,
    left: usize,
}

impl crate::remote::Supply for Dying<'_> {
    fn file(&mut self, piece: &Piece) -> crate::error::Result<std::path::PathBuf> {
        assert!(self.left > 0, "killed");
        self.left -= 1;
        self.hands.file(piece)
    }

    fn done(&mut self, _bytes: u64) {}
}
