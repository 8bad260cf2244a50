//! The repository of the model: two work trees, commits, branches, and a colleague who publishes on main. Each step happens in
//! git, too.

use crate::support::{Dice, Scratch, reading_line, scenarios};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

pub const FILES: [&str; 4] = ["src/a.rs", "src/b.rs", "src/c.rs", "src/free.rs"];
/// The number of the ledger among the files.
pub const LEDGER: usize = 4;
const LEDGER_FILE: &str = ".spec/n/yatsu.evals.ndjson";
/// Each scenario with the governed files, and whether the configuration requires it.
pub const SCENARIOS: [(&str, &[usize], bool); 3] =
    [("one", &[0], false), ("two", &[0, 1], false), ("needed", &[2], true)];

/// A work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Main,
    Linked,
}

/// The content of each file.
type Contents = [u32; 4];

/// A reading, with what it measured and its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub scenario: usize,
    contents: Contents,
    number: u32,
}

/// A state of the work tree, or of a commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub contents: Contents,
    pub readings: Vec<Measured>,
}

impl Tree {
    pub fn is_fresh(&self, scenario: usize) -> bool {
        let mut of = self.readings.iter().filter(|reading| reading.scenario == scenario);
        of.any(|reading| SCENARIOS[scenario].1.iter().all(|file| reading.contents[*file] == self.contents[*file]))
    }

    /// The files with other content than the latest reading measured; every file without a reading.
    pub fn causes(&self, scenario: usize) -> Vec<usize> {
        let of = self.readings.iter().filter(|reading| reading.scenario == scenario);
        let latest = of.max_by_key(|reading| reading.number);
        let differs = |file: &&usize| latest.is_none_or(|reading| reading.contents[**file] != self.contents[**file]);
        SCENARIOS[scenario].1.iter().filter(differs).copied().collect()
    }
}

#[derive(Clone, Debug)]
pub struct Commit {
    pub tree: Tree,
    parents: Vec<usize>,
}

/// A work tree with its HEAD.
#[derive(Clone, Debug)]
struct At {
    now: Tree,
    head: usize,
    branch: Option<String>,
    /// The commits that were made here, in order.
    made: Vec<usize>,
}

/// When each file was written, in each work tree.
pub type Stamps = BTreeMap<(Place, usize), (i64, i64, u64)>;

pub struct History {
    pub scratch: Rc<Scratch>,
    pub commits: Vec<Commit>,
    main: At,
    linked: Option<At>,
    branches: BTreeMap<String, usize>,
    /// The branches that follow one of the same name at the remote, with that one as this repository knows it.
    followed: BTreeMap<String, usize>,
    /// What the remote has.
    hub: BTreeMap<String, usize>,
    /// The remote's main as this repository knows it.
    fetched: usize,
    minute: u32,
    contents: u32,
}

pub fn text(content: u32) -> String {
    format!("fn f() {{ {content} }}\n")
}

impl History {
    pub fn new() -> Self {
        let scratch = Rc::new(super::scratch());
        let lists: Vec<String> = SCENARIOS
            .iter()
            .map(|(_, files, _)| files.iter().map(|file| FILES[*file]).collect::<Vec<_>>().join(", "))
            .collect();
        let declared: Vec<_> = SCENARIOS.iter().zip(&lists).map(|((name, ..), list)| (*name, list.as_str())).collect();
        let file = scenarios(&declared);
        let (first, last) = file.split_at(file.find("name: needed").expect("a scenario"));
        scratch.write(".spec/n/yatsu.md", format!("{first}{}", last.replace("[cli]", "[must]")));
        scratch.write(
            "spexcode.json",
            r#"{"lint": {"scenarioTags": ["cli", "must"]}, "yatsu": {"agents": {"require": ["must"]}}}"#,
        );
        scratch.write(LEDGER_FILE, "");
        scratch.commit("first");
        scratch.git(&["clone", "-q", "--bare", ".", "../hub.git"]);
        scratch.git(&["remote", "add", "origin", "../hub.git"]);
        // the main branch is the local one, whatever the version of git
        scratch.git(&["config", "remote.origin.followRemoteHEAD", "never"]);
        scratch.git(&["fetch", "-q", "origin"]);
        scratch.git(&["clone", "-q", "../hub.git", "../colleague"]);
        let main = At { now: Tree::default(), head: 0, branch: Some("main".into()), made: Vec::new() };
        Self {
            scratch,
            commits: vec![Commit { tree: Tree::default(), parents: Vec::new() }],
            main,
            linked: None,
            branches: [("main".to_owned(), 0)].into(),
            followed: BTreeMap::new(),
            hub: [("main".to_owned(), 0)].into(),
            fetched: 0,
            minute: 0,
            contents: 0,
        }
    }

