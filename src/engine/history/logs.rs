//! Append-only logs as data: the lines filed at a home, the subjects that the home declares, and the logs of one state with
//! indexes for judging. An index is built at its first use, because most changes only append and need none. This module
//! knows nothing of nodes, scenario files or ledgers; `ledgers` fills it.

use crate::engine::redaction::Redactions;
use crate::model::contract::{Contract, Goal};
use crate::model::ids::composed;
use crate::model::ledger::{EvidenceHash, Line, LineHash};
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The log of one home (a directory), in one file or in several that are read as one.
pub(super) struct Log<'w> {
    /// The directory, which identifies the log.
    pub(super) home: &'w RepoPath,
    /// Its files, in reading order.
    pub(super) files: Vec<LogFile<'w>>,
    /// The subjects that its home declares; `None` without a declaring file.
    pub(super) subjects: Option<Vec<Subject<'w>>>,
    pub(super) goal: &'w Goal,
    /// Whether its home may declare more, because its declarations could not be read to the end.
    pub(super) may_declare_more: bool,
}

pub(super) struct LogFile<'w> {
    pub(super) path: &'w RepoPath,
    /// Its lines that are not blank, well-formed or not: all of them must be kept.
    pub(super) lines: &'w [Rc<[u8]>],
    pub(super) events: &'w [Line],
}

pub(super) struct Subject<'w> {
    /// Its name, in NFC.
    pub(super) name: Cow<'w, str>,
    pub(super) text: EvidenceHash,
}

/// A home that declares a subject, with the text.
#[derive(Clone, Copy)]
pub(super) struct DeclaringHome<'w> {
    /// The directory where its lines are filed.
    pub(super) home: &'w RepoPath,
    /// The hash of the subject's text there.
    pub(super) text: EvidenceHash,
}

impl<'w> Log<'w> {
    /// Whether the home declares `subject`, or may declare it in an unreadable part.
    pub(super) fn may_declare(&self, subject: &str) -> bool {
        let wanted = composed(subject);
        // Unreadable declarations count as declaring everything: otherwise breaking the file would let every line leave.
        self.may_declare_more || self.declared().iter().any(|declared| declared.name == wanted)
    }

    /// The readable declarations of the home.
    pub(super) fn declared(&self) -> &[Subject<'w>] {
        self.subjects.as_deref().unwrap_or_default()
    }

    /// Whether the home has a goal contract, or may have one.
    pub(super) fn may_have_goal(&self) -> bool {
        self.may_declare_more || *self.goal != Goal::Unset
    }

    /// The hash of the goal contract, if it is readable.
    pub(super) fn goal_content(&self) -> Option<EvidenceHash> {
        self.goal.contract().map(Contract::content_hash)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &'w [u8]> {
        self.files.iter().flat_map(|file| file.lines.iter().map(|line| &**line))
    }

    /// The fast path: only lines were appended since `before`. Line order has no meaning, so a `false` alone does not prove
    /// a loss.
    pub(super) fn begins_with(&self, before: &LogFile<'_>) -> bool {
        let same = self.files.iter().find(|file| file.path == before.path);
        same.is_some_and(|same| same.lines.starts_with(before.lines))
    }
}

/// Functions that read the subject of a line from its bytes.
#[derive(Clone, Copy)]
pub(super) struct LineReader {
    /// The subject; `None` if the line names none.
    pub(super) subject: fn(&[u8]) -> Option<String>,
    /// Whether the line decides about the goal of its home, and so has no subject.
    pub(super) is_of_goal: fn(&[u8]) -> bool,
    /// The hashes of the lines that the line signs; empty if it is no signature.
    pub(super) signed: fn(&[u8]) -> Vec<LineHash>,
}

pub(super) struct Logs<'w> {
    /// In the order of their homes.
    all: Vec<Log<'w>>,
    reader: LineReader,
    holding: OnceCell<HashMap<&'w [u8], Vec<&'w RepoPath>>>,
    declaring: OnceCell<HashMap<Cow<'w, str>, Vec<DeclaringHome<'w>>>>,
    redactions: OnceCell<Redactions<'w>>,
}

impl<'w> Logs<'w> {
    /// The logs, sorted by home, and the reader of their lines. Nothing is indexed yet.
    pub(super) fn new(all: Vec<Log<'w>>, reader: LineReader) -> Self {
        let (holding, declaring) = (OnceCell::new(), OnceCell::new());
        Self { all, reader, holding, declaring, redactions: OnceCell::new() }
    }

    /// Every log, in the order of the homes.
    pub(super) fn all(&self) -> &[Log<'w>] {
        &self.all
    }

    pub(super) fn subject_of(&self, line: &[u8]) -> Option<String> {
        (self.reader.subject)(line)
    }

    /// Whether a line decides about the goal of its home.
    pub(super) fn is_of_goal(&self, line: &[u8]) -> bool {
        (self.reader.is_of_goal)(line)
    }

    /// The hashes of the lines that a line signs.
    pub(super) fn signed(&self, line: &[u8]) -> Vec<LineHash> {
        (self.reader.signed)(line)
    }

    pub(super) fn at(&self, home: &RepoPath) -> Option<&Log<'w>> {
        // relies on the order that `new` requires: in another order a log would seem to be gone with all its lines
        self.all.binary_search_by(|log| log.home.cmp(home)).ok().map(|index| &self.all[index])
    }

    /// The homes with a line in their logs, in their order.
    pub(super) fn holding(&self, line: &[u8]) -> &[&'w RepoPath] {
        let holding = self.holding.get_or_init(|| {
            let mut holding: HashMap<&[u8], Vec<&RepoPath>> = HashMap::new();
            for log in &self.all {
                // every file of every home, because a moved line may be in a ledger of either name
                for line in log.lines() {
                    let homes = holding.entry(line).or_default();
                    // a home that holds a line a thousand times is asked about it a thousand times, too
                    if homes.last() != Some(&log.home) {
                        homes.push(log.home);
                    }
                }
            }
            holding
        });
        holding.get(line).map_or(&[], Vec::as_slice)
    }

    /// The homes that declare a subject of this name, in their order.
    pub(super) fn declaring(&self, subject: &str) -> &[DeclaringHome<'w>] {
        let declaring = self.declaring.get_or_init(|| {
            let mut declaring: HashMap<Cow<'w, str>, Vec<DeclaringHome<'w>>> = HashMap::new();
            for log in &self.all {
                for subject in log.declared() {
                    let home = DeclaringHome { home: log.home, text: subject.text };
                    declaring.entry(subject.name.clone()).or_default().push(home);
                }
            }
            declaring
        });
        // NFC on both sides: the same name in the other Unicode form is the same scenario
        declaring.get(&*composed(subject)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn text(&self, home: &RepoPath, subject: &str) -> Option<EvidenceHash> {
        self.declaring(subject).iter().find(|at| at.home == home).map(|at| at.text)
    }

    pub(super) fn redactions(&self) -> &Redactions<'w> {
        let events = || self.all.iter().flat_map(|log| &log.files).flat_map(|file| file.events);
        self.redactions.get_or_init(|| Redactions::among(events()))
    }
}
