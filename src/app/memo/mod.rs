//! The memo that a scan stores for hooks: the paths that concern each node, in one tree. Converts it to bytes and back. It
//! holds no verdict. Changes since that tree are found by comparing trees, so a memo of any age is either right or ignored.
//!
//! Layout of the body ([`wire`]): the tree's id; whether its configuration names run logs; seven counts; the directories
//! with their flags, then the literal paths, the globs, the file names, the commands and the measured contents, each with the
//! number of its directory ([`table`]); the evidence hashes (32 bytes each). Each list is sorted and has no duplicates.

pub mod anchors;
mod directories;
pub(crate) mod parsed;
pub(crate) mod record;
pub(crate) mod shared_pieces;
mod stamps;
mod table;
pub(crate) mod units;
pub mod wire;

use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::store::memo::MemoKind;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::shared::SharedMode;
use bstr::{BStr, ByteSlice};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use table::Table;
use wire::{Magic, Remaining};

/// The format and its version.
pub const MAGIC: Magic = *b"yatsu\0ma";

/// The path of the hooks' memo below a git directory.
pub fn paths_file(git_dir: &Path) -> PathBuf {
    path(MemoKind::Paths, git_dir)
}

/// The path of the anchor memo below a git directory.
pub fn anchors_file(git_dir: &Path) -> PathBuf {
    path(MemoKind::Anchors, git_dir)
}

/// The path of the memo of parsed working-tree files below a git directory.
pub fn parsed_file(git_dir: &Path) -> PathBuf {
    path(MemoKind::Parsed, git_dir)
}

pub(crate) fn path(of: MemoKind, git_dir: &Path) -> PathBuf {
    of.path(git_dir, wire::GENERATION)
}

/// Replaces a memo below a git directory. `shared` is the file mode if several people share the repository.
///
/// # Errors
/// When the memo cannot be written; the old one then stays.
pub(super) fn replace(of: MemoKind, git_dir: &Path, bytes: &[u8], shared: Option<SharedMode>) -> Result<()> {
    of.replace(git_dir, wire::GENERATION, bytes, shared)
}

/// The memo that a program of this generation would write for a tree without yatsu-hook files; `None` if it would be too
/// large. For tests that memos of other programs are ignored.
pub fn empty_of(generation: &str, tree: Oid) -> Option<Vec<u8>> {
    let own = Notes::of_nothing(tree, false).encode()?;
    wire::seal_as(generation, &MAGIC, wire::open(&MAGIC, &own)?)
}

/// The facts about a node's directory, beside its paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The scan saw other files there than the tree holds: look again at every change.
    pub unsure: bool,
    /// A symbolic link lies on the path to a governed file: look again at every change.
    pub linked: bool,
    /// A governed file did not exist when it was measured: look again when a path is added.
    pub appeared: bool,
    /// The scan did not check for `appeared`: when a path is added, this memo cannot decide.
    pub unasked: bool,
    /// The directory is a node, not just the place of a left-behind ledger. Other nodes' names depend on it.
    pub node: bool,
    /// A ledger there holds a decision about a patch. A push to the main branch then asks for proofs.
    pub decides: bool,
}

/// A memo being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notes {
    /// The tree that the memo describes.
    pub tree: Oid,
    /// Whether files that belong to no node may matter by the configuration, for example because it names places for run logs.
    pub names_files: bool,
    /// The directories with yatsu-hook files.
    pub dirs: BTreeMap<RepoPath, Flags>,
    /// Governed paths, related paths, test paths, paths of stamped units, and stamped files that left their list, each with the
    /// directory that names it. Where hooks print `under-declared`, files that ran, too.
    pub paths: BTreeSet<(RepoPath, RepoPath)>,
    /// The same for patterns with glob characters.
    pub globs: BTreeSet<(RepoPath, RepoPath)>,
    /// The names of files with governed units, each with the governing directory. A unit may come from another file of that
    /// name, in any directory.
    pub names: BTreeSet<(RepoPath, RepoPath)>,
    /// The hashes of the commands that scenarios declare, each with the declaring directory.
    pub commands: BTreeSet<(RepoPath, RepoPath)>,
    /// The contents of stamped files that left their list, each with the directory of the reading. If the file is gone, the
    /// reading depends on whether another path has the content: the file may have a new name.
    pub contents: BTreeSet<(RepoPath, RepoPath)>,
    /// Every evidence hash that a reading names.
    pub hashes: BTreeSet<EvidenceHash>,
}

/// A content in the memo: the beginning of its id. Two contents with one beginning concern a few nodes too many.
pub(crate) fn content_key(id: &Oid) -> RepoPath {
    RepoPath::from_git(&id.to_string()[..16])
}

