//! Buckets, over a store in memory that fails or changes as a test wants.

use super::*;
use crate::remote::IntoCache;
use crate::remote::tests::conforms;
use crate::remote::tests::hands::{Hands, hashes, piece_of};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error as Trouble, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use std::fs;

fn url() -> BucketUrl {
    BucketUrl::parse("s3://evidence/team").unwrap()
}

/// The error for a request, by its name; `None` if it is answered.
type Fault = dyn Fn(&'static str) -> Option<Trouble> + Send + Sync;

/// A store in memory with faults.
struct Faulty {
    inner: Arc<InMemory>,
    fault: Arc<Fault>,
    /// Whether the store has tags.
    has_tags: bool,
}

impl std::fmt::Debug for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faulty")
    }
}

impl std::fmt::Display for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faulty")
    }
}

impl Faulty {
    fn ask(&self, request: &'static str) -> object_store::Result<()> {
        (self.fault)(request).map_or(Ok(()), Err)
    }
}

type Made<'a, T> = BoxFuture<'a, object_store::Result<T>>;

impl ObjectStore for Faulty {
    fn put_opts<'a, 'b, 'c>(&'a self, at: &'b Path, bytes: PutPayload, how: PutOptions) -> Made<'c, PutResult>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async move {
            self.ask("put")?;
            let put = self.inner.put_opts(at, bytes, how).await?;
            Ok(if self.has_tags { put } else { PutResult { e_tag: None, ..put } })
        })
    }

    fn put_multipart_opts<'a, 'b, 'c>(
        &'a self,
        at: &'b Path,
        how: PutMultipartOptions,
    ) -> Made<'c, Box<dyn MultipartUpload>>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async move {
            self.ask("put")?;
            self.inner.put_multipart_opts(at, how).await
        })
    }

    fn get_opts<'a, 'b, 'c>(&'a self, at: &'b Path, how: GetOptions) -> Made<'c, GetResult>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async move {
            let is_probe = at.filename() == Some(&"0".repeat(64));
            self.ask(if is_probe {
                "open"
            } else if how.head {
                "head"
            } else {
                "get"
            })?;
            let mut got = self.inner.get_opts(at, how).await?;
            got.meta.e_tag = got.meta.e_tag.filter(|_| self.has_tags);
            Ok(got)
        })
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        match self.ask("delete") {
            Ok(()) => self.inner.delete_stream(keys),
            Err(error) => futures_util::stream::once(async { Err(error) }).boxed(),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        match self.ask("list") {
            Ok(()) => self.inner.list(prefix),
            Err(error) => futures_util::stream::once(async { Err(error) }).boxed(),
        }
    }

    fn list_with_delimiter<'a, 'b, 'c>(&'a self, _: Option<&'b Path>) -> Made<'c, ListResult>
    where
        'a: 'c,
        'b: 'c,
    {
        panic!("nothing asks for it")
    }

    fn copy_opts<'a, 'b, 'd, 'c>(&'a self, _: &'b Path, _: &'d Path, _: CopyOptions) -> Made<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        'd: 'c,
    {
        panic!("nothing asks for it")
    }
}

