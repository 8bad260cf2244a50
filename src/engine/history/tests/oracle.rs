//! A second, slow implementation of the rule over plain sets: judges every line of every directory in the words of the
//! module above. Both must agree on small random states before and after a change.

use super::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use std::collections::{BTreeMap, BTreeSet};

/// A state: the content of each directory.
type World = BTreeMap<u8, Directory>;
/// A line: its scenario (0 is none, [`GOAL`] is a decision about the goal) and its second.
type Filed = (u8, u32);
/// A scenario number that marks a decision about the goal.
const GOAL: u8 = 4;

#[derive(Clone, Debug)]
struct Directory {
    file: Option<File>,
    /// The content of the contract in a readable file.
    goal: Option<u8>,
    lines: Vec<Filed>,
    /// Whether its files have the newer names.
    newer: bool,
}

/// A scenario file with the text of each scenario, or one that is broken from the start.
#[derive(Clone, Debug)]
enum File {
    Readable(BTreeMap<u8, u8>),
    Broken,
}

/// A line, its old place, and the place where it belongs; `None` if it left.
type Verdict = (u8, Filed, Option<u8>);

/// The names in ledgers and in scenario files; the last one in two forms of Unicode.
const NAMES: [(&str, &str); 4] = [("", ""), ("s", "s"), ("t", "t"), ("e\u{301}", "\u{e9}")];

fn world() -> impl Strategy<Value = World> {
    let readable = btree_map(1..4_u8, 0..2_u8, 1..4).prop_map(File::Readable);
    let file = prop_oneof![9 => readable, 1 => Just(File::Broken)];
    let lines = vec((prop_oneof![9 => 1..4_u8, 1 => Just(0), 3 => Just(GOAL)], 0..3_u32), 0..5);
    let parts = (option::weighted(0.7, file), option::of(0..2_u8), lines, any::<bool>());
    let directory = parts.prop_map(|(file, goal, lines, newer)| Directory { file, goal, lines, newer });
    btree_map(0..4_u8, directory, 0..4)
}

/// A world and its successor: each directory stays, goes, moves elsewhere, or is rewritten.
fn step() -> impl Strategy<Value = (World, World)> {
    let fates = vec((0..7_u8, 0..4_u8, any::<proptest::sample::Index>()), 4);
    (world(), world(), fates).prop_map(|(base, fresh, fates)| {
        let mut new = fresh;
        for (dir, (fate, to, cut)) in base.keys().zip(fates) {
            let mut content = base[dir].clone();
            match fate {
                0 => drop(new.remove(dir)),
                1 => {}
                2 => drop(new.insert(*dir, content)),
                3 => drop(new.insert(to, content)),
                4 => {
                    // the contract goes elsewhere, and the rest stays
                    let goal = content.goal.take();
                    new.entry(to).or_insert_with(|| content.clone()).goal = goal;
                    new.insert(*dir, content);
                }
                _ if content.lines.is_empty() => drop(new.insert(to, content)),
                _ => {
                    content.lines.remove(cut.index(content.lines.len()));
                    new.insert(to, content);
                }
            }
        }
        (base, new)
    })
}

fn spelled((scenario, second): Filed) -> String {
    match scenario {
        0 => format!("{{\"kind\":\"later\",\"n\":{second}}}"),
        GOAL => decision("block", second),
        _ => line(NAMES[usize::from(scenario)].0, second),
    }
}

fn text_of(file: &File, goal: Option<u8>) -> String {
    let File::Readable(scenarios) = file else { return "---\nscenarios:\n".into() };
    let entry = |(name, text): (&u8, &u8)| {
        declaring(&[NAMES[usize::from(*name)].1]).replace("measure", &format!("measure {text}"))
    };
    let entries = scenarios.iter().map(entry).map(|file| file.replace("---\n", "").replace("scenarios:\n", ""));
    let goal = goal.map(|least| with_goal(&[], u32::from(least))).unwrap_or_default();
    let goal = goal.replace("---\n", "").replace("scenarios:\n", "");
    format!("---\n{goal}scenarios:\n{}---\n", entries.collect::<String>())
}

