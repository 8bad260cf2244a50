//! Loose objects, format: gitrepository-layout(5): one file each, one zlib stream of `<kind> <size>`, a NUL, the content.
//! Every loose object is read here, completely or not at all, and never by libgit2: it reads a truncated file forever, and
//! fills missing content with zeros.

use super::{Object, ObjectKind};
use crate::repo::alternates;
use crate::sys;
use crate::tree::oid::Oid;
use flate2::{Decompress, FlushDecompress, Status};
use foldhash::{HashMap, HashSet};
use std::cell::{Cell, OnceCell, RefCell};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Bytes per read: most files are smaller.
const PIECE: usize = 32 << 10;
/// A question for the size also returns the content if it has at most this many bytes.
const MOST_ASIDE: usize = 1 << 20;
/// Initial room for an object: more than most have.
const ROOM: usize = 4 << 10;
/// How much room is added at once: a small file may claim to hold gigabytes.
const MORE_ROOM: usize = 1 << 20;
/// After this many misses in a row the directories are listed, so that a miss costs no disk access.
const PATIENCE: u8 = 8;
/// How deep alternates of alternates are followed, as in git.
const DEEPEST: usize = 5;

/// The loose objects of some object directories and of their alternates.
pub(super) struct LooseObjects {
    own: Vec<PathBuf>,
    all: OnceCell<Vec<PathBuf>>,
    patience: Cell<u8>,
    /// The listed ids, by their first byte; `None` if a directory could not be listed.
    listed: RefCell<HashMap<u8, Option<HashSet<Oid>>>>,
    tools: RefCell<Tools>,
}

/// The result of looking for an object's file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Loose {
    /// No file.
    Nothing,
    /// The complete object.
    Object(Object),
    /// An object with more content than requested: its kind and size.
    Large(ObjectKind, u64),
    /// A damaged file. Only git can find another copy; libgit2 must not open the file.
    Damaged,
}

/// The file is not a complete object, or cannot be read.
struct Damage;

/// Buffers that are reused for the next object.
struct Tools {
    /// The part of the file that was read last.
    piece: Vec<u8>,
    /// How many bytes of it are unpacked.
    used: usize,
    /// Whether it is the last part.
    last: bool,
    inflate: Decompress,
}

impl LooseObjects {
    /// The objects in the object directories `dirs`, with SHA-1 names.
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

    pub(super) fn read(&self, id: &Oid) -> Loose {
        self.find(id, usize::MAX)
    }

    /// The object if it is small, else its size.
    pub(super) fn head(&self, id: &Oid) -> Loose {
        self.find(id, MOST_ASIDE)
    }

    /// The directories, and the ones in their `info/alternates`.
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
        // once this is 0, the listing answers
        self.patience.set(if left == 0 {
            0
        } else if found == Loose::Nothing {
            left - 1
        } else {
            PATIENCE
        });
        found
    }

    /// The first complete copy: another directory may hold a good copy of a damaged object.
    fn look(&self, id: &Oid, most: usize) -> Loose {
        let mut damaged = false;
        let mut seen = 0;
        // the alternates are read only if the own directories have nothing
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

    /// Whether the object's file was there when its directory was listed; `true` if it could not be listed.
    fn may_hold(&self, id: &Oid) -> bool {
        let fan = id.as_bytes()[0];
        let mut listed = self.listed.borrow_mut();
        let ids = listed.entry(fan).or_insert_with(|| list(self.dirs(), fan));
        ids.as_ref().is_none_or(|ids| ids.contains(id))
    }
}

/// Adds the alternates of `dir`, and their alternates, to `all`.
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
            let hex = [format!("{fan:02x}").as_bytes(), entry.ok()?.file_name().as_encoded_bytes()].concat();
            found.extend(Oid::from_hex(&hex));
        }
    }
    Some(found)
}

fn place(dir: &Path, id: &Oid) -> PathBuf {
    let (dir, hex) = (dir.as_os_str().as_encoded_bytes(), id.to_string());
    let (fan, rest) = hex.as_bytes().split_at(2);
    sys::native(&[dir, b"/", fan, b"/", rest].concat()).into_owned().into()
}

fn open(path: &Path) -> Result<Option<File>, Damage> {
    match sys::open_to_read(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(_) => Err(Damage),
    }
}

impl Tools {
    /// The object in this file; only its size if its content has more than `most` bytes.
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
            // one byte more than the size, so that longer content does not end exactly there
            bytes.reserve_exact((whole - bytes.len() + 1).min(MORE_ROOM.max(bytes.len())));
            ended = self.unpack(&file, &mut bytes)?;
        }
        // Git calls an object damaged if its size is wrong or bytes follow it. A longer stream has filled the extra byte.
        if bytes.len() != whole || !self.spent(&file)? {
            return Err(Damage);
        }
        bytes.drain(..content);
        Ok(Loose::Object(Object { kind, data: bytes }))
    }

    /// Unpacks until the buffer is full; returns whether the stream ended.
    fn unpack(&mut self, file: &File, bytes: &mut Vec<u8>) -> Result<bool, Damage> {
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
            // The stream needs more input but the file has ended: it was truncated. Asking again would never end.
            if used == 0 && bytes.len() == had {
                return Err(Damage);
            }
        }
    }

    fn next(&mut self, file: &File) -> Result<(), Damage> {
        (self.used, self.last) = (0, true);
        self.piece.clear();
        let len = sys::read_some(file, &mut self.piece).map_err(|_| Damage)?;
        self.last = len < self.piece.capacity();
        Ok(())
    }

    /// Whether the file has no more bytes.
    fn spent(&mut self, file: &File) -> Result<bool, Damage> {
        if self.used == self.piece.len() && !self.last {
            self.next(file)?;
        }
        Ok(self.used == self.piece.len())
    }
}

/// Kind and size from an object's header, and the position of its content.
fn header(bytes: &[u8]) -> Option<(ObjectKind, usize, usize)> {
    // the longest header that git reads
    let end = bytes.iter().take(32).position(|byte| *byte == 0)?;
    let (kind, size) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(' ')?;
    // a number has only one valid spelling
    let plain = size.bytes().all(|digit| digit.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
    Some((ObjectKind::parse(kind)?, size.parse().ok().filter(|_| plain)?, end + 1))
}

#[cfg(test)]
mod tests;
