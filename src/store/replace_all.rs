//! Replaces, creates and removes several files of other programs: all of them or none. Each new content is written and made
//! durable beside its file before the first file changes, so that a full disk is found in time. A file that is not as it was
//! read stops everything.

use super::atomic::{PREFIX, Temp, replace};
use super::folder::{Folder, failed};
use super::signals;
use crate::error::{Error, Refusal, Result, remedy};
use crate::sys;
use crate::tree::shared::SharedMode;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file and its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The file, absolute; links were followed before.
    pub(crate) path: PathBuf,
    /// Its content now; `None` if it is not there.
    pub(crate) before: Option<Vec<u8>>,
    /// Its new content; `None` if it goes.
    pub(crate) after: Option<Vec<u8>>,
    /// How the people of a shared repository may use a new file in its git directory.
    pub(crate) shared: Option<SharedMode>,
}

/// A folder with a file that waits for its name.
struct Staged<'c> {
    change: &'c FileChange,
    folder: Arc<Folder>,
    name: &'c OsStr,
    /// The new content; `None` if the file goes.
    temp: Option<Temp>,
    /// The mode of the present file.
    mode: Option<u32>,
}

/// Carries out `changes` in order, creates missing folders, and removes those of `leaving` that are empty then.
///
/// # Errors
/// Refused if a file changed since it was read; unchecked if something cannot be written. Then every file is as before.
pub(crate) fn replace_all(changes: &[FileChange], leaving: &[PathBuf]) -> Result<()> {
    // a signal between two files would leave half of them
    let _shield = signals::shield();
    let mut made = Vec::new();
    let done = stage_all(changes, &mut made).and_then(publish_all);
    // a folder that holds something stays; after a failure that failure is the one to report
    let empty: Vec<&PathBuf> = if done.is_ok() { leaving.iter().collect() } else { made.iter().rev().collect() };
    empty.into_iter().for_each(|folder| drop(fs::remove_dir(folder)));
    done
}

/// The temporary files that killed processes left in `dir`. The name alone is not enough: a person may have a file of a similar
/// name.
pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_temporary = |name: &OsStr| {
        let numbers = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter(|entry| is_temporary(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// Removes `files`. If the process that wrote one is alive, for example in another repository with another lock, it cannot
/// publish the file any more, and every file that it changes is as before.
///
/// # Errors
/// Unchecked if one cannot be removed.
pub(crate) fn remove_leftovers(files: &[PathBuf]) -> Result<()> {
    files.iter().try_for_each(|file| match fs::remove_file(file) {
        // another process published or removed it before this one got the lock
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", file, error)),
        _ => Ok(()),
    })
}

/// The content of a file; `None` if it is not there.
///
/// # Errors
/// Unchecked if it cannot be read.
pub(crate) fn content(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unread(path.display(), &error)),
    }
}

fn stage_all<'c>(changes: &'c [FileChange], made: &mut Vec<PathBuf>) -> Result<Vec<Staged<'c>>> {
    changes.iter().map(|change| stage(change, made)).collect()
}

fn stage<'c>(change: &'c FileChange, made: &mut Vec<PathBuf>) -> Result<Staged<'c>> {
    let (Some(dir), Some(name)) = (change.path.parent(), change.path.file_name()) else {
        return Err(Error::fault(format!("{} is no path of a file", change.path.display())));
    };
    make_folders(dir, made)?;
    let folder = Arc::new(Folder::open(dir)?.shared_by(change.shared));
    let mode = fs::metadata(&change.path).ok().map(|about| sys::rights(&about));
    let temp = change.after.as_ref().map(|after| {
        let mut temp = Temp::create(&folder, 0o666)?;
        temp.append(after)?;
        mode.map_or(Ok(()), |mode| temp.set_mode(mode))?;
        temp.sync(after.len() as u64).map(|()| temp)
    });
    Ok(Staged { change, folder, name, temp: temp.transpose()?, mode })
}

fn make_folders(dir: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.exists()).collect();
    for dir in missing.into_iter().rev() {
        fs::create_dir(dir).map_err(|error| failed("make the directory", dir, error))?;
        made.push(dir.to_owned());
    }
    Ok(())
}

fn publish_all(mut staged: Vec<Staged<'_>>) -> Result<()> {
    staged.iter().try_for_each(|staged| check_unchanged(staged.change))?;
    for at in 0..staged.len() {
        if let Err(error) = publish(&mut staged[at]) {
            // the failure that led here is the one to report
            staged[..at].iter().rev().for_each(|done| drop(put_back(done)));
            return Err(error);
        }
    }
    Ok(())
}

