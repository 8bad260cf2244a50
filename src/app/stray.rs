//! Which added blobs are evidence: recognised by content, by the cache, by the readings of the view.

use super::snapshot::Added;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::reading::EvidenceHash;
use crate::model::tree::Tree;
use crate::repo::Repo;
use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use crate::repo::views::{blob_size, read_blob};
use crate::rules::{Because, Stray};
use crate::store::evidence::Cache;
use sha2::{Digest, Sha256};

/// Blobs below this size are no evidence: too many innocent files are empty or a word long.
const SMALLEST: u64 = 32;
/// Blobs up to this size are hashed; larger ones only when the cache holds an object of that very size.
const HASHED: u64 = 64 << 20;
/// An LFS pointer is a small text.
const POINTER: u64 = 1024;

/// What is known of evidence.
pub struct Known<'a> {
    /// The cache of this repository.
    pub cache: &'a Cache,
    /// Whether a reading of the view names these bytes.
    pub named: &'a dyn Fn(&EvidenceHash) -> bool,
    /// The configuration (`yatsu.allowInTree`).
    pub config: &'a Config,
    /// Whether a base already holds a blob of this id somewhere; asked only about blobs that look stray.
    pub held: &'a dyn Fn(&Oid) -> Result<bool>,
}

/// The added blobs that are evidence.
pub fn strays(repo: &Repo, added: &[Added], known: &Known<'_>) -> Result<Vec<Stray>> {
    sift(added, known, &Stored(repo))
}

/// The same for files of a judged state, which in the working tree may hold what git has not stored yet.
pub fn strays_of_view(repo: &Repo, view: &dyn Tree, added: &[Added], known: &Known<'_>) -> Result<Vec<Stray>> {
    sift(added, known, &Shown { stored: Stored(repo), view })
}

/// Where the bytes of a blob come from.
trait Bytes {
    fn size(&self, blob: &Added) -> Result<u64>;
    fn read(&self, blob: &Added, size: u64) -> Result<Vec<u8>>;
}

/// From the object database.
struct Stored<'a>(&'a Repo);

impl Bytes for Stored<'_> {
    fn size(&self, blob: &Added) -> Result<u64> {
        blob_size(&*self.0.objects, &blob.id, &blob.path)
    }

    fn read(&self, blob: &Added, size: u64) -> Result<Vec<u8>> {
        read_blob(&*self.0.objects, &blob.id, &blob.path, size)
    }
}

/// From there, else from the judged state itself.
struct Shown<'a> {
    stored: Stored<'a>,
    view: &'a dyn Tree,
}

impl Shown<'_> {
    fn is_stored(&self, blob: &Added) -> Result<bool> {
        Ok(self.stored.0.objects.header(&blob.id)?.is_some())
    }
}

impl Bytes for Shown<'_> {
    fn size(&self, blob: &Added) -> Result<u64> {
        match if self.is_stored(blob)? { None } else { self.view.size(&blob.path)? } {
            Some(size) => Ok(size),
            None => self.stored.size(blob),
        }
    }

    fn read(&self, blob: &Added, size: u64) -> Result<Vec<u8>> {
        match if self.is_stored(blob)? { None } else { self.view.read(&blob.path)? } {
            Some(bytes) => Ok(bytes),
            None => self.stored.read(blob, size),
        }
    }
}

fn sift(added: &[Added], known: &Known<'_>, bytes: &dyn Bytes) -> Result<Vec<Stray>> {
    let mut found = Vec::new();
    for blob in added {
        if known.config.allow_in_tree.is_match(&blob.path) {
            continue;
        }
        if let Some(because) = recognise(bytes, blob, known)?
            && !(known.held)(&blob.id)?
        {
            found.push(Stray { path: blob.path.clone(), because });
        }
    }
    Ok(found)
}

fn recognise(bytes: &dyn Bytes, blob: &Added, known: &Known<'_>) -> Result<Option<Because>> {
    if in_blobs_directory(&blob.path) {
        return Ok(Some(Because::InBlobsDirectory));
    }
    let size = bytes.size(blob)?;
    if size < SMALLEST || (size > HASHED && !known.cache.has_size(size)?) {
        return Ok(None);
    }
    let content = bytes.read(blob, size)?;
    let hash = EvidenceHash(Sha256::digest(&content).into());
    if known.cache.has(&hash)? {
        return Ok(Some(Because::InCache(hash)));
    }
    if (known.named)(&hash) {
        return Ok(Some(Because::Named(hash)));
    }
    if EvidenceHash::from_hex(blob.path.name()) == Some(hash) {
        return Ok(Some(Because::NamedByContent));
    }
    let pointed = if size <= POINTER { lfs_oid(&content) } else { None };
    match pointed {
        Some(hash) if known.cache.has(&hash)? || (known.named)(&hash) => Ok(Some(Because::LfsPointer(hash))),
        _ => Ok(None),
    }
}

fn in_blobs_directory(path: &RepoPath) -> bool {
    path.parent().is_some_and(|dir| dir.components().any(|part| part == "yatsu-blobs"))
}

/// The oid of a git-lfs pointer file (git-lfs, docs/spec.md).
fn lfs_oid(content: &[u8]) -> Option<EvidenceHash> {
    let text = std::str::from_utf8(content).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|first| first.starts_with("version https://git-lfs.github.com/spec/"))?;
    let oid = lines.find_map(|line| line.strip_prefix("oid sha256:"))?;
    EvidenceHash::from_hex(oid.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_lfs_pointer_names_its_bytes() {
        let hex = "9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e";
        let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hex}\nsize 12\n");
        assert_eq!(lfs_oid(text.as_bytes()), EvidenceHash::from_hex(hex.as_bytes()));
        assert_eq!(lfs_oid(format!("oid sha256:{hex}\n").as_bytes()), None);
    }

    #[test]
    fn only_a_directory_of_that_name_counts() {
        assert!(in_blobs_directory(&RepoPath::parse(b"a/yatsu-blobs/x").unwrap()));
        assert!(!in_blobs_directory(&RepoPath::parse(b"a/yatsu-blobs").unwrap()));
    }
}