/// A declared command in the memo: its hash, because commands are long and hold any character.
pub(crate) fn command_key(command: &str) -> RepoPath {
    let hash = EvidenceHash(Sha256::digest(command).into()).to_string();
    RepoPath::from_git(&hash[..16])
}

/// The number of flag combinations.
const FLAGS: usize = 1 << 6;

/// A memo that was read. All paths are slices of the file.
#[derive(Debug)]
pub struct PathsMemo<'a> {
    /// The tree that the memo describes.
    pub tree: Oid,
    /// Whether files that belong to no node may matter, as [`Notes::names_files`] says. Otherwise only the usual places of run
    /// logs count.
    pub names_files: bool,
    dirs: Table<'a>,
    /// The paths, each with the number of its directory; so also the globs.
    paths: Table<'a>,
    globs: Table<'a>,
    names: Table<'a>,
    commands: Table<'a>,
    contents: Table<'a>,
    hashes: &'a [[u8; 32]],
}

impl Notes {
    /// The memo of this tree without yatsu-hook files.
    pub(crate) fn of_nothing(tree: Oid, names_files: bool) -> Self {
        let (dirs, hashes) = (BTreeMap::new(), BTreeSet::new());
        let [paths, globs, names, commands, contents] = [const { BTreeSet::new() }; 5];
        Self { tree, names_files, dirs, paths, globs, names, commands, contents, hashes }
    }

    /// The bytes of the memo; `None` if it would be too large to be of use.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        wire::put_id(&mut body, &self.tree);
        body.push(self.names_files.into());
        let lists = [&self.paths, &self.globs, &self.names, &self.commands, &self.contents];
        for count in [self.dirs.len()].into_iter().chain(lists.map(BTreeSet::len)).chain([self.hashes.len()]) {
            wire::put_count(&mut body, count)?;
        }
        let dirs: Vec<_> = self.dirs.iter().map(|(dir, flags)| (dir, u32::from(flags.bits()))).collect();
        table::put(&mut body, &dirs)?;
        let numbers: BTreeMap<&RepoPath, u32> = self.dirs.keys().zip(0..).collect();
        for list in lists {
            let list: Option<Vec<_>> = list.iter().map(|(path, dir)| Some((path, *numbers.get(dir)?))).collect();
            table::put(&mut body, &list?)?;
        }
        self.hashes.iter().for_each(|hash| body.extend_from_slice(&hash.0));
        wire::seal(&MAGIC, &body)
    }
}

impl Flags {
    fn bits(self) -> u8 {
        let bits = [self.unsure, self.linked, self.appeared, self.node, self.unasked, self.decides];
        bits.iter().rev().fold(0, |all, bit| all << 1 | u8::from(*bit))
    }

    /// The flags with these bits, a number below [`FLAGS`].
    fn of(bits: usize) -> Self {
        let has = |bit: u8| bits & 1 << bit != 0;
        Self { unsure: has(0), linked: has(1), appeared: has(2), node: has(3), unasked: has(4), decides: has(5) }
    }
}

