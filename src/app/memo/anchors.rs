//! The file format of the memo `anchors`: facts about the trees of the commits that readings name. In: facts from a
//! scan, to be written as bytes. Out: the facts about one tree, read from these bytes by a later check. For example,
//! tree `7c1f…` has the blob `9ae1…` at `src/a`, and no `src/b`.
//!
//! A fact follows from the id of its tree alone, so no later commit can make it wrong. The memo holds no verdicts;
//! deleting it only costs time.
//!
//! The layout; a number has four bytes, and [`wire`] defines the form of paths, texts and object ids:
//!
//! 1. The length of the table, with its header.
//! 2. The table, in the header of [`wire`]: the number of trees, and a row for each tree. A row: the id of the tree
//!    with its length in one byte, padded with zeros to 33 bytes; the end of its record; the checksum of its record, in
//!    eight bytes. The rows are sorted by these 33 bytes, and no id comes twice.
//! 3. The record of each tree, in the order of the rows: three lists, each with its count before it.
//!    * Entries: path, kind, and the object id unless the path is absent.
//!    * Texts of a scenario: scenario file, scenario, number of hashes, the hashes of 32 bytes.
//!    * Governed paths of a scenario: scenario file, scenario, number of declarations. A declaration: directory, 32
//!      bytes with the hash of its text, number of paths, the paths.

use super::wire::{self, Magic, Remaining};
use crate::engine::anchors::{GovernedThen, Lists, Texts, TextsOf, TreeFacts, TreesBefore};
use crate::model::ledger::EvidenceHash;
use crate::repo::native::map::Map;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::rc::Rc;

/// The format and its version: `a5` is version 5. Raise the version when the layout changes, and when the program reads
/// another text or other governed paths from the same scenario file.
pub const MAGIC: Magic = *b"yatsu\0a5";
/// The kinds of entries: the number 1 in the file means the first kind here. 0 means that the path is absent. Changing
/// the order changes the format.
const KINDS: [Kind; 5] = [Kind::File, Kind::Exec, Kind::Link, Kind::Submodule, Kind::Dir];

/// The size of an id in the table: one byte for its length, and 32 for the longest id.
const KEY: usize = 33;
/// The size of a row: the id of the tree, the end of its record, the checksum of its record.
const ROW: usize = KEY + 4 + 8;

/// The bytes of a memo with these facts; `None` if it would be too large to be of use ([`wire`] has the limit).
pub fn encode(trees: &[(Oid, Rc<TreeFacts>)]) -> Option<Vec<u8>> {
    let record = |(id, facts): &(Oid, Rc<TreeFacts>)| {
        let mut body = Vec::new();
        wire::put_list(&mut body, &facts.entries(), |body, (path, entry)| put_entry(body, path, entry.as_ref()))?;
        wire::put_list(&mut body, &facts.texts(), |body, (scenario, hashes)| put_texts(body, scenario, hashes))?;
        wire::put_list(&mut body, &facts.lists(), |body, (scenario, lists)| put_lists(body, scenario, lists))?;
        Some((*id, body))
    };
    of_said(&trees.iter().map(record).collect::<Option<Vec<_>>>()?)
}

