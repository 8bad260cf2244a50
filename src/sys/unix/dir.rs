//! An open directory. Every operation goes through its handle and follows no symbolic link in a name.

use crate::sys::{About, Access, FileKind};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawMode, RenameFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// An open directory.
#[derive(Debug)]
pub(crate) struct Dir(OwnedFd);

// the numbers have other widths on macOS
#[allow(clippy::unnecessary_cast)]
fn about(stat: &Stat) -> About {
    let kind = match FileType::from_raw_mode(stat.st_mode as RawMode) {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Unknown => FileKind::Other,
    };
    About {
        kind,
        size: stat.st_size as u64,
        modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
        mode: stat.st_mode as u32 & 0o7777,
        owner: stat.st_uid,
        group: stat.st_gid,
        device: stat.st_dev as u64,
    }
}

/// What the system says about an open file.
pub(crate) fn about_file(file: &File) -> io::Result<About> {
    Ok(about(&rustix::fs::fstat(file)?))
}

/// Gives an open file exactly this mode, whatever the umask.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    change_mode(file.as_fd(), mode)
}

fn change_mode(fd: impl AsFd, mode: u32) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::fchmod(&fd, Mode::from_raw_mode(mode as RawMode)))?)
}

impl Dir {
    /// Opens the directory `path` and follows links in it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(retry_on_intr(|| rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty()))?))
    }

    pub(crate) fn about(&self) -> io::Result<About> {
        Ok(about(&rustix::fs::fstat(&self.0)?))
    }

    /// What `name` is, without following a link.
    pub(crate) fn about_name(&self, name: &OsStr) -> io::Result<About> {
        Ok(about(&rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(retry_on_intr(|| rustix::fs::openat(&self.0, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()))?))
    }

    /// Creates the directory `name`.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777)))?)
    }

    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        change_mode(&self.0, mode)
    }

    /// Creates the file `name` for reading and writing.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as RawMode);
        Ok(File::from(retry_on_intr(|| rustix::fs::openat(&self.0, name, flags, mode))?))
    }

    /// Opens the file `name`, also if it is no regular one; a link is an error.
    pub(crate) fn open_file(&self, name: &OsStr, access: Access) -> io::Result<File> {
        // O_NONBLOCK: opening a FIFO must not hang; the flag has no effect on a regular file.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let flags = flags
            | match access {
                Access::Read => OFlags::RDONLY,
                Access::Write => OFlags::RDWR,
                Access::Append => OFlags::RDWR | OFlags::APPEND,
            };
        Ok(File::from(retry_on_intr(|| rustix::fs::openat(&self.0, name, flags, Mode::empty()))?))
    }

    /// Renames the file `from` to `to` in `target`, replacing a file of that name.
    pub(crate) fn rename(&self, from: &OsStr, target: &Self, to: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::renameat(&self.0, from, &target.0, to))?)
    }

    /// Gives the file `from` the name of the file `to`, and `to` the name `from`; `false` if the file system cannot do it.
    pub(crate) fn exchange(&self, from: &OsStr, to: &OsStr) -> bool {
        rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::EXCHANGE).is_ok()
    }

    /// Renames the file `from` to `to`; an error of the kind `AlreadyExists` if `to` exists.
    pub(crate) fn rename_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match retry_on_intr(|| rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE)) {
            // some file systems cannot rename without replacing; a hard link never replaces
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                retry_on_intr(|| rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()))?;
                self.unlink(from)
            }
            renamed => Ok(renamed?),
        }
    }

    pub(crate) fn unlink(&self, name: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.0, name, AtFlags::empty()))?)
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR))?)
    }

    /// Makes the names in the directory durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match retry_on_intr(|| rustix::fs::fsync(&self.0)) {
            // Some network and user-space file systems cannot sync a directory; they order names by themselves.
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the directory has a name that satisfies `is_wanted`. Stops at the first match, in the system's order.
    pub(crate) fn first_name(&self, is_wanted: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
        for entry in rustix::fs::Dir::read_from(self.0.as_fd())? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && is_wanted(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
