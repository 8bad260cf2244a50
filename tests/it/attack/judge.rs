//! A slow and obvious judge of what a server accepts.
//!
//! For every branch it asks of the next tip, for each ledger line that the accepted tip before it held:
//!
//! 1. While its directory declares the line's scenario (name, NFC), the line is **there**, under either name of a ledger.
//!    The redaction of a line (the sha256 of its bytes, with its scenario, its time, and what it withdraws) stands in its
//!    place.
//! 2. Where the scenario leaves its directory in this step, the line goes where the scenario went. That is, among the
//!    other directories of the tip that declare it: those that did not before and have its description and expected text;
//!    else those that did not before; else those with its text. One of these holds the line, or, where none of the first
//!    sort is among them, it stayed where it was. Where there is nobody the line may **retire**, unless a file of a
//!    ledger's name outside what is ours holds it now and did not: then it left the roots and did not retire. A line whose scenario had
//!    left its directory in an earlier step stays, or goes to a ledger that did not hold it or whose directory declares
//!    its scenario; it may retire with the directory's scenario file, where nothing of that went anywhere.
//!    Out of a directory that nobody sees, before and after, the scenario takes into view the lines that went out of it.
//! 3. Retired is **for good**: when a ledger appears, or its scenario does, or it comes into view again because roots or
//!    exclude changed, no line of it says of (scenario, ts) something else than what was filed there, nor does one stand in
//!    place of its redaction. What no accepted tip ever held was never filed; what one of the states holds that the new
//!    commits begin from is owed by sentence 1, and nothing else than what was filed. What went out of view is there, by sentences 1 and 2, when a new commit shows its file again.
//! 4. Every state that the new commits begin from counts like the old tip of the branch.
//! 5. A branch that is guarded (main, or by `yatsu.protect`) may not go away with lines that no other guarded branch
//!    holds, and is not pushed again when nobody guards them any more: what nobody guards may go next. Another branch may
//!    lose lines to a force push that is warned about. What is deleted is otherwise forgotten.
//! 6. Replacements are nobody's testimony: no `refs/replace/` is taken. Evidence is in no accepted object.
//!
//! What is seen is what roots and exclude of the guarding configuration (the default branch's before the push) let be
//! seen, and for what comes back, what each tip's own configuration does. Where the guarding configuration has switched
//! `ledger-history` off, nothing is owed.

use super::deeds::EVIDENCE;
use super::seen::{Config, Git, House, Houses, Scenario, Tip, dir_of, event, lines, stands_for, word};
use crate::support::sha256;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What an accepted push must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A line is gone, or is another one, where its scenario is declared still.
    Edited,
    /// A line is only elsewhere although its scenario stayed.
    Swapped,
    /// A scenario moved and left a line behind.
    MovedWithout,
    /// A line whose scenario had left before is gone.
    OrphanLost,
    /// A line went out of what is ours and is still around.
    LeftRoots,
    /// A ledger came back with another past.
    ReturnedAltered,
    /// A ledger came back into view without all of its lines.
    ReturnedWithout,
    /// A guarded branch went away with what only it held.
    DeletedProtected,
    /// A guarded branch that had been deleted was pushed again, and what it held is neither there nor guarded elsewhere.
    PushedAgain,
    /// A force push lost lines and nobody said so.
    SilentForce,
    /// A replacement was taken.
    Replaced,
    /// Evidence is in the objects of a ref.
    Evidence,
    /// A reading is called fresh whose content is another one.
    SaidFresh,
    /// A reading is called stale whose content is the same.
    SaidStale,
    /// Nothing is lost and the push was refused.
    FalseRefusal,
    /// Two doors say different things of one change.
    DoorsDiffer,
    /// A memo changed an answer.
    MemoDiffers,
}

/// One such thing.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }

    fn of_line(kind: Kind, dir: &str, line: &[u8]) -> Self {
        Self::new(kind, format!("{dir}: {}", String::from_utf8_lossy(line)))
    }
}

