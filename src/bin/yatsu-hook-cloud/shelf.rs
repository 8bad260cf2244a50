//! The work on one bucket: the answer to each question. Keys are built from hashes alone.

use futures_util::StreamExt;
use object_store::path::{Path, PathPart};
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload, PutResult, WriteMultipart};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;
use yatsu_hook::model::ledger::EvidenceHash;
use yatsu_hook::remote::bucket::wire::{CloudAnswer, CloudQuestion, CloudTrouble, StoredVersion};
use yatsu_hook::remote::{BucketUrl, Piece};
use yatsu_hook::text::scrub::scrub;

/// The size of a part. Larger pieces are sent in parts.
const PART: usize = 8 << 20;
/// How many parts of one piece are sent at once.
const PARTS: usize = 3;
/// How many questions are worked on at once.
const AT_ONCE: usize = 8;

/// The number of bytes moved for a question.
pub type Work = Arc<AtomicU64>;

/// A bucket, from its prefix on.
pub struct Shelf {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Whether listing is not allowed. Such a store answers "denied" for an object that does not exist.
    is_blind: AtomicBool,
    turns: Semaphore,
    /// Only one piece is sent in parts at a time, because each has several parts in memory.
    large: Semaphore,
}

impl Shelf {
    pub fn new(store: Arc<dyn ObjectStore>, url: &BucketUrl) -> Self {
        let prefix = Path::from_iter(url.prefix().iter().map(|part| PathPart::from(part.as_str())));
        let (turns, large) = (Semaphore::new(AT_ONCE), Semaphore::new(1));
        Self { store, prefix, is_blind: AtomicBool::new(false), turns, large }
    }

    /// Works on one question and sends its answers. The last answer ends the question.
    pub async fn answer(&self, question: CloudQuestion, work: &Work, to: &Sender<CloudAnswer>) {
        let Ok(_turn) = self.turns.acquire().await else { return };
        let done = match question {
            CloudQuestion::Probe(_) => self.probe().await,
            CloudQuestion::Has(hash) => self.head(&hash).await.map(|meta| meta.map_or(CloudAnswer::Absent, stored)),
            CloudQuestion::Get { hash, cap, file } => self.get(&hash, cap, &file, work).await,
            CloudQuestion::Put { piece, file } => self.put(&piece, &file, work).await,
            CloudQuestion::Delete { hash, put } => self.delete(&hash, put).await,
            CloudQuestion::List => self.list(to).await,
        };
        // an error means that the receiver is gone and the process is about to end
        let _ = to.send(done.unwrap_or_else(|trouble| trouble)).await;
    }

    fn key(&self, hash: &EvidenceHash) -> Path {
        let hex = hash.to_string();
        self.prefix.clone().join(&hex[..2]).join(hex.as_str())
    }

    /// Whether the bucket exists and can be read: tries to read a name that no piece has.
    async fn probe(&self) -> Result<CloudAnswer, CloudAnswer> {
        match self.store.get(&self.key(&EvidenceHash([0; 32]))).await {
            Ok(_) => Ok(CloudAnswer::Done),
            Err(Error::NotFound { source, .. }) if names_no_bucket(&source.to_string()) => {
                Err(CloudAnswer::Fail(CloudTrouble::Config, "there is no such bucket".to_owned()))
            }
            Err(Error::NotFound { .. }) => Ok(CloudAnswer::Done),
            Err(Error::PermissionDenied { source, .. }) if hides_what_is_missing(&source.to_string()) => {
                self.is_blind.store(true, Ordering::Relaxed);
                Ok(CloudAnswer::Done)
            }
            Err(error) => Err(said(&error)),
        }
    }

    async fn head(&self, hash: &EvidenceHash) -> Result<Option<ObjectMeta>, CloudAnswer> {
        match self.store.head(&self.key(hash)).await {
            Ok(meta) => Ok(Some(meta)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) if self.is_hidden(&error) => Ok(None),
            Err(error) => Err(said(&error)),
        }
    }

    fn is_hidden(&self, error: &Error) -> bool {
        matches!(error, Error::PermissionDenied { .. }) && self.is_blind.load(Ordering::Relaxed)
    }

