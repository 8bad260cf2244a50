//! The trust gate: whether the evidence is sound, whatever the result. Hard reasons fail the gate at once. Soft ones cost
//! points of a hundred, and each names the command that removes it.

use super::criteria::{Actual, CriterionResult};
use super::decisions::{DecidedOn, GoalDecision};
use super::facts::{GoalBytes, GoalFacts, GoalFreshness, GoalOutcome, GoalReading, MeasuredScenario, UnsoundLedger};
use crate::features::goals::model::trust_gate::{Deduction, TrustDeduction, TrustGate};
use crate::model::contract::{Contract, CriterionKind, GoalType};
use crate::model::ids::nfc;
use crate::model::reference::scenario_word;
use crate::text::shell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustTerms {
    pub threshold: u32,
    /// A review by a person who filed none of the readings is required.
    pub require_review: bool,
}

/// The names of metrics and markers that interpret a model.
const INTERPRETATIONS: [&str; 5] =
    ["feature_importance", "top_features", "shap", "permutation_importance", "interpretation"];

/// Judges the trust gate of a node with these results of the criteria.
pub fn judge(
    facts: &GoalFacts,
    contract: &Contract,
    results: &[CriterionResult],
    terms: TrustTerms,
    on: &DecidedOn,
) -> TrustGate {
    let mut found = Reasons { facts, found: Vec::new() };
    found.ledgers();
    found.bytes();
    found.scenarios();
    found.numbers(results);
    found.unheld(results);
    found.statistics(contract);
    found.model(contract);
    let lost: u32 = found.found.iter().filter_map(|one| one.points).fold(0, u32::saturating_add);
    let computed = 100_u32.saturating_sub(lost);
    let score = found.reviewed(computed, on);
    if terms.require_review && !facts.has_independent_review(on) {
        found.review_missing();
    }
    let mut deductions = found.found;
    deductions.sort_by_key(|one| (one.points.is_some(), one.kind));
    let is_sound = deductions.iter().all(|one| one.points.is_some());
    TrustGate { passed: is_sound && score >= terms.threshold, score, threshold: terms.threshold, deductions }
}

/// The deductions so far.
struct Reasons<'f> {
    facts: &'f GoalFacts,
    found: Vec<TrustDeduction>,
}

impl<'f> Reasons<'f> {
    fn add(&mut self, kind: Deduction, scenario: Option<&str>, what: impl Into<String>, command: impl Into<String>) {
        let (scenario, what, command) = (scenario.map(str::to_owned), what.into(), command.into());
        self.found.push(TrustDeduction { kind, points: kind.points(), scenario, what, first: None, command });
    }

    /// Adds a step before the command of the last deduction.
    fn after(&mut self, first: String) {
        if let Some(added) = self.found.last_mut() {
            added.first = Some(first);
        }
    }

