//! The memo that a scan of the working tree stores for the next one: spec files and scenario files without problems, the
//! latest readings of plain ledgers, each with the file's stamp; and the listed directories. A file with another stamp is
//! parsed again. A file that was younger than [`SETTLED`](super::stamps::SETTLED) is parsed again too, because it may have
//! changed once more under the same stamp.
//!
//! Layout of the body ([`wire`]): the tags by which scenario files were read; a count of files; for each its path, its
//! stamp, its sort, the length of its record, and the record ([`record`]), sorted by path, without duplicates; the
//! directories ([`directories`]).

use super::directories::{self, KnownDirs, ListedMemo};
use super::record;
use super::stamps::{is_settled, put_stamp, stamp};
use super::wire::{self, Magic, Remaining};
use crate::model::ledger::{Ledger, Timestamp};
use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::model::workspace::ParsedBefore;
use crate::repo::native::map::Map;
use crate::tree::path::RepoPath;
use crate::tree::{ContentKey, FileStamp, ListedBefore};
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// The format and its version.
pub const MAGIC: Magic = *b"yatsu\0p3";
/// The memo is rewritten only if more than one file in this number is new, because parsing fewer files is cheaper.
const FEW: usize = 32;

/// The sort of a known file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileSort {
    Spec = 1,
    Scenarios = 2,
    Ledger = 3,
}

/// A known file: its record in `said` is valid as long as the file has this stamp.
struct KnownFile<S> {
    stamp: FileStamp,
    sort: FileSort,
    said: S,
}

/// The files that were parsed before, and the ones that this run adds.
pub(crate) struct ParsedMemo {
    bytes: Option<Map>,
    library: Vec<String>,
    known: HashMap<RepoPath, KnownFile<Range<usize>>>,
    listed: Rc<ListedMemo>,
    /// The start of this run; `None` if the run adds nothing.
    now: Option<Timestamp>,
    /// The tags by which this run reads scenario files.
    asked_by: RefCell<Option<Vec<String>>>,
    asked: Cell<usize>,
    /// The valid records of files that this run looked up, as ranges of `bytes`.
    kept: RefCell<BTreeMap<RepoPath, Range<usize>>>,
    learned: RefCell<BTreeMap<RepoPath, KnownFile<Vec<u8>>>>,
}

impl ParsedMemo {
    /// The memo in these bytes, or an empty one, for a run that began at `now`. Without a time the run adds nothing.
    pub(crate) fn new(bytes: Option<Map>, now: Option<Timestamp>) -> Self {
        let (library, known, dirs) = bytes.as_deref().and_then(decode).unwrap_or_default();
        Self {
            bytes,
            library,
            known,
            listed: Rc::new(ListedMemo::new(dirs, now)),
            now,
            asked_by: RefCell::default(),
            asked: Cell::new(0),
            kept: RefCell::default(),
            learned: RefCell::default(),
        }
    }

    /// The part of the memo about directories.
    pub(crate) fn listings(&self) -> Rc<dyn ListedBefore> {
        Rc::<ListedMemo>::clone(&self.listed)
    }

    /// The bytes to store for the next run; `None` if too little is new.
    pub(crate) fn learned(&self) -> Option<Vec<u8>> {
        let (kept, learned) = (self.kept.borrow(), self.learned.borrow());
        let (dirs, listed) = self.listed.counts();
        if (learned.len() + listed) * FEW <= self.asked.get() + dirs {
            return None;
        }
        let mut body = Vec::new();
        let library = self.asked_by.borrow();
        let library = library.as_deref().unwrap_or_default();
        record::put_texts(&mut body, library)?;
        let mut files: Vec<_> =
            learned.iter().map(|(path, file)| (path, file.stamp, file.sort, &file.said[..])).collect();
        for (path, place) in &*kept {
            let (known, bytes) = (self.known.get(path)?, self.bytes.as_deref()?);
            files.push((path, known.stamp, known.sort, &bytes[place.clone()]));
        }
        files.sort_by_key(|(path, ..)| *path);
        wire::put_count(&mut body, files.len())?;
        for (path, stamp, sort, said) in files {
            wire::put_path(&mut body, path)?;
            put_stamp(&mut body, &stamp);
            body.push(sort as u8);
            wire::put_count(&mut body, said.len())?;
            body.extend_from_slice(said);
        }
        self.listed.put(&mut body)?;
        wire::seal(&MAGIC, &body)
    }

    /// The record of a file, if it has this key and sort.
    fn said(&self, path: &RepoPath, key: ContentKey, sort: FileSort) -> Option<&[u8]> {
        self.asked.set(self.asked.get() + 1);
        let ContentKey::OnDisk(stamp) = key else { return None };
        let known = self.known.get(path).filter(|known| known.stamp == stamp && known.sort == sort)?;
        self.kept.borrow_mut().insert(path.clone(), known.said.clone());
        self.bytes.as_deref()?.get(known.said.clone())
    }

