//! `runlog-history`: a run log only grows.

use super::wording::{file, gone_with, place};
use super::{Between, Change, LogBreak, LogChange, LostLog, RefUpdates};
use crate::engine::history::BrokenAt;
use crate::engine::runlog::moves::LogFate;
use crate::finding::{Finding, Level, RuleId};
use crate::model::source::Position;
use crate::text::escape::echo;
use crate::text::shell;

const RULE: RuleId = RuleId::RunlogHistory;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    lost_logs(&change.logs, found);
}

pub(super) fn lost_logs(logs: &LogChange, found: &mut Vec<Finding>) {
    found.extend(logs.lost.iter().filter_map(lost));
}

pub(super) fn between(between: &Between, found: &mut Vec<Finding>) {
    found.extend(between.logs.iter().filter_map(broke));
    found.extend(between.logs_back.iter().filter_map(came_back));
}

pub(super) fn refs(refs: &RefUpdates, found: &mut Vec<Finding>) {
    found.extend(refs.deleted_logs.iter().map(|branch| gone_with(branch, RULE, "open run log", "its run logs")));
}

fn lost(lost: &LostLog) -> Option<Finding> {
    let push = if lost.rewritten { " (this push rewrites the branch)" } else { "" };
    let mut finding = of_fate(lost, &lost.fate, push)?;
    finding.help = if lost.merged {
        format!(
            "a run log has one writer: git merge --abort, git mv one of the two logs to another name on its branch and commit, \
             git merge -X find-renames=100%, then git add {} as it is here, and commit",
            shell::place(&lost.path)
        )
    } else {
        format!(
            "put it back as it was, new lines behind it: git show {}   (a log whose run ended may be deleted, or give way to a later run)",
            shell::word(&format!("{}:{}", lost.from, lost.at))
        )
    };
    finding.at_most = lost.rewritten.then_some(Level::Warning);
    Some(finding)
}

/// What became of a log, as a sentence with its place; `None` where it was kept.
fn of_fate(lost: &LostLog, fate: &LogFate, more: &str) -> Option<Finding> {
    let message = match fate {
        LogFate::Kept => return None,
        LogFate::Gone => format!("this run log is gone{more}, and no other one begins with what it was"),
        LogFate::Broken(BrokenAt { line, was, cut: true }) => {
            format!("line {line} of this run log was taken off{more}: {}", echo(&String::from_utf8_lossy(was)))
        }
        LogFate::Broken(BrokenAt { was, .. }) => {
            format!(
                "a committed line of this run log was edited, or one put before it{more}: {}",
                echo(&String::from_utf8_lossy(was))
            )
        }
    };
    let mut finding = Finding::new(RULE, message);
    finding.location = match fate {
        LogFate::Broken(at) => place(&lost.path, Position { line: at.line, column: 1 }),
        LogFate::Gone | LogFate::Kept => file(&lost.path),
    };
    let line = if let LogFate::Broken(at) = fate { at.line } else { 0 };
    finding.key = format!("{}|{line}", lost.path);
    Some(finding)
}

/// What one of many commits did to a log.
fn broke(broke: &LogBreak) -> Option<Finding> {
    let mut finding = of_fate(&broke.lost, &broke.lost.fate, "")?;
    let after = if broke.healed { "; it is whole again at the end" } else { "" };
    finding.message = format!("commit {}: {}{after}", broke.commit, finding.message);
    finding.key = format!("{}|{}", broke.commit, finding.key);
    if broke.healed {
        finding.at_most = Some(Level::Info);
        finding.help = "nothing has to be done".into();
    } else if let Some(hidden) = &broke.hidden {
        finding.message = format!(
            "commit {}: this run log lies in {hidden}, where spexcode.json lets no run log be looked for",
            broke.commit
        );
        finding.help = format!(
            "move it to where it is seen: git mv {} {}, and commit; or take the directory out of yatsu.exclude, with a reason",
            shell::place(hidden),
            shell::place(&broke.lost.path)
        );
    } else {
        finding.help = format!(
            "before anybody has it: git rebase -i {}^ and leave the log as it was, or bring it back in a new commit: git show {}",
            broke.id,
            shell::word(&format!("{}:{}", broke.lost.from, broke.lost.at))
        );
    }
    Some(finding)
}

