//! The only code that writes data. Evidence and ledger lines are stored completely or not at all, even if the process is
//! killed, the disk is full, or other programs write at the same time or are hostile. Input: bytes and their place; output:
//! what is now durable. The store does not judge scenarios and never reads the clock.
//!
//! # The write protocol
//!
//! This is its only description; the modules below implement it and refer to its steps.
//!
//! 1. **`gc.lock`, shared** ([`Store::share_evidence`]), held until the reading is in the ledger. `clean` takes it
//!    exclusively, so no collector ever looks between "the bytes are stored" and "a line names them".
//! 2. **A temporary file in the evidence directory** (`O_EXCL`, mode 0444): the same directory, so that the rename below
//!    never crosses a file system; never the final name, so that a file named H has content H at every instant.
//! 3. **Stream and hash**, with a fixed buffer: memory does not grow with the evidence.
//! 4. **fsync the file before it gets its name.** A journalling file system may make the rename durable before the data;
//!    after a power cut the name would then stand for zeros.
//! 5. **If the name exists with the right bytes**: touch it, because a collector counts its age from its mtime, and drop the
//!    temporary file. **Otherwise**: rename over it. So storing the bytes again heals corruption.
//! 6. **fsync the directory**: the name itself must survive before anything refers to it.
//! 7. **`ledger.lock`, exclusive** ([`Store::lock_ledger`]). One per repository, so writers from all worktrees queue up. The
//!    lock file is not the ledger: git replaces the ledger on a checkout, and a lock on a replaced file protects nothing.
//! 8. **Read the ledger again** under the lock. A ledger with a torn last line is refused and the message names the repair:
//!    a reading appended to half a line would be lost with it. A missing final newline is written in front of the new line.
//! 9. **One `write` of the whole line**, or of all lines of a run log. If it fails or is short, the file is cut back to its
//!    old length.
//! 10. **fdatasync**, and fsync of the directory when the file is new: after exit 0 the line survives a power cut.
//! 11. **Read back by name.** Only this shows a lost write, or a file that git replaced in between.
//! 12. Locks go with the process. They are kernel locks in files that are never deleted: the death of a holder frees them,
//!     and no process can lock a file that another process has just unlinked.
//!
//! To write you must hold the lock: every writing function takes the guard ([`lock`]). To replace you must rename
//! ([`atomic`]). Temporary files are removed on every exit, INT, TERM and HUP included ([`signals`]). After SIGKILL the next
//! `clean` removes them, because only `clean` knows that no writer is alive.

pub(crate) mod atomic;
pub(crate) mod claims_lock;
pub mod evidence;
pub(crate) mod folder;
pub(crate) mod journal;
pub mod kind;
pub mod ledger;
pub mod lock;
pub(crate) mod memo;
pub(crate) mod observations;
pub(crate) mod page;
pub(crate) mod private_dir;
pub(crate) mod replace_all;
pub(crate) mod scaffold;
pub(crate) mod session_memory;
pub mod signals;
pub(crate) mod stale_locks;
pub(crate) mod sweep;
pub(crate) mod temp_dir;

use crate::error::Result;
use crate::tree::shared::SharedMode;
use claims_lock::Passing;
use folder::Folder;
use lock::{DIRECTORY, GcExclusive, GcShared, LedgerLock, Sharing, SharingLock};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a writer waits for a lock by default.
pub(crate) const DEFAULT_WAIT: Duration = Duration::from_secs(10);

/// The place of one repository's durable data: its common git directory, shared by all its worktrees.
#[derive(Clone, Debug)]
pub struct Store {
    common_dir: PathBuf,
    wait: Duration,
    newer: bool,
    shared: Option<SharedMode>,
}

impl Store {
    /// The store below this common git directory. Nothing is opened or created yet.
    pub fn new(common_dir: impl Into<PathBuf>) -> Self {
        Self { common_dir: common_dir.into(), wait: DEFAULT_WAIT, newer: false, shared: None }
    }

    /// The same store with another time limit for locks.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// The same store in a shared repository: the others may write the files that are made in it.
    #[must_use]
    pub(crate) fn shared_by(mut self, shared: Option<SharedMode>) -> Self {
        self.shared = shared;
        self
    }

    /// How the files that are made in it are shared.
    pub(crate) fn shared(&self) -> Option<SharedMode> {
        self.shared
    }

    /// The directory of its locks and of its own files, made if it does not exist.
    fn folder(&self) -> Result<Folder> {
        Folder::open(&self.common_dir)?.shared_by(self.shared).ensure_below(OsStr::new(DIRECTORY))
    }

    /// The same store, for a repository of the newer generation if `newer`: its new evidence goes where the tools of that
    /// generation look for it.
    #[must_use]
    pub(crate) fn of_newer_generation(mut self, newer: bool) -> Self {
        self.newer = newer;
        self
    }

    pub(crate) fn evidence(&self) -> evidence::Cache {
        evidence::Cache { store: self.clone() }
    }

    /// The common git directory.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The right to append to or replace a ledger of this repository (step 7).
    pub fn lock_ledger(&self) -> Result<LedgerLock> {
        Ok(LedgerLock { _file: lock::take(self, "ledger.lock", Sharing::Exclusive)?, shared: self.shared })
    }

    /// The right to change a remote's claims, after at most `wait`. It is a separate lock because it is held during network
    /// calls, and [`LedgerLock`] must not be.
    pub(crate) fn pass_claims(&self, wait: Duration) -> Result<Passing> {
        Passing::begin(&self.folder()?, lock::take(&self.clone().with_wait(wait), "claims.lock", Sharing::Exclusive)?)
    }

    /// The right to add evidence (step 1).
    pub fn share_evidence(&self) -> Result<GcShared> {
        Ok(GcShared { _file: lock::take(self, "gc.lock", Sharing::Shared)? })
    }

    /// The right to move evidence away: no writer of evidence is alive while it is held.
    pub(crate) fn collect_evidence(&self) -> Result<GcExclusive> {
        Ok(GcExclusive { _file: lock::take(self, "gc.lock", Sharing::Exclusive)? })
    }

    /// The right to work in the repository that shares evidence.
    pub(crate) fn lock_sharing(&self) -> Result<SharingLock> {
        Ok(SharingLock { _file: lock::take(self, "share.lock", Sharing::Exclusive)? })
    }
}
