//! Trees and history by the git program alone: slow and obvious. The one place to swap when the cases run on another
//! implementation of the views is [`view`] and [`history`].

use super::{Scratch, hermetic};
use bstr::BString;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use yatsu_hook::error::{Error, Result};
use yatsu_hook::model::tree::{Anchor, Entry, History, Kind, MissingAnchor, Tree};
use yatsu_hook::repo::oid::Oid;
use yatsu_hook::repo::path::RepoPath;

/// Which content is judged.
pub enum View<'a> {
    /// What would be committed.
    Index,
    /// What is on disk, as `git add -A` would take it.
    Worktree,
    /// A commit's tree.
    Rev(&'a str),
}

/// That view of the repository.
pub fn view(scratch: &Scratch, view: &View<'_>) -> Rc<dyn Tree> {
    let tree = match view {
        View::Index => scratch.git(&["write-tree"]),
        View::Worktree => worktree_tree(scratch),
        View::Rev(rev) => scratch.git(&["rev-parse", &format!("{rev}^{{tree}}")]),
    };
    Rc::new(GitTree::new(&scratch.root, &scratch.home(), &tree).expect("a readable tree"))
}

/// The history of the repository.
pub fn history(scratch: &Scratch) -> GitHistory {
    GitHistory { root: scratch.root.clone(), home: scratch.home() }
}

/// The tree that `git add -A` would make, through an index of its own.
fn worktree_tree(scratch: &Scratch) -> String {
    let index = scratch.base.join("worktree-index");
    let own = PathBuf::from(scratch.git(&["rev-parse", "--absolute-git-dir"])).join("index");
    if own.exists() {
        std::fs::copy(own, &index).expect("a copy of the index");
    }
    for args in [&["add", "-A"][..], &["write-tree"]] {
        let out = scratch.git_command(args).env("GIT_INDEX_FILE", &index).output().expect("git runs");
        assert!(out.status.success());
        if args[0] == "write-tree" {
            return String::from_utf8(out.stdout).expect("an id").trim().to_owned();
        }
    }
    unreachable!()
}

/// The content of blobs, by id.
type Blobs = dyn Fn(&Oid) -> Result<Vec<u8>>;

/// Every entry of one tree, listed once.
pub struct GitTree {
    entries: BTreeMap<RepoPath, Entry>,
    blobs: Rc<Blobs>,
}

impl GitTree {
    /// The tree of that id.
    pub fn new(root: &Path, home: &Path, tree: &str) -> Result<Self> {
        let listing = git(root, home, &["ls-tree", "-r", "-t", "-z", "--full-tree", tree])?;
        let (root, home) = (root.to_owned(), home.to_owned());
        let blobs = move |id: &Oid| git(&root, &home, &["cat-file", "blob", &id.to_string()]);
        Ok(Self::listed(tree, &listing, Rc::new(blobs)))
    }

    /// The tree of that id, as `git ls-tree -r -t -z` listed it.
    pub fn listed(tree: &str, listing: &[u8], blobs: Rc<Blobs>) -> Self {
        let mut entries: BTreeMap<_, _> =
            listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()).map(parse_line).collect();
        entries.insert(RepoPath::root(), Entry { kind: Kind::Dir, id: Oid::from_hex(tree.as_bytes()) });
        Self { entries, blobs }
    }

    /// The same tree as an index knows it: without ids of directories.
    pub fn without_directory_ids(mut self) -> Self {
        self.entries.values_mut().filter(|entry| entry.kind == Kind::Dir).for_each(|entry| entry.id = None);
        self
    }
}

fn parse_line(line: &[u8]) -> (RepoPath, Entry) {
    let tab = line.iter().position(|byte| *byte == b'\t').expect("a tab");
    let head: Vec<&[u8]> = line[..tab].split(|byte| *byte == b' ').collect();
    let kind = match head[0] {
        b"100644" => Kind::File,
        b"100755" => Kind::Exec,
        b"120000" => Kind::Link,
        b"160000" => Kind::Submodule,
        b"040000" => Kind::Dir,
        other => panic!("mode {other:?}"),
    };
    (RepoPath::from_git(&line[tab + 1..]), Entry { kind, id: Oid::from_hex(head[2]) })
}

fn git(root: &Path, home: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let out = hermetic("git", home).current_dir(root).args(args).output().expect("git runs");
    if out.status.success() { Ok(out.stdout) } else { Err(Error::unchecked(String::from_utf8_lossy(&out.stderr))) }
}

impl Tree for GitTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(self.entries.get(path).copied())
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let child = |(path, entry): (&RepoPath, &Entry)| {
            (path.parent().as_ref() == Some(dir)).then(|| (BString::from(path.name()), *entry))
        };
        Ok(self.entries.iter().filter_map(child).collect())
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        let is_wanted =
            |(path, entry): &(&RepoPath, &Entry)| entry.kind != Kind::Dir && path.is_within(dir) && want(path);
        Ok(self.entries.iter().filter(is_wanted).map(|(path, entry)| (path.clone(), *entry)).collect())
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        Ok(self.read(path)?.map(|bytes| bytes.len() as u64))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        match self.entries.get(path) {
            Some(Entry { kind: Kind::File | Kind::Exec | Kind::Link, id: Some(id) }) => (self.blobs)(id).map(Some),
            _ => Ok(None),
        }
    }
}

/// Commits by `git cat-file` and `git ls-tree`.
pub struct GitHistory {
    root: PathBuf,
    home: PathBuf,
}

impl History for GitHistory {
    fn anchor(&self, commit: &Oid) -> Result<Anchor> {
        let id = commit.to_string();
        match git(&self.root, &self.home, &["cat-file", "-t", &id]) {
            Err(_) => {
                let shallow = git(&self.root, &self.home, &["rev-parse", "--is-shallow-repository"])?;
                let why = if shallow == b"true\n" { MissingAnchor::Shallow } else { MissingAnchor::Pruned };
                Ok(Anchor::Missing(why))
            }
            Ok(kind) if kind == b"commit\n" => {
                let tree = git(&self.root, &self.home, &["rev-parse", &format!("{id}^{{tree}}")])?;
                let tree = String::from_utf8_lossy(&tree).trim().to_owned();
                Ok(Anchor::Tree(Rc::new(GitTree::new(&self.root, &self.home, &tree)?)))
            }
            Ok(_) => Ok(Anchor::NotACommit),
        }
    }
}
