//! Reports in the XML format of JUnit's Ant task, which every test runner writes: `testsuites`, `testsuite`, `testcase`.
//!
//! A document type is refused, so that XML's own five entities are the only ones, and no entity can grow or read a file.
//! `properties` and the output of suites are skipped, because some runners write their whole environment there.
//!
//! A failure may stand outside of all cases: as an element of a suite, or as a count that the cases do not explain. It is a
//! fault of the suite. What no verdict needs is not judged: bytes in an output that are not UTF-8, references to characters
//! that XML forbids.

mod attributes;
mod counts;
mod tries;

use super::{
    ABORTED, CaseState, MAX_CASES, MAX_DEPTH, NOT_UTF8, ReportFault, TestCase, TestReport, TestSuite, ToldKind,
    forgiving_text, refusal,
};
use crate::text::escape::echo;
use crate::text::xml::{refuse_other_than_utf8, resolved};
use attributes::Attributes;
use counts::SuiteCounts;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use tries::SameName;

/// The name in this program's own report of scenarios. Such a report is refused, because it would prove a reading by
/// itself.
const OURS: &str = "yatsu-hook";

/// Reads a report.
///
/// # Errors
/// The first fault: not well-formed, a limit exceeded, another format, or this program's own report.
pub fn parse(bytes: &[u8]) -> Result<TestReport, ReportFault> {
    let text = forgiving_text(bytes)?;
    if let Some(sentence) = refusal::of_text(&text) {
        return Err(ReportFault::at(&text, 0, sentence));
    }
    let mut reader = Reader::from_str(&text);
    let mut walk = Walk::new(matches!(text, Cow::Borrowed(_)));
    loop {
        let before = position(&reader);
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
            ReportFault::at(&text, at, format!("the report is no XML: {error}"))
        })?;
        let is_end = matches!(event, Event::Eof);
        walk.event(event).map_err(|message| ReportFault::at(&text, before, message))?;
        if is_end {
            return Ok(walk.report());
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Suites,
    Suite,
    Case,
    /// A part of a case, with its kind of text.
    Part(ToldKind),
    /// A failure that stands in a suite and in none of its cases.
    Fault,
    /// An element that is skipped with its content.
    Passed,
}

/// A case while it is read.
struct OpenCase {
    case: TestCase,
    /// How many failures and errors it carries.
    failures: u64,
    /// Whether it has a `status` or a `result`.
    has_word: bool,
}

impl OpenCase {
    /// Whether the run ended within this case. pytest then writes `<testcase time="0.000" />`.
    fn is_aborted(&self) -> bool {
        let Self { case, has_word, .. } = self;
        case.state == CaseState::Passed && !has_word && case.is_nameless()
    }
}

/// An error is one sentence.
type Step = Result<(), String>;

struct Walk {
    is_utf8: bool,
    open: Vec<Open>,
    /// The open suites. The first is the whole file.
    suites: Vec<SuiteCounts>,
    /// The open case; it moves to the end of the report when it is closed.
    case: Option<OpenCase>,
    seen_root: bool,
    report: TestReport,
    /// For each suite of the report.
    same_name: Vec<SameName>,
}

impl Walk {
    fn new(is_utf8: bool) -> Self {
        Self {
            is_utf8,
            open: Vec::new(),
            suites: vec![SuiteCounts::default()],
            case: None,
            seen_root: false,
            report: TestReport::of_file(),
            same_name: vec![SameName::default()],
        }
    }

