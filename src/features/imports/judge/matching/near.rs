//! Finds near matches in reports for scenarios without a case, to explain why nothing was filed.

use super::names::{folded, within};
use super::place::TestGround;
use super::{ImportFate, ImportTarget, Matched, case_place};
use crate::features::imports::model::test_report::{TestCase, TestReport};
use crate::text::nearest::nearest;
use std::collections::BTreeSet;

/// The number of places to list for a whole file.
const PLACES: usize = 3;

/// At most `most` wanted tests without a case, each with a near match in the reports: the same test elsewhere, a test of
/// that name in a module or a class, or one with a similar spelling.
pub(crate) fn near_names(
    report: &TestReport,
    ground: &TestGround,
    targets: &[ImportTarget],
    matched: &Matched,
    most: usize,
) -> Vec<[String; 2]> {
    let (cases, places) = (&report.cases, case_place(ground, report));
    let known: BTreeSet<&str> = cases.iter().map(|case| case.name.trim()).collect();
    let unmatched = matched.fates.iter().filter(|(_, fate)| **fate == ImportFate::Unmatched);
    let near = unmatched.filter_map(|(target, _)| targets.get(*target)).filter_map(|target| match &target.test {
        Some((path, None)) => Some([format!("cases of {}", path.path.as_ref().ok()?), some_of(&places)?]),
        Some((path, Some(name))) => {
            let elsewhere = cases.iter().position(|case| is_called(case, name)).filter(|at| !places[*at].is_empty());
            match elsewhere {
                Some(at) => {
                    Some([format!("`{name}` in {}", path.path.as_ref().ok()?), format!("it in {}", places[at])])
                }
                None => alike(name, &known),
            }
        }
        None => alike(&target.name, &known),
    });
    near.take(most).collect()
}

fn is_called(case: &TestCase, name: &str) -> bool {
    [folded(&case.name), within(&case.classname, &case.name)].contains(&folded(name))
}

/// A test of that name in a module, or one with a similar spelling.
fn alike(name: &str, known: &BTreeSet<&str>) -> Option<[String; 2]> {
    let end = format!(" {}", folded(name));
    let inner = known.iter().find(|other| folded(other).ends_with(&end)).copied();
    let found = inner.or_else(|| nearest(name, known.iter().copied()))?;
    Some([format!("`{name}`"), format!("`{found}`")])
}

/// The first places of the cases; `None` if the reports have no places.
fn some_of(places: &[String]) -> Option<String> {
    let all: BTreeSet<&str> = places.iter().map(String::as_str).filter(|place| !place.is_empty()).collect();
    let first: Vec<&str> = all.iter().take(PLACES).copied().collect();
    let more = if all.len() > PLACES { ", …" } else { "" };
    (!first.is_empty()).then(|| format!("cases of {}{more}", first.join(", ")))
}
