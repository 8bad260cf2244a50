//! `runlog-schema`: a run log follows its profile, line by line and as a whole.

use super::wording::{file, place};
use crate::engine::facts::Facts;
use crate::engine::runlog::facts::{FoundViolation, LogFacts};
use crate::finding::{Finding, RuleId};
use crate::model::runlog::code::LogCode;
use crate::model::source::Position;
use crate::text::shell;

const RULE: RuleId = RuleId::RunlogSchema;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for log in &facts.runlogs {
        found.extend(log.refused.as_ref().map(|message| refused(log, message)));
        found.extend(log.violations.iter().map(|violation| of_violation(log, violation)));
        if log.unlisted > 0 {
            let mut finding = Finding::new(RULE, format!("and {} more violations", log.unlisted));
            finding.location = file(&log.path);
            finding.code = Some("unlisted");
            finding.help = "correct the listed violations, and check again".into();
            finding.key = format!("unlisted|{}", log.id);
            found.push(finding);
        }
    }
}

fn refused(log: &LogFacts, message: &str) -> Finding {
    let mut finding = Finding::new(RULE, message);
    finding.location = file(&log.path);
    finding.code = Some("not-a-file");
    finding.help = "replace it by a regular file, or rename it".into();
    finding.key = format!("not-a-file|{}", log.path);
    finding
}

fn of_violation(log: &LogFacts, found: &FoundViolation) -> Finding {
    let violation = &found.violation;
    let mut finding = Finding::new(RULE, violation.message.clone());
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
    // a log only grows, so a line keeps its number; the number separates two lines with the same bytes, and a moved log
    // brings no new finding
    finding.key =
        format!("{}|{}|{}|{}|{}", violation.code.as_str(), log.id, violation.line, found.line, violation.detail);
    finding
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LOG, log_begins};

    #[test]
    fn each_violation_is_named_with_its_line_and_its_code() {
        let log = log_begins() + "{\"event\":\"phase_start\",\"ts\":\"2026-05-15T14:00:00Z\",\"phase\":9}\n{\"event\":";
        insta::assert_snapshot!(Case::new().committed().with(LOG, log).told(RuleId::RunlogSchema), @"
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
        let told = Case::new().with(LOG, &log).committed().without(LOG).with(moved, log).told(RuleId::RunlogSchema);
        assert!(told.contains("b/quality/run_state.jsonl:3:1") && told.starts_with("older findings"), "{told}");
    }

    #[test]
    fn a_whole_log_is_fine() {
        assert_eq!(Case::new().committed().with(LOG, log_begins()).told(RuleId::RunlogSchema), "");
    }
}
