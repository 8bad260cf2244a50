//! `runlog-history`: a run log only grows.

use crate::features::runlogs::judge::change::{LogChange, LostLog, MendedLog};
use crate::features::runlogs::judge::engine::appended::BrokenAt;
use crate::features::runlogs::judge::engine::moves::LogFate;
use crate::finding::{Finding, Level, RuleId};
use crate::rules::wording::{at_line, file, gone_with};
use crate::rules::{Change, Check, Door, Explanation, RefUpdates, Rule, plain_rule};
use crate::text::escape::echo;
use crate::text::shell;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::RunlogHistory,
    &Explanation::of(
        "A committed line of a run log was edited, removed, moved or put out of sight, or something was put before it; or a protected \
         branch is deleted together with a run log that is open.",
        "A run log has one writer and only grows, so that readers can trust it as the record of the run. Two branches that append to one log \
         cannot be merged; each run has a log of its own.",
        "Put the lines back as they were, and append new lines behind them; the finding names the commit that has the log whole. To rename a \
         log, use git mv. Once its run has ended, a log may be deleted or replaced by a later run.",
    ),
    &[Door::Commit, Door::Commits, Door::Refs],
    &[Check::Change(check), Check::Refs(refs)],
);

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    change.view.parts.get().into_iter().for_each(|logs| lost_logs(logs, found));
}

pub(crate) fn lost_logs(logs: &LogChange, found: &mut Vec<Finding>) {
    found.extend(logs.lost.iter().filter_map(lost));
    found.extend(logs.mended.iter().map(mended));
}

fn refs(refs: &RefUpdates, found: &mut Vec<Finding>) {
    let own = refs.deleted_files.iter().filter(|(rule, _)| *rule == RuleId::RunlogHistory);
    found.extend(own.map(|(rule, branch)| gone_with(branch, *rule, "open run log", "its run logs")));
}

fn lost(lost: &LostLog) -> Option<Finding> {
    let push = if lost.from.rewritten { " (this push rewrites the branch)" } else { "" };
    let message = match (&lost.fate, &lost.hidden) {
        (LogFate::Kept, _) => return None,
        (_, Some((path, key))) if *path == lost.path => format!("this run log is out of sight{push}: {key} hides it"),
        (_, Some((path, key))) => format!("this run log lies in {path}{push}, and {key} hides it there"),
        (LogFate::Gone, None) => format!("this run log is gone{push}, and no other log begins with its lines"),
        (LogFate::Broken(BrokenAt { line, was, cut: true }), None) => {
            format!("line {line} of this run log was taken off{push}: {}", echo(&String::from_utf8_lossy(was)))
        }
        (LogFate::Broken(BrokenAt { was, .. }), None) => format!(
            "a committed line of this run log was edited, or one put before it{push}: {}",
            echo(&String::from_utf8_lossy(was))
        ),
    };
    let mut finding = Finding::new(RuleId::RunlogHistory, message);
    finding.location = match &lost.fate {
        LogFate::Broken(at) => at_line(&lost.path, at.line),
        LogFate::Gone | LogFate::Kept => file(&lost.path),
    };
    let line = if let LogFate::Broken(at) = &lost.fate { at.line } else { 0 };
    finding.key = format!("{}|{line}", lost.path);
    finding.help = help(lost);
    finding.at_most = lost.from.rewritten.then_some(Level::Warning);
    Some(finding)
}

/// Nothing is lost at the tip, so this is never more than information.
fn mended(log: &MendedLog) -> Finding {
    let MendedLog { path, broke, whole } = log;
    let message = format!("{broke} edited committed lines of this run log, and {whole} has it whole again");
    let mut finding = Finding::new(RuleId::RunlogHistory, message);
    finding.location = file(path);
    finding.key = format!("{path}|mended");
    finding.help = format!("nothing must be done: git show {}", shell::word(&format!("{whole}:{path}")));
    finding.at_most = Some(Level::Info);
    finding
}

