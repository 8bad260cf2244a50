//! The entries of an index, one after the other. Steps from entry to entry at the least cost that still checks the bounds,
//! the length of each path and the order of all.

use super::{CUT, Defect, EXTENDED, HEADER, INTENT_TO_ADD, Index, NAME_MASK, SKIP_WORKTREE, WRONG_LENGTH};
use super::{be32, content, known_mode};
use crate::repo::mode::Mode;
use crate::repo::native::map::Map;
use crate::tree::oid::{HashKind, Oid};
use bstr::ByteSlice;
use std::cmp::Ordering;
use std::ops::Range;

/// The bits of the flags that hold an entry's stage.
const STAGE: u16 = 0x3000;
/// How many bytes of the file a pass keeps in memory at once.
const PIECE: usize = 4 << 20;

/// One entry during a pass.
pub(crate) struct Passed<'e> {
    /// Its position in the file.
    pub at: usize,
    pub path: &'e [u8],
    /// A lower bound for the number of bytes that its path shares with the path before.
    pub shared: usize,
    /// Whether its path may be in another directory than the path before, or deeper: whether a `/` may follow the shared
    /// bytes.
    pub branches: bool,
    mode: u32,
}

impl Passed<'_> {
    /// Checks that its mode is supported.
    pub(crate) fn check_mode(&self) -> Result<(), Defect> {
        known_mode(self.mode).map(drop)
    }
}

