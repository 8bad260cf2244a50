//! Loose objects, format: gitrepository-layout(5), a file for each, compressed as one zlib stream: `<kind> <size>`, a NUL,
//! the content. Purpose: every object that lies alone is read here, whole or not at all. libgit2 never opens one: it reads a
//! file that was cut off without end, and fills with zeros what another one lacks.

use super::{Object, ObjectKind};
use crate::repo::alternates;
use crate::tree::oid::Oid;
use flate2::{Decompress, FlushDecompress, Status};
use foldhash::{HashMap, HashSet};
use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// So much of a file is read at once: most files are smaller.
const PIECE: usize = 32 << 10;
/// Who asks for a size gets the content too, where it has no more bytes than this.
const MOST_ASIDE: usize = 1 << 20;
/// Room for an object before its size is known: more than most have.
const ROOM: usize = 4 << 10;
/// Room that is made at once for more: a file of a few bytes may say that it holds gigabytes.
const MORE_ROOM: usize = 1 << 20;
/// After so many objects that were not found here it is listed which ones are: that costs no look at the disk for each.
const PATIENCE: u8 = 8;
/// So far object directories that name others are followed; as git does it.
const DEEPEST: usize = 5;

/// The loose objects of some object directories, and of those that they borrow from.
pub(super) struct LooseObjects {
    own: Vec<PathBuf>,
    all: OnceCell<Vec<PathBuf>>,
    patience: Cell<u8>,
    /// By the first byte of their ids, in all directories; `None` where a directory could not be listed.
    listed: RefCell<HashMap<u8, Option<HashSet<Oid>>>>,
    tools: RefCell<Tools>,
}

/// What lies where an object would.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Loose {
    /// Nothing.
    Nothing,
    /// The object, whole.
    Object(Object),
    /// An object with more content than was asked for: its kind and size.
    Large(ObjectKind, u64),
    /// What is no whole object. Only git knows whether it has another copy, and libgit2 must not look.
    Damaged,
}

/// What is no whole object, or cannot be read.
struct Damage;

/// What is used again for the next object.
struct Tools {
    /// The piece of the file that was read last.
    piece: Vec<u8>,
    /// So much of it is unpacked.
    used: usize,
    /// Whether it is the last one.
    last: bool,
    inflate: Decompress,
}

impl LooseObjects {
    /// Those in the object directories `dirs`, of SHA-1 names.
    pub(super) fn new<'d>(dirs: impl Iterator<Item = &'d Path>) -> Self {
        let piece = Vec::with_capacity(PIECE);
        Self {
            own: dirs.map(Path::to_owned).collect(),
            all: OnceCell::new(),
            patience: Cell::new(PATIENCE),
            listed: RefCell::default(),
            tools: RefCell::new(Tools { piece, used: 0, last: false, inflate: Decompress::new(true) }),
        }
    }

    /// The object, whatever its size.
    pub(super) fn read(&self, id: &Oid) -> Loose {
        self.find(id, usize::MAX)
    }

    /// The object where it is small, else its size.
    pub(super) fn head(&self, id: &Oid) -> Loose {
        self.find(id, MOST_ASIDE)
    }

    /// The directories, and those that they name in `info/alternates`.
    pub(super) fn dirs(&self) -> &[PathBuf] {
        self.all.get_or_init(|| {
            let mut all = self.own.clone();
            self.own.iter().for_each(|dir| borrow(dir, DEEPEST, &mut all));
            all
        })
    }

    fn find(&self, id: &Oid, most: usize) -> Loose {
        let left = self.patience.get();
        if left == 0 && !self.may_hold(id) {
            return Loose::Nothing;
        }
        let found = self.look(id, most);
        // once they are listed, the list answers
        self.patience.set(if left == 0 {
            0
        } else if found == Loose::Nothing {
            left - 1
        } else {
            PATIENCE
        });
        found
    }

    /// The first whole one: another directory may hold what one holds damaged.
    fn look(&self, id: &Oid, most: usize) -> Loose {
        let mut damaged = false;
        let mut seen = 0;
        // those that are borrowed from are asked for only when the others have nothing
        while let Some(dir) = self.own.get(seen).or_else(|| self.dirs().get(seen)) {
            match self.tools.borrow_mut().read(&place(dir, id), most) {
                Ok(Loose::Nothing) => {}
                Ok(found) => return found,
                Err(Damage) => damaged = true,
            }
            seen += 1;
        }
        if damaged { Loose::Damaged } else { Loose::Nothing }
    }

    /// Whether the object lay here when it was first asked; `true` where nobody can tell.
    fn may_hold(&self, id: &Oid) -> bool {
        let fan = id.as_bytes()[0];
        let mut listed = self.listed.borrow_mut();
        let ids = listed.entry(fan).or_insert_with(|| list(self.dirs(), fan));
        ids.as_ref().is_none_or(|ids| ids.contains(id))
    }
}

