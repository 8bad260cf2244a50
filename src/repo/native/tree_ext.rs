//! The TREE extension of the index ("cache tree"), format: gitformat-index(5). Purpose: its bytes in, the directory tree of
//! valid and invalid records out; and finding it from the end of the file, so that the entries need not be read. Says
//! nothing unless every record that it speaks of is well formed.

use super::index::be32;
use super::split::Link;
use crate::tree::oid::{HashKind, Oid};
use bstr::ByteSlice;
use std::ops::Range;

/// What stands before the entries.
const HEADER: usize = 12;
/// The name of the untracked cache, whose content are names and ids that anybody chooses.
const FREE: &[u8] = b"UNTR";
/// How many places that look like the extension's start are tried.
const MAX_TRIES: usize = 64;
/// Files up to so many bytes are searched whole.
const SMALL: usize = 1 << 20;

/// One directory's record.
#[derive(Debug)]
pub struct CachedTree {
    name: Range<usize>,
    /// The entries below it and the id of the tree they make; `None` when something changed since it was written.
    pub valid: Option<(u32, Oid)>,
    /// Where the records after this directory and all below it begin.
    end: usize,
}

/// All records, parents before children; the first is the top directory's.
#[derive(Debug)]
pub struct CacheTree<'a> {
    bytes: &'a [u8],
    nodes: Vec<CachedTree>,
}

/// The same apart from the bytes that they were read from.
pub(crate) struct Records(Vec<CachedTree>);

impl Records {
    /// As [`CacheTree::parse`].
    pub(crate) fn parse(bytes: &[u8], hash: HashKind) -> Option<Self> {
        Some(Self(CacheTree::parse(bytes, hash)?.nodes))
    }

    /// The record of the directory `dir` (the empty path is the top), in the `bytes` that these were read from.
    pub(crate) fn find(&self, bytes: &[u8], dir: &[u8]) -> Option<&CachedTree> {
        let mut found = 0;
        for name in dir.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let mut below = children(&self.0, found);
            found = below.find(|child| bytes.get(self.0[*child].name.clone()) == Some(name))?;
        }
        self.0.get(found)
    }
}

/// The records of the directories directly below the one at `index`.
fn children(nodes: &[CachedTree], index: usize) -> impl Iterator<Item = usize> {
    let end = nodes[index].end;
    std::iter::successors(Some(index + 1), |at| Some(nodes.get(*at)?.end)).take_while(move |at| *at < end)
}

impl<'a> CacheTree<'a> {
    /// The records in `bytes`, the content of the extension; `None` unless they fill it exactly and agree with each
    /// other.
    pub fn parse(bytes: &'a [u8], hash: HashKind) -> Option<Self> {
        // a record has an id, and is rarely much longer
        let mut nodes: Vec<CachedTree> = Vec::with_capacity(bytes.len() / 32);
        // the directories that are still open, with how many children each still lacks
        let mut open: Vec<(usize, u32)> = Vec::new();
        let mut rest = 0;
        loop {
            let (node, children, after) = parse_record(bytes, rest, hash)?;
            rest = after;
            // Only the top has no name, and a name is one component: else a record could speak of another directory than
            // the one it is looked up for.
            if node.name.is_empty() != nodes.is_empty() || bytes[node.name.clone()].contains(&b'/') {
                return None;
            }
            open.push((nodes.len(), children));
            nodes.push(node);
            while let Some((index, 0)) = open.last().copied() {
                open.pop();
                close(&mut nodes, index)?;
            }
            match open.last_mut() {
                Some((_, lacking)) => *lacking -= 1,
                // bytes behind the last record mean that the numbers of children are wrong somewhere
                None => return (rest == bytes.len()).then_some(Self { bytes, nodes }),
            }
        }
    }

    /// The top directory's record.
    pub fn root(&self) -> usize {
        0
    }

