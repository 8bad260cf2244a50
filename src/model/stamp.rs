//! Expands a governed list in a tree to a stamp. Recording writes this stamp and judging compares with it (formats.md, "The
//! stamp"). Both use this function, so that a reading filed on a view is fresh in that view.

use super::governed::{Found, Governed};
use super::ledger::{MAX_STAMPED_FILES, Stamped};
use super::links::{LinkEnd, trace};
use super::resolve;
use crate::error::{Error, Result, remedy};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::{BString, ByteSlice};
use std::collections::BTreeMap;

/// One governed entry, expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// Every file by its path. A link on the way and its target both count. An absent path is [`Stamped::Absent`] at the
    /// missing path, and a glob without matches is absent at its own text.
    pub files: BTreeMap<RepoPath, Stamped>,
    /// The path of the content: the path itself, or the end of its links; `None` for a glob, and for links without an
    /// existing target.
    pub end: Option<RepoPath>,
    /// Whether it was matched as a glob.
    pub glob: bool,
}

/// The stamp of `governed` in `view`; `None` when it has more than [`MAX_STAMPED_FILES`] files.
///
/// # Errors
/// Failures of the view: a stamp is never guessed.
pub fn stamp(view: &dyn Tree, governed: &[Governed]) -> Result<Option<BTreeMap<RepoPath, Stamped>>> {
    let mut all = BTreeMap::new();
    for entry in governed {
        all.extend(expand(view, entry)?.files);
        if all.len() > MAX_STAMPED_FILES {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// The stamped paths with other content in the anchor's `tree`.
///
/// # Errors
/// Failures of the tree.
pub fn stamp_contradicts(tree: &dyn Tree, stamp: &BTreeMap<RepoPath, Stamped>) -> Result<Vec<RepoPath>> {
    let mut wrong = Vec::new();
    for (path, stamped) in stamp {
        let same = match tree.entry(path)? {
            None => *stamped == Stamped::Absent,
            Some(Entry { kind: Kind::Dir, .. }) => false,
            Some(entry) => stamped_entry(tree, path, entry)? == *stamped,
        };
        if !same {
            wrong.push(path.clone());
        }
    }
    Ok(wrong)
}

/// Every file that `governed` stands for in `tree`. An invalid path and a glob that exceeds the limits stand for no file,
/// because other rules report them.
///
/// # Errors
/// Failures of the tree.
pub(crate) fn expand(tree: &dyn Tree, governed: &Governed) -> Result<Expansion> {
    let Ok(path) = &governed.path else { return Ok(Expansion::default()) };
    let way = trace(tree, path)?;
    if way.links.is_empty() && matches!(way.end, LinkEnd::Absent(_)) && is_glob(governed) {
        return expand_glob(tree, governed, path);
    }
    let mut found = Expansion::default();
    found.files.extend(way.links.iter().map(|(link, id)| (link.clone(), Stamped::Link(*id))));
    match way.end {
        LinkEnd::At(path, entry) => {
            found.files.extend(files_at(tree, &path, entry)?);
            found.end = Some(path);
        }
        LinkEnd::Absent(path) => {
            found.files.insert(path.clone(), Stamped::Absent);
            found.end = Some(path);
        }
        LinkEnd::Outside | LinkEnd::Circle => {}
    }
    Ok(found)
}

/// Whether `governed` is a glob, if its text is not the name of an existing entry.
pub(crate) fn is_glob(governed: &Governed) -> bool {
    governed.text.contains(['*', '?', '[', '{'])
}

fn expand_glob(tree: &dyn Tree, governed: &Governed, path: &RepoPath) -> Result<Expansion> {
    let mut found = Expansion { glob: true, ..Expansion::default() };
    if governed.found == Found::GlobLimit {
        return Ok(found);
    }
    for (file, entry) in resolve::matches(tree, governed)? {
        let stamped = stamped_entry(tree, &file, entry)?;
        found.files.insert(file, stamped);
    }
    if found.files.is_empty() {
        found.files.insert(path.clone(), Stamped::Absent);
    }
    Ok(found)
}

/// The files at `path`. A directory without files is absent, because git stores none.
fn files_at(tree: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<BTreeMap<RepoPath, Stamped>> {
    if entry.kind != Kind::Dir {
        return Ok(BTreeMap::from([(path.clone(), stamped_entry(tree, path, entry)?)]));
    }
    let mut files = BTreeMap::new();
    for (file, entry) in tree.files(path, &|_| true)? {
        let stamped = stamped_entry(tree, &file, entry)?;
        files.insert(file, stamped);
    }
    if files.is_empty() {
        files.insert(path.clone(), Stamped::Absent);
    }
    Ok(files)
}

/// The stamp of a file, link or submodule. Listings may omit the id: then the tree is asked again.
pub(crate) fn stamped_entry(tree: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<Stamped> {
    let entry = if entry.id.is_some() { Some(entry) } else { tree.entry(path)? };
    let unknown = || {
        let path = path.as_bstr().to_str_lossy();
        Error::unchecked(format!("the content of {path} has no known name")).hint(remedy::CHANGING)
    };
    let entry = entry.ok_or_else(unknown)?;
    let id = entry.id.ok_or_else(unknown)?;
    match entry.kind {
        Kind::File => Ok(Stamped::File(id)),
        Kind::Exec => Ok(Stamped::Exec(id)),
        Kind::Link => Ok(Stamped::Link(id)),
        Kind::Submodule => Ok(Stamped::Submodule(id)),
        Kind::Dir => Err(unknown()),
    }
}

/// A work tree in which every file has an id: `name` gives one to a changed file that only an external filter could convert.
pub(crate) struct NamedTree<'t> {
    pub(crate) inner: &'t dyn Tree,
    pub(crate) name: &'t dyn Fn(&RepoPath) -> Result<Oid>,
}

impl Tree for NamedTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(match self.inner.entry(path)? {
            Some(Entry { kind, id: None }) if kind != Kind::Dir => Some(Entry { kind, id: Some((self.name)(path)?) }),
            found => found,
        })
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.inner.children(dir)
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        self.inner.files(dir, want)
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.inner.size(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        self.inner.read(path)
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        self.inner.is_untracked(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::source::Position;
    use crate::tree::memory::MemoryTree;

    fn listed(text: &str) -> Governed {
        Governed::parse(text, Position::default(), None)
    }

    fn tree() -> MemoryTree {
        let mut tree = MemoryTree::of_files(&[("src/a", "one"), ("src/b", "two"), ("top", "three")]);
        tree.put("run", Kind::Exec, b"one");
        tree.put("link", Kind::Link, b"src/a");
        tree.put("out", Kind::Link, b"../x");
        tree.put("dangling", Kind::Link, b"gone");
        tree.put("sub", Kind::Submodule, b"commit");
        tree
    }

    /// The stamp with the letter of each entry.
    fn told(list: &[&str]) -> Vec<String> {
        let list: Vec<_> = list.iter().map(|text| listed(text)).collect();
        let word = |(path, stamped): (RepoPath, Stamped)| match stamped {
            Stamped::File(_) => format!("{path}"),
            Stamped::Exec(_) => format!("x:{path}"),
            Stamped::Link(_) => format!("l:{path}"),
            Stamped::Submodule(_) => format!("m:{path}"),
            Stamped::Absent => format!("-:{path}"),
        };
        stamp(&tree(), &list).unwrap().unwrap().into_iter().map(word).collect()
    }

    #[test]
    fn each_kind_has_its_word() {
        assert_eq!(told(&["top", "run", "sub", "gone"]), ["-:gone", "x:run", "m:sub", "top"]);
        assert_eq!(told(&["src"]), ["src/a", "src/b"]);
        assert_eq!(told(&["s*/a"]), ["src/a"]);
        assert_eq!(told(&["gen/*.x"]), ["-:gen/*.x"]);
        assert_eq!(told(&["../x", "/etc"]), Vec::<String>::new());
    }

    #[test]
    fn a_link_and_its_target_have_an_entry_each() {
        assert_eq!(told(&["link"]), ["l:link", "src/a"]);
        assert_eq!(told(&["out"]), ["l:out"]);
        assert_eq!(told(&["dangling"]), ["l:dangling", "-:gone"]);
    }

    #[test]
    fn a_stamp_does_not_contradict_its_own_tree() {
        let list: Vec<_> = ["src", "run", "link", "sub", "gone", "dangling", "x/*"].map(listed).into();
        let stamp = stamp(&tree(), &list).unwrap().unwrap();
        assert_eq!(stamp_contradicts(&tree(), &stamp).unwrap(), []);
        let mut other = tree();
        other.put("src/a", Kind::Exec, b"one");
        other.put("gone", Kind::File, b"there");
        other.put("sub/file", Kind::File, b"");
        other.remove("sub");
        let wrong = ["gone", "src/a", "sub"].map(RepoPath::from_git);
        assert_eq!(stamp_contradicts(&other, &stamp).unwrap(), wrong);
    }

    #[test]
    fn too_many_files_are_not_stamped() {
        let mut tree = MemoryTree::default();
        (0..MAX_STAMPED_FILES).for_each(|number| tree.put(&format!("d/{number}"), Kind::File, b""));
        assert_eq!(stamp(&tree, &[listed("d")]).unwrap().map(|stamp| stamp.len()), Some(MAX_STAMPED_FILES));
        tree.put("d/more", Kind::File, b"");
        assert_eq!(stamp(&tree, &[listed("d")]).unwrap(), None);
    }
}
