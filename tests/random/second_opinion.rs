//! A second opinion on data that is read here without git: the index with its TREE extension, and trees, compared with
//! gix-index and gix-object. For bytes written by git both must agree. For damaged bytes, everything that is accepted
//! here must be accepted and understood alike there. `YATSU_FULL=1` takes twenty times as many.

#![allow(clippy::unwrap_used)]

use crate::staged::{Lab, specimen};
use crate::support::{Dice, Scratch};
use gix_index::State;
use gix_index::entry::Flags;
use gix_index::hash::Kind as GixHash;
use gix_object::tree::EntryKind;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use yatsu_hook::repo::native::index::{Defect, Index};
use yatsu_hook::repo::native::listing::Listing;
use yatsu_hook::repo::native::map::Map;
use yatsu_hook::repo::native::tree_ext::{CacheTree, find_from_end};
use yatsu_hook::repo::native::trees::TreeData;
use yatsu_hook::tree::oid::HashKind;

/// `few` seeds, or twenty times as many.
fn seeds(few: u64) -> u64 {
    few * if std::env::var_os("YATSU_FULL").is_some() { 20 } else { 1 }
}

fn gix_hash(hash: HashKind) -> GixHash {
    match hash {
        HashKind::Sha1 => GixHash::Sha1,
        HashKind::Sha256 => GixHash::Sha256,
    }
}

/// A reader's result for an index: a line for each entry, and the lines of a well-formed TREE.
#[derive(Debug, PartialEq)]
struct Understood {
    entries: String,
    tree: Option<String>,
}

fn index(bytes: &[u8], hash: HashKind) -> Result<Index, Defect> {
    Index::new(Map::owned(bytes.to_vec()), hash)
}

fn ours(bytes: &[u8], hash: HashKind) -> Result<Understood, Defect> {
    let listing = Listing::new(index(bytes, hash)?)?;
    let mut entries = String::new();
    for number in 0..listing.len() {
        let (path, entry) = (bstr::BStr::new(listing.path(number)), listing.entry(number)?);
        let (stat, flags) = (entry.stat, (entry.intent_to_add, entry.skip_worktree, entry.assume_valid));
        let file = (stat.ctime, stat.mtime, stat.dev, stat.ino, stat.uid, stat.gid, stat.size);
        writeln!(entries, "{path:?} {:o} {} {} {flags:?} {file:?}", stat.mode, entry.id, entry.stage).unwrap();
        assert_eq!(entry.mode.bits(), stat.mode, "{path:?}");
    }
    // the extensions begin after the entries
    let index = index(bytes, hash)?;
    let mut cursor = index.cursor();
    while cursor.advance()? {}
    let tree = index.tree_extension(cursor.position())?;
    let cached = tree.and_then(|range| CacheTree::parse(&bytes[range], hash));
    let tree = cached.as_ref().map(|cached| {
        let mut lines = String::new();
        our_records(cached, b"", cached.root(), &mut lines);
        lines
    });
    Ok(Understood { entries, tree })
}

fn record(name: &[u8], valid: Option<(u32, String)>, children: usize, lines: &mut String) {
    writeln!(lines, "{:?} {valid:?} {children}", bstr::BStr::new(name)).unwrap();
}

fn our_records(cached: &CacheTree<'_>, name: &[u8], at: usize, lines: &mut String) {
    let children = cached.children(at);
    record(name, cached.node(at).valid.map(|(count, id)| (count, id.to_string())), children.len(), lines);
    children.into_iter().for_each(|(name, child)| our_records(cached, name, child, lines));
}

fn gix_records(tree: &gix_index::extension::Tree, lines: &mut String) {
    let valid = tree.num_entries.map(|count| (count, tree.id.to_string()));
    record(&tree.name, valid, tree.children.len(), lines);
    tree.children.iter().for_each(|child| gix_records(child, lines));
}

