//! Loose objects, format: gitrepository-layout(5), a file for each, compressed as one zlib stream: `<kind> <size>`, a NUL,
//! the content. Purpose: an object that is small and lies alone is read in one go; a commit just made, and what is staged,
//! is nothing else. What is not here, not small or not exactly so is nobody's answer: libgit2 is asked, and knows.

use super::{Object, ObjectKind};
use crate::tree::oid::Oid;
use flate2::{Decompress, FlushDecompress, Status};
use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A file of this size, or a larger one, is left to libgit2.
const MOST_PACKED: usize = 32 << 10;
/// Content of more bytes is left to libgit2: a file of a few kilobytes may unpack to gigabytes.
const MOST_CONTENT: usize = 1 << 20;
/// Room for an object before its size is known: more than most have.
const ROOM: usize = 4 << 10;
/// After so many objects that were not found here the packs are asked first: that costs no look at the disk.
const PATIENCE: u8 = 8;

/// The loose objects of some object directories.
pub(super) struct LooseObjects {
    dirs: Vec<PathBuf>,
    patience: Cell<u8>,
    tools: RefCell<Tools>,
}

/// What is used again for the next object.
struct Tools {
    file: Vec<u8>,
    inflate: Decompress,
}

impl LooseObjects {
    /// Those in the object directories `dirs`, of SHA-1 names.
    pub(super) fn new<'d>(dirs: impl Iterator<Item = &'d Path>) -> Self {
        let tools = Tools { file: Vec::with_capacity(MOST_PACKED), inflate: Decompress::new(true) };
        Self { dirs: dirs.map(Path::to_owned).collect(), patience: Cell::new(PATIENCE), tools: RefCell::new(tools) }
    }

    /// The object, where it is one of these.
    pub(super) fn read(&self, id: &Oid) -> Option<Object> {
        let left = self.patience.get();
        if left == 0 {
            return None;
        }
        let found = self.dirs.iter().find_map(|dir| self.tools.borrow_mut().read(&place(dir, id)));
        self.patience.set(if found.is_some() { PATIENCE } else { left - 1 });
        found
    }
}

fn place(dir: &Path, id: &Oid) -> PathBuf {
    let (dir, hex) = (dir.as_os_str().as_bytes(), id.to_string());
    let (fan, rest) = hex.as_bytes().split_at(2);
    OsString::from_vec([dir, b"/", fan, b"/", rest].concat()).into()
}

impl Tools {
    fn read(&mut self, path: &Path) -> Option<Object> {
        // a pipe must not keep us waiting for somebody to write
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
        self.file.clear();
        let len = loop {
            match rustix::io::read(&file, spare_capacity(&mut self.file)) {
                Err(Errno::INTR) => {}
                other => break other.ok()?,
            }
        };
        // Of a file that was not read whole, the stream below does not end.
        if len < MOST_PACKED { self.unpack() } else { None }
    }

    /// The object in the file that was read.
    fn unpack(&mut self) -> Option<Object> {
        self.inflate.reset(true);
        let mut bytes = Vec::with_capacity(ROOM);
        let mut status = self.go_on(&mut bytes)?;
        let (kind, size, content) = header(&bytes)?;
        if size > MOST_CONTENT {
            return None;
        }
        let whole = content + size;
        if status != Status::StreamEnd {
            // one byte more than it may have, so that one that has more does not end exactly there
            bytes.reserve_exact((whole + 1).saturating_sub(bytes.len()));
            status = self.go_on(&mut bytes)?;
        }
        // A stream that goes on, an object that is longer or shorter than it says, bytes behind it: git calls that damage.
        if status != Status::StreamEnd || bytes.len() != whole || self.inflate.total_in() != self.file.len() as u64 {
            return None;
        }
        bytes.drain(..content);
        Some(Object { kind, data: bytes })
    }

    /// Unpacks as much as there is room for.
    fn go_on(&mut self, bytes: &mut Vec<u8>) -> Option<Status> {
        let read = usize::try_from(self.inflate.total_in()).ok()?;
        self.inflate.decompress_vec(self.file.get(read..)?, bytes, FlushDecompress::Finish).ok()
    }
}

/// Kind and size of the object that begins so, and where its content begins.
fn header(bytes: &[u8]) -> Option<(ObjectKind, usize, usize)> {
    // the longest one that is taken for small
    let end = bytes.iter().take(16).position(|byte| *byte == 0)?;
    let (kind, size) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(' ')?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    // one number has one spelling
    let plain = size.bytes().all(|digit| digit.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
    Some((kind, size.parse().ok().filter(|_| plain)?, end + 1))
}

#[cfg(test)]
#[path = "loose/tests.rs"]
mod tests;
