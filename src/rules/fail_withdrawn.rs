//! `fail-withdrawn`: a change withdraws a fail that counted, and the same content was not measured again.

use super::Change;
use super::wording::{eval_command, in_environment, of_scenario};
use crate::engine::budget::FiledAt;
use crate::engine::effective::Effective;
use crate::engine::facts::{Score, Standing};
use crate::engine::runs::Tally;
use crate::engine::score::{EnvironmentScore, reading_at};
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{Event, LineHash, Reading, ReadingVerdict, Status};
use crate::model::node::{Declared, Node};

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // the first base of a merge is the branch that takes the merge in: for that branch the other side's withdrawals are new
    let Some(base) = change.bases.first() else { return };
    for (node, scenario, score) in base.scenarios() {
        for (of, part) in score.parts() {
            match of.filter(|of| of.tally.is_some()) {
                None => {
                    let (Some(fail), Some(at)) = (fresh_fail(part), &part.at) else { continue };
                    found.extend(withdrawn(change, Declared { node, scenario }, of, fail, at));
                }
                Some(of) if part.is_fresh() && part.verdict() == Some(FAIL) => {
                    for at in &of.counted {
                        let failed = reading_at(node, at).filter(|reading| has_failed_run(reading));
                        let fail =
                            failed.map(|fail| withdrawn(change, Declared { node, scenario }, Some(of), fail, at));
                        found.extend(fail.flatten());
                    }
                }
                Some(_) => {}
            }
        }
    }
}

const FAIL: ReadingVerdict = ReadingVerdict::Measured(Status::Fail);

fn has_failed_run(reading: &Reading) -> bool {
    reading.terms.runs.map_or(reading.verdict == FAIL, |runs| runs.pass < runs.of)
}

/// The finding about a fail that counted in the first base, if the change withdraws it.
fn withdrawn<'a>(
    change: &Change<'a>,
    was: Declared<'a>,
    of: Option<&EnvironmentScore>,
    fail: &Reading,
    at: &FiledAt,
) -> Option<Finding> {
    // `scenario-dropped` reports a scenario that is gone
    let now = change.successor(0, was)?;
    let how = withdrawal(now.node, was.node, at)?;
    let (.., score) = change.view.scenarios().find(|(_, scenario, _)| std::ptr::eq(*scenario, now.scenario))?;
    let (after, score) = score.in_env(of.and_then(|of| of.name.as_ref()).map(|name| name.as_str()));
    // a run more takes no run back
    let is_of_runs = of.is_some_and(|of| of.tally.is_some());
    if !is_of_runs && is_measured_again(now, score, fail) {
        return None;
    }
    let message = match is_of_runs {
        false => format!(
            "this change {how} the fail of {}, which counted, and its content was not measured again; {}",
            fail.ts,
            counts_now(score)
        ),
        true => format!(
            "this change {how} the failed runs of {}, which counted; {}",
            fail.ts,
            runs_now(after.and_then(|after| after.tally))
        ),
    };
    let mut finding = of_scenario(RuleId::FailWithdrawn, now.node, now.scenario, message);
    finding.help = format!("measure it again, then: {}", eval_command(now.node, now.scenario));
    finding.key = fail.ts.to_string();
    Some(in_environment(finding, of))
}

/// What the window holds without them.
fn runs_now(tally: Option<Tally>) -> String {
    tally.map_or_else(
        || "no runs count now".to_owned(),
        |tally| format!("{} of {} runs that count now passed", tally.pass, tally.counted),
    )
}

/// The reading that counts, if it is a fresh fail.
fn fresh_fail(score: &Score) -> Option<&Reading> {
    let failed = |reading: &&Reading| score.is_fresh() && reading.verdict == ReadingVerdict::Measured(Status::Fail);
    score.reading.as_ref().filter(failed)
}