fn built(world: &World) -> Workspace {
    let mut files = Vec::new();
    for (dir, content) in world {
        let names = if content.newer { ("eval.md", "evals.ndjson") } else { ("yatsu.md", "yatsu.evals.ndjson") };
        let ledger: String = content.lines.iter().map(|line| spelled(*line) + "\n").collect();
        files.extend(content.file.as_ref().map(|file| {
            let text = text_of(file, content.goal);
            (format!(".spec/n{dir}/{}", names.0), text)
        }));
        if has_ledger(content) {
            files.push((format!(".spec/n{dir}/{}", names.1), ledger));
        }
    }
    workspace(&files.iter().map(|(path, content)| (path.as_str(), content.clone())).collect::<Vec<_>>())
}

/// An empty ledger is also a ledger.
fn has_ledger(content: &Directory) -> bool {
    !content.lines.is_empty() || content.newer
}

fn ledger_stays(new: &World, home: u8) -> bool {
    new.get(&home).is_some_and(has_ledger)
}

fn holds(world: &World, dir: u8, line: Filed) -> bool {
    world.get(&dir).is_some_and(|content| content.lines.contains(&line))
}

fn text(world: &World, dir: u8, scenario: u8) -> Option<u8> {
    match &world.get(&dir)?.file {
        Some(File::Readable(scenarios)) => scenarios.get(&scenario).copied(),
        _ => None,
    }
}

fn is_broken(world: &World, dir: u8) -> bool {
    world.get(&dir).is_some_and(|content| matches!(content.file, Some(File::Broken)))
}

fn may_declare(world: &World, dir: u8, scenario: u8) -> bool {
    is_broken(world, dir) || text(world, dir, scenario).is_some()
}

/// The heirs of a scenario that left `home`: the directories that newly declare it with the same text, or that newly hold a
/// line of it that the home's ledger held in the base.
fn heirs(new: &World, base: &World, home: u8, scenario: u8) -> BTreeSet<u8> {
    let was = text(base, home, scenario);
    let by_text = |dir: u8| was.is_some() && text(new, dir, scenario) == was && text(base, dir, scenario) != was;
    let of_scenario = || base[&home].lines.iter().filter(|line| line.0 == scenario);
    let by_line = |dir: u8| of_scenario().any(|line| holds(new, dir, *line) && !holds(base, dir, *line));
    (0..4).filter(|dir| *dir != home && (by_text(*dir) || by_line(*dir))).collect()
}

fn is_unnamed(line: Filed) -> bool {
    line.0 == 0 || line.0 == GOAL
}

/// The content of a readable contract.
fn goal(world: &World, dir: u8) -> Option<u8> {
    let content = world.get(&dir)?;
    matches!(content.file, Some(File::Readable(_))).then_some(content.goal)?
}

fn may_have_goal(world: &World, dir: u8) -> bool {
    is_broken(world, dir) || goal(world, dir).is_some()
}

/// The rule for a line without an heir: it stays with a ledger that stays. A ledger file leaves only if its directory
/// declares no scenario any more, and takes such lines with it.
fn departed(new: &World, home: u8, line: Filed) -> Option<Verdict> {
    let declares = is_broken(new, home) || (1..4).any(|scenario| text(new, home, scenario).is_some());
    let stays = ledger_stays(new, home) || declares;
    Some((home, line, stays.then_some(home)))
}

/// The verdict on a line without a scenario: it stays with the ledger, or all such lines go to one heir.
fn unnamed_judged(new: &World, base: &World, home: u8, line: Filed) -> Option<Verdict> {
    if holds(new, home, line) {
        return None;
    }
    let stays = ledger_stays(new, home);
    if stays && may_have_goal(new, home) {
        return Some((home, line, Some(home)));
    }
    let left = (1..4).filter(|scenario| !may_declare(new, home, *scenario));
    let heirs: BTreeSet<u8> = left.flat_map(|scenario| heirs(new, base, home, scenario)).collect();
    let all = || base[&home].lines.iter().filter(|line| is_unnamed(**line));
    if heirs.iter().any(|heir| all().all(|line| holds(new, *heir, *line))) {
        return None;
    }
    match heirs.first() {
        Some(heir) if !stays => Some((home, line, Some(*heir))),
        _ => departed(new, home, line),
    }
}

