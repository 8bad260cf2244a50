//! `runlog-schema`: a run log follows its profile, line by line and as a whole.

use crate::engine::facts::Facts;
use crate::features::runlogs::judge::engine::facts::{FoundViolation, LogFacts, logs_of};
use crate::features::runlogs::model::code::LogCode;
use crate::finding::{Finding, Grounds, RuleId};
use crate::model::source::Position;
use crate::rules::wording::{file, place};
use crate::rules::{Check, Door, Explanation, Rule, plain_rule};
use crate::text::shell;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::RunlogSchema,
    &Explanation::of(
        "A run log does not fit its profile: for example a line is no event, an event is out of its place, or a phase starts twice.",
        "People and programs that watch a run, or resume it after a crash, rely on its log. Every violation has a code, and a name in the machine \
         formats, for example torn-line, phase-overlap or run-end-incomplete.",
        "The line and its code say what is wrong; a line that is not committed yet can be corrected. The verb `runlog` writes only valid lines. \
         A torn or glued line: `yatsu-hook repair --dry-run` shows the repair. Advice (bad-field, ts-regression, crlf, blank-line, \
         no-final-newline) never blocks; schema-newer is for a newer version to judge; index-missing is a file with events and without an \
         _index line, and needs no action.",
    ),
    &[Door::Files, Door::State, Door::Commit, Door::Commits],
    &[Check::Lines(check)],
);

pub(crate) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for log in logs_of(facts) {
        found.extend(log.refused.as_ref().map(|message| refused(log, message)));
        found.extend(log.violations.iter().map(|violation| of_violation(log, violation)));
        if log.unlisted > 0 {
            let mut finding = Finding::new(RuleId::RunlogSchema, format!("and {} more violations", log.unlisted));
            finding.location = file(&log.path);
            finding.code = Some("unlisted");
            finding.help = "correct the listed violations, and check again".into();
            finding.key = format!("unlisted|{}", log.id);
            found.push(finding);
        }
    }
}

fn refused(log: &LogFacts, message: &str) -> Finding {
    let mut finding = Finding::new(RuleId::RunlogSchema, message);
    finding.location = file(&log.path);
    finding.code = Some("not-a-file");
    finding.help = "replace it by a regular file, or rename it".into();
    finding.key = format!("not-a-file|{}", log.path);
    finding
}

fn of_violation(log: &LogFacts, found: &FoundViolation) -> Finding {
    let violation = &found.violation;
    let mut finding = Finding::new(RuleId::RunlogSchema, violation.message.clone());
    finding.location = place(&log.path, Position { line: violation.line, column: violation.column });
    finding.code = Some(violation.code.as_str());
    finding.help = match violation.code {
        // a crash after the first line: the log goes on
        LogCode::RunStartMissing if log.run.lines == 1 => {
            format!("the line that is missing: yatsu-hook runlog resume {}", shell::place(&log.path))
        }
        _ => violation.help.clone(),
    };
    finding.at_most = violation.code.at_most();
    if violation.code == LogCode::RunEndIncomplete {
        finding.grounds = Grounds::Entry;
    }
    // a log only grows, so a line keeps its number; the number separates two lines with the same bytes, and a moved log
    // brings no new finding
    finding.key =
        format!("{}|{}|{}|{}|{}", violation.code.as_str(), log.id, violation.line, found.line, violation.detail);
    finding
}

#[cfg(test)]
mod tests {
    use crate::engine::facts::Facts;
    use crate::features::runlogs::judge::engine::facts::{add_logs, collect};
    use crate::features::runlogs::model::builtin::{QUALITY_PLAYBOOK, find};
    use crate::finding::RuleId;
    use crate::rules::tests::case::Case;
    use crate::tree::Tree;
    use crate::tree::memory::MemoryTree;
    use crate::tree::path::RepoPath;

    /// A run log of the quality playbook.
    const LOG: &str = "a/quality/run_state.jsonl";

    /// Its first two lines.
    fn log_begins() -> String {
        let line =
            |event: &str, rest: &str| format!("{{\"event\":\"{event}\",\"ts\":\"2026-05-15T14:00:00Z\",{rest}}}\n");
        let types =
            "\"schema_version\":\"1.5.6\",\"event_types\":[\"run_start\",\"phase_start\",\"phase_end\",\"run_end\"]";
        let names = "\"benchmark\":\"chi\",\"lever_state\":\"baseline\",\"started_at\":\"2026-05-15T14:00:00Z\"";
        line("_index", &format!("{types},{names}"))
            + &line("run_start", "\"runner\":\"claude\",\"playbook_version\":\"1.5.6\",\"target_path\":\".\"")
    }

    /// Adds the run logs of a state to its facts.
    fn add(tree: &MemoryTree, facts: &mut Facts) {
        for (path, _) in tree.files(&RepoPath::root(), &|path| path.name().ends_with(b".jsonl")).expect("memory") {
            let (bytes, profile) = (tree.read(&path).expect("memory"), find(QUALITY_PLAYBOOK).expect("a profile"));
            add_logs(facts, vec![collect(&path, &*bytes.unwrap_or_default(), profile).expect("memory")]);
        }
    }

    #[test]
    fn each_violation_is_named_with_its_line_and_its_code() {
        let log = log_begins() + "{\"event\":\"phase_start\",\"ts\":\"2026-05-15T14:00:00Z\",\"phase\":9}\n{\"event\":";
        insta::assert_snapshot!(Case::new().committed().with(LOG, log).told_of(RuleId::RunlogSchema, add, |_| {}), @"
        a/quality/run_state.jsonl:3:60: error[runlog-schema] bad-phase: `phase` must be one of 1, 2, 3, 4, 5, 6
            help: if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log
        a/quality/run_state.jsonl:4:1: error[runlog-schema] torn-line: the last line was cut short: it has no end and is no JSON
            help: `yatsu-hook repair --dry-run` shows how it can be mended
        ");
    }

    #[test]
    fn what_was_there_before_is_no_changes_doing_wherever_the_log_moves() {
        let log = log_begins() + "garbage\n";
        let moved = "b/quality/run_state.jsonl";
        let told = Case::new().with(LOG, &log).committed().without(LOG).with(moved, log).told_of(
            RuleId::RunlogSchema,
            add,
            |_| {},
        );
        assert!(told.contains("b/quality/run_state.jsonl:3:1") && told.starts_with("older findings"), "{told}");
    }

    #[test]
    fn a_whole_log_is_fine() {
        assert_eq!(Case::new().committed().with(LOG, log_begins()).told_of(RuleId::RunlogSchema, add, |_| {}), "");
    }
}
