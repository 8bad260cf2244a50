//! New files of a work tree: all of them or none. Existing files are never replaced and symbolic links never followed; after
//! a failure no new file and no new directory stays.

use super::atomic::Temp;
use super::folder::Folder;
use super::signals;
use crate::error::{Error, Refusal, Result, remedy};
use crate::sys;
use crate::tree::path::RepoPath;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// A file or directory that was created, with what is needed to remove it.
enum Made {
    Directory(Arc<Folder>, OsString),
    File(Arc<Folder>, OsString),
}

/// Creates these files below `top`, with the missing directories.
///
/// # Errors
/// Refused if a name is taken; unchecked if nothing can be written there.
pub(crate) fn create(top: &Path, files: &[(RepoPath, Vec<u8>)]) -> Result<()> {
    // a signal between two files would leave half of them
    let _shield = signals::shield();
    let mut made = Vec::new();
    let written = files.iter().try_for_each(|(path, content)| one(top, path, content, &mut made));
    if written.is_err() {
        made.into_iter().rev().for_each(unmake);
    }
    written
}

fn one(top: &Path, path: &RepoPath, content: &[u8], made: &mut Vec<Made>) -> Result<()> {
    let mut folder = Arc::new(Folder::open(top)?);
    for name in path.parent().unwrap_or_default().components() {
        let name = &*sys::in_tree(name);
        if folder.make_below(name)? {
            made.push(Made::Directory(Arc::clone(&folder), name.to_owned()));
            folder.sync()?;
        }
        let gone = || {
            Error::unchecked(format!("{} went away while it was made", folder.join(name).display()))
                .hint(remedy::CHANGING)
        };
        folder = Arc::new(folder.below(name)?.ok_or_else(gone)?);
    }
    let name = &*sys::in_tree(path.name());
    let mut temp = Temp::create(&folder, 0o644)?;
    temp.append(content)?;
    temp.sync(content.len() as u64)?;
    if !temp.publish_new(name)? {
        return Err(Error::refused(format!("{path} is there already"))
            .because(Refusal::Exists)
            .hint("run the same command again"));
    }
    made.push(Made::File(folder, name.to_owned()));
    Ok(())
}

/// If this fails the file stays; the failure that led here is the one to report. By value: it closes the
/// directory, and an open directory is not removed on every system.
fn unmake(made: Made) {
    let _ = match &made {
        Made::File(folder, name) => folder.unlink(name),
        Made::Directory(folder, name) => folder.remove_dir(name),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn files(list: &[(&str, &str)]) -> Vec<(RepoPath, Vec<u8>)> {
        list.iter().map(|(path, text)| (RepoPath::from_git(*path), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn all_files_or_none_and_none_is_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path();
        fs::create_dir(top.join("a")).unwrap();
        fs::write(top.join("a/two"), "before").unwrap();
        let error = create(top, &files(&[("a/b/one", "1"), ("a/two", "2")])).unwrap_err();
        assert_eq!(error.kind.exit_code(), 1, "{error}");
        assert_eq!(fs::read_dir(top.join("a")).unwrap().count(), 1, "nothing else is left");
        assert_eq!(fs::read(top.join("a/two")).unwrap(), b"before");
        create(top, &files(&[("a/b/one", "1"), ("a/b/two", "2")])).unwrap();
        assert_eq!(fs::read(top.join("a/b/two")).unwrap(), b"2");
    }

    #[test]
    fn a_link_on_the_way_is_not_followed() {
        let (scratch, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), scratch.path().join("a")).unwrap();
        assert!(create(scratch.path(), &files(&[("a/one", "1")])).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