/// Walks the entries in order: call [`Cursor::advance`] first, then read the current entry. Keeps at most one piece of the
/// file in memory.
pub struct Cursor<'a> {
    map: &'a Map,
    /// The file up to this position was passed and released from memory.
    let_go: usize,
    bytes: &'a [u8],
    hash: HashKind,
    version: u32,
    left: u32,
    next: usize,
    at: usize,
    flags: u16,
    extended: u16,
    /// The position of the current path: in the file, or in `long` for version 4.
    name: Range<usize>,
    long: Vec<u8>,
    /// A lower bound for the number of bytes that it shares with the path before.
    shared: usize,
    live: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        Self {
            map: &index.map,
            let_go: 0,
            // without the checksum: otherwise a damaged count could read it as one more entry
            bytes: &index.map[..index.trailer()],
            hash: index.hash,
            version: index.version,
            left: index.count,
            next: HEADER,
            at: HEADER,
            flags: 0,
            extended: 0,
            name: HEADER..HEADER,
            long: Vec::new(),
            shared: 0,
            live: false,
        }
    }

    /// Goes to the next entry; false if there is none.
    #[inline]
    pub fn advance(&mut self) -> Result<bool, Defect> {
        if self.left == 0 {
            self.live = false;
            return Ok(false);
        }
        if self.step().is_none() {
            self.step_over_any()?;
        }
        self.left -= 1;
        self.live = true;
        if self.at - self.let_go > PIECE {
            self.map.let_go(self.let_go..self.at);
            self.let_go = self.at;
        }
        Ok(true)
    }

    /// Goes to the next entry if it is a [`PlainEntry`]; otherwise does nothing and returns `None`.
    fn step(&mut self) -> Option<()> {
        if self.version == 4 || self.flags & STAGE != 0 {
            return None;
        }
        let entry = PlainEntry::at(self.bytes, self.next, &self.bytes[self.name.clone()], self.hash)?;
        let name = self.next + 42 + self.hash.len();
        (self.at, self.next, self.name) = (self.next, entry.next, name..name + entry.path.len());
        // readers of the cursor use only the stage and the extended flags, which are 0 here
        (self.flags, self.extended) = (0, 0);
        self.shared = entry.shared;
        Some(())
    }

    /// Calls `see` for every entry that follows, in order, and returns the position after the last one.
    pub(super) fn pass(mut self, mut see: impl FnMut(&Passed<'_>) -> Result<(), Defect>) -> Result<usize, Defect> {
        loop {
            match self.hash {
                HashKind::Sha1 => self.pass_plain_ones::<62>(&mut see)?,
                HashKind::Sha256 => self.pass_plain_ones::<74>(&mut see)?,
            }
            if !self.advance()? {
                return Ok(self.next);
            }
            let (at, path, shared) = (self.at, self.path(), self.shared);
            // by dynamic dispatch: with a second direct caller, `see` would no longer be inlined into the loop over plain
            // entries
            let see: &mut dyn FnMut(&Passed<'_>) -> Result<(), Defect> = &mut see;
            see(&Passed { at, path, shared, branches: true, mode: be32(self.bytes, at + 24) })?;
        }
    }

    /// Calls `see` for the plain entries that follow. The changing state is in local variables instead of the cursor, so
    /// that it stays in registers. `HEAD` is the number of bytes before a path.
    fn pass_plain_ones<const HEAD: usize>(
        &mut self,
        see: &mut impl FnMut(&Passed<'_>) -> Result<(), Defect>,
    ) -> Result<(), Defect> {
        if self.version == 4 || self.flags & STAGE != 0 {
            return Ok(());
        }
        let bytes = self.bytes;
        let (mut at, mut next, mut left) = (self.at, self.next, self.left);
        let mut last = &bytes[self.name.clone()];
        while left > 0
            && let Some(PlainEntry { path, next: after, shared, branches }) =
                PlainEntry::with_head::<HEAD>(bytes, next, last)
        {
            see(&Passed { at: next, path, shared, branches, mode: be32(bytes, next + 24) })?;
            (at, next, last, left) = (next, after, path, left - 1);
            if at - self.let_go > PIECE {
                self.map.let_go(self.let_go..at);
                self.let_go = at;
            }
        }
        if left < self.left {
            let name = at + HEAD;
            (self.at, self.next, self.left, self.name) = (at, next, left, name..name + last.len());
            (self.flags, self.extended, self.live) = (0, 0, true);
        }
        Ok(())
    }

    fn step_over_any(&mut self) -> Result<(), Defect> {
        let fixed = 40 + self.hash.len();
        let (last_name, last_stage) = (self.name.clone(), self.stage());
        self.at = self.next;
        self.flags = self.be16(self.at + fixed)?;
        self.extended = 0;
        let mut name_at = self.at + fixed + 2;
        if self.flags & EXTENDED != 0 {
            self.extended = self.read_extended(name_at)?;
            name_at += 2;
        }
        let order =
            if self.version == 4 { self.read_packed_name(name_at)? } else { self.read_plain_name(name_at, last_name)? };
        // A parallel walk of a tree and a binary search both rely on the order. They would skip an unsorted entry, and it
        // would not be judged. (Before the first entry the path is empty, which no entry has.)
        let sorted = order.is_lt() || (order.is_eq() && last_stage != 0 && last_stage < self.stage());
        if !sorted {
            return Err(Defect::Damaged("is not sorted"));
        }
        Ok(())
    }

    fn be16(&self, at: usize) -> Result<u16, Defect> {
        match self.bytes.get(at..at + 2) {
            Some(bytes) => Ok(u16::from_be_bytes([bytes[0], bytes[1]])),
            None => Err(CUT),
        }
    }

    fn read_extended(&self, at: usize) -> Result<u16, Defect> {
        if self.version < 3 {
            return Err(Defect::Damaged("has extended flags in version 2"));
        }
        let extended = self.be16(at)?;
        // an unknown flag may mean that the entry has no content, as intent-to-add did when it was new
        if extended & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
            return Err(Defect::Unsupported("has unknown entry flags"));
        }
        Ok(extended)
    }

    /// Versions 2 and 3: reads the path up to a NUL; the flags have its length. Returns the order of the last path, at
    /// `last`, and this one.
    fn read_plain_name(&mut self, at: usize, last: Range<usize>) -> Result<Ordering, Defect> {
        let rest = self.bytes.get(at..).ok_or(CUT)?;
        let len = match usize::from(self.flags & NAME_MASK) {
            len if len < usize::from(NAME_MASK) => len,
            _ => rest.find_byte(0).ok_or(CUT)?,
        };
        if rest.get(len) != Some(&0) {
            return Err(if rest.len() > len { WRONG_LENGTH } else { CUT });
        }
        let (last, path) = (&self.bytes[last], &rest[..len]);
        self.shared = common_prefix(last, path);
        // the shared bytes contain no NUL, because the last path has none
        if path[self.shared..].contains(&0) {
            return Err(WRONG_LENGTH);
        }
        check_name_len(self.flags, len)?;
        let order = last.get(self.shared).cmp(&path.get(self.shared));
        // entries are padded with one to eight NULs to a multiple of eight bytes
        self.next = self.at + ((at - self.at + len + 8) & !7);
        if self.next > self.bytes.len() {
            return Err(CUT);
        }
        self.name = at..at + len;
        Ok(order)
    }

    /// Version 4: the number of bytes to drop from the last path, then the bytes to append, up to a NUL. Returns the order
    /// of the last path and this one.
    fn read_packed_name(&mut self, at: usize) -> Result<Ordering, Defect> {
        let (drop, at) = self.varint(at)?;
        let keep = self.long.len().checked_sub(drop).ok_or(Defect::Damaged("has a path that shares too much"))?;
        let rest = self.bytes.get(at..).ok_or(CUT)?;
        let suffix = &rest[..rest.find_byte(0).ok_or(CUT)?];
        // before the path changes; the shared bytes are equal, so the rest decides
        let order = self.long[keep..].cmp(suffix);
        self.shared = keep;
        check_name_len(self.flags, keep + suffix.len())?;
        self.long.truncate(keep);
        self.long.extend_from_slice(suffix);
        self.name = 0..self.long.len();
        self.next = at + suffix.len() + 1;
        Ok(order)
    }

    /// git's offset encoding of a number, as in OFS_DELTA.
    fn varint(&self, mut at: usize) -> Result<(usize, usize), Defect> {
        let mut value = 0usize;
        loop {
            let byte = *self.bytes.get(at).ok_or(CUT)?;
            at += 1;
            value = value << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok((value, at));
            }
            // each further byte adds one, so that a number has only one encoding
            value += 1;
            // long before an overflow, and longer than any valid path
            if value > 1 << 24 {
                return Err(Defect::Damaged("has a path that shares too much"));
            }
        }
    }

    /// The path of the current entry; empty before the first and after the last.
    pub(crate) fn path(&self) -> &[u8] {
        match (self.live, self.version) {
            (false, _) => b"",
            (true, 4) => &self.long,
            (true, _) => &self.bytes[self.name.clone()],
        }
    }

    /// Whether there is a current entry.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    pub(crate) fn stage(&self) -> u8 {
        (self.flags >> 12 & 3) as u8
    }

    pub(crate) fn intent_to_add(&self) -> bool {
        self.extended & INTENT_TO_ADD != 0
    }

    pub(crate) fn content(&self) -> Result<(Mode, Oid), Defect> {
        content(self.bytes, self.at, self.hash)
    }

    /// The position of the next entry; after the last one, of the extensions.
    pub fn position(&self) -> usize {
        self.next
    }
}

