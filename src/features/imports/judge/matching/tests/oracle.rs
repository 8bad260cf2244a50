//! Random reports as XML, judged a second time by a slow judge that knows what was put into them: which scenario may be
//! filed as a pass.

use super::{files, matched, parsed, target};
use crate::features::imports::judge::matching::ImportFate;
use crate::model::ledger::Status;

/// The known files.
const FILES: [&str; 3] = ["d/a.js", "d/b.js", "c.js"];
/// A file that is not known.
const GONE: &str = "d/gone.js";
/// What a report names.
const SAID: [&str; 4] = [FILES[0], FILES[1], FILES[2], GONE];
/// The tests of scenarios: the files and a directory.
const TESTS: [&str; 4] = [FILES[0], FILES[1], FILES[2], "d"];
const NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("64 bits") % sides
    }

    fn one_of(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Passed,
    Failed,
    Skipped,
}

/// What is known of a case: the numbers of the suites around it, the outermost first, and its file.
#[derive(Clone, Debug)]
struct KnownCase {
    within: Vec<usize>,
    file: Option<&'static str>,
    name: &'static str,
    state: State,
    /// A failure that belongs to no test.
    is_outside: bool,
}

/// A suite that reports a failure of its own.
#[derive(Clone, Debug)]
struct KnownFault {
    /// The numbers of the suites around it and its own.
    within: Vec<usize>,
    file: Option<&'static str>,
}

#[derive(Default)]
struct RandomReport {
    xml: String,
    cases: Vec<KnownCase>,
    faults: Vec<KnownFault>,
    suites: usize,
}

/// What a suite contains, for the counts of the one around it.
#[derive(Clone, Copy, Default)]
struct Content {
    cases: usize,
    failures: usize,
}

impl RandomReport {
    fn new(dice: &mut Dice) -> Self {
        let mut report = Self::default();
        report.suite(dice, &[], None, "testsuites");
        report
    }

    fn suite(&mut self, dice: &mut Dice, around: &[usize], inherited: Option<&'static str>, tag: &str) -> Content {
        let within = [around, &[self.suites]].concat();
        self.suites += 1;
        let is_root = around.is_empty();
        let own_file = (!is_root && dice.one_of(3)).then(|| SAID[dice.roll(4)]);
        let file = own_file.or(inherited);
        let before = std::mem::take(&mut self.xml);
        let (mut own, mut inner) = (Content::default(), Content::default());
        for _ in 0..dice.roll(4) {
            own.cases += 1;
            own.failures += usize::from(self.case(dice, &within, file) == State::Failed);
        }
        for _ in 0..if around.len() < 3 { dice.roll(if is_root { 4 } else { 3 }) } else { 0 } {
            let content = self.suite(dice, &within, file, "testsuite");
            inner.cases += content.cases;
            inner.failures += content.failures;
        }
        let all = Content { cases: own.cases + inner.cases, failures: own.failures + inner.failures };
        let is_with_inner = inner.cases == 0 || dice.one_of(2);
        let mut counted = if is_with_inner { all } else { own };
        let (mut lies, mut element) = (0, "");
        match dice.roll(24) {
            0 => lies = 1,
            1 => (lies, element) = (1, "<error message='broken'/>"),
            2 => element = "<failure>broken</failure>",
            _ => {}
        }
        counted.failures += lies;
        if lies > 0 || !element.is_empty() {
            self.faults.push(KnownFault { within, file: own_file });
        }
        let place = own_file.map(|file| format!(" file='{file}'")).unwrap_or_default();
        let (name, body) = (self.suites, std::mem::replace(&mut self.xml, before));
        let counts = if dice.one_of(4) && lies == 0 {
            String::new()
        } else {
            format!(" tests='{}' failures='{}' errors='0'", counted.cases, counted.failures)
        };
        self.xml += &format!("<{tag} name='s{name}'{place}{counts}>{body}{element}</{tag}>");
        // a writer counts what lies within, failures of suites included
        Content { failures: all.failures + usize::from(lies > 0 || !element.is_empty()), ..all }
    }

