//! The scenario axis without a `scenarioHash`: the text as it was declared at the anchor.

use crate::engine::anchors::{AnchorTree, Texts, TextsOf};
use crate::engine::content::Memo;
use crate::error::{Error, Result};
use crate::model::ids::nfc;
use crate::model::node::Node;
use crate::model::reading::EvidenceHash;
use crate::model::scenario::{self, Scenario, Told};
use crate::model::tree::{Entry, Kind, Tree};
use crate::repo::oid::Oid;
use crate::repo::path::{MAX_PATH, RepoPath};
use bstr::{BStr, BString, ByteSlice};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The names of a scenario file, the one that wins first.
const FILE_NAMES: [&[u8]; 2] = [b"yatsu.md", b"eval.md"];

/// The largest scenario file that is read (hostile.md, limits); a larger one declares nothing.
const MAX_FILE: u64 = 256 << 10;

type Declared = Rc<Vec<Told>>;

/// The scenario files at and below a directory of an old tree; directories without any are left out.
struct Files {
    /// The directory's own id.
    id: Option<Oid>,
    /// Name and content.
    here: Vec<(BString, Oid)>,
    below: Vec<(BString, Rc<Files>)>,
}

/// What the scenario files of a directory say of one scenario.
#[derive(Default)]
struct Found {
    /// Those in the directory itself.
    here: BTreeSet<EvidenceHash>,
    /// Those below it, with the name of the directory they lie in.
    below: BTreeSet<(BString, EvidenceHash)>,
}

/// What old scenario files say. Each content is read once however many anchors share it, each directory searched once.
#[derive(Default)]
pub(super) struct Search {
    declared: Memo<Oid, Declared>,
    contents: Memo<Oid, Rc<[u8]>>,
    files: Memo<Oid, Rc<Files>>,
    found: Memo<(Oid, String), Rc<Found>>,
}

impl Search {
    /// Whether `old` declared the scenario with the text that it has in the view: in the same directory, else in
    /// directories of the same name, else anywhere with this very text. The first of these that declares the name
    /// decides.
    pub(super) fn is_same(
        &self,
        old: &AnchorTree,
        view: &dyn Tree,
        (node, scenario): (&Node, &Scenario),
    ) -> Result<bool> {
        let Some(file) = &node.file else { return Ok(false) };
        if is_same_file(old, view, &file.path)? {
            return Ok(true);
        }
        let of = TextsOf { file: file.path.clone(), scenario: nfc(&scenario.name) };
        let texts = old.texts(of, || self.texts(old, &file.path, &scenario.name))?;
        Ok(texts.contains(&scenario.text_hash))
    }

    fn texts(&self, old: &dyn Tree, file: &RepoPath, name: &str) -> Result<Texts> {
        for path in places(file) {
            let Some(id) = file_id(old, &path)? else { continue };
            if let Some(told) = told(&self.declared(old, &path, id)?, name) {
                return Ok(Rc::new([told.text_hash()]));
            }
        }
        self.texts_elsewhere(old, &file.parent().unwrap_or_default(), name)
    }

    fn texts_elsewhere(&self, old: &dyn Tree, dir: &RepoPath, name: &str) -> Result<Texts> {
        let top = RepoPath::root();
        let id = old.entry(&top)?.and_then(|entry| entry.id);
        let found = self.found(old, &top, &*self.files(old, &top, id)?, name)?;
        let at_top = found.here.iter().map(|hash| (BStr::new(""), *hash));
        let all: Vec<_> = at_top.chain(found.below.iter().map(|(dir, hash)| (dir.as_bstr(), *hash))).collect();
        let namesakes: BTreeSet<_> = all.iter().filter(|(of, _)| *of == dir.name()).map(|(_, hash)| *hash).collect();
        let decisive = if namesakes.is_empty() { all.into_iter().map(|(_, hash)| hash).collect() } else { namesakes };
        Ok(decisive.into_iter().collect())
    }

    fn found(&self, old: &dyn Tree, dir: &RepoPath, files: &Files, name: &str) -> Result<Rc<Found>> {
        let search = || self.search(old, dir, files, name).map(Rc::new);
        match files.id {
            Some(id) => self.found.get(&(id, name.to_owned()), search),
            None => search(),
        }
    }

