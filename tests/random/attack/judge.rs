//! A slow and obvious judge of a server. It knows the law only from the documents and shares no code with the program.
//!
//! * `law.rs` states the history rule. This file states its inputs: the states that a push is compared with, the
//!   protected branches, force pushes and deletions.
//! * `takes.rs` states what a branch takes: claims of goals, and scenarios that come into main without proof.
//! * `counts.rs` states which reading counts, and when a withdrawn fail is reported.
//!
//! If the law allows two answers, the judge gives an arguable fault: it excuses a refusal and forbids nothing.

use super::desk::EVIDENCE;
use super::law::{self, Base};
use super::seen::{Config, Gate, Git, Tip, object};
use crate::support::sha256;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Faults: pushes that must not be accepted, and wrong answers of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A line is gone or edited, although its scenario is still declared.
    Edited,
    /// A line moved to another ledger although its scenario stayed.
    Swapped,
    /// A scenario has an heir without one of the lines.
    MovedWithout,
    /// A ledger stayed, but a line is gone that no heir took.
    Dropped,
    /// A ledger left a directory that declares scenarios.
    LedgerLeft,
    /// A ledger of a base lies where the configuration does not look.
    Hidden,
    /// An added line is no event.
    NotAnEvent,
    /// A protected branch was deleted with lines that no other protected branch holds.
    DeletedProtected,
    /// A force push lost lines without a warning.
    SilentForce,
    /// A replacement was accepted.
    Replaced,
    /// Evidence is in the objects of a ref.
    Evidence,
    /// A branch takes a claim of a goal that does not hold, or a protected one a goal that is not reached.
    GoalUnmet,
    /// Main takes a scenario without proof, although its configuration makes that an error.
    Unproven,
    /// A fail was withdrawn without a warning.
    WithdrawnUnsaid,
    /// A warning says that a fail was withdrawn, but none was.
    WithdrawnSaid,
    /// A reading is called fresh although its content differs.
    SaidFresh,
    /// A reading is called stale although its content is the same.
    SaidStale,
    /// The reported verdict is not the verdict of the reading that counts.
    SaidOtherwise,
    /// Nothing is wrong and the change was refused.
    FalseRefusal,
    /// Two doors give different answers to one change.
    DoorsDiffer,
    /// A memo changed an answer.
    MemoDiffers,
    /// The law can be read so that these are errors.
    ArguableHistory,
    ArguableGoal,
    ArguableProof,
    /// A merge of two branches that each added a scenario of one name declares it twice.
    NamedTwice,
}

impl Kind {
    pub(super) fn is_arguable(self) -> bool {
        self >= Self::ArguableHistory
    }

    /// The rule that reports this fault.
    fn rule(self) -> &'static str {
        match self {
            Self::NotAnEvent => "ledger-schema",
            Self::Replaced => "replace-ref",
            Self::Evidence => "stray-blob",
            Self::GoalUnmet | Self::ArguableGoal => "goal-gate",
            Self::Unproven | Self::ArguableProof => "promoted-unproven",
            Self::NamedTwice => "yatsu-schema",
            kind if kind <= Self::DeletedProtected || kind == Self::ArguableHistory => "ledger-history",
            _ => "",
        }
    }
}

/// One fault.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }

    pub(super) fn of_line(kind: Kind, dir: &str, line: &[u8]) -> Self {
        Self::new(kind, format!("{dir}: {}", String::from_utf8_lossy(line)))
    }
}

/// Whether a refusal by `rule` is right. Forgers may meet any rule that is not stated here.
pub(super) fn explains(faults: &[Fault], rule: &str, honest: bool) -> bool {
    let stated = ["ledger-history", "goal-gate", "promoted-unproven", "replace-ref"].contains(&rule);
    // a goal is also not reached if its ledger lost a line or has a line that is no event
    let hurts = |kind: Kind| ["ledger-history", "ledger-schema"].contains(&kind.rule());
    let own = |fault: &Fault| fault.kind.rule() == rule || (rule == "goal-gate" && hurts(fault.kind));
    faults.iter().any(own) || (!stated && !honest)
}

/// The change of a push to one ref, under the pushed name.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub(super) name: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

pub(super) type Refs = BTreeMap<String, String>;

