//! Append-only logs as data: lines that are filed at a home, what the home declares, and one state's logs with the indexes
//! that judging asks for. An index is made at the first question: most changes only append, and ask nothing. This module
//! knows nothing of nodes, scenario files or ledgers; `ledgers` fills it.

use crate::engine::redaction::Redactions;
use crate::model::contract::{Contract, Goal};
use crate::model::ids::composed;
use crate::model::ledger::{EvidenceHash, Line};
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What is filed at one home, a directory, in one file or in several that are read as one.
pub(super) struct Log<'w> {
    /// The directory, by which a log is known.
    pub(super) home: &'w RepoPath,
    /// Its files, in the order in which they are read.
    pub(super) files: Vec<LogFile<'w>>,
    /// What its home declares that lines may speak of; `None` where nothing there declares anything.
    pub(super) subjects: Option<Vec<Subject<'w>>>,
    /// What its home as a whole is to reach.
    pub(super) goal: &'w Goal,
    /// Whether its home may declare more: what declares could not be read to its end.
    pub(super) may_declare_more: bool,
}

/// One file of a log.
pub(super) struct LogFile<'w> {
    /// Where it lies.
    pub(super) path: &'w RepoPath,
    /// Its lines that are not blank, well-formed or not: what must be kept.
    pub(super) lines: &'w [Rc<[u8]>],
    /// Its lines that are events, among which are those that stand in place of others.
    pub(super) events: &'w [Line],
}

/// What lines speak of: a scenario.
pub(super) struct Subject<'w> {
    /// Its name, in NFC.
    pub(super) name: Cow<'w, str>,
    /// The hash of its text.
    pub(super) text: EvidenceHash,
}

/// A home that declares a subject, and with which text.
#[derive(Clone, Copy)]
pub(super) struct DeclaringHome<'w> {
    /// The directory where its lines are filed.
    pub(super) home: &'w RepoPath,
    /// The hash of the subject's text there.
    pub(super) text: EvidenceHash,
}

impl<'w> Log<'w> {
    /// Whether the home declares `subject`, for all that can be told.
    pub(super) fn may_declare(&self, subject: &str) -> bool {
        let wanted = composed(subject);
        // What could not be read declares everything: else breaking the file would let every line of it leave.
        self.may_declare_more || self.declared().iter().any(|declared| declared.name == wanted)
    }

    /// What the home declares, as far as it could be read.
    pub(super) fn declared(&self) -> &[Subject<'w>] {
        self.subjects.as_deref().unwrap_or_default()
    }

    /// Whether the home has a goal contract, or may have one.
    pub(super) fn may_have_goal(&self) -> bool {
        self.may_declare_more || *self.goal != Goal::Unset
    }

    /// The hash of the goal contract, where it is readable.
    pub(super) fn goal_content(&self) -> Option<EvidenceHash> {
        self.goal.contract().map(Contract::content_hash)
    }

    /// Its lines, of all files.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'w [u8]> {
        self.files.iter().flat_map(|file| file.lines.iter().map(|line| &**line))
    }

    /// The fast path: lines were only appended to the file since it was `before`. Order means nothing, so that this alone
    /// may never say that something is lost.
    pub(super) fn begins_with(&self, before: &LogFile<'_>) -> bool {
        let same = self.files.iter().find(|file| file.path == before.path);
        same.is_some_and(|same| same.lines.starts_with(before.lines))
    }
}

/// Reads from a line's bytes what it speaks of.
#[derive(Clone, Copy)]
pub(super) struct LineReader {
    /// The subject; `None` where it names none.
    pub(super) subject: fn(&[u8]) -> Option<String>,
    /// Whether it settles something about what its home as a whole is to reach, and so has no subject.
    pub(super) is_of_goal: fn(&[u8]) -> bool,
}

/// The logs of one state.
pub(super) struct Logs<'w> {
    /// In the order of their homes.
    all: Vec<Log<'w>>,
    reader: LineReader,
    holding: OnceCell<HashMap<&'w [u8], Vec<&'w RepoPath>>>,
    declaring: OnceCell<HashMap<Cow<'w, str>, Vec<DeclaringHome<'w>>>>,
    redactions: OnceCell<Redactions<'w>>,
}

impl<'w> Logs<'w> {
    /// These logs, which are sorted by their homes, and how their lines say what they speak of. Nothing is indexed yet.
    pub(super) fn new(all: Vec<Log<'w>>, reader: LineReader) -> Self {
        let (holding, declaring) = (OnceCell::new(), OnceCell::new());
        Self { all, reader, holding, declaring, redactions: OnceCell::new() }
    }

    /// Every log, in the order of the homes.
    pub(super) fn all(&self) -> &[Log<'w>] {
        &self.all
    }

    /// What a line speaks of.
    pub(super) fn subject_of(&self, line: &[u8]) -> Option<String> {
        (self.reader.subject)(line)
    }

    /// Whether a line settles something about what its home is to reach.
    pub(super) fn is_of_goal(&self, line: &[u8]) -> bool {
        (self.reader.is_of_goal)(line)
    }

    /// The log of a home.
    pub(super) fn at(&self, home: &RepoPath) -> Option<&Log<'w>> {
        // by the order that `new` asks for: in another one a log would seem to be gone, and every line of it lost
        self.all.binary_search_by(|log| log.home.cmp(home)).ok().map(|index| &self.all[index])
    }

    /// The homes whose logs hold a line, in their order.
    pub(super) fn holding(&self, line: &[u8]) -> &[&'w RepoPath] {
        let holding = self.holding.get_or_init(|| {
            let mut holding: HashMap<&[u8], Vec<&RepoPath>> = HashMap::new();
            for log in &self.all {
                // every file of every home: a line that moved may stand under either name of a ledger
                log.lines().for_each(|line| holding.entry(line).or_default().push(log.home));
            }
            holding
        });
        holding.get(line).map_or(&[], Vec::as_slice)
    }

    /// The homes that declare a subject by its name, in their order.
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
        // NFC on both sides: a name typed in the other form is the same scenario, which has not left
        declaring.get(&*composed(subject)).map_or(&[], Vec::as_slice)
    }

    /// The text with which `home` declares a subject.
    pub(super) fn text(&self, home: &RepoPath, subject: &str) -> Option<EvidenceHash> {
        self.declaring(subject).iter().find(|at| at.home == home).map(|at| at.text)
    }

    /// What stands in place of a line.
    pub(super) fn redactions(&self) -> &Redactions<'w> {
        let events = || self.all.iter().flat_map(|log| &log.files).flat_map(|file| file.events);
        self.redactions.get_or_init(|| Redactions::among(events()))
    }
}
