//! The scenario axis without a `scenarioHash`: reads the text and the governed list that the anchor declared.

use crate::engine::anchors::{AnchorTree, GovernedThen, Lists, Texts, TextsOf};
use crate::engine::content::ViewMemo;
use crate::error::{Error, Result};
use crate::model::governed::Governed;
use crate::model::ids::nfc;
use crate::model::ledger::EvidenceHash;
use crate::model::node::Declared;
use crate::model::scenario::{self, OldScenario};
use crate::model::spec;
use crate::names::{SCENARIO_NAMES, SPEC};
use crate::tree::oid::Oid;
use crate::tree::path::{RepoPath, is_too_deep};
use crate::tree::{Entry, Kind, Tree};
use bstr::{BString, ByteSlice};
use foldhash::HashSet;
use foldhash::fast::FixedState;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::rc::Rc;

/// The scenario files at and below a directory of an old tree; directories without any are left out.
#[derive(Default)]
struct Files {
    /// Name and content.
    here: Vec<(BString, Oid)>,
    below: Vec<(BString, Rc<Files>)>,
}

/// The declaration of one scenario in an old tree.
struct Declaration {
    dir: RepoPath,
    /// The hash of its description and expected result.
    text: EvidenceHash,
    code: Rc<[Governed]>,
}

/// A search of a whole tree for a scenario's declarations.
struct Search<'s> {
    name: &'s str,
    /// Directories that were already searched.
    entered: HashSet<*const Files>,
    found: Vec<Declaration>,
}

/// Old scenario files, parsed. Each content is read once however many anchors share it, and each directory is searched
/// once. Nothing here follows from the judged view, so that judges of several views may share it.
#[derive(Default)]
pub(super) struct OldScenarios {
    declared: ViewMemo<Oid, Rc<Vec<OldScenario>>>,
    contents: ViewMemo<Oid, Rc<OldScenarioFile>>,
    files: ViewMemo<Oid, Rc<Files>>,
}

impl OldScenarios {
    /// Whether `old` declared the scenario with the text of the view. Looks in the same directory, then in directories of
    /// the same name, then for this very text anywhere. The first step that finds a declaration decides.
    pub(super) fn is_same(
        &self,
        old: &AnchorTree,
        view: &dyn Tree,
        Declared { node, scenario }: Declared<'_>,
    ) -> Result<bool> {
        let Some(file) = &node.file else { return Ok(false) };
        if is_same_file(old, view, &file.path)? {
            return Ok(true);
        }
        let name = nfc(&scenario.name);
        let of = TextsOf { file: file.path.clone(), scenario: name.clone() };
        let texts = old.texts(of, || self.texts(old, &file.path, &name))?;
        Ok(texts.contains(&scenario.text_hash))
    }

    fn texts(&self, old: &dyn Tree, file: &RepoPath, name: &str) -> Result<Texts> {
        let found = self.declarations(old, file, name)?;
        let texts: BTreeSet<_> = found.into_iter().map(|declaration| declaration.text).collect();
        Ok(texts.into_iter().collect())
    }

    /// The paths that governed the scenario in `old`, declared where [`Self::is_same`] would look: its own list, or the
    /// list of its node. `None` if `old` does not declare it.
    pub(super) fn governed(
        &self,
        old: &AnchorTree,
        Declared { node, scenario }: Declared<'_>,
    ) -> Result<Option<BTreeSet<RepoPath>>> {
        let lists = self.lists_of(old, Declared { node, scenario })?;
        let is_declared = !lists.is_empty();
        Ok(is_declared.then(|| lists.iter().flat_map(|one| one.paths.iter().cloned()).collect()))
    }

    /// Whether `old` declared the scenario with exactly the list `now`, the paths of the view's list.
    pub(super) fn declares_list(
        &self,
        old: &AnchorTree,
        view: &dyn Tree,
        asked: Declared<'_>,
        now: &BTreeSet<RepoPath>,
    ) -> Result<bool> {
        let Declared { node, scenario } = asked;
        let is_same_list = || -> Result<bool> {
            // a file of the node that is gone had a list, too
            let spec = node.dir.child(SPEC.as_bytes());
            Ok(!scenario.code.is_empty() || is_same_file(old, view, &spec)?)
        };
        if let Some(file) = &node.file
            && is_same_file(old, view, &file.path)?
            && is_same_list()?
        {
            return Ok(true);
        }
        Ok(self.lists_of(old, asked)?.iter().any(|one| one.paths.iter().eq(now)))
    }

