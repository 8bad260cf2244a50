//! Tests each rule of resuming on the smallest log that needs it, and that an applied plan leaves nothing to append.

use super::*;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::engine::{self, Watch};
use crate::features::runlogs::model::builtin::{self, QUALITY_PLAYBOOK};
use crate::features::runlogs::model::code::Violation;
use crate::features::runlogs::model::line::LogLine;
use proptest::prelude::*;

/// A directory that lacks artifacts of the phases with these numbers.
#[derive(Clone, Debug, Default)]
struct FakeTarget {
    lacks: Vec<u32>,
    bugs: u64,
    refused: Option<&'static str>,
}

impl PlanTarget for FakeTarget {
    fn lacking(&self, rules: &[ArtifactRule]) -> Result<Vec<String>> {
        let asked = playbook().phases.iter().find(|phase| std::ptr::eq(phase.requires.as_slice(), rules));
        let lacks = asked.filter(|phase| self.lacks.contains(&phase.n));
        Ok(lacks.map(|phase| format!("the file of {} is not there", phase.n)).into_iter().collect())
    }

    fn headings(&self, _headings: &Headings) -> Result<u64> {
        Ok(self.bugs)
    }

    fn refusals(&self) -> Result<Vec<String>> {
        Ok(self.refused.map(str::to_owned).into_iter().collect())
    }
}

fn playbook() -> &'static Profile {
    builtin::find(QUALITY_PLAYBOOK).unwrap()
}

fn index(types: &str) -> String {
    let ts = "2026-05-15T14:00:00Z";
    format!(
        "{{\"event\":\"_index\",\"ts\":\"{ts}\",\"schema_version\":\"1.5.6\",\"event_types\":[{types}],\"benchmark\":\"b\",\"lever_state\":\"l\",\"started_at\":\"{ts}\"}}\n\
         {{\"event\":\"run_start\",\"ts\":\"{ts}\",\"runner\":\"claude\",\"playbook_version\":\"1\",\"target_path\":\".\"}}\n"
    )
}

const TYPES: &str = r#""run_start","phase_start","phase_end","error","run_end","phase_reopened","gate_check""#;

fn line(name: &str, rest: &str) -> String {
    format!("{{\"event\":\"{name}\",\"ts\":\"2026-05-15T14:00:00Z\",{rest}}}\n")
}

fn start(n: u32) -> String {
    line("phase_start", &format!("\"phase\":{n}"))
}

fn end(n: u32) -> String {
    let counts = if n == 6 { "\"bugs_md_count\":0" } else { "" };
    line("phase_end", &format!("\"phase\":{n},\"key_counts\":{{{counts}}},\"artifacts_produced\":[]"))
}

fn error(n: u32) -> String {
    line("error", &format!("\"phase\":{n},\"message\":\"m\",\"recoverable\":true"))
}

fn reopened(n: u32) -> String {
    line("phase_reopened", &format!("\"phase\":{n},\"reason\":\"r\""))
}

fn both(from: u32, to: u32) -> String {
    (from..=to).map(|n| start(n) + &end(n)).collect()
}

fn story_of(log: &str) -> Story {
    Story::read(log.as_bytes(), playbook()).unwrap()
}

fn steps(log: &str, target: &FakeTarget) -> Vec<PlanStep> {
    plan(&story_of(log), playbook(), target).unwrap()
}

/// A plan as words: `action phase`, and `+` for a step that appends.
fn planned(body: &str, target: &FakeTarget) -> Vec<String> {
    let word = |step: PlanStep| {
        let phase = step.phase.map(|n| format!(" {n}")).unwrap_or_default();
        format!("{}{phase}{}", step.action.as_str(), if step.append.is_some() { " +" } else { "" })
    };
    steps(&(index(TYPES) + body), target).into_iter().map(word).collect()
}

fn lacking(phases: &[u32]) -> FakeTarget {
    FakeTarget { lacks: phases.to_vec(), ..FakeTarget::default() }
}

