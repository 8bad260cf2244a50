//! Opens a file of yatsu-hook: checks mode and size first, then parses it.

use super::catalog::File;
use super::parse_cache::ParsedBefore;
use crate::error::{Error, Result, remedy};
use crate::model::contract::Goal;
use crate::model::ledger::{self, EvidenceHash, Ledger};
use crate::model::left_files::LeftFiles;
use crate::model::node::Spec;
use crate::model::scenario::{self, NamedByEntry, ScenarioFile};
use crate::model::source::{Position, Problem};
use crate::model::spec;
use crate::names;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::BTreeSet;

/// A larger file, in bytes, is not read at all. Parsers have smaller limits and report them.
pub(crate) const MAX_READ: u64 = 1 << 30;

/// How every Git LFS pointer begins.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

pub(super) fn spec(tree: &dyn Tree, file: &File, before: &dyn ParsedBefore) -> Result<Spec> {
    let (path, entry) = file;
    if !is_regular(entry.kind) {
        return Ok(Spec { path: path.clone(), ..Spec::default() });
    }
    if let Some(spec) = tree.content_key(path, entry, None).and_then(|key| before.spec(path, key)) {
        return Ok(spec);
    }
    let bytes = read_file(tree, file)?;
    let spec = spec::parse(path, &bytes);
    tree.content_key(path, entry, Some(&bytes)).inspect(|key| before.learn_spec(*key, &spec));
    Ok(spec)
}

pub(super) fn scenarios(
    tree: &dyn Tree,
    file: &File,
    library: &[String],
    before: &dyn ParsedBefore,
) -> Result<ScenarioFile> {
    let (path, entry) = file;
    let refused = |problem| ScenarioFile {
        path: path.clone(),
        problems: vec![problem],
        // an unread file may declare any scenario and any goal
        goal: Goal::Invalid(Vec::new()),
        cut_short: true,
        ..ScenarioFile::default()
    };
    if !is_regular(entry.kind) {
        return Ok(refused(wrong_kind("a scenario file", entry.kind)));
    }
    // a file that is too large was never parsed
    if let Some(known) = tree.content_key(path, entry, None).and_then(|key| before.scenarios(path, key, library)) {
        return Ok(known);
    }
    if tree.size_of(path, entry)?.is_some_and(|size| size > scenario::MAX_FILE) {
        let message = format!("the file is larger than {} bytes", scenario::MAX_FILE);
        return Ok(refused(problem("file-size", message, "split the node into smaller ones")));
    }
    let bytes = read_file(tree, file)?;
    let parsed = scenario::parse(path, &bytes, library);
    tree.content_key(path, entry, Some(&bytes)).inspect(|key| before.learn_scenarios(*key, &parsed, library));
    Ok(parsed)
}

/// What the scenarios of a file name; nothing for a refused file.
pub(super) fn named_by_scenarios(tree: &dyn Tree, file: &File) -> Result<Vec<NamedByEntry>> {
    let (path, entry) = file;
    let is_read = is_regular(entry.kind) && tree.size_of(path, entry)?.is_none_or(|size| size <= scenario::MAX_FILE);
    if is_read { Ok(scenario::named(path, &read_file(tree, file)?)) } else { Ok(Vec::new()) }
}

/// The hashes and paths that lines of a ledger may name; the files that ran only if they are asked for. `left` sees every
/// stamp.
pub(super) fn named_by_lines(
    tree: &dyn Tree,
    file: &File,
    asks_ran: bool,
    left: &mut LeftFiles<'_>,
) -> Result<NamedByLines> {
    let mut bytes = if is_regular(file.1.kind) { read_file(tree, file)? } else { Vec::new() };
    // no line of such a ledger is read
    if bytes.starts_with(LFS_POINTER) {
        bytes.clear();
    }
    let units = ledger::unit_paths(&bytes);
    ledger::see_stamps(&bytes, &mut |name, kind, files| {
        left.see(name, kind, files.iter().map(|(path, content)| (path, content)));
    });
    let ran = if asks_ran { ledger::ran_paths(&bytes) } else { BTreeSet::new() };
    let decides = ledger::decides_patches(&bytes);
    Ok(NamedByLines { hashes: ledger::hashes(&bytes), units, ran, decides })
}

/// The hashes and paths in the lines of a ledger.
pub(super) struct NamedByLines {
    pub(super) hashes: Vec<EvidenceHash>,
    /// The path of every stamped unit.
    pub(super) units: BTreeSet<RepoPath>,
    /// The files that ran.
    pub(super) ran: BTreeSet<RepoPath>,
    /// Whether a line is a complete decision about a patch.
    pub(super) decides: bool,
}

/// The latest readings of a ledger, if the memory has them.
pub(super) fn latest(tree: &dyn Tree, (path, entry): &File, before: &dyn ParsedBefore) -> Option<Ledger> {
    // any other kind has a problem to report
    let key = if entry.kind == Kind::File { tree.content_key(path, entry, None)? } else { return None };
    before.latest(path, key)
}

