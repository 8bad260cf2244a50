//! The differing content of two states, without records. A record is a ledger or run log with its own rule about its
//! history, so approvals need not name it. Everything else is content.

use crate::engine::redaction::Redactions;
use crate::error::{ErrorKind, Result};
use crate::features::patches::model::settings;
use crate::features::runlogs::{LogLines, begins_like_a_log, place, take_apart};
use crate::model::config::Config;
use crate::model::ledger::{self, ContentMap, MAX_LEDGER, Stamped};
use crate::model::workspace;
use crate::names;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::native::objects::ObjectStore;
use crate::repo::views::{MAX_READ, read_blob};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The records of a base: what its own configuration calls a ledger or a run log.
pub(crate) struct BaseRecords {
    tree: Rc<dyn Tree>,
    objects: Rc<dyn ObjectStore>,
    config: Config,
    /// Results by path.
    known: RefCell<HashMap<RepoPath, bool>>,
}

fn is_regular(mode: Mode) -> bool {
    mode == Mode::FILE || mode == Mode::EXEC
}

impl BaseRecords {
    /// The records of the base with this tree; `None` is the empty tree.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub(crate) fn of(repo: &Repo, tree: Option<Oid>) -> Result<Self> {
        let tree = repo.tree_view(tree);
        let config = match workspace::read_config(&*tree) {
            // an unusable configuration names no place
            Err(error) if error.kind == ErrorKind::Config => Config::default(),
            config => config?,
        };
        Ok(Self { tree, objects: Rc::clone(&repo.objects), config, known: RefCell::default() })
    }

    /// Whether a change to the tree `after` concerns only a record. A changed mode and a deletion are content: no rule about
    /// history guards a mode, and a deleted ledger is not there to be guarded. A segment that was folded is a record: its
    /// lines are there.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn has(&self, change: &PathChange, after: &dyn Tree) -> Result<bool> {
        if change.new.is_none() {
            return self.is_folded(change, after);
        }
        let Some((mode, _)) = change.new.filter(|(mode, _)| is_regular(*mode)) else { return Ok(false) };
        if mode != change.old.map_or(Mode::FILE, |(old, _)| old) {
            return Ok(false);
        }
        let path = &change.path;
        Ok(self.is_place(path)?
            && (!names::is_ledger(path.name()) || self.is_ledger(path)? || self.is_whole(change)?))
    }

    /// Whether the change takes a segment away, and each of its lines stands in another file of its home, or was redacted there.
    fn is_folded(&self, change: &PathChange, after: &dyn Tree) -> Result<bool> {
        let path = &change.path;
        let Some((_, id)) = change.old.filter(|(mode, _)| is_regular(*mode) && names::is_segment(path.name())) else {
            return Ok(false);
        };
        if !self.is_place(path)? {
            return Ok(false);
        }
        let (home, mut ledgers) = (path.parent().unwrap_or_default(), Vec::new());
        for (name, entry) in after.children(&home)?.into_iter().filter(|(name, _)| names::is_ledger(name)) {
            let file = home.child(&name);
            if let Some(text) = after.read_of(&file, &entry)? {
                ledgers.push(ledger::parse(&file, &text));
            }
        }
        let there: HashSet<&[u8]> = ledgers.iter().flat_map(|ledger| &ledger.raw).map(AsRef::as_ref).collect();
        let redactions = Redactions::of(&ledgers);
        let gone = ledger::parse(path, &read_blob(&*self.objects, &id, path, MAX_READ)?);
        Ok(gone.raw.iter().all(|line| there.contains(&**line) || redactions.cover(line)))
    }

    /// Whether every line of the new version of a ledger is valid. The base vouches only for a file with a line there.
    fn is_whole(&self, change: &PathChange) -> Result<bool> {
        let Some((_, id)) = change.new else { return Ok(false) };
        let text = read_blob(&*self.objects, &id, &change.path, MAX_READ)?;
        Ok(ledger::parse(&change.path, &text).problems.iter().all(|problem| problem.advice))
    }

    /// Whether a regular file at `path` is a record.
    ///
    /// # Errors
    /// As [`Self::has`].
    pub(crate) fn is_place(&self, path: &RepoPath) -> Result<bool> {
        if let Some(known) = self.known.borrow().get(path) {
            return Ok(*known);
        }
        let is_ledger = self.is_home(path) || self.is_ledger(path)? || self.is_of_known_home(path)?;
        let found = is_ledger || self.is_run_log(path)?;
        self.known.borrow_mut().insert(path.clone(), found);
        Ok(found)
    }

    /// The directory of the patches' home.
    pub(crate) fn home(&self) -> RepoPath {
        settings::home(&self.config)
    }

    /// Whether this is a file of the ledger of the patches' home, which may be new.
    fn is_home(&self, path: &RepoPath) -> bool {
        self.is_called_ledger(path) && path.parent().is_some_and(|dir| dir == self.home())
    }

    fn is_called_ledger(&self, path: &RepoPath) -> bool {
        names::is_ledger(path.name()) && workspace::is_ours(path, &self.config)
    }

    /// Whether the base has a ledger with a valid line there. A new trunk file could hold anything.
    fn is_ledger(&self, path: &RepoPath) -> Result<bool> {
        if !self.is_called_ledger(path) {
            return Ok(false);
        }
        let text = self.text(path, MAX_LEDGER as u64)?;
        Ok(text.is_some_and(|text| !ledger::parse(path, &text).lines.is_empty()))
    }

    /// Whether the base knows the home of a file of a ledger: of a segment the directory with a ledger or a scenario file, of a
    /// trunk file the directory with segments, which are folded into it.
    fn is_of_known_home(&self, path: &RepoPath) -> Result<bool> {
        if !self.is_called_ledger(path) {
            return Ok(false);
        }
        let home = path.parent().unwrap_or_default();
        let is_segment = names::is_segment(path.name());
        let is_sign = |(name, entry): &(BString, Entry)| {
            let is_scenario_file = || names::SCENARIO_NAMES.iter().any(|ours| name == ours);
            (names::is_segment(name) || (is_segment && (names::is_ledger(name) || is_scenario_file())))
                && matches!(entry.kind, Kind::File | Kind::Exec)
                && workspace::is_ours(&home.child(name), &self.config)
        };
        Ok(self.tree.children(&home)?.iter().any(is_sign))
    }

    fn is_run_log(&self, path: &RepoPath) -> Result<bool> {
        let Some(place) = place(path, &self.config) else { return Ok(false) };
        let Some(text) = self.text(path, MAX_READ)? else { return Ok(false) };
        if !place.sure && !begins_like_a_log(&text) {
            return Ok(false);
        }
        let mut lines = LogLines::new(&*text);
        while let Ok(Some(line)) = lines.next_line() {
            if take_apart(&line, 0).events.iter().any(|event| event.name().is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The bytes of a regular file of the base; `None` for anything else, and for a file that is too large to be a record.
    fn text(&self, path: &RepoPath, most: u64) -> Result<Option<Vec<u8>>> {
        let Some(entry) = self.tree.entry(path)? else { return Ok(None) };
        let is_regular = matches!(entry.kind, Kind::File | Kind::Exec);
        if !is_regular || self.tree.size(path)?.is_none_or(|size| size > most) {
            return Ok(None);
        }
        self.tree.read(path)
    }

    /// Every path that differs between the trees, records aside, with both versions.
    ///
    /// # Errors
    /// When the trees cannot be compared.
    pub(crate) fn difference(&self, repo: &Repo, base: Option<Oid>, tip: Option<Oid>) -> Result<ContentMap> {
        let (mut map, after) = (ContentMap::new(), repo.tree_view(tip));
        for change in repo.tree_diff(base, tip)? {
            if !self.has(&change, &*after)? {
                map.insert(change.path.clone(), [version(change.old), version(change.new)]);
            }
        }
        Ok(map)
    }
}

/// A version as a stamp spells it.
fn version(side: Option<(Mode, Oid)>) -> Stamped {
    match side {
        None => Stamped::Absent,
        Some((Mode::EXEC, id)) => Stamped::Exec(id),
        Some((Mode::LINK, id)) => Stamped::Link(id),
        Some((Mode::SUBMODULE, id)) => Stamped::Submodule(id),
        Some((_, id)) => Stamped::File(id),
    }
}