    fn learn(&self, path: &RepoPath, key: ContentKey, sort: FileSort, said: Option<Vec<u8>>) {
        let ContentKey::OnDisk(stamp) = key else { return };
        if let Some(said) = said.filter(|_| is_settled(&stamp, self.now)) {
            self.learned.borrow_mut().insert(path.clone(), KnownFile { stamp, sort, said });
        }
    }

    /// Whether scenario files are read by the same tags as in the memo.
    fn is_by(&self, library: &[String]) -> bool {
        let mut asked_by = self.asked_by.borrow_mut();
        asked_by.get_or_insert_with(|| library.to_vec()) == library && self.library == library
    }
}

impl ParsedBefore for ParsedMemo {
    fn spec(&self, path: &RepoPath, key: ContentKey) -> Option<Spec> {
        record::spec(path, self.said(path, key, FileSort::Spec)?)
    }

    fn scenarios(&self, path: &RepoPath, key: ContentKey, library: &[String]) -> Option<ScenarioFile> {
        if !self.is_by(library) {
            self.asked.set(self.asked.get() + 1);
            return None;
        }
        record::scenarios(path, self.said(path, key, FileSort::Scenarios)?)
    }

    fn latest(&self, path: &RepoPath, key: ContentKey) -> Option<Ledger> {
        record::ledger(path, self.said(path, key, FileSort::Ledger)?)
    }

    fn learn_spec(&self, key: ContentKey, spec: &Spec) {
        self.learn(&spec.path, key, FileSort::Spec, record::of_spec(spec));
    }

    fn learn_scenarios(&self, key: ContentKey, file: &ScenarioFile, library: &[String]) {
        self.is_by(library);
        // a memo is valid for one set of tags
        if self.asked_by.borrow().as_deref() == Some(library) {
            self.learn(&file.path, key, FileSort::Scenarios, record::of_scenarios(file));
        }
    }

    fn learn_ledger(&self, key: ContentKey, ledger: &Ledger) {
        self.learn(&ledger.path, key, FileSort::Ledger, record::of_ledger(ledger));
    }
}

type Decoded = (Vec<String>, HashMap<RepoPath, KnownFile<Range<usize>>>, KnownDirs);