/// The refs of a server.
#[derive(Clone, Default)]
pub(super) struct Server {
    pub(super) refs: Refs,
    /// Symbolic refs, each with the ref that it stands for.
    pub(super) aliases: Refs,
}

impl Server {
    /// The ref that an update of a pushed name changes.
    pub(super) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        while let Some(target) = self.aliases.get(name) {
            name = target;
        }
        name
    }

    pub(super) fn standing(&self, name: &str) -> Option<&String> {
        self.refs.get(self.resolve(name))
    }

    pub(super) fn after(&self, updates: &[Update]) -> Self {
        let mut after = self.clone();
        for update in updates {
            let name = self.resolve(&update.name).to_owned();
            match &update.new {
                Some(new) => after.refs.insert(name, new.clone()),
                None => after.refs.remove(&name),
            };
        }
        after
    }

    fn branches(&self) -> impl Iterator<Item = (&str, &String)> {
        self.refs.iter().filter_map(|(name, id)| Some((name.strip_prefix("refs/heads/")?, id)))
    }
}

/// A branch that a push moves or creates.
pub(super) struct Pushed<'p> {
    pub(super) branch: &'p str,
    pub(super) old: Option<&'p String>,
    pub(super) new: &'p str,
    /// The default branch before the push.
    pub(super) main: Option<Rc<Tip>>,
    pub(super) main_id: Option<&'p String>,
    pub(super) tip: Rc<Tip>,
}

impl Pushed<'_> {
    /// Two configurations, of the default branch's old tip and of the pushed tree. The stricter one counts.
    pub(super) fn configs(&self) -> impl Iterator<Item = &Config> {
        self.main.iter().map(|main| &main.config).chain([&self.tip.config])
    }

    pub(super) fn is_protected(&self) -> bool {
        self.configs().any(|config| config.protects(self.branch))
    }

    pub(super) fn gate(&self) -> Gate {
        self.configs().map(|config| config.gate).max().unwrap_or(Gate::Claimed)
    }
}

/// The git id of the evidence that actors try to bring.
pub(super) const EVIDENCE_ID: &str = "1a371d6505a670b86f217c290063b9a506b2ff10";

pub(super) struct Judge {
    pub(super) git: Git,
    tips: HashMap<String, Option<Rc<Tip>>>,
}

impl Judge {
    pub(super) fn new(git: Git) -> Self {
        Self { git, tips: HashMap::new() }
    }

    /// A commit as the judge sees it; `None` if `id` is no commit.
    pub(super) fn tip(&mut self, id: &str) -> Option<Rc<Tip>> {
        if !self.tips.contains_key(id) {
            let read = Tip::read(&mut self.git, id).map(Rc::new);
            self.tips.insert(id.to_owned(), read);
        }
        self.tips[id].clone()
    }

