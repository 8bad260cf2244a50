//! What a session remembers from one event to the next, for each work tree: the state at its first event (the *base*), the
//! paths that it touched, and what it was told. As JSON, without any text that the user, the agent or the repository wrote:
//! names are hashed.

use super::changed;
use crate::app::record::observe;
use crate::error::Result;
use crate::model::ids::composed;
use crate::model::session::SessionHash;
use crate::store::Store;
use crate::store::session_memory::{self, MAX_MEMORY};
use crate::sys;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many scenarios of a base are kept (with more, the base is HEAD), and how many ids of dirty paths.
const MAX_SCENARIOS: usize = 1500;
const MAX_DIRTY: usize = 200;
/// How many entries each other list has.
const MAX_LISTED: usize = 300;
const MAX_RUNS: usize = 64;
/// How many directories are kept, and how long each may be.
const MAX_NODES: usize = 30;
const MAX_DIRECTORY: usize = 200;
/// How long, in milliseconds, a second run about one event may come after the first.
const SAME_EVENT: i64 = 10_000;
/// How much later than the end of a command the hook about it may run, in milliseconds.
const LATE: i64 = 2_000;
/// How long a command may have run that is a session's first event, if its harness does not say, in milliseconds.
const UNKNOWN: i64 = 60_000;
/// File systems take their times from a clock that may be this many milliseconds behind.
pub(super) const COARSE_CLOCK: i64 = 20;
/// How many answered events are remembered.
const MAX_ANSWERED: usize = 8;

/// The first 8 bytes of a SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShortHash([u8; 8]);

impl ShortHash {
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut whole = Sha256::new();
        for part in parts {
            whole.update((part.len() as u64).to_be_bytes());
            whole.update(part);
        }
        let mut short = [0; 8];
        short.copy_from_slice(&whole.finalize()[..8]);
        Self(short)
    }

    pub(super) fn of_path(path: &RepoPath) -> Self {
        Self::of(&[path.as_bstr()])
    }

    pub(super) fn of_scenario(node: &RepoPath, name: &str) -> Self {
        Self::of(&[node.as_bstr(), composed(name).as_bytes()])
    }

    fn hex(self) -> String {
        format!("{:016x}", u64::from_be_bytes(self.0))
    }
}

impl Serialize for ShortHash {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for ShortHash {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let number = u64::from_str_radix(&text, 16).map_err(serde::de::Error::custom)?;
        Ok(Self(number.to_be_bytes()))
    }
}

/// One scenario of a base in 8 bytes: five of the hash of its name, then one bit that says whether it was fresh, and 23 bits
/// of the hash of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct BaseScenario(ShortHash);

impl BaseScenario {
    pub(super) fn of(name: ShortHash, text: &[u8; 32], fresh: bool) -> Self {
        let mut bytes = name.0;
        bytes[5] = text[0] & 0x7f | u8::from(fresh) << 7;
        bytes[6..].copy_from_slice(&text[1..3]);
        Self(ShortHash(bytes))
    }

    fn is_of(self, name: ShortHash) -> bool {
        self.0.0[..5] == name.0[..5]
    }

    pub(super) fn is_fresh(self) -> bool {
        self.0.0[5] & 0x80 != 0
    }

    /// Whether `text` may be the text of the scenario at the base.
    pub(super) fn has_text(self, text: &[u8; 32]) -> bool {
        self.0.0[5] & 0x7f == text[0] & 0x7f && self.0.0[6..] == text[1..3]
    }
}

/// The state at the first event of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Base {
    /// The full name of the branch; `None` when HEAD is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<String>,
    /// The commit of HEAD; `None` before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<String>,
    /// The work tree as it was judged; `None`: HEAD counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) judged: Option<JudgedBase>,
}

/// What a work tree held at the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JudgedBase {
    scenarios: Vec<BaseScenario>,
    /// The governed paths with other content than HEAD's, with the id of the content; empty for no file.
    dirty: BTreeMap<String, String>,
}

