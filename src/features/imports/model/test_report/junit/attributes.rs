//! The attributes of an element that a verdict needs, and the message of a failure.

use super::super::{CaseState, NOT_UTF8};
use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart};
use std::borrow::Cow;

/// How many attributes one element may have, because checking for duplicates compares all pairs.
pub(super) const MAX_ATTRIBUTES: usize = 64;
/// Longest reference to a character that is looked at, in bytes. A longer one is no XML.
const MAX_REFERENCE: usize = 32;

#[derive(Default)]
pub(super) struct Attributes {
    pub(super) name: Option<String>,
    pub(super) classname: Option<String>,
    pub(super) file: Option<String>,
    pub(super) message: Option<String>,
    /// Where a suite ran.
    pub(super) hostname: Option<String>,
    /// The `type` of a failure or a skip, for example `pytest.xfail`.
    pub(super) kind: Option<String>,
    status: Option<String>,
    result: Option<String>,
    failures: Option<String>,
    errors: Option<String>,
    tests: Option<String>,
    skipped: Option<String>,
    disabled: Option<String>,
}

impl Attributes {
    /// `is_utf8`: whether all bytes of the report are UTF-8. A damaged message is read, a damaged name is not.
    pub(super) fn of(tag: &BytesStart<'_>, is_utf8: bool) -> Result<Self, String> {
        let mut found = Self::default();
        let mut path = None;
        for (index, attribute) in tag.attributes().enumerate() {
            if index >= MAX_ATTRIBUTES {
                return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
            let attribute = attribute.map_err(|error| format!("the report is no XML: {error}"))?;
            let key = attribute.key.local_name();
            let slot = match key.as_ref() {
                "name" => &mut found.name,
                "classname" => &mut found.classname,
                "file" => &mut found.file,
                "filepath" => &mut path,
                "message" => &mut found.message,
                "hostname" => &mut found.hostname,
                "type" => &mut found.kind,
                "status" => &mut found.status,
                "result" => &mut found.result,
                "failures" => &mut found.failures,
                "errors" => &mut found.errors,
                "tests" => &mut found.tests,
                "skipped" => &mut found.skipped,
                "disabled" => &mut found.disabled,
                _ => continue,
            };
            let is_needed = key.as_ref() != "message";
            let value = text(attribute)?;
            if is_needed && !is_utf8 && value.contains(char::REPLACEMENT_CHARACTER) {
                return Err(NOT_UTF8.to_owned());
            }
            *slot = Some(value);
        }
        found.file = found.file.or(path).filter(|file| !file.trim().is_empty());
        Ok(found)
    }

    /// The worse of what `status` and `result` say; `Passed` without either, because most runners write none. Older
    /// releases of googletest write a skipped test as `status="run" result="skipped"`.
    pub(super) fn state(&self) -> CaseState {
        let said = [&self.status, &self.result].into_iter().flatten();
        said.fold(CaseState::Passed, |state, word| state.worse(state_of(word)))
    }

    /// Whether `status` or `result` says anything.
    pub(super) fn has_word(&self) -> bool {
        [&self.status, &self.result].into_iter().flatten().any(|word| !word.trim().is_empty())
    }

    /// The word of `status` or `result` that is not known here.
    pub(super) fn unknown_word(&self) -> Option<&str> {
        let mut said = [&self.status, &self.result].into_iter().flatten().map(String::as_str);
        said.find(|word| state_of(word) == CaseState::Unknown)
    }

    /// The count that is no number, with its key.
    pub(super) fn unread_count(&self) -> Option<(&'static str, &str)> {
        let counts = [("failures", &self.failures), ("errors", &self.errors), ("tests", &self.tests)];
        let mut said = counts.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)));
        said.find(|(_, text)| text.trim().parse::<u64>().is_err())
    }

    /// How many failures and errors a suite counts.
    pub(super) fn failures(&self) -> u64 {
        sum([&self.failures, &self.errors])
    }

    /// How many tests a suite counts.
    pub(super) fn tests(&self) -> Option<u64> {
        self.tests.as_ref()?.trim().parse().ok()
    }

    /// How many tests a suite counts that did not run. behave counts skipped scenarios and writes no case for them.
    pub(super) fn skips(&self) -> u64 {
        sum([&self.skipped, &self.disabled])
    }

    /// Whether a skip stands for a test that ran and failed as expected. The word `[NOTRUN]` is pytest's, for
    /// `xfail(run=False)`.
    pub(super) fn is_expected_failure(&self) -> bool {
        // the second word is unittest-xml-reporting's
        self.kind.as_ref().is_some_and(|kind| matches!(kind.trim(), "pytest.xfail" | "XFAIL"))
            && !self.message.as_ref().is_some_and(|message| message.trim_start().starts_with("[NOTRUN]"))
    }
}

/// The sum of the counts that are numbers.
fn sum(counts: [&Option<String>; 2]) -> u64 {
    let numbers = counts.into_iter().flatten().filter_map(|text| text.trim().parse().ok());
    numbers.fold(0, u64::saturating_add)
}

fn text(mut attribute: Attribute<'_>) -> Result<String, String> {
    if let Cow::Owned(sound) = sound_references(&attribute.value) {
        attribute.value = sound.into();
    }
    let value = attribute.normalized_value(XmlVersion::Implicit1_0);
    Ok(value.map_err(|error| format!("the report is no XML: {error}"))?.into_owned())
}

/// The value with `&amp;#0;` for `&#0;`, and so for each number that is no character. One NUL in an output must not refuse
/// the whole report.
fn sound_references(value: &str) -> Cow<'_, str> {
    let (mut sound, mut end) = (String::new(), 0);
    for (at, _) in value.match_indices("&#").filter(|(at, _)| is_no_character(&value[*at..])) {
        sound.push_str(&value[end..at]);
        sound.push_str("&amp;");
        end = at + 1;
    }
    if end == 0 {
        return Cow::Borrowed(value);
    }
    sound.push_str(&value[end..]);
    Cow::Owned(sound)
}

/// Whether the text begins with a reference to a number that is no character.
fn is_no_character(text: &str) -> bool {
    let end = text.bytes().take(MAX_REFERENCE).position(|byte| byte == b';');
    end.is_some_and(|end| BytesRef::new(&text[1..end]).resolve_char_ref().is_err())
}

/// The state for a word. An unknown word is no pass.
fn state_of(word: &str) -> CaseState {
    match word.trim().to_ascii_lowercase().as_str() {
        "" | "run" | "passed" | "pass" | "success" | "successful" | "succeeded" | "ok" | "completed" | "xfailed" => {
            CaseState::Passed
        }
        "failed" | "fail" | "failure" | "error" | "hook_error" | "cleanup_error" | "crashed" | "timeout"
        | "timedout" | "aborted" => CaseState::Failed,
        "flaky" => CaseState::Flaky,
        "skipped" | "skip" | "notrun" | "disabled" | "suppressed" | "ignored" | "pending" | "todo" | "untested" => {
            CaseState::Skipped
        }
        _ => CaseState::Unknown,
    }
}
