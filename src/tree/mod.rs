//! The questions the engine asks of a judged tree and of history. `repo` answers them for the index, a commit and the
//! working tree; tests answer them from a map.

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

/// What sits at a path.
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

/// What sits at a path, and its content by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// The id of its content. `None` for a directory whose tree was never written (in the index or on disk), and in
    /// listings of the working tree for a file that has not been hashed yet; [`Tree::entry`] always fills it for
    /// anything but a directory and a working-tree file that only an external filter could turn into what git stores:
    /// what such a file holds is unknown, which is neither the same nor different.
    pub id: Option<Oid>,
}

/// What the disk says of a file: with the same stamp it is the same file with the same bytes, unless it changed within the
/// grain of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The device that it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its bytes.
    pub size: u64,
    /// When its content last changed, in seconds and nanoseconds since 1970; anybody may set this time.
    pub modified: (i64, i64),
    /// When anything about it last changed; the system alone sets this time.
    pub changed: (i64, i64),
}

/// What a directory on disk holds that the index does not name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayName {
    /// The name, without the directory.
    pub name: BString,
    /// Whether it is a directory, a link to one aside.
    pub is_dir: bool,
}

/// The state in which a directory was listed: as long as it is in it, a listing would find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedState {
    /// What the disk says of the directory: whoever adds, removes or renames something in it changes its times.
    pub stamp: FileStamp,
    /// What the index names in it, hashed.
    pub index: u64,
}

/// Who remembers what directories of the working tree held.
pub trait ListedBefore {
    /// What was found in `dir` in this state.
    fn found(&self, dir: &RepoPath, state: &ListedState) -> Option<Rc<[StrayName]>>;

    /// Hears what was found in `dir` in this state.
    fn learn(&self, dir: &RepoPath, state: &ListedState, found: &Rc<[StrayName]>);
}

/// One judged state of the repository's content: the index, a commit's tree, or the working tree.
///
/// Every method fails with [`crate::error::ErrorKind::Unchecked`] when the answer cannot be had; absence is never
/// reported for what could not be read.
pub trait Tree {
    /// What sits at `path`, or `None`. Symbolic links are not followed, neither as the path nor on the way to it.
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>>;

    /// What sits at `path`, its content aside: the working tree need not hash anything to answer.
    fn kind(&self, path: &RepoPath) -> Result<Option<Kind>> {
        Ok(self.entry(path)?.map(|entry| entry.kind))
    }

    /// The direct children of a directory, sorted by name; empty for what is no directory.
    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>>;

    /// The same for a directory whose id is known, which a commit's tree need not walk to.
    fn children_of(&self, dir: &RepoPath, _id: Option<Oid>) -> Result<Vec<(BString, Entry)>> {
        self.children(dir)
    }

    /// All files, links and submodules at or below `dir` for which `want` holds, sorted by path bytes. In the working
    /// tree: what git tracks and still exists, and what is untracked but not ignored.
    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>>;

    /// The same of the whole tree, for a `want` that holds only where [`names::may_be_ours`] does: a tree that can tell
    /// those from all others need not ask about each.
    fn files_like_ours(&self, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        self.files(&RepoPath::root(), &|path| names::may_be_ours(path.as_bstr()) && want(path))
    }

    /// The size in bytes of a file's or link's content, without reading it.
    fn size(&self, path: &RepoPath) -> Result<Option<u64>>;

    /// The content of a file, or the target of a link; `None` for anything else.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>>;

    /// The same for what a listing of this tree found at `path`, which need not be looked up again.
    fn size_of(&self, path: &RepoPath, _entry: &Entry) -> Result<Option<u64>> {
        self.size(path)
    }

    /// The content of what a listing of this tree found at `path`, which need not be looked up again.
    fn read_of(&self, path: &RepoPath, _entry: &Entry) -> Result<Option<Vec<u8>>> {
        self.read(path)
    }