impl JudgedBase {
    /// `None` if there are more scenarios than a memory holds.
    pub(super) fn of(scenarios: Vec<BaseScenario>, dirty: &BTreeMap<ShortHash, Option<Oid>>) -> Option<Self> {
        let id = |id: &Option<Oid>| id.map(|id| id.to_string()).unwrap_or_default();
        // HEAD is asked for the content of paths that do not fit
        let dirty = dirty.iter().take(MAX_DIRTY).map(|(path, of)| (path.hex(), id(of))).collect();
        (scenarios.len() <= MAX_SCENARIOS).then_some(Self { scenarios, dirty })
    }

    /// The scenario at the base; `None` if it was not declared.
    pub(super) fn scenario(&self, name: ShortHash) -> Option<BaseScenario> {
        self.scenarios.iter().copied().find(|one| one.is_of(name))
    }

    /// The content of a dirty path at the base: `None` if HEAD's counts, `Some(None)` if there was no file.
    pub(super) fn dirty(&self, path: ShortHash) -> Option<Option<Oid>> {
        self.dirty.get(&path.hex()).map(|id| Oid::from_hex(id.as_bytes()))
    }
}

impl Base {
    pub(super) fn head(&self) -> Option<Oid> {
        self.head.as_ref().and_then(|id| Oid::from_hex(id.as_bytes()))
    }
}

/// The memory of one session in one work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Memory {
    pub(super) base: Base,
    /// The stop door asked: never again.
    pub(super) asked: bool,
    /// The scenarios that an edit was told of.
    pub(super) told: BTreeSet<ShortHash>,
    /// The scenarios with a message that they became stale.
    pub(super) said: BTreeSet<ShortHash>,
    /// The paths of the repository that the session's edits named, governed or not: a later edit of a list may govern them.
    pub(super) edited: BTreeSet<ShortHash>,
    /// One of them was governed at its edit, or is a file of a node.
    pub(super) governed: bool,
    /// The directories of nodes with a file that was dirty at a start, or that the session edited: a memo may not know them.
    pub(super) nodes: BTreeSet<String>,
    /// More nodes than fit in.
    pub(super) nodes_more: bool,
    /// More paths were edited than fit in.
    pub(super) edited_more: bool,
    /// When commands of the session ran: from and to, in milliseconds.
    pub(super) ran: Vec<(i64, i64)>,
    /// The commit of HEAD, and the time of the memo of paths, between which no scenario file differs.
    pub(super) compared: Option<ShortHash>,
    /// The events that were answered, with the time.
    pub(super) answered: Vec<(ShortHash, i64)>,
    /// When the first event came, in milliseconds; 0 while it is handled.
    pub(super) since: i64,
}

impl Memory {
    /// Whether an edit or a command of the session may have touched anything governed. `redeclared` says whether a node
    /// changed since the session began, which may govern a path that was not governed at its edit.
    pub(super) fn may_have_touched(&self, redeclared: impl FnOnce() -> bool) -> bool {
        self.governed || self.edited_more || !self.ran.is_empty() || !self.edited.is_empty() && redeclared()
    }

    /// Whether an edit event named the path, or a command ran when it changed, or a directory above it got its name. `top` is
    /// the top of the work tree.
    pub(super) fn touched(&self, path: &RepoPath, top: &Path) -> bool {
        self.touched_itself(path, top) || path.above().any(|dir| self.renamed(&dir, top))
    }

    /// The same without a look at the directories above.
    pub(super) fn touched_itself(&self, path: &RepoPath, top: &Path) -> bool {
        if self.knows_edit(path) {
            return true;
        }
        let Some((first, _)) = self.ran.first() else { return false };
        let place = top.join(sys::in_tree(path.as_bstr()));
        match changed(&place) {
            Some(at) => self.ran_at(at),
            // the directory that lost the file says when, until something else there changes
            None => place.ancestors().skip(1).find_map(changed).is_some_and(|at| at >= *first),
        }
    }

    /// Whether a command ran at a moment.
    fn ran_at(&self, at: i64) -> bool {
        self.ran.iter().any(|(from, to)| (*from..=*to).contains(&at))
    }

    /// Whether a command ran when the directory got its name. The files below it keep their times.
    pub(super) fn renamed(&self, dir: &RepoPath, top: &Path) -> bool {
        observe::renamed_at(&top.join(sys::in_tree(dir.as_bstr()))).is_some_and(|at| self.ran_at(at))
    }

    /// Whether an edit of the path is noted already.
    pub(super) fn knows_edit(&self, path: &RepoPath) -> bool {
        self.edited_more || self.edited.contains(&ShortHash::of_path(path))
    }

