//! Our side repository beside the user's: `<common dir>/yatsu/evidence.git`. It holds the fetched names and the tips of this
//! machine's pushes. The bytes are not in it, because the cache has them. If it is lost, this machine becomes a new writer.

use super::names::{WriterId, WriterMonth, is_writer, slot};
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::native::trees::empty_tree;
use crate::repo::program::network::{FetchLimits, Fetched, NetworkDoor};
use crate::store::Store;
use crate::store::atomic;
use crate::store::folder::Folder;
use crate::store::lock::{DIRECTORY, SharingLock};
use crate::store::stale_locks;
use crate::store::temp_dir::ApartDir;
use crate::sys;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::shared::SharedMode;
use bstr::{BString, ByteSlice};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Its name, in the directory of our locks.
const NAME: &str = "evidence.git";

/// The configuration key with the name of this machine's writer.
const WRITER: &str = "yatsu.writer";

/// The prefix of every branch.
const BRANCHES: &str = "refs/heads/";

/// How many fetches are made to find the refs that cannot be fetched. The refs that are left then are passed over together.
const TRIES: usize = 64;

/// Our refs on a server, in two families, as listed now.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerRefs {
    /// The tips of the chains of bytes.
    pub(super) evidence: BTreeMap<WriterMonth, Oid>,
    /// The tips of the chains of names.
    pub(super) names: BTreeMap<WriterMonth, Oid>,
}

/// The place of our refs on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefSpace {
    /// `refs/yatsu/`: no clone fetches them.
    Hidden,
    /// `refs/heads/yatsu/`: for a server that takes only branches. Every clone fetches them.
    Branches,
}

impl RefSpace {
    fn top(self) -> &'static str {
        match self {
            Self::Hidden => "refs/yatsu/",
            Self::Branches => "refs/heads/yatsu/",
        }
    }

    /// The other space.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Hidden => Self::Branches,
            Self::Branches => Self::Hidden,
        }
    }

    /// The prefix of one family of refs.
    pub(crate) fn family(self, name: &str) -> String {
        format!("{}{name}/", self.top())
    }

    /// A ref of a family.
    pub(super) fn of(self, family: &str, (writer, month): &WriterMonth) -> String {
        format!("{}{family}/{writer}/{month}", self.top())
    }
}

/// Two commits of this machine: one with the bytes, one with their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tips {
    /// The tip of the chain of bytes.
    pub(super) evidence: Oid,
    /// The tip of the chain of names.
    pub(super) names: Oid,
}

/// Our side repository, and the connection to the server.
pub(super) struct SideRepo {
    /// git, running in the side repository.
    pub(super) door: NetworkDoor,
    pub(super) hash: HashKind,
    space: RefSpace,
    store: Store,
    shared: Option<SharedMode>,
    right: Option<SharingLock>,
    /// Its refs, once they were read. While the lock is held only [`SideRepo::set`] and fetches change them; after a fetch
    /// they are read again.
    refs: RefCell<Option<BTreeMap<BString, Oid>>>,
    writer: RefCell<Option<WriterId>>,
}

impl SideRepo {
    /// Creates and connects nothing yet.
    pub(super) fn new(repo: &Repo, remote: &str, space: RefSpace, terminal: bool) -> Result<Self> {
        let git_dir = repo.common_dir.join(DIRECTORY).join(NAME);
        let door = repo.network(&git_dir, remote, terminal)?;
        let store = Store::new(&repo.common_dir).shared_by(repo.shared);
        let (refs, writer) = (RefCell::default(), RefCell::default());
        Ok(Self { door, hash: repo.hash, space, store, shared: repo.shared, right: None, refs, writer })
    }

