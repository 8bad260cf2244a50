//! Opening a file of ours: by mode and size first, then its parser.

use super::catalog::File;
use crate::error::{Error, Result};
use crate::model::contract::Goal;
use crate::model::ledger;
use crate::model::ledger::Ledger;
use crate::model::node::Spec;
use crate::model::scenario::{self, ScenarioFile};
use crate::model::source::{Position, Problem};
use crate::model::spec;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// A file of ours beyond this many bytes is not read at all. Its own, smaller limits are the parsers' to report.
pub(crate) const MAX_READ: u64 = 1 << 30;

/// How every Git LFS pointer begins.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

pub(super) fn spec(tree: &dyn Tree, (path, entry): &File) -> Result<Spec> {
    if !is_regular(entry.kind) {
        return Ok(Spec { path: path.clone(), ..Spec::default() });
    }
    Ok(spec::parse(path, &read(tree, path)?))
}

pub(super) fn scenarios(tree: &dyn Tree, (path, entry): &File, tags: &[String]) -> Result<ScenarioFile> {
    let refused = |problem| ScenarioFile {
        path: path.clone(),
        problems: vec![problem],
        // what was not read may declare anything, and may ask for anything
        goal: Goal::Invalid(Vec::new()),
        cut_short: true,
        ..ScenarioFile::default()
    };
    if !is_regular(entry.kind) {
        return Ok(refused(wrong_kind("a scenario file", entry.kind)));
    }
    if tree.size(path)?.is_some_and(|size| size > scenario::MAX_FILE) {
        let message = format!("the file is larger than {} bytes", scenario::MAX_FILE);
        return Ok(refused(problem("file-size", message, "split the node into smaller ones")));
    }
    Ok(scenario::parse(path, &read(tree, path)?, tags))
}

/// Reads a ledger. An executable one is refused and still read: what was filed in it stays comparable.
///
/// # Errors
/// When the tree cannot be read. Malformed lines are problems inside the result.
pub(crate) fn ledger(tree: &dyn Tree, (path, entry): &File) -> Result<Ledger> {
    if !is_regular(entry.kind) {
        return Ok(refused_ledger(path, wrong_kind("a ledger", entry.kind)));
    }
    let bytes = read(tree, path)?;
    if bytes.starts_with(LFS_POINTER) {
        let message = "the ledger is a Git LFS pointer; a ledger must lie in git itself".to_owned();
        return Ok(refused_ledger(
            path,
            problem("lfs-pointer", message, "take the ledger out of Git LFS (.gitattributes)"),
        ));
    }
    let mut ledger = ledger::parse(path, &bytes);
    if entry.kind == Kind::Exec {
        let help = format!("git update-index --chmod=-x {path}");
        ledger.problems.push(problem("executable", "the ledger is executable; it is data".into(), &help));
    }
    Ok(ledger)
}

fn refused_ledger(path: &RepoPath, problem: Problem) -> Ledger {
    Ledger { path: path.clone(), problems: vec![problem], ..Ledger::default() }
}

fn is_regular(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Exec)
}

/// What is at a path, with its article, for a message.
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

/// The content of a file that the tree listed.
pub(super) fn read(tree: &dyn Tree, path: &RepoPath) -> Result<Vec<u8>> {
    if tree.size(path)?.is_some_and(|size| size > MAX_READ) {
        return Err(Error::unchecked(format!("{path} is larger than {MAX_READ} bytes and was not read")));
    }
    let gone =
        || Error::unchecked(format!("{path} cannot be read")).hint("run the check again; the file may be changing");
    tree.read(path)?.ok_or_else(gone)
}
