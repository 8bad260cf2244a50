//! The questions that the engine asks about a judged tree and about history. `repo` answers them for the index, a commit
//! and the working tree; tests answer them from a map.

#[cfg(test)]
pub(crate) mod memory;
pub mod oid;
pub mod path;
pub mod shared;

use crate::error::{Error, Result};
use crate::names;
use crate::text::escape::{ECHO, echo};
use crate::text::units::{self, Language, ReadUnits, Units, UnreadUnits};
use bstr::{BString, ByteSlice};
use oid::Oid;
use path::RepoPath;
use std::rc::Rc;

/// The kind of entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A regular file (mode 100644).
    File,
    /// An executable file (mode 100755).
    Exec,
    /// A symbolic link (mode 120000); its content is its target.
    Link,
    /// A submodule (mode 160000); its id is the commit it is pinned to.
    Submodule,
    /// A directory (mode 040000).
    Dir,
}

/// The kind of entry at a path, and the id of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kind of the entry.
    pub kind: Kind,
    /// The id of its content. `None` for a directory without a written tree (in the index or on disk), and in listings of
    /// the working tree for a file that is not hashed yet. [`Tree::entry`] fills it for everything else but a working-tree
    /// file that needs an external filter to become what git stores: such content is unknown, neither equal nor different.
    pub id: Option<Oid>,
}

/// The metadata of a file on disk. An equal stamp means the same file with the same bytes, unless the file changed within
/// the resolution of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The device that holds it.
    pub device: u64,
    /// Its inode number on the device.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed, in seconds and nanoseconds since 1970. Any program may set this time.
    pub modified: (i64, i64),
    /// When any of its metadata last changed. Only the system sets this time.
    pub changed: (i64, i64),
}

/// What says that a file has the same bytes as before, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKey {
    /// A file of the working tree, by its metadata.
    OnDisk(FileStamp),
    /// A file of git, by the id of its content.
    Blob(Oid),
}

/// An entry of a directory on disk that is not in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayName {
    /// The name, without the directory.
    pub name: BString,
    /// Whether it is a directory; false for a link to a directory.
    pub is_dir: bool,
}

/// The state of a directory when it was listed. As long as it is unchanged, a listing would return the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedState {
    /// The metadata of the directory. Adding, removing or renaming an entry changes its times.
    pub stamp: FileStamp,
    /// A hash of the index entries in it.
    pub index: u64,
}

/// A memory of earlier listings of the working tree.
pub trait ListedBefore {
    /// The names found in `dir` in this state.
    fn found(&self, dir: &RepoPath, state: &ListedState) -> Option<Rc<[StrayName]>>;

    /// Remembers the names found in `dir` in this state.
    fn learn(&self, dir: &RepoPath, state: &ListedState, found: &Rc<[StrayName]>);
}

/// Files with their entries, sorted by path bytes.
pub type Listed = Vec<(RepoPath, Entry)>;

/// Whether a path is wanted in a listing.
pub type Want<'w> = &'w dyn Fn(&RepoPath) -> bool;

/// One judged state of the repository's content: the index, a commit's tree, or the working tree.
///
/// Every method fails with [`crate::error::ErrorKind::Unchecked`] if the answer is unavailable. A read failure is never
/// reported as absence.
pub trait Tree {
    /// The entry at `path`, or `None`. Symbolic links are not followed, neither at the path nor on the way to it.
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>>;

    /// The kind of the entry at `path`. The working tree can answer without hashing.
    fn kind(&self, path: &RepoPath) -> Result<Option<Kind>> {
        Ok(self.entry(path)?.map(|entry| entry.kind))
    }

    /// The direct children of a directory, sorted by name; empty for anything else.
    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>>;

    /// The same for a directory with a known id. A commit's tree then need not walk to it.
    fn children_of(&self, dir: &RepoPath, _id: Option<Oid>) -> Result<Vec<(BString, Entry)>> {
        self.children(dir)
    }

    /// All files, links and submodules at or below `dir` that satisfy `want`, sorted by path bytes. In the working tree:
    /// the tracked files that exist, and the untracked files that are not ignored.
    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed>;

    /// The same for the whole tree. `want` must hold only for paths that [`names::may_be_ours`] accepts, so that a tree
    /// that can skip all other paths need not ask about each.
    fn files_like_ours(&self, want: Want<'_>) -> Result<Listed> {
        self.files(&RepoPath::root(), &|path| names::may_be_ours(path.as_bstr()) && want(path))
    }