/// A log that was there before, or the want of one.
fn came_back(lost: &LostLog) -> Option<Finding> {
    let mut finding = of_fate(lost, &lost.fate, "")?;
    finding.message = match &lost.fate {
        LogFate::Broken(at) => format!(
            "this run log comes back, and as another one: line {} was {}",
            at.line,
            echo(&String::from_utf8_lossy(&at.was))
        ),
        _ => "this run log is gone: it was taken away while the configuration hid it".to_owned(),
    };
    finding.help = format!(
        "bring it back as it was, new lines behind it: git show {}",
        shell::word(&format!("{}:{}", lost.from, lost.at))
    );
    finding.key = format!("back|{}", finding.key);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::of_between;
    use crate::rules::tests::case::told_of;
    use crate::tree::path::RepoPath;

    fn lost(fate: LogFate) -> LostLog {
        let path = RepoPath::from_git("a b/quality/run_state.jsonl");
        LostLog { at: path.clone(), path, fate, from: "1234567".into(), rewritten: false, merged: false }
    }

    #[test]
    fn a_log_that_comes_back_as_another_one_names_where_it_was() {
        let at = BrokenAt { line: 3, was: b"{\"n\":3}".to_vec(), cut: false };
        let back = LostLog { at: RepoPath::from_git("quality/old.jsonl"), ..lost(LogFate::Broken(at)) };
        let between = Between { logs_back: vec![back, lost(LogFate::Gone)], ..Between::default() };
        insta::assert_snapshot!(told_of(RULE, of_between(&between)), @r#"
        a b/quality/run_state.jsonl:3:1: error[runlog-history]: this run log comes back, and as another one: line 3 was {"n":3}
            help: bring it back as it was, new lines behind it: git show 1234567:quality/old.jsonl
        a b/quality/run_state.jsonl: error[runlog-history]: this run log is gone: it was taken away while the configuration hid it
            help: bring it back as it was, new lines behind it: git show '1234567:a b/quality/run_state.jsonl'
        "#);
    }

    #[test]
    fn a_commit_in_between_is_named_and_what_is_whole_again_does_not_block() {
        let at = BrokenAt { line: 3, was: b"{\"n\":3}".to_vec(), cut: false };
        let broke = |healed| LogBreak {
            lost: lost(LogFate::Broken(at.clone())),
            commit: "89abcde \"tidy up\"".into(),
            id: "89abcde".into(),
            healed,
            hidden: None,
        };
        let between = Between { logs: vec![broke(false), broke(true)], ..Between::default() };
        insta::assert_snapshot!(told_of(RULE, of_between(&between)), @r#"
        a b/quality/run_state.jsonl:3:1: error[runlog-history]: commit 89abcde "tidy up": a committed line of this run log was edited, or one put before it: {"n":3}
            help: before anybody has it: git rebase -i 89abcde^ and leave the log as it was, or bring it back in a new commit: git show '1234567:a b/quality/run_state.jsonl'
        a b/quality/run_state.jsonl:3:1: info[runlog-history]: commit 89abcde "tidy up": a committed line of this run log was edited, or one put before it: {"n":3}; it is whole again at the end
            help: nothing has to be done
        "#);
    }

    #[test]
    fn a_log_that_moved_out_of_sight_is_said_to_lie_there() {
        let broke = LogBreak {
            lost: lost(LogFate::Gone),
            commit: "89abcde \"tidy up\"".into(),
            id: "89abcde".into(),
            healed: false,
            hidden: Some(RepoPath::from_git("old/quality/run_state.jsonl")),
        };
        let between = Between { logs: vec![broke], ..Between::default() };
        insta::assert_snapshot!(told_of(RULE, of_between(&between)), @r#"
        a b/quality/run_state.jsonl: error[runlog-history]: commit 89abcde "tidy up": this run log lies in old/quality/run_state.jsonl, where spexcode.json lets no run log be looked for
            help: move it to where it is seen: git mv old/quality/run_state.jsonl 'a b/quality/run_state.jsonl', and commit; or take the directory out of yatsu.exclude, with a reason
        "#);
    }
}