/// What a push does to one ref.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub(super) name: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

pub(super) type Refs = BTreeMap<String, String>;

/// The git id of the evidence that actors try to bring.
pub(super) const EVIDENCE_ID: &str = "1a371d6505a670b86f217c290063b9a506b2ff10";

pub(super) struct Judge {
    pub(super) git: Git,
    tips: HashMap<String, Option<Rc<Tip>>>,
    /// What is out of view at a commit, of what had been in view before it.
    hidden: HashMap<String, Rc<BTreeSet<Hidden>>>,
    /// What was accepted: a commit on the way there was judged by nobody, and proves no line.
    accepted: BTreeSet<String>,
    /// What guarded branches held when they were deleted, as long as nothing that was accepted retired it.
    owed: BTreeMap<String, BTreeSet<Vec<u8>>>,
}

impl Judge {
    pub(super) fn new(git: Git) -> Self {
        Self { git, tips: HashMap::new(), hidden: HashMap::new(), accepted: BTreeSet::new(), owed: BTreeMap::new() }
    }

    /// A commit as the judge sees it; `None` for what is no commit.
    pub(super) fn tip(&mut self, id: &str) -> Option<Rc<Tip>> {
        if !self.tips.contains_key(id) {
            let read = Tip::read(&mut self.git, id).map(Rc::new);
            self.tips.insert(id.to_owned(), read);
        }
        self.tips[id].clone()
    }

