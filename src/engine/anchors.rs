//! The trees of the commits that readings name. A commit in, its tree out, with facts about that tree: the entry at a path,
//! the texts that declared a scenario. These facts follow from the tree's id alone and never change. So all questions of
//! one run share them, and a memo may keep them for the next run.

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

/// The key of a question about a scenario in older trees: the place and name of its declaration today.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextsOf {
    /// The path of its scenario file. The search begins in the directory and at the file name of this path.
    pub file: RepoPath,
    /// The name of the scenario, as declared today.
    pub scenario: String,
}

/// The texts of a scenario in a tree, as hashes (formats.md, `scenarioHash`); empty if the tree does not declare it.
pub(crate) type Texts = Rc<[EvidenceHash]>;

/// The governed paths in one declaration of a scenario in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernedThen {
    /// The directory of the scenario file.
    pub dir: RepoPath,
    pub(crate) text: EvidenceHash,
    /// The paths of its own list, or of the list of its node.
    pub paths: Vec<RepoPath>,
}

/// The governed paths of a scenario in a tree, one item a declaration; empty if the tree does not declare it.
pub(crate) type Lists = Rc<[GovernedThen]>;

/// The known facts about one tree.
#[derive(Debug, Default)]
pub struct TreeFacts {
    entries: RefCell<HashMap<RepoPath, Option<Entry>>>,
    texts: RefCell<HashMap<TextsOf, Texts>>,
    lists: RefCell<HashMap<TextsOf, Lists>>,
    learned: Cell<bool>,
}

impl TreeFacts {
    /// Facts from an earlier run. The caller vouches for them.
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

    /// The entry at each path that was looked up, sorted by path.
    pub fn entries(&self) -> Vec<(RepoPath, Option<Entry>)> {
        let mut all: Vec<_> = self.entries.borrow().iter().map(|(path, entry)| (path.clone(), *entry)).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    /// The texts of each scenario that was looked up, sorted by scenario.
    pub fn texts(&self) -> Vec<(TextsOf, Texts)> {
        by_scenario(&self.texts)
    }

    /// The governed paths of each scenario that was looked up, sorted by scenario.
    pub fn lists(&self) -> Vec<(TextsOf, Lists)> {
        by_scenario(&self.lists)
    }
}

fn by_scenario<T: ?Sized>(known: &RefCell<HashMap<TextsOf, Rc<T>>>) -> Vec<(TextsOf, Rc<T>)> {
    let mut all: Vec<_> = known.borrow().iter().map(|(of, told)| (of.clone(), Rc::clone(told))).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// The tree of an anchor. It remembers each answer, so that git is asked once.
pub(crate) struct AnchorTree {
    tree: Rc<dyn Tree>,
    facts: Rc<TreeFacts>,
}

impl AnchorTree {
    /// The texts that declared `of`; calls `find` if they are not known yet.
    pub(crate) fn texts(&self, of: TextsOf, find: impl FnOnce() -> Result<Texts>) -> Result<Texts> {
        self.told(&self.facts.texts, of, find)
    }

    /// The paths that governed `of`; calls `find` if they are not known yet.
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
        // an absent entry is remembered too: it follows from the tree as well, and is asked for as often
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

/// The evidence that the commit of a reading gives.
#[derive(Clone)]
pub(crate) enum Testimony {
    Tree(Rc<AnchorTree>),
    /// No tree: the reason why the commit is missing. `None` if the reading names no commit, or an object of another kind.
    Missing(Option<MissingAnchor>),
}

/// A source of facts about trees from earlier runs.
pub trait TreesBefore {
    /// The known facts about this tree.
    fn facts(&self, tree: &Oid) -> Option<Rc<TreeFacts>>;

    /// Every tree with known facts.
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
    /// Facts about the trees that were asked for in this run.
    known: RefCell<HashMap<Oid, Rc<TreeFacts>>>,
    units: UnitBook,
}

impl Anchors {
    /// The anchors of `history`, without earlier facts.
    pub fn new(history: Rc<dyn History>) -> Self {
        Self::knowing(history, Box::new(HashMap::default()))
    }

    /// The anchors of `history`, with facts about trees from `before`.
    pub fn knowing(history: Rc<dyn History>, before: Box<dyn TreesBefore>) -> Self {
        let units = UnitBook::new(Rc::clone(&history), None);
        Self { history, commits: ViewMemo::default(), before, known: RefCell::default(), units }
    }

    /// The same anchors, with the units of source files that `memo` knows.
    #[must_use]
    pub fn with_units(self, memo: Rc<dyn SymbolMemo>) -> Self {
        let units = UnitBook::new(Rc::clone(&self.history), Some(memo));
        Self { units, ..self }
    }

    /// The known units of source files, from all commits and views.
    pub fn units(&self) -> &UnitBook {
        &self.units
    }

    /// The size in bytes of the file content with this id; `None` if the object database has no such content.
    ///
    /// # Errors
    /// When git cannot say.
    pub(crate) fn content_size(&self, id: &Oid) -> Result<Option<u64>> {
        self.history.content_size(id)
    }

    /// The tree that `commit` names, or the reason why it is missing.
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
            // without an id the same tree cannot be recognised next time, so its facts are not kept
            return Ok(AnchorTree { tree, facts: Rc::default() });
        };
        let mut known = self.known.borrow_mut();
        let facts = known.entry(id).or_insert_with(|| self.before.facts(&id).unwrap_or_default());
        Ok(AnchorTree { tree, facts: Rc::clone(facts) })
    }

    /// The facts to keep for the next run; `None` if this run learned nothing new.
    pub fn learned(&self) -> Option<Learned> {
        let known = self.known.borrow();
        // Writing without new facts would make every scan replace a memo that other runs read.
        if !known.values().any(|facts| facts.learned.get()) {
            return None;
        }
        let mut asked: Vec<_> = known.iter().map(|(id, facts)| (*id, Rc::clone(facts))).collect();
        let mut others: Vec<_> = self.before.trees().into_iter().filter(|id| !known.contains_key(id)).collect();
        // Facts that this run did not ask for are dropped if they are the greater part: otherwise the memo would only grow.
        if others.len() > asked.len() {
            others.clear();
        }
        let mut others: KnownTrees = others.into_iter().filter_map(|id| Some((id, self.before.facts(&id)?))).collect();
        // sorted, so that the same facts give the same bytes and the memo need not be rewritten
        asked.sort_by_key(|(id, _)| *id);
        others.sort_by_key(|(id, _)| *id);
        Some(Learned { asked, others })
    }
}

/// Facts about trees, by tree id.
pub(crate) type KnownTrees = Vec<(Oid, Rc<TreeFacts>)>;

/// Facts to keep for the next run.
pub struct Learned {
    /// Facts about trees that this run asked for.
    pub asked: KnownTrees,
    /// Facts about trees from earlier runs; none if they would be the greater part.
    pub others: KnownTrees,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;
    use std::cell::Cell;

    /// Commits with a tree that holds one file, named after the commit.
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
