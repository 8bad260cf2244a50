//! Which added blobs are evidence: recognised by content, by the cache, by the readings of the view.

use super::snapshot::AddedBlob;
use crate::error::{Error, Result, remedy};
use crate::model::ledger::EvidenceHash;
use crate::repo::Repo;
use crate::repo::views::blob_size;
use crate::rules::{Because, BroughtBy, Ends, Stray};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use sha2::{Digest, Sha256};

/// Blobs below this size are no evidence: too many innocent files are empty or a word long.
const SMALLEST: u64 = 32;
/// Blobs up to this size are hashed; larger ones only when the cache holds an object of that very size.
const HASHED: u64 = 64 << 20;
/// An LFS pointer is a small text.
const POINTER: u64 = 1024;

/// A directory of this name holds nothing but evidence.
const BLOBS_DIR: &[u8] = b"yatsu-blobs";

/// What is known of evidence.
pub(crate) struct KnownEvidence<'a> {
    /// The cache of this repository.
    pub cache: &'a Cache,
    /// Whether a reading of the view names these bytes.
    pub named: &'a dyn Fn(&EvidenceHash) -> bool,
    /// Whether there is any evidence at all, in the cache or in readings; without it no content needs to be read.
    pub any: bool,
    /// Whether evidence may be tracked at this path: by everything that the change is judged by.
    pub allowed: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether a base already holds a blob of this id somewhere; asked only about blobs that look stray.
    pub held: &'a dyn Fn(&Oid) -> Result<bool>,
}

/// Where the bytes of added blobs come from.
pub(crate) trait Blobs {
    /// The size in bytes.
    fn size(&self, blob: &AddedBlob) -> Result<u64>;
    /// The bytes, as committed.
    fn read(&self, blob: &AddedBlob) -> Result<Vec<u8>>;
}

/// Blobs of the index and of commits, by id.
impl Blobs for Repo {
    fn size(&self, blob: &AddedBlob) -> Result<u64> {
        blob_size(&*self.objects, &blob.id, &blob.path)
    }

    fn read(&self, blob: &AddedBlob) -> Result<Vec<u8>> {
        let gone = || Error::unchecked(format!("{}: blob {} is missing", blob.path, blob.id)).hint(remedy::MISSING);
        self.objects.read(&blob.id)?.map(|object| object.data).ok_or_else(gone)
    }
}

/// Blobs of a working tree, by path: nobody has written them yet.
impl Blobs for &dyn Tree {
    fn size(&self, blob: &AddedBlob) -> Result<u64> {
        Ok(Tree::size(*self, &blob.path)?.unwrap_or(0))
    }

    fn read(&self, blob: &AddedBlob) -> Result<Vec<u8>> {
        Ok(Tree::read(*self, &blob.path)?.unwrap_or_default())
    }
}

/// The added blobs that are evidence.
pub(crate) fn strays(bytes: &dyn Blobs, added: &[AddedBlob], known: &KnownEvidence<'_>) -> Result<Vec<Stray>> {
    let mut found = Vec::new();
    let cached = known.cache.exists()?;
    for blob in added {
        if (known.allowed)(&blob.path) {
            continue;
        }
        if let Some(because) = recognise(bytes, blob, known, cached)?
            && !(known.held)(&blob.id)?
        {
            found.push(Stray { path: blob.path.clone(), because, brings: BroughtBy::Change });
        }
    }
    Ok(found)
}

/// How `blob` is recognised; `cached`: whether there is an evidence cache at all.
fn recognise(bytes: &dyn Blobs, blob: &AddedBlob, known: &KnownEvidence<'_>, cached: bool) -> Result<Option<Because>> {
    let in_cache = |hash: &EvidenceHash| Ok::<_, Error>(cached && known.cache.has(hash)?);
    if in_blobs_directory(&blob.path) {
        return Ok(Some(Because::InBlobsDirectory));
    }
    if !known.any && !is_telling(&blob.path) {
        return Ok(None);
    }
    let size = bytes.size(blob)?;
    if size < SMALLEST || (size > HASHED && !(cached && known.cache.has_size(size)?)) {
        return Ok(None);
    }
    let content = bytes.read(blob)?;
    for (hash, ends) in names(&content) {
        if in_cache(&hash)? {
            return Ok(Some(Because::InCache(hash, ends)));
        }
        if (known.named)(&hash) {
            return Ok(Some(Because::Named(hash, ends)));
        }
        if EvidenceHash::from_hex(blob.path.name()) == Some(hash) {
            return Ok(Some(Because::NamedByContent(ends)));
        }
    }
    let pointed = if size <= POINTER { lfs_oid(&content) } else { None };
    match pointed {
        Some(hash) if in_cache(&hash)? || (known.named)(&hash) => Ok(Some(Because::LfsPointer(hash))),
        _ => Ok(None),
    }
}

