//! Decides which readings count: applies retractions and redactions, counts exact duplicates once, and finds the latest by
//! time. A node's ledgers in, answers about its scenarios out; nothing is stored or judged.

use super::keys::{KeyUse, uses};
use super::redaction::Redactions;
use crate::model::ids::composed;
use crate::model::ledger::{Event, Ledger, Line, Reading, Redaction, Retraction, Timestamp};
use crate::model::node::Node;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An event and its line.
#[derive(Debug, PartialEq, Eq)]
pub struct FiledEvent<'n, E> {
    pub(crate) event: &'n E,
    pub(crate) ledger: &'n RepoPath,
    /// The physical line, from 1.
    pub line: u32,
    /// Its place among all lines of the node's ledgers, the older ledger first.
    order: usize,
}

// derived impls would require Clone and Copy of the event, which is only borrowed
impl<E> Clone for FiledEvent<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for FiledEvent<'_, E> {}

/// The effective view of a node's ledgers. Scenario names are compared in NFC.
#[derive(Debug)]
pub struct Effective<'n> {
    /// Effective readings by scenario, oldest first; sorted by name.
    by_scenario: Vec<(Cow<'n, str>, Vec<FiledEvent<'n, Reading>>)>,
    /// Groups of different readings of one scenario and time that count, in line order. One retraction withdraws a whole
    /// group.
    pub(crate) collisions: Vec<Vec<FiledEvent<'n, Reading>>>,
    /// Retractions of readings that are missing from the ledgers and were not redacted.
    pub(crate) unmatched: Vec<FiledEvent<'n, Retraction>>,
    /// Lines that the ledgers already held.
    pub(crate) repeated: Vec<Repeated>,
    /// Lines that stand beside their redaction.
    pub(crate) returned: Vec<ReplacedLine>,
    /// Pairs of different readings under one key, the earlier first.
    pub(crate) conflicts: Vec<[FiledEvent<'n, Reading>; 2]>,
    /// Every reading that was withdrawn, with the first retraction of it.
    pub(crate) withdrawn: Vec<(FiledEvent<'n, Reading>, FiledEvent<'n, Retraction>)>,
}

/// A line that stands beside its replacement because a merge brought it back. It still does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLine {
    /// The ledger, from the top of the repository.
    pub ledger: RepoPath,
    /// Its physical line, from 1.
    pub number: u32,
    /// The bytes of the line, without its line end.
    pub bytes: Vec<u8>,
}

/// A line that the ledgers hold more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The ledger of the later line.
    pub ledger: RepoPath,
    /// The physical line number of the later line, from 1.
    pub number: u32,
    /// The physical line number of the earlier line.
    pub before: u32,
    /// The bytes of the line, without its line end.
    pub bytes: Vec<u8>,
    /// The lines differ and hold the same reading under the same key, filed at another time.
    pub is_keyed: bool,
    pub(crate) key: Option<String>,
}

impl<'n> Effective<'n> {
    /// The effective view of all ledgers of `node`, read as one.
    pub fn of(node: &'n Node) -> Self {
        Self::over(&node.ledgers)
    }

