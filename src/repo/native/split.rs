//! A split index, format: gitformat-index(5), the extension `link`. It holds only the differences from a shared index, a
//! separate file that several index files may use. This module computes the number of entries of both together, which the
//! cached root tree must match. The entries themselves are read by git.

use super::index::be32;
use crate::tree::oid::{HashKind, Oid};
use bstr::ByteSlice;

const NAME: &[u8] = b"link";
/// How many bytes before the next extension are searched.
const MOST: usize = 1 << 20;
/// How many candidates for its beginning are tried.
const MAX_TRIES: usize = 16;

/// The content of the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The checksum of the shared index, which is part of its file name.
    pub shared: Oid,
    /// How many shared entries are deleted.
    deleted: u64,
    /// How many shared entries are replaced by the first entries of this index.
    replaced: u64,
}

impl Link {
    /// The extension that ends exactly at `end`; `None` if there is none.
    pub(super) fn ending_at(file: &[u8], end: usize, hash: HashKind) -> Option<Self> {
        let from = end.saturating_sub(MOST);
        let mut before = file.get(from..end)?;
        for _ in 0..MAX_TRIES {
            let at = before.rfind(NAME)?;
            let content = from + at + 8;
            if let Some(len) = file.get(content - 4..content)
                && content + be32(len, 0) as usize == end
                && let Some(link) = Self::parse(&file[content..end], hash)
            {
                return Some(link);
            }
            before = &before[..at];
        }
        None
    }

    fn parse(content: &[u8], hash: HashKind) -> Option<Self> {
        let (shared, bitmaps) = content.split_at_checked(hash.len())?;
        let (deleted, rest) = count_bits(bitmaps)?;
        let (replaced, rest) = count_bits(rest)?;
        Some(Self { shared: Oid::from_bytes(shared)?, deleted, replaced }).filter(|_| rest.is_empty())
    }

    /// The total number of entries, if this index has `own` and the shared one `shared` entries.
    pub(crate) fn entries(&self, own: u32, shared: u32) -> Option<u32> {
        let added = u64::from(own).checked_sub(self.replaced)?;
        let kept = u64::from(shared).checked_sub(self.deleted)?;
        u32::try_from(kept + added).ok()
    }
}

/// The number of set bits in the bitmap at the beginning, and the bytes after it. Format: gitformat-bitmap(5),
/// "Serialization of EWAH": the size in bits, the number of 64-bit words, the words, and the position of the last run. A run
/// is one word: the value and number of repeated words, and how many plain words follow.
fn count_bits(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = bytes.split_at_checked(8)?;
    let (words, rest) = rest.split_at_checked((be32(head, 4) as usize).checked_mul(8)?)?;
    let rest = rest.get(4..)?;
    let mut words = words.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word));
    let mut count = 0u64;
    while let Some(run) = words.next() {
        let (alike, plain) = (run >> 1 & 0xffff_ffff, run >> 33);
        if run & 1 == 1 {
            count += 64 * alike;
        }
        for _ in 0..plain {
            count += u64::from(words.next()?.count_ones());
        }
    }
    Some((count, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HASH: HashKind = HashKind::Sha1;

    fn bitmap(words: &[u64]) -> Vec<u8> {
        let mut bytes = [77u32.to_be_bytes(), u32::try_from(words.len()).unwrap().to_be_bytes()].concat();
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
        bytes.extend_from_slice(&[0; 4]);
        bytes
    }

    /// The first word of a run: the repeated bit, the number of repeated words, and the number of plain words.
    fn run(set: bool, alike: u64, plain: u64) -> u64 {
        u64::from(set) | alike << 1 | plain << 33
    }

    fn link(deleted: &[u64], replaced: &[u64]) -> Vec<u8> {
        let content = [&[9; 20][..], &bitmap(deleted), &bitmap(replaced)].concat();
        [NAME, &u32::try_from(content.len()).unwrap().to_be_bytes(), &content].concat()
    }

    fn read(file: &[u8]) -> Option<(u64, u64)> {
        Link::ending_at(file, file.len(), HASH).map(|link| (link.deleted, link.replaced))
    }

    #[test]
    fn bits_are_counted_in_runs_and_in_plain_words() {
        assert_eq!(read(&link(&[0], &[0])), Some((0, 0)));
        assert_eq!(read(&link(&[], &[run(false, 9, 1), 0b1011])), Some((0, 3)));
        let words = [run(true, 2, 2), 1, 3, run(false, 5, 0), run(true, 1, 1), 7];
        assert_eq!(read(&link(&words, &[0])), Some((2 * 64 + 3 + 64 + 3, 0)));
        assert_eq!(read(&link(&[run(false, 0, 1)], &[0])), None, "a word is missing");
        assert_eq!(read(&link(&[run(false, 0, 1 << 30)], &[0])), None);
    }

    #[test]
    fn only_an_extension_that_ends_there_is_one() {
        let whole = link(&[run(false, 0, 1), 5], &[0]);
        let before = [b"DIRC link\0\0\0\x02", &whole[..]].concat();
        assert_eq!(read(&before), Some((2, 0)));
        for end in 0..before.len() {
            assert_eq!(read(&before[..end]), None, "cut to {end}");
        }
        assert_eq!(read(&[&before[..], b"x"].concat()), None);
        let inside = link(&[run(false, 0, 1), u64::from_be_bytes(*b"\0link\0\0\0")], &[0]);
        assert!(read(&inside).is_some(), "its name may stand in it");
    }

    #[test]
    fn both_files_make_so_many_entries() {
        let entries = |deleted, replaced, own, shared| {
            let link = Link { shared: Oid::zero(HASH), deleted, replaced };
            link.entries(own, shared)
        };
        assert_eq!(entries(2, 1, 3, 12), Some(12));
        assert_eq!(entries(0, 0, 0, 12), Some(12));
        assert_eq!((entries(13, 0, 0, 12), entries(0, 4, 3, 12), entries(0, 0, u32::MAX, 1)), (None, None, None));
    }

    proptest! {
        #[test]
        fn nothing_panics(at in 0usize..80, byte: u8, end: Vec<u8>) {
            let mut bytes = link(&[run(true, 1, 1), 5], &[run(false, 0, 1), 9]);
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read(&bytes);
            let _ = read(&[&bytes[..at], &end].concat());
            let _ = count_bits(&end);
        }
    }
}
