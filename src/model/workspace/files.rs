//! Opening a file of ours: by mode and size first, then its parser.

use super::catalog::{File, NodeFiles};
use crate::error::{Error, Result};
use crate::model::node::{Node, Spec};
use crate::model::reading::{self, Ledger};
use crate::model::scenario::{self, ScenarioFile};
use crate::model::source::{Position, Problem};
use crate::model::spec;
use crate::model::tree::{Kind, Tree};
use crate::repo::path::RepoPath;

/// Longest scenario file in bytes.
pub const MAX_SCENARIO_FILE: u64 = 256 << 10;
/// A file of ours beyond this many bytes is not read at all. Its own, smaller limits are the parsers' to report.
pub const MAX_READ: u64 = 1 << 30;

/// How every Git LFS pointer begins.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The files of one node as they were read.
pub(super) struct Sources {
    spec: Option<Source>,
    scenarios: Option<Source>,
    ledgers: Vec<Source>,
}

/// One file as it was read, or why it was not.
struct Source {
    path: RepoPath,
    kind: Kind,
    text: Result<Vec<u8>, Problem>,
}

/// Reads the files that a directory is judged by.
///
/// # Errors
/// When the tree cannot be read; a file that must not be opened is a problem of its own.
pub(super) fn read_all(tree: &dyn Tree, files: &NodeFiles) -> Result<Sources> {
    let spec = files.spec.as_ref().map(|file| source(tree, file, "a spec", u64::MAX));
    let scenarios = files.yatsu.as_ref().or(files.eval.as_ref());
    let scenarios = scenarios.map(|file| source(tree, file, "a scenario file", MAX_SCENARIO_FILE));
    let ledgers = files.ledgers.iter().map(|file| source(tree, file, "a ledger", u64::MAX));
    Ok(Sources { spec: spec.transpose()?, scenarios: scenarios.transpose()?, ledgers: ledgers.collect::<Result<_>>()? })
}

/// Mode and size come first: what is no regular file, or is larger than `most` bytes, is not opened.
fn source(tree: &dyn Tree, (path, entry): &File, what: &str, most: u64) -> Result<Source> {
    let text = if !is_regular(entry.kind) {
        Err(wrong_kind(what, entry.kind))
    } else if most < u64::MAX && tree.size(path)?.is_some_and(|size| size > most) {
        let message = format!("the file is larger than {most} bytes");
        Err(problem("file-size", message, "split the node into smaller ones"))
    } else {
        Ok(read(tree, path)?)
    };
    Ok(Source { path: path.clone(), kind: entry.kind, text })
}

impl Sources {
    /// What the files say; `tags` is the library of tags.
    pub(super) fn parse(self, tags: &[String]) -> Node {
        Node {
            spec: self.spec.map(Source::spec),
            file: self.scenarios.map(|source| source.scenarios(tags)),
            ledgers: self.ledgers.into_iter().map(Source::ledger).collect(),
            ..Node::default()
        }
    }
}

impl Source {
    fn spec(self) -> Spec {
        match self.text {
            Ok(text) => spec::parse(&self.path, &text),
            Err(_) => Spec { path: self.path, ..Spec::default() },
        }
    }

    fn scenarios(self, tags: &[String]) -> ScenarioFile {
        match self.text {
            Ok(text) => scenario::parse(&self.path, &text, tags),
            Err(problem) => ScenarioFile { path: self.path, problems: vec![problem], ..ScenarioFile::default() },
        }
    }

    /// An executable ledger is refused and still read: what was filed in it stays comparable.
    fn ledger(self) -> Ledger {
        let text = match self.text {
            Ok(text) => text,
            Err(problem) => return refused_ledger(self.path, problem),
        };
        if text.starts_with(LFS_POINTER) {
            let message = "the ledger is a Git LFS pointer; a ledger must lie in git itself".to_owned();
            let problem = problem("lfs-pointer", message, "take the ledger out of Git LFS (.gitattributes)");
            return refused_ledger(self.path, problem);
        }
        let mut ledger = reading::parse(&self.path, &text);
        if self.kind == Kind::Exec {
            let help = format!("git update-index --chmod=-x {}", self.path);
            ledger.problems.push(problem("executable", "the ledger is executable; it is data".into(), &help));
        }
        ledger
    }
}

fn refused_ledger(path: RepoPath, problem: Problem) -> Ledger {
    Ledger { path, problems: vec![problem], ..Ledger::default() }
}

fn is_regular(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Exec)
}

/// What is at a path, with its article, for a message.
pub(super) fn kind_name(kind: Kind) -> &'static str {
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