    fn search(&self, old: &dyn Tree, dir: &RepoPath, files: &Files, name: &str) -> Result<Found> {
        let mut found = Found::default();
        for (file, id) in &files.here {
            let path = dir.child(file);
            if may_declare(&self.content(old, &path, *id)?, name)
                && let Some(told) = told(&self.declared(old, &path, *id)?, name)
            {
                found.here.insert(told.text_hash());
            }
        }
        for (child, files) in &files.below {
            let below = self.found(old, &dir.child(child), files, name)?;
            found.below.extend(below.here.iter().map(|hash| (child.clone(), *hash)));
            found.below.extend(below.below.iter().cloned());
        }
        Ok(found)
    }

    fn declared(&self, old: &dyn Tree, path: &RepoPath, id: Oid) -> Result<Declared> {
        self.declared.get(&id, || Ok(Rc::new(scenario::texts(&self.content(old, path, id)?))))
    }

    fn content(&self, old: &dyn Tree, path: &RepoPath, id: Oid) -> Result<Rc<[u8]>> {
        self.contents.get(&id, || {
            if old.size(path)?.is_some_and(|size| size > MAX_FILE) {
                return Ok(Rc::default());
            }
            Ok(old.read(path)?.unwrap_or_default().into())
        })
    }

    /// The scenario files at and below `dir`, whose tree is `id`. Trees that share a directory share the answer.
    fn files(&self, old: &dyn Tree, dir: &RepoPath, id: Option<Oid>) -> Result<Rc<Files>> {
        match id {
            Some(known) => self.files.get(&known, || self.list(old, dir, id)),
            None => self.list(old, dir, id),
        }
    }

    fn list(&self, old: &dyn Tree, dir: &RepoPath, id: Option<Oid>) -> Result<Rc<Files>> {
        if dir.as_bstr().len() > MAX_PATH {
            return Err(Error::unchecked("a directory of an old tree lies deeper than 4096 bytes"));
        }
        let mut files = Files { id, here: Vec::new(), below: Vec::new() };
        for (name, entry) in old.children_of(dir, id)? {
            match entry {
                Entry { kind: Kind::Dir, id } => {
                    let below = self.files(old, &dir.child(&name), id)?;
                    if !below.here.is_empty() || !below.below.is_empty() {
                        files.below.push((name, below));
                    }
                }
                Entry { kind: Kind::File | Kind::Exec, id: Some(id) } if FILE_NAMES.contains(&name.as_slice()) => {
                    files.here.push((name, id));
                }
                _ => {}
            }
        }
        Ok(Rc::new(files))
    }
}

/// Equal files declare equal texts: nothing to read.
fn is_same_file(old: &dyn Tree, view: &dyn Tree, file: &RepoPath) -> Result<bool> {
    let was = file_id(old, file)?;
    Ok(was.is_some() && was == file_id(view, file)?)
}

/// Where this scenario file may have lain: under its name, then under the other one.
fn places(file: &RepoPath) -> Vec<RepoPath> {
    let dir = file.parent().unwrap_or_default();
    let mut places: Vec<_> = FILE_NAMES.iter().map(|name| dir.child(name)).collect();
    if *file != places[0] {
        places.reverse();
    }
    places
}

/// The content of a scenario file; a link, directory or submodule of that name is none.
fn file_id(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Oid>> {
    let entry = tree.entry(path)?.filter(|entry| matches!(entry.kind, Kind::File | Kind::Exec));
    Ok(entry.and_then(|entry| entry.id))
}

/// Whether a scenario file can declare `name`: parsing costs a thousand times more than this look. Only what a quoted
/// text may spell otherwise (escapes, another encoding, a line break for a space) is not told by the bytes.
fn may_declare(content: &[u8], name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    !plain || content.find_byteset(b"\\\0").is_some() || content.contains_str(name)
}

fn told<'d>(declared: &'d [Told], name: &str) -> Option<&'d Told> {
    let wanted = nfc(name);
    declared.iter().find(|told| told.name == name || nfc(&told.name) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_declare_a_name_is_passed_over() {
        for (content, name, expected) in [
            ("scenarios:\n  - name: fits\n", "fits", true),
            ("scenarios:\n  - name: holds\n", "fits", false),
            ("scenarios:\n  - name: \"\\x66its\"\n", "fits", true),
            ("scenarios:\n  - name: two\n      words\n", "two words", true),
            ("scenarios:\n  - name: e\u{301}\n", "\u{e9}", true),
        ] {
            assert_eq!(may_declare(content.as_bytes(), name), expected, "{content}");
        }
    }
}
