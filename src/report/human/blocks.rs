//! The score for people: findings that moved by the same path are one block, and long lists are cut. Errors and introduced
//! findings are never cut. A machine format lists everything.

use super::{place, shown, tag, write_finding};
use crate::finding::{Finding, Level, Origin, RuleId};
use crate::report::about;
use crate::report::view::Style;
use crate::text::{escape, plural};
use bstr::{BStr, ByteSlice};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The command that lists everything.
const ALL: &str = "yatsu-hook scan --limit 0";

/// The level, the rule and the moved path that the findings of a block share.
type MovedBy<'a> = (Level, RuleId, &'a BStr);

/// Two or more findings with the same moved path.
struct MovedBlock<'a> {
    moved: MovedBy<'a>,
    findings: Vec<&'a Finding>,
}

/// Writes `findings`: errors, then blocks, the largest first, then the others. `limit` is the number of single findings
/// listed per level; half as many blocks are listed, and a quarter as many members of a block. 0 lists everything.
pub(super) fn write(findings: &[&Finding], limit: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (blocks, singles) = arranged(findings);
    let limit = if limit == 0 { usize::MAX } else { limit };
    let (mut shown_blocks, mut shown_singles) = (LevelRoom::default(), LevelRoom::default());
    let mut hidden = 0;
    for finding in singles.iter().filter(|finding| finding.level == Level::Error) {
        write_finding(finding, style, out)?;
    }
    for block in &blocks {
        let is_uncut = block.findings.iter().any(|finding| is_uncut(finding));
        if is_uncut || shown_blocks.has_room(block.moved.0, (limit / 2).max(1)) {
            write_block(block, (limit / 4).max(1), style, out)?;
        } else {
            hidden += block.findings.len();
        }
    }
    for finding in singles.iter().filter(|finding| finding.level != Level::Error) {
        if is_uncut(finding) || shown_singles.has_room(finding.level, limit) {
            write_finding(finding, style, out)?;
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 { writeln!(out, "and {hidden} more: {ALL}") } else { Ok(()) }
}

/// How many findings or blocks of each level were listed.
#[derive(Default)]
struct LevelRoom(BTreeMap<Level, usize>);

impl LevelRoom {
    /// Counts one more, and returns whether the level has listed at most `most`.
    fn has_room(&mut self, level: Level, most: usize) -> bool {
        let listed = self.0.entry(level).or_default();
        *listed += 1;
        *listed <= most
    }
}

/// Whether the finding is listed whatever the limits are.
fn is_uncut(finding: &Finding) -> bool {
    finding.level == Level::Error || finding.origin == Some(Origin::Introduced)
}

/// The blocks, the worst and largest first, and the findings outside of blocks. A moved path with a single finding makes
/// no block.
fn arranged<'a>(findings: &[&'a Finding]) -> (Vec<MovedBlock<'a>>, Vec<&'a Finding>) {
    let mut sizes: BTreeMap<MovedBy<'_>, usize> = BTreeMap::new();
    for moved in findings.iter().flat_map(|finding| moved(finding)) {
        *sizes.entry(moved).or_default() += 1;
    }
    // a finding goes to its largest block; of equally large ones to the first by path
    let home = |finding: &'a Finding| moved(finding).max_by_key(|moved| (sizes.get(moved).copied(), Reverse(*moved)));
    let mut homes = Vec::new();
    let mut together: BTreeMap<MovedBy<'_>, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().copied() {
        let home = home(finding);
        if let Some(moved) = home {
            together.entry(moved).or_default().push(finding);
        }
        homes.push((finding, home));
    }
    together.retain(|_, findings| findings.len() > 1);
    let singles = homes.into_iter().filter(|(_, home)| home.is_none_or(|moved| !together.contains_key(&moved)));
    let singles = singles.map(|(finding, _)| finding).collect();
    let mut blocks: Vec<_> = together.into_iter().map(|(moved, findings)| MovedBlock { moved, findings }).collect();
    blocks.sort_by_key(|block| (Reverse(block.moved.0), Reverse(block.findings.len()), block.moved.2));
    (blocks, singles)
}

/// The keys of the blocks that a finding may join, one per moved path. A finding that ended joins none, because nothing is
/// left to do.
fn moved(finding: &Finding) -> impl Iterator<Item = MovedBy<'_>> {
    let paths = finding.drift.iter().filter(|_| !finding.is_ended());
    paths.map(|moved| (finding.level, finding.rule, moved.path.as_bstr()))
}

fn write_block(block: &MovedBlock<'_>, most: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let MovedBlock { moved, findings } = block;
    let nodes: BTreeSet<_> =
        findings.iter().filter_map(|finding| finding.node.as_ref().map(|node| &node.dir)).collect();
    let (scenarios, nodes) = (plural(findings.len(), "scenario"), plural(nodes.len(), "node"));
    writeln!(out, "{} {} moved: {scenarios} of {nodes}", tag(findings[0], style), shown(moved.2))?;
    let uncut = findings.iter().filter(|finding| is_uncut(finding)).count();
    let (mut room, mut hidden) = (most.saturating_sub(uncut), 0);
    for finding in findings {
        match (is_uncut(finding), room) {
            (true, _) => writeln!(out, "    {}", member(finding))?,
            (false, 0) => hidden += 1,
            (false, _) => {
                room -= 1;
                writeln!(out, "    {}", member(finding))?;
            }
        }
    }
    if hidden > 0 {
        writeln!(out, "    and {hidden} more: {ALL}")?;
    }
    writeln!(out, "    help: measure each again, then: yatsu-hook eval NODE/SCENARIO --pass   (or --fail)")
}

/// A member of a block: its place and its scenario.
fn member(finding: &Finding) -> String {
    let place = finding.location.as_ref().map(|location| format!("{}: ", place(location))).unwrap_or_default();
    let subject = about(finding).unwrap_or_default();
    let beside = match finding.drift.len() {
        0 | 1 => String::new(),
        paths => format!("  (and {} more)", plural(paths - 1, "path")),
    };
    format!("{place}{}{beside}", escape::terminal(&subject))
}