    pub(super) fn note_edit(&mut self, path: &RepoPath) {
        if self.edited.len() < MAX_LISTED {
            self.edited.insert(ShortHash::of_path(path));
        } else {
            self.edited_more |= !self.knows_edit(path);
        }
    }

    pub(super) fn note_node(&mut self, dir: &RepoPath) {
        let dir = dir.to_string();
        if self.nodes.len() < MAX_NODES && dir.len() < MAX_DIRECTORY {
            self.nodes.insert(dir);
        } else {
            self.nodes_more |= !self.nodes.contains(&dir);
        }
    }

    /// Notes a command that ended `now`, and began after the event before it. The hook runs later than the command ended, by
    /// as long as the harness takes: [`LATE`].
    pub(super) fn note_run(&mut self, duration: Option<u64>, now: i64) {
        let last = self.ran.last().map_or(self.since, |(_, to)| *to) - COARSE_CLOCK;
        let took = duration.and_then(|took| i64::try_from(took).ok()).unwrap_or(if last > 0 { now } else { UNKNOWN });
        let from = now.saturating_sub(took).saturating_sub(LATE).max(last).min(now);
        match self.ran.last_mut() {
            // also after the clock was set back
            Some((start, to)) if from <= *to => (*start, *to) = ((*start).min(from), (*to).max(now)),
            _ => self.ran.push((from, now)),
        }
        // the two neighbours with the shortest time between them become one
        if self.ran.len() > MAX_RUNS
            && let Some(at) = (1..self.ran.len()).min_by_key(|at| self.ran[*at].0 - self.ran[at - 1].1)
        {
            self.ran[at - 1].1 = self.ran[at].1;
            self.ran.remove(at);
        }
    }

    /// Whether this event was answered already. Two files of hooks may fire one event.
    pub(super) fn has_answered(&self, event: ShortHash, now: i64) -> bool {
        self.answered.iter().any(|(one, at)| *one == event && (now - at).abs() < SAME_EVENT)
    }

    pub(super) fn note_answer(&mut self, event: ShortHash, now: i64) {
        self.answered.retain(|(one, at)| *one != event && (now - at).abs() < SAME_EVENT);
        self.answered.push((event, now));
        let surplus = self.answered.len().saturating_sub(MAX_ANSWERED);
        self.answered.drain(..surplus);
    }

    /// Adds the scenarios that are new to a list, and returns whether each one was.
    pub(super) fn note_scenarios(list: &mut BTreeSet<ShortHash>, scenarios: &[ShortHash]) -> Vec<bool> {
        let mut note = |scenario: &ShortHash| list.len() < MAX_LISTED && list.insert(*scenario);
        scenarios.iter().map(&mut note).collect()
    }
}

/// The file of a session.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionFile {
    v: u32,
    worktrees: BTreeMap<String, Memory>,
}

const VERSION: u32 = 1;

impl SessionFile {
    /// What the bytes say. A file that cannot be read may have been the memory of a question, so nothing is asked again.
    fn of(bytes: Option<Vec<u8>>, worktree: &str) -> Self {
        let Some(bytes) = bytes else { return Self::default() };
        let read = serde_json::from_slice(&bytes).ok();
        read.filter(|read: &Self| read.v == VERSION).unwrap_or_else(|| {
            let memory = Memory { asked: true, ..Memory::default() };
            Self { v: VERSION, worktrees: [(worktree.to_owned(), memory)].into() }
        })
    }

    /// Whether the session was asked, in whatever work tree.
    fn asked(&self) -> bool {
        self.worktrees.values().any(|memory| memory.asked)
    }

    /// Its bytes. If they are too many, the bases become HEAD, and then all other work trees than this one are forgotten.
    fn encode(&mut self, worktree: &str) -> Vec<u8> {
        let bytes = |file: &Self| serde_json::to_vec(file).unwrap_or_default();
        let whole = bytes(self);
        if whole.len() <= MAX_MEMORY {
            return whole;
        }
        self.worktrees.values_mut().for_each(|memory| memory.base.judged = None);
        let smaller = bytes(self);
        if smaller.len() <= MAX_MEMORY {
            return smaller;
        }
        // only the question must never be forgotten
        let asked = self.asked();
        self.worktrees.retain(|name, _| name == worktree);
        self.worktrees.values_mut().for_each(|memory| memory.asked = asked);
        bytes(self)
    }
}