/// Checks the path length in the flags: the length itself, or the largest number that fits.
fn check_name_len(flags: u16, len: usize) -> Result<(), Defect> {
    // Without the check, a path could run on into the next entry up to the next NUL.
    if len == 0 || usize::from(flags & NAME_MASK) != len.min(usize::from(NAME_MASK)) {
        return Err(WRONG_LENGTH);
    }
    Ok(())
}

/// An entry of the usual form: version 2 or 3, no extended flags, no conflict, and a path with its length in the flags.
struct PlainEntry<'a> {
    path: &'a [u8],
    next: usize,
    /// How many bytes its path shares with the path before.
    shared: usize,
    /// Whether a `/` follows the shared bytes.
    branches: bool,
}

impl<'a> PlainEntry<'a> {
    /// The entry at `at`, after a plain one with the path `last`; `None` if it is not plain or is damaged.
    /// [`Cursor::step_over_any`] then reports the damage.
    #[inline]
    fn at(bytes: &'a [u8], at: usize, last: &[u8], hash: HashKind) -> Option<Self> {
        match hash {
            HashKind::Sha1 => Self::with_head::<62>(bytes, at, last),
            HashKind::Sha256 => Self::with_head::<74>(bytes, at, last),
        }
    }

    /// Like [`Self::at`], with `HEAD` bytes before a path.
    #[inline(always)]
    fn with_head<const HEAD: usize>(bytes: &'a [u8], at: usize, last: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.get(at..)?.split_first_chunk::<HEAD>()?;
        let flags = u16::from_be_bytes([head[HEAD - 2], head[HEAD - 1]]);
        let len = usize::from(flags & NAME_MASK);
        if flags & (STAGE | EXTENDED) != 0 || len == 0 || len == usize::from(NAME_MASK) || rest.get(len) != Some(&0) {
            return None;
        }
        let path = &rest[..len];
        let shared = common_prefix(last, path);
        let behind = Rest::of(path, shared);
        // The shared bytes contain no NUL, because the last path has none.
        let sorted = last.get(shared) < path.get(shared);
        // entries are padded with one to eight NULs to a multiple of eight bytes
        let next = at + ((HEAD + len + 8) & !7);
        let is_whole = sorted && next <= bytes.len() && !behind.has(0);
        is_whole.then(|| Self { path, next, shared, branches: behind.has(b'/') })
    }
}

/// How many leading bytes two paths share; compares eight at a time.
#[inline]
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let len = one.len().min(other.len());
    let (one, other) = (&one[..len], &other[..len]);
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let mut at = 0;
    for (one, other) in words {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // the last eight bytes; the first of them are known to be equal
    if let (Some(one), Some(other)) = (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        return if differing == 0 { len } else { len - 8 + differing.trailing_zeros() as usize / 8 };
    }
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The end of a path. Usually it fits into the last eight bytes, which are one load.
enum Rest<'p> {
    /// The end of the path in the high bytes of a number; the other bytes are all ones.
    Short(u64),
    Long(&'p [u8]),
}

impl<'p> Rest<'p> {
    /// The bytes of `path` after the first `from`.
    #[inline]
    fn of(path: &'p [u8], from: usize) -> Self {
        let len = path.len() - from;
        match path.last_chunk::<8>().filter(|_| (1..=8).contains(&len)) {
            Some(word) => Self::Short(u64::from_le_bytes(*word) | !(u64::MAX << (64 - 8 * len))),
            None => Self::Long(&path[from..]),
        }
    }

    /// Whether the end contains `byte`, which must not be 0xff.
    #[inline]
    fn has(&self, byte: u8) -> bool {
        const ONES: u64 = u64::MAX / 255;
        match self {
            // a zero byte borrows from its own highest bit
            Self::Short(word) => {
                let word = word ^ (ONES * u64::from(byte));
                word.wrapping_sub(ONES) & !word & (ONES << 7) != 0
            }
            Self::Long(rest) => rest.contains(&byte),
        }
    }
}
