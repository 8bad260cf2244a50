//! Which readings count: retractions applied, exact duplicates once, the latest by time. A node's ledgers in, answers
//! about its scenarios out; nothing is stored, nothing is judged.

use crate::model::ids::nfc;
use crate::model::node::Node;
use crate::model::reading::{Event, Ledger, Reading, Retraction, Timestamp};
use crate::repo::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// An event and the line it stands on.
#[derive(Debug, PartialEq, Eq)]
pub struct Filed<'n, E> {
    /// What was filed.
    pub event: &'n E,
    /// The ledger it stands in.
    pub ledger: &'n RepoPath,
    /// The physical line, from 1.
    pub line: u32,
    /// Its place among all lines of the node's ledgers, the older ledger first.
    order: usize,
}

// derived, these would ask the same of the event, which is only referred to
impl<E> Clone for Filed<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Filed<'_, E> {}

/// The effective view of a node's ledgers. Scenario names are compared in NFC.
#[derive(Debug)]
pub struct Effective<'n> {
    /// Effective readings by scenario, oldest first.
    by_scenario: BTreeMap<String, Vec<Filed<'n, Reading>>>,
    collisions: Vec<Vec<Filed<'n, Reading>>>,
    unmatched: Vec<Filed<'n, Retraction>>,
}

impl<'n> Effective<'n> {
    /// The effective view of all ledgers of `node`, read as one.
    pub fn of(node: &'n Node) -> Self {
        Self::over(&node.ledgers)
    }

    /// The effective view of `ledgers`, read as one, the older first.
    pub fn over(ledgers: &'n [Ledger]) -> Self {
        let (readings, retractions) = events(ledgers);
        let retracted: BTreeSet<_> =
            retractions.iter().map(|filed| (nfc(&filed.event.scenario), filed.event.retracts)).collect();
        let mut moments: BTreeMap<(String, Timestamp), Vec<Filed<'n, Reading>>> = BTreeMap::new();
        for filed in readings {
            moments.entry((nfc(&filed.event.scenario), filed.event.ts)).or_default().push(filed);
        }
        let aims = |filed: &Filed<'n, Retraction>| (nfc(&filed.event.scenario), filed.event.retracts);
        let unmatched = retractions.into_iter().filter(|filed| !moments.contains_key(&aims(filed))).collect();
        let collisions = moments.values().filter(|group| group.len() > 1).cloned().collect();
        let mut by_scenario: BTreeMap<String, Vec<_>> = BTreeMap::new();
        // the map is sorted by time within a scenario, and each moment by line
        for (key, group) in moments {
            if !retracted.contains(&key) {
                by_scenario.entry(key.0).or_default().extend(group);
            }
        }
        Self { by_scenario, collisions, unmatched }
    }

    /// The reading that counts for a scenario: the greatest (time, line) that is not retracted.
    pub fn latest(&self, scenario: &str) -> Option<&'n Reading> {
        self.latest_filed(scenario).map(|filed| filed.event)
    }

    /// The same with its line.
    pub fn latest_filed(&self, scenario: &str) -> Option<Filed<'n, Reading>> {
        self.by_scenario.get(&nfc(scenario))?.last().copied()
    }

    /// The effective readings of a scenario, newest first.
    pub fn timeline(&self, scenario: &str) -> Vec<Filed<'n, Reading>> {
        self.by_scenario.get(&nfc(scenario)).map(|filed| filed.iter().rev().copied().collect()).unwrap_or_default()
    }

    /// Every effective reading of the node, newest first.
    pub fn readings(&self) -> Vec<Filed<'n, Reading>> {
        let mut all: Vec<_> = self.by_scenario.values().flatten().copied().collect();
        all.sort_by_key(|filed| std::cmp::Reverse((filed.event.ts, filed.order)));
        all
    }

    /// The scenarios with effective readings that `node` does not declare, in NFC, sorted.
    pub fn orphans(&self, node: &Node) -> Vec<&str> {
        let declared: HashSet<String> =
            node.file.iter().flat_map(|file| &file.scenarios).map(|scenario| nfc(&scenario.name)).collect();
        self.by_scenario.keys().filter(|name| !declared.contains(*name)).map(String::as_str).collect()
    }

    /// Groups of different readings with one (scenario, time), in line order: one retraction withdraws them all.
    pub fn collisions(&self) -> &[Vec<Filed<'n, Reading>>] {
        &self.collisions
    }

    /// Retractions of readings that are nowhere in the ledgers.
    pub fn unmatched(&self) -> &[Filed<'n, Retraction>] {
        &self.unmatched
    }
}

