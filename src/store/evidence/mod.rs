//! Evidence: bytes under the name of their sha256, in one flat directory of the common git directory (formats.md,
//! "The evidence cache"; write protocol of [`super`], steps 1 to 6). Reads are verified; memory does not grow with content.

mod arrival;
mod place;
mod source;

pub(crate) use source::MAX_BLOB;
pub use source::Source;

use super::Store;
use super::atomic::{PREFIX, Temp};
use super::folder::{Folder, failed};
use super::kind::{Expect, judge};
use super::lock::GcShared;
use super::page::{file_place, refuse_taken};
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{EvidenceHash, EvidenceKind};
use crate::sys::{self, About, Access};
use place::step;
use sha2::{Digest, Sha256};
use source::BUFFER;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of both generations of caches, in the common git directory.
pub(crate) const PARENT: &str = "spexcode";
/// The cache of the older generation.
pub(crate) const OLDER: &str = "yatsu-blobs";
/// The cache of the newer generation. Both are read.
pub(crate) const NEWER: &str = "evidence";

/// Evidence that is complete and checked but still has a temporary name. Dropping it removes the file.
#[derive(Debug)]
pub struct PendingEvidence {
    temp: Temp,
    /// The SHA-256 of its bytes, which will be its name.
    pub hash: EvidenceHash,
    /// Its kind, judged by its first bytes.
    pub kind: EvidenceKind,
    /// Its size in bytes.
    pub size: u64,
}

/// One file of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    /// The hash in its file name. Its content may differ.
    pub hash: EvidenceHash,
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last stored, in milliseconds since 1970.
    pub mtime_millis: i64,
}

/// A file of the cache with content that does not match its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt {
    /// Its path.
    pub path: PathBuf,
    /// The hash in its name.
    pub expected: EvidenceHash,
    /// The hash of its content, or the reason why the content cannot be read.
    pub actual: Result<EvidenceHash, String>,
}

/// The evidence of one repository.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(super) store: Store,
}

impl Cache {
    /// The cache of the repository with this common git directory.
    pub fn new(common_dir: impl Into<PathBuf>) -> Self {
        Self { store: Store::new(common_dir) }
    }

    /// Writes the bytes to a temporary file: streamed, hashed, judged and synced, but not visible yet.
    pub fn stage(&self, _right: &GcShared, mut source: Source, expect: Expect) -> Result<PendingEvidence> {
        let folder = self.to_write()?;
        let mut temp = Temp::create(&folder, 0o444)?;
        let (hash, kind, size) = take_in(&mut source, expect, &mut |bytes| temp.append(bytes))?;
        temp.sync(size)?;
        Ok(PendingEvidence { temp, hash, kind, size })
    }

    /// Gives staged bytes their name, durably. If the same bytes are stored already, only their mtime is renewed. A file
    /// with that name and other bytes is replaced.
    pub(crate) fn publish(&self, _right: &GcShared, staged: PendingEvidence) -> Result<EvidenceHash> {
        let folder = self.to_write()?;
        name_it(&folder, staged.temp, &staged.hash)?;
        Ok(staged.hash)
    }

    /// [`Cache::stage`] and [`Cache::publish`].
    pub fn put(&self, right: &GcShared, source: Source, expect: Expect) -> Result<(EvidenceHash, EvidenceKind)> {
        let staged = self.stage(right, source, expect)?;
        let kind = staged.kind;
        Ok((self.publish(right, staged)?, kind))
    }

    /// The hash and the kind that [`Cache::put`] would return, without storing anything.
    pub(crate) fn examine(&self, mut source: Source, expect: Expect) -> Result<(EvidenceHash, EvidenceKind)> {
        take_in(&mut source, expect, &mut |_| Ok(())).map(|(hash, kind, _)| (hash, kind))
    }

