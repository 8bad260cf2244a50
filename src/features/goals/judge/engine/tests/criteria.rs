//! The criteria one by one, and every cell of operator and value.

use super::*;
use crate::features::goals::judge::engine::criteria::{CriterionResult, CriterionStatus};

/// `STATUS reason` of the only criterion.
fn told(criterion: &str, facts: &GoalFacts) -> String {
    let result = result(criterion, facts);
    format!("{} {}", result.status.as_str(), result.reason()).trim_end().to_owned()
}

fn result(criterion: &str, facts: &GoalFacts) -> CriterionResult {
    gates(&goal(&[criterion], ""), facts).results.remove(0)
}

fn accuracy(value: f64) -> GoalFacts {
    one(reading(1).metric("accuracy", value))
}

fn threshold(op: &str, target: &str) -> String {
    format!("id: AC1, kind: metric_threshold, metric: accuracy, op: '{op}', target: {target}")
}

#[test]
fn a_metric_above_its_target_is_met() {
    assert_eq!(told(ACCURACY, &accuracy(0.92)), "MET");
}

#[test]
fn a_metric_below_its_target_is_not_and_the_gap_is_said_in_absolute_terms() {
    assert_eq!(told(ACCURACY, &accuracy(0.85)), "NOT_MET below target by 0.05");
    assert_eq!(result(ACCURACY, &accuracy(0.85)).gap, Finite::new(0.05));
}

#[test]
fn a_metric_that_nobody_recorded_is_not_found() {
    assert_eq!(told(ACCURACY, &one(reading(1))), "NOT_MET not found");
    assert_eq!(told(ACCURACY, &node(vec![None])), "NOT_MET not found");
}

/// Every cell of operator and value: below, equal to and above the target.
#[test]
fn every_operator_below_equal_and_above() {
    for (op, below, equal, above) in [
        (">=", "NOT_MET below target by 0.25", "MET", "MET"),
        (">", "NOT_MET not above target by 0.25", "NOT_MET not above target", "MET"),
        ("<=", "MET", "MET", "NOT_MET above target by 0.25"),
        ("<", "MET", "NOT_MET not below target", "NOT_MET not below target by 0.25"),
        ("==", "NOT_MET not the target by 0.25", "MET", "NOT_MET not the target by 0.25"),
        ("!=", "MET", "NOT_MET the very target", "MET"),
    ] {
        let cell = |value| told(&threshold(op, "0.5"), &accuracy(value));
        assert_eq!(cell(0.25), below, "{op} below");
        assert_eq!(cell(0.5), equal, "{op} equal");
        assert_eq!(cell(0.75), above, "{op} above");
    }
}

#[test]
fn negative_small_and_spelled_numbers_are_compared_as_numbers() {
    for (op, target, value) in
        [("<=", "0", -0.5), ("<", "0.05", 1e-5), ("==", "0.0015", 1.5e-3), ("<=", "1e-3", 0.001), ("==", "0", -0.0)]
    {
        assert_eq!(told(&threshold(op, target), &accuracy(value)), "MET", "{value} {op} {target}");
    }
}

#[test]
fn a_value_meets_a_target_only_in_its_unit() {
    let percent = one(reading(1).metric("accuracy", 85.0).unit("accuracy", "%"));
    assert_eq!(told(ACCURACY, &percent), "NOT_MET wrong unit");
    let wanted = |unit: &str| format!("{}, unit: '{unit}'", threshold(">=", "80"));
    assert_eq!(told(&wanted("%"), &percent), "MET");
    assert_eq!(told(&wanted("ms"), &percent), "NOT_MET wrong unit");
    assert_eq!(told(&wanted("%"), &accuracy(85.0)), "NOT_MET wrong unit");
}

#[test]
fn of_several_readings_that_have_it_the_latest_counts() {
    let (early, late) = (reading(1).metric("accuracy", 0.95), reading(2).metric("accuracy", 0.5));
    assert_eq!(told(ACCURACY, &node(vec![Some(early.clone()), Some(late.clone())])), "NOT_MET below target by 0.4");
    assert_eq!(told(ACCURACY, &node(vec![Some(late), Some(early)])), "NOT_MET below target by 0.4");
    let without = node(vec![Some(reading(1).metric("accuracy", 0.95)), Some(reading(2))]);
    assert_eq!(told(ACCURACY, &without), "MET", "a later one that does not have it says nothing");
}