fn help(lost: &LostLog) -> String {
    if let Some((_, key)) = &lost.hidden {
        let mend = if *key == "yatsu.exclude" { "take it out of" } else { "keep its entry in" };
        return format!(
            "{mend} {key}, or move the log to a place that is judged; once its run has ended, a log may be hidden or deleted"
        );
    }
    if lost.merged {
        return format!(
            "a run log has one writer: git merge --abort, git mv one of the two logs to another name on its branch and commit, \
             git merge -X find-renames=100%, then git add {} as it is here, and commit",
            shell::place(&lost.path)
        );
    }
    format!(
        "put it back as it was, new lines behind it: git show {}   (once its run has ended, a log may be deleted or replaced by a later run)",
        shell::word(&format!("{}:{}", lost.from.revision, lost.path))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::LostFrom;
    use crate::rules::tests::case::told_of;
    use crate::tree::path::RepoPath;

    fn told(fate: LogFate, hidden: Option<(RepoPath, &'static str)>) -> String {
        let path = RepoPath::from_git("a b/quality/run_state.jsonl");
        let from = LostFrom { revision: "1234567".into(), rewritten: false };
        let lost = vec![LostLog { path, fate, hidden, from, merged: false }];
        let logs = LogChange { lost, ..LogChange::default() };
        told_by(&logs)
    }

    fn told_by(logs: &LogChange) -> String {
        let mut found = Vec::new();
        lost_logs(logs, &mut found);
        told_of(RuleId::RunlogHistory, found)
    }

    #[test]
    fn a_log_that_is_gone_or_edited_names_where_it_still_is() {
        let at = BrokenAt { line: 3, was: b"{\"n\":3}".to_vec(), cut: false };
        insta::assert_snapshot!(told(LogFate::Gone, None), @"
        a b/quality/run_state.jsonl: error[runlog-history]: this run log is gone, and no other log begins with its lines
            help: put it back as it was, new lines behind it: git show '1234567:a b/quality/run_state.jsonl'   (once its run has ended, a log may be deleted or replaced by a later run)
        ");
        insta::assert_snapshot!(told(LogFate::Broken(at), None), @r#"
        a b/quality/run_state.jsonl:3:1: error[runlog-history]: a committed line of this run log was edited, or one put before it: {"n":3}
            help: put it back as it was, new lines behind it: git show '1234567:a b/quality/run_state.jsonl'   (once its run has ended, a log may be deleted or replaced by a later run)
        "#);
    }

    #[test]
    fn a_log_that_was_mended_names_the_commit_that_has_it_whole() {
        let path = RepoPath::from_git("a/quality/run_state.jsonl");
        let mended = vec![MendedLog { path, broke: "1234567".into(), whole: "7654321".into() }];
        let logs = LogChange { mended, ..LogChange::default() };
        insta::assert_snapshot!(told_by(&logs), @"
        a/quality/run_state.jsonl: info[runlog-history]: 1234567 edited committed lines of this run log, and 7654321 has it whole again
            help: nothing must be done: git show 7654321:a/quality/run_state.jsonl
        ");
    }

    #[test]
    fn a_log_out_of_sight_names_the_key_that_hides_it() {
        let old = RepoPath::from_git("a b/quality/run_state.jsonl");
        let moved = RepoPath::from_git("old/quality/run_state.jsonl");
        insta::assert_snapshot!(told(LogFate::Gone, Some((old, "yatsu.runlogs"))), @"
        a b/quality/run_state.jsonl: error[runlog-history]: this run log is out of sight: yatsu.runlogs hides it
            help: keep its entry in yatsu.runlogs, or move the log to a place that is judged; once its run has ended, a log may be hidden or deleted
        ");
        insta::assert_snapshot!(told(LogFate::Gone, Some((moved, "yatsu.exclude"))), @"
        a b/quality/run_state.jsonl: error[runlog-history]: this run log lies in old/quality/run_state.jsonl, and yatsu.exclude hides it there
            help: take it out of yatsu.exclude, or move the log to a place that is judged; once its run has ended, a log may be hidden or deleted
        ");
    }
}
