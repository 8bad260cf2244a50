//! The board on which clones share claims: small notes at refs of a git remote. In: the name of a ref and the text of a
//! note. Out: the notes on the remote, and whether a note could be replaced. `judge/shared` writes and parses the
//! text; this module does not know its meaning.
//!
//! A note is the message of a commit without files and without parents, at a ref such as `refs/yatsu/claims/0a4f…` (40
//! hex digits), or `refs/heads/yatsu/claims/0a4f…` on a server that takes only branches. A swap is a push that names
//! the expected old commit of the ref. The server compares and replaces the ref under one lock, so of two clones that
//! push at the same time only one succeeds.
//!
//! Sent and received objects lie in a temporary repository, which is deleted with the [`GitBoard`]. Received data is
//! limited in size. A missing or malformed note does not prevent reading the others.

mod sights;

use crate::error::{Error, Result};
use crate::model::ledger::Timestamp;
use crate::remote::RefSpace;
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

/// The directory of the refs that hold notes, as in `refs/yatsu/claims/`.
const FAMILY: &str = "claims";

/// The most notes that a remote may have. With more of them, looking at the board is an error.
const MOST_NOTES: usize = 10_000;
/// The largest commit that is read, in bytes.
const MAX_NOTE: u64 = 64 << 10;
/// The largest pack that is fetched, in bytes. Real notes need far less.
const MAX_PACK: u64 = 16 << 20;
/// If the notes cannot be fetched together, only so many are fetched one by one: each fetch is a connection.
const MOST_ALONE: usize = 32;

/// One note on the remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The last part of the name of its ref: 40 hex digits.
    pub(crate) end: String,
    /// The commit at the ref.
    pub(crate) id: Oid,
    /// The message, or why it could not be read.
    pub(crate) message: std::result::Result<Vec<u8>, String>,
}

/// The remote's answer to a swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// The note had the expected commit, and this call replaced or deleted it.
    Won,
    /// The note had another commit, or the server refused the push, or another process may have pushed the same commit.
    /// The reason holds no credentials, but must be escaped.
    Refused(String),
}

/// A place for notes. [`GitBoard`] is the real one; tests have others.
pub(crate) trait NoteBoard {
    /// The name of the remote, for example `origin`.
    fn remote(&self) -> &str;

    /// The prefix of the refs with notes, for example `refs/yatsu/claims/`.
    fn place(&self) -> String {
        RefSpace::Hidden.family(FAMILY)
    }

    /// All current notes; with `end` only the note at the ref with this last part.
    fn look(&mut self, end: Option<&str>) -> Result<Vec<Note>>;

    /// When this machine first saw each note in `wanted`; a new note gets the time `now`. The answer may also hold
    /// notes in `present` that an earlier call remembered. All notes missing from `present` are forgotten. The times
    /// are a memo: if it is lost, the notes count as new again.
    fn first_seen(&mut self, wanted: &[Oid], _present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
        wanted.iter().map(|id| (*id, now)).collect()
    }

    /// Replaces the note `old` by `new`, a message with its time in seconds; `None` for `new` deletes the note. `None`
    /// for `old` expects that the ref does not exist.
    ///
    /// # Errors
    /// The remote did not answer. The note may have been replaced or not: look again.
    fn swap(&mut self, end: &str, old: Option<Oid>, new: Option<(&str, i64)>) -> Result<Swapped>;
}

/// The notes on a git remote of the user.
pub(crate) struct GitBoard {
    door: NetworkDoor,
    space: RefSpace,
    hash: HashKind,
    is_made: bool,
    store: Store,
    /// The messages that were read already, by commit.
    read: HashMap<Oid, std::result::Result<Vec<u8>, String>>,
    // the last field: fields are dropped in order, and dropping this one deletes the directory that the door uses
    _passing: Passing,
}

impl GitBoard {
    /// Opens a board without connecting.
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

    /// Makes the temporary repository before its first use.
    fn ready(&mut self) -> Result<()> {
        if !self.is_made {
            self.door.init(self.hash, None)?;
            self.is_made = true;
        }
        Ok(())
    }

    /// The error if another clone keeps its notes in the other ref space: claimants in different spaces would not see
    /// each other. `name` is the ref of such a note.
    fn refuse_other_space(&self, name: &str) -> Result<()> {
        let (key, is_here) = ("yatsu.claims.branches", self.place());
        let wanted = self.space == RefSpace::Hidden;
        let error = format!("{} has a claim at {name}, and this clone looks for claims below {is_here}", self.remote());
        Err(Error::config(error)
            .hint(format!("look where the others do: git config {key} {wanted}"))
            .hint(format!("or, if it is no longer used: git push {} --delete {name}", word(self.remote()))))
    }

    /// Fetches these commits. A commit that could not be fetched is reported when its note is read.
    fn fetch(&self, ids: &[Oid]) {
        let limits = FetchLimits { bytes: MAX_PACK, anew: true };
        let wanted: Vec<String> = ids.iter().map(Oid::to_string).collect();
        if wanted.is_empty() || matches!(self.door.fetch(&wanted, limits), Ok(Fetched::All)) {
            return;
        }
        // one missing or too large commit makes the whole fetch fail
        for one in wanted.chunks(1).take(MOST_ALONE) {
            let _ = self.door.fetch(one, limits);
        }
    }

    fn commit(&self, message: &str, seconds: i64) -> Result<Oid> {
        self.door.write_commit(&empty_tree(self.hash), None, seconds, message.as_bytes())
    }
}

/// How long to wait for a remote, and whether the user may be asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoardPatience {
    /// The time limit of each git process. Without it, a process may run as long as data arrives.
    pub(crate) within: Option<Duration>,
    /// Whether git may ask for a password.
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
        let misplaced =
            refs.iter().find(|(name, _)| end_below(&places[1], name).and_then(|end| note_end(&end)).is_some());
        misplaced.map_or(Ok(()), |(name, _)| self.refuse_other_space(&name.to_string()))?;
        let named = refs.into_iter().filter_map(|(name, id)| Some((end_below(&places[0], &name)?, id)));
        let notes: Vec<(String, Oid)> = named.filter_map(|(end, id)| Some((note_end(&end)?, id))).collect();
        if notes.len() > MOST_NOTES {
            return Err(Error::unchecked(format!("{} shows more than {MOST_NOTES} claims", self.remote()))
                .hint(format!("ask its owner to delete the claims below {} that have ended", places[0])));
        }
        let unread: Vec<Oid> = notes.iter().map(|(_, id)| *id).filter(|id| !self.read.contains_key(id)).collect();
        self.fetch(&unread);
        let mut blobs = self.door.blobs();
        for id in unread {
            let message = message(&mut blobs, &id);
            self.read.insert(id, message);
        }
        let message = |id: &Oid| self.read.get(id).cloned().unwrap_or_else(|| Err("was not read".to_owned()));
        Ok(notes.into_iter().map(|(end, id)| Note { message: message(&id), end, id }).collect())
    }

    fn first_seen(&mut self, wanted: &[Oid], present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
        // no further lock is needed: `_passing` holds one, so no other process of this repository writes this memo
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
            // `Equal` is no win, because another process may have pushed this commit. `Forwarded` cannot be: a note has
            // no parents
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

/// The end of a note's ref as text; `None` unless it is 40 lower-case hex digits.
fn note_end(end: &[u8]) -> Option<String> {
    let is_hex = end.len() == 40 && end.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| String::from_utf8_lossy(end).into_owned())
}

#[cfg(test)]
mod tests;
