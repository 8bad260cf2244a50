//! Composes the evidence for an imported reading from its cases, so that the same report always gives the same bytes.
//! Leaves out times, hosts and the environment, masks secrets, and limits the size.

use crate::features::imports::model::test_report::{CaseState, TestCase, ToldKind};
use crate::text::escape::clip;
use crate::text::plural;
use crate::text::secrets;
use std::fmt::Write;

/// The maximum number of bytes for one case.
const MAX_CASE: usize = 64 << 10;
/// The maximum number of bytes for the whole.
const MAX_TRANSCRIPT: usize = 1 << 20;
/// The maximum number of characters of a name in the line of a case.
const MAX_LINE_NAME: usize = 500;

/// The composed evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transcript {
    pub(crate) text: String,
    pub(crate) masked: usize,
}

/// Composes the evidence of these cases, each with the display name of its place. `flaky_passes` decides whether a pass at
/// a later try is a pass or a fail. A pass beside skipped cases says so in its first line.
pub(crate) fn compose<'c>(cases: impl Iterator<Item = (&'c TestCase, &'c str)>, flaky_passes: bool) -> Transcript {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut masked, mut skipped, mut passes) = (0, 0, true);
    for (case, place) in cases {
        skipped += usize::from(case.state == CaseState::Skipped);
        passes &= match case.state {
            CaseState::Passed | CaseState::Skipped => true,
            CaseState::Flaky => flaky_passes,
            CaseState::Failed | CaseState::Unknown => false,
        };
        let mut say = |text: &str| {
            let found = secrets::mask(text);
            masked += found.count;
            found.text.into_owned()
        };
        let (head, body) = (say(&head(case, place, flaky_passes)), say(&body(case)));
        parts.push((head, cut(&body, MAX_CASE)));
    }
    parts.sort();
    let mut whole = String::new();
    if passes && skipped > 0 {
        let of = plural(parts.len(), "case");
        let _ =
            writeln!(whole, "skips allowed: {skipped} of {of} {} no result", if skipped == 1 { "has" } else { "have" });
    }
    whole.extend(parts.into_iter().map(|(head, body)| format!("{head}\n{body}")));
    Transcript { text: cut(&whole, MAX_TRANSCRIPT), masked }
}

fn head(case: &TestCase, place: &str, flaky_passes: bool) -> String {
    let (word, end) = match case.state {
        CaseState::Failed => ("FAIL", ""),
        CaseState::Flaky if flaky_passes => ("PASS", " (at a later try)"),
        CaseState::Flaky => ("FAIL", " (passed at a later try)"),
        CaseState::Passed => ("PASS", ""),
        CaseState::Unknown => ("NONE", " (a result that is not known here)"),
        CaseState::Skipped => ("SKIP", ""),
    };
    let words = format!("{place} {}", case.name);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{word} {}{end}", clip(&words, MAX_LINE_NAME))
}

/// The output of a case, each text on lines of its own, in an order independent of the report.
fn body(case: &TestCase) -> String {
    let mut told: Vec<&(ToldKind, String)> = case.told.iter().collect();
    told.sort_by_key(|(kind, _)| *kind);
    let mut body = String::new();
    for (_, text) in told {
        body.push_str(text.trim_matches(['\r', '\n']));
        body.push('\n');
    }
    body
}

/// The text, shortened in its middle to `most` bytes with a note of the removed size.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = (most - 64) / 2;
    let is_between = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=half).rev().find(is_between).unwrap_or_default();
    let start = (text.len() - half..=text.len()).find(is_between).unwrap_or(text.len());
    format!("{}\n[{} bytes left out]\n{}", &text[..end], start - end, &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, state: CaseState, told: &[(ToldKind, &str)]) -> TestCase {
        TestCase {
            file: None,
            suite: 0,
            classname: "c".into(),
            name: name.into(),
            state,
            told: told.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect(),
            tries: Vec::new(),
        }
    }

    fn composed(cases: &[TestCase]) -> Transcript {
        compose(cases.iter().map(|case| (case, "t/a.py")), false)
    }

    #[test]
    fn cases_stand_in_one_order_with_what_they_say() {
        let cases = [
            case("b", CaseState::Passed, &[]),
            case(
                "a",
                CaseState::Failed,
                &[(ToldKind::Out, "\nout\n\n"), (ToldKind::Details, "why"), (ToldKind::Message, "what")],
            ),
        ];
        let expected = "FAIL t/a.py a\nwhat\nwhy\nout\nPASS t/a.py b\n";
        assert_eq!(composed(&cases), Transcript { text: expected.into(), masked: 0 });
        let turned: Vec<_> = cases.into_iter().rev().collect();
        assert_eq!(composed(&turned).text, expected);
    }

    #[test]
    fn a_secret_is_masked_before_anything_is_cut() {
        let token = format!("npm_{}", "Q".repeat(36));
        let said = format!("{}{token}{}", "x".repeat(MAX_CASE / 2 - 50), "y".repeat(MAX_CASE));
        let made = composed(&[case("a", CaseState::Failed, &[(ToldKind::Out, &said)])]);
        assert_eq!(made.masked, 1);
        assert!(!made.text.contains("npm_") && !made.text.contains("QQQQ"), "{}", &made.text[..200]);
    }

    #[test]
    fn what_is_too_long_loses_its_middle_and_says_how_much() {
        let long = "ä".repeat(MAX_CASE);
        let one = composed(&[case("a", CaseState::Passed, &[(ToldKind::Out, &long)])]).text;
        assert!(one.len() < MAX_CASE + 200 && one.contains(" bytes left out]\n"), "{}", one.len());
        let many: Vec<_> =
            (0..40).map(|n| case(&n.to_string(), CaseState::Passed, &[(ToldKind::Out, &long)])).collect();
        assert!(composed(&many).text.len() <= MAX_TRANSCRIPT);
    }

    #[test]
    fn a_pass_beside_skipped_cases_names_them_first() {
        let mut cases = vec![case("a", CaseState::Passed, &[]), case("b", CaseState::Skipped, &[])];
        let expected = "skips allowed: 1 of 2 cases has no result\nPASS t/a.py a\nSKIP t/a.py b\n";
        assert_eq!(composed(&cases).text, expected);
        cases.push(case("c", CaseState::Failed, &[]));
        assert_eq!(composed(&cases).text, "FAIL t/a.py c\nPASS t/a.py a\nSKIP t/a.py b\n");
    }

    #[test]
    fn a_pass_at_a_later_try_is_what_it_is_taken_for() {
        let flaky = [case("a", CaseState::Flaky, &[])];
        let said = |passes| compose(flaky.iter().map(|case| (case, "")), passes).text;
        assert_eq!(said(true), "PASS a (at a later try)\n");
        assert_eq!(said(false), "FAIL a (passed at a later try)\n");
    }
}
