//! The commits that readings name. A commit in, its tree out, with what was found out about that tree: what sits at a
//! path, which texts a scenario was declared with. Such facts follow from the tree's id alone and can never change, so
//! they are shared by all questions of one run, and may be kept for the next.

use crate::engine::content::ViewMemo;
use crate::engine::units::{SymbolMemo, UnitBook};
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Anchor, Entry, History, MissingAnchor, Tree};
use bstr::BString;
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Which texts are asked for: those of a scenario that is declared in a directory now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextsOf {
    /// The path of its scenario file, which names the directory and the name that is looked for first.
    pub file: RepoPath,
    /// The name of the scenario, as declared today.
    pub scenario: String,
}

/// The texts of a scenario in a tree, as hashes (formats.md, `scenarioHash`); empty where nothing declares it.
pub(crate) type Texts = Rc<[EvidenceHash]>;

/// What a declaration of a scenario in a tree says was governed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernedThen {
    /// The directory of its file.
    pub dir: RepoPath,
    /// The hash of the text that it declares.
    pub text: EvidenceHash,
    /// The paths of its own list, else of its node's.
    pub paths: Vec<RepoPath>,
}

/// What the declarations of a scenario in a tree say was governed; empty where nothing declares it.
pub(crate) type Lists = Rc<[GovernedThen]>;

/// What is known of one tree.
#[derive(Debug, Default)]
pub struct TreeFacts {
    entries: RefCell<HashMap<RepoPath, Option<Entry>>>,
    texts: RefCell<HashMap<TextsOf, Texts>>,
    lists: RefCell<HashMap<TextsOf, Lists>>,
    learned: Cell<bool>,
}

impl TreeFacts {
    /// These facts. Whoever brings them vouches for them.
    pub(crate) fn new(
        entries: HashMap<RepoPath, Option<Entry>>,
        texts: HashMap<TextsOf, Texts>,
        lists: HashMap<TextsOf, Lists>,
    ) -> Self {
        Self {
            entries: RefCell::new(entries),
            texts: RefCell::new(texts),
            lists: RefCell::new(lists),
            learned: Cell::new(false),
        }
    }

    /// What sits at each path that was asked about, sorted by path.
    pub fn entries(&self) -> Vec<(RepoPath, Option<Entry>)> {
        let mut all: Vec<_> = self.entries.borrow().iter().map(|(path, entry)| (path.clone(), *entry)).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    /// The texts of each scenario that was asked about, sorted by scenario.
    pub fn texts(&self) -> Vec<(TextsOf, Texts)> {
        by_scenario(&self.texts)
    }

    /// What governed each scenario that was asked about, sorted by scenario.
    pub fn lists(&self) -> Vec<(TextsOf, Lists)> {
        by_scenario(&self.lists)
    }
}

fn by_scenario<T: ?Sized>(known: &RefCell<HashMap<TextsOf, Rc<T>>>) -> Vec<(TextsOf, Rc<T>)> {
    let mut all: Vec<_> = known.borrow().iter().map(|(of, told)| (of.clone(), Rc::clone(told))).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// The tree of an anchor. What it was asked once it does not ask git again.
pub(crate) struct AnchorTree {
    tree: Rc<dyn Tree>,
    facts: Rc<TreeFacts>,
}

impl AnchorTree {
    /// The texts that `of` was declared with, found by `find` where nobody knows them yet.
    pub(crate) fn texts(&self, of: TextsOf, find: impl FnOnce() -> Result<Texts>) -> Result<Texts> {
        self.told(&self.facts.texts, of, find)
    }

    /// What governed `of`, found by `find` where nobody knows it yet.
    pub(crate) fn lists(&self, of: TextsOf, find: impl FnOnce() -> Result<Lists>) -> Result<Lists> {
        self.told(&self.facts.lists, of, find)
    }

    fn told<T: ?Sized>(
        &self,
        known: &RefCell<HashMap<TextsOf, Rc<T>>>,
        of: TextsOf,
        find: impl FnOnce() -> Result<Rc<T>>,
    ) -> Result<Rc<T>> {
        if let Some(known) = known.borrow().get(&of) {
            return Ok(Rc::clone(known));
        }
        let found = find()?;
        known.borrow_mut().insert(of, Rc::clone(&found));
        self.facts.learned.set(true);
        Ok(found)
    }
}

impl Tree for AnchorTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        if let Some(known) = self.facts.entries.borrow().get(path) {
            return Ok(*known);
        }
        let entry = self.tree.entry(path)?;
        // also that nothing is there: it follows from the tree as well, and is asked for as often
        self.facts.entries.borrow_mut().insert(path.clone(), entry);
        self.facts.learned.set(true);
        Ok(entry)
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.tree.children(dir)
    }

