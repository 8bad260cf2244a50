//! The judgement of append-only logs: the logs of a base and of what came after it in, the lines that are not where they
//! belong out. The rule itself is in the module above; here it is asked of one line at a time.

use super::logs::{Log, LogFile, Logs};
use super::{Lost, Missing};
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

/// What became of a line.
enum Fate<'w> {
    Kept,
    Left,
    /// It belongs there.
    Lost(&'w RepoPath),
}

/// Where a subject is that left its home.
struct Heirs<'w> {
    /// The nearest homes only.
    nearest: Vec<&'w RepoPath>,
    /// Whether they are new to it and have its text: then it moved, beyond doubt.
    is_same: bool,
}

/// A line where it was filed.
struct FiledLine<'f, 'w> {
    home: &'f Log<'w>,
    file: &'f LogFile<'w>,
    line: &'f [u8],
}

/// A base and what came after it.
pub(super) struct HistoryStep<'w> {
    pub(super) new: Logs<'w>,
    pub(super) base: Logs<'w>,
}

impl<'w> HistoryStep<'w> {
    /// The lines of the base that are not where they belong, in the order of the base.
    pub(super) fn missing(&self) -> Missing {
        let mut found = Missing::default();
        self.base.all().iter().for_each(|home| self.log(home, &mut found));
        found
    }

    fn log(&self, home: &Log<'w>, found: &mut Missing) {
        let now = self.new.at(home.home);
        // A line that stays where it was may be lost all the same, when its subject moved: only then are all lines asked.
        let sheds = sheds(home, now);
        let appended = |file: &LogFile<'w>| now.is_some_and(|now| now.begins_with(file));
        let files: Vec<&LogFile<'w>> = home.files.iter().filter(|file| sheds || !appended(file)).collect();
        if files.is_empty() {
            return;
        }
        let here: HashSet<&[u8]> = now.map(Log::lines).into_iter().flatten().collect();
        for file in files {
            for line in file.lines.iter().filter(|line| sheds || !here.contains(&***line)) {
                self.line(&FiledLine { home, file, line }, &here, found);
            }
        }
    }

    fn line(&self, filed: &FiledLine<'_, 'w>, here: &HashSet<&[u8]>, found: &mut Missing) {
        let FiledLine { home, file, line } = filed;
        // What never was an event was never filed: torn tails and conflict markers may go, or no ledger could be mended.
        let Some(objects) = ndjson::objects(line) else { return };
        let fate = |line: &[u8]| self.fate_or_redaction(home, line, here);
        let mut whole = fate(line);
        if objects.len() > 1 && !matches!(whole, Fate::Kept) {
            // Part by part only where the line itself is not kept: a repair takes glued lines apart, and that loses
            // none of them.
            whole = objects.iter().map(|object| fate(object.as_bytes())).fold(Fate::Kept, Fate::worse);
        }
        let (list, belongs) = match whole {
            Fate::Kept => return,
            Fate::Left => (&mut found.left, home.home),
            Fate::Lost(belongs) => (&mut found.lost, belongs),
        };
        list.push(Lost {
            dir: home.home.clone(),
            ledger: file.path.clone(),
            line: line.to_vec(),
            scenario: self.base.subject_of(line),
            belongs: belongs.clone(),
        });
    }

