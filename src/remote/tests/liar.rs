//! A remote that lies. Whatever it says, only the right bytes get a name in the cache, and every lie is reported.

use super::hands::{Hands, piece_of};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::{
    Expired, FromCache, Held, IntoCache, Listed, Month, Offered, Piece, PutReceipt, Remote, Supply, Taker, Withheld,
};
use crate::store::Store;
use std::io::{self, Read};

/// The lies of the remote; the last two are no lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    WrongBytes,
    ShortBytes,
    NoBytes,
    OneByteMore,
    EndlessBytes,
    HasNothing,
    AnotherSize,
    AnotherPiece,
    Fails,
    DiesMidway,
    Slow,
    Interrupted,
}

use Lie::*;

const LIES: [Lie; 10] = [
    WrongBytes,
    ShortBytes,
    NoBytes,
    OneByteMore,
    EndlessBytes,
    HasNothing,
    AnotherSize,
    AnotherPiece,
    Fails,
    DiesMidway,
];

const CAP: u64 = 1 << 16;

struct Liar {
    truth: Vec<u8>,
    lie: Lie,
    /// How many writers offer the lie before one offers the truth; `None` if all lie.
    liars: Option<usize>,
}

impl Liar {
    fn lies(&self) -> Box<dyn Read + '_> {
        let truth = &self.truth[..];
        let half = &truth[..truth.len() / 2];
        match self.lie {
            WrongBytes => Box::new(half.chain(&b"?"[..]).chain(&truth[half.len() + 1..])),
            ShortBytes => Box::new(&truth[..truth.len() - 1]),
            NoBytes | HasNothing => Box::new(io::empty()),
            OneByteMore | AnotherSize => Box::new(truth.chain(&b" "[..])),
            EndlessBytes => Box::new(truth.chain(io::repeat(b'x'))),
            AnotherPiece => Box::new(&b"another piece altogether"[..]),
            Fails => Box::new(Bad { kind: io::ErrorKind::ConnectionRefused, once: false }),
            DiesMidway => Box::new(half.chain(Bad { kind: io::ErrorKind::ConnectionReset, once: false })),
            Slow => Box::new(Bytewise(truth)),
            Interrupted => {
                let gap = Bad { kind: io::ErrorKind::Interrupted, once: true };
                Box::new(half.chain(gap).chain(&truth[half.len()..]))
            }
        }
    }
}

/// Fails once, or always.
struct Bad {
    kind: io::ErrorKind,
    once: bool,
}

impl Read for Bad {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        if self.once && self.kind == io::ErrorKind::Other {
            return Ok(0);
        }
        let kind = self.kind;
        if self.once {
            self.kind = io::ErrorKind::Other;
        }
        Err(kind.into())
    }
}

/// Reads one byte at a time.
struct Bytewise<'a>(&'a [u8]);

impl Read for Bytewise<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

impl Remote for Liar {
    fn name(&self) -> String {
        "the liar".to_owned()
    }

    fn probe(&mut self) -> Result<()> {
        Ok(())
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        see(Piece { hash: piece_of(&self.truth).hash, size: 1 });
        Ok(Listed::Whole)
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        Ok(hashes.iter().map(|_| Held::Said { by: self.name(), size: 1, is_hearsay: false }).collect())
    }

    fn get(&mut self, wanted: &[EvidenceHash], _cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        let mut withheld = Vec::new();
        for hash in wanted {
            let lies = self.liars.unwrap_or(3);
            let mut found = false;
            for _ in 0..lies {
                found = found || taker.take(hash, &mut self.lies())? == Offered::Right;
            }
            if !found && self.liars.is_some() {
                found = taker.take(hash, &mut &self.truth[..])? == Offered::Right;
            }
            if !found {
                withheld.push(Withheld { hash: *hash, why: format!("{lies} offers were something else") });
            }
        }
        Ok(withheld)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        for piece in pieces {
            supply.file(piece)?;
        }
        Ok(PutReceipt { sent: pieces.to_vec(), ..PutReceipt::default() })
    }

    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt> {
        Ok(PutReceipt { there: pieces.to_vec(), ..PutReceipt::default() })
    }

    fn delete(&mut self, _: &[EvidenceHash], _: &str) -> Result<()> {
        Err(Error::unchecked("500"))
    }

    fn expire(&mut self, _: Month, _: &mut dyn FnMut(&EvidenceHash) -> bool, _: bool) -> Result<Expired> {
        Err(Error::unchecked("500"))
    }
}

