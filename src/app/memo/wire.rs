//! The file format of memos: a magic number, a checksum of the rest, the program's generation, the body. Numbers are
//! little-endian; bytes of variable length have their length before them. Memos that are damaged or of another generation
//! are ignored.

use crate::tree::oid::Oid;
use crate::tree::path::{MAX_PATH, RepoPath};
use bstr::ByteSlice;

/// The maximal size in bytes. A larger memo costs more than it saves.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// A format and its version.
pub(crate) type Magic = [u8; 8];

/// Memos depend on how files are parsed. Raise the generation when a parser gives another result for the same bytes between
/// two releases; `tests::what_parsers_say_is_what_this_generation_says` fails then.
pub(crate) const GENERATION: &str = concat!(env!("CARGO_PKG_VERSION"), "-6");

/// The body with its header; `None` if it is too large to be of use.
pub fn seal(magic: &Magic, body: &[u8]) -> Option<Vec<u8>> {
    seal_as(GENERATION, magic, body)
}

/// The same, with the generation of another program.
pub(crate) fn seal_as(generation: &str, magic: &Magic, body: &[u8]) -> Option<Vec<u8>> {
    let mut versioned = Vec::with_capacity(body.len() + 32);
    put_bytes(&mut versioned, generation.as_bytes())?;
    versioned.extend_from_slice(body);
    let bytes = [magic.as_slice(), &checksum(&versioned).to_le_bytes(), &versioned].concat();
    (bytes.len() <= MAX_BYTES).then_some(bytes)
}

/// The body of a file of this format; `None` for damaged files and other generations.
pub(crate) fn open<'a>(magic: &Magic, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(magic).filter(|_| bytes.len() <= MAX_BYTES)?;
    let (sum, body) = rest.split_first_chunk::<8>()?;
    let mut cursor = Remaining::new(body);
    let known = checksum(body) == u64::from_le_bytes(*sum) && cursor.bytes()? == GENERATION.as_bytes();
    known.then_some(cursor.0)
}

pub(crate) fn put_count(body: &mut Vec<u8>, count: usize) -> Option<()> {
    body.extend_from_slice(&u32::try_from(count).ok()?.to_le_bytes());
    Some(())
}

/// Adds a number of eight bytes.
pub(crate) fn put_long(body: &mut Vec<u8>, number: u64) {
    body.extend_from_slice(&number.to_le_bytes());
}

/// Adds bytes with their length.
pub(crate) fn put_bytes(body: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    body.extend_from_slice(&u16::try_from(bytes.len()).ok()?.to_le_bytes());
    body.extend_from_slice(bytes);
    Some(())
}

pub(crate) fn put_path(body: &mut Vec<u8>, path: &RepoPath) -> Option<()> {
    put_bytes(body, path.as_bstr().as_bytes())
}

/// Adds a list with its count before it; `put` adds one item.
pub(super) fn put_list<T>(body: &mut Vec<u8>, list: &[T], put: impl Fn(&mut Vec<u8>, &T) -> Option<()>) -> Option<()> {
    put_count(body, list.len())?;
    list.iter().try_for_each(|item| put(body, item))
}

/// Adds an object id.
pub(crate) fn put_id(body: &mut Vec<u8>, id: &Oid) {
    body.push(id.as_bytes().len() as u8);
    body.extend_from_slice(id.as_bytes());
}

/// The bytes still to read. Every method returns `None` if the bytes are invalid.
pub(crate) struct Remaining<'a>(&'a [u8]);

