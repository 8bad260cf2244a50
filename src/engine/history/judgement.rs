//! Judges append-only logs: the logs of a base and of the new state in, the misplaced lines out. The module above states
//! the rule; this one applies it line by line.

use super::logs::{Log, LogFile, Logs};
use super::{Lost, Missing};
use crate::model::ids::nfc;
use crate::model::ledger::LineHash;
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

enum Fate<'w> {
    Kept,
    Left,
    /// It must stand in this directory, and does not.
    Lost(&'w RepoPath),
}

/// The heirs of the subjects of one home, each found once; keyed by the subject in NFC.
type KnownHeirs<'w> = BTreeMap<String, Heirs<'w>>;

#[derive(Clone, Default)]
struct Heirs<'w> {
    all: Vec<&'w RepoPath>,
    /// The heirs that newly declare it with the same text.
    by_text: Vec<&'w RepoPath>,
    /// The heirs that hold a line of the subject.
    bearing: Vec<&'w RepoPath>,
    /// Whether another home also lost a subject of the same name and text. Then an heir by text may belong to that home.
    is_shared: bool,
}

/// A base and the state after it.
pub(super) struct HistoryStep<'w> {
    new: Logs<'w>,
    base: Logs<'w>,
    /// The homes that newly hold a line.
    newly: OnceCell<HashMap<&'w [u8], Vec<&'w RepoPath>>>,
}

/// One home of the base, while its lines are judged.
struct HomeStep<'s, 'w> {
    step: &'s HistoryStep<'w>,
    home: &'s Log<'w>,
    now: Option<&'s Log<'w>>,
    /// The lines that the home holds now.
    here: HashSet<&'w [u8]>,
    heirs: KnownHeirs<'w>,
    /// The lines that the home held, by their hash as signatures name it; made for the first signature.
    by_hash: OnceCell<HashMap<LineHash, &'w [u8]>>,
}

impl<'w> HistoryStep<'w> {
    pub(super) fn new(new: Logs<'w>, base: Logs<'w>) -> Self {
        Self { new, base, newly: OnceCell::new() }
    }

    /// The misplaced lines of the base, in its order.
    pub(super) fn missing(&self) -> Missing {
        let mut found = Missing::default();
        self.base.all().iter().for_each(|home| self.log(home, &mut found));
        found
    }

    fn log(&self, home: &Log<'w>, found: &mut Missing) {
        let now = self.new.at(home.home);
        // A line at its old place is still lost if its scenario moved, so then all lines are judged.
        let sheds = self.sheds(home, now);
        let appended = |file: &LogFile<'w>| now.is_some_and(|now| now.begins_with(file));
        let files: Vec<&LogFile<'w>> = home.files.iter().filter(|file| sheds || !appended(file)).collect();
        if files.is_empty() {
            return;
        }
        let here: HashSet<&[u8]> = now.map(Log::lines).into_iter().flatten().collect();
        let mut judged = HomeStep { step: self, home, now, here, heirs: KnownHeirs::new(), by_hash: OnceCell::new() };
        for file in files {
            for line in file.lines.iter() {
                if sheds || !judged.here.contains(&**line) {
                    judged.line(file, line, found);
                }
            }
        }
    }

    /// Whether a subject of `home` may have an heir: the home no longer declares it, or another home newly holds its line.
    fn sheds(&self, home: &Log<'w>, now: Option<&Log<'w>>) -> bool {
        let still: HashSet<&str> = now.into_iter().flat_map(Log::declared).map(|subject| &*subject.name).collect();
        home.declared().iter().any(|subject| !still.contains(&*subject.name))
            || !self.newly().is_empty() && home.lines().any(|line| self.newly().contains_key(line))
    }

