//! Files: opened without waiting for a device or a pipe, read without a copy of their name.

use crate::sys::wsl;
use rustix::buffer::spare_capacity;
use rustix::fs::{Dir, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::retry_on_intr;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
pub(crate) use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Whether files have an executable bit and links on disk.
pub(crate) const HAS_MODES: bool = true;

/// Whether another process can read a file that is locked.
pub(crate) const READS_LOCKED: bool = true;

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?))
}

/// Opens a file for reading. A pipe without a writer does not block; the caller looks at the kind of the file.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    open(path, OFlags::empty())
}

/// The same, if `path` itself is no link.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    open(path, OFlags::NOFOLLOW)
}

/// Hands each name in a directory to `see`, with whether it is a directory if the listing says so. `see` returns `false` to
/// stop. A link to a directory is not listed.
pub(crate) fn list(dir: &Path, see: &mut dyn FnMut(&[u8], Option<bool>) -> bool) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for entry in rustix::fs::open(dir, flags, Mode::empty()).and_then(Dir::new)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        // not every file system reports the type in a listing
        let is_dir = Some(entry.file_type()).filter(|kind| *kind != FileType::Unknown);
        if !matches!(name, b"." | b"..") && !see(name, is_dir.map(|kind| kind == FileType::Directory)) {
            break;
        }
    }
    Ok(())
}

/// Fills `bytes` from the position `at`.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Reads from the position `at`; returns the number of bytes.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(bytes, at)
}

/// Writes at the position `at`; returns the number of bytes.
pub(crate) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.write_at(bytes, at)
}

/// Writes at the end of a file that was opened to append, by one call; returns the number of bytes.
pub(crate) fn append(mut file: &File, bytes: &[u8]) -> io::Result<usize> {
    file.write(bytes)
}

/// Whether two handles lead to one file.
pub(crate) fn is_same_file(one: &File, other: &File) -> io::Result<bool> {
    let identity = |file: &File| file.metadata().map(|about| (about.dev(), about.ino()));
    Ok(identity(one)? == identity(other)?)
}

/// The owner of a file or directory, without following a link.
pub(crate) fn owner(path: &Path) -> io::Result<u32> {
    Ok(path.symlink_metadata()?.uid())
}

/// The rights in a mode, without the kind: 0 to 0o7777.
pub(crate) fn rights(about: &Metadata) -> u32 {
    about.permissions().mode() & 0o7777
}

/// Whether git would run this file, as a program or as a hook.
pub(crate) fn runs(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.is_file() && rights(&about) & 0o111 != 0)
}

/// Makes a directory that only this user may enter; an error if something has its name.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a file that only this user may read; an error if something has its name.
pub(crate) fn make_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The number of the file system's type, on systems that have one.
pub(crate) fn filesystem_type(path: &Path) -> Option<i128> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    // the type has another width on some systems, and a sign on some
    Some(i128::from(rustix::fs::statfs(path).ok()?.f_type) & 0xffff_ffff)
}

/// Whether programs of Windows may use the files in this directory, too: WSL, on a disk of Windows.
pub(crate) fn is_shared_with_other_system(dir: &Path) -> bool {
    wsl::is_on_windows(filesystem_type(dir), || std::fs::read_to_string("/proc/sys/kernel/osrelease").ok())
}

/// Fills the free room of `bytes` by one read; returns the number of new bytes.
pub(crate) fn read_some(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    // one call a try: it takes the room as it is, and an interrupted one has added nothing
    Ok(retry_on_intr(|| rustix::io::read(file, spare_capacity(bytes)))?)
}

/// Sets the times of a file to now.
pub(crate) fn touch(file: &File) -> io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW as _ };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access: now, last_modification: now })?)
}
