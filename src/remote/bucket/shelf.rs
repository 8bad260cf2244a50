//! The requests about one bucket, and the errors for what a store answers. Keys are built from hashes alone.

use super::BucketUrl;
use super::receipts::stored_version;
use crate::error::Error;
use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use crate::store::atomic::Temp;
use crate::text::scrub::scrub;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::{Path, PathPart};
use object_store::{
    Error as Trouble, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload, PutResult, WriteMultipart,
};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path as FilePath;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The size of a part. Larger pieces are sent in parts.
const PART: usize = 8 << 20;
/// How many parts of one piece are sent at once.
const PARTS: usize = 3;
/// The longest text of a store in a message, in characters.
const LONGEST_TEXT: usize = 600;

/// Why a piece did not go or come.
pub(super) enum Failure {
    /// It concerns this piece alone.
    Piece(String),
    /// Nothing more can go or come.
    All(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::All(error)
    }
}

/// A bucket, from its prefix on.
pub(super) struct Shelf {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The bucket in messages.
    name: String,
    /// Whether listing is not allowed. Such a store answers "denied" for an object that does not exist.
    is_blind: bool,
    /// Only one piece is sent in parts at a time, because each has several parts in memory.
    large: Semaphore,
}

impl Shelf {
    /// The bucket, once it is known to exist and to be readable: a name that no piece has is read.
    pub(super) async fn open(store: Arc<dyn ObjectStore>, url: &BucketUrl) -> Result<Self, Error> {
        let prefix = Path::from_iter(url.prefix.iter().map(|part| PathPart::from(part.as_str())));
        let mut shelf = Self { store, prefix, name: url.to_string(), is_blind: false, large: Semaphore::new(1) };
        match shelf.store.get(&shelf.key(&EvidenceHash([0; 32]))).await {
            Err(Trouble::NotFound { source, .. }) if names_no_bucket(&source.to_string()) => {
                return Err(wrong_config(&shelf.name, "there is no such bucket"));
            }
            Ok(_) | Err(Trouble::NotFound { .. }) => {}
            Err(Trouble::PermissionDenied { source, .. }) if hides_what_is_missing(&source.to_string()) => {
                shelf.is_blind = true;
            }
            Err(error) => return Err(shelf.failed(&error)),
        }
        Ok(shelf)
    }

    fn key(&self, hash: &EvidenceHash) -> Path {
        let hex = hash.to_string();
        self.prefix.clone().join(&hex[..2]).join(hex.as_str())
    }