#[test]
fn a_criterion_with_a_scenario_reads_that_one_alone() {
    let facts = node(vec![Some(reading(1).metric("accuracy", 0.95)), Some(reading(2).metric("accuracy", 0.5))]);
    assert_eq!(told(&format!("{ACCURACY}, scenario: s"), &facts), "MET");
    assert_eq!(told(&format!("{ACCURACY}, scenario: t"), &facts), "NOT_MET below target by 0.4");
}

#[test]
fn a_longer_name_is_another_metric_and_another_marker() {
    let longer = one(reading(1).metric("accuracy_mean", 0.95));
    assert_eq!(told(ACCURACY, &longer), "NOT_MET not found");
    assert_eq!(told("id: M, kind: marker_required, marker: METRIC:accuracy", &longer), "NOT_MET not found");
}

#[test]
fn a_marker_is_asked_for_by_name_and_subtype() {
    let facts = one(reading(1).marker("STAT:ci").marker("CONCLUSION:final"));
    for (marker, told_of) in [
        ("STAT:ci", "MET"),
        ("stat:CI", "MET"),
        ("STAT", "MET"),
        ("STAT:effect_size", "NOT_MET not found"),
        ("CONCLUSION", "MET"),
        ("LIMITATION", "NOT_MET not found"),
    ] {
        assert_eq!(told(&format!("id: M, kind: marker_required, marker: {marker}"), &facts), told_of, "{marker}");
    }
    let joined = one(reading(1).marker("STAT:effect-size"));
    assert_eq!(told("id: M, kind: marker_required, marker: 'STAT:effect_size'", &joined), "MET");
}

#[test]
fn only_verified_findings_count() {
    let three = "id: F, kind: finding_count, minCount: 3";
    assert_eq!(told(three, &one(reading(1).findings(findings(3, 2)))), "NOT_MET too few");
    assert_eq!(told(three, &one(reading(1).findings(findings(3, 3)))), "MET");
    let shared = FindingCounts { shared: 5, ..findings(5, 5) };
    assert_eq!(told("id: F, kind: finding_count, minCount: 5", &one(reading(1).findings(shared))), "MET");
    let two = node(vec![Some(reading(1).findings(findings(2, 2))), Some(reading(2).findings(findings(1, 1)))]);
    assert_eq!(told(three, &two), "MET", "those of all scenarios together");
}

#[test]
fn a_least_count_of_none_is_met_by_any_reading_and_by_no_reading_not() {
    let none = "id: F, kind: finding_count, minCount: 0";
    assert_eq!(told(none, &one(reading(1))), "MET");
    assert_eq!(told(none, &node(vec![None])), "NOT_MET not found");
}

#[test]
fn an_artifact_is_a_tracked_file_or_a_name_with_a_hash() {
    let model = "id: A, kind: artifact_exists, artifactPattern: '*.pkl'";
    assert_eq!(told(model, &one(reading(1))), "NOT_MET not found");
    let mut tracked = one(reading(1));
    tracked.files.insert("A".into(), "reports/r/model.pkl".into());
    assert_eq!(told(model, &tracked), "MET");
    let mut named = reading(1);
    named.records.artifacts.insert(RepoPath::from_git("reports/r/model.pkl"), EvidenceHash([1; 32]));
    assert_eq!(told(model, &one(named.clone())), "MET");
    named.absent.insert(RepoPath::from_git("reports/r/model.pkl"));
    let result = result(model, &one(named.clone()));
    assert!(result.status == CriterionStatus::Met && result.is_unverified, "g49: its bytes are not here");
    assert_eq!(told(model, &one(named.stale())), "NOT_MET stale evidence");
}

#[test]
fn two_stars_cross_directories_and_one_and_a_question_mark_do_not() {
    let exists = |pattern: &str, path: &str| {
        let mut named = reading(1);
        named.records.artifacts.insert(RepoPath::from_git(path), EvidenceHash([1; 32]));
        told(&format!("id: A, kind: artifact_exists, artifactPattern: '{pattern}'"), &one(named)) == "MET"
    };
    assert!(exists("models/**/*.pkl", "models/m.pkl") && exists("models/**/*.pkl", "models/a/b/m.pkl"));
    assert!(exists("models/*.pkl", "models/m.pkl") && !exists("models/*.pkl", "models/a/m.pkl"));
    assert!(!exists("models/*.pkl", "old/models/m.pkl"));
    assert!(exists("models/m?.pkl", "models/m1.pkl") && !exists("models?m.pkl", "models/m.pkl"));
}