/// A store in memory, and the repository of a machine; both live as long as the values that use them.
struct Scratch {
    bucket: Arc<InMemory>,
    repository: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        Self::of(Arc::default())
    }

    /// Another machine at the same bucket.
    fn of(bucket: Arc<InMemory>) -> Self {
        Self { bucket, repository: tempfile::tempdir().unwrap() }
    }

    fn open(&self) -> Bucket {
        self.failing(|_| None)
    }

    fn failing(&self, fault: impl Fn(&'static str) -> Option<Trouble> + Send + Sync + 'static) -> Bucket {
        self.over(Arc::new(fault), true)
    }

    fn over(&self, fault: Arc<Fault>, has_tags: bool) -> Bucket {
        let (inner, store) = (Arc::clone(&self.bucket), Store::new(self.repository.path()));
        let open = move |_: &BucketUrl| {
            let faulty = Faulty { inner: Arc::clone(&inner), fault: Arc::clone(&fault), has_tags };
            Ok(Arc::new(faulty) as Arc<dyn ObjectStore>)
        };
        Bucket::over(url(), &store, Box::new(open))
    }

    /// The files of the cache's directory, including temporary ones.
    fn files(&self) -> Vec<PathBuf> {
        let dir = self.repository.path().join("spexcode/yatsu-blobs");
        fs::read_dir(dir).map_or(Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
    }

    /// Puts bytes under a key, as another machine or a person does.
    fn overwrite(&self, key: &Path, bytes: &[u8]) {
        let put = self.bucket.put(key, PutPayload::from(bytes.to_vec()));
        futures_util::FutureExt::now_or_never(put).unwrap().unwrap();
    }
}

fn key(hash: &EvidenceHash) -> Path {
    Path::from(format!("team/{}/{hash}", &hash.to_string()[..2]))
}

fn denied(body: &'static str) -> Trouble {
    Trouble::PermissionDenied { path: "x".to_owned(), source: body.into() }
}

fn absent(body: &'static str) -> Trouble {
    Trouble::NotFound { path: "x".to_owned(), source: body.into() }
}

#[test]
fn a_bucket_conforms() {
    conforms(&|| {
        let (bucket, machines) = (Arc::new(InMemory::new()), std::sync::Mutex::new(Vec::new()));
        Box::new(move || {
            // each machine has a repository of its own
            let machine = Scratch::of(Arc::clone(&bucket));
            let remote = machine.open();
            machines.lock().unwrap().push(machine);
            Box::new(remote)
        })
    });
}

/// A test against a foreign server, which tests/object-storage.sh starts.
#[test]
#[ignore = "needs a server, which tests/object-storage.sh starts"]
fn a_real_bucket_conforms() {
    let bucket = std::env::var("YATSU_TEST_BUCKET").expect("YATSU_TEST_BUCKET is set");
    let count = std::cell::Cell::new(0);
    conforms(&|| {
        count.set(count.get() + 1);
        let url = BucketUrl::parse(&format!("{bucket}/{}", count.get())).unwrap();
        let machines = std::sync::Mutex::new(Vec::new());
        Box::new(move || {
            let machine = Scratch::new();
            let bucket = Bucket::new(url.clone(), &Store::new(machine.repository.path()));
            machines.lock().unwrap().push(machine);
            Box::new(bucket)
        })
    });
}

#[test]
fn bytes_with_another_hash_get_no_name_in_the_cache_and_are_reported() {
    for (bytes, why) in [
        (&b"measurec"[..], "other content"),
        (b"measure", "other content"),
        (b"", "other content"),
        (b"measured and more", "it has 17 bytes, and 8 are allowed"),
    ] {
        let (scratch, piece) = (Scratch::new(), piece_of(b"measured"));
        scratch.overwrite(&key(&piece.hash), bytes);
        let (store, mut never) = (Store::new(scratch.repository.path()), |_| {});
        let withheld = scratch.open().get(&[piece.hash], 8, &mut IntoCache::new(&store, 8, &mut never)).unwrap();
        assert!(withheld[0].why.contains(why), "{withheld:?}");
        assert_eq!(scratch.files(), Vec::<PathBuf>::new());
    }
}

#[test]
fn every_failure_of_a_store_has_its_message_and_shows_no_secret() {
    let secret = "PUT https://key:hunter2@host/x?sig=hunter2 503\n\u{1b}[31m";
    let cases: [(fn(&'static str) -> Trouble, &str); 7] = [
        (|text| Trouble::Generic { store: "S3", source: text.into() }, "cannot be reached: "),
        (|_| Trouble::Generic { store: "S3", source: "scheme is not allowed".into() }, "plain http is spoken only"),
        (|_| denied("403 InvalidAccessKeyId"), "does not let us: "),
        (|_| denied("403 AccessDenied: not authorized to perform: s3:GetObject"), "does not let us: "),
        (|_| absent("404 <Code>NoSuchBucket</Code>"), "cannot be asked: there is no such bucket"),
        (|_| Trouble::NotImplemented { operation: "x".into(), implementer: "y".into() }, "answers what makes no sense"),
        (|text| Trouble::Unauthenticated { path: "x".into(), source: text.into() }, "does not let us: "),
    ];
    for (trouble, message) in cases {
        let error = Scratch::new().failing(move |_| Some(trouble(secret))).has(&[piece_of(b"x").hash]).unwrap_err();
        assert!(error.message.contains("s3://evidence/team ") && error.message.contains(message), "{error}");
        assert!(!error.message.contains("hunter2") && !error.message.contains(char::is_control), "{error}");
        assert_eq!((error.kind.exit_code(), error.hints.len()), (3, 1), "{error}");
    }
    let none = Bucket::over(
        url(),
        &Store::new(tempfile::tempdir().unwrap().path()),
        Box::new(|_| Err(Trouble::Generic { store: "S3", source: "no region".into() })),
    )
    .has(&[])
    .unwrap_err();
    assert!(none.message.contains("cannot be asked: ") && none.message.contains("no region"), "{none}");
}

#[test]
fn after_a_failure_the_next_request_goes_on() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let count = std::sync::atomic::AtomicUsize::new(0);
    let once = move |request| {
        let is_second = request == "put" && count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1;
        is_second.then(|| denied("an hour too late"))
    };
    let (mut remote, pieces) = (scratch.failing(once), hands.pieces("there", 3));
    assert!(remote.put(&pieces, &mut hands).unwrap_err().message.contains("an hour too late"));
    assert_eq!(remote.has(&hashes(&pieces[..1])).unwrap(), [Held::Proven { size: pieces[0].size }]);
    assert_eq!(remote.put(&pieces, &mut hands).unwrap().refused, []);
}

#[test]
fn a_bucket_that_may_not_be_listed_says_so_and_expires_nothing() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let mut remote = scratch.failing(|request| (request == "list").then(|| denied("s3:ListBucket")));
    let pieces = hands.pieces("there", 3);
    remote.put(&pieces, &mut hands).unwrap();
    let Listed::Partly(why) = remote.list(&mut |_| panic!("nothing is seen")).unwrap() else { panic!() };
    assert!(why[0].contains("s3://evidence/team") && why[0].contains("s3:ListBucket"), "{why:?}");
    let error = remote.expire(Month::new(9999, 1).unwrap(), &mut |_| false, false).unwrap_err();
    assert!(error.message.contains("nothing was deleted"), "{error}");
    assert_eq!(remote.has(&hashes(&pieces)).unwrap().len(), 3);
}

#[test]
fn without_the_right_to_list_a_denied_object_counts_as_absent() {
    let mut hands = Hands::new();
    let piece = hands.piece(b"measured");
    let scratch = Scratch::new();
    let mut remote = scratch.failing(|_| Some(denied("403 <Code>AccessDenied</Code> s3:ListBucket")));
    assert_eq!(remote.has(&[piece.hash]).unwrap(), [Held::No]);
    assert_eq!(remote.get(&[piece.hash], 8, &mut hands).unwrap()[0].why, "it has nothing of that name");
    assert!(remote.put(&[piece], &mut hands).unwrap_err().message.contains("does not let us"));
}

#[test]
fn every_sent_byte_is_reported_once_also_in_parts() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let mut pieces = hands.pieces("there", 20);
    pieces.push(hands.piece(&vec![b'x'; (8 << 20) + 1]));
    scratch.open().put(&pieces, &mut hands).unwrap();
    assert_eq!(hands.done, pieces.iter().map(|piece| piece.size).sum::<u64>());
    scratch.open().put(&pieces, &mut hands).unwrap();
    assert_eq!(hands.done, pieces.iter().map(|piece| piece.size).sum::<u64>(), "what is there is not sent");
}