    async fn get(&self, hash: &EvidenceHash, cap: u64, to: &FilePath, work: &Work) -> Result<CloudAnswer, CloudAnswer> {
        let found = match self.store.get(&self.key(hash)).await {
            Ok(found) => found,
            Err(error) if self.is_hidden(&error) => return Ok(CloudAnswer::Absent),
            Err(error) => return Err(said(&error)),
        };
        if found.meta.size > cap {
            return Ok(CloudAnswer::No(format!("it has {} bytes, and {cap} are allowed", found.meta.size)));
        }
        let version = version_of(&found.meta);
        // a missing file was not made for this piece, so no file is created
        let mut file = OpenOptions::new().write(true).truncate(true).open(to).map_err(|error| local(to, &error))?;
        let (mut bytes, mut size) = (found.into_stream(), 0);
        while let Some(part) = bytes.next().await {
            let part = part.map_err(|error| said(&error))?;
            size += part.len() as u64;
            if size > cap {
                return Ok(CloudAnswer::No(format!("it sends more than the {cap} bytes that are allowed")));
            }
            file.write_all(&part).map_err(|error| local(to, &error))?;
            work.store(size, Ordering::Relaxed);
        }
        Ok(version.map_or(CloudAnswer::Count(size), |version| CloudAnswer::Stored(size, version)))
    }

    async fn put(&self, piece: &Piece, from: &FilePath, work: &Work) -> Result<CloudAnswer, CloudAnswer> {
        if piece.size > PART as u64 {
            return self.put_in_parts(piece, from, work).await;
        }
        let mut bytes = Vec::new();
        let read = File::open(from).and_then(|file| file.take(PART as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| local(from, &error))?;
        refuse_other(piece, bytes.len() as u64, Sha256::digest(&bytes).into())?;
        let (key, payload) = (self.key(&piece.hash), PutPayload::from(bytes));
        match self.store.put_opts(&key, payload.clone(), PutMode::Create.into()).await {
            Ok(put) => return Ok(sent(&put)),
            // a store without conditional puts: it is asked first, and a concurrent put has the same bytes
            Err(Error::AlreadyExists { .. } | Error::NotImplemented { .. } | Error::NotSupported { .. }) => {}
            Err(error) => return Err(said(&error)),
        }
        if self.head(&piece.hash).await?.is_some_and(|meta| meta.size == piece.size) {
            return Ok(CloudAnswer::There);
        }
        // an object of our name with another size is wrong, so it is replaced
        self.store.put(&key, payload).await.map(|put| sent(&put)).map_err(|error| said(&error))
    }

    /// Sends a piece in parts. Parts have no conditional put, but a concurrent put has the same bytes under the same
    /// key.
    async fn put_in_parts(&self, piece: &Piece, from: &FilePath, work: &Work) -> Result<CloudAnswer, CloudAnswer> {
        let Ok(_turn) = self.large.acquire().await else { return Ok(CloudAnswer::Retry("it ends".to_owned())) };
        if self.head(&piece.hash).await?.is_some_and(|meta| meta.size == piece.size) {
            return Ok(CloudAnswer::There);
        }
        let mut file = File::open(from).map_err(|error| local(from, &error))?;
        let upload = self.store.put_multipart(&self.key(&piece.hash)).await.map_err(|error| said(&error))?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART);
        match send(&mut file, from, piece, &mut parts, work).await {
            Ok(()) => parts.finish().await.map(|put| sent(&put)).map_err(|error| said(&error)),
            Err(trouble) => {
                // an unfinished upload has no name; its parts cost money until they are removed
                let _ = parts.abort().await;
                Err(trouble)
            }
        }
    }

    async fn delete(&self, hash: &EvidenceHash, put: Option<i64>) -> Result<CloudAnswer, CloudAnswer> {
        let Some(meta) = self.head(hash).await? else { return Ok(CloudAnswer::Absent) };
        if put.is_some_and(|put| put != meta.last_modified.timestamp()) {
            return Ok(CloudAnswer::No("it was put again since".to_owned()));
        }
        match self.store.delete(&self.key(hash)).await {
            Ok(()) => Ok(CloudAnswer::Done),
            Err(error) => Err(said(&error)),
        }
    }