impl<'a> Remaining<'a> {
    /// Starts at the beginning of a body.
    pub(crate) fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    /// Whether no bytes are left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `len` bytes.
    pub(crate) fn slice(&mut self, len: usize) -> Option<&'a [u8]> {
        self.take(len)
    }

    /// A number: eight bytes, little-endian.
    pub(crate) fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// One byte; `None` at the end.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// A number: four bytes, little-endian.
    pub(crate) fn number(&mut self) -> Option<usize> {
        let bytes: [u8; 4] = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    /// A count of items of at least one byte each. It is limited by the remaining bytes, so that a damaged count cannot
    /// make the program reserve too much memory.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.number().filter(|count| *count <= self.0.len())
    }

    /// Bytes with their length before them, at most 64 KiB.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len: [u8; 2] = self.take(2)?.try_into().ok()?;
        self.take(usize::from(u16::from_le_bytes(len)))
    }

    /// A path as git stores it, at most [`MAX_PATH`] bytes long.
    pub(crate) fn path(&mut self) -> Option<RepoPath> {
        self.bytes().filter(|path| path.len() <= MAX_PATH).map(RepoPath::from_git)
    }

    /// A text with its length before it.
    pub(crate) fn text(&mut self) -> Option<String> {
        Some(std::str::from_utf8(self.bytes()?).ok()?.to_owned())
    }

    /// A list with its count before it; `item` reads one item.
    pub(crate) fn list<T, L: FromIterator<T>>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<L> {
        (0..self.count()?).map(|_| item(self)).collect()
    }

    /// An object id with its length before it: 20 or 32 bytes.
    pub(crate) fn id(&mut self) -> Option<Oid> {
        let len = self.byte()?;
        Oid::from_bytes(self.take(usize::from(len))?)
    }

    /// The next `count` hashes of 32 bytes each, without copying.
    pub(crate) fn hashes(&mut self, count: usize) -> Option<&'a [[u8; 32]]> {
        let (hashes, rest) = self.take(count.checked_mul(32)?)?.as_chunks();
        rest.is_empty().then_some(hashes)
    }
}

/// A checksum against torn and damaged files, not against attackers; it takes eight bytes at a time.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)));
    sum ^ sum >> 31
}

/// Panics unless `is_refused` accepts every damaged form of the memo file `bytes`: cut, extended, or with one byte changed.
#[cfg(test)]
pub(crate) fn damaged(bytes: &[u8], is_refused: impl Fn(&[u8]) -> bool) {
    for len in 0..bytes.len() {
        assert!(is_refused(&bytes[..len]), "cut to {len}");
    }
    for (at, flip) in (0..bytes.len()).flat_map(|at| [1, 0x11, 0x80, 0xff].map(|flip| (at, flip))) {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= flip;
        assert!(is_refused(&bytes), "byte {at} ^ {flip}");
    }
    assert!(is_refused(&[bytes, b"x"].concat()), "one byte more");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scenario::texts;
    use crate::model::spec;
    use sha2::{Digest, Sha256};

    const MAGIC: Magic = *b"yatsu\0t1";

    #[test]
    fn what_another_version_wrote_is_nothing() {
        let sealed = seal(&MAGIC, b"body").unwrap();
        assert_eq!(open(&MAGIC, &sealed), Some(b"body".as_slice()));
        let mut versioned = sealed[16..].to_vec();
        versioned[2] ^= 1;
        let other = [MAGIC.as_slice(), &checksum(&versioned).to_le_bytes(), &versioned].concat();
        assert_eq!(open(&MAGIC, &other), None);
        assert_eq!(open(b"yatsu\0t2", &sealed), None);
    }

    /// If this fails, a parser's results changed: raise the generation in [`GENERATION`], then correct the number here.
    #[test]
    fn what_parsers_say_is_what_this_generation_says() {
        let file = "---\nscenarios:\n  - name: a\n    description: >-\n      one\n      two\n    expected: 'it''s \u{a0} so'\n    \
                    tags: [cli]\n  - {name: caf\u{e9}, description: \"x\\ty\", expected: ok, tags: [a]}\n  - description: no name\n  \
                    - name: 7\n    description: |\n      block\n    expected: [list]\n---\nwords\n";
        let told: Vec<_> = texts(file.as_bytes()).iter().map(|told| (told.name.clone(), told.text_hash())).collect();
        let list = "---\ncode:\n  - src/a.rs\n  - \"lib/*.rs\"\nrelated: [docs, ../up]\n---\n";
        let spec = spec::parse(&RepoPath::from_git("n/spec.md"), list.as_bytes());
        let named: Vec<_> = spec.code.iter().chain(&spec.related).map(|governed| &governed.path).collect();
        let said = Sha256::digest(format!("{told:?} {named:?}"));
        let said: String = said.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((told.len(), said.as_str()), (2, "3d16377cc91654ff"), "{told:?}");
    }
}
