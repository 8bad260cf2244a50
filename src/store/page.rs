//! HTML pages written to a path that the user named: complete or not at all, and never over a foreign file.

use super::atomic::{self, Temp};
use super::folder::Folder;
use super::lock::DIRECTORY;
use crate::error::{Error, Refusal, Result};
use crate::sys::{Access, FileKind};
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes `bytes` to `path`. An existing file is replaced only if it starts with `beginning`, as the pages of this program
/// do, or with `force`. A link, a device and a directory are never replaced.
///
/// # Errors
/// Refused if the path is taken; unchecked if the file cannot be written. The old content then stays.
pub(crate) fn write_page(path: &Path, bytes: &[u8], beginning: &str, force: bool) -> Result<()> {
    let name = path.file_name().ok_or_else(|| no_file_name(path))?;
    let dir = path.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."));
    let folder = Arc::new(Folder::open(dir)?);
    refuse_other(&folder, name, beginning, force)?;
    atomic::replace(&folder, name, bytes, 0o666)
}

pub(super) fn no_file_name(path: &Path) -> Error {
    Error::usage(format!("{} is no file name", path.display())).hint("name a file to write")
}

/// The directory of pages that a command opened in a browser, below `yatsu` in the git directory.
const VIEWS: &str = "view";
/// How many of these pages are kept.
const KEPT_VIEWS: usize = 10;

/// Writes a page that only this user may read to the git directory, and returns its path. Only the newest pages are kept.
///
/// # Errors
/// Unchecked if it cannot be written.
pub(crate) fn write_view(common_dir: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let ours = Folder::open(common_dir)?.ensure_below_unsynced(OsStr::new(DIRECTORY))?;
    let folder = Arc::new(ours.ensure_private_below(OsStr::new(VIEWS))?);
    let digest: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let name = OsString::from(format!("{digest}.html"));
    let mut temp = Temp::create(&folder, 0o600)?;
    temp.append(bytes)?;
    temp.publish(&name)?;
    let mut views = Vec::new();
    for view in folder.names()?.into_iter().filter(|view| view.as_encoded_bytes().ends_with(b".html")) {
        let age = folder.stat_of(&view)?.map(|stat| stat.modified);
        views.push((view != name, std::cmp::Reverse(age), view));
    }
    views.sort();
    for (_, _, old) in views.into_iter().skip(KEPT_VIEWS) {
        folder.unlink(&old)?;
    }
    Ok(folder.join(&name))
}

fn refuse_other(folder: &Folder, name: &OsStr, beginning: &str, force: bool) -> Result<()> {
    if !is_taken(folder, name)? || force || is_ours(folder, name, beginning)? {
        return Ok(());
    }
    Err(Error::refused(format!("{} is there and is no page of yatsu-hook", folder.join(name).display()))
        .because(Refusal::Exists)
        .hint("name another file, or replace it with --force"))
}

/// Refuses a name that is taken. With `force` a regular file may be replaced, anything else never.
pub(super) fn refuse_taken(folder: &Folder, name: &OsStr, force: bool) -> Result<()> {
    if !is_taken(folder, name)? || force {
        return Ok(());
    }
    Err(Error::refused(format!("{} is there already", folder.join(name).display()))
        .because(Refusal::Exists)
        .hint("name another file, or replace it with --force"))
}

/// Whether `name` is a regular file. Anything else of that name, a link included, is refused.
fn is_taken(folder: &Folder, name: &OsStr) -> Result<bool> {
    let Some(stat) = folder.stat_of(name)? else { return Ok(false) };
    if stat.kind == FileKind::Regular {
        return Ok(true);
    }
    Err(Error::refused(format!("{} is there and is no regular file", folder.join(name).display()))
        .because(Refusal::Exists)
        .hint("name a file, or `-` for standard output"))
}

fn is_ours(folder: &Folder, name: &OsStr, beginning: &str) -> Result<bool> {
    let Some(file) = folder.open_file(name, Access::Read)? else { return Ok(true) };
    let mut found = Vec::new();
    // a file that cannot be read is not a page of this program
    let read = file.take(beginning.len() as u64).read_to_end(&mut found);
    Ok(read.is_ok() && found == beginning.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_a_page_of_ours_is_replaced_unless_it_is_asked_for() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("page.html");
        write_page(&path, b"<ours>1", "<ours>", false).unwrap();
        write_page(&path, b"<ours>2", "<ours>", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"<ours>2");
        fs::write(&path, "theirs").unwrap();
        let error = write_page(&path, b"<ours>3", "<ours>", false).unwrap_err();
        assert!(error.message.ends_with("is there and is no page of yatsu-hook"), "{}", error.message);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        fs::write(&path, "").unwrap();
        assert!(write_page(&path, b"<ours>3", "<ours>", false).is_err(), "an empty file is no page");
        write_page(&path, b"<ours>3", "<ours>", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"<ours>3");
    }

    #[test]
    fn the_last_ten_views_are_kept_where_nobody_else_looks() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let paths: Vec<_> =
            (0..13).map(|n| write_view(scratch.path(), format!("page {n}").as_bytes()).unwrap()).collect();
        let dir = paths[0].parent().unwrap();
        assert_eq!(fs::read_dir(dir).unwrap().count(), KEPT_VIEWS);
        assert_eq!(fs::read(&paths[12]).unwrap(), b"page 12");
        assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(write_view(scratch.path(), b"page 12").unwrap(), paths[12]);
    }

    #[test]
    fn a_link_and_a_directory_stay_what_they_are() {
        let scratch = tempfile::tempdir().unwrap();
        let (page, link, dir) =
            (scratch.path().join("page.html"), scratch.path().join("link"), scratch.path().join("dir"));
        fs::write(&page, "<ours>").unwrap();
        fs::create_dir(&dir).unwrap();
        std::os::unix::fs::symlink(&page, &link).unwrap();
        for path in [&link, &dir] {
            let error = write_page(path, b"<ours>new", "<ours>", true).unwrap_err();
            assert!(error.message.ends_with("is there and is no regular file"), "{}", error.message);
        }
        assert_eq!(fs::read(&page).unwrap(), b"<ours>");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 3, "nothing is left behind");
    }
}
