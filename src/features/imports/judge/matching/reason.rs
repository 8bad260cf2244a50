//! The reason of a fail in one line, from the report: how many cases failed, the first of them in the report's order, and what it
//! says. It becomes the note of the reading.

use crate::features::imports::model::test_report::{CaseState, TestCase, ToldKind};
use crate::text::escape::{clip, is_bidi};
use crate::text::markers::without_escapes;
use crate::text::secrets;

/// Most characters of a reason; `…` stands for the rest.
const MAX_REASON: usize = 199;
/// Most characters of a case's name in it, so that the message has room.
const MAX_NAME: usize = 80;

/// For example `3 of 37 failed: test_moves: AssertionError: 3 != 4`; `None` if no case failed. `flaky_passes` decides whether a pass
/// at a later try is a fail.
pub(crate) fn reason<'c>(cases: impl Iterator<Item = &'c TestCase>, flaky_passes: bool) -> Option<String> {
    let (mut count, mut failed, mut first) = (0, 0, None);
    for case in cases {
        count += 1;
        let is_fail = match case.state {
            CaseState::Failed | CaseState::Unknown => true,
            CaseState::Flaky => !flaky_passes,
            CaseState::Passed | CaseState::Skipped => false,
        };
        if is_fail {
            failed += 1;
            first = first.or(Some(case));
        }
    }
    let first = first?;
    let (name, told) = (line(&first.name), message(first).unwrap_or_default());
    let (name, told) = (secrets::mask(&name).text, secrets::mask(&told).text);
    let parts = [&*format!("{failed} of {count} failed"), &*clip(&name, MAX_NAME), &*told];
    let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Some(clip(&said.join(": "), MAX_REASON).into_owned())
}

/// What a failed case says: its message, or else the text of the failure, up to the stack.
fn message(case: &TestCase) -> Option<String> {
    let told = |wanted: ToldKind| case.told.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, text)| &**text);
    let of_attribute = told(ToldKind::Message).map(|text| line(up_to_stack(text))).find(|text| says_something(text));
    of_attribute
        .or_else(|| told(ToldKind::Details).map(|text| of_body(text, &case.name)).find(|text| says_something(text)))
}

/// gotestsum writes a bare `Failed`, behave `None`, and cargo-nextest only where it panicked.
fn says_something(text: &str) -> bool {
    !text.is_empty() && text != "Failed" && text != "None" && !is_panic(text)
}

/// Whether the whole text is the head of a Rust panic, for example `thread 'main' (7) panicked at src/a.rs:1:2:`.
fn is_panic(text: &str) -> bool {
    let at = text.strip_prefix("thread '").and_then(|rest| rest.split_once("panicked at "));
    at.is_some_and(|(_, place)| is_place(place.trim_end_matches(':')))
}

/// The text of a failure in one line, without a first line that names the test and without the lines of `go test`.
fn of_body(text: &str, name: &str) -> String {
    let text = text.lines().skip_while(|line| line.trim().is_empty() || is_panic(line.trim())).collect::<Vec<_>>();
    let mut lines = text.into_iter().peekable();
    lines.next_if(|first| is_named(first, name));
    let is_of_go = |line: &&str| ["=== ", "--- "].iter().any(|mark| line.trim_start().starts_with(mark));
    let rest: Vec<&str> = lines.filter(|line| !is_of_go(line)).collect();
    line(up_to_stack(&rest.join("\n")))
}

/// Whether a line is the name of the test, alone or in a longer spelling, for example `Cart::total with a coupon`.
fn is_named(line: &str, name: &str) -> bool {
    let line = line.trim().trim_end_matches(':');
    // PHPUnit adds the data of a case
    let line = line.strip_suffix(')').and_then(|line| line.rsplit_once(" (")).map_or(line, |(before, _)| before);
    line.ends_with(name) && !line.trim_end_matches(name).ends_with([' ', '"', '\''])
}

/// The text before the first line of a stack. A text that begins with a stack, as one of Python does, ends with what it says.
fn up_to_stack(text: &str) -> &str {
    let mut start = 0;
    for part in text.split_inclusive('\n') {
        if is_of_stack(part.trim()) {
            let before = text[..start].trim();
            return if before.is_empty() { text.trim().lines().next_back().unwrap_or_default() } else { before };
        }
        start += part.len();
    }
    text
}

fn is_of_stack(line: &str) -> bool {
    const BEGINNINGS: [&str; 8] =
        ["Traceback (most recent call last)", "stack backtrace:", "note: ", "File \"", "# ./", "❯ ", "› ", "at async "];
    let mut words = line.split_whitespace();
    match (words.next(), words.next_back()) {
        (Some("at"), Some(last)) => is_place(last) || last.ends_with(')'),
        (Some(only), None) => is_place(only),
        _ => BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)),
    }
}

/// Whether a word is a place in a file, for example `src/a.rs:1:2` or `(a.test.js:3)`.
fn is_place(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = word.trim_matches(['(', ')']).rsplit(':');
    parts.next().is_some_and(is_number)
        && parts.next().is_some_and(|file| file.contains(['.', '/']) || is_number(file))
        && !word.contains(char::is_whitespace)
}