    /// All ancestors of `of`, and `of` itself.
    fn ancestors(&mut self, of: &[String]) -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), of.to_vec());
        while let Some(id) = open.pop() {
            if seen.insert(id.clone()) {
                open.extend(self.tip(&id).expect("a commit").parents.iter().cloned());
            }
        }
        seen
    }

    /// Whether `old` is `new` or one of its ancestors.
    pub(super) fn is_ancestor(&mut self, old: &str, new: &str) -> bool {
        self.ancestors(&[new.to_owned()]).contains(old)
    }

    /// The commits that the server holds.
    pub(super) fn known(&mut self, refs: &Refs) -> BTreeSet<String> {
        let tips: Vec<String> = refs.values().filter(|id| self.tip(id).is_some()).cloned().collect();
        self.ancestors(&tips)
    }

    /// The newest commits of the server on which the new commits of `tip` are built.
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

    /// Whether a ref of the server, or one that is pushed, leads to a scenario file or a ledger.
    fn has_nodes(&mut self, server: &Server, updates: &[Update]) -> bool {
        let pushed = updates.iter().filter_map(|update| update.new.as_ref());
        let tips: Vec<String> = server.refs.values().chain(pushed).cloned().collect();
        tips.iter().any(|id| self.tip(id).is_some_and(|tip| !tip.ours.is_empty()))
    }

    /// The newest common ancestors of two commits.
    pub(super) fn merge_bases(&mut self, one: &str, other: &str) -> Vec<String> {
        let (mine, theirs) = (self.ancestors(&[one.to_owned()]), self.ancestors(&[other.to_owned()]));
        let common: Vec<String> = mine.intersection(&theirs).cloned().collect();
        let mut bases = common.clone();
        bases.retain(|id| !common.iter().any(|newer| newer != id && self.is_ancestor(id, newer)));
        bases
    }

    /// The faults of a server that accepts `updates`. `warned` is whether it warns of lost lines.
    pub(super) fn faults(&mut self, server: &Server, updates: &[Update], warned: bool) -> Vec<Fault> {
        let main_id = server.refs.get("refs/heads/main");
        let main = main_id.and_then(|main| self.tip(main));
        let known = self.known(&server.refs);
        let mut faults = Vec::new();
        for update in updates {
            // a server without a scenario of any branch is not judged: there is nothing to shield
            if update.name.starts_with("refs/replace/") && update.new.is_some() && self.has_nodes(server, updates) {
                faults.push(Fault::new(Kind::Replaced, &update.name));
            }
            faults.extend(self.evidence(update, &known, main.as_ref()));
            let branch = server.resolve(&update.name).strip_prefix("refs/heads/");
            match (&update.new, branch) {
                (Some(new), _) => {
                    let Some(tip) = self.tip(new) else { continue };
                    // a tag has no past to keep
                    let old = server.standing(&update.name).filter(|_| branch.is_some());
                    let pushed =
                        Pushed { branch: branch.unwrap_or_default(), old, new, main: main.clone(), main_id, tip };
                    faults.extend(pushed.tip.named_twice());
                    faults.extend(self.moved(&pushed, &known, warned));
                    faults.extend(self.taken(&pushed));
                }
                (None, Some(branch)) => {
                    let old = server.standing(&update.name);
                    faults.extend(self.deleted((server, updates), branch, old, main.as_ref()));
                }
                (None, None) => {}
            }
        }
        faults
    }

    /// Evidence that a ref brings: in a new commit, or behind a tag. It is known by its name, or by a reading of the
    /// tip; for a tag on something else than a commit, by a reading of the default branch.
    fn evidence(&mut self, update: &Update, known: &BTreeSet<String>, main: Option<&Rc<Tip>>) -> Option<Fault> {
        let new = update.new.as_ref()?;
        let (hash, tip) = (sha256(EVIDENCE.as_bytes()), self.tip(new));
        let is_named = |tip: &Rc<Tip>| tip.lines().any(|(_, line)| String::from_utf8_lossy(line).contains(&hash));
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

    /// The loss by deleting a protected branch: lines that no other protected branch holds after the push.
    fn deleted(
        &mut self,
        (server, updates): (&Server, &[Update]),
        branch: &str,
        old: Option<&String>,
        main: Option<&Rc<Tip>>,
    ) -> Vec<Fault> {
        let Some(tip) = old.and_then(|old| self.tip(old)) else { return Vec::new() };
        let config = main.map_or_else(|| Config::of(None), |main| main.config.clone());
        if config.forgets || !(config.protects(branch) || tip.config.protects(branch)) {
            return Vec::new();
        }
        let after = server.after(updates);
        let (mut kept, mut perhaps) = (Vec::new(), Vec::new());
        for (other, id) in after.branches() {
            let Some(tip) = self.tip(id) else { continue };
            if config.protects(other) {
                kept.push(Rc::clone(&tip));
            }
            if config.protects(other) || tip.config.protects(other) {
                perhaps.push(tip);
            }
        }
        let is_in = |tips: &[Rc<Tip>], line: &[u8]| tips.iter().any(|tip| tip.holds(line));
        let lost = |tips: &[Rc<Tip>]| {
            tip.lines().find(|(_, line)| object(line).is_some() && !is_in(tips, line)).map(|(_, line)| line.clone())
        };
        // the branch's own tree may protect branches too, but the law names only the default branch
        let certain = lost(&perhaps).filter(|_| config.protects(branch));
        let arguable = lost(&kept).map(|line| Fault::of_line(Kind::ArguableHistory, branch, &line));
        certain.map(|line| Fault::of_line(Kind::DeletedProtected, branch, &line)).or(arguable).into_iter().collect()
    }

    /// The states that a push is compared with: the old tip, and known commits under the new ones that no other base
    /// reaches.
    pub(super) fn bases(&mut self, pushed: &Pushed<'_>, known: &BTreeSet<String>) -> Vec<(String, Base)> {
        let mut ids = self.edge(pushed.new, known);
        if let Some(old) = pushed.old {
            ids.retain(|base| !self.is_ancestor(base, old));
            ids.push(old.clone());
        }
        let mut bases = Vec::new();
        for id in ids {
            let mut base = Base::of(self.tip(&id).expect("a commit"));
            if Some(&id) == pushed.old && !pushed.is_protected() {
                base.let_go = self.let_go(pushed, &id);
            }
            bases.push((id, base));
        }
        bases
    }

    /// The lines that the main branch removed since it and the old tip of a branch diverged.
    fn let_go(&mut self, pushed: &Pushed<'_>, old: &str) -> BTreeSet<Vec<u8>> {
        let Some((main, id)) = pushed.main.as_ref().zip(pushed.main_id) else { return BTreeSet::new() };
        let mut gone = BTreeSet::new();
        for base in self.merge_bases(old, id) {
            let base = self.tip(&base).expect("a commit");
            gone.extend(base.lines().filter(|(_, line)| !main.holds(line)).map(|(_, line)| line.clone()));
        }
        gone
    }

    fn moved(&mut self, pushed: &Pushed<'_>, known: &BTreeSet<String>, warned: bool) -> Vec<Fault> {
        let is_rewritten = pushed.old.is_some_and(|old| !self.is_ancestor(old, pushed.new));
        let (ids, bases): (Vec<String>, Vec<Base>) = self.bases(pushed, known).into_iter().unzip();
        let mut faults = Vec::new();
        if !pushed.configs().all(|config| config.takes_any_line) {
            faults.extend(law::invalid(&bases, &pushed.tip));
        }
        if pushed.configs().all(|config| config.forgets) {
            // without an old tip and a main branch the server may still take the stricter word of the base; and a goal
            // does not hold on a ledger that lost lines, although the push may lose them
            let is_first = pushed.old.is_none() && pushed.main.is_none();
            let kind = if is_first { Kind::ArguableHistory } else { Kind::ArguableGoal };
            let lost = bases.iter().flat_map(|base| law::losses(base, &bases, &pushed.tip));
            faults.extend(lost.map(|fault| Fault::new(kind, fault.what)));
            return faults;
        }
        for (id, base) in ids.iter().zip(&bases) {
            let lost = law::losses(base, &bases, &pushed.tip);
            let is_free = is_rewritten && !pushed.is_protected() && Some(id) == pushed.old;
            match lost.iter().find(|fault| !fault.kind.is_arguable()) {
                _ if !is_free => faults.extend(lost),
                Some(first) if !warned => faults.push(Fault::new(Kind::SilentForce, first.what.clone())),
                _ => {}
            }
        }
        faults
    }

    /// The losses of a commit on top of `parents`; `None` if the rule is off.
    pub(super) fn lost_by_commit(&mut self, new: &str, parents: &[String]) -> Option<Vec<Fault>> {
        let tip = self.tip(new)?;
        let mut own = parents.to_vec();
        own.retain(|id| !parents.iter().any(|other| other != id && self.is_ancestor(id, other)));
        let bases: Vec<Base> = own.iter().filter_map(|id| self.tip(id)).map(Base::of).collect();
        let forgets: Vec<bool> =
            bases.iter().map(|base| &base.tip).chain([&tip]).map(|tip| tip.config.forgets).collect();
        if forgets.contains(&true) {
            // if only some parents switch the rule off, the stricter one counts; if all do, the rule is off
            let all = forgets.iter().all(|forgets| *forgets);
            return if all || bases.len() > 1 { None } else { Some(losses(&bases, &tip)) };
        }
        Some(losses(&bases, &tip))
    }
}

fn losses(bases: &[Base], tip: &Tip) -> Vec<Fault> {
    let lost = bases.iter().flat_map(|base| law::losses(base, bases, tip));
    lost.chain(tip.named_twice()).collect()
}