/// The result of gix; `None` if it refuses or panics.
fn gix(bytes: &[u8], hash: HashKind) -> Option<State> {
    let kind = gix_hash(hash);
    let never = State::new(kind).timestamp();
    let options = gix_index::decode::Options { thread_limit: Some(1), ..Default::default() };
    let read = || State::from_bytes(bytes, never, kind, options).ok();
    catch_unwind(AssertUnwindSafe(read)).ok().flatten().map(|(state, _)| state)
}

fn theirs(bytes: &[u8], hash: HashKind) -> Option<Understood> {
    let state = gix(bytes, hash)?;
    let mut entries = String::new();
    for entry in state.entries() {
        let has = |flag| entry.flags.contains(flag);
        let flags = (has(Flags::INTENT_TO_ADD), has(Flags::SKIP_WORKTREE), has(Flags::ASSUME_VALID));
        let (stat, time) = (entry.stat, |time: gix_index::entry::stat::Time| (time.secs, time.nsecs));
        let file = (time(stat.ctime), time(stat.mtime), stat.dev, stat.ino, stat.uid, stat.gid, stat.size);
        let (path, mode, stage) = (entry.path(&state), entry.mode.bits(), entry.stage_raw());
        writeln!(entries, "{path:?} {mode:o} {} {stage} {flags:?} {file:?}", entry.id).unwrap();
    }
    let tree = state.tree().map(|tree| {
        let mut lines = String::new();
        gix_records(tree, &mut lines);
        lines
    });
    Some(Understood { entries, tree })
}

/// An index written by git: both readers accept it and agree.
#[track_caller]
fn same_index(bytes: &[u8], hash: HashKind, what: &str) {
    let ours = ours(bytes, hash).unwrap_or_else(|defect| panic!("{what}: the index {}", defect.as_str()));
    let theirs = theirs(bytes, hash).unwrap_or_else(|| panic!("{what}: gix refuses it"));
    assert_eq!(ours, theirs, "{what}");
    let root = believed(bytes, hash);
    assert!(root.is_none() || root == gix_root(bytes, hash), "{what}: {root:?}");
}

/// The root that the fast path trusts without reading the entries.
fn believed(bytes: &[u8], hash: HashKind) -> Option<(u32, String)> {
    let index = index(bytes, hash).ok()?;
    let found = find_from_end(bytes, index.trailer(), index.count(), hash).filter(|found| found.certain)?;
    found.root.map(|(count, id)| (count, id.to_string()))
}

/// The root of TREE as gix reads it.
fn gix_root(bytes: &[u8], hash: HashKind) -> Option<(u32, String)> {
    let state = gix(bytes, hash)?;
    let tree = state.tree()?;
    tree.num_entries.map(|count| (count, tree.id.to_string()))
}

#[test]
fn an_index_that_git_wrote_is_read_as_gix_reads_it() {
    for seed in 0..seeds(60) {
        // other seeds than in the test of the staged difference
        let mut lab = Lab::new(seed + 1_000_000);
        let mut story = vec![format!("seed {seed}")];
        for _ in 0..6 {
            story.push(lab.act());
            let Ok(bytes) = std::fs::read(lab.scratch.root.join(".git/index")) else { continue };
            same_index(&bytes, HashKind::Sha1, &story.join(", "));
        }
        same_trees(&lab.scratch, HashKind::Sha1);
    }
}

#[test]
fn an_index_of_a_sha256_repository_is_read_as_gix_reads_it() {
    for version in ["2", "4"] {
        let scratch = Scratch::with_init(&["--object-format=sha256"]);
        scratch.git(&["config", "index.version", version]);
        for path in ["a", "a.b", "a-b/c", "dir/deep/d"] {
            scratch.write(path, path);
            scratch.commit(path);
            let bytes = std::fs::read(scratch.root.join(".git/index")).unwrap();
            same_index(&bytes, HashKind::Sha256, path);
        }
        same_trees(&scratch, HashKind::Sha256);
    }
}

mod needs_corpus {
    use super::*;