    /// The record at `index`.
    pub fn node(&self, index: usize) -> &CachedTree {
        &self.nodes[index]
    }

    /// The records of the directories directly below, sorted by name.
    pub fn children(&self, index: usize) -> Vec<(&'a [u8], usize)> {
        let below = children(&self.nodes, index);
        let mut found: Vec<_> = below.map(|at| (&self.bytes[self.nodes[at].name.clone()], at)).collect();
        found.sort_unstable();
        found
    }
}

/// Fixes where a directory's records end and checks that its children do not hold more entries than it does.
fn close(nodes: &mut [CachedTree], index: usize) -> Option<()> {
    let end = nodes.len();
    // without its end, the children of the next directory would be taken for this one's
    nodes[index].end = end;
    let Some((own, _)) = nodes[index].valid else { return Some(()) };
    let mut below = 0u64;
    let mut at = index + 1;
    while at < end {
        // a valid directory cannot hold an invalid one
        below += u64::from(nodes[at].valid?.0);
        at = nodes[at].end;
    }
    (below <= u64::from(own)).then_some(())
}

/// The record at `at`, how many children follow it, and where it ends.
fn parse_record(bytes: &[u8], at: usize, hash: HashKind) -> Option<(CachedTree, u32, usize)> {
    let name = at..at + bytes.get(at..)?.find_byte(0)?;
    let (count, at) = parse_number(bytes, name.end + 1, b' ')?;
    let (children, at) = parse_number(bytes, at, b'\n')?;
    let children = u32::try_from(children).ok()?;
    let end = at;
    if count < 0 {
        return (count == -1).then_some((CachedTree { name, valid: None, end }, children, at));
    }
    let id = Oid::from_bytes(bytes.get(at..at + hash.len())?)?;
    let valid = Some((u32::try_from(count).ok()?, id));
    Some((CachedTree { name, valid, end }, children, at + hash.len()))
}

/// What the top directory's record says, which is the first one.
fn root_record(bytes: &[u8], hash: HashKind) -> Option<Option<(u32, Oid)>> {
    let (root, children, after) = parse_record(bytes, 0, hash)?;
    // The records below are left alone: there is one for every directory of the repository, and what they say is not asked
    // here. What they must agree on is only whether there are any.
    let is_whole = root.name.is_empty() && (children > 0) == (after < bytes.len());
    is_whole.then_some(root.valid)
}

/// The decimal number at `at` up to `stop`, and what comes after that.
fn parse_number(bytes: &[u8], at: usize, stop: u8) -> Option<(i64, usize)> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"-1") && rest.get(2) == Some(&stop) {
        return Some((-1, at + 3));
    }
    let mut number = 0;
    for (len, byte) in rest.iter().take(12).enumerate() {
        match byte {
            b'0'..=b'9' if len == 0 || number > 0 => number = number * 10 + i64::from(byte - b'0'),
            _ if *byte == stop && len > 0 => return Some((number, at + len + 1)),
            _ => return None,
        }
    }
    None
}

/// The extension as found from the end of an index file.
#[derive(Debug)]
pub struct Extension<'a> {
    /// Where its content begins in the file.
    pub at: usize,
    /// The number of all entries and the tree they make, as the top directory's record has it; `None` when something
    /// changed since it was written.
    pub root: Option<(u32, Oid)>,
    bytes: &'a [u8],
    hash: HashKind,
    /// Where it counts other entries than this index has: what they are split by. Whether both make so many is for who
    /// reads both to tell.
    pub link: Option<Link>,
    /// Whether nothing that follows it could have imitated it. When not, the entries must be walked, which tells where
    /// it really is.
    pub certain: bool,
}

impl<'a> Extension<'a> {
    /// The same, certain where `proof` holds.
    pub(crate) fn proven_by(self, proof: impl FnOnce(&Self) -> bool) -> Self {
        let certain = self.certain || proof(&self);
        Self { certain, ..self }
    }

