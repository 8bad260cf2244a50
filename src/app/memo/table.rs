//! A table of sorted paths in a memo, each with a number. It is searched in place, so that a hook with few queries need not
//! decode it. Layout: the end of each path within the path bytes, then the numbers, four bytes each, little-endian; then
//! the paths.

use super::wire::{self, Remaining};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// Paths with their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    ends: &'a [[u8; 4]],
    numbers: &'a [[u8; 4]],
    bytes: &'a [u8],
}

/// Appends a table of these sorted entries.
pub(super) fn put(body: &mut Vec<u8>, entries: &[(&RepoPath, u32)]) -> Option<()> {
    let paths = || entries.iter().map(|(path, _)| path.as_bstr().as_bytes());
    let mut end = 0;
    for path in paths() {
        end += path.len();
        wire::put_count(body, end)?;
    }
    entries.iter().for_each(|(_, number)| body.extend_from_slice(&number.to_le_bytes()));
    paths().for_each(|path| body.extend_from_slice(path));
    Some(())
}

impl<'a> Table<'a> {
    /// Reads a table of `count` paths with numbers below `most`.
    pub(super) fn read(cursor: &mut Remaining<'a>, count: usize, most: usize) -> Option<Self> {
        let size = count.checked_mul(4)?;
        let (ends, _) = cursor.slice(size)?.as_chunks();
        let (numbers, _) = cursor.slice(size)?.as_chunks();
        let bytes = cursor.slice(ends.last().map_or(0, |end| number(*end)))?;
        // ends must ascend, because each path begins at the end of the one before
        let ascend = ends.windows(2).all(|pair| number(pair[0]) <= number(pair[1]));
        let known = numbers.iter().all(|found| number(*found) < most);
        (ascend && known).then_some(Self { ends, numbers, bytes })
    }

    pub(super) fn len(self) -> usize {
        self.ends.len()
    }

    pub(super) fn path(self, index: usize) -> &'a [u8] {
        let start = index.checked_sub(1).map_or(0, |before| number(self.ends[before]));
        self.bytes.get(start..number(self.ends[index])).unwrap_or_default()
    }

    pub(super) fn number(self, index: usize) -> usize {
        number(self.numbers[index])
    }

    pub(super) fn since(self, index: usize) -> impl Iterator<Item = (&'a [u8], usize)> {
        (index..self.len()).map(move |index| (self.path(index), self.number(index)))
    }

    /// The index of the first path that is not less than `path`.
    pub(super) fn position(self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn number(bytes: [u8; 4]) -> usize {
    u32::from_le_bytes(bytes) as usize
}
