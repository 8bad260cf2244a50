//! The index file, format: gitformat-index(5), versions 2, 3 and 4. Purpose: its bytes in, its entries and extensions out,
//! straight from the mapped file. What it does not support or what is damaged is a [`Defect`], on which the git program
//! is asked; never a panic and never half an answer. Does not verify the checksum (git does not either).

use super::map::Map;
use super::tree_ext::CacheTree;
use crate::error::Result;
use crate::repo::mode::Mode;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

const HEADER: usize = 12;
const NAME_MASK: u16 = 0x0fff;
const EXTENDED: u16 = 0x4000;
const ASSUME_VALID: u16 = 0x8000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

/// Why this reader cannot answer for an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A feature that only the git program knows.
    Unsupported(&'static str),
    /// Bytes that git could not have written.
    Damaged(&'static str),
}

impl Defect {
    /// The end of a sentence that begins with "the index".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsupported(what) | Self::Damaged(what) => what,
        }
    }
}

/// What the system said of a file when git last looked, format: the stat data of an index entry. The numbers are cut to
/// 32 bits, as git cuts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Change time, seconds and nanoseconds.
    pub ctime: (u32, u32),
    /// Modification time, seconds and nanoseconds.
    pub mtime: (u32, u32),
    /// Number of the device that holds it.
    pub dev: u32,
    /// Number of its inode.
    pub ino: u32,
    /// File type and permissions, as `stat` gives them.
    pub mode: u32,
    /// Number of its owner.
    pub uid: u32,
    /// Number of its group.
    pub gid: u32,
    /// Bytes on disk, modulo 4 GiB; 0 also where git wants the content compared.
    pub size: u32,
}

/// What an entry says beside its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// File, link or submodule: never a directory, which would be a sparse index.
    pub mode: Mode,
    /// The id of its blob, or of a submodule's commit.
    pub id: Oid,
    /// 0, or 1 to 3 for base, ours and theirs of a conflict.
    pub stage: u8,
    /// `git add --intent-to-add`: not staged content.
    pub intent_to_add: bool,
    /// Not checked out in a sparse checkout.
    pub skip_worktree: bool,
    /// `git update-index --assume-unchanged`.
    pub assume_valid: bool,
    /// What the system said of the file.
    pub stat: Stat,
}

/// An entry with its path, apart from the file it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The path from the top of the repository.
    pub path: RepoPath,
    /// What the index says of it.
    pub entry: IndexEntry,
}

/// An index file whose header was understood.
pub struct Index {
    map: Map,
    hash: HashKind,
    version: u32,
    count: u32,
    /// When the file was last written: seconds and nanoseconds. An entry whose `mtime` is not before it may be racily
    /// clean (git's Documentation/technical/racy-git).
    pub written: (i64, u32),
}

/// The extensions that follow the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Where the content of TREE lies in the file.
    pub tree: Option<Range<usize>>,
}

impl Index {
    /// The index at `path`; `None` when there is no such file, which git takes for an empty index.
    pub(crate) fn open(path: &Path, hash: HashKind) -> Result<Option<Result<Self, Defect>>> {
        use std::os::unix::fs::MetadataExt;
        let Some((map, about)) = Map::open(path)? else { return Ok(None) };
        let written = (about.mtime(), u32::try_from(about.mtime_nsec()).unwrap_or(0));
        Ok(Some(Self::new(map, hash).map(|index| Self { written, ..index })))
    }

    /// The index made of these bytes.
    pub fn new(map: Map, hash: HashKind) -> Result<Self, Defect> {
        // Every later position is reckoned from these two lengths: in a shorter file the trailer would begin before the
        // header.
        if map.get(..4) != Some(b"DIRC") || map.len() < HEADER + hash.len() {
            return Err(Defect::Damaged("has no header"));
        }
        let (version, count) = (be32(&map, 4), be32(&map, 8));
        if !(2..=4).contains(&version) {
            return Err(Defect::Unsupported("has an unknown version"));
        }
        Ok(Self { map, hash, version, count, written: (0, 0) })
    }