    /// All commits that `of` leads to, itself included.
    fn ancestors(&mut self, of: &[String]) -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), of.to_vec());
        while let Some(id) = open.pop() {
            if seen.insert(id.clone()) {
                open.extend(self.tip(&id).expect("a commit").parents.iter().cloned());
            }
        }
        seen
    }

    /// Whether one commit comes before another, or is it.
    pub(super) fn is_ancestor(&mut self, old: &str, new: &str) -> bool {
        self.ancestors(&[new.to_owned()]).contains(old)
    }

    /// What the server holds, as commits.
    pub(super) fn known(&mut self, refs: &Refs) -> BTreeSet<String> {
        let tips: Vec<String> = refs.values().filter(|id| self.tip(id).is_some()).cloned().collect();
        self.ancestors(&tips)
    }

    /// The commits of the server that the new ones of `tip` begin from, without those that come before another one.
    pub(super) fn edge(&mut self, tip: &str, known: &BTreeSet<String>) -> Vec<String> {
        let new: Vec<String> = self.ancestors(&[tip.to_owned()]).difference(known).cloned().collect();
        let mut edge: BTreeSet<String> = BTreeSet::new();
        for id in &new {
            edge.extend(self.tip(id).expect("a commit").parents.iter().filter(|id| known.contains(*id)).cloned());
        }
        let is_covered =
            |judge: &mut Self, id: &String| edge.iter().any(|other| other != id && judge.is_ancestor(id, other));
        edge.iter().filter(|id| !is_covered(self, id)).cloned().collect()
    }

    /// What would be wrong with a server that accepts `updates`; `warned` says whether it warns of lost lines.
    pub(super) fn faults(&mut self, refs: &Refs, updates: &[Update], warned: bool) -> Vec<Fault> {
        let main = refs.get("refs/heads/main").and_then(|main| self.tip(main));
        let standing = main.as_ref().map(|tip| tip.config.clone());
        let known = self.known(refs);
        let mut faults = Vec::new();
        for update in updates {
            if update.name.starts_with("refs/replace/") && update.new.is_some() {
                faults.push(Fault::new(Kind::Replaced, &update.name));
            }
            faults.extend(self.evidence(update, &known, main.as_ref()));
            let branch = update.name.strip_prefix("refs/heads/");
            match (&update.new, branch) {
                (Some(new), _) => {
                    // a tag that moves has no past that it must keep
                    let (old, branch) = (update.old.as_ref().filter(|_| branch.is_some()), branch.unwrap_or_default());
                    faults.extend(self.moved(&Pushed { branch, old, new, warned }, &known, standing.as_ref()));
                    faults.extend(self.again(refs, updates, (branch, old), standing.as_ref()));
                }
                (None, Some(branch)) => faults.extend(self.deleted(refs, updates, (branch, update), standing.as_ref())),
                (None, None) => {}
            }
        }
        faults
    }

    /// Evidence among what a ref brings: in a commit that is new, or where a tag of something else leads. It is known by
    /// its name, or by a reading of the tip; for what is no commit, of the default branch.
    fn evidence(&mut self, update: &Update, known: &BTreeSet<String>, main: Option<&Rc<Tip>>) -> Option<Fault> {
        let new = update.new.as_ref()?;
        let (hash, tip) = (sha256(EVIDENCE.as_bytes()), self.tip(new));
        let guard = main.or(tip.as_ref())?.config.clone();
        let is_named = |tip: &Rc<Tip>| {
            let lines = lines_of(&tip.houses(&guard));
            lines.iter().any(|line| String::from_utf8_lossy(line).contains(&hash))
        };
        let named = tip.as_ref().or(main).is_some_and(is_named);
        let holds = |ids: &BTreeMap<String, (String, String)>| {
            let mut held = ids.iter().filter(|(_, (_, id))| id == EVIDENCE_ID);
            held.any(|(path, _)| named || path.rsplit('/').next() == Some(&hash))
        };
        let has = if tip.is_some() {
            let brought: Vec<String> = self.ancestors(std::slice::from_ref(new)).difference(known).cloned().collect();
            brought.iter().any(|id| self.tip(id).is_some_and(|tip| holds(&tip.ids)))
        } else {
            let (kind, _) = self.git.object(new)?;
            (new == EVIDENCE_ID && named) || (kind == "tree" && holds(&self.git.files(new)))
        };
        let is_old = |tip: &Rc<Tip>| tip.ids.values().any(|(_, id)| id == EVIDENCE_ID);
        let was_there = has && known.iter().any(|id| self.tip(id).as_ref().is_some_and(is_old));
        (has && !was_there).then(|| Fault::new(Kind::Evidence, format!("{} {new}", update.name)))
    }

    fn deleted(
        &mut self,
        refs: &Refs,
        updates: &[Update],
        (branch, update): (&str, &Update),
        standing: Option<&Config>,
    ) -> Vec<Fault> {
        let Some(tip) = update.old.as_ref().and_then(|old| self.tip(old)) else { return Vec::new() };
        let is_lenient = standing.is_some_and(|config| config.is_lenient);
        if is_lenient || !standing.is_some_and(|config| config.protects(branch)) && !tip.config.protects(branch) {
            return Vec::new();
        }
        let kept = self.guarded(&after(refs, updates), standing);
        let held = lines_of(&tip.houses(&tip.config));
        let lost = held.iter().find(|line| event(line).is_some() && !is_kept(&kept, line));
        lost.map(|line| Fault::of_line(Kind::DeletedProtected, branch, line)).into_iter().collect()
    }

    /// What a deleted branch comes back without, and nobody guards.
    fn again(
        &mut self,
        refs: &Refs,
        updates: &[Update],
        (branch, old): (&str, Option<&String>),
        standing: Option<&Config>,
    ) -> Option<Fault> {
        let owed = self.owed.get(branch).filter(|_| old.is_none())?.clone();
        let after = after(refs, updates);
        let mut kept = self.guarded(&after, standing);
        let new = self.tip(&after[&format!("refs/heads/{branch}")])?;
        kept.extend(lines_of(&new.houses(&new.config)));
        let lost = owed.iter().find(|line| event(line).is_some() && !is_kept(&kept, line));
        lost.map(|line| Fault::of_line(Kind::PushedAgain, branch, line))
    }

    /// The lines of all branches that nobody can delete: by what judges, not by what they say of themselves.
    fn guarded(&mut self, refs: &Refs, standing: Option<&Config>) -> BTreeSet<Vec<u8>> {
        let config = standing.cloned().unwrap_or_else(|| Config::of(None));
        let branches = refs.iter().filter_map(|(name, id)| Some((name.strip_prefix("refs/heads/")?, id)));
        let guarded = branches.filter(|(branch, _)| config.protects(branch));
        guarded.filter_map(|(_, id)| self.tip(id)).flat_map(|tip| lines_of(&tip.houses(&tip.config))).collect()
    }

    fn moved(&mut self, pushed: &Pushed<'_>, known: &BTreeSet<String>, standing: Option<&Config>) -> Vec<Fault> {
        let Some(new) = self.tip(pushed.new) else { return Vec::new() };
        let old = pushed.old.and_then(|old| self.tip(old));
        let own = new.config.clone();
        let config = standing.unwrap_or(&own);
        if standing.is_some_and(|config| config.is_lenient) {
            return Vec::new();
        }
        let guards = [Some(config), old.as_ref().map(|tip| &tip.config), Some(&own)];
        let guarded = guards.into_iter().flatten().any(|config| config.protects(pushed.branch));
        let rewritten = pushed.old.is_some_and(|old| !self.is_ancestor(old, pushed.new));
        let mut faults = Vec::new();
        let mut bases = self.edge(pushed.new, known);
        if let Some(old) = pushed.old {
            // what came before the old tip has had its say in it
            bases.retain(|base| !self.is_ancestor(base, old));
        }
        bases.extend(pushed.old.filter(|old| !bases.contains(old)).cloned());
        let mut sights = vec![own.clone()];
        for id in self.ancestors(&[pushed.new.to_owned()]).difference(known) {
            let tip = self.tip(id).expect("a commit");
            // what a commit's parents all let be seen it does not show
            let shows = tip.parents.iter().any(|id| self.tip(id).expect("a commit").config != tip.config);
            if shows && !sights.contains(&tip.config) {
                sights.push(tip.config.clone());
            }
        }
        for base in &bases {
            let tip = self.tip(base).expect("a commit");
            // where nothing stands, what was there before has its say
            let mut lost = losses(&tip, &new, standing.unwrap_or(&tip.config));
            lost.extend(self.resurfaced(base, &new, &sights));
            lost.extend(self.left_hidden(base, &new));
            let free = rewritten && !guarded && Some(base) == pushed.old;
            match lost.first() {
                Some(_) if free && pushed.warned => {}
                Some(first) if free => faults.push(Fault::new(Kind::SilentForce, first.what.clone())),
                _ => faults.extend(lost),
            }
            faults.extend(self.returned((base, &bases), &new, config));
        }
        faults
    }

    /// "a ledger that appears, or comes back into view, with a line whose (scenario, ts) some ledger in the base's
    /// history held with other bytes"
    fn returned(&mut self, (base, bases): (&str, &[String]), new: &Tip, config: &Config) -> Vec<Fault> {
        let tip = self.tip(base).expect("a commit");
        let views = [(tip.houses(config), new.houses(config)), (tip.houses(&tip.config), new.houses(&new.config))];
        let mut appeared: Vec<(String, Vec<u8>)> = Vec::new();
        for (before, after) in &views {
            let knew = |dir: &String, house: &House, line: &Vec<u8>| {
                let old = before.get(dir).filter(|old| old.has_ledger);
                old.is_some_and(|old| declares(old, line) || !declares(house, line))
            };
            for (dir, house) in after {
                let new = house.lines.iter().filter(|line| !knew(dir, house, line));
                appeared.extend(new.map(|line| (dir.clone(), line.clone())));
            }
        }
        if appeared.is_empty() {
            return Vec::new();
        }
        let mut past: BTreeMap<(String, String), BTreeSet<Vec<u8>>> = BTreeMap::new();
        let mut proved: BTreeSet<Vec<u8>> = BTreeSet::new();
        for base in bases {
            // a line that one side of a merge demands cannot be what the other side forbids: no merge would be right
            let tip = self.tip(base).expect("a commit");
            proved.extend(lines_of(&tip.houses(config)));
        }
        for id in self.ancestors(&[base.to_owned()]) {
            let tip = self.tip(&id).expect("a commit");
            let lines = lines_of(&tip.houses(&tip.config));
            if self.accepted.contains(&id) {
                proved.extend(lines.iter().cloned());
            }
            for line in lines {
                past.entry(said_of(&line)).or_default().insert(line);
            }
        }
        let now = lines_of(&new.houses(&new.config));
        // what was taken out stays out, whether or not somebody saw it before
        let taken_out = |line: &Vec<u8>, other: &Vec<u8>| stands_for(other, line) && !now.contains(other);
        let is_other = |line: &Vec<u8>| {
            let mut others = past.get(&said_of(line)).into_iter().flatten().filter(|other| *other != line);
            others.any(|other| taken_out(line, other) || !proved.contains(line))
        };
        // a redaction of whatever line says that there is nothing to be read
        let testifies = |line: &Vec<u8>| {
            event(line).is_some_and(|event| event["retracts"].is_string() || !event["redacts"].is_string())
        };
        let altered = appeared.iter().filter(|(_, line)| testifies(line) && is_other(line));
        altered.map(|(dir, line)| Fault::of_line(Kind::ReturnedAltered, dir, line)).collect()
    }

    /// What is out of view at a commit: what it put there itself, and what lay there before. What an accepted tip showed
    /// again has come back.
    fn hidden(&mut self, id: &str) -> Rc<BTreeSet<Hidden>> {
        if let Some(known) = self.hidden.get(id) {
            return Rc::clone(known);
        }
        let tip = self.tip(id).expect("a commit");
        let mut hidden = BTreeSet::new();
        for parent in &tip.parents {
            hidden.extend(self.hidden(parent).iter().cloned());
            let parent = self.tip(parent).expect("a commit");
            for path in tip.out_of_view(&parent.config) {
                let of_line = |line: &[u8]| Hidden { commit: id.to_owned(), path: path.clone(), line: line.to_vec() };
                hidden.extend(lines(&tip.ours[&path]).map(of_line));
            }
        }
        if self.accepted.contains(id) {
            hidden.retain(|hidden| !tip.config.sees(&hidden.path));
        }
        let hidden = Rc::new(hidden);
        self.hidden.insert(id.to_owned(), Rc::clone(&hidden));
        hidden
    }

    /// What went out of view before `base` and is back, for a moment at least, without some of it.
    fn resurfaced(&mut self, base: &str, new: &Tip, sights: &[Config]) -> Vec<Fault> {
        let then = self.tip(base).expect("a commit").config.clone();
        let mut found = Vec::new();
        for hidden in self.hidden(base).iter().filter(|hidden| !then.sees(&hidden.path)) {
            let before = self.tip(&hidden.commit).expect("a commit");
            let dir = dir_of(&hidden.path);
            for sight in sights.iter().filter(|sight| sight.sees(&hidden.path)) {
                let lost = lost(&before, new, sight);
                if lost.iter().any(|(_, from, line)| from == dir && *line == hidden.line) {
                    found.push(Fault::of_line(Kind::ReturnedWithout, dir, &hidden.line));
                    break;
                }
            }
        }
        found
    }

    /// What went out of view before `base`, stayed there, and was left behind by a scenario that went into view.
    fn left_hidden(&mut self, base: &str, new: &Tip) -> Vec<Fault> {
        let tip = self.tip(base).expect("a commit");
        let out_of_view = |path: &str| !tip.config.sees(path) && !new.config.sees(path);
        let is_rewritten = |path: &&String| path.ends_with(".md") && tip.ours.get(*path) != new.ours.get(*path);
        let files = tip.ours.keys().chain(new.ours.keys()).filter(is_rewritten).filter(|path| out_of_view(path));
        let dirs: BTreeSet<String> = files.map(|path| dir_of(path).to_owned()).collect();
        let (before, after) = (tip.houses_and(&new.config, &dirs), new.houses_and(&new.config, &dirs));
        let mut found = Vec::new();
        for hidden in self.hidden(base).iter().filter(|hidden| out_of_view(&hidden.path)) {
            let Some((dir, house)) = before.get_key_value(dir_of(&hidden.path)).filter(|(dir, _)| dirs.contains(*dir))
            else {
                continue;
            };
            let Some(event) = event(&hidden.line) else { continue };
            let scenario = word(&event, "scenario");
            let gone = loss((&before, &after), (dir, house), (&hidden.line, scenario), &BTreeSet::new());
            let homes = |declared| went_to((&before, &after), dir, declared).1;
            let into_view = house
                .declares(scenario)
                .is_some_and(|declared| homes(declared).iter().any(|home| !dirs.contains(*home)));
            if gone == Some(Kind::MovedWithout) && into_view {
                found.push(Fault::of_line(Kind::MovedWithout, dir, &hidden.line));
            }
        }
        found
    }

    /// Remembers what was accepted where `refs` stood.
    pub(super) fn accept(&mut self, refs: &Refs, updates: &[Update]) {
        self.owe(refs, updates);
        self.accepted.extend(updates.iter().filter_map(|update| update.new.clone()));
        self.hidden.clear();
    }

    /// Notes what goes with a guarded branch; what its other guards let go afterwards they were judged for.
    fn owe(&mut self, refs: &Refs, updates: &[Update]) {
        let main = refs.get("refs/heads/main").and_then(|main| self.tip(main));
        let standing = main.as_ref().map(|tip| &tip.config);
        if standing.is_some_and(|config| config.is_lenient) {
            self.owed.clear();
        }
        let (before, after) = (self.guarded(refs, standing), self.guarded(&after(refs, updates), standing));
        for owed in self.owed.values_mut() {
            owed.retain(|line| is_kept(&after, line) || !is_kept(&before, line));
        }
        for update in updates.iter().filter(|update| update.new.is_none()) {
            let Some(branch) = update.name.strip_prefix("refs/heads/") else { continue };
            let Some(tip) = update.old.as_ref().and_then(|old| self.tip(old)) else { continue };
            if standing.is_some_and(|config| config.protects(branch)) || tip.config.protects(branch) {
                self.owed.insert(branch.to_owned(), lines_of(&tip.houses(&tip.config)));
            }
        }
    }
}