/// The directories that `dir` names, and those that they name, where they are new.
fn borrow(dir: &Path, deepest: usize, all: &mut Vec<PathBuf>) {
    let Some(deeper) = deepest.checked_sub(1) else { return };
    let Ok(list) = fs::read(dir.join("info/alternates")) else { return };
    for named in alternates::in_file(&list).into_iter().map(|named| dir.join(named)) {
        if !all.contains(&named) {
            all.push(named.clone());
            borrow(&named, deeper, all);
        }
    }
}

/// The objects in the directories of this first byte.
fn list(dirs: &[PathBuf], fan: u8) -> Option<HashSet<Oid>> {
    let mut found = HashSet::default();
    for dir in dirs {
        let entries = match fs::read_dir(dir.join(format!("{fan:02x}"))) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(_) => return None,
        };
        for entry in entries {
            let hex = [format!("{fan:02x}").as_bytes(), entry.ok()?.file_name().as_bytes()].concat();
            found.extend(Oid::from_hex(&hex));
        }
    }
    Some(found)
}

fn place(dir: &Path, id: &Oid) -> PathBuf {
    let (dir, hex) = (dir.as_os_str().as_bytes(), id.to_string());
    let (fan, rest) = hex.as_bytes().split_at(2);
    OsString::from_vec([dir, b"/", fan, b"/", rest].concat()).into()
}

fn open(path: &Path) -> Result<Option<OwnedFd>, Damage> {
    // a pipe must not keep us waiting for somebody to write
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(_) => Err(Damage),
    }
}

impl Tools {
    /// The object in this file; only its size where its content has more bytes than `most`.
    fn read(&mut self, path: &Path, most: usize) -> Result<Loose, Damage> {
        let Some(file) = open(path)? else { return Ok(Loose::Nothing) };
        (self.used, self.last) = (0, false);
        self.piece.clear();
        self.inflate.reset(true);
        let mut bytes = Vec::with_capacity(ROOM);
        let mut ended = self.unpack(&file, &mut bytes)?;
        let (kind, size, content) = header(&bytes).ok_or(Damage)?;
        if size > most {
            return Ok(Loose::Large(kind, size as u64));
        }
        let whole = content.checked_add(size).ok_or(Damage)?;
        while !ended && bytes.len() <= whole {
            // one byte more than it may have, so that one that has more does not end exactly there
            bytes.reserve_exact((whole - bytes.len() + 1).min(MORE_ROOM.max(bytes.len())));
            ended = self.unpack(&file, &mut bytes)?;
        }
        // An object that is longer or shorter than it says, bytes behind it: git calls that damage. So a stream that goes on is,
        // which has filled the byte too much.
        if bytes.len() != whole || !self.spent(&file)? {
            return Err(Damage);
        }
        bytes.drain(..content);
        Ok(Loose::Object(Object { kind, data: bytes }))
    }

    /// Unpacks as much as there is room for; whether the stream ended.
    fn unpack(&mut self, file: &OwnedFd, bytes: &mut Vec<u8>) -> Result<bool, Damage> {
        loop {
            if self.used == self.piece.len() && !self.last {
                self.next(file)?;
            }
            let flush = if self.last { FlushDecompress::Finish } else { FlushDecompress::None };
            let (before, had) = (self.inflate.total_in(), bytes.len());
            let status = self.inflate.decompress_vec(&self.piece[self.used..], bytes, flush).map_err(|_| Damage)?;
            let used = usize::try_from(self.inflate.total_in() - before).map_err(|_| Damage)?;
            self.used += used;
            if status == Status::StreamEnd {
                return Ok(true);
            }
            if bytes.len() == bytes.capacity() {
                return Ok(false);
            }
            // It wants more, and there is no more: the file was cut off. Whoever asks on never hears an end.
            if used == 0 && bytes.len() == had {
                return Err(Damage);
            }
        }
    }

    /// Reads the next piece.
    fn next(&mut self, file: &OwnedFd) -> Result<(), Damage> {
        (self.used, self.last) = (0, true);
        self.piece.clear();
        let len = loop {
            match rustix::io::read(file, spare_capacity(&mut self.piece)) {
                Err(Errno::INTR) => {}
                other => break other.map_err(|_| Damage)?,
            }
        };
        self.last = len < self.piece.capacity();
        Ok(())
    }

    /// Whether nothing comes any more.
    fn spent(&mut self, file: &OwnedFd) -> Result<bool, Damage> {
        if self.used == self.piece.len() && !self.last {
            self.next(file)?;
        }
        Ok(self.used == self.piece.len())
    }
}

/// Kind and size of the object that begins so, and where its content begins.
fn header(bytes: &[u8]) -> Option<(ObjectKind, usize, usize)> {
    // the longest one that git reads
    let end = bytes.iter().take(32).position(|byte| *byte == 0)?;
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
mod tests;
