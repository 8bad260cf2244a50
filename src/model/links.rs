//! Follows symbolic links inside a tree. Input: a path and a tree. Output: the links on the way and the entry at their end.
//! Never reads the disk: a link out of the repository ends the walk.

use crate::error::{Error, Result, remedy};
use crate::tree::oid::Oid;
use crate::tree::path::{MAX_PATH, RepoPath, names_git_dir};
use crate::tree::{Entry, Kind, Tree};
use std::collections::VecDeque;

/// How many links are followed before a walk counts as a circle; the limit of the kernel.
pub(crate) const MAX_LINKS: usize = 40;

/// The way from a path to its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Every followed link in order: its path and the id of its target text.
    pub links: Vec<(RepoPath, Oid)>,
    pub end: LinkEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// At this path, which is no link and has no link on the way.
    At(RepoPath, Entry),
    /// Nothing is there; the path is the missing one.
    Absent(RepoPath),
    /// A link's target is absolute, climbs above the top or enters git's directory.
    Outside,
    /// More links than a file system would follow.
    Circle,
}

/// Follows `path` through `tree`.
///
/// # Errors
/// Failures of the tree, and a link without a known id or target.
pub(crate) fn trace(tree: &dyn Tree, path: &RepoPath) -> Result<Trace> {
    match tree.entry(path)? {
        Some(entry) if entry.kind != Kind::Link => {
            Ok(Trace { links: Vec::new(), end: LinkEnd::At(path.clone(), entry) })
        }
        _ => LinkWalk::new(tree, path).run(),
    }
}

/// The regular file to which a path leads, links followed.
///
/// # Errors
/// As [`trace`].
pub(crate) fn file_at(tree: &dyn Tree, path: &RepoPath) -> Result<Option<RepoPath>> {
    Ok(match trace(tree, path)?.end {
        LinkEnd::At(file, Entry { kind: Kind::File | Kind::Exec, .. }) => Some(file),
        _ => None,
    })
}

struct LinkWalk<'a> {
    tree: &'a dyn Tree,
    at: RepoPath,
    todo: VecDeque<Vec<u8>>,
    links: Vec<(RepoPath, Oid)>,
}

impl<'a> LinkWalk<'a> {
    fn new(tree: &'a dyn Tree, path: &RepoPath) -> Self {
        let todo = path.components().map(|part| part.to_vec()).collect();
        Self { tree, at: RepoPath::root(), todo, links: Vec::new() }
    }

    fn run(mut self) -> Result<Trace> {
        while let Some(part) = self.todo.pop_front() {
            if let Some(end) = self.step(&part)? {
                return Ok(Trace { links: self.links, end });
            }
        }
        // The top is a directory even in a tree without an entry for it.
        let entry = self.tree.entry(&self.at)?.unwrap_or(Entry { kind: Kind::Dir, id: None });
        Ok(Trace { links: self.links, end: LinkEnd::At(self.at, entry) })
    }

    fn step(&mut self, part: &[u8]) -> Result<Option<LinkEnd>> {
        match part {
            b"" | b"." => return Ok(None),
            b".." => {
                let Some(parent) = self.at.parent() else { return Ok(Some(LinkEnd::Outside)) };
                self.at = parent;
                return Ok(None);
            }
            _ if names_git_dir(part) => return Ok(Some(LinkEnd::Outside)),
            _ => {}
        }
        let here = self.at.child(part);
        match self.tree.entry(&here)? {
            Some(Entry { kind: Kind::Link, id }) => self.follow(here, id),
            Some(entry) if entry.kind == Kind::Dir || self.is_last() => {
                self.at = here;
                Ok(None)
            }
            _ => Ok(self.miss(here)),
        }
    }

    fn is_last(&self) -> bool {
        self.todo.iter().all(|part| part.is_empty() || part == b".")
    }

    /// There is nothing to enter at `here`. If the rest contains `..`, it is resolved by names alone and walked again, so
    /// that a path is reported absent only if it is.
    fn miss(&mut self, here: RepoPath) -> Option<LinkEnd> {
        let climbs = self.todo.iter().any(|part| part == b"..");
        let missing = self.rest_below(here);
        if !climbs {
            return Some(LinkEnd::Absent(missing));
        }
        self.todo = missing.components().map(|part| part.to_vec()).collect();
        self.at = RepoPath::root();
        None
    }

