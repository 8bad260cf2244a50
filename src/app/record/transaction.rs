//! One change of ledgers: lock, read again, decide, write once. A command decides only by content that it read under the
//! lock, because no other process writes until it is done. The protocol itself is in [`crate::store`].

use crate::app::site;
use crate::app::site::Site;
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Ledger, parse};
use crate::model::node::Node;
use crate::store::Store;
use crate::store::ledger::OpenLedger;
use crate::store::lock::LedgerLock;
use crate::sys;
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use std::io::ErrorKind;
use std::path::Path;

/// The right to change the ledgers of a repository, held until it is dropped.
pub(super) struct Transaction<'a> {
    site: &'a dyn Site,
    work_dir: &'a Path,
    lock: LedgerLock,
}

/// A ledger as read under the lock. Writing consumes it, so that a decision is written once or not at all.
pub(super) struct OpenedLedger<'t> {
    open: OpenLedger<'t>,
    /// The whole file as it was read under the lock; empty if there is none.
    pub(super) bytes: Vec<u8>,
    pub(super) ledger: Ledger,
}

impl<'a> Transaction<'a> {
    /// Takes the lock, waiting for its present holder.
    pub(super) fn begin(site: &'a dyn Site, store: &Store) -> Result<Self> {
        Ok(Self { site, work_dir: site::work_dir(site)?, lock: store.lock_ledger()? })
    }

    pub(super) fn lock(&self) -> &LedgerLock {
        &self.lock
    }

    /// Reads a ledger for appending. A missing ledger is empty, but its directory must exist. Refused if it has an
    /// unfinished merge or a torn last line, because a line that is appended to a torn one is lost with it.
    pub(super) fn open(&self, path: &RepoPath) -> Result<OpenedLedger<'_>> {
        self.read_sound(OpenLedger::open(&self.lock, self.work_dir, path)?, path)
    }

    /// As [`Self::open`], also where the directory is still missing: the home of decisions needs no node.
    pub(super) fn open_home(&self, path: &RepoPath) -> Result<OpenedLedger<'_>> {
        self.read_sound(OpenLedger::open_again(&self.lock, self.work_dir, path)?, path)
    }

    fn read_sound<'t>(&self, open: OpenLedger<'t>, path: &RepoPath) -> Result<OpenedLedger<'t>> {
        let bytes = open.read()?;
        let ledger = parse(path, &bytes);
        site::refuse_unsound(self.site, &ledger)?;
        Ok(OpenedLedger { open, bytes, ledger })
    }

    /// The ledgers of `node` under the lock: the open one, and the others read now.
    pub(super) fn ledgers(&self, node: &Node, open: &OpenedLedger<'_>) -> Result<Vec<Ledger>> {
        let mut all = vec![open.ledger.clone()];
        for other in node.ledgers.iter().filter(|other| other.path != open.ledger.path) {
            all.push(parse(&other.path, &OpenLedger::open(&self.lock, self.work_dir, &other.path)?.read()?));
        }
        Ok(all)
    }

    /// The bytes of a log that is to be mended, sound or not; empty if its directory is gone. Refused while it is being
    /// merged, because only a person knows which lines both sides have.
    pub(super) fn read_unsound(&self, path: &RepoPath) -> Result<Vec<u8>> {
        if self.site.is_unmerged(path)? {
            return Err(Error::refused(format!("{path} is being merged"))
                .because(Refusal::Invalid)
                .hint("finish the merge first: keep the lines of both sides and `git add` the ledger"));
        }
        self.read_any(path)
    }

    /// As [`Self::read_unsound`] for a ledger. With conflict markers it is accepted, because both sides can be joined.
    pub(super) fn read_joinable(&self, path: &RepoPath) -> Result<Vec<u8>> {
        let bytes = self.read_any(path)?;
        if ndjson::conflict_markers(&bytes).is_empty() { self.read_unsound(path) } else { Ok(bytes) }
    }

    fn read_any(&self, path: &RepoPath) -> Result<Vec<u8>> {
        let dir = path.parent().unwrap_or_default();
        match self.work_dir.join(sys::in_tree(dir.as_bstr())).symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            _ => OpenLedger::open(&self.lock, self.work_dir, path)?.read(),
        }
    }

    /// Replaces a ledger by its mended content, and makes a missing directory again.
    pub(super) fn mend(&self, path: &RepoPath, bytes: &[u8]) -> Result<()> {
        OpenLedger::open_again(&self.lock, self.work_dir, path)?.replace(bytes)
    }
}

impl OpenedLedger<'_> {
    pub(super) fn append(self, line: &str) -> Result<()> {
        self.open.append(line)
    }

    pub(super) fn append_all(self, lines: &[String]) -> Result<()> {
        self.open.append_lines(lines)
    }

    pub(super) fn replace(self, bytes: &[u8]) -> Result<()> {
        self.open.replace(bytes)
    }
}