/// The verdict on a line of `home`; `None` if it is at an allowed place.
fn judged(new: &World, base: &World, home: u8, line: Filed) -> Option<Verdict> {
    if is_unnamed(line) {
        return unnamed_judged(new, base, home, line);
    }
    let here = holds(new, home, line);
    if may_declare(new, home, line.0) {
        return (!here).then_some((home, line, Some(home)));
    }
    let heirs = heirs(new, base, home, line.0);
    // an heir that takes one line takes all; so must each heir by text, and one of them is enough if another directory
    // loses the same text
    let lines = || base[&home].lines.iter().filter(|other| other.0 == line.0);
    let was = text(base, home, line.0);
    let by_text = |heir: &u8| was.is_some() && text(new, *heir, line.0) == was && text(base, *heir, line.0) != was;
    let shared = (0..4)
        .any(|dir| dir != home && was.is_some() && text(base, dir, line.0) == was && text(new, dir, line.0).is_none());
    let by_text: Vec<u8> = heirs.iter().copied().filter(by_text).collect();
    let bearing = heirs.iter().copied().filter(|heir| lines().any(|line| holds(new, *heir, *line)));
    let is_enough = shared && by_text.iter().any(|heir| holds(new, *heir, line));
    let asked: Vec<u8> = bearing.chain(by_text.into_iter().filter(|_| !is_enough)).collect();
    if let Some(lacking) = asked.iter().find(|heir| !holds(new, **heir, line)) {
        return Some((home, line, Some(*lacking)));
    }
    if here || !heirs.is_empty() { None } else { departed(new, home, line) }
}

fn expected(new: &World, base: &World) -> BTreeSet<Verdict> {
    let lines = base.iter().flat_map(|(home, content)| content.lines.iter().map(move |line| (*home, *line)));
    lines.filter_map(|(home, line)| judged(new, base, home, line)).collect()
}

fn verdict(found: &Lost, belongs: bool) -> (RepoPath, Vec<u8>, Option<RepoPath>) {
    (found.dir.clone(), found.line.clone(), belongs.then(|| found.belongs.clone()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_rule_is_the_slow_one((base, new) in step()) {
        let found = missing(&built(&new), &built(&base));
        let found: BTreeSet<_> = found
            .lost
            .iter()
            .map(|lost| verdict(lost, true))
            .chain(found.left.iter().map(|left| verdict(left, false)))
            .collect();
        let dir = |dir: u8| RepoPath::from_git(format!(".spec/n{dir}"));
        let expected: BTreeSet<_> = expected(&new, &base)
            .into_iter()
            .map(|(home, line, belongs)| (dir(home), spelled(line).into_bytes(), belongs.map(dir)))
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// In every accepted step, a scenario with a reading in another place has all its readings there, and a ledger that
    /// stays has every line that no other place has.
    #[test]
    fn no_accepted_step_leaves_a_scenario_without_its_lines((base, new) in step()) {
        if !missing(&built(&new), &built(&base)).lost.is_empty() {
            return Ok(());
        }
        for (home, content) in &base {
            for line in content.lines.iter().filter(|line| !is_unnamed(**line)) {
                let is_there = (0..4).any(|dir| holds(&new, dir, *line));
                prop_assert!(is_there || !ledger_stays(&new, *home), "{line:?} of {home} is gone from a ledger that stays");
                let moved = |dir: u8| {
                    text(&new, dir, line.0).is_some()
                        && content.lines.iter().any(|other| other.0 == line.0 && holds(&new, dir, *other) && !holds(&base, dir, *other))
                };
                for dir in (0..4).filter(|dir| dir != home && !may_declare(&new, *home, line.0) && moved(*dir)) {
                    prop_assert!(holds(&new, dir, *line), "{dir} has some lines of {home}, and not {line:?}");
                }
            }
        }
    }
}