    /// The size in bytes of a file's or link's content, without reading it. Implement this method or [`Self::size_of`].
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.entry(path)?.map_or(Ok(None), |entry| self.size_of(path, &entry))
    }

    /// The content of a file, or the target of a link; `None` for anything else. Implement this method or [`Self::read_of`].
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        self.entry(path)?.map_or(Ok(None), |entry| self.read_of(path, &entry))
    }

    /// The size of an entry from a listing of this tree, without another lookup.
    fn size_of(&self, path: &RepoPath, _entry: &Entry) -> Result<Option<u64>> {
        self.size(path)
    }

    /// The content of an entry from a listing of this tree, without another lookup.
    fn read_of(&self, path: &RepoPath, _entry: &Entry) -> Result<Option<Vec<u8>>> {
        self.read(path)
    }

    /// The stamp of the file at `path`. An equal stamp guarantees equal content under any configuration. Only the working
    /// tree has stamps. `content` is the file's content if it was read. A file that git may convert when it stores it gets
    /// no stamp.
    fn file_stamp(&self, _path: &RepoPath, _content: Option<&[u8]>) -> Option<FileStamp> {
        None
    }

    /// The key of a listed file's content, for a memory of files that were parsed before; `None` where none is kept.
    /// `content` as in [`Self::file_stamp`].
    fn content_key(&self, path: &RepoPath, _entry: &Entry, content: Option<&[u8]>) -> Option<ContentKey> {
        self.file_stamp(path, content).map(ContentKey::OnDisk)
    }

    /// Sets the memory that is asked for earlier listings and gets new ones. Only the working tree uses it.
    fn know_listings(&self, _before: Rc<dyn ListedBefore>) {}

    /// The paths among `paths` that git ignores, each with the deciding rule; only the working tree has any. A tracked file
    /// is never ignored.
    fn ignored(&self, _paths: &[RepoPath]) -> Result<Vec<Ignored>> {
        Ok(Vec::new())
    }

    /// The ignored files that satisfy `want`, below `dirs` or beside a tracked file, sorted by path. A user may think that
    /// they are part of the repository. Only the working tree has any.
    fn hidden(&self, _dirs: &[RepoPath], _want: Want<'_>) -> Result<Vec<Ignored>> {
        Ok(Vec::new())
    }

    /// Whether git's attributes call the file at `path` generated or vendored, as GitHub's linguist reads them. Only the
    /// working tree says so.
    fn is_generated(&self, _path: &RepoPath) -> Result<bool> {
        Ok(false)
    }

    /// Whether `path` is on disk but unknown to git; true only in the working tree.
    fn is_untracked(&self, _path: &RepoPath) -> Result<bool> {
        Ok(false)
    }
}

/// A file on disk that git ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The ignored file.
    pub path: RepoPath,
    /// The last matching rule, which decides.
    pub rule: IgnoreRule,
}

/// A rule that makes git ignore files, in git's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The file of the rule: a `.gitignore` (relative to the top), git's own list, or a file outside the repository.
    pub file: BString,
    /// Its line, from 1.
    pub line: u32,
    /// The pattern as written there.
    pub pattern: BString,
}

impl IgnoreRule {
    /// The rule for a message: its pattern and its place.
    pub(crate) fn words(&self) -> String {
        let (pattern, file) = (self.pattern.to_str_lossy(), self.file.to_str_lossy());
        // the end of a long path is more informative than its beginning
        let file = match file.char_indices().rev().nth(ECHO - 1) {
            Some((start, _)) if start > 0 => format!("…{}", &file[start..]),
            _ => file.into_owned(),
        };
        format!("`{}` ({file}:{})", echo(&pattern), self.line)
    }

    /// The `.gitignore` of the repository that holds the rule, if one does.
    pub(crate) fn tracked_file(&self) -> Option<RepoPath> {
        let path = RepoPath::parse(&self.file).ok()?;
        (path.name() == ".gitignore").then_some(path)
    }
}

/// The commit that a reading names, as looked up in git.
#[derive(Clone)]
pub enum Anchor {
    /// The content of that commit.
    Tree(Rc<dyn Tree>),
    /// Not in the object database.
    Missing(MissingAnchor),
    /// The id names an object of another kind.
    NotACommit,
}

/// Why a commit is not in the object database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingAnchor {
    /// The clone is shallow: history beyond its depth was never fetched.
    Shallow,
    /// History was rewritten and the commit was pruned, or it was never fetched.
    Pruned,
}

/// History, as far as freshness needs it: the content of commits, never their order, and file contents by id. A stamp can
/// name contents that are in no commit.
pub trait History {
    /// The tree of `commit`.
    fn anchor(&self, commit: &Oid) -> Result<Anchor>;

    /// The size in bytes of the file content with this id; `None` if the object database has no such content.
    fn content_size(&self, id: &Oid) -> Result<Option<u64>> {
        Ok(self.content(id)?.map(|content| content.len() as u64))
    }

    /// Whether the object database has an object with this id. Used only for ids of file contents.
    fn has_content(&self, id: &Oid) -> Result<bool> {
        Ok(self.content_size(id)?.is_some())
    }

    /// The file content with this id; `None` if the object database has no such content.
    fn content(&self, _id: &Oid) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// The id of a file with this content.
    fn content_id(&self, _content: &[u8]) -> Result<Oid> {
        Err(Error::fault("nothing here names contents"))
    }

    /// The units of a source file, or why they are not known.
    ///
    /// # Errors
    /// When it may not be parsed here, or parsing takes too long.
    fn units(&self, language: Language, source: &[u8]) -> Result<std::result::Result<Units, UnreadUnits>> {
        Ok(units::read(language, source, &mut || false))
    }

    /// A function that reads the units of many source files at once, if there is one. Its answers equal [`Self::units`].
    fn units_together(&self) -> Option<ReadUnits> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_to_a_rule_is_cut_at_its_beginning() {
        let rule = |file: String| IgnoreRule { file: file.into(), line: 7, pattern: "*.spec".into() };
        assert_eq!(rule("sub/.gitignore".into()).words(), "`*.spec` (sub/.gitignore:7)");
        let long = rule("/long".repeat(40) + "/.git/info/exclude").words();
        assert!(long.ends_with("/.git/info/exclude:7)") && long.chars().count() < 100, "{long}");
    }
}