    fn event(&mut self, event: Event<'_>) -> Step {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::Empty(tag) => {
                self.start(&tag)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(_) if self.open.last() == Some(&Open::Passed) => Ok(()),
            Event::GeneralRef(reference) => self.text(&referenced(&reference)?),
            Event::Decl(declaration) => refuse_other_than_utf8(&declaration, "report"),
            Event::DocType(_) => Err("the report declares a document type; entities are not read".into()),
            Event::Comment(_) | Event::PI(_) => Ok(()),
            Event::Eof if !self.open.is_empty() => Err("the report ends in the middle".into()),
            Event::Eof if !self.seen_root => Err("the report is empty".into()),
            Event::Eof => Ok(()),
        }
    }

    /// The report, after its end.
    fn report(mut self) -> TestReport {
        self.close_suite();
        self.report.cases = tries::joined(self.report.cases, &self.same_name);
        self.report
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Step {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the report is nested deeper than {MAX_DEPTH} elements"));
        }
        let name = tag.local_name();
        let attributes = Attributes::of(tag, self.is_utf8)?;
        let open = match (self.open.last(), name.as_ref()) {
            (None, name) => self.root(name, attributes)?,
            (Some(Open::Suites | Open::Suite), "testsuite") => self.suite(attributes)?,
            (Some(Open::Suites | Open::Suite), "testcase") => self.begin(attributes)?,
            (Some(Open::Suites | Open::Suite), "failure" | "error") => self.fault(attributes),
            (Some(Open::Case), "testcase") => return Err("a test case stands within another".into()),
            (Some(Open::Case), name) => self.part(name, attributes),
            (Some(Open::Part(_)), "system-out") => Open::Part(ToldKind::Out),
            (Some(Open::Part(_)), "system-err") => Open::Part(ToldKind::Err),
            // surefire writes the trace of a repeated failure as a separate element
            (Some(Open::Part(kind)), "stackTrace") => Open::Part(*kind),
            (Some(Open::Passed), "property") => self.property(&attributes),
            (Some(_), _) => Open::Passed,
        };
        self.open.push(open);
        Ok(())
    }

    fn root(&mut self, name: &str, attributes: Attributes) -> Result<Open, String> {
        if std::mem::replace(&mut self.seen_root, true) {
            return Err("the report goes on after its end".into());
        }
        match name {
            "testsuites" if attributes.name.as_deref() == Some(OURS) => {
                Err("this is yatsu-hook's own report of scenarios: it says what was filed, and proves nothing".into())
            }
            "testsuites" => {
                self.suites = vec![SuiteCounts::of(0, &attributes)];
                self.report.suites[0].name = attributes.name.unwrap_or_default();
                Ok(Open::Suites)
            }
            "testsuite" => self.suite(attributes),
            other => Err(refusal::of_element(other).map_or_else(
                || format!("`{}` is no report of tests: it begins with `testsuites` or `testsuite`", echo(other)),
                str::to_owned,
            )),
        }
    }

    /// The innermost open suite, by its index in the report.
    fn nearest(&self) -> usize {
        self.suites.last().map(|suite| suite.index).unwrap_or_default()
    }

    fn suite(&mut self, attributes: Attributes) -> Result<Open, String> {
        if self.report.suites.len() > MAX_CASES {
            return Err(format!("the report has more than {MAX_CASES} suites"));
        }
        let around = Some(self.nearest());
        self.suites.push(SuiteCounts::of(self.report.suites.len(), &attributes));
        let name = attributes.name.unwrap_or_default();
        // the name of the root is the newer one, and the one of the suite is an option of pytest
        let is_pytest = name == "pytest" || self.report.suites[0].name == "pytest tests";
        self.same_name.push(if is_pytest { SameName::TryAfterFailure } else { SameName::OtherTest });
        self.report.suites.push(TestSuite {
            name,
            file: attributes.file,
            around,
            host: attributes.hostname.filter(|host| !host.trim().is_empty()),
            ..TestSuite::default()
        });
        Ok(Open::Suite)
    }

    /// A property of a suite: gotestsum and go-junit-report write the version of Go.
    fn property(&mut self, attributes: &Attributes) -> Open {
        let suite = self.nearest();
        if self.case.is_none() && attributes.name.as_deref() == Some("go.version") {
            self.same_name[suite] = SameName::Try;
        }
        Open::Passed
    }

    /// A failure of the innermost open suite itself. The first one of a suite is enough.
    fn fault(&mut self, attributes: Attributes) -> Open {
        let Some(suite) = self.suites.last_mut() else { return Open::Passed };
        suite.add(0, 1);
        match &mut self.report.suites[suite.index].fault {
            Some(_) => Open::Passed,
            none => {
                *none = Some(attributes.message.unwrap_or_default() + "\n");
                Open::Fault
            }
        }
    }

    fn begin(&mut self, attributes: Attributes) -> Result<Open, String> {
        if self.report.cases.len() >= MAX_CASES {
            return Err(format!("the report has more than {MAX_CASES} cases"));
        }
        let (suite, state, has_word) = (self.nearest(), attributes.state(), attributes.has_word());
        let mut around = self.report.suites_around(suite);
        let case = TestCase {
            file: attributes.file.or_else(|| around.find_map(|(_, suite)| suite.file.clone())),
            suite,
            classname: attributes.classname.unwrap_or_default(),
            name: attributes.name.unwrap_or_default(),
            state,
            told: Vec::new(),
            tries: Vec::new(),
        };
        self.case = Some(OpenCase { case, failures: 0, has_word });
        Ok(Open::Case)
    }

    fn part(&mut self, name: &str, attributes: Attributes) -> Open {
        let Some(OpenCase { case, failures, .. }) = &mut self.case else { return Open::Passed };
        let (state, kind) = match name {
            "failure" | "error" => {
                *failures += 1;
                (Some(CaseState::Failed), ToldKind::Details)
            }
            "flakyFailure" | "flakyError" => (Some(CaseState::Flaky), ToldKind::Details),
            // a test that failed as expected did run
            "skipped" if attributes.is_expected_failure() => (None, ToldKind::Details),
            "skipped" => (Some(CaseState::Skipped), ToldKind::Details),
            "system-out" => (None, ToldKind::Out),
            "system-err" => (None, ToldKind::Err),
            // rerunFailure, rerunError, and other names for a repetition
            other if other.starts_with("rerun") => (Some(CaseState::Flaky), ToldKind::Details),
            _ => return Open::Passed,
        };
        case.state = state.map_or(case.state, |state| case.state.worse(state));
        let message = attributes.message.filter(|message| !message.trim().is_empty());
        case.told.extend(message.map(|message| (ToldKind::Message, message)));
        case.told.push((kind, String::new()));
        Open::Part(kind)
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Suite) => self.close_suite(),
            Some(Open::Case) => self.close_case(),
            Some(Open::Fault) => {
                let suite = self.nearest();
                self.report.suites[suite].fault.iter_mut().for_each(|fault| *fault = first_line(fault));
            }
            _ => {}
        }
    }

    fn close_case(&mut self) {
        let Some(open) = self.case.take() else { return };
        let is_aborted = open.is_aborted();
        let OpenCase { mut case, failures, .. } = open;
        if is_aborted {
            case.state = CaseState::Unknown;
            self.report.suites[case.suite].fault.get_or_insert_with(|| ABORTED.to_owned());
        }
        case.told.retain(|(_, text)| !text.trim().is_empty());
        if let Some(suite) = self.suites.last_mut() {
            suite.add(1, failures.max(u64::from(case.state == CaseState::Failed)));
        }
        self.report.cases.push(case);
    }

    /// Ends the innermost open suite, or the file.
    fn close_suite(&mut self) {
        let Some(suite) = self.suites.pop() else { return };
        let fault = &mut self.report.suites[suite.index].fault;
        *fault = fault.take().or_else(|| suite.fault());
        if let Some(around) = self.suites.last_mut() {
            around.add_inner(&suite);
        }
    }

    fn text(&mut self, text: &str) -> Step {
        let suite = self.nearest();
        match (self.open.last(), &mut self.case) {
            (Some(Open::Part(kind)), Some(OpenCase { case, .. })) => match case.told.last_mut() {
                Some((last, told)) if last == kind => told.push_str(text),
                _ => case.told.push((*kind, text.to_owned())),
            },
            (Some(Open::Fault), _) => {
                self.report.suites[suite].fault.iter_mut().for_each(|fault| fault.push_str(text));
            }
            (None, _) if !self.is_utf8 && text.contains(char::REPLACEMENT_CHARACTER) => return Err(NOT_UTF8.into()),
            (None, _) if !text.trim().is_empty() => return Err("text stands outside of the report".into()),
            _ => {}
        }
        Ok(())
    }
}

/// The first line of a failure that is not blank.
fn first_line(fault: &str) -> String {
    let line = fault.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or("a failure without a message").to_owned()
}

/// The text of a reference. A number that is no character stays as it is written, for example `&#0;`.
fn referenced(reference: &BytesRef<'_>) -> Result<String, String> {
    match resolved(reference) {
        Err(_) if reference.is_char_ref() => Ok(format!("&{};", &**reference)),
        known => known,
    }
}

#[cfg(test)]
mod tests;
