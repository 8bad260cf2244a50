//! HTML pages written to a path that the user named: complete or not at all, and never over a foreign file.

use super::atomic::{self, Temp};
use super::folder::Folder;
use super::lock::DIRECTORY;
use crate::error::{Error, Refusal, Result};
use crate::sys::{About, Access, FileKind};
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
    let (dir, name) = file_place(path)?;
    let folder = Arc::new(Folder::open(dir)?);
    match refuse_other(&folder, name, beginning, force)? {
        Some(old) => atomic::replace_keeping(&folder, name, bytes, old.mode),
        None => atomic::replace(&folder, name, bytes, 0o666),
    }
}

/// The directory and the name of a file to write. `new/` and `new/.` name a directory, even if there is none yet.
pub(super) fn file_place(path: &Path) -> Result<(&Path, &OsStr)> {
    let ends_with = |name: &&OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    let name = path.file_name().filter(ends_with).ok_or_else(|| {
        Error::usage(format!("{} is a directory's name", path.display())).hint("name a file to write")
    })?;
    let dir = path.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."));
    Ok((dir, name))
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

/// Refuses a name that is taken by something else than a page; returns the page that is there.
fn refuse_other(folder: &Folder, name: &OsStr, beginning: &str, force: bool) -> Result<Option<About>> {
    let Some(old) = regular(folder, name)? else { return Ok(None) };
    if force || is_ours(folder, name, beginning)? {
        return Ok(Some(old));
    }
    Err(Error::refused(format!("{} is there and is no page of yatsu-hook", folder.join(name).display()))
        .because(Refusal::Exists)
        .hint("name another file, or replace it with --force"))
}

/// Refuses a name that is taken. With `force` a regular file may be replaced, which is returned; anything else never.
pub(super) fn refuse_taken(folder: &Folder, name: &OsStr, force: bool) -> Result<Option<About>> {
    let Some(old) = regular(folder, name)? else { return Ok(None) };
    if force {
        return Ok(Some(old));
    }
    Err(Error::refused(format!("{} is there already", folder.join(name).display()))
        .because(Refusal::Exists)
        .hint("name another file, or replace it with --force"))
}

/// The regular file `name`; `None` if the name is free. Anything else of that name, a link included, is refused.
fn regular(folder: &Folder, name: &OsStr) -> Result<Option<About>> {
    let Some(stat) = folder.stat_of(name)? else { return Ok(None) };
    if stat.kind == FileKind::Regular {
        return Ok(Some(stat));
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

    #[cfg(unix)]
    #[test]
    fn a_replaced_page_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("page.html");
        write_page(&path, b"<ours>1", "<ours>", false).unwrap();
        for mode in [0o600, 0o640, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_page(&path, b"<ours>2", "<ours>", false).unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "whatever the umask is");
        }
    }

    #[test]
    fn a_path_that_names_a_directory_is_refused_and_makes_no_file() {
        let scratch = tempfile::tempdir().unwrap();
        for end in ["new/", "new//", "new/.", "..", "new/.."] {
            let error = write_page(&scratch.path().join(end), b"<ours>", "<ours>", true).unwrap_err();
            assert!(error.message.ends_with("is a directory's name"), "{end}: {}", error.message);
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
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
