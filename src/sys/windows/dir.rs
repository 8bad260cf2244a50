//! An open directory. Its handle keeps it from being renamed or removed, so its full path stays its own; no operation follows
//! a link or a junction in a name.

use super::calls;
use super::file::{BACKUP_SEMANTICS, MetadataExt, OPEN_REPARSE_POINT, rights};
use crate::sys::patience::patiently;
use crate::sys::{About, Access, FileKind, names};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Others may read and write the directory while it is open, and not rename or remove it.
const SHARE_READ_AND_WRITE: u32 = 3;
/// `FILE_ATTRIBUTE_READONLY`.
const READ_ONLY: u32 = 1;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: File,
    path: PathBuf,
}

fn about(about: &Metadata, owner: u32) -> About {
    let kind = match about.file_type() {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_file() => FileKind::Regular,
        _ => FileKind::Other,
    };
    let modified = (about.mtime(), about.mtime_nsec());
    About { kind, size: about.len(), modified, mode: rights(about), owner, group: 0, device: 0 }
}

/// What the system says about an open file.
pub(crate) fn about_file(file: &File) -> io::Result<About> {
    let owner = u32::from(!calls::is_mine(file)?);
    Ok(about(&file.metadata()?, owner))
}

/// Makes an open file read-only if the mode says so.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    file.set_permissions(permissions)
}

/// Clears the attribute that keeps a file from being replaced or removed.
#[allow(clippy::permissions_set_readonly_false)] // Windows: the attribute has no other effect
fn make_writable(path: &Path) -> io::Result<()> {
    let mut permissions = fs::symlink_metadata(path)?.permissions();
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)
}

impl Dir {
    /// Opens the directory `path` and follows links in it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // asked before the system is, which would open the device
        if names::opens_another(path.as_os_str()) {
            return Err(ErrorKind::InvalidFilename.into());
        }
        Self::opened(super::path::canonical(path)?)
    }

    fn opened(path: PathBuf) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).share_mode(SHARE_READ_AND_WRITE).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
        let handle = patiently(|| options.open(&path))?;
        let is_dir = handle.metadata()?.is_dir();
        if is_dir { Ok(Self { handle, path }) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    /// The path of `name`; an error if the disk would open another thing by it.
    fn at(&self, name: &OsStr) -> io::Result<PathBuf> {
        let is_held = names::is_held(name.as_encoded_bytes());
        if is_held { Ok(self.path.join(name)) } else { Err(ErrorKind::InvalidFilename.into()) }
    }

    pub(crate) fn about(&self) -> io::Result<About> {
        about_file(&self.handle)
    }

    /// What `name` is, without following a link.
    pub(crate) fn about_name(&self, name: &OsStr) -> io::Result<About> {
        let path = self.at(name)?;
        Ok(about(&fs::symlink_metadata(&path)?, super::file::owner(&path)?))
    }

    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Self> {
        Self::opened(self.at(name)?)
    }

    /// Creates the directory `name`.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        fs::DirBuilder::new().create(self.at(name)?)
    }

    /// Nothing: the rights of a directory are the ones of the directory around it.
    pub(crate) fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    /// Creates the file `name` for reading and writing.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let attributes = if mode & 0o200 == 0 { READ_ONLY } else { 0 };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).attributes(attributes).open(self.at(name)?)
    }

    /// Opens the file `name`, also if it is no regular one; a link is opened itself, so its kind says so.
    pub(crate) fn open_file(&self, name: &OsStr, access: Access) -> io::Result<File> {
        let path = self.at(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(access != Access::Read).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
        patiently(|| options.open(&path))
    }

    /// Renames the file `from` to `to` in `target`, replacing a file of that name.
    pub(crate) fn rename(&self, from: &OsStr, target: &Self, to: &OsStr) -> io::Result<()> {
        let (from, to) = (self.at(from)?, target.at(to)?);
        patiently(|| match fs::rename(&from, &to) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                make_writable(&to)?;
                fs::rename(&from, &to)
            }
            outcome => outcome,
        })
    }

    /// Windows cannot do it.
    pub(crate) fn exchange(&self, _from: &OsStr, _to: &OsStr) -> bool {
        false
    }

    /// Renames the file `from` to `to`; an error of the kind `AlreadyExists` if `to` exists.
    pub(crate) fn rename_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (self.at(from)?, self.at(to)?);
        patiently(|| calls::rename_free(&from, &to))
    }

    pub(crate) fn unlink(&self, name: &OsStr) -> io::Result<()> {
        let path = self.at(name)?;
        patiently(|| match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                make_writable(&path)?;
                fs::remove_file(&path)
            }
            outcome => outcome,
        })
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        let path = self.at(name)?;
        patiently(|| fs::remove_dir(&path))
    }

    /// Nothing: Windows has no call for the names in a directory, and NTFS writes them to its journal.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether the directory has a name that satisfies `is_wanted`. Stops at the first match, in the system's order.
    pub(crate) fn first_name(&self, is_wanted: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
        for entry in fs::read_dir(&self.path)? {
            if is_wanted(entry?.file_name().as_encoded_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
