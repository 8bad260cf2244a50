//! What a scan leaves for the next one: facts about the trees of anchors, each of which follows from the tree's id alone.
//! Facts out, bytes out; bytes in, facts in. Holds no verdict, and nothing that a moving branch could make wrong; deleting
//! it costs time.
//!
//! Layout of the body ([`wire`]): a count of trees; for each its id, a count of entries (path, kind, object id where
//! something is there), one of texts (scenario file, scenario, a count of hashes, 32 bytes each) and one of lists (scenario
//! file, scenario, a count of declarations: directory, 32 bytes of its text's hash, a count of paths and these).

use super::wire;
use super::wire::{Magic, Remaining};
use crate::engine::anchors::{GovernedThen, Lists, Texts, TextsOf, TreeFacts};
use crate::model::ledger::EvidenceHash;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind};
use foldhash::HashMap;
use std::rc::Rc;

/// The format and its version, which changes with what a scenario file is understood to say, too.
pub const MAGIC: Magic = *b"yatsu\0a4";
/// The kinds by their number in the file; 0 says that nothing is there.
const KINDS: [Kind; 5] = [Kind::File, Kind::Exec, Kind::Link, Kind::Submodule, Kind::Dir];

/// The bytes of these facts; `None` when they are too many to be of use.
pub fn encode(trees: &[(Oid, Rc<TreeFacts>)]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    wire::put_count(&mut body, trees.len())?;
    for (id, facts) in trees {
        wire::put_id(&mut body, id);
        put_entries(&mut body, &facts.entries())?;
        put_texts(&mut body, &facts.texts())?;
        put_lists(&mut body, &facts.lists())?;
    }
    wire::seal(&MAGIC, &body)
}

fn put_entries(body: &mut Vec<u8>, entries: &[(RepoPath, Option<Entry>)]) -> Option<()> {
    wire::put_count(body, entries.len())?;
    for (path, entry) in entries {
        wire::put_path(body, path)?;
        match entry {
            None => body.push(0),
            Some(Entry { kind, id }) => {
                let number = KINDS.iter().position(|known| known == kind)?;
                body.push(number as u8 + 1);
                wire::put_id(body, id.as_ref()?);
            }
        }
    }
    Some(())
}

fn put_texts(body: &mut Vec<u8>, texts: &[(TextsOf, Texts)]) -> Option<()> {
    wire::put_count(body, texts.len())?;
    for (of, hashes) in texts {
        put_scenario(body, of)?;
        wire::put_count(body, hashes.len())?;
        hashes.iter().for_each(|hash| body.extend_from_slice(&hash.0));
    }
    Some(())
}

fn put_lists(body: &mut Vec<u8>, lists: &[(TextsOf, Lists)]) -> Option<()> {
    wire::put_count(body, lists.len())?;
    for (of, declarations) in lists {
        put_scenario(body, of)?;
        wire::put_count(body, declarations.len())?;
        for GovernedThen { dir, text, paths } in &**declarations {
            wire::put_path(body, dir)?;
            body.extend_from_slice(&text.0);
            wire::put_count(body, paths.len())?;
            paths.iter().try_for_each(|path| wire::put_path(body, path))?;
        }
    }
    Some(())
}

fn put_scenario(body: &mut Vec<u8>, of: &TextsOf) -> Option<()> {
    wire::put_path(body, &of.file)?;
    wire::put_bytes(body, of.scenario.as_bytes())
}

/// The facts in these bytes; `None` unless every byte of them is what [`encode`] writes.
pub fn decode(bytes: &[u8]) -> Option<HashMap<Oid, Rc<TreeFacts>>> {
    let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
    let trees = cursor.count()?;
    let known = (0..trees).map(|_| tree(&mut cursor)).collect::<Option<HashMap<_, _>>>()?;
    (cursor.is_at_end() && known.len() == trees).then_some(known)
}

fn tree(cursor: &mut Remaining<'_>) -> Option<(Oid, Rc<TreeFacts>)> {
    let id = cursor.id()?;
    let entries = (0..cursor.count()?).map(|_| entry(cursor)).collect::<Option<_>>()?;
    let texts = (0..cursor.count()?).map(|_| texts(cursor)).collect::<Option<_>>()?;
    let lists = (0..cursor.count()?).map(|_| lists(cursor)).collect::<Option<_>>()?;
    Some((id, Rc::new(TreeFacts::new(entries, texts, lists))))
}

fn entry(cursor: &mut Remaining<'_>) -> Option<(RepoPath, Option<Entry>)> {
    let path = path(cursor)?;
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
    let declarations = (0..cursor.count()?).map(|_| {
        let (dir, text) = (path(cursor)?, EvidenceHash(*cursor.hashes(1)?.first()?));
        let paths = (0..cursor.count()?).map(|_| path(cursor)).collect::<Option<_>>()?;
        Some(GovernedThen { dir, text, paths })
    });
    Some((of, declarations.collect::<Option<_>>()?))
}

fn scenario(cursor: &mut Remaining<'_>) -> Option<TextsOf> {
    let file = path(cursor)?;
    let scenario = std::str::from_utf8(cursor.bytes()?).ok()?.to_owned();
    Some(TextsOf { file, scenario })
}

fn path(cursor: &mut Remaining<'_>) -> Option<RepoPath> {
    cursor.path().map(RepoPath::from_git)
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

    #[test]
    fn what_was_written_is_read() {
        let decoded = decode(&encode(&known()).unwrap()).unwrap();
        assert_eq!(decoded.len(), 2);
        for (id, facts) in known() {
            assert_eq!((decoded[&id].entries(), decoded[&id].texts()), (facts.entries(), facts.texts()));
            assert_eq!(decoded[&id].lists(), facts.lists());
        }
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        let bytes = encode(&known()).unwrap();
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len]).is_none(), "cut to {len}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x11;
            assert!(decode(&bytes).is_none(), "byte {at}");
        }
    }

    #[test]
    fn more_than_was_written_is_ignored() {
        let body = wire::open(&MAGIC, &encode(&known()).unwrap()).unwrap().to_vec();
        assert!(decode(&wire::seal(&MAGIC, &body).unwrap()).is_some());
        assert!(decode(&wire::seal(&MAGIC, &[body.as_slice(), b"x"].concat()).unwrap()).is_none());
    }
}
