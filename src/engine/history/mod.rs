//! The append-only rule: filed lines stay filed (formats.md, "What was filed stays filed"). Two workspaces in, the
//! misplaced lines out. Pure; the rules decide about permission and level.
//!
//! `judgement` states the rule over logs (`logs`): lines filed at a home, which declares their subjects. Only `ledgers`
//! knows that a log is a node's ledgers and a subject is a scenario.
//!
//! A line is filed at its *home*, a directory; all ledgers of a directory are one. For each line of a base, with its home H
//! and its scenario S, the new state N must satisfy one of these conditions, or the line is lost:
//!
//! 1. H declares S in N, and a ledger of H holds the line;
//! 2. H no longer declares S, and every *heir* of S holds the line. An heir is another directory that newly declares S with
//!    the text of S at H, or that newly holds a line of S that H held. For example, `git mv .spec/a .spec/b` makes b the
//!    heir of everything in a. A directory that declared S with that text in the base is no heir. If another directory also
//!    lost the same S and text, one heir by text is enough, because each may be the other's, and every heir that holds any
//!    line holds all;
//! 3. H no longer declares S, S has no heir, and a ledger of H holds the line;
//! 4. H declares no scenario in N and has no ledger any more, and S has no heir: the line left with its node.
//!
//! A line without a scenario (a decision, a signature) belongs to the node. Such lines stay with the ledger, or all of them
//! go to one heir of a scenario of H, or they leave with the ledger (4). While H keeps its ledger and its goal contract
//! they stay. A signature of a line that an heir holds must stand there, too: the heir takes a copy.
//!
//! An *edited* line is an added line with the scenario and the time of a base line, and other bytes, in any directory. It
//! is not an edit if the base line still stands in another directory: one import of a test report files `works` of two
//! nodes with the same time.
//!
//! A file that cannot be read counts as declaring everything, so that no line leaves behind a broken file. Order and
//! repetition have no meaning. A line that was never an event does not count, so that conflict markers and torn tails can
//! be repaired. A glued line may become the lines that it was glued from.
//!
//! A ledger is read as a set because it has many writers.

mod judgement;
mod ledgers;
mod logs;

use crate::engine::redaction::Redactions;
use crate::model::ids::nfc;
use crate::model::ledger::{Event, Ledger, Line};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use judgement::HistoryStep;
use logs::{Log, Logs};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A misplaced line of a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The node's directory.
    pub dir: RepoPath,
    /// The ledger that held it.
    pub ledger: RepoPath,
    /// The bytes, without the line end.
    pub line: Vec<u8>,
    /// Its scenario, if readable.
    pub scenario: Option<String>,
    /// The directory that must hold it now: its own, or the new place of its scenario.
    pub belongs: RepoPath,
}

/// The lines of a base that are neither at their old place nor at the right new place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The lost lines.
    pub lost: Vec<Lost>,
    /// The lines that left together with their node.
    pub left: Vec<Lost>,
}

/// A line that no base has at this place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived<'w> {
    pub node: &'w Node,
    pub ledger: &'w Ledger,
    /// The line with its event and its place.
    pub line: &'w Line,
    /// Whether it stood elsewhere in a base and no longer does. A copied line is not moved: it still stands where it was
    /// filed, and is another node's measurement. A decision about a goal moves only with its contract; at another contract
    /// it is new.
    pub moved: bool,
    /// Whether the scenario file of its node is new: no base has one in that directory.
    pub imported: bool,
}

/// An added line that is an edited copy of a base line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    pub(crate) ledger: RepoPath,
    pub(crate) line: Line,
    /// The bytes of the base line.
    pub filed: Vec<u8>,
}

/// Every ledger line of `base` that `new` lacks, in the order of `base`. `base` may be a part of a view (the changed
/// directories). `new` must hold every directory that the lines may have moved to, or `left` cannot be trusted.
pub fn missing(new: &Workspace, base: &Workspace) -> Missing {
    HistoryStep::new(ledgers::logs(new), ledgers::logs(base)).missing()
}

