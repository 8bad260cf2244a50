use super::*;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use sha2::{Digest, Sha256};
use std::sync::Mutex;
use yatsu_hook::model::ledger::EvidenceHash;
use yatsu_hook::remote::bucket::wire::StoredVersion;

/// A conversation about a store, line by line.
struct Talk {
    ask: UnboundedSender<String>,
    heard: UnboundedReceiver<String>,
    scratch: tempfile::TempDir,
}

/// Passes on every written line.
struct Lines(UnboundedSender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let line = String::from_utf8(bytes.to_vec()).unwrap();
        let _ = self.0.send(line.trim_end().to_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Talk {
    async fn begin(store: Arc<dyn ObjectStore>) -> Self {
        let (ask, lines) = unbounded_channel();
        let (written, heard) = unbounded_channel();
        let open: OpenStore = Box::new(move |_| Ok(Arc::clone(&store)));
        tokio::spawn(serve(lines, Box::new(Lines(written)), open));
        let mut talk = Self { ask, heard, scratch: tempfile::tempdir().unwrap() };
        assert_eq!(talk.ask(GREETING).await, GREETING);
        talk
    }

    /// A conversation about the bucket that the tests use.
    async fn with(store: Arc<dyn ObjectStore>) -> Self {
        let mut talk = Self::begin(store).await;
        assert_eq!(talk.ask("probe s3://evidence/team").await, "ok");
        talk
    }

    async fn ask(&mut self, line: &str) -> String {
        self.ask.send(line.to_owned()).unwrap();
        self.hear().await
    }

    /// The answer without its version, which is different each time.
    async fn told(&mut self, line: &str) -> String {
        let answer = self.ask(line).await;
        without_version(&answer).unwrap_or_else(|| panic!("{answer} has no version")).to_owned()
    }

    async fn hear(&mut self) -> String {
        loop {
            let line = self.heard.recv().await.unwrap();
            if !line.starts_with("busy") {
                return line;
            }
        }
    }

    /// Writes a file with these bytes, and returns its path in hex.
    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.scratch.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.scratch.path().join(name)).unwrap()
    }
}

fn without_version(answer: &str) -> Option<&str> {
    let (first, version) = answer.rsplit_once(' ')?;
    StoredVersion::parse(version).map(|_| first)
}

fn hash(bytes: &[u8]) -> EvidenceHash {
    EvidenceHash(Sha256::digest(bytes).into())
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(test);
}

#[test]
fn a_piece_goes_and_comes_under_its_key_also_in_parts() {
    run(async {
        let store = Arc::new(InMemory::new());
        let mut talk = Talk::with(store.clone()).await;
        for size in [0, 1, 8 << 20, (8 << 20) + 1, 20 << 20] {
            let bytes = vec![b'x'; size];
            let (hash, file, back) = (hash(&bytes), talk.file("from", &bytes), talk.file("to", b"old"));
            assert_eq!(talk.ask(&format!("has {hash}")).await, "absent");
            assert_eq!(talk.told(&format!("put {hash} {size} {file}")).await, "ok sent");
            assert_eq!(talk.ask(&format!("put {hash} {size} {file}")).await, "ok there");
            assert_eq!(talk.told(&format!("has {hash}")).await, format!("ok {size}"));
            assert_eq!(talk.told(&format!("get {hash} {size} {back}")).await, format!("ok {size}"));
            assert!(talk.read("to") == bytes);
            let key = Path::from(format!("team/{}/{hash}", &hash.to_string()[..2]));
            assert_eq!(store.head(&key).await.unwrap().size, size as u64);
            if size > 0 {
                let less = talk.ask(&format!("get {hash} {} {back}", size - 1)).await;
                assert_eq!(less, format!("no it has {size} bytes, and {} are allowed", size - 1));
            }
            assert_eq!(talk.ask(&format!("delete {hash}")).await, "ok");
            assert_eq!(talk.ask(&format!("delete {hash}")).await, "absent");
            assert_eq!(talk.ask(&format!("get {hash} {size} {back}")).await, "absent");
        }
    });
}

#[test]
fn a_version_is_told_the_same_until_something_else_is_put_there() {
    run(async {
        let store = Arc::new(InMemory::new());
        let mut talk = Talk::with(store.clone()).await;
        for size in [8, (8 << 20) + 1] {
            let bytes = vec![b'x'; size];
            let (hash, file, back) = (hash(&bytes), talk.file("from", &bytes), talk.file("to", b"old"));
            let put = talk.ask(&format!("put {hash} {size} {file}")).await;
            let version = put.strip_prefix("ok sent ").unwrap().to_owned();
            for _ in 0..2 {
                assert_eq!(talk.ask(&format!("has {hash}")).await, format!("ok {size} {version}"));
                assert_eq!(talk.ask(&format!("get {hash} {size} {back}")).await, format!("ok {size} {version}"));
            }
            let key = Path::from(format!("team/{}/{hash}", &hash.to_string()[..2]));
            store.put(&key, PutPayload::from(vec![b'y'; size])).await.unwrap();
            let has = talk.ask(&format!("has {hash}")).await;
            assert!(has.starts_with(&format!("ok {size} ")) && !has.ends_with(&version), "{has}");
        }
    });
}