    /// How many entries the header promises.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether its paths are packed (version 4).
    pub(crate) fn is_packed(&self) -> bool {
        self.version == 4
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where the trailing checksum begins.
    pub fn trailer(&self) -> usize {
        self.map.len() - self.hash.len()
    }

    /// The hash of its ids.
    pub(crate) fn hash(&self) -> HashKind {
        self.hash
    }

    /// A cursor before the first entry.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor {
            // without the checksum: of its bytes a damaged count would make one more entry
            bytes: &self.map[..self.trailer()],
            hash: self.hash,
            version: self.version,
            left: self.count,
            next: HEADER,
            at: HEADER,
            flags: 0,
            extended: 0,
            name: HEADER..HEADER,
            long: Vec::new(),
            live: false,
        }
    }

    /// The extensions, given where the entries end (a finished cursor knows).
    pub fn extensions(&self, entries_end: usize) -> Result<Extensions, Defect> {
        let mut found = Extensions::default();
        let mut at = entries_end;
        while at < self.trailer() {
            let header = self.map.get(at..at + 8).ok_or(Defect::Damaged("ends inside an extension"))?;
            let end = at + 8 + be32(header, 4) as usize;
            match &header[..4] {
                b"TREE" => found.tree = Some(at + 8..end),
                b"link" => return Err(Defect::Unsupported("is split")),
                b"sdir" => return Err(Defect::Unsupported("is sparse")),
                // git's promise: what begins with a capital may be ignored, anything else changes what the entries mean
                [first, ..] if !first.is_ascii_uppercase() => {
                    return Err(Defect::Unsupported("has an unknown mandatory extension"));
                }
                _ => {}
            }
            at = end;
        }
        // else the entries end elsewhere than was thought, and what was read as TREE is something else
        if at != self.trailer() {
            return Err(Defect::Damaged("has an extension that runs past its end"));
        }
        Ok(found)
    }

    /// The entry that begins at `at`, a position that a cursor told.
    pub(crate) fn entry_at(&self, at: usize) -> Result<IndexEntry, Defect> {
        decode(&self.map, at, self.hash)
    }

    /// The records of TREE, when they are well formed.
    pub fn cache_tree(&self, extensions: &Extensions) -> Option<CacheTree<'_>> {
        CacheTree::parse(self.map.get(extensions.tree.clone()?)?, self.hash)
    }
}

/// Walks the entries in order. [`Cursor::advance`] first, then ask for the current one.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    hash: HashKind,
    version: u32,
    left: u32,
    next: usize,
    at: usize,
    flags: u16,
    extended: u16,
    /// Where the current path lies: in the file, or in `long` for version 4.
    name: Range<usize>,
    long: Vec<u8>,
    live: bool,
}

impl<'a> Cursor<'a> {
    /// Goes to the next entry; false when there is none.
    pub fn advance(&mut self) -> Result<bool, Defect> {
        if self.left == 0 {
            self.live = false;
            return Ok(false);
        }
        let fixed = 40 + self.hash.len();
        let (last_at, last_name, last_stage) = (self.at, self.name.clone(), self.stage());
        self.at = self.next;
        self.flags = self.be16(self.at + fixed)?;
        self.extended = 0;
        let mut name_at = self.at + fixed + 2;
        if self.flags & EXTENDED != 0 {
            self.extended = self.read_extended(name_at)?;
            name_at += 2;
        }
        let order = if self.version == 4 {
            self.read_packed_name(name_at)?
        } else {
            self.read_plain_name(name_at)?;
            self.bytes[last_name].cmp(&self.bytes[self.name.clone()])
        };
        // Whoever walks a tree beside the entries relies on their order, and a binary search does: an entry out of order would
        // be passed over by both, that is, not judged.
        let first = last_at == self.at;
        let sorted = order.is_lt() || (order.is_eq() && last_stage != 0 && last_stage < self.stage());
        if !first && !sorted {
            return Err(Defect::Damaged("is not sorted"));
        }
        self.left -= 1;
        self.live = true;
        Ok(true)
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
        // a flag that is not known here may say that the entry is no content, as intent-to-add did when it was new
        if extended & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
            return Err(Defect::Unsupported("has unknown entry flags"));
        }
        Ok(extended)
    }

    fn read_plain_name(&mut self, at: usize) -> Result<(), Defect> {
        let rest = self.bytes.get(at..).ok_or(CUT)?;
        let len = rest.find_byte(0).ok_or(CUT)?;
        check_name_len(self.flags, len)?;
        // entries are padded with one to eight NULs to a multiple of eight bytes
        self.next = self.at + ((at - self.at + len + 8) & !7);
        if self.next > self.bytes.len() {
            return Err(CUT);
        }
        self.name = at..at + len;
        Ok(())
    }

    /// Version 4: how many bytes to drop from the last path, then what to append, up to a NUL. Returns how the last path
    /// compares with this one.
    fn read_packed_name(&mut self, at: usize) -> Result<Ordering, Defect> {
        let (drop, at) = self.varint(at)?;
        let keep = self.long.len().checked_sub(drop).ok_or(Defect::Damaged("has a path that shares too much"))?;
        let rest = self.bytes.get(at..).ok_or(CUT)?;
        let suffix = &rest[..rest.find_byte(0).ok_or(CUT)?];
        // before the path changes: what both share is equal, so that the rest decides
        let order = self.long[keep..].cmp(suffix);
        check_name_len(self.flags, keep + suffix.len())?;
        self.long.truncate(keep);
        self.long.extend_from_slice(suffix);
        self.name = 0..self.long.len();
        self.next = at + suffix.len() + 1;
        Ok(order)
    }

    /// git's offset encoding of a number (the one of OFS_DELTA).
    fn varint(&self, mut at: usize) -> Result<(usize, usize), Defect> {
        let mut value = 0usize;
        loop {
            let byte = *self.bytes.get(at).ok_or(CUT)?;
            at += 1;
            value = value << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok((value, at));
            }
            // each further byte adds one, so that a number has one spelling
            value += 1;
            // long before it overflows, and longer than any path may be
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

    /// Where the current path lies in the file; `None` when it is packed.
    pub(crate) fn name_position(&self) -> Option<usize> {
        (self.version != 4).then_some(self.name.start)
    }

    /// Whether there is a current entry.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// The stage of the current entry.
    pub(crate) fn stage(&self) -> u8 {
        (self.flags >> 12 & 3) as u8
    }

    /// Whether the current entry is only an intent to add.
    pub(crate) fn intent_to_add(&self) -> bool {
        self.extended & INTENT_TO_ADD != 0
    }

    /// The mode and id of the current entry.
    pub(crate) fn content(&self) -> Result<(Mode, Oid), Defect> {
        content(self.bytes, self.at, self.hash)
    }

    /// Where the current entry begins.
    pub(crate) fn entry_position(&self) -> usize {
        self.at
    }

    /// Where the next entry begins; after the last one, where the extensions begin.
    pub fn position(&self) -> usize {
        self.next
    }
}

