//! Merges without a repository: the changes of each side in, the outcome out.

use super::*;
use crate::repo::native::objects::{Object, ObjectKind};
use std::cell::RefCell;
use std::collections::HashMap;

/// Blobs by id, and the ids that were read.
#[derive(Default)]
struct Blobs {
    held: HashMap<Oid, (Vec<u8>, u64)>,
    read: RefCell<Vec<Oid>>,
}

impl Blobs {
    fn put(&mut self, digit: char, content: &str) -> Item {
        let size = content.len() as u64;
        self.sized(digit, content, size)
    }

    fn sized(&mut self, digit: char, content: &str, size: u64) -> Item {
        let id = Oid::from_hex(digit.to_string().repeat(40).as_bytes()).expect("an id");
        self.held.insert(id, (content.as_bytes().to_vec(), size));
        (Mode::FILE, id)
    }
}

impl ObjectStore for Blobs {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        self.read.borrow_mut().push(*id);
        let object = |(data, _): &(Vec<u8>, u64)| Object { kind: ObjectKind::Blob, data: data.clone() };
        Ok(self.held.get(id).map(object))
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        Ok(self.held.get(id).map(|(_, size)| (ObjectKind::Blob, *size)))
    }
}

/// The changes of one side: path, old entry, new entry.
fn side(changes: &[(&str, Option<Item>, Option<Item>)]) -> Changes {
    let change = |(path, old, new): &(&str, Option<Item>, Option<Item>)| PathChange {
        path: RepoPath::from_git(*path),
        old: *old,
        new: *new,
        unmerged: false,
    };
    changes.iter().map(change).map(|change| (change.path.clone(), change)).collect()
}

fn outcome(store: &Blobs, ours: Changes, theirs: Changes) -> (Vec<String>, bool) {
    let found = merge(store, ours, theirs, &|_, _, _, _| None).expect("readable");
    (found.conflicts.iter().map(ToString::to_string).collect(), found.changes)
}

#[test]
fn content_is_read_only_where_both_sides_changed_it() {
    let mut store = Blobs::default();
    let [base, ours, theirs] = [('1', "a\nb\nc\nd\n"), ('2', "A\nb\nc\nd\n"), ('3', "a\nb\nc\nD\n")]
        .map(|(digit, content)| store.put(digit, content));
    let only_theirs = outcome(&store, side(&[("x", Some(base), Some(ours))]), side(&[("y", Some(base), Some(theirs))]));
    assert_eq!(only_theirs, (vec![], true));
    let the_same = outcome(&store, side(&[("x", Some(base), Some(ours))]), side(&[("x", Some(base), Some(ours))]));
    assert_eq!(the_same, (vec![], false));
    assert_eq!(store.read.borrow().len(), 0, "no content was asked for");
    let both = outcome(&store, side(&[("x", Some(base), Some(ours))]), side(&[("x", Some(base), Some(theirs))]));
    assert_eq!((both, store.read.borrow().len()), ((vec![], true), 3));
}

#[test]
fn a_mode_is_merged_beside_the_content() {
    let mut store = Blobs::default();
    let (base, edited) = (store.put('1', "a\n"), store.put('2', "b\n"));
    let exec = |(_, id): Item| (Mode::EXEC, id);
    let merged = |ours, theirs| {
        outcome(&store, side(&[("x", Some(base), Some(ours))]), side(&[("x", Some(base), Some(theirs))]))
    };
    assert_eq!(merged(edited, exec(base)), (vec![], true), "their mode, our content");
    assert_eq!(merged(exec(edited), edited), (vec![], false), "we have both already");
    let link = (Mode::LINK, edited.1);
    assert_eq!(merged(exec(base), link).0, ["x"], "a link is no text");
    let added = |ours, theirs| outcome(&store, side(&[("x", None, Some(ours))]), side(&[("x", None, Some(theirs))]));
    assert_eq!(added(edited, exec(edited)).0, ["x"], "nobody says which mode the two meant");
    assert_eq!(added(edited, edited), (vec![], false));
}

#[test]
fn what_is_too_large_to_merge_is_a_conflict_and_not_read() {
    let mut store = Blobs::default();
    let base = store.put('1', "a\n");
    let (ours, theirs) = (store.sized('2', "b\n", MAX_MERGED + 1), store.put('3', "c\n"));
    let found = outcome(&store, side(&[("x", Some(base), Some(ours))]), side(&[("x", Some(base), Some(theirs))]));
    assert_eq!(found.0, ["x"]);
    assert_eq!(store.read.borrow().len(), 0);
}

#[test]
fn what_one_side_renamed_and_the_other_removed_or_renamed_otherwise_is_a_conflict() {
    let mut store = Blobs::default();
    let base = store.put('1', "a\nb\nc\n");
    let moved = |to| side(&[("x", Some(base), None), (to, None, Some(base))]);
    assert_eq!(outcome(&store, moved("y"), moved("y")), (vec![], false));
    assert_eq!(outcome(&store, moved("y"), moved("z")).0, ["x", "y", "z"]);
    let removed = || side(&[("x", Some(base), None)]);
    assert_eq!(outcome(&store, moved("y"), removed()).0, ["x", "y"]);
    assert_eq!(outcome(&store, removed(), moved("y")).0, ["x", "y"]);
    assert_eq!(outcome(&store, removed(), removed()), (vec![], false));
}

#[test]
fn a_file_that_they_only_renamed_changes_what_we_have_and_of_several_that_hold_the_same_it_kept_its_name() {
    let mut store = Blobs::default();
    let [was, ours, new] =
        [('1', "a\nb\nc\n"), ('2', "a\nb\nC\n"), ('3', "x\n")].map(|(digit, text)| store.put(digit, text));
    let renamed = [("d/f", Some(was), None), ("e/f", None, Some(was))];
    let changed = ("d/f", Some(was), Some(ours));
    assert_eq!(outcome(&store, side(&[changed]), side(&renamed)), (vec![], true));
    assert_eq!(outcome(&store, side(&renamed), side(&[changed])), (vec![], true));
    let copied = [("d/f", Some(was), None), ("e/a", None, Some(was)), ("e/f", None, Some(was))];
    let found = outcome(&store, side(&[changed, ("e/a", None, Some(new))]), side(&copied));
    assert_eq!(found, (vec!["e/a".to_owned()], true), "what went to e/f is merged there");
}

#[test]
fn where_files_came_to_a_directory_that_others_left_it_is_said() {
    let mut store = Blobs::default();
    let [one, two] = [('1', "one\n"), ('2', "two\n")].map(|(digit, text)| store.put(digit, text));
    let moved = side(&[("d/f", Some(one), None), ("e/f", None, Some(one))]);
    let added = side(&[("d/g", None, Some(two))]);
    let said = |ours: &Changes, theirs: &Changes| {
        merge(&store, ours.clone(), theirs.clone(), &|_, _, _, _| None).expect("readable").emptied
    };
    let expected = vec![RepoPath::from_git("d")];
    assert_eq!((said(&moved, &added), said(&added, &moved)), (expected.clone(), expected));
    let elsewhere = side(&[("c/g", None, Some(two))]);
    assert_eq!(said(&moved, &elsewhere), vec![]);
    let gone = side(&[("d/f", Some(one), None)]);
    assert_eq!(said(&gone, &added), vec![], "deleted is not moved");
}