    #[test]
    #[ignore = "needs the corpus beside the repository"]
    fn the_index_and_the_trees_of_a_real_history_are_read_as_gix_reads_them() {
        let bundle = crate::support::corpus();
        let scratch = Scratch::new();
        scratch.git(&["fetch", "-q", &bundle.to_string_lossy(), "+refs/*:refs/corpus/*"]);
        let commits = scratch.git(&["rev-list", "--glob=refs/corpus"]);
        let commits: Vec<&str> = commits.lines().collect();
        for commit in commits.iter().step_by(commits.len() / 10 + 1) {
            scratch.git(&["read-tree", commit]);
            same_index(&std::fs::read(scratch.root.join(".git/index")).unwrap(), HashKind::Sha1, commit);
        }
        assert!(same_trees(&scratch, HashKind::Sha1) > 100);
    }
}

/// Bytes with one to four of them changed, some removed or inserted, or the end missing.
fn damaged(whole: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let at = dice.roll(bytes.len());
    match dice.roll(6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..(at + 1 + dice.roll(9)).min(whole.len()))),
        2 => drop(bytes.splice(at..at, (0..=dice.roll(9)).map(|number| number as u8 * 29))),
        3 => bytes.extend_from_slice(&whole[at..]),
        _ => (0..=dice.roll(4)).for_each(|_| {
            let at = dice.roll(whole.len());
            bytes[at] ^= 1 << dice.roll(8);
        }),
    }
    bytes
}

#[test]
fn a_damaged_index_is_refused_or_read_as_gix_reads_it() {
    let (mut read, mut roots) = (0, 0);
    for version in ["2", "3", "4"] {
        let (scratch, whole) = specimen(version);
        let undamaged = believed(&whole, HashKind::Sha1);
        assert!(undamaged.is_some());
        let mut dice = Dice(11);
        for round in 0..seeds(3000) {
            let bytes = damaged(&whole, &mut dice);
            let what = format!("version {version}, round {round}");
            if let Some(root) = believed(&bytes, HashKind::Sha1) {
                // If a TREE is damaged below its root, gix reads nothing of it. The fast path then trusts git's original
                // root; a changed id belongs to no tree, and the entries are walked.
                let known = gix_root(&bytes, HashKind::Sha1).or_else(|| undamaged.clone());
                let is_no_tree = || scratch.try_git(&["cat-file", "-e", &root.1]).code != 0;
                assert!(known.as_ref() == Some(&root) || is_no_tree(), "{what}: {root:?} is believed, not {known:?}");
                roots += 1;
            }
            let Ok(ours) = ours(&bytes, HashKind::Sha1) else { continue };
            let theirs = theirs(&bytes, HashKind::Sha1).unwrap_or_else(|| panic!("{what}: gix refuses it"));
            assert_eq!(ours.entries, theirs.entries, "{what}");
            // contradicting records are ignored here
            assert!(ours.tree.is_none() || ours.tree == theirs.tree, "{what}: {ours:?}\n{theirs:?}");
            read += 1;
        }
    }
    assert!(read > 1000 && roots > 1000, "{read} read, {roots} believed");
}

/// Our reading of a tree, as lines.
fn our_tree(raw: &[u8], hash: HashKind) -> Result<String, &'static str> {
    let tree = TreeData::parse(raw.to_vec(), hash)?;
    let mut lines = String::new();
    for item in tree.iter() {
        writeln!(lines, "{:06o} {} {:?}", item.mode.bits(), item.id, bstr::BStr::new(item.name)).unwrap();
        assert_eq!(tree.find(item.name), Some(item), "what is there is found");
    }
    Ok(lines)
}