    /// [`Cache::get`] into the file at `path`, which appears complete or not at all. An existing file is replaced only with
    /// `force`; a directory or a link never is.
    pub(crate) fn export(&self, hash: &EvidenceHash, path: &Path, force: bool) -> Result<u64> {
        let (dir, name) = file_place(path)?;
        let folder = Arc::new(Folder::open(dir)?);
        refuse_taken(&folder, name, force)?;
        let mut temp = Temp::create(&folder, 0o666)?;
        let size = self.get(hash, &mut temp)?;
        temp.sync(size)?;
        // checked again, because copying takes time and the file may have appeared meanwhile
        if let Some(old) = refuse_taken(&folder, name, force)? {
            temp.keep_mode(old.mode)?;
        }
        temp.publish(name)?;
        Ok(size)
    }

    /// Verifies the bytes of `hash`, writes them to `out` and returns their number. Refused if the cache has no such file.
    /// An error, with nothing written, if the file is corrupt.
    pub(crate) fn get(&self, hash: &EvidenceHash, out: &mut dyn Write) -> Result<u64> {
        let Some((mut file, path)) = self.open(hash)? else {
            return Err(Error::refused(format!("miss original file: no evidence {hash} in this cache")).because(Refusal::Unknown).hint(
                "each repository has its own cache: `yatsu-hook evidence get HASH -o FILE` where it was filed, then `yatsu-hook evidence put FILE` here",
            ));
        };
        let (actual, size) = hash_of(&mut file).map_err(|error| failed("read", &path, error))?;
        if actual != *hash {
            return Err(corrupt(&path, &actual));
        }
        file.seek(SeekFrom::Start(0)).map_err(|error| failed("read", &path, error))?;
        let mut tee = Hashing { inner: out, hasher: Sha256::new() };
        let copied = io::copy(&mut file.take(size), &mut tee).map_err(|error| failed("copy", &path, error))?;
        let written = EvidenceHash(tee.hasher.finalize().into());
        if written == *hash && copied == size { Ok(size) } else { Err(corrupt(&path, &written)) }
    }

    /// Copies the bytes of the file `hash` to `out` and returns their actual hash; `None` if the cache has no such file.
    pub(crate) fn see(&self, hash: &EvidenceHash, out: &mut dyn Write) -> Result<Option<EvidenceHash>> {
        let Some((file, path)) = self.open(hash)? else { return Ok(None) };
        let mut tee = Hashing { inner: out, hasher: Sha256::new() };
        io::copy(&mut io::BufReader::with_capacity(BUFFER, file), &mut tee)
            .map_err(|error| failed("read", &path, error))?;
        Ok(Some(EvidenceHash(tee.hasher.finalize().into())))
    }

    /// Whether the cache has a file of that name. Its content is not read.
    pub fn has(&self, hash: &EvidenceHash) -> Result<bool> {
        Ok(self.open(hash)?.is_some())
    }

    /// The size in bytes of the file of that name; `None` if there is none. Its content is not read.
    pub(crate) fn size(&self, hash: &EvidenceHash) -> Result<Option<u64>> {
        let Some((file, path)) = self.open(hash)? else { return Ok(None) };
        file.metadata().map(|about| Some(about.len())).map_err(|error| failed("examine", &path, error))
    }

    /// Whether a cache directory exists. There is none until the first evidence is filed.
    pub(crate) fn exists(&self) -> Result<bool> {
        Ok(!self.folders()?.is_empty())
    }

    /// Whether the cache holds no evidence.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        for folder in self.folders()? {
            if folder.first_name(&mut |name| EvidenceHash::from_hex(name).is_some())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the cache has a file of that size in bytes.
    pub(crate) fn has_size(&self, size: u64) -> Result<bool> {
        Ok(self.ls()?.iter().any(|blob| blob.size == size))
    }

    /// Hashes every file again and returns how many there are, and the corrupt ones.
    pub(crate) fn check(&self) -> Result<(usize, Vec<Corrupt>)> {
        let mut corrupt = Vec::new();
        let mut seen = 0;
        for folder in self.folders()? {
            for (name, hash) in blob_names(&folder)? {
                seen += 1;
                let path = folder.join(&name);
                match verify(&folder, &name) {
                    Ok(actual) if actual == hash => {}
                    actual => corrupt.push(Corrupt { path, expected: hash, actual }),
                }
            }
        }
        Ok((seen, corrupt))
    }