/// Decodes a memo; `None` if the bytes are none.
fn decode(bytes: &[u8]) -> Option<Decoded> {
    let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
    let library = record::texts(&mut cursor)?;
    let count = cursor.count()?;
    let mut known = HashMap::default();
    for _ in 0..count {
        let path = cursor.path()?;
        let stamp = stamp(&mut cursor)?;
        let sort = match cursor.byte()? {
            1 => FileSort::Spec,
            2 => FileSort::Scenarios,
            3 => FileSort::Ledger,
            _ => return None,
        };
        let len = cursor.count()?;
        let said = cursor.slice(len)?;
        // both are slices of the same bytes, so their distance is the offset
        let start = said.as_ptr() as usize - bytes.as_ptr() as usize;
        known.insert(path, KnownFile { stamp, sort, said: start..start + len });
    }
    let dirs = directories::known(&mut cursor)?;
    (cursor.is_at_end() && known.len() == count).then_some((library, known, dirs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{scenario, spec};
    use crate::tree::{ListedState, StrayName};

    const NOW: Option<Timestamp> = Some(Timestamp { millis: 100_000 });
    const FILE: &str =
        "---\nscenarios:\n  - {name: s, description: d, expected: e, tags: [cli], code: 'src/*.rs', test: t.rs}\n---\n";

    fn stamp_of(second: i64) -> FileStamp {
        FileStamp { device: 1, inode: 2, size: 3, modified: (second, 4), changed: (second, 5) }
    }

    fn key(second: i64) -> ContentKey {
        ContentKey::OnDisk(stamp_of(second))
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::from_git(text)
    }

    fn library() -> Vec<String> {
        vec!["cli".into()]
    }

    /// The memo of a run that read these files.
    fn left(memo: &ParsedMemo, second: i64) -> Option<Vec<u8>> {
        let (at, beside) = (path("n/yatsu.md"), path("n/spec.md"));
        assert!(memo.scenarios(&at, key(second), &library()).is_none());
        let file = scenario::parse(&at, FILE.as_bytes(), &library());
        memo.learn_scenarios(key(second), &file, &library());
        memo.learn_spec(key(second), &spec::parse(&beside, b"---\ntitle: t\ncode: [src, lib]\n---\n"));
        memo.learned()
    }

    fn again(bytes: Vec<u8>) -> ParsedMemo {
        ParsedMemo::new(Some(Map::owned(bytes)), NOW)
    }

    #[test]
    fn a_file_with_its_stamp_says_what_it_said() {
        let bytes = left(&ParsedMemo::new(None, NOW), 90).unwrap();
        let memo = again(bytes.clone());
        let file = memo.scenarios(&path("n/yatsu.md"), key(90), &library()).unwrap();
        assert_eq!(
            format!("{file:?}"),
            format!("{:?}", scenario::parse(&path("n/yatsu.md"), FILE.as_bytes(), &library()))
        );
        let spec = memo.spec(&path("n/spec.md"), key(90)).unwrap();
        assert_eq!((spec.title.as_deref(), spec.code.len()), (Some("t"), 2));
        assert!(memo.learned().is_none(), "nothing new");
        for (at, second, tags) in
            [("n/yatsu.md", 91, library()), ("m/yatsu.md", 90, library()), ("n/yatsu.md", 90, Vec::new())]
        {
            assert!(again(bytes.clone()).scenarios(&path(at), key(second), &tags).is_none(), "{at} {second}");
        }
        assert!(memo.spec(&path("n/yatsu.md"), key(90)).is_none(), "of another sort");
    }

    #[test]
    fn what_changed_a_moment_ago_is_not_kept() {
        assert!(left(&ParsedMemo::new(None, NOW), 97).is_some());
        assert!(left(&ParsedMemo::new(None, NOW), 98).is_none());
        let later = FileStamp { changed: (98, 0), ..stamp_of(10) };
        let memo = ParsedMemo::new(None, NOW);
        memo.learn_spec(ContentKey::OnDisk(later), &Spec::default());
        assert!(memo.learned().is_none(), "an old time of content is easily given");
    }

    #[test]
    fn what_is_asked_for_no_more_goes_when_something_is_learned() {
        let first = left(&ParsedMemo::new(None, NOW), 90).unwrap();
        let second = again(first);
        assert!(second.spec(&path("n/spec.md"), key(90)).is_some());
        second.learn_spec(key(91), &Spec { path: path("o/spec.md"), ..Spec::default() });
        let third = again(second.learned().unwrap());
        assert_eq!(third.known.len(), 2);
        assert!(third.spec(&path("n/spec.md"), key(90)).is_some_and(|spec| spec.code.len() == 2));
        assert!(third.spec(&path("o/spec.md"), key(91)).is_some());
    }

    fn state(second: i64, index: u64) -> ListedState {
        ListedState { stamp: stamp_of(second), index }
    }

    #[test]
    fn a_directory_in_the_state_in_which_it_was_listed_holds_what_it_held() {
        let found: Rc<[StrayName]> =
            [("new", false), ("dir", true)].map(|(name, is_dir)| StrayName { name: name.into(), is_dir }).into();
        let memo = ParsedMemo::new(None, NOW);
        memo.listings().learn(&path("a"), &state(90, 1), &found);
        memo.listings().learn(&path("young"), &state(98, 1), &found);
        let bytes = memo.learned().unwrap();
        let memo = again(bytes.clone());
        let said = |at: &str, state: &ListedState| memo.listings().found(&path(at), state);
        assert_eq!(said("a", &state(90, 1)).as_ref(), Some(&found));
        for (at, state) in [("a", state(91, 1)), ("a", state(90, 2)), ("b", state(90, 1)), ("young", state(98, 1))] {
            assert_eq!(said(at, &state), None, "{at} {state:?}");
        }
        assert!(memo.learned().is_none(), "nothing new");
        let unready = ParsedMemo::new(None, None);
        unready.listings().learn(&path("a"), &state(90, 1), &found);
        assert!(unready.learned().is_none(), "who has no time learns nothing");
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        let memo = ParsedMemo::new(None, NOW);
        memo.listings().learn(&path("a"), &state(90, 1), &Rc::from([StrayName { name: "b".into(), is_dir: true }]));
        let bytes = left(&memo, 90).unwrap();
        assert!(decode(&bytes).is_some());
        wire::damaged(&bytes, |bytes| decode(bytes).is_none());
        let body = wire::open(&MAGIC, &bytes).unwrap().to_vec();
        assert!(decode(&wire::seal(&MAGIC, &[body.as_slice(), b"x"].concat()).unwrap()).is_none());
        // a right checksum does not make the records right
        for at in 0..body.len() {
            let mut body = body.clone();
            body[at] ^= 0x11;
            let memo = again(wire::seal(&MAGIC, &body).unwrap());
            memo.scenarios(&path("n/yatsu.md"), key(90), &library());
            memo.spec(&path("n/spec.md"), key(90));
        }
    }
}