    fn children_of(&self, dir: &RepoPath, id: Option<Oid>) -> Result<Vec<(BString, Entry)>> {
        self.tree.children_of(dir, id)
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        self.tree.files(dir, want)
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.tree.size(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        self.tree.read(path)
    }
}

/// What a reading's commit testifies to.
#[derive(Clone)]
pub(crate) enum Testimony {
    /// The tree that was measured.
    Tree(Rc<AnchorTree>),
    /// Nothing: why the commit is missing; `None` where the reading names none, or something that is no commit.
    Missing(Option<MissingAnchor>),
}

/// Who knows something of trees already.
pub trait TreesBefore {
    /// What is known of this tree.
    fn facts(&self, tree: &Oid) -> Option<Rc<TreeFacts>>;

    /// Every tree of which something is known.
    fn trees(&self) -> Vec<Oid>;
}

impl TreesBefore for HashMap<Oid, Rc<TreeFacts>> {
    fn facts(&self, tree: &Oid) -> Option<Rc<TreeFacts>> {
        self.get(tree).cloned()
    }

    fn trees(&self) -> Vec<Oid> {
        self.keys().copied().collect()
    }
}

/// All anchors of one repository.
pub struct Anchors {
    history: Rc<dyn History>,
    commits: ViewMemo<Oid, Testimony>,
    before: Box<dyn TreesBefore>,
    /// Of the trees that were asked for.
    known: RefCell<HashMap<Oid, Rc<TreeFacts>>>,
    units: UnitBook,
}

impl Anchors {
    /// Those of `history`.
    pub fn new(history: Rc<dyn History>) -> Self {
        Self::knowing(history, Box::new(HashMap::default()))
    }

    /// Those of `history`, of whose trees something is known.
    pub fn knowing(history: Rc<dyn History>, before: Box<dyn TreesBefore>) -> Self {
        let units = UnitBook::new(Rc::clone(&history), None);
        Self { history, commits: ViewMemo::default(), before, known: RefCell::default(), units }
    }

    /// The same with what `memo` knows of the units of source files.
    #[must_use]
    pub fn with_units(self, memo: Rc<dyn SymbolMemo>) -> Self {
        let units = UnitBook::new(Rc::clone(&self.history), Some(memo));
        Self { units, ..self }
    }

    /// What is known of the units of source files, whichever commits and views hold them.
    pub fn units(&self) -> &UnitBook {
        &self.units
    }

    /// What `commit` testifies to.
    ///
    /// # Errors
    /// When git cannot say.
    pub(crate) fn at(&self, commit: &Oid) -> Result<Testimony> {
        self.commits.get(commit, || {
            Ok(match self.history.anchor(commit)? {
                Anchor::Tree(tree) => Testimony::Tree(Rc::new(self.tree(tree)?)),
                Anchor::Missing(why) => Testimony::Missing(Some(why)),
                Anchor::NotACommit => Testimony::Missing(None),
            })
        })
    }

    fn tree(&self, tree: Rc<dyn Tree>) -> Result<AnchorTree> {
        let Some(id) = tree.entry(&RepoPath::root())?.and_then(|entry| entry.id) else {
            // without an id nothing says that it is the same tree next time: what is found out here is kept by nobody
            return Ok(AnchorTree { tree, facts: Rc::default() });
        };
        let mut known = self.known.borrow_mut();
        let facts = known.entry(id).or_insert_with(|| self.before.facts(&id).unwrap_or_default());
        Ok(AnchorTree { tree, facts: Rc::clone(facts) })
    }

    /// What is worth keeping for the next time; `None` where nothing new was learned.
    pub fn learned(&self) -> Option<Learned> {
        let known = self.known.borrow();
        // Nothing new is nothing to write: else every scan would replace a memo that everybody's next one reads.
        if !known.values().any(|facts| facts.learned.get()) {
            return None;
        }
        let mut asked: Vec<_> = known.iter().map(|(id, facts)| (*id, Rc::clone(facts))).collect();
        let mut others: Vec<_> = self.before.trees().into_iter().filter(|id| !known.contains_key(id)).collect();
        // What nobody asks for any more goes when it is the greater part: the memo would else only ever grow.
        if others.len() > asked.len() {
            others.clear();
        }
        let mut others: KnownTrees = others.into_iter().filter_map(|id| Some((id, self.before.facts(&id)?))).collect();
        // in one order: the same facts are the same bytes, by which is told that the memo need not be written
        asked.sort_by_key(|(id, _)| *id);
        others.sort_by_key(|(id, _)| *id);
        Some(Learned { asked, others })
    }
}

/// What is known of trees, by their ids.
pub(crate) type KnownTrees = Vec<(Oid, Rc<TreeFacts>)>;

/// What is worth keeping.
pub struct Learned {
    /// Of the trees that were asked for this time.
    pub asked: KnownTrees,
    /// Of trees that were asked for earlier; none where they would be the greater part.
    pub others: KnownTrees,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;
    use std::cell::Cell;