    fn newly(&self) -> &HashMap<&'w [u8], Vec<&'w RepoPath>> {
        self.newly.get_or_init(|| {
            let mut newly: HashMap<&[u8], Vec<&RepoPath>> = HashMap::new();
            for log in self.new.all() {
                let before = self.base.at(log.home);
                let same = |file: &&LogFile<'_>| {
                    let files = before.into_iter().flat_map(|before| &before.files);
                    files.into_iter().any(|old| old.path == file.path && old.lines == file.lines)
                };
                let changed: Vec<_> = log.files.iter().filter(|file| !same(file)).collect();
                if changed.is_empty() {
                    continue;
                }
                let held: HashSet<&[u8]> = before.into_iter().flat_map(Log::lines).collect();
                let lines = changed.into_iter().flat_map(|file| file.lines.iter().map(|line| &**line));
                lines
                    .filter(|line| !held.contains(line))
                    .for_each(|line| newly.entry(line).or_default().push(log.home));
            }
            newly
        })
    }

    /// The directories that newly declare `subject` with its text from `home`. A directory that already declared it with
    /// this text is another scenario. The name alone makes no heir, because most scenarios are called `works`.
    fn heirs_by_text(&self, home: &RepoPath, subject: &str) -> Vec<&'w RepoPath> {
        let Some(text) = self.base.text(home, subject) else { return Vec::new() };
        let had = |dir: &RepoPath| self.base.text(dir, subject) == Some(text);
        let declaring = self.new.declaring(subject).iter().filter(|at| at.text == text && at.home != home);
        declaring.map(|at| at.home).filter(|dir| !had(dir)).collect()
    }

    /// Whether a directory other than `home` declared `subject` with the same text and no longer does.
    fn lets_go_elsewhere(&self, home: &RepoPath, subject: &str) -> bool {
        let Some(text) = self.base.text(home, subject) else { return false };
        let mut alike = self.base.declaring(subject).iter().filter(|at| at.text == text && at.home != home);
        alike.any(|at| self.new.text(at.home, subject).is_none())
    }
}

