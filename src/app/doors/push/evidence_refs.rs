//! Checks the refs beside the code at the receiving side. Separates them from code updates, and finds misplaced content in
//! them: evidence refs may only hold pieces of evidence under their hashes, other refs only commits without files. Reads no
//! blob, and only new commits. There are no further checks; in return, commits reachable only from these refs do not count
//! as known when they are pushed to a branch.

use super::refs::Update;
use crate::error::{Error, Result, remedy};
use crate::model::ledger::EvidenceHash;
use crate::repo::Repo;
use crate::repo::commit::{self, CommitLookup};
use crate::repo::native::objects::ObjectKind;
use crate::repo::native::trees::empty_tree;
use crate::repo::non_code_refs::BesideCode;
use crate::repo::reach::{TreeEntry, tree_entry};
use crate::rules::Misshapen;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use std::collections::{HashMap, HashSet};

/// The key in git's configuration for the maximal size of a piece, in bytes.
const MAX_PIECE_KEY: &str = "yatsu.share.maxpiece";
/// The default of [`MAX_PIECE_KEY`].
const MAX_PIECE: u64 = 10 << 20;
/// The maximal size of a file in a trial (a push to the probe ref), in bytes.
const MAX_PROBE: u64 = 4096;
/// The largest tree that is read, in bytes. One push of pieces never has as many entries.
const MAX_TREE: u64 = 4 << 20;
/// The maximal number of commits, and of tree entries, that one push may bring beside the code.
const MOST_COMMITS: usize = 100_000;
const MOST_ENTRIES: usize = 1_000_000;

/// Separates the updates by the names of their refs: the ones that are judged as code, and the others, each with its kind.
pub(super) fn split(updates: &[Update]) -> (Vec<Update>, Vec<(Update, BesideCode)>) {
    let (mut code, mut aside) = (Vec::new(), Vec::new());
    for update in updates {
        match BesideCode::of(&update.name) {
            None => code.push(update.clone()),
            Some(kind) => aside.push((update.clone(), kind)),
        }
    }
    (code, aside)
}

/// The misplaced content of each update. Deletions bring no content.
pub(super) fn misshapen(repo: &Repo, updates: &[(Update, BesideCode)]) -> Result<Vec<Misshapen>> {
    let new: Vec<_> = updates.iter().filter_map(|(update, kind)| Some((update, *kind, update.new?))).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let most = repo.config()?.number(MAX_PIECE_KEY)?.unwrap_or(MAX_PIECE);
    let mut look = ShapeLook { repo, most, commits: 0, entries: 0, trees: HashMap::new() };
    let mut found = Vec::new();
    for (update, kind, id) in new {
        let what = look.at(update, kind, id)?;
        found.extend(what.map(|what| Misshapen { name: update.name.clone(), what }));
    }
    Ok(found)
}

/// The check of all updates of a push, with counts of the objects read.
struct ShapeLook<'r> {
    repo: &'r Repo,
    /// The maximal size of a piece, in bytes.
    most: u64,
    commits: usize,
    entries: usize,
    /// The fault of each tree at its place, if it has one.
    trees: HashMap<(Oid, PiecePlace), Option<String>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum PiecePlace {
    /// The top of a commit under `evidence`, or of a trial.
    Top { trial: bool },
    /// The directory of this name below the top.
    Below { dir: Vec<u8>, trial: bool },
}

