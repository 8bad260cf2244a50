//! Small notes on a remote that change hands by compare-and-swap. A note is the message of a commit without files, at a ref
//! of its own: `refs/yatsu/claims/<40 hex>`, or a branch of that name if the server takes only branches. The server's lock
//! on the ref decides who was first. The meaning of the notes is not known here.
//!
//! Nothing is kept: sent and received objects lie in a temporary repository that is deleted with the session. Received data
//! is limited in size. A note that is missing or malformed does not prevent reading the others.

mod sights;

use super::RefSpace;
use crate::error::{Error, Result};
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::repo::native::objects::ObjectKind;
use crate::repo::native::trees::empty_tree;
use crate::repo::program::network::{Expected, FetchLimits, Fetched, MovedHow, NetworkDoor, RefMove, StreamedBlobs};
use crate::store::Store;
use crate::store::claims_lock::Passing;
use crate::text::shell::word;
use crate::tree::oid::{HashKind, Oid};
use bstr::{BString, ByteSlice};
use std::collections::HashMap;
use std::time::Duration;

/// The family of refs that hold notes.
const FAMILY: &str = "claims";

/// The most notes that are read at once.
const MOST_NOTES: usize = 10_000;
/// The largest commit that is read, in bytes.
const MAX_NOTE: u64 = 64 << 10;
/// The largest pack that is accepted, in bytes; more than all real notes need.
const MAX_PACK: u64 = 16 << 20;
/// How many notes are fetched one by one if they could not be fetched together.
const MOST_ALONE: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The end of its ref: 40 hex digits.
    pub(crate) end: String,
    pub(crate) id: Oid,
    /// The message, or why it could not be read.
    pub(crate) message: std::result::Result<Vec<u8>, String>,
}

/// The remote's answer to a swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// The note was as expected and is now as requested.
    Won,
    /// The note was not swapped, or it is not known by whom. The reason is scrubbed, not escaped.
    Refused(String),
}

pub(crate) trait NoteBoard {
    fn remote(&self) -> &str;

    /// The prefix of its refs.
    fn place(&self) -> String {
        RefSpace::Hidden.family(FAMILY)
    }

    /// All current notes, or only the one with this end.
    fn look(&mut self, end: Option<&str>) -> Result<Vec<Note>>;

    /// When this machine first saw the notes in `wanted`, and also those in `present` that it remembers; it forgets all
    /// others. New ones were first seen `now`. This is a memo: if it is lost, the notes count as new again.
    fn first_seen(&mut self, wanted: &[Oid], _present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
        wanted.iter().map(|id| (*id, now)).collect()
    }

    /// Replaces the note at `old` (`None` if there is none) by a message and its time in seconds, or deletes the note.
    ///
    /// # Errors
    /// If the remote did not answer. Then the result is not known.
    fn swap(&mut self, end: &str, old: Option<Oid>, new: Option<(&str, i64)>) -> Result<Swapped>;
}

/// The notes on a git remote of the user.
pub(crate) struct GitBoard {
    door: NetworkDoor,
    space: RefSpace,
    hash: HashKind,
    is_made: bool,
    store: Store,
    read: HashMap<Oid, std::result::Result<Vec<u8>, String>>,
    // the last field, because its drop deletes the repository, and the door must be dropped before
    _passing: Passing,
}

impl GitBoard {
    /// Opens a board without connecting. A child process is stopped after `within`.
    ///
    /// # Errors
    /// Usage if the user's configuration has no such remote.
    pub(crate) fn open(
        repo: &Repo,
        remote: &str,
        space: RefSpace,
        passing: Passing,
        how: BoardPatience,
    ) -> Result<Self> {
        let store = Store::new(&repo.common_dir).shared_by(repo.shared);
        let mut door = repo.network(&passing.path().join("notes.git"), remote, how.terminal)?;
        if let Some(within) = how.within {
            door = door.within(within);
        }
        let (hash, read) = (repo.hash, HashMap::new());
        Ok(Self { door, space, hash, is_made: false, store, read, _passing: passing })
    }

    fn ready(&mut self) -> Result<()> {
        if !self.is_made {
            self.door.init(self.hash, None)?;
            self.is_made = true;
        }
        Ok(())
    }

    /// Stops if another clone keeps its notes in the other ref space, because two claimants in different spaces would not
    /// see each other.
    fn refuse_elsewhere(&self, name: &str) -> Result<()> {
        let (key, is_here) = ("yatsu.claims.branches", self.place());
        let wanted = self.space == RefSpace::Hidden;
        let error = format!("{} has a claim at {name}, and this clone looks for claims below {is_here}", self.remote());
        Err(Error::config(error)
            .hint(format!("look where the others do: git config {key} {wanted}"))
            .hint(format!("or, if it is no longer used: git push {} --delete {name}", word(self.remote()))))
    }