/// Reads a ledger, and stores its latest readings in the memory.
pub(super) fn ledger_learnt(tree: &dyn Tree, file: &File, before: &dyn ParsedBefore) -> Result<Ledger> {
    let (ledger, bytes) = read_ledger(tree, file)?;
    let key = bytes.and_then(|bytes| tree.content_key(&file.0, &file.1, Some(&bytes)));
    key.inspect(|key| before.learn_ledger(*key, &ledger));
    Ok(ledger)
}

/// A ledger with every line, from the memory if that holds whole ledgers.
pub(super) fn whole(tree: &dyn Tree, file: &File, before: &dyn ParsedBefore) -> Result<Ledger> {
    let (path, entry) = file;
    let known = tree.content_key(path, entry, None).filter(|_| entry.kind == Kind::File);
    if let Some(ledger) = known.and_then(|key| before.whole(path, key)) {
        return Ok(ledger);
    }
    let (ledger, bytes) = read_ledger(tree, file)?;
    let key = bytes.and_then(|bytes| tree.content_key(path, entry, Some(&bytes)));
    key.inspect(|key| before.learn_whole(*key, &ledger));
    Ok(ledger)
}

/// Reads a ledger. An executable one is refused but still read, so that its lines stay comparable.
///
/// # Errors
/// When the tree cannot be read. Malformed lines are problems inside the result.
pub(crate) fn ledger(tree: &dyn Tree, file: &File) -> Result<Ledger> {
    Ok(read_ledger(tree, file)?.0)
}

/// The same with its bytes, if it is a ledger.
fn read_ledger(tree: &dyn Tree, file: &File) -> Result<(Ledger, Option<Vec<u8>>)> {
    let (path, entry) = file;
    let refused = |problem| Ledger { path: path.clone(), problems: vec![of_file(problem, path)], ..Ledger::default() };
    if !is_regular(entry.kind) {
        return Ok((refused(wrong_kind("a ledger", entry.kind)), None));
    }
    let bytes = read_file(tree, file)?;
    if bytes.starts_with(LFS_POINTER) {
        let message = "the ledger is a Git LFS pointer; a ledger must lie in git itself".to_owned();
        let help = "take the ledger out of Git LFS (.gitattributes)";
        return Ok((refused(problem("lfs-pointer", message, help)), None));
    }
    let mut ledger = ledger::parse(path, &bytes);
    if entry.kind == Kind::Exec {
        let help = format!("git update-index --chmod=-x {path}");
        ledger
            .problems
            .push(of_file(problem("executable", "the ledger is executable; it is data".into(), &help), path));
    }
    Ok((ledger, Some(bytes)))
}

/// The problem of one of several segments: without the name, a second bad one would seem to be the first, inherited.
fn of_file(problem: Problem, path: &RepoPath) -> Problem {
    let name = path.name();
    let key = if names::is_segment(name) { format!("{}:{name}", problem.key) } else { problem.key };
    Problem { key, ..problem }
}

fn is_regular(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Exec)
}

/// The kind of an entry with its article, for a message.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "a file",
        Kind::Exec => "an executable file",
        Kind::Link => "a symbolic link",
        Kind::Submodule => "a submodule",
        Kind::Dir => "a directory",
    }
}

fn wrong_kind(what: &str, kind: Kind) -> Problem {
    let message = format!("{what} must be a regular file; this is {}", kind_name(kind));
    problem("file-kind", message, "replace it by a regular file, or rename it")
}

fn problem(key: &str, message: String, help: &str) -> Problem {
    Problem {
        at: Position { line: 1, column: 1 },
        scenario: None,
        message,
        help: help.into(),
        key: key.into(),
        advice: false,
    }
}

/// The content of a file that is known to exist.
pub(super) fn read(tree: &dyn Tree, path: &RepoPath) -> Result<Vec<u8>> {
    refuse_large(path, tree.size(path)?)?;
    tree.read(path)?.ok_or_else(|| gone(path))
}

/// The content of a file that the tree listed.
fn read_file(tree: &dyn Tree, (path, entry): &File) -> Result<Vec<u8>> {
    refuse_large(path, tree.size_of(path, entry)?)?;
    tree.read_of(path, entry)?.ok_or_else(|| gone(path))
}

fn refuse_large(path: &RepoPath, size: Option<u64>) -> Result<()> {
    if size.is_some_and(|size| size > MAX_READ) {
        return Err(Error::unchecked(format!("{path} is larger than {MAX_READ} bytes and was not read"))
            .hint("such a file is never so large: find out which program wrote it, and move it away"));
    }
    Ok(())
}

fn gone(path: &RepoPath) -> Error {
    Error::unchecked(format!("{path} cannot be read")).hint(remedy::CHANGING)
}