fn after(refs: &Refs, updates: &[Update]) -> Refs {
    let mut after = refs.clone();
    for update in updates {
        match &update.new {
            Some(new) => after.insert(update.name.clone(), new.clone()),
            None => after.remove(&update.name),
        };
    }
    after
}

/// Whether the line, or its redaction, is among these.
fn is_kept(kept: &BTreeSet<Vec<u8>>, line: &[u8]) -> bool {
    kept.contains(line) || kept.iter().any(|other| stands_for(other, line))
}

/// A ledger line where nobody looks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Hidden {
    /// The commit that put it there.
    commit: String,
    path: String,
    line: Vec<u8>,
}

struct Pushed<'p> {
    branch: &'p str,
    old: Option<&'p String>,
    new: &'p str,
    warned: bool,
}

fn lines_of(houses: &Houses) -> BTreeSet<Vec<u8>> {
    houses.values().flat_map(|house| house.lines.iter().cloned()).collect()
}

fn said_of(line: &[u8]) -> (String, String) {
    let event = event(line).unwrap_or_default();
    (super::seen::nfc(word(&event, "scenario")), word(&event, "ts").to_owned())
}

fn declares(house: &House, line: &[u8]) -> bool {
    event(line).is_some_and(|event| house.declares(word(&event, "scenario")).is_some())
}

