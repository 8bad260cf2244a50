//! Reports in the XML format of JUnit's Ant task, which every test runner writes: `testsuites`, `testsuite`, `testcase`.
//!
//! A document type is refused, so that XML's own five entities are the only ones, and no entity can grow or read a file.
//! `properties` and the output of suites are skipped, because some runners write their whole environment there.

use super::{CaseState, MAX_CASES, MAX_DEPTH, ReportFault, TestCase, ToldKind, text_of};
use crate::text::escape::echo;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

/// The name in this program's own report of scenarios. Such a report is refused, because it would prove a reading by
/// itself.
const OURS: &str = "yatsu-hook";

/// How many attributes one element may have, because checking for duplicates compares all pairs.
const MAX_ATTRIBUTES: usize = 64;

/// Reads a report.
///
/// # Errors
/// The first fault: not well-formed, a limit exceeded, another format, or this program's own report.
pub fn parse(bytes: &[u8]) -> Result<Vec<TestCase>, ReportFault> {
    let text = text_of(bytes)?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let mut walk = Walk::default();
    loop {
        let before = position(&reader);
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
            ReportFault::at(text, at, format!("the report is no XML: {error}"))
        })?;
        let is_end = matches!(event, Event::Eof);
        walk.event(event).map_err(|message| ReportFault::at(text, before, message))?;
        if is_end {
            return Ok(walk.cases);
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
    /// An element that is skipped with its content.
    Passed,
}

/// A suite around the current element.
struct AroundSuite {
    name: String,
    file: Option<String>,
}

/// An error is one sentence.
type Step = Result<(), String>;

#[derive(Default)]
struct Walk {
    open: Vec<Open>,
    suites: Vec<AroundSuite>,
    /// The open case; it moves to the end of `cases` when it is closed.
    case: Option<TestCase>,
    seen_root: bool,
    cases: Vec<TestCase>,
}

impl Walk {
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
            Event::GeneralRef(reference) => self.text(&resolved(&reference)?),
            Event::Decl(declaration) => refuse_other_than_utf8(&declaration, "report"),
            Event::DocType(_) => Err("the report declares a document type; entities are not read".into()),
            Event::Comment(_) | Event::PI(_) => Ok(()),
            Event::Eof if !self.open.is_empty() => Err("the report ends in the middle".into()),
            Event::Eof if !self.seen_root => Err("the report is empty".into()),
            Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Step {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the report is nested deeper than {MAX_DEPTH} elements"));
        }
        let name = tag.local_name();
        let attributes = Attributes::of(tag)?;
        let open = match (self.open.last(), name.as_ref()) {
            (None, name) => self.root(name, attributes)?,
            (Some(Open::Suites | Open::Suite), "testsuite") => self.suite(attributes),
            (Some(Open::Suites | Open::Suite), "testcase") => self.begin(attributes)?,
            (Some(Open::Case), "testcase") => return Err("a test case stands within another".into()),
            (Some(Open::Case), name) => self.part(name, attributes),
            (Some(Open::Part(_)), "system-out") => Open::Part(ToldKind::Out),
            (Some(Open::Part(_)), "system-err") => Open::Part(ToldKind::Err),
            // surefire writes the trace of a repeated failure as a separate element
            (Some(Open::Part(kind)), "stackTrace") => Open::Part(*kind),
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
            "testsuites" => Ok(Open::Suites),
            "testsuite" => Ok(self.suite(attributes)),
            other => {
                Err(format!("`{}` is no report of tests: it begins with `testsuites` or `testsuite`", echo(other)))
            }
        }
    }

    fn suite(&mut self, attributes: Attributes) -> Open {
        self.suites.push(AroundSuite { name: attributes.name.unwrap_or_default(), file: attributes.file });
        Open::Suite
    }

    fn begin(&mut self, attributes: Attributes) -> Result<Open, String> {
        if self.cases.len() >= MAX_CASES {
            return Err(format!("the report has more than {MAX_CASES} cases"));
        }
        let around = || self.suites.iter().rev();
        let state = attributes.status.as_deref().map_or(CaseState::Passed, state_of);
        self.case = Some(TestCase {
            file: attributes.file.or_else(|| around().find_map(|suite| suite.file.clone())),
            suites: around().map(|suite| suite.name.clone()).collect(),
            classname: attributes.classname.unwrap_or_default(),
            name: attributes.name.unwrap_or_default(),
            state,
            told: Vec::new(),
        });
        Ok(Open::Case)
    }

    fn part(&mut self, name: &str, attributes: Attributes) -> Open {
        let Some(case) = &mut self.case else { return Open::Passed };
        let (state, kind) = match name {
            "failure" | "error" => (Some(CaseState::Failed), ToldKind::Details),
            "flakyFailure" | "flakyError" => (Some(CaseState::Flaky), ToldKind::Details),
            "skipped" => (Some(CaseState::Skipped), ToldKind::Details),
            "system-out" => (None, ToldKind::Out),
            "system-err" => (None, ToldKind::Err),
            // rerunFailure, rerunError, and other names for a repetition
            other if other.starts_with("rerun") => (Some(CaseState::Flaky), ToldKind::Details),
            _ => return Open::Passed,
        };
        case.state = state.map_or(case.state, |state| worse(case.state, state));
        let message = attributes.message.filter(|message| !message.trim().is_empty());
        case.told.extend(message.map(|message| (ToldKind::Message, message)));
        case.told.push((kind, String::new()));
        Open::Part(kind)
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Suite) => {
                self.suites.pop();
            }
            Some(Open::Case) => {
                let mut case = self.case.take();
                case.iter_mut().for_each(|case| case.told.retain(|(_, text)| !text.trim().is_empty()));
                self.cases.extend(case);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> Step {
        match (self.open.last(), &mut self.case) {
            (Some(Open::Part(kind)), Some(case)) => match case.told.last_mut() {
                Some((last, told)) if last == kind => told.push_str(text),
                _ => case.told.push((*kind, text.to_owned())),
            },
            (None, _) if !text.trim().is_empty() => return Err("text stands outside of the report".into()),
            _ => {}
        }
        Ok(())
    }
}

