//! Judges each criterion of a contract against the measurements. A criterion and the facts of a node in, a result out. A
//! criterion that cannot be judged is not met.

use super::facts::{GoalBytes, GoalFacts, GoalFreshness, GoalNumber, GoalOutcome, GoalReading, MeasuredScenario};
use crate::engine::budget::FiledAt;
use crate::model::contract::{ArtifactPattern, Criterion, CriterionKind, Op};
use crate::model::ids::same_name;
use crate::model::ledger::Measures;
use crate::text::markers::{AbsentMetric, METRIC, MarkerName};
use crate::text::number::Finite;
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;

spelled! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CriterionStatus {
        Met = "MET",
        NotMet = "NOT_MET",
        /// Cannot be judged, which has the same effect as not met.
        Unknown = "UNKNOWN",
    }
}

/// Why a criterion is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// No reading recorded anything of the kind.
    NotFound,
    /// The line of the metric has no number. Holds the defect, if the text is here.
    Malformed(Option<String>),
    /// The line of the metric says that there is no value.
    NotFinite,
    /// The number is on the wrong side of the target; holds the side.
    Missed(&'static str),
    /// The count is below the minimum.
    TooFew,
    /// Only a stale reading has it.
    Stale,
    /// Only a reading that did not pass has it.
    Failing,
    /// The number has another unit than the target.
    Unit,
    /// The freshness of the reading is unknown; holds the reason.
    Unknown(String),
}

impl Unmet {
    /// Whether no value was measured at all, so that none missed a target.
    pub fn is_unprinted(&self) -> bool {
        matches!(self, Self::NotFound | Self::Malformed(_))
    }
}

/// The value found for a criterion.
#[derive(Clone, Debug, PartialEq)]
pub enum Actual {
    Number(GoalNumber),
    Count(u64),
    /// A marker, or the name of a file.
    Named(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CriterionResult {
    pub id: String,
    pub status: CriterionStatus,
    pub actual: Option<Actual>,
    pub metric: Option<String>,
    /// The distance of the number from the target, in absolute terms.
    pub gap: Option<Finite>,
    /// The reason why it is not met.
    pub why: Option<Unmet>,
    /// The scenario and the reading that decided it.
    pub reading: Option<(String, FiledAt)>,
    pub reads: Vec<FiledAt>,
    /// Whether it depends on bytes that are not here.
    pub is_unverified: bool,
    /// The near matches of its pattern, if no file matches.
    pub near: Vec<String>,
}

impl CriterionResult {
    /// The reason why it is not met, in a few words; empty if it is met.
    pub fn reason(&self) -> String {
        match &self.why {
            None => String::new(),
            Some(Unmet::NotFound) => match &*self.near {
                [] => "not found".to_owned(),
                [only] => format!("not found; near it is {only}"),
                near => format!("not found; near it are {}", near.join(", ")),
            },
            Some(Unmet::Malformed(None)) => "malformed".to_owned(),
            Some(Unmet::Malformed(Some(why))) => format!("malformed: {why}"),
            Some(Unmet::NotFinite) => "not finite".to_owned(),
            Some(Unmet::Missed(side)) => match (self.gap, &self.actual) {
                (Some(gap), Some(Actual::Number(GoalNumber { unit: Some(unit), .. }))) if gap.get() > 0.0 => {
                    format!("{side} by {gap} {unit}")
                }
                (Some(gap), _) if gap.get() > 0.0 => format!("{side} by {gap}"),
                _ => (*side).to_owned(),
            },
            Some(Unmet::TooFew) => "too few".to_owned(),
            Some(Unmet::Stale) => "stale evidence".to_owned(),
            Some(Unmet::Failing) => "failing".to_owned(),
            Some(Unmet::Unit) => "wrong unit".to_owned(),
            Some(Unmet::Unknown(why)) => format!("not judged: {why}"),
        }
    }
}

pub fn judge(criterion: &Criterion, facts: &GoalFacts) -> CriterionResult {
    let asked = Asked { criterion, readings: readings(criterion, facts) };
    match &criterion.kind {
        CriterionKind::MetricThreshold { metric, op, target, unit } => {
            asked.metric(metric, *op, *target, unit.as_deref())
        }
        CriterionKind::MarkerRequired { marker } => asked.marker(marker),
        CriterionKind::ArtifactExists { pattern } => match facts.files.get(&criterion.id) {
            Some(path) => CriterionResult { actual: Some(Actual::Named(path.clone())), ..asked.met(None) },
            None => CriterionResult {
                near: facts.near.get(&criterion.id).cloned().unwrap_or_default(),
                ..asked.artifact(pattern, &facts.reports)
            },
        },
        CriterionKind::FindingCount { min_count } => asked.findings(*min_count),
    }
}

/// Whether a reading ever recorded the kind of value that a criterion needs, whether or not it meets the target.
pub fn has_shown(criterion: &Criterion, reading: &Measures, reports: &RepoPath) -> bool {
    match &criterion.kind {
        CriterionKind::MetricThreshold { metric, .. } => reading.marked.metrics.contains_key(metric),
        CriterionKind::MarkerRequired { marker } => reading.marked.markers.iter().any(|other| is_asked(marker, other)),
        CriterionKind::ArtifactExists { pattern } => {
            reading.artifacts.keys().any(|name| pattern.is_match_below(name, reports))
        }
        CriterionKind::FindingCount { .. } => reading.marked.findings.total > 0,
    }
}

type Measured<'f> = (&'f str, &'f GoalReading);

/// The readings that a criterion uses, the latest first.
fn readings<'f>(criterion: &Criterion, facts: &'f GoalFacts) -> Vec<Measured<'f>> {
    let asked = |scenario: &&MeasuredScenario| {
        criterion.scenario.as_ref().is_none_or(|wanted| same_name(wanted, &scenario.name))
    };
    let of = |scenario: &'f MeasuredScenario| Some((&*scenario.name, scenario.reading.as_ref()?));
    let mut found: Vec<Measured<'f>> = facts.scenarios.iter().filter(asked).filter_map(of).collect();
    found.sort_by(|one, other| other.1.at.cmp(&one.1.at));
    found
}