    /// Fetches these commits. A missing one is reported when it is read.
    fn fetch(&self, ids: &[Oid]) {
        let limits = FetchLimits { bytes: MAX_PACK, anew: true };
        let wanted: Vec<String> = ids.iter().map(Oid::to_string).collect();
        if wanted.is_empty() || matches!(self.door.fetch(&wanted, limits), Ok(Fetched::All)) {
            return;
        }
        // a missing or too large commit must not hide the others
        for one in wanted.chunks(1).take(MOST_ALONE) {
            let _ = self.door.fetch(one, limits);
        }
    }

    fn commit(&self, message: &str, seconds: i64) -> Result<Oid> {
        self.door.write_commit(&empty_tree(self.hash), None, seconds, message.as_bytes())
    }
}

/// How long to wait for a remote, and whether a password may be asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoardPatience {
    /// The limit for each connection; without it, a connection lasts as long as data comes.
    pub(crate) within: Option<Duration>,
    pub(crate) terminal: bool,
}

impl NoteBoard for GitBoard {
    fn remote(&self) -> &str {
        self.door.remote()
    }

    fn place(&self) -> String {
        self.space.family(FAMILY)
    }

    fn look(&mut self, end: Option<&str>) -> Result<Vec<Note>> {
        self.ready()?;
        let places = [self.place(), self.space.other().family(FAMILY)];
        let [own, other] = places.each_ref().map(|place| format!("{place}{}", end.unwrap_or_default()));
        let refs = self.door.list(&[&own, &other])?;
        let end_below = |place: &str, name: &BString| name.strip_prefix(place.as_bytes()).map(<[u8]>::to_vec);
        let elsewhere =
            refs.iter().find(|(name, _)| end_below(&places[1], name).and_then(|end| note_end(&end)).is_some());
        elsewhere.map_or(Ok(()), |(name, _)| self.refuse_elsewhere(&name.to_string()))?;
        let named = refs.into_iter().filter_map(|(name, id)| Some((end_below(&places[0], &name)?, id)));
        let ours: Vec<(String, Oid)> = named.filter_map(|(end, id)| Some((note_end(&end)?, id))).collect();
        if ours.len() > MOST_NOTES {
            return Err(Error::unchecked(format!("{} shows more than {MOST_NOTES} claims", self.remote()))
                .hint(format!("ask its owner to delete the claims below {} that have ended", places[0])));
        }
        let unread: Vec<Oid> = ours.iter().map(|(_, id)| *id).filter(|id| !self.read.contains_key(id)).collect();
        self.fetch(&unread);
        let mut blobs = self.door.blobs();
        for id in unread {
            let message = message(&mut blobs, &id);
            self.read.insert(id, message);
        }
        let message = |id: &Oid| self.read.get(id).cloned().unwrap_or_else(|| Err("was not read".to_owned()));
        Ok(ours.into_iter().map(|(end, id)| Note { message: message(&id), end, id }).collect())
    }

    fn first_seen(&mut self, wanted: &[Oid], present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
        // no lock is needed: only one process of this repository has its turn at a time
        sights::first_seen(&self.store, wanted, present, now)
    }

    fn swap(&mut self, end: &str, old: Option<Oid>, new: Option<(&str, i64)>) -> Result<Swapped> {
        self.ready()?;
        let to = new.map(|(message, seconds)| self.commit(message, seconds)).transpose()?;
        let wanted = RefMove {
            name: format!("{}{end}", self.place()),
            to,
            from: old.map_or(Expected::Nothing, Expected::Exactly),
        };
        let moved = self.door.push(std::slice::from_ref(&wanted), false)?;
        let own = moved.into_iter().find(|moved| moved.name == wanted.name.as_str());
        Ok(match own {
            // an equal object is no win, because another process may have put it there
            Some(moved) if matches!(moved.how, MovedHow::Made | MovedHow::Forced | MovedHow::Deleted) => Swapped::Won,
            Some(moved) => Swapped::Refused(moved.reason()),
            None => Swapped::Refused("it did not say what became of the ref".to_owned()),
        })
    }
}

/// The message of a note's commit, or why it could not be read.
fn message(blobs: &mut StreamedBlobs, id: &Oid) -> std::result::Result<Vec<u8>, String> {
    let read = blobs.read(id, |look, bytes| {
        if look.kind != ObjectKind::Commit || look.size > MAX_NOTE {
            return Ok(Err("is no commit of a few lines".to_owned()));
        }
        let mut commit = Vec::new();
        bytes.read_to_end(&mut commit).map_err(|error| Error::unread("what git printed", &error))?;
        let (_, message) = commit.split_once_str("\n\n").unwrap_or((&commit, b""));
        Ok(Ok(message.to_vec()))
    });
    match read {
        Ok(Some(message)) => message,
        Ok(None) => Err("could not be fetched".to_owned()),
        Err(error) => Err(format!("could not be read: {}", error.message)),
    }
}

/// The end of a note's ref; `None` for another ref.
fn note_end(end: &[u8]) -> Option<String> {
    let is_hex = end.len() == 40 && end.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| String::from_utf8_lossy(end).into_owned())
}

#[cfg(test)]
mod tests;