    /// All records. There may be one for each of ten thousands of directories, and mostly the first is enough.
    pub fn tree(&self) -> Option<CacheTree<'a>> {
        CacheTree::parse(self.bytes, self.hash)
    }
}

/// Looks for the extension from the end of an index of `entries` entries whose trailing checksum begins at `trailer`.
///
/// What looks like it is believed only when the chain of extensions that it begins ends exactly at the trailer, all
/// are known, and the root record's count is -1 or `entries`, or stands behind what splits the index.
pub fn find_from_end(file: &[u8], trailer: usize, entries: u32, hash: HashKind) -> Option<Extension<'_>> {
    // a record is much smaller than the entries it counts: a large file without the extension is not searched whole
    let start = if trailer > SMALL { trailer / 2 } else { 12 };
    let mut end = trailer;
    for _ in 0..MAX_TRIES {
        let at = rfind_name(file.get(start..end)?)? + start;
        if let Some(free) = chain_ends_at(file, at, trailer)
            && let Some(bytes) = content(file, at)
            && let Some(root) = root_record(bytes, hash)
            // An imitation knows nothing of the number of entries. A record that is stale has another one, too: entries
            // that were added since would not be seen.
            && let fits = root.is_none_or(|(count, _)| count == entries)
            && let link = if fits { None } else { Link::ending_at(file, at, hash) }
            && (fits || link.is_some())
        {
            let certain = !free || lies_in_none(file, at, trailer, least_end(entries, hash));
            return Some(Extension { at: at + 8, root, bytes, hash, link, certain });
        }
        end = at + 3;
    }
    None
}

/// The last place where the name stands. Its first byte is rare among ids, so this is a search for one byte.
fn rfind_name(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    loop {
        end = bytes[..end].rfind_byte(b'T')?;
        if bytes[end..].starts_with(b"TREE") {
            return Some(end);
        }
    }
}

fn content(file: &[u8], at: usize) -> Option<&[u8]> {
    let len = be32(file.get(at + 4..at + 8)?, 0);
    file.get(at + 8..at + 8 + len as usize)
}

/// Where so many entries end at the earliest: an entry is its fixed part, a path of at least a byte, or in version 4 how
/// much of the last path to drop, and a NUL.
fn least_end(entries: u32, hash: HashKind) -> usize {
    HEADER + entries as usize * (44 + hash.len())
}

/// Whether what begins at `at` is in no extension with free content. One that held it would begin behind the entries,
/// with its name, and end behind `at`: there is no such name. Of the entries no more is looked at than may be something
/// else.
fn lies_in_none(file: &[u8], at: usize, trailer: usize, from: usize) -> bool {
    let Some(before) = file.get(from..at + FREE.len()).filter(|_| from <= at) else { return false };
    before.find_iter(FREE).all(|found| {
        let content = from + found + 8;
        // one whose length is not in the file ends nowhere
        let end = content + file.get(content - 4..content).map_or(0, |len| be32(len, 0) as usize);
        end <= at || end > trailer
    })
}

