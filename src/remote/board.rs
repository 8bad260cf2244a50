//! Small notes on a remote that change hands by compare-and-swap: one ref each, `refs/yatsu/claims/<40 hex>`, or a branch of
//! that name where a server takes nothing else, at a commit without files whose message is the note. The server's lock on the ref says who was first; what the notes mean is not
//! known here.
//!
//! Nothing is kept: objects that are sent, and those that come, lie in a repository of ours that goes with the session. What
//! comes is limited in size, and a note that cannot be had or is no such commit stops nobody from reading the others.

mod sights;

use super::RefSpace;
use crate::error::{Error, Result};
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::repo::native::objects::ObjectKind;
use crate::repo::program::empty_tree;
use crate::repo::program::network::{Expected, FetchLimits, Fetched, MovedHow, NetworkDoor, RefMove, StreamedBlobs};
use crate::store::Store;
use crate::store::passing::Passing;
use crate::text::shell::word;
use crate::tree::oid::{HashKind, Oid};
use bstr::{BString, ByteSlice};
use std::collections::HashMap;
use std::time::Duration;

/// The family of refs that the notes are.
const FAMILY: &str = "claims";

/// Most notes that are read at once.
const MOST_NOTES: usize = 10_000;
/// Largest commit that is read, in bytes.
const MAX_NOTE: u64 = 64 << 10;
/// Largest pack that is taken, in bytes: nobody's notes need as much.
const MAX_PACK: u64 = 16 << 20;
/// So many notes are asked for one by one where they did not come together.
const MOST_ALONE: usize = 32;

/// A note as it stands on the remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The end of its ref: 40 hex digits.
    pub(crate) end: String,
    /// The commit that the ref is at.
    pub(crate) id: Oid,
    /// The message, or why there is none.
    pub(crate) message: std::result::Result<Vec<u8>, String>,
}

/// What became of a swap that the remote answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// The note is what was asked for, and was what was expected.
    Won,
    /// It is not, or nobody knows by whom; the reason, scrubbed and not escaped.
    Refused(String),
}

/// A remote with notes.
pub(crate) trait NoteBoard {
    /// What the remote is called.
    fn remote(&self) -> &str;

    /// What the names of its refs begin with.
    fn place(&self) -> String {
        RefSpace::Hidden.family(FAMILY)
    }

    /// All notes, or the one with this end, as they are now.
    fn look(&mut self, end: Option<&str>) -> Result<Vec<Note>>;

    /// When this machine first saw those of `wanted`, and those of `present` that it was asked about before; all others are
    /// forgotten. Those that are new to it are seen `now`. A memo: where it is lost they are seen for the first time again.
    fn first_seen(&mut self, wanted: &[Oid], _present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
        wanted.iter().map(|id| (*id, now)).collect()
    }

    /// Replaces the note that stands at `old` (nothing: there is none) by another message, written at that second, or takes it
    /// away.
    ///
    /// # Errors
    /// Where the remote gave no answer: then nobody knows what became of it.
    fn swap(&mut self, end: &str, old: Option<Oid>, new: Option<(&str, i64)>) -> Result<Swapped>;
}

/// Where claims are shared, if they are.
pub(crate) type SharedBoard<'b> = Option<&'b mut (dyn NoteBoard + 'static)>;

/// The notes on a remote of the user's.
pub(crate) struct GitBoard {
    door: NetworkDoor,
    space: RefSpace,
    hash: HashKind,
    is_made: bool,
    store: Store,
    read: HashMap<Oid, std::result::Result<Vec<u8>, String>>,
    // last: it takes the repository away, which the door must not outlive
    _passing: Passing,
}

impl GitBoard {
    /// Opens it; nothing is connected yet. A child that took longer than `within` is given up.
    ///
    /// # Errors
    /// Usage where the user's configuration has no such remote.
    pub(crate) fn open(repo: &Repo, at: &BoardPlace<'_>, passing: Passing, how: BoardPatience) -> Result<Self> {
        let store = Store::new(&repo.common_dir).shared_by(repo.shared);
        let mut door = repo.network(&passing.path().join("notes.git"), at.remote, how.terminal)?;
        if let Some(within) = how.within {
            door = door.within(within);
        }
        Ok(Self {
            door,
            space: at.space,
            hash: repo.hash,
            is_made: false,
            store,
            read: HashMap::new(),
            _passing: passing,
        })
    }

    fn ready(&mut self) -> Result<()> {
        if !self.is_made {
            self.door.init(self.hash, None)?;
            self.is_made = true;
        }
        Ok(())
    }

    /// Refuses to go on where others keep their notes in the other place: two of them would each be alone there.
    fn refuse_elsewhere(&self, name: &str) -> Result<()> {
        let (key, is_here) = ("yatsu.claims.branches", self.place());
        let wanted = self.space == RefSpace::Hidden;
        let error = format!("{} has a claim at {name}, and this clone looks for claims below {is_here}", self.remote());
        Err(Error::config(error)
            .hint(format!("look where the others do: git config {key} {wanted}"))
            .hint(format!("or, if it is no longer used: git push {} --delete {name}", word(self.remote()))))
    }

    /// Has these commits come; what does not is told when it is read.
    fn fetch(&self, ids: &[Oid]) {
        let limits = FetchLimits { bytes: MAX_PACK, anew: true };
        let wanted: Vec<String> = ids.iter().map(Oid::to_string).collect();
        if wanted.is_empty() || matches!(self.door.fetch(&wanted, limits), Ok(Fetched::All)) {
            return;
        }
        // one of them that is gone, or too large, must not hide the others
        for one in wanted.chunks(1).take(MOST_ALONE) {
            let _ = self.door.fetch(one, limits);
        }
    }

    fn commit(&self, message: &str, seconds: i64) -> Result<Oid> {
        self.door.write_commit(&empty_tree(self.hash), None, seconds, message.as_bytes())
    }
}

/// Where notes are.
pub(crate) struct BoardPlace<'a> {
    /// The remote's name in the user's configuration.
    pub(crate) remote: &'a str,
    /// In which of its refs.
    pub(crate) space: RefSpace,
}

/// How long a remote is waited for, and whether somebody may be asked for a password.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoardPatience {
    /// For each connection; without it as long as something comes.
    pub(crate) within: Option<Duration>,
    /// Whether somebody sits at a terminal.
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
        // whoever has the turn is alone with it
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
            // an equal object is no win: it was there, and nobody knows who put it there
            Some(moved) if matches!(moved.how, MovedHow::Made | MovedHow::Forced | MovedHow::Deleted) => Swapped::Won,
            Some(moved) => Swapped::Refused(moved.reason()),
            None => Swapped::Refused("it did not say what became of the ref".to_owned()),
        })
    }
}

/// The message of a note's commit, or why there is none.
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

/// The end of a note's ref, where it is one.
fn note_end(end: &[u8]) -> Option<String> {
    let is_hex = end.len() == 40 && end.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| String::from_utf8_lossy(end).into_owned())
}

#[cfg(test)]
mod tests;
