//! Counts the runs that reports say of a scenario: a run is one round over its cases. In: cases, some of which repeat others;
//! out: for each report how many of how many rounds passed, or why that cannot be told. Pure.
//!
//! Each tool writes a repeat in its own way: pytest-repeat numbers the names, `go test -count` writes a name again in one suite,
//! Playwright writes the whole suite again, and a run of each FILE repeats the cases of another. Any other name twice is one
//! case: `test.each` makes such twins.

use super::fate::{CaseIndexes, CountedRounds, FlakyMeans};
use crate::features::imports::model::test_report::{CaseState, TestReport};
use crate::text::escape::echo;
use crate::text::plural;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A test: where it ran if its file has several places, its suite, its class and its name without the number of a repeat.
type TestKey = (Option<String>, String, String, String);

/// The results of one test in the order of its repeats, and its cases.
#[derive(Default)]
struct Repeats {
    /// By the number of the repeat, or else in the order of the report.
    results: BTreeMap<u32, CaseState>,
    cases: CaseIndexes,
    /// The last suite that it stood in.
    suite: Option<usize>,
}

/// The cases of one scenario, and what is known of all of them.
struct Rounds<'r> {
    report: &'r TestReport,
    /// The files with suites of several hosts.
    many: &'r HashSet<usize>,
    /// The numbered tests of pytest-repeat with every number once: suite, class, name, how many.
    whole: HashSet<(usize, &'r str, String, u32)>,
}

/// The runs in these cases: one reading for each FILE with all tests, or one for FILEs over which the tests are spread. The
/// error is a phrase.
pub(super) fn counted(
    report: &TestReport,
    many: &HashSet<usize>,
    found: &BTreeSet<usize>,
    flaky: FlakyMeans,
    skips: bool,
) -> Result<Vec<CountedRounds>, String> {
    let all = Rounds { report, many, whole: numbered(report, found) };
    let mut files: BTreeMap<usize, BTreeMap<TestKey, Repeats>> = BTreeMap::new();
    for case in found {
        all.add(*case, files.entry(report.file_of(report.cases[*case].suite)).or_default());
    }
    let sets: Vec<BTreeSet<&TestKey>> = files.values().map(|tests| tests.keys().collect()).collect();
    if sets.windows(2).all(|pair| pair[0] == pair[1]) {
        return files.values().map(|tests| rounds(tests, flaky, skips)).collect();
    }
    let distinct: BTreeSet<&&TestKey> = sets.iter().flatten().collect();
    if distinct.len() < sets.iter().map(BTreeSet::len).sum::<usize>() {
        return Err("mixed: some of its cases stand in several reports, and others in one".to_owned());
    }
    let joined: BTreeMap<TestKey, Repeats> = files.into_values().flatten().collect();
    Ok(vec![rounds(&joined, flaky, skips)?])
}

impl Rounds<'_> {
    fn add(&self, case: usize, tests: &mut BTreeMap<TestKey, Repeats>) {
        let own = &self.report.cases[case];
        let file = self.report.file_of(own.suite);
        let suite = self.report.suite_names(own.suite).next().unwrap_or_default().to_owned();
        let host = self.report.host_of(own.suite).filter(|_| self.many.contains(&file)).map(str::to_owned);
        let number = split(&own.name)
            .filter(|(base, _, of)| self.whole.contains(&(own.suite, own.classname.as_str(), base.clone(), *of)));
        let (name, number) = number.map_or((own.name.clone(), None), |(base, number, _)| (base, Some(number)));
        // each result of an eval is a run of the scenario, whatever its name
        let (key, number) = match self.report.asked(case) {
            Some(_) => (TestKey::default(), None),
            None => ((host, suite, own.classname.clone(), name), number),
        };
        let test = tests.entry(key).or_default();
        test.cases.push(case);
        if let Some(number) = number {
            test.results.insert(number, own.state);
            return;
        }
        let is_again = test.suite.replace(own.suite) != Some(own.suite) || self.report.suites[file].repeats;
        let last = test.results.keys().last().copied().unwrap_or_default();
        match own.tries.as_slice() {
            // a twin in the same suite is a part of the same case
            [] if last > 0 && !is_again => {
                test.results.entry(last).and_modify(|state| *state = state.worse(own.state));
            }
            [] => {
                test.results.insert(last + 1, own.state);
            }
            tries => test.results.extend((last + 1..).zip(tries.iter().copied())),
        }
    }
}

/// The tests of pytest-repeat: `t[2-3]` is the second of three runs of `t`, `t[a-2-3]` of `t[a]`. Each number from 1 must be
/// there once, or the names are the tests' own.
fn numbered<'r>(report: &'r TestReport, found: &BTreeSet<usize>) -> HashSet<(usize, &'r str, String, u32)> {
    let mut numbers: HashMap<(usize, &str, String, u32), Vec<u32>> = HashMap::new();
    for case in found.iter().map(|case| &report.cases[*case]) {
        if let Some((base, number, of)) = split(&case.name) {
            numbers.entry((case.suite, case.classname.as_str(), base, of)).or_default().push(number);
        }
    }
    let mut whole = HashSet::new();
    for (test, mut numbers) in numbers {
        numbers.sort_unstable();
        if test.3 > 1 && numbers.into_iter().eq(1..=test.3) {
            whole.insert(test);
        }
    }
    whole
}

/// The parts of `t[a-2-3]`: `t[a]`, 2, 3.
fn split(name: &str) -> Option<(String, u32, u32)> {
    let (test, inside) = name.strip_suffix(']')?.split_once('[')?;
    let digits = |text: &str| -> Option<u32> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse().ok() } else { None }
    };
    let (rest, of) = inside.rsplit_once('-')?;
    let (parameters, number) = rest.rsplit_once('-').map_or((None, rest), |(before, number)| (Some(before), number));
    let base = parameters.map_or(test.to_owned(), |parameters| format!("{test}[{parameters}]"));
    Some((base, digits(number)?, digits(of)?))
}

/// The rounds over these tests.
fn rounds(tests: &BTreeMap<TestKey, Repeats>, flaky: FlakyMeans, skips: bool) -> Result<CountedRounds, String> {
    let count = tests.values().map(|test| test.results.len()).max().unwrap_or_default();
    if let Some((uneven, its)) = tests.iter().find(|(_, test)| test.results.len() != count) {
        let its = plural(its.results.len(), "time");
        return Err(format!("uneven: `{}` ran {its}, and another of its cases {count} times", echo(&uneven.3)));
    }
    let lists: Vec<Vec<CaseState>> = tests.values().map(|test| test.results.values().copied().collect()).collect();
    let mut pass = 0;
    for round in 0..count {
        let has = |state: CaseState| lists.iter().any(|list| list[round] == state);
        if has(CaseState::Failed) || has(CaseState::Flaky) && flaky == FlakyMeans::Fail {
            continue;
        }
        if has(CaseState::Unknown) {
            return Err("unknown: a case has a result that is not known here".to_owned());
        }
        if lists.iter().all(|list| list[round] == CaseState::Skipped) {
            return Err("skipped: no case of a run has a result".to_owned());
        }
        if has(CaseState::Skipped) && !skips {
            let why = "skipped: a case of a run has no result; `skips: allow` in its `test` takes the others";
            return Err(why.to_owned());
        }
        pass += 1;
    }
    let mut cases: CaseIndexes = tests.values().flat_map(|test| &test.cases).copied().collect();
    cases.sort_unstable();
    let of = u32::try_from(count).unwrap_or(u32::MAX);
    Ok(CountedRounds { cases, pass, of })
}