#[test]
fn a_probe_says_which_step_it_was_that_failed() {
    let refuses = |wanted: &'static str, trouble: fn() -> Trouble, message: &str| {
        let scratch = Scratch::new();
        let error = scratch.failing(move |request| (request == wanted).then(trouble)).probe().unwrap_err();
        assert!(error.message.contains(message), "{message}: {error}");
        assert_eq!(scratch.files(), Vec::<PathBuf>::new());
    };
    refuses("open", || absent("NoSuchBucket"), "no such bucket");
    refuses("put", || denied("no"), "nothing can be put there");
    refuses("head", || denied("no"), "cannot be asked for");
    refuses("get", || denied("no"), "cannot be read");
    refuses("get", || absent("no"), "does not give back");
    refuses("delete", || denied("no"), "cannot be deleted");
}

#[test]
fn a_piece_that_is_missing_here_is_refused_and_the_others_go() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let pieces = [hands.piece(b"here"), piece_of(b"not here"), hands.piece(b"here too")];
    let receipt = scratch.open().put(&pieces, &mut hands).unwrap();
    assert_eq!(receipt.sent, [pieces[0], pieces[2]]);
    assert_eq!(receipt.refused, [(pieces[1], "it vanished".to_owned())]);
}

#[test]
fn a_file_that_changed_is_not_sent_also_in_parts() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    for size in [8, (8 << 20) + 1] {
        let piece = piece_of(&vec![b'x'; size]);
        for other in [vec![b'y'; size], vec![b'x'; size - 1], vec![b'x'; size + 1], vec![b'x'; 20 << 20]] {
            fs::write(hands.path(&piece.hash), &other).unwrap();
            let refused = scratch.open().put(&[piece], &mut hands).unwrap().refused;
            assert_eq!(refused, [(piece, "the file here changed while it was sent".to_owned())]);
        }
    }
    scratch.open().list(&mut |piece| panic!("{piece:?}")).unwrap();
}

#[test]
fn an_object_of_a_wrong_size_under_our_name_is_replaced() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    for size in [8, (8 << 20) + 1] {
        let piece = hands.piece(&vec![b'x'; size]);
        scratch.overwrite(&key(&piece.hash), b"poison");
        assert_eq!(scratch.open().put(&[piece], &mut hands).unwrap().sent, [piece]);
        assert_eq!(scratch.open().has(&[piece.hash]).unwrap(), [Held::Proven { size: size as u64 }]);
    }
}