    fn measured(&self) -> impl Iterator<Item = (&'f MeasuredScenario, &'f GoalReading)> + use<'f> {
        self.facts.scenarios.iter().filter_map(|scenario| Some((scenario, scenario.reading.as_ref()?)))
    }

    fn fresh(&self) -> impl Iterator<Item = (&'f MeasuredScenario, &'f GoalReading)> + use<'f> {
        self.measured().filter(|(_, reading)| reading.is_fresh())
    }

    fn eval(&self, scenario: &str) -> String {
        format!("yatsu-hook eval {} --pass --result FILE", scenario_word(&self.facts.node, scenario))
    }

    fn retract(&self, scenario: &str, ts: &str) -> String {
        format!("yatsu-hook retract {} --ts {ts}", scenario_word(&self.facts.node, scenario))
    }

    fn ledgers(&mut self) {
        for unsound in &self.facts.unsound {
            match unsound {
                UnsoundLedger::Lost { ledger, from } => self.add(
                    Deduction::LineLost,
                    None,
                    format!("a committed line of {ledger} is gone or was edited"),
                    format!("yatsu-hook repair --restore {from}"),
                ),
                UnsoundLedger::Malformed(place) => {
                    self.add(Deduction::LineMalformed, None, format!("{place} is no whole event"), "yatsu-hook repair")
                }
                UnsoundLedger::KeyConflict { scenario, ts } => self.add(
                    Deduction::KeyConflict,
                    Some(scenario),
                    "one key stands for two readings",
                    self.retract(scenario, ts),
                ),
            }
        }
    }

    fn bytes(&mut self) {
        for (scenario, reading) in self.fresh() {
            if let GoalBytes::Corrupt(hash) = &reading.bytes {
                let what = format!("the bytes of evidence {hash} are other ones");
                self.add(Deduction::BytesCorrupt, Some(&scenario.name), what, "yatsu-hook evidence put FILE");
            }
            if let Some(differs) = reading.mismatch() {
                let what = format!("its evidence and its line say different things: {differs}");
                let help = self.retract(&scenario.name, &reading.at.ts.to_string());
                self.add(Deduction::MetricMismatch, Some(&scenario.name), what, help);
            }
        }
    }

    fn scenarios(&mut self) {
        for scenario in &self.facts.scenarios {
            let (name, eval) = (Some(&*scenario.name), self.eval(&scenario.name));
            let Some(reading) = &scenario.reading else {
                self.add(Deduction::Unmeasured, name, "it was not measured", eval);
                continue;
            };
            match &reading.freshness {
                GoalFreshness::Fresh if reading.outcome == GoalOutcome::Pass && !reading.has_evidence => {
                    self.add(Deduction::NoEvidence, name, "a pass that shows nothing", eval);
                }
                GoalFreshness::Fresh => {}
                GoalFreshness::Stale(moved) => {
                    self.add(Deduction::Stale, name, format!("its reading is stale: {moved}"), eval);
                }
                GoalFreshness::Unknown(why) => {
                    self.add(Deduction::Stale, name, format!("whether its reading is stale is unknown: {why}"), eval);
                }
            }
        }
    }

    /// At most one deduction a reading: a criterion used a number of it that its text does not show.
    fn numbers(&mut self, results: &[CriterionResult]) {
        for (scenario, reading) in self.fresh() {
            let said = |name: &String| match &reading.bytes {
                GoalBytes::NoText => true,
                GoalBytes::Say(shown) => !shown.marked.metrics.contains_key(name),
                GoalBytes::Absent | GoalBytes::Corrupt(_) => false,
            };
            let taken = results.iter().filter(|result| result.reads.contains(&reading.at));
            let mut taken = taken.filter(|result| matches!(result.actual, Some(Actual::Number(_))));
            let Some(metric) = taken.find_map(|result| result.metric.as_ref().filter(|name| said(name))) else {
                continue;
            };
            let what = format!("{metric} was only said with --metric, and no evidence shows it");
            self.add(Deduction::OnlySaid, Some(&scenario.name), what, self.eval(&scenario.name));
            self.after(format!("print [METRIC:{metric}] and the number where it is measured"));
        }
    }

    fn unheld(&mut self, results: &[CriterionResult]) {
        for (scenario, reading) in self.fresh() {
            let is_read = results.iter().any(|result| result.reads.contains(&reading.at));
            if reading.is_unheld && is_read {
                let what = "the push adds its reading, and this cache lacks bytes of it";
                self.add(Deduction::Unheld, Some(&scenario.name), what, "yatsu-hook evidence put FILE");
            }
        }
    }

    fn statistics(&mut self, contract: &Contract) {
        let counts = contract.criteria.iter().any(|one| matches!(one.kind, CriterionKind::FindingCount { .. }));
        if !counts && !matches!(contract.goal_type, GoalType::Statistical | GoalType::Eda) {
            return;
        }
        for (kind, marker) in [(Deduction::WithoutCi, "STAT:ci"), (Deduction::WithoutEffect, "STAT:effect_size")] {
            let lacks = |(_, reading): &(&MeasuredScenario, &GoalReading)| {
                let findings = &reading.records.marked.findings;
                let without = if kind == Deduction::WithoutCi { findings.without_ci } else { findings.without_effect };
                without > 0
            };
            if let Some((scenario, _)) = self.fresh().find(lacks) {
                self.add(kind, Some(&scenario.name), format!("a finding has no [{marker}]"), self.eval(&scenario.name));
                self.after(format!("print [{marker}] in the ten lines before each [FINDING]"));
            }
        }
    }

    fn model(&mut self, contract: &Contract) {
        if !matches!(contract.goal_type, GoalType::MlClassification | GoalType::MlRegression) {
            return;
        }
        let names: Vec<String> = self.fresh().flat_map(|(_, reading)| names(reading)).collect();
        let begins = |with: &str| names.iter().any(|name| name.starts_with(with));
        let lacking = [
            (Deduction::NoBaseline, begins("baseline"), "no baseline to compare with", "[METRIC:baseline_accuracy]"),
            (Deduction::NoCrossValidation, begins("cv"), "no cross-validation", "[METRIC:cv_accuracy_mean]"),
            (
                Deduction::NoInterpretation,
                names.iter().any(|name| INTERPRETATIONS.contains(&&**name)),
                "nothing says what the model does",
                "[METRIC:feature_importance]",
            ),
        ];
        let scenario = self.facts.scenarios.first().map_or("NAME", |scenario| &*scenario.name);
        for (kind, is_there, what, marker) in lacking {
            if !is_there {
                self.add(kind, None, what, self.eval(scenario));
                self.after(format!("print for example {marker}, where it is measured"));
            }
        }
    }

    /// The score after the reviews: the lower of both.
    fn reviewed(&mut self, computed: u32, on: &DecidedOn) -> u32 {
        let reviews = self.facts.decisions.reviews(on);
        let score = |review: &GoalDecision| u32::from(review.score.unwrap_or(0));
        let Some(lowest) = reviews.into_iter().min_by_key(|review| score(review)) else { return computed };
        let given = score(lowest);
        if given < computed {
            let why = lowest.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let what = format!("{} gives it {given}{why}", lowest.by);
            let scenario = self.facts.scenarios.first().map_or("NAME", |scenario| &*scenario.name);
            self.add(Deduction::Review, None, what, self.eval(scenario));
            self.after("mend what the review says".to_owned());
            if let Some(added) = self.found.last_mut() {
                added.points = Some(computed - given);
            }
        }
        given.min(computed)
    }

    fn review_missing(&mut self) {
        let what = "exactly these readings have no review by a person who did not measure them";
        let node = shell::word(&self.facts.node);
        let help = format!("yatsu-hook goal review {node} --score 0..100 --by WHO --note TEXT");
        self.add(Deduction::ReviewMissing, None, what, help);
    }
}

impl GoalFacts {
    /// Whether a person who filed none of the readings reviewed them. A reading without a filer may be the reviewer's own.
    fn has_independent_review(&self, on: &DecidedOn) -> bool {
        let readings: Vec<&GoalReading> = self.scenarios.iter().filter_map(|one| one.reading.as_ref()).collect();
        let filers: Option<Vec<String>> = readings.iter().map(|reading| Some(person(reading.by.as_ref()?))).collect();
        let Some(filers) = filers.filter(|filers| !filers.is_empty()) else { return false };
        self.decisions.reviews(on).iter().any(|review| !filers.contains(&person(&review.by)))
    }
}

/// A name in the form for comparison, so that upper and lower case do not make two persons.
pub(crate) fn person(name: &str) -> String {
    nfc(name.trim()).to_lowercase()
}

/// The names of a reading's numbers and markers, in lower case.
fn names(reading: &GoalReading) -> Vec<String> {
    let marked = &reading.records.marked;
    let markers = marked.markers.iter().flat_map(|marker| [Some(marker.name.to_lowercase()), marker.subtype.clone()]);
    markers.flatten().chain(marked.metrics.keys().cloned()).collect()
}
