//! Scenarios as test cases in JUnit XML: a suite for each node, a case for each scenario, and a case for each error that
//! belongs to no scenario. `schema/junit.v1.xsd` describes it.
//!
//! The verdict is the same as in other formats: a case is a failure or an error only if the scenario fails or a finding
//! about it blocks. There are no times, hosts or evidence. Characters that XML cannot hold become U+FFFD; control characters
//! become character references.

use super::annotations::place;
use super::view::Report;
use super::view::score::ReadingState;
use super::view::tally::ScenarioStand;
use super::view::verdict::ShownVerdict;
use crate::finding::{Axis, Finding, RuleId};
use crate::text::escape::terminal;
use bstr::{BStr, ByteSlice};
use quick_xml::Writer;
use quick_xml::events::attributes::Attr;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The name of the document, and of the suite for errors without a scenario. The import of reports knows this name and
/// refuses it.
const NAME: &str = "yatsu-hook";

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CaseOutcome {
    Passed,
    Skipped,
    Failure,
    Error,
}

struct JunitCase {
    name: String,
    outcome: CaseOutcome,
    message: String,
}

/// The cases of one node, by its directory.
struct JunitSuite {
    name: String,
    cases: Vec<JunitCase>,
}

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let suites = suites(report);
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    open(&mut xml, "testsuites", counted(NAME, all()), suites.is_empty())?;
    for suite in &suites {
        open(&mut xml, "testsuite", counted(&suite.name, suite.cases.iter()), false)?;
        suite.cases.iter().try_for_each(|case| write_case(&mut xml, &suite.name, case))?;
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    if !suites.is_empty() {
        xml.write_event(Event::End(BytesEnd::new("testsuites")))?;
    }
    out.write_all(&xml.into_inner())?;
    out.write_all(b"\n")
}

/// The suites in the order of their directories. The suite of errors that belong to no scenario comes last.
fn suites(report: &Report) -> Vec<JunitSuite> {
    let blocking = blocking(report);
    let mut nodes: BTreeMap<&BStr, Vec<JunitCase>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for stand in &report.scenarios {
        let key = (stand.dir.as_bstr(), stand.name.as_str());
        known.insert(key);
        let against = blocking.get(&key).map(Vec::as_slice).unwrap_or_default();
        let cases = nodes.entry(stand.dir.as_bstr()).or_default();
        match stand.environments.as_slice() {
            [] => cases.push(case_of(stand, against)),
            environments => cases.extend(environments.iter().map(|(env, one)| of_environment(env, one, against))),
        }
    }
    let name = |dir: &BStr| if dir.is_empty() { ".".to_owned() } else { dir.to_str_lossy().into_owned() };
    let mut suites: Vec<JunitSuite> =
        nodes.into_iter().map(|(dir, cases)| JunitSuite { name: name(dir), cases }).collect();
    let others = report.findings.iter().filter(|finding| finding.blocks());
    let mut others: Vec<JunitCase> =
        others.filter(|finding| subject(finding).is_none_or(|key| !known.contains(&key))).map(stray).collect();
    others.extend(report.unchecked.as_ref().map(|(message, _)| JunitCase {
        name: "could not check".to_owned(),
        outcome: CaseOutcome::Error,
        message: message.clone(),
    }));
    if !others.is_empty() {
        suites.push(JunitSuite { name: NAME.to_owned(), cases: others });
    }
    suites
}

/// The blocking findings, by the node's directory and the scenario.
fn blocking(report: &Report) -> BTreeMap<(&BStr, &str), Vec<&Finding>> {
    let mut found: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.blocks()) {
        if let Some(key) = subject(finding) {
            found.entry(key).or_default().push(finding);
        }
    }
    found
}

fn subject(finding: &Finding) -> Option<(&BStr, &str)> {
    Some((finding.node.as_ref()?.dir.as_bstr(), finding.scenario.as_deref()?))
}

fn case_of(stand: &ScenarioStand, against: &[&Finding]) -> JunitCase {
    let blocked = if against.is_empty() { CaseOutcome::Skipped } else { CaseOutcome::Failure };
    let note = stand.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    let errors: Vec<&Finding> = against.iter().filter(|finding| !says_state(finding.rule)).copied().collect();
    let (outcome, state) = match (&stand.state, stand.verdict) {
        (ReadingState::NotJudged(reason), _) => (CaseOutcome::Error, Some(format!("not judged: {reason}"))),
        (ReadingState::Fresh, Some(ShownVerdict::Fail)) => (CaseOutcome::Failure, Some(format!("fail{note}"))),
        (ReadingState::Fresh, Some(ShownVerdict::Pass)) if against.is_empty() => (CaseOutcome::Passed, None),
        (ReadingState::Fresh, Some(ShownVerdict::Pass)) => (CaseOutcome::Error, None),
        (ReadingState::Fresh, _) => (blocked, Some(format!("legacy{note}"))),
        (ReadingState::Stale(axes), _) => (blocked, Some(format!("stale: {}", moved(axes, stand)))),
        // a malformed scenario is usually unmeasured too; then only its errors are said, because they come first to mend
        (ReadingState::Unmeasured, _) => (blocked, errors.is_empty().then(|| "unmeasured".to_owned())),
    };
    let errors = errors.iter().map(|finding| format!("{}: {}", finding.rule.as_str(), finding.message));
    let message = state.into_iter().chain(errors).collect::<Vec<_>>().join("; ");
    JunitCase { name: stand.name.clone(), outcome, message }
}

