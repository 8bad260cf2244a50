use super::super::Store;
use super::*;
use std::io::Cursor;
use std::os::unix::fs::{PermissionsExt, symlink};

struct Fixture {
    scratch: tempfile::TempDir,
    store: Store,
    cache: Cache,
}

fn fixture() -> Fixture {
    let scratch = tempfile::tempdir().unwrap();
    let (store, cache) = (Store::new(scratch.path()), Cache::new(scratch.path()));
    Fixture { scratch, store, cache }
}

fn text(content: &[u8]) -> Source {
    Source::stream("standard input", Box::new(Cursor::new(content.to_vec())))
}

impl Fixture {
    fn put(&self, content: &[u8]) -> Result<EvidenceHash> {
        let right = self.store.share_evidence().unwrap();
        self.cache.put(&right, text(content), Expect::Any).map(|(hash, _)| hash)
    }

    /// Writes a file there without the write protocol, which is too slow to repeat a thousand times.
    fn place(&self, content: &[u8]) -> EvidenceHash {
        let hash = EvidenceHash(Sha256::digest(content).into());
        std::fs::write(self.path(&hash), content).unwrap();
        hash
    }

    fn path(&self, hash: &EvidenceHash) -> PathBuf {
        self.scratch.path().join(PARENT).join(OLDER).join(hash.to_string())
    }

    fn overwrite(&self, hash: &EvidenceHash, content: &[u8]) {
        std::fs::remove_file(self.path(hash)).unwrap();
        std::fs::write(self.path(hash), content).unwrap();
    }

    fn get(&self, hash: &EvidenceHash) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.cache.get(hash, &mut out).map(|_| out)
    }

    fn files(&self) -> usize {
        let dir = self.scratch.path().join(PARENT).join(OLDER);
        std::fs::read_dir(dir).map_or(0, Iterator::count)
    }
}

#[test]
fn what_was_put_is_there_under_its_hash_read_only() {
    let fixture = fixture();
    let hash = fixture.put(b"measured").unwrap();
    assert_eq!(hash.to_string(), sha256sum(b"measured"));
    assert_eq!(fixture.get(&hash).unwrap(), b"measured");
    assert_eq!(std::fs::metadata(fixture.path(&hash)).unwrap().permissions().mode() & 0o222, 0);
    assert_eq!(fixture.put(b"measured").unwrap(), hash);
    assert_eq!(fixture.files(), 1);
}

/// The hash as the system's `sha256sum` computes it.
fn sha256sum(content: &[u8]) -> String {
    let scratch = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(scratch.path(), content).unwrap();
    let out = std::process::Command::new("sha256sum").arg(scratch.path()).output().unwrap();
    String::from_utf8(out.stdout).unwrap()[..64].to_owned()
}

#[test]
fn storing_again_freshens_the_age_and_heals_corruption() {
    let fixture = fixture();
    let hash = fixture.put(b"measured").unwrap();
    let old = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    fixture.overwrite(&hash, b"measured");
    std::fs::File::open(fixture.path(&hash)).unwrap().set_times(old).unwrap();
    fixture.put(b"measured").unwrap();
    assert!(fixture.cache.ls().unwrap()[0].mtime_millis > 0);
    fixture.overwrite(&hash, b"measurec");
    assert!(fixture.get(&hash).unwrap_err().message.contains("corrupt"));
    fixture.put(b"measured").unwrap();
    assert_eq!(fixture.get(&hash).unwrap(), b"measured");
}

#[test]
fn every_flipped_bit_is_found() {
    let fixture = fixture();
    fixture.put(b"the first").unwrap();
    let hashes: Vec<_> = (1..1000u32).map(|n| fixture.place(format!("result {n}").as_bytes())).collect();
    assert_eq!(fixture.cache.check().unwrap(), (1000, vec![]));
    for (n, hash) in hashes.iter().enumerate() {
        let mut bytes = std::fs::read(fixture.path(hash)).unwrap();
        let at = n % bytes.len();
        bytes[at] ^= 1 << (n % 8);
        fixture.overwrite(hash, &bytes);
    }
    let (seen, corrupt) = fixture.cache.check().unwrap();
    assert_eq!((seen, corrupt.len()), (1000, 999));
    assert!(corrupt.iter().all(|one| one.actual.as_ref().is_ok_and(|actual| *actual != one.expected)));
}

#[test]
fn the_newer_directory_is_read_too() {
    let fixture = fixture();
    let hash = fixture.put(b"elsewhere").unwrap();
    let newer = fixture.scratch.path().join(PARENT).join(NEWER);
    std::fs::create_dir(&newer).unwrap();
    std::fs::rename(fixture.path(&hash), newer.join(hash.to_string())).unwrap();
    assert_eq!(fixture.get(&hash).unwrap(), b"elsewhere");
    assert_eq!(fixture.cache.ls().unwrap().len(), 1);
    assert_eq!(fixture.cache.ls_own().unwrap().len(), 0);
}

#[test]
fn missing_bytes_are_said_to_be_missing() {
    let error = fixture().get(&EvidenceHash([7; 32])).unwrap_err();
    assert!(error.message.contains("miss original file"), "{error}");
}