#[test]
fn a_file_that_is_not_the_piece_is_not_sent() {
    run(async {
        let store = Arc::new(InMemory::new());
        let mut talk = Talk::with(store.clone()).await;
        for size in [8, (8 << 20) + 1] {
            let bytes = vec![b'x'; size];
            let hash = hash(&bytes);
            for other in [vec![b'y'; size], vec![b'x'; size - 1], vec![b'x'; size + 1], vec![b'x'; 20 << 20]] {
                let file = talk.file("from", &other);
                let said = talk.ask(&format!("put {hash} {size} {file}")).await;
                assert_eq!(said, "fail local the file here changed while it was sent");
            }
            let said = talk.ask(&format!("put {hash} {size} 2f6e6f6e65")).await;
            assert!(said.starts_with("fail local /none"), "{said}");
        }
        assert_eq!(talk.ask("list").await, "ok 0");
    });
}

#[test]
fn what_has_our_name_and_another_size_is_put_right() {
    run(async {
        let store = Arc::new(InMemory::new());
        let mut talk = Talk::with(store.clone()).await;
        for size in [8, (8 << 20) + 1] {
            let bytes = vec![b'x'; size];
            let (hash, file) = (hash(&bytes), talk.file("from", &bytes));
            let key = Path::from(format!("team/{}/{hash}", &hash.to_string()[..2]));
            store.put(&key, PutPayload::from_static(b"poison")).await.unwrap();
            assert_eq!(talk.told(&format!("put {hash} {size} {file}")).await, "ok sent");
            assert_eq!(talk.told(&format!("has {hash}")).await, format!("ok {size}"));
        }
    });
}

#[test]
fn a_list_shows_pieces_alone_and_a_deletion_can_ask_for_their_time() {
    run(async {
        let store = Arc::new(InMemory::new());
        let mut talk = Talk::with(store.clone()).await;
        let (piece, file) = (hash(b"measured"), talk.file("from", b"measured"));
        assert_eq!(talk.told(&format!("put {piece} 8 {file}")).await, "ok sent");
        for other in
            [format!("team/00/{piece}"), format!("team/{piece}"), "team/README".to_owned(), "other/x".to_owned()]
        {
            store.put(&Path::from(other), PutPayload::from_static(b"x")).await.unwrap();
        }
        let shown = talk.ask("list").await;
        let time = shown.strip_prefix(&format!("piece {piece} 8 ")).unwrap_or_else(|| panic!("{shown}"));
        assert_eq!(talk.hear().await, "ok 1");
        assert_eq!(talk.ask(&format!("delete {piece} 17")).await, "no it was put again since");
        assert_eq!(talk.ask(&format!("delete {piece} {time}")).await, "ok");
    });
}

#[test]
fn many_questions_are_answered_in_their_order() {
    run(async {
        let mut talk = Talk::with(Arc::new(InMemory::new())).await;
        for number in 0..200u32 {
            let bytes = vec![b'x'; number as usize];
            let file = talk.file(&number.to_string(), &bytes);
            talk.ask.send(format!("put {} {number} {file}", hash(&bytes))).unwrap();
            talk.ask.send(format!("has {}", hash(format!("absent {number}").as_bytes()))).unwrap();
        }
        for number in 0..200 {
            let (put, has) = (talk.hear().await, talk.hear().await);
            assert_eq!((without_version(&put), &*has), (Some("ok sent"), "absent"), "{number}");
        }
    });
}

#[test]
fn a_question_that_makes_no_sense_has_an_answer() {
    run(async {
        let mut talk = Talk::begin(Arc::new(InMemory::new())).await;
        let early = talk.ask(&format!("has {}", hash(b"x"))).await;
        assert!(early.starts_with("fail protocol"), "{early}");
        for line in ["", "hello", "get x 1 2f", "probe http://host/x", "has ../../x"] {
            assert_eq!(talk.ask(line).await, "fail protocol a line that is no question", "{line}");
        }
    });
}

