//! Refs and revisions of a repository with files as ref storage. A name in, an id out, by git's rules (gitrevisions(7)). A
//! hostile name cannot make it open a file outside the repository.

use super::map::Map;
use crate::error::{Error, Result, remedy};
use crate::sys;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Whether to skip a ref of this name.
type LeftOut<'a> = &'a dyn Fn(&[u8]) -> bool;

/// How many symbolic refs in a row are followed, as in git.
const MAX_DEPTH: usize = 5;

/// The refs of one work tree.
#[derive(Clone, Debug)]
pub(crate) struct Refs {
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Refs {
    pub(crate) fn new(git_dir: &Path, common_dir: &Path) -> Self {
        Self { git_dir: git_dir.to_owned(), common_dir: common_dir.to_owned() }
    }

    /// The id of the ref `name`, a full name such as `refs/heads/main` or `HEAD`. Symbolic refs are followed. `None` if
    /// there is no such ref, or if it leads to a branch without a commit.
    pub(crate) fn find(&self, name: &[u8]) -> Result<Option<Oid>> {
        self.find_without(name, &|_| false)
    }

    /// Like [`Self::find`]; `None` if `left_out` is true for the name or for a ref on the way.
    fn find_without(&self, name: &[u8], left_out: LeftOut<'_>) -> Result<Option<Oid>> {
        let mut name = name.to_vec();
        for _ in 0..MAX_DEPTH {
            if left_out(&name) {
                return Ok(None);
            }
            match self.read(&name)? {
                None => return Ok(None),
                Some(RefValue::Id(id)) => return Ok(Some(id)),
                Some(RefValue::Name(target)) => name = target,
            }
        }
        Err(broken(&name, "leads through too many symbolic refs"))
    }

    /// The target of the symbolic ref `name`, e.g. the branch of HEAD; `None` if it is not symbolic.
    pub(crate) fn target(&self, name: &[u8]) -> Result<Option<BString>> {
        Ok(match self.loose(name)? {
            Some(RefValue::Name(target)) => Some(target.into()),
            _ => None,
        })
    }

    /// The names of all symbolic refs, including ones with a missing target. Packed refs are never symbolic.
    pub(crate) fn symbolic(&self) -> Result<Vec<BString>> {
        let mut names = Vec::new();
        self.loose_names(&self.common_dir, b"refs", b"refs/", &mut names)?;
        names.retain(|name| matches!(self.loose(name), Ok(Some(RefValue::Name(_)))));
        Ok(names)
    }

    /// The id of a short name as a user types it, in git's order: `HEAD`, tags, branches, remotes.
    pub(crate) fn find_short(&self, name: &[u8]) -> Result<Option<Oid>> {
        let forms: [(&[u8], &[u8]); 6] = [
            (b"", b""),
            (b"refs/", b""),
            (b"refs/tags/", b""),
            (b"refs/heads/", b""),
            (b"refs/remotes/", b""),
            (b"refs/remotes/", b"/HEAD"),
        ];
        for (before, after) in forms {
            let full = [before, name, after].concat();
            let is_ref = full.starts_with(b"refs/") || full.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
            if is_ref && let Some(id) = self.find(&full)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// All refs with a name that begins with `prefix` (e.g. `refs/remotes/origin/`), sorted by name.
    pub(crate) fn list(&self, prefix: &[u8]) -> Result<Vec<(BString, Oid)>> {
        self.list_without(prefix, &|_| false)
    }

    /// Like [`Self::list`], without refs that are `left_out` themselves or through a symbolic ref.
    pub(crate) fn list_without(&self, prefix: &[u8], left_out: LeftOut<'_>) -> Result<Vec<(BString, Oid)>> {
        let packed = self.packed_under(prefix)?.into_iter();
        let mut found: BTreeMap<BString, Option<Oid>> = packed.filter(|(name, _)| !left_out(name)).collect();
        let mut names = Vec::new();
        self.loose_names(&self.common_dir, b"refs", prefix, &mut names)?;
        for name in names.into_iter().filter(|name| name.starts_with(prefix)) {
            // a loose ref hides the packed one, even if it leads nowhere
            let id = self.find_without(&name, left_out)?;
            found.insert(name, id);
        }
        Ok(found.into_iter().filter_map(|(name, id)| Some((name, id?))).collect())
    }

    /// The names of the files below `dir` that may begin with `prefix`.
    fn loose_names(&self, base: &Path, dir: &[u8], prefix: &[u8], names: &mut Vec<BString>) -> Result<()> {
        // only directories that can contain such names are opened
        let common = dir.len().min(prefix.len());
        if dir[..common] != prefix[..common] {
            return Ok(());
        }
        let path = base.join(sys::in_tree(dir));
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::unread(path.display(), &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| Error::unread(path.display(), &error))?;
            let name = [dir, b"/", entry.file_name().as_encoded_bytes()].concat();
            if name.ends_with(b".lock") {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.loose_names(base, &name, prefix, names)?;
            } else {
                names.push(name.into());
            }
        }
        Ok(())
    }

    /// The packed refs with names that begin with `prefix`, in one pass over the file: a search per ref would read the file
    /// thousands of times.
    fn packed_under(&self, prefix: &[u8]) -> Result<Vec<(BString, Option<Oid>)>> {
        let Some(packed) = Map::open(&self.common_dir.join("packed-refs"))? else { return Ok(Vec::new()) };
        let lines = packed.lines().filter(|line| !matches!(line.first(), Some(b'#' | b'^') | None));
        let refs = lines.filter_map(|line| line.split_once_str(" ")).filter(|(_, name)| name.starts_with(prefix));
        let named = refs.filter(|(_, name)| is_ref_name(name));
        named
            .map(|(id, name)| Ok((name.into(), Some(Oid::from_hex(id).ok_or_else(|| broken(name, "has no id"))?))))
            .collect()
    }

    fn read(&self, name: &[u8]) -> Result<Option<RefValue>> {
        match self.loose(name)? {
            None if is_ref_name(name) => self.packed(name),
            found => Ok(found),
        }
    }

    /// The content of a ref's file. A symbolic ref always has a file: none is ever packed.
    fn loose(&self, name: &[u8]) -> Result<Option<RefValue>> {
        if !is_ref_name(name) {
            return Ok(None);
        }
        let path = self.home_of(name).join(sys::in_tree(name));
        if let Ok(target) = fs::read_link(&path)
            && target.starts_with("refs")
        {
            return Ok(Some(RefValue::Name(sys::git_bytes(&target).into_owned())));
        }
        match fs::read(&path) {
            Ok(text) => parse(name, &text).map(Some),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::NotFound
                        | ErrorKind::NotADirectory
                        | ErrorKind::IsADirectory
                        | ErrorKind::InvalidFilename
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(Error::unread(path.display(), &error)),
        }
    }

    /// Pseudo refs and a few directories belong to one work tree, all else to the repository.
    fn home_of(&self, name: &[u8]) -> &Path {
        let own: [&[u8]; 3] = [b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/"];
        let is_own = !name.starts_with(b"refs/") || own.iter().any(|prefix| name.starts_with(prefix));
        if is_own { &self.git_dir } else { &self.common_dir }
    }

    fn packed(&self, name: &[u8]) -> Result<Option<RefValue>> {
        if !name.starts_with(b"refs/") {
            return Ok(None);
        }
        let Some(packed) = Map::open(&self.common_dir.join("packed-refs"))? else { return Ok(None) };
        let ending = [b" ", name, b"\n"].concat();
        let Some(at) = packed.find(&ending) else { return Ok(None) };
        let start = packed[..at].rfind_byte(b'\n').map_or(0, |newline| newline + 1);
        Oid::from_hex(&packed[start..at]).map(|id| Some(RefValue::Id(id))).ok_or_else(|| broken(name, "has no id"))
    }
}

enum RefValue {
    Id(Oid),
    Name(Vec<u8>),
}

fn parse(name: &[u8], text: &[u8]) -> Result<RefValue> {
    if let Some(target) = text.strip_prefix(b"ref:") {
        return Ok(RefValue::Name(target.trim_with(char::is_whitespace).to_vec()));
    }
    // FETCH_HEAD and similar files have more text after the id
    let id = text.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    Oid::from_hex(id).map(RefValue::Id).ok_or_else(|| broken(name, "has no id"))
}

/// Whether the name is a valid ref name, as far as that matters for building a path.
fn is_ref_name(name: &[u8]) -> bool {
    let bad = |byte: &u8| *byte <= b' ' || *byte == 0x7f || b"~^:?*[\\".contains(byte);
    let good_part = |part: &[u8]| !part.is_empty() && part[0] != b'.' && !part.ends_with(b".lock");
    !name.iter().any(bad) && !name.contains_str("..") && name.split(|byte| *byte == b'/').all(good_part)
}

fn broken(name: &[u8], what: &str) -> Error {
    Error::unchecked(format!("the ref {} {what}", name.as_bstr())).hint(remedy::FSCK)
}

/// A revision as a user wrote it, split into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revision<'a> {
    /// The name of a ref, or an id.
    pub base: &'a str,
    pub steps: Vec<CommitStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitStep {
    /// `~N`: N times to the first parent.
    Back(usize),
    /// `^N`: to parent N; 0 is the commit itself.
    Parent(usize),
}

impl<'a> Revision<'a> {
    /// Splits `text`; a usage error if it cannot be a revision, `None` for a form that only the git program supports.
    pub(crate) fn parse(text: &'a str) -> Result<Option<Self>> {
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if text.is_empty() || text.starts_with('-') || text.contains(odd) || text.contains("..") {
            return Err(Error::usage(format!("{text:?} is no revision")).hint("give a commit, a branch or a tag"));
        }
        if text.contains("@{") || text.contains(':') {
            return Ok(None);
        }
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (base, mut rest) = text.split_at(end);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let Some((step, after)) = step(rest) else { return Ok(None) };
            steps.extend(step);
            rest = after;
        }
        Ok(Some(Self { base: if base == "@" { "HEAD" } else { base }, steps }))
    }
}

fn step(text: &str) -> Option<(Option<CommitStep>, &str)> {
    for peel in ["^{commit}", "^{}"] {
        if let Some(rest) = text.strip_prefix(peel) {
            return Some((None, rest));
        }
    }
    let digits = text[1..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |len| len + 1);
    let number = match &text[1..digits] {
        "" => 1,
        number => number.parse().ok()?,
    };
    let step = if text.starts_with('~') { CommitStep::Back(number) } else { CommitStep::Parent(number) };
    let plain = text.starts_with('~') || !text[1..].starts_with(['{', '@', '!', '-']);
    plain.then_some((Some(step), &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_the_directory_are_no_refs() {
        for name in ["", "/etc/passwd", "refs/../config", "refs//x", "refs/.x", "a b", "x.lock", "a\n"] {
            assert!(!is_ref_name(name.as_bytes()), "{name}");
        }
        assert!(is_ref_name(b"refs/heads/feature/x-1") && is_ref_name(b"HEAD"));
    }

    #[test]
    fn revisions_are_split() {
        let parse = |text| Revision::parse(text).unwrap();
        let steps = |text| parse(text).map(|revision| revision.steps);
        assert_eq!(steps("main~2^2^"), Some(vec![CommitStep::Back(2), CommitStep::Parent(2), CommitStep::Parent(1)]));
        assert_eq!(steps("v1^{commit}"), Some(vec![]));
        assert_eq!(parse("@~").unwrap().base, "HEAD");
        for text in ["main@{1}", "HEAD:x", "HEAD^{/fix}", "HEAD^@", "HEAD^{tree}"] {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in ["", "-x", "--output=/tmp/x", "a b", "a..b", "a\nb"] {
            assert!(Revision::parse(text).is_err(), "{text}");
        }
    }
}
