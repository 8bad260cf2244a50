//! `runlog-progress`: the page of a run is what its log renders to.

use crate::engine::facts::Facts;
use crate::features::runlogs::judge::engine::facts::logs_of;
use crate::finding::{Finding, RuleId};
use crate::rules::wording::file;
use crate::rules::{Check, Explanation, Rule, STATES, plain_rule};
use crate::text::shell;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::RunlogProgress,
    &Explanation::of(
        "The page beside a run log differs from the page that the log renders to.",
        "People read the page, not the log.",
        "`yatsu-hook runlog progress LOG` writes the page anew, as does every verb that appends to the log.",
    ),
    STATES,
    &[Check::View(check)],
);

pub(crate) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for log in logs_of(facts) {
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
    use crate::engine::facts::Facts;
    use crate::features::runlogs::judge::engine::facts::{LogFacts, add_logs};
    use crate::finding::RuleId;
    use crate::model::config::Config;
    use crate::rules::tests::case::told_of;
    use crate::tree::path::RepoPath;

    #[test]
    fn a_page_that_its_log_does_not_render_to_is_named() {
        let told = |page: Option<&str>| {
            let path = RepoPath::from_git("a/quality/run_state.jsonl");
            let mut facts = Facts::of_nothing(Config::default());
            let log = LogFacts { path, stale_page: page.map(RepoPath::from_git), ..LogFacts::default() };
            add_logs(&mut facts, vec![log]);
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
