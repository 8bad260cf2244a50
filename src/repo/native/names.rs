//! The names in a series of trees, each tree read once. Proves that no tree of a long history contains a name the caller
//! looks for, without comparing trees. If the proof or a read fails, the answer is no.

use super::objects::{Object, ObjectKind};
use super::trees::{MAX_FILES, MAX_TREE_BYTES, TreeData, Trees, is_empty_tree};
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::{MAX_DEPTH, MAX_PATH};
use foldhash::HashMap;
use std::hash::{Hash, Hasher};

/// A walk over trees, one root after the other.
pub(crate) struct Names<'t> {
    trees: &'t Trees,
    hash: HashKind,
    tells: fn(&[u8]) -> bool,
    /// The trees that were found to be plain.
    seen: HashMap<Key, Below>,
}

/// A part of an id that is enough to distinguish ids. A map of whole ids, sized for the longer hash, is large for a long
/// history.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key([u8; 20]);

impl Key {
    fn of(id: &[u8]) -> Option<Self> {
        id.first_chunk().copied().map(Self)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // the key is a hash already
        state.write_u64(self.0.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    }
}

/// The dimensions of a plain tree, because comparing trees refuses one that is too deep or too large.
#[derive(Clone, Copy, Default)]
struct Below {
    /// How many directories are nested.
    depth: u16,
    /// The longest path of a directory, including its final `/`.
    len: u16,
    files: u32,
}

impl Below {
    /// These dimensions, extended by a directory `name` with the content `below`.
    fn and(self, name: &[u8], below: Self) -> Self {
        let len = below.len.saturating_add(u16::try_from(name.len() + 1).unwrap_or(u16::MAX));
        let depth = below.depth.saturating_add(1);
        Self { depth: self.depth.max(depth), len: self.len.max(len), files: self.files.saturating_add(below.files) }
    }

    fn is_bounded(self) -> bool {
        usize::from(self.depth) <= MAX_DEPTH && usize::from(self.len) <= MAX_PATH && self.files as usize <= MAX_FILES
    }
}

impl<'t> Names<'t> {
    /// A walk for names of files and directories that satisfy the given test.
    pub(in crate::repo) fn new(trees: &'t Trees, hash: HashKind, tells: fn(&[u8]) -> bool) -> Self {
        Self { trees, hash, tells, seen: HashMap::default() }
    }

    /// Whether the tree contains no such name and has a form that git would write.
    pub(crate) fn are_plain(&mut self, root: &Oid) -> bool {
        self.below(root.as_bytes(), 0).is_some_and(Below::is_bounded)
    }

    fn below(&mut self, id: &[u8], depth: usize) -> Option<Below> {
        let key = Key::of(id)?;
        if let Some(known) = self.seen.get(&key) {
            return Some(*known);
        }
        // each level uses stack space
        let tree = if depth > MAX_DEPTH { None } else { self.read(&Oid::from_bytes(id)?) }?;
        let mut all = Below::default();
        for index in 0..tree.len() {
            let (name, mode) = tree.name_at(index)?;
            if (self.tells)(name) {
                return None;
            }
            if mode.is_dir() {
                let below = self.below(tree.id_at(index)?, depth + 1)?;
                all = all.and(name, below);
            } else {
                all.files = all.files.saturating_add(1);
            }
        }
        self.seen.insert(key, all);
        Some(all)
    }

    /// Reads a tree without asking for its size first: git had all of it in memory when the tree was fetched or made.
    fn read(&self, id: &Oid) -> Option<TreeData> {
        if is_empty_tree(id) {
            return TreeData::parse(Vec::new(), self.hash).ok();
        }
        let Object { kind, data } = self.trees.store().read(id).ok()??;
        let is_tree = kind == ObjectKind::Tree && data.len() as u64 <= MAX_TREE_BYTES;
        if is_tree { TreeData::parse(data, self.hash).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::memory::Memory;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::rc::Rc;

    fn is_odd(name: &[u8]) -> bool {
        name == b"odd"
    }

    /// Trees of files and of earlier trees, by number; each entry has a name.
    fn trees(specs: &[Vec<(usize, usize)>]) -> (Memory, Vec<Oid>) {
        let mut store = Memory::default();
        let file = store.file(1);
        let mut made: Vec<Oid> = Vec::new();
        for spec in specs {
            let mut entries: Vec<(&str, &str, Oid)> = Vec::new();
            for (name, of) in spec {
                let name = ["a", "b", "c", "odd", "d", "e", "f", "g", "h", "i"][name % 10];
                if entries.iter().all(|(_, other, _)| *other != name) {
                    let dir = made.iter().rev().nth(*of);
                    entries.push(dir.map_or(("100644", name, file), |dir| ("40000", name, *dir)));
                }
            }
            entries.sort_by_key(|(mode, name, _)| format!("{name}{}", if *mode == "40000" { "/" } else { "" }));
            made.push(store.tree(&entries));
        }
        (store, made)
    }

    fn walk(store: Memory) -> Trees {
        Trees::new(Rc::new(store), HashKind::Sha1)
    }

    proptest! {
        #[test]
        fn the_walk_finds_a_name_where_listing_every_path_finds_it(
            specs in vec(vec((0usize..10, 0usize..6), 0..4), 1..12),
            order in vec(0usize..12, 1..12),
        ) {
            let (store, made) = trees(&specs);
            let trees = walk(store);
            let mut names = Names::new(&trees, HashKind::Sha1, is_odd);
            for at in order {
                let root = made[at % made.len()];
                let paths = trees.diff(None, Some(root)).unwrap();
                let has_odd = |change: &crate::repo::change::PathChange| change.path.components().any(|name| name == "odd");
                // an empty directory adds no path, so a wrong answer there is accepted
                let expected = !paths.iter().any(has_odd);
                let plain = names.are_plain(&root);
                prop_assert!(expected || !plain);
                prop_assert!(plain || !expected || has_empty_odd(&trees, root));
            }
        }
    }

    fn has_empty_odd(trees: &Trees, root: Oid) -> bool {
        let tree = trees.get(&root).unwrap();
        tree.iter().any(|item| item.name == b"odd" || item.mode.is_dir() && has_empty_odd(trees, item.id))
    }

    #[test]
    fn what_a_comparison_would_refuse_is_not_plain() {
        let mut store = Memory::default();
        let file = store.file(1);
        let leaf = store.tree(&[("100644", "f", file)]);
        let (mut deep, mut wide, mut long) = (leaf, leaf, leaf);
        let name = "n".repeat(200);
        let mut levels = Vec::new();
        for level in 0..MAX_DEPTH + 1 {
            deep = store.tree(&[("40000", "d", deep)]);
            levels.push(deep);
            if level < 25 {
                wide = store.tree(&[("40000", "a", wide), ("40000", "b", wide)]);
            }
            if level < 21 {
                long = store.tree(&[("40000", &name, long)]);
            }
        }
        let unsorted = store.tree(&[("100644", "b", file), ("100644", "a", file)]);
        let gone = store.file(2);
        let lacks = store.tree(&[("40000", "d", gone)]);
        store.0.remove(&gone);
        let trees = walk(store);
        let mut names = Names::new(&trees, HashKind::Sha1, is_odd);
        assert!(names.are_plain(&leaf) && names.are_plain(&levels[MAX_DEPTH - 1]));
        for bad in [deep, wide, long, unsorted, lacks, file] {
            assert!(!names.are_plain(&bad));
            assert!(bad == wide || trees.diff(None, Some(bad)).is_err());
        }
    }
}
