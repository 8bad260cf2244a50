//! Makes the report of a check. Input: findings with their levels, and the [`Reader`]. Output: a [`Report`] with the
//! listed findings, the counts and the verdict. Prints nothing and sets no level.
//!
//! The verdict and the counts come first, from every finding that no other finding explains. Only then the list is
//! shortened for the reader. So a short list never changes the verdict; keep this order.

use super::branch::TouchedPaths;
use super::order::listed;
use super::snapshot::Snapshot;
use super::states::{NotJudged, States};
use super::{Judged, consequences, excerpts};
use crate::finding::{Finding, Level, Origin, RuleId, Verdict};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::report::view::{Report, Scope, Summary};
use crate::rules;
use crate::text::plural;
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A hook lists at most this many warnings.
const HOOK_WARNINGS: usize = 20;

/// The reader of the report, for whom the findings to list are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The author of a commit or a push. Lists the findings of this change, and counts the older ones.
    Hook,
    /// A person who asked for the whole state. Lists everything.
    Person,
    /// A person who asked about a range of commits. Lists its findings, and the older ones on request.
    Range(Older),
}

spelled! {
    /// How a range report shows the findings from before the range.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Older {
        /// One line with their number.
        #[default]
        Count = "count",
        /// All of them, after the introduced findings.
        List = "list",
        /// Nothing.
        Hide = "hide",
    }
}

/// The report of one snapshot. If there was nothing to judge, `judged` is `None` and the report is empty.
pub(crate) fn of(repo: &Repo, snapshot: &Snapshot, judged: Option<Judged>, reader: Reader) -> Report {
    let scope = scope(repo, snapshot, judged.as_ref().map(|judged| &judged.states));
    let Some(Judged { mut findings, not_judged, states, .. }) = judged else {
        return report(scope, Vec::new(), reader);
    };
    excerpts::of_view(&mut findings, &*snapshot.view);
    let older = older_beside(&findings, &states, &snapshot.changed_paths());
    report_beside(scope, findings, &not_judged, Some(older), reader)
}

/// The number of older findings in the nodes that a change of the paths `changed` concerns. Hooks print this number. A
/// count of the older findings in all nodes would be the same at every commit, and would cost a check of every node.
pub(crate) fn older_beside(findings: &[Finding], states: &States, changed: &BTreeSet<RepoPath>) -> usize {
    let touched = TouchedPaths::of(changed);
    let workspace = &states.view.workspace;
    let concerns = |finding: &&Finding| {
        let dir = finding.node.as_ref().map(|node| RepoPath::from_git(node.dir.clone()));
        dir.and_then(|dir| workspace.node(&dir)).is_some_and(|node| touched.own_file(node) || touched.governed(node))
    };
    let explained = consequences::hidden(findings);
    let others = findings.iter().enumerate().filter(|(at, _)| !explained.contains(at)).map(|(_, finding)| finding);
    others.filter(|finding| finding.origin == Some(Origin::Inherited)).filter(concerns).count()
}

/// The head of the report: the judged content, and how many files and nodes were examined. With a base the files are
/// the changed ones, for example 3 at a commit of three files. Without a base they are all files of the nodes. Both
/// numbers are 0 if no state has a yatsu-hook file.
pub(crate) fn scope(repo: &Repo, snapshot: &Snapshot, states: Option<&States>) -> Scope {
    let all_files = |states: &States| own_files(&states.view.workspace);
    let files = |states: &States| snapshot.bases.first().map_or_else(|| all_files(states), |base| base.changed.len());
    let with_files = states.filter(|states| states.ours);
    Scope {
        mode: snapshot.mode,
        base: snapshot.bases.first().and_then(|base| base.commit).map(|id| id.to_string()),
        tip: snapshot.tip.map(|id| id.to_string()),
        backend: Some(repo.answered_by()),
        files: with_files.map_or(0, files),
        nodes: with_files.map_or(0, |states| states.view.workspace.nodes.len()),
    }
}

/// The number of spec, scenario and ledger files in a whole state.
fn own_files(workspace: &Workspace) -> usize {
    let count = |node: &Node| node.ledgers.len() + usize::from(node.spec.is_some()) + usize::from(node.file.is_some());
    workspace.nodes.iter().map(count).sum()
}

/// The report of a check that judged every scenario. The levels of `findings` are set.
pub(crate) fn report(scope: Scope, findings: Vec<Finding>, reader: Reader) -> Report {
    report_beside(scope, findings, &[], None, reader)
}

/// As [`report`], with a note about the scenarios `not_judged`, because advice about them is missing. `nearby` is the
/// number from [`older_beside`]. A hook prints this number in place of the number of all older findings.
pub(crate) fn report_beside(
    scope: Scope,
    mut findings: Vec<Finding>,
    not_judged: &[NotJudged],
    nearby: Option<usize>,
    reader: Reader,
) -> Report {
    let nearby = nearby.filter(|_| reader == Reader::Hook);
    let suppressed = consequences::hide(&mut findings) + rules::join(&mut findings);
    let summary = Summary { suppressed, ..summary(&findings) };
    let verdict = if findings.iter().any(Finding::blocks) { Verdict::Fail } else { Verdict::Pass };
    let mut notes = Vec::new();
    if let Some(first) = not_judged.first() {
        notes.push(format!("not judged: {} ({})", not_judged.len(), first.reason));
    }
    let (mut findings, mut beyond) = shown(findings, reader);
    [&mut findings, &mut beyond].into_iter().for_each(|list| list.sort_by(|a, b| listed(a).cmp(&listed(b))));
    let prints_count = match reader {
        // a hook prints nothing on success, whatever older findings exist
        Reader::Hook => !findings.is_empty() || !notes.is_empty(),
        Reader::Range(older) => older == Older::Count,
        Reader::Person => false,
    };
    let count = nearby.unwrap_or(summary.inherited);
    let place = if nearby.is_some() { " in the same nodes" } else { "" };
    let older = (prints_count && count > 0)
        .then(|| format!("{}{place}, not from this change: yatsu-hook scan", plural(count, "older finding")));
    Report { findings, beyond, notes, older, summary, verdict, ..Report::clean(scope) }
}