/// The bytes of a memo with these records; `None` if it would be too large. Public only for the fuzz targets, which
/// make records of random bytes.
pub fn of_said(trees: &[(Oid, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut rows: Vec<_> = trees.iter().map(|(id, record)| (key(id), record)).collect();
    rows.sort_by_key(|(key, _)| *key);
    let (mut table, mut records) = (Vec::new(), Vec::new());
    wire::put_count(&mut table, rows.len())?;
    for (key, record) in rows {
        records.extend_from_slice(record);
        table.extend_from_slice(&key);
        wire::put_count(&mut table, records.len())?;
        wire::put_long(&mut table, wire::checksum(record));
    }
    let table = wire::seal(&MAGIC, &table)?;
    let mut bytes = Vec::with_capacity(4 + table.len() + records.len());
    wire::put_count(&mut bytes, table.len())?;
    bytes.extend_from_slice(&table);
    bytes.extend_from_slice(&records);
    (bytes.len() <= wire::MAX_BYTES).then_some(bytes)
}

/// The form of an id in the table.
fn key(id: &Oid) -> [u8; KEY] {
    let mut key = [0; KEY];
    let id = id.as_bytes();
    key[0] = id.len() as u8;
    key[1..=id.len()].copy_from_slice(id);
    key
}

/// A memo, read in place from its bytes.
#[derive(Debug)]
pub struct AnchorsMemo<B> {
    bytes: B,
    /// Where the rows of the table lie in `bytes`. The records begin at the end of this range.
    rows: Range<usize>,
}

impl<B: Deref<Target = [u8]>> AnchorsMemo<B> {
    /// Opens the memo in these bytes. `None` if the table is damaged or of another version; a damaged record is found
    /// only when it is read.
    pub fn open(bytes: B) -> Option<Self> {
        let mut cursor = Remaining::new(&bytes);
        let table = cursor.count()?;
        let table = wire::open(&MAGIC, cursor.slice(table)?)?;
        let mut rows = Remaining::new(table);
        let count = rows.number()?;
        // `table` is a slice of `bytes`, so the distance of both addresses is its offset; the count of rows takes 4
        // bytes
        let start = table.as_ptr() as usize - bytes.as_ptr() as usize + 4;
        let rows = start..start + count.checked_mul(ROW)?;
        (table.len() == 4 + rows.len()).then_some(Self { rows, bytes })
    }

    fn count(&self) -> usize {
        self.rows.len() / ROW
    }

    fn row(&self, number: usize) -> &[u8] {
        let start = self.rows.start + number * ROW;
        &self.bytes[start..start + ROW]
    }

    /// The end of a record, counted from the end of the table.
    fn record_end(&self, number: usize) -> Option<usize> {
        Remaining::new(&self.row(number)[KEY..]).number()
    }

    /// The record of the tree in this row; `None` if its checksum is wrong.
    fn record(&self, number: usize) -> Option<&[u8]> {
        let start = if number == 0 { 0 } else { self.record_end(number - 1)? };
        let record = self.bytes.get(self.rows.end..)?.get(start..self.record_end(number)?)?;
        let sum = Remaining::new(&self.row(number)[KEY + 4..]).long()?;
        (wire::checksum(record) == sum).then_some(record)
    }

    fn tree(&self, number: usize) -> Option<Oid> {
        let (len, id) = self.row(number)[..KEY].split_first()?;
        Oid::from_bytes(id.get(..usize::from(*len))?)
    }
}

impl<B: Deref<Target = [u8]>> TreesBefore for AnchorsMemo<B> {
    fn facts(&self, tree: &Oid) -> Option<Rc<TreeFacts>> {
        let wanted = key(tree);
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low.midpoint(high);
            match self.row(middle)[..KEY].cmp(&wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return decode(self.record(middle)?),
            }
        }
        None
    }

    fn trees(&self) -> Vec<Oid> {
        (0..self.count()).filter_map(|number| self.tree(number)).collect()
    }
}

/// The memo in a file. The file is opened at the first question.
pub(crate) struct AnchorsFile {
    path: PathBuf,
    memo: OnceCell<Option<AnchorsMemo<Map>>>,
}

impl AnchorsFile {
    /// The memo at `path`. If the file is missing or no memo, every question gets the answer "not known".
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, memo: OnceCell::new() }
    }

    fn memo(&self) -> Option<&AnchorsMemo<Map>> {
        self.memo.get_or_init(|| AnchorsMemo::open(Map::open(&self.path).ok()??)).as_ref()
    }
}

impl TreesBefore for AnchorsFile {
    fn facts(&self, tree: &Oid) -> Option<Rc<TreeFacts>> {
        self.memo()?.facts(tree)
    }

    fn trees(&self) -> Vec<Oid> {
        self.memo().map(TreesBefore::trees).unwrap_or_default()
    }
}

fn put_entry(body: &mut Vec<u8>, path: &RepoPath, entry: Option<&Entry>) -> Option<()> {
    wire::put_path(body, path)?;
    match entry {
        None => body.push(0),
        Some(Entry { kind, id }) => {
            let number = KINDS.iter().position(|known| known == kind)?;
            body.push(number as u8 + 1);
            wire::put_id(body, id.as_ref()?);
        }
    }
    Some(())
}

fn put_texts(body: &mut Vec<u8>, scenario: &TextsOf, hashes: &Texts) -> Option<()> {
    put_scenario(body, scenario)?;
    wire::put_count(body, hashes.len())?;
    hashes.iter().for_each(|hash| body.extend_from_slice(&hash.0));
    Some(())
}

fn put_lists(body: &mut Vec<u8>, scenario: &TextsOf, declarations: &Lists) -> Option<()> {
    put_scenario(body, scenario)?;
    wire::put_list(body, declarations, |body, GovernedThen { dir, text, paths }| {
        wire::put_path(body, dir)?;
        body.extend_from_slice(&text.0);
        wire::put_list(body, paths, wire::put_path)
    })
}

fn put_scenario(body: &mut Vec<u8>, scenario: &TextsOf) -> Option<()> {
    wire::put_path(body, &scenario.file)?;
    wire::put_bytes(body, scenario.scenario.as_bytes())
}

/// The facts in a record; `None` if a list is malformed, or bytes follow the last list.
fn decode(record: &[u8]) -> Option<Rc<TreeFacts>> {
    let mut cursor = Remaining::new(record);
    let facts = TreeFacts::new(cursor.list(entry)?, cursor.list(texts)?, cursor.list(lists)?);
    cursor.is_at_end().then(|| Rc::new(facts))
}