    /// All files of both directories, sorted by name within each.
    pub(crate) fn ls(&self) -> Result<Vec<Blob>> {
        let mut blobs = Vec::new();
        for folder in self.folders()? {
            blobs.extend(list(&folder)?);
        }
        Ok(blobs)
    }

    /// All files in the directories that garbage collection may clean.
    pub(crate) fn ls_own(&self) -> Result<Vec<Blob>> {
        let mut blobs = Vec::new();
        for folder in self.collected()? {
            blobs.extend(list(&folder)?);
        }
        Ok(blobs)
    }

    /// The directory that new evidence is written to; `None` when it does not exist and `make` is false. This is the newer
    /// directory if the repository is of the newer generation, or if only the newer directory exists.
    pub(super) fn own(&self, make: bool) -> Result<Option<Arc<Folder>>> {
        let newer = self.store.newer || (self.folder(OLDER, false)?.is_none() && self.folder(NEWER, false)?.is_some());
        self.folder(if newer { NEWER } else { OLDER }, make)
    }

    /// The directory that new evidence is written to, made if it does not exist.
    pub(crate) fn to_write(&self) -> Result<Arc<Folder>> {
        self.own(true)?.ok_or_else(|| Error::fault("the evidence directory cannot be made"))
    }

    /// The directories that garbage collection may clean: the one that is written, and the older one, which only this
    /// program ever wrote. A newer directory that is not written belongs to another program.
    pub(super) fn collected(&self) -> Result<Vec<Arc<Folder>>> {
        let (own, older) = (self.own(false)?, self.folder(OLDER, false)?);
        let is_other = |older: &Arc<Folder>| own.as_ref().is_none_or(|own| own.path() != older.path());
        Ok(own.iter().cloned().chain(older.filter(is_other)).collect())
    }

    fn folders(&self) -> Result<Vec<Arc<Folder>>> {
        let Some((parent, home)) = self.parent(false)? else { return Ok(Vec::new()) };
        let both = [step(&parent, OLDER, false, &home)?, step(&parent, NEWER, false, &home)?];
        Ok(both.into_iter().flatten().map(Arc::new).collect())
    }

    fn open(&self, hash: &EvidenceHash) -> Result<Option<(File, PathBuf)>> {
        let name = OsString::from(hash.to_string());
        for folder in self.folders()? {
            if let Some(file) = folder.open_file(&name, Access::Read)? {
                return Ok(Some((file, folder.join(&name))));
            }
        }
        Ok(None)
    }

    fn folder(&self, name: &str, make: bool) -> Result<Option<Arc<Folder>>> {
        let Some((parent, home)) = self.parent(make)? else { return Ok(None) };
        Ok(step(&parent, name, make, &home)?.map(Arc::new))
    }

    /// The directory that holds the cache, and the stat of the git directory around it.
    fn parent(&self, make: bool) -> Result<Option<(Folder, About)>> {
        let common = Folder::open(&self.store.common_dir)?.shared_by(self.store.shared);
        let home = common.stat()?;
        Ok(step(&common, PARENT, make, &home)?.map(|parent| (parent, home)))
    }
}

fn kind_hint(expect: Expect) -> &'static str {
    match expect {
        Expect::Image | Expect::Video => "any other output goes in with --result",
        Expect::Timeline => "a step timeline is {v:1,events:[{tMs,step,node?}]} or {v:2,axis,events:[{at,step,node?}]}",
        Expect::Artifact => "an artifact is a file with something in it",
        Expect::Result | Expect::Any => "evidence shows what was measured: it cannot be empty",
    }
}

