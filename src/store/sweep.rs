//! Collects evidence that no reading names, in two phases: one run moves files to `<common dir>/yatsu/trash/<run>/`, a
//! later run deletes runs older than a week. The caller decides which evidence is referenced.
//!
//! Every function takes the exclusive guard, so no writer is alive: temporary files found here belong to dead processes.

use super::Store;
use super::evidence::{Blob, blob_names, mtime_millis, temporary_names};
use super::folder::Folder;
use super::lock::{DIRECTORY, GcExclusive};
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::EvidenceHash;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// How long evidence stays in the trash, in milliseconds: a week.
pub(crate) const TRASH_MILLIS: i64 = 7 * 86_400_000;
/// How many days an unreferenced blob is kept.
pub(crate) const DEFAULT_GRACE_DAYS: u32 = 14;

const TRASH: &str = "trash";

/// The plan of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SweepPlan {
    /// The blobs to move to the trash: unreferenced and old enough.
    pub remove: Vec<Blob>,
    /// How many blobs stay because they are referenced.
    pub referenced: usize,
    /// How many blobs stay because they are young.
    pub young: usize,
}

/// Sorts the blobs into the ones to remove and the ones to keep. Only a blob last stored before `stored_before`, in
/// milliseconds since 1970, may go.
pub(crate) fn plan(blobs: Vec<Blob>, named: &dyn Fn(&EvidenceHash) -> bool, stored_before: i64) -> SweepPlan {
    let mut plan = SweepPlan::default();
    for blob in blobs {
        if named(&blob.hash) {
            plan.referenced += 1;
        } else if blob.mtime_millis >= stored_before {
            // exactly at the limit counts as young: in doubt nothing is deleted
            plan.young += 1;
        } else {
            plan.remove.push(blob);
        }
    }
    plan
}

/// The time from which ages are counted: the clock, but never later than the last change in the repository (newest blob,
/// index or reflog). So a clock that runs years ahead does not make any blob old.
pub(crate) fn believable_now(common_dir: &Path, git_dir: &Path, blobs: &[Blob], clock: i64) -> Result<i64> {
    let mut newest = blobs.iter().map(|blob| blob.mtime_millis).max();
    for dir in [git_dir, common_dir] {
        let folder = Folder::open(dir)?;
        for name in ["index", "HEAD", "packed-refs", "logs", "objects"] {
            newest = newest.max(folder.stat_of(OsStr::new(name))?.map(|stat| mtime_millis(&stat)));
        }
    }
    Ok(newest.map_or(clock, |newest| newest.min(clock)))
}

/// Moves the blobs of `plan.remove` to a new trash run at `now` and returns the ones that were moved. Each file's mtime is
/// read again just before: bytes that were stored again since the plan stay.
pub(crate) fn collect(_right: &GcExclusive, store: &Store, plan: &SweepPlan, now: i64) -> Result<Vec<Blob>> {
    let folders = store.evidence().collected()?;
    for folder in &folders {
        // the exclusive right means that no writer lives: these files are from a killed writer
        for name in temporary_names(folder)? {
            folder.unlink(&name)?;
        }
    }
    if plan.remove.is_empty() {
        return Ok(Vec::new());
    }
    let target = new_run(store, now)?;
    let mut gone = Vec::new();
    for folder in &folders {
        for blob in plan.remove.iter().filter(|blob| blob.path.parent() == Some(folder.path())) {
            let name = OsString::from(blob.hash.to_string());
            // storing bytes again touches their file (step 5), and the new reading needs them
            let unchanged = folder.stat_of(&name)?.is_some_and(|stat| mtime_millis(&stat) == blob.mtime_millis);
            if unchanged {
                folder.rename(&name, &target, &name)?;
                gone.push(blob.clone());
            }
        }
    }
    // First make the new names durable, then the loss of the old ones: a power cut may leave both, never neither.
    target.sync()?;
    folders.iter().try_for_each(|folder| folder.sync())?;
    Ok(gone)
}

/// The new directory of a run at `now`, in milliseconds since 1970.
fn new_run(store: &Store, now: i64) -> Result<Folder> {
    // with the pid: two runs in one millisecond would share a directory, and undoing one would undo both
    let name = format!("{:015}-{}", now.max(0), std::process::id());
    store.folder()?.ensure_below(OsStr::new(TRASH))?.ensure_below(OsStr::new(&name))
}

/// Brings the newest run back and returns the restored hashes. Refused if the trash is empty. A blob that was stored again
/// meanwhile stays as it is.
pub(crate) fn undo(_right: &GcExclusive, store: &Store) -> Result<Vec<EvidenceHash>> {
    let nothing = || {
        Error::refused("the trash is empty: there is nothing to bring back")
            .because(Refusal::NothingLeft)
            .argv(["evidence", "ls"])
            .hint("what the cache holds: yatsu-hook evidence ls")
    };
    let trash = trash(store)?.ok_or_else(nothing)?;
    let name = runs(&trash)?.pop().ok_or_else(nothing)?.0;
    let run = trash.below(&name)?.ok_or_else(nothing)?;
    let folder = store.evidence().to_write()?;
    let mut back = Vec::new();
    for (name, hash) in blob_names(&run)? {
        if folder.stat_of(&name)?.is_none() {
            run.rename(&name, &folder, &name)?;
            back.push(hash);
        } else {
            run.unlink(&name)?;
        }
    }
    // the restored files first, then the emptied run: a power cut may leave both, never neither
    folder.sync()?;
    run.sync()?;
    // an open directory is not removed on every system
    drop(run);
    trash.remove_dir(&name)?;
    Ok(back)
}

