//! From findings to a report: what is shown, what is only counted, and the verdict.

use super::branch::covers;
use crate::finding::{Finding, Level, Origin, RuleId, Verdict};
use crate::model::governed::Governed;
use crate::repo::path::RepoPath;
use crate::report::view::{Report, Scope, Summary};
use std::collections::BTreeSet;

/// At most this many warnings are listed in a hook.
const HOOK_WARNINGS: usize = 20;

/// Who reads the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Somebody who wants to commit: only what this change introduced, and a count of the rest.
    Hook,
    /// The same, with everything at info level.
    VerboseHook,
    /// Somebody who asked for the whole picture.
    Person,
}

/// A scenario about which advice could not be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJudged {
    /// The directory of its node.
    pub node: RepoPath,
    /// What it governs.
    pub governed: Vec<Governed>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Why.
    pub reason: String,
}

impl NotJudged {
    /// Whether the advice would have been about one of `paths`: about the node there, or about a file that it governs.
    pub fn is_about(&self, paths: &[RepoPath]) -> bool {
        let governs = |asked: &RepoPath| {
            let below = |governed: &Governed| governed.path.as_ref().is_ok_and(|path| path.is_within(asked));
            self.governed.iter().any(|governed| below(governed) || covers(governed, asked))
        };
        let here = |asked: &RepoPath| self.node.is_within(asked) || asked.parent().as_ref() == Some(&self.node);
        paths.is_empty() || paths.iter().any(|asked| here(asked) || governs(asked))
    }
}

/// The report of a check that could be made. `findings` have their levels.
pub fn report(scope: Scope, findings: Vec<Finding>, not_judged: &[NotJudged], reader: Reader) -> Report {
    let summary = summary(&findings);
    let verdict = if findings.iter().any(Finding::blocks) { Verdict::Fail } else { Verdict::Pass };
    let mut notes = Vec::new();
    if let Some(first) = not_judged.first() {
        notes.push(format!("not judged: {} ({})", not_judged.len(), first.reason));
    }
    let (mut findings, hidden) = shown(findings, reader);
    findings.sort_by(|a, b| order(a).cmp(&order(b)));
    let speaks = !findings.is_empty() || !notes.is_empty();
    if reader != Reader::Person && summary.inherited > 0 && speaks {
        notes.push(format!("{} inherited: yatsu-hook scan", summary.inherited));
    }
    Report { scope, findings, hidden, notes, summary, verdict, unchecked: None }
}

fn shown(findings: Vec<Finding>, reader: Reader) -> (Vec<Finding>, usize) {
    if reader == Reader::Person {
        return (findings, 0);
    }
    let mut room = HOOK_WARNINGS;
    let mut hidden = 0;
    let mut kept: Vec<Finding> = findings
        .into_iter()
        .filter(|finding| !matches!(finding.origin, Some(Origin::Inherited | Origin::Fixed)))
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
    // what is merely worth knowing does not break the silence
    if reader == Reader::Hook && kept.iter().all(|finding| finding.level == Level::Info) {
        kept.clear();
    }
    (kept, hidden)
}

/// Grouped by file, in the order of lines, the worst first where no line is known.
fn order(finding: &Finding) -> impl Ord {
    let place = finding.location.clone();
    (place, std::cmp::Reverse(finding.level), finding.rule, finding.scenario.clone(), finding.key.clone())
}

fn summary(findings: &[Finding]) -> Summary {
    let standing = || findings.iter().filter(|finding| finding.origin != Some(Origin::Fixed));
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(level: Level, origin: Origin) -> Finding {
        let mut finding = Finding::new(RuleId::YatsuDrift, "");
        (finding.level, finding.origin) = (level, Some(origin));
        finding
    }

    fn scope() -> Scope {
        Scope { mode: "staged", base: None, tip: None, backend: "native", files: 0, nodes: 0 }
    }

    #[test]
    fn an_inherited_error_is_counted_and_does_not_block() {
        let said = report(scope(), vec![finding(Level::Error, Origin::Inherited)], &[], Reader::Hook);
        assert_eq!((said.verdict, said.findings.len(), said.summary.inherited), (Verdict::Pass, 0, 1));
        assert!(said.notes.is_empty(), "silence on success");
    }

    #[test]
    fn an_introduced_error_blocks_and_brings_the_count_along() {
        let findings = vec![finding(Level::Error, Origin::Introduced), finding(Level::Warning, Origin::Inherited)];
        let said = report(scope(), findings, &[], Reader::Hook);
        assert_eq!((said.verdict, said.notes), (Verdict::Fail, vec!["1 inherited: yatsu-hook scan".to_owned()]));
    }

    #[test]
    fn a_hook_lists_twenty_warnings() {
        let said = report(scope(), vec![finding(Level::Warning, Origin::Introduced); 25], &[], Reader::Hook);
        assert_eq!((said.findings.len(), said.hidden), (20, 5));
    }
}
