//! Names on disk are UTF-16, names in git are bytes.
//!
//! A name that the disk cannot hold becomes a path with a NUL in it. The standard library refuses such a path before any
//! call of the system, so nothing is opened, made or removed: a path `src/con` of a commit never opens the console.

use crate::sys::names;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What separates the directories in `PATH` and in git's variables.
pub(crate) const LIST_SEPARATOR: u8 = b';';

/// A path that git or a variable names, for example `../.git/worktrees/x`, as this system spells it.
pub(crate) fn native(path: &[u8]) -> Cow<'_, OsStr> {
    match std::str::from_utf8(path) {
        Ok(path) => Cow::Borrowed(OsStr::new(path)),
        Err(_) => Cow::Owned(unheld(path)),
    }
}

/// A path of a tree, for example `src/a.rs`, as a path below the top of the work tree.
pub(crate) fn in_tree(path: &[u8]) -> Cow<'_, OsStr> {
    if path.split(|byte| *byte == b'/').all(names::is_held) { native(path) } else { Cow::Owned(unheld(path)) }
}

fn unheld(path: &[u8]) -> OsString {
    format!("{}\0", String::from_utf8_lossy(path)).into()
}

/// A path of this system in git's spelling: slashes, and no `\\?\` in front.
pub(crate) fn git_bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(names::slashed(path.as_os_str().as_encoded_bytes()))
}

/// Whether a typed path opens another thing than the file of that name, on systems where that can be.
pub(crate) const OPENS_ANOTHER: Option<fn(&OsStr) -> bool> = Some(names::opens_another);

/// The path without links, `.` and `..`, as other programs take it.
pub(crate) fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize().map(spelled)
}

/// A path of this system as other programs take it: git, shells and people do not take `\\?\C:\`.
pub(crate) fn spelled(path: PathBuf) -> PathBuf {
    PathBuf::from(&*native(&git_bytes(&path)))
}

/// The pattern of an absolute path in a script of sh, for example `C:/tools/yatsu-hook.exe`.
pub(crate) const ABSOLUTE: &str = "/*|?:/*";

/// The file name of the program `name`.
pub(crate) fn program(name: &str) -> String {
    if name.ends_with(".exe") { name.to_owned() } else { format!("{name}.exe") }
}