/// The place of a session's memory for one work tree.
pub(super) struct SessionPlace<'s> {
    store: &'s Store,
    session: SessionHash,
    worktree: String,
}

impl<'s> SessionPlace<'s> {
    pub(super) fn new(store: &'s Store, session: SessionHash, git_dir: &Path) -> Self {
        let worktree = ShortHash::of(&[git_dir.as_os_str().as_encoded_bytes()]).hex();
        Self { store, session, worktree }
    }

    /// The memory; `None` before the first event.
    pub(super) fn recall(&self) -> Result<Option<Memory>> {
        let bytes = session_memory::read(self.store.common_dir(), self.session.as_str())?;
        let mut file = SessionFile::of(bytes, &self.worktree);
        let asked = file.asked();
        Ok(file.worktrees.remove(&self.worktree).map(|memory| Memory { asked, ..memory }))
    }

    /// Changes the memory as it is under the lock. `base` is the base of a session that begins. Returns the answer of
    /// `change`, after the memory is written; on the disk, if `durable`.
    pub(super) fn change<T>(
        &self,
        base: impl FnOnce() -> Result<Base>,
        now: i64,
        durable: bool,
        change: impl FnOnce(&mut Memory) -> T,
    ) -> Result<T> {
        let lock = self.store.lock_sessions()?;
        let mut file = SessionFile::of(lock.read(self.session.as_str())?, &self.worktree);
        file.v = VERSION;
        let old = file.worktrees.get(&self.worktree).cloned();
        let asked = file.asked();
        let memory = match file.worktrees.entry(self.worktree.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(Memory { base: base()?, ..Memory::default() }),
        };
        memory.asked = asked;
        let answer = change(memory);
        if memory.since == 0 {
            memory.since = now;
        }
        if old.as_ref() != Some(memory) {
            lock.replace(self.session.as_str(), &file.encode(&self.worktree), durable)?;
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::from_git(text)
    }

    fn no_base() -> Result<Base> {
        Ok(Base::default())
    }

    #[test]
    fn a_scenario_of_a_base_is_found_by_its_name_and_says_whether_it_was_fresh() {
        let (one, other) = (ShortHash::of_scenario(&path("a"), "s"), ShortHash::of_scenario(&path("b"), "s"));
        let texts = [[7; 32], [0xff; 32], [0; 32]];
        for (text, fresh) in texts.iter().flat_map(|text| [(text, true), (text, false)]) {
            let kept = BaseScenario::of(one, text, fresh);
            let base = JudgedBase::of(vec![kept], &BTreeMap::new()).unwrap();
            assert_eq!(base.scenario(one).map(BaseScenario::is_fresh), Some(fresh));
            assert_eq!(base.scenario(other), None);
            assert_eq!(texts.map(|text| kept.has_text(&text)), texts.map(|other| other == *text));
        }
    }

    #[test]
    fn a_path_is_touched_by_an_edit_or_while_a_command_ran() {
        let mut memory = Memory { since: 1_000, ..Memory::default() };
        let nowhere = Path::new("/nowhere");
        assert!(!memory.touched(&path("a"), nowhere));
        memory.note_edit(&path("a"));
        assert!(memory.touched(&path("a"), nowhere) && !memory.touched(&path("b"), nowhere));
        memory.note_run(Some(10), 5_000);
        memory.note_run(None, 9_000);
        memory.note_run(Some(10), 20_000);
        assert_eq!(memory.ran, [(2_990, 9_000), (17_990, 20_000)]);
        let ran = [2_989, 2_990, 9_001, 17_990, 20_001].map(|at| memory.ran_at(at));
        assert_eq!(ran, [false, true, false, true, false]);
        for (duration, from) in [(Some(10), 97_990), (None, 38_000)] {
            let mut first = Memory::default();
            first.note_run(duration, 100_000);
            assert_eq!(first.ran, [(from, 100_000)], "a session that is seen late");
        }
    }

    #[test]
    fn lists_are_bounded_and_what_does_not_fit_counts_as_touched() {
        let mut memory = Memory::default();
        (0..=MAX_LISTED).for_each(|number| memory.note_edit(&path(&number.to_string())));
        assert!(memory.edited_more && memory.touched(&path("x"), Path::new("/nowhere")));
        (0..1_000).for_each(|at| memory.note_run(Some(0), at * 10_000));
        assert_eq!((memory.ran.len(), memory.ran.last().unwrap().1), (MAX_RUNS, 9_990_000));
        (0..20).for_each(|event: i64| memory.note_answer(ShortHash::of(&[&event.to_be_bytes()]), event));
        assert_eq!(memory.answered.len(), MAX_ANSWERED);
        let all: Vec<_> = (0..1_000_u32).map(|one| ShortHash::of(&[&one.to_be_bytes()])).collect();
        let noted = Memory::note_scenarios(&mut memory.told, &all);
        assert_eq!((noted.iter().filter(|new| **new).count(), memory.told.len()), (MAX_LISTED, MAX_LISTED));
    }

    #[test]
    fn one_event_is_answered_once_and_a_later_one_again() {
        let (mut memory, event) = (Memory::default(), ShortHash::of(&[b"start"]));
        assert!(!memory.has_answered(event, 0));
        memory.note_answer(event, 0);
        assert!(memory.has_answered(event, SAME_EVENT - 1) && !memory.has_answered(event, SAME_EVENT));
        assert!(!memory.has_answered(ShortHash::of(&[b"other"]), 0));
    }

    #[test]
    fn a_memory_survives_and_a_broken_one_never_asks() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        let session = || SessionHash::of(b"s");
        let place = SessionPlace::new(&store, session(), Path::new("/a/.git"));
        assert_eq!(place.recall().unwrap(), None);
        place.change(no_base, 3, false, |memory| memory.note_edit(&path("a"))).unwrap();
        place.change(no_base, 4, true, |memory| memory.asked = true).unwrap();
        let found = place.recall().unwrap().unwrap();
        assert_eq!((found.since, found.asked, found.edited.len()), (3, true, 1));
        let other = SessionPlace::new(&store, session(), Path::new("/b/.git"));
        assert_eq!(other.recall().unwrap(), None, "another work tree");
        assert!(other.change(no_base, 5, false, |memory| memory.asked).unwrap(), "the question was for both");
        let file = scratch.path().join(format!("yatsu/agents/{}.json", session()));
        for broken in ["", "{", "[]", "{\"v\":2,\"worktrees\":{}}"] {
            std::fs::write(&file, broken).unwrap();
            assert!(place.recall().unwrap().unwrap().asked, "{broken}");
            assert!(place.change(no_base, 5, false, |memory| memory.asked).unwrap(), "{broken}");
        }
    }