    /// The effective view of `ledgers`, read as one, the older first.
    pub(crate) fn over(ledgers: &'n [Ledger]) -> Self {
        let Events { mut readings, retractions, redactions, mut repeated, returned } = events(ledgers);
        // a stable sort: readings of one moment stay in the order of their lines
        readings.sort_by(|one, other| moment(one).cmp(&moment(other)));
        let aims = |filed: &FiledEvent<'n, Retraction>| (composed(&filed.event.scenario), filed.event.retracts);
        let mut retracted = Retracted::new();
        for filed in &retractions {
            let first = retracted.entry(aims(filed)).or_insert(*filed);
            if (filed.event.ts, filed.order) < (first.event.ts, first.order) {
                *first = *filed;
            }
        }
        let gone: BTreeSet<_> = redactions.iter().map(|of| (composed(&of.scenario), of.ts)).collect();
        // A redaction keeps the time of the replaced line, so that a retraction of that line still finds its target.
        let is_met = |aim: &RetractionTarget<'n>| {
            gone.contains(aim) || readings.binary_search_by(|filed| moment(filed).cmp(aim)).is_ok()
        };
        let unmatched = retractions.iter().filter(|filed| !is_met(&aims(filed))).copied().collect();
        let twins = withdrawn_twins(&readings, &retracted);
        let mut withdrawn: Vec<_> =
            readings.iter().filter_map(|filed| Some((*filed, *twins.get(&filed.order)?))).collect();
        readings.retain(|filed| !twins.contains_key(&filed.order));
        let mut collisions = Vec::new();
        let mut by_scenario: Vec<(Cow<'n, str>, Vec<_>)> = Vec::new();
        for group in readings.chunk_by(|one, other| moment(one) == moment(other)) {
            let moment = moment(&group[0]);
            // The whole group goes: if one twin stayed, withdrawing a reading would put another of the same moment in its
            // place.
            if let Some(by) = retracted.get(&moment) {
                withdrawn.extend(group.iter().map(|filed| (*filed, *by)));
                continue;
            }
            if group.len() > 1 {
                collisions.push(group.to_vec());
            }
            match by_scenario.last_mut() {
                Some((name, filed)) if *name == moment.0 => filed.extend(group),
                _ => by_scenario.push((moment.0, group.to_vec())),
            }
        }
        let mut conflicts = Vec::new();
        for (_, filed) in &mut by_scenario {
            if filed.iter().any(|filed| filed.event.terms.key.is_some()) {
                let all = std::mem::take(filed);
                let told = uses(&all.iter().map(|filed| filed.event).collect::<Vec<_>>());
                for (one, told) in all.iter().zip(told) {
                    match told {
                        KeyUse::First => filed.push(*one),
                        KeyUse::Twin(before) => repeated.push(again(ledgers, &[all[before], *one])),
                        KeyUse::Conflict(before) => {
                            conflicts.push([all[before], *one]);
                            filed.push(*one);
                        }
                    }
                }
            }
        }
        Self { by_scenario, collisions, unmatched, repeated, returned, conflicts, withdrawn }
    }

    pub(crate) fn readings(&self) -> impl Iterator<Item = &'n Reading> {
        self.by_scenario.iter().flat_map(|(_, filed)| filed.iter().map(|filed| filed.event))
    }

    /// The same with their lines: by scenario, the oldest first.
    pub(crate) fn filed_readings(&self) -> impl Iterator<Item = &FiledEvent<'n, Reading>> {
        self.by_scenario.iter().flat_map(|(_, filed)| filed)
    }

    /// The latest reading of a scenario: the greatest (time, line) that is not retracted.
    /// [`Judge::counting`](super::freshness::Judge::counting) decides which one counts in a view.
    pub(crate) fn latest(&self, scenario: &str) -> Option<&'n Reading> {
        self.latest_filed(scenario).map(|filed| filed.event)
    }

    /// The same with its line.
    pub(crate) fn latest_filed(&self, scenario: &str) -> Option<FiledEvent<'n, Reading>> {
        self.filed(scenario).last().copied()
    }

    /// The effective readings of a scenario, newest first.
    pub(crate) fn timeline(&self, scenario: &str) -> Vec<FiledEvent<'n, Reading>> {
        self.newest_first(scenario).copied().collect()
    }

    pub(crate) fn newest_first(&self, scenario: &str) -> impl Iterator<Item = &FiledEvent<'n, Reading>> {
        self.filed(scenario).iter().rev()
    }

    fn filed(&self, scenario: &str) -> &[FiledEvent<'n, Reading>] {
        let wanted = composed(scenario);
        match self.by_scenario.binary_search_by(|(name, _)| name.cmp(&wanted)) {
            Ok(at) => &self.by_scenario[at].1,
            Err(_) => &[],
        }
    }

    /// The scenarios with effective readings that `node` does not declare, in NFC, sorted.
    pub(crate) fn orphans(&self, node: &Node) -> Vec<&str> {
        let declared: BTreeSet<_> = node.scenarios().iter().map(|scenario| composed(&scenario.name)).collect();
        self.by_scenario
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !declared.contains(*name))
            .map(|name| &**name)
            .collect()
    }
}

/// Whether the latest reading of a scenario of `node` measured a file that `is_asked` accepts. That includes files that left the
/// list since, and the files of the test.
pub(crate) fn latest_measured(node: &Node, is_asked: &dyn Fn(&RepoPath) -> bool) -> bool {
    let measured = |reading: &Reading| reading.stamped_files().any(|(path, _)| is_asked(path));
    // most nodes measured no such file, and the view of all their lines costs more
    if !node.readings().any(measured) {
        return false;
    }
    let effective = Effective::of(node);
    let mut latest = node.scenarios().iter().filter_map(|scenario| effective.latest(&scenario.name));
    latest.any(measured)
}

