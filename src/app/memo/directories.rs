//! The memo of untracked names: which names a scan of the working tree found in each directory beside the index's names.
//! The next scan lists a directory again if its state changed, or if it had changed just before it was listed.
//!
//! Layout: a count of directories; for each its path, its stamp, the hash of its names in the index, a count of names, and
//! the names, each with a byte that says whether it is a directory. Sorted by path, without duplicates.

use super::stamps::{is_settled, put_stamp, stamp};
use super::wire::{self, Remaining};
use crate::model::ledger::Timestamp;
use crate::tree::path::RepoPath;
use crate::tree::{ListedBefore, ListedState, StrayName};
use bstr::ByteSlice;
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state of one directory, and the names found in it.
type Found = (ListedState, Rc<[StrayName]>);

/// The directories that a memo knows.
pub(super) type KnownDirs = HashMap<RepoPath, Found>;

/// The known directories, and the ones that this run adds.
pub(crate) struct ListedMemo {
    known: KnownDirs,
    /// The start of this run; `None` if the run adds nothing.
    now: Option<Timestamp>,
    asked: Cell<usize>,
    new: Cell<usize>,
    /// The valid entries of the directories that this run looked up.
    holds: RefCell<BTreeMap<RepoPath, Found>>,
}

impl ListedMemo {
    /// A memo with the entries `known` before, for a run that began at `now`.
    pub(super) fn new(known: KnownDirs, now: Option<Timestamp>) -> Self {
        Self { known, now, asked: Cell::new(0), new: Cell::new(0), holds: RefCell::default() }
    }

    /// The number of looked-up directories, and how many of them had to be listed.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.asked.get(), self.new.get())
    }

    /// Appends the valid entries to `body`.
    pub(super) fn put(&self, body: &mut Vec<u8>) -> Option<()> {
        let holds = self.holds.borrow();
        wire::put_count(body, holds.len())?;
        for (dir, (state, found)) in &*holds {
            wire::put_path(body, dir)?;
            put_stamp(body, &state.stamp);
            wire::put_long(body, state.index);
            wire::put_count(body, found.len())?;
            for StrayName { name, is_dir } in &**found {
                wire::put_bytes(body, name.as_bytes())?;
                body.push((*is_dir).into());
            }
        }
        Some(())
    }
}

impl ListedBefore for ListedMemo {
    fn found(&self, dir: &RepoPath, state: &ListedState) -> Option<Rc<[StrayName]>> {
        self.asked.set(self.asked.get() + 1);
        let known = self.known.get(dir).filter(|(then, _)| then == state)?;
        self.holds.borrow_mut().insert(dir.clone(), known.clone());
        Some(Rc::clone(&known.1))
    }

    fn learn(&self, dir: &RepoPath, state: &ListedState, found: &Rc<[StrayName]>) {
        if is_settled(&state.stamp, self.now) {
            self.new.set(self.new.get() + 1);
            self.holds.borrow_mut().insert(dir.clone(), (*state, Rc::clone(found)));
        }
    }
}

pub(super) fn known(cursor: &mut Remaining<'_>) -> Option<KnownDirs> {
    let count = cursor.count()?;
    let known = (0..count).map(|_| directory(cursor)).collect::<Option<KnownDirs>>()?;
    (known.len() == count).then_some(known)
}

fn directory(cursor: &mut Remaining<'_>) -> Option<(RepoPath, Found)> {
    let dir = cursor.path()?;
    let state = ListedState { stamp: stamp(cursor)?, index: cursor.long()? };
    let names = (0..cursor.count()?).map(|_| {
        let name = cursor.bytes()?.into();
        Some(StrayName { name, is_dir: cursor.byte().filter(|byte| *byte < 2)? == 1 })
    });
    Some((dir, (state, names.collect::<Option<_>>()?)))
}