/// Deletes the runs older than [`TRASH_MILLIS`] at `now` and returns the number of deleted files.
pub(crate) fn purge(_right: &GcExclusive, store: &Store, now: i64) -> Result<usize> {
    let Some(trash) = trash(store)? else { return Ok(0) };
    let mut deleted = 0;
    for (name, millis) in runs(&trash)? {
        // saturating: a name with the greatest possible time is not old, but a sum that overflowed would be
        let old = millis.saturating_add(TRASH_MILLIS) < now;
        if let (true, Some(run)) = (old, trash.below(&name)?) {
            for (blob, _) in blob_names(&run)? {
                run.unlink(&blob)?;
                deleted += 1;
            }
            drop(run);
            trash.remove_dir(&name)?;
        }
    }
    Ok(deleted)
}

fn trash(store: &Store) -> Result<Option<Folder>> {
    match Folder::open(store.common_dir())?.below(OsStr::new(DIRECTORY))? {
        Some(folder) => folder.below(OsStr::new(TRASH)),
        None => Ok(None),
    }
}

/// The runs with their times, oldest first.
fn runs(trash: &Folder) -> Result<Vec<(OsString, i64)>> {
    // a name without a time is not a run of this program: it is neither brought back nor deleted
    let millis = |name: &OsString| name.to_str()?.split('-').next()?.parse().ok();
    let mut runs: Vec<_> = trash.names()?.into_iter().filter_map(|name| Some((name.clone(), millis(&name)?))).collect();
    runs.sort_by_key(|(_, millis)| *millis);
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{Cache, Source};
    use super::super::kind::Expect;
    use super::*;

    const DAY: i64 = 86_400_000;

    struct Fixture {
        scratch: tempfile::TempDir,
        store: Store,
        cache: Cache,
    }

    fn fixture(contents: &[&str]) -> (Fixture, Vec<EvidenceHash>) {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        let cache = Cache::new(scratch.path());
        let right = store.share_evidence().unwrap();
        let put = |text: &&str| {
            let bytes = std::io::Cursor::new(text.to_string().into_bytes());
            cache.put(&right, Source::stream("text", Box::new(bytes)), Expect::Any).unwrap().0
        };
        let hashes = contents.iter().map(put).collect();
        drop(right);
        (Fixture { scratch, store, cache }, hashes)
    }

    impl Fixture {
        fn newest(&self) -> i64 {
            self.cache.ls_own().unwrap().iter().map(|blob| blob.mtime_millis).max().unwrap()
        }
    }

    #[test]
    fn named_and_young_blobs_stay_the_rest_comes_back_on_undo() {
        let (fixture, hashes) = fixture(&["named", "nobody's"]);
        let after = fixture.newest() + 1;
        let named = |hash: &EvidenceHash| *hash == hashes[0];
        let all_young = plan(fixture.cache.ls_own().unwrap(), &named, after - 1000);
        assert_eq!((all_young.remove.len(), all_young.young, all_young.referenced), (0, 1, 1));
        let right = fixture.store.collect_evidence().unwrap();
        let some = plan(fixture.cache.ls_own().unwrap(), &named, after);
        let gone = collect(&right, &fixture.store, &some, after).unwrap();
        assert_eq!(gone.iter().map(|blob| blob.hash).collect::<Vec<_>>(), hashes[1..]);
        assert!(!fixture.cache.has(&hashes[1]).unwrap());
        assert_eq!(undo(&right, &fixture.store).unwrap(), hashes[1..]);
        assert!(fixture.cache.has(&hashes[1]).unwrap());
        assert!(undo(&right, &fixture.store).is_err());
    }

    #[test]
    fn the_trash_is_emptied_after_a_week_and_not_before() {
        let (fixture, _) = fixture(&["nobody's"]);
        let now = fixture.newest() + 1;
        let right = fixture.store.collect_evidence().unwrap();
        let all = plan(fixture.cache.ls_own().unwrap(), &|_| false, now);
        assert_eq!(collect(&right, &fixture.store, &all, now).unwrap().len(), 1);
        assert_eq!(purge(&right, &fixture.store, now + 7 * DAY).unwrap(), 0);
        assert_eq!(purge(&right, &fixture.store, now + 7 * DAY + 1).unwrap(), 1);
        assert!(undo(&right, &fixture.store).is_err());
    }

    #[test]
    fn bytes_that_were_stored_again_since_the_plan_stay() {
        let (fixture, hashes) = fixture(&["again"]);
        let mut all = plan(fixture.cache.ls_own().unwrap(), &|_| false, i64::MAX);
        all.remove[0].mtime_millis -= 1;
        let right = fixture.store.collect_evidence().unwrap();
        assert!(collect(&right, &fixture.store, &all, 0).unwrap().is_empty());
        assert!(fixture.cache.has(&hashes[0]).unwrap());
    }

    #[test]
    fn leftovers_of_killed_writers_are_removed() {
        let (fixture, _) = fixture(&["x"]);
        let left = fixture.scratch.path().join("spexcode/yatsu-blobs/.yatsu-tmp-1-1");
        std::fs::write(&left, "half").unwrap();
        let right = fixture.store.collect_evidence().unwrap();
        collect(&right, &fixture.store, &SweepPlan::default(), 0).unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn a_clock_ten_years_ahead_makes_nothing_old() {
        let (fixture, _) = fixture(&["young"]);
        let blobs = fixture.cache.ls_own().unwrap();
        let real = fixture.newest();
        let now = believable_now(fixture.scratch.path(), fixture.scratch.path(), &blobs, real + 3650 * DAY).unwrap();
        assert_eq!(plan(blobs, &|_| false, now - 14 * DAY).remove, []);
    }
}
