//! The file where a hook belongs, as it lies there: whose it is, and whether git would run it. Looks, never writes.

use super::shim;
use crate::error::{Error, Result};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What lies where a hook belongs.
pub(super) enum HookFile {
    /// The place is free.
    Nothing,
    /// A file that carries our marker.
    Ours(Vec<u8>),
    /// A file or link that was there first; its bytes where they can be read.
    Foreign(Option<Vec<u8>>),
}

/// What lies there. Fails for a directory, and for a place that cannot be looked at.
pub(super) fn find(hook: &Path) -> Result<HookFile> {
    let unreadable = |error: io::Error| {
        Error::refused(format!("the hook {} cannot be read: {error}", hook.display()))
            .hint("check who owns it and that its directory is a directory")
    };
    match fs::symlink_metadata(hook) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HookFile::Nothing),
        Err(error) => return Err(unreadable(error)),
        Ok(metadata) if metadata.is_dir() => return Err(unreadable(io::ErrorKind::IsADirectory.into())),
        Ok(_) => {}
    }
    match fs::read(hook) {
        Ok(content) if shim::is_ours(&content) => Ok(HookFile::Ours(content)),
        Ok(content) => Ok(HookFile::Foreign(Some(content))),
        // A dangling link is somebody's, too: it is kept and comes back as it was.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HookFile::Foreign(None)),
        Err(error) => Err(unreadable(error)),
    }
}

/// The name under which `hook` is kept when ours takes its place.
pub(in crate::app) fn kept_path(hook: &Path) -> PathBuf {
    with_end(hook, shim::KEPT)
}

fn with_end(hook: &Path, end: &str) -> PathBuf {
    let mut name = hook.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// A hook of ours that pre-commit or prek put aside, with its bytes: they do so with what they find when they are installed.
pub(in crate::app) fn put_aside(hook: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let path = with_end(hook, shim::ASIDE);
    let content = fs::read(&path).ok().filter(|content| shim::is_ours(content))?;
    Some((path, content))
}

/// The same where git reaches it: through the hook of pre-commit or prek, which has these bytes.
pub(in crate::app) fn run_aside(hook: &Path, content: &[u8]) -> Option<(PathBuf, Vec<u8>)> {
    put_aside(hook).filter(|(path, _)| shim::is_managed(content) && is_executable(path))
}

/// Whether anything has this name, be it a link that leads nowhere.
pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether git would run the file at all.
pub(in crate::app) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether a hook was emptied: git runs it, and it lets everything pass.
pub(in crate::app) fn is_blank(content: &[u8]) -> bool {
    content.trim_ascii().is_empty()
}

/// Whether a hook that is not ours runs the program: a line that names it and is no comment.
pub(in crate::app) fn calls_us(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains("yatsu-hook"))
}
