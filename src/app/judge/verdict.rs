//! Turns findings into a report: shown findings, counts, and the verdict.

use super::branch::TouchedPaths;
use super::order::listed;
use super::snapshot::Snapshot;
use super::states::{NotJudged, States};
use super::{Judged, consequences, excerpts, promotions};
use crate::finding::{Finding, Level, Origin, RuleId, Verdict};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::report::view::{Report, Scope, Summary};
use crate::text::plural;
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// At most this many warnings are listed in a hook.
const HOOK_WARNINGS: usize = 20;

/// The reader of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The author of a commit: sees only introduced findings, and a count of the rest.
    Hook,
    /// The same, with info findings.
    VerboseHook,
    /// A person who asked for the whole state.
    Person,
    /// A person who asked for the changes of a range of commits.
    Range(Older),
}

spelled! {
    /// The part of a range report about findings from before the range.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Older {
        /// Their number, in one line.
        #[default]
        Count = "count",
        /// All of them, after the introduced findings.
        List = "list",
        /// Nothing.
        Hide = "hide",
    }
}

/// The report of a snapshot with the result `judged`; `None` means nothing to judge.
pub(crate) fn of(repo: &Repo, snapshot: &Snapshot, judged: Option<Judged>, reader: Reader) -> Report {
    let scope = scope(repo, snapshot, judged.as_ref().map(|judged| &judged.states));
    let Some(Judged { mut findings, not_judged, states, .. }) = judged else {
        return report(scope, Vec::new(), reader);
    };
    excerpts::of_view(&mut findings, &*snapshot.view);
    let older = older_beside(&findings, &states, &snapshot.changed_paths());
    report_beside(scope, findings, &not_judged, Some(older), reader)
}

/// The number of older findings about nodes that a change of these paths concerns. Other older findings are not
/// counted: the number would be the same at every commit, and it would cost a check of everything.
pub(crate) fn older_beside(findings: &[Finding], states: &States, changed: &BTreeSet<RepoPath>) -> usize {
    let touched = TouchedPaths::of(changed);
    let workspace = &states.view.workspace;
    let concerns = |finding: &&Finding| {
        let dir = finding.node.as_ref().map(|node| RepoPath::from_git(node.dir.clone()));
        dir.and_then(|dir| workspace.node(&dir)).is_some_and(|node| touched.own_file(node) || touched.governed(node))
    };
    let said = consequences::hidden(findings);
    let listed = findings.iter().enumerate().filter(|(at, _)| !said.contains(at)).map(|(_, finding)| finding);
    listed.filter(|finding| finding.origin == Some(Origin::Inherited)).filter(concerns).count()
}

pub(crate) fn scope(repo: &Repo, snapshot: &Snapshot, states: Option<&States>) -> Scope {
    let of_state = |states: &States| own_files(&states.view.workspace);
    let files = |states: &States| snapshot.bases.first().map_or_else(|| of_state(states), |base| base.changed.len());
    let ours = states.filter(|states| states.ours);
    Scope {
        mode: snapshot.mode,
        base: snapshot.bases.first().and_then(|base| base.commit).map(|id| id.to_string()),
        tip: snapshot.tip.map(|id| id.to_string()),
        backend: Some(repo.answered_by()),
        files: ours.map_or(0, files),
        nodes: ours.map_or(0, |states| states.view.workspace.nodes.len()),
    }
}

/// The number of spec, scenario and ledger files in a whole state.
fn own_files(workspace: &Workspace) -> usize {
    let of = |node: &Node| node.ledgers.len() + usize::from(node.spec.is_some()) + usize::from(node.file.is_some());
    workspace.nodes.iter().map(of).sum()
}

/// The report of a completed check that judged every scenario. `findings` have their levels.
pub(crate) fn report(scope: Scope, findings: Vec<Finding>, reader: Reader) -> Report {
    report_beside(scope, findings, &[], None, reader)
}

/// As [`report`], without advice about the scenarios `not_judged`. In a hook `older`, the number of older findings about
/// nodes that the change concerns, replaces the count of all older findings.
pub(crate) fn report_beside(
    scope: Scope,
    mut findings: Vec<Finding>,
    not_judged: &[NotJudged],
    older: Option<usize>,
    reader: Reader,
) -> Report {
    let older = older.filter(|_| matches!(reader, Reader::Hook | Reader::VerboseHook));
    let suppressed = consequences::hide(&mut findings) + promotions::condense(&mut findings);
    let summary = Summary { suppressed, ..summary(&findings) };
    let verdict = if findings.iter().any(Finding::blocks) { Verdict::Fail } else { Verdict::Pass };
    let mut notes = Vec::new();
    if let Some(first) = not_judged.first() {
        notes.push(format!("not judged: {} ({})", not_judged.len(), first.reason));
    }
    let (mut findings, hidden) = shown(findings, reader);
    findings.sort_by(|a, b| listed(a).cmp(&listed(b)));
    let counted = match reader {
        // a hook prints nothing on success, whatever older findings exist
        Reader::Hook | Reader::VerboseHook => !findings.is_empty() || !notes.is_empty(),
        Reader::Range(older) => older == Older::Count,
        Reader::Person => false,
    };
    let count = older.unwrap_or(summary.inherited);
    let place = if older.is_some() { " in the same nodes" } else { "" };
    let older = (counted && count > 0)
        .then(|| format!("{}{place}, not from this change: yatsu-hook scan", plural(count, "older finding")));
    Report { findings, hidden, notes, older, summary, verdict, ..Report::clean(scope) }
}