fn check_unchanged(change: &FileChange) -> Result<()> {
    if content(&change.path)? == change.before {
        return Ok(());
    }
    Err(Error::refused(format!("{} changed meanwhile; no file was changed", change.path.display()))
        .because(Refusal::Stale)
        .hint(remedy::CHANGING))
}

fn publish(staged: &mut Staged<'_>) -> Result<()> {
    check_unchanged(staged.change)?;
    match staged.temp.take() {
        Some(temp) => temp.publish(staged.name),
        None if staged.change.before.is_some() => staged.folder.unlink(staged.name),
        None => Ok(()),
    }
}

fn put_back(staged: &Staged<'_>) -> Result<()> {
    match &staged.change.before {
        Some(before) => replace(&staged.folder, staged.name, before, staged.mode.unwrap_or(0o666)),
        None if staged.change.after.is_some() => staged.folder.unlink(staged.name),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn change(path: &Path, before: Option<&str>, after: Option<&str>) -> FileChange {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        FileChange { path: path.to_owned(), before: bytes(before), after: bytes(after), shared: None }
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_made_replaced_and_removed_with_their_modes() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("old"), "1").unwrap();
        fs::set_permissions(path("old"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::write(path("gone"), "2").unwrap();
        let changes = [
            change(&path("a/b/new"), None, Some("n")),
            change(&path("old"), Some("1"), Some("3")),
            change(&path("gone"), Some("2"), None),
        ];
        replace_all(&changes, &[]).unwrap();
        assert_eq!(names(dir.path()), ["a", "old"]);
        assert_eq!(
            (fs::read(path("a/b/new")).unwrap(), fs::read(path("old")).unwrap()),
            (b"n".to_vec(), b"3".to_vec())
        );
        assert_eq!(fs::metadata(path("old")).unwrap().permissions().mode() & 0o777, 0o666);
    }

    #[test]
    fn only_the_temporary_files_of_this_program_are_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let other =
            [".yatsu-tmp-x", ".yatsu-tmp-1", ".yatsu-tmp-1-", ".yatsu-tmp--1", ".yatsu-tmp-1-2-3", "settings.json"];
        other.iter().chain(&[".yatsu-tmp-17-0"]).for_each(|name| fs::write(dir.path().join(name), "").unwrap());
        fs::create_dir(dir.path().join(".yatsu-tmp-18-0")).unwrap();
        let found = leftovers(dir.path());
        assert_eq!(found, [dir.path().join(".yatsu-tmp-17-0")]);
        remove_leftovers(&found).unwrap();
        remove_leftovers(&found).expect("gone already");
        assert_eq!(names(dir.path()).len(), other.len() + 1);
        assert_eq!(leftovers(&dir.path().join("missing")), [] as [PathBuf; 0]);
    }

    #[test]
    fn a_file_that_changed_meanwhile_stops_all_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("first"), "1").unwrap();
        fs::write(path("second"), "edited").unwrap();
        for second in [change(&path("second"), Some("2"), Some("3")), change(&path("second"), None, Some("3"))] {
            let changes =
                [change(&path("x/new"), None, Some("n")), change(&path("first"), Some("1"), Some("0")), second];
            let error = replace_all(&changes, &[]).unwrap_err();
            assert_eq!(error.kind, crate::error::ErrorKind::Refused(Refusal::Stale), "{error}");
            assert_eq!(names(dir.path()), ["first", "second"]);
            assert_eq!(fs::read(path("first")).unwrap(), b"1");
        }
    }

    #[test]
    fn a_failure_after_the_first_file_puts_the_first_one_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("first"), "1").unwrap();
        // an empty directory in the place of a file lets the preparation pass and the rename fail
        let first = change(&path("first"), Some("1"), Some("0"));
        let staged = stage_all(std::slice::from_ref(&first), &mut Vec::new()).unwrap();
        let blocked = change(&path("second"), None, Some("3"));
        let mut all = staged;
        all.extend(stage_all(std::slice::from_ref(&blocked), &mut Vec::new()).unwrap());
        all[1].name = OsStr::new("no/such/place");
        assert!(publish_all(all).is_err());
        assert_eq!(fs::read(path("first")).unwrap(), b"1");
        assert_eq!(names(dir.path()), ["first"]);
    }
}