struct Asked<'f> {
    criterion: &'f Criterion,
    readings: Vec<Measured<'f>>,
}

impl<'f> Asked<'f> {
    fn result(&self, status: CriterionStatus, by: Option<Measured<'f>>) -> CriterionResult {
        CriterionResult {
            id: self.criterion.id.clone(),
            status,
            actual: None,
            metric: None,
            gap: None,
            why: None,
            reading: by.map(|(scenario, reading)| (scenario.to_owned(), reading.at.clone())),
            reads: by.iter().map(|(_, reading)| reading.at.clone()).collect(),
            is_unverified: by.is_some_and(|(_, reading)| reading.is_unverified()),
            near: Vec::new(),
        }
    }

    fn met(&self, by: Option<Measured<'f>>) -> CriterionResult {
        self.result(CriterionStatus::Met, by)
    }

    fn unmet(&self, why: Unmet, by: Option<Measured<'f>>) -> CriterionResult {
        let status = if matches!(why, Unmet::Unknown(_)) { CriterionStatus::Unknown } else { CriterionStatus::NotMet };
        CriterionResult { why: Some(why), ..self.result(status, by) }
    }

    /// The reason why the values of a reading do not count; `None` if they do.
    fn against(reading: &GoalReading) -> Option<Unmet> {
        match (&reading.freshness, reading.outcome) {
            (GoalFreshness::Unknown(why), _) => Some(Unmet::Unknown(why.clone())),
            (GoalFreshness::Stale(_), _) => Some(Unmet::Stale),
            (GoalFreshness::Fresh, GoalOutcome::Pass) => None,
            (GoalFreshness::Fresh, GoalOutcome::Fail | GoalOutcome::Breach | GoalOutcome::Unsaid) => {
                Some(Unmet::Failing)
            }
        }
    }

    /// The number of the latest reading that has it and is not stale. A reading of unknown freshness is taken too, because
    /// it may be the fresh one.
    fn metric(&self, name: &str, op: Op, target: Finite, unit: Option<&str>) -> CriterionResult {
        let number = |(_, reading): &Measured<'f>| reading.number(name);
        let having = || self.readings.iter().filter(|measured| number(measured).is_some());
        let speaks = |measured: &&Measured<'f>| !matches!(measured.1.freshness, GoalFreshness::Stale(_));
        let Some(by) = having().find(speaks).or_else(|| having().next()).copied() else {
            return self.without_number(name);
        };
        let Some(number) = number(&by) else { return self.unmet(Unmet::NotFound, None) };
        let (missed, gap) = compare(&number, op, target, unit);
        let why = Self::against(by.1).or(missed);
        let result = why.map_or_else(|| self.met(Some(by)), |why| self.unmet(why, Some(by)));
        CriterionResult { actual: Some(Actual::Number(number)), metric: Some(name.to_owned()), gap, ..result }
    }

    /// The reason why no reading has a number for a metric: the latest fresh line about the metric has no number.
    fn without_number(&self, name: &str) -> CriterionResult {
        let marker = MarkerName { name: METRIC.to_owned(), subtype: Some(name.to_owned()) };
        let shows =
            |(_, reading): &&Measured<'f>| reading.is_fresh() && reading.records.marked.markers.contains(&marker);
        let Some(by) = self.readings.iter().find(shows).copied() else { return self.unmet(Unmet::NotFound, None) };
        let absent = match &by.1.bytes {
            GoalBytes::Say(shown) => shown.absent.get(name),
            GoalBytes::NoText | GoalBytes::Absent | GoalBytes::Corrupt(_) => None,
        };
        let why = match absent {
            Some(AbsentMetric { malformed: None, .. }) => Unmet::NotFinite,
            Some(AbsentMetric { malformed, .. }) => Unmet::Malformed(malformed.clone()),
            None => Unmet::Malformed(None),
        };
        self.unmet(why, Some(by))
    }