/// The findings to list for the reader, and the warnings beyond them.
fn shown(mut findings: Vec<Finding>, reader: Reader) -> (Vec<Finding>, Vec<Finding>) {
    match reader {
        Reader::Person | Reader::Range(Older::List) => return (findings, Vec::new()),
        Reader::Range(Older::Count | Older::Hide) => {
            findings.retain(|finding| finding.origin != Some(Origin::Inherited));
            return (findings, Vec::new());
        }
        Reader::Hook => findings.retain(|finding| finding.origin != Some(Origin::Inherited) && !finding.is_ended()),
    }
    let mut room = HOOK_WARNINGS;
    findings.into_iter().partition(|finding| {
        let is_listed = finding.level != Level::Warning || room > 0;
        room -= usize::from(is_listed && finding.level == Level::Warning);
        is_listed
    })
}

/// The counts of a report. The counts by level leave out older findings; the counts by rule include them. Ended
/// findings, for example fixed ones, are never counted.
fn summary(findings: &[Finding]) -> Summary {
    let present = || findings.iter().filter(|finding| !finding.is_ended());
    let of_change = || present().filter(|finding| finding.origin != Some(Origin::Inherited));
    let level = |level| of_change().filter(|finding| finding.level == level).count();
    let rule = |rule| present().filter(|finding| finding.rule == rule).count();
    let nodes: BTreeSet<_> = present().filter_map(|finding| finding.node.as_ref().map(|node| &node.dir)).collect();
    Summary {
        errors: level(Level::Error),
        warnings: level(Level::Warning),
        infos: level(Level::Info),
        inherited: present().filter(|finding| finding.origin == Some(Origin::Inherited)).count(),
        nodes_flagged: nodes.len(),
        malformed: rule(RuleId::YatsuSchema),
        stale: rule(RuleId::YatsuDrift),
        missing: rule(RuleId::YatsuMissing),
        uncovered: rule(RuleId::YatsuUncovered),
        over_owned: rule(RuleId::YatsuOwners),
        suppressed: 0,
        score: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Backend;
    use crate::report::view::ScopeMode;

    fn finding(level: Level, origin: Origin) -> Finding {
        let mut finding = Finding::new(RuleId::YatsuDrift, "");
        (finding.level, finding.origin) = (level, Some(origin));
        finding
    }

    fn scope() -> Scope {
        Scope { mode: ScopeMode::Staged, base: None, tip: None, backend: Some(Backend::Native), files: 0, nodes: 0 }
    }

    #[test]
    fn an_inherited_error_is_counted_and_does_not_block() {
        let report = report(scope(), vec![finding(Level::Error, Origin::Inherited)], Reader::Hook);
        assert_eq!((report.verdict, report.findings.len(), report.summary.inherited), (Verdict::Pass, 0, 1));
        assert!(report.is_silent(), "silence on success");
    }

    #[test]
    fn an_introduced_error_blocks_and_brings_the_count_along() {
        let findings = vec![finding(Level::Error, Origin::Introduced), finding(Level::Warning, Origin::Inherited)];
        let report = report(scope(), findings, Reader::Hook);
        assert_eq!(
            (report.verdict, report.older.as_deref()),
            (Verdict::Fail, Some("1 older finding, not from this change: yatsu-hook scan"))
        );
    }

    #[test]
    fn a_range_says_first_what_it_introduced_and_counts_the_rest() {
        let all = || {
            let origins = [Origin::Inherited, Origin::Fixed, Origin::Introduced, Origin::Inherited];
            origins.map(|origin| finding(Level::Warning, origin)).to_vec()
        };
        let listing = |older| report(scope(), all(), Reader::Range(older));
        let origins = |report: &Report| report.findings.iter().filter_map(|finding| finding.origin).collect::<Vec<_>>();
        let counted = listing(Older::Count);
        assert_eq!(origins(&counted), [Origin::Introduced, Origin::Fixed]);
        assert_eq!(counted.older.as_deref(), Some("2 older findings, not from this change: yatsu-hook scan"));
        let listed = listing(Older::List);
        assert_eq!(origins(&listed), [Origin::Introduced, Origin::Fixed, Origin::Inherited, Origin::Inherited]);
        let hidden = listing(Older::Hide);
        assert_eq!((origins(&hidden), listed.older.or(hidden.older.clone())), (origins(&counted), None));
        assert_eq!(counted.summary, hidden.summary, "what is not listed still counts");
    }

    #[test]
    fn a_hook_with_only_infos_lists_them() {
        let report = report(scope(), vec![finding(Level::Info, Origin::Introduced)], Reader::Hook);
        assert_eq!((report.verdict, report.findings.len()), (Verdict::Pass, 1));
    }

    #[test]
    fn a_hook_lists_twenty_warnings() {
        let report = report(scope(), vec![finding(Level::Warning, Origin::Introduced); 25], Reader::Hook);
        assert_eq!((report.findings.len(), report.beyond.len()), (20, 5));
    }
}