/// Whether the extensions from `at` on end exactly at `trailer`: `Some(true)` when one of them holds so much free
/// content (the untracked cache holds file names and ids) that it could imitate what comes before it.
fn chain_ends_at(file: &[u8], mut at: usize, trailer: usize) -> Option<bool> {
    let mut free = false;
    // Every step must land on a known name: bytes inside an entry's path that only look like the extension's beginning
    // would have to begin a chain that ends at the trailer to the byte.
    while at < trailer {
        match file.get(at..at + 4)? {
            b"TREE" | b"REUC" | b"FSMN" | b"EOIE" | b"IEOT" => {}
            name if name == FREE => free = true,
            _ => return None,
        }
        at += 8 + content(file, at)?.len();
    }
    (at == trailer).then_some(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, count: i32, children: u32) -> Vec<u8> {
        let mut bytes = format!("{name}\0{count} {children}\n").into_bytes();
        if count >= 0 {
            bytes.extend_from_slice(&[9; 20]);
        }
        bytes
    }

    fn sample() -> Vec<u8> {
        [record("", -1, 2), record("bb", 3, 1), record("x", 2, 0), record("a", -1, 0)].concat()
    }

    #[test]
    fn records_nest_and_children_are_sorted() {
        let bytes = sample();
        let tree = CacheTree::parse(&bytes, HashKind::Sha1).unwrap();
        assert_eq!(tree.children(tree.root()), [(&b"a"[..], 3), (b"bb", 1)]);
        assert_eq!(tree.children(1), [(&b"x"[..], 2)]);
        assert_eq!(tree.node(2).valid.unwrap().0, 2);
        assert!(tree.node(3).valid.is_none());
    }

    #[test]
    fn the_record_of_a_directory_is_found_by_its_path() {
        let bytes = sample();
        let records = Records::parse(&bytes, HashKind::Sha1).unwrap();
        let counts =
            |dir: &str| records.find(&bytes, dir.as_bytes()).map(|record| record.valid.map(|(count, _)| count));
        let found = ["", "a", "bb", "bb/x", "x", "bb/y", "bb/x/z", "b"].map(counts);
        assert_eq!(found, [Some(None), Some(None), Some(Some(3)), Some(Some(2)), None, None, None, None]);
    }

    #[test]
    fn only_what_fits_exactly_is_believed() {
        let whole = sample();
        for end in 0..whole.len() {
            assert!(CacheTree::parse(&whole[..end], HashKind::Sha1).is_none(), "{end}");
        }
        let bad = [
            [whole.clone(), vec![0]].concat(),
            record("named", -1, 0),
            record("", -2, 0),
            [record("", -1, 1), record("a/b", 1, 0)].concat(),
            [record("", 1, 1), record("a", 2, 0)].concat(),
            [record("", 1, 1), record("a", -1, 0)].concat(),
            b"\x0001 0\naaaaaaaaaaaaaaaaaaaa".to_vec(),
        ];
        for bytes in bad {
            assert!(CacheTree::parse(&bytes, HashKind::Sha1).is_none(), "{:?}", bytes.as_bstr());
        }
    }

    fn extension(name: &[u8], content: &[u8]) -> Vec<u8> {
        [name, &u32::try_from(content.len()).unwrap().to_be_bytes(), content].concat()
    }

    #[test]
    fn from_the_end_only_a_whole_chain_counts() {
        let tree = extension(b"TREE", &record("", 5, 0));
        let file = |after: &[u8]| [&[0; 12][..], b"TREE entries TREE", &tree[..], after, &[0; 20]].concat();
        // what holds no entries cannot be one of five
        let look = |file: &[u8]| find_from_end(file, file.len() - 20, 5, HashKind::Sha1).map(|found| found.certain);
        assert_eq!(look(&file(b"")), Some(true));
        assert_eq!(look(&file(&extension(b"REUC", b"TREE\0\0\0\0"))), Some(true));
        assert_eq!(look(&file(&extension(b"UNTR", b"x"))), Some(false));
        assert_eq!(look(&file(&extension(b"ZZZZ", b"x"))), None);
        assert_eq!(look(&file(b"x")), None);
        assert_eq!(find_from_end(&file(b""), file(b"").len() - 20, 5, HashKind::Sha1).unwrap().root.unwrap().0, 5);
        for root in [record("named", 5, 0), record("", 5, 1), [record("", 5, 0), record("a", 5, 0)].concat()] {
            let odd = [&[0; 12][..], &extension(b"TREE", &root), &[0; 20]].concat();
            assert_eq!(look(&odd), None);
        }
        let other_count = file(b"");
        assert!(find_from_end(&other_count, other_count.len() - 20, 6, HashKind::Sha1).is_none());
    }
}
