use super::*;
use crate::repo::memory::Memory;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

const NAMES: [&str; 2] = ["new", "old"];

fn is_named(name: &[u8]) -> bool {
    NAMES.iter().any(|known| known.as_bytes() == name)
}

/// One commit: the file numbers in two directories and two at the top; the distances to its parents.
type Spec = ([u8; 4], Vec<usize>);

fn history(store: &mut Memory, specs: &[Spec]) -> Vec<Oid> {
    let mut commits: Vec<Oid> = Vec::new();
    for ([a, b, top, other], back) in specs {
        let files = [a, b, top, other].map(|number| store.file(*number));
        let deep = store.tree(&[("100644", NAMES[usize::from(*b) % 2], files[1])]);
        let first = store.tree(&[("40000", "deep", deep), ("100644", NAMES[0], files[0])]);
        let second = if a == b { first } else { deep };
        let entries = [
            ("40000", "a", first),
            ("040000", "b", second),
            ("100755", "new", files[2]),
            ("120000", "old", files[3]),
            ("100644", "other", files[3]),
        ];
        let tree = store.tree(&entries);
        let parents: Vec<Oid> = back.iter().filter_map(|back| commits.iter().rev().nth(*back).copied()).collect();
        commits.push(store.commit(tree, &parents));
    }
    commits
}

/// The slow and obvious way: every commit's whole tree on its own.
fn slowly(store: &Memory, tips: &[Oid], shallow: &HashSet<Oid>) -> BTreeSet<Oid> {
    let (mut found, mut open, mut done) = (BTreeSet::new(), tips.to_vec(), HashSet::new());
    while let Some(id) = open.pop() {
        let object = &store.0[&id];
        match ledgers_of(store, id, &is_named).unwrap() {
            Held::Ledgers(ledgers) => found.extend(ledgers.into_iter().map(|(_, id)| id)),
            Held::Blob(id) => drop(found.insert(id)),
        }
        let text = String::from_utf8_lossy(&object.data);
        if done.insert(id) && object.kind == ObjectKind::Commit && !shallow.contains(&id) {
            let parents = text.lines().filter_map(|line| line.strip_prefix("parent "));
            open.extend(parents.map(|hex| Oid::from_hex(hex.as_bytes()).unwrap()));
        } else if object.kind == ObjectKind::Tag {
            open.push(header_id(&object.data, b"object ").unwrap());
        }
    }
    found
}

fn quickly(store: &Memory, tips: &[Oid], shallow: &HashSet<Oid>) -> BTreeSet<Oid> {
    let mut reach = Reach::new(store, &is_named, shallow);
    tips.iter().for_each(|tip| reach.add(*tip).unwrap());
    reach.found().clone()
}

proptest! {
    #[test]
    fn the_walk_finds_what_listing_every_commit_finds(
        specs in vec(([0u8..4, 0u8..4, 0u8..4, 0u8..4], vec(0usize..3, 0..3)), 1..12),
        tips in vec((0usize..12, any::<bool>()), 1..4),
        cut in proptest::option::of(0usize..12),
    ) {
        let mut store = Memory::default();
        let commits = history(&mut store, &specs);
        let tip = |(number, tagged): (usize, bool)| {
            let id = commits[number % commits.len()];
            if tagged { store.tag(id) } else { id }
        };
        let tips: Vec<Oid> = tips.into_iter().map(tip).collect();
        let shallow: HashSet<Oid> = cut.map(|number| commits[number % commits.len()]).into_iter().collect();
        prop_assert_eq!(quickly(&store, &tips, &shallow), slowly(&store, &tips, &shallow));
    }
}

#[test]
fn a_tag_on_a_ledger_or_its_directory_hides_neither() {
    let mut store = Memory::default();
    let ledger = store.file(1);
    let dir = store.tree(&[("100644", NAMES[0], ledger)]);
    let top = store.tree(&[("40000", "a", dir)]);
    let (of_file, of_dir, commit) = (store.tag(ledger), store.tag(dir), store.commit(top, &[]));
    for tips in [vec![of_file, ledger, commit], vec![commit, of_file], vec![of_dir, dir, commit]] {
        assert_eq!(quickly(&store, &tips, &HashSet::new()), BTreeSet::from([ledger]));
    }
    assert_eq!(quickly(&store, &[of_file], &HashSet::new()), BTreeSet::from([ledger]));
}

#[test]
fn what_is_missing_is_an_error() {
    let mut store = Memory::default();
    let ledger = store.file(1);
    let tree = store.tree(&[("40000", "a", ledger)]);
    let commit = store.commit(tree, &[]);
    for gone in [tree, ledger] {
        let object = store.0.remove(&gone).unwrap();
        assert!(Reach::new(&store, &is_named, &HashSet::new()).add(commit).is_err());
        store.0.insert(gone, object);
    }
}
