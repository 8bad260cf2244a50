//! The deductions one by one.

use super::*;
use crate::features::goals::judge::engine::facts::UnsoundLedger;
use crate::features::goals::model::trust_gate::{Deduction, TrustGate};
use crate::text::markers::AbsentMetric;

fn trust(goal: &Goal, facts: &GoalFacts) -> TrustGate {
    gates(goal, facts).trust
}

/// The score, and each deduction with its points.
fn deducted(goal: &Goal, facts: &GoalFacts) -> (u32, Vec<(&'static str, Option<u32>)>) {
    let gate = trust(goal, facts);
    assert!(gate.deductions.iter().all(|one| one.command.starts_with("yatsu-hook ") && !one.what.is_empty()));
    (gate.score, gate.deductions.iter().map(|one| (one.kind.as_str(), one.points)).collect())
}

fn good() -> GoalReading {
    reading(1).metric("accuracy", 0.95)
}

#[test]
fn sound_evidence_has_every_point() {
    assert_eq!(deducted(&accurate(), &one(good())), (100, vec![]));
}

#[test]
fn what_a_node_s_ledgers_lost_or_never_were_is_hard() {
    for (unsound, name) in [
        (UnsoundLedger::Lost { ledger: "l".into(), from: "HEAD".into() }, "ledger-line-lost"),
        (UnsoundLedger::Malformed("l:3".into()), "ledger-line-malformed"),
        (UnsoundLedger::KeyConflict { scenario: "s".into(), ts: "t".into() }, "key-conflict"),
    ] {
        let facts = GoalFacts { unsound: vec![unsound], ..one(good()) };
        assert_eq!(deducted(&accurate(), &facts), (100, vec![(name, None)]));
        assert!(!trust(&accurate(), &facts).passed, "{name}");
    }
}

#[test]
fn bytes_under_a_wrong_name_are_hard() {
    let facts = one(GoalReading { bytes: GoalBytes::Corrupt("abc".into()), ..good() });
    assert_eq!(deducted(&accurate(), &facts), (100, vec![("evidence-corrupt", None)]));
}

#[test]
fn bytes_that_say_something_else_than_the_line_are_hard() {
    let marker = || MarkerName::parse("X").expect("a marker");
    let mismatch = |change: &dyn Fn(&mut Marked)| {
        let mut other = good().findings(findings(1, 1));
        if let GoalBytes::Say(shown) = &mut other.bytes {
            change(&mut shown.marked);
        }
        deducted(&accurate(), &one(other)).1
    };
    let hard = vec![("metric-mismatch", None)];
    assert_eq!(mismatch(&|_| {}), vec![]);
    assert_eq!(mismatch(&|bytes| *bytes.metrics.get_mut("accuracy").expect("there") = number(0.5)), hard);
    assert_eq!(mismatch(&|bytes| bytes.units.extend([("accuracy".into(), "%".into())])), hard);
    assert_eq!(mismatch(&|bytes| bytes.metrics.extend([("more".into(), number(1.0))])), hard);
    assert_eq!(mismatch(&|bytes| bytes.markers.extend([marker()])), hard);
    assert_eq!(mismatch(&|bytes| bytes.markers.clear()), hard);
    assert_eq!(mismatch(&|bytes| bytes.findings.total += 1), hard);
}

/// The text shows that the metric is no number, so a number in the line contradicts it.
#[test]
fn a_number_that_its_text_shows_as_none_is_hard_and_not_only_said() {
    let mut shown = good();
    let absent = AbsentMetric { line: 1, malformed: None };
    shown.bytes = GoalBytes::Say(Shown { absent: BTreeMap::from([("accuracy".into(), absent)]), ..Shown::default() });
    assert_eq!(deducted(&accurate(), &one(shown)).1[0], ("metric-mismatch", None));
}

#[test]
fn a_reading_older_than_its_contract_records_nothing_and_is_no_mismatch() {
    let old = GoalReading { records: Measures::default(), ..good() };
    assert_eq!(deducted(&accurate(), &one(old)), (100, vec![]));
}

#[test]
fn a_scenario_without_a_reading_and_one_with_a_stale_one_cost_thirty_each() {
    let facts = node(vec![Some(good()), None, Some(reading(2).stale())]);
    let expected = vec![("scenario-unmeasured", Some(30)), ("reading-stale", Some(30))];
    assert_eq!(deducted(&accurate(), &facts), (40, expected));
    let unknown = node(vec![Some(good()), Some(reading(2).unknown())]);
    assert_eq!(deducted(&accurate(), &unknown), (70, vec![("reading-stale", Some(30))]));
}

#[test]
fn a_pass_without_evidence_costs_twenty_and_a_fail_nothing() {
    let bare = |outcome| GoalReading { has_evidence: false, bytes: GoalBytes::NoText, ..reading(2) }.of(outcome);
    let facts = |outcome| node(vec![Some(good()), Some(bare(outcome))]);
    assert_eq!(deducted(&accurate(), &facts(GoalOutcome::Pass)).1, vec![("pass-without-evidence", Some(20))]);
    assert_eq!(deducted(&accurate(), &facts(GoalOutcome::Fail)).1, vec![]);
}

#[test]
fn a_number_that_only_its_filer_said_costs_twenty_once_a_reading_and_only_where_a_criterion_takes_it() {
    let mut said = good().metric("recall", 0.9);
    said.bytes = GoalBytes::Say(Shown::default());
    said.records.marked.markers.clear();
    let both = goal(&[ACCURACY, "id: AC2, kind: metric_threshold, metric: recall, op: '>', target: 0"], "");
    assert_eq!(deducted(&both, &one(said.clone())), (80, vec![("number-only-said", Some(20))]));
    let other = goal(&["id: AC2, kind: metric_threshold, metric: f1, op: '>', target: 0"], "");
    assert_eq!(deducted(&other, &one(said.clone())), (100, vec![]));
    let gone = GoalReading { bytes: GoalBytes::Absent, ..said };
    assert_eq!(deducted(&both, &one(gone)), (100, vec![]), "of bytes that are not here nobody can say it");
}

#[test]
fn a_pushed_reading_whose_bytes_are_not_all_here_costs_thirty_where_a_criterion_reads_it() {
    let unheld = GoalReading { is_unheld: true, bytes: GoalBytes::Absent, ..good() };
    assert_eq!(deducted(&accurate(), &one(unheld.clone())), (70, vec![("evidence-not-here", Some(30))]));
    let other = goal(&["id: AC2, kind: metric_threshold, metric: f1, op: '>', target: 0"], "");
    assert_eq!(deducted(&other, &one(unheld)), (100, vec![]));
}

#[test]
fn findings_without_an_interval_or_an_effect_size_cost_thirty_once_each() {
    let bare = one(good().findings(findings(3, 1)));
    let both = vec![("finding-without-ci", Some(30)), ("finding-without-effect-size", Some(30))];
    for kind in ["statistical", "statistical_test", "eda"] {
        assert_eq!(deducted(&goal(&[ACCURACY], &format!("  goal_type: {kind}\n")), &bare), (40, both.clone()));
    }
    let counted = goal(&["id: F, kind: finding_count, minCount: 1"], "");
    assert_eq!(deducted(&counted, &bare), (40, both));
    assert_eq!(deducted(&accurate(), &bare), (100, vec![]), "nobody counts findings there");
    let ci = FindingCounts { without_effect: 0, ..findings(2, 1) };
    assert_eq!(deducted(&counted, &one(good().findings(ci))).1, vec![("finding-without-ci", Some(30))]);
}

#[test]
fn a_model_without_a_baseline_cross_validation_and_interpretation_costs_twenty_twenty_five_and_fifteen() {
    for kind in ["ml_classification", "ml_regression"] {
        let model = goal(&[ACCURACY], &format!("  goal_type: {kind}\n"));
        let all = vec![("no-baseline", Some(20)), ("no-cross-validation", Some(25)), ("no-interpretation", Some(15))];
        assert_eq!(deducted(&model, &one(good())), (40, all));
        let shown = good().metric("baseline_accuracy", 0.5).metric("cv_accuracy_mean", 0.9);
        assert_eq!(deducted(&model, &one(shown.clone())), (85, vec![("no-interpretation", Some(15))]));
        for name in ["feature_importance", "top_features", "shap", "permutation_importance", "interpretation"] {
            assert_eq!(deducted(&model, &one(shown.clone().metric(name, 1.0))).0, 100, "{name}");
            assert_eq!(deducted(&model, &one(shown.clone().marker(&name.to_uppercase()))).0, 100, "{name}");
        }
        let marked = good().marker("BASELINE").marker("CV:folds").marker("SHAP");
        assert_eq!(deducted(&model, &one(marked)).0, 100);
    }
    assert_eq!(deducted(&accurate(), &one(good())).0, 100, "of no model nothing is asked");
}

#[test]
fn eighty_points_pass_and_seventy_nine_do_not() {
    let gate = |threshold| {
        let model = goal(&[ACCURACY], "  goal_type: ml_regression\n");
        let shown = one(good().metric("baseline", 0.5).metric("cv", 0.9));
        let terms = TrustTerms { threshold, ..TERMS };
        evaluate(&model, &shown, terms).gates.expect("a contract").trust
    };
    assert_eq!(gate(80).score, 85);
    assert!(gate(80).passed && gate(85).passed && !gate(86).passed);
}

#[test]
fn a_score_never_goes_below_nothing() {
    let facts = node(vec![None, None, None]);
    assert_eq!(trust(&goal(&[ACCURACY], "  goal_type: ml_regression\n"), &facts).score, 0);
}

/// A node with one good reading and these reviews: reviewer and score.
fn reviewed(goal: &Goal, reviews: &[(&str, u8)]) -> GoalFacts {
    let mut facts = one(good());
    let on = DecidedOn { contract: goal.contract().expect("a contract").content_hash(), readings: facts.readings };
    let review = |((by, score), second): (&(&str, u8), u32)| GoalDecision {
        kind: GoalDecisionKind::Review,
        at: at(second),
        on,
        by: (*by).into(),
        reason: Some("thin".into()),
        score: Some(*score),
    };
    facts.decisions = GoalDecisions::new(reviews.iter().zip(20..).map(review).collect());
    facts
}

#[test]
fn the_score_is_the_lower_of_the_review_and_the_count() {
    let goal = accurate();
    assert_eq!(deducted(&goal, &reviewed(&goal, &[("r", 60)])), (60, vec![("review", Some(40))]));
    assert_eq!(deducted(&goal, &reviewed(&goal, &[("r", 100)])), (100, vec![]));
    assert_eq!(trust(&goal, &reviewed(&goal, &[("a", 90), ("b", 70)])).score, 70);
    assert_eq!(trust(&goal, &reviewed(&goal, &[("a", 60), ("a", 90)])).score, 90, "who thinks again thinks so now");
}

#[test]
fn a_review_by_whoever_filed_a_reading_does_not_count_where_one_is_asked_for() {
    let goal = accurate();
    let terms = TrustTerms { require_review: true, ..TERMS };
    let passed = |facts: &GoalFacts| evaluate(&goal, facts, terms).gates.expect("a contract").trust.passed;
    assert!(!passed(&one(good())), "there is none");
    assert!(passed(&reviewed(&goal, &[("reviewer", 90)])));
    for filer in ["filer", "Filer", " filer "] {
        assert!(!passed(&reviewed(&goal, &[(filer, 90)])), "{filer:?}");
    }
    let mut nobody = reviewed(&goal, &[("reviewer", 90)]);
    nobody.scenarios[0].reading.as_mut().expect("a reading").by = None;
    assert!(!passed(&nobody), "a reading that names nobody may be the reviewer's");
}

#[test]
fn a_review_counts_for_exactly_the_readings_that_it_was_about() {
    let goal = accurate();
    let mut facts = reviewed(&goal, &[("reviewer", 60)]);
    assert_eq!(trust(&goal, &facts).score, 60);
    facts.readings = EvidenceHash([8; 32]);
    assert_eq!(trust(&goal, &facts).score, 100, "about other readings nobody said anything");
    let terms = TrustTerms { require_review: true, ..TERMS };
    let gate = evaluate(&goal, &facts, terms).gates.expect("a contract").trust;
    assert_eq!(gate.deductions[0].kind, Deduction::ReviewMissing);
}