/// The events of ledgers in line order, exact duplicate lines once.
fn events<'n>(ledgers: &'n [Ledger]) -> (Vec<Filed<'n, Reading>>, Vec<Filed<'n, Retraction>>) {
    let (mut readings, mut retractions) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let lines = ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)));
    for (order, (ledger, line)) in lines.enumerate() {
        if !seen.insert(line.bytes.as_slice()) {
            continue;
        }
        let number = line.number;
        match &line.event {
            Event::Reading(event) => readings.push(Filed { event: &**event, ledger, line: number, order }),
            Event::Retraction(event) => retractions.push(Filed { event, ledger, line: number, order }),
            Event::Other => {}
        }
    }
    (readings, retractions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::reading::parse;
    use crate::model::scenario;

    const SHA: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn reading(scenario: &str, second: u32, by: &str) -> String {
        format!(
            "{{\"scenario\":\"{scenario}\",\"codeSha\":\"{SHA}\",\"by\":\"{by}\",\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}\n"
        )
    }

    fn retraction(scenario: &str, second: u32) -> String {
        let at = |second| format!("2026-01-01T00:00:{second:02}.000Z");
        format!("{{\"retracts\":\"{}\",\"scenario\":\"{scenario}\",\"ts\":\"{}\"}}\n", at(second), at(59))
    }

    fn node(ledgers: &[&[String]]) -> Node {
        let path = |index| RepoPath::from_git(format!("n/{index}"));
        let ledgers = ledgers.iter().enumerate().map(|(index, lines)| parse(&path(index), lines.concat().as_bytes()));
        Node { ledgers: ledgers.collect(), ..Node::default() }
    }

    fn by(filed: Option<Filed<'_, Reading>>) -> Option<String> {
        filed.and_then(|filed| filed.event.by.clone())
    }

    #[test]
    fn time_decides_and_the_line_breaks_ties() {
        let node =
            node(&[&[reading("s", 5, "late"), reading("s", 1, "early"), reading("t", 2, "a"), reading("t", 2, "b")]]);
        let effective = Effective::of(&node);
        assert_eq!(by(effective.latest_filed("s")), Some("late".into()));
        assert_eq!(by(effective.latest_filed("t")), Some("b".into()));
        assert_eq!(effective.latest("none"), None);
        let order: Vec<_> = effective.readings().iter().map(|filed| filed.line).collect();
        assert_eq!(order, [1, 4, 3, 2]);
        assert_eq!(effective.timeline("s").iter().map(|filed| filed.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_retraction_anywhere_takes_the_reading_out() {
        let node =
            node(&[&[retraction("s", 5), reading("s", 1, "early"), reading("s", 5, "late")], &[reading("t", 5, "t")]]);
        let effective = Effective::of(&node);
        assert_eq!(by(effective.latest_filed("s")), Some("early".into()));
        assert_eq!(by(effective.latest_filed("t")), Some("t".into()), "the same time in another scenario survives");
        assert!(effective.unmatched().is_empty());
    }

    #[test]
    fn all_retracted_is_none_and_a_retraction_of_nothing_is_inert() {
        let node = node(&[&[reading("s", 1, "a")], &[retraction("s", 1), retraction("s", 2)]]);
        let effective = Effective::of(&node);
        assert_eq!(effective.latest("s"), None);
        assert_eq!(effective.unmatched().len(), 1);
        assert_eq!(effective.unmatched()[0].line, 2);
    }

    #[test]
    fn duplicates_count_once_and_collisions_are_named() {
        let same = reading("s", 1, "a");
        let node = node(&[&[same.clone(), same, reading("s", 1, "b"), reading("t", 1, "c")]]);
        let effective = Effective::of(&node);
        assert_eq!(effective.timeline("s").len(), 2);
        let collisions: Vec<Vec<u32>> =
            effective.collisions().iter().map(|group| group.iter().map(|filed| filed.line).collect()).collect();
        assert_eq!(collisions, [[1, 3]]);
    }

    #[test]
    fn one_retraction_withdraws_both_of_a_collision() {
        let node = node(&[&[reading("s", 1, "a"), reading("s", 1, "b"), retraction("s", 1)]]);
        assert_eq!(Effective::of(&node).latest("s"), None);
        assert_eq!(Effective::of(&node).collisions().len(), 1);
    }

    #[test]
    fn names_are_compared_composed_and_undeclared_ones_are_orphans() {
        let mut node =
            node(&[&[reading("caf\u{e9}", 1, "a"), reading("cafe\u{301}", 2, "b"), reading("gone", 1, "c")]]);
        node.file = Some(scenario::ScenarioFile::default());
        assert_eq!(Effective::of(&node).orphans(&node), ["caf\u{e9}", "gone"]);
        assert_eq!(by(Effective::of(&node).latest_filed("cafe\u{301}")), Some("b".into()));
    }
}