    #[test]
    fn a_base_that_does_not_fit_is_head() {
        let hash = |number: u32| ShortHash::of(&[&number.to_be_bytes()]);
        let scenarios = |count: u32| (0..count).map(|one| BaseScenario::of(hash(one), &[1; 32], true)).collect();
        assert!(JudgedBase::of(scenarios(1_501), &BTreeMap::new()).is_none());
        let dirty = |count: u32| (0..count).map(|one| (hash(one), Oid::from_hex(&[b'a'; 64]))).collect();
        assert_eq!(JudgedBase::of(Vec::new(), &dirty(201)).unwrap().dirty.len(), MAX_DIRTY);
        let judged = JudgedBase::of(scenarios(1_500), &dirty(200)).unwrap();
        let base = Base { branch: Some("refs/heads/main".into()), head: Some("a".repeat(64)), judged: Some(judged) };
        let many: BTreeSet<ShortHash> = (0..300).map(hash).collect();
        let memory = || Memory {
            base: base.clone(),
            told: many.clone(),
            said: many.clone(),
            edited: many.clone(),
            ..Memory::default()
        };
        let mut file = SessionFile { v: 1, worktrees: [("a".to_owned(), memory())].into() };
        assert!(
            file.encode("a").len() <= MAX_MEMORY && file.worktrees["a"].base.judged.is_some(),
            "one work tree fits"
        );
        file.worktrees.insert("b".into(), memory());
        assert!(file.encode("a").len() <= MAX_MEMORY && file.worktrees["a"].base.judged.is_none());
    }
}