    /// The lists of the scenario in `old`, one for each declaration.
    fn lists_of(&self, old: &AnchorTree, Declared { node, scenario }: Declared<'_>) -> Result<Vec<GovernedThen>> {
        let Some(file) = &node.file else { return Ok(Vec::new()) };
        let name = nfc(&scenario.name);
        let of = TextsOf { file: file.path.clone(), scenario: name.clone() };
        let lists = old.lists(of, || self.lists(old, &file.path, &name))?;
        // in a directory of another name, only the same text makes it the same scenario
        let is_same = |one: &&GovernedThen| one.dir.name() == node.dir.name() || one.text == scenario.text_hash;
        Ok(lists.iter().filter(is_same).cloned().collect())
    }

    fn lists(&self, old: &dyn Tree, file: &RepoPath, name: &str) -> Result<Lists> {
        let mut lists = Vec::new();
        for Declaration { dir, text, code } in self.declarations(old, file, name)? {
            let list = if code.is_empty() { self.list_of_node(old, &dir)? } else { code };
            let paths: BTreeSet<_> =
                list.iter().flat_map(|governed| governed.literals().chain(governed.wholes()).cloned()).collect();
            lists.push(GovernedThen { dir, text, paths: paths.into_iter().collect() });
        }
        Ok(lists.into())
    }

    fn list_of_node(&self, old: &dyn Tree, dir: &RepoPath) -> Result<Rc<[Governed]>> {
        let path = dir.child(SPEC.as_bytes());
        let Some(id) = file_id(old, &path)? else { return Ok(Rc::default()) };
        let content = self.content(old, &path, id)?;
        Ok(spec::parse(&path, &content.bytes).code.into())
    }

    /// The declarations that decide: in the same directory, or else in directories of its name, or else all.
    fn declarations(&self, old: &dyn Tree, file: &RepoPath, name: &str) -> Result<Vec<Declaration>> {
        let dir = file.parent().unwrap_or_default();
        for path in places(file) {
            let Some(id) = file_id(old, &path)? else { continue };
            // A declaration at the same place decides alone: a twin elsewhere is another scenario.
            if let Some(told) = told(&self.declared(old, &path, id)?, name) {
                return Ok(vec![Declaration::of(&dir, told)]);
            }
        }
        let top = RepoPath::root();
        let files = self.files(old, &top, old.entry(&top)?.and_then(|entry| entry.id))?;
        let mut search = Search { name, entered: HashSet::default(), found: Vec::new() };
        self.find(old, &top, &files, &mut search)?;
        let mut found = search.found;
        if found.iter().any(|one| one.dir.name() == dir.name()) {
            found.retain(|one| one.dir.name() == dir.name());
        }
        Ok(found)
    }

    /// Adds the declarations of the name in the scenario files at and below `dir`. A directory that occurs at several
    /// places of the tree is entered once.
    fn find(&self, old: &dyn Tree, dir: &RepoPath, files: &Rc<Files>, search: &mut Search<'_>) -> Result<()> {
        // a listing that was made higher up may recur here, deeper down
        refuse_deep(dir)?;
        for (file, id) in &files.here {
            let path = dir.child(file);
            if self.content(old, &path, *id)?.may_declare(search.name)
                && let Some(told) = told(&self.declared(old, &path, *id)?, search.name)
            {
                search.found.push(Declaration::of(dir, told));
            }
        }
        // Keyed by the address of the shared listing: a tree that repeats a directory at every level would be walked 2^n
        // times.
        if search.entered.insert(Rc::as_ptr(files)) {
            for (child, below) in &files.below {
                self.find(old, &dir.child(child), below, search)?;
            }
        }
        Ok(())
    }

    fn declared(&self, old: &dyn Tree, path: &RepoPath, id: Oid) -> Result<Rc<Vec<OldScenario>>> {
        self.declared.get(&id, || Ok(Rc::new(scenario::texts(&self.content(old, path, id)?.bytes))))
    }

    fn content(&self, old: &dyn Tree, path: &RepoPath, id: Oid) -> Result<Rc<OldScenarioFile>> {
        self.contents.get(&id, || {
            if old.size(path)?.is_some_and(|size| size > scenario::MAX_FILE) {
                return Ok(Rc::default());
            }
            Ok(Rc::new(OldScenarioFile::of(old.read(path)?.unwrap_or_default())))
        })
    }

    /// The scenario files at and below `dir`, a tree with this `id`. Trees that share a directory share the answer.
    fn files(&self, old: &dyn Tree, dir: &RepoPath, id: Option<Oid>) -> Result<Rc<Files>> {
        match id {
            Some(known) => self.files.get(&known, || self.list(old, dir, id)),
            None => self.list(old, dir, id),
        }
    }

