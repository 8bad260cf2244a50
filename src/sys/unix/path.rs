//! Names on disk are bytes, as in git.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What separates the directories in `PATH` and in git's variables.
pub(crate) const LIST_SEPARATOR: u8 = b':';

/// A path that git or a variable names, for example `../.git/worktrees/x`, as this system spells it.
pub(crate) fn native(path: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(path))
}

/// A path of a tree, for example `src/a.rs`, as a path below the top of the work tree.
pub(crate) fn in_tree(path: &[u8]) -> Cow<'_, OsStr> {
    native(path)
}

/// A path of this system in git's spelling.
pub(crate) fn git_bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// Whether a typed path opens another thing than the file of that name, on systems where that can be.
pub(crate) const OPENS_ANOTHER: Option<fn(&OsStr) -> bool> = None;

/// The path without links, `.` and `..`, as other programs take it.
pub(crate) fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize()
}

/// The pattern of an absolute path in a script of sh.
pub(crate) const ABSOLUTE: &str = "/*";

/// A path of this system as other programs take it.
pub(crate) fn spelled(path: PathBuf) -> PathBuf {
    path
}

/// The file name of the program `name`.
pub(crate) fn program(name: &str) -> &str {
    name
}
