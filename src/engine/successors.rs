//! Finds the scenarios of an earlier state in a later one. A scenario in its old directory stands for itself. The others are
//! paired one to one, so that after `git mv .spec/old .spec/new` each of many equal scenarios keeps its own readings, and no
//! scenario that is gone hides behind the new place of another one.
//!
//! Only nodes that the change touches can be in a pair. So a caller that loaded only those gets the same pairs.

use crate::engine::facts::Facts;
use crate::engine::freshness::governed;
use crate::model::governed::Governed;
use crate::model::ids::{composed, same_name};
use crate::model::ledger::{EvidenceHash, Reading, ReadingVerdict, Status, Timestamp};
use crate::model::node::{Declared, Node};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What two scenarios of one name share, the surest evidence of a move first. The directory of a node rarely keeps more
/// than its last names in a move, and its files may move with it.
const PASSES: [Alike; 13] = [
    Alike { line: true, names: 2, code: true, text: Text::Same },
    Alike { line: true, names: 1, code: true, text: Text::Any },
    Alike { line: true, names: 1, code: false, text: Text::Any },
    Alike { line: true, names: 0, code: false, text: Text::Any },
    Alike { line: false, names: 2, code: true, text: Text::Same },
    Alike { line: false, names: 1, code: true, text: Text::Same },
    Alike { line: false, names: 1, code: true, text: Text::Any },
    Alike { line: false, names: 2, code: false, text: Text::Same },
    Alike { line: false, names: 1, code: false, text: Text::Same },
    Alike { line: false, names: 0, code: true, text: Text::Same },
    Alike { line: false, names: 0, code: false, text: Text::Same },
    Alike { line: false, names: 1, code: false, text: Text::Unreadable },
    Alike { line: false, names: 0, code: false, text: Text::Unreadable },
];

/// The scenarios of an earlier state, each with its place in a later one.
pub(crate) struct Successors<'a> {
    later: &'a Facts,
    moved: HashMap<Place<'a>, Declared<'a>>,
}

/// A directory, and the name of a scenario as it is compared.
type Place<'a> = (&'a RepoPath, Cow<'a, str>);

impl<'a> Successors<'a> {
    pub(crate) fn of(earlier: &'a Facts, later: &'a Facts) -> Self {
        let mut new = absent(later, earlier);
        // an unreadable file may still declare its scenarios, so these take only the places that no other one needs
        let (hidden, gone): (Vec<_>, Vec<_>) =
            absent(earlier, later).into_iter().partition(|was| is_unreadable(later, was.node));
        let mut found = Self { later, moved: HashMap::default() };
        for mut gone in [gone, hidden] {
            PASSES.iter().for_each(|alike| found.pair(alike, &mut gone, &mut new));
        }
        found
    }

    /// The scenario of the later state that `was` became; `None` if it is gone.
    pub(crate) fn find(&self, was: Declared<'a>) -> Option<Declared<'a>> {
        let here = self.later.workspace.node(&was.node.dir).and_then(|node| {
            let scenario = node.scenario(&was.scenario.name)?;
            Some(Declared { node, scenario })
        });
        here.or_else(|| self.moved.get(&place(was)).copied())
    }

    /// Pairs the scenarios that are alike in this way. Each is in one pair only.
    fn pair(&mut self, alike: &Alike, gone: &mut Vec<Declared<'a>>, new: &mut Vec<Declared<'a>>) {
        let mut offers: HashMap<Likeness<'a>, Vec<usize>> = HashMap::default();
        // from the end, so that the first one is taken first
        for (at, now) in new.iter().enumerate().rev().filter(|(_, now)| alike.is_possible(now)) {
            alike.likenesses(*now).into_iter().for_each(|likeness| offers.entry(likeness).or_default().push(at));
        }
        let mut taken = BTreeSet::new();
        gone.retain(|was| {
            let mut offered = alike.likenesses(*was).into_iter().filter_map(|likeness| {
                let offers = offers.get_mut(&likeness)?;
                std::iter::from_fn(|| offers.pop()).find(|at| !taken.contains(at))
            });
            let Some(at) = offered.next() else { return true };
            taken.insert(at);
            self.moved.insert(place(*was), new[at]);
            false
        });
        let mut at = 0..;
        new.retain(|_| at.next().is_some_and(|at| !taken.contains(&at)));
    }
}

/// Whether the node's file in `later` has an unreadable part, which may still declare any scenario.
pub(crate) fn is_unreadable(later: &Facts, node: &Node) -> bool {
    let file = later.workspace.node(&node.dir).and_then(|node| node.file.as_ref());
    file.is_some_and(|file| file.cut_short)
}

fn place(of: Declared<'_>) -> Place<'_> {
    (&of.node.dir, composed(&of.scenario.name))
}

/// The scenarios of `state` that `other` does not declare in the same directory.
fn absent<'a>(state: &'a Facts, other: &Facts) -> Vec<Declared<'a>> {
    let mut absent = Vec::new();
    for node in &state.workspace.nodes {
        let there = other.workspace.node(&node.dir).map_or(&[][..], Node::scenarios);
        let there: BTreeSet<_> = there.iter().map(|scenario| composed(&scenario.name)).collect();
        let gone = node.scenarios().iter().filter(|scenario| !there.contains(&composed(&scenario.name)));
        absent.extend(gone.map(|scenario| Declared { node, scenario }));
    }
    absent
}

/// A way in which two scenarios of one name are alike.
struct Alike {
    /// A reading of the scenario stands in both ledgers.
    line: bool,
    /// So many last names of the directory are the same.
    names: usize,
    /// The governed list is the same, and not empty.
    code: bool,
    text: Text,
}

enum Text {
    Any,
    Same,
    /// The later one cannot be read, so it may be the same.
    Unreadable,
}

/// The compared parts of a scenario.
#[derive(PartialEq, Eq, Hash)]
struct Likeness<'a> {
    name: Cow<'a, str>,
    line: Option<(Timestamp, Option<Oid>, bool)>,
    names: Vec<&'a [u8]>,
    code: Option<Vec<String>>,
    text: Option<EvidenceHash>,
}

impl Alike {
    fn is_possible(&self, now: &Declared<'_>) -> bool {
        !matches!(self.text, Text::Unreadable) || now.scenario.unread.text
    }

    /// The compared parts, once for each line; none if a part is missing.
    fn likenesses<'a>(&self, of: Declared<'a>) -> Vec<Likeness<'a>> {
        let Declared { node, scenario } = of;
        let is_same_text = matches!(self.text, Text::Same);
        let list = governed(node, scenario);
        if (self.code && list.is_empty()) || (is_same_text && scenario.unread.text) {
            return Vec::new();
        }
        let lines = match self.line {
            true => node.readings().filter(|reading| same_name(&reading.scenario, &scenario.name)).map(line).collect(),
            false => vec![None],
        };
        let names = node.dir.as_bstr().rsplit(|byte| *byte == b'/').take(self.names);
        let likeness = |line| Likeness {
            name: composed(&scenario.name),
            line,
            names: names.clone().collect(),
            code: self.code.then(|| list.iter().map(Governed::shown).collect()),
            text: is_same_text.then_some(scenario.text_hash),
        };
        lines.into_iter().map(likeness).collect()
    }
}

fn line(reading: &Reading) -> Option<(Timestamp, Option<Oid>, bool)> {
    Some((reading.ts, reading.code_sha, reading.verdict == ReadingVerdict::Measured(Status::Fail)))
}