    /// Commits whose trees hold a file that is named after them.
    #[derive(Default)]
    struct Past(Cell<usize>);

    impl History for Past {
        fn anchor(&self, commit: &Oid) -> Result<Anchor> {
            self.0.set(self.0.get() + 1);
            match commit.as_bytes()[0] {
                0xff => Ok(Anchor::Missing(MissingAnchor::Pruned)),
                number => Ok(Anchor::Tree(Rc::new(MemoryTree::of_files(&[(&format!("file{number}"), "")])))),
            }
        }
    }

    fn commit(number: u8) -> Oid {
        Oid::from_bytes(&[number; 20]).unwrap()
    }

    fn tree(anchors: &Anchors, number: u8) -> Rc<AnchorTree> {
        match anchors.at(&commit(number)).unwrap() {
            Testimony::Tree(tree) => tree,
            Testimony::Missing(why) => panic!("{why:?}"),
        }
    }

    fn has(tree: &AnchorTree, path: &str) -> bool {
        tree.entry(&RepoPath::from_git(path)).unwrap().is_some()
    }

    fn texts(tree: &AnchorTree, find: impl FnOnce() -> Texts) -> Texts {
        let of = TextsOf { file: RepoPath::from_git("n/yatsu.md"), scenario: "s".into() };
        tree.texts(of, || Ok(find())).unwrap()
    }

    fn lists(tree: &AnchorTree, find: impl FnOnce() -> Lists) -> Lists {
        let of = TextsOf { file: RepoPath::from_git("n/yatsu.md"), scenario: "s".into() };
        tree.lists(of, || Ok(find())).unwrap()
    }

    #[test]
    fn what_one_run_learned_the_next_one_knows() {
        let past = Rc::new(Past::default());
        let first = Anchors::new(past.clone());
        assert!(first.learned().is_none());
        let one = tree(&first, 1);
        assert!(has(&one, "file1") && !has(&one, "gone"));
        let hash = EvidenceHash([7; 32]);
        assert_eq!(*texts(&one, || Rc::new([hash])), [hash]);
        let (dir, paths) = (RepoPath::from_git("n"), vec![RepoPath::from_git("src")]);
        let then = GovernedThen { dir, text: hash, paths };
        assert_eq!(lists(&one, || Rc::new([then.clone()])).first(), Some(&then));
        assert!(Rc::ptr_eq(&tree(&first, 1), &one) && past.0.get() == 1, "asked for once");

        let kept = |facts: &TreeFacts| {
            let (entries, texts, lists) = (facts.entries(), facts.texts(), facts.lists());
            Rc::new(TreeFacts::new(
                entries.into_iter().collect(),
                texts.into_iter().collect(),
                lists.into_iter().collect(),
            ))
        };
        let known = first.learned().unwrap().asked.into_iter().map(|(id, facts)| (id, kept(&facts)));
        let next = Anchors::knowing(past, Box::new(known.collect::<HashMap<_, _>>()));
        let one = tree(&next, 1);
        assert!(has(&one, "file1") && !has(&one, "gone"));
        assert_eq!(*texts(&one, || panic!("known")), [hash]);
        assert_eq!(lists(&one, || panic!("known")).first(), Some(&then));
        assert!(next.learned().is_none(), "nothing new");
        assert!(matches!(next.at(&commit(0xff)), Ok(Testimony::Missing(Some(MissingAnchor::Pruned)))));
    }

    #[test]
    fn trees_that_nobody_asks_for_any_more_are_kept_while_they_are_few() {
        let past = Rc::new(Past::default());
        let mut known: HashMap<Oid, Rc<TreeFacts>> = HashMap::default();
        for (asked, kept) in [(1..=4, 4), (5..=6, 2), (5..=7, 3), (8..=8, 1)] {
            let anchors = Anchors::knowing(past.clone(), Box::new(known));
            for number in asked {
                has(&tree(&anchors, number), "x");
            }
            let learned = anchors.learned().unwrap();
            known = learned.asked.into_iter().chain(learned.others).collect();
            assert_eq!(known.len(), kept);
        }
    }
}
