//! Long lists for people: findings that moved by the same path are one block, and long lists are cut. Errors stand first,
//! each on its own, because each of them blocks. Machine formats have no blocks.

use super::listing::{LevelRoom, Listing};
use super::{place, shown, tag, write_finding};
use crate::finding::{DriftWhy, Finding, Level, RuleId};
use crate::report::view::Style;
use crate::report::{about, measure_each};
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

/// Writes `findings`: errors, then blocks, the largest first, then the others.
pub(super) fn write(findings: &[&Finding], listing: Listing, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (errors, others): (Vec<_>, Vec<_>) = findings.iter().copied().partition(|one| one.level == Level::Error);
    errors.into_iter().try_for_each(|finding| write_finding(finding, style, out))?;
    let (blocks, singles) = arranged(&others);
    let (mut shown_blocks, mut shown_singles) = (LevelRoom::default(), LevelRoom::default());
    let mut hidden = 0;
    for block in &blocks {
        let is_uncut = block.findings.iter().any(|finding| listing.is_uncut(finding));
        if is_uncut || shown_blocks.has_room(block.moved.0, listing.blocks()) {
            write_block(block, listing.members(), style, out)?;
        } else {
            hidden += block.findings.len();
        }
    }
    for finding in singles {
        if listing.is_uncut(finding) || shown_singles.has_room(finding.level, listing.singles) {
            write_finding(finding, style, out)?;
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 { writeln!(out, "and {hidden} more: {ALL}") } else { Ok(()) }
}

/// The blocks, the worst and largest first, and the findings outside of blocks. A moved path with a single finding makes no
/// block.
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
    // a finding of each environment is a line, and they are of one scenario
    let scenarios: BTreeSet<_> =
        findings.iter().map(|finding| (finding.node.as_ref().map(|node| &node.dir), &finding.scenario)).collect();
    let (scenarios, nodes) = (plural(scenarios.len(), "scenario"), plural(nodes.len(), "node"));
    writeln!(out, "{} {} moved: {scenarios} of {nodes}", tag(findings[0], style), shown(moved.2))?;
    findings.iter().take(most).try_for_each(|finding| writeln!(out, "    {}", member(finding, moved.2)))?;
    if findings.len() > most {
        writeln!(out, "    and {} more: {ALL}", findings.len() - most)?;
    }
    writeln!(out, "    help: {}", measure_each(findings))
}

/// A member of the block of a moved path: its place, its scenario, and why the path is named if no entry names it.
fn member(finding: &Finding, path: &BStr) -> String {
    let place = finding.location.as_ref().map(|location| format!("{}: ", place(location))).unwrap_or_default();
    let env = finding.env.as_ref().map(|env| format!(" in {env}")).unwrap_or_default();
    let subject = about(finding).unwrap_or_default() + &env;
    let beside = match finding.drift.len() {
        0 | 1 => String::new(),
        paths => format!("  (and {} more)", plural(paths - 1, "path")),
    };
    let why = finding.drift.iter().filter(|moved| moved.path == path).find_map(|moved| moved.why.as_ref());
    let why = match why {
        Some(why @ (DriftWhy::LeftTheList | DriftWhy::TestChanged)) => format!("  ({})", why.as_str()),
        Some(DriftWhy::WholeFile(_)) | None => String::new(),
    };
    format!("{place}{}{why}{beside}", escape::terminal(&subject))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{DriftPath, NodeRef, Origin};
    use crate::report::view::RuleText;
    use proptest::prelude::*;

    const STYLE: Style = Style {
        color: false,
        verbose: false,
        quiet: false,
        ascii: true,
        width: None,
        describe: |_| RuleText { summary: "", why: "", mend: "" },
    };

    fn finding(number: usize, level: Level, origin: Option<Origin>, moved: &[usize]) -> Finding {
        let path = |n: &usize| DriftPath { path: format!("p{n}").into(), symbol: None, why: None, commits: None };
        Finding {
            level,
            origin,
            node: Some(NodeRef { dir: "n".into(), id: "n".into() }),
            scenario: Some(format!("s{number:03}")),
            drift: moved.iter().map(path).collect(),
            ..Finding::new(RuleId::YatsuDrift, "stale")
        }
    }

    fn written(findings: &[Finding], listing: Listing) -> String {
        let mut out = Vec::new();
        write(&findings.iter().collect::<Vec<_>>(), listing, &STYLE, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The number of findings that a line leaves out, for example 27 for `    and 27 more: ...`.
    fn left_out(line: &str) -> usize {
        let number = line.trim_start().strip_prefix("and ").and_then(|rest| rest.split_once(" more: "));
        number.map_or(0, |(number, _)| number.parse().unwrap())
    }

    proptest! {
        /// Each finding is named once or counted, and an error stands on a line of its own before everything else.
        #[test]
        fn no_finding_is_lost(
            rows in proptest::collection::vec((0usize..7, 0usize..3, proptest::collection::vec(0usize..5, 0..3)), 0..90),
            singles in prop_oneof![1usize..30, Just(usize::MAX)],
            keeps_change: bool,
        ) {
            let levels = [Level::Error, Level::Info, Level::Info];
            let level = |n: usize| *levels.get(n).unwrap_or(&Level::Warning);
            let origins = [None, Some(Origin::Introduced), Some(Origin::Fixed)];
            let findings: Vec<Finding> =
                rows.iter().enumerate().map(|(n, (l, o, moved))| finding(n, level(*l), origins[*o], moved)).collect();
            let text = written(&findings, Listing { singles, keeps_change });
            let named = |one: &Finding| {
                let name = format!("n/{}", one.scenario.clone().unwrap());
                text.lines().filter(|line| line.contains(&name)).count()
            };
            let counted: usize = text.lines().map(left_out).sum();
            prop_assert!(findings.iter().all(|one| named(one) <= 1));
            prop_assert_eq!(findings.iter().map(named).sum::<usize>() + counted, findings.len());
            let errors = findings.iter().filter(|one| one.level == Level::Error).count();
            let first = text.lines().filter(|line| !line.starts_with(' ')).take(errors);
            prop_assert!(first.into_iter().all(|line| line.starts_with("error[yatsu-drift] n/s")));
            let single = |one: &&Finding| one.drift.is_empty() && one.origin.is_some();
            prop_assert!(!keeps_change || findings.iter().filter(single).all(|one| named(one) == 1));
            prop_assert!(singles != usize::MAX || counted == 0);
        }
    }

    #[test]
    fn what_many_findings_share_is_eight_lines() {
        let all: Vec<Finding> =
            (0..32).map(|n| finding(n, Level::Warning, Some(Origin::Introduced), &[n % 2, 2])).collect();
        let text = written(&all, Listing { singles: 20, keeps_change: true });
        assert_eq!(text.lines().count(), 8, "{text}");
        assert!(text.contains("    and 27 more: yatsu-hook scan --limit 0\n"), "{text}");
    }
}
