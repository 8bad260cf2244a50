//! Opens and reads files of the working tree, without following a link or waiting for a device or a pipe.

use super::convert::{Census, Conversion, CrStripper, LineEnds, fold_ident, strip_cr};
use super::hash::{BlobHasher, blob_id};
use crate::error::{Error, Result, remedy};
use crate::sys;
use crate::sys::MetadataExt;
use crate::tree::FileStamp;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

/// Most bytes of one file that are held in memory; evidence has the same limit.
const MAX_READ: u64 = 2 << 30;
/// Bytes of one read when a file is hashed.
const CHUNK: usize = 256 * 1024;

/// The path on disk of `path` below `root`.
pub(super) fn place(root: &Path, path: &RepoPath) -> PathBuf {
    if path.is_root() { root.to_owned() } else { root.join(sys::in_tree(path.as_bstr())) }
}

/// The metadata of the file, directory or link at `path`; `None` if nothing is there. Links are not followed.
pub(super) fn look(root: &Path, path: &RepoPath) -> Result<Option<Metadata>> {
    match place(root, path).symlink_metadata() {
        Ok(about) => Ok(Some(about)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

pub(super) fn stamp_of(about: &Metadata) -> FileStamp {
    FileStamp {
        device: about.dev(),
        inode: about.ino(),
        size: about.size(),
        modified: (about.mtime(), about.mtime_nsec()),
        changed: (about.ctime(), about.ctime_nsec()),
    }
}

/// Whether the error means that nothing is there. A name too long for the file system cannot exist either.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

pub(super) fn failed(path: &RepoPath, error: &io::Error) -> Error {
    Error::unread(path, error)
}

fn open(root: &Path, path: &RepoPath) -> Result<(File, Metadata)> {
    let file = sys::open_unlinked(&place(root, path)).map_err(|error| failed(path, &error))?;
    let about = file.metadata().map_err(|error| failed(path, &error))?;
    if about.is_file() {
        Ok((file, about))
    } else {
        Err(Error::unchecked(format!("{path} is no regular file")).hint(remedy::NO_FILE))
    }
}

/// The whole content of a regular file as it is on disk.
pub(super) fn read(root: &Path, path: &RepoPath) -> Result<Vec<u8>> {
    let (file, about) = open(root, path)?;
    if about.len() > MAX_READ {
        return Err(Error::unchecked(format!("{path} has more than {MAX_READ} bytes, which are not read"))
            .hint(remedy::TOO_LARGE));
    }
    let mut content = Vec::with_capacity(about.len() as usize);
    // up to its size when it was opened, which saves the read that detects the end
    file.take(about.len()).read_to_end(&mut content).map_err(|error| failed(path, &error))?;
    Ok(content)
}

pub(super) fn read_link(root: &Path, path: &RepoPath) -> Result<Vec<u8>> {
    let target = place(root, path).read_link().map_err(|error| failed(path, &error))?;
    Ok(sys::git_bytes(&target).into_owned())
}

/// The content after git's conversion on `git add`.
pub(super) fn convert(content: Vec<u8>, rule: &Conversion, in_index: impl FnOnce() -> Result<bool>) -> Result<Vec<u8>> {
    let strips = Census::of(&content).converts(rule.line_ends, in_index)?;
    let content = if strips { strip_cr(&content) } else { content };
    Ok(if rule.ident { fold_ident(&content) } else { content })
}

/// Whether git's own conversions would change a regular file.
pub(super) fn is_convertible(root: &Path, path: &RepoPath) -> Result<bool> {
    let (mut file, _) = open(root, path)?;
    let (mut found, mut seen) = (false, Vec::new());
    each_piece(path, &mut file, |piece| {
        seen.extend_from_slice(piece);
        found = found || super::convert::is_convertible(&seen);
        // a match may span two chunks
        seen.drain(..seen.len().saturating_sub(3));
    })?;
    Ok(found)
}

/// git's id for a regular file's content, read as a stream. External filters are not applied. `in_index`, called if needed:
/// whether the index's content is text with CR LF.
pub(super) fn hash(
    root: &Path,
    path: &RepoPath,
    kind: HashKind,
    rule: &Conversion,
    in_index: impl FnOnce() -> Result<bool>,
) -> Result<Oid> {
    if rule.ident {
        let content = convert(read(root, path)?, rule, in_index)?;
        return blob_id(kind, &content).map_err(|error| error.context(path));
    }
    let (mut file, before) = open(root, path)?;
    let mut dropped = 0;
    if rule.line_ends != LineEnds::Keep {
        let mut census = Census::default();
        each_piece(path, &mut file, |piece| census.feed(piece))?;
        let census = census.finish();
        dropped = if census.converts(rule.line_ends, in_index)? { census.crlf } else { 0 };
        file.rewind().map_err(|error| failed(path, &error))?;
    }
    let mut hasher = BlobHasher::new(kind, before.len().saturating_sub(dropped));
    if dropped == 0 {
        each_piece(path, &mut file, |piece| hasher.update(piece))?;
    } else {
        let mut stripper = CrStripper::default();
        each_piece(path, &mut file, |piece| hasher.update(&stripper.strip(piece)))?;
        hasher.update(stripper.finish());
    }
    let id = hasher.finish().map_err(|error| error.context(path))?;
    let after = file.metadata().map_err(|error| failed(path, &error))?;
    // an id of half the old and half the new content would count as the measured content
    if stamp(&before) != stamp(&after) {
        return Err(Error::unchecked(format!("{path} changed while it was read")).hint(remedy::CHANGING));
    }
    Ok(id)
}

fn stamp(about: &Metadata) -> (u64, i64, i64) {
    (about.len(), about.mtime(), about.mtime_nsec())
}

/// Hands the rest of `file` to `take`, chunk by chunk. Stops after one byte more than the file's size, so that a growing
/// file ends too.
fn each_piece(path: &RepoPath, file: &mut File, mut take: impl FnMut(&[u8])) -> Result<()> {
    let size = file.metadata().map_err(|error| failed(path, &error))?.len();
    let mut buffer = vec![0; CHUNK];
    let mut limited = file.take(size.saturating_add(1));
    loop {
        match limited.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => take(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(path, &error)),
        }
    }
}