/// The text in one line without what a terminal would act on.
fn line(text: &str) -> String {
    let plain = text.lines().map(|line| String::from_utf8_lossy(&without_escapes(line.as_bytes())).into_owned());
    let kept = plain.collect::<Vec<_>>().join(" ");
    let kept: String = kept.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !is_bidi(*c)).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::imports::model::test_report::{ctrf, junit};

    fn case(name: &str, state: CaseState, told: &[(ToldKind, &str)]) -> TestCase {
        TestCase {
            file: None,
            suite: 0,
            classname: String::new(),
            name: name.into(),
            state,
            told: told.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect(),
            tries: Vec::new(),
        }
    }

    /// The reason of one failed case.
    fn said(told: &[(ToldKind, &str)]) -> String {
        let case = case("test_a", CaseState::Failed, told);
        let reason = reason(std::iter::once(&case), false).expect("a reason");
        reason.strip_prefix("1 of 1 failed: test_a").expect("its beginning").trim_start_matches(": ").to_owned()
    }

    #[test]
    fn the_first_failed_case_speaks_and_all_are_counted() {
        let cases = [
            case("a", CaseState::Passed, &[]),
            case("b", CaseState::Flaky, &[(ToldKind::Message, "late")]),
            case("c", CaseState::Failed, &[(ToldKind::Message, "no")]),
            case("d", CaseState::Skipped, &[]),
        ];
        assert_eq!(reason(cases.iter(), true).as_deref(), Some("1 of 4 failed: c: no"));
        assert_eq!(reason(cases.iter(), false).as_deref(), Some("2 of 4 failed: b: late"));
        assert_eq!(reason(cases[..1].iter(), false), None);
        assert_eq!(said(&[]), "");
    }

    #[test]
    fn the_message_is_the_attribute_or_else_the_text_up_to_the_stack() {
        let (message, body) = (ToldKind::Message, ToldKind::Details);
        for (told, is) in [
            (&[(message, "3 != 4"), (body, "more")][..], "3 != 4"),
            (
                &[(message, "Failed"), (body, "=== RUN   TestA\n    a_test.go:5: no\n--- FAIL: TestA (0.00s)")],
                "a_test.go:5: no",
            ),
            (
                &[(body, "test_a\nFailed asserting that 2 is identical to 1.\n\n/src/ATest.php:9\n")],
                "Failed asserting that 2 is identical to 1.",
            ),
            (&[(body, "Cart::test_a\nno\n")], "no"),
            (&[(body, "it is not test_a\nno\n")], "it is not test_a no"),
            (
                &[(
                    message,
                    "Error: expected\n  Expected: 1\n  Received: 2\n    at Object.<anonymous> (a.test.js:3:4)\n    at b",
                )],
                "Error: expected Expected: 1 Received: 2",
            ),
            (&[(message, "look at this (now) and 3:4 later")], "look at this (now) and 3:4 later"),
            (&[(message, "no match at the end")], "no match at the end"),
            (
                &[(body, "Traceback (most recent call last):\n  File \"a.py\", line 3\n    x()\nValueError: no\n")],
                "ValueError: no",
            ),
            (&[(message, "\u{1b}[31mred\u{1b}[0m\u{7}\u{202e}")], "red"),
            (&[(message, ""), (body, "  \n")], ""),
        ] {
            assert_eq!(said(told), is, "{told:?}");
        }
    }

    #[test]
    fn a_secret_is_masked_before_anything_is_cut_and_a_reason_stays_short() {
        let token = format!("npm_{}", "Q".repeat(36));
        let text = said(&[(ToldKind::Message, &format!("{}{token} {}", "x ".repeat(60), "y".repeat(300)))]);
        assert!(!text.contains("npm_") && text.ends_with('…'), "{text}");
        let long = case(&"n".repeat(500), CaseState::Failed, &[(ToldKind::Message, &"ä".repeat(500))]);
        let whole = reason(std::iter::once(&long), false).expect("a reason");
        assert_eq!(whole.chars().count(), 200);
        assert!(whole.contains("n…: ä"), "{whole}");
    }

    /// Every failed case of the reports that real runners wrote.
    #[test]
    fn real_runners_say_why() {
        let mut files: Vec<_> = std::fs::read_dir("tests/data/reports").expect("reports").flatten().collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        let mut all = String::new();
        for file in files {
            let bytes = std::fs::read(file.path()).expect("a report");
            let is_ctrf = file.path().extension().is_some_and(|end| end == "json");
            let report = if is_ctrf { ctrf::parse(&bytes) } else { junit::parse(&bytes) }.expect("a report");
            for case in &report.cases {
                let said = reason(std::iter::once(case), false).map(|said| said.replacen("1 of 1 failed: ", "", 1));
                all.extend(said.map(|said| format!("{}: {said}\n", file.file_name().display())));
            }
        }
        insta::assert_snapshot!(all);
    }
}
