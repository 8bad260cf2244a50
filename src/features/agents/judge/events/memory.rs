//! What a session remembers from one event to the next: the state at its first event (the *base*), the scenarios that earlier
//! answers named, when its commands ran, and for each work tree the paths that it touched there. The file is JSON. Names in it
//! are hashed, because it must not hold a text that the user, the agent or the repository wrote; only directories of nodes are
//! plain.

use super::changed_at;
use super::short_hash::ShortHash;
use crate::error::Result;
use crate::features::agents::judge::observe;
use crate::model::session::SessionHash;
use crate::store::Store;
use crate::store::session_memory::{self, MAX_MEMORY};
use crate::sys;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use serde::{Deserialize, Serialize};
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

/// The state at the first event of a session, in the work tree of that event. No later event moves it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Base {
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

/// The memory of one session, at an event in one of its work trees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Memory {
    pub(super) base: Base,
    /// The work tree of the base.
    began: String,
    /// Whether a stop asked the agent. A second question would keep the agent from ever stopping.
    pub(super) asked: bool,
    /// The scenarios that an answer after an edit named.
    pub(super) named_after_edit: BTreeSet<ShortHash>,
    /// The scenarios that a question or a message at a stop named.
    pub(super) named_at_stop: BTreeSet<ShortHash>,
    /// When commands of the session ran, in whatever work tree: from and to, in milliseconds.
    pub(super) ran: Vec<(i64, i64)>,
    /// The latest answered events, each with the time of its answer.
    pub(super) answered: Vec<(ShortHash, i64)>,
    /// When the first event came, in milliseconds; 0 while it is handled.
    pub(super) since: i64,
    /// What the session did in the work tree of the event.
    #[serde(skip)]
    pub(super) here: Footprint,
    /// Whether the session had an event in this work tree before.
    #[serde(skip)]
    pub(super) was_here: bool,
}

/// What a session did in one work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Footprint {
    /// The last entry of HEAD's log at the first event in this work tree; `None` if the whole log is of the session, because
    /// the log was empty then, or the session made the work tree.
    pub(super) logged: Option<ShortHash>,
    /// When the first event here came, in milliseconds.
    since: i64,
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
    /// HEAD, the index and the memo of paths, when their scenario files were last found equal. See [`super::compared`].
    pub(super) compared: Option<ShortHash>,
}

impl Memory {
    /// Whether an edit or a command of the session may have touched anything governed. `redeclared` says whether a node
    /// changed since the session began: the node may now govern a path that was not governed at its edit.
    pub(super) fn may_have_touched(&self, redeclared: impl FnOnce() -> bool) -> bool {
        let here = &self.here;
        here.governed || here.edited_more || !self.ran.is_empty() || !here.edited.is_empty() && redeclared()
    }

    /// Whether the session began in the work tree of the event, so that the base has its uncommitted content.
    pub(super) fn began_in(&self, worktree: &str) -> bool {
        self.began == worktree
    }

    /// Whether an edit event named the path, or a command ran when the path changed or when a directory above it got its name.
    /// `top` is the top of the work tree.
    pub(super) fn touched(&self, path: &RepoPath, top: &Path) -> bool {
        self.touched_itself(path, top) || path.above().any(|dir| self.renamed(&dir, top))
    }