    /// The fate of a line of `home`, where `here` are the lines of its home now. What stands for a line must stand where the
    /// line must: elsewhere it would take a reading away from a node that has nothing to show for it.
    fn fate_or_redaction(&self, home: &Log<'w>, line: &[u8], here: &HashSet<&[u8]>) -> Fate<'w> {
        let fate = |line: &[u8]| self.fate(home, line, here.contains(line));
        let redactions = || self.new.redactions().in_place_of(line);
        match fate(line) {
            Fate::Lost(_) if redactions().into_iter().any(|line| matches!(fate(line), Fate::Kept)) => Fate::Kept,
            fate => fate,
        }
    }

    /// The fate of a line of `home`, which is still `here` or is not.
    fn fate(&self, home: &Log<'w>, line: &[u8], here: bool) -> Fate<'w> {
        let subject = self.base.subject_of(line);
        if subject.is_none() && self.base.is_of_goal(line) {
            return self.fate_of_decision(home, line, here);
        }
        let now = self.new.at(home.home);
        let claims = |now: &Log<'_>| subject.as_deref().map_or(now.subjects.is_some(), |name| now.may_declare(name));
        if now.is_some_and(claims) {
            return if here { Fate::Kept } else { Fate::Lost(home.home) };
        }
        let Some(subject) = subject.as_deref().filter(|name| home.may_declare(name)) else {
            return if here { Fate::Kept } else { self.fate_of_undeclared(home, line, subject.as_deref()) };
        };
        let heirs = self.heirs(home.home, subject);
        match heirs.nearest.as_slice() {
            [first, ..] if !self.is_held(line, &heirs.nearest) => {
                // Left behind where the subject moved beyond doubt, it would count for nothing, and so be as good as gone.
                if here && !heirs.is_same { Fate::Kept } else { Fate::Lost(first) }
            }
            [] if !here => Fate::Left,
            _ => Fate::Kept,
        }
    }

    /// The fate of a line about what `home` is to reach.
    fn fate_of_decision(&self, home: &Log<'w>, line: &[u8], here: bool) -> Fate<'w> {
        let now = self.new.at(home.home);
        // Whatever became of the contract: what was decided before may count again, and a block always does.
        if now.is_some_and(Log::may_have_goal) {
            return if here { Fate::Kept } else { Fate::Lost(home.home) };
        }
        let heirs = self.base.goal_heirs(home, &self.new);
        if let [first, ..] = heirs.as_slice() {
            // Left behind, or at another goal, it would count for nothing, and so be as good as gone.
            return if self.is_held(line, &heirs) { Fate::Kept } else { Fate::Lost(first) };
        }
        let took_over = |at: &&RepoPath| {
            let held = self.base.holding(line).contains(at);
            !held && self.new.at(at).is_some_and(Log::may_have_goal)
        };
        if here || self.new.holding(line).iter().any(took_over) {
            return Fate::Kept;
        }
        match now.is_some_and(|now| now.subjects.is_some()) {
            true => Fate::Lost(home.home),
            false => self.fate_of_undeclared(home, line, None),
        }
    }

    /// The fate of a line that is not here and that nothing declared in the base, or that names no subject.
    fn fate_of_undeclared(&self, home: &Log<'w>, line: &[u8], subject: Option<&str>) -> Fate<'w> {
        // A log that held the line all along took nothing over: were it enough, deleting one of two copies would pass.
        let held = |at: &RepoPath| self.base.holding(line).contains(&at);
        let counts =
            |at: &RepoPath| subject.is_some_and(|name| self.new.at(at).is_some_and(|log| log.may_declare(name)));
        if self.new.holding(line).iter().any(|at| !held(at) || counts(at)) {
            return Fate::Kept;
        }
        let stays = self.new.at(home.home).is_some_and(|now| now.subjects.is_some());
        let Some(declared) = home.subjects.as_ref().filter(|_| !stays) else { return Fate::Lost(home.home) };
        let heir = declared.iter().find_map(|subject| self.heirs(home.home, &subject.name).nearest.first().copied());
        heir.map_or(Fate::Left, Fate::Lost)
    }

    fn is_held(&self, line: &[u8], by: &[&RepoPath]) -> bool {
        self.new.holding(line).iter().any(|at| by.contains(at))
    }

    /// Where `subject`, which left `home`, is now.
    fn heirs(&self, home: &RepoPath, subject: &str) -> Heirs<'w> {
        let text = self.base.text(home, subject);
        let others = self.new.declaring(subject).iter().filter(|at| at.home != home);
        // 1, so that a home of the same name alone is no heir: it was there before and reads otherwise, a stranger.
        let (mut nearest, mut best) = (Vec::new(), 1);
        for at in others {
            let is_new = self.base.declaring(subject).iter().all(|before| before.home != at.home);
            // Newness outweighs the text: a twin that was there before is another scenario, however alike it reads.
            let closeness = 2 * u8::from(is_new) + u8::from(Some(at.text) == text);
            if closeness > best {
                nearest.clear();
                best = closeness;
            }
            if closeness == best {
                nearest.push(at.home);
            }
        }
        Heirs { nearest, is_same: best == 3 }
    }
}

impl Fate<'_> {
    /// That of a whole whose parts had these.
    fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lost(belongs), _) | (_, Self::Lost(belongs)) => Self::Lost(belongs),
            (Self::Left, _) | (_, Self::Left) => Self::Left,
            (Self::Kept, Self::Kept) => Self::Kept,
        }
    }
}

/// Whether a subject that `home` names, or what it is to reach, may have left it.
fn sheds(home: &Log<'_>, now: Option<&Log<'_>>) -> bool {
    if home.may_have_goal() && !now.is_some_and(Log::may_have_goal) {
        return true;
    }
    let now: HashSet<&str> = now.into_iter().flat_map(Log::declared).map(|subject| &*subject.name).collect();
    home.declared().iter().any(|subject| !now.contains(&*subject.name))
}