    fn case(&mut self, dice: &mut Dice, within: &[usize], inherited: Option<&'static str>) -> State {
        let own_file = dice.one_of(3).then(|| SAID[dice.roll(4)]);
        let is_outside = dice.one_of(14);
        let state = match dice.roll(9) {
            _ if is_outside => State::Failed,
            0 => State::Failed,
            1 => State::Skipped,
            _ => State::Passed,
        };
        let (name, class) = match (is_outside, dice.roll(3)) {
            (true, 0) => ("", "a class"),
            (true, 1) => ("TestMain", ""),
            (true, _) => ("setUpClass (C)", "a class"),
            (false, _) => (NAMES[dice.roll(5)], "a class"),
        };
        let part = match state {
            State::Passed => "",
            State::Failed => "<failure/>",
            State::Skipped => "<skipped/>",
        };
        let place = own_file.map(|file| format!(" file='{file}'")).unwrap_or_default();
        self.xml += &format!("<testcase name='{name}' classname='{class}'{place}>{part}</testcase>");
        let file = own_file.or(inherited);
        self.cases.push(KnownCase { within: within.to_vec(), file, name, state, is_outside });
        state
    }

    /// Whether a pass of the scenario with this test may be filed.
    fn may_pass(&self, test: &str, name: Option<&str>) -> bool {
        let holds = |file: &str| file == test || file.starts_with(&format!("{test}/"));
        let has = |file: &str| holds(file) && file != GONE;
        let is_mine = |case: &&KnownCase| match name {
            None => case.file.is_some_and(has),
            Some(name) => case.name == name && case.file.is_none_or(has),
        };
        let mine: Vec<&KnownCase> = self.cases.iter().filter(is_mine).collect();
        let twins = |case: &KnownCase| self.cases.iter().filter(|other| other.name == case.name).count();
        let is_known = mine.iter().all(|case| case.file.is_some() || twins(case) == 1);
        let all_passed = !mine.is_empty() && mine.iter().all(|case| case.state == State::Passed);
        let is_in = |suite: usize| mine.iter().any(|case| case.within.contains(&suite));
        let is_at = |of: &str| holds(of) || mine.iter().any(|case| case.file == Some(of));
        // the nearest suite around a failure that has a test in it
        let nearest = |within: &[usize]| {
            let has_test =
                |suite: &&usize| self.cases.iter().any(|case| !case.is_outside && case.within.contains(suite));
            within.iter().rev().find(has_test).copied().unwrap_or(within[0])
        };
        let is_in_last = |within: &[usize]| within.last().is_some_and(|suite| is_in(*suite));
        let by_case = self.cases.iter().filter(|case| case.is_outside).any(|case| match case.file {
            Some(GONE) => holds(GONE) || is_in_last(&case.within),
            Some(of) => is_at(of),
            None => is_in(nearest(&case.within)),
        });
        let by_suite = self.faults.iter().any(|fault| match fault.file {
            Some(GONE) => holds(GONE) || is_in(nearest(&fault.within)),
            Some(of) => is_at(of) || is_in_last(&fault.within),
            None => is_in(nearest(&fault.within)),
        });
        // a failed test may lie in the path if its place is not known
        let by_test = name.is_none()
            && self.cases.iter().filter(|case| case.state == State::Failed && !case.is_outside).any(|case| match case
                .file
            {
                None => is_in_last(&case.within),
                Some(of) => of == GONE && holds(GONE),
            });
        is_known && all_passed && !by_case && !by_suite && !by_test
    }
}

#[test]
fn a_slow_judge_files_the_same_passes_of_random_reports() {
    let (ground, mut dice) = (files(&FILES), Dice(9));
    let (mut passes, mut held) = (0, 0);
    for step in 0..600 {
        let report = RandomReport::new(&mut dice);
        let read = parsed(report.xml.as_bytes());
        for file in TESTS {
            for name in NAMES.iter().map(|name| Some(*name)).chain([None]) {
                let found = matched(&read, &ground, &[target(file, name.unwrap_or_default())], &[], None);
                let is_pass = matches!(&found.fates[&0], ImportFate::Reading { status: Status::Pass, .. });
                let why = || format!("step {step}, {file} {name:?}: {:?}\n{}", found.fates, report.xml);
                assert_eq!(is_pass, report.may_pass(file, name), "{}", why());
                passes += usize::from(is_pass);
                held += usize::from(
                    matches!(&found.fates[&0], ImportFate::Skipped { why, .. } if why.starts_with("broken")),
                );
            }
        }
    }
    assert!(passes > 300 && held > 300, "{passes} passes and {held} held back say too little");
}