/// The readings, by their order, with a twin under the same key that was withdrawn; each with the first retraction of the
/// twin. Twins are one write: if one stayed, withdrawing the other would put it in its place.
fn withdrawn_twins<'n>(
    readings: &[FiledEvent<'n, Reading>],
    retracted: &Retracted<'n>,
) -> BTreeMap<usize, FiledEvent<'n, Retraction>> {
    if retracted.is_empty() {
        return BTreeMap::new();
    }
    let keyed: Vec<_> = readings.iter().filter(|filed| filed.event.terms.key.is_some()).collect();
    let told = uses(&keyed.iter().map(|filed| filed.event).collect::<Vec<_>>());
    let write = |(at, told): (usize, &KeyUse)| match told {
        KeyUse::Twin(before) => *before,
        KeyUse::First | KeyUse::Conflict(_) => at,
    };
    let writes: Vec<usize> = told.iter().enumerate().map(write).collect();
    let withdrawal = |filed: &FiledEvent<'n, Reading>| retracted.get(&moment(filed)).copied();
    let with_write = || keyed.iter().zip(&writes);
    let withdrawn: BTreeMap<usize, FiledEvent<'n, Retraction>> =
        with_write().filter_map(|(filed, write)| Some((*write, withdrawal(filed)?))).collect();
    let with_it = with_write().filter(|(filed, _)| withdrawal(filed).is_none());
    with_it.filter_map(|(filed, write)| Some((filed.order, *withdrawn.get(write)?))).collect()
}

/// The later of two readings that are one use of a key, as a repeated line.
fn again(ledgers: &[Ledger], [before, filed]: &[FiledEvent<'_, Reading>; 2]) -> Repeated {
    let bytes = line_of(ledgers, filed).map(|line| line.bytes.to_vec());
    Repeated {
        ledger: filed.ledger.clone(),
        number: filed.line,
        before: before.line,
        bytes: bytes.unwrap_or_default(),
        is_keyed: true,
        key: key_of(filed.event),
    }
}

/// The line of an event in one of `ledgers`. A hostile ledger has thousands of events to look up, so no line is visited.
pub(crate) fn line_of<'l, E>(ledgers: &'l [Ledger], filed: &FiledEvent<'_, E>) -> Option<&'l Line> {
    let ledger = ledgers.iter().find(|ledger| ledger.path == *filed.ledger)?;
    let at = ledger.lines.binary_search_by_key(&filed.line, |line| line.number).ok()?;
    ledger.lines.get(at)
}

fn key_of(reading: &Reading) -> Option<String> {
    reading.terms.key.as_ref().map(ToString::to_string)
}

/// The target of a retraction: a scenario, in NFC, and a time.
type RetractionTarget<'n> = (Cow<'n, str>, Timestamp);

/// The first retraction of each target.
type Retracted<'n> = BTreeMap<RetractionTarget<'n>, FiledEvent<'n, Retraction>>;

fn moment<'n>(filed: &FiledEvent<'n, Reading>) -> RetractionTarget<'n> {
    (composed(&filed.event.scenario), filed.event.ts)
}

/// The events of ledgers in line order, without exact duplicates.
#[derive(Default)]
struct Events<'n> {
    readings: Vec<FiledEvent<'n, Reading>>,
    retractions: Vec<FiledEvent<'n, Retraction>>,
    redactions: Vec<&'n Redaction>,
    repeated: Vec<Repeated>,
    returned: Vec<ReplacedLine>,
}