fn entry(cursor: &mut Remaining<'_>) -> Option<(RepoPath, Option<Entry>)> {
    let path = cursor.path()?;
    let entry = match cursor.byte()? {
        0 => None,
        number => Some(Entry { kind: *KINDS.get(usize::from(number) - 1)?, id: Some(cursor.id()?) }),
    };
    Some((path, entry))
}

fn texts(cursor: &mut Remaining<'_>) -> Option<(TextsOf, Texts)> {
    let scenario = scenario(cursor)?;
    let count = cursor.count()?;
    let hashes = cursor.hashes(count)?.iter().map(|hash| EvidenceHash(*hash)).collect();
    Some((scenario, hashes))
}

fn lists(cursor: &mut Remaining<'_>) -> Option<(TextsOf, Lists)> {
    let scenario = scenario(cursor)?;
    let declarations = cursor.list(|cursor| {
        let (dir, text) = (cursor.path()?, EvidenceHash(*cursor.hashes(1)?.first()?));
        Some(GovernedThen { dir, text, paths: cursor.list(Remaining::path)? })
    })?;
    Some((scenario, declarations))
}

fn scenario(cursor: &mut Remaining<'_>) -> Option<TextsOf> {
    Some(TextsOf { file: cursor.path()?, scenario: cursor.text()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<(Oid, Rc<TreeFacts>)> {
        let id = |byte| Oid::from_bytes(&[byte; 20]).unwrap();
        let path = |text: &str| RepoPath::from_git(text);
        let at = |kind, byte| Some(Entry { kind, id: Some(id(byte)) });
        let entries = [
            (path(""), at(Kind::Dir, 1)),
            (path("src/a"), at(Kind::Exec, 2)),
            (path("link"), at(Kind::Link, 3)),
            (path("sub"), at(Kind::Submodule, 4)),
            (path("file"), at(Kind::File, 5)),
            (path("gone"), None),
        ];
        let of = |scenario: &str| TextsOf { file: path(".spec/n/yatsu.md"), scenario: scenario.into() };
        let texts =
            [(of("s"), Rc::from([EvidenceHash([7; 32]), EvidenceHash([8; 32])])), (of("undeclared"), Rc::from([]))];
        let then = |dir: &str, paths: &[&str]| GovernedThen {
            dir: path(dir),
            text: EvidenceHash([9; 32]),
            paths: paths.iter().map(|text| path(text)).collect(),
        };
        let lists: [(TextsOf, Lists); 2] =
            [(of("s"), Rc::new([then("n", &["src/a", "lib/*"]), then("old/n", &[])])), (of("undeclared"), Rc::new([]))];
        let facts =
            TreeFacts::new(entries.into_iter().collect(), texts.into_iter().collect(), lists.into_iter().collect());
        vec![(id(1), Rc::new(facts)), (Oid::from_bytes(&[9; 32]).unwrap(), Rc::default())]
    }

    fn opened(bytes: &[u8]) -> Option<AnchorsMemo<&[u8]>> {
        AnchorsMemo::open(bytes)
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = encode(&known()).unwrap();
        let memo = opened(&bytes).unwrap();
        assert_eq!(memo.trees(), known().iter().map(|(id, _)| *id).collect::<Vec<_>>());
        for (id, facts) in known() {
            let read = memo.facts(&id).unwrap();
            assert_eq!((read.entries(), read.texts()), (facts.entries(), facts.texts()));
            assert_eq!(read.lists(), facts.lists());
        }
        assert!(memo.facts(&Oid::from_bytes(&[2; 20]).unwrap()).is_none());
        assert!(opened(&encode(&[]).unwrap()).is_some_and(|memo| memo.trees().is_empty()));
    }

    #[test]
    fn damaged_bytes_say_nothing_of_the_tree_that_they_are_about() {
        let bytes = encode(&known()).unwrap();
        let right: Vec<_> = known().iter().map(|(id, facts)| (*id, facts.entries(), facts.lists())).collect();
        let count_right = |bytes: &[u8]| {
            let Some(memo) = opened(bytes) else { return 0 };
            let is_known = |(id, entries, lists): &&(Oid, Vec<_>, Vec<_>)| {
                let facts = memo.facts(id);
                assert!(facts.iter().all(|facts| facts.entries() == *entries && facts.lists() == *lists));
                facts.is_some()
            };
            right.iter().filter(is_known).count()
        };
        assert_eq!(count_right(&bytes), right.len());
        for len in 0..bytes.len() {
            assert!(count_right(&bytes[..len]) < right.len(), "cut to {len}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x11;
            assert!(count_right(&bytes) < right.len(), "byte {at}");
        }
    }
}
