use super::*;
use crate::repo::mode::Mode;
use crate::repo::native::index::encode;
use crate::repo::native::map::Map;
use crate::repo::native::objects::{Object, ObjectKind, ObjectStore};
use crate::tree::oid::HashKind;
use std::collections::HashMap;

const HASH: HashKind = HashKind::Sha1;

fn id(byte: u8) -> Oid {
    Oid::from_bytes(&[byte; 20]).unwrap()
}

/// Trees by id, as raw bytes.
struct Store(HashMap<Oid, Vec<u8>>);

impl ObjectStore for Store {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        Ok(self.0.get(id).map(|data| Object { kind: ObjectKind::Tree, data: data.clone() }))
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        Ok(self.0.get(id).map(|data| (ObjectKind::Tree, data.len() as u64)))
    }
}

fn tree(entries: &[(&str, &str, u8)]) -> Vec<u8> {
    let entry = |(mode, name, to): &(&str, &str, u8)| [format!("{mode} {name}\0").as_bytes(), &[*to; 20]].concat();
    entries.iter().flat_map(entry).collect()
}

/// 10: `d/a` and `d/b`, both with content 1; 11: the directory `d`; 12: the same with content 2 in `d/a`.
fn trees() -> Trees {
    let stored = [
        (id(10), tree(&[("40000", "d", 11)])),
        (id(11), tree(&[("100644", "a", 1), ("100644", "b", 1)])),
        (id(12), tree(&[("40000", "d", 13)])),
        (id(13), tree(&[("100644", "a", 2), ("100644", "b", 1)])),
    ];
    Trees::new(Rc::new(Store(stored.into())), HASH)
}

fn extension(name: &[u8], content: &[u8]) -> Vec<u8> {
    [name, &u32::try_from(content.len()).unwrap().to_be_bytes(), content].concat()
}

fn record(name: &str, count: i32, children: u32, tree: u8) -> Vec<u8> {
    let mut bytes = format!("{name}\0{count} {children}\n").into_bytes();
    if count >= 0 {
        bytes.extend_from_slice(&[tree; 20]);
    }
    bytes
}

/// An index of `d/a` with this content and `d/b` with content 1, followed by these extensions.
fn index(a: u8, extensions: &[u8]) -> Index {
    index_of(&[("d/a", a), ("d/b", 1)], extensions)
}

fn index_of(entries: &[(&str, u8)], extensions: &[u8]) -> Index {
    let mut bytes = encode(entries.iter().map(|(path, to)| (path.as_bytes(), Mode::FILE, id(*to), 0)), HASH);
    let trailer = bytes.len() - 20;
    bytes.splice(trailer..trailer, extensions.iter().copied());
    Index::new(Map::owned(bytes), HASH).unwrap()
}

fn is_certain(index: &Index) -> bool {
    find_from_end(index.bytes(), index.trailer(), index.count(), HASH).unwrap().certain
}

fn answer(index: &Index) -> (Way, Vec<String>) {
    let staged = staged(index, Some(id(10)), &trees(), &|_| None).unwrap();
    (staged.way, staged.changes.iter().map(|change| change.path.to_string()).collect())
}

#[test]
fn a_valid_root_answers_alone() {
    let root = extension(b"TREE", &record("", 2, 0, 12));
    assert_eq!(answer(&index(2, &root)), (Way::CachedRoot, vec!["d/a".into()]));
    let missing = extension(b"TREE", &record("", 2, 0, 99));
    assert_eq!(answer(&index(2, &missing)), (Way::Walk, vec!["d/a".into()]));
}

#[test]
fn what_only_looks_like_the_extension_is_not_believed() {
    // it claims that nothing changed, but is inside the untracked cache, where any user may choose the names
    let imitation = [extension(b"TREE", &record("", 2, 0, 10)), extension(b"UNTR", b"x")].concat();
    let within = |before: &[u8], after: &[u8]| extension(b"UNTR", &[before, &imitation, after].concat());
    for before in [&b""[..], b"U", b"UNTRUNT", b"UNTR\0\0\0\x01", &[b'x'; 5000]] {
        assert_eq!(answer(&index(2, &within(before, b""))), (Way::Walk, vec!["d/a".into()]));
        let followed = [within(before, &extension(b"FSMN", b"")), extension(b"FSMN", b"y")].concat();
        assert_eq!(answer(&index(2, &followed)), (Way::Walk, vec!["d/a".into()]));
        let behind = [extension(b"TREE", &record("", -1, 0, 0)), within(before, b"")].concat();
        assert_eq!(answer(&index(2, &behind)), (Way::Walk, vec!["d/a".into()]));
    }
}

#[test]
fn an_untracked_cache_behind_it_does_not_hide_the_extension() {
    let root = extension(b"TREE", &record("", 2, 0, 12));
    // a header that begins before it ends there, or nowhere
    for before in [&b""[..], &extension(b"UNTR", b"z"), &extension(b"REUC", b"UNTR\x7f\0\0\0UNTR\0\0\0\0")] {
        let bytes = [before, &root, &extension(b"UNTR", b"names")].concat();
        assert!(is_certain(&index(2, &bytes)), "no entry need be read");
        assert_eq!(answer(&index(2, &bytes)), (Way::CachedRoot, vec!["d/a".into()]));
    }
    // if another extension may contain it, the entries decide
    let bytes = [extension(b"REUC", b"UNTR\0\0\0\x28"), root, extension(b"UNTR", b"names")].concat();
    assert!(!is_certain(&index(2, &bytes)));
    assert_eq!(answer(&index(2, &bytes)), (Way::CachedRoot, vec!["d/a".into()]));
}

#[test]
fn an_extension_before_the_entries_can_end_is_none() {
    // so many entries do not fit before it: it is among them
    let bytes = [extension(b"TREE", &record("", 9, 0, 10)), extension(b"UNTR", b"x")].concat();
    let file = [&b"DIRC\0\0\0\x02\0\0\0\x09"[..], &[7; 8 * 64], &bytes, &[0; 20]].concat();
    assert!(!find_from_end(&file, file.len() - 20, 9, HASH).unwrap().certain);
    let enough = [&file[..12], &[7; 64], &file[12..]].concat();
    assert!(find_from_end(&enough, enough.len() - 20, 9, HASH).unwrap().certain);
}

#[test]
fn a_record_of_the_wrong_size_is_not_believed() {
    for count in [1, 3] {
        let cached = extension(b"TREE", &[record("", -1, 1, 0), record("d", count, 0, 11)].concat());
        assert_eq!(answer(&index(1, &cached)), (Way::Walk, vec![]), "{count}");
        let more = index_of(&[("d/a", 1), ("d/b", 1), ("e", 1)], &cached);
        assert_eq!(answer(&more), (Way::Walk, vec!["e".into()]), "{count}");
    }
}

#[test]
fn a_directory_with_the_bases_tree_is_passed_over() {
    // the record counts more than the entries, as in git
    let cached = extension(b"TREE", &[record("", -1, 1, 0), record("d", 2, 0, 11)].concat());
    assert_eq!(answer(&index(2, &cached)), (Way::Walk, vec![]));
}
