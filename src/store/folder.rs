//! An open directory, and the operations on the names in it. Input: a name without `/`. Output: a file, a directory, or
//! an error with the path, the reason and the next step.
//!
//! [`Folder::open`] opens the first directory by its path. Every further operation goes through the handle of a
//! directory and follows no symbolic link. So a repository cannot redirect a write: for example, a link `.spec` to
//! `/etc` is refused. An operation added here must keep this rule.

use crate::error::Error;
use crate::tree::shared::SharedMode;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

type Result<T> = crate::error::Result<T>;

/// The error of a failed operation on `path`, for example "cannot read a/b: permission denied", with a hint.
pub(crate) fn failed(doing: &str, path: &Path, error: impl Into<io::Error>) -> Error {
    let error = error.into();
    Error::unchecked(format!("cannot {doing} {}: {error}", path.display())).hint(hint_for(error.kind()))
}

fn hint_for(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room (disk, quota or file-size limit), then run the same command again"
        }
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only: record from a writable clone",
        io::ErrorKind::PermissionDenied => "give yourself the right to write there, then run the same command again",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "make that directory or name another one, then run the same command again"
        }
        _ => "run the same command again; if it fails again, look after the disk first",
    }
}

/// An open directory.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
    /// Sets the modes of new files and directories, here and below, if several people share the repository.
    shared: Option<SharedMode>,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Folder {
    /// Opens the directory `path`. Follows symbolic links in `path`, so no part of `path` may come from the content of
    /// a repository.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let fd = retry(|| rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty()))
            .map_err(|error| failed("open the directory", path, error))?;
        Ok(Self { fd, path: path.to_owned(), shared: None })
    }

    /// The same folder in a shared repository: the other people may use the files and directories that are made in it
    /// and below it. `None` leaves the modes to the umask.
    #[must_use]
    pub(crate) fn shared_by(self, shared: Option<SharedMode>) -> Self {
        Self { shared, ..self }
    }

    /// The sharing of the repository; `None` if it is not shared.
    pub(super) fn sharing(&self) -> Option<SharedMode> {
        self.shared
    }

    /// The path of the directory, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of `name` in the directory, for messages.
    pub(crate) fn join(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn stat(&self) -> Result<Stat> {
        rustix::fs::fstat(&self.fd).map_err(|error| failed("examine", &self.path, error))
    }

    /// The stat of `name`, without following a link; `None` if it does not exist.
    pub(crate) fn stat_of(&self, name: &OsStr) -> Result<Option<Stat>> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(failed("examine", &self.join(name), error)),
        }
    }

    /// Opens the directory `name`; `None` if it does not exist. A symbolic link or a file of that name is refused.
    pub(crate) fn below(&self, name: &OsStr) -> Result<Option<Self>> {
        let path = self.join(name);
        match self.stat_of(name)? {
            None => return Ok(None),
            Some(stat) => refuse_other_than(FileType::Directory, &stat, &path)?,
        }
        let fd = retry(|| rustix::fs::openat(&self.fd, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()))
            .map_err(|error| failed("open the directory", &path, error))?;
        Ok(Some(Self { fd, path, shared: self.shared }))
    }

    /// Like [`Self::below`], but creates the directory if it is missing. After a power cut the new directory is still
    /// there.
    pub(crate) fn ensure_below(&self, name: &OsStr) -> Result<Self> {
        let (folder, is_new) = self.open_or_make(name)?;
        if is_new {
            self.sync()?;
        }
        Ok(folder)
    }

    /// Like [`Self::ensure_below`], but does not wait for the disk: for data that may be lost.
    pub(crate) fn ensure_below_unsynced(&self, name: &OsStr) -> Result<Self> {
        Ok(self.open_or_make(name)?.0)
    }

    /// Like [`Self::ensure_below_unsynced`], but only the owner may use the directory, even in a shared repository.
    pub(crate) fn ensure_private_below(&self, name: &OsStr) -> Result<Self> {
        let (folder, _) = self.open_or_make(name)?;
        let mode = Mode::from_raw_mode(0o700);
        retry(|| rustix::fs::fchmod(&folder.fd, mode)).map_err(|error| failed("close", &folder.path, error))?;
        Ok(folder)
    }

    /// Opens or creates the directory `name`; also returns whether this call created it.
    fn open_or_make(&self, name: &OsStr) -> Result<(Self, bool)> {
        if let Some(folder) = self.below(name)? {
            return Ok((folder, false));
        }
        let is_new = match retry(|| rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777))) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(error) => return Err(failed("make the directory", &self.join(name), error)),
        };
        let folder = self.below(name)?.ok_or_else(|| failed("open the directory", &self.join(name), Errno::NOENT))?;
        if let Some(shared) = self.shared.filter(|_| is_new) {
            share(&folder.fd, |mode| shared.of_directory(mode))
                .map_err(|error| failed("share", &folder.path, error))?;
        }
        Ok((folder, is_new))
    }

    /// Creates the file `name` for reading and writing. Fails with the plain error number, so that the caller can try
    /// another name if this one exists.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> std::result::Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        let file = retry(|| rustix::fs::openat(&self.fd, name, flags, mode)).map(File::from)?;
        let shared = self.shared.map_or(Ok(()), |shared| share(&file, |mode| shared.of_file(mode)));
        // a file that only its owner can use would lock the other people out of the repository, so it is removed again
        shared.map(|()| file).inspect_err(|_| drop(self.unlink(name)))
    }

    /// Opens the regular file `name`; `None` if it does not exist. Every other kind of file is refused.
    pub(crate) fn open_file(&self, name: &OsStr, access: OFlags) -> Result<Option<File>> {
        // O_NONBLOCK: opening a FIFO must not hang; the flag has no effect on a regular file.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let path = self.join(name);
        let file = match retry(|| rustix::fs::openat(&self.fd, name, flags, Mode::empty())) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::MLINK) => return Err(not_followed(&path)),
            Err(error) => return Err(failed("open", &path, error)),
        };
        let stat = rustix::fs::fstat(&file).map_err(|error| failed("examine", &path, error))?;
        refuse_other_than(FileType::RegularFile, &stat, &path)?;
        Ok(Some(file))
    }

    /// Renames the file `from` to `to` in `target`, replacing a file of that name.
    pub(crate) fn rename(&self, from: &OsStr, target: &Self, to: &OsStr) -> Result<()> {
        retry(|| rustix::fs::renameat(&self.fd, from, &target.fd, to))
            .map_err(|error| failed("rename into", &target.join(to), error))
    }

    /// Renames the file `from` to `to`; returns `false` and does nothing if `to` exists.
    pub(super) fn rename_free(&self, from: &OsStr, to: &OsStr) -> Result<bool> {
        let renamed = retry(|| rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE));
        let renamed = match renamed {
            // some file systems cannot rename without replacing; a hard link never replaces
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                retry(|| rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()))
                    .and_then(|()| retry(|| rustix::fs::unlinkat(&self.fd, from, AtFlags::empty())))
            }
            renamed => renamed,
        };
        match renamed {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(failed("make", &self.join(to), error)),
        }
    }

    /// Creates the directory `name`, with the mode of the umask and not yet durable; returns `false` if the name
    /// exists.
    pub(super) fn make_below(&self, name: &OsStr) -> Result<bool> {
        match retry(|| rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777))) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(failed("make the directory", &self.join(name), error)),
        }
    }

    pub(crate) fn unlink(&self, name: &OsStr) -> Result<()> {
        retry(|| rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()))
            .map_err(|error| failed("remove", &self.join(name), error))
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> Result<()> {
        retry(|| rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR))
            .map_err(|error| failed("remove", &self.join(name), error))
    }

    /// Makes the names in the directory durable: a new or renamed file keeps its name after a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        match retry(|| rustix::fs::fsync(&self.fd)) {
            // Some network and user-space file systems cannot sync a directory; they order names by themselves.
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(failed("make durable", &self.path, error)),
        }
    }

    /// The names in the directory, sorted.
    pub(crate) fn names(&self) -> Result<Vec<OsString>> {
        let mut names = Vec::new();
        self.first_name(&mut |name| {
            names.push(OsString::from_vec(name.to_vec()));
            false
        })?;
        names.sort();
        Ok(names)
    }

    /// Whether the directory has a name that satisfies `is_wanted`. Stops at the first match, in the system's order.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub(crate) fn first_name(&self, is_wanted: &mut dyn FnMut(&[u8]) -> bool) -> Result<bool> {
        let problem = |error: Errno| failed("list", &self.path, error);
        for entry in rustix::fs::Dir::read_from(self.fd.as_fd()).map_err(problem)? {
            let entry = entry.map_err(problem)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && is_wanted(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Gives a new file or directory the mode for a shared repository. `wanted` computes the mode from the present one.
fn share(made: impl AsFd, wanted: impl Fn(u32) -> u32) -> std::result::Result<(), Errno> {
    let now = rustix::fs::fstat(&made)?.st_mode as u32 & 0o7777;
    let mode = wanted(now);
    if mode == now {
        return Ok(());
    }
    retry(|| rustix::fs::fchmod(&made, Mode::from_raw_mode(mode as rustix::fs::RawMode)))
}

/// Repeats a system call as long as a signal interrupts it.
pub(crate) fn retry<T>(call: impl FnMut() -> std::result::Result<T, Errno>) -> std::result::Result<T, Errno> {
    rustix::io::retry_on_intr(call)
}

/// Refuses a file that is not of the type `wanted`.
fn refuse_other_than(wanted: FileType, stat: &Stat, path: &Path) -> Result<()> {
    let found = FileType::from_raw_mode(stat.st_mode as rustix::fs::RawMode);
    if found == wanted {
        return Ok(());
    }
    if found == FileType::Symlink {
        return Err(not_followed(path));
    }
    let (is, should) = (type_name(found), type_name(wanted));
    Err(Error::unchecked(format!("{} is {is}, not {should}", path.display()))
        .hint(format!("move it away, so that {should} can take its place")))
}

fn not_followed(path: &Path) -> Error {
    Error::unchecked(format!(
        "{} is a symbolic link; it is not followed, so that no write leaves its place",
        path.display()
    ))
    .hint("put the real file or directory there")
}

/// The name of a file type in messages, for example "a FIFO".
pub(crate) fn type_name(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn links_and_other_types_are_refused_by_name() {
        let scratch = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", scratch.path().join("link")).unwrap();
        std::fs::write(scratch.path().join("file"), "x").unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        assert!(folder.below(name("link")).unwrap_err().message.contains("symbolic link"));
        assert!(folder.below(name("file")).unwrap_err().message.contains("a regular file, not a directory"));
        assert!(folder.open_file(name("link"), OFlags::RDONLY).unwrap_err().message.contains("symbolic link"));
        assert!(folder.open_file(name("none"), OFlags::RDONLY).unwrap().is_none());
        assert_eq!(folder.names().unwrap(), ["file", "link"]);
    }

    #[test]
    fn the_first_name_that_is_wanted_ends_the_look_and_no_other_one_is_asked_about() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        assert!(!folder.first_name(&mut |_| panic!("nothing is there")).unwrap());
        (0..100).for_each(|number| std::fs::write(scratch.path().join(number.to_string()), "x").unwrap());
        let asked = |wanted: usize| {
            let mut asked = 0;
            let found = folder.first_name(&mut |_| {
                asked += 1;
                asked == wanted
            });
            (found.unwrap(), asked)
        };
        // twice: each search starts at the beginning
        assert_eq!((asked(1), asked(1)), ((true, 1), (true, 1)));
        assert_eq!((asked(3), asked(100), asked(101)), ((true, 3), (true, 100), (false, 100)));
    }

    #[test]
    fn a_fifo_does_not_hang() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let folder = Folder::open(scratch.path()).unwrap();
        assert!(folder.open_file(name("pipe"), OFlags::RDONLY).unwrap_err().message.contains("a FIFO"));
    }

    #[test]
    fn a_directory_is_made_once() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        assert!(folder.below(name("a")).unwrap().is_none());
        folder.ensure_below(name("a")).unwrap();
        folder.ensure_below(name("a")).unwrap();
        assert!(folder.below(name("a")).unwrap().is_some());
    }
}
