//! The scenario axis without a `scenarioHash`: the text as it was declared at the anchor.

use crate::engine::content::Memo;
use crate::error::{Error, Result};
use crate::model::ids::nfc;
use crate::model::node::Node;
use crate::model::scenario::{self, Scenario, Told};
use crate::model::tree::{Entry, Kind, Tree};
use crate::repo::oid::Oid;
use crate::repo::path::{MAX_PATH, RepoPath};
use bstr::{BString, ByteSlice};
use std::rc::Rc;

/// The names of a scenario file, the one that wins first.
const FILE_NAMES: [&[u8]; 2] = [b"yatsu.md", b"eval.md"];

/// The largest scenario file that is read (hostile.md, limits); a larger one declares nothing.
const MAX_FILE: u64 = 256 << 10;

type Declared = Rc<Vec<Told>>;

/// A scenario file of an old tree: its path below the directory that was searched, and its content.
type Found = (BString, Oid);

/// What old scenario files say, each content read once however many anchors share it.
#[derive(Default)]
pub(super) struct Texts {
    declared: Memo<Oid, Declared>,
    contents: Memo<Oid, Rc<[u8]>>,
    files: Memo<Oid, Rc<Vec<Found>>>,
}

impl Texts {
    /// Whether `old` declared the scenario with the text that it has in the view: in the same directory, else in
    /// directories of the same name, else anywhere with this very text. The first of these that declares the name
    /// decides.
    pub(super) fn is_same(
        &self,
        old: &dyn Tree,
        view: &dyn Tree,
        (node, scenario): (&Node, &Scenario),
    ) -> Result<bool> {
        if is_same_file(old, view, node)? {
            return Ok(true);
        }
        for path in places(node) {
            let Some(id) = file_id(old, &path)? else { continue };
            if let Some(told) = told(&self.declared(old, &path, id)?, &scenario.name) {
                return Ok(told.is_text_of(scenario));
            }
        }
        self.is_same_elsewhere(old, &node.dir, scenario)
    }

    fn is_same_elsewhere(&self, old: &dyn Tree, dir: &RepoPath, scenario: &Scenario) -> Result<bool> {
        let (mut namesakes, mut others) = (Vec::new(), Vec::new());
        for (path, id) in self.scenario_files(old)?.iter() {
            let path = RepoPath::from_git(path.clone());
            if !may_declare(&self.content(old, &path, *id)?, &scenario.name) {
                continue;
            }
            let declared = self.declared(old, &path, *id)?;
            let Some(told) = told(&declared, &scenario.name) else { continue };
            let same = told.is_text_of(scenario);
            let same_name = path.parent().is_some_and(|parent| parent.name() == dir.name());
            if same_name { namesakes.push(same) } else { others.push(same) }
        }
        let decisive = if namesakes.is_empty() { others } else { namesakes };
        Ok(decisive.contains(&true))
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

    fn scenario_files(&self, old: &dyn Tree) -> Result<Rc<Vec<Found>>> {
        let top = RepoPath::root();
        let id = old.entry(&top)?.and_then(|entry| entry.id);
        self.files_below(old, &top, id)
    }

    /// Directories that trees share are searched once.
    fn files_below(&self, old: &dyn Tree, dir: &RepoPath, id: Option<Oid>) -> Result<Rc<Vec<Found>>> {
        match id {
            Some(id) => self.files.get(&id, || self.search(old, dir)),
            None => self.search(old, dir),
        }
    }

    fn search(&self, old: &dyn Tree, dir: &RepoPath) -> Result<Rc<Vec<Found>>> {
        if dir.as_bstr().len() > MAX_PATH {
            return Err(Error::unchecked("a directory of an old tree lies deeper than 4096 bytes"));
        }
        let mut found = Vec::new();
        for (name, entry) in old.children(dir)? {
            match entry {
                Entry { kind: Kind::Dir, id } => {
                    for (below, id) in self.files_below(old, &dir.child(&name), id)?.iter() {
                        found.push((RepoPath::from_git(name.clone()).child(below).to_bstring(), *id));
                    }
                }
                Entry { kind: Kind::File | Kind::Exec, id: Some(id) } if FILE_NAMES.contains(&name.as_slice()) => {
                    found.push((name, id));
                }
                _ => {}
            }
        }
        Ok(Rc::new(found))
    }
}

/// Equal files declare equal texts: nothing to read.
fn is_same_file(old: &dyn Tree, view: &dyn Tree, node: &Node) -> Result<bool> {
    let Some(file) = &node.file else { return Ok(false) };
    let was = file_id(old, &file.path)?;
    Ok(was.is_some() && was == file_id(view, &file.path)?)
}

/// Where the scenario file of the node may have lain: under its name, then under the other one.
fn places(node: &Node) -> Vec<RepoPath> {
    let mut places: Vec<_> = FILE_NAMES.iter().map(|name| node.dir.child(name)).collect();
    if node.file.as_ref().is_some_and(|file| file.path != places[0]) {
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
