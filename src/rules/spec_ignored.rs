//! `spec-ignored`: git ignores a root or a file of yatsu-hook, and a file that git does not see is never judged.

use super::wording::{at_line, file};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::workspace::Hidden;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    found.extend(facts.hidden.iter().map(finding));
}

/// The location is the ignore rule if its file is tracked, else the ignored path.
fn finding(hidden: &Hidden) -> Finding {
    let mut finding = Finding::new(RuleId::SpecIgnored, hidden.sentence());
    finding.location = match hidden.rule.tracked_file() {
        Some(path) => at_line(&path, hidden.rule.line),
        None => file(&hidden.path),
    };
    finding.about = std::iter::once(&hidden.path).chain(&hidden.files).map(|path| path.to_bstring()).collect();
    finding.help = hidden.repair();
    finding.key = format!("{}|{}", hidden.path, hidden.rule.pattern);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::Config;
    use crate::rules::tests::case::{Case, told_of};
    use crate::rules::{Door, of_view};
    use crate::tree::IgnoreRule;
    use crate::tree::path::RepoPath;

    /// The report at `door` about a root that git ignores.
    fn told_at(door: Door) -> String {
        let rule = IgnoreRule { file: ".gitignore".into(), line: 3, pattern: ".spec".into() };
        let files = vec![RepoPath::from_git(".spec/n/yatsu.md")];
        let hidden = vec![Hidden { path: RepoPath::from_git(".spec"), is_root: true, files, rule }];
        told_of(RuleId::SpecIgnored, of_view(&Facts { hidden, ..Facts::of_nothing(Config::default()) }, door))
    }

    #[test]
    fn a_root_that_git_ignores_is_named_where_the_rule_stands() {
        insta::assert_snapshot!(told_at(Door::State), @"
        .gitignore:3:1: warning[spec-ignored]: .spec is hidden by `.spec` (.gitignore:3): git and every check pass over 1 file below it that this program reads
            help: narrow that rule, or write `!/.spec/` below it; then: git add -- .spec
        ");
    }

    #[test]
    fn where_nothing_is_hidden_and_where_states_are_compared_it_does_not_speak() {
        assert_eq!(Case::new().told(RuleId::SpecIgnored), "");
        assert_eq!(told_at(Door::Commit), "");
    }
}
