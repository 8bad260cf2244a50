//! What a session remembers from one event to the next, for each work tree: the state at its first event (the *base*), the
//! paths that it touched, and the scenarios that earlier answers named. The file is JSON. Names in it are hashed, because it
//! must not hold a text that the user, the agent or the repository wrote; only the branch and directories of nodes are plain.

use super::changed_at;
use super::short_hash::ShortHash;
use crate::app::record::observe;
use crate::error::Result;
use crate::model::session::SessionHash;
use crate::store::Store;
use crate::store::session_memory::{self, MAX_MEMORY};
use crate::sys;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The most scenarios of a base. With more, the base is HEAD.
const MAX_SCENARIOS: usize = 1500;
/// The most dirty paths of a base.
const MAX_DIRTY: usize = 200;
/// The most entries of each list of hashes.
const MAX_LISTED: usize = 300;
/// The most spans of time in which commands ran.
const MAX_RUNS: usize = 64;
/// The most directories of nodes.
const MAX_NODES: usize = 30;
/// The longest directory in bytes.
const MAX_DIRECTORY: usize = 200;
/// A harness with two files of hooks runs the program twice for one event: the second run comes within this many
/// milliseconds.
const SAME_EVENT: i64 = 10_000;
/// The hook after a command runs at most this many milliseconds later than the command ended.
const LATE: i64 = 2_000;
/// The assumed duration, in milliseconds, of a command that is the first event of a session, if the harness reports none.
const UNKNOWN: i64 = 60_000;
/// File systems take their times from a clock that may be this many milliseconds behind.
pub(super) const COARSE_CLOCK: i64 = 20;
/// The most remembered answers.
const MAX_ANSWERED: usize = 8;

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
    /// The judged work tree; `None` if HEAD is the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) judged: Option<JudgedBase>,
}

/// The scenarios and the uncommitted content of a work tree at the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JudgedBase {
    scenarios: Vec<BaseScenario>,
    /// The governed paths that differ from HEAD, by the hash of the path, each with the id of its content. The id is empty if
    /// the file is gone.
    dirty: BTreeMap<String, String>,
}

impl JudgedBase {
    /// `None` if there are more scenarios than a memory holds.
    pub(super) fn of(scenarios: Vec<BaseScenario>, dirty: &BTreeMap<ShortHash, Option<Oid>>) -> Option<Self> {
        let id = |id: &Option<Oid>| id.map(|id| id.to_string()).unwrap_or_default();
        // a path that does not fit counts as HEAD has it
        let dirty = dirty.iter().take(MAX_DIRTY).map(|(path, of)| (path.hex(), id(of))).collect();
        (scenarios.len() <= MAX_SCENARIOS).then_some(Self { scenarios, dirty })
    }

    /// The scenario at the base; `None` if it was not declared.
    pub(super) fn scenario(&self, name: ShortHash) -> Option<BaseScenario> {
        self.scenarios.iter().copied().find(|one| one.is_of(name))
    }

    /// The content of a dirty path at the base: `None` if the path was as in HEAD, `Some(None)` if the file was gone.
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
    /// Whether a stop asked the agent. A second question would keep the agent from ever stopping.
    pub(super) asked: bool,
    /// The scenarios that an answer after an edit named.
    pub(super) named_after_edit: BTreeSet<ShortHash>,
    /// The scenarios that a question or a message at a stop named.
    pub(super) named_at_stop: BTreeSet<ShortHash>,
    /// The paths of the repository that the session's edits named, governed or not: a later edit of a list may govern them.
    pub(super) edited: BTreeSet<ShortHash>,
    /// Whether an edited path was governed at its edit, or is a file of a node.
    pub(super) governed: bool,
    /// The directories of nodes with a file that was dirty at a start, or that the session edited: a memo may not know them.
    pub(super) nodes: BTreeSet<String>,
    /// Whether a directory did not fit into `nodes`.
    pub(super) nodes_more: bool,
    /// Whether a path did not fit into `edited`.
    pub(super) edited_more: bool,
    /// When commands of the session ran: from and to, in milliseconds.
    pub(super) ran: Vec<(i64, i64)>,
    /// HEAD, the index and the memo of paths, when their scenario files were last found equal. See [`super::compared`].
    pub(super) compared: Option<ShortHash>,
    /// The latest answered events, each with the time of its answer.
    pub(super) answered: Vec<(ShortHash, i64)>,
    /// When the first event came, in milliseconds; 0 while it is handled.
    pub(super) since: i64,
}