#[test]
fn a_list_shows_pieces_alone_and_a_deletion_can_ask_for_their_time() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let piece = hands.piece(b"measured");
    let mut remote = scratch.open();
    remote.put(&[piece], &mut hands).unwrap();
    let hash = piece.hash;
    for other in [format!("team/00/{hash}"), format!("team/{hash}"), "team/README".into(), "other/x".into()] {
        scratch.overwrite(&Path::from(other), b"x");
    }
    let mut seen = Vec::new();
    assert_eq!(remote.show(&mut |piece, time| seen.push((piece, time))).unwrap(), Listed::Whole);
    let [(shown, time)] = seen[..] else { panic!("{seen:?}") };
    assert_eq!(shown, piece);
    assert_eq!(remote.take_away(&[(hash, Some(time - 1))]).unwrap(), [false], "it was put again since");
    assert_eq!(remote.take_away(&[(hash, Some(time)), (hash, None)]).unwrap(), [true, true]);
    assert_eq!(remote.has(&[hash]).unwrap(), [Held::No]);
}

/// Whether each piece is proven for a new process of this machine.
fn proven(scratch: &Scratch, pieces: &[Piece]) -> Vec<bool> {
    let held = scratch.open().has(&hashes(pieces)).unwrap();
    held.iter().map(|held| matches!(held, Held::Proven { .. })).collect()
}

#[test]
fn a_receipt_proves_a_piece_until_another_version_of_it_is_there() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let pieces = hands.pieces("there", 3);
    scratch.open().put(&pieces, &mut hands).unwrap();
    assert_eq!(proven(&scratch, &pieces), [true; 3], "a receipt of this machine");
    // another machine replaces a piece by other bytes of the same size
    scratch.overwrite(&key(&pieces[1].hash), b"thero 1");
    assert_eq!(proven(&scratch, &pieces), [true, false, true], "another version is another thing");
    let mut remote = scratch.open();
    assert_eq!(remote.get(&[pieces[1].hash], 100, &mut hands).unwrap().len(), 1);
    assert_eq!(proven(&scratch, &pieces), [true, false, true], "it was read and is wrong");
    assert_eq!(remote.would_put(&pieces[1..2]).unwrap().sent, [pieces[1]], "a wrong object is replaced");
    assert_eq!(remote.put(&pieces, &mut hands).unwrap().sent, [pieces[1]]);
    assert_eq!(proven(&scratch, &pieces), [true; 3]);
    // another machine has no receipt before its first read
    let elsewhere = Scratch::of(Arc::clone(&scratch.bucket));
    assert_eq!(proven(&elsewhere, &pieces), [false; 3]);
    elsewhere.open().get(&hashes(&pieces[..2]), 100, &mut hands).unwrap();
    assert_eq!(proven(&elsewhere, &pieces), [true, true, false]);
    elsewhere.open().delete(&[pieces[0].hash], "a test").unwrap();
    assert_eq!(proven(&elsewhere, &pieces), [false, true, false]);
}

#[test]
fn a_memo_of_receipts_that_is_damaged_or_of_another_bucket_proves_nothing() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let pieces = hands.pieces("there", 2);
    scratch.open().put(&pieces, &mut hands).unwrap();
    let path = scratch.repository.path().join("yatsu/receipts-1");
    let text = fs::read_to_string(&path).unwrap();
    let count = |text: &str| {
        fs::write(&path, text).unwrap();
        proven(&scratch, &pieces).into_iter().filter(|is_proven| *is_proven).count()
    };
    assert_eq!(count(&text), 2);
    assert_eq!(count(&text[..text.len() - 2]), 1, "cut off");
    assert_eq!(count(&text.replace("s3://evidence/team", "s3://evidence/other")), 0);
    for wrong in ["", "\n", "nonsense", &text.replace(' ', "  "), &text.to_uppercase()] {
        assert_eq!(count(wrong), 0, "{wrong}");
    }
}

#[test]
fn a_store_without_versions_proves_for_this_run_alone() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let piece = hands.piece(b"measured");
    let open = || scratch.over(Arc::new(|_| None), false);
    let mut bucket = open();
    bucket.put(&[piece], &mut hands).unwrap();
    assert_eq!(bucket.has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }]);
    assert!(matches!(open().has(&[piece.hash]).unwrap()[..], [Held::Said { .. }]));
}

#[test]
fn a_version_changes_with_each_put() {
    let of = |tag: &str, version: &str| stored_version(Some(tag), Some(version)).unwrap();
    assert_eq!(of("\"abc\"", "1"), of("abc", "1"), "some answers quote the tag and some do not");
    assert_ne!(of("abc", "1"), of("abc", "2"));
    assert_ne!(of("abc", ""), of("", "abc"));
    assert_eq!((stored_version(None, None), stored_version(Some("\"\""), None)), (None, None));
}