fn gix_tree(raw: &[u8], hash: HashKind) -> Option<String> {
    let tree = gix_object::TreeRef::from_bytes(raw, gix_hash(hash)).ok()?;
    let mut lines = String::new();
    for entry in &tree.entries {
        let mode = match entry.mode.kind() {
            EntryKind::Tree => 0o040_000,
            EntryKind::Blob => 0o100_644,
            EntryKind::BlobExecutable => 0o100_755,
            EntryKind::Link => 0o120_000,
            EntryKind::Commit => 0o160_000,
        };
        let found = tree.bisect_entry(entry.filename, entry.mode.is_tree()).is_some();
        writeln!(lines, "{mode:06o} {} {:?}", entry.oid, entry.filename).unwrap();
        // an unsorted tree is refused here, so entries that gix cannot find in it are not compared
        lines.push_str(if found { "" } else { "(not found)\n" });
    }
    Some(lines)
}

/// The content of every tree in the repository.
fn all_trees(scratch: &Scratch) -> Vec<Vec<u8>> {
    let args = ["cat-file", "--batch-all-objects", "--unordered", "--batch=%(objecttype) %(objectsize)"];
    let out = scratch.git_command(&args).output().unwrap().stdout;
    let (mut rest, mut trees) = (&out[..], Vec::new());
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (kind, size) = std::str::from_utf8(&rest[..end]).unwrap().split_once(' ').unwrap();
        let content = end + 1..end + 1 + size.parse::<usize>().unwrap();
        if kind == "tree" {
            trees.push(rest[content.clone()].to_vec());
        }
        rest = &rest[content.end + 1..];
    }
    trees
}

/// Asserts that both readers agree on every tree of the repository; returns the number of trees.
#[track_caller]
fn same_trees(scratch: &Scratch, hash: HashKind) -> usize {
    let trees = all_trees(scratch);
    for raw in &trees {
        assert_eq!(our_tree(raw, hash).ok(), gix_tree(raw, hash), "{:?}", bstr::BStr::new(raw));
    }
    trees.len()
}

/// Whether an entry has a mode that git never writes. git treats it as a submodule, gix in several ways.
fn has_unknown_sort(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let digits = rest[..end].split(|byte| *byte == b' ').next().unwrap_or_default();
        let mode = std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 8).ok());
        if !mode.is_some_and(|mode| matches!(mode & 0o170_000, 0o040_000 | 0o100_000 | 0o120_000 | 0o160_000)) {
            return true;
        }
        rest = rest.get(end + 21..).unwrap_or_default();
    }
    false
}

#[test]
fn an_entry_of_an_unknown_sort_is_what_git_takes_it_for() {
    let scratch = Scratch::new();
    for mode in ["12", "644", "140644", "20000", "170000", "100600", "100777", "120777", "40755"] {
        let raw = [mode.as_bytes(), b" name\0", &[7; 20]].concat();
        scratch.write("../raw", &raw);
        let id = scratch.git(&["hash-object", "-w", "--literally", "-t", "tree", "../raw"]);
        let listed = scratch.git(&["ls-tree", &id]);
        let ours = our_tree(&raw, HashKind::Sha1).unwrap();
        assert_eq!(ours[..6], listed[..6], "{mode}");
    }
}

#[test]
fn a_damaged_tree_is_refused_or_read_as_gix_reads_it() {
    let mut trees = Vec::new();
    for seed in 0..8 {
        let mut lab = Lab::new(seed);
        for _ in 0..8 {
            lab.act();
            lab.scratch.try_git(&["write-tree"]);
        }
        trees.extend(all_trees(&lab.scratch).into_iter().filter(|tree| !tree.is_empty()));
    }
    assert!(trees.len() > 10, "{}", trees.len());
    let (mut dice, mut read) = (Dice(5), 0);
    for round in 0..seeds(20_000) {
        let raw = damaged(&trees[dice.roll(trees.len())], &mut dice);
        let Ok(ours) = our_tree(&raw, HashKind::Sha1) else { continue };
        let theirs = gix_tree(&raw, HashKind::Sha1);
        if !has_unknown_sort(&raw) {
            assert_eq!(Some(ours), theirs, "round {round}: {:?}", bstr::BStr::new(&raw));
        }
        read += 1;
    }
    assert!(read > 1000, "{read} read");
}