    /// What happened before counts for no session of a new sequence.
    pub fn begin(&self) {
        (0..=LEDGER).for_each(|file| super::touch_later(&self.scratch, &self.path(Place::Main, file)));
    }

    fn at(&self, place: Place) -> &At {
        match place {
            Place::Main => &self.main,
            Place::Linked => self.linked.as_ref().expect("a linked work tree"),
        }
    }

    fn at_mut(&mut self, place: Place) -> &mut At {
        match place {
            Place::Main => &mut self.main,
            Place::Linked => self.linked.as_mut().expect("a linked work tree"),
        }
    }

    pub fn tree(&self, place: Place) -> &Tree {
        &self.at(place).now
    }

    pub fn head(&self, place: Place) -> usize {
        self.at(place).head
    }

    pub fn made(&self, place: Place) -> &[usize] {
        &self.at(place).made
    }

    /// The path from the main work tree.
    pub fn path(&self, place: Place, file: usize) -> String {
        let name = FILES.get(file).copied().unwrap_or(LEDGER_FILE);
        match place {
            Place::Main => name.to_owned(),
            Place::Linked => format!("../linked/{name}"),
        }
    }

    fn git(&self, place: Place, args: &[&str]) -> String {
        let dir = if place == Place::Main { "." } else { "../linked" };
        self.scratch.git(&[&["-C", dir][..], args].concat())
    }

    pub fn stamps(&self) -> Stamps {
        let places = [Place::Main].into_iter().chain(self.linked.as_ref().map(|_| Place::Linked));
        let all = places.flat_map(|place| (0..=LEDGER).map(move |file| (place, file)));
        let stamp = |(place, file): (Place, usize)| {
            let about = std::fs::metadata(self.scratch.root.join(self.path(place, file))).expect("a file");
            ((place, file), (about.mtime(), about.mtime_nsec(), about.ino()))
        };
        all.map(stamp).collect()
    }

    /// The files that were written since `before`.
    pub fn touched_since(&self, before: &Stamps) -> BTreeSet<(Place, usize)> {
        self.stamps()
            .into_iter()
            .filter(|(file, stamp)| before.get(file) != Some(stamp))
            .map(|(file, _)| file)
            .collect()
    }

    /// The content of an edit: a new one, or one that was there before.
    pub fn content(&mut self, dice: &mut Dice) -> u32 {
        if dice.roll(3) == 0 {
            return dice.roll(self.contents as usize + 1) as u32;
        }
        self.contents += 1;
        self.contents
    }

    pub fn write(&mut self, place: Place, file: usize, content: u32) {
        self.at_mut(place).now.contents[file] = content;
        self.scratch.write(&self.path(place, file), text(content));
    }

    pub fn measure(&mut self, place: Place, scenario: usize, status: &str) {
        self.minute += 1;
        // the stamp says what was measured
        let stamps: Vec<String> = SCENARIOS[scenario]
            .1
            .iter()
            .map(|file| format!("\"{}\":\"{}\"", FILES[*file], self.git(place, &["hash-object", FILES[*file]])))
            .collect();
        let head = self.git(place, &["rev-parse", "HEAD"]);
        let line = reading_line(&head, SCENARIOS[scenario].0, status, self.minute);
        let line =
            line.trim_end().trim_end_matches('}').to_owned() + &format!(",\"governed\":{{{}}}}}\n", stamps.join(","));
        let ledger = self.path(place, LEDGER);
        self.scratch.write(&ledger, self.scratch.read(&ledger) + &line);
        let number = self.minute;
        let now = &mut self.at_mut(place).now;
        now.readings.push(Measured { scenario, contents: now.contents, number });
    }

    /// HEAD, and its branch, become this commit.
    fn set_head(&mut self, place: Place, commit: usize) {
        let now = self.commits[commit].tree.clone();
        let at = self.at_mut(place);
        (at.head, at.now) = (commit, now);
        if let Some(branch) = self.at(place).branch.clone() {
            self.branches.insert(branch, commit);
        }
    }

    fn make(&mut self, place: Place, tree: Tree, parents: Vec<usize>) {
        let number = self.commits.len();
        self.commits.push(Commit { tree, parents });
        self.at_mut(place).made.push(number);
        self.set_head(place, number);
    }