impl<'a> PathsMemo<'a> {
    /// Reads a memo; `None` unless all bytes are as [`Notes::encode`] wrote them. The checksum proves that, so the lists
    /// are checked only as far as needed to keep every later access in bounds.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
        let tree = cursor.id()?;
        let names_files = cursor.byte().filter(|byte| *byte < 2)? == 1;
        let [dirs, paths, globs] = [cursor.count()?, cursor.count()?, cursor.count()?];
        let [names, commands] = [cursor.count()?, cursor.count()?];
        let [contents, hashes] = [cursor.count()?, cursor.count()?];
        let memo = Self {
            tree,
            names_files,
            dirs: Table::read(&mut cursor, dirs, FLAGS)?,
            paths: Table::read(&mut cursor, paths, dirs)?,
            globs: Table::read(&mut cursor, globs, dirs)?,
            names: Table::read(&mut cursor, names, dirs)?,
            commands: Table::read(&mut cursor, commands, dirs)?,
            contents: Table::read(&mut cursor, contents, dirs)?,
            hashes: cursor.hashes(hashes)?,
        };
        cursor.is_at_end().then_some(memo)
    }

    fn flagged(&self) -> impl Iterator<Item = (&'a [u8], Flags)> {
        self.dirs.since(0).map(|(dir, bits)| (dir, Flags::of(bits)))
    }

    /// Whether the tree has no yatsu-hook file.
    pub fn is_empty(&self) -> bool {
        self.dirs.len() == 0
    }

    /// The directories with flags that `want` accepts.
    pub fn dirs(&self, want: impl Fn(Flags) -> bool) -> impl Iterator<Item = RepoPath> {
        self.flagged().filter(move |(_, flags)| want(*flags)).map(|(dir, _)| RepoPath::from_git(dir))
    }

    /// The directories of the nodes that are not in `dirs`.
    pub(crate) fn nodes_beside(&self, dirs: &BTreeSet<RepoPath>) -> Vec<&'a BStr> {
        let mut beside = dirs.iter().map(RepoPath::as_bstr).peekable();
        let is_other = |dir: &&BStr| {
            while beside.next_if(|other| other < dir).is_some() {}
            beside.peek() != Some(dir)
        };
        let nodes = self.flagged().filter(|(_, flags)| flags.node);
        nodes.map(|(dir, _)| dir.as_bstr()).filter(is_other).collect()
    }

    /// The memo without its entries for `dirs`, as a start for a new one. All hashes stay, because their nodes are unknown.
    pub(crate) fn without(&self, dirs: &BTreeSet<RepoPath>) -> Notes {
        let path = |path: &[u8]| RepoPath::from_git(path);
        let kept: Vec<Option<RepoPath>> =
            self.dirs.since(0).map(|(dir, _)| Some(path(dir)).filter(|dir| !dirs.contains(dir))).collect();
        let entries =
            |list: Table<'_>| list.since(0).filter_map(|(at, dir)| Some((path(at), kept[dir].clone()?))).collect();
        let flags = self.flagged().map(|(_, flags)| flags);
        Notes {
            tree: self.tree,
            names_files: self.names_files,
            dirs: kept.iter().cloned().zip(flags).filter_map(|(dir, flags)| Some((dir?, flags))).collect(),
            paths: entries(self.paths),
            globs: entries(self.globs),
            names: entries(self.names),
            commands: entries(self.commands),
            contents: entries(self.contents),
            hashes: self.hashes.iter().copied().map(EvidenceHash).collect(),
        }
    }

    /// The directories that name `path`, a path above it or a path below it.
    pub fn naming(&self, path: &RepoPath) -> Vec<RepoPath> {
        let mut found = Vec::new();
        let above = std::iter::successors(Some(path.clone()), RepoPath::parent);
        for at in above {
            let at = at.as_bstr().as_bytes();
            let of_path = self.paths.since(self.paths.position(at));
            found.extend(of_path.take_while(|(named, _)| *named == at).map(|(_, dir)| dir));
        }
        let below = path.child(b"");
        let below = below.as_bstr().as_bytes();
        let named_below = self.paths.since(self.paths.position(below));
        found.extend(named_below.take_while(|(named, _)| named.starts_with(below)).map(|(_, dir)| dir));
        found.into_iter().map(|dir| RepoPath::from_git(self.dirs.path(dir))).collect()
    }

    /// The directories that govern a unit of a file of this name.
    pub fn with_units_of(&self, name: &[u8]) -> impl Iterator<Item = RepoPath> {
        let of_name = self.names.since(self.names.position(name)).take_while(move |(other, _)| *other == name);
        of_name.map(|(_, dir)| RepoPath::from_git(self.dirs.path(dir)))
    }

    /// Whether a measured file left its list. Almost no memo says so, and then no content need be looked up.
    pub(crate) fn has_contents(&self) -> bool {
        self.contents.len() > 0
    }

    /// The directories with a measured file of this content that left its list.
    pub fn with_content(&self, id: &Oid) -> impl Iterator<Item = RepoPath> {
        let key = content_key(id);
        let of_key = self.contents.since(self.contents.position(key.as_bstr()));
        let of_key = of_key.take_while(move |(other, _)| *other == key.as_bstr().as_bytes());
        of_key.map(|(_, dir)| RepoPath::from_git(self.dirs.path(dir)))
    }

    /// Every literal path that a node names.
    pub(crate) fn paths(&self) -> impl Iterator<Item = RepoPath> {
        self.paths.since(0).map(|(path, _)| RepoPath::from_git(path))
    }

    /// Whether a scenario declares this command.
    pub(crate) fn declares(&self, command: &str) -> bool {
        let key = command_key(command);
        let key = key.as_bstr().as_bytes();
        self.commands.since(self.commands.position(key)).next().is_some_and(|(found, _)| found == key)
    }

    /// Every glob with the directory that names it.
    pub fn globs(&self) -> impl Iterator<Item = (RepoPath, RepoPath)> {
        let dir = |number| RepoPath::from_git(self.dirs.path(number));
        self.globs.since(0).map(move |(glob, number)| (RepoPath::from_git(glob), dir(number)))
    }

    /// The directories outside of `dirs` with a ledger that holds a decision about a patch.
    pub(crate) fn deciding_beside(&self, dirs: &BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
        self.dirs(|flags| flags.decides).filter(|dir| !dirs.contains(dir)).collect()
    }

    /// Whether a reading names any bytes.
    pub fn names_any(&self) -> bool {
        !self.hashes.is_empty()
    }

    /// Whether a reading names these bytes.
    pub(crate) fn names(&self, hash: &EvidenceHash) -> bool {
        self.hashes.binary_search(&hash.0).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::from_git(text)
    }

    fn notes() -> Notes {
        let pair = |(path, dir): (&str, &str)| (RepoPath::from_git(path), RepoPath::from_git(dir));
        let unsure = Flags { unsure: true, ..Flags::default() };
        Notes {
            tree: Oid::from_bytes(&[7; 20]).unwrap(),
            names_files: true,
            dirs: [(path(".spec/a"), Flags::default()), (path(".spec/b"), unsure)].into(),
            paths: [("src", ".spec/b"), ("src/a.rs", ".spec/a"), ("src/a.rs", ".spec/b"), ("src-x/y", ".spec/a")]
                .map(pair)
                .into(),
            globs: [("lib/*.rs", ".spec/a")].map(pair).into(),
            names: [("a.rs", ".spec/a"), ("a.rs", ".spec/b"), ("b.rs", ".spec/b")].map(pair).into(),
            commands: [(command_key("make"), path(".spec/a"))].into(),
            contents: [(content_key(&Oid::from_bytes(&[8; 20]).unwrap()), path(".spec/b"))].into(),
            hashes: [EvidenceHash([1; 32]), EvidenceHash([9; 32])].into(),
        }
    }

    fn naming(memo: &PathsMemo<'_>, text: &str) -> Vec<String> {
        memo.naming(&path(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = notes().encode().unwrap();
        let memo = PathsMemo::decode(&bytes).unwrap();
        assert_eq!((memo.tree, memo.names_files), (notes().tree, true));
        assert_eq!(memo.dirs(|flags| flags.unsure).collect::<Vec<_>>(), [path(".spec/b")]);
        assert_eq!(naming(&memo, "src/a.rs"), [".spec/a", ".spec/b", ".spec/b"]);
        assert_eq!(naming(&memo, "src/b.rs"), [".spec/b"]);
        assert_eq!(naming(&memo, "src-x"), [".spec/a"], "what lies below counts");
        assert_eq!(naming(&memo, "sr"), [""; 0]);
        assert_eq!(memo.globs().collect::<Vec<_>>(), [(path("lib/*.rs"), path(".spec/a"))]);
        let with_units = |name: &str| memo.with_units_of(name.as_bytes()).collect::<Vec<_>>();
        assert_eq!(with_units("a.rs"), [path(".spec/a"), path(".spec/b")]);
        assert_eq!((with_units("b.rs"), with_units("a")), (vec![path(".spec/b")], Vec::new()));
        assert_eq!(["make", "make ", "", "mak"].map(|command| memo.declares(command)), [true, false, false, false]);
        assert!(memo.names(&EvidenceHash([9; 32])) && !memo.names(&EvidenceHash([8; 32])));
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        wire::damaged(&notes().encode().unwrap(), |bytes| PathsMemo::decode(bytes).is_none());
    }

    #[test]
    fn a_right_checksum_does_not_make_wrong_lists_right() {
        let good = notes().encode().unwrap();
        let body = |from: usize, to: &[u8]| {
            let mut body = wire::open(&MAGIC, &good).unwrap().to_vec();
            body[from..from + to.len()].copy_from_slice(to);
            wire::seal(&MAGIC, &body).unwrap()
        };
        assert!(PathsMemo::decode(&body(1, &[7])).is_some(), "the same bytes");
        let counts = 1 + 20 + 1;
        for (at, value) in [
            (0, &[19][..]),
            (21, &[2]),
            (counts, &[255; 4]),
            (counts, &[1, 0]),
            (counts + 4, &[3]),
            (counts + 12, &[1]),
            (counts + 16, &[2]),
            (counts + 20, &[2]),
            (counts + 24, &[1]),
        ] {
            assert!(PathsMemo::decode(&body(at, value)).is_none(), "{at}");
        }
        let (ends, flags) = (counts + 28, counts + 28 + 8);
        assert!(PathsMemo::decode(&body(flags, &[64])).is_none(), "unknown flags");
        assert!(PathsMemo::decode(&body(ends, &[99])).is_none(), "the first ends behind the second");
        assert!(PathsMemo::decode(&body(ends + 4, &[99])).is_none(), "the second ends behind the list");
        let dir_of_a_path = flags + 8 + ".spec/a.spec/b".len() + 4 * 4;
        assert!(PathsMemo::decode(&body(dir_of_a_path, &[1])).is_some(), "the same bytes");
        assert!(PathsMemo::decode(&body(dir_of_a_path, &[2])).is_none(), "there are two directories");
    }
}