#[test]
fn refused_sources_leave_nothing_behind() {
    let fixture = fixture();
    let right = fixture.store.share_evidence().unwrap();
    let fail = |source, expect| fixture.cache.stage(&right, source, expect).map(drop).unwrap_err().message;
    assert!(fail(text(b""), Expect::Result).contains("is empty"));
    assert!(fail(text(b"a text"), Expect::Image).contains("PNG"));
    assert!(fail(text(b"a text"), Expect::Video).contains("WebM"));
    assert!(fail(text(b"[]"), Expect::Timeline).contains("timeline"));
    assert_eq!(fixture.files(), 0);
}

#[test]
fn only_regular_files_are_sources() {
    let scratch = tempfile::tempdir().unwrap();
    let fifo = scratch.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let message = |path: &Path| Source::file(path).map(drop).unwrap_err().message;
    assert!(message(&fifo).contains("a FIFO"));
    assert!(message(Path::new("/dev/zero")).contains("a device"));
    assert!(message(scratch.path()).contains("a directory"));
    assert!(message(&scratch.path().join("none")).contains("cannot read"));
    let big = std::fs::File::create(scratch.path().join("big")).unwrap();
    big.set_len(source::MAX_BLOB + 1).unwrap();
    assert!(message(&scratch.path().join("big")).contains("2 GiB"));
}

#[test]
fn a_file_that_grows_while_it_is_read_is_refused() {
    let fixture = fixture();
    let path = fixture.scratch.path().join("log");
    std::fs::write(&path, "begin").unwrap();
    let source = Source::file(&path).unwrap();
    let grow = path.clone();
    let source = source.with_progress(Box::new(move |_| std::fs::write(&grow, "begin and end").unwrap()));
    let right = fixture.store.share_evidence().unwrap();
    let error = fixture.cache.stage(&right, source, Expect::Result).map(drop).unwrap_err();
    assert!(error.message.contains("changed while it was read"), "{error}");
    assert_eq!(fixture.files(), 0);
}

#[test]
fn a_stream_that_breaks_leaves_nothing() {
    let fixture = fixture();
    let right = fixture.store.share_evidence().unwrap();
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    let source = Source::stream("standard input", Box::new(text(b"begin").reader.chain(Broken)));
    assert!(fixture.cache.stage(&right, source, Expect::Any).map(drop).unwrap_err().message.contains("gone"));
    assert_eq!(fixture.files(), 0);
}

#[test]
fn evidence_directories_that_are_not_ours_are_refused() {
    let refuse = |prepare: &dyn Fn(&Path), reason: &str| {
        let fixture = fixture();
        prepare(fixture.scratch.path());
        let error = fixture.put(b"x").unwrap_err();
        assert!(error.message.contains(reason), "{error}");
        assert!(fixture.cache.ls().unwrap_err().message.contains(reason));
    };
    let own = |base: &Path| base.join(PARENT).join(OLDER);
    let parent = |base: &Path| std::fs::create_dir(base.join(PARENT)).unwrap();
    refuse(&|base| symlink("/tmp", base.join(PARENT)).unwrap(), "symbolic link");
    refuse(&|base| (parent(base), symlink("/tmp", own(base)).unwrap()).1, "symbolic link");
    refuse(&|base| (parent(base), std::fs::write(own(base), "x").unwrap()).1, "not a directory");
    let sealed = |base: &Path| {
        std::fs::create_dir_all(own(base)).unwrap();
        std::fs::set_permissions(own(base), std::fs::Permissions::from_mode(0o000)).unwrap();
    };
    if rustix::process::geteuid().is_root() {
        refuse(&sealed, "has mode 000");
        let foreign = |base: &Path| {
            std::fs::create_dir_all(own(base)).unwrap();
            std::os::unix::fs::chown(own(base), Some(4242), None).unwrap();
        };
        refuse(&foreign, "belongs to user 4242");
    } else {
        refuse(&sealed, "ermission denied");
    }
}

#[test]
fn a_name_that_is_a_link_is_replaced_not_followed() {
    let fixture = fixture();
    let hash = fixture.put(b"true").unwrap();
    let victim = fixture.scratch.path().join("victim");
    std::fs::write(&victim, "victim").unwrap();
    std::fs::remove_file(fixture.path(&hash)).unwrap();
    symlink(&victim, fixture.path(&hash)).unwrap();
    assert!(fixture.get(&hash).unwrap_err().message.contains("symbolic link"));
    fixture.put(b"true").unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"victim");
    assert_eq!(fixture.get(&hash).unwrap(), b"true");
}

#[test]
fn a_cache_is_empty_until_one_piece_is_in_either_of_its_directories() {
    for dir in [OLDER, NEWER] {
        let fixture = fixture();
        assert!(fixture.cache.is_empty().unwrap() && !fixture.cache.exists().unwrap());
        let home = fixture.scratch.path().join(PARENT).join(dir);
        std::fs::create_dir_all(&home).unwrap();
        for other in [".tmp-1234", "README", &"F".repeat(64), &"f".repeat(63)] {
            std::fs::write(home.join(other), "x").unwrap();
        }
        assert!(fixture.cache.exists().unwrap() && fixture.cache.is_empty().unwrap(), "what is no piece is none");
        std::fs::write(home.join("f".repeat(64)), "x").unwrap();
        assert!(!fixture.cache.is_empty().unwrap(), "{dir}");
    }
}