    /// The stamp of the file at `path`, which says what it said when it had this stamp before, whatever is configured. Only
    /// the working tree has any. `content` is what was read of it, where that is known: some content git would store in
    /// one form or another.
    fn file_stamp(&self, _path: &RepoPath, _content: Option<&[u8]>) -> Option<FileStamp> {
        None
    }

    /// From now on `before` is asked for what directories held, and told. Only the working tree lists any.
    fn know_listings(&self, _before: Rc<dyn ListedBefore>) {}

    /// Those of `paths` that git ignores, each with the rule that says so; only the working tree has any. What git tracks
    /// is not ignored, whatever a rule says.
    fn ignored(&self, _paths: &[RepoPath]) -> Result<Vec<Ignored>> {
        Ok(Vec::new())
    }

    /// The ignored files for which `want` holds, below `dirs` or beside a file that git tracks, sorted by path: what
    /// somebody may take for a part of the repository. Only the working tree has any.
    fn hidden(&self, _dirs: &[RepoPath], _want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<Ignored>> {
        Ok(Vec::new())
    }

    /// Whether git does not know `path` although it is on disk; only the working tree can say yes.
    fn is_untracked(&self, _path: &RepoPath) -> Result<bool> {
        Ok(false)
    }
}

/// What lies on disk and git passes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file that is passed over.
    pub path: RepoPath,
    /// The last rule that matches, which is the one that decides.
    pub rule: IgnoreRule,
}

/// A rule by which git ignores, as git names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The file that it stands in: a `.gitignore`, seen from the top, git's own list, or a file outside the repository.
    pub file: BString,
    /// Its line, from 1.
    pub line: u32,
    /// The pattern as it stands there.
    pub pattern: BString,
}

impl IgnoreRule {
    /// The rule for a message: its pattern, and where it stands.
    pub(crate) fn words(&self) -> String {
        let (pattern, file) = (self.pattern.to_str_lossy(), self.file.to_str_lossy());
        // of a long way the end says more than the beginning
        let file = match file.char_indices().rev().nth(ECHO - 1) {
            Some((start, _)) if start > 0 => format!("…{}", &file[start..]),
            _ => file.into_owned(),
        };
        format!("`{}` ({file}:{})", echo(&pattern), self.line)
    }

    /// The `.gitignore` of the repository that it stands in, if it does.
    pub(crate) fn tracked_file(&self) -> Option<RepoPath> {
        let path = RepoPath::parse(&self.file).ok()?;
        (path.name() == ".gitignore").then_some(path)
    }
}

/// The commit a reading names, as git answers for it.
#[derive(Clone)]
pub enum Anchor {
    /// The content of that commit.
    Tree(Rc<dyn Tree>),
    /// Not in the object database.
    Missing(MissingAnchor),
    /// The id names an object that is no commit.
    NotACommit,
}

/// Why a commit is not in the object database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingAnchor {
    /// The clone is shallow: history beyond its depth was never fetched.
    Shallow,
    /// History was rewritten and the commit pruned, or it never came here.
    Pruned,
}

/// History, as far as freshness needs it: the content of commits, never their order; and the content of files by their ids,
/// of which a stamp names some that no commit holds.
pub trait History {
    /// The tree of `commit`.
    fn anchor(&self, commit: &Oid) -> Result<Anchor>;

    /// The size in bytes of the file content with this id; `None` where the object database has none of that name.
    fn content_size(&self, id: &Oid) -> Result<Option<u64>> {
        Ok(self.content(id)?.map(|content| content.len() as u64))
    }

    /// Whether the object database has an object of this name, where only a file content can have it.
    fn has_content(&self, id: &Oid) -> Result<bool> {
        Ok(self.content_size(id)?.is_some())
    }

    /// The file content with this id; `None` where the object database has none of that name.
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
    /// When nobody may parse it here, or not in time.
    fn units(&self, language: Language, source: &[u8]) -> Result<std::result::Result<Units, UnreadUnits>> {
        Ok(units::read(language, source, &mut || false))
    }

    /// Who reads the units of many source files at once, where somebody may; the answers are those of [`Self::units`].
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