    /// Takes the lock for as long as this value lives, and creates the repository if it is missing.
    pub(super) fn ready(&mut self) -> Result<()> {
        if self.right.is_some() {
            return Ok(());
        }
        let right = self.store.lock_sharing()?;
        stale_locks::remove(&right, self.door.git_dir(), stale_locks::AFTERLIFE)?;
        // refs read before the lock may have changed
        self.refs.take();
        // the note of the writer is made last: a repository without it may be incomplete
        match self.door.noted(WRITER)?.filter(|writer| is_writer(writer)) {
            Some(writer) => drop(self.writer.replace(Some(writer))),
            None => {
                self.door.init(self.hash, self.shared)?;
                self.draw()?;
            }
        }
        ApartDir::sweep(&right, self.door.git_dir())?;
        self.right = Some(right);
        Ok(())
    }

    /// The writer that this machine is.
    pub(super) fn writer(&self) -> Result<WriterId> {
        let writer = self.writer.borrow().clone();
        writer.ok_or_else(|| Error::fault("the right to share is not held"))
    }

    /// Makes this machine a new writer.
    pub(super) fn draw(&self) -> Result<WriterId> {
        let writer = random_word()?;
        self.door.note(WRITER, &writer)?;
        self.writer.replace(Some(writer.clone()));
        Ok(writer)
    }

    /// A directory for temporary files.
    pub(super) fn room(&self) -> Result<ApartDir> {
        let right = self.right.as_ref().ok_or_else(|| Error::fault("the right to share is not held"))?;
        ApartDir::make(right, self.door.git_dir())
    }

    /// A directory for temporary objects, and git with it.
    pub(super) fn apart(&self) -> Result<(ApartDir, NetworkDoor)> {
        let dir = self.room()?;
        let door = self.door.apart(dir.path());
        Ok((dir, door))
    }

    /// Our refs on the server, as they are now.
    pub(super) fn list(&self) -> Result<ServerRefs> {
        let families = self.families();
        self.door.list(&[&families[0], &families[1]]).map(|refs| self.sorted(&refs))
    }

    /// Our refs and the branches of the server, over one connection.
    pub(super) fn list_with_branches(&self) -> Result<(ServerRefs, Vec<(BString, Oid)>)> {
        let families = self.families();
        let mut refs = self.door.list(&[&families[0], &families[1], BRANCHES])?;
        let seen = self.sorted(&refs);
        refs.retain(|(name, _)| name.starts_with_str(BRANCHES));
        Ok((seen, refs))
    }

    fn families(&self) -> [String; 2] {
        ["evidence", "names"].map(|family| self.space.family(family))
    }

    fn sorted(&self, refs: &[(BString, Oid)]) -> ServerRefs {
        let [evidence, names] = self.families();
        let of = |prefix: &str| refs.iter().filter_map(|(name, id)| Some((slot(prefix, name)?, *id))).collect();
        ServerRefs { evidence: of(&evidence), names: of(&names) }
    }

    /// Whether the server has names in branches although this clone looks in hidden refs.
    pub(super) fn is_in_branches(&self) -> Result<bool> {
        let is_hidden = self.space == RefSpace::Hidden;
        Ok(is_hidden && !self.door.list(&[&RefSpace::Branches.family("names")])?.is_empty())
    }

    /// Fetches new names, forgets deleted ones, and returns the names that are here then, with a reason for each ref that
    /// did not come.
    pub(super) fn fetch_names(&self, seen: &ServerRefs) -> Result<(BTreeMap<WriterMonth, Oid>, Vec<String>)> {
        let here = self.names_here()?;
        let gone = here.keys().filter(|slot| !seen.names.contains_key(slot)).map(|slot| (self.copy_of(slot), None));
        self.set(&gone.collect::<Vec<_>>())?;
        let new: Vec<_> =
            seen.names.iter().filter(|(slot, id)| here.get(slot) != Some(id)).map(|(slot, _)| slot).collect();
        if new.is_empty() {
            return Ok((here.into_iter().filter(|(slot, _)| seen.names.contains_key(slot)).collect(), Vec::new()));
        }
        let mut reasons = Vec::new();
        let fetched = self.fetch_some(&new, &mut TRIES.clone(), &mut reasons);
        self.refs.take();
        fetched?;
        let here = self.names_here()?;
        Ok((here.into_iter().filter(|(slot, id)| seen.names.get(slot) == Some(id)).collect(), reasons))
    }

