//! The memo that a scan stores for every later check: facts about the trees of anchors. Each fact depends only on the
//! tree's id. Writes facts as bytes, and reads the facts of one tree at a time. It holds no verdict, and nothing that a
//! moving branch could make wrong. Deleting it only costs time.
//!
//! Layout: the length of the table, in four bytes; the table ([`wire`]); the record of each tree. The table: a count of
//! trees; for each tree its id, padded with zeros, the end of its record, and the checksum of the record. It is sorted and
//! has no duplicates. A record: a count of entries (path, kind, object id unless the path is absent), a count of texts
//! (scenario file, scenario, a count of hashes, 32 bytes each) and a count of lists (scenario file, scenario, a count of
//! declarations: directory, 32 bytes of its text's hash, a count of paths, and the paths).

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

/// The format and its version. Raise it also when scenario files are interpreted differently.
pub const MAGIC: Magic = *b"yatsu\0a5";
/// The kinds by their number in the file, which starts at 1; 0 means that the path is absent.
const KINDS: [Kind; 5] = [Kind::File, Kind::Exec, Kind::Link, Kind::Submodule, Kind::Dir];

/// The bytes of an id in the table: its length, and room for the longest.
const KEY: usize = 33;
/// The bytes of a row of the table.
const ROW: usize = KEY + 4 + 8;

/// The bytes of these facts; `None` if they are too many to be of use.
pub fn encode(trees: &[(Oid, Rc<TreeFacts>)]) -> Option<Vec<u8>> {
    let said = |(id, facts): &(Oid, Rc<TreeFacts>)| {
        let mut said = Vec::new();
        wire::put_list(&mut said, &facts.entries(), |said, (path, entry)| put_entry(said, path, entry.as_ref()))?;
        wire::put_list(&mut said, &facts.texts(), |said, (of, hashes)| put_texts(said, of, hashes))?;
        wire::put_list(&mut said, &facts.lists(), |said, (of, declarations)| put_lists(said, of, declarations))?;
        Some((*id, said))
    };
    of_said(&trees.iter().map(said).collect::<Option<Vec<_>>>()?)
}