fn events(ledgers: &[Ledger]) -> Events<'_> {
    let mut events = Events::default();
    let mut seen = HashMap::default();
    let redactions = Redactions::of(ledgers);
    let lines = ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)));
    for (order, (ledger, line)) in lines.enumerate() {
        let number = line.number;
        let before = seen.insert(&*line.bytes, (ledger, number));
        if let Some((_, before)) = before.filter(|(file, _)| *file == ledger) {
            let (bytes, ledger) = (line.bytes.to_vec(), ledger.clone());
            let key = line.event.reading().and_then(key_of);
            events.repeated.push(Repeated { ledger, number, before, bytes, is_keyed: false, key });
            continue;
        }
        let is_redacted = redactions.cover(&line.bytes);
        if is_redacted {
            events.returned.push(ReplacedLine { ledger: ledger.clone(), number, bytes: line.bytes.to_vec() });
        }
        // a copy in another file is no fault: a squash leaves it, and a fold takes it
        if before.is_some() {
            continue;
        }
        match &line.event {
            Event::Reading(_) if is_redacted => {}
            Event::Reading(event) => events.readings.push(FiledEvent { event: &**event, ledger, line: number, order }),
            Event::Retraction(event) => events.retractions.push(FiledEvent { event, ledger, line: number, order }),
            Event::Redaction(event) => events.redactions.push(event),
            Event::Decision(_) | Event::Signature(_) | Event::Other | Event::Unknown(_) => {}
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::parse;
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

    fn by(filed: Option<FiledEvent<'_, Reading>>) -> Option<String> {
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
        let lines = |scenario| effective.timeline(scenario).iter().map(|filed| filed.line).collect::<Vec<_>>();
        assert_eq!((lines("s"), lines("t")), (vec![1, 2], vec![4, 3]));
    }

    #[test]
    fn a_retraction_anywhere_takes_the_reading_out() {
        let node =
            node(&[&[retraction("s", 5), reading("s", 1, "early"), reading("s", 5, "late")], &[reading("t", 5, "t")]]);
        let effective = Effective::of(&node);
        assert_eq!(by(effective.latest_filed("s")), Some("early".into()));
        assert_eq!(by(effective.latest_filed("t")), Some("t".into()), "the same time in another scenario survives");
        assert!(effective.unmatched.is_empty());
    }

    #[test]
    fn all_retracted_is_none_and_a_retraction_of_nothing_is_inert() {
        let node = node(&[&[reading("s", 1, "a")], &[retraction("s", 1), retraction("s", 2)]]);
        let effective = Effective::of(&node);
        assert_eq!(effective.latest("s"), None);
        assert_eq!(effective.unmatched.len(), 1);
        assert_eq!(effective.unmatched[0].line, 2);
    }

    #[test]
    fn duplicates_count_once_and_collisions_are_named() {
        let same = reading("s", 1, "a");
        let node = node(&[&[same.clone(), same, reading("s", 1, "b"), reading("t", 1, "c")]]);
        let effective = Effective::of(&node);
        assert_eq!(effective.timeline("s").len(), 2);
        let collisions: Vec<Vec<u32>> =
            effective.collisions.iter().map(|group| group.iter().map(|filed| filed.line).collect()).collect();
        assert_eq!(collisions, [[1, 3]]);
    }

    #[test]
    fn one_retraction_withdraws_what_two_clones_filed_under_one_key() {
        let keyed = |second, by: &str, key: &str| {
            reading("s", second, by).replace("\"by\"", &format!("\"key\":\"{key}\",\"by\""))
        };
        let lines =
            [keyed(1, "a", "k"), keyed(2, "a", "k"), keyed(3, "b", "k"), keyed(4, "a", "l"), reading("s", 5, "a")];
        let standing = |retracted: &[u32]| {
            let withdrawals: Vec<String> = retracted.iter().map(|second| retraction("s", *second)).collect();
            let node = node(&[&lines, &withdrawals]);
            let effective = Effective::of(&node);
            let numbers: Vec<u32> = effective.timeline("s").iter().map(|filed| filed.line).collect();
            (numbers, effective.conflicts.len(), effective.unmatched.len())
        };
        assert_eq!(standing(&[]), (vec![5, 4, 3, 1], 1, 0));
        assert_eq!(standing(&[1]), (vec![5, 4, 3], 0, 0), "another payload and another key stand");
        assert_eq!(standing(&[2]), (vec![5, 4, 3], 0, 0));
        assert_eq!(standing(&[1, 2]), (vec![5, 4, 3], 0, 0));
        assert_eq!(standing(&[3]), (vec![5, 4, 1], 0, 0));
        assert_eq!(standing(&[5]), (vec![4, 3, 1], 1, 0));
    }

    #[test]
    fn one_retraction_withdraws_both_of_a_collision() {
        let node = node(&[&[reading("s", 1, "a"), reading("s", 1, "b"), retraction("s", 1)]]);
        assert_eq!(Effective::of(&node).latest("s"), None);
        assert_eq!(Effective::of(&node).collisions.len(), 0, "what was withdrawn is no twin any more");
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
