//! `runlog-progress`: the page of a run is what its log renders to.

use super::wording::file;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::text::shell;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for log in &facts.runlogs {
        let Some(page) = &log.stale_page else { continue };
        let mut finding =
            Finding::new(RuleId::RunlogProgress, format!("this page is not what {} renders to", log.path));
        finding.location = file(page);
        finding.help = format!("yatsu-hook runlog progress {}", shell::place(&log.path));
        finding.about = vec![log.path.to_bstring()];
        finding.key = page.to_string();
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LOG, log_begins, told_of};
    use crate::tree::path::RepoPath;

    #[test]
    fn a_page_that_its_log_does_not_render_to_is_named() {
        let told = |page: Option<&str>| {
            let mut facts = Case::new().with(LOG, log_begins()).facts();
            facts.runlogs[0].stale_page = page.map(RepoPath::from_git);
            let mut found = Vec::new();
            super::check(&facts, &mut found);
            told_of(RuleId::RunlogProgress, found)
        };
        insta::assert_snapshot!(told(Some("a/quality/PROGRESS.md")), @"
        a/quality/PROGRESS.md: info[runlog-progress]: this page is not what a/quality/run_state.jsonl renders to
            help: yatsu-hook runlog progress a/quality/run_state.jsonl
        ");
        assert_eq!(told(None), "");
    }
}