/// The log with the events that a plan appends.
fn applied(log: &str, steps: &[PlanStep]) -> String {
    let text = |step: &PlanStep| {
        let n = step.phase.unwrap_or_default();
        step.append.as_ref().map(|append| match append {
            PlanAppend::PhaseEnd { counts } => {
                let counts: Vec<String> = counts.iter().map(|(name, count)| format!("\"{name}\":{count}")).collect();
                let counts = counts.join(",");
                line("phase_end", &format!("\"phase\":{n},\"key_counts\":{{{counts}}},\"artifacts_produced\":[]"))
            }
            PlanAppend::RunStart => line("run_start", ""),
            PlanAppend::Reopened => reopened(n),
            PlanAppend::Error => error(n),
            PlanAppend::RunEnd => line("run_end", "\"status\":\"success\""),
        })
    };
    log.to_owned() + &steps.iter().filter_map(text).collect::<String>()
}

#[test]
fn an_open_phase_that_is_complete_is_caught_up() {
    assert_eq!(planned(&(both(1, 2) + &start(3)), &lacking(&[4])), ["catch-up 3 +", "next 4"]);
}

#[test]
fn what_a_phase_counts_on_disk_is_filled_in() {
    let target = FakeTarget { bugs: 7, ..FakeTarget::default() };
    let steps = steps(&(index(TYPES) + &both(1, 5) + &start(6)), &target);
    assert_eq!(steps[0].append, Some(PlanAppend::PhaseEnd { counts: vec![("bugs_md_count".into(), 7)] }));
    assert_eq!((steps[1].action, steps[1].append.clone()), (PlanAction::Finish, Some(PlanAppend::RunEnd)));
}

#[test]
fn an_open_phase_that_lacks_something_is_run_again_and_its_start_stays() {
    let body = both(1, 2) + &start(3);
    assert_eq!(planned(&body, &lacking(&[3])), ["re-run 3 +"]);
    assert_eq!(steps(&(index(TYPES) + &body), &lacking(&[3]))[0].missing, ["the file of 3 is not there"]);
    assert_eq!(planned(&(body.clone() + &error(3)), &lacking(&[3])), ["re-run 3"], "that was said last");
    let more = body + &error(3) + &line("gate_check", "\"gate_name\":\"g\",\"verdict\":\"pass\"");
    assert_eq!(planned(&more, &lacking(&[3])), ["re-run 3 +"], "and went on since");
}

#[test]
fn an_error_that_was_said_last_is_said_again_behind_what_the_plan_appends() {
    let reopens = both(1, 2) + &start(3) + &error(3);
    assert_eq!(planned(&reopens, &lacking(&[2, 3])), ["reopen 2 +", "next 2", "re-run 3 +"]);
    let ends = start(1) + &both(2, 2) + &start(3) + &error(3);
    assert_eq!(planned(&ends, &lacking(&[3])), ["catch-up 1 +", "re-run 3 +"]);
    for (body, lacks) in [(reopens, &[2, 3][..]), (ends, &[3])] {
        let log = index(TYPES) + &body;
        let log = applied(&log, &steps(&log, &lacking(lacks)));
        assert!(steps(&log, &lacking(lacks)).iter().all(|step| step.append.is_none()));
    }
}

#[test]
fn a_closed_phase_whose_artifacts_are_gone_is_reopened() {
    assert_eq!(planned(&(both(1, 3) + &start(4)), &lacking(&[2, 4])), ["reopen 2 +", "next 2", "re-run 4 +"]);
    assert_eq!(planned(&(both(1, 3) + &reopened(2)), &lacking(&[2])), ["next 2"]);
    assert_eq!(planned(&(both(1, 3) + &reopened(2) + &start(2)), &lacking(&[])), ["catch-up 2 +", "next 4"]);
}

