//! The file that takes the new lines of a home: its trunk file, or its open segment (docs/formats.md, "Segments").
//!
//! A segment is open while git does not have it: neither the index nor HEAD nor ORIG_HEAD. `git add` closes it. So no file
//! that a commit has ever grows, and the lines of two branches never meet in one file. No state is kept.

use super::{Site, is_there, trunk_path};
use crate::error::{Error, Result};
use crate::model::config::{Config, Segments};
use crate::model::ledger::Timestamp;
use crate::model::node::{Node, is_newer};
use crate::model::workspace::in_order;
use crate::names::{self, is_segment};
use crate::sys;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::io::ErrorKind;
use std::path::Path;

/// Whether the index, HEAD or ORIG_HEAD has a file at a path, as of one moment.
pub(crate) type IsHeld = Box<dyn Fn(&RepoPath) -> Result<bool>>;

/// What git holds, asked at the first question about it.
#[derive(Default)]
pub(crate) struct GitHoldings(OnceCell<IsHeld>);

impl GitHoldings {
    fn has(&self, site: &dyn Site, path: &RepoPath) -> Result<bool> {
        let held = match self.0.get() {
            Some(held) => held,
            None => {
                let held = site.held_by_git()?;
                self.0.get_or_init(|| held)
            }
        };
        held(path)
    }
}

/// Which files take the new lines of one command.
pub(crate) struct NewLineFiles {
    /// The name of a new segment, the same in all homes of the command; `None` where lines go into trunk files.
    segment: Option<String>,
    /// Whether a new segment would be the first one of a repository that says nothing about segments.
    is_first: bool,
}

impl NewLineFiles {
    /// The files for lines that are written at `now` in a work tree with these nodes.
    ///
    /// # Errors
    /// When git cannot be asked for its remotes, or the system gives no random bytes.
    pub(crate) fn of(site: &dyn Site, config: &Config, nodes: &[Node], now: Timestamp) -> Result<Self> {
        let takes_segments = takes_segments(config, is_newer(nodes), || site.has_remote())?;
        let is_known = || nodes.iter().flat_map(|node| &node.ledgers).any(|ledger| is_segment(ledger.path.name()));
        let is_first = takes_segments && !config.given.contains("yatsu.segments") && !is_known();
        Ok(Self { segment: takes_segments.then(|| new_name(now)).transpose()?, is_first })
    }

    /// Whether new lines go into segments.
    pub(crate) fn are_segments(&self) -> bool {
        self.segment.is_some()
    }

    /// The file for the next line of `node`. Under the lock of the ledgers, so that no other process chooses meanwhile.
    ///
    /// # Errors
    /// When the directory, the index or a commit cannot be read.
    pub(crate) fn path(&self, site: &dyn Site, node: &Node, git: &GitHoldings) -> Result<RepoPath> {
        let Some(segment) = &self.segment else { return Ok(trunk_path(node)) };
        for there in segments_in(super::work_dir(site)?, &node.dir)?.into_iter().rev() {
            if !git.has(site, &there)? {
                return Ok(there);
            }
        }
        Ok(node.dir.child(segment.as_bytes()))
    }

    /// Whether a line in this file begins to use segments.
    pub(crate) fn begins_segments(&self, path: &RepoPath) -> bool {
        self.is_first && self.segment.as_ref().is_some_and(|segment| path.name() == segment.as_str())
    }
}

/// Whether new lines go into segments. `is_newer`: the files of the repository have the newer names.
///
/// # Errors
/// Those of `has_remote`.
pub(crate) fn takes_segments(
    config: &Config,
    is_newer: bool,
    has_remote: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    match config.segments {
        Segments::Always => Ok(true),
        Segments::Never => Ok(false),
        // programs of the newer generation read no segments
        Segments::Auto => Ok(!is_newer && has_remote()?),
    }
}

/// A name that no other command draws, for example `yatsu.20260301-100000-4f1c2a.evals.ndjson`. It sorts by time for people;
/// to programs it means nothing.
fn new_name(now: Timestamp) -> Result<String> {
    let mut random = [0_u8; 3];
    sys::random(&mut random).map_err(Error::no_random)?;
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).collect();
    let [a, b, c] = random;
    Ok(names::segment(&format!("{}-{}-{a:02x}{b:02x}{c:02x}", &digits[..8], &digits[8..14])))
}

/// The segments on disk in a directory of the work tree, sorted. A missing directory has none.
///
/// # Errors
/// When the directory cannot be listed.
pub(crate) fn segments_in(work_dir: &Path, dir: &RepoPath) -> Result<Vec<RepoPath>> {
    let unread = |error: std::io::Error| Error::unread(dir, &error);
    let listed = match std::fs::read_dir(work_dir.join(sys::in_tree(dir.as_bstr()))) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(unread)?,
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry.map_err(unread)?;
        let name = entry.file_name();
        let name = sys::git_bytes(Path::new(&name));
        if is_segment(&name) && entry.file_type().map_err(unread)?.is_file() {
            found.push(dir.child(&name));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The files of the ledger of `node` on disk, in their order: those it was loaded with, and those that came since.
///
/// # Errors
/// As [`segments_in`].
pub(crate) fn ledger_files(work_dir: &Path, node: &Node) -> Result<Vec<RepoPath>> {
    let mut files: Vec<RepoPath> = node.ledgers.iter().map(|ledger| ledger.path.clone()).collect();
    // a fold may have made the trunk file, and taken the segments, since the node was loaded
    let trunk = trunk_path(node);
    files.extend(is_there(work_dir, &trunk)?.then_some(trunk));
    files.extend(segments_in(work_dir, &node.dir)?);
    files.sort_by(in_order);
    files.dedup();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::OLDER_LEDGER;

    #[test]
    fn what_a_fold_made_since_the_node_was_loaded_is_among_its_files() {
        let work_dir = tempfile::tempdir().unwrap();
        let node = Node { dir: RepoPath::parse(b"n").unwrap(), ..Node::default() };
        std::fs::create_dir(work_dir.path().join("n")).unwrap();
        let files = || ledger_files(work_dir.path(), &node).unwrap();
        assert_eq!(files(), []);
        for name in ["yatsu.a.evals.ndjson", OLDER_LEDGER, "yatsu.Foreign.evals.ndjson"] {
            std::fs::write(work_dir.path().join("n").join(name), "").unwrap();
        }
        assert_eq!(files(), [OLDER_LEDGER, "yatsu.a.evals.ndjson"].map(|name| node.dir.child(name.as_bytes())));
    }
}