const CUT: Defect = Defect::Damaged("is cut short");

/// The flags hold the length of a path, or the largest number they can hold.
fn check_name_len(flags: u16, len: usize) -> Result<(), Defect> {
    // A path without a length that was written down could run on into the next entry, wherever a NUL happens to come.
    if len == 0 || usize::from(flags & NAME_MASK) != len.min(usize::from(NAME_MASK)) {
        return Err(Defect::Damaged("has a path of the wrong length"));
    }
    Ok(())
}

fn content(bytes: &[u8], at: usize, hash: HashKind) -> Result<(Mode, Oid), Defect> {
    let mode = match Mode::exact(be32(bytes, at + 24)) {
        Some(Mode::DIR) => return Err(Defect::Unsupported("is sparse")),
        Some(mode) => mode,
        None => return Err(Defect::Unsupported("has an entry of unknown mode")),
    };
    let id = bytes.get(at + 40..at + 40 + hash.len()).and_then(Oid::from_bytes).ok_or(CUT)?;
    Ok((mode, id))
}

fn decode(bytes: &[u8], at: usize, hash: HashKind) -> Result<IndexEntry, Defect> {
    let (mode, id) = content(bytes, at, hash)?;
    let flags_at = at + 40 + hash.len();
    let flags = (be32(bytes, flags_at) >> 16) as u16;
    // The second half is flags only where the first says so; else it is the beginning of the path, whose bytes would
    // hide the entry or make it no content.
    let extended = if flags & EXTENDED == 0 { 0 } else { be32(bytes, flags_at) as u16 };
    Ok(IndexEntry {
        mode,
        id,
        stage: (flags >> 12 & 3) as u8,
        intent_to_add: extended & INTENT_TO_ADD != 0,
        skip_worktree: extended & SKIP_WORKTREE != 0,
        assume_valid: flags & ASSUME_VALID != 0,
        stat: stat(bytes, at),
    })
}

fn stat(bytes: &[u8], at: usize) -> Stat {
    let field = |index: usize| be32(bytes, at + 4 * index);
    Stat {
        ctime: (field(0), field(1)),
        mtime: (field(2), field(3)),
        dev: field(4),
        ino: field(5),
        mode: field(6),
        uid: field(7),
        gid: field(8),
        size: field(9),
    }
}

/// An index file of version 2 with these entries, sorted by path and stage: what the git program lists, in the one form
/// that is read here. Stat data is zero, which matches no file.
pub(crate) fn encode<'p>(entries: impl IntoIterator<Item = (&'p [u8], Mode, Oid, u8)>, hash: HashKind) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
    let mut count = 0u32;
    for (path, mode, id, stage) in entries {
        let at = bytes.len();
        bytes.extend_from_slice(&[0; 24]);
        bytes.extend_from_slice(&mode.bits().to_be_bytes());
        bytes.extend_from_slice(&[0; 12]);
        bytes.extend_from_slice(id.as_bytes());
        let flags = u16::from(stage & 3) << 12 | path.len().min(usize::from(NAME_MASK)) as u16;
        bytes.extend_from_slice(&flags.to_be_bytes());
        bytes.extend_from_slice(path);
        let end = at + ((bytes.len() - at + 8) & !7);
        bytes.resize(end, 0);
        count += 1;
    }
    bytes[8..12].copy_from_slice(&count.to_be_bytes());
    // a checksum of zeros is one that was not written, for git as well (index.skipHash)
    bytes.resize(bytes.len() + hash.len(), 0);
    bytes
}

/// The big-endian number at `at`, which the caller has checked to lie inside.
fn be32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
