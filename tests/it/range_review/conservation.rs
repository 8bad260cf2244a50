//! Ranges that pair scenarios in every way: nodes merge, split, move and swap, and ledgers follow them or not. No scenario is
//! lost between the numbers of the comment, and none is counted twice.

use super::{numbers, report};
use crate::support::{Dice, Scratch, reading_line, seeds, validate_published};
use std::collections::BTreeMap;

/// Two of them end alike, so a node that moves between them is found by its name.
const DIRS: [&str; 6] = ["a", "b", "x/a", "c", "m", "x/m"];
const NAMES: [&str; 3] = ["works", "idle", "more"];
/// Every scenario is in one of these, or its reading was withdrawn and it has no other.
const BUCKETS: [&str; 10] = [
    "measuredAgain",
    "speaksAgain",
    "notMeasured",
    "freshAgain",
    "otherVerdict",
    "staleBefore",
    "staleAgain",
    "reworded",
    "untouched",
    "notJudged",
];

/// The scenarios of each node, each with one of two texts.
type Nodes = BTreeMap<&'static str, BTreeMap<&'static str, usize>>;
/// The lines of each node's ledger.
type Ledgers = BTreeMap<&'static str, Vec<String>>;

fn some_nodes(dice: &mut Dice) -> Nodes {
    let mut nodes = Nodes::new();
    for _ in 0..=dice.roll(4) {
        let list = (0..=dice.roll(3)).map(|_| (dice.pick(&NAMES), dice.roll(2))).collect();
        nodes.insert(dice.pick(&DIRS), list);
    }
    nodes
}

/// All scenarios of `nodes` in one node.
fn merged(nodes: &Nodes, dice: &mut Dice) -> Nodes {
    let all = nodes.values().flatten().map(|(name, text)| (*name, *text)).collect();
    [(dice.pick(&DIRS), all)].into()
}

fn some_readings(nodes: &Nodes, head: &str, dice: &mut Dice) -> Ledgers {
    let mut ledgers = Ledgers::new();
    for (dir, list) in nodes {
        for name in list.keys() {
            if dice.roll(10) < 3 {
                continue;
            }
            // few minutes, so that readings of different nodes have the same time
            let line = reading_line(head, name, dice.pick(&["pass", "fail"]), dice.roll(20) as u32);
            ledgers.entry(dir).or_default().push(line);
        }
    }
    ledgers
}

/// Each line in one ledger, in two, or in none.
fn dealt(ledgers: &Ledgers, nodes: &Nodes, dice: &mut Dice) -> Ledgers {
    let places: Vec<&'static str> = nodes.keys().copied().collect();
    let mut dealt = Ledgers::new();
    for line in ledgers.values().flatten() {
        for _ in 0..[0, 1, 1, 1, 2][dice.roll(5)] {
            let ledger = dealt.entry(places[dice.roll(places.len())]).or_default();
            if !ledger.contains(line) {
                ledger.push(line.clone());
            }
        }
    }
    dealt
}

fn write(s: &Scratch, nodes: &Nodes, ledgers: &Ledgers) {
    s.git(&["rm", "-rqf", "--ignore-unmatch", ".spec"]);
    for (dir, list) in nodes {
        let entry = |(name, text): (&&str, &usize)| {
            format!(
                "  - name: {name}\n    description: d{text}\n    expected: e\n    tags: [cli]\n    code: src/{name}\n"
            )
        };
        let entries: String = list.iter().map(entry).collect();
        s.write(&format!(".spec/{dir}/yatsu.md"), format!("---\nscenarios:\n{entries}---\n"));
    }
    for (dir, lines) in ledgers {
        s.write(&format!(".spec/{dir}/yatsu.evals.ndjson"), lines.concat());
    }
}

#[test]
fn however_nodes_move_merge_and_split_every_scenario_is_counted_once() {
    let mut seen = [0; 3];
    for seed in seeds(40, 400) {
        let (s, mut dice) = (Scratch::new(), Dice(seed));
        NAMES.iter().for_each(|name| s.write(&format!("src/{name}"), "1\n"));
        let head = s.commit("first");
        let old = some_nodes(&mut dice);
        let ledgers = some_readings(&old, &head, &mut dice);
        write(&s, &old, &ledgers);
        let from = s.commit("before");
        let new = if dice.roll(4) == 0 { merged(&old, &mut dice) } else { some_nodes(&mut dice) };
        let ledgers = dealt(&ledgers, &new, &mut dice);
        write(&s, &new, &ledgers);
        if dice.roll(3) == 0 {
            s.write("src/works", "2\n");
        }
        s.git(&["add", "-A"]);
        s.git(&["commit", "-q", "--allow-empty", "-m", "after"]);
        let plan = validate_published(&report(&s, &from, "HEAD", &["--format", "json"]).out);
        let [before, after] = [&old, &new].map(|nodes| nodes.values().map(BTreeMap::len).sum::<usize>());
        let dropped = plan["dropped"].as_array().map_or(0, Vec::len);
        let rows = plan["rows"].as_array().expect("rows");
        let added = rows.iter().filter(|row| row["before"].is_null()).count();
        assert_eq!(before - dropped + added, after, "seed {seed}\n{old:?}\n{new:?}\n{plan:#}");
        let counted: u64 = numbers(&plan, BUCKETS).iter().sum();
        let [withdrawn] = numbers(&plan, ["withdrawn"]);
        let uncounted = (after as u64).checked_sub(counted);
        assert!(uncounted.is_some_and(|left| left <= withdrawn), "seed {seed}: {counted} of {after}\n{plan:#}");
        for (at, number) in [dropped, added, before - dropped].into_iter().enumerate() {
            seen[at] += usize::from(number > 0);
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "dropped, added and known again: {seen:?}");
}
