//! The rules that all CI formats share: which findings they show, in which order, and which findings one annotation
//! groups. A finding that the change ended is not shown. Older findings come last.

use super::view::Report;
use super::{about, measure_each};
use crate::finding::{DriftPath, Finding, Level, Location, Origin, RuleId};
use crate::text::{escape, plural};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many scenarios, paths or messages are named before the rest is counted.
const NAMED: usize = 5;

/// Findings of one rule at one place, together with the findings for the same scenarios that follow from them.
pub(super) struct Annotation<'a> {
    /// One or more findings of the same level and origin. Findings of the annotation's own rule come first.
    findings: Vec<&'a Finding>,
}

/// The place where CI shows a finding: the file of the change that is to blame, otherwise the finding's own location.
pub(super) fn place(finding: &Finding) -> Option<&Location> {
    finding.place.as_ref().or(finding.location.as_ref())
}

/// The findings that are shown: introduced ones first, then by level, the worst first, then by place.
pub(super) fn ordered(report: &Report) -> Vec<&Finding> {
    let mut shown: Vec<&Finding> = report.findings.iter().filter(|finding| !finding.is_ended()).collect();
    let is_older = |finding: &Finding| finding.origin == Some(Origin::Inherited);
    shown.sort_by_cached_key(|finding| {
        (is_older(finding), Reverse(finding.level), place(finding).cloned(), finding.rule, finding.scenario.clone())
    });
    shown
}

/// The findings of [`ordered`], grouped by rule and place. "Stale" and "promoted nevertheless" of one scenario are one
/// annotation.
pub(super) fn annotations(report: &Report) -> Vec<Annotation<'_>> {
    type Spot<'f> = (Option<Origin>, Level, RuleId, Option<&'f Location>);
    let mut at: BTreeMap<Spot<'_>, usize> = BTreeMap::new();
    let mut all: Vec<Annotation<'_>> = Vec::new();
    for finding in ordered(report) {
        let next = all.len();
        let of = |rule| (finding.origin, finding.level, rule, place(finding));
        let with = (finding.rule == RuleId::PromotedUnproven).then(|| of(RuleId::YatsuDrift));
        let with = with.filter(|spot| at.get(spot).is_some_and(|index| all[*index].is_about_scenario_of(finding)));
        let index = *at.entry(with.unwrap_or(of(finding.rule))).or_insert(next);
        match all.get_mut(index) {
            Some(annotation) => annotation.findings.push(finding),
            None => all.push(Annotation { findings: vec![finding] }),
        }
    }
    all
}

impl<'a> Annotation<'a> {
    /// The first finding. Its rule, level, origin and place hold for all of them.
    pub(super) fn first(&self) -> &'a Finding {
        self.findings[0]
    }

    /// How many findings the annotation groups.
    pub(super) fn count(&self) -> usize {
        self.findings.len()
    }

    /// The nodes and scenarios of the findings, for example `board/renders`, unescaped: the first few and the number of
    /// the others.
    pub(super) fn subjects(&self) -> FirstFew {
        named(self.findings.iter().filter_map(|finding| about(finding)))
    }

    /// What is wrong, one line for each different message.
    pub(super) fn messages(&self) -> FirstFew {
        let (drift, others): (Vec<&Finding>, Vec<&Finding>) =
            self.findings.iter().partition(|finding| finding.rule == RuleId::YatsuDrift);
        let stale = match drift.as_slice() {
            [] => None,
            [one] => Some(message(one)),
            several => Some(format!("the latest readings of {} are stale", plural(several.len(), "scenario"))),
        };
        named(stale.into_iter().chain(others.into_iter().map(message)))
    }

    /// The files and units that moved.
    pub(super) fn moved(&self) -> FirstFew {
        let names = self.findings.iter().flat_map(|finding| &finding.drift).map(DriftPath::named);
        named(names.collect::<BTreeSet<_>>().into_iter().map(|name| escape::terminal(&name).into_owned()))
    }

    /// What to do about it; `None` if there is nothing to do.
    pub(super) fn help(&self) -> Option<String> {
        let drift: Vec<_> = self.findings.iter().copied().filter(|one| one.rule == RuleId::YatsuDrift).collect();
        let help = if drift.len() > 1 { measure_each(&drift) } else { self.findings[0].help.clone() };
        (!help.is_empty()).then_some(help)
    }

    /// Whether one of its findings is about the same scenario.
    fn is_about_scenario_of(&self, finding: &Finding) -> bool {
        self.findings.iter().any(|one| one.node == finding.node && one.scenario == finding.scenario)
    }
}

/// The finding's message, after the code of the violation if its rule has several codes.
fn message(finding: &Finding) -> String {
    let code = finding.code.map(|code| format!("{code}: ")).unwrap_or_default();
    format!("{code}{}", finding.message)
}

/// The first few of several texts.
pub(super) struct FirstFew {
    /// The first texts, without duplicates.
    pub(super) first: Vec<String>,
    /// How many more there are.
    pub(super) rest: usize,
}

fn named(all: impl Iterator<Item = String>) -> FirstFew {
    let mut seen = BTreeSet::new();
    let mut first: Vec<String> = all.filter(|text| seen.insert(text.clone())).collect();
    let rest = first.len().saturating_sub(NAMED);
    first.truncate(NAMED);
    FirstFew { first, rest }
}

impl FirstFew {
    /// All in one line, with the number of the texts that are left out.
    pub(super) fn joined(&self, separator: &str) -> String {
        let more = (self.rest > 0).then(|| format!("+{}", self.rest));
        self.first.iter().cloned().chain(more).collect::<Vec<_>>().join(separator)
    }
}
