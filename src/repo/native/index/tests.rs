use super::*;
use crate::repo::native::listing::Listing;
use crate::repo::native::tree_ext::find_from_end;
use proptest::prelude::*;

const HASH: HashKind = HashKind::Sha1;

fn id() -> Oid {
    Oid::from_bytes(&[5; 20]).unwrap()
}

fn sample() -> Vec<u8> {
    let long = [b'l'; 5000];
    let paths: [&[u8]; 4] = [b"a", b"dir/b", b"dir/c", &long];
    encode(paths.map(|path| (path, Mode::FILE, id(), 0)), HASH)
}

fn list(bytes: &[u8]) -> Result<Vec<(Vec<u8>, IndexEntry)>, Defect> {
    let listing = Listing::new(Index::new(Map::owned(bytes.to_vec()), HASH)?)?;
    (0..listing.len()).map(|number| Ok((listing.path(number).to_vec(), listing.entry(number)?))).collect()
}

fn with_extension(name: &[u8], content: &[u8]) -> Vec<u8> {
    let mut bytes = sample();
    let trailer = bytes.len() - 20;
    let extension = [name, &u32::try_from(content.len()).unwrap().to_be_bytes(), content].concat();
    bytes.splice(trailer..trailer, extension);
    bytes
}

#[test]
fn what_was_encoded_is_read() {
    let entries = list(&sample()).unwrap();
    assert_eq!(entries.len(), 4);
    assert_eq!(entries[1].0, b"dir/b");
    assert_eq!((entries[1].1.mode, entries[1].1.id, entries[1].1.stage), (Mode::FILE, id(), 0));
    assert_eq!(entries[3].0.len(), 5000, "the flags cannot hold this length");
    assert!(list(&encode([], HASH)).unwrap().is_empty());
}

#[test]
fn only_a_whole_file_is_read() {
    let whole = sample();
    for end in 0..whole.len() {
        assert!(list(&whole[..end]).is_err(), "{end}");
    }
}

#[test]
fn features_of_others_are_named() {
    assert_eq!(list(&with_extension(b"link", b"")).unwrap_err(), Defect::Unsupported("is split"));
    assert_eq!(list(&with_extension(b"sdir", b"")).unwrap_err(), Defect::Unsupported("is sparse"));
    assert!(matches!(list(&with_extension(b"zzzz", b"")), Err(Defect::Unsupported(_))));
    assert!(list(&with_extension(b"ZZZZ", b"anything")).is_ok(), "upper case is optional");
    let mut version = sample();
    version[7] = 5;
    assert!(matches!(list(&version), Err(Defect::Unsupported(_))));
    let dir = encode([(&b"a/"[..], Mode::DIR, id(), 0)], HASH);
    assert_eq!(list(&dir).unwrap_err(), Defect::Unsupported("is sparse"));
}

#[test]
fn order_is_checked() {
    let order = |entries: &[(&[u8], u8)]| {
        list(&encode(entries.iter().map(|(path, stage)| (*path, Mode::FILE, id(), *stage)), HASH)).is_ok()
    };
    assert!(order(&[(b"a", 1), (b"a", 2), (b"a", 3), (b"b", 0)]));
    assert!(!order(&[(b"b", 0), (b"a", 0)]));
    assert!(!order(&[(b"a", 2), (b"a", 1)]));
    assert!(!order(&[(b"a", 0), (b"a", 0)]));
    assert!(!order(&[(b"a", 0), (b"a", 1)]), "merged and in conflict at once");
    assert!(!order(&[(b"", 0)]));
}

#[test]
fn packed_paths_may_not_share_more_than_there_is() {
    let mut bytes = b"DIRC\0\0\0\x04\0\0\0\x01".to_vec();
    bytes.extend_from_slice(&[0; 24]);
    bytes.extend_from_slice(&Mode::FILE.bits().to_be_bytes());
    bytes.extend_from_slice(&[0; 32]);
    let entry = |bytes: &[u8], tail: &[u8]| [bytes, tail, &[0; 20]].concat();
    assert_eq!(list(&entry(&bytes, b"\0\x01\0a\0")).unwrap()[0].0, b"a");
    assert!(list(&entry(&bytes, b"\0\x01\x01a\0")).is_err());
    assert!(list(&entry(&bytes, b"\0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7fa\0")).is_err());
    assert!(list(&entry(&bytes, b"\0\x02\0a\0")).is_err(), "the flags hold another length");
}

#[test]
fn a_path_too_deep_for_the_stack_is_refused() {
    use crate::repo::native::objects::Git2Store;
    use crate::repo::native::staged::{NoAnswer, staged};
    use crate::repo::native::trees::Trees;
    let deep = b"d/".repeat(2000);
    let path = [&deep[..], b"f"].concat();
    let index = Index::new(Map::owned(encode([(&path[..], Mode::FILE, id(), 0)], HASH)), HASH).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let trees = Trees::new(std::rc::Rc::new(Git2Store::open(dir.path(), &[]).unwrap()), HASH);
    assert!(matches!(staged(&index, None, &trees, &|_| None), Err(NoAnswer::Failed(_))));
}

proptest! {
    #[test]
    fn damage_never_panics(at in 0usize..6000, byte: u8, more: Vec<u8>) {
        for mut bytes in [sample(), with_extension(b"TREE", b"\x004 0\naaaaaaaaaaaaaaaaaaaa")] {
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = list(&bytes);
            bytes.splice(at..at, more.iter().copied());
            let _ = list(&bytes);
            find_from_end(&bytes, bytes.len() - 20, 4, HASH);
        }
    }

    #[test]
    fn random_bytes_never_panic(version in 0u8..6, count in 0u8..4, rest: Vec<u8>) {
        let bytes = [b"DIRC\0\0\0", &[version, 0, 0, 0, count][..], &rest, &[0; 20]].concat();
        let _ = list(&bytes);
    }
}
