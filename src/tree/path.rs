//! Paths inside a repository: bytes, `/`-separated, relative to its top, normalised, never leaving it.

use crate::text::spelled::spelled;
use bstr::{BStr, BString, ByteSlice};
use std::fmt;

/// Longest accepted path in bytes.
pub const MAX_PATH: usize = 4096;
/// Deepest directory that is read: every walk down a tree stops here, before the stack overflows.
pub(crate) const MAX_DEPTH: usize = 512;

/// A normalised repository-relative path. The empty path is the top directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RepoPath(BString);

spelled! {
    /// Why a text is not a path of this repository, spelled as the end of a sentence that begins with the path.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PathProblem {
        /// Nothing in it.
        Empty = "is empty",
        /// `/x`, `C:\x`, `\\srv\x`, `~/x` or `file:///x`.
        Absolute = "is not relative to the repository",
        /// `..` climbs above the top.
        LeavesRepository = "leaves the repository",
        /// A component that may be taken for `.git`.
        InsideGit = "lies inside .git",
        /// Longer than [`MAX_PATH`].
        TooLong = "is longer than 4096 bytes",
        /// Holds a NUL byte.
        Nul = "holds a NUL byte",
    }
}

impl RepoPath {
    /// The top directory.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path as git itself stores it. Nothing is normalised: the caller guarantees that it came from an index or a tree
    /// with checked entry names.
    pub fn from_git(path: impl Into<BString>) -> Self {
        Self(path.into())
    }

    /// Overwrites this path with `path` and reuses its memory.
    pub(crate) fn set_from_git(&mut self, path: &[u8]) {
        self.0.clear();
        self.0.extend_from_slice(path);
    }

    /// A path as a person wrote it. `./a`, `a//b`, `a/./b`, `a/x/../b` and a trailing `/` are normalised. A path that
    /// leaves the repository is refused.
    pub fn parse(text: &[u8]) -> Result<Self, PathProblem> {
        Self::default().join(text)
    }

    /// Reads `text` like [`RepoPath::parse`], but relative to this directory.
    pub fn join(&self, text: &[u8]) -> Result<Self, PathProblem> {
        refuse_foreign(text)?;
        let mut parts: Vec<&[u8]> = self.components().map(|part| part.as_bytes()).collect();
        for part in text.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    parts.pop().ok_or(PathProblem::LeavesRepository)?;
                }
                _ if names_git_dir(part) => return Err(PathProblem::InsideGit),
                _ => parts.push(part),
            }
        }
        let joined = bstr::join("/", parts);
        if joined.len() > MAX_PATH {
            return Err(PathProblem::TooLong);
        }
        Ok(Self(joined.into()))
    }

    /// The entry `name` of this directory, as git stores it.
    #[must_use]
    pub fn child(&self, name: &[u8]) -> Self {
        if self.0.is_empty() {
            return Self(name.into());
        }
        let mut path = self.0.clone();
        path.push(b'/');
        path.extend_from_slice(name);
        Self(path)
    }

    /// The bytes as git stores them, without a `/` at either end; not always UTF-8.
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    pub(crate) fn to_bstring(&self) -> BString {
        self.0.clone()
    }

    /// Whether this is the top directory.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components from the top down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &BStr> {
        self.0.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).map(ByteSlice::as_bstr)
    }

    /// The last component; empty for the top.
    pub fn name(&self) -> &BStr {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default().as_bstr()
    }

    /// The directory that holds this path; `None` for the top.
    pub(crate) fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.rfind_byte(b'/').unwrap_or(0);
        Some(Self(self.0[..end].into()))
    }

    /// The directories above this path, the nearest first, without the root.
    pub(crate) fn above(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(self.parent(), Self::parent).take_while(|dir| !dir.is_root())
    }

    /// Whether this path is `dir` or lies below it.
    pub(crate) fn is_within(&self, dir: &Self) -> bool {
        dir.is_root() || self.0.strip_prefix(dir.0.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// The relative path from the directory `dir` to this path, as a user types it there, for example `../src/a.rs`.
    pub(crate) fn seen_from(&self, dir: &Self) -> BString {
        let is_same = |(one, other): &(&BStr, &BStr)| one == other;
        let shared = self.components().zip(dir.components()).take_while(is_same).count();
        let up = dir.components().skip(shared).map(|_| BStr::new(".."));
        bstr::join("/", up.chain(self.components().skip(shared))).into()
    }

    /// The part below `dir`: empty for `dir` itself, `None` for a path outside of it.
    pub(crate) fn below(&self, dir: &Self) -> Option<&BStr> {
        if dir.is_root() {
            return Some(self.as_bstr());
        }
        let rest = self.0.strip_prefix(dir.0.as_slice())?;
        match rest.first() {
            None => Some(rest.as_bstr()),
            Some(b'/') => Some(rest[1..].as_bstr()),
            Some(_) => None,
        }
    }
}

fn refuse_foreign(text: &[u8]) -> Result<(), PathProblem> {
    if text.is_empty() {
        return Err(PathProblem::Empty);
    }
    if text.contains(&0) {
        return Err(PathProblem::Nul);
    }
    let drive = text.len() >= 3 && text[0].is_ascii_alphabetic() && text[1] == b':' && matches!(text[2], b'\\' | b'/');
    let absolute = text[0] == b'/'
        || text.starts_with(b"\\\\")
        || text == b"~"
        || text.starts_with(b"~/")
        || text.contains_str("://")
        || drive;
    if absolute { Err(PathProblem::Absolute) } else { Ok(()) }
}

/// Whether a file system may take this component for `.git`: other case, HFS+ ignorable characters, NTFS short names,
/// trailing dots and spaces, alternate streams.
pub fn names_git_dir(part: &[u8]) -> bool {
    let visible: String = part.to_str_lossy().chars().filter(|c| !is_hfs_ignorable(*c)).collect();
    let stem = visible.split([':', '\\']).next().unwrap_or("");
    let name = stem.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    name == ".git" || name == "git~1"
}

/// Code points that HFS+ ignores when it compares names (Apple Technical Note 1150).
fn is_hfs_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0.as_bstr(), f)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_bstr(), f)
    }
}