    fn marker(&self, wanted: &MarkerName) -> CriterionResult {
        self.first(&|reading| {
            let found = reading.records.marked.markers.iter().find(|marker| is_asked(wanted, marker))?;
            Some(Actual::Named(found.to_string()))
        })
    }

    fn artifact(&self, pattern: &ArtifactPattern, reports: &RepoPath) -> CriterionResult {
        let is_meant = |name: &&RepoPath| pattern.is_match_below(name, reports);
        let named = |reading: &'f GoalReading| reading.records.artifacts.keys().find(is_meant);
        let result = self.first(&|reading| named(reading).map(|name| Actual::Named(name.to_string())));
        let by = self.readings.iter().map(|measured| measured.1).find(|reading| result.reads.contains(&reading.at));
        let is_absent = by.is_some_and(|reading| named(reading).is_some_and(|name| reading.absent.contains(name)));
        CriterionResult { is_unverified: is_absent, ..result }
    }

    /// The first reading that has the value and counts. Without one, the first that has it, with the reason why it does not
    /// count.
    fn first(&self, has: &dyn Fn(&'f GoalReading) -> Option<Actual>) -> CriterionResult {
        let having = || self.readings.iter().filter_map(|measured| Some((*measured, has(measured.1)?)));
        let counts = |found: &(Measured<'f>, Actual)| Self::against(found.0.1).is_none();
        let unknown = |found: &(Measured<'f>, Actual)| matches!(found.0.1.freshness, GoalFreshness::Unknown(_));
        let best = having().find(counts).or_else(|| having().find(unknown)).or_else(|| having().next());
        let Some((by, actual)) = best else { return self.unmet(Unmet::NotFound, None) };
        let result = match Self::against(by.1) {
            None => self.met(Some(by)),
            Some(why) => self.unmet(why, Some(by)),
        };
        CriterionResult { actual: Some(actual), ..result }
    }

    /// The verified findings of every reading that counts. If they are too few, the reason why another reading does not
    /// count.
    fn findings(&self, min: u64) -> CriterionResult {
        let verified = |reading: &GoalReading| reading.records.marked.findings.verified;
        let counting: Vec<_> =
            self.readings.iter().filter(|measured| Self::against(measured.1).is_none()).copied().collect();
        let count = counting.iter().fold(0_u64, |sum, measured| sum.saturating_add(verified(measured.1)));
        let all = self.readings.iter().fold(0_u64, |sum, measured| sum.saturating_add(verified(measured.1)));
        if self.readings.is_empty() {
            return self.unmet(Unmet::NotFound, None);
        }
        let result = if !counting.is_empty() && count >= min {
            self.met(counting.first().copied())
        } else {
            let other = self.readings.iter().filter(|measured| verified(measured.1) > 0 || counting.is_empty());
            let other = other.filter_map(|measured| Some((*measured, Self::against(measured.1)?))).next();
            match other.filter(|_| all >= min) {
                Some((by, why)) => self.unmet(why, Some(by)),
                None => self.unmet(Unmet::TooFew, counting.first().copied()),
            }
        };
        let reads = counting.iter().map(|measured| measured.1.at.clone()).collect();
        let is_unverified = counting.iter().any(|measured| measured.1.is_unverified());
        CriterionResult { actual: Some(Actual::Count(count)), reads, is_unverified, ..result }
    }
}

/// Why a number misses its target, and by how much; `None` if it does not.
fn compare(number: &GoalNumber, op: Op, target: Finite, unit: Option<&str>) -> (Option<Unmet>, Option<Finite>) {
    if number.unit.as_deref() != unit {
        return (Some(Unmet::Unit), None);
    }
    if op.holds(number.value, target) {
        return (None, None);
    }
    let side = match op {
        Op::AtLeast => "below target",
        Op::Above => "not above target",
        Op::AtMost => "above target",
        Op::Below => "not below target",
        Op::Equal => "not the target",
        Op::NotEqual => "the very target",
    };
    (Some(Unmet::Missed(side)), distance(number.value, target))
}

/// The distance of two numbers in decimal. Rounds away the errors of binary fractions in the last places. `None` if the
/// result is not finite.
fn distance(one: Finite, other: Finite) -> Option<Finite> {
    let exact = (one.get() - other.get()).abs();
    format!("{exact:.11e}").parse().ok().and_then(Finite::new)
}

/// Whether `marker` satisfies the wanted one: without a wanted subtype, any marker of the name does.
fn is_asked(wanted: &MarkerName, marker: &MarkerName) -> bool {
    wanted.name == marker.name && (wanted.subtype.is_none() || wanted.subtype == marker.subtype)
}