/// The events of `new` that their own node has in no base, in the order of `new`.
pub(crate) fn added<'w>(new: &'w Workspace, bases: &[&'w Workspace]) -> Vec<Arrived<'w>> {
    let now = ledgers::logs(new);
    let had_file = |dir: &RepoPath| bases.iter().any(|base| base.node(dir).is_some_and(|node| node.file.is_some()));
    let logs: Vec<Logs<'w>> = bases.iter().map(|base| ledgers::logs(base)).collect();
    let ledgers = new.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)));
    let lines = ledgers.flat_map(|(node, ledger)| ledger.lines.iter().map(move |line| (node, ledger, line)));
    let mut found = Vec::new();
    for (node, ledger, line) in lines {
        let before = || logs.iter().flat_map(|base| base.holding(&line.bytes));
        // By home, not by file: a line that moves between two ledgers of a node was always there.
        if before().all(|home| **home != node.dir) {
            // a line that still stands at its old place was copied: another node's reading must not count as this one's
            let stays = |home: &RepoPath| now.holding(&line.bytes).contains(&home);
            let is_of_goal = now.is_of_goal(&line.bytes);
            let goal = now.at(&node.dir).and_then(Log::goal_content);
            // A decision moves only with its contract; at another goal it is new.
            let is_about_same = |base: &Logs<'_>, home: &RepoPath| {
                let content = |dir: &RepoPath| base.at(dir).and_then(Log::goal_content);
                !is_of_goal || goal.is_some() && content(home) == goal && content(&node.dir) != goal
            };
            let left = |base: &Logs<'w>| {
                base.holding(&line.bytes).iter().any(|home| !stays(home) && is_about_same(base, home))
            };
            let moved = logs.iter().any(left);
            let imported = node.file.is_some() && !had_file(&node.dir);
            found.push(Arrived { node, ledger, line, moved, imported });
        }
    }
    found
}

/// The lines among `added`, each with its ledger in `new`, that have the scenario and the time of a line of `base` and
/// other bytes. A line that one of `known` holds is not an edit. A redaction is not an edit either: it validly replaces a
/// line, or has no effect.
///
/// Each line is visited once, however many have one scenario and one time: thousands of them must not slow down a server.
pub(crate) fn edited<'l>(
    new: &Workspace,
    added: impl IntoIterator<Item = (&'l RepoPath, &'l Line)>,
    known: &[&Workspace],
    base: &Workspace,
) -> Vec<Edited> {
    // the lines of one moment that are no edit so far, by the directory of their ledger
    let mut arrived: HashMap<Moment, BTreeMap<RepoPath, Vec<ArrivedLine<'l>>>> = HashMap::new();
    for (order, (ledger, line)) in added.into_iter().enumerate() {
        if let Some(moment) = moment(&line.event).filter(|_| line.event.redacted().is_none()) {
            let of_moment = arrived.entry(moment).or_default();
            of_moment.entry(ledger.parent().unwrap_or_default()).or_default().push(ArrivedLine { order, ledger, line });
        }
    }
    let times: HashSet<i64> = arrived.keys().map(|(_, _, millis)| *millis).collect();
    let known_bytes = OnceCell::new();
    let is_known = |line: &Line| {
        let all = || known.iter().flat_map(|base| lines(base)).map(|line| &*line.bytes).collect::<HashSet<_>>();
        known_bytes.get_or_init(all).contains(&*line.bytes)
    };
    let redactions = OnceCell::new();
    // `ledger-schema` reports a redacted line that is back
    let is_redacted = |line: &Line| redactions.get_or_init(|| Redactions::among(lines(new))).cover(&line.bytes);
    let now = ledgers::logs(new);
    let mut found: Vec<Edited> = Vec::new();
    for filed in lines(base).filter(|line| line.event.ts().is_some_and(|ts| times.contains(&ts.millis))) {
        let Some(of_moment) = moment(&filed.event).and_then(|moment| arrived.get_mut(&moment)) else { continue };
        // a line that stands elsewhere was moved or copied, so no line in another directory is an edit of it
        let homes = now.holding(&filed.bytes);
        let mut edits: Vec<ArrivedLine<'l>> = match homes {
            [] => std::mem::take(of_moment).into_values().flatten().collect(),
            _ => homes.iter().filter_map(|home| of_moment.remove(*home)).flatten().collect(),
        };
        edits.retain(|one| !is_known(one.line) && !is_redacted(one.line));
        edits.sort_by_key(|one| one.order);
        let edit = |one: ArrivedLine<'_>| {
            let (ledger, line) = (one.ledger.clone(), one.line.clone());
            Edited { ledger, line, filed: filed.bytes.to_vec() }
        };
        found.extend(edits.into_iter().map(edit));
    }
    found
}

/// An added line with its place among all added ones.
#[derive(Clone, Copy)]
struct ArrivedLine<'l> {
    order: usize,
    ledger: &'l RepoPath,
    line: &'l Line,
}

/// The key of a line for finding edits: whether it is a retraction, its scenario in NFC, and its time.
type Moment = (bool, String, i64);

fn moment(event: &Event) -> Option<Moment> {
    let withdraws = matches!(event, Event::Retraction(_));
    Some((withdraws, nfc(event.scenario()?), event.ts()?.millis))
}

fn lines(workspace: &Workspace) -> impl Iterator<Item = &Line> {
    workspace.nodes.iter().flat_map(|node| &node.ledgers).flat_map(|ledger| &ledger.lines)
}

#[cfg(test)]
mod tests;
