//! One change of ledgers: lock, read again, decide, write once. A command decides only by content that it read under the
//! lock, because no other process writes until it is done. The protocol itself is in [`crate::store`].

use crate::app::site;
use crate::app::site::Site;
use crate::app::site::line_files::{GitHoldings, NewLineFiles, ledger_files};
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Ledger, parse};
use crate::model::node::Node;
use crate::model::workspace::in_order;
use crate::names::is_segment;
use crate::store::Store;
use crate::store::ledger::{OpenLedger, remove_read};
use crate::store::lock::LedgerLock;
use crate::sys;
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use std::cell::Cell;
use std::io::ErrorKind;
use std::path::Path;

/// The right to change the ledgers of a repository, held until it is dropped.
pub(crate) struct Transaction<'a> {
    site: &'a dyn Site,
    work_dir: &'a Path,
    lock: LedgerLock,
    git: GitHoldings,
}

/// A ledger as read under the lock. Writing consumes it, so that a decision is written once or not at all.
pub(crate) struct OpenedLedger<'t> {
    open: OpenLedger<'t>,
    /// To be set after a write that begins to use segments.
    begins: Option<&'t Cell<bool>>,
    /// The whole file as it was read under the lock; empty if there is none.
    pub(crate) bytes: Vec<u8>,
    pub(crate) ledger: Ledger,
}

impl<'a> Transaction<'a> {
    /// Takes the lock, waiting for its present holder.
    pub(crate) fn begin(site: &'a dyn Site, store: &Store) -> Result<Self> {
        let (work_dir, lock) = (site::work_dir(site)?, store.lock_ledger()?);
        Ok(Self { site, work_dir, lock, git: GitHoldings::default() })
    }

    pub(crate) fn lock(&self) -> &LedgerLock {
        &self.lock
    }

    /// The file for the next line of `node`.
    pub(crate) fn path_for(&self, files: &NewLineFiles, node: &Node) -> Result<RepoPath> {
        files.path(self.site, node, &self.git)
    }

    /// As [`Self::open`] for the next line of `node`.
    pub(crate) fn open_for(&self, files: &NewLineFiles, node: &Node) -> Result<OpenedLedger<'_>> {
        self.open_new(files, &self.path_for(files, node)?)
    }

    /// As [`Self::open`] for a file that `files` named.
    pub(crate) fn open_new(&self, files: &NewLineFiles, path: &RepoPath) -> Result<OpenedLedger<'_>> {
        let begins = files.begins_segments(path).then(|| self.site.began_segments());
        Ok(OpenedLedger { begins, ..self.open(path)? })
    }

    /// Reads a ledger for appending. A missing ledger is empty, but its directory must exist. Refused if a sparse checkout
    /// leaves it out, if it has an unfinished merge, or a torn last line: a line that is appended to a torn one is lost with it.
    pub(crate) fn open(&self, path: &RepoPath) -> Result<OpenedLedger<'_>> {
        site::refuse_left_out(self.site, path)?;
        self.read_sound(OpenLedger::open(&self.lock, self.work_dir, path)?, path)
    }

    /// As [`Self::open_new`], also where the directory is still missing: the home of decisions needs no node.
    pub(crate) fn open_home(&self, files: &NewLineFiles, path: &RepoPath) -> Result<OpenedLedger<'_>> {
        let begins = files.begins_segments(path).then(|| self.site.began_segments());
        let open = OpenLedger::open_again(&self.lock, self.work_dir, path)?;
        Ok(OpenedLedger { begins, ..self.read_sound(open, path)? })
    }

    fn read_sound<'t>(&self, open: OpenLedger<'t>, path: &RepoPath) -> Result<OpenedLedger<'t>> {
        let bytes = open.read()?;
        let ledger = parse(path, &bytes);
        site::refuse_unsound(self.site, &ledger)?;
        Ok(OpenedLedger { open, begins: None, bytes, ledger })
    }

    /// The files of the ledger of `node` on disk, in their order.
    pub(crate) fn files(&self, node: &Node) -> Result<Vec<RepoPath>> {
        ledger_files(self.work_dir, node)
    }

    /// The ledger of `node` under the lock: the open file, and the others read now, in their order.
    pub(crate) fn ledgers(&self, node: &Node, open: &OpenedLedger<'_>) -> Result<Vec<Ledger>> {
        let mut all = vec![open.ledger.clone()];
        for other in self.files(node)?.into_iter().filter(|other| *other != open.ledger.path) {
            all.push(parse(&other, &OpenLedger::open(&self.lock, self.work_dir, &other)?.read()?));
        }
        all.sort_by(|one, other| in_order(&one.path, &other.path));
        Ok(all)
    }

    /// The bytes of a file on disk, sound or not.
    pub(crate) fn read(&self, path: &RepoPath) -> Result<Vec<u8>> {
        OpenLedger::open(&self.lock, self.work_dir, path)?.read()
    }

    /// Removes files of `dir` that still have these bytes, and returns when that is durable.
    pub(crate) fn remove<'b>(
        &self,
        dir: &RepoPath,
        files: impl IntoIterator<Item = (&'b RepoPath, &'b [u8])>,
    ) -> Result<()> {
        remove_read(&self.lock, self.work_dir, dir, files)
    }

    /// The bytes of a log that is to be mended, sound or not; empty if its directory is gone. Refused while it is being
    /// merged, because only a person knows which lines both sides have.
    pub(crate) fn read_unsound(&self, path: &RepoPath) -> Result<Vec<u8>> {
        if self.site.is_unmerged(path)? {
            return Err(Error::refused(format!("{path} is being merged"))
                .because(Refusal::Invalid)
                .hint("finish the merge first: keep the lines of both sides and `git add` the ledger"));
        }
        self.read_any(path)
    }

    /// The bytes of a file, whatever they are; empty if its directory is gone.
    pub(crate) fn read_any(&self, path: &RepoPath) -> Result<Vec<u8>> {
        let dir = path.parent().unwrap_or_default();
        match self.work_dir.join(sys::in_tree(dir.as_bstr())).symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            _ => OpenLedger::open(&self.lock, self.work_dir, path)?.read(),
        }
    }

    /// Replaces a ledger by its mended content, and makes a missing directory again. A segment without a line goes.
    pub(crate) fn mend(&self, path: &RepoPath, bytes: &[u8]) -> Result<()> {
        let open = OpenLedger::open_again(&self.lock, self.work_dir, path)?;
        match is_segment(path.name()) && ndjson::filled(bytes).next().is_none() {
            true => open.remove(),
            false => open.replace(bytes),
        }
    }
}

impl OpenedLedger<'_> {
    pub(crate) fn append(self, line: &str) -> Result<()> {
        self.append_all(&[line.to_owned()])
    }

    pub(crate) fn append_all(self, lines: &[String]) -> Result<()> {
        self.open.append_lines(lines)?;
        self.begins.inspect(|begins| begins.set(true));
        Ok(())
    }

    pub(crate) fn replace(self, bytes: &[u8]) -> Result<()> {
        self.open.replace(bytes)
    }
}
