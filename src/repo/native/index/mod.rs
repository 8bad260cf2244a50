//! The index file, format: gitformat-index(5), versions 2, 3 and 4. Its bytes in, its entries and extensions out, straight
//! from the mapped file. An unsupported or damaged file is a [`Defect`], and the caller then asks the git program; never a
//! panic and never half an answer. Like git, it does not verify the checksum.

mod cursor;

pub use cursor::Cursor;
pub(crate) use cursor::Passed;

use super::map::Map;
use crate::error::Result;
use crate::repo::mode::Mode;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::ops::Range;
use std::path::Path;

const HEADER: usize = 12;
const NAME_MASK: u16 = 0x0fff;
const EXTENDED: u16 = 0x4000;
const ASSUME_VALID: u16 = 0x8000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

/// Why this reader cannot read an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A feature that only the git program supports.
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

/// The stat data of a file when git last looked, format: the stat data of an index entry. Times are in seconds and
/// nanoseconds. The numbers are cut to 32 bits, as git cuts them; `size` is 0 also if git wants the content compared.
#[allow(missing_docs)] // the names of stat(2)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    pub ctime: (u32, u32),
    pub mtime: (u32, u32),
    pub dev: u32,
    pub ino: u32,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u32,
}

/// The fields of an entry, without its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// File, link or submodule: never a directory, which would be a sparse index.
    pub mode: Mode,
    /// The id of its blob, or of a submodule's commit.
    pub id: Oid,
    /// 0, or 1 to 3 for the base and the two sides of a conflict.
    pub stage: u8,
    /// `git add --intent-to-add`: not staged content.
    pub intent_to_add: bool,
    /// Not checked out in a sparse checkout.
    pub skip_worktree: bool,
    /// `git update-index --assume-unchanged`.
    pub assume_valid: bool,
    /// The stat data of the file.
    pub stat: Stat,
}

/// An entry with its path, as a copy independent of the index file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The path from the top of the repository.
    pub path: RepoPath,
    /// The other fields of the entry.
    pub entry: IndexEntry,
}

impl Tracked {
    /// Whether it is a submodule, which git does not enter.
    pub(crate) fn is_submodule(&self) -> bool {
        self.entry.mode == Mode::SUBMODULE
    }
}

/// An index file with a valid header.
pub struct Index {
    map: Map,
    hash: HashKind,
    version: u32,
    count: u32,
}

impl Index {
    /// The index at `path`; `None` if the file does not exist, which git treats as an empty index.
    pub(crate) fn open(path: &Path, hash: HashKind) -> Result<Option<Result<Self, Defect>>> {
        Ok(Map::open(path)?.map(|map| Self::new(map, hash)))
    }

    /// The index with these bytes.
    pub fn new(map: Map, hash: HashKind) -> Result<Self, Defect> {
        // Every later position is computed from these two lengths: in a shorter file the trailer would overlap the header.
        if map.get(..4) != Some(b"DIRC") || map.len() < HEADER + hash.len() {
            return Err(Defect::Damaged("has no header"));
        }
        let (version, count) = (be32(&map, 4), be32(&map, 8));
        if !(2..=4).contains(&version) {
            return Err(Defect::Unsupported("has an unknown version"));
        }
        Ok(Self { map, hash, version, count })
    }

    /// The number of entries in the header.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether its paths are prefix-compressed (version 4).
    pub(crate) fn is_packed(&self) -> bool {
        self.version == 4
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The position of the trailing checksum.
    pub fn trailer(&self) -> usize {
        self.map.len() - self.hash.len()
    }

    pub(crate) fn hash(&self) -> HashKind {
        self.hash
    }

    /// A cursor before the first entry.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self)
    }

