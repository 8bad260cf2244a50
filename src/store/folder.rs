//! An open directory, and the operations on the names in it. Input: a name without `/`. Output: a file, a directory, or
//! an error with the path, the reason and the next step.
//!
//! [`Folder::open`] opens the first directory by its path. Every further operation goes through the handle of a
//! directory and follows no symbolic link. So a repository cannot redirect a write: for example, a link `.spec` to
//! `/etc` is refused. An operation added here must keep this rule.

use crate::error::Error;
use crate::sys::{self, About, Access, Dir, FileKind};
use crate::tree::shared::SharedMode;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

type Result<T> = crate::error::Result<T>;

/// The error of a failed operation on `path`, for example "cannot read a/b: permission denied", with a hint.
pub(crate) fn failed(doing: &str, path: &Path, error: impl Into<io::Error>) -> Error {
    let error = error.into();
    Error::unchecked(format!("cannot {doing} {}: {error}", path.display())).hint(hint_for(error.kind()))
}

/// The error of a directory that cannot be opened.
fn no_directory(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            Error::unchecked(format!("cannot open the directory {}: {error}", path.display()))
                .hint("make that directory or name another one, then run the same command again")
        }
        _ => failed("open the directory", path, error),
    }
}

fn hint_for(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room (disk, quota or file-size limit), then run the same command again"
        }
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only: record from a writable clone",
        io::ErrorKind::PermissionDenied => "give yourself the right to write there, then run the same command again",
        _ => "run the same command again; if it fails again, look after the disk first",
    }
}

/// An open directory.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    path: PathBuf,
    /// Sets the modes of new files and directories, here and below, if several people share the repository.
    shared: Option<SharedMode>,
}

