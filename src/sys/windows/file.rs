//! Files. There is no inode, no owner's number and no executable bit: git.exe writes 0 for each into its index, and these
//! functions return the same.

use super::calls;
use crate::sys::patience::patiently;
use crate::sys::wsl;
use std::fs::{File, FileTimes, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::windows::fs::{FileExt, MetadataExt as _, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;

/// Whether files have an executable bit and links on disk.
pub(crate) const HAS_MODES: bool = false;

/// Whether another process can read a file that is locked.
pub(crate) const READS_LOCKED: bool = false;

/// Opens directories, too.
pub(super) const BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// Opens a link or a junction itself.
pub(super) const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Seconds from 1601, where Windows begins to count, to 1970.
const FROM_1601_TO_1970: i64 = 11_644_473_600;
/// Ticks of a file's time in a second.
const TICKS: u64 = 10_000_000;

/// What `stat` says on other systems.
pub(crate) trait MetadataExt {
    fn dev(&self) -> u64;
    fn ino(&self) -> u64;
    fn uid(&self) -> u32;
    fn gid(&self) -> u32;
    fn mode(&self) -> u32;
    fn size(&self) -> u64;
    fn mtime(&self) -> i64;
    fn mtime_nsec(&self) -> i64;
    /// The time of creation, as in git.exe.
    fn ctime(&self) -> i64;
    fn ctime_nsec(&self) -> i64;
}

fn seconds(ticks: u64) -> i64 {
    (ticks / TICKS).cast_signed() - FROM_1601_TO_1970
}

fn nanoseconds(ticks: u64) -> i64 {
    (ticks % TICKS * 100).cast_signed()
}

impl MetadataExt for Metadata {
    fn dev(&self) -> u64 {
        0
    }
    fn ino(&self) -> u64 {
        0
    }
    fn uid(&self) -> u32 {
        0
    }
    fn gid(&self) -> u32 {
        0
    }
    fn mode(&self) -> u32 {
        let kind = match self.file_type() {
            kind if kind.is_symlink() => 0o120_000,
            kind if kind.is_dir() => 0o040_000,
            _ => 0o100_000,
        };
        kind | rights(self)
    }
    fn size(&self) -> u64 {
        self.file_size()
    }
    fn mtime(&self) -> i64 {
        seconds(self.last_write_time())
    }
    fn mtime_nsec(&self) -> i64 {
        nanoseconds(self.last_write_time())
    }
    fn ctime(&self) -> i64 {
        seconds(self.creation_time())
    }
    fn ctime_nsec(&self) -> i64 {
        nanoseconds(self.creation_time())
    }
}

/// Opens a file for reading; the caller looks at the kind of the file.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    patiently(|| OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(path))
}

/// The same, if `path` itself is no link.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    patiently(|| OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT).open(path))
}

/// Hands each name in a directory to `see`, with whether it is a directory if the listing says so. `see` returns `false` to
/// stop. A link to a directory is not listed.
pub(crate) fn list(dir: &Path, see: &mut dyn FnMut(&[u8], Option<bool>) -> bool) -> io::Result<()> {
    if std::fs::symlink_metadata(dir)?.is_symlink() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let is_dir = entry.file_type().ok().map(|kind| kind.is_dir());
        if !see(entry.file_name().as_encoded_bytes(), is_dir) {
            break;
        }
    }
    Ok(())
}

/// Fills `bytes` from the position `at`.
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match read_at(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

/// Reads from the position `at`; returns the number of bytes.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(bytes, at)
}

/// Writes at the position `at`; returns the number of bytes.
pub(crate) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.seek_write(bytes, at)
}

/// The position that stands for the end of a file.
const END: u64 = u64::MAX;

/// Writes at the end of a file, by one call; returns the number of bytes.
pub(crate) fn append(file: &File, bytes: &[u8]) -> io::Result<usize> {
    file.seek_write(bytes, END)
}

/// Whether two handles lead to one file.
pub(crate) fn is_same_file(one: &File, other: &File) -> io::Result<bool> {
    Ok(calls::identity(one)? == calls::identity(other)?)
}

/// The owner of a file or directory: 0 is this user or the administrators, 1 another user.
pub(crate) fn owner(path: &Path) -> io::Result<u32> {
    calls::is_mine(&open_unlinked(path)?).map(|is_mine| u32::from(!is_mine))
}

/// The rights in a mode, without the kind.
pub(crate) fn rights(about: &Metadata) -> u32 {
    match (about.is_dir(), about.permissions().readonly()) {
        (true, _) => 0o755,
        (false, false) => 0o644,
        (false, true) => 0o444,
    }
}

/// Whether git would run this file, as a program or as a hook.
pub(crate) fn runs(path: &Path) -> bool {
    let is_program = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("exe"));
    let mut begin = [0; 2];
    path.is_file()
        && (is_program || File::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok() && begin == *b"#!"))
}

/// Makes a directory; it has the rights of the directory around it, usually the user's own one for temporary files.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().create(path)
}

/// Makes a file; an error if something has its name.
pub(crate) fn make_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The number of the file system's type, on systems that have one.
pub(crate) fn filesystem_type(_path: &Path) -> Option<i128> {
    None
}

/// Whether programs of WSL may use the files in this directory, too.
pub(crate) fn is_shared_with_other_system(dir: &Path) -> bool {
    wsl::is_in_wsl(&super::path::git_bytes(dir))
}

/// Fills the free room of `bytes` by one read; returns the number of new bytes.
pub(crate) fn read_some(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let (old, room) = (bytes.len(), bytes.capacity());
    bytes.resize(room, 0);
    let read = file.read(&mut bytes[old..]);
    bytes.truncate(old + read.as_ref().map_or(0, |count| *count));
    read
}

/// Sets the times of a file to now.
pub(crate) fn touch(file: &File) -> io::Result<()> {
    let now = SystemTime::now();
    file.set_times(FileTimes::new().set_accessed(now).set_modified(now))
}
