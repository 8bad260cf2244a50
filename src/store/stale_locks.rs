//! Removes the lock files that a killed git left in the side repository. git waits a moment for the owner of a lock and then
//! refuses, so one such file would fail every later run.

use super::folder::failed;
use super::lock::SharingLock;
use crate::error::Result;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a git may live on after the process that started it: that one's lifeline kills it after two seconds.
pub(crate) const AFTERLIFE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(20);

/// Removes each lock file in the repository at `git_dir` that stays there for `afterlife`. Nobody has it then, because only the
/// holder of the right starts git there.
///
/// # Errors
/// When the directory cannot be read, or a file cannot be removed.
pub(crate) fn remove(_right: &SharingLock, git_dir: &Path, afterlife: Duration) -> Result<()> {
    let mut left = Vec::new();
    find(git_dir, &mut left).map_err(|error| failed("read", git_dir, error))?;
    let until = Instant::now() + afterlife;
    while !left.is_empty() && Instant::now() < until {
        std::thread::sleep(PAUSE);
        left.retain(|lock| fs::symlink_metadata(lock).is_ok());
    }
    for lock in left {
        match fs::remove_file(&lock) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("remove", &lock, error)),
            _ => {}
        }
    }
    Ok(())
}

/// Adds the lock files below `dir`, which may be missing. git takes no ref whose name ends with `.lock`, and locks no object.
fn find(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let is_dir = entry.file_type()?.is_dir();
        if is_dir && entry.file_name() != "objects" {
            find(&entry.path(), found)?;
        } else if !is_dir && entry.path().extension().is_some_and(|end| end == "lock") {
            found.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn only_locks_that_stay_are_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let right = Store::new(scratch.path()).lock_sharing().unwrap();
        let at = |name: &str| scratch.path().join("evidence.git").join(name);
        remove(&right, &at(""), Duration::ZERO).expect("a missing repository has none");
        fs::create_dir_all(at("refs/own/server/names")).unwrap();
        fs::create_dir_all(at("objects/pack")).unwrap();
        let stale = ["config.lock", "packed-refs.lock", "refs/own/server/names/2026-11.lock"];
        let kept = ["config", "refs/own/server/names/2026-11", "objects/pack/kept.lock", "lock"];
        stale.iter().chain(&kept).for_each(|name| fs::write(at(name), "").unwrap());
        remove(&right, &at(""), Duration::ZERO).unwrap();
        assert_eq!(stale.map(|name| at(name).exists()), [false; 3]);
        assert_eq!(kept.map(|name| at(name).exists()), [true; 4]);
    }

    #[test]
    fn a_lock_that_its_owner_gives_back_is_waited_for() {
        let scratch = tempfile::tempdir().unwrap();
        let right = Store::new(scratch.path()).lock_sharing().unwrap();
        let git_dir = scratch.path().join("evidence.git");
        let lock = git_dir.join("config.lock");
        fs::create_dir(&git_dir).unwrap();
        fs::write(&lock, "").unwrap();
        std::thread::scope(|threads| {
            let waiter = threads.spawn(|| remove(&right, &git_dir, Duration::from_secs(3600)));
            fs::remove_file(&lock).unwrap();
            waiter.join().unwrap().unwrap();
        });
    }
}