    fn list(&self, old: &dyn Tree, dir: &RepoPath, id: Option<Oid>) -> Result<Rc<Files>> {
        refuse_deep(dir)?;
        let mut files = Files::default();
        for (name, entry) in old.children_of(dir, id)? {
            match entry {
                Entry { kind: Kind::Dir, id } => {
                    let below = self.files(old, &dir.child(&name), id)?;
                    if !below.here.is_empty() || !below.below.is_empty() {
                        files.below.push((name, below));
                    }
                }
                Entry { kind: Kind::File | Kind::Exec, id: Some(id) }
                    if SCENARIO_NAMES.iter().any(|ours| name == ours.as_bytes()) =>
                {
                    files.here.push((name, id));
                }
                _ => {}
            }
        }
        Ok(Rc::new(files))
    }
}

impl Declaration {
    fn of(dir: &RepoPath, told: &OldScenario) -> Self {
        Self { dir: dir.clone(), text: told.text_hash(), code: Rc::clone(&told.code) }
    }
}

fn refuse_deep(dir: &RepoPath) -> Result<()> {
    if is_too_deep(dir.as_bstr()) {
        return Err(Error::unchecked(format!(
            "an old tree nests deeper than 512 directories or 4096 bytes of path below {dir}"
        ))
        .hint("measure the scenarios anew: what readings of such a tree say is not compared any more"));
    }
    Ok(())
}

/// Whether the scenario file is the same in both trees. Then its texts are equal and need not be read.
fn is_same_file(old: &dyn Tree, view: &dyn Tree, file: &RepoPath) -> Result<bool> {
    let was = file_id(old, file)?;
    Ok(was.is_some() && was == file_id(view, file)?)
}

/// The possible paths of this scenario file: first with its own name, then with the other allowed name.
fn places(file: &RepoPath) -> Vec<RepoPath> {
    let dir = file.parent().unwrap_or_default();
    let mut places: Vec<_> = SCENARIO_NAMES.iter().map(|name| dir.child(name.as_bytes())).collect();
    if *file != places[0] {
        places.reverse();
    }
    places
}

/// The content id of a scenario file; `None` for a link, directory or submodule of that name.
fn file_id(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Oid>> {
    let entry = tree.entry(path)?.filter(|entry| matches!(entry.kind, Kind::File | Kind::Exec));
    Ok(entry.and_then(|entry| entry.id))
}

#[derive(Default)]
struct OldScenarioFile {
    bytes: Vec<u8>,
    /// The longest runs of plain characters in it, as hashes.
    words: HashSet<u64>,
    /// Whether a quoted text may spell a name in another way: with escapes or in another encoding.
    may_hide: bool,
}

impl OldScenarioFile {
    fn of(bytes: Vec<u8>) -> Self {
        let words = bytes.split(|byte| !is_plain(*byte)).filter(|word| !word.is_empty());
        Self { words: words.map(hash).collect(), may_hide: bytes.find_byteset(b"\\\0").is_some(), bytes }
    }

    /// Whether it may declare `name`, which is in NFC. Parsing costs a thousand times more than this test. A name of plain
    /// characters is one such run in any declaration, because a line break or a blank inside would make it another name.
    fn may_declare(&self, name: &str) -> bool {
        !name.bytes().all(is_plain) || self.may_hide || self.words.contains(&hash(name.as_bytes()))
    }
}

/// Whether NFC produces this character from no other one. NFC turns the Kelvin sign into `K`, so `K` is not plain.
fn is_plain(byte: u8) -> bool {
    byte != b'K' && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn hash(word: &[u8]) -> u64 {
    FixedState::default().hash_one(word)
}

fn told<'d>(declared: &'d [OldScenario], name: &str) -> Option<&'d OldScenario> {
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
            ("scenarios:\n  - {name: 'fits'}\n", "fits", true),
            ("scenarios:\n  - name: fits-not\n", "fits", false),
            ("scenarios:\n  - name: \u{212a}1\n", "K1", true),
            ("scenarios:\n  - name: \"\\x66its\"\n", "fits", true),
            ("scenarios:\n  - name: two\n      words\n", "two words", true),
            ("scenarios:\n  - name: e\u{301}\n", "\u{e9}", true),
        ] {
            assert_eq!(OldScenarioFile::of(content.into()).may_declare(name), expected, "{content}");
        }
    }
}
