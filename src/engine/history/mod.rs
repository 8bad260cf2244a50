//! The append-only rule: what was filed stays filed (formats.md, "What was filed stays filed"). Two workspaces in, the lines
//! that are not where they belong out. Pure; who may lose what at which level is for the rules.
//!
//! `judgement` states the rule over logs (`logs`): lines filed at a home, which declares what they may speak of. That a log
//! is a node's ledgers and what lines speak of is a scenario is known to `ledgers` alone.
//!
//! A line is filed at its *home*, a directory; all ledgers of a directory are one. For each line of a base, its home A and
//! its scenario S, one of these holds in the new state N, or the line is lost:
//!
//! 1. it is there: a ledger of A holds its bytes, and S did not move. S moved beyond doubt where A declares it no more and
//!    another directory does newly, with A's text; a line that it leaves behind counts for nothing;
//! 2. it moved with its scenario: A declares S no more, and an *heir* of A holds the line. The heirs are the other
//!    directories of N that declare S and are nearest: those that did not declare it in the base and have A's text; else
//!    those that did not declare it in the base; else those that have A's text. A decoy is therefore no heir beside the
//!    scenario's new place, and no heir loses a line that it took over without passing it on;
//! 3. it left with its scenario: A declared S in the base and does not in N, and there is no heir;
//! 4. A did not declare S in the base and does not in N (S left in an earlier step), or the line names no scenario and A
//!    has no scenario file in N: then a ledger that did not hold it in the base has it, or one whose directory declares
//!    S; or A's scenario file leaves in this step and nothing that it declared has an heir.
//!
//! A decision about a goal names no scenario and is of A's contract, whatever that says: while A has one the decision stays.
//! Where A has none any more, the directories that newly have a contract of the same content hold the decision; where there
//! are none of these, A does, or a directory that has a contract and did not hold it in the base; or, where A's scenario
//! file leaves too, it goes as any line that names no scenario (4).
//!
//! Whatever cannot be read declares everything, so that no line leaves behind a broken file. Order and repetition mean
//! nothing. What never was an event does not count, so that conflict markers and torn tails can be repaired; a glued line
//! may become the lines that it was glued from.
//!
//! A file with one writer has a stricter law, which is `appended`'s: a ledger is read as a set because many write it, a run
//! log as a row because one does.

mod appended;
mod judgement;
mod ledgers;
mod logs;

pub use appended::BrokenAt;
pub(crate) use appended::broken;

use crate::model::ledger::{Ledger, Line};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use judgement::HistoryStep;
use logs::Logs;

/// A line of a base that is no longer where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The node's directory.
    pub dir: RepoPath,
    /// The ledger that held it.
    pub ledger: RepoPath,
    /// Its bytes, without the line end.
    pub line: Vec<u8>,
    /// The scenario it speaks of, where that is readable.
    pub scenario: Option<String>,
    /// The directory that must hold it now: its own, or where its scenario moved.
    pub belongs: RepoPath,
}

/// The lines of a base that are neither where they were nor where they moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Those that must be there.
    pub lost: Vec<Lost>,
    /// Those that left together with their scenario.
    pub left: Vec<Lost>,
}

/// A line that no base has at this place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived<'w> {
    /// The node that holds it.
    pub node: &'w Node,
    /// The ledger that holds it.
    pub ledger: &'w Ledger,
    /// The line itself, with its event and its place.
    pub line: &'w Line,
    /// Whether it stood elsewhere in a base and no longer does. One that was copied still stands where it was filed, and
    /// is another node's measurement. A decision about a goal moved only with its contract: at another one it is new.
    pub moved: bool,
}

/// Every ledger line of `base` that `new` lacks, in the order of `base`. `base` may be a part of a view (the directories
/// that changed); `new` must hold every directory that its lines may have moved to, or nothing of `left` can be trusted.
pub fn missing(new: &Workspace, base: &Workspace) -> Missing {
    HistoryStep { new: ledgers::logs(new), base: ledgers::logs(base) }.missing()
}

/// The events of `new` whose lines their own node has in no base, in the order of `new`.
pub(crate) fn added<'w>(new: &'w Workspace, bases: &[&'w Workspace]) -> Vec<Arrived<'w>> {
    let now = ledgers::logs(new);
    let bases: Vec<Logs<'w>> = bases.iter().map(|base| ledgers::logs(base)).collect();
    let ledgers = new.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)));
    let lines = ledgers.flat_map(|(node, ledger)| ledger.lines.iter().map(move |line| (node, ledger, line)));
    let mut found = Vec::new();
    for (node, ledger, line) in lines {
        let before = || bases.iter().flat_map(|base| base.holding(&line.bytes));
        // By home, not by file: a line that goes from one ledger of a node to its other one was there all the time.
        if before().all(|home| **home != node.dir) {
            // gone from where it was, or it is a copy: of another node's reading, which must not count as this one's
            let stays = |home: &RepoPath| now.holding(&line.bytes).contains(&home);
            let of_goal = before().next().is_some() && now.is_of_goal(&line.bytes);
            let moved = match of_goal {
                true => bases.iter().any(|base| {
                    let homes = base.holding(&line.bytes).iter().filter(|home| !stays(home));
                    let heirs = homes.filter_map(|home| base.at(home)).flat_map(|home| base.goal_heirs(home, &now));
                    heirs.into_iter().any(|heir| *heir == node.dir)
                }),
                false => before().any(|home| !stays(home)),
            };
            found.push(Arrived { node, ledger, line, moved });
        }
    }
    found
}

#[cfg(test)]
mod tests;