impl Memory {
    /// Whether an edit or a command of the session may have touched anything governed. `redeclared` says whether a node
    /// changed since the session began: the node may now govern a path that was not governed at its edit.
    pub(super) fn may_have_touched(&self, redeclared: impl FnOnce() -> bool) -> bool {
        self.governed || self.edited_more || !self.ran.is_empty() || !self.edited.is_empty() && redeclared()
    }

    /// Whether an edit event named the path, or a command ran when the path changed or when a directory above it got its name.
    /// `top` is the top of the work tree.
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
        match changed_at(&place) {
            Some(at) => self.ran_at(at),
            // a deleted file has no time; its directory changed then or later
            None => place.ancestors().skip(1).find_map(changed_at).is_some_and(|at| at >= *first),
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

    /// Notes a command for which the hook runs `now`. The command ended at most [`LATE`] before, and began after the last one
    /// had ended.
    pub(super) fn note_run(&mut self, duration: Option<u64>, now: i64) {
        let last = self.ran.last().map_or(self.since, |(_, to)| *to) - COARSE_CLOCK;
        let took = duration.and_then(|took| i64::try_from(took).ok()).unwrap_or(if last > 0 { now } else { UNKNOWN });
        let from = now.saturating_sub(took).saturating_sub(LATE).max(last).min(now);
        match self.ran.last_mut() {
            // the two overlap, for example because the clock was set back
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

    /// Whether this event was answered already: two files of hooks may report one event.
    pub(super) fn has_answered(&self, event: ShortHash, now: i64) -> bool {
        self.answered.iter().any(|(one, at)| *one == event && (now - at).abs() < SAME_EVENT)
    }

    pub(super) fn note_answer(&mut self, event: ShortHash, now: i64) {
        self.answered.retain(|(one, at)| *one != event && (now - at).abs() < SAME_EVENT);
        self.answered.push((event, now));
        let surplus = self.answered.len().saturating_sub(MAX_ANSWERED);
        self.answered.drain(..surplus);
    }

    /// Adds scenarios to a list, as far as they fit. Returns of each whether it was added: the list did not have it before.
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
    /// Parses the bytes. An unreadable file counts as the memory of a question, because the question may have been put.
    fn of(bytes: Option<Vec<u8>>, worktree: &str) -> Self {
        let Some(bytes) = bytes else { return Self::default() };
        let read = serde_json::from_slice(&bytes).ok();
        read.filter(|read: &Self| read.v == VERSION).unwrap_or_else(|| {
            let memory = Memory { asked: true, ..Memory::default() };
            Self { v: VERSION, worktrees: [(worktree.to_owned(), memory)].into() }
        })
    }

    /// Whether the session was asked in any work tree.
    fn asked(&self) -> bool {
        self.worktrees.values().any(|memory| memory.asked)
    }

    /// The bytes of the file. If they are too many, every base becomes HEAD; if they still are, the other work trees go.
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
        // the question must not be forgotten, or it would be put again
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

    /// Rereads the memory under the lock, changes it and writes it. `base` makes the base of a session that begins here. With
    /// `durable` the memory is on the disk before this returns the answer of `change`.
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
        let noted = Memory::note_scenarios(&mut memory.named_after_edit, &all);
        assert_eq!((noted.iter().filter(|new| **new).count(), memory.named_after_edit.len()), (MAX_LISTED, MAX_LISTED));
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
            named_after_edit: many.clone(),
            named_at_stop: many.clone(),
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