    /// Fetches the names of `slots`. If that fails, each half is fetched alone, so that a bad ref does not stop the others.
    fn fetch_some(&self, slots: &[&WriterMonth], tries: &mut usize, reasons: &mut Vec<String>) -> Result<()> {
        let refspec = |slot: &&WriterMonth| format!("+{}:{}", self.space.of("names", slot), self.copy_of(slot));
        let wanted: Vec<_> = slots.iter().map(refspec).collect();
        let limits = FetchLimits { bytes: super::names::MOST_NAMES, anew: false };
        *tries = tries.saturating_sub(1);
        let Fetched::NotAll(error) = self.door.fetch(&wanted, limits)? else { return Ok(()) };
        // a server that no longer answers is no bad ref: this call fails then
        self.list()?;
        let (half, rest) = slots.split_at(slots.len() / 2);
        if half.is_empty() || *tries == 0 {
            let (writer, month) = slots[0];
            let more = if slots.len() > 1 { format!(" and {} more", slots.len() - 1) } else { String::new() };
            reasons.push(format!("the names of writer {writer} of {month}{more}: {error}"));
            return Ok(());
        }
        self.fetch_some(half, tries, reasons)?;
        self.fetch_some(rest, tries, reasons)
    }

    /// The names as last fetched.
    pub(super) fn names_here(&self) -> Result<BTreeMap<WriterMonth, Oid>> {
        let prefix = format!("refs/there/{}/", self.door.place());
        self.slots(&prefix)
    }

    fn copy_of(&self, (writer, month): &WriterMonth) -> String {
        format!("refs/there/{}/{writer}/{month}", self.door.place())
    }

    fn own(&self, which: &str, family: &str, (writer, month): &WriterMonth) -> String {
        format!("refs/{which}/{}/{family}/{writer}/{month}", self.door.place())
    }

    /// The pushes of this machine: `own` was read back, `next` was sent and not yet answered.
    fn tips(&self, which: &str) -> Result<BTreeMap<WriterMonth, Tips>> {
        let family = |family: &str| self.slots(&format!("refs/{which}/{}/{family}/", self.door.place()));
        let (evidence, names) = (family("evidence")?, family("names")?);
        let both =
            |(slot, evidence): (WriterMonth, Oid)| Some((slot.clone(), Tips { evidence, names: *names.get(&slot)? }));
        Ok(evidence.into_iter().filter_map(both).collect())
    }

    /// The tips of this machine that the server's refs are at. A push without an answer counts as done if the server has its
    /// tips.
    pub(super) fn standing(&self, seen: &ServerRefs) -> Result<BTreeMap<WriterMonth, Tips>> {
        let stands = |slot: &WriterMonth, tips: &Tips| {
            seen.evidence.get(slot) == Some(&tips.evidence) && seen.names.get(slot) == Some(&tips.names)
        };
        for (slot, tips) in self.tips("next")? {
            if stands(&slot, &tips) {
                self.read_back(&slot, tips)?;
            }
        }
        let mut own = self.tips("own")?;
        own.retain(|slot, tips| stands(slot, tips));
        Ok(own)
    }

    /// Notes a push before it is sent. Otherwise a crash between the server's answer and our note would make this machine
    /// forget it.
    pub(super) fn about_to_send(&self, slot: &WriterMonth, tips: Tips) -> Result<()> {
        let (evidence, names) = (self.own("next", "evidence", slot), self.own("next", "names", slot));
        self.set(&[(evidence, Some(tips.evidence)), (names, Some(tips.names))])
    }

    /// Notes a push that was read back: the names as if fetched, and the tip of the bytes without the bytes.
    pub(super) fn read_back(&self, slot: &WriterMonth, tips: Tips) -> Result<()> {
        let own = ["evidence", "names"].map(|family| self.own("own", family, slot));
        let next = ["evidence", "names"].map(|family| (self.own("next", family, slot), None));
        let [evidence, names] = own;
        // the shallow boundary first, so that a tip without its tree is never taken for a damaged one
        self.cut_off(Some(tips.evidence))?;
        let set = [(evidence, Some(tips.evidence)), (names, Some(tips.names)), (self.copy_of(slot), Some(tips.names))];
        // git writes new refs before it deletes others: after a kill a tip may be noted twice, but never not at all
        self.set(&[&set[..], &next].concat())
    }