/// Sentences 1 and 2: the lines of `base` that `new` lost.
pub(super) fn losses(before: &Tip, tip: &Tip, config: &Config) -> Vec<Fault> {
    let lost = lost(before, tip, config);
    lost.into_iter().map(|(kind, dir, line)| Fault::of_line(kind, &dir, &line)).collect()
}

/// The same, with the directories and the lines.
fn lost(before: &Tip, tip: &Tip, config: &Config) -> Vec<(Kind, String, Vec<u8>)> {
    let (base, new) = (&before.houses(config), &tip.houses(config));
    let raw = tip.unseen_since(before, config);
    let mut lost = Vec::new();
    for (dir, house) in base {
        for line in &house.lines {
            let Some(event) = event(line) else { continue };
            let gone = loss((base, new), (dir, house), (line, word(&event, "scenario")), &raw);
            lost.extend(gone.map(|kind| (kind, dir.clone(), line.clone())));
        }
    }
    lost
}

fn loss(
    (base, new): (&Houses, &Houses),
    (dir, before): (&String, &House),
    (line, scenario): (&Vec<u8>, &str),
    raw: &BTreeSet<Vec<u8>>,
) -> Option<Kind> {
    let here = new.get(dir).is_some_and(|house| house.holds(line));
    let holders = || new.iter().filter(|(other, house)| *other != dir && house.holds(line));
    if new.get(dir).is_some_and(|house| house.declares(scenario).is_some()) {
        let gone = if holders().next().is_some() { Kind::Swapped } else { Kind::Edited };
        return (!here).then_some(gone);
    }
    let Some(declared) = before.declares(scenario) else {
        let is_free = |(dir, house): (&String, &House)| {
            base.get(dir).is_none_or(|house| !house.holds(line)) || house.declares(scenario).is_some()
        };
        let ended = !before.scenarios.is_empty()
            && new.get(dir).is_none_or(|house| house.scenarios.is_empty())
            && before.scenarios.iter().all(|scenario| went_to((base, new), dir, scenario).1.is_empty());
        return (!here && !holders().any(is_free) && !ended).then_some(Kind::OrphanLost);
    };
    let (is_same, homes) = went_to((base, new), dir, declared);
    if homes.is_empty() {
        return (!here && raw.contains(line)).then_some(Kind::LeftRoots);
    }
    let is_held = homes.iter().any(|home| new[*home].holds(line));
    (!is_held && (is_same || !here)).then_some(Kind::MovedWithout)
}

/// Where a scenario is that left `dir`, and whether it is the same one in a new place.
fn went_to<'h>((base, new): (&Houses, &'h Houses), dir: &str, scenario: &Scenario) -> (bool, Vec<&'h String>) {
    let newly = |other: &String| base.get(other).is_none_or(|house| house.declares(&scenario.name).is_none());
    let same = |now: &Scenario| now.text() == scenario.text();
    let others = || {
        let others = new.iter().filter(|(other, _)| *other != dir);
        others.filter_map(|(other, house)| Some((other, house.declares(&scenario.name)?)))
    };
    let moved: Vec<&String> = others().filter(|(dir, now)| newly(dir) && same(now)).map(|(dir, _)| dir).collect();
    if !moved.is_empty() {
        return (true, moved);
    }
    let reworded: Vec<&String> = others().filter(|(dir, _)| newly(dir)).map(|(dir, _)| dir).collect();
    let twins = others().filter(|(_, now)| same(now)).map(|(dir, _)| dir).collect();
    (false, if reworded.is_empty() { twins } else { reworded })
}
