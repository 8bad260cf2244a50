//! `runlog-artifacts`: a finished phase or run has left the files that its profile requires.

use super::wording::at_line;
use super::{Change, LogChange, UnmetEnd};
use crate::finding::{Finding, Grounds, RuleId};

/// The number of missing artifacts that one finding names.
const NAMED: usize = 5;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    unmet_ends(&change.logs, found);
}

pub(super) fn unmet_ends(logs: &LogChange, found: &mut Vec<Finding>) {
    found.extend(logs.unmet.iter().map(finding));
}

fn finding(end: &UnmetEnd) -> Finding {
    let mut named: Vec<&str> = end.unmet.iter().take(NAMED).map(|unmet| unmet.what.as_str()).collect();
    let rest = format!("and {} more", end.unmet.len().saturating_sub(NAMED));
    if end.unmet.len() > NAMED {
        named.push(&rest);
    }
    let mut finding = Finding::new(RuleId::RunlogArtifacts, format!("{} ended, but: {}", end.what, named.join("; ")));
    finding.location = at_line(&end.path, end.line);
    finding.help = if end.unmet.iter().any(|unmet| unmet.untracked) {
        "git add what is untracked; the files on disk: yatsu-hook runlog check".into()
    } else {
        "produce what is missing; the files on disk: yatsu-hook runlog check".into()
    };
    if end.unmet.iter().all(|unmet| unmet.uncounted) {
        finding.grounds = Grounds::Entry;
    }
    finding.key = format!("{}|{}", end.path, end.what);
    finding
}

#[cfg(test)]
mod tests {
    use crate::engine::runlog::artifacts::Unmet;
    use crate::finding::RuleId;
    use crate::rules::UnmetEnd;
    use crate::rules::tests::case::{Case, LOG};
    use crate::tree::path::RepoPath;

    #[test]
    fn an_end_names_what_it_lacks_and_whether_it_is_only_untracked() {
        let told = |untracked| {
            let what = if untracked { "a/quality/BUGS.md is untracked" } else { "a/quality/BUGS.md is not there" };
            let unmet = vec![Unmet { untracked, ..Unmet::of(what.into()) }];
            let end = UnmetEnd { path: RepoPath::from_git(LOG), line: 4, what: "phase 3".into(), unmet };
            Case::new().committed().told_with(RuleId::RunlogArtifacts, |change| change.logs.unmet.push(end))
        };
        insta::assert_snapshot!(told(false), @"
        a/quality/run_state.jsonl:4:1: warning[runlog-artifacts]: phase 3 ended, but: a/quality/BUGS.md is not there
            help: produce what is missing; the files on disk: yatsu-hook runlog check
        ");
        insta::assert_snapshot!(told(true), @"
        a/quality/run_state.jsonl:4:1: warning[runlog-artifacts]: phase 3 ended, but: a/quality/BUGS.md is untracked
            help: git add what is untracked; the files on disk: yatsu-hook runlog check
        ");
    }
}