/// The case of a scenario in one environment, with the findings that are about it, or about all of them.
fn of_environment(env: &str, stand: &ScenarioStand, against: &[&Finding]) -> JunitCase {
    let about: Vec<&Finding> =
        against.iter().filter(|finding| finding.env.as_deref().is_none_or(|of| of == env)).copied().collect();
    let case = case_of(stand, &about);
    JunitCase { name: format!("{} [{env}]", case.name), ..case }
}

/// Whether findings of this rule only repeat the state of the scenario.
fn says_state(rule: RuleId) -> bool {
    matches!(rule, RuleId::YatsuMissing | RuleId::YatsuDrift | RuleId::YatsuFailing)
}

/// Why the scenario is stale: the axes, and the moved paths.
fn moved(axes: &[Axis], stand: &ScenarioStand) -> String {
    let paths: Vec<_> = stand.moved.iter().map(|path| path.to_str_lossy()).collect();
    let code = if paths.is_empty() { "code".to_owned() } else { format!("code: {}", paths.join(", ")) };
    let name = |axis: &Axis| match axis {
        Axis::Code => code.clone(),
        Axis::Evaluator if !stand.test.is_empty() => "evaluator: the test changed".to_owned(),
        Axis::Anchor | Axis::Scenario | Axis::Evaluator => axis.as_str().to_owned(),
    };
    axes.iter().map(name).collect::<Vec<_>>().join("; ")
}

/// An error that belongs to no scored scenario.
fn stray(finding: &Finding) -> JunitCase {
    let place = place(finding).map(|place| {
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!(" {}{line}", place.path.to_str_lossy())
    });
    let name = format!("{}{}", finding.rule.as_str(), place.unwrap_or_default());
    JunitCase { name, outcome: CaseOutcome::Error, message: finding.message.clone() }
}

/// The attributes of a suite: its name and the counts of its cases by outcome.
fn counted<'c>(name: &str, cases: impl Iterator<Item = &'c JunitCase>) -> Vec<(&'static str, String)> {
    let mut counts = BTreeMap::new();
    let mut tests = 0usize;
    for case in cases {
        tests += 1;
        *counts.entry(case.outcome).or_insert(0usize) += 1;
    }
    let of = |outcome| counts.get(&outcome).copied().unwrap_or_default().to_string();
    vec![
        ("name", name.to_owned()),
        ("tests", tests.to_string()),
        ("failures", of(CaseOutcome::Failure)),
        ("errors", of(CaseOutcome::Error)),
        ("skipped", of(CaseOutcome::Skipped)),
    ]
}

fn write_case(xml: &mut Writer<Vec<u8>>, suite: &str, case: &JunitCase) -> io::Result<()> {
    let attributes = vec![("classname", suite.to_owned()), ("name", case.name.clone())];
    let element = match case.outcome {
        CaseOutcome::Passed => return open(xml, "testcase", attributes, true),
        CaseOutcome::Skipped => "skipped",
        CaseOutcome::Failure => "failure",
        CaseOutcome::Error => "error",
    };
    open(xml, "testcase", attributes, false)?;
    open(xml, element, vec![("message", case.message.clone())], true)?;
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

fn open(
    xml: &mut Writer<Vec<u8>>,
    name: &str,
    attributes: Vec<(&'static str, String)>,
    is_empty: bool,
) -> io::Result<()> {
    let mut element = BytesStart::new(name);
    for (key, value) in &attributes {
        let value = encoded(value);
        element.push_attribute(Attr::DoubleQ(*key, value.as_str()));
    }
    xml.write_event(if is_empty { Event::Empty(element) } else { Event::Start(element) })
}

/// The value of an attribute. Markup and control characters become character references, characters that XML cannot hold
/// become U+FFFD.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let mut utf8 = [0; 4];
        let one: &str = c.encode_utf8(&mut utf8);
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if terminal(one) != one => out.push_str(&format!("&#x{:x};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
