//! The journal of claims as events, and the state after them.

use crate::engine::claim::{Claims, compact};
use crate::error::{Error, Result};
use crate::model::claim::{ClaimEvent, encode, parse};
use crate::store::Store;
use crate::store::journal::{self, Journal};
use crate::store::lock::LedgerLock;
use std::path::Path;

/// All events of the journal in order. Takes no lock, so an event that is being written may be missing.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn history(common_dir: &Path) -> Result<Vec<ClaimEvent>> {
    events(common_dir, &journal::read(common_dir)?)
}

/// The state of every claim after the last complete line of the journal.
pub(crate) fn state(common_dir: &Path) -> Result<Claims> {
    replayed(common_dir, &history(common_dir)?)
}

fn events(common_dir: &Path, bytes: &[u8]) -> Result<Vec<ClaimEvent>> {
    parse(bytes).map_err(|fault| {
        let what = format!("cannot be read: line {} {}", fault.line, fault.message);
        journal::unreadable(&journal::path(common_dir), &what)
    })
}

/// The state after these events.
///
/// # Errors
/// When the events contradict each other.
pub(crate) fn replayed(common_dir: &Path, events: &[ClaimEvent]) -> Result<Claims> {
    Claims::replay(events).map_err(|fault| {
        let what = format!("cannot be followed: event {} {}", fault.line, fault.message);
        journal::unreadable(&journal::path(common_dir), &what)
    })
}

/// The journal under the lock, with the state after its events.
pub(crate) struct OpenJournal<'l> {
    journal: Journal<'l>,
    events: Vec<ClaimEvent>,
    /// The state of the claims after all events.
    pub(crate) claims: Claims,
}

impl<'l> OpenJournal<'l> {
    pub(crate) fn open(store: &Store, lock: &'l LedgerLock) -> Result<Self> {
        let journal = Journal::open(lock, store.common_dir())?;
        let events = events(store.common_dir(), journal.bytes())?;
        let claims = replayed(store.common_dir(), &events)?;
        Ok(Self { journal, events, claims })
    }

    /// Writes an event durably. An event that does not fit the earlier ones is refused and never written.
    pub(crate) fn write(&mut self, event: &ClaimEvent) -> Result<()> {
        self.claims
            .apply(event)
            .map_err(|why| Error::fault(format!("the journal of claims would be inconsistent: it {why}")))?;
        self.shorten()?;
        self.journal.append(&encode(event))?;
        self.events.push(event.clone());
        Ok(())
    }

    /// Bytes of a torn last line that were removed.
    pub(super) fn cut(&self) -> usize {
        self.journal.cut()
    }

    /// Compacts a long journal, unless more than half of its events still matter.
    fn shorten(&mut self) -> Result<()> {
        if !self.journal.is_long() {
            return Ok(());
        }
        let kept = compact(&self.events);
        if kept.len() > self.events.len() / 2 {
            return Ok(());
        }
        self.journal.replace(&kept.into_iter().map(encode).collect::<Vec<_>>())
    }
}