fn shown(mut findings: Vec<Finding>, reader: Reader) -> (Vec<Finding>, usize) {
    match reader {
        Reader::Person | Reader::Range(Older::List) => return (findings, 0),
        Reader::Range(Older::Count | Older::Hide) => {
            findings.retain(|finding| finding.origin != Some(Origin::Inherited));
            return (findings, 0);
        }
        Reader::Hook | Reader::VerboseHook => {}
    }
    let mut room = HOOK_WARNINGS;
    let mut hidden = 0;
    let mut kept: Vec<Finding> = findings
        .into_iter()
        .filter(|finding| finding.origin != Some(Origin::Inherited) && !finding.is_ended())
        .collect();
    kept.retain(|finding| {
        let listed = finding.level != Level::Warning || room > 0;
        match (finding.level, listed) {
            (Level::Warning, true) => room -= 1,
            (Level::Warning, false) => hidden += 1,
            (Level::Info | Level::Error, _) => {}
        }
        listed
    });
    // info findings alone do not break the silence of a hook, except for a redaction, which is always shown
    if reader == Reader::Hook && kept.iter().all(|finding| finding.level == Level::Info) {
        kept.retain(|finding| finding.rule == RuleId::LedgerRedacted);
    }
    (kept, hidden)
}

fn summary(findings: &[Finding]) -> Summary {
    let standing = || findings.iter().filter(|finding| !finding.is_ended());
    let live = || standing().filter(|finding| finding.origin != Some(Origin::Inherited));
    let level = |level| live().filter(|finding| finding.level == level).count();
    let rule = |rule| standing().filter(|finding| finding.rule == rule).count();
    let nodes: BTreeSet<_> = standing().filter_map(|finding| finding.node.as_ref().map(|node| &node.dir)).collect();
    Summary {
        errors: level(Level::Error),
        warnings: level(Level::Warning),
        infos: level(Level::Info),
        inherited: standing().filter(|finding| finding.origin == Some(Origin::Inherited)).count(),
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
        let said = report(scope(), vec![finding(Level::Error, Origin::Inherited)], Reader::Hook);
        assert_eq!((said.verdict, said.findings.len(), said.summary.inherited), (Verdict::Pass, 0, 1));
        assert!(said.is_silent(), "silence on success");
    }

    #[test]
    fn an_introduced_error_blocks_and_brings_the_count_along() {
        let findings = vec![finding(Level::Error, Origin::Introduced), finding(Level::Warning, Origin::Inherited)];
        let said = report(scope(), findings, Reader::Hook);
        assert_eq!(
            (said.verdict, said.older.as_deref()),
            (Verdict::Fail, Some("1 older finding, not from this change: yatsu-hook scan"))
        );
    }

    #[test]
    fn a_range_says_first_what_it_introduced_and_counts_the_rest() {
        let all = || {
            let origins = [Origin::Inherited, Origin::Fixed, Origin::Introduced, Origin::Inherited];
            origins.map(|origin| finding(Level::Warning, origin)).to_vec()
        };
        let said = |older| report(scope(), all(), Reader::Range(older));
        let origins = |said: &Report| said.findings.iter().filter_map(|finding| finding.origin).collect::<Vec<_>>();
        let counted = said(Older::Count);
        assert_eq!(origins(&counted), [Origin::Introduced, Origin::Fixed]);
        assert_eq!(counted.older.as_deref(), Some("2 older findings, not from this change: yatsu-hook scan"));
        let listed = said(Older::List);
        assert_eq!(origins(&listed), [Origin::Introduced, Origin::Fixed, Origin::Inherited, Origin::Inherited]);
        let hidden = said(Older::Hide);
        assert_eq!((origins(&hidden), listed.older.or(hidden.older.clone())), (origins(&counted), None));
        assert_eq!(counted.summary, hidden.summary, "what is not listed still counts");
    }

    #[test]
    fn a_hook_lists_twenty_warnings() {
        let said = report(scope(), vec![finding(Level::Warning, Origin::Introduced); 25], Reader::Hook);
        assert_eq!((said.findings.len(), said.hidden), (20, 5));
    }
}