#[test]
fn what_nobody_can_tell_is_unknown_and_not_met() {
    let facts = one(reading(1).metric("accuracy", 0.95).unknown());
    assert_eq!(result(ACCURACY, &facts).status, CriterionStatus::Unknown);
    assert_ne!(said(&accurate(), &facts).split(' ').next(), Some("SUCCESS"));
    let late =
        node(vec![Some(reading(1).metric("accuracy", 0.95)), Some(reading(2).metric("accuracy", 0.5).unknown())]);
    assert_eq!(result(ACCURACY, &late).status, CriterionStatus::Unknown, "the later one may be the one that counts");
    for criterion in ["id: M, kind: marker_required, marker: X", "id: F, kind: finding_count, minCount: 1"] {
        let unknown = one(reading(1).marker("X").findings(findings(1, 1)).unknown());
        assert_eq!(result(criterion, &unknown).status, CriterionStatus::Unknown, "{criterion}");
    }
}

#[test]
fn a_target_of_nothing_is_a_target() {
    assert_eq!(told(&threshold("==", "0"), &accuracy(0.0)), "MET");
    assert_eq!(told(&threshold("==", "0"), &accuracy(0.1)), "NOT_MET not the target by 0.1");
    assert_eq!(told(&threshold("==", "0"), &one(reading(1))), "NOT_MET not found");
}

#[test]
fn what_only_a_stale_reading_has_is_stale_evidence() {
    let stale = |facts: GoalReading| one(facts.stale());
    assert_eq!(told(ACCURACY, &stale(reading(1).metric("accuracy", 0.95))), "NOT_MET stale evidence");
    let marker = "id: M, kind: marker_required, marker: X";
    assert_eq!(told(marker, &stale(reading(1).marker("X"))), "NOT_MET stale evidence");
    let finding = "id: F, kind: finding_count, minCount: 1";
    assert_eq!(told(finding, &stale(reading(1).findings(findings(1, 1)))), "NOT_MET stale evidence");
    let later = node(vec![Some(reading(1).metric("accuracy", 0.95)), Some(reading(2).metric("accuracy", 0.5).stale())]);
    assert_eq!(told(ACCURACY, &later), "MET", "a fresh one counts, however many stale ones are newer");
}

#[test]
fn a_number_whose_bytes_are_gone_counts_and_is_unverified() {
    let gone = GoalReading { bytes: GoalBytes::Absent, ..reading(1).metric("accuracy", 0.95) };
    let result = result(ACCURACY, &one(gone));
    assert!(result.status == CriterionStatus::Met && result.is_unverified);
}

#[test]
fn a_number_of_a_reading_that_did_not_pass_is_shown_with_its_gap_and_never_met() {
    for outcome in [GoalOutcome::Fail, GoalOutcome::Breach, GoalOutcome::Unsaid] {
        let failed = |value| one(reading(1).metric("accuracy", value).of(outcome));
        assert_eq!(told(ACCURACY, &failed(0.95)), "NOT_MET failing", "{outcome:?}");
        assert_eq!(result(ACCURACY, &failed(0.85)).gap, Finite::new(0.05));
        let marked = one(reading(1).marker("X").of(outcome));
        assert_eq!(told("id: M, kind: marker_required, marker: X", &marked), "NOT_MET failing");
        let found = one(reading(1).findings(findings(1, 1)).of(outcome));
        assert_eq!(told("id: F, kind: finding_count, minCount: 1", &found), "NOT_MET failing");
    }
}

#[test]
fn a_gap_is_what_decimals_say_and_not_what_binary_fractions_add() {
    let gap = |target: &str, value| result(&threshold(">=", target), &accuracy(value)).gap.map(|gap| gap.to_string());
    assert_eq!(gap("0.3", 0.1).as_deref(), Some("0.2"));
    assert_eq!(gap("1.1", 1.0).as_deref(), Some("0.1"));
    assert_eq!(gap("1e300", -1e300).as_deref(), Some("2e+300"));
    assert_eq!(gap("1.7e308", -1.7e308), None, "a distance that no number has");
}