#[derive(Default)]
struct Attributes {
    name: Option<String>,
    classname: Option<String>,
    file: Option<String>,
    status: Option<String>,
    message: Option<String>,
}

impl Attributes {
    fn of(tag: &BytesStart<'_>) -> Result<Self, String> {
        let mut found = Self::default();
        let mut path = None;
        for (index, attribute) in tag.attributes().enumerate() {
            if index >= MAX_ATTRIBUTES {
                return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
            let attribute = attribute.map_err(|error| format!("the report is no XML: {error}"))?;
            let slot = match attribute.key.local_name().as_ref() {
                "name" => &mut found.name,
                "classname" => &mut found.classname,
                "file" => &mut found.file,
                "filepath" => &mut path,
                "status" => &mut found.status,
                "message" => &mut found.message,
                _ => continue,
            };
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            *slot = Some(value.map_err(|error| format!("the report is no XML: {error}"))?.into_owned());
        }
        found.file = found.file.or(path).filter(|file| !file.trim().is_empty());
        Ok(found)
    }
}

/// Refuses a declaration of another encoding. `what` names the document, for example `report`.
pub(crate) fn refuse_other_than_utf8(declaration: &BytesDecl<'_>, what: &str) -> Result<(), String> {
    match declaration.encoding() {
        None => Ok(()),
        Some(Ok(name)) if name.eq_ignore_ascii_case("utf-8") => Ok(()),
        Some(Ok(name)) => Err(format!("the {what} says that it is {}; only UTF-8 is read", echo(&name))),
        Some(Err(error)) => Err(format!("the {what} is no XML: {error}")),
    }
}

/// The text of a reference: a character by its number, or one of XML's own five entities.
pub(crate) fn resolved(reference: &BytesRef<'_>) -> Result<String, String> {
    let character = reference.resolve_char_ref().map_err(|error| format!("the reference is no XML: {error}"))?;
    if let Some(character) = character {
        return Ok(character.to_string());
    }
    let name = reference.xml10_content();
    let known = resolve_predefined_entity(&name);
    known.map(str::to_owned).ok_or_else(|| format!("the entity `{}` is not declared, and none are read", echo(&name)))
}

/// The state for a `status`. Most runners write none; an unknown word is no pass.
fn state_of(status: &str) -> CaseState {
    match status.trim().to_ascii_lowercase().as_str() {
        "" | "run" | "passed" | "pass" | "success" | "successful" | "succeeded" | "ok" | "completed" => {
            CaseState::Passed
        }
        "failed" | "fail" | "failure" | "error" => CaseState::Failed,
        "flaky" => CaseState::Flaky,
        _ => CaseState::Skipped,
    }
}

/// The worse of two states of one case.
fn worse(one: CaseState, other: CaseState) -> CaseState {
    let rank = |state| match state {
        CaseState::Failed => 3,
        CaseState::Flaky => 2,
        CaseState::Skipped => 1,
        CaseState::Passed => 0,
    };
    if rank(one) >= rank(other) { one } else { other }
}

#[cfg(test)]
mod tests;
