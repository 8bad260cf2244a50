//! The TREE extension of the index ("cache tree"), format: gitformat-index(5). Its bytes in, the directory tree of valid and
//! invalid records out. It can be found from the end of the file, so that the entries need not be read. Returns nothing
//! unless all records that it uses are well formed.

use super::index::be32;
use super::split::Link;
use crate::tree::oid::{HashKind, Oid};
use bstr::ByteSlice;
use std::ops::Range;

const HEADER: usize = 12;
/// The name of the untracked cache. Its content is names and ids that any user can choose.
const FREE: &[u8] = b"UNTR";
/// How many candidates for the extension's start are tried.
const MAX_TRIES: usize = 64;
/// Files up to this size in bytes are searched completely.
const SMALL: usize = 1 << 20;

/// One directory's record.
#[derive(Debug)]
pub struct CachedTree {
    name: Range<usize>,
    /// The number of entries below it and the id of their tree; `None` if something changed since it was written.
    pub valid: Option<(u32, Oid)>,
    /// The index after the records of this directory and its subdirectories.
    end: usize,
}

/// All records, parents before children; the first is the top directory's.
#[derive(Debug)]
pub struct CacheTree<'a> {
    bytes: &'a [u8],
    nodes: Vec<CachedTree>,
}

/// The records without the bytes that they were read from.
pub(crate) struct Records(Vec<CachedTree>);

impl Records {
    /// As [`CacheTree::parse`].
    pub(crate) fn parse(bytes: &[u8], hash: HashKind) -> Option<Self> {
        Some(Self(CacheTree::parse(bytes, hash)?.nodes))
    }

    /// The record of the directory `dir` (the empty path is the top). `bytes` are the bytes that the records were read from.
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
    /// The records in `bytes`, the content of the extension; `None` unless they fill it exactly and agree with each other.
    pub fn parse(bytes: &'a [u8], hash: HashKind) -> Option<Self> {
        // a record contains an id, and is rarely much longer
        let mut nodes: Vec<CachedTree> = Vec::with_capacity(bytes.len() / 32);
        // the directories that are still open, with the number of children that each still lacks
        let mut open: Vec<(usize, u32)> = Vec::new();
        let mut rest = 0;
        loop {
            let (node, children, after) = parse_record(bytes, rest, hash)?;
            rest = after;
            // Only the top has no name, and a name is one component: otherwise a lookup could return a wrong record.
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
                // bytes after the last record mean that a number of children is wrong
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

/// Sets the end of a directory's records, and checks that its children do not have more entries than it has.
fn close(nodes: &mut [CachedTree], index: usize) -> Option<()> {
    let end = nodes.len();
    // without its end, the children of the next directory would count as children of this one
    nodes[index].end = end;
    let Some((own, _)) = nodes[index].valid else { return Some(()) };
    let mut below = 0u64;
    let mut at = index + 1;
    while at < end {
        // a valid directory cannot contain an invalid one
        below += u64::from(nodes[at].valid?.0);
        at = nodes[at].end;
    }
    (below <= u64::from(own)).then_some(())
}

/// The record at `at`, its number of children, and its end.
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

/// The top directory's record, which is the first one.
fn root_record(bytes: &[u8], hash: HashKind) -> Option<Option<(u32, Oid)>> {
    let (root, children, after) = parse_record(bytes, 0, hash)?;
    // The other records are not parsed: there is one per directory of the repository, and only the root is needed. It is
    // only checked whether there should be any.
    let is_whole = root.name.is_empty() && (children > 0) == (after < bytes.len());
    is_whole.then_some(root.valid)
}

/// The decimal number at `at` up to `stop`, and the position after that.
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
    /// The position of its content in the file.
    pub at: usize,
    /// The number of all entries and the id of their tree, from the top directory's record; `None` if something changed
    /// since it was written.
    pub root: Option<(u32, Oid)>,
    bytes: &'a [u8],
    hash: HashKind,
    /// The split of the index, if the record counts other entries than this file has. The caller must check the total number
    /// with the shared index.
    pub link: Option<Link>,
    /// Whether no later extension could have imitated it. If false, the entries must be walked to find the true position.
    pub certain: bool,
}

impl<'a> Extension<'a> {
    /// The same extension, certain if `proof` holds.
    pub(crate) fn proven_by(self, proof: impl FnOnce(&Self) -> bool) -> Self {
        let certain = self.certain || proof(&self);
        Self { certain, ..self }
    }

    /// All records. There may be tens of thousands, and usually only the first is needed.
    pub fn tree(&self) -> Option<CacheTree<'a>> {
        CacheTree::parse(self.bytes, self.hash)
    }
}

/// Searches for the extension from the end of an index with `entries` entries and a trailing checksum at `trailer`.
///
/// A candidate is believed only if the chain of extensions that it begins ends exactly at the trailer, all of them are
/// known, and the root record's count is -1 or `entries`, or follows the extension that splits the index.
pub fn find_from_end(file: &[u8], trailer: usize, entries: u32, hash: HashKind) -> Option<Extension<'_>> {
    // a record is much smaller than its entries: a large file without the extension is not searched completely
    let start = if trailer > SMALL { trailer / 2 } else { 12 };
    let mut end = trailer;
    for _ in 0..MAX_TRIES {
        let at = rfind_name(file.get(start..end)?)? + start;
        if let Some(free) = chain_ends_at(file, at, trailer)
            && let Some(bytes) = content(file, at)
            && let Some(root) = root_record(bytes, hash)
            // An imitation does not know the number of entries. A stale record has another count, too: using it would hide
            // entries that were added since.
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

/// The last occurrence of the name. Its first byte is rare among ids, so this searches for one byte.
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

/// The smallest possible end of this many entries. An entry has a fixed part, a path of at least one byte (in version 4 the
/// number of bytes to drop), and a NUL.
fn least_end(entries: u32, hash: HashKind) -> usize {
    HEADER + entries as usize * (44 + hash.len())
}

/// Whether the candidate at `at` is outside every extension with free content. An extension around it would begin after the
/// entries, with its name, and end after `at`. The search for that name starts at `from`, the smallest possible end of the
/// entries.
fn lies_in_none(file: &[u8], at: usize, trailer: usize, from: usize) -> bool {
    let Some(before) = file.get(from..at + FREE.len()).filter(|_| from <= at) else { return false };
    before.find_iter(FREE).all(|found| {
        let content = from + found + 8;
        // an extension without its length in the file has no end
        let end = content + file.get(content - 4..content).map_or(0, |len| be32(len, 0) as usize);
        end <= at || end > trailer
    })
}

/// Whether the extensions from `at` on end exactly at `trailer`. `Some(true)` if one of them is the untracked cache: its
/// free content (file names, ids) could imitate the extensions before it.
fn chain_ends_at(file: &[u8], mut at: usize, trailer: usize) -> Option<bool> {
    let mut free = false;
    // Every step must land on a known name: bytes in an entry's path that look like the extension would have to begin a
    // chain that ends exactly at the trailer.
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
        // a file this short cannot hold five entries
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