/// Whether the path alone gives a reason to look at the content, or is one.
pub(crate) fn is_telling(path: &RepoPath) -> bool {
    in_blobs_directory(path) || EvidenceHash::from_hex(path.name()).is_some()
}

/// Whether a path with this name in it, of a file or a directory, may be telling.
pub(crate) fn may_tell(name: &[u8]) -> bool {
    name == BLOBS_DIR || EvidenceHash::from_hex(name).is_some()
}

/// The names under which these bytes may have been filed. Git changes the line ends of a text on its way from the work
/// tree to the repository, and back: with text=auto it stores LF for what was filed with CRLF. Text is what has no NUL.
/// What was filed with both sorts of line ends cannot be made again, nor what a filter or an encoding changed.
fn names(content: &[u8]) -> impl Iterator<Item = (EvidenceHash, Ends)> {
    let is_text = !content.contains(&0);
    let ends = content.iter().filter(|byte| **byte == b'\n').count();
    let crlf = if is_text { content.windows(2).filter(|pair| *pair == b"\r\n").count() } else { 0 };
    let own = std::iter::once_with(move || (EvidenceHash(Sha256::digest(content).into()), Ends::Own));
    let as_crlf = (is_text && crlf < ends).then_some(Ends::CrLf);
    let as_lf = (crlf > 0).then_some(Ends::Lf);
    own.chain(as_crlf.into_iter().chain(as_lf).map(|ends| (hash_with(content, ends), ends)))
}

/// The name of a text with these line ends.
fn hash_with(content: &[u8], ends: Ends) -> EvidenceHash {
    let end: &[u8] = if ends == Ends::CrLf { b"\r\n" } else { b"\n" };
    let mut hasher = Sha256::new();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) => {
                hasher.update(text.strip_suffix(b"\r").unwrap_or(text));
                hasher.update(end);
            }
            None => hasher.update(line),
        }
    }
    EvidenceHash(hasher.finalize().into())
}

/// Whether the path alone says that it is evidence.
fn in_blobs_directory(path: &RepoPath) -> bool {
    // asked of every path of a work tree, of which next to none have it in them
    let may_be = path.as_bstr().find(BLOBS_DIR).is_some();
    may_be && path.parent().is_some_and(|dir| dir.components().any(|part| part == BLOBS_DIR))
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
    fn a_text_has_the_names_of_its_line_ends_and_other_bytes_have_one() {
        let name = |bytes: &[u8]| EvidenceHash(Sha256::digest(bytes).into());
        let all = |bytes: &[u8]| names(bytes).collect::<Vec<_>>();
        let (lf, crlf) = (b"one\n\ntwo", b"one\r\n\r\ntwo");
        assert_eq!(all(lf), [(name(lf), Ends::Own), (name(crlf), Ends::CrLf)]);
        assert_eq!(all(crlf), [(name(crlf), Ends::Own), (name(lf), Ends::Lf)]);
        let mixed = b"one\r\n\ntwo";
        assert_eq!(all(mixed), [(name(mixed), Ends::Own), (name(crlf), Ends::CrLf), (name(lf), Ends::Lf)]);
        for bytes in [&b"one\r"[..], b"", b"\0\n", b"\0\r\n"] {
            assert_eq!(all(bytes), [(name(bytes), Ends::Own)]);
        }
    }

    #[test]
    fn only_a_directory_of_that_name_counts() {
        assert!(in_blobs_directory(&RepoPath::parse(b"a/yatsu-blobs/x").unwrap()));
        assert!(!in_blobs_directory(&RepoPath::parse(b"a/yatsu-blobs").unwrap()));
    }
}