    fn follow(&mut self, link: RepoPath, id: Option<Oid>) -> Result<Option<LinkEnd>> {
        let id = id.ok_or_else(|| Error::fault(format!("the link {link} has no known content")))?;
        self.links.push((link.clone(), id));
        if self.links.len() > MAX_LINKS {
            return Ok(Some(LinkEnd::Circle));
        }
        if self.tree.size(&link)?.is_some_and(|size| size > MAX_PATH as u64) {
            return Ok(Some(LinkEnd::Outside));
        }
        let unread = || Error::unchecked(format!("the symbolic link {link} cannot be read")).hint(remedy::CHANGING);
        let target = self.tree.read(&link)?.ok_or_else(unread)?;
        if target.is_empty() || target[0] == b'/' || target.contains(&0) {
            return Ok(Some(LinkEnd::Outside));
        }
        for part in target.split(|byte| *byte == b'/').rev() {
            self.todo.push_front(part.to_vec());
        }
        Ok(None)
    }

    /// The rest of the way, resolved by names alone.
    fn rest_below(&self, mut path: RepoPath) -> RepoPath {
        for part in &self.todo {
            match part.as_slice() {
                b"" | b"." => {}
                b".." => path = path.parent().unwrap_or_default(),
                name => path = path.child(name),
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    fn path(text: &str) -> RepoPath {
        RepoPath::from_git(text)
    }

    fn tree(links: &[(&str, &str)]) -> MemoryTree {
        let mut tree = MemoryTree::of_files(&[("src/a", "one"), ("src/deep/b", "two")]);
        links.iter().for_each(|(at, target)| tree.put(at, Kind::Link, target.as_bytes()));
        tree
    }

    /// The links on the way and its end, as words.
    fn told(links: &[(&str, &str)], from: &str) -> (Vec<String>, String) {
        let way = trace(&tree(links), &path(from)).unwrap();
        let end = match way.end {
            LinkEnd::At(path, _) => path.to_string(),
            LinkEnd::Absent(path) => format!("no {path}"),
            LinkEnd::Outside => "outside".to_owned(),
            LinkEnd::Circle => "circle".to_owned(),
        };
        (way.links.iter().map(|(link, _)| link.to_string()).collect(), end)
    }

    #[test]
    fn a_plain_path_is_its_own_end() {
        for (from, end) in [("src/a", "src/a"), ("src", "src"), ("src/x", "no src/x"), ("src/a/x", "no src/a/x")] {
            assert_eq!(told(&[], from), (vec![], end.to_owned()), "{from}");
        }
    }

    #[test]
    fn links_are_followed_as_a_file_system_would() {
        for (target, from, end) in [
            ("src/a", "l", "src/a"),
            ("./src//a", "l", "src/a"),
            ("src", "l/deep/b", "src/deep/b"),
            (".", "l/src/a", "src/a"),
            ("src/deep/../a", "l", "src/a"),
            ("src/gone", "l", "no src/gone"),
            ("src/gone/../a", "l", "src/a"),
            ("src/a/", "l", "src/a"),
            ("src/a/x", "l", "no src/a/x"),
        ] {
            assert_eq!(told(&[("l", target)], from), (vec!["l".to_owned()], end.to_owned()), "{target}");
        }
        let chain = told(&[("src/deep/l", "../m"), ("src/m", "deep/b")], "src/deep/l");
        assert_eq!(chain, (vec!["src/deep/l".to_owned(), "src/m".to_owned()], "src/deep/b".to_owned()));
    }

    #[test]
    fn links_out_of_the_repository_end_the_walk() {
        for target in ["/etc/passwd", "../x", "src/../../x", ".git/config", "src/.GIT/x", "", "a\0b"] {
            assert_eq!(told(&[("l", target)], "l").1, "outside", "{target:?}");
        }
        let long = "a/".repeat(3000);
        assert_eq!(told(&[("l", long.as_str())], "l").1, "outside");
    }

    #[test]
    fn circles_end() {
        assert_eq!(told(&[("l", "l")], "l").1, "circle");
        assert_eq!(told(&[("l", "m"), ("m", "l")], "l/x").1, "circle");
        assert_eq!(told(&[("l", "l/l")], "l").1, "circle");
    }
}