    /// The same without a look at the directories above.
    pub(super) fn touched_itself(&self, path: &RepoPath, top: &Path) -> bool {
        if self.here.knows_edit(path) {
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
    pub(super) fn ran_at(&self, at: i64) -> bool {
        self.ran.iter().any(|(from, to)| (*from..=*to).contains(&at))
    }

    /// Whether a command ran when the directory got its name. The files below it keep their times.
    pub(super) fn renamed(&self, dir: &RepoPath, top: &Path) -> bool {
        observe::renamed_at(&top.join(sys::in_tree(dir.as_bstr()))).is_some_and(|at| self.ran_at(at))
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

impl Footprint {
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
}

/// The file of a session.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionFile {
    v: u32,
    #[serde(flatten)]
    memory: Memory,
    worktrees: BTreeMap<String, Footprint>,
}

const VERSION: u32 = 2;

impl SessionFile {
    /// Parses the bytes. An unreadable file counts as the memory of a question, because the question may have been put.
    fn of(bytes: Option<Vec<u8>>) -> Self {
        let Some(bytes) = bytes else { return Self::default() };
        let read = serde_json::from_slice(&bytes).ok();
        read.filter(|read: &Self| read.v == VERSION).unwrap_or_else(|| Self {
            v: VERSION,
            memory: Memory { asked: true, ..Memory::default() },
            ..Self::default()
        })
    }

    /// The bytes of the file. If they are too many, the base becomes HEAD; if they still are, the other work trees go.
    fn encode(&mut self, worktree: &str) -> Vec<u8> {
        let bytes = |file: &Self| serde_json::to_vec(file).unwrap_or_default();
        let whole = bytes(self);
        if whole.len() <= MAX_MEMORY {
            return whole;
        }
        self.memory.base.judged = None;
        let smaller = bytes(self);
        if smaller.len() <= MAX_MEMORY {
            return smaller;
        }
        self.worktrees.retain(|name, _| name == worktree);
        bytes(self)
    }
}

/// The place of a session's memory for one work tree.
pub(super) struct SessionPlace<'s> {
    store: &'s Store,
    session: SessionHash,
    worktree: String,
}

/// The name of the work tree with this git directory in a memory; its links are resolved.
pub(super) fn worktree_key(git_dir: &Path) -> String {
    ShortHash::of(&[git_dir.as_os_str().as_encoded_bytes()]).hex()
}

impl<'s> SessionPlace<'s> {
    /// `worktree`: the [`worktree_key`].
    pub(super) fn new(store: &'s Store, session: SessionHash, worktree: String) -> Self {
        Self { store, session, worktree }
    }

    /// The memory; `None` before the first event. What the session did in the work tree is empty before its first event there.
    pub(super) fn recall(&self) -> Result<Option<Memory>> {
        let bytes = session_memory::read(self.store.common_dir(), self.session.as_str())?;
        let mut file = SessionFile::of(bytes);
        let here = file.worktrees.remove(&self.worktree);
        let was_here = here.is_some();
        Ok((file.v != 0).then_some(Memory { here: here.unwrap_or_default(), was_here, ..file.memory }))
    }

    /// The work trees in which the session had an event, by their keys.
    pub(super) fn worktrees(&self) -> Result<BTreeSet<String>> {
        let bytes = session_memory::read(self.store.common_dir(), self.session.as_str())?;
        Ok(SessionFile::of(bytes).worktrees.into_keys().collect())
    }

    /// Whether another session had its first event in this work tree since `made`, in milliseconds. The name may be that of an
    /// older work tree, too.
    pub(super) fn is_of_another(&self, worktree: &str, made: i64) -> Result<bool> {
        let others = session_memory::read_others(self.store.common_dir(), self.session.as_str())?;
        let came = |bytes| SessionFile::of(Some(bytes)).worktrees.get(worktree).map(|there| there.since);
        Ok(others.into_iter().filter_map(came).any(|since| since >= made))
    }

    /// Rereads the memory under the lock, changes it and writes it. `base` makes the base of a session that begins here,
    /// `logged` the end of HEAD's log for a work tree that the session comes to. With `durable` the memory is on the disk before
    /// this returns the answer of `change`.
    pub(super) fn change<T>(
        &self,
        base: impl FnOnce() -> Result<Base>,
        logged: impl FnOnce(&Memory) -> Result<Option<ShortHash>>,
        now: i64,
        durable: bool,
        change: impl FnOnce(&mut Memory) -> T,
    ) -> Result<T> {
        let lock = self.store.lock_sessions()?;
        let mut file = SessionFile::of(lock.read(self.session.as_str())?);
        if file.v == 0 {
            file.v = VERSION;
            file.memory = Memory { base: base()?, began: self.worktree.clone(), ..Memory::default() };
        }
        let known = file.worktrees.remove(&self.worktree);
        let old = known.as_ref().map(|here| Memory { here: here.clone(), ..file.memory.clone() });
        let mut memory = file.memory;
        memory.here = match known {
            Some(here) => here,
            None => Footprint { logged: logged(&memory)?, since: now, ..Footprint::default() },
        };
        let answer = change(&mut memory);
        if memory.since == 0 {
            memory.since = now;
        }
        if old.as_ref() != Some(&memory) {
            file.worktrees.insert(self.worktree.clone(), std::mem::take(&mut memory.here));
            file.memory = memory;
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

    fn no_log(_: &Memory) -> Result<Option<ShortHash>> {
        Ok(None)
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
        memory.here.note_edit(&path("a"));
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
        (0..=MAX_LISTED).for_each(|number| memory.here.note_edit(&path(&number.to_string())));
        assert!(memory.here.edited_more && memory.touched(&path("x"), Path::new("/nowhere")));
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
        let place = SessionPlace::new(&store, session(), worktree_key(Path::new("/a/.git")));
        assert_eq!(place.recall().unwrap(), None);
        place.change(no_base, no_log, 3, false, |memory| memory.here.note_edit(&path("a"))).unwrap();
        place.change(no_base, no_log, 4, true, |memory| memory.asked = true).unwrap();
        let found = place.recall().unwrap().unwrap();
        assert_eq!((found.since, found.asked, found.here.edited.len()), (3, true, 1));
        let other = SessionPlace::new(&store, session(), worktree_key(Path::new("/b/.git")));
        let there = other.recall().unwrap().unwrap();
        assert_eq!((there.since, there.here.edited.len()), (3, 0), "another work tree");
        assert_eq!(other.worktrees().unwrap().len(), 1);
        assert!(other.change(no_base, no_log, 5, false, |memory| memory.asked).unwrap(), "the question was for both");
        let file = scratch.path().join(format!("yatsu/agents/{}.json", session()));
        for broken in ["", "{", "[]", "{\"v\":1,\"worktrees\":{}}", "{\"v\":2}"] {
            std::fs::write(&file, broken).unwrap();
            assert!(place.recall().unwrap().unwrap().asked, "{broken}");
            assert!(place.change(no_base, no_log, 5, false, |memory| memory.asked).unwrap(), "{broken}");
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
        let base = Base { head: Some("a".repeat(64)), judged: Some(judged) };
        let many: BTreeSet<ShortHash> = (0..300).map(hash).collect();
        let memory = Memory { base, named_after_edit: many.clone(), named_at_stop: many.clone(), ..Memory::default() };
        let footprint = || Footprint { edited: many.clone(), ..Footprint::default() };
        let mut file = SessionFile { v: VERSION, memory, worktrees: [("a".to_owned(), footprint())].into() };
        assert!(file.encode("a").len() <= MAX_MEMORY && file.memory.base.judged.is_some(), "one work tree fits");
        (0..4).for_each(|other| drop(file.worktrees.insert(other.to_string(), footprint())));
        assert!(file.encode("a").len() <= MAX_MEMORY && file.memory.base.judged.is_none());
        (0..20).for_each(|other| drop(file.worktrees.insert(other.to_string(), footprint())));
        assert!(file.encode("a").len() <= MAX_MEMORY && file.worktrees.keys().eq(["a"]));
    }
}