#[test]
fn another_version_hears_which_one_this_is() {
    run(async {
        let (ask, lines) = unbounded_channel();
        let (written, mut heard) = unbounded_channel();
        ask.send("yatsu-cloud 3".to_owned()).unwrap();
        let served = serve(lines, Box::new(Lines(written)), Box::new(|_| Err(String::new()))).await;
        assert!(served.unwrap_err().contains("update both"));
        assert_eq!(heard.recv().await.unwrap(), GREETING);
    });
}

/// A store in which every request fails with the made error.
struct Failing(Mutex<Box<dyn FnMut() -> Error + Send>>);

impl std::fmt::Debug for Failing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Failing")
    }
}

impl std::fmt::Display for Failing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Failing")
    }
}

impl Failing {
    fn fail(&self) -> Error {
        self.0.lock().unwrap()()
    }
}

type Made<'a, T> = std::pin::Pin<Box<dyn Future<Output = object_store::Result<T>> + Send + 'a>>;

impl ObjectStore for Failing {
    fn put_opts<'a, 'b, 'c>(&'a self, _: &'b Path, _: PutPayload, _: PutOptions) -> Made<'c, PutResult>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async { Err(self.fail()) })
    }

    fn put_multipart_opts<'a, 'b, 'c>(
        &'a self,
        _: &'b Path,
        _: PutMultipartOptions,
    ) -> Made<'c, Box<dyn MultipartUpload>>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async { Err(self.fail()) })
    }

    fn get_opts<'a, 'b, 'c>(&'a self, _: &'b Path, _: GetOptions) -> Made<'c, GetResult>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async { Err(self.fail()) })
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        let error = self.fail();
        futures_util::StreamExt::boxed(futures_util::stream::once(async { Err(error) }))
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        let error = self.fail();
        futures_util::StreamExt::boxed(futures_util::stream::once(async { Err(error) }))
    }

    fn list_with_delimiter<'a, 'b, 'c>(&'a self, _: Option<&'b Path>) -> Made<'c, ListResult>
    where
        'a: 'c,
        'b: 'c,
    {
        Box::pin(async { Err(self.fail()) })
    }

    fn copy_opts<'a, 'b, 'd, 'c>(&'a self, _: &'b Path, _: &'d Path, _: CopyOptions) -> Made<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        'd: 'c,
    {
        Box::pin(async { Err(self.fail()) })
    }
}

fn failing(make: impl FnMut() -> Error + Send + 'static) -> Arc<dyn ObjectStore> {
    Arc::new(Failing(Mutex::new(Box::new(make))))
}

fn denied(body: &'static str) -> impl FnMut() -> Error + Send {
    move || Error::PermissionDenied { path: "x".to_owned(), source: body.into() }
}

#[test]
fn every_kind_of_failure_has_its_word_and_no_secret() {
    run(async {
        let generic =
            || Error::Generic { store: "S3", source: "PUT https://key:hunter2@host/x?sig=hunter2 503".into() };
        let gone = |body: &'static str| move || Error::NotFound { path: "x".to_owned(), source: body.into() };
        let cases = [
            (failing(generic), "retry "),
            (failing(denied("403 InvalidAccessKeyId")), "fail denied "),
            (failing(denied("403 AccessDenied: not authorized to perform: s3:GetObject")), "fail denied "),
            (failing(gone("404 <Code>NoSuchBucket</Code>")), "fail config there is no such bucket"),
            (failing(gone("404 <Code>NoSuchKey</Code>")), "ok"),
        ];
        for (store, told) in cases {
            let said = Talk::begin(store).await.ask("probe s3://evidence").await;
            assert!(said.starts_with(told) && !said.contains("hunter2"), "{said}");
        }
        let open: OpenStore = Box::new(|_| Err("no region".to_owned()));
        let (ask, lines) = unbounded_channel();
        let (written, mut heard) = unbounded_channel();
        tokio::spawn(serve(lines, Box::new(Lines(written)), open));
        ask.send(GREETING.to_owned()).unwrap();
        ask.send("probe s3://evidence".to_owned()).unwrap();
        assert_eq!(heard.recv().await.unwrap(), GREETING);
        assert_eq!(heard.recv().await.unwrap(), "fail config no region");
    });
}

#[test]
fn where_nothing_may_be_listed_what_is_denied_is_absent() {
    run(async {
        let mut talk = Talk::with(failing(denied("403 <Code>AccessDenied</Code> s3:ListBucket"))).await;
        let (absent, to) = (hash(b"x"), talk.file("to", b""));
        assert_eq!(talk.ask(&format!("has {absent}")).await, "absent");
        assert_eq!(talk.ask(&format!("get {absent} 8 {to}")).await, "absent");
        assert!(talk.ask("list").await.starts_with("fail denied"));
        let put = talk.file("from", b"x");
        assert!(talk.ask(&format!("put {absent} 1 {put}")).await.starts_with("fail denied"));
    });
}
