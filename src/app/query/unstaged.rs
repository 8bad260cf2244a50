//! Counts filed readings that are not staged, because other clones never see a reading that is not committed. Compares
//! ledgers on disk with the index.

use crate::app::site::line_files::segments_in;
use crate::engine::effective::latest_measured;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::model::ledger::{Event, parse};
use crate::model::node::Node;
use crate::model::workspace::{has_our_name, in_order};
use crate::names::{TRUNK_NAMES, is_segment};
use crate::repo::Repo;
use crate::sys;
use crate::text::{ndjson, plural, shell};
use crate::tree::path::RepoPath;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Most ledgers that a message names.
const NAMED: usize = 3;
/// A larger ledger on disk is not compared, because advice must not be slow.
const MAX_LEDGER: u64 = 64 << 20;

/// Readings that are filed and not staged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unstaged {
    pub readings: usize,
    /// The files that hold them.
    pub ledgers: Vec<RepoPath>,
    /// Whether git does not have one of these files at all, so that `git commit -a` leaves it out.
    pub is_unknown: bool,
}

impl Unstaged {
    /// A message with their number, and the command that stages them; `None` without such readings.
    pub(crate) fn sentence(&self) -> Option<(String, String)> {
        let is = if self.readings == 1 { "is" } else { "are" };
        let state = if self.is_unknown { "not in git" } else { "filed but not staged" };
        let what = format!("{} {is} {state}", plural(self.readings, "reading"));
        let named: Vec<String> = self.ledgers.iter().take(NAMED).map(shell::place).collect();
        let more = if self.ledgers.len() > NAMED { "   (and more: git status)" } else { "" };
        (self.readings > 0).then(|| (what, format!("git add {}{more}", named.join(" "))))
    }

    /// The same on one line.
    pub(crate) fn note(&self) -> Option<String> {
        self.sentence().map(|(what, command)| format!("{what}: {command}"))
    }
}

/// Unstaged readings of the nodes that the `staged` paths concern. For other nodes it only looks at the size of ledgers.
///
/// # Errors
/// When a ledger that is there cannot be read.
pub(crate) fn of_concerned(repo: &Repo, nodes: &[Node], staged: &[&RepoPath]) -> Result<Unstaged> {
    let Some(top) = &repo.work_dir else { return Ok(Unstaged::default()) };
    let mut found = Unstaged::default();
    for node in nodes {
        let trunks = TRUNK_NAMES.map(|name| node.dir.child(name.as_bytes()));
        for path in trunks.into_iter().chain(segments_in(top, &node.dir)?) {
            let at = node.ledgers.binary_search_by(|ledger| in_order(&ledger.path, &path));
            let staged_lines = at.map_or(&[][..], |at| &node.ledgers[at].raw);
            if !may_differ(top, &path, staged_lines) || !is_concerned(node, staged) {
                continue;
            }
            let disk = read(top, &path)?;
            let is_unknown = at.is_err() && is_segment(path.name());
            found.add(path, &disk, staged_lines.iter().map(AsRef::as_ref), is_unknown);
        }
    }
    Ok(found)
}

/// The readings in segments of these nodes of the work tree that the index does not have. Nothing is read if there is no
/// segment.
///
/// # Errors
/// When the index cannot be read.
pub(crate) fn in_new_segments(repo: &Repo, nodes: &[Node]) -> Result<Unstaged> {
    let (mut found, Some(top)) = (Unstaged::default(), &repo.work_dir) else { return Ok(Unstaged::default()) };
    for ledger in nodes.iter().flat_map(|node| &node.ledgers).filter(|ledger| is_segment(ledger.path.name())) {
        // the index is in memory: most segments are in it, and then nothing asks the disk
        if !repo.is_in_index(&ledger.path)? && size(top, &ledger.path).is_some() {
            // a loaded ledger may be reduced to the readings that may count
            found.add(ledger.path.clone(), &read(top, &ledger.path)?, std::iter::empty(), true);
        }
    }
    Ok(found)
}

/// Unstaged readings of every node of a work tree.
///
/// # Errors
/// When the index cannot be read.
pub(crate) fn of_all(repo: &Repo, nodes: &[Node]) -> Result<Unstaged> {
    let (index, mut found) = (repo.index_view()?, Unstaged::default());
    for ledger in nodes.iter().flat_map(|node| &node.ledgers) {
        let staged = index.read(&ledger.path)?;
        let is_unknown = staged.is_none() && is_segment(ledger.path.name());
        let disk: Vec<&[u8]> = ledger.raw.iter().map(AsRef::as_ref).collect();
        let staged = staged.unwrap_or_default();
        found.add(ledger.path.clone(), &disk.join(&b'\n'), ndjson::filled(&staged), is_unknown);
    }
    Ok(found)
}

impl Unstaged {
    fn add<'l>(&mut self, path: RepoPath, disk: &[u8], staged: impl Iterator<Item = &'l [u8]>, is_unknown: bool) {
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        staged.for_each(|line| *known.entry(line.trim_ascii_end()).or_default() += 1);
        let is_new = |line: &&[u8]| match known.get_mut(line.trim_ascii_end()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        let new: Vec<&[u8]> = ndjson::filled(disk).filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        let events = parse(&path, &new.join(&b'\n')).lines;
        let readings = events.iter().filter(|line| matches!(line.event, Event::Reading(_))).count();
        if readings > 0 {
            self.readings += readings;
            self.ledgers.push(path);
            self.is_unknown |= is_unknown;
        }
    }
}

/// Whether the staged change concerns the node: one of its own files, or a file that it governs or measured.
fn is_concerned(node: &Node, staged: &[&RepoPath]) -> bool {
    let scenarios = node.scenarios().iter();
    let governed: Vec<_> = scenarios.flat_map(|scenario| governed(node, scenario)).collect();
    staged.iter().any(|path| {
        let is_own = path.parent().unwrap_or_default() == node.dir && has_our_name(path);
        is_own || governed.iter().any(|entry| entry.covers(path))
    }) || latest_measured(node, &|path| staged.contains(&path))
}

/// Whether the file on disk may hold other lines. Its size is enough, because a ledger is only appended to.
fn may_differ(top: &Path, path: &RepoPath, staged: &[impl AsRef<[u8]>]) -> bool {
    let staged: usize = staged.iter().map(|line| line.as_ref().len() + 1).sum();
    size(top, path).is_some_and(|size| size != staged as u64)
}

/// The size in bytes of a ledger on disk; `None` unless it is a regular file that is small enough to be read. A link may lead
/// anywhere, and its lines count for nothing.
fn size(top: &Path, path: &RepoPath) -> Option<u64> {
    let about = fs::symlink_metadata(top.join(sys::in_tree(path.as_bstr()))).ok()?;
    (about.is_file() && about.len() <= MAX_LEDGER).then_some(about.len())
}

fn read(top: &Path, path: &RepoPath) -> Result<Vec<u8>> {
    fs::read(top.join(sys::in_tree(path.as_bstr()))).map_err(|error| crate::error::Error::unread(path, &error))
}