    async fn list(&self, to: &Sender<CloudAnswer>) -> Result<CloudAnswer, CloudAnswer> {
        let mut found = self.store.list(Some(&self.prefix));
        let mut count = 0;
        while let Some(meta) = found.next().await {
            let meta = meta.map_err(|error| said(&error))?;
            let Some(hash) = self.hash_of(&meta.location) else { continue };
            let piece = Piece { hash, size: meta.size };
            if to.send(CloudAnswer::Listed(piece, meta.last_modified.timestamp())).await.is_err() {
                break;
            }
            count += 1;
        }
        Ok(CloudAnswer::Count(count))
    }

    /// The piece with this key; `None` for other objects in the bucket.
    fn hash_of(&self, key: &Path) -> Option<EvidenceHash> {
        let hash = EvidenceHash::from_hex(key.filename()?.as_bytes())?;
        (self.key(&hash) == *key).then_some(hash)
    }
}

/// Sends the file in parts. Fails if the file is not the piece.
async fn send(
    file: &mut File,
    from: &FilePath,
    piece: &Piece,
    parts: &mut WriteMultipart,
    work: &Work,
) -> Result<(), CloudAnswer> {
    let (mut hasher, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let count = file.read(&mut buffer).map_err(|error| local(from, &error))?;
        if count == 0 {
            return refuse_other(piece, size, hasher.finalize().into());
        }
        size += count as u64;
        if size > piece.size {
            return refuse_other(piece, size, [0; 32]);
        }
        hasher.update(&buffer[..count]);
        parts.wait_for_capacity(PARTS).await.map_err(|error| said(&error))?;
        parts.write(&buffer[..count]);
        work.store(size, Ordering::Relaxed);
    }
}

/// Refuses a file that changed after yatsu-hook verified it.
fn refuse_other(piece: &Piece, size: u64, hash: [u8; 32]) -> Result<(), CloudAnswer> {
    if (Piece { hash: EvidenceHash(hash), size }) == *piece {
        return Ok(());
    }
    Err(CloudAnswer::Fail(CloudTrouble::Local, "the file here changed while it was sent".to_owned()))
}

fn stored(meta: ObjectMeta) -> CloudAnswer {
    version_of(&meta).map_or(CloudAnswer::Count(meta.size), |version| CloudAnswer::Stored(meta.size, version))
}

fn sent(put: &PutResult) -> CloudAnswer {
    CloudAnswer::Sent(StoredVersion::of(put.e_tag.as_deref(), put.version.as_deref()))
}

fn version_of(meta: &ObjectMeta) -> Option<StoredVersion> {
    StoredVersion::of(meta.e_tag.as_deref(), meta.version.as_deref())
}

fn local(path: &FilePath, error: &std::io::Error) -> CloudAnswer {
    CloudAnswer::Fail(CloudTrouble::Local, format!("{}: {error}", path.display()))
}

/// The answer for a failure, scrubbed, because the store's text may quote a signed URL.
fn said(error: &Error) -> CloudAnswer {
    let text = scrub(&with_causes(error)).into_owned();
    match error {
        Error::NotFound { .. } => CloudAnswer::Absent,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => CloudAnswer::Fail(CloudTrouble::Denied, text),
        _ if text.contains("scheme is not allowed") => CloudAnswer::Fail(
            CloudTrouble::Config,
            "plain http is spoken only where AWS_ALLOW_HTTP=true (GOOGLE_ALLOW_HTTP, AZURE_ALLOW_HTTP) says so"
                .to_owned(),
        ),
        Error::Generic { .. } | Error::JoinError { .. } => CloudAnswer::Retry(text),
        _ => CloudAnswer::Fail(CloudTrouble::Store, text),
    }
}

/// An error and its causes. A cause that the text already has is not repeated.
fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

/// Whether the text of S3, Azure or Google means a missing bucket. For a missing piece they use other words.
fn names_no_bucket(text: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "specified bucket does not exist"].iter().any(|word| text.contains(word))
}

/// Whether only the right to list is missing. Wrong credentials, or no right to read, have other texts.
fn hides_what_is_missing(text: &str) -> bool {
    text.contains("AccessDenied") && !text.contains("GetObject")
}
