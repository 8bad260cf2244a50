//! Recognises added blobs that are evidence: by path, by content, by the cache, by the readings of the view.

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

/// Blobs below this size, in bytes, are no evidence: too many innocent files are empty or hold one word.
const SMALLEST: u64 = 32;
/// Blobs up to this size, in bytes, are hashed; larger ones only if the cache holds an object of exactly that size.
const HASHED: u64 = 64 << 20;
/// The maximal size of a git-lfs pointer, in bytes.
const POINTER: u64 = 1024;

/// The name of a directory that holds nothing but evidence.
const BLOBS_DIR: &[u8] = b"yatsu-blobs";

/// The known evidence, to compare blobs with.
pub(crate) struct KnownEvidence<'a> {
    pub cache: &'a Cache,
    /// Whether a reading of the view names these bytes.
    pub named: &'a dyn Fn(&EvidenceHash) -> bool,
    /// Whether the cache or a reading has any evidence. Otherwise no content needs to be read.
    pub any: bool,
    /// Whether evidence may be tracked at this path, by all configurations that the change is judged by.
    pub allowed: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether a base already holds a blob of this id at some path; called only for blobs that look stray.
    pub held: &'a dyn Fn(&Oid) -> Result<bool>,
}

/// The source of the bytes of added blobs.
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

/// Blobs of a working tree, by path, because they are not in the object database yet.
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

/// The reason why `blob` is evidence, if it is. `cached`: whether an evidence cache exists.
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

/// Whether the path alone is a reason to read the content, or makes the file evidence.
pub(crate) fn is_telling(path: &RepoPath) -> bool {
    in_blobs_directory(path) || EvidenceHash::from_hex(path.name()).is_some()
}

/// Whether a path with a file or directory of this name may be [`is_telling`].
pub(crate) fn may_tell(name: &[u8]) -> bool {
    name == BLOBS_DIR || EvidenceHash::from_hex(name).is_some()
}

/// The hashes under which these bytes may have been filed. Git may convert the line ends of a text between work tree
/// and repository: with text=auto it stores LF for a file filed with CRLF. Bytes without NUL count as text. Content
/// with mixed line ends, or changed by a filter or an encoding, cannot be reconstructed.
fn names(content: &[u8]) -> impl Iterator<Item = (EvidenceHash, Ends)> {
    let is_text = !content.contains(&0);
    let ends = content.iter().filter(|byte| **byte == b'\n').count();
    let crlf = if is_text { content.windows(2).filter(|pair| *pair == b"\r\n").count() } else { 0 };
    let own = std::iter::once_with(move || (EvidenceHash(Sha256::digest(content).into()), Ends::Own));
    let as_crlf = (is_text && crlf < ends).then_some(Ends::CrLf);
    let as_lf = (crlf > 0).then_some(Ends::Lf);
    own.chain(as_crlf.into_iter().chain(as_lf).map(|ends| (hash_with(content, ends), ends)))
}

/// The hash of a text with these line ends.
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

/// Whether the path alone makes the file evidence.
fn in_blobs_directory(path: &RepoPath) -> bool {
    // a fast test first, because every path of a work tree comes here and hardly any matches
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