/// The bytes of a memo with these records.
pub fn of_said(trees: &[(Oid, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut rows: Vec<_> = trees.iter().map(|(id, said)| (key(id), said)).collect();
    rows.sort_by_key(|(key, _)| *key);
    let (mut table, mut all) = (Vec::new(), Vec::new());
    wire::put_count(&mut table, rows.len())?;
    for (key, said) in rows {
        all.extend_from_slice(said);
        table.extend_from_slice(&key);
        wire::put_count(&mut table, all.len())?;
        wire::put_long(&mut table, wire::checksum(said));
    }
    let table = wire::seal(&MAGIC, &table)?;
    let mut bytes = Vec::with_capacity(4 + table.len() + all.len());
    wire::put_count(&mut bytes, table.len())?;
    bytes.extend_from_slice(&table);
    bytes.extend_from_slice(&all);
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
    /// The bytes from the start of the first row to the end of the last.
    rows: Range<usize>,
}

impl<B: Deref<Target = [u8]>> AnchorsMemo<B> {
    /// The memo in these bytes; `None` if they are no memo. Reads only the table.
    pub fn open(bytes: B) -> Option<Self> {
        let mut cursor = Remaining::new(&bytes);
        let table = cursor.count()?;
        let table = wire::open(&MAGIC, cursor.slice(table)?)?;
        let mut rows = Remaining::new(table);
        let count = rows.number()?;
        // both are slices of the same bytes, so their distance is the offset
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

    /// The end of the record of this tree, counted from the end of the table.
    fn end(&self, number: usize) -> Option<usize> {
        Remaining::new(&self.row(number)[KEY..]).number()
    }

    /// The record of a tree, if its checksum is right.
    fn said(&self, number: usize) -> Option<&[u8]> {
        let start = if number == 0 { 0 } else { self.end(number - 1)? };
        let said = self.bytes.get(self.rows.end..)?.get(start..self.end(number)?)?;
        let sum = Remaining::new(&self.row(number)[KEY + 4..]).long()?;
        (wire::checksum(said) == sum).then_some(said)
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
                Ordering::Equal => return told(self.said(middle)?),
            }
        }
        None
    }

    fn trees(&self) -> Vec<Oid> {
        (0..self.count()).filter_map(|number| self.tree(number)).collect()
    }
}

/// The memo in a file, which is opened at the first query.
pub(crate) struct AnchorsFile {
    path: PathBuf,
    memo: OnceCell<Option<AnchorsMemo<Map>>>,
}

impl AnchorsFile {
    /// The memo at `path`, if it is one.
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

fn put_texts(body: &mut Vec<u8>, of: &TextsOf, hashes: &Texts) -> Option<()> {
    put_scenario(body, of)?;
    wire::put_count(body, hashes.len())?;
    hashes.iter().for_each(|hash| body.extend_from_slice(&hash.0));
    Some(())
}

fn put_lists(body: &mut Vec<u8>, of: &TextsOf, declarations: &Lists) -> Option<()> {
    put_scenario(body, of)?;
    wire::put_list(body, &**declarations, |body, GovernedThen { dir, text, paths }| {
        wire::put_path(body, dir)?;
        body.extend_from_slice(&text.0);
        wire::put_list(body, paths, wire::put_path)
    })
}

fn put_scenario(body: &mut Vec<u8>, of: &TextsOf) -> Option<()> {
    wire::put_path(body, &of.file)?;
    wire::put_bytes(body, of.scenario.as_bytes())
}

/// The facts in a record; `None` unless all of its bytes are as [`encode`] writes them.
fn told(said: &[u8]) -> Option<Rc<TreeFacts>> {
    let mut cursor = Remaining::new(said);
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
    let of = scenario(cursor)?;
    let count = cursor.count()?;
    let hashes = cursor.hashes(count)?.iter().map(|hash| EvidenceHash(*hash)).collect();
    Some((of, hashes))
}

fn lists(cursor: &mut Remaining<'_>) -> Option<(TextsOf, Lists)> {
    let of = scenario(cursor)?;
    let declarations = cursor.list(|cursor| {
        let (dir, text) = (cursor.path()?, EvidenceHash(*cursor.hashes(1)?.first()?));
        Some(GovernedThen { dir, text, paths: cursor.list(Remaining::path)? })
    })?;
    Some((of, declarations))
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
            let told = memo.facts(&id).unwrap();
            assert_eq!((told.entries(), told.texts()), (facts.entries(), facts.texts()));
            assert_eq!(told.lists(), facts.lists());
        }
        assert!(memo.facts(&Oid::from_bytes(&[2; 20]).unwrap()).is_none());
        assert!(opened(&encode(&[]).unwrap()).is_some_and(|memo| memo.trees().is_empty()));
    }

    #[test]
    fn damaged_bytes_say_nothing_of_the_tree_that_they_are_about() {
        let bytes = encode(&known()).unwrap();
        let right: Vec<_> = known().iter().map(|(id, facts)| (*id, facts.entries(), facts.lists())).collect();
        let is_right = |bytes: &[u8]| {
            let Some(memo) = opened(bytes) else { return 0 };
            let told = |(id, entries, lists): &&(Oid, Vec<_>, Vec<_>)| {
                let facts = memo.facts(id);
                assert!(facts.iter().all(|facts| facts.entries() == *entries && facts.lists() == *lists));
                facts.is_some()
            };
            right.iter().filter(told).count()
        };
        assert_eq!(is_right(&bytes), right.len());
        for len in 0..bytes.len() {
            assert!(is_right(&bytes[..len]) < right.len(), "cut to {len}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x11;
            assert!(is_right(&bytes) < right.len(), "byte {at}");
        }
    }
}