    /// Calls `see` for every entry in order, and returns the position of TREE after the entries.
    pub(crate) fn each_entry(
        &self,
        see: impl FnMut(&Passed<'_>) -> Result<(), Defect>,
    ) -> Result<Option<Range<usize>>, Defect> {
        let end = self.cursor().pass(see)?;
        self.tree_extension(end)
    }

    /// The path of the entry at `at`, a position from a cursor. Only for an index that is not packed.
    #[inline]
    pub(crate) fn name_at(&self, at: usize) -> &[u8] {
        let flags_at = at + 40 + self.hash.len();
        let flags = (be32(&self.map, flags_at) >> 16) as u16;
        let start = flags_at + if flags & EXTENDED == 0 { 2 } else { 4 };
        match usize::from(flags & NAME_MASK) {
            len if len < usize::from(NAME_MASK) => &self.map[start..start + len],
            _ => {
                let rest = &self.map[start..];
                &rest[..rest.find_byte(0).unwrap_or_default()]
            }
        }
    }

    /// The position of the content of TREE among the extensions, if it is there. `entries_end` is the position after the last
    /// entry, which a finished cursor has.
    pub fn tree_extension(&self, entries_end: usize) -> Result<Option<Range<usize>>, Defect> {
        let mut found = None;
        let mut at = entries_end;
        while at < self.trailer() {
            let header = self.map.get(at..at + 8).ok_or(Defect::Damaged("ends inside an extension"))?;
            let end = at + 8 + be32(header, 4) as usize;
            match &header[..4] {
                b"TREE" => found = Some(at + 8..end),
                b"link" => return Err(Defect::Unsupported("is split")),
                b"sdir" => return Err(Defect::Unsupported("is sparse")),
                // git's rule: an extension with a capital letter is optional, any other one changes the entries' meaning
                [first, ..] if !first.is_ascii_uppercase() => {
                    return Err(Defect::Unsupported("has an unknown mandatory extension"));
                }
                _ => {}
            }
            at = end;
        }
        // otherwise the entries end elsewhere, and the bytes that were read as TREE are something else
        if at != self.trailer() {
            return Err(Defect::Damaged("has an extension that runs past its end"));
        }
        Ok(found)
    }

    /// The entry at `at`, a position from a cursor.
    pub(crate) fn entry_at(&self, at: usize) -> Result<IndexEntry, Defect> {
        decode(&self.map, at, self.hash)
    }
}

const CUT: Defect = Defect::Damaged("is cut short");
const WRONG_LENGTH: Defect = Defect::Damaged("has a path of the wrong length");

#[inline]
fn known_mode(raw: u32) -> Result<Mode, Defect> {
    match raw {
        // almost every entry is a plain file
        raw if raw == Mode::FILE.bits() => Ok(Mode::FILE),
        raw => other_mode(raw),
    }
}

fn other_mode(raw: u32) -> Result<Mode, Defect> {
    match Mode::exact(raw) {
        Some(Mode::DIR) => Err(Defect::Unsupported("is sparse")),
        Some(mode) => Ok(mode),
        None => Err(Defect::Unsupported("has an entry of unknown mode")),
    }
}

fn content(bytes: &[u8], at: usize, hash: HashKind) -> Result<(Mode, Oid), Defect> {
    let mode = known_mode(be32(bytes, at + 24))?;
    let id = bytes.get(at + 40..at + 40 + hash.len()).and_then(Oid::from_bytes).ok_or(CUT)?;
    Ok((mode, id))
}

fn decode(bytes: &[u8], at: usize, hash: HashKind) -> Result<IndexEntry, Defect> {
    let (mode, id) = content(bytes, at, hash)?;
    let flags_at = at + 40 + hash.len();
    let flags = (be32(bytes, flags_at) >> 16) as u16;
    // The second half exists only if the first has the EXTENDED flag. Otherwise these bytes are the beginning of the path,
    // and could by chance hide the entry.
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

/// An index file of version 2 with these entries, sorted by path and stage. It turns the git program's listing into the one
/// form that is read here. Stat data is zero, which matches no file.
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
    // like git with index.skipHash, a checksum of zeros means that none was written
    bytes.resize(bytes.len() + hash.len(), 0);
    bytes
}

/// The big-endian number at `at`; the caller has checked the bounds.
#[inline]
pub(super) fn be32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_be_bytes)
}

#[cfg(test)]
mod tests;