/// Whether a directory lies too deep for git to check it out, or for the stack.
pub(crate) fn is_too_deep(dir: &[u8]) -> bool {
    dir.len() > MAX_PATH || dir.iter().filter(|byte| **byte == b'/').count() > MAX_DEPTH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, PathProblem> {
        RepoPath::parse(text.as_bytes()).map(|path| path.to_string())
    }

    #[test]
    fn what_people_write_is_normalised() {
        for text in ["src/a.rs", "./src/a.rs", "src//a.rs", "src/./a.rs", "src/x/../a.rs", "src/a.rs/"] {
            assert_eq!(parse(text), Ok("src/a.rs".into()), "{text}");
        }
        assert_eq!(parse("-rf"), Ok("-rf".into()));
        assert_eq!(parse(":(exclude)*"), Ok(":(exclude)*".into()));
    }

    #[test]
    fn what_is_not_inside_is_refused() {
        for text in ["../x", "a/../../b"] {
            assert_eq!(parse(text), Err(PathProblem::LeavesRepository), "{text}");
        }
        for text in ["/etc/passwd", "C:\\x", "\\\\srv\\x", "~/x", "file:///x"] {
            assert_eq!(parse(text), Err(PathProblem::Absolute), "{text}");
        }
        for text in [".git/config", ".GIT/config", "git~1/x", "a/.git", ".g\u{200c}it/x", ".git . /x"] {
            assert_eq!(parse(text), Err(PathProblem::InsideGit), "{text}");
        }
    }

    #[test]
    fn relations_between_paths() {
        let dir = RepoPath::parse(b"a/b").unwrap();
        let file = dir.child(b"c");
        assert_eq!(file.name(), "c");
        assert_eq!(file.parent(), Some(dir.clone()));
        assert!(file.is_within(&dir) && file.is_within(&RepoPath::root()));
        assert!(!RepoPath::parse(b"a/bc").unwrap().is_within(&dir));
        assert_eq!(file.below(&dir), Some("c".into()));
        assert_eq!(dir.join(b"../x").unwrap().to_string(), "a/x");
    }
}