    pub fn commit(&mut self, place: Place) {
        self.git(place, &["add", "-A"]);
        self.git(place, &["commit", "-q", "--allow-empty", "-m", "checkout: Fast-forward"]);
        let (tree, head) = (self.tree(place).clone(), self.head(place));
        self.make(place, tree, vec![head]);
    }

    pub fn amend(&mut self, place: Place) -> bool {
        let parents = self.commits[self.head(place)].parents.clone();
        // a published commit is amended, too, but the first one has nothing to differ from
        if parents.is_empty() {
            return false;
        }
        self.git(place, &["commit", "-q", "--amend", "-a", "--allow-empty", "-m", "reset: moving to main"]);
        let tree = self.tree(place).clone();
        self.make(place, tree, parents);
        true
    }

    fn is_clean(&self, place: Place) -> bool {
        *self.tree(place) == self.commits[self.head(place)].tree
    }

    /// The commit and all before it.
    fn behind(&self, commit: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::new(), vec![commit]);
        while let Some(one) = open.pop() {
            if found.insert(one) {
                open.extend(&self.commits[one].parents);
            }
        }
        found
    }

    /// Everything is published on the branch of the same name, which this one then follows.
    pub fn push(&mut self, place: Place) -> bool {
        let (Some(branch), head) = (self.at(place).branch.clone(), self.head(place)) else { return false };
        if self.hub.get(&branch).is_some_and(|there| !self.behind(head).contains(there)) {
            return false;
        }
        self.git(place, &["push", "-q", "-u", "origin", &branch]);
        self.hub.insert(branch.clone(), head);
        if branch == "main" {
            self.fetched = head;
        }
        self.followed.insert(branch, head);
        true
    }

    /// The colleague publishes another content of a file on main.
    pub fn publish(&mut self, file: usize, content: u32) {
        let parent = self.hub["main"];
        let mut tree = self.commits[parent].tree.clone();
        tree.contents[file] = content;
        let there = "../colleague";
        self.scratch.git(&["-C", there, "pull", "-q", "--ff-only"]);
        self.scratch.write(&format!("{there}/{}", FILES[file]), text(content));
        self.scratch.git(&["-C", there, "commit", "-q", "-a", "--allow-empty", "-m", "a colleague's"]);
        self.scratch.git(&["-C", there, "push", "-q"]);
        self.commits.push(Commit { tree, parents: vec![parent] });
        self.hub.insert("main".into(), self.commits.len() - 1);
    }

    pub fn fetch(&mut self) -> bool {
        self.scratch.git(&["fetch", "-q", "origin"]);
        self.fetched = self.hub["main"];
        for (branch, tip) in &mut self.followed {
            *tip = self.hub[branch];
        }
        true
    }

    /// The files, the ledger included, that differ between two commits.
    fn differing(&self, one: usize, other: usize) -> BTreeSet<usize> {
        let (one, other) = (&self.commits[one].tree, &self.commits[other].tree);
        let files = (0..LEDGER).filter(|file| one.contents[*file] != other.contents[*file]);
        files.chain((one.readings != other.readings).then_some(LEDGER)).collect()
    }

    /// The only best common ancestor of two commits.
    fn merge_base(&self, one: usize, other: usize) -> Option<usize> {
        let common: BTreeSet<usize> = self.behind(one).intersection(&self.behind(other)).copied().collect();
        let is_best =
            |commit: &&usize| !common.iter().any(|other| other != *commit && self.behind(*other).contains(commit));
        let best: Vec<usize> = common.iter().filter(is_best).copied().collect();
        if let [only] = best[..] { Some(only) } else { None }
    }

    /// The tree of `ours` with what `theirs` changed since `base`.
    fn merged(&self, base: usize, ours: usize, theirs: usize) -> Tree {
        let mut tree = self.commits[ours].tree.clone();
        for file in self.differing(base, theirs) {
            if file == LEDGER {
                tree.readings = self.commits[theirs].tree.readings.clone();
            } else {
                tree.contents[file] = self.commits[theirs].tree.contents[file];
            }
        }
        tree
    }

    /// Main is fast-forwarded to, or merged.
    pub fn pull(&mut self, place: Place) -> bool {
        self.fetch();
        let (head, theirs) = (self.head(place), self.fetched);
        if !self.is_clean(place) || self.behind(head).contains(&theirs) {
            return false;
        }
        if self.behind(theirs).contains(&head) {
            self.git(place, &["merge", "-q", "--ff-only", "origin/main"]);
            self.set_head(place, theirs);
            return true;
        }
        let Some(base) = self.merge_base(head, theirs) else { return false };
        if self.differing(base, head).intersection(&self.differing(base, theirs)).next().is_some() {
            return false;
        }
        self.git(place, &["merge", "-q", "-m", "merged", "origin/main"]);
        let tree = self.merged(base, head, theirs);
        self.make(place, tree, vec![head, theirs]);
        true
    }

    /// The commits of this branch are made again on top of main.
    pub fn rebase(&mut self, place: Place) -> bool {
        self.fetch();
        let (head, theirs) = (self.head(place), self.fetched);
        let Some(base) = self.merge_base(head, theirs).filter(|base| *base != theirs) else { return false };
        let mut own = Vec::new();
        let mut at = head;
        while at != base {
            let [parent] = self.commits[at].parents[..] else { return false };
            own.push((at, parent));
            at = parent;
        }
        let changed: BTreeSet<usize> = own.iter().flat_map(|(at, parent)| self.differing(*at, *parent)).collect();
        let published: BTreeSet<usize> =
            self.between(base, theirs).flat_map(|(at, to)| self.differing(at, to)).collect();
        if !self.is_clean(place) || changed.intersection(&published).next().is_some() {
            return false;
        }
        self.git(place, &["rebase", "-q", "origin/main"]);
        self.set_head(place, theirs);
        for (commit, parent) in own.into_iter().rev() {
            // what becomes empty is dropped, and what was empty is kept
            let head = self.head(place);
            let tree = self.merged(parent, head, commit);
            if tree != self.commits[head].tree || self.commits[commit].tree == self.commits[parent].tree {
                self.make(place, tree, vec![head]);
            }
        }
        true
    }

    /// The commits that are behind `to` and not behind `from`, each with its first parent.
    fn between(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
        let known = self.behind(from);
        let new = self.behind(to).into_iter().filter(move |commit| !known.contains(commit));
        new.flat_map(move |commit| self.commits[commit].parents.iter().map(move |parent| (commit, *parent)))
    }

    /// A new branch here, with what is not committed.
    pub fn branch(&mut self, place: Place, name: &str) -> bool {
        let name = format!("{name}-{}", self.commits.len());
        self.git(place, &["switch", "-q", "-c", &name]);
        self.branches.insert(name.clone(), self.head(place));
        self.at_mut(place).branch = Some(name);
        true
    }

    /// Another branch that is checked out nowhere.
    pub fn switch(&mut self, place: Place, number: usize) -> bool {
        let other = if place == Place::Main { self.linked.as_ref() } else { Some(&self.main) };
        let taken = [self.at(place).branch.as_ref(), other.and_then(|at| at.branch.as_ref())];
        let free: Vec<String> = self.branches.keys().filter(|name| !taken.contains(&Some(*name))).cloned().collect();
        let Some(branch) = free.get(number % free.len().max(1)).filter(|_| self.is_clean(place)) else { return false };
        self.git(place, &["switch", "-q", branch]);
        self.at_mut(place).branch = Some(branch.clone());
        self.set_head(place, self.branches[branch]);
        true
    }

    pub fn detach(&mut self, place: Place) -> bool {
        self.git(place, &["switch", "-q", "--detach"]);
        self.at_mut(place).branch = None;
        true
    }

    /// A linked work tree with a branch of its own.
    pub fn link(&mut self, name: &str) {
        let (name, head) = (format!("{name}-{}", self.commits.len()), self.head(Place::Main));
        self.git(Place::Main, &["worktree", "add", "-q", "-b", &name, "../linked"]);
        self.branches.insert(name.clone(), head);
        let now = self.commits[head].tree.clone();
        self.linked = Some(At { now, head, branch: Some(name), made: Vec::new() });
    }

    pub fn unlink(&mut self) {
        self.git(Place::Main, &["worktree", "remove", "--force", "../linked"]);
        self.linked = None;
    }

    /// Whether the content of a file in a work tree, other content than at the base, is of a session with these commits of its
    /// own. `base` is the commit at its first event.
    pub fn is_of(&self, place: Place, file: usize, own: &[usize], base: usize) -> bool {
        let (at, content) = (self.at(place), self.tree(place).contents[file]);
        let has = |commit: &usize| self.commits[*commit].tree.contents[file] == content;
        let introduces = |commit: &usize| has(commit) && !self.commits[*commit].parents.iter().any(has);
        let followed = at.branch.as_ref().and_then(|branch| self.followed.get(branch));
        let tips = [followed, self.branches.get("main")];
        if own.iter().any(introduces) || has(&base) {
            return true;
        }
        !has(&at.head) && !tips.into_iter().flatten().any(has)
    }
}