/// The verb for the way in which the reading at `at` in `was` was withdrawn `now`; `None` if it still counts.
pub(super) fn withdrawal(now: &Node, was: &Node, at: &FiledAt) -> Option<&'static str> {
    let old = at.line_of(&was.ledgers)?;
    let mut lines = now.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let hash = LineHash::of(&old.bytes);
    // a redaction withdraws nothing while the line that it names still stands, for example after a merge of both sides
    let still_stands = lines.clone().any(|line| line.bytes == old.bytes);
    if !still_stands && lines.any(|line| matches!(&line.event, Event::Redaction(of) if of.redacted.line == hash)) {
        return Some("redacts");
    }
    let Event::Reading(reading) = &old.event else { return None };
    let effective = Effective::of(now);
    effective.withdrawn.iter().any(|(filed, _)| filed.event == &**reading).then_some("retracts")
}

/// Whether a later reading measured the same content. Compares the stamps, or the commits if a stamp is missing. Without
/// stamps a fresh reading of the view also counts as the same content.
fn is_measured_again(now: Declared<'_>, score: &Score, fail: &Reading) -> bool {
    let is_same = |new: &Reading| match (&new.governed, &fail.governed) {
        (Some(one), Some(other)) => one == other && new.scenario_hash == fail.scenario_hash,
        _ => new.code_sha == fail.code_sha || score.is_fresh() && score.reading.as_ref() == Some(new),
    };
    let effective = Effective::of(now.node);
    effective.newest_first(&now.scenario.name).any(|filed| filed.event.ts > fail.ts && is_same(filed.event))
}

/// The reading that counts instead, as a sentence.
fn counts_now(score: &Score) -> String {
    let Some(reading) = &score.reading else { return "no reading counts now".to_owned() };
    let verdict = match reading.verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy => "reading without a verdict",
    };
    let state = match &score.standing {
        Standing::Judged(freshness) if freshness.is_fresh() => "fresh",
        Standing::Judged(_) => "stale",
        Standing::NotJudged(_) | Standing::Unmeasured => "not judged",
    };
    format!("the reading that counts now is the {verdict} of {}, {state}", reading.ts)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::model::ledger::LineHash;
    use crate::rules::tests::case::{Case, LEDGER, SOURCE, reading};

    const RETRACTION: &str =
        "{\"retracts\":\"2026-01-01T00:02:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:09:00.000Z\"}\n";

    fn failed() -> (Case, String) {
        let ledger = reading("pass", 1) + &reading("fail", 2);
        (Case::new().with(LEDGER, &ledger).committed(), ledger)
    }

    #[test]
    fn a_fail_that_is_taken_back_is_named_with_what_counts_now() {
        let (case, ledger) = failed();
        insta::assert_snapshot!(case.with(LEDGER, ledger + RETRACTION).told(RuleId::FailWithdrawn), @"
        .spec/n/yatsu.md:3:5: warning[fail-withdrawn] n/works: this change retracts the fail of 2026-01-01T00:02:00.000Z, which counted, and its content was not measured again; the reading that counts now is the pass of 2026-01-01T00:01:00.000Z, fresh
            tags: cli
            help: measure it again, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn a_redaction_beside_the_line_that_it_names_withdraws_nothing() {
        let (case, ledger) = failed();
        let line = ledger.lines().last().expect("the fail");
        let redaction = format!(
            "{{\"redacts\":\"{}\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:03:00.000Z\",\"reason\":\"r\",\"by\":\"me\"}}\n",
            LineHash::of(line.as_bytes())
        );
        assert_eq!(case.with(LEDGER, ledger + &redaction).told(RuleId::FailWithdrawn), "");
    }

    #[test]
    fn what_was_measured_again_or_is_stale_may_be_taken_back() {
        let (case, ledger) = failed();
        let again = case.clone().with(LEDGER, format!("{ledger}{RETRACTION}{}", reading("pass", 10)));
        assert_eq!(again.told(RuleId::FailWithdrawn), "");
        let stale = Case::new().with(LEDGER, &ledger).with(SOURCE, "fn b() {}\n").committed();
        assert_eq!(stale.with(LEDGER, ledger + RETRACTION).told(RuleId::FailWithdrawn), "");
    }
}