impl Folder {
    /// Opens the directory `path`. Follows symbolic links in `path`, so no part of `path` may come from the content of
    /// a repository.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let dir = Dir::open(path).map_err(|error| no_directory(path, error))?;
        Ok(Self { dir, path: sys::spelled(path.to_owned()), shared: None })
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
        sys::spelled(self.path.join(name))
    }

    /// What the directory itself is.
    pub(crate) fn stat(&self) -> Result<About> {
        self.dir.about().map_err(|error| failed("examine", &self.path, error))
    }

    /// What `name` is, without following a link; `None` if it does not exist.
    pub(crate) fn stat_of(&self, name: &OsStr) -> Result<Option<About>> {
        match self.dir.about_name(name) {
            Ok(about) => Ok(Some(about)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("examine", &self.join(name), error)),
        }
    }

    /// Opens the directory `name`; `None` if it does not exist. A symbolic link or a file of that name is refused.
    pub(crate) fn below(&self, name: &OsStr) -> Result<Option<Self>> {
        let path = self.join(name);
        match self.stat_of(name)? {
            None => return Ok(None),
            Some(about) => refuse_other_than(FileKind::Directory, about.kind, &path)?,
        }
        let dir = self.dir.below(name).map_err(|error| failed("open the directory", &path, error))?;
        Ok(Some(Self { dir, path, shared: self.shared }))
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
        folder.dir.set_mode(0o700).map_err(|error| failed("close", &folder.path, error))?;
        Ok(folder)
    }

    /// Opens or creates the directory `name`; also returns whether this call created it.
    fn open_or_make(&self, name: &OsStr) -> Result<(Self, bool)> {
        if let Some(folder) = self.below(name)? {
            return Ok((folder, false));
        }
        let is_new = self.make_below(name)?;
        let gone = || failed("open the directory", &self.join(name), ErrorKind::NotFound);
        let folder = self.below(name)?.ok_or_else(gone)?;
        if let Some(shared) = self.shared.filter(|_| is_new) {
            folder.share(shared).map_err(|error| failed("share", &folder.path, error))?;
        }
        Ok((folder, is_new))
    }

    /// Gives a new directory the mode for a shared repository.
    fn share(&self, shared: SharedMode) -> io::Result<()> {
        let now = self.dir.about()?.mode;
        let mode = shared.of_directory(now);
        if mode == now { Ok(()) } else { self.dir.set_mode(mode) }
    }

    /// Creates the file `name` for reading and writing. Fails with the plain error, so that the caller can try another
    /// name if this one exists.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let file = self.dir.create_new(name, mode)?;
        let shared = self.shared.map_or(Ok(()), |shared| share(&file, shared));
        // a file that only its owner can use would lock the other people out of the repository, so it is removed again
        shared.map(|()| file).inspect_err(|_| drop(self.unlink(name)))
    }

    /// Opens the regular file `name`; `None` if it does not exist. Every other kind of file is refused.
    pub(crate) fn open_file(&self, name: &OsStr, access: Access) -> Result<Option<File>> {
        let path = self.join(name);
        let file = match self.dir.open_file(name, access) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let is_link = self.dir.about_name(name).is_ok_and(|about| about.kind == FileKind::Link);
                return Err(if is_link { not_followed(&path) } else { failed("open", &path, error) });
            }
        };
        let about = sys::about_file(&file).map_err(|error| failed("examine", &path, error))?;
        refuse_other_than(FileKind::Regular, about.kind, &path)?;
        Ok(Some(file))
    }

    /// Renames the file `from` to `to` in `target`, replacing a file of that name.
    pub(crate) fn rename(&self, from: &OsStr, target: &Self, to: &OsStr) -> Result<()> {
        self.dir.rename(from, &target.dir, to).map_err(|error| failed("rename into", &target.join(to), error))
    }

    /// Gives the file `from` the name of the file `to`, and `to` the name `from`; returns `false` and does nothing if `to` is
    /// no regular file or the file system cannot do it.
    pub(super) fn exchange(&self, from: &OsStr, to: &OsStr) -> bool {
        let about = self.dir.about_name(to);
        about.is_ok_and(|about| about.kind == FileKind::Regular) && self.dir.exchange(from, to)
    }

    /// Renames the file `from` to `to`; returns `false` and does nothing if `to` exists.
    pub(super) fn rename_free(&self, from: &OsStr, to: &OsStr) -> Result<bool> {
        match self.dir.rename_free(from, to) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed("make", &self.join(to), error)),
        }
    }

    /// Creates the directory `name`, with the mode of the umask and not yet durable; returns `false` if the name
    /// exists.
    pub(super) fn make_below(&self, name: &OsStr) -> Result<bool> {
        match self.dir.make(name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed("make the directory", &self.join(name), error)),
        }
    }

    pub(crate) fn unlink(&self, name: &OsStr) -> Result<()> {
        self.dir.unlink(name).map_err(|error| failed("remove", &self.join(name), error))
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> Result<()> {
        self.dir.remove_dir(name).map_err(|error| failed("remove", &self.join(name), error))
    }

    /// Makes the names in the directory durable: a new or renamed file keeps its name after a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        self.dir.sync().map_err(|error| failed("make durable", &self.path, error))
    }

    /// The names in the directory, sorted.
    pub(crate) fn names(&self) -> Result<Vec<OsString>> {
        let mut names = Vec::new();
        self.first_name(&mut |name| {
            names.push(sys::native(name).into_owned());
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
        self.dir.first_name(is_wanted).map_err(|error| failed("list", &self.path, error))
    }
}

/// Gives a new file the mode for a shared repository.
fn share(file: &File, shared: SharedMode) -> io::Result<()> {
    let now = sys::about_file(file)?.mode;
    let mode = shared.of_file(now);
    if mode == now { Ok(()) } else { sys::set_mode(file, mode) }
}

/// Refuses a file that is not of the type `wanted`.
fn refuse_other_than(wanted: FileKind, found: FileKind, path: &Path) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    if found == FileKind::Link {
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
pub(crate) fn type_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Regular => "a regular file",
        FileKind::Directory => "a directory",
        FileKind::Link => "a symbolic link",
        FileKind::Fifo => "a FIFO",
        FileKind::Socket => "a socket",
        FileKind::Device => "a device",
        FileKind::Other => "something else",
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
        assert!(folder.open_file(name("link"), Access::Read).unwrap_err().message.contains("symbolic link"));
        assert!(folder.open_file(name("none"), Access::Read).unwrap().is_none());
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
        assert!(folder.open_file(name("pipe"), Access::Read).unwrap_err().message.contains("a FIFO"));
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