/// The pieces in the cache of `store`, after every file was verified.
fn cached(store: &Store) -> Vec<EvidenceHash> {
    let (_, corrupt) = store.evidence().check().unwrap();
    assert_eq!(corrupt, [], "wrong bytes have a name");
    store.evidence().ls().unwrap().into_iter().map(|blob| blob.hash).collect()
}

fn liar(lie: Lie, liars: Option<usize>) -> (Liar, EvidenceHash) {
    let truth = b"0123456789".repeat(1000);
    let hash = piece_of(&truth).hash;
    (Liar { truth, lie, liars }, hash)
}

/// The number of files in the cache's directory, including temporary ones.
fn files(at: &tempfile::TempDir) -> usize {
    std::fs::read_dir(at.path().join("spexcode/yatsu-blobs")).map_or(0, Iterator::count)
}

#[test]
fn no_lie_gets_a_name_in_the_cache_and_each_is_told() {
    for lie in LIES {
        let at = tempfile::tempdir().unwrap();
        let store = Store::new(at.path());
        let (mut remote, hash) = liar(lie, None);
        let answer = remote.get(&[hash], CAP, &mut IntoCache::new(&store, CAP, &mut |_| {}));
        match answer {
            Ok(withheld) => assert_eq!(withheld.iter().map(|one| one.hash).collect::<Vec<_>>(), [hash], "{lie:?}"),
            Err(error) => assert!(error.message.contains("ended early"), "{lie:?}: {error}"),
        }
        assert_eq!((cached(&store), files(&at)), (vec![], 0), "{lie:?}");
    }
}

#[test]
fn behind_any_number_of_lies_the_truth_is_taken() {
    for lie in LIES.iter().filter(|lie| !matches!(lie, Fails | DiesMidway)) {
        let at = tempfile::tempdir().unwrap();
        let store = Store::new(at.path());
        let (mut remote, hash) = liar(*lie, Some(2));
        assert_eq!(remote.get(&[hash], CAP, &mut IntoCache::new(&store, CAP, &mut |_| {})).unwrap(), [], "{lie:?}");
        assert_eq!((cached(&store), files(&at)), (vec![hash], 1), "{lie:?}");
    }
}

#[test]
fn what_is_slow_or_interrupted_is_no_lie() {
    for way in [Slow, Interrupted] {
        let at = tempfile::tempdir().unwrap();
        let store = Store::new(at.path());
        let (mut remote, hash) = liar(way, None);
        assert_eq!(remote.get(&[hash], CAP, &mut IntoCache::new(&store, CAP, &mut |_| {})).unwrap(), [], "{way:?}");
        assert_eq!(cached(&store), [hash], "{way:?}");
    }
}

#[test]
fn a_lie_about_what_is_here_already_leaves_it_as_it_is() {
    for lie in LIES {
        let at = tempfile::tempdir().unwrap();
        let store = Store::new(at.path());
        let (mut remote, hash) = liar(lie, None);
        let right = store.share_evidence().unwrap();
        assert!(store.evidence().arrive(&right, &hash, &mut &remote.truth[..], CAP).unwrap());
        drop(right);
        let _ = remote.get(&[hash], CAP, &mut IntoCache::new(&store, CAP, &mut |_| {}));
        assert_eq!((cached(&store), files(&at)), (vec![hash], 1), "{lie:?}");
    }
}

#[test]
fn what_is_not_here_or_corrupt_is_not_handed_to_anybody() {
    let at = tempfile::tempdir().unwrap();
    let store = Store::new(at.path());
    let (mut remote, hash) = liar(HasNothing, None);
    let piece = Piece { hash, size: remote.truth.len() as u64 };
    let mut never = |_| {};
    assert!(remote.put(&[piece], &mut FromCache::new(&store, &mut never)).unwrap_err().message.contains("miss"));
    let right = store.share_evidence().unwrap();
    assert!(store.evidence().arrive(&right, &hash, &mut &remote.truth[..], CAP).unwrap());
    let path = store.evidence().verified(&hash).unwrap().unwrap().0;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, vec![b'x'; remote.truth.len()]).unwrap();
    let error = remote.put(&[piece], &mut FromCache::new(&store, &mut never)).unwrap_err();
    assert!(error.message.contains("corrupt"), "{error}");
}

#[test]
fn hands_take_what_the_cache_would() {
    for lie in LIES.iter().filter(|lie| **lie != EndlessBytes) {
        let (mut remote, hash) = liar(*lie, None);
        let mut hands = Hands::new();
        let _ = remote.get(&[hash], CAP, &mut hands);
        assert!(hands.taken.is_empty(), "{lie:?}");
    }
}
