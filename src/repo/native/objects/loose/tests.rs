use super::*;
use crate::repo::native::objects::{Git2Store, ObjectStore};
use flate2::{Compress, Compression, FlushCompress};
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

fn id() -> Oid {
    Oid::from_hex(b"0123456789abcdef0123456789abcdef01234567").unwrap()
}

fn packed(raw: &[u8], level: u32) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(level), true);
    let mut out = Vec::with_capacity(raw.len() + 1024);
    assert_eq!(stream.compress_vec(raw, &mut out, FlushCompress::Finish).unwrap(), Status::StreamEnd);
    out
}

/// An object directory in which this file stands where the object would.
fn with(file: &[u8]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let place = place(dir.path(), &id());
    fs::create_dir(place.parent().unwrap()).unwrap();
    fs::write(place, file).unwrap();
    dir
}

fn read(dir: &Path) -> Option<Object> {
    LooseObjects::new(std::iter::once(dir)).read(&id())
}

/// What libgit2 reads there.
fn second_opinion(dir: &Path) -> Option<Object> {
    let store = Git2Store::open(dir, &[]).unwrap();
    store.loose.patience.set(0);
    store.read(&id()).ok().flatten()
}

fn object(kind: ObjectKind, data: &[u8]) -> Option<Object> {
    Some(Object { kind, data: data.to_vec() })
}

#[test]
fn objects_of_every_kind_and_size_are_read_as_libgit2_reads_them() {
    let kinds = [("commit", ObjectKind::Commit), ("tree", ObjectKind::Tree), ("blob", ObjectKind::Blob)];
    for (name, kind) in kinds.into_iter().chain([("tag", ObjectKind::Tag)]) {
        for size in [0, 1, 9, ROOM - 20, ROOM - 11, ROOM - 10, ROOM - 9, ROOM, 3 * ROOM, 20_000] {
            for level in [0, 1, 9] {
                let data: Vec<u8> = (0..size).map(|at| (at * at / 7) as u8).collect();
                let raw = [format!("{name} {size}\0").as_bytes(), &data].concat();
                let dir = with(&packed(&raw, level));
                assert_eq!(read(dir.path()), object(kind, &data), "{name} of {size} at level {level}");
                assert_eq!(second_opinion(dir.path()), object(kind, &data), "{name} of {size} at level {level}");
            }
        }
    }
}

#[test]
fn what_is_large_is_left_to_libgit2() {
    let of = |size: usize| [format!("blob {size}\0").as_bytes(), &vec![b'x'; size][..]].concat();
    assert!(read(with(&packed(&of(MOST_CONTENT), 9)).path()).is_some(), "a file of a kilobyte");
    let unpacks_large = with(&packed(&of(MOST_CONTENT + 1), 9));
    assert_eq!(read(unpacks_large.path()), None);
    let large_file = with(&packed(&of(MOST_PACKED), 0));
    assert_eq!(read(large_file.path()), None);
    for dir in [unpacks_large, large_file] {
        let store = Git2Store::open(dir.path(), &[]).unwrap();
        let (kind, size) = store.header(&id()).unwrap().unwrap();
        assert_eq!((kind, size), (ObjectKind::Blob, store.read(&id()).unwrap().unwrap().data.len() as u64));
    }
}

#[test]
fn what_is_no_whole_object_is_nothing_here() {
    let whole = packed(b"blob 3\0abc", 6);
    assert!(read(with(&whole).path()).is_some());
    for end in 0..whole.len() {
        assert_eq!(read(with(&whole[..end]).path()), None, "cut to {end}");
    }
    assert_eq!(read(with(&[&whole[..], b"x"].concat()).path()), None, "bytes behind it");
    for raw in
        ["blob 2\0abc", "blob 4\0abc", "blob 03\0abc", "blob +3\0abc", "blob\x003abc", "ball 3\0abc", "blob 3 abc", ""]
    {
        assert_eq!(read(with(&packed(raw.as_bytes(), 6)).path()), None, "{raw:?}");
    }
}

#[test]
fn an_object_is_read_once_for_its_size_and_its_content() {
    let dir = with(&packed(b"blob 3\0abc", 6));
    let store = Git2Store::open(dir.path(), &[]).unwrap();
    assert_eq!(store.header(&id()).unwrap(), Some((ObjectKind::Blob, 3)));
    fs::remove_file(place(dir.path(), &id())).unwrap();
    assert_eq!(store.read(&id()).unwrap(), object(ObjectKind::Blob, b"abc"));
    assert_eq!(store.header(&id()).unwrap(), Some((ObjectKind::Blob, 3)), "objects never change");
}

#[test]
fn who_finds_nothing_here_stops_looking_and_libgit2_finds_it_still() {
    let dir = with(&packed(b"blob 3\0abc", 6));
    let store = Git2Store::open(dir.path(), &[]).unwrap();
    let other = Oid::from_hex(&[b'7'; 40]).unwrap();
    for _ in 0..PATIENCE {
        assert_eq!(store.read(&other).unwrap(), None);
    }
    assert_eq!(store.loose.read(&id()), None, "the disk is not asked any more");
    assert_eq!(store.read(&id()).unwrap(), object(ObjectKind::Blob, b"abc"));
}

#[test]
fn a_pipe_in_place_of_an_object_keeps_nobody_waiting() {
    let dir = with(b"");
    let at = place(dir.path(), &id());
    fs::remove_file(&at).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &at, rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap();
    assert_eq!(read(dir.path()), None);
    fs::remove_file(&at).unwrap();
    fs::create_dir(&at).unwrap();
    assert_eq!(read(dir.path()), None, "nor does a directory");
}

proptest! {
    #[test]
    fn what_is_read_libgit2_reads_too(
        data: Vec<u8>, level in 0u32..10, size in 0usize..40, lies: bool, at: usize, flip: u8,
    ) {
        let size = if lies { size } else { data.len() };
        let mut file = packed(&[format!("blob {size}\0").as_bytes(), &data].concat(), level);
        let at = at % file.len();
        file[at] ^= flip;
        let dir = with(&file);
        let found = read(dir.path());
        if flip == 0 && !lies {
            prop_assert_eq!(&found, &object(ObjectKind::Blob, &data));
        }
        if found.is_some() {
            prop_assert_eq!(found, second_opinion(dir.path()));
        }
    }
}
