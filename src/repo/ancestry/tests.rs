use super::*;
use crate::repo::memory::Memory;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// One commit: the distances to its parents in the list, and the error of its clock.
type Spec = (Vec<usize>, i64);

struct History {
    store: Memory,
    ids: Vec<Oid>,
    parents: HashMap<Oid, Vec<Oid>>,
}

impl History {
    fn of(specs: &[Spec]) -> Self {
        let mut history = Self { store: Memory::default(), ids: Vec::new(), parents: HashMap::new() };
        for (at, (back, wrong)) in specs.iter().enumerate() {
            let tree = history.store.file(at as u8);
            let parents: Vec<Oid> =
                back.iter().filter_map(|back| history.ids.iter().rev().nth(*back).copied()).collect();
            let id = history.store.commit_at(1_000 + at as i64 + wrong, tree, &parents);
            history.ids.push(id);
            history.parents.insert(id, parents);
        }
        history
    }

    fn pick(&self, numbers: &[usize]) -> Vec<Oid> {
        numbers.iter().map(|number| self.ids[number % self.ids.len()]).collect()
    }

    /// These commits and all their ancestors.
    fn below(&self, commits: &[Oid]) -> BTreeSet<Oid> {
        let (mut found, mut open) = (BTreeSet::new(), commits.to_vec());
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(&self.parents[&id]);
            }
        }
        found
    }

    /// The new commits as this module finds them; `known` is named, `others` is listed on request.
    fn news(&self, tips: &[Oid], [known, others]: [&[Oid]; 2], came: &dyn Fn(&Oid) -> bool) -> Vec<NewCommit> {
        let others = || Ok(Some(others.to_vec()));
        new_commits(&self.store, tips, known, &others, &|id| Ok(came(id))).unwrap().expect("an answer")
    }
}

/// Whether each commit occurs once, with its recorded parents, and after them.
fn is_in_order(history: &History, news: &[NewCommit]) -> bool {
    let mut seen = HashSet::new();
    let all: HashSet<Oid> = news.iter().map(|commit| commit.id).collect();
    news.iter().all(|commit| {
        let parents_first = commit.parents.iter().all(|parent| seen.contains(parent) || !all.contains(parent));
        parents_first
            && commit.parents == history.parents[&commit.id]
            && commit.tree.is_some()
            && seen.insert(commit.id)
    })
}

fn ids(news: &[NewCommit]) -> BTreeSet<Oid> {
    news.iter().map(|commit| commit.id).collect()
}

fn specs(wrong: std::ops::Range<i64>) -> impl Strategy<Value = Vec<Spec>> {
    vec((vec(0usize..4, 0..3), wrong), 1..40)
}

fn some() -> impl Strategy<Value = Vec<usize>> {
    vec(0usize..40, 0..4)
}

proptest! {
    #[test]
    fn what_is_new_is_what_nothing_known_leads_to(specs in specs(0..1), tips in some(), known in some(), others in some()) {
        let history = History::of(&specs);
        let [tips, known, others] = [tips, known, others].map(|numbers| history.pick(&numbers));
        let news = history.news(&tips, [&known, &others], &|_| false);
        let before = history.below(&[known, others].concat());
        let expected: BTreeSet<Oid> = history.below(&tips).difference(&before).copied().collect();
        prop_assert_eq!(ids(&news), expected);
        prop_assert!(is_in_order(&history, &news));
    }

    #[test]
    fn with_wrong_clocks_nothing_new_is_passed_over(specs in specs(-900..900), tips in some(), known in some(), others in some()) {
        let history = History::of(&specs);
        let [tips, known, others] = [tips, known, others].map(|numbers| history.pick(&numbers));
        let news = history.news(&tips, [&known, &others], &|_| false);
        let (all, before) = (history.below(&tips), history.below(&[known, others].concat()));
        let found = ids(&news);
        prop_assert!(all.difference(&before).all(|id| found.contains(id)) && found.is_subset(&all));
        prop_assert!(is_in_order(&history, &news));
    }

    #[test]
    fn what_came_just_now_is_new_whatever_its_date(specs in specs(-900..900), tips in some(), others in some(), cut in 0usize..40) {
        // the commits that arrive are the last ones, and no ref leads to them yet
        let history = History::of(&specs);
        let came: HashSet<Oid> = history.ids.iter().skip(cut).copied().collect();
        let (tips, mut others) = (history.pick(&tips), history.pick(&others));
        others.retain(|id| !came.contains(id));
        let known: Vec<Oid> = history.ids.iter().take(cut).copied().collect();
        for named in [&known[..], &[]] {
            let all = [&others[..], &known].concat();
            let news = history.news(&tips, [named, &all], &|id| came.contains(id));
            prop_assert_eq!(ids(&news), history.below(&tips).intersection(&came.iter().copied().collect()).copied().collect());
            prop_assert!(is_in_order(&history, &news));
        }
    }

    #[test]
    fn who_leads_to_whom_is_told_whatever_the_dates(specs in specs(-900..900), asked in vec(0usize..40, 0..6)) {
        let history = History::of(&specs);
        let asked = history.pick(&asked);
        let mut expected: Vec<Oid> = Vec::new();
        for id in &asked {
            let led_to = asked.iter().any(|other| other != id && history.below(&[*other]).contains(id));
            if !led_to && !expected.contains(id) {
                expected.push(*id);
            }
        }
        prop_assert_eq!(independent(&history.store, &asked).unwrap().unwrap(), expected);
    }
}

/// A line of commits. The clock of the last one is years behind.
#[test]
fn one_new_commit_on_what_is_known_costs_no_look_at_what_was_before() {
    let mut specs: Vec<Spec> = (0..50).map(|_| (vec![0], 0)).collect();
    specs[49].1 = -1_000;
    let mut history = History::of(&specs);
    let (new, known) = (history.ids[49], history.ids[48]);
    history.store.0.retain(|id, _| *id == new);
    assert_eq!(ids(&history.news(&[new], [&[known], &[]], &|_| false)), BTreeSet::from([new]));
}

#[test]
fn a_tag_stands_for_its_commit_and_what_is_missing_is_left_to_git() {
    let mut history = History::of(&[(vec![], 0), (vec![0], 0), (vec![1], 0)]);
    let [one, two, three] = [0, 1, 2].map(|at| history.ids[at]);
    let tag = history.store.tag(two);
    let blob = history.store.file(7);
    assert_eq!(ids(&history.news(&[three], [&[], &[tag, blob]], &|_| false)), BTreeSet::from([three]));
    let nowhere = Oid::from_bytes(&[9; 20]).unwrap();
    for (tip, known) in [(three, nowhere), (nowhere, two), (tag, one)] {
        let others = || Ok(Some(vec![known]));
        assert!(new_commits(&history.store, &[tip], &[], &others, &|_| Ok(false)).unwrap().is_none());
    }
    // the others cannot be listed
    let found = new_commits(&history.store, &[three], &[two], &|| Ok(None), &|_| Ok(false));
    assert!(found.unwrap().is_none());
    history.store.0.remove(&one);
    assert!(independent(&history.store, &[three, two]).unwrap().is_none());
}