impl ShapeLook<'_> {
    /// The fault of the first faulty commit in the history of `id`.
    fn at(&mut self, update: &Update, kind: BesideCode, id: Oid) -> Result<Option<String>> {
        if kind == BesideCode::Unknown {
            return Ok(Some("only evidence, names, claims and probe have a meaning there".to_owned()));
        }
        // the old commits of the ref were checked when they were pushed
        let mut seen: HashSet<Oid> = update.old.into_iter().collect();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            self.commits += 1;
            if self.commits > MOST_COMMITS {
                return Err(Error::unchecked(format!("more than {MOST_COMMITS} commits are pushed beside the code"))
                    .hint("push fewer refs at once"));
            }
            let commit = match commit::look_up(&*self.repo.objects, &id)? {
                CommitLookup::Commit(commit) => commit,
                CommitLookup::Other => return Ok(Some(format!("{} is no commit", id.short()))),
                CommitLookup::Missing => return Err(self.repo.absent(&id)),
            };
            if let Some(wrong) = self.tree(kind, commit.tree)? {
                return Ok(Some(format!("commit {} has {wrong}", id.short())));
            }
            open.extend(commit.parents);
        }
        Ok(None)
    }

    /// The fault of a commit's tree.
    fn tree(&mut self, kind: BesideCode, tree: Oid) -> Result<Option<String>> {
        match kind {
            BesideCode::Names | BesideCode::Claims if tree == empty_tree(self.repo.hash) => Ok(None),
            BesideCode::Names | BesideCode::Claims | BesideCode::Unknown => {
                Ok(Some("files, and belongs to those without".into()))
            }
            BesideCode::Evidence => self.entries_of(tree, PiecePlace::Top { trial: false }),
            BesideCode::Probe => self.entries_of(tree, PiecePlace::Top { trial: true }),
        }
    }

    fn entries_of(&mut self, tree: Oid, place: PiecePlace) -> Result<Option<String>> {
        if tree == empty_tree(self.repo.hash) {
            return Ok(None);
        }
        if let Some(found) = self.trees.get(&(tree, place.clone())) {
            return Ok(found.clone());
        }
        let found = self.read(tree, &place)?;
        self.trees.insert((tree, place), found.clone());
        Ok(found)
    }

    fn read(&mut self, tree: Oid, place: &PiecePlace) -> Result<Option<String>> {
        let gone = || Error::unchecked(format!("the tree {tree} is missing")).hint(remedy::FSCK);
        match self.repo.objects.header(&tree)?.ok_or_else(gone)? {
            (ObjectKind::Tree, size) if size <= MAX_TREE => {}
            (ObjectKind::Tree, _) => return Ok(Some(format!("a tree of more than {} MiB", MAX_TREE >> 20))),
            _ => return Ok(Some("a tree that is none".to_owned())),
        }
        let data = self.repo.objects.read(&tree)?.ok_or_else(gone)?.data;
        let mut rest = &*data;
        while !rest.is_empty() {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(Error::unchecked(format!("more than {MOST_ENTRIES} files are pushed beside the code"))
                    .hint("push fewer refs at once"));
            }
            let Some((entry, after)) = tree_entry(rest, tree.kind()) else {
                return Ok(Some("a tree that is malformed".to_owned()));
            };
            rest = after;
            if let Some(wrong) = self.entry(&entry, place)? {
                return Ok(Some(wrong));
            }
        }
        Ok(None)
    }

    fn entry(&mut self, entry: &TreeEntry<'_>, place: &PiecePlace) -> Result<Option<String>> {
        let name = String::from_utf8_lossy(entry.name).into_owned();
        match place {
            PiecePlace::Top { trial: true } if entry.mode == b"100644" => self.size(entry, &name, true),
            PiecePlace::Top { trial } if entry.mode == b"40000" && is_two_digits(entry.name) => {
                self.entries_of(entry.id, PiecePlace::Below { dir: entry.name.to_vec(), trial: *trial })
            }
            PiecePlace::Below { dir, trial } if is_piece(entry, dir) => self.size(entry, &name, *trial),
            PiecePlace::Top { .. } | PiecePlace::Below { .. } => {
                Ok(Some(format!("{}, which is no piece of evidence under its name", echo(&name))))
            }
        }
    }

    fn size(&self, entry: &TreeEntry<'_>, name: &str, trial: bool) -> Result<Option<String>> {
        let most = if trial { self.most.min(MAX_PROBE) } else { self.most };
        let gone = || Error::unchecked(format!("the blob {} is missing", entry.id)).hint(remedy::FSCK);
        Ok(match self.repo.objects.header(&entry.id)?.ok_or_else(gone)? {
            (ObjectKind::Blob, size) if size <= most => None,
            (ObjectKind::Blob, size) => Some(format!("{} of {size} bytes, and {most} are taken", echo(name))),
            _ => Some(format!("{}, which is no file", echo(name))),
        })
    }
}

fn is_two_digits(name: &[u8]) -> bool {
    name.len() == 2 && name.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_piece(entry: &TreeEntry<'_>, dir: &[u8]) -> bool {
    entry.mode == b"100644" && entry.name.starts_with(dir) && EvidenceHash::from_hex(entry.name).is_some()
}