fn corrupt(path: &Path, actual: &EvidenceHash) -> Error {
    Error::unchecked(format!("{} is corrupt: its content hashes to {actual}", path.display()))
        .hint("`yatsu-hook evidence put FILE` with the original bytes heals it")
}

/// Reads the source to its end and hands every chunk to `keep`. Returns the hash, the kind and the size in bytes.
fn take_in(
    source: &mut Source,
    expect: Expect,
    keep: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<(EvidenceHash, EvidenceKind, u64)> {
    let mut hasher = Sha256::new();
    let mut head = Vec::new();
    let size = source.parts(&mut |bytes| {
        let missing = expect.head().saturating_sub(head.len());
        head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        hasher.update(bytes);
        keep(bytes)
    })?;
    let refused = |what: String| Error::usage(format!("{} {what}", source.name)).hint(kind_hint(expect));
    let kind = judge(expect, &head).map_err(refused)?;
    source.refuse_if_changed(size)?;
    Ok((EvidenceHash(hasher.finalize().into()), kind, size))
}

/// Steps 5 and 6 of the protocol for bytes that are synced and have the name `hash`.
fn name_it(folder: &Folder, temp: Temp, hash: &EvidenceHash) -> Result<()> {
    let name = OsString::from(hash.to_string());
    if touch_if_right(folder, &name, hash) {
        drop(temp);
        // Another writer may have renamed the file a moment ago, and the name may not be durable yet.
        return folder.sync();
    }
    temp.publish(&name)
}

fn touch_if_right(folder: &Folder, name: &OsStr, hash: &EvidenceHash) -> bool {
    // On any error here the caller renames the right bytes over the name, which repairs everything.
    let Ok(Some(mut file)) = folder.open_file(name, Access::Read) else { return false };
    let right = hash_of(&mut file).is_ok_and(|(actual, _)| actual == *hash);
    right && sys::touch(&file).is_ok()
}

fn verify(folder: &Folder, name: &OsStr) -> Result<EvidenceHash, String> {
    let file = folder.open_file(name, Access::Read).map_err(|error| error.message)?;
    let mut file = file.ok_or("it vanished")?;
    hash_of(&mut file).map(|(hash, _)| hash).map_err(|error| error.to_string())
}

/// The sha256 and the size of the bytes that are left in the reader.
fn hash_of(reader: &mut dyn Read) -> io::Result<(EvidenceHash, u64)> {
    let mut sink = Hashing { inner: &mut io::sink(), hasher: Sha256::new() };
    let size = io::copy(&mut io::BufReader::with_capacity(BUFFER, reader), &mut sink)?;
    Ok((EvidenceHash(sink.hasher.finalize().into()), size))
}

struct Hashing<'a> {
    inner: &'a mut dyn Write,
    hasher: Sha256,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The file names that are hashes. Temporary files and foreign files are left out.
pub(super) fn blob_names(folder: &Folder) -> Result<Vec<(OsString, EvidenceHash)>> {
    let names = folder.names()?.into_iter();
    Ok(names.filter_map(|name| Some((name.clone(), EvidenceHash::from_hex(name.as_encoded_bytes())?))).collect())
}

/// The temporary files in the directory.
pub(super) fn temporary_names(folder: &Folder) -> Result<Vec<OsString>> {
    Ok(folder.names()?.into_iter().filter(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes())).collect())
}

fn list(folder: &Folder) -> Result<Vec<Blob>> {
    let mut blobs = Vec::new();
    for (name, hash) in blob_names(folder)? {
        // Missing since the listing: another process collected it.
        if let Some(stat) = folder.stat_of(&name)? {
            let path = folder.join(&name);
            blobs.push(Blob { hash, path, size: stat.size, mtime_millis: mtime_millis(&stat) });
        }
    }
    Ok(blobs)
}

/// A file's mtime in milliseconds since 1970.
pub(super) fn mtime_millis(about: &About) -> i64 {
    about.modified.0.saturating_mul(1000).saturating_add(about.modified.1 / 1_000_000)
}

#[cfg(test)]
mod tests;