    /// Forgets this machine's push of this writer and month, because it is no longer there.
    pub(super) fn forget(&self, slot: &WriterMonth) -> Result<()> {
        let gone = ["evidence", "names"].map(|family| (self.own("own", family, slot), None));
        self.set(&gone)?;
        self.cut_off(None)
    }

    /// Writes git's list of shallow commits, where history is cut off: the tips of this machine, and one more.
    fn cut_off(&self, more: Option<Oid>) -> Result<()> {
        let own = self.refs("refs/own/")?.into_iter().filter(|(name, _)| name.contains_str("/evidence/"));
        let mut lines: Vec<_> = own.map(|(_, id)| id).chain(more).map(|id| format!("{id}\n")).collect();
        lines.sort();
        lines.dedup();
        let folder = Arc::new(Folder::open(self.door.git_dir())?.shared_by(self.shared));
        atomic::replace(&folder, "shallow".as_ref(), lines.concat().as_bytes(), 0o644)
    }

    /// The tip of the list of pieces that this machine read from there, with their blobs. Its commits have the form of
    /// names.
    pub(super) fn got(&self) -> Result<Option<Oid>> {
        let name = format!("refs/got/{}", self.door.place());
        Ok(self.refs(&name)?.into_iter().map(|(_, id)| id).next())
    }

    /// Adds pieces to this list.
    pub(super) fn add_got(&self, text: &str, seconds: i64) -> Result<()> {
        let before = self.got()?;
        let commit = self.door.write_commit(&empty_tree(self.hash), before.as_ref(), seconds, text.as_bytes())?;
        self.set(&[(format!("refs/got/{}", self.door.place()), Some(commit))])
    }

    /// Our refs in the side repository with names that begin with `prefix`.
    fn refs(&self, prefix: &str) -> Result<Vec<(BString, Oid)>> {
        let mut known = self.refs.borrow_mut();
        let refs = match &mut *known {
            Some(refs) => refs,
            unread => unread.insert(self.door.own_refs("refs/")?.into_iter().collect()),
        };
        let from = refs.range(BString::from(prefix)..);
        Ok(from.take_while(|(name, _)| name.starts_with_str(prefix)).map(|(name, id)| (name.clone(), *id)).collect())
    }

    fn slots(&self, prefix: &str) -> Result<BTreeMap<WriterMonth, Oid>> {
        Ok(self.refs(prefix)?.into_iter().filter_map(|(name, id)| Some((slot(prefix, &name)?, id))).collect())
    }

    /// Sets refs of the side repository, all or none; `None` deletes one. A ref that is right already is left alone.
    fn set(&self, refs: &[(String, Option<Oid>)]) -> Result<()> {
        self.refs("")?;
        let mut known = self.refs.borrow_mut();
        let mut after = known.take().unwrap_or_default();
        let mut moves = Vec::new();
        for (name, id) in refs {
            let key = BString::from(name.as_str());
            let before = match id {
                Some(id) => after.insert(key, *id),
                None => after.remove(&key),
            };
            moves.extend((before != *id).then(|| (name.clone(), *id)));
        }
        // after an error the refs are not known, so they stay unread here and are read again
        if !moves.is_empty() {
            self.door.set_own_refs(&moves)?;
        }
        *known = Some(after);
        Ok(())
    }

    /// The refs of this writer and month on the server.
    pub(super) fn refs_of(&self, slot: &WriterMonth) -> [String; 2] {
        ["evidence", "names"].map(|family| self.space.of(family, slot))
    }

    /// The ref with which the server is tested.
    pub(super) fn probe_ref(&self, writer: &str) -> String {
        format!("{}{writer}", self.space.family("probe"))
    }
}

/// 16 random hex digits.
pub(super) fn random_word() -> Result<String> {
    let mut bytes = [0; 8];
    sys::random(&mut bytes).map_err(Error::no_random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
