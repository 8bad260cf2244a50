//! Adds to findings the lines of the malformed place, for the reader of the report. The lines come from the judged state,
//! which may not be on disk. Excerpts decide nothing: an unreadable or secret place gets none.

use super::order::listed;
use crate::engine::redaction::Redactions;
use crate::finding::{Finding, Level, Location, Origin, RuleId};
use crate::model::ledger::{Ledger, parse};
use crate::names;
use crate::text::excerpt::Excerpt;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::cmp::Reverse;

/// The rules that parse a file, so that their findings point to a line. Findings about git or about a whole file have no
/// line to show.
const READERS: [RuleId; 5] =
    [RuleId::YatsuSchema, RuleId::LedgerSchema, RuleId::RunlogSchema, RuleId::SelectorUnread, RuleId::GraphPartial];

/// At most this many findings get their lines, the worst first. The rest usually have the same causes, and a hook's output
/// must stay short.
const MOST: usize = 10;

/// Larger files, in bytes, are not read again.
pub(crate) const LARGEST: u64 = 64 << 20;

/// Adds excerpts from `view` to findings.
pub(crate) fn of_view(findings: &mut [Finding], view: &dyn Tree) {
    let beside = |path: &RepoPath| {
        let dir = path.parent().unwrap_or_default();
        let ledgers = view.children(&dir).unwrap_or_default().into_iter().filter(|(name, _)| names::is_ledger(name));
        ledgers.map(|(name, _)| dir.child(&name)).filter(|other| other != path).collect()
    };
    add(findings, &beside, &mut |path| {
        let is_file = matches!(view.kind(path), Ok(Some(Kind::File | Kind::Exec)));
        let is_small = is_file && view.size(path).ok()?.is_some_and(|size| size <= LARGEST);
        is_small.then(|| view.read(path).ok()).flatten()?
    });
}

/// Adds excerpts with `read`, which returns a file of the judged state; `beside` names the other files of the ledger with this
/// file. Each file is read once.
pub(crate) fn add(
    findings: &mut [Finding],
    beside: &dyn Fn(&RepoPath) -> Vec<RepoPath>,
    read: &mut dyn FnMut(&RepoPath) -> Option<Vec<u8>>,
) {
    let mut malformed: Vec<&mut Finding> = findings.iter_mut().filter(|finding| is_quoted(finding)).collect();
    malformed.sort_by(|a, b| listed(a).cmp(&listed(b)));
    // several findings at one place share one excerpt, shown at the first
    malformed.dedup_by(|next, first| next.location == first.location);
    malformed.sort_by_key(|finding| Reverse(finding.level));
    malformed.truncate(MOST);
    malformed.sort_by_key(|finding| finding.location.clone());
    let mut last: Option<(RepoPath, Option<Vec<u8>>)> = None;
    for finding in malformed {
        let Some(Location { path, line: Some(line), column }) = &finding.location else { continue };
        let path = RepoPath::from_git(path.clone());
        if last.as_ref().is_none_or(|(known, _)| *known != path) {
            let bytes = quotable(beside, read, &path);
            last = Some((path, bytes));
        }
        let bytes = last.as_ref().and_then(|(_, bytes)| bytes.as_deref());
        finding.excerpt = bytes.and_then(|bytes| Excerpt::of(bytes, *line, *column)).map(Box::new);
    }
}

/// The content of a file, of a ledger without the lines that a redaction beside it replaces. Such a line stands again after a
/// merge, and its words had to go.
fn quotable(
    beside: &dyn Fn(&RepoPath) -> Vec<RepoPath>,
    read: &mut dyn FnMut(&RepoPath) -> Option<Vec<u8>>,
    path: &RepoPath,
) -> Option<Vec<u8>> {
    let bytes = read(path)?;
    if !names::is_ledger(path.name()) {
        return Some(bytes);
    }
    let others = beside(path).into_iter().filter_map(|other| Some(parse(&other, &read(&other)?)));
    let ledgers: Vec<Ledger> = [parse(path, &bytes)].into_iter().chain(others).collect();
    Some(Redactions::of(&ledgers).blanked(&bytes))
}

/// Whether the finding has to be fixed and has a line in the judged state.
fn is_quoted(finding: &Finding) -> bool {
    let is_due = finding.level > Level::Info && finding.origin != Some(Origin::Inherited) && !finding.is_ended();
    let has_line = finding.location.as_ref().is_some_and(|place| place.line.is_some());
    is_due && has_line && READERS.contains(&finding.rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    fn finding(path: &str, line: u32) -> Finding {
        let mut finding = Finding::new(RuleId::YatsuSchema, "");
        finding.level = Level::Error;
        finding.location = Some(Location { path: path.into(), line: Some(line), column: Some(1) });
        finding
    }

    fn quoted(findings: &mut [Finding]) -> Vec<bool> {
        let mut asked = Vec::new();
        add(findings, &|_| Vec::new(), &mut |path| {
            asked.push(path.clone());
            (path.name() != "gone").then(|| b"one\ntwo\n".repeat(20))
        });
        let mut once = asked.clone();
        once.dedup();
        assert_eq!(asked, once, "each file is read once");
        findings.iter().map(|finding| finding.excerpt.is_some()).collect()
    }

    #[test]
    fn the_first_errors_get_their_lines_and_no_more_than_a_hook_may_print() {
        let mut many: Vec<Finding> = (1..=12).map(|line| finding("a", line)).rev().collect();
        let told = quoted(&mut many);
        assert_eq!(told, [[false; 2].as_slice(), &[true; 10]].concat());
        let mut mixed: Vec<Finding> = (1..=12).map(|line| finding("a", line)).collect();
        mixed[..11].iter_mut().for_each(|finding| finding.level = Level::Warning);
        assert!(quoted(&mut mixed)[11], "an error before any warning");
    }

    #[test]
    fn what_is_wrong_twice_in_one_place_is_quoted_once_where_it_is_listed_first() {
        let mut twice = ["b", "a"].map(|key| Finding { key: key.into(), ..finding("a", 1) });
        assert_eq!(quoted(&mut twice), [false, true]);
    }

    #[test]
    fn of_a_link_nothing_is_quoted_for_what_it_holds_is_a_path() {
        let quoted = |kind| {
            let mut one = [finding("a", 1)];
            of_view(&mut one, &MemoryTree::from(&[("a", kind, "/etc/passwd")]));
            one[0].excerpt.is_some()
        };
        assert_eq!([Kind::File, Kind::Exec, Kind::Link].map(quoted), [true, true, false]);
    }

    #[test]
    fn only_what_is_to_be_mended_in_the_judged_state_is_quoted() {
        let with = |change: fn(&mut Finding)| {
            let mut one = [finding("a", 1)];
            change(&mut one[0]);
            quoted(&mut one)[0]
        };
        assert!(with(|_| {}));
        assert!(with(|one| one.origin = Some(Origin::Introduced)));
        assert!(!with(|one| one.origin = Some(Origin::Inherited)));
        assert!(!with(|one| one.origin = Some(Origin::Fixed)));
        assert!(!with(|one| one.rule = RuleId::YatsuDrift), "what moved is no slip of the pen");
        assert!(!with(|one| one.level = Level::Info));
        assert!(!with(|one| one.location = None));
        assert!(!with(|one| one.location = Some(Location { path: "a".into(), line: None, column: None })));
        assert!(!with(|one| one.location = Some(Location { path: "gone".into(), line: Some(1), column: None })));
    }
}