    /// The object of this piece; `None` if there is none.
    pub(super) async fn head(&self, hash: &EvidenceHash) -> Result<Option<ObjectMeta>, Error> {
        match self.store.head(&self.key(hash)).await {
            Ok(meta) => Ok(Some(meta)),
            Err(error) if self.is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn is_absent(&self, error: &Trouble) -> bool {
        match error {
            Trouble::NotFound { .. } => true,
            Trouble::PermissionDenied { .. } => self.is_blind,
            _ => false,
        }
    }

    /// Writes the object of this piece into `to`, at most `cap` bytes, and returns its version.
    pub(super) async fn get(&self, hash: &EvidenceHash, cap: u64, to: &mut Temp) -> Result<Option<String>, Failure> {
        let found = match self.store.get(&self.key(hash)).await {
            Ok(found) => found,
            Err(error) if self.is_absent(&error) => {
                return Err(Failure::Piece("it has nothing of that name".to_owned()));
            }
            Err(error) => return Err(self.failed(&error).into()),
        };
        if found.meta.size > cap {
            return Err(Failure::Piece(format!("it has {} bytes, and {cap} are allowed", found.meta.size)));
        }
        let version = version_of(&found.meta);
        let (mut bytes, mut size) = (found.into_stream(), 0);
        while let Some(part) = bytes.next().await {
            let part = part.map_err(|error| self.failed(&error))?;
            size += part.len() as u64;
            if size > cap {
                return Err(Failure::Piece(format!("it sends more than the {cap} bytes that are allowed")));
            }
            to.append(&part)?;
        }
        Ok(version)
    }

    /// Puts the file `from` as this piece; `None` if the piece is there already. `done` gets the bytes that went, part by
    /// part.
    pub(super) async fn put(
        &self,
        piece: &Piece,
        from: &FilePath,
        done: &dyn Fn(u64),
    ) -> Result<Option<PutResult>, Failure> {
        if piece.size > PART as u64 {
            return self.put_in_parts(piece, from, done).await;
        }
        let mut bytes = Vec::new();
        let read = File::open(from).and_then(|file| file.take(PART as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| unread(from, &error))?;
        refuse_other(piece, bytes.len() as u64, Sha256::digest(&bytes).into())?;
        let (key, payload) = (self.key(&piece.hash), PutPayload::from(bytes));
        let put = match self.store.put_opts(&key, payload.clone(), PutMode::Create.into()).await {
            // a store without conditional puts: it is asked first, and a concurrent put has the same bytes
            Err(Trouble::AlreadyExists { .. } | Trouble::NotImplemented { .. } | Trouble::NotSupported { .. }) => {
                if self.head(&piece.hash).await?.is_some_and(|meta| meta.size == piece.size) {
                    return Ok(None);
                }
                // an object of our name with another size is wrong, so it is replaced
                self.store.put(&key, payload).await
            }
            put => put,
        };
        let put = put.map_err(|error| self.failed(&error))?;
        done(piece.size);
        Ok(Some(put))
    }

    /// Sends a piece in parts. Parts have no conditional put, but a concurrent put has the same bytes under the same
    /// key.
    async fn put_in_parts(
        &self,
        piece: &Piece,
        from: &FilePath,
        done: &dyn Fn(u64),
    ) -> Result<Option<PutResult>, Failure> {
        // the semaphore is never closed
        let _turn = self.large.acquire().await;
        if self.head(&piece.hash).await?.is_some_and(|meta| meta.size == piece.size) {
            return Ok(None);
        }
        let mut file = File::open(from).map_err(|error| unread(from, &error))?;
        let upload = self.store.put_multipart(&self.key(&piece.hash)).await.map_err(|error| self.failed(&error))?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART);
        if let Err(failure) = self.send(&mut file, from, piece, &mut parts, done).await {
            // an unfinished upload has no name; its parts cost money until they are removed
            let _ = parts.abort().await;
            return Err(failure);
        }
        Ok(Some(parts.finish().await.map_err(|error| self.failed(&error))?))
    }

    /// Sends the file in parts. Fails if the file is not the piece.
    async fn send(
        &self,
        file: &mut File,
        from: &FilePath,
        piece: &Piece,
        parts: &mut WriteMultipart,
        done: &dyn Fn(u64),
    ) -> Result<(), Failure> {
        let (mut hasher, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
        loop {
            let count = file.read(&mut buffer).map_err(|error| unread(from, &error))?;
            if count == 0 {
                return refuse_other(piece, size, hasher.finalize().into());
            }
            size += count as u64;
            if size > piece.size {
                return refuse_other(piece, size, [0; 32]);
            }
            hasher.update(&buffer[..count]);
            parts.wait_for_capacity(PARTS).await.map_err(|error| self.failed(&error))?;
            parts.write(&buffer[..count]);
            done(count as u64);
        }
    }

    /// Deletes the object of this piece. With the time of a put, in seconds since 1970, only if the last put was at that
    /// time; false if it was put again since.
    pub(super) async fn delete(&self, hash: &EvidenceHash, put: Option<i64>) -> Result<bool, Error> {
        let Some(meta) = self.head(hash).await? else { return Ok(true) };
        if put.is_some_and(|put| put != meta.last_modified.timestamp()) {
            return Ok(false);
        }
        match self.store.delete(&self.key(hash)).await {
            Err(error) if !matches!(error, Trouble::NotFound { .. }) => Err(self.failed(&error)),
            _ => Ok(true),
        }
    }

    /// Shows each piece in the bucket with the time of its put in seconds since 1970. Other objects are left out.
    pub(super) async fn list(&self, see: &mut dyn FnMut(Piece, i64)) -> Result<(), Trouble> {
        let mut found = self.store.list(Some(&self.prefix));
        while let Some(meta) = found.try_next().await? {
            let hash = meta.location.filename().and_then(|name| EvidenceHash::from_hex(name.as_bytes()));
            if let Some(hash) = hash.filter(|hash| self.key(hash) == meta.location) {
                see(Piece { hash, size: meta.size }, meta.last_modified.timestamp());
            }
        }
        Ok(())
    }

    /// The error for an answer of the store.
    pub(super) fn failed(&self, error: &Trouble) -> Error {
        let (name, text) = (&self.name, text_of(error));
        match error {
            Trouble::NotFound { .. } => wrong_config(name, &text),
            _ if is_denied(error) => Error::unchecked(format!("{name} does not let us: {text}"))
                .hint("look at the credentials in the environment, and at what they give the right to"),
            _ if text.contains("scheme is not allowed") => wrong_config(
                name,
                "plain http is spoken only where AWS_ALLOW_HTTP=true (GOOGLE_ALLOW_HTTP, AZURE_ALLOW_HTTP) says so",
            ),
            Trouble::Generic { .. } | Trouble::JoinError { .. } => {
                Error::unchecked(format!("{name} cannot be reached: {text}"))
                    .hint("run the same command again: what was done stays done")
            }
            _ => Error::unchecked(format!("{name} answers what makes no sense: {text}"))
                .hint("look whether object storage answers there, and no proxy or sign-in page does"),
        }
    }
}

/// The version of an object.
pub(super) fn version_of(meta: &ObjectMeta) -> Option<String> {
    stored_version(meta.e_tag.as_deref(), meta.version.as_deref())
}

/// The error for a bucket that is not there, or an environment that does not lead to it.
pub(super) fn wrong_config(name: &str, why: &str) -> Error {
    Error::unchecked(format!("{name} cannot be asked: {why}"))
        .hint("look at the name of the bucket, and at the AWS_…, GOOGLE_… or AZURE_… variables of the environment")
}

/// Whether credentials are missing or give no right.
pub(super) fn is_denied(error: &Trouble) -> bool {
    matches!(error, Trouble::PermissionDenied { .. } | Trouble::Unauthenticated { .. })
}

/// Refuses a file that changed after it was verified.
fn refuse_other(piece: &Piece, size: u64, hash: [u8; 32]) -> Result<(), Failure> {
    if (Piece { hash: EvidenceHash(hash), size }) == *piece {
        return Ok(());
    }
    Err(Failure::Piece("the file here changed while it was sent".to_owned()))
}

fn unread(path: &FilePath, error: &std::io::Error) -> Failure {
    Failure::Piece(format!("{}: {error}", path.display()))
}

/// An error and its causes as one line of ASCII without credentials, because a store may answer any text, for example one
/// that quotes a signed URL. A cause that the text already has is not repeated.
pub(super) fn text_of(error: &Trouble) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    let shown = |c: char| if matches!(c, ' '..='~') { c } else { ' ' };
    let words: String = scrub(&text).chars().take(LONGEST_TEXT).map(shown).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the text of S3, Azure or Google means a missing bucket. For a missing piece they use other words.
fn names_no_bucket(text: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "specified bucket does not exist"].iter().any(|word| text.contains(word))
}

/// Whether only the right to list is missing. Wrong credentials, or no right to read, have other texts.
fn hides_what_is_missing(text: &str) -> bool {
    text.contains("AccessDenied") && !text.contains("GetObject")
}
