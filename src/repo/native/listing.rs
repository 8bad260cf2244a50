//! The entries of an index with random access: one validated pass over the file, then binary search by path. An entry is
//! read in place. Costs four bytes per entry.

use super::index::{Defect, Index, IndexEntry};
use super::tree_ext::Records;
use crate::names::Sieve;
use crate::tree::oid::Oid;
use std::cell::OnceCell;
use std::ops::Range;

/// All entries of an index, sorted by path and stage.
pub struct Listing {
    index: Index,
    /// The position of each entry in the file.
    slots: Vec<u32>,
    /// The paths of a version 4 index, unpacked.
    unpacked: Unpacked,
    /// The numbers of the entries with a path that may matter to this program, e.g. a ledger.
    like_ours: Vec<usize>,
    /// The position of the content of TREE in the file.
    tree: Option<Range<usize>>,
    /// The records of TREE, parsed at the first request.
    records: OnceCell<Option<Records>>,
}

/// Paths in one buffer, one after the other.
#[derive(Default)]
struct Unpacked {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Unpacked {
    fn push(&mut self, path: &[u8]) -> Result<(), Defect> {
        self.bytes.extend_from_slice(path);
        self.ends.push(small(self.bytes.len())?);
        Ok(())
    }

    fn path(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[number] as usize]
    }
}

impl Listing {
    /// Reads all entries and the extensions after them.
    pub fn new(index: Index) -> Result<Self, Defect> {
        // a damaged count in the header must not cost much memory
        let most = index.bytes().len() / 32;
        let mut slots = Vec::with_capacity(most.min(index.count() as usize));
        let (mut unpacked, mut like_ours, mut sieve) = (Unpacked::default(), Vec::new(), Sieve::default());
        let is_packed = index.is_packed();
        let tree = index.each_entry(|entry| {
            if is_packed {
                unpacked.push(entry.path)?;
            }
            if sieve.holds(entry.path, entry.shared, entry.branches) {
                like_ours.push(slots.len());
            }
            slots.push(small(entry.at)?);
            // an unsupported mode is reported now, not at the first use of the entry
            entry.check_mode()
        })?;
        Ok(Self { index, slots, unpacked, like_ours, tree, records: OnceCell::new() })
    }

    /// The entries with a path that may matter to this program, in order.
    pub(crate) fn like_ours(&self) -> impl Iterator<Item = usize> {
        self.like_ours.iter().copied()
    }

    /// How many entries there are, all stages counted.
    #[allow(clippy::len_without_is_empty)] // an empty index needs no case of its own
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The path of entry `number`.
    pub fn path(&self, number: usize) -> &[u8] {
        if self.index.is_packed() {
            return self.unpacked.path(number);
        }
        self.index.name_at(self.slots[number] as usize)
    }

    /// The fields of entry `number`, without its path.
    pub fn entry(&self, number: usize) -> Result<IndexEntry, Defect> {
        self.index.entry_at(self.slots[number] as usize)
    }

    /// The entries of exactly this path: one, up to three in a conflict, or none.
    pub fn at_path(&self, path: &[u8]) -> Range<usize> {
        let start = self.first(|other| other < path);
        let end = start + (start..self.len()).take_while(|number| self.path(*number) == path).count();
        start..end
    }

    /// Whether a file of exactly this path is staged, also in conflict. An intent to add stages nothing.
    pub(crate) fn holds(&self, path: &[u8]) -> bool {
        self.at_path(path).any(|number| self.entry(number).is_ok_and(|entry| !entry.intent_to_add))
    }

    /// The entries below the directory `dir` (the empty path is the top).
    pub fn below(&self, dir: &[u8]) -> Range<usize> {
        if dir.is_empty() {
            return 0..self.len();
        }
        // `/` is followed by `0`: every path below `dir` sorts between the two
        let start = self.first(|other| cmp_with(other, dir, b'/').is_lt());
        let end = self.first(|other| cmp_with(other, dir, b'0').is_lt());
        start..end
    }

    fn first(&self, is_before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.path(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The id of the tree that the index has cached for `dir`; `None` if there is none.
    pub fn tree_id(&self, dir: &[u8]) -> Option<Oid> {
        let bytes = self.index.bytes().get(self.tree.clone()?)?;
        let records = self.records.get_or_init(|| Records::parse(bytes, self.index.hash()));
        let record = records.as_ref()?.find(bytes, dir)?;
        // a record with another number of entries than the directory has is out of date
        record.valid.filter(|(count, _)| self.below(dir).len() == *count as usize).map(|(_, id)| id)
    }
}

fn small(number: usize) -> Result<u32, Defect> {
    u32::try_from(number).map_err(|_| Defect::Unsupported("is larger than 4 GiB"))
}

/// Compares `path` with `dir` followed by `byte`, without building that text.
fn cmp_with(path: &[u8], dir: &[u8], byte: u8) -> std::cmp::Ordering {
    let common = path.len().min(dir.len());
    path[..common].cmp(&dir[..common]).then_with(|| path[common..].iter().cmp(dir[common..].iter().chain([&byte])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;
    use crate::repo::mode::Mode;
    use crate::repo::native::index::encode;
    use crate::repo::native::map::Map;
    use crate::tree::oid::HashKind;

    fn listing(paths: &[&str]) -> Listing {
        let id = Oid::zero(HashKind::Sha1);
        let entries = paths.iter().map(|path| (path.as_bytes(), Mode::FILE, id, 0));
        Listing::new(Index::new(Map::owned(encode(entries, HashKind::Sha1)), HashKind::Sha1).unwrap()).unwrap()
    }

    #[test]
    fn paths_are_found_where_git_sorts_them() {
        let listing = listing(&["a", "b-x", "b.c", "b/c", "b/d/e", "b/d/f", "b0", "c"]);
        assert_eq!(listing.below(b"b"), 3..6);
        assert_eq!(listing.below(b"b/d"), 4..6);
        assert_eq!(listing.below(b""), 0..8);
        assert!(listing.below(b"a").is_empty() && listing.below(b"zz").is_empty() && listing.below(b"b/").is_empty());
        assert_eq!(listing.at_path(b"b.c"), 2..3);
        assert!(listing.at_path(b"b").is_empty());
        assert_eq!(listing.path(6), b"b0");
    }

    #[test]
    fn the_pass_finds_what_may_be_ours_and_what_lies_below_such_names() {
        let paths = ["a/x.md/b", "a/x.md/c", "a/y", "b/Spec.md", "b/read.md", "b/yatsu.md", "c/d"];
        let found: Vec<usize> = listing(&paths).like_ours().collect();
        let expected = (0..paths.len()).filter(|number| names::may_be_ours(paths[*number].as_bytes()));
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert_eq!(found, [0, 1, 3, 5]);
    }
}