#[test]
fn where_reopening_is_not_declared_an_error_says_it() {
    let types = TYPES.replace(",\"phase_reopened\"", "");
    let log = index(&types) + &both(1, 3);
    let first = steps(&log, &lacking(&[1, 2]));
    assert!(first.iter().all(|step| step.append == Some(PlanAppend::Error)), "{first:?}");
    let log = applied(&log, &first);
    assert!(steps(&log, &lacking(&[1, 2])).iter().all(|step| step.append.is_none()));
    let none = steps(&(index(&types.replace(",\"error\"", "")) + &both(1, 3)), &lacking(&[2]));
    assert_eq!((none.len(), none[0].action, none[0].append.clone()), (1, PlanAction::Reopen, None));
}

#[test]
fn six_ended_phases_end_the_run() {
    assert_eq!(planned(&both(1, 6), &lacking(&[])), ["finish +"]);
    assert_eq!(planned(&(both(1, 6) + &line("run_end", "\"status\":\"failed\"")), &lacking(&[2])), ["ended"]);
    let refused = FakeTarget { refused: Some("over its budget"), ..FakeTarget::default() };
    assert_eq!(planned(&both(1, 6), &refused), ["finish"]);
    assert_eq!(steps(&(index(TYPES) + &both(1, 6)), &refused)[0].missing, ["over its budget"]);
}

#[test]
fn another_count_on_disk_reopens_the_phase_that_named_it() {
    let target = FakeTarget { bugs: 2, ..FakeTarget::default() };
    assert_eq!(planned(&both(1, 6), &target), ["reopen 6 +", "next 6"]);
    let missing = &steps(&(index(TYPES) + &both(1, 6)), &target)[0].missing;
    assert_eq!(missing[0], "bugs_md_count is 0 in the log, and quality/BUGS.md has 2");
}

#[test]
fn where_nothing_is_open_the_next_phase_is_named_and_nothing_appended() {
    assert_eq!(planned("", &lacking(&[1])), ["next 1"]);
    assert_eq!(planned(&both(1, 2), &lacking(&[3])), ["next 3"]);
    assert_eq!(planned(&(both(1, 1) + &both(3, 6)), &lacking(&[])), ["finish"], "a phase that was passed over");
}

/// Panics at any error in a log.
struct NoErrors;

impl Watch for NoErrors {
    fn violation(&mut self, violation: Violation, _line: Option<&LogLine<'_>>) {
        panic!("{violation:?}");
    }
}

/// A log written with the verbs of yatsu-hook in any order, without lines that the judge would refuse.
fn any_body() -> impl Strategy<Value = String> {
    prop::collection::vec((0..4_u8, 1..=6_u32), 0..30).prop_map(|choices| {
        let mut log = index(TYPES);
        for (kind, n) in choices {
            let line = match kind {
                0 => start(n),
                1 => end(n),
                2 => reopened(n),
                _ => error(n),
            };
            let longer = log.clone() + &line;
            if story_of(&longer).run.errors == 0 {
                log = longer;
            }
        }
        log
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn applied_once_nothing_is_left_to_append(log in any_body(), lacks in prop::collection::vec(1..=6_u32, 0..3)) {
        let target = lacking(&lacks);
        let once = applied(&log, &steps(&log, &target));
        engine::judge(once.as_bytes(), playbook(), &mut NoErrors).unwrap();
        let again = steps(&once, &target);
        prop_assert!(again.iter().all(|step| step.append.is_none()), "{}\n{:?}", once, again);
    }

    #[test]
    fn every_prefix_of_a_valid_log_goes_on_to_a_valid_end(log in any_body(), cut in 2..40_usize) {
        let mut log: String = log.split_inclusive('\n').take(cut).collect();
        let target = lacking(&[]);
        for _ in 0..20 {
            let steps = steps(&log, &target);
            log = applied(&log, &steps);
            let last = steps.last().unwrap();
            match (last.action, last.phase) {
                (PlanAction::Next, Some(n)) => log += &start(n),
                (PlanAction::Finish, None) if last.append.is_none() => log += &line("run_end", "\"status\":\"failed\""),
                _ => break,
            }
        }
        let run = engine::judge(log.as_bytes(), playbook(), &mut NoErrors).unwrap();
        prop_assert!(run.ended.is_some(), "{}", log);
    }
}