impl<'w> HomeStep<'_, 'w> {
    fn line(&mut self, file: &LogFile<'w>, line: &'w [u8], found: &mut Missing) {
        // A line that was never an event may go: otherwise torn tails and conflict markers could not be repaired.
        let Some(objects) = ndjson::objects(line) else { return };
        let mut whole = self.fate_or_redaction(line);
        if objects.len() > 1 && !matches!(whole, Fate::Kept) {
            // A repair splits glued lines and loses none of them.
            whole =
                objects.iter().map(|object| self.fate_or_redaction(object.as_bytes())).fold(Fate::Kept, Fate::worse);
        }
        if let (Fate::Kept, Some(heir)) = (&whole, self.lacking_copy(line)) {
            whole = Fate::Lost(heir);
        }
        let (list, belongs) = match whole {
            Fate::Kept => return,
            Fate::Left => (&mut found.left, self.home.home),
            Fate::Lost(belongs) => (&mut found.lost, belongs),
        };
        list.push(Lost {
            dir: self.home.home.clone(),
            ledger: file.path.clone(),
            line: line.to_vec(),
            scenario: self.step.base.subject_of(line),
            belongs: belongs.clone(),
        });
    }

    /// The fate of a line that a redaction may replace. The redaction must stand where the line must: elsewhere it would
    /// take a reading from a node without leaving a trace there.
    fn fate_or_redaction(&mut self, line: &[u8]) -> Fate<'w> {
        let fate = self.fate(line, line);
        if !matches!(fate, Fate::Lost(_)) {
            return fate;
        }
        for redaction in self.step.new.redactions().in_place_of(line) {
            if let Fate::Kept = self.fate(line, redaction) {
                return Fate::Kept;
            }
        }
        fate
    }

    /// The fate of `line` if the bytes `stands` must be in its place.
    fn fate(&mut self, line: &[u8], stands: &[u8]) -> Fate<'w> {
        match self.step.base.subject_of(line) {
            Some(subject) => self.fate_of_subject(&subject, stands),
            None => self.fate_of_unnamed(stands),
        }
    }

    fn fate_of_subject(&mut self, subject: &str, stands: &[u8]) -> Fate<'w> {
        let here = self.here.contains(stands);
        if self.now.is_some_and(|now| now.may_declare(subject)) {
            return if here { Fate::Kept } else { Fate::Lost(self.home.home) };
        }
        let new = &self.step.new;
        let Heirs { all, by_text, bearing, is_shared } = self.heirs(subject);
        let holds = |heir: &&'w RepoPath| new.holding(stands).contains(heir);
        // An heir that takes one line must take all: with the passes alone it would be a fresh pass, while the fails stay
        // elsewhere. An heir by text must always take them, or the scenario would start anew unnoticed. Only if two nodes
        // with the same text move together is one of the heirs enough, because each takes the lines of its own node.
        let lacking = match is_shared && by_text.iter().any(&holds) {
            true => None,
            false => by_text.iter().find(|heir| !holds(heir)),
        };
        let lacking = bearing.iter().find(|heir| !holds(heir)).or(lacking);
        match lacking.or_else(|| all.first().filter(|_| !all.iter().any(holds))) {
            Some(heir) => Fate::Lost(heir),
            None if !here && all.is_empty() => self.departure(),
            None => Fate::Kept,
        }
    }

    /// The fate of a line without a scenario, for example a decision. It belongs to the node and moves only as a whole.
    fn fate_of_unnamed(&mut self, stands: &[u8]) -> Fate<'w> {
        if self.here.contains(stands) {
            return Fate::Kept;
        }
        // Decisions stay while the contract stays: moved along with some scenario, they would reopen the goal.
        if self.is_kept() && self.now.is_some_and(Log::may_have_goal) {
            return Fate::Lost(self.home.home);
        }
        let heirs = self.heirs_of_node();
        let unnamed = || self.home.lines().filter(|line| self.is_unnamed_event(line));
        let is_whole = |heir: &&RepoPath| unnamed().all(|line| self.step.new.holding(line).contains(heir));
        if heirs.iter().any(is_whole) {
            return Fate::Kept;
        }
        match heirs.first() {
            Some(heir) if !self.is_kept() => Fate::Lost(heir),
            _ => self.departure(),
        }
    }

    /// A new place of a line that `line` signs, where `line` itself does not stand. Otherwise a move would turn a signed fail
    /// into a fail that anybody may withdraw.
    fn lacking_copy(&self, line: &[u8]) -> Option<&'w RepoPath> {
        let signed = self.step.base.signed(line);
        let by_hash =
            || self.by_hash.get_or_init(|| self.home.lines().map(|line| (LineHash::of_object(line), line)).collect());
        let stays = |subject: &str| self.now.is_some_and(|now| now.may_declare(subject));
        let moved = signed
            .iter()
            .filter_map(|hash| by_hash().get(hash))
            .filter(|line| self.step.base.subject_of(line).is_some_and(|subject| !stays(&subject)));
        let mut places = moved.flat_map(|line| self.step.newly().get(line).into_iter().flatten());
        places.find(|place| **place != self.home.home && !self.step.new.holding(line).contains(place)).copied()
    }

    fn is_unnamed_event(&self, line: &[u8]) -> bool {
        ndjson::objects(line).is_some() && self.step.base.subject_of(line).is_none()
    }

    /// A ledger that stays keeps the lines without an heir. They may leave only if the directory declares nothing any more.
    fn departure(&self) -> Fate<'w> {
        let declares = self.now.is_some_and(|now| now.may_declare_more || !now.declared().is_empty());
        if self.is_kept() || declares { Fate::Lost(self.home.home) } else { Fate::Left }
    }

    /// Whether the home still has a ledger.
    fn is_kept(&self) -> bool {
        self.now.is_some_and(|now| !now.files.is_empty())
    }

    /// The heirs of a subject that the home no longer declares.
    fn heirs(&mut self, subject: &str) -> Heirs<'w> {
        let name = nfc(subject);
        if let Some(known) = self.heirs.get(&name) {
            return known.clone();
        }
        let by_text = self.step.heirs_by_text(self.home.home, &name);
        let is_shared = self.step.lets_go_elsewhere(self.home.home, &name);
        let (mut all, mut holding) = (by_text.clone(), Vec::new());
        for line in self.home.lines() {
            if self.step.base.subject_of(line).is_some_and(|of| nfc(&of) == name) {
                let newly = self.step.newly().get(line).into_iter().flatten();
                all.extend(newly.filter(|holder| **holder != self.home.home));
                holding.extend(self.step.new.holding(line));
            }
        }
        all.sort_unstable();
        all.dedup();
        let bearing = all.iter().filter(|heir| holding.contains(heir)).copied().collect();
        let heirs = Heirs { all, by_text, bearing, is_shared };
        self.heirs.insert(name, heirs.clone());
        heirs
    }

    /// The heirs of any subject of the home.
    fn heirs_of_node(&mut self) -> Vec<&'w RepoPath> {
        let declared = self.home.declared().iter().map(|subject| subject.name.to_string());
        let filed = self.home.lines().filter_map(|line| self.step.base.subject_of(line));
        let mut subjects: Vec<String> = declared.chain(filed).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let stays = |subject: &String| self.now.is_some_and(|now| now.may_declare(subject));
        subjects.retain(|subject| !stays(subject));
        let mut heirs: Vec<&RepoPath> = subjects.iter().flat_map(|subject| self.heirs(subject).all).collect();
        heirs.sort_unstable();
        heirs.dedup();
        heirs
    }
}

impl Fate<'_> {
    /// The fate of a line that consists of two parts.
    fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lost(belongs), _) | (_, Self::Lost(belongs)) => Self::Lost(belongs),
            (Self::Left, _) | (_, Self::Left) => Self::Left,
            (Self::Kept, Self::Kept) => Self::Kept,
        }
    }
}
