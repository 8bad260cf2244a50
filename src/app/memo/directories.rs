//! What a scan of the working tree leaves for the next one of what directories held beside what the index names in them. A
//! directory in another state is listed again; so is every one that changed a moment before it was listed.
//!
//! Layout: a count of directories; for each its path, its stamp, the hash of what the index names in it, a count of names,
//! and these, each with a byte that says whether it is a directory. Sorted by path, no path twice.

use super::stamps::{is_settled, put_stamp, stamp};
use super::wire;
use super::wire::Remaining;
use crate::model::ledger::Timestamp;
use crate::tree::path::RepoPath;
use crate::tree::{ListedBefore, ListedState, StrayName};
use bstr::ByteSlice;
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What was found in one directory.
type Found = (ListedState, Rc<[StrayName]>);

/// The directories that a memo knows.
pub(super) type KnownDirs = HashMap<RepoPath, Found>;

/// What is known of directories, and what this run learns beside it.
pub(crate) struct ListedMemo {
    known: KnownDirs,
    /// When this run began; nothing where it learns nothing.
    now: Option<Timestamp>,
    asked: Cell<usize>,
    new: Cell<usize>,
    /// What holds of the directories that this run asked for.
    holds: RefCell<BTreeMap<RepoPath, Found>>,
}

impl ListedMemo {
    /// What was `known` before, for a run that began at `now`.
    pub(super) fn new(known: KnownDirs, now: Option<Timestamp>) -> Self {
        Self { known, now, asked: Cell::new(0), new: Cell::new(0), holds: RefCell::default() }
    }

    /// How many directories were asked for, and how many of them were listed.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.asked.get(), self.new.get())
    }

    /// Adds what holds now.
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

/// The directories that follow.
pub(super) fn known(cursor: &mut Remaining<'_>) -> Option<KnownDirs> {
    let count = cursor.count()?;
    let known = (0..count).map(|_| directory(cursor)).collect::<Option<KnownDirs>>()?;
    (known.len() == count).then_some(known)
}

fn directory(cursor: &mut Remaining<'_>) -> Option<(RepoPath, Found)> {
    let dir = RepoPath::from_git(cursor.path()?);
    let state = ListedState { stamp: stamp(cursor)?, index: cursor.long()? };
    let names = (0..cursor.count()?).map(|_| {
        let name = cursor.bytes()?.into();
        Some(StrayName { name, is_dir: cursor.byte().filter(|byte| *byte < 2)? == 1 })
    });
    Some((dir, (state, names.collect::<Option<_>>()?)))
}
